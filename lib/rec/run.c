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

bool
tc_rec_is_run_file(struct tc_str name)
{
	return tc_str_eq(name, TC_STR("run.json")) ||
		tc_str_eq(name, TC_STR("run.json.new"));
}
