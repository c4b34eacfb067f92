/* tc-trim: cut a smaller Perfetto trace out of a larger one. */
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "err/err.h"
#include "io/io.h"
#include "trim/trim.h"

static const char usage[] =
	"usage: tc-trim [--from TIME] [--to TIME] [--process GLOB] [--layer GLOB]\n"
	"               [-o FILE] [TRACE] > SMALLER\n"
	"Write a smaller trace that holds what was chosen; - is standard input.\n\n"
	"      --from TIME       from this time on: trace time in ns, +2s from the\n"
	"                        start, or the begin of a slice of this name\n"
	"      --to TIME         up to this time, or the end of such a slice\n"
	"      --process GLOB    only these processes; also pid=N\n"
	"      --layer GLOB      only these layers\n"
	"  -o, --output FILE     write to this file, once it is complete\n"
	"  -h, --help            show this and exit\n"
	"  -V, --version         show the version and exit\n";

static const struct option longopts[] = {
	{ "from", required_argument, NULL, TC_CHOOSE_OPT_FROM },
	{ "to", required_argument, NULL, TC_CHOOSE_OPT_TO },
	{ "process", required_argument, NULL, TC_CHOOSE_OPT_PROCESS },
	{ "layer", required_argument, NULL, TC_CHOOSE_OPT_LAYER },
	{ "output", required_argument, NULL, 'o' },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'V' },
	{ NULL, 0, NULL, 0 },
};

/* Whether c was an option that chooses. */
static bool
choose(struct tc_choose *chosen, struct tc_cli *cli, int c)
{
	struct tc_err err = { 0 };
	int r = tc_choose_option(chosen, c, optarg, &err);

	if (r < 0)
		tc_cli_usage(cli, "%s", err.msg);
	return r > 0;
}

/* Where the trace goes, and what a signal has to clean up. */
static struct tc_out_file file;

static void
on_signal(int sig)
{
	tc_out_discard(&file);
	signal(sig, SIG_DFL);
	raise(sig);
}

static void
clean_up_on_signals(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	size_t i;

	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		if (signal(signals[i], on_signal) == SIG_IGN)
			signal(signals[i], SIG_IGN);
}

/* The shell has emptied it by now, and what is written would be read again. */
static bool
is_same_file(int a, int b)
{
	struct stat x, y;

	return fstat(a, &x) == 0 && fstat(b, &y) == 0 && S_ISREG(x.st_mode) &&
		x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static int
open_output(struct tc_cli *cli, const struct tc_in *in, const char *path,
	struct tc_out *out, struct tc_err *err)
{
	if (path) {
		clean_up_on_signals();
		return tc_out_create_at(out, &file, path, err);
	}
	if (isatty(STDOUT_FILENO))
		tc_cli_usage(cli, "a trace is not for a terminal; use -o or >");
	if (is_same_file(in->fd, STDOUT_FILENO))
		tc_cli_usage(cli, "%s: is the output too; use -o", in->name);
	tc_out_init(out, STDOUT_FILENO);
	return 0;
}

/*
 * What comes before damage is a trace too, and worth having. A file that was there
 * before gives way to nothing else.
 */
static int
close_output(struct tc_out *out, const struct tc_trim_report *report, int r,
	struct tc_err *err)
{
	struct tc_err write_err;
	bool is_some = r == 0 || (err->code == TC_DATA && report->kept);
	int w = 0;

	if (!file.path)
		w = tc_out_flush(out, &write_err);
	else if (is_some)
		w = tc_out_commit(out, &file, &write_err);
	else
		tc_out_discard(&file);
	tc_out_release(out);
	if (w)
		*err = write_err;
	return w ? -1 : r;
}

static void
say(struct tc_cli *cli, const char *at, const struct tc_trim_report *report)
{
	if (report->unmapped)
		tc_cli_diag(cli, TC_WARNING, "unmapped", at,
			"%lld packets kept on clocks that cannot be mapped to trace time",
			(long long)report->unmapped);
	if (report->has_more)
		tc_cli_diag(cli, TC_WARNING, "more_traces", at,
			"the archive holds more traces; this is the first one");
	if (!report->events)
		tc_cli_diag(cli, TC_NOTE, "nothing_chosen", at,
			"nothing of what was chosen is in the trace");
	else if (tc_cli_is_watched())
		tc_cli_diag(cli, TC_NOTE, "summary", at,
			"%lld of %lld packets, %llu bytes", (long long)report->kept,
			(long long)report->packets, (unsigned long long)report->bytes);
}

static int
trim(struct tc_cli *cli, const struct tc_choose *chosen, const char *name,
	const char *path, struct tc_err *err)
{
	struct tc_trim_report report = { 0 };
	struct tc_out out;
	struct tc_in in;
	int r;

	if (tc_in_open(&in, name, err))
		return -1;
	r = open_output(cli, &in, path, &out, err);
	if (r == 0) {
		r = tc_trim_file(chosen, &in, &out, &report, err);
		r = close_output(&out, &report, r, err);
		if (r == 0)
			say(cli, name, &report);
	}
	tc_in_close(&in);
	return r;
}

int
main(int argc, char **argv)
{
	struct tc_cli cli = TC_CLI_INIT("tc-trim", usage);
	struct tc_choose chosen = { 0 };
	struct tc_err err = { 0 };
	const char *path = NULL;
	int c;

	cli.writes_data = true;
	tc_cli_hold_streams();
	while ((c = getopt_long(argc, argv, ":hVo:", longopts, NULL)) != -1) {
		if (c == 'o')
			path = optarg;
		else if (!choose(&chosen, &cli, c))
			tc_cli_common(&cli, c, argv);
	}
	if (tc_trim_check(&chosen, &err))
		tc_cli_usage(&cli, "%s", err.msg);
	if (argc - optind > 1)
		tc_cli_usage(&cli, "more than one trace");
	return tc_cli_finish(&cli,
		trim(&cli, &chosen, optind < argc ? argv[optind] : "-", path, &err),
		&err);
}
