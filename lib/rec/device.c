#include "rec/priv.h"

#define DEVICE_DISPLAY(F, s) \
	F(s, ALWAYS, STR, id) \
	F(s, ALWAYS, STR, name)

TC_REC_INSIDE(displays, tc_rec_device_display, DEVICE_DISPLAY);

#define DEVICE_FREE(F, s) \
	F(s, ALWAYS, STR, path) \
	F(s, ALWAYS, INT, bytes)

TC_REC_INSIDE(free, tc_rec_device_free, DEVICE_FREE);

#define DEVICE_PERFETTO(F, s) \
	F(s, ALWAYS, STR, version) \
	F(s, ALWAYS, STRS, data_sources) \
	F(s, ALWAYS, INT, sessions) \
	F(s, ALWAYS, BOOL, own_session)

TC_REC_INSIDE(perfetto, tc_rec_device_perfetto, DEVICE_PERFETTO);

#define DEVICE(F, s) \
	F(s, ALWAYS, STR, device) \
	F(s, ALWAYS, STR, platform) \
	F(s, ALWAYS, STR, state) \
	F(s, ALWAYS, STR, serial) \
	F(s, ALWAYS, STR, model) \
	F(s, ALWAYS, INT, sdk) \
	F(s, ALWAYS, STR, release) \
	F(s, ALWAYS, STR, build) \
	F(s, OPTIONAL, STR, root) \
	F(s, OPTIONAL, LIST, displays) \
	F(s, OPTIONAL, STR, screenrecord) \
	F(s, OPTIONAL, BOOL, wayland) \
	F(s, OPTIONAL, LIST, free) \
	F(s, OPTIONAL, OBJ, perfetto) \
	F(s, OPTIONAL, STRS, protolog_groups)

TC_REC_RECORD(device, DEVICE);
