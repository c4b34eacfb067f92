/*
 * What threads were doing, over any stretch of time: the difference of two sums, so
 * that many long stretches cost no more than short ones.
 */
#include "rows/priv.h"

#include "rec/rec.h"

/* Where a state counts, NULL for one that nobody knows. */
static int64_t *
place_of(const struct tc_rows *r, uint32_t state, struct tc_rows_times *t)
{
	struct tc_str text = tc_rows_text(r, state);

	if (!text.p || !text.len)
		return NULL;
	if (tc_str_eq(text, TC_STR("Running")))
		return &t->running_ns;
	if (text.p[0] == 'R')
		return &t->runnable_ns;
	return &t->blocked_ns;
}

static void
add(const struct tc_rows *r, const struct tc_rows_sched *s, int64_t dur,
	struct tc_rows_times *t)
{
	int64_t *to = place_of(r, s->state, t);

	if (to && dur > 0 && __builtin_add_overflow(*to, dur, to))
		*to = INT64_MAX;
}

void
tc_rows_sum_states(struct tc_rows *r)
{
	const struct tc_rows_sched *s = r->scheds.at;
	size_t i, n = r->scheds.count;

	if (!n)
		return;
	r->sched_sums = tc_mem_calloc(n, sizeof(*r->sched_sums));
	for (i = 1; i < n; i++) {
		if (s[i].thread != s[i - 1].thread)
			continue;
		r->sched_sums[i] = r->sched_sums[i - 1];
		add(r, &s[i - 1], s[i - 1].dur, &r->sched_sums[i]);
	}
}

/* The states of the thread until ts: those before the last, and its part of that. */
static void
sum_until(const struct tc_rows *r, const struct tc_rows_sched *s, int64_t ts,
	struct tc_rows_times *t)
{
	int64_t end = tc_rows_end(s->ts, s->dur), dur;

	*t = r->sched_sums[s - r->scheds.at];
	if (end != TC_NONE && s->ts < ts &&
		!__builtin_sub_overflow(ts < end ? ts : end, s->ts, &dur))
		add(r, s, dur, t);
}

bool
tc_rows_times(const struct tc_rows *r, uint32_t thread, int64_t ts, int64_t end,
	struct tc_rows_times *t)
{
	const struct tc_rows_sched *s;
	struct tc_rows_times before;
	size_t count;

	if (thread == TC_ROWS_NO || ts == TC_NONE || end == TC_NONE || ts >= end)
		return false;
	s = tc_rows_states(r, thread, ts, end, &count);
	if (!count)
		return false;
	sum_until(r, s, ts, &before);
	sum_until(r, s + count - 1, end, t);
	t->running_ns -= before.running_ns;
	t->runnable_ns -= before.runnable_ns;
	t->blocked_ns -= before.blocked_ns;
	return t->running_ns || t->runnable_ns || t->blocked_ns;
}
