#include "rec/rec.h"

static const struct tc_rec_field jank_stats_fields[] = {
	TC_REC_ALWAYS(tc_rec_jank_stats, upid, INT),
	TC_REC_ALWAYS(tc_rec_jank_stats, pid, INT),
	TC_REC_ALWAYS(tc_rec_jank_stats, process, STR),
	TC_REC_ALWAYS(tc_rec_jank_stats, layer_name, STR),
	TC_REC_ALWAYS(tc_rec_jank_stats, is_buffer, STR),
	TC_REC_ALWAYS(tc_rec_jank_stats, jank_tag, STR),
	TC_REC_ALWAYS(tc_rec_jank_stats, jank_type, STR),
	TC_REC_ALWAYS(tc_rec_jank_stats, present_type, STR),
	TC_REC_ALWAYS(tc_rec_jank_stats, on_time_finish, INT),
	TC_REC_ALWAYS(tc_rec_jank_stats, surface_frame_rows, INT),
	TC_REC_ALWAYS(tc_rec_jank_stats, closed_positive_rows, INT),
	TC_REC_ALWAYS(tc_rec_jank_stats, zero_rows, INT),
	TC_REC_ALWAYS(tc_rec_jank_stats, open_rows, INT),
	TC_REC_OPTIONAL(tc_rec_jank_stats, invalid_rows, INT),
	TC_REC_ALWAYS(tc_rec_jank_stats, avg_closed_ms, REAL),
	TC_REC_ALWAYS(tc_rec_jank_stats, max_closed_ms, REAL),
	TC_REC_ALWAYS(tc_rec_jank_stats, machine_id, INT),
	TC_REC_ALWAYS(tc_rec_jank_stats, trace, INT),
};

const struct tc_rec_type tc_rec_jank_stats =
	TC_REC_TYPE(tc_rec_jank_stats, "jank_stats", jank_stats_fields);
