#include "trace/priv.h"

/* Counts why a conversion failed. */
static void
count_failure(struct tc_trace *t, enum tc_clock_result result)
{
	switch (result) {
	case TC_CLOCK_OK: break;
	case TC_CLOCK_UNKNOWN_SOURCE:
		tc_trace_count(t, TC_STAT_CLOCK_UNKNOWN_SOURCE);
		break;
	case TC_CLOCK_UNKNOWN_TARGET:
		tc_trace_count(t, TC_STAT_CLOCK_UNKNOWN_TARGET);
		break;
	case TC_CLOCK_NO_PATH: tc_trace_count(t, TC_STAT_CLOCK_NO_PATH); break;
	}
}

void
tc_trace_span(struct tc_trace *t, int64_t first, int64_t last)
{
	if (last > t->max_ts)
		t->max_ts = last;
	tc_trace_range_add(&t->range, first, last);
}

/* Trace time starts at 0; what comes out below is dropped. */
static inline bool
accept_time(struct tc_trace *t, int64_t ts)
{
	if (ts < 0) {
		tc_trace_count(t, TC_STAT_NEGATIVE_TIMESTAMP);
		return false;
	}
	t->max_ts = ts > t->max_ts ? ts : t->max_ts;
	tc_trace_range_add(&t->range, ts, ts);
	return true;
}

bool
tc_trace_accept(struct tc_trace *t, int64_t ts)
{
	return accept_time(t, ts);
}

static uint64_t
packet_clock(const struct tc_trace *t, const struct tc_packet *p)
{
	uint32_t id = p->clock_id;

	if (!id)
		id = p->default_clock;
	if (!id)
		return t->machines[p->machine].clocks.default_clock;
	return tc_clock_key(id, p->seq);
}

/*
 * FrameTracer of older releases writes MONOTONIC values without naming their
 * clock. Which it is can be told when the whole trace was read; until then the
 * packet has no part in the trace's range.
 */
static bool
is_assumed(const struct tc_trace *t, const struct tc_packet *p)
{
	const struct tc_clocks *c = &t->machines[0].clocks;

	return p->data_field == TC_PACKET_GRAPHICS_FRAME_EVENT && p->machine == 0 &&
		p->clock == TC_CLOCK_BOOTTIME && c->trace_clock == TC_CLOCK_BOOTTIME &&
		!p->clock_id && !p->default_clock;
}

void
tc_timestamp_resolve_any(struct tc_trace *t, struct tc_packet *p)
{
	struct tc_clocks *c = &t->machines[p->machine].clocks;

	p->time = TC_TIME_OK;
	p->ts = t->max_ts;
	if (!p->has_timestamp)
		return;
	p->clock = packet_clock(t, p);
	p->ts = (int64_t)p->timestamp;
	if (p->clock && tc_clocks_convert(c, p->clock, p->ts, &p->ts) != TC_CLOCK_OK) {
		p->time = TC_TIME_LATER;
		return;
	}
	p->is_clock_assumed = p->ts >= 0 && is_assumed(t, p);
	if (p->is_clock_assumed)
		t->max_ts = p->ts > t->max_ts ? p->ts : t->max_ts;
	else if (!accept_time(t, p->ts))
		p->time = TC_TIME_BAD;
}

bool
tc_trace_convert(
	struct tc_trace *t, uint32_t machine, uint64_t clock, int64_t raw, int64_t *ts)
{
	enum tc_clock_result r =
		tc_clocks_convert(&t->machines[machine].clocks, clock, raw, ts);

	if (r != TC_CLOCK_OK) {
		count_failure(t, r);
		return false;
	}
	if (*ts < 0)
		tc_trace_count(t, TC_STAT_NEGATIVE_TIMESTAMP);
	return *ts >= 0;
}

bool
tc_trace_late(
	struct tc_trace *t, uint32_t machine, uint64_t clock, int64_t raw, int64_t *ts)
{
	struct tc_clocks *c = &t->machines[machine].clocks;
	enum tc_clock_result r = tc_clocks_convert(c, clock, raw, ts);

	if (r != TC_CLOCK_OK) {
		count_failure(t, r);
		tc_trace_count(t, TC_STAT_CLOCK_PACKET_LOSS);
		return false;
	}
	return accept_time(t, *ts);
}
