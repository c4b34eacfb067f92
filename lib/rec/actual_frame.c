#include "rec/rec.h"

static const struct tc_rec_field experimental_fields[] = {
	TC_REC_ALWAYS(tc_rec_experimental, present_type, STR),
	TC_REC_ALWAYS(tc_rec_experimental, jank_type, STR),
	TC_REC_ALWAYS(tc_rec_experimental, jank_mask, INT),
	TC_REC_ALWAYS(tc_rec_experimental, jank_tag, STR),
	TC_REC_ALWAYS(tc_rec_experimental, jank_metadata, FLOAT),
	TC_REC_OPTIONAL(tc_rec_experimental, latched_unsignaled_count, INT),
	TC_REC_OPTIONAL(tc_rec_experimental, addressable_unsignaled_latch_count, INT),
};

static const struct tc_rec_type experimental =
	TC_REC_INNER(tc_rec_experimental, experimental_fields);

static const struct tc_rec_field actual_frame_fields[] = {
	TC_REC_ALWAYS(tc_rec_actual_frame, id, INT),
	TC_REC_ALWAYS(tc_rec_actual_frame, ts, INT),
	TC_REC_ALWAYS(tc_rec_actual_frame, dur, INT),
	TC_REC_ALWAYS(tc_rec_actual_frame, upid, INT),
	TC_REC_ALWAYS(tc_rec_actual_frame, pid, INT),
	TC_REC_ALWAYS(tc_rec_actual_frame, process, STR),
	TC_REC_ALWAYS(tc_rec_actual_frame, name, STR),
	TC_REC_ALWAYS(tc_rec_actual_frame, surface_frame_token, INT),
	TC_REC_ALWAYS(tc_rec_actual_frame, display_frame_token, INT),
	TC_REC_ALWAYS(tc_rec_actual_frame, layer_name, STR),
	TC_REC_OPTIONAL(tc_rec_actual_frame, edge, STRS),
	TC_REC_ALWAYS(tc_rec_actual_frame, machine_id, INT),
	TC_REC_ALWAYS(tc_rec_actual_frame, present_type, STR),
	TC_REC_ALWAYS(tc_rec_actual_frame, on_time_finish, INT),
	TC_REC_ALWAYS(tc_rec_actual_frame, gpu_composition, INT),
	TC_REC_ALWAYS(tc_rec_actual_frame, jank_type, STR),
	TC_REC_ALWAYS(tc_rec_actual_frame, jank_mask, INT),
	TC_REC_ALWAYS(tc_rec_actual_frame, jank_tag, STR),
	TC_REC_ALWAYS(tc_rec_actual_frame, jank_severity_type, STR),
	TC_REC_ALWAYS(tc_rec_actual_frame, jank_score, FLOAT),
	TC_REC_ALWAYS(tc_rec_actual_frame, prediction_type, STR),
	TC_REC_OPTIONAL(tc_rec_actual_frame, is_buffer, STR),
	TC_REC_OPTIONAL(tc_rec_actual_frame, present_delay_ms, FLOAT),
	TC_REC_OPTIONAL(tc_rec_actual_frame, vsync_resynced_jitter_ms, FLOAT),
	TC_REC_OPTIONAL(tc_rec_actual_frame, animation_time_ms, FLOAT),
	TC_REC_OPTIONAL(tc_rec_actual_frame, latched_fence_state, STR),
	TC_REC_OPTIONAL_SUB(tc_rec_actual_frame, experimental, OBJ, &experimental),
	TC_REC_ALWAYS(tc_rec_actual_frame, trace, INT),
};

const struct tc_rec_type tc_rec_actual_frame =
	TC_REC_TYPE(tc_rec_actual_frame, "actual_frame", actual_frame_fields);
