#include "rec/priv.h"

#define LAG_SLICE(F, s) \
	F(s, ALWAYS, STR, name) \
	F(s, ALWAYS, INT, ts) \
	F(s, ALWAYS, INT, dur) \
	F(s, ALWAYS, REAL, overlap_ms)

TC_REC_INSIDE(slices, tc_rec_lag_slice, LAG_SLICE);

#define LAG(F, s) \
	F(s, ALWAYS, INT, ts) \
	F(s, ALWAYS, STR, event_type) \
	F(s, ALWAYS, STR, event_action) \
	F(s, ALWAYS, STR, event_channel) \
	F(s, ALWAYS, STR, normalized_event_channel) \
	F(s, ALWAYS, INT, seq) \
	F(s, ALWAYS, INT, event_id) \
	F(s, ALWAYS, INT, upid) \
	F(s, ALWAYS, INT, pid) \
	F(s, ALWAYS, STR, process) \
	F(s, ALWAYS, INT, tid) \
	F(s, ALWAYS, STR, thread) \
	F(s, ALWAYS, STR, status) \
	F(s, ALWAYS, REAL, dispatch_ms) \
	F(s, ALWAYS, REAL, handling_ms) \
	F(s, ALWAYS, REAL, ack_ms) \
	F(s, ALWAYS, REAL, finish_ms) \
	F(s, ALWAYS, REAL, total_ms) \
	F(s, ALWAYS, REAL, age_ms) \
	F(s, ALWAYS, REAL, present_ms) \
	F(s, ALWAYS, REAL, end_to_end_ms) \
	F(s, ALWAYS, STR, match) \
	F(s, ALWAYS, INT, frame_id) \
	F(s, ALWAYS, INT, matched_frame_id) \
	F(s, ALWAYS, INT, present_ts) \
	F(s, ALWAYS, REAL, running_ms) \
	F(s, ALWAYS, REAL, runnable_ms) \
	F(s, ALWAYS, REAL, blocked_ms) \
	F(s, ALWAYS, LIST, slices) \
	F(s, OPTIONAL, INT, slices_left_off) \
	F(s, ALWAYS, INT, machine_id) \
	F(s, ALWAYS, INT, trace)

TC_REC_RECORD(lag, LAG);
