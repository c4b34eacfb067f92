#include "rec/priv.h"

#define LABELS(F, s) \
	F(s, ALWAYS, STR, name) \
	F(s, ALWAYS, STR, track) \
	F(s, ALWAYS, INT, buffer_id) \
	F(s, ALWAYS, STR, layer_name)

#define STALE(F, s) F(s, ALWAYS, STRS, stale)

#define BUFFER_EVENT(F, s) \
	F(s, ALWAYS, INT, id) \
	F(s, ALWAYS, INT, ts) \
	F(s, ALWAYS, INT, dur) \
	F(s, GROUP, LABELS, labels) \
	F(s, ALWAYS, INT, frame_number) \
	F(s, ALWAYS, INT, queue_to_acquire_time) \
	F(s, ALWAYS, INT, acquire_to_latch_time) \
	F(s, ALWAYS, INT, latch_to_present_time) \
	F(s, GROUP, STALE, stale_text) \
	F(s, OPTIONAL, STRS, edge) \
	F(s, OPTIONAL, BOOL, outlier) \
	F(s, ALWAYS, INT, machine_id) \
	F(s, ALWAYS, INT, trace)

TC_REC_RECORD(buffer_event, BUFFER_EVENT);
TC_REC_GROUP(buffer_event, labels, LABELS)
TC_REC_GROUP(buffer_event, stale_text, STALE)
