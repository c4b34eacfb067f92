/* tc-import: decode Perfetto traces into frame records. */
#include <string.h>

#include "cli/cli.h"
#include "err/err.h"
#include "filter/filter.h"
#include "import/import.h"
#include "rec/rec.h"

static const char usage[] =
	"usage: tc-import [-k] [--experimental] [FILE...]\n"
	"Decode Perfetto traces into one JSON record a line. FILE is a trace, or a\n"
	"record stream whose `artifact` records name traces; - is standard input.\n\n"
	"      --experimental       add fields that are not meant for jank "
	"analysis\n" TC_CLI_USAGE;

enum { OPT_EXPERIMENTAL = 256 };

static const struct option longopts[] = {
	{ "experimental", no_argument, NULL, OPT_EXPERIMENTAL },
	TC_CLI_LONGOPTS,
};

static int
on_trace(void *ctx, struct tc_filter_run *run, struct tc_in *in, struct tc_err *err)
{
	struct tc_import_origin origin = { .path = tc_str_of(in->name) };

	return tc_import_run(ctx, &origin, in, &run->out, err);
}

/* What is wrong with one artifact is a record; the others go on. */
static int
artifact_failed(struct tc_filter_run *run, const char *path, struct tc_err *err)
{
	if (run->out.sys)
		return -1;
	tc_filter_error(
		run, tc_err_name(err->code), err->msg, tc_filter_quote(run, path));
	tc_cli_diag(run->cli, TC_ERROR, tc_err_name(err->code), NULL, "%s", err->msg);
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
	r = tc_import_run(ctx, &origin, &in, &run->out, err);
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

	while ((c = getopt_long(argc, argv, TC_CLI_OPTS, longopts, NULL)) != -1) {
		if (c == OPT_EXPERIMENTAL)
			im.with_experimental = true;
		else
			tc_cli_common(&cli, c, argv);
	}
	return tc_cli_finish(
		&cli, tc_filter_run(&filter, &im, &cli, argv + optind, &err), &err);
}
