/* tc-jank: find late frames in a record stream. */
#include "cli/cli.h"
#include "err/err.h"
#include "filter/filter.h"
#include "jank/jank.h"
#include "rec/rec.h"

static const char usage[] =
	"usage: tc-jank [-k] [--app NAME|pid=N|upid=N] [--all] [--keep]\n"
	"               [--ignore-upstream] [frames|stats] [FILE...]\n"
	"Read frame records and hold every app frame against its expectation.\n"
	"frames: one record for each; stats: counts by class; without a mode, the\n"
	"janky frames and then the stats.\n\n"
	"  -a, --app NAME           only this process; NAME may be a glob\n"
	"      --all                every process that --app fits, not just one\n"
	"      --keep               pass on the frame rows too\n"
	"      --ignore-upstream    status 0 even when a tool upstream "
	"failed\n" TC_CLI_USAGE;

enum { OPT_ALL = 256, OPT_KEEP, OPT_IGNORE_UPSTREAM };

static const struct option longopts[] = {
	{ "app", required_argument, NULL, 'a' },
	{ "all", no_argument, NULL, OPT_ALL },
	{ "keep", no_argument, NULL, OPT_KEEP },
	{ "ignore-upstream", no_argument, NULL, OPT_IGNORE_UPSTREAM },
	TC_CLI_LONGOPTS,
};

struct tool {
	struct tc_jank jank;
	const struct tc_jank_mode *mode; /* NULL: the default */
};

static int
on_trace(void *ctx, struct tc_filter_run *run, const void *rec, struct tc_err *err)
{
	struct tool *tool = ctx;

	(void)run;
	(void)err;
	tc_jank_add_trace(&tool->jank, rec);
	return 0;
}

static int
on_process(void *ctx, struct tc_filter_run *run, const void *rec, struct tc_err *err)
{
	struct tool *tool = ctx;

	(void)run;
	(void)err;
	tc_jank_add_process(&tool->jank, rec);
	return 0;
}

static int
on_expected(void *ctx, struct tc_filter_run *run, const void *rec, struct tc_err *err)
{
	struct tool *tool = ctx;

	(void)run;
	(void)err;
	tc_jank_add_expected(&tool->jank, rec);
	return 0;
}

static int
on_actual(void *ctx, struct tc_filter_run *run, const void *rec, struct tc_err *err)
{
	struct tool *tool = ctx;

	(void)run;
	(void)err;
	tc_jank_add_actual(&tool->jank, rec);
	return 0;
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

	if (tool->jank.app && tc_jank_is_empty(&tool->jank)) {
		no_trace(run, tool->jank.app);
		return 0;
	}
	if (tc_jank_choose(&tool->jank, run->cli, err))
		return -1;
	if (tool->mode)
		tool->mode->put(&tool->jank, &run->out);
	else
		tc_jank_put_default(&tool->jank, &run->out);
	if (tc_cli_is_watched()) {
		tc_jank_summary(&tool->jank, text, sizeof(text));
		tc_cli_diag(run->cli, TC_NOTE, "summary", NULL, "%s", text);
	}
	return 0;
}

static const struct tc_filter_on on[] = {
	{ &tc_rec_trace, on_trace, false },
	{ &tc_rec_process, on_process, false },
	{ &tc_rec_expected_frame, on_expected, true },
	{ &tc_rec_actual_frame, on_actual, true },
	{ &tc_rec_buffer_event, NULL, true },
	{ &tc_rec_phase, NULL, true },
	{ &tc_rec_slice, NULL, true },
	{ &tc_rec_counter, NULL, true },
	{ &tc_rec_sched, NULL, true },
	{ &tc_rec_refresh_rate, NULL, true },
	{ &tc_rec_input_event, NULL, true },
	{ &tc_rec_input_dispatch, NULL, true },
	{ &tc_rec_input_latency, NULL, true },
	{ &tc_rec_clock, NULL, true },
	{ NULL, NULL, false },
};

int
main(int argc, char **argv)
{
	struct tc_cli cli = TC_CLI_INIT("tc-jank", usage);
	struct tc_filter filter = { .on = on, .end = at_end, .heeds = true };
	struct tool tool = { 0 };
	struct tc_err err = { 0 };
	int c, r;

	tc_cli_hold_streams();
	while ((c = getopt_long(argc, argv, TC_CLI_OPTS "a:", longopts, NULL)) != -1) {
		switch (c) {
		case 'a':
			if (!tc_jank_is_app(optarg))
				tc_cli_usage(&cli, "--app %s: not a number", optarg);
			tool.jank.app = optarg;
			break;
		case OPT_ALL: tool.jank.all = true; break;
		case OPT_KEEP: filter.keep = true; break;
		case OPT_IGNORE_UPSTREAM: filter.ignores = true; break;
		default: tc_cli_common(&cli, c, argv);
		}
	}
	if (argv[optind] && (tool.mode = tc_jank_find_mode(argv[optind])))
		optind++;
	r = tc_filter_run(&filter, &tool, &cli, argv + optind, &err);
	tc_jank_release(&tool.jank);
	return tc_cli_finish(&cli, r, &err);
}
