#include "rec/priv.h"

#define JANK_PHASE(F, s) \
	F(s, ALWAYS, INT, phase_slice_id) \
	F(s, ALWAYS, STR, track) \
	F(s, ALWAYS, INT, ts_ns) \
	F(s, ALWAYS, INT, raw_dur_ns) \
	F(s, ALWAYS, STR, layer_name) \
	F(s, ALWAYS, INT, frame_number) \
	F(s, ALWAYS, STR, phase_name) \
	F(s, ALWAYS, STR, buffer_track_suffix) \
	F(s, ALWAYS, STR, duration_status) \
	F(s, ALWAYS, REAL, duration_ms) \
	F(s, OPTIONAL, STR, why) \
	F(s, OPTIONAL, STR, text) \
	F(s, ALWAYS, INT, machine_id) \
	F(s, ALWAYS, INT, trace)

TC_REC_RECORD(jank_phase, JANK_PHASE);
