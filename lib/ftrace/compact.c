/*
 * CompactSched: the scheduler's events of one bundle as columns. Times are
 * deltas, the first from zero; names are indices into a table of this message.
 */
#include <string.h>

#include "err/err.h"
#include "ftrace/priv.h"
#include "pb/pb.h"

enum {
	SWITCH_TIMESTAMP = 1,
	SWITCH_PREV_STATE = 2,
	SWITCH_NEXT_PID = 3,
	INTERN_TABLE = 5,
	SWITCH_NEXT_COMM = 6,
	WAKING_TIMESTAMP = 7,
	WAKING_PID = 8,
	COLUMNS = 9,
};

/* Of one CPU's buffer; what an index beyond it names is not known. */
enum { MAX_NAMES = 1024 };

/* A name of this message, and the place of who was seen with it last, and its id. */
struct comm {
	struct tc_str name;
	uint32_t task, id;
};

struct compact {
	struct tc_pb columns[COLUMNS]; /* packed varints */
	struct comm comms[MAX_NAMES];
	size_t comm_count;
};

static void
read_columns(struct tc_ftrace_bundle *b, struct tc_str bytes, struct compact *c)
{
	struct tc_pb r = tc_pb_init(bytes.p, bytes.len);
	struct tc_err ignored;
	struct tc_pb_field f;
	int n;

	while ((n = tc_pb_next(&r, &f, &ignored)) > 0) {
		if (f.wire != TC_PB_LEN || f.id >= COLUMNS)
			continue;
		if (f.id != INTERN_TABLE)
			c->columns[f.id] = tc_pb_init(f.bytes, f.len);
		else if (c->comm_count < MAX_NAMES)
			c->comms[c->comm_count++] = (struct comm){
				.name = tc_ftrace_clip(b, tc_pb_str(&f)),
				.task = TC_FTRACE_NO_TASK,
			};
	}
	if (n < 0)
		tc_trace_count(b->t, TC_STAT_DAMAGED_NESTED);
}

/* The next value of a column; false at its end. */
static inline bool
next(struct tc_pb *column, uint64_t *value)
{
	int n;

	if (column->pos < column->end && *column->pos < 0x80) {
		*value = *column->pos++;
		return true;
	}
	n = column->end - column->pos >= 8 ? tc_pb_short_varint(column->pos, value) : 0;
	if (!n)
		n = tc_pb_varint(column->pos, column->end, value);
	if (n <= 0)
		return false;
	column->pos += n;
	return true;
}

/* Who comes is called so. Each name is mostly that of one thread. */
static void
see_comm(struct tc_ftrace *f, struct comm *comm, int64_t ts, uint32_t tid)
{
	if (tc_ftrace_see_again(f, comm->task, ts, tid, comm->id))
		return;
	comm->task = tc_ftrace_see_comm(f, ts, tid, comm->name);
	comm->id = f->tasks[comm->task].name;
}

static void
push_switch(
	struct tc_ftrace_bundle *b, int64_t ts, uint64_t next_pid, uint64_t prev_state)
{
	struct tc_ftrace_event *e = tc_ftrace_push(b, TC_FTRACE_COMPACT_SWITCH, ts);

	e->pid = (uint32_t)next_pid;
	e->value = (int64_t)prev_state;
}

static void
read_switches(struct tc_ftrace_bundle *b, struct compact *c)
{
	bool has_sched = b->f->wants->sched;
	uint64_t delta, raw = 0, pid, comm, state = 0;
	int64_t ts;

	while (next(&c->columns[SWITCH_TIMESTAMP], &delta) &&
		next(&c->columns[SWITCH_NEXT_PID], &pid)) {
		raw += delta;
		if (!next(&c->columns[SWITCH_NEXT_COMM], &comm))
			comm = MAX_NAMES;
		if (has_sched && !next(&c->columns[SWITCH_PREV_STATE], &state))
			state = 0;
		if (!tc_ftrace_time(b, raw, &ts))
			continue;
		tc_ftrace_span(b, ts);
		if (comm < c->comm_count && (uint32_t)pid)
			see_comm(b->f, &c->comms[comm], ts, (uint32_t)pid);
		/* Who leaves is not told: of the first switch nobody knows. */
		if (!b->queue->has_compact)
			tc_trace_count(b->t, TC_STAT_COMPACT_SKIPPED);
		b->queue->has_compact = true;
		if (has_sched)
			push_switch(b, ts, pid, state);
	}
}

/* When nobody asks who was woken, only that there is something at these times. */
static void
read_waking_times(struct tc_ftrace_bundle *b, struct compact *c)
{
	uint64_t delta, raw = 0;
	int64_t ts;

	while (next(&c->columns[WAKING_TIMESTAMP], &delta))
		if (tc_ftrace_time(b, raw += delta, &ts))
			tc_ftrace_span(b, ts);
}

static void
read_wakings(struct tc_ftrace_bundle *b, struct compact *c)
{
	uint64_t delta, raw = 0, pid;
	int64_t ts;

	while (next(&c->columns[WAKING_TIMESTAMP], &delta) &&
		next(&c->columns[WAKING_PID], &pid)) {
		raw += delta;
		if (!tc_ftrace_time(b, raw, &ts))
			continue;
		tc_ftrace_span(b, ts);
		tc_ftrace_push(b, TC_FTRACE_WAKING, ts)->pid = (uint32_t)pid;
	}
}

void
tc_ftrace_read_compact(struct tc_ftrace_bundle *b, struct tc_str bytes)
{
	struct compact c;

	if (!b->f->wants->markers && !b->f->wants->sched)
		return;
	c.comm_count = 0;
	memset(c.columns, 0, sizeof(c.columns));
	read_columns(b, bytes, &c);
	read_switches(b, &c);
	if (b->f->wants->sched)
		read_wakings(b, &c);
	else
		read_waking_times(b, &c);
}
