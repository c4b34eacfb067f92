/*
 * What threads were doing, over any stretch of time: the difference of two sums, so
 * that many long stretches cost no more than short ones. States of one thread that
 * overlap are cut where the next begins.
 */
#include "rows/priv.h"

#include "rec/rec.h"

/* The sum that a state counts in, NULL for one that nobody knows. */
static int64_t *
sum_of(struct tc_str state, struct tc_rows_times *t)
{
	if (!state.p || !state.len)
		return NULL;
	if (tc_str_eq(state, TC_STR("Running")))
		return &t->running_ns;
	return state.p[0] == 'R' ? &t->runnable_ns : &t->blocked_ns;
}

/* Up to when a state lasted: of one that was never closed, nobody knows. */
static int64_t
stop_of(const struct tc_rows *r, size_t i)
{
	const struct tc_rows_sched *s = &r->scheds.at[i], *next = s + 1;
	int64_t end = tc_rows_end(s->ts, s->dur);

	if (end == TC_NONE)
		return s->ts;
	if (i + 1 < r->scheds.count && next->thread == s->thread && next->ts < end)
		return next->ts;
	return end;
}

/* What of the state lies from `from` to `to`. */
static void
add(const struct tc_rows *r, size_t i, int64_t from, int64_t to, struct tc_rows_times *t)
{
	const struct tc_rows_sched *s = &r->scheds.at[i];
	int64_t stop = stop_of(r, i), *sum, time;

	from = s->ts > from ? s->ts : from;
	to = stop < to ? stop : to;
	sum = sum_of(tc_rows_text(r, s->state), t);
	if (sum && to > from && !__builtin_sub_overflow(to, from, &time) &&
		__builtin_add_overflow(*sum, time, sum))
		*sum = INT64_MAX;
}

static bool
is_at_once(const struct tc_rows_sched *a, const struct tc_rows_sched *b)
{
	return a->thread == b->thread && a->ts == b->ts && a->dur == b->dur;
}

/* Several states at one time tell nothing, in whichever order they came. */
static void
forget_doubtful(struct tc_rows *r)
{
	struct tc_rows_sched *at = r->scheds.at;
	size_t i, end, n = r->scheds.count;
	bool is_one;

	for (i = 0; i < n; i = end) {
		is_one = true;
		for (end = i + 1; end < n && is_at_once(&at[i], &at[end]); end++)
			is_one &= at[end].state == at[i].state;
		for (; !is_one && i < end; i++)
			at[i].state = 0;
	}
}

/* Each thread's sums begin with 0, so that none is larger than time is. */
void
tc_rows_sum_states(struct tc_rows *r)
{
	size_t i, n = r->scheds.count;

	if (!n)
		return;
	forget_doubtful(r);
	r->sched_sums = tc_mem_calloc(n, sizeof(*r->sched_sums));
	for (i = 1; i < n; i++) {
		if (r->scheds.at[i].thread != r->scheds.at[i - 1].thread)
			continue;
		r->sched_sums[i] = r->sched_sums[i - 1];
		add(r, i - 1, INT64_MIN, INT64_MAX, &r->sched_sums[i]);
	}
}

bool
tc_rows_times(const struct tc_rows *r, uint32_t thread, int64_t ts, int64_t end,
	struct tc_rows_times *t)
{
	const struct tc_rows_times *from, *to;
	const struct tc_rows_sched *s;
	size_t count, first, last;

	*t = (struct tc_rows_times){ 0 };
	if (thread == TC_ROWS_NO || ts == TC_NONE || end == TC_NONE || ts >= end)
		return false;
	s = tc_rows_states(r, thread, ts, end, &count);
	if (!count)
		return false;
	first = (size_t)(s - r->scheds.at);
	last = first + count - 1;
	add(r, first, ts, end, t);
	if (last > first) {
		add(r, last, ts, end, t);
		from = &r->sched_sums[first + 1];
		to = &r->sched_sums[last];
		t->running_ns += to->running_ns - from->running_ns;
		t->runnable_ns += to->runnable_ns - from->runnable_ns;
		t->blocked_ns += to->blocked_ns - from->blocked_ns;
	}
	return t->running_ns || t->runnable_ns || t->blocked_ns;
}
