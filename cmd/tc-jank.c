/* tc-jank: find late frames in a record stream. */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "compare/compare.h"
#include "err/err.h"
#include "filter/filter.h"
#include "jank/jank.h"
#include "merge/merge.h"
#include "metrics/metrics.h"
#include "rec/rec.h"
#include "rows/rows.h"
#include "rules/rules.h"
#include "scenes/scenes.h"

static const char usage[] =
	"usage: tc-jank [-k] [-a APP] [--all] [--sf PROCESS] [--keep]\n"
	"               [--ignore-upstream] [MODE [OPTION...]] [FILE...]\n"
	"       tc-jank [OPTION...] metrics [--sketch] [SCENES] [FILE...]\n"
	"       tc-jank [OPTION...] rules -r FILE [--strict] [--junit FILE]\n"
	"               [--markers FILE] [--cuj] [--scenario GLOB] [--edge WHICH] "
	"[FILE...]\n"
	"       tc-jank [OPTION...] compare [--metric NAME] [--min-effect PERCENT]\n"
	"               [--alpha P] [--seed N] [--resamples N] [--strict] A B\n"
	"Read frame records and answer a question about them. MODE is one of\n\n"
	"  frames                   each app frame against its expectation\n"
	"  stats                    counts by class\n"
	"  display [--sf pid=N|upid=N]\n"
	"                           app frames and the display frames that showed them\n"
	"  phases                   the phases of buffers as they are\n"
	"  metrics [--sf PROCESS]   numbers, each after a definition that it names\n"
	"  rules -r FILE [--sf PROCESS]\n"
	"                           whether metrics keep to the rules of FILE\n"
	"  compare A B              whether the frames of B are worse than those of A\n"
	"  merge                    metrics and stats of many traces as one\n\n"
	"and without one, the janky frames and then the stats.\n\n"
	"  -a, --app NAME           only this process; NAME may be a glob\n"
	"      --all                every process that --app fits, not just one\n"
	"      --sf pid=N|upid=N    whose display frames count\n"
	"      --keep               pass on the rows of traces too\n"
	"      --ignore-upstream    status 0 even when a tool upstream failed\n"
	"      --sketch             distributions that merge can combine\n"
	"  -r, --rules FILE         the file of rules\n"
	"      --strict             status 1 also where there was not enough data\n"
	"      --junit FILE         write the verdicts to a JUnit file too\n"
	"      --metric NAME        compare this one, NAME or NAME.STATISTIC\n"
	"      --min-effect PERCENT\n"
	"                           the least that is a regression (default 5)\n"
	"      --alpha P            chance of any false one (default 0.05)\n"
	"      --seed N             of random numbers (default 1)\n"
	"      --resamples N        how many (default 2000)\n"
	"SCENES, which are judged apart, come from markers of the stream, and from\n"
	"      --markers FILE       a file of marker records\n"
	"      --cuj                slices of interactions, J<NAME>\n"
	"      --scenario GLOB      slices whose name fits\n"
	"      --edge WHICH         which frames at their edges count: start-in\n"
	"                           (default), end-in, both, clip\n" TC_CLI_USAGE;

enum {
	OPT_ALL = 256,
	OPT_KEEP,
	OPT_IGNORE_UPSTREAM,
	OPT_SF,
	OPT_SKETCH,
	OPT_STRICT,
	OPT_JUNIT,
	OPT_MARKERS,
	OPT_CUJ,
	OPT_SCENARIO,
	OPT_EDGE,
	OPT_METRIC,
	OPT_MIN_EFFECT,
	OPT_ALPHA,
	OPT_SEED,
	OPT_RESAMPLES,
};

/* The options of modes that look at scenes. */
#define OPTS_SCENES OPT_MARKERS, OPT_CUJ, OPT_SCENARIO, OPT_EDGE
#define OPTS_COMPARE OPT_METRIC, OPT_MIN_EFFECT, OPT_ALPHA, OPT_SEED, OPT_RESAMPLES

static const struct option longopts[] = {
	{ "app", required_argument, NULL, 'a' },
	{ "all", no_argument, NULL, OPT_ALL },
	{ "sf", required_argument, NULL, OPT_SF },
	{ "keep", no_argument, NULL, OPT_KEEP },
	{ "ignore-upstream", no_argument, NULL, OPT_IGNORE_UPSTREAM },
	{ "sketch", no_argument, NULL, OPT_SKETCH },
	{ "rules", required_argument, NULL, 'r' },
	{ "strict", no_argument, NULL, OPT_STRICT },
	{ "junit", required_argument, NULL, OPT_JUNIT },
	{ "markers", required_argument, NULL, OPT_MARKERS },
	{ "cuj", no_argument, NULL, OPT_CUJ },
	{ "scenario", required_argument, NULL, OPT_SCENARIO },
	{ "edge", required_argument, NULL, OPT_EDGE },
	{ "metric", required_argument, NULL, OPT_METRIC },
	{ "min-effect", required_argument, NULL, OPT_MIN_EFFECT },
	{ "alpha", required_argument, NULL, OPT_ALPHA },
	{ "seed", required_argument, NULL, OPT_SEED },
	{ "resamples", required_argument, NULL, OPT_RESAMPLES },
	TC_CLI_LONGOPTS,
};

struct tool;

/* A question: what rows it needs, what options it has, and who answers it. */
struct mode {
	const char *name;
	unsigned kinds;
	int options[16]; /* of its own, ended by 0 */
	int (*run)(struct tool *tool, struct tc_filter_run *run, struct tc_err *err);
	/* Of one that asks answers instead of rows: what it reads; else NULL. */
	const struct tc_filter_on *takes;
};

enum { MAX_ON = 32 };

struct tool {
	struct tc_rows rows;
	struct tc_scenes scenes;
	struct tc_rules rules;
	const char *rules_file, *junit, *markers;
	bool is_strict, has_sketch;
	const struct mode *mode;
	int given[32]; /* options that not every mode has, ended by 0 */
	struct tc_merge merge;
	struct tc_compare compare;
	struct tc_filter_on on[MAX_ON];
};

static int
run_default(struct tool *tool, struct tc_filter_run *run, struct tc_err *err)
{
	(void)err;
	tc_jank_put_janky(&tool->rows, &run->out);
	tc_jank_put_stats(&tool->rows, &run->out);
	return 0;
}

static int
run_frames(struct tool *tool, struct tc_filter_run *run, struct tc_err *err)
{
	(void)err;
	tc_jank_put_frames(&tool->rows, &run->out);
	return 0;
}

static int
run_stats(struct tool *tool, struct tc_filter_run *run, struct tc_err *err)
{
	(void)err;
	tc_jank_put_stats(&tool->rows, &run->out);
	return 0;
}

static int
run_display(struct tool *tool, struct tc_filter_run *run, struct tc_err *err)
{
	(void)err;
	tc_jank_put_display(&tool->rows, &run->out);
	return 0;
}

static int
run_phases(struct tool *tool, struct tc_filter_run *run, struct tc_err *err)
{
	(void)err;
	tc_jank_put_phases(&tool->rows, &run->out);
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

static int
run_metrics(struct tool *tool, struct tc_filter_run *run, struct tc_err *err)
{
	struct tc_metrics m = { .sketch = tool->has_sketch, .scenes = &tool->scenes };

	if (tc_scenes_make(&tool->scenes, &tool->rows, err))
		return -1;
	tc_metrics_run(&m, &tool->rows, put_metric, put_frame_metrics, &run->out);
	return 0;
}

static void
judge_metric(void *rules, const struct tc_rec_jank_metric *m)
{
	tc_rules_add_metric(rules, m);
}

static int
run_rules(struct tool *tool, struct tc_filter_run *run, struct tc_err *err)
{
	struct tc_metrics m = { .scenes = &tool->scenes,
		.skips = tc_rules_told(&tool->rules, &tool->rows) };

	if (tc_scenes_make(&tool->scenes, &tool->rows, err))
		return -1;
	tool->rules.lacks_scenes = tool->rows.places.count && !tool->scenes.count;
	tc_metrics_run(&m, &tool->rows, judge_metric, NULL, &tool->rules);
	if (tc_rules_judge(&tool->rules, err))
		return -1;
	tc_rules_put(&tool->rules, &run->out);
	if (!tc_rules_passed(&tool->rules, tool->is_strict) && !run->status)
		run->status = TC_PARTIAL;
	return tool->junit ? tc_rules_put_junit(&tool->rules, tool->junit, err) : 0;
}

static int
on_part(void *ctx, struct tc_filter_run *run, const void *rec, struct tc_err *err)
{
	struct tool *tool = ctx;
	int r = run->type == &tc_rec_jank_metric
		? tc_merge_add_metric(&tool->merge, rec, err)
		: tc_merge_add_stats(&tool->merge, rec, err);

	return r ? tc_filter_refuse(run, err) : 0;
}

static int
run_merge(struct tool *tool, struct tc_filter_run *run, struct tc_err *err)
{
	(void)err;
	tc_merge_put(&tool->merge, &run->out);
	return 0;
}

static const struct tc_filter_on parts[] = { { &tc_rec_jank_metric, on_part, true },
	{ &tc_rec_jank_stats, on_part, true }, { NULL, NULL, false } };

static int
on_compared(void *ctx, struct tc_filter_run *run, const void *rec, struct tc_err *err)
{
	struct tc_compare *c = &((struct tool *)ctx)->compare;

	return tc_compare_add(c, tc_filter_input(run), run->type, rec, err)
		? tc_filter_refuse(run, err)
		: 0;
}

static int
run_compare(struct tool *tool, struct tc_filter_run *run, struct tc_err *err)
{
	struct tc_compare_result result;

	/* An input that failed, which is said, is missing from its side. */
	if (run->status && !run->cli->keep_going)
		return 0;
	if (tc_compare_judge(&tool->compare, &run->out, &result, err)) {
		tc_filter_error(run, tc_err_what(err), err->msg, (struct tc_str){ 0 });
		return -1;
	}
	if (!run->status && (result.failed || (tool->is_strict && result.not_enough)))
		run->status = TC_PARTIAL;
	if (tc_cli_is_watched())
		tc_cli_diag(run->cli, TC_NOTE, "summary", NULL,
			"%zu passed, %zu failed, %zu without enough data", result.passed,
			result.failed, result.not_enough);
	return 0;
}

static const struct tc_filter_on compared[] = { { &tc_rec_trace, on_compared, false },
	{ &tc_rec_jank_metric, on_compared, true },
	{ &tc_rec_frame_metrics, on_compared, true },
	{ &tc_rec_actual_frame, on_compared, false }, { NULL, NULL, false } };

/* The first is what runs when none is named. */
static const struct mode modes[] = {
	{ "", TC_ROWS_FRAME, { 0 }, run_default, NULL },
	{ "frames", TC_ROWS_FRAME, { 0 }, run_frames, NULL },
	{ "stats", 0, { 0 }, run_stats, NULL },
	{ "display", TC_ROWS_FRAME | TC_ROWS_DISPLAY, { OPT_SF }, run_display, NULL },
	{ "phases", TC_ROWS_PHASE, { 0 }, run_phases, NULL },
	{ "metrics", TC_METRICS_KINDS, { OPT_SKETCH, OPT_SF, OPTS_SCENES }, run_metrics,
		NULL },
	{ "rules", TC_METRICS_KINDS, { 'r', OPT_STRICT, OPT_JUNIT, OPT_SF, OPTS_SCENES },
		run_rules, NULL },
	{ "compare", 0, { OPTS_COMPARE, OPT_STRICT }, run_compare, compared },
	{ "merge", 0, { 0 }, run_merge, parts },
};

static const struct mode *
find_mode(const char *name)
{
	size_t i;

	for (i = 1; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (strcmp(modes[i].name, name) == 0)
			return &modes[i];
	return NULL;
}

static bool
has_option(const struct mode *mode, int option)
{
	const int *has = mode->options;

	/* Every mode that reads rows has these. */
	if (!mode->takes && (option == 'a' || option == OPT_ALL))
		return true;
	while (*has && *has != option)
		has++;
	return *has != 0;
}

/* An option that the mode does not have would be ignored. */
static void
check_options(struct tool *tool, struct tc_cli *cli)
{
	const struct option *o;
	const int *given;

	for (given = tool->given; *given; given++) {
		if (has_option(tool->mode, *given))
			continue;
		for (o = longopts; o->val != *given;)
			o++;
		tc_cli_usage(cli, "--%s: not with %s", o->name,
			tool->mode->name[0] ? tool->mode->name : "the default mode");
	}
	if (has_option(tool->mode, 'r') && !tool->rules_file)
		tc_cli_usage(cli, "rules needs -r FILE");
}

static void
give(struct tool *tool, int option)
{
	size_t i;

	for (i = 0; tool->given[i] && tool->given[i] != option;)
		i++;
	tool->given[i] = option;
}

static int
on_row(void *ctx, struct tc_filter_run *run, const void *rec, struct tc_err *err)
{
	struct tool *tool = ctx;

	(void)err;
	tc_rows_add(&tool->rows, run->type, rec);
	return 0;
}

static int
on_metric(void *ctx, struct tc_filter_run *run, const void *rec, struct tc_err *err)
{
	struct tool *tool = ctx;

	(void)run;
	(void)err;
	tc_rules_take_metric(&tool->rules, &tool->rows, rec);
	return 0;
}

static int
on_device(void *ctx, struct tc_filter_run *run, const void *rec, struct tc_err *err)
{
	(void)run;
	(void)err;
	tc_rules_add_device(&((struct tool *)ctx)->rules, rec);
	return 0;
}

/* Rows of traces, which the answers replace, that no mode needs. */
static const struct tc_rec_type *const others[] = { &tc_rec_counter, &tc_rec_input_event,
	&tc_rec_input_dispatch, &tc_rec_input_latency, &tc_rec_clock };

/* What the mode does not need is not even parsed. */
static void
make_table(struct tool *tool)
{
	const struct tc_rows_source *s;
	struct tc_filter_on *on = tool->on;
	size_t i;

	if (tool->mode->takes) {
		for (i = 0; tool->mode->takes[i].type; i++)
			on[i] = tool->mode->takes[i];
		return;
	}
	tool->rows.kinds = tool->mode->kinds;
	if (has_option(tool->mode, OPT_EDGE))
		tool->rows.kinds |= tc_scenes_kinds(&tool->scenes);
	for (s = tc_rows_sources; s->type; s++)
		*on++ = (struct tc_filter_on){ s->type,
			!s->kinds || (s->kinds & (tool->rows.kinds | TC_ROWS_FRAME))
				? on_row
				: NULL,
			s->is_trace_row };
	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		*on++ = (struct tc_filter_on){ others[i], NULL, true };
	if (!tool->rules_file)
		return;
	*on++ = (struct tc_filter_on){ &tc_rec_jank_metric, on_metric, false };
	*on++ = (struct tc_filter_on){ &tc_rec_device, on_device, false };
}

/* Why an app was not found, where that is no matter of its name. */
static void
no_trace(struct tc_filter_run *run, const char *app)
{
	static const char text[] = "no trace came down the pipe";

	tc_filter_error(run, "no_trace", text, tc_filter_quote(run, app));
	tc_cli_diag(run->cli, TC_ERROR, "no_trace", NULL, "%s", text);
	if (!run->status)
		run->status = TC_PARTIAL;
}

/* A file that is no good is found before there is any work. */
static int
at_begin(void *ctx, struct tc_filter_run *run, struct tc_err *err)
{
	struct tool *tool = ctx;

	(void)run;
	if (tool->markers && tc_scenes_read(&tool->scenes, tool->markers, err))
		return -1;
	return tool->rules_file ? tc_rules_read(&tool->rules, tool->rules_file, err) : 0;
}

static int
at_end(void *ctx, struct tc_filter_run *run, struct tc_err *err)
{
	struct tool *tool = ctx;
	char text[128];

	if (tool->mode->takes)
		return tool->mode->run(tool, run, err);
	/* Metrics stand for a trace, and --app chose among them when they came. */
	if (tool->rules.has_metrics && !tool->rows.procs.count)
		tool->rows.app = NULL;
	if (tool->rows.app && tc_rows_is_empty(&tool->rows)) {
		no_trace(run, tool->rows.app);
		return 0;
	}
	if (tc_rows_settle(&tool->rows, run->cli, err) || tool->mode->run(tool, run, err))
		return -1;
	if (tc_cli_is_watched()) {
		tc_jank_summary(&tool->rows, text, sizeof(text));
		tc_cli_diag(run->cli, TC_NOTE, "summary", NULL, "%s", text);
	}
	return 0;
}

/* Those of compare; whether it is one. */
static bool
take_compare_option(struct tool *tool, struct tc_cli *cli, int c)
{
	static const struct tc_cli_unit plain[] = { { "", 1 }, { "", 1 }, { NULL, 0 } };
	struct tc_compare *to = &tool->compare;
	struct tc_err err = { 0 };

	switch (c) {
	case OPT_METRIC:
		if (tc_compare_want(to, optarg, &err))
			tc_cli_usage(cli, "--metric %s: %s", optarg, err.msg);
		return true;
	case OPT_MIN_EFFECT:
		to->min_effect =
			tc_cli_decimal(cli, "--min-effect", optarg, 0, 1000, "5");
		return true;
	case OPT_ALPHA:
		to->alpha = tc_cli_decimal(cli, "--alpha", optarg, 1e-6, 0.5, "0.05");
		return true;
	case OPT_SEED:
		to->seed = tc_cli_amount(cli, "--seed", optarg, plain, 0, INT64_MAX, "1");
		return true;
	case OPT_RESAMPLES:
		to->resamples = tc_cli_amount(
			cli, "--resamples", optarg, plain, 100, 1000000, "2000");
		return true;
	default: return false;
	}
}

/* Options that not every mode has. */
static void
take_option(struct tool *tool, struct tc_cli *cli, int c, char **argv)
{
	switch (c) {
	case OPT_SF:
		if (!tc_rows_is_app(optarg, true))
			tc_cli_usage(cli, "--sf %s: not pid=N or upid=N", optarg);
		tool->rows.sf = optarg;
		break;
	case 'r': tool->rules_file = optarg; break;
	case OPT_SKETCH: tool->has_sketch = true; break;
	case OPT_STRICT: tool->is_strict = true; break;
	case OPT_JUNIT: tool->junit = optarg; break;
	case OPT_MARKERS: tool->markers = optarg; break;
	case OPT_CUJ: tool->scenes.cuj = true; break;
	case OPT_SCENARIO: tool->scenes.slices = optarg; break;
	case OPT_EDGE:
		if (!tc_scenes_is_edge(optarg, &tool->scenes.edge))
			tc_cli_usage(cli, "--edge %s: not start-in, end-in, both or clip",
				optarg);
		break;
	default:
		if (!take_compare_option(tool, cli, c)) {
			tc_cli_common(cli, c, argv);
			return;
		}
	}
	give(tool, c);
}

int
main(int argc, char **argv)
{
	struct tc_cli cli = TC_CLI_INIT("tc-jank", usage);
	struct tool tool = { 0 };
	struct tc_filter filter = {
		.on = tool.on, .begin = at_begin, .end = at_end, .heeds = true
	};
	struct tc_err err = { 0 };
	char **inputs, **sides = NULL;
	int c, r;

	tc_compare_init(&tool.compare);
	tc_cli_hold_streams();
	while ((c = getopt_long(argc, argv, TC_CLI_OPTS "a:r:", longopts, NULL)) != -1) {
		switch (c) {
		case 'a':
			if (!tc_rows_is_app(optarg, false))
				tc_cli_usage(&cli, "--app %s: not a number", optarg);
			tool.rows.app = optarg;
			give(&tool, c);
			break;
		case OPT_ALL:
			tool.rows.all = true;
			give(&tool, c);
			break;
		case OPT_KEEP: filter.keep = true; break;
		case OPT_IGNORE_UPSTREAM: filter.ignores = true; break;
		default: take_option(&tool, &cli, c, argv);
		}
	}
	tool.rules.app = tool.rows.app;
	tool.mode = &modes[0];
	if (argv[optind] && find_mode(argv[optind]))
		tool.mode = find_mode(argv[optind++]);
	check_options(&tool, &cli);
	make_table(&tool);
	inputs = argv + optind;
	if (tool.mode->run == run_compare) {
		if (argc - optind != 2)
			tc_cli_usage(&cli, "compare needs A and B");
		inputs = sides = tc_compare_inputs(&tool.compare, inputs[0], inputs[1]);
	}
	r = tc_filter_run(&filter, &tool, &cli, inputs, &err);
	free(sides);
	tc_compare_release(&tool.compare);
	tc_rules_release(&tool.rules);
	tc_scenes_release(&tool.scenes);
	tc_rows_release(&tool.rows);
	tc_merge_release(&tool.merge);
	return tc_cli_finish(&cli, r, &err);
}
