#include "rec/rec.h"

static const struct tc_rec_field stat_fields[] = {
	TC_REC_ALWAYS(tc_rec_stat, name, STR),
	TC_REC_OPTIONAL(tc_rec_stat, index, INT),
	TC_REC_ALWAYS(tc_rec_stat, severity, STR),
	TC_REC_ALWAYS(tc_rec_stat, value, INT),
	TC_REC_OPTIONAL(tc_rec_stat, trace, INT),
};

const struct tc_rec_type tc_rec_stat = TC_REC_TYPE(tc_rec_stat, "stat", stat_fields);
