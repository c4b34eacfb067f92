#include "rec/rec.h"

static const struct tc_rec_field error_fields[] = {
	TC_REC_ALWAYS(tc_rec_error, tool, STR),
	TC_REC_ALWAYS(tc_rec_error, code, STR),
	TC_REC_ALWAYS(tc_rec_error, text, STR),
	TC_REC_ALWAYS(tc_rec_error, subject, JSON),
};

const struct tc_rec_type tc_rec_error = TC_REC_TYPE(tc_rec_error, "error", error_fields);
