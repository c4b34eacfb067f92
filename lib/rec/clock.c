#include "rec/priv.h"

#define CLOCK(F, s) \
	F(s, ALWAYS, INT, ts) \
	F(s, ALWAYS, INT, snapshot) \
	F(s, ALWAYS, JSON, clocks) \
	F(s, OPTIONAL, BOOL, outlier) \
	F(s, ALWAYS, INT, machine_id) \
	F(s, ALWAYS, INT, trace)

TC_REC_RECORD(clock, CLOCK);
