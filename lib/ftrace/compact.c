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

/* So many are put down of a bundle. */
enum { MAX_SWITCHES = 64 * 1024 };

struct compact {
	struct tc_pb columns[COLUMNS]; /* packed varints */
	struct tc_ftrace_name comms[MAX_NAMES];
	size_t comm_count;
};

static void
read_columns(struct tc_ftrace_bundle *b, struct tc_str bytes, struct compact *c)
{
	struct tc_pb r = tc_pb_init_ahead(bytes.p, bytes.len, b->ahead);
	struct tc_err ignored;
	struct tc_pb_field f;
	int n;

	c->comm_count = 0;
	memset(c->columns, 0, sizeof(c->columns));
	while ((n = tc_pb_next(&r, &f, &ignored)) > 0) {
		if (f.wire != TC_PB_LEN || f.id >= COLUMNS)
			continue;
		if (f.id != INTERN_TABLE)
			c->columns[f.id] = tc_pb_init_ahead(f.bytes, f.len, b->ahead);
		else if (c->comm_count < MAX_NAMES)
			tc_ftrace_set_name(b, &c->comms[c->comm_count++], tc_pb_str(&f));
	}
	if (n < 0)
		tc_trace_count(b->t, TC_STAT_DAMAGED_NESTED);
}

/* The next value of a column; false at its end. */
static bool
next_any(struct tc_pb *column, uint64_t *value)
{
	int n = tc_pb_varint(column->pos, column->end, value);

	if (n <= 0)
		return false;
	column->pos += n;
	return true;
}

/* The same of times, without a branch on how long it is. */
__attribute__((always_inline)) static inline bool
next_time(struct tc_pb *column, uint64_t *value)
{
	int n = column->pos < column->fast ? tc_pb_short_varint(column->pos, value) : 0;

	if (!n || n > column->end - column->pos)
		return next_any(column, value);
	column->pos += n;
	return true;
}

/* Of threads. */
__attribute__((always_inline)) static inline bool
next_pid(struct tc_pb *column, uint32_t *pid)
{
	int n = column->pos < column->fast ? tc_pb_tid(column->pos, pid) : 0;
	uint64_t value;

	if (n && n <= column->end - column->pos) {
		column->pos += n;
		return true;
	}
	if (!next_any(column, &value))
		return false;
	*pid = (uint32_t)value;
	return true;
}

/* Of what is nearly always one byte. */
static inline bool
next_small(struct tc_pb *column, uint64_t *value)
{
	if (column->pos == column->end || *column->pos >= 0x80)
		return next_any(column, value);
	*value = *column->pos++;
	return true;
}

static void
push_switch(struct tc_ftrace_bundle *b, int64_t ts, uint32_t pid, uint64_t prev_state)
{
	struct tc_ftrace_event *e = tc_ftrace_push(b, TC_FTRACE_COMPACT_SWITCH, ts);

	e->pid = pid;
	e->value = (int64_t)prev_state;
}

static inline void
put_down(struct tc_ftrace_bundle *b, int64_t ts)
{
	struct tc_ftrace *f = b->f;

	if (f->switch_count == MAX_SWITCHES) {
		b->may_lack_switches = true;
		return;
	}
	if (f->switch_count == f->switch_cap)
		tc_mem_grow(&f->switches, &f->switch_cap, f->switch_count + 1,
			sizeof(*f->switches));
	f->switches[f->switch_count++] = ts;
}

/* Whether all of a column was read. */
static bool
is_at_end(const struct tc_pb *column)
{
	return column->pos == column->end;
}

static void
read_switches(struct tc_ftrace_bundle *b, struct compact *c)
{
	struct tc_pb *times = &c->columns[SWITCH_TIMESTAMP],
		     *pids = &c->columns[SWITCH_NEXT_PID];
	bool has_sched = b->f->wants->sched;
	uint64_t delta, raw = 0, comm, state = 0;
	uint32_t pid;
	int64_t ts;

	while (next_time(times, &delta) && next_pid(pids, &pid)) {
		raw += delta;
		if (!next_small(&c->columns[SWITCH_NEXT_COMM], &comm))
			comm = MAX_NAMES;
		if (has_sched && !next_small(&c->columns[SWITCH_PREV_STATE], &state))
			state = 0;
		if (!tc_ftrace_time(b, raw, &ts)) {
			b->may_lack_switches = true;
			continue;
		}
		tc_ftrace_span(b, ts);
		if (comm < c->comm_count && pid)
			tc_ftrace_see_comm(b->f, ts, pid, &c->comms[comm]);
		/* Who leaves is not told: of the first switch nobody knows. */
		if (!b->queue->has_compact)
			tc_trace_count(b->t, TC_STAT_COMPACT_SKIPPED);
		b->queue->has_compact = true;
		if (has_sched)
			push_switch(b, ts, pid, state);
		else
			put_down(b, ts);
	}
	if (!is_at_end(times) || !is_at_end(pids))
		b->may_lack_switches = true;
}

/* When nobody asks who was woken, only that there is something at these times. */
static void
read_waking_times(struct tc_ftrace_bundle *b, struct compact *c)
{
	uint64_t delta, raw = 0;
	int64_t ts;

	while (next_time(&c->columns[WAKING_TIMESTAMP], &delta))
		if (tc_ftrace_time(b, raw += delta, &ts))
			tc_ftrace_span(b, ts);
}

static void
read_wakings(struct tc_ftrace_bundle *b, struct compact *c)
{
	uint64_t delta, raw = 0;
	uint32_t pid;
	int64_t ts;

	while (next_time(&c->columns[WAKING_TIMESTAMP], &delta) &&
		next_pid(&c->columns[WAKING_PID], &pid)) {
		raw += delta;
		if (!tc_ftrace_time(b, raw, &ts))
			continue;
		tc_ftrace_span(b, ts);
		tc_ftrace_push(b, TC_FTRACE_WAKING, ts)->pid = pid;
	}
}

void
tc_ftrace_read_compact(struct tc_ftrace_bundle *b, struct tc_str bytes)
{
	struct compact c;

	if (!b->f->wants->markers && !b->f->wants->sched)
		return;
	read_columns(b, bytes, &c);
	read_switches(b, &c);
	if (b->f->wants->sched)
		read_wakings(b, &c);
	else
		read_waking_times(b, &c);
}

/* As tc_ftrace_time, but for counting. */
static bool
has_time(struct tc_ftrace_bundle *b, uint64_t raw, int64_t *ts)
{
	struct tc_clocks *clocks = &b->t->machines[b->machine].clocks;

	return raw <= INT64_MAX &&
		tc_clocks_convert(clocks, b->clock, (int64_t)raw, ts) == TC_CLOCK_OK &&
		*ts >= 0;
}

void
tc_ftrace_read_switch_times(struct tc_ftrace_bundle *b, struct tc_str bytes)
{
	struct tc_pb r = tc_pb_init_ahead(bytes.p, bytes.len, b->ahead), times = { 0 };
	struct tc_err ignored;
	struct tc_pb_field f;
	uint64_t delta, raw = 0;
	int64_t ts;
	int n;

	while ((n = tc_pb_next(&r, &f, &ignored)) > 0)
		if (f.id == SWITCH_TIMESTAMP && f.wire == TC_PB_LEN)
			times = tc_pb_init_ahead(f.bytes, f.len, b->ahead);
	while (next_time(&times, &delta)) {
		raw += delta;
		if (has_time(b, raw, &ts))
			put_down(b, ts);
		else
			b->may_lack_switches = true;
	}
	if (n < 0 || !is_at_end(&times))
		b->may_lack_switches = true;
}
