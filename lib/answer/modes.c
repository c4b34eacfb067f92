/* The questions. One more is a row of the table, and who answers it. */
#include "answer/priv.h"

#include <string.h>

#include "cli/cli.h"
#include "err/err.h"
#include "jank/jank.h"
#include "metrics/metrics.h"
#include "rec/rec.h"

static void
put_default(const struct tc_rows *r, struct tc_out *out)
{
	tc_jank_put_janky(r, out);
	tc_jank_put_stats(r, out);
}

static int
run_phases(struct tc_answer *a, struct tc_filter_run *run, struct tc_err *err)
{
	(void)err;
	tc_jank_put_phases(&a->rows, &run->out);
	if (a->has_missing)
		tc_jank_put_missing(&a->rows, &run->out);
	return 0;
}

static void
put_metric(void *out, const struct tc_rec_jank_metric *m)
{
	tc_rec_put(out, &tc_rec_jank_metric, m);
}

static void
put_frame_metrics(void *out, const struct tc_rec_frame_metrics *f)
{
	tc_rec_put(out, &tc_rec_frame_metrics, f);
}

static bool
has_no_scene(const struct tc_answer *a)
{
	return a->rows.places.count && !a->scenes.count;
}

static int
run_metrics(struct tc_answer *a, struct tc_filter_run *run, struct tc_err *err)
{
	struct tc_metrics m = { .sketch = a->has_sketch, .scenes = &a->scenes };

	if (tc_scenes_make(&a->scenes, &a->rows, err))
		return -1;
	/* A verdict says so itself; numbers that are not there do not. */
	if (has_no_scene(a))
		tc_cli_diag(run->cli, TC_WARNING, "no_scenes", NULL,
			"no scene of those that were asked for is in the stream");
	tc_metrics_run(&m, &a->rows, put_metric, put_frame_metrics, &run->out);
	return 0;
}

static void
judge_metric(void *rules, const struct tc_rec_jank_metric *m)
{
	tc_rules_add_metric(rules, m);
}

static int
put_verdicts(struct tc_answer *a, struct tc_filter_run *run, struct tc_err *err)
{
	if (tc_rules_judge(&a->rules, err))
		return -1;
	tc_rules_put(&a->rules, &run->out);
	if (!tc_rules_passed(&a->rules, a->is_strict) && !run->status)
		run->status = TC_PARTIAL;
	/* It may be written to where the records go: between two of them, then. */
	if (a->junit)
		tc_out_drain(&run->out);
	return a->junit ? tc_rules_put_junit(&a->rules, a->junit, err) : 0;
}

/* Frames that metrics were made of cannot be dealt to other scenes any more. */
static void
warn_of_scenes(const struct tc_answer *a, struct tc_cli *cli)
{
	const char *option = a->markers ? "--markers"
		: a->scenes.cuj         ? "--cuj"
		: a->scenes.slices      ? "--scenario"
		: a->scenes.edge        ? "--edge"
					: NULL;

	if (option)
		tc_cli_diag(cli, TC_WARNING, "scenes_kept", NULL,
			"%s: metrics came already, and their scenes are kept", option);
}

static int
run_rules(struct tc_answer *a, struct tc_filter_run *run, struct tc_err *err)
{
	struct tc_metrics m = { .scenes = &a->scenes,
		.skips = tc_rules_told(&a->rules, &a->rows) };

	if (tc_scenes_make(&a->scenes, &a->rows, err))
		return -1;
	if (a->rules.has_metrics)
		warn_of_scenes(a, run->cli);
	a->rules.lacks_scenes = has_no_scene(a);
	tc_metrics_run(&m, &a->rows, judge_metric, NULL, &a->rules);
	return put_verdicts(a, run, err);
}

int
tc_answer_no_verdicts(struct tc_answer *a, struct tc_filter_run *run, struct tc_err *err)
{
	a->rules.lacks_all = true;
	return put_verdicts(a, run, err);
}

static int
run_merge(struct tc_answer *a, struct tc_filter_run *run, struct tc_err *err)
{
	if (!run->status && tc_merge_check(&a->merge, err)) {
		tc_filter_error(run, tc_err_what(err), err->msg, (struct tc_str){ 0 });
		return -1;
	}
	tc_merge_put(&a->merge, &run->out);
	return 0;
}

static int
run_compare(struct tc_answer *a, struct tc_filter_run *run, struct tc_err *err)
{
	struct tc_compare_result result;

	/* An input that failed, which is said, is missing from its side. */
	if (run->status && !run->cli->keep_going)
		return 0;
	if (tc_compare_judge(&a->compare, &run->out, &result, err)) {
		tc_filter_error(run, tc_err_what(err), err->msg, (struct tc_str){ 0 });
		return -1;
	}
	if (!run->status && (result.failed || (a->is_strict && result.not_enough)))
		run->status = TC_PARTIAL;
	if (tc_cli_is_watched())
		tc_cli_diag(run->cli, TC_NOTE, "summary", NULL,
			"%zu passed, %zu failed, %zu without enough data", result.passed,
			result.failed, result.not_enough);
	return 0;
}

/* What several modes ask for. */
enum {
	BUFFERS = TC_ROWS_FRAME | TC_ROWS_DISPLAY | TC_ROWS_PHASE | TC_ROWS_BUFFER,
	THREADS = TC_ROWS_SLICE | TC_ROWS_SCHED,
};
#define SCENES TC_ANSWER_MARKERS, TC_ANSWER_CUJ, TC_ANSWER_SCENARIO, TC_ANSWER_EDGE

static const struct tc_answer_mode modes[] = {
	{ .name = "", .kinds = TC_ROWS_FRAME, .put = put_default },
	{ .name = "frames", .kinds = TC_ROWS_FRAME, .put = tc_jank_put_frames },
	{ .name = "stats", .kinds = TC_ROWS_COUNT, .put = tc_jank_put_stats },
	{ .name = "display",
		.kinds = TC_ROWS_FRAME | TC_ROWS_DISPLAY,
		.options = { TC_ANSWER_SF },
		.put = tc_jank_put_display },
	{ .name = "phases",
		.kinds = TC_ROWS_PHASE | TC_ROWS_COUNT,
		.options = { TC_ANSWER_MISSING },
		.run = run_phases },
	{ .name = "match",
		.kinds = BUFFERS,
		.options = { TC_ANSWER_SF },
		.put = tc_jank_put_match },
	{ .name = "explain",
		.kinds = BUFFERS | THREADS | TC_ROWS_RATE,
		.options = { TC_ANSWER_SF },
		.put = tc_jank_put_explain },
	{ .name = "input", .kinds = TC_ROWS_INPUT | THREADS, .put = tc_jank_put_lags },
	{ .name = "metrics",
		.kinds = TC_METRICS_KINDS,
		.options = { TC_ANSWER_SKETCH, TC_ANSWER_SF, SCENES },
		.run = run_metrics },
	{ .name = "rules",
		.kinds = TC_METRICS_KINDS,
		.options = { TC_ANSWER_RULES, TC_ANSWER_STRICT, TC_ANSWER_JUNIT,
			TC_ANSWER_SF, SCENES },
		.run = run_rules },
	{ .name = "compare",
		.options = { TC_ANSWER_METRIC, TC_ANSWER_MIN_EFFECT, TC_ANSWER_ALPHA,
			TC_ANSWER_SEED, TC_ANSWER_RESAMPLES, TC_ANSWER_STRICT },
		.run = run_compare,
		.takes = tc_answer_compared },
	{ .name = "merge", .run = run_merge, .takes = tc_answer_merged },
};

const struct tc_answer_mode *
tc_answer_mode(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (strcmp(modes[i].name, name) == 0)
			return &modes[i];
	return NULL;
}

void
tc_answer_list(char *text, size_t size)
{
	size_t i;

	text[0] = '\0';
	for (i = 1; i < sizeof(modes) / sizeof(modes[0]); i++) {
		strncat(text, i > 1 ? ", " : "", size - strlen(text) - 1);
		strncat(text, modes[i].name, size - strlen(text) - 1);
	}
}

bool
tc_answer_has(const struct tc_answer_mode *mode, int option)
{
	const int *has = mode->options;

	/* Every mode that reads rows has these. */
	if (!mode->takes && (option == TC_ANSWER_APP || option == TC_ANSWER_ALL))
		return true;
	while (*has && *has != option)
		has++;
	return *has != 0;
}
