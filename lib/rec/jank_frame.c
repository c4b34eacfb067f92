#include "rec/priv.h"

#define JANK_FRAME(F, s) \
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
	F(s, ALWAYS, STR, actual_duration_status) \
	F(s, ALWAYS, INT, expected_count) \
	F(s, ALWAYS, INT, expected_id) \
	F(s, ALWAYS, INT, expected_ts_ns) \
	F(s, ALWAYS, INT, expected_dur_ns) \
	F(s, ALWAYS, REAL, end_delta_ms) \
	F(s, ALWAYS, STR, present_type) \
	F(s, ALWAYS, INT, on_time_finish) \
	F(s, ALWAYS, STR, jank_tag) \
	F(s, ALWAYS, STR, jank_type) \
	F(s, ALWAYS, INT, machine_id) \
	F(s, ALWAYS, INT, trace)

TC_REC_RECORD(jank_frame, JANK_FRAME);
