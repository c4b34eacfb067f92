#include "rec/priv.h"

#define SLICE(F, s) \
	F(s, ALWAYS, INT, id) \
	F(s, ALWAYS, INT, ts) \
	F(s, ALWAYS, INT, dur) \
	F(s, ALWAYS, STR, kind) \
	F(s, ALWAYS, STR, track) \
	F(s, ALWAYS, INT, parent_id) \
	F(s, ALWAYS, INT, depth) \
	F(s, ALWAYS, INT, upid) \
	F(s, ALWAYS, INT, utid) \
	F(s, ALWAYS, INT, pid) \
	F(s, ALWAYS, INT, tid) \
	F(s, ALWAYS, STR, process) \
	F(s, ALWAYS, STR, thread) \
	F(s, ALWAYS, STR, name) \
	F(s, OPTIONAL, INT, vsync_id) \
	F(s, OPTIONAL, INT, cookie) \
	F(s, OPTIONAL, STRS, edge) \
	F(s, OPTIONAL, BOOL, outlier) \
	F(s, ALWAYS, INT, machine_id) \
	F(s, ALWAYS, INT, trace)

TC_REC_RECORD(slice, SLICE);
