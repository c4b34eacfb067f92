#include "rec/priv.h"

#define EXPERIMENTAL(F, s) \
	F(s, ALWAYS, STR, present_type) \
	F(s, ALWAYS, STR, jank_type) \
	F(s, ALWAYS, INT, jank_mask) \
	F(s, ALWAYS, STR, jank_tag) \
	F(s, ALWAYS, FLOAT, jank_metadata) \
	F(s, OPTIONAL, INT, latched_unsignaled_count) \
	F(s, OPTIONAL, INT, addressable_unsignaled_latch_count)

TC_REC_INSIDE(experimental, tc_rec_experimental, EXPERIMENTAL);

#define OWNER(F, s) \
	F(s, ALWAYS, INT, upid) \
	F(s, ALWAYS, INT, pid) \
	F(s, ALWAYS, STR, process)

#define JUDGED(F, s) \
	F(s, ALWAYS, STR, present_type) \
	F(s, ALWAYS, INT, on_time_finish) \
	F(s, ALWAYS, INT, gpu_composition) \
	F(s, ALWAYS, STR, jank_type) \
	F(s, ALWAYS, INT, jank_mask) \
	F(s, ALWAYS, STR, jank_tag) \
	F(s, ALWAYS, STR, jank_severity_type) \
	F(s, ALWAYS, FLOAT, jank_score) \
	F(s, ALWAYS, STR, prediction_type)

#define ACTUAL_FRAME(F, s) \
	F(s, ALWAYS, INT, id) \
	F(s, ALWAYS, INT, ts) \
	F(s, ALWAYS, INT, dur) \
	F(s, GROUP, OWNER, owner) \
	F(s, ALWAYS, STR, name) \
	F(s, ALWAYS, INT, surface_frame_token) \
	F(s, ALWAYS, INT, display_frame_token) \
	F(s, ALWAYS, STR, layer_name) \
	F(s, OPTIONAL, STRS, edge) \
	F(s, OPTIONAL, BOOL, outlier) \
	F(s, ALWAYS, INT, machine_id) \
	F(s, GROUP, JUDGED, verdict) \
	F(s, OPTIONAL, STR, is_buffer) \
	F(s, OPTIONAL, FLOAT, present_delay_ms) \
	F(s, OPTIONAL, FLOAT, vsync_resynced_jitter_ms) \
	F(s, OPTIONAL, FLOAT, animation_time_ms) \
	F(s, OPTIONAL, STR, latched_fence_state) \
	F(s, OPTIONAL, OBJ, experimental) \
	F(s, ALWAYS, INT, trace)

TC_REC_RECORD(actual_frame, ACTUAL_FRAME);
TC_REC_GROUP(actual_frame, verdict, JUDGED)
