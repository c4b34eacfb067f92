#include "rec/priv.h"

#define COUNTER(F, s) \
	F(s, ALWAYS, INT, ts) \
	F(s, ALWAYS, STR, name) \
	F(s, ALWAYS, INT, cpu) \
	F(s, ALWAYS, INT, upid) \
	F(s, ALWAYS, INT, value) \
	F(s, OPTIONAL, BOOL, outlier) \
	F(s, ALWAYS, INT, machine_id) \
	F(s, ALWAYS, INT, trace)

TC_REC_RECORD(counter, COUNTER);
