#include "rec/priv.h"

#define REFRESH_RATE(F, s) \
	F(s, ALWAYS, INT, ts) \
	F(s, ALWAYS, INT, dur) \
	F(s, ALWAYS, INT, period_ns) \
	F(s, ALWAYS, STR, source) \
	F(s, OPTIONAL, STRS, edge) \
	F(s, ALWAYS, INT, machine_id) \
	F(s, ALWAYS, INT, trace)

TC_REC_RECORD(refresh_rate, REFRESH_RATE);
