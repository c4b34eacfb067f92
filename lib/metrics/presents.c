/*
 * What was shown, and when: the images of a layer, and the intervals between them.
 *
 * A frame was shown when its display frame ended, if it has exactly one. Frames that one
 * display frame showed are one image. Idle is the part of a long interval in which there
 * was no frame to wait for: from the image before until the next frame began, or should
 * have. A frame that took long is not idle time, however long.
 */
#include "metrics/priv.h"

#include <stdlib.h>

/* The platform's limit of what is an animation. */
static const int64_t idle_from_ns = 50000000;

/* An interval beyond this is none: something else happened to the clock. */
static const int64_t longest_ns = INT64_C(86400000000000);

/* PerfDog's limits: two film frames as printed, and three. */
static const int64_t two_frames_ns = 84000000, three_frames_ns = 125000000;
static const int64_t window_ns = 1000000000;

enum { MAX_WINDOWS = 1 << 20 };

/* Two film frames exactly are a twelfth of a second, which is no whole nanosecond. */
static bool
is_over_two_frames(int64_t ns)
{
	return ns * 12 > 1000000000;
}

/* Since when the frame was due, or under way. */
static int64_t
begin_of(const struct tc_rows *r, const struct tc_rows_actual *a)
{
	const struct tc_rows_expected *e = tc_metrics_expectation(r, a);

	return e && e->ts != TC_NONE && e->ts < a->ts ? e->ts : a->ts;
}

static int64_t
lateness(const struct tc_rows *r, const struct tc_rows_actual *display)
{
	const struct tc_rows_expected *e =
		tc_rows_only(tc_rows_display_expectation(r, display));

	return tc_metrics_off(
		tc_rows_end(display->ts, display->dur), tc_rows_expected_end(e));
}

static void
add_image(struct tc_metrics_job *j, const struct tc_metrics_deal *d,
	struct tc_metrics_images *images)
{
	const struct tc_rows_actual *a = &j->r->actual.at[j->rows[d->item]], *display;
	struct tc_metrics_image *image;
	int64_t present;
	size_t count;

	display = tc_rows_display(j->r, a, &count);
	if (count != 1 || j->groups[a->group - 1].is_dropped)
		return;
	present = tc_rows_end(display->ts, display->dur);
	if (present == TC_NONE || present == INT64_MAX)
		return;
	image = TC_ROWS_MORE(&images->list);
	image->present = present;
	image->began = begin_of(j->r, a);
	image->late = lateness(j->r, display);
	image->interval = TC_NONE;
	image->rate = d->rate;
}

static int
by_present(const void *a, const void *b)
{
	const struct tc_metrics_image *x = a, *y = b;
	int c = tc_mem_compare(x->present, y->present);

	c = c ? c : tc_mem_compare(x->began, y->began);
	c = c ? c : tc_mem_compare(x->rate, y->rate);
	return c ? c : tc_mem_compare(x->late, y->late);
}

static int
by_rate(const void *a, const void *b)
{
	const struct tc_metrics_image *x = a, *y = b;
	int c = tc_mem_compare(x->rate, y->rate);

	return c ? c : tc_mem_compare(x->present, y->present);
}

/* What was shown at once is one image, and began when the first of it did. */
static void
join(struct tc_metrics_images *images)
{
	struct tc_metrics_image *at = images->list.at;
	size_t i, n = 0;

	for (i = 0; i < images->list.count; i++)
		if (n == 0 || at[n - 1].present != at[i].present)
			at[n++] = at[i];
	images->list.count = n;
}

/* Intervals in a row, of which the three before are known to the judge. */
static void
judge(struct tc_metrics_image *at, size_t i)
{
	struct tc_metrics_image *now = &at[i];
	int64_t before;
	bool is_long;

	if (i < 4 || at[i - 1].interval == TC_NONE || at[i - 2].interval == TC_NONE ||
		at[i - 3].interval == TC_NONE)
		return;
	before = at[i - 1].interval + at[i - 2].interval + at[i - 3].interval;
	is_long = now->interval * 3 > before * 2;
	now->is_judged = true;
	now->is_jank_83 = is_long && is_over_two_frames(now->interval);
	now->is_jank_84 = is_long && now->interval > two_frames_ns;
	now->is_big = is_long && now->interval > three_frames_ns;
}

static void
measure(struct tc_metrics_image *at, size_t i)
{
	int64_t interval = tc_rows_minus(at[i].present, at[i - 1].present);

	if (interval == TC_NONE || interval > longest_ns)
		return;
	at[i].interval = interval;
	if (interval > idle_from_ns && at[i].began > at[i - 1].present)
		at[i].idle = tc_rows_minus(at[i].began, at[i - 1].present);
	if (at[i].idle < 0 || at[i].idle > interval)
		at[i].idle = 0;
	judge(at, i);
}

void
tc_metrics_images(struct tc_metrics_job *j, const struct tc_metrics_deal *at,
	size_t count, struct tc_metrics_images *images)
{
	size_t i;

	images->list.count = 0;
	for (i = 0; i < count; i++)
		add_image(j, &at[i], images);
	if (!images->list.count)
		return;
	qsort(images->list.at, images->list.count, sizeof(*images->list.at), by_present);
	join(images);
	for (i = 1; i < images->list.count; i++)
		measure(images->list.at, i);
	/* An interval belongs to the span in which the frame that ends it began. */
	qsort(images->list.at, images->list.count, sizeof(*images->list.at), by_rate);
	images->put = 0;
}

const struct tc_metrics_image *
tc_metrics_images_of(struct tc_metrics_images *images, uint32_t rate, size_t *count)
{
	size_t first = images->put, end;

	while (first < images->list.count && images->list.at[first].rate < rate)
		first++;
	for (end = first; end < images->list.count && images->list.at[end].rate == rate;)
		end++;
	images->put = end;
	*count = end - first;
	return *count ? &images->list.at[first] : NULL;
}

static void
count_perfdog(struct tc_metrics_cell *c, const struct tc_metrics_image *image)
{
	int64_t interval = image->interval;

	tc_metrics_add(c, TC_METRICS_PERFDOG_STUTTER_83, image->is_jank_83 ? interval : 0,
		interval);
	tc_metrics_add(c, TC_METRICS_PERFDOG_STUTTER_84, image->is_jank_84 ? interval : 0,
		interval);
	if (!image->is_judged)
		return;
	tc_metrics_add(c, TC_METRICS_PERFDOG_JANK_83, image->is_jank_83, 0);
	tc_metrics_add(c, TC_METRICS_PERFDOG_JANK_84, image->is_jank_84, 0);
	tc_metrics_add(c, TC_METRICS_PERFDOG_BIG_JANK, image->is_big, 0);
}

/* Whole periods, rounded: what is shown in each of them is as smooth as can be. */
static void
count_smooth(struct tc_metrics_cell *c, const struct tc_metrics_image *image)
{
	int64_t period = c->period_ns, half = period - period / 2;

	if (period == TC_NONE || image->idle)
		return;
	tc_metrics_add(c, TC_METRICS_SMOOTH_RATE,
		image->interval * 2 >= period && image->interval - period < half, 1);
}

static void
count_interval(struct tc_metrics_cell *c, const struct tc_metrics_image *image)
{
	int64_t active = image->interval - image->idle;

	tc_metrics_value(c, TC_METRICS_INTERVAL, image->interval);
	tc_metrics_add(c, TC_METRICS_FPS, 1, active);
	tc_metrics_add(c, TC_METRICS_ACTIVE_TIME, active, 0);
	tc_metrics_add(c, TC_METRICS_IDLE_TIME, image->idle, 0);
	count_perfdog(c, image);
	count_smooth(c, image);
}

/*
 * Images in each second of time that was not idle; what is left at the end of it is no
 * second. The time of image i is when that much has gone by since the first.
 */
static void
count_windows(struct tc_metrics_cell *c, const struct tc_metrics_image *at, size_t count)
{
	const struct tc_metrics_sum *active = &c->sums[TC_METRICS_ACTIVE_TIME];
	int64_t t = 0, whole = active->num / window_ns, k = 0, shown = 0;
	size_t i;

	if (active->is_over || whole > MAX_WINDOWS) {
		tc_metrics_why(c, TC_METRICS_FPS_WINDOW, "too_long");
		return;
	}
	for (i = 0; i < count && k < whole; i++) {
		if (at[i].interval == TC_NONE)
			continue;
		t += at[i].interval - at[i].idle;
		for (; k < whole && t > (k + 1) * window_ns; k++) {
			tc_metrics_value(c, TC_METRICS_FPS_WINDOW, shown);
			shown = 0;
		}
		shown++;
	}
	if (k < whole)
		tc_metrics_value(c, TC_METRICS_FPS_WINDOW, shown);
}

/* Hitches are told by the images, and their share by the time that was not idle. */
static void
count_hitch(struct tc_metrics_cell *c, const struct tc_metrics_image *image)
{
	int64_t active = image->interval == TC_NONE ? 0 : image->interval - image->idle,
		late = image->late > 0 ? image->late : 0;

	if (image->late == TC_NONE)
		return;
	tc_metrics_add(c, TC_METRICS_HITCH_TIME, late, 0);
	tc_metrics_add(c, TC_METRICS_HITCH_RATIO, late, active);
}

static void
explain(struct tc_metrics_cell *c)
{
	static const enum tc_metrics_id of_images[] = { TC_METRICS_HITCH_TIME,
		TC_METRICS_HITCH_RATIO, TC_METRICS_INTERVAL, TC_METRICS_FPS,
		TC_METRICS_FPS_WINDOW, TC_METRICS_ACTIVE_TIME, TC_METRICS_IDLE_TIME,
		TC_METRICS_PERFDOG_JANK_83, TC_METRICS_PERFDOG_JANK_84,
		TC_METRICS_PERFDOG_BIG_JANK, TC_METRICS_PERFDOG_STUTTER_83,
		TC_METRICS_PERFDOG_STUTTER_84, TC_METRICS_SMOOTH_RATE };
	bool has_images = c->sums[TC_METRICS_IMAGES].samples > 0;
	size_t i;

	if (has_images) {
		tc_metrics_why(c, TC_METRICS_HITCH_TIME, "no_expectation");
		tc_metrics_why(c, TC_METRICS_HITCH_RATIO,
			c->sums[TC_METRICS_HITCH_TIME].samples ? "too_few_images"
							       : "no_expectation");
		tc_metrics_why(c, TC_METRICS_FPS_WINDOW, "too_short");
	}
	for (i = 0; i < sizeof(of_images) / sizeof(of_images[0]); i++)
		tc_metrics_why(
			c, of_images[i], has_images ? "too_few_images" : "no_presents");
	tc_metrics_why(c, TC_METRICS_IMAGES, "no_presents");
}

void
tc_metrics_presents(
	struct tc_metrics_job *j, const struct tc_metrics_image *at, size_t count)
{
	struct tc_metrics_cell *c = &j->cell;
	size_t i;

	for (i = 0; i < count; i++) {
		tc_metrics_add(c, TC_METRICS_IMAGES, 1, 0);
		count_hitch(c, &at[i]);
		if (at[i].interval != TC_NONE)
			count_interval(c, &at[i]);
	}
	count_windows(c, at, count);
	if (!c->sums[TC_METRICS_PERFDOG_JANK_83].samples) {
		tc_metrics_void(c, TC_METRICS_PERFDOG_STUTTER_83, NULL);
		tc_metrics_void(c, TC_METRICS_PERFDOG_STUTTER_84, NULL);
	}
	explain(c);
}
