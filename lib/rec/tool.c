#include "rec/rec.h"

static const struct tc_rec_field tool_fields[] = {
	TC_REC_ALWAYS(tc_rec_tool, tool, STR),
	TC_REC_ALWAYS(tc_rec_tool, version, STR),
	TC_REC_ALWAYS(tc_rec_tool, contract, INT),
};

const struct tc_rec_type tc_rec_tool = TC_REC_TYPE(tc_rec_tool, "tool", tool_fields);
