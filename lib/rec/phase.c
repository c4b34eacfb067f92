#include "rec/priv.h"

#define LABELS(F, s) \
	F(s, ALWAYS, STR, track) \
	F(s, OPTIONAL, INT, buffer_id) \
	F(s, ALWAYS, STR, layer_name)

#define PHASE(F, s) \
	F(s, ALWAYS, INT, id) \
	F(s, ALWAYS, INT, ts) \
	F(s, ALWAYS, INT, dur) \
	F(s, ALWAYS, STR, phase) \
	F(s, ALWAYS, STR, name) \
	F(s, GROUP, LABELS, labels) \
	F(s, ALWAYS, INT, frame_number) \
	F(s, ALWAYS, INT, depth) \
	F(s, OPTIONAL, STRS, edge) \
	F(s, OPTIONAL, BOOL, outlier) \
	F(s, ALWAYS, INT, machine_id) \
	F(s, ALWAYS, INT, trace)

TC_REC_RECORD(phase, PHASE);
TC_REC_GROUP(phase, labels, LABELS)
