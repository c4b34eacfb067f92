#include "rec/priv.h"

#define TOOL(F, s) \
	F(s, ALWAYS, STR, tool) \
	F(s, ALWAYS, STR, version) \
	F(s, ALWAYS, INT, contract)

TC_REC_RECORD(tool, TOOL);
