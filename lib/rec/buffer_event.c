#include "rec/rec.h"

static const struct tc_rec_field buffer_event_fields[] = {
	TC_REC_ALWAYS(tc_rec_buffer_event, id, INT),
	TC_REC_ALWAYS(tc_rec_buffer_event, ts, INT),
	TC_REC_ALWAYS(tc_rec_buffer_event, dur, INT),
	TC_REC_ALWAYS(tc_rec_buffer_event, name, STR),
	TC_REC_ALWAYS(tc_rec_buffer_event, track, STR),
	TC_REC_ALWAYS(tc_rec_buffer_event, buffer_id, INT),
	TC_REC_ALWAYS(tc_rec_buffer_event, layer_name, STR),
	TC_REC_ALWAYS(tc_rec_buffer_event, frame_number, INT),
	TC_REC_ALWAYS(tc_rec_buffer_event, queue_to_acquire_time, INT),
	TC_REC_ALWAYS(tc_rec_buffer_event, acquire_to_latch_time, INT),
	TC_REC_ALWAYS(tc_rec_buffer_event, latch_to_present_time, INT),
	TC_REC_ALWAYS(tc_rec_buffer_event, stale, STRS),
	TC_REC_OPTIONAL(tc_rec_buffer_event, edge, STRS),
	TC_REC_ALWAYS(tc_rec_buffer_event, machine_id, INT),
	TC_REC_ALWAYS(tc_rec_buffer_event, trace, INT),
};

const struct tc_rec_type tc_rec_buffer_event =
	TC_REC_TYPE(tc_rec_buffer_event, "buffer_event", buffer_event_fields);
