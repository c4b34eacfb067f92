#include "rec/priv.h"

#define NOTICE(F, s) \
	F(s, OPTIONAL, STR, device) \
	F(s, ALWAYS, STR, level) \
	F(s, ALWAYS, STR, code) \
	F(s, OPTIONAL, STR, target) \
	F(s, ALWAYS, STR, text) \
	F(s, OPTIONAL, INT, trace)

TC_REC_RECORD(notice, NOTICE);
