#ifndef TC_FTRACE_PRIV_H
#define TC_FTRACE_PRIV_H
/* Inside ftrace: what the files that read a bundle share. */
#include "ftrace/ftrace.h"

/* Events of one CPU that wait for those of the others. */
struct tc_ftrace_cpu {
	struct tc_ftrace_event *events; /* owned */
	size_t head, count, cap;
	bool is_known, is_unsorted;
	/* Who runs, as far as the switches read last tell. */
	bool has_running, has_compact;
	uint32_t running;
};

/* A bundle being read. */
struct tc_ftrace_bundle {
	struct tc_ftrace *f;
	struct tc_trace *t;
	uint32_t machine, cpu;
	uint64_t clock;     /* key of the events' clock */
	bool is_trace_time; /* that clock is the trace's */
	int64_t min_ts, max_ts;
	const uint8_t *ahead; /* what may be looked at, beyond an event's end */
};

/* Converts; false, counted, when there is no way or it is before all time. */
bool tc_ftrace_time(struct tc_ftrace_bundle *b, uint64_t raw, int64_t *ts);

/* Widens what the bundle spans. */
static inline void
tc_ftrace_span(struct tc_ftrace_bundle *b, int64_t ts)
{
	if (ts < b->min_ts)
		b->min_ts = ts;
	if (ts > b->max_ts)
		b->max_ts = ts;
}

/* A name, cut where it is too long; 0 for p NULL. */
uint32_t tc_ftrace_intern(struct tc_ftrace_bundle *b, struct tc_str name);

/* Appends to the bundle's CPU. */
void tc_ftrace_push(struct tc_ftrace_bundle *b, struct tc_ftrace_event e);

/* One FtraceEvent, and one CompactSched. */
void tc_ftrace_read_event(struct tc_ftrace_bundle *b, struct tc_str bytes);
void tc_ftrace_read_compact(struct tc_ftrace_bundle *b, struct tc_str bytes);

/* The scheduler calls a thread so. */
void tc_ftrace_see_comm(
	struct tc_ftrace *f, int64_t ts, uint32_t tid, struct tc_str comm);
void tc_ftrace_see_comm_id(struct tc_ftrace *f, int64_t ts, uint32_t tid, uint32_t name);

#endif
