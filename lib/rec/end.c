#include "rec/priv.h"

#define END(F, s) \
	F(s, ALWAYS, STR, tool) \
	F(s, ALWAYS, INT, status) \
	F(s, ALWAYS, INT, records)

TC_REC_RECORD(end, END);
