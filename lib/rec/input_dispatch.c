#include "rec/priv.h"

#define INPUT_DISPATCH(F, s) \
	F(s, ALWAYS, INT, event_id) \
	F(s, ALWAYS, INT, ts) \
	F(s, ALWAYS, INT, vsync_id) \
	F(s, ALWAYS, INT, window_id) \
	F(s, ALWAYS, JSON, args) \
	F(s, ALWAYS, BOOL, redacted) \
	F(s, OPTIONAL, BOOL, outlier) \
	F(s, ALWAYS, INT, machine_id) \
	F(s, ALWAYS, INT, trace)

TC_REC_RECORD(input_dispatch, INPUT_DISPATCH);
