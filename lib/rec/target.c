#include "rec/priv.h"

#define TARGET_FILE(F, s) \
	F(s, ALWAYS, STR, path) \
	F(s, ALWAYS, STRS, match) \
	F(s, ALWAYS, STR, dest)

TC_REC_INSIDE(files, tc_rec_target_file, TARGET_FILE);

#define TARGET(F, s) \
	F(s, OPTIONAL, STR, device) \
	F(s, ALWAYS, STR, name) \
	F(s, ALWAYS, STR, mode) \
	F(s, ALWAYS, STR, via) \
	F(s, ALWAYS, STRS, requests) \
	F(s, ALWAYS, STRS, setup) \
	F(s, ALWAYS, STR, start) \
	F(s, ALWAYS, STR, stop) \
	F(s, OPTIONAL, STR, config) \
	F(s, ALWAYS, LIST, files)

TC_REC_RECORD(target, TARGET);
