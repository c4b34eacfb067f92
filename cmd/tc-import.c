/* tc-import: decode Perfetto traces into frame records. */
#include <string.h>

#include "cli/cli.h"
#include "err/err.h"
#include "filter/filter.h"
#include "import/import.h"
#include "rec/rec.h"

static const char usage[] =
	"usage: tc-import [-k] [-T TYPE,...] [--process GLOB] [--layer GLOB]\n"
	"                 [--from TIME] [--to TIME] [--slices GLOB] [--counters GLOB]\n"
	"                 [--gfx-clock CLOCK] [--experimental] [FILE...]\n"
	"Decode Perfetto traces into one JSON record a line. FILE is a trace, plain,\n"
	"gzip or zstd, an archive (ZIP, TAR) with traces in it, or a record stream\n"
	"whose `artifact` records name such files; - is standard input.\n\n"
	"  -T, --types LIST         only these record types; +TYPE adds one to the\n"
	"                           default ones, -TYPE leaves it out\n"
	"      --process GLOB       only rows of these processes; also pid=N, upid=N\n"
	"      --layer GLOB         only rows of these layers\n"
	"      --from TIME          only what is not over yet at this time: trace time\n"
	"                           in ns, +2s from the start, or a slice's name\n"
	"      --to TIME            only what begins before this time; a slice's name\n"
	"                           stands for its end\n"
	"      --slices GLOB        slices of these names too\n"
	"      --counters GLOB      counters of these names too\n"
	"      --gfx-clock CLOCK    clock of buffer events that name none: auto, mono\n"
	"                           or boot\n"
	"      --experimental       add fields that are not meant for jank "
	"analysis\n" TC_CLI_USAGE;

enum { OPT_EXPERIMENTAL = 256, OPT_GFX_CLOCK };

static const struct option longopts[] = {
	{ "types", required_argument, NULL, 'T' },
	{ "process", required_argument, NULL, TC_CHOOSE_OPT_PROCESS },
	{ "layer", required_argument, NULL, TC_CHOOSE_OPT_LAYER },
	{ "from", required_argument, NULL, TC_CHOOSE_OPT_FROM },
	{ "to", required_argument, NULL, TC_CHOOSE_OPT_TO },
	{ "slices", required_argument, NULL, TC_CHOOSE_OPT_SLICES },
	{ "counters", required_argument, NULL, TC_CHOOSE_OPT_COUNTERS },
	{ "gfx-clock", required_argument, NULL, OPT_GFX_CLOCK },
	{ "experimental", no_argument, NULL, OPT_EXPERIMENTAL },
	TC_CLI_LONGOPTS,
};

/* Whether c was an option that chooses. */
static bool
choose(struct tc_import *im, struct tc_cli *cli, int c)
{
	struct tc_err err = { 0 };
	int r = tc_choose_option(&im->choose, c, optarg, &err);

	if (r < 0)
		tc_cli_usage(cli, "%s", err.msg);
	return r > 0;
}

static enum tc_gfx_clock
gfx_clock(struct tc_cli *cli, const char *name)
{
	static const char *const names[] = {
		[TC_GFX_CLOCK_AUTO] = "auto",
		[TC_GFX_CLOCK_MONO] = "mono",
		[TC_GFX_CLOCK_BOOT] = "boot",
	};
	unsigned i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(name, names[i]) == 0)
			return (enum tc_gfx_clock)i;
	tc_cli_usage(cli, "--gfx-clock: '%s' is none of auto, mono, boot", name);
}

static int
on_trace(void *ctx, struct tc_filter_run *run, struct tc_in *in, struct tc_err *err)
{
	struct tc_import_origin origin = { .path = tc_str_of(in->name) };

	return tc_import_file(ctx, &origin, in, &run->out, err);
}

/* What is wrong with one artifact is a record; the others go on. */
static int
artifact_failed(struct tc_filter_run *run, const char *path, struct tc_err *err)
{
	if (run->out.sys)
		return -1;
	tc_filter_error(run, tc_err_what(err), err->msg, tc_filter_quote(run, path));
	tc_cli_diag(run->cli, TC_ERROR, tc_err_what(err), NULL, "%s", err->msg);
	if (!run->status)
		run->status = TC_PARTIAL;
	return 0;
}

static int
on_artifact(void *ctx, struct tc_filter_run *run, const void *rec, struct tc_err *err)
{
	const struct tc_rec_artifact *a = rec;
	struct tc_import_origin origin = { a->path, a->device, a->session };
	struct tc_in in;
	char *path;
	int r;

	if (!a->kind.p || !tc_str_eq(a->kind, TC_STR("perfetto")))
		return 0;
	if (!a->path.p || !a->path.len || memchr(a->path.p, '\0', a->path.len)) {
		tc_err_set(err, TC_DATA, "an artifact without a usable path");
		return artifact_failed(run, "artifact", err);
	}
	path = tc_arena_dup(&run->arena, a->path.p, a->path.len);
	/* Always a file: standard input is where this record came from. */
	if (strcmp(path, "-") == 0)
		path = tc_arena_dup(&run->arena, "./-", 3);
	if (tc_in_open(&in, path, err))
		return artifact_failed(run, path, err);
	in.tie = &run->out;
	r = tc_import_file(ctx, &origin, &in, &run->out, err);
	tc_in_close(&in);
	return r ? artifact_failed(run, path, err) : 0;
}

/* Traces that come down the pipe have numbers already; ours go on from there. */
static int
on_other_trace(void *ctx, struct tc_filter_run *run, const void *rec, struct tc_err *err)
{
	const struct tc_rec_trace *t = rec;
	struct tc_import *im = ctx;

	(void)run;
	(void)err;
	if (t->trace >= im->count && t->trace < UINT32_MAX)
		im->count = t->trace + 1;
	return 0;
}

static const struct tc_filter_on on[] = {
	{ &tc_rec_trace, on_other_trace, false },
	{ &tc_rec_artifact, on_artifact, false },
	{ NULL, NULL, false },
};

static const struct tc_filter filter = { .on = on, .raw = on_trace };

int
main(int argc, char **argv)
{
	struct tc_cli cli = TC_CLI_INIT("tc-import", usage);
	struct tc_import im = { 0 };
	struct tc_err err = { 0 };
	int c;

	tc_cli_hold_streams();
	while ((c = getopt_long(argc, argv, TC_CLI_OPTS "T:", longopts, NULL)) != -1) {
		if (c == OPT_EXPERIMENTAL)
			im.with_experimental = true;
		else if (c == OPT_GFX_CLOCK)
			im.gfx_clock = gfx_clock(&cli, optarg);
		else if (!choose(&im, &cli, c))
			tc_cli_common(&cli, c, argv);
	}
	if (tc_choose_check(&im.choose, &err))
		tc_cli_usage(&cli, "%s", err.msg);
	return tc_cli_finish(
		&cli, tc_filter_run(&filter, &im, &cli, argv + optind, &err), &err);
}
