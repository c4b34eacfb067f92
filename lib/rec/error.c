#include "rec/priv.h"

#define ERROR(F, s) \
	F(s, ALWAYS, STR, tool) \
	F(s, ALWAYS, STR, code) \
	F(s, ALWAYS, STR, text) \
	F(s, ALWAYS, JSON, subject)

TC_REC_RECORD(error, ERROR);
