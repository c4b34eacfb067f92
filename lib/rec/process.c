#include "rec/priv.h"

#define PROCESS(F, s) \
	F(s, ALWAYS, INT, upid) \
	F(s, ALWAYS, INT, pid) \
	F(s, ALWAYS, STR, name) \
	F(s, ALWAYS, INT, uid) \
	F(s, ALWAYS, STR, package) \
	F(s, ALWAYS, INT, start_ts) \
	F(s, ALWAYS, INT, end_ts) \
	F(s, ALWAYS, INT, machine_id) \
	F(s, ALWAYS, INT, trace)

TC_REC_RECORD(process, PROCESS);
