#include "rec/priv.h"

#define JANK_DISPLAY(F, s) \
	F(s, ALWAYS, INT, app_actual_id) \
	F(s, ALWAYS, INT, app_upid) \
	F(s, ALWAYS, INT, app_pid) \
	F(s, ALWAYS, STR, layer_name) \
	F(s, ALWAYS, INT, surface_frame_token) \
	F(s, ALWAYS, INT, display_frame_token) \
	F(s, ALWAYS, STR, is_buffer) \
	F(s, ALWAYS, STR, app_jank_tag) \
	F(s, ALWAYS, STR, app_jank_type) \
	F(s, ALWAYS, INT, sf_candidate_count) \
	F(s, ALWAYS, INT, sf_actual_id) \
	F(s, ALWAYS, INT, sf_upid) \
	F(s, ALWAYS, INT, sf_pid) \
	F(s, ALWAYS, STR, sf_jank_tag) \
	F(s, ALWAYS, STR, sf_jank_type) \
	F(s, ALWAYS, STR, sf_present_type) \
	F(s, ALWAYS, INT, machine_id) \
	F(s, ALWAYS, INT, trace)

TC_REC_RECORD(jank_display, JANK_DISPLAY);
