#include "rec/priv.h"

#define SCHED(F, s) \
	F(s, ALWAYS, INT, ts) \
	F(s, ALWAYS, INT, dur) \
	F(s, ALWAYS, INT, utid) \
	F(s, ALWAYS, INT, tid) \
	F(s, ALWAYS, INT, pid) \
	F(s, ALWAYS, STR, state) \
	F(s, ALWAYS, INT, cpu) \
	F(s, OPTIONAL, STRS, edge) \
	F(s, OPTIONAL, BOOL, outlier) \
	F(s, ALWAYS, INT, machine_id) \
	F(s, ALWAYS, INT, trace)

TC_REC_RECORD(sched, SCHED);
