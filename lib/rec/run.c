#include "rec/nested.h"

TC_REC_INSIDE_SESSION;
TC_REC_INSIDE(sessions, tc_rec_session, SESSION);

#define RUN(F, s) \
	F(s, ALWAYS, STR, run) \
	F(s, ALWAYS, STR, progress) \
	F(s, OPTIONAL, STR, host) \
	F(s, OPTIONAL, STR, started_at) \
	F(s, ALWAYS, LIST, sessions)

TC_REC_RECORD(run, RUN);
