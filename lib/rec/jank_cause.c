#include "rec/priv.h"

#define JANK_CAUSE_STRETCH(F, s) \
	F(s, ALWAYS, STR, name) \
	F(s, ALWAYS, INT, ts) \
	F(s, ALWAYS, INT, dur_ns) \
	F(s, ALWAYS, INT, expected_ns) \
	F(s, ALWAYS, INT, over_ns) \
	F(s, ALWAYS, BOOL, is_long) \
	F(s, OPTIONAL, STR, why) \
	F(s, OPTIONAL, STR, reading)

TC_REC_INSIDE(stretches, tc_rec_jank_cause_stretch, JANK_CAUSE_STRETCH);

#define JANK_CAUSE_THREAD(F, s) \
	F(s, ALWAYS, STR, role) \
	F(s, ALWAYS, INT, slice_id) \
	F(s, ALWAYS, STR, name) \
	F(s, ALWAYS, STR, thread) \
	F(s, ALWAYS, INT, tid) \
	F(s, ALWAYS, INT, ts) \
	F(s, ALWAYS, INT, dur_ns) \
	F(s, ALWAYS, INT, running_ns) \
	F(s, ALWAYS, INT, runnable_ns) \
	F(s, ALWAYS, INT, blocked_ns) \
	F(s, ALWAYS, INT, not_known_ns)

TC_REC_INSIDE(threads, tc_rec_jank_cause_thread, JANK_CAUSE_THREAD);

#define JANK_CAUSE_UNKNOWN(F, s) \
	F(s, ALWAYS, STR, what) \
	F(s, ALWAYS, STR, why)

TC_REC_INSIDE(unknown, tc_rec_jank_cause_unknown, JANK_CAUSE_UNKNOWN);

#define JANK_CAUSE_HINT(F, s) \
	F(s, ALWAYS, STR, source) \
	F(s, ALWAYS, STR, target) \
	F(s, ALWAYS, STR, text)

TC_REC_INSIDE(hints, tc_rec_jank_cause_hint, JANK_CAUSE_HINT);

#define JANK_CAUSE(F, s) \
	F(s, ALWAYS, INT, actual_id) \
	F(s, ALWAYS, INT, upid) \
	F(s, ALWAYS, INT, pid) \
	F(s, ALWAYS, STR, process) \
	F(s, ALWAYS, STR, layer_name) \
	F(s, ALWAYS, INT, surface_frame_token) \
	F(s, ALWAYS, INT, display_frame_token) \
	F(s, ALWAYS, STR, is_buffer) \
	F(s, ALWAYS, INT, actual_ts_ns) \
	F(s, ALWAYS, INT, raw_actual_dur_ns) \
	F(s, ALWAYS, STR, present_type) \
	F(s, ALWAYS, INT, on_time_finish) \
	F(s, ALWAYS, STR, jank_tag) \
	F(s, ALWAYS, STR, jank_type) \
	F(s, ALWAYS, INT, jank_mask) \
	F(s, ALWAYS, STR, jank_severity_type) \
	F(s, ALWAYS, STR, prediction_type) \
	F(s, ALWAYS, STR, class) \
	F(s, ALWAYS, STRS, blame) \
	F(s, ALWAYS, INT, expected_count) \
	F(s, ALWAYS, REAL, begin_delta_ms) \
	F(s, ALWAYS, REAL, end_delta_ms) \
	F(s, ALWAYS, INT, period_ns) \
	F(s, ALWAYS, LIST, stretches) \
	F(s, ALWAYS, LIST, threads) \
	F(s, ALWAYS, INT, gpu_composition) \
	F(s, ALWAYS, INT, fallback_composition) \
	F(s, ALWAYS, INT, sf_candidate_count) \
	F(s, ALWAYS, STR, sf_jank_type) \
	F(s, ALWAYS, INT, sf_gpu_composition) \
	F(s, ALWAYS, STR, match_confidence) \
	F(s, ALWAYS, INT, match_count) \
	F(s, ALWAYS, INT, buffer_id) \
	F(s, ALWAYS, INT, frame_number) \
	F(s, ALWAYS, STR, path) \
	F(s, ALWAYS, STRS, path_evidence) \
	F(s, ALWAYS, LIST, unknown) \
	F(s, ALWAYS, LIST, hints) \
	F(s, ALWAYS, STR, text) \
	F(s, ALWAYS, INT, machine_id) \
	F(s, ALWAYS, INT, trace)

TC_REC_RECORD(jank_cause, JANK_CAUSE);
