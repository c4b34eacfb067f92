#include "answer/answer.h"

#include <stdlib.h>

#include "answer/priv.h"
#include "cli/cli.h"
#include "err/err.h"
#include "jank/jank.h"

void
tc_answer_init(struct tc_answer *a)
{
	*a = (struct tc_answer){ 0 };
	tc_compare_init(&a->compare);
}

void
tc_answer_release(struct tc_answer *a)
{
	free(a->sides);
	tc_compare_release(&a->compare);
	tc_merge_release(&a->merge);
	tc_rules_release(&a->rules);
	tc_scenes_release(&a->scenes);
	tc_rows_release(&a->rows);
}

/* A file that is no good is found before there is any work. */
int
tc_answer_begin(void *answer, struct tc_filter_run *run, struct tc_err *err)
{
	struct tc_answer *a = answer;

	(void)run;
	if (a->markers && tc_scenes_read(&a->scenes, a->markers, err))
		return -1;
	if (tc_compare_check_inputs(&a->compare, err))
		return -1;
	return a->rules_file ? tc_rules_read(&a->rules, a->rules_file, err) : 0;
}

/* Why an app was not found, or rules not judged, where that is no matter of either. */
static void
no_trace(struct tc_filter_run *run, const char *app)
{
	static const char text[] = "no trace came down the pipe";

	tc_filter_error(run, "no_trace", text,
		app ? tc_filter_quote(run, app) : (struct tc_str){ 0 });
	tc_cli_diag(run->cli, TC_ERROR, "no_trace", NULL, "%s", text);
	if (!run->status)
		run->status = TC_PARTIAL;
}

static void
sum_up(const struct tc_answer *a, struct tc_filter_run *run)
{
	char text[128];

	if (!tc_cli_is_watched() || !(a->rows.kinds & (TC_ROWS_FRAME | TC_ROWS_COUNT)))
		return;
	if (a->rules_file)
		tc_rules_summary(&a->rules, text, sizeof(text));
	else
		tc_jank_summary(&a->rows, text, sizeof(text));
	tc_cli_diag(run->cli, TC_NOTE, "summary", NULL, "%s", text);
}

/* An empty stream is an empty answer, but not to who asks for an app or a verdict. */
static bool
lacks_trace(const struct tc_answer *a)
{
	return (a->rows.app || (a->rules_file && !a->rules.has_metrics)) &&
		tc_rows_is_empty(&a->rows);
}

int
tc_answer_end(void *answer, struct tc_filter_run *run, struct tc_err *err)
{
	struct tc_answer *a = answer;

	if (a->mode->takes)
		return a->mode->run(a, run, err);
	/* Metrics stand for a trace, and --app chose among them when they came. */
	if (a->rules.has_metrics && !a->rows.procs.count)
		a->rows.app = NULL;
	if (lacks_trace(a)) {
		no_trace(run, a->rules.app);
		return a->rules_file ? tc_answer_no_verdicts(a, run, err) : 0;
	}
	if (tc_rows_settle(&a->rows, run->cli, err))
		return -1;
	if (a->mode->put)
		a->mode->put(&a->rows, &run->out);
	else if (a->mode->run(a, run, err))
		return -1;
	sum_up(a, run);
	return 0;
}
