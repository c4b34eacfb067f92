#include "rec/rec.h"

static const struct tc_rec_field phase_fields[] = {
	TC_REC_ALWAYS(tc_rec_phase, id, INT),
	TC_REC_ALWAYS(tc_rec_phase, ts, INT),
	TC_REC_ALWAYS(tc_rec_phase, dur, INT),
	TC_REC_ALWAYS(tc_rec_phase, phase, STR),
	TC_REC_ALWAYS(tc_rec_phase, name, STR),
	TC_REC_ALWAYS(tc_rec_phase, track, STR),
	TC_REC_OPTIONAL(tc_rec_phase, buffer_id, INT),
	TC_REC_ALWAYS(tc_rec_phase, layer_name, STR),
	TC_REC_ALWAYS(tc_rec_phase, frame_number, INT),
	TC_REC_ALWAYS(tc_rec_phase, depth, INT),
	TC_REC_OPTIONAL(tc_rec_phase, edge, STRS),
	TC_REC_ALWAYS(tc_rec_phase, machine_id, INT),
	TC_REC_ALWAYS(tc_rec_phase, trace, INT),
};

const struct tc_rec_type tc_rec_phase = TC_REC_TYPE(tc_rec_phase, "phase", phase_fields);
