#include "rec/priv.h"

#define JANK_STATS(F, s) \
	F(s, ALWAYS, INT, upid) \
	F(s, ALWAYS, INT, pid) \
	F(s, ALWAYS, STR, process) \
	F(s, ALWAYS, STR, layer_name) \
	F(s, ALWAYS, STR, is_buffer) \
	F(s, ALWAYS, STR, jank_tag) \
	F(s, ALWAYS, STR, jank_type) \
	F(s, ALWAYS, STR, present_type) \
	F(s, ALWAYS, INT, on_time_finish) \
	F(s, ALWAYS, INT, surface_frame_rows) \
	F(s, ALWAYS, INT, closed_positive_rows) \
	F(s, ALWAYS, INT, zero_rows) \
	F(s, ALWAYS, INT, open_rows) \
	F(s, OPTIONAL, INT, invalid_rows) \
	F(s, ALWAYS, INT, sum_closed_ns) \
	F(s, ALWAYS, REAL, avg_closed_ms) \
	F(s, ALWAYS, REAL, max_closed_ms) \
	F(s, OPTIONAL, INT, runs) \
	F(s, ALWAYS, INT, machine_id) \
	F(s, ALWAYS, INT, trace)

TC_REC_RECORD(jank_stats, JANK_STATS);
