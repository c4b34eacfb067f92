/* metrics: present intervals with known answers, and sums that add up. */
#include "metrics/metrics.h"

#include "check.h"
#include "cli/cli.h"
#include "err/err.h"
#include "rec/rec.h"
#include "rows/rows.h"
#include "scenes/scenes.h"

static struct tc_cli cli = TC_CLI_INIT("unit", "");

/* What was asked for last: the numbers of one metric, in the order they came. */
static const char *wanted;
static struct tc_rec_jank_metric got[256];
static size_t got_count, all_count, frame_count;

static void
take(void *ctx, const struct tc_rec_jank_metric *m)
{
	(void)ctx;
	all_count++;
	CHECK(m->metric.p && m->definition.p && m->unit.p && m->combine.p);
	CHECK(!m->reason.p == (isfinite(m->value) || isfinite(m->p50)));
	CHECK(!m->reason.p == (m->samples > 0));
	if (tc_str_eq(m->metric, tc_str_of(wanted)) && got_count < CHECK_ITEMS(got))
		got[got_count++] = *m;
}

static void
take_frame(void *ctx, const struct tc_rec_frame_metrics *f)
{
	(void)ctx;
	(void)f;
	frame_count++;
}

static void
add_frame(struct tc_rows *r, int64_t token, bool is_display, int64_t ts, int64_t dur)
{
	struct tc_rec_actual_frame f;

	tc_rec_init(&tc_rec_actual_frame, &f);
	f.id = token * 2 + is_display;
	f.ts = ts;
	f.dur = dur;
	f.upid = is_display ? 9 : 1;
	f.pid = f.upid;
	f.surface_frame_token = is_display ? TC_NONE : token;
	f.display_frame_token = token;
	f.machine_id = f.trace = 0;
	f.jank_tag = TC_STR("No Jank");
	tc_rows_add(r, &tc_rec_actual_frame, &f);
}

static void
add_marker(struct tc_rows *r, int64_t ts, int64_t dur)
{
	struct tc_rec_marker m;

	tc_rec_init(&tc_rec_marker, &m);
	m.ts = ts;
	m.dur = dur;
	m.scenario = TC_STR("s");
	m.trace = 0;
	tc_rows_add(r, &tc_rec_marker, &m);
}

/* Images so many microseconds apart, ended by 0; each frame takes 5 ms. */
static void
add_images(struct tc_rows *r, const int64_t *us)
{
	int64_t t = 1000000000, token = 1;

	for (;; us++) {
		add_frame(r, token, false, t - 8000000, 5000000);
		add_frame(r, token, true, t - 3000000, 3000000);
		token++;
		if (!*us)
			return;
		t += *us * 1000;
	}
}

static void
run(struct tc_rows *r, const char *metric, bool sketch)
{
	struct tc_metrics m = { .sketch = sketch };
	struct tc_scenes scenes = { 0 };
	struct tc_err err = { 0 };

	wanted = metric;
	got_count = all_count = frame_count = 0;
	if (r->markers.count) {
		CHECK_INT(tc_scenes_make(&scenes, r, &err), 0);
		m.scenes = &scenes;
	}
	tc_metrics_run(&m, r, take, take_frame, NULL);
	tc_scenes_release(&scenes);
}

static void
settle(struct tc_rows *r)
{
	struct tc_err err = { 0 };

	CHECK_INT(tc_rows_settle(r, &cli, &err), 0);
}

/* One number of such images; INT64_MIN when it is unknown. */
static int64_t
number(const char *metric, const int64_t *us)
{
	struct tc_rows r = { .kinds = TC_METRICS_KINDS };
	int64_t value;

	add_images(&r, us);
	settle(&r);
	run(&r, metric, false);
	CHECK_INT(got_count, 1);
	value = isfinite(got[0].value) ? (int64_t)got[0].value : INT64_MIN;
	tc_rows_release(&r);
	return value;
}

static void
test_vectors(void)
{
	static const struct {
		int64_t us[5];
		int jank_83, jank_84, big;
	} v[] = {
		{ { 16700, 16700, 16700, 90000, 0 }, 1, 1, 0 },
		{ { 16700, 16700, 16700, 130000, 0 }, 1, 1, 1 },
		{ { 45000, 45000, 45000, 130000, 0 }, 1, 1, 1 },
		{ { 30000, 30000, 30000, 83500, 0 }, 1, 0, 0 },
		{ { 60000, 60000, 60000, 119000, 0 }, 0, 0, 0 },
	};
	size_t i;

	for (i = 0; i < CHECK_ITEMS(v); i++) {
		CHECK_INT(number("perfdog_jank_83", v[i].us), v[i].jank_83);
		CHECK_INT(number("perfdog_jank_84", v[i].us), v[i].jank_84);
		CHECK_INT(number("perfdog_big_jank", v[i].us), v[i].big);
	}
	CHECK_INT(number("perfdog_jank_83", &v[0].us[3]), INT64_MIN);
	CHECK_INT(number("images", &v[0].us[4]), 1);
	CHECK_INT(number("fps", &v[0].us[4]), INT64_MIN);
}

/* Scenes that follow one another share no frame and leave none out. */
static void
test_parts(void)
{
	static const char *const names[] = { "frames", "no_jank_frames", "images",
		"vitals_slow_frames" };
	int64_t us[401] = { 0 }, whole, parts;
	struct tc_rows r = { .kinds = TC_METRICS_KINDS };
	uint64_t seed = 7;
	size_t i, k;

	for (i = 0; i < 400; i++)
		us[i] = 9000 + (int64_t)(check_random(&seed) % 9000);
	for (k = 0; k < CHECK_ITEMS(names); k++) {
		whole = number(names[k], us);
		r = (struct tc_rows){ .kinds = TC_METRICS_KINDS | TC_ROWS_MARKER };
		add_images(&r, us);
		for (i = 0; i < 20; i++)
			add_marker(&r, 500000000 + (int64_t)i * 400000000, 400000000);
		settle(&r);
		run(&r, names[k], k % 2);
		for (i = parts = 0; i < got_count; i++)
			parts += got[i].num == TC_NONE ? 0 : got[i].num;
		CHECK(got_count > 10);
		CHECK_INT(parts, whole);
		CHECK_INT(frame_count, 401);
		tc_rows_release(&r);
	}
}

/* Names by which way they are worse; all others when they are higher. */
static void
test_worse(void)
{
	static const char lower[] =
		" no_jank_frames no_jank_rate smooth_rate fps fps_window",
			  neither[] = " frames open_frames zero_frames invalid_frames"
				      " unexpected_frames unspecified_frames"
				      " unspecified_rate images active_time idle_time"
				      " frame_count perfetto_frames cuj_frames",
			  with_sign[] = " timeline_delay timeline_overrun frame_overrun"
					" perfetto_app_vsync_delay";
	char is_lower[512] = "", is_neither[512] = "", has_sign[512] = "", *to;
	const struct tc_metrics_def *d;

	for (d = tc_metrics_defs; d->name; d++) {
		to = d->is_signed ? has_sign : d->worse < 0 ? is_lower : is_neither;
		if (d->is_signed || d->worse <= 0)
			snprintf(to + strlen(to), 512 - strlen(to), " %s", d->name);
		CHECK(!d->is_signed || d->worse == 1);
	}
	CHECK_STR(tc_str_of(is_lower), TC_STR(lower));
	CHECK_STR(tc_str_of(is_neither), TC_STR(neither));
	CHECK_STR(tc_str_of(has_sign), TC_STR(with_sign));
}

static void
test_nothing(void)
{
	struct tc_rows r = { .kinds = TC_METRICS_KINDS };
	struct tc_rec_trace t;

	tc_rec_init(&tc_rec_trace, &t);
	settle(&r);
	run(&r, "fps", false);
	CHECK_INT(all_count, 0);
	tc_rows_release(&r);
	r = (struct tc_rows){ .kinds = TC_METRICS_KINDS };
	t.trace = 0;
	tc_rows_add(&r, &tc_rec_trace, &t);
	settle(&r);
	run(&r, "fps", false);
	CHECK_INT(got_count, 1);
	CHECK_STR(got[0].reason, TC_STR("no_frames"));
	CHECK(isnan(got[0].value));
	CHECK_INT(got[0].samples, 0);
	tc_rows_release(&r);
}

/* A metric is found by its name, and names and statistics are fields of the record. */
static void
test_table(void)
{
	const struct tc_metrics_def *d, *other;
	const char *const *s;
	size_t i;

	for (d = tc_metrics_defs; d->name; d++) {
		CHECK(tc_metrics_find(d->name) == d);
		for (other = tc_metrics_defs; other < d; other++)
			CHECK(strcmp(other->name, d->name) != 0);
		for (s = d->statistics; *s; s++) {
			for (i = 0; i < tc_rec_jank_metric.count; i++)
				if (tc_rec_jank_metric.fields[i].key_len ==
						strlen(*s) + 4 &&
					memcmp(tc_rec_jank_metric.fields[i].key + 2, *s,
						strlen(*s)) == 0)
					break;
			CHECK(i < tc_rec_jank_metric.count);
		}
	}
	CHECK(!tc_metrics_find("jank"));
}

int
main(void)
{
	test_vectors();
	test_parts();
	test_worse();
	test_nothing();
	test_table();
	return check_done();
}
