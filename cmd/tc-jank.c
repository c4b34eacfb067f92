/* tc-jank: find late frames in a record stream. */
#include <string.h>

#include "cli/cli.h"
#include "err/err.h"
#include "filter/filter.h"
#include "jank/jank.h"
#include "merge/merge.h"
#include "rec/rec.h"
#include "rows/rows.h"

static const char usage[] =
	"usage: tc-jank [-k] [-a APP] [--all] [--sf PROCESS] [--keep]\n"
	"               [--ignore-upstream] [MODE [OPTION...]] [FILE...]\n"
	"Read frame records and answer a question about them. MODE is one of\n\n"
	"  frames                   each app frame against its expectation\n"
	"  stats                    counts by class\n"
	"  display [--sf pid=N|upid=N]\n"
	"                           app frames and the display frames that showed them\n"
	"  phases                   the phases of buffers as they are\n"
	"  merge                    metrics and stats of many traces as one\n\n"
	"and without one, the janky frames and then the stats.\n\n"
	"  -a, --app NAME           only this process; NAME may be a glob\n"
	"      --all                every process that --app fits, not just one\n"
	"      --sf pid=N|upid=N    whose display frames count\n"
	"      --keep               pass on the rows of traces too\n"
	"      --ignore-upstream    status 0 even when a tool upstream "
	"failed\n" TC_CLI_USAGE;

enum { OPT_ALL = 256, OPT_KEEP, OPT_IGNORE_UPSTREAM, OPT_SF };

static const struct option longopts[] = {
	{ "app", required_argument, NULL, 'a' },
	{ "all", no_argument, NULL, OPT_ALL },
	{ "sf", required_argument, NULL, OPT_SF },
	{ "keep", no_argument, NULL, OPT_KEEP },
	{ "ignore-upstream", no_argument, NULL, OPT_IGNORE_UPSTREAM },
	TC_CLI_LONGOPTS,
};

struct tool;

/* A question: what rows it needs, what options it has, and who answers it. */
struct mode {
	const char *name;
	unsigned kinds;
	int options[8]; /* of its own, ended by 0 */
	int (*run)(struct tool *tool, struct tc_filter_run *run, struct tc_err *err);
	/* Of one that asks answers instead of rows: what it reads; else NULL. */
	const struct tc_filter_on *takes;
};

enum { MAX_ON = 32 };

struct tool {
	struct tc_rows rows;
	const struct mode *mode;
	int given[16]; /* options that not every mode has, ended by 0 */
	struct tc_merge merge;
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

/* The first is what runs when none is named. */
static const struct mode modes[] = {
	{ "", TC_ROWS_FRAME, { 0 }, run_default, NULL },
	{ "frames", TC_ROWS_FRAME, { 0 }, run_frames, NULL },
	{ "stats", 0, { 0 }, run_stats, NULL },
	{ "display", TC_ROWS_FRAME | TC_ROWS_DISPLAY, { OPT_SF }, run_display, NULL },
	{ "phases", TC_ROWS_PHASE, { 0 }, run_phases, NULL },
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
	for (s = tc_rows_sources; s->type; s++)
		*on++ = (struct tc_filter_on){ s->type,
			!s->kinds || (s->kinds & (tool->mode->kinds | TC_ROWS_FRAME))
				? on_row
				: NULL,
			s->is_trace_row };
	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		*on++ = (struct tc_filter_on){ others[i], NULL, true };
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

static int
at_end(void *ctx, struct tc_filter_run *run, struct tc_err *err)
{
	struct tool *tool = ctx;
	char text[128];

	if (tool->mode->takes)
		return tool->mode->run(tool, run, err);
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

int
main(int argc, char **argv)
{
	struct tc_cli cli = TC_CLI_INIT("tc-jank", usage);
	struct tool tool = { 0 };
	struct tc_filter filter = { .on = tool.on, .end = at_end, .heeds = true };
	struct tc_err err = { 0 };
	int c, r;

	tc_cli_hold_streams();
	while ((c = getopt_long(argc, argv, TC_CLI_OPTS "a:", longopts, NULL)) != -1) {
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
		case OPT_SF:
			if (!tc_rows_is_app(optarg, true))
				tc_cli_usage(
					&cli, "--sf %s: not pid=N or upid=N", optarg);
			tool.rows.sf = optarg;
			give(&tool, c);
			break;
		case OPT_KEEP: filter.keep = true; break;
		case OPT_IGNORE_UPSTREAM: filter.ignores = true; break;
		default: tc_cli_common(&cli, c, argv);
		}
	}
	tool.mode = &modes[0];
	if (argv[optind] && find_mode(argv[optind]))
		tool.mode = find_mode(argv[optind++]);
	check_options(&tool, &cli);
	make_table(&tool);
	r = tc_filter_run(&filter, &tool, &cli, argv + optind, &err);
	tc_rows_release(&tool.rows);
	tc_merge_release(&tool.merge);
	return tc_cli_finish(&cli, r, &err);
}
