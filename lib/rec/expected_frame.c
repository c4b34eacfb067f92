#include "rec/rec.h"

static const struct tc_rec_field expected_frame_fields[] = {
	TC_REC_ALWAYS(tc_rec_expected_frame, id, INT),
	TC_REC_ALWAYS(tc_rec_expected_frame, ts, INT),
	TC_REC_ALWAYS(tc_rec_expected_frame, dur, INT),
	TC_REC_ALWAYS(tc_rec_expected_frame, upid, INT),
	TC_REC_ALWAYS(tc_rec_expected_frame, pid, INT),
	TC_REC_ALWAYS(tc_rec_expected_frame, process, STR),
	TC_REC_ALWAYS(tc_rec_expected_frame, name, STR),
	TC_REC_ALWAYS(tc_rec_expected_frame, surface_frame_token, INT),
	TC_REC_ALWAYS(tc_rec_expected_frame, display_frame_token, INT),
	TC_REC_ALWAYS(tc_rec_expected_frame, layer_name, STR),
	TC_REC_OPTIONAL(tc_rec_expected_frame, edge, STRS),
	TC_REC_ALWAYS(tc_rec_expected_frame, machine_id, INT),
	TC_REC_ALWAYS(tc_rec_expected_frame, trace, INT),
};

const struct tc_rec_type tc_rec_expected_frame =
	TC_REC_TYPE(tc_rec_expected_frame, "expected_frame", expected_frame_fields);
