/*
 * Stretches of a frame's way, each against its own expectation. What a frame does
 * with its buffer is held against its own expected end, what the display does against
 * the display frame's; waits that have no end of their own against one period. What
 * ends with a present is long from where the platform calls a present late.
 */
#include "jank/explain.h"
#include "jank/priv.h"
#include "rows/rows.h"

/* A stretch, as far as both ends are known. */
static struct tc_rec_jank_cause_stretch *
add(struct tc_jank_case *c, struct tc_str name, int64_t from, int64_t to, const char *why)
{
	struct tc_rec_jank_cause_stretch *s = &c->stretches[c->stretch_count++];

	*s = (struct tc_rec_jank_cause_stretch){ .name = name,
		.ts = from,
		.dur_ns = tc_rows_minus(to, from),
		.expected_ns = TC_NONE,
		.over_ns = TC_NONE,
		.is_long = TC_NONE };
	if (s->dur_ns == TC_NONE)
		s->why = tc_str_of(why);
	return s;
}

/*
 * What is over is the part of the stretch behind the expected end: what was late
 * before it began is not of its making.
 */
static void
hold_against_end(
	struct tc_rec_jank_cause_stretch *s, int64_t end, int64_t slack, const char *why)
{
	int64_t over;

	if (s->dur_ns == TC_NONE)
		return;
	s->expected_ns = tc_rows_minus(end, s->ts);
	over = tc_rows_minus(s->dur_ns, s->expected_ns);
	if (over == TC_NONE) {
		s->expected_ns = TC_NONE;
		s->why = tc_str_of(why);
		return;
	}
	s->over_ns = over < s->dur_ns ? over : s->dur_ns;
	s->is_long = s->over_ns > slack;
	if (s->expected_ns < 0)
		s->why = TC_STR("began_late");
}

static void
hold_against_length(struct tc_rec_jank_cause_stretch *s, int64_t length, int64_t slack)
{
	if (s->dur_ns == TC_NONE)
		return;
	if (length == TC_NONE) {
		s->why = TC_STR("no_period");
		return;
	}
	s->expected_ns = length;
	s->over_ns = tc_rows_minus(s->dur_ns, length);
	if (s->over_ns == TC_NONE)
		s->over_ns = s->dur_ns;
	s->is_long = s->over_ns > slack;
}

/* Why there is no expectation to hold against. */
static const char *
no_expectation(const struct tc_jank_case *c)
{
	return c->expected_count > 1 ? "several_expectations" : "no_expectation";
}

/* Why there is no display frame to ask. */
static const char *
no_display_frame(const struct tc_jank_case *c)
{
	return c->match.display_count > 1 ? "several_display_frames" : "no_display_frame";
}

/* A fence that had signaled by the time of queueing was not waited for. */
static int64_t
ready_ts(const int64_t *at)
{
	int64_t ready = at[TC_JANK_ACQUIRE];

	return ready != TC_NONE && ready < at[TC_JANK_QUEUE] ? at[TC_JANK_QUEUE] : ready;
}

static void
add_producer(struct tc_jank_case *c, const int64_t *at, const char *why)
{
	int64_t end = tc_rows_expected_end(c->expected);
	struct tc_rec_jank_cause_stretch *s;

	s = add(c, TC_STR("producer_hold"), at[TC_JANK_DEQUEUE], at[TC_JANK_QUEUE], why);
	hold_against_end(s, end, 0, no_expectation(c));
	s = add(c, TC_STR("producer_fence"), at[TC_JANK_QUEUE], ready_ts(at), why);
	hold_against_end(s, end, 0, no_expectation(c));
	if (s->dur_ns <= 0)
		return;
	if (tc_str_eq(c->path, TC_STR("hwui_window")))
		s->reading = TC_STR("the GPU's work that was left when it was queued");
	else
		tc_jank_not_known(c, "producer_fence", "path_is_no_window");
}

static void
add_latch(struct tc_jank_case *c, const int64_t *at, const char *why)
{
	struct tc_rec_jank_cause_stretch *s;

	s = add(c, TC_STR("acquire_to_latch"), ready_ts(at), at[TC_JANK_LATCH], why);
	if (s->dur_ns == TC_NONE || s->dur_ns >= 0) {
		hold_against_length(s, c->period, 0);
		return;
	}
	s->dur_ns = TC_NONE;
	s->is_long = 0;
	s->why = TC_STR("latched_unsignaled");
}

static const char *
no_display_end(const struct tc_jank_case *c, const struct tc_rows_expected *e)
{
	if (!c->match.display)
		return no_display_frame(c);
	return e && e->count > 1 ? "several_expectations" : "no_display_expectation";
}

static void
add_output(struct tc_jank_case *c, const int64_t *at, const char *why)
{
	const struct tc_rows_actual *d = c->match.display;
	const struct tc_rows_expected *e =
		d ? tc_rows_display_expectation(c->rows, d) : NULL;
	struct tc_rec_jank_cause_stretch *s;
	const char *no_end = no_display_end(c, e);
	int64_t end = tc_rows_expected_end(tc_rows_only(e));

	s = add(c, TC_STR("latch_to_present"), at[TC_JANK_LATCH], at[TC_JANK_PRESENT],
		why);
	hold_against_end(s, end, TC_JANK_NEAR_NS, no_end);
	s = add(c, TC_STR("display_frame"), d ? d->ts : TC_NONE,
		d ? tc_rows_end(d->ts, d->dur) : TC_NONE,
		d ? "display_frame_open" : no_end);
	hold_against_end(s, end, TC_JANK_NEAR_NS, no_end);
}

/*
 * A gap in which nothing was to be drawn is no gap: the frame was to begin more than
 * a period after the one before had been shown.
 */
static bool
is_idle(const struct tc_jank_case *c)
{
	int64_t wait = tc_rows_minus(c->expected->ts, c->present_before);

	return wait != TC_NONE && wait > c->period;
}

static void
add_cadence(struct tc_jank_case *c)
{
	struct tc_rec_jank_cause_stretch *s;
	const char *why = "no_frame_before";

	if (c->match.is_dropped)
		why = "dropped";
	else if (!c->match.display)
		why = no_display_frame(c);
	else if (c->match.present == TC_NONE)
		why = "display_frame_open";
	s = add(c, TC_STR("cadence_gap"), c->present_before, c->match.present, why);
	if (s->dur_ns == TC_NONE)
		return;
	if (c->period != TC_NONE && !c->expected)
		s->why = tc_str_of(no_expectation(c));
	else if (c->period != TC_NONE && is_idle(c))
		s->why = TC_STR("idle_before");
	else
		hold_against_length(s, c->period, TC_JANK_NEAR_NS);
}

void
tc_jank_stretches(struct tc_jank_case *c)
{
	static const int64_t nothing[TC_JANK_STEPS] = { TC_NONE, TC_NONE, TC_NONE,
		TC_NONE, TC_NONE };
	const int64_t *at = c->best ? c->best->s->at : nothing;
	const char *why = c->best ? "not_recorded" : "no_match";

	add_producer(c, at, why);
	add_latch(c, at, why);
	add_output(c, at, why);
	add_cadence(c);
	if (!c->expected)
		tc_jank_not_known(c, "expectation", no_expectation(c));
	if (c->period == TC_NONE)
		tc_jank_not_known(c, "period", "no_refresh_rate");
	if (!c->match.display)
		tc_jank_not_known(c, "display_frame", no_display_frame(c));
}
