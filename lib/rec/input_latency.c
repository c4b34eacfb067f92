#include "rec/priv.h"

#define INPUT_LATENCY(F, s) \
	F(s, ALWAYS, INT, dispatch_latency_dur) \
	F(s, ALWAYS, INT, handling_latency_dur) \
	F(s, ALWAYS, INT, ack_latency_dur) \
	F(s, ALWAYS, INT, total_latency_dur) \
	F(s, ALWAYS, INT, end_to_end_latency_dur) \
	F(s, ALWAYS, INT, tid) \
	F(s, ALWAYS, STR, thread_name) \
	F(s, ALWAYS, INT, upid) \
	F(s, ALWAYS, INT, pid) \
	F(s, ALWAYS, STR, process_name) \
	F(s, ALWAYS, STR, event_type) \
	F(s, ALWAYS, STR, event_action) \
	F(s, ALWAYS, STR, event_seq) \
	F(s, ALWAYS, STR, event_channel) \
	F(s, ALWAYS, STR, normalized_event_channel) \
	F(s, ALWAYS, STR, input_event_id) \
	F(s, ALWAYS, INT, read_time) \
	F(s, ALWAYS, INT, event_time) \
	F(s, ALWAYS, INT, dispatch_ts) \
	F(s, ALWAYS, INT, dispatch_dur) \
	F(s, ALWAYS, INT, dispatch_tid) \
	F(s, ALWAYS, STR, dispatch_thread_name) \
	F(s, ALWAYS, INT, dispatch_pid) \
	F(s, ALWAYS, STR, dispatch_process_name) \
	F(s, ALWAYS, INT, receive_ts) \
	F(s, ALWAYS, INT, receive_dur) \
	F(s, ALWAYS, INT, receive_tid) \
	F(s, ALWAYS, STR, receive_thread_name) \
	F(s, ALWAYS, INT, receive_pid) \
	F(s, ALWAYS, STR, receive_process_name) \
	F(s, ALWAYS, INT, frame_id) \
	F(s, ALWAYS, INT, is_speculative_frame) \
	F(s, ALWAYS, STR, match) \
	F(s, ALWAYS, INT, matched_frame_id) \
	F(s, ALWAYS, INT, matched_frame_ts) \
	F(s, ALWAYS, INT, present_ts) \
	F(s, ALWAYS, INT, delivery_ts) \
	F(s, ALWAYS, INT, delivery_dur) \
	F(s, ALWAYS, INT, finish_ts) \
	F(s, ALWAYS, INT, last_finish_ts) \
	F(s, ALWAYS, INT, finish_count) \
	F(s, ALWAYS, INT, ack_ts) \
	F(s, ALWAYS, INT, event_ts) \
	F(s, ALWAYS, INT, event_id) \
	F(s, ALWAYS, INT, batch_event_id) \
	F(s, ALWAYS, INT, seq) \
	F(s, OPTIONAL, STRS, edge) \
	F(s, OPTIONAL, BOOL, outlier) \
	F(s, ALWAYS, INT, machine_id) \
	F(s, ALWAYS, INT, trace)

TC_REC_RECORD(input_latency, INPUT_LATENCY);
