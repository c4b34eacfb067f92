#include "rec/priv.h"

#define OWNER(F, s) \
	F(s, ALWAYS, INT, upid) \
	F(s, ALWAYS, INT, pid) \
	F(s, ALWAYS, STR, process)

#define EXPECTED_FRAME(F, s) \
	F(s, ALWAYS, INT, id) \
	F(s, ALWAYS, INT, ts) \
	F(s, ALWAYS, INT, dur) \
	F(s, GROUP, OWNER, owner) \
	F(s, ALWAYS, STR, name) \
	F(s, ALWAYS, INT, surface_frame_token) \
	F(s, ALWAYS, INT, display_frame_token) \
	F(s, ALWAYS, STR, layer_name) \
	F(s, OPTIONAL, STRS, edge) \
	F(s, OPTIONAL, BOOL, outlier) \
	F(s, ALWAYS, INT, machine_id) \
	F(s, ALWAYS, INT, trace)

TC_REC_RECORD(expected_frame, EXPECTED_FRAME);
TC_REC_GROUP(expected_frame, owner, OWNER)
