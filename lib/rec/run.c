#include "err/err.h"
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

int
tc_rec_get_run(struct tc_str text, struct tc_arena *arena, struct tc_rec_run *run,
	struct tc_err *err)
{
	struct tc_json json = { 0 };
	struct tc_json_val root;
	struct tc_rec_run got;
	int r;

	if (text.len > TC_REC_RUN_MAX)
		return tc_err_set(err, TC_DATA, "more than %d bytes", TC_REC_RUN_MAX);
	r = tc_json_parse(&json, text, &root, err);
	if (r == 0)
		r = tc_rec_get(&tc_rec_run, root, arena, &got, err);
	if (r == 0)
		tc_rec_keep(&tc_rec_run, &got, arena, run);
	tc_json_release(&json);
	return r;
}
