#include "rec/priv.h"

#define THREAD(F, s) \
	F(s, ALWAYS, INT, utid) \
	F(s, ALWAYS, INT, upid) \
	F(s, ALWAYS, INT, tid) \
	F(s, ALWAYS, STR, name) \
	F(s, ALWAYS, BOOL, is_main) \
	F(s, ALWAYS, INT, machine_id) \
	F(s, ALWAYS, INT, trace)

TC_REC_RECORD(thread, THREAD);
