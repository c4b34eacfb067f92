#include "rec/rec.h"

static const struct tc_rec_field notice_fields[] = {
	TC_REC_OPTIONAL(tc_rec_notice, device, STR),
	TC_REC_ALWAYS(tc_rec_notice, level, STR),
	TC_REC_ALWAYS(tc_rec_notice, code, STR),
	TC_REC_OPTIONAL(tc_rec_notice, target, STR),
	TC_REC_ALWAYS(tc_rec_notice, text, STR),
	TC_REC_OPTIONAL(tc_rec_notice, trace, INT),
};

const struct tc_rec_type tc_rec_notice =
	TC_REC_TYPE(tc_rec_notice, "notice", notice_fields);
