/* tc-pull: get the files of a capture, checked and whole. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "device/device.h"
#include "err/err.h"
#include "filter/filter.h"
#include "pull/pull.h"
#include "rec/rec.h"
#include "wait/wait.h"

static const char usage[] =
	"usage: tc-pull [-k] -o DIR [-d DEVICE] [-j N] [--name TEMPLATE] [--zip FILE]\n"
	"               [--last] [--delete] [--hash] [--force] [--take] [FILE...]\n"
	"Get the files that `file` records name from their devices into DIR, and write\n"
	"an artifact record for each that is there whole.\n\n"
	"  -o, --output DIR         where to; it is made\n"
	"  -d, --device DEVICE      of records that name none (default TC_DEVICE, or "
	"adb:)\n"
	"      --take               a USB device from the adb server that has it\n"
	"  -j, --jobs N             so many files at once (default 1)\n"
	"      --name TEMPLATE      {run}, {serial}, {session} and {dest} are filled in\n"
	"                           (default {dest}); folders may be part of it\n"
	"      --zip FILE           also an archive for Winscope\n"
	"      --last               what the last run left on the device; no records\n"
	"      --delete             remove the device's copy of what was checked\n"
	"      --hash               compare SHA-256 with the device's\n"
	"      --force              replace files that exist\n" TC_CLI_USAGE;

enum { OPT_NAME = 256, OPT_ZIP, OPT_LAST, OPT_DELETE, OPT_HASH, OPT_FORCE, OPT_TAKE };

static const struct option longopts[] = {
	{ "output", required_argument, NULL, 'o' },
	{ "name", required_argument, NULL, OPT_NAME },
	{ "device", required_argument, NULL, 'd' },
	{ "jobs", required_argument, NULL, 'j' },
	{ "zip", required_argument, NULL, OPT_ZIP },
	{ "last", no_argument, NULL, OPT_LAST },
	{ "delete", no_argument, NULL, OPT_DELETE },
	{ "hash", no_argument, NULL, OPT_HASH },
	{ "force", no_argument, NULL, OPT_FORCE },
	{ "take", no_argument, NULL, OPT_TAKE },
	TC_CLI_LONGOPTS,
};

enum { JOBS_MAX = 64, REDRAW_MS = 200 };

struct tool {
	struct tc_pull_options options;
	struct tc_pull *pull;
	struct tc_pull_zip *zip; /* NULL: none is asked for */
	struct tc_arena arena;
	struct tc_pull_runs runs;
	size_t pulled, failed, missing;
	bool is_partial; /* something else was asked for and failed */
	bool is_alike;   /* all failures have the same code so far */
	enum tc_code failure;
};

/* ---- signals ---- */

/* What a handler can see. */
static int stop_fds[2];
static volatile sig_atomic_t is_busy, spare_interrupts, stopped_by;

/*
 * While files are on their way, they are given up and their folder is left clean.
 * Ctrl-C reaches the whole pipe, and the first one is for who makes the records.
 */
static void
on_signal(int sig)
{
	int sys = errno;

	if (sig == SIGINT && spare_interrupts) {
		spare_interrupts = 0;
		return;
	}
	if (!is_busy || stopped_by) {
		signal(sig, SIG_DFL);
		raise(sig);
		return;
	}
	stopped_by = sig;
	if (write(stop_fds[1], "", 1) < 0)
		signal(sig, SIG_DFL);
	errno = sys;
}

static void
handle_signals(bool is_filter)
{
	struct stat st;

	spare_interrupts =
		is_filter && fstat(STDIN_FILENO, &st) == 0 && S_ISFIFO(st.st_mode);
	tc_wait_on_signals(on_signal);
	/* Whoever reads our output may go while a device is held. */
	signal(SIGPIPE, SIG_IGN);
}

/* ---- results ---- */

static void
report(struct tc_filter_run *run, const struct tc_err *err, struct tc_str subject)
{
	tc_filter_error(run, tc_err_what(err), err->msg, subject);
	tc_cli_diag(run->cli, TC_ERROR, tc_err_what(err), NULL, "%s", err->msg);
}

/*
 * What is wrong with one file has one status; what a device does has the device's, and
 * so has what still goes on there.
 */
static bool
is_of_device(const struct tc_pull_result *result)
{
	enum tc_code code = result->failed.code;

	return result->is_device || code == TC_NOSERVICE || code == TC_PROTOCOL ||
		code == TC_AGAIN;
}

static void
count_failure(struct tool *tool, const struct tc_pull_result *result)
{
	enum tc_code code = is_of_device(result) ? result->failed.code : TC_IO;

	tool->is_alike = !tool->failed || (tool->is_alike && tool->failure == code);
	tool->failure = code;
	tool->failed++;
}

static void
put_result(
	struct tool *tool, struct tc_filter_run *run, const struct tc_pull_result *result)
{
	const struct tc_rec_file *file = result->file;

	tc_pull_runs_add(&tool->runs,
		file->device.p ? file->device : tc_str_of(tool->options.device),
		file->run, !result->failed.code);
	if (result->failed.code) {
		count_failure(tool, result);
		report(run, &result->failed,
			tc_rec_text(&tc_rec_file, file, &run->arena));
		return;
	}
	tool->pulled++;
	tc_rec_put(&run->out, &tc_rec_artifact, &result->artifact);
	if (tool->zip)
		tc_pull_zip_add(tool->zip, &result->artifact, result->kind);
	if (result->not_removed.code) {
		tool->is_partial = true;
		report(run, &result->not_removed,
			tc_rec_text(&tc_rec_file, file, &run->arena));
	}
}

static void
show_progress(struct tool *tool, struct tc_filter_run *run)
{
	struct tc_pull_progress progress;
	char text[128];

	tc_pull_look(tool->pull, &progress);
	tc_pull_progress_text(&progress, tc_wait_now(), text, sizeof(text));
	tc_cli_progress(run->cli, text);
}

static int
stopped(struct tc_err *err)
{
	return tc_err_named(err, TC_AGAIN, "interrupted", "interrupted");
}

/* Takes results until no more than `most` are pending, each written at once. */
static int
collect(struct tool *tool, struct tc_filter_run *run, size_t most, struct tc_err *err)
{
	int wait_ms = tc_cli_is_watched() ? REDRAW_MS : -1;
	struct tc_pull_result result;
	enum tc_pull_next next;

	while (tc_pull_pending(tool->pull) > most) {
		if (tc_out_flush(&run->out, err) < 0)
			return -1;
		next = tc_pull_next(tool->pull, wait_ms, &result);
		if (next == TC_PULL_WAIT) {
			show_progress(tool, run);
			continue;
		}
		tc_cli_progress(run->cli, NULL);
		put_result(tool, run, &result);
	}
	return stopped_by ? stopped(err) : 0;
}

static void
mark_missing(struct tool *tool, struct tc_filter_run *run, const struct tc_rec_file *file)
{
	struct tc_str why = file->error ? file->error->text : (struct tc_str){ 0 };

	tool->missing++;
	tc_cli_diag(run->cli, TC_WARNING, "missing", NULL,
		"%.*s: it is not on the device%s%.*s", (int)file->dest.len,
		file->dest.p ? file->dest.p : "", why.p ? ": " : "", (int)why.len,
		why.p ? why.p : "");
}

static int
on_file(void *ctx, struct tc_filter_run *run, const void *rec, struct tc_err *err)
{
	const struct tc_rec_file *file = rec;
	struct tool *tool = ctx;
	size_t jobs = (size_t)tool->options.jobs;

	if (tc_str_eq(file->state, TC_STR("missing"))) {
		mark_missing(tool, run, file);
		return 0;
	}
	is_busy = 1;
	tc_pull_add(tool->pull, file);
	/* With several at a time, so many wait that no thread ever does. */
	return collect(tool, run, jobs == 1 ? 0 : jobs * 4, err);
}

/* The devices are free for others while there is nothing to do. */
static int
rest(void *ctx, struct tc_filter_run *run, struct tc_err *err)
{
	struct tool *tool = ctx;

	if (collect(tool, run, 0, err) < 0)
		return -1;
	tc_pull_rest(tool->pull);
	is_busy = 0;
	return stopped_by ? stopped(err) : 0;
}

static int
put_last(struct tool *tool, struct tc_filter_run *run, struct tc_err *err)
{
	struct tc_pull_last last;
	size_t i;

	is_busy = 1;
	if (tc_pull_last(tool->options.device, tool->options.stop_fd, &tool->arena, &last,
		    err) < 0)
		return -1;
	for (i = 0; i < last.count; i++) {
		tc_rec_put(&run->out, &tc_rec_file, &last.files[i]);
		if (on_file(tool, run, &last.files[i], err) < 0)
			return -1;
	}
	return 0;
}

static void
put_zips(struct tool *tool, struct tc_filter_run *run)
{
	struct tc_rec_artifact a;
	struct tc_err err = { 0 };
	int r;

	while ((r = tc_pull_zip_next(tool->zip, tool->options.force,
			tool->options.stop_fd, &a, &err)) != 0) {
		if (r > 0) {
			tc_rec_put(&run->out, &tc_rec_artifact, &a);
			continue;
		}
		tool->is_partial = true;
		report(run, &err, tc_filter_quote(run, "--zip"));
		err = (struct tc_err){ 0 };
	}
}

/* Where the records may have been cut off, nobody knows of what all is here. */
static void
mark_runs(struct tool *tool, struct tc_filter_run *run)
{
	struct tc_err err = { 0 };
	int r = !run->upstream_cut;

	while (r && (r = tc_pull_runs_mark(&tool->runs, tool->options.stop_fd, &err)))
		if (r < 0)
			tc_cli_diag(run->cli, TC_WARNING, tc_err_what(&err), NULL, "%s",
				err.msg);
}

static int
status_of(const struct tool *tool)
{
	if (tool->failed && !tool->pulled)
		return (int)(tool->is_alike ? tool->failure : TC_IO);
	return tool->failed || tool->missing || tool->is_partial ? TC_PARTIAL : TC_OK;
}

static int
at_end(void *ctx, struct tc_filter_run *run, struct tc_err *err)
{
	struct tool *tool = ctx;

	if ((run->filter->reads_nothing && put_last(tool, run, err) < 0) ||
		rest(tool, run, err) < 0)
		return -1;
	is_busy = 1;
	mark_runs(tool, run);
	if (tool->zip)
		put_zips(tool, run);
	is_busy = 0;
	if (!run->status)
		run->status = status_of(tool);
	return stopped_by ? stopped(err) : 0;
}

static const struct tc_filter_on on[] = {
	{ &tc_rec_file, on_file, false },
	{ NULL, NULL, false },
};

static int
number(struct tc_cli *cli, const char *text)
{
	char *end;
	long n = strtol(text, &end, 10);

	if (text[0] < '0' || text[0] > '9' || *end || n < 1 || n > JOBS_MAX)
		tc_cli_usage(cli, "-j %s: a number from 1 to %d", text, JOBS_MAX);
	return (int)n;
}

static void
check(struct tc_cli *cli, const struct tool *tool, bool is_last, char **files)
{
	struct tc_err err;

	if (!tool->options.dir || !*tool->options.dir)
		tc_cli_usage(cli, "-o DIR is needed: where to");
	if (tc_pull_check_template(tool->options.template, &err) < 0)
		tc_cli_usage(cli, "%s", err.msg);
	if (is_last && files[0])
		tc_cli_usage(cli, "--last reads no files");
}

static int
run_filter(struct tool *tool, struct tc_filter *filter, struct tc_cli *cli, char **files,
	struct tc_err *err)
{
	int r;

	if (tc_wait_pipe(stop_fds, err) < 0)
		return -1;
	tool->options.stop_fd = stop_fds[0];
	handle_signals(!filter->reads_nothing && !files[0]);
	tool->pull = tc_pull_new(&tool->options);
	r = tc_filter_run(filter, tool, cli, files, err);
	/* When nobody reads the results, what is under way ends now. */
	if (tc_pull_pending(tool->pull) && write(stop_fds[1], "", 1) < 0)
		r = tc_err_sys(err, TC_SYSTEM, "pipe");
	tc_pull_free(tool->pull);
	tc_pull_zip_free(tool->zip);
	tc_arena_release(&tool->arena);
	tc_pull_runs_release(&tool->runs);
	tc_cli_progress(cli, NULL);
	if (stopped_by) {
		signal(stopped_by, SIG_DFL);
		raise(stopped_by);
	}
	return r;
}

int
main(int argc, char **argv)
{
	struct tc_cli cli = TC_CLI_INIT("tc-pull", usage);
	struct tc_filter filter = { .on = on, .idle = rest, .end = at_end };
	struct tool tool = { .options = { .template = "{dest}", .jobs = 1 } };
	struct tc_err err = { 0 };
	const char *device = getenv("TC_DEVICE"), *zip = NULL;
	int c, r;

	tc_cli_hold_streams();
	tool.options.device = device && *device ? device : "adb:";
	while ((c = getopt_long(argc, argv, TC_CLI_OPTS "o:d:j:", longopts, NULL)) !=
		-1) {
		switch (c) {
		case 'o': tool.options.dir = optarg; break;
		case OPT_NAME: tool.options.template = optarg; break;
		case 'd': tool.options.device = optarg; break;
		case 'j': tool.options.jobs = number(&cli, optarg); break;
		case OPT_ZIP: zip = optarg; break;
		case OPT_LAST: filter.reads_nothing = true; break;
		case OPT_DELETE: tool.options.remove = true; break;
		case OPT_HASH: tool.options.hash = true; break;
		case OPT_FORCE: tool.options.force = true; break;
		case OPT_TAKE: tc_device_take(true); break;
		default: tc_cli_common(&cli, c, argv);
		}
	}
	check(&cli, &tool, filter.reads_nothing, argv + optind);
	tc_device_tell(&cli);
	if (zip)
		tool.zip = tc_pull_zip_new(zip);
	r = run_filter(&tool, &filter, &cli, argv + optind, &err);
	return tc_cli_finish(&cli, r, &err);
}
