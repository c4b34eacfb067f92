#include "rec/priv.h"

#define JANK_MATCH_CANDIDATE(F, s) \
	F(s, ALWAYS, INT, buffer_id) \
	F(s, ALWAYS, INT, frame_number) \
	F(s, ALWAYS, INT, dequeue_ts_ns) \
	F(s, ALWAYS, INT, queue_ts_ns) \
	F(s, ALWAYS, INT, acquire_ts_ns) \
	F(s, ALWAYS, INT, latch_ts_ns) \
	F(s, ALWAYS, INT, present_ts_ns) \
	F(s, ALWAYS, INT, overlap_ns) \
	F(s, ALWAYS, INT, end_delta_ns) \
	F(s, ALWAYS, INT, present_delta_ns) \
	F(s, ALWAYS, STR, confidence)

TC_REC_INSIDE(candidates, tc_rec_jank_match_candidate, JANK_MATCH_CANDIDATE);

#define JANK_MATCH(F, s) \
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
	F(s, ALWAYS, INT, sf_candidate_count) \
	F(s, ALWAYS, INT, display_present_ts_ns) \
	F(s, ALWAYS, STR, confidence) \
	F(s, ALWAYS, INT, candidate_count) \
	F(s, ALWAYS, LIST, candidates) \
	F(s, ALWAYS, STRS, limits) \
	F(s, ALWAYS, STR, text) \
	F(s, ALWAYS, INT, machine_id) \
	F(s, ALWAYS, INT, trace)

TC_REC_RECORD(jank_match, JANK_MATCH);
