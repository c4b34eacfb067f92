#ifndef TC_METRICS_PRIV_H
#define TC_METRICS_PRIV_H
/* Inside metrics: the list of them, and how one is put. */
#include "metrics/metrics.h"

#include <stddef.h>

/* A count of frames, and the percentage of all that the definition looks at. */
#define TC_METRICS_BOTH(M, id, name, definition, per, needs_rate) \
	M(id, name "_frames", definition, "frames", SUM, per, needs_rate, 1) \
	M(id##_RATE, name "_rate", definition, "percent", RATIO, per, needs_rate, 100)

#define TC_METRICS_NS(M, id, name, definition, per, needs_rate) \
	M(id, name, definition, "ms", DISTRIBUTION, per, needs_rate, 1e-6)

/* M(id, name, definition, unit, how to combine, per, needs the rate, scale) */
#define TC_METRICS_ALL(M) \
	M(FRAMES, "frames", "frametimeline", "frames", SUM, LAYER, false, 1) \
	M(OPEN, "open_frames", "frametimeline", "frames", SUM, LAYER, false, 1) \
	M(ZERO, "zero_frames", "frametimeline", "frames", SUM, LAYER, false, 1) \
	M(INVALID, "invalid_frames", "frametimeline", "frames", SUM, LAYER, false, 1) \
	M(UNEXPECTED, "unexpected_frames", "frametimeline", "frames", SUM, LAYER, false, \
		1) \
	TC_METRICS_BOTH(M, NO_JANK, "no_jank", "perfetto_tag", LAYER, false) \
	TC_METRICS_BOTH(M, SELF_JANK, "self_jank", "perfetto_tag", LAYER, false) \
	TC_METRICS_BOTH(M, OTHER_JANK, "other_jank", "perfetto_tag", LAYER, false) \
	TC_METRICS_BOTH(M, DROPPED, "dropped", "perfetto_tag", LAYER, false) \
	TC_METRICS_BOTH( \
		M, BUFFER_STUFFING, "buffer_stuffing", "perfetto_tag", LAYER, false) \
	TC_METRICS_BOTH(M, SF_STUFFING, "sf_stuffing", "perfetto_tag", LAYER, false) \
	TC_METRICS_BOTH( \
		M, NON_PERCEIVABLE, "non_perceivable", "perfetto_tag", LAYER, false) \
	TC_METRICS_BOTH(M, UNSPECIFIED, "unspecified", "perfetto_tag", LAYER, false) \
	TC_METRICS_BOTH(M, OTHER_TAG, "other_tag", "perfetto_tag", LAYER, false) \
	TC_METRICS_BOTH(M, JANKY, "janky", "tc_jank", LAYER, false) \
	TC_METRICS_NS(M, DURATION, "timeline_duration", "frametimeline", LAYER, false) \
	TC_METRICS_NS(M, DELAY, "timeline_delay", "frametimeline", LAYER, false) \
	TC_METRICS_NS(M, OVERRUN, "timeline_overrun", "frametimeline", LAYER, false) \
	TC_METRICS_BOTH(M, OVER_PERIOD, "over_period", "refresh_period", LAYER, true) \
	TC_METRICS_BOTH(M, JANKSTATS, "jankstats_jank", "jankstats", LAYER, true) \
	M(MATRIX_DROPPED, "matrix_dropped_frames", "matrix", "frames", SUM, LAYER, true, \
		1) \
	TC_METRICS_BOTH(M, SLOW, "vitals_slow", "android_vitals", LAYER, false) \
	TC_METRICS_BOTH(M, FROZEN, "vitals_frozen", "android_vitals", LAYER, false) \
	M(IMAGES, "images", "presents", "frames", SUM, LAYER, false, 1) \
	TC_METRICS_NS(M, INTERVAL, "present_interval", "presents", LAYER, false) \
	M(PERFDOG_JANK_83, "perfdog_jank_83", "perfdog_83.33", "count", SUM, LAYER, \
		false, 1) \
	M(PERFDOG_JANK_84, "perfdog_jank_84", "perfdog_84", "count", SUM, LAYER, false, \
		1) \
	M(PERFDOG_BIG_JANK, "perfdog_big_jank", "perfdog_125", "count", SUM, LAYER, \
		false, 1) \
	M(PERFDOG_STUTTER_83, "perfdog_stutter_83", "perfdog_83.33", "percent", RATIO, \
		LAYER, false, 100) \
	M(PERFDOG_STUTTER_84, "perfdog_stutter_84", "perfdog_84", "percent", RATIO, \
		LAYER, false, 100) \
	M(SMOOTH_RATE, "smooth_rate", "refresh_period", "percent", RATIO, LAYER, true, \
		100) \
	M(FPS, "fps", "presents", "fps", RATIO, LAYER, false, 1e9) \
	M(FPS_WINDOW, "fps_window", "presents_1s", "fps", DISTRIBUTION, LAYER, false, 1) \
	M(ACTIVE_TIME, "active_time", "presents", "ms", SUM, LAYER, false, 1e-6) \
	M(IDLE_TIME, "idle_time", "presents", "ms", SUM, LAYER, false, 1e-6) \
	M(HITCH_TIME, "hitch_time", "apple_analogue", "ms", SUM, LAYER, false, 1e-6) \
	M(HITCH_RATIO, "hitch_time_ratio", "apple_analogue", "ms_per_s", RATIO, LAYER, \
		false, 1000) \
	M(FRAME_COUNT, "frame_count", "macrobenchmark", "frames", SUM, PROCESS, false, \
		1) \
	TC_METRICS_NS( \
		M, MACRO_CPU, "frame_duration_cpu", "macrobenchmark", PROCESS, false) \
	TC_METRICS_NS( \
		M, MACRO_UI, "frame_duration_ui", "macrobenchmark", PROCESS, false) \
	TC_METRICS_NS( \
		M, MACRO_FULL, "frame_duration_full", "macrobenchmark", PROCESS, false) \
	TC_METRICS_NS( \
		M, MACRO_OVERRUN, "frame_overrun", "macrobenchmark", PROCESS, false) \
	M(PERFETTO_FRAMES, "perfetto_frames", "perfetto", "frames", SUM, PROCESS, false, \
		1) \
	TC_METRICS_BOTH(M, WAS_JANK, "perfetto_jank", "perfetto", PROCESS, false) \
	TC_METRICS_BOTH(M, WAS_SLOW, "perfetto_slow", "perfetto", PROCESS, false) \
	TC_METRICS_BOTH(M, WAS_BIG, "perfetto_big_jank", "perfetto", PROCESS, false) \
	TC_METRICS_BOTH(M, WAS_HUGE, "perfetto_huge_jank", "perfetto", PROCESS, false) \
	TC_METRICS_NS(M, CPU_TIME, "perfetto_cpu_time", "perfetto", PROCESS, false) \
	TC_METRICS_NS(M, UI_TIME, "perfetto_ui_time", "perfetto", PROCESS, false) \
	TC_METRICS_NS( \
		M, VSYNC_DELAY, "perfetto_app_vsync_delay", "perfetto", PROCESS, false) \
	M(CUJ_FRAMES, "cuj_frames", "perfetto_cuj", "frames", SUM, CUJ, false, 1) \
	TC_METRICS_BOTH(M, CUJ_MISSED, "cuj_missed", "perfetto_cuj", CUJ, false) \
	M(CUJ_MISSED_APP, "cuj_missed_app_frames", "perfetto_cuj", "frames", SUM, CUJ, \
		false, 1) \
	M(CUJ_MISSED_SF, "cuj_missed_sf_frames", "perfetto_cuj", "frames", SUM, CUJ, \
		false, 1) \
	M(CUJ_WEIGHTED, "cuj_weighted_missed", "perfetto_cuj", "count", SUM, CUJ, false, \
		1e-6) \
	M(CUJ_LONGEST, "cuj_longest_missed_run", "perfetto_cuj", "frames", MAX, CUJ, \
		false, 1) \
	TC_METRICS_NS(M, CUJ_DURATION, "cuj_frame_duration", "perfetto_cuj", CUJ, false)

#define TC_METRICS_ID(id, ...) TC_METRICS_##id,
enum tc_metrics_id { TC_METRICS_ALL(TC_METRICS_ID) TC_METRICS_COUNT };

#endif
