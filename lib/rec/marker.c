#include "rec/priv.h"

#define MARKER(F, s) \
	F(s, ALWAYS, INT, ts) \
	F(s, ALWAYS, INT, dur) \
	F(s, ALWAYS, STR, name) \
	F(s, ALWAYS, STR, scenario) \
	F(s, ALWAYS, INT, repetition) \
	F(s, OPTIONAL, INT, trace)

TC_REC_RECORD(marker, MARKER);
