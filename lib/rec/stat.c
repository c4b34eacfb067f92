#include "rec/priv.h"

#define STAT(F, s) \
	F(s, ALWAYS, STR, name) \
	F(s, OPTIONAL, INT, index) \
	F(s, ALWAYS, STR, severity) \
	F(s, ALWAYS, INT, value) \
	F(s, OPTIONAL, INT, trace)

TC_REC_RECORD(stat, STAT);
