/*
 * What FrameTimeline's rows say: how many there are of each class, how long frames took
 * and how late they were.
 *
 * A row is timed when it was closed, has a length and was not dropped: a frame that was
 * never shown ends when it was given up.
 */
#include "metrics/priv.h"

static const int64_t slow_ns = 16000000, frozen_ns = 700000000;

static const enum tc_metrics_id tags[] = { TC_METRICS_NO_JANK, TC_METRICS_SELF_JANK,
	TC_METRICS_OTHER_JANK, TC_METRICS_DROPPED, TC_METRICS_BUFFER_STUFFING,
	TC_METRICS_SF_STUFFING, TC_METRICS_NON_PERCEIVABLE, TC_METRICS_UNSPECIFIED,
	TC_METRICS_OTHER_TAG };

static void
count_row(struct tc_metrics_job *j, const struct tc_rows_actual *a,
	const struct tc_rows_expected *e)
{
	const struct tc_metrics_group *g = &j->groups[a->group - 1];
	struct tc_metrics_cell *c = &j->cell;
	size_t i;

	tc_metrics_add(c, TC_METRICS_FRAMES, 1, 0);
	tc_metrics_add(c, TC_METRICS_OPEN, a->dur == -1, 0);
	tc_metrics_add(c, TC_METRICS_ZERO, a->dur == 0, 0);
	tc_metrics_add(c, TC_METRICS_INVALID, a->dur < -1 && a->dur != TC_NONE, 0);
	tc_metrics_add(c, TC_METRICS_UNEXPECTED, !e, 0);
	for (i = 0; i < sizeof(tags) / sizeof(tags[0]); i++)
		tc_metrics_count(c, tags[i], g->tag == tags[i]);
	tc_metrics_count(c, TC_METRICS_JANKY, g->is_janky);
}

/* Against the refresh period: never a constant, so nothing where it is not known. */
static void
time_by_rate(struct tc_metrics_job *j, int64_t dur, int64_t since_due_ns)
{
	struct tc_metrics_cell *c = &j->cell;
	int64_t period = c->period_ns;

	if (period == TC_NONE)
		return;
	tc_metrics_count(c, TC_METRICS_OVER_PERIOD, dur > period);
	if (since_due_ns != TC_NONE)
		tc_metrics_add(c, TC_METRICS_MATRIX_DROPPED,
			since_due_ns > 0 ? since_due_ns / period : 0, 0);
}

/* What JankStats expects is the frame's own, and before there was that, the period. */
static void
count_jankstats(struct tc_metrics_cell *c, int64_t dur, const struct tc_rows_expected *e)
{
	int64_t expected = tc_rows_expected_end(e) == TC_NONE ? c->period_ns : e->dur;

	if (expected != TC_NONE)
		tc_metrics_count(c, TC_METRICS_JANKSTATS, dur - expected > expected);
}

/* How long the frame was in the scene: with some policies, not all of it counts. */
static int64_t
length_in(const struct tc_metrics_job *j, int64_t ts, int64_t end)
{
	if (j->cell.scene)
		tc_scenes_has(j->m->scenes, j->cell.scene, &ts, &end);
	return tc_rows_minus(end, ts);
}

/* Only lengths are of the part in the scene; moments are as they are. */
static void
time_row(struct tc_metrics_job *j, const struct tc_rows_actual *a,
	const struct tc_rows_expected *e)
{
	int64_t end = tc_rows_end(a->ts, a->dur), dur = length_in(j, a->ts, end),
		start = e ? e->ts : TC_NONE;
	struct tc_metrics_cell *c = &j->cell;

	if (end == TC_NONE || dur == TC_NONE || j->groups[a->group - 1].is_dropped)
		return;
	tc_metrics_value(c, TC_METRICS_DURATION, dur);
	tc_metrics_value(
		c, TC_METRICS_OVERRUN, tc_metrics_off(end, tc_rows_expected_end(e)));
	tc_metrics_count(c, TC_METRICS_SLOW, dur > slow_ns);
	tc_metrics_count(c, TC_METRICS_FROZEN, dur > frozen_ns);
	count_jankstats(c, dur, e);
	time_by_rate(j, dur, tc_metrics_off(end, start));
	if (e && tc_rows_expected_end(e) == TC_NONE)
		tc_metrics_why(c, TC_METRICS_OVERRUN, "no_expected_end");
}

static void
explain(struct tc_metrics_cell *c)
{
	static const enum tc_metrics_id of_timed[] = { TC_METRICS_DURATION,
		TC_METRICS_SLOW, TC_METRICS_SLOW_RATE, TC_METRICS_FROZEN,
		TC_METRICS_FROZEN_RATE, TC_METRICS_OVER_PERIOD,
		TC_METRICS_OVER_PERIOD_RATE };
	bool has_timed = c->sums[TC_METRICS_DURATION].samples > 0;
	const char *why = has_timed ? "no_expectation" : "no_timed_frames";
	size_t i;

	tc_metrics_why(c, TC_METRICS_DELAY, "no_expectation");
	tc_metrics_why(c, TC_METRICS_OVERRUN, why);
	tc_metrics_why(c, TC_METRICS_MATRIX_DROPPED, why);
	for (i = 0; i < sizeof(of_timed) / sizeof(of_timed[0]); i++)
		tc_metrics_why(c, of_timed[i], "no_timed_frames");
	why = has_timed ? "unknown_rate" : "no_timed_frames";
	tc_metrics_why(c, TC_METRICS_JANKSTATS, why);
	tc_metrics_why(c, TC_METRICS_JANKSTATS_RATE, why);
}

void
tc_metrics_timeline(
	struct tc_metrics_job *j, const struct tc_metrics_deal *at, size_t count)
{
	struct tc_metrics_cell *c = &j->cell;
	const struct tc_rows_expected *e;
	const struct tc_rows_actual *a;
	size_t i;

	for (i = 0; i < count; i++) {
		a = &j->r->actual.at[j->rows[at[i].item]];
		e = tc_metrics_expectation(j->r, a);
		count_row(j, a, e);
		tc_metrics_value(
			c, TC_METRICS_DELAY, tc_metrics_off(a->ts, e ? e->ts : TC_NONE));
		time_row(j, a, e);
	}
	explain(c);
}
