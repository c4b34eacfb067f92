#include "rec/rec.h"

static const struct tc_rec_field end_fields[] = {
	TC_REC_ALWAYS(tc_rec_end, tool, STR),
	TC_REC_ALWAYS(tc_rec_end, status, INT),
	TC_REC_ALWAYS(tc_rec_end, records, INT),
};

const struct tc_rec_type tc_rec_end = TC_REC_TYPE(tc_rec_end, "end", end_fields);
