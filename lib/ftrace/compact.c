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

struct compact {
	struct tc_pb columns[COLUMNS]; /* packed varints */
	uint32_t names[MAX_NAMES];
	size_t name_count;
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
		else if (c->name_count < MAX_NAMES)
			c->names[c->name_count++] = tc_ftrace_intern(b, tc_pb_str(&f));
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

static void
read_switches(struct tc_ftrace_bundle *b, struct compact *c)
{
	struct tc_ftrace_cpu *cpu = &b->f->cpus[b->cpu];
	uint64_t delta, raw = 0, pid, state, comm;
	struct tc_ftrace_event e;

	while (next(&c->columns[SWITCH_TIMESTAMP], &delta) &&
		next(&c->columns[SWITCH_NEXT_PID], &pid)) {
		raw += delta;
		e = (struct tc_ftrace_event){ .kind = TC_FTRACE_COMPACT_SWITCH,
			.pid = (uint32_t)pid };
		if (!next(&c->columns[SWITCH_PREV_STATE], &state))
			state = 0;
		if (!next(&c->columns[SWITCH_NEXT_COMM], &comm))
			comm = MAX_NAMES;
		if (!tc_ftrace_time(b, raw, &e.ts))
			continue;
		tc_ftrace_span(b, e.ts);
		if (comm < c->name_count && e.pid)
			tc_ftrace_see_comm_id(b->f, e.ts, e.pid, c->names[comm]);
		/* Who leaves is not told: of the first switch nobody knows. */
		if (!cpu->has_compact)
			tc_trace_count(b->t, TC_STAT_COMPACT_SKIPPED);
		cpu->has_compact = true;
		e.value = (int64_t)state;
		if (b->f->wants->sched)
			tc_ftrace_push(b, e);
	}
}

static void
read_wakings(struct tc_ftrace_bundle *b, struct compact *c)
{
	uint64_t delta, raw = 0, pid;
	struct tc_ftrace_event e;

	while (next(&c->columns[WAKING_TIMESTAMP], &delta) &&
		next(&c->columns[WAKING_PID], &pid)) {
		raw += delta;
		e = (struct tc_ftrace_event){ .kind = TC_FTRACE_WAKING,
			.pid = (uint32_t)pid };
		if (!tc_ftrace_time(b, raw, &e.ts))
			continue;
		tc_ftrace_span(b, e.ts);
		if (b->f->wants->sched)
			tc_ftrace_push(b, e);
	}
}

void
tc_ftrace_read_compact(struct tc_ftrace_bundle *b, struct tc_str bytes)
{
	struct compact c;

	if (!b->f->wants->markers && !b->f->wants->sched)
		return;
	c.name_count = 0;
	memset(c.columns, 0, sizeof(c.columns));
	read_columns(b, bytes, &c);
	read_switches(b, &c);
	read_wakings(b, &c);
}
