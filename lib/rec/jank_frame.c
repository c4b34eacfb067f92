#include "rec/rec.h"

static const struct tc_rec_field jank_frame_fields[] = {
	TC_REC_ALWAYS(tc_rec_jank_frame, actual_id, INT),
	TC_REC_ALWAYS(tc_rec_jank_frame, upid, INT),
	TC_REC_ALWAYS(tc_rec_jank_frame, pid, INT),
	TC_REC_ALWAYS(tc_rec_jank_frame, process, STR),
	TC_REC_ALWAYS(tc_rec_jank_frame, layer_name, STR),
	TC_REC_ALWAYS(tc_rec_jank_frame, surface_frame_token, INT),
	TC_REC_ALWAYS(tc_rec_jank_frame, display_frame_token, INT),
	TC_REC_ALWAYS(tc_rec_jank_frame, is_buffer, STR),
	TC_REC_ALWAYS(tc_rec_jank_frame, actual_ts_ns, INT),
	TC_REC_ALWAYS(tc_rec_jank_frame, raw_actual_dur_ns, INT),
	TC_REC_ALWAYS(tc_rec_jank_frame, actual_duration_status, STR),
	TC_REC_ALWAYS(tc_rec_jank_frame, expected_count, INT),
	TC_REC_ALWAYS(tc_rec_jank_frame, expected_id, INT),
	TC_REC_ALWAYS(tc_rec_jank_frame, expected_ts_ns, INT),
	TC_REC_ALWAYS(tc_rec_jank_frame, expected_dur_ns, INT),
	TC_REC_ALWAYS(tc_rec_jank_frame, end_delta_ms, REAL),
	TC_REC_ALWAYS(tc_rec_jank_frame, present_type, STR),
	TC_REC_ALWAYS(tc_rec_jank_frame, on_time_finish, INT),
	TC_REC_ALWAYS(tc_rec_jank_frame, jank_tag, STR),
	TC_REC_ALWAYS(tc_rec_jank_frame, jank_type, STR),
	TC_REC_ALWAYS(tc_rec_jank_frame, machine_id, INT),
	TC_REC_ALWAYS(tc_rec_jank_frame, trace, INT),
};

const struct tc_rec_type tc_rec_jank_frame =
	TC_REC_TYPE(tc_rec_jank_frame, "jank_frame", jank_frame_fields);
