#include "rec/priv.h"

#define FILE_ERROR(F, s) \
	F(s, ALWAYS, STR, code) \
	F(s, ALWAYS, STR, text)

TC_REC_INSIDE(error, tc_rec_file_error, FILE_ERROR);

#define FILE(F, s) \
	F(s, OPTIONAL, STR, run) \
	F(s, OPTIONAL, STR, session) \
	F(s, OPTIONAL, STR, device) \
	F(s, ALWAYS, STR, path) \
	F(s, OPTIONAL, STR, origin) \
	F(s, OPTIONAL, STR, as) \
	F(s, ALWAYS, STR, dest) \
	F(s, ALWAYS, INT, bytes) \
	F(s, ALWAYS, STR, state) \
	F(s, OPTIONAL, OBJ, error)

TC_REC_RECORD(file, FILE);
