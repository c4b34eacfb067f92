#ifndef TC_REC_NESTED_H
#define TC_REC_NESTED_H
/* Inside rec: fields of records that also stand inside other records. */
#include "rec/priv.h"

#define TARGET_FILE(F, s) \
	F(s, ALWAYS, STR, path) \
	F(s, ALWAYS, STRS, match) \
	F(s, ALWAYS, STR, dest)

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

/* What went wrong, in a member called error. */
#define SESSION_ERROR(F, s) \
	F(s, ALWAYS, STR, code) \
	F(s, ALWAYS, STR, text)

#define SESSION_SETTING(F, s) \
	F(s, ALWAYS, STR, space) \
	F(s, ALWAYS, STR, key) \
	F(s, ALWAYS, STR, value)

#define SESSION(F, s) \
	F(s, ALWAYS, STR, id) \
	F(s, OPTIONAL, STR, run) \
	F(s, OPTIONAL, STR, device) \
	F(s, ALWAYS, STR, name) \
	F(s, ALWAYS, STR, state) \
	F(s, OPTIONAL, STR, as) \
	F(s, OPTIONAL, JSON, pids) \
	F(s, OPTIONAL, LIST, restore) \
	F(s, OPTIONAL, STR, started_at) \
	F(s, OPTIONAL, STR, stopped_at) \
	F(s, OPTIONAL, OBJ, error) \
	F(s, ALWAYS, OBJ, target)

/* The types that stand in the members of a session. */
#define TC_REC_INSIDE_SESSION \
	TC_REC_INSIDE(files, tc_rec_target_file, TARGET_FILE); \
	TC_REC_INSIDE(target, tc_rec_target, TARGET); \
	TC_REC_INSIDE(error, tc_rec_session_error, SESSION_ERROR); \
	TC_REC_INSIDE(restore, tc_rec_session_setting, SESSION_SETTING)

#endif
