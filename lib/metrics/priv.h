#ifndef TC_METRICS_PRIV_H
#define TC_METRICS_PRIV_H
/*
 * Inside metrics: the list of them, and the work.
 *
 * The work goes process by process. Frames are dealt into cells, one for each scene,
 * layer and span of a refresh rate; a cell collects sums and values by metric, and is
 * put as one record for each metric when all of its frames were seen.
 */
#include "metrics/metrics.h"

#include <stddef.h>

#include "mem/mem.h"
#include "rec/rec.h"
#include "rows/rows.h"
#include "scenes/scenes.h"

/* A count of frames, and the percentage of all that the definition looks at. */
#define TC_METRICS_BOTH(M, id, name, definition, per, needs_rate, worse) \
	M(id, name "_frames", definition, "frames", SUM, per, needs_rate, 1, worse) \
	M(id##_RATE, name "_rate", definition, "percent", RATIO, per, needs_rate, 100, \
		worse)

#define TC_METRICS_NS(M, id, name, definition, per, needs_rate, worse) \
	M(id, name, definition, "ms", DISTRIBUTION, per, needs_rate, 1e-6, worse)

/*
 * M(id, name, definition, unit, how to combine, per, needs the rate, scale, worse), the
 * last: HIGHER, LOWER or NEITHER is worse; SIGNED is HIGHER, with its zero in the middle.
 */
#define TC_METRICS_ALL(M) \
	M(FRAMES, "frames", "frametimeline", "frames", SUM, LAYER, false, 1, NEITHER) \
	M(OPEN, "open_frames", "frametimeline", "frames", SUM, LAYER, false, 1, NEITHER) \
	M(ZERO, "zero_frames", "frametimeline", "frames", SUM, LAYER, false, 1, NEITHER) \
	M(INVALID, "invalid_frames", "frametimeline", "frames", SUM, LAYER, false, 1, \
		NEITHER) \
	M(UNEXPECTED, "unexpected_frames", "frametimeline", "frames", SUM, LAYER, false, \
		1, NEITHER) \
	TC_METRICS_BOTH(M, NO_JANK, "no_jank", "perfetto_tag", LAYER, false, LOWER) \
	TC_METRICS_BOTH(M, SELF_JANK, "self_jank", "perfetto_tag", LAYER, false, HIGHER) \
	TC_METRICS_BOTH( \
		M, OTHER_JANK, "other_jank", "perfetto_tag", LAYER, false, HIGHER) \
	TC_METRICS_BOTH(M, DROPPED, "dropped", "perfetto_tag", LAYER, false, HIGHER) \
	TC_METRICS_BOTH(M, BUFFER_STUFFING, "buffer_stuffing", "perfetto_tag", LAYER, \
		false, HIGHER) \
	TC_METRICS_BOTH( \
		M, SF_STUFFING, "sf_stuffing", "perfetto_tag", LAYER, false, HIGHER) \
	TC_METRICS_BOTH(M, NON_PERCEIVABLE, "non_perceivable", "perfetto_tag", LAYER, \
		false, HIGHER) \
	TC_METRICS_BOTH( \
		M, UNSPECIFIED, "unspecified", "perfetto_tag", LAYER, false, NEITHER) \
	TC_METRICS_BOTH(M, OTHER_TAG, "other_tag", "perfetto_tag", LAYER, false, HIGHER) \
	TC_METRICS_BOTH(M, JANKY, "janky", "tc_jank", LAYER, false, HIGHER) \
	TC_METRICS_NS( \
		M, DURATION, "timeline_duration", "frametimeline", LAYER, false, HIGHER) \
	TC_METRICS_NS(M, DELAY, "timeline_delay", "frametimeline", LAYER, false, SIGNED) \
	TC_METRICS_NS( \
		M, OVERRUN, "timeline_overrun", "frametimeline", LAYER, false, SIGNED) \
	TC_METRICS_BOTH( \
		M, OVER_PERIOD, "over_period", "refresh_period", LAYER, true, HIGHER) \
	TC_METRICS_BOTH( \
		M, JANKSTATS, "jankstats_jank", "jankstats", LAYER, false, HIGHER) \
	M(MATRIX_DROPPED, "matrix_dropped_frames", "matrix", "frames", SUM, LAYER, true, \
		1, HIGHER) \
	TC_METRICS_BOTH(M, SLOW, "vitals_slow", "android_vitals", LAYER, false, HIGHER) \
	TC_METRICS_BOTH( \
		M, FROZEN, "vitals_frozen", "android_vitals", LAYER, false, HIGHER) \
	M(IMAGES, "images", "presents", "frames", SUM, LAYER, false, 1, NEITHER) \
	TC_METRICS_NS(M, INTERVAL, "present_interval", "presents", LAYER, false, HIGHER) \
	M(PERFDOG_JANK_83, "perfdog_jank_83", "perfdog_83.33", "count", SUM, LAYER, \
		false, 1, HIGHER) \
	M(PERFDOG_JANK_84, "perfdog_jank_84", "perfdog_84", "count", SUM, LAYER, false, \
		1, HIGHER) \
	M(PERFDOG_BIG_JANK, "perfdog_big_jank", "perfdog_125", "count", SUM, LAYER, \
		false, 1, HIGHER) \
	M(PERFDOG_STUTTER_83, "perfdog_stutter_83", "perfdog_83.33", "percent", RATIO, \
		LAYER, false, 100, HIGHER) \
	M(PERFDOG_STUTTER_84, "perfdog_stutter_84", "perfdog_84", "percent", RATIO, \
		LAYER, false, 100, HIGHER) \
	M(SMOOTH_RATE, "smooth_rate", "refresh_period", "percent", RATIO, LAYER, true, \
		100, LOWER) \
	M(FPS, "fps", "presents", "fps", RATIO, LAYER, false, 1e9, LOWER) \
	M(FPS_WINDOW, "fps_window", "presents_1s", "fps", DISTRIBUTION, LAYER, false, 1, \
		LOWER) \
	M(ACTIVE_TIME, "active_time", "presents", "ms", SUM, LAYER, false, 1e-6, \
		NEITHER) \
	M(IDLE_TIME, "idle_time", "presents", "ms", SUM, LAYER, false, 1e-6, NEITHER) \
	M(HITCH_TIME, "hitch_time", "apple_analogue", "ms", SUM, LAYER, false, 1e-6, \
		HIGHER) \
	M(HITCH_RATIO, "hitch_time_ratio", "apple_analogue", "ms_per_s", RATIO, LAYER, \
		false, 1000, HIGHER) \
	M(FRAME_COUNT, "frame_count", "macrobenchmark", "frames", SUM, PROCESS, false, \
		1, NEITHER) \
	TC_METRICS_NS(M, MACRO_CPU, "frame_duration_cpu", "macrobenchmark", PROCESS, \
		false, HIGHER) \
	TC_METRICS_NS(M, MACRO_UI, "frame_duration_ui", "macrobenchmark", PROCESS, \
		false, HIGHER) \
	TC_METRICS_NS(M, MACRO_FULL, "frame_duration_full", "macrobenchmark", PROCESS, \
		false, HIGHER) \
	TC_METRICS_NS(M, MACRO_OVERRUN, "frame_overrun", "macrobenchmark", PROCESS, \
		false, SIGNED) \
	M(PERFETTO_FRAMES, "perfetto_frames", "perfetto", "frames", SUM, PROCESS, false, \
		1, NEITHER) \
	TC_METRICS_BOTH( \
		M, WAS_JANK, "perfetto_jank", "perfetto", PROCESS, false, HIGHER) \
	TC_METRICS_BOTH( \
		M, WAS_SLOW, "perfetto_slow", "perfetto", PROCESS, false, HIGHER) \
	TC_METRICS_BOTH( \
		M, WAS_BIG, "perfetto_big_jank", "perfetto", PROCESS, false, HIGHER) \
	TC_METRICS_BOTH( \
		M, WAS_HUGE, "perfetto_huge_jank", "perfetto", PROCESS, false, HIGHER) \
	TC_METRICS_NS( \
		M, CPU_TIME, "perfetto_cpu_time", "perfetto", PROCESS, false, HIGHER) \
	TC_METRICS_NS( \
		M, UI_TIME, "perfetto_ui_time", "perfetto", PROCESS, false, HIGHER) \
	TC_METRICS_NS(M, VSYNC_DELAY, "perfetto_app_vsync_delay", "perfetto", PROCESS, \
		false, SIGNED) \
	M(CUJ_FRAMES, "cuj_frames", "perfetto_cuj", "frames", SUM, CUJ, false, 1, \
		NEITHER) \
	TC_METRICS_BOTH(M, CUJ_MISSED, "cuj_missed", "perfetto_cuj", CUJ, false, HIGHER) \
	M(CUJ_MISSED_APP, "cuj_missed_app_frames", "perfetto_cuj", "frames", SUM, CUJ, \
		false, 1, HIGHER) \
	M(CUJ_MISSED_SF, "cuj_missed_sf_frames", "perfetto_cuj", "frames", SUM, CUJ, \
		false, 1, HIGHER) \
	M(CUJ_WEIGHTED, "cuj_weighted_missed", "perfetto_cuj", "count", SUM, CUJ, false, \
		1e-6, HIGHER) \
	M(CUJ_LONGEST, "cuj_longest_missed_run", "perfetto_cuj", "frames", MAX, CUJ, \
		false, 1, HIGHER) \
	TC_METRICS_NS(M, CUJ_DURATION, "cuj_frame_duration", "perfetto_cuj", CUJ, false, \
		HIGHER)

#define TC_METRICS_ID(id, ...) TC_METRICS_##id,
enum tc_metrics_id { TC_METRICS_ALL(TC_METRICS_ID) TC_METRICS_COUNT };

/* Of one metric in the cell under way. */
struct tc_metrics_sum {
	int64_t num, den, samples;
	const char *why; /* it is unknown, when it is */
	bool is_over;    /* the sums have no place */
};

struct tc_metrics_values {
	int64_t *at; /* owned */
	size_t count, cap;
};

/* What the records that are put together say alike: whose they are, and when. */
struct tc_metrics_cell {
	uint32_t layer; /* of rows->names, 0: none */
	const struct tc_rows_rate *rate;
	const struct tc_scene *scene; /* NULL: the whole trace */
	const struct tc_metrics_cuj *cuj;
	int64_t period_ns; /* TC_NONE: not known */
	struct tc_metrics_sum sums[TC_METRICS_COUNT];
	struct tc_metrics_values values[TC_METRICS_COUNT];
};

/* What all rows of a group have in common. */
struct tc_metrics_group {
	enum tc_metrics_id tag;
	int64_t layer_id; /* the number behind # in the layer's name, or TC_NONE */
	bool is_janky, is_dropped, is_app_jank, is_sf_jank;
};

/* An item counts in a cell. */
struct tc_metrics_deal {
	uint32_t scene, layer, rate; /* layer: its rank; rate: in rows->rates + 1, or 0 */
	uint32_t item;
};

struct tc_metrics_deals {
	TC_ROWS_LIST(tc_metrics_deal) list;
	size_t put; /* so many are done with */
};

/* An actual frame of the process by its token. */
struct tc_metrics_tagged {
	int64_t token;
	uint32_t row; /* of rows->actual, which are in the order of time */
};

/* A frame by vsync id. Times are TC_NONE where a part is missing. */
struct tc_metrics_frame {
	const struct tc_rows_actual *a; /* the first, NULL: slices alone */
	int64_t id, ts, dur, overrun, delay, cpu_time, ui_time;
};

/* A frame as Macrobenchmark has it. */
struct tc_metrics_macro {
	const struct tc_rows_actual *a; /* NULL: slices alone */
	int64_t ts, end, cpu, ui, full, overrun;
};

/* An interaction, and the vsync ids of its frames. */
struct tc_metrics_cuj {
	const struct tc_rows_slice *slice;
	int64_t ts, end;
	int64_t first, last, layer_id; /* TC_NONE: not said */
	uint32_t name;
	uint32_t thread; /* of the UI, TC_ROWS_NO: not said */
	bool is_dear;    /* too much would be looked at */
};

/* When a thread was in doFrame. */
struct tc_metrics_do_frame {
	int64_t ts, end, id;
	int64_t until; /* the last end of those so far */
	uint32_t thread;
};

struct tc_metrics_job {
	const struct tc_metrics *m;
	const struct tc_rows *r;
	tc_metrics_fn *fn;
	tc_metrics_frame_fn *frame_fn;
	void *ctx;
	struct tc_metrics_group *groups; /* owned: by group - 1 */
	struct tc_metrics_cell cell;
	struct tc_arena arena; /* of one record */
	struct tc_scenes_cujs cuj_notes;

	/* Of the process under way; proc TC_ROWS_NO: of a place without one. */
	uint32_t proc, place;
	uint32_t *rows; /* borrowed: its actual frames, in the order of time */
	size_t row_count;
	struct tc_metrics_tagged *tagged; /* owned: the same, by token, then by time */
	size_t tagged_cap;
	const struct tc_rows_slice *slices; /* by vsync id, then by time */
	size_t slice_count;
	TC_ROWS_LIST(tc_metrics_frame) frames;
	TC_ROWS_LIST(tc_metrics_macro) macros;
	TC_ROWS_LIST(tc_metrics_cuj) cujs;
	TC_ROWS_LIST(tc_metrics_do_frame) do_frames; /* when there are interactions */
	bool has_draws; /* frame slices of an app's two threads */
	size_t budget;  /* frames that may yet be looked at for interactions */
	struct tc_metrics_deals row_deals, frame_deals, macro_deals, cuj_deals;
};

/* group.c: what names tell, and small arithmetic. */
void tc_metrics_sort_out(struct tc_metrics_job *j);

/* The number that a text begins with, or TC_NONE. */
int64_t tc_metrics_number(struct tc_str s);

/* Where both are known and the result has a place, else TC_NONE. */
int64_t tc_metrics_plus(int64_t a, int64_t b);

/* Likewise, less than a day. */
int64_t tc_metrics_off(int64_t a, int64_t expected);

/* The one expectation of an app frame, or NULL. */
const struct tc_rows_expected *tc_metrics_expectation(
	const struct tc_rows *r, const struct tc_rows_actual *a);

/*
 * cell.c: begin, add to metrics, put all of one kind. A metric that nothing was added
 * to is unknown, for the first reason that was given.
 */
void tc_metrics_begin(struct tc_metrics_job *j, uint32_t layer, uint32_t rate,
	const struct tc_scene *scene, const struct tc_metrics_cuj *cuj);
void tc_metrics_add(
	struct tc_metrics_cell *c, enum tc_metrics_id id, int64_t num, int64_t den);
void tc_metrics_value(struct tc_metrics_cell *c, enum tc_metrics_id id, int64_t value);
void tc_metrics_greatest(struct tc_metrics_cell *c, enum tc_metrics_id id, int64_t num);
void tc_metrics_why(struct tc_metrics_cell *c, enum tc_metrics_id id, const char *why);

/* Whatever was added, it is unknown. */
void tc_metrics_void(struct tc_metrics_cell *c, enum tc_metrics_id id, const char *why);

/* One frame of those that a count and its rate look at. */
void tc_metrics_count(struct tc_metrics_cell *c, enum tc_metrics_id id, bool is_one);

void tc_metrics_put(struct tc_metrics_job *j, enum tc_metrics_per per);
void tc_metrics_put_frame(struct tc_metrics_job *j, const struct tc_metrics_frame *f);

/* timeline.c: the rows of a cell. */
void tc_metrics_timeline(
	struct tc_metrics_job *j, const struct tc_metrics_deal *at, size_t count);

/* presents.c: the images that rows of one layer in one scene made, in all spans. */
struct tc_metrics_image {
	int64_t present, began;
	int64_t late;     /* of what was expected, TC_NONE: not known */
	int64_t interval; /* since the one before, TC_NONE: none */
	int64_t idle;     /* of that */
	uint32_t rate;
	bool is_judged, is_jank_83, is_jank_84, is_big;
};

struct tc_metrics_images {
	TC_ROWS_LIST(tc_metrics_image) list; /* by span, then by time */
	size_t put;                          /* so many are done with */
};

void tc_metrics_images(struct tc_metrics_job *j, const struct tc_metrics_deal *at,
	size_t count, struct tc_metrics_images *images);

/* The next ones, of this span: *count of them, the first returned. */
const struct tc_metrics_image *tc_metrics_images_of(
	struct tc_metrics_images *images, uint32_t rate, size_t *count);

void tc_metrics_presents(
	struct tc_metrics_job *j, const struct tc_metrics_image *at, size_t count);

/* perframe.c; what Perfetto calls slow, big and huge. */
enum {
	TC_METRICS_SLOW_NS = 20000000,
	TC_METRICS_BIG_NS = 50000000,
	TC_METRICS_HUGE_NS = 200000000,
};

void tc_metrics_find_frames(struct tc_metrics_job *j);
void tc_metrics_per_frame(struct tc_metrics_job *j, const struct tc_metrics_frame *f);
void tc_metrics_per_frame_end(struct tc_metrics_job *j);

/* macro.c */
void tc_metrics_find_macros(struct tc_metrics_job *j);
void tc_metrics_macro(struct tc_metrics_job *j, const struct tc_metrics_macro *f);
void tc_metrics_macro_end(struct tc_metrics_job *j);

/* cuj.c */
void tc_metrics_find_cujs(struct tc_metrics_job *j);
void tc_metrics_cuj(struct tc_metrics_job *j, struct tc_metrics_cuj *cuj);

/*
 * deal.c: which cells an item counts in, and the order of all that were dealt. Its layer
 * and number are given, with the actual frame that it is, or NULL. Of no length, it is
 * where it begins; of one that is none, it was never closed.
 */
void tc_metrics_deal(struct tc_metrics_job *j, struct tc_metrics_deals *to,
	struct tc_metrics_deal deal, const struct tc_rows_actual *a, int64_t ts,
	int64_t dur);
void tc_metrics_deals_sort(struct tc_metrics_deals *d);

/* The scene that the next ones count in, or TC_ROWS_NO. */
uint32_t tc_metrics_deals_next(const struct tc_metrics_deals *d);

/* The next ones, of this scene: *count of them, the first returned. */
const struct tc_metrics_deal *tc_metrics_deals_of(
	struct tc_metrics_deals *d, uint32_t scene, size_t *count);

#endif
