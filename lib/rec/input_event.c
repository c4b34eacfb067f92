#include "rec/priv.h"

#define INPUT_EVENT(F, s) \
	F(s, ALWAYS, INT, event_id) \
	F(s, ALWAYS, INT, ts) \
	F(s, ALWAYS, STR, kind) \
	F(s, ALWAYS, INT, source) \
	F(s, ALWAYS, INT, action) \
	F(s, ALWAYS, INT, device_id) \
	F(s, ALWAYS, INT, display_id) \
	F(s, ALWAYS, INT, key_code) \
	F(s, ALWAYS, JSON, args) \
	F(s, ALWAYS, BOOL, redacted) \
	F(s, OPTIONAL, BOOL, outlier) \
	F(s, ALWAYS, INT, machine_id) \
	F(s, ALWAYS, INT, trace)

TC_REC_RECORD(input_event, INPUT_EVENT);
