/* tc-parse: turn what is to be captured into what is to be run on each device. */
#include <stdlib.h>
#include <unistd.h>

#include "cli/cli.h"
#include "err/err.h"
#include "filter/filter.h"
#include "rec/rec.h"
#include "targets/targets.h"

static const char usage[] =
	"usage: tc-parse [-k] [-p PRESET] [-t TARGET[,key=value...]] [-a APP] [--dump]\n"
	"                [--assume all|none|SOURCE,...] [--buffer-size SIZE]\n"
	"                [--write-period TIME] [--duration TIME] [--data-rate SIZE]\n"
	"                [FILE...]\n"
	"Read device and request records, write for each device the targets that a\n"
	"capture consists of, and a notice for what does not come as it was asked "
	"for.\n\n"
	"  -p, --preset PRESET      winscope, jank, input or dump; may be repeated\n"
	"  -t, --target TARGET[,key=value...]\n"
	"                           a request; may be repeated\n"
	"  -a, --app APP            trace this app's own sections; may be repeated\n"
	"      --dump               a run of dumps, alone the preset of that name\n"
	"      --assume SOURCES     the data sources that devices have: all, none, or\n"
	"                           names with commas\n"
	"      --buffer-size SIZE   of Perfetto, in KB, or like 64M (default 500000)\n"
	"      --write-period TIME  into the file, in ms, or like 5s (default "
	"999999999);\n"
	"                           0: as the service likes\n"
	"      --duration TIME      in ms, or like 30s (default 0: until it is stopped)\n"
	"      --data-rate SIZE     a second, in KB: what the buffer is held against\n"
	"                           (default 900)\n" TC_CLI_USAGE
	"Targets, their keys and what is in each preset: tc-parse(1).\n";

enum { OPT_DUMP = 256, OPT_ASSUME, OPT_BUFFER, OPT_PERIOD, OPT_DURATION, OPT_RATE };

static const struct option longopts[] = {
	{ "preset", required_argument, NULL, 'p' },
	{ "target", required_argument, NULL, 't' },
	{ "app", required_argument, NULL, 'a' },
	{ "dump", no_argument, NULL, OPT_DUMP },
	{ "assume", required_argument, NULL, OPT_ASSUME },
	{ "buffer-size", required_argument, NULL, OPT_BUFFER },
	{ "write-period", required_argument, NULL, OPT_PERIOD },
	{ "duration", required_argument, NULL, OPT_DURATION },
	{ "data-rate", required_argument, NULL, OPT_RATE },
	TC_CLI_LONGOPTS,
};

static const struct tc_cli_unit sizes[] = { { "", 1 }, { "K", 1 }, { "M", 1024 },
	{ "G", 1024 * 1024 }, { NULL, 0 } };

/* A request record that is refused is malformed: with -k it is skipped. */
static int
on_request(void *ctx, struct tc_filter_run *run, const void *rec, struct tc_err *err)
{
	if (tc_targets_add_request(ctx, rec, err) == 0)
		return 0;
	return tc_filter_refuse(run, err);
}

static int
on_device(void *ctx, struct tc_filter_run *run, const void *rec, struct tc_err *err)
{
	if (tc_targets_add_device(ctx, rec, err) == 0)
		return 0;
	return tc_filter_refuse(run, err);
}

static int
at_end(void *ctx, struct tc_filter_run *run, struct tc_err *err)
{
	const struct tc_targets *t = ctx;
	bool idle;

	if (tc_targets_plan(ctx, &run->out, &idle, err))
		return -1;
	if (tc_cli_is_watched())
		tc_cli_diag(run->cli, TC_NOTE, "summary", NULL,
			"targets: %zu; warnings in notice records: %zu", t->targets_put,
			t->warnings_put);
	if (idle && !run->status)
		run->status = TC_PARTIAL;
	return 0;
}

static const struct tc_filter_on on[] = {
	{ &tc_rec_device, on_device, false },
	{ &tc_rec_request, on_request, true },
	{ NULL, NULL, false },
};

/* What -a, -p and -t were given, in their order. */
struct given {
	int option;
	const char *value;
};

/* Apps come before what may need one, and presets before a person's own requests. */
static void
add_given(struct tc_targets *t, struct tc_cli *cli, const struct given *given, size_t n)
{
	static const struct {
		int option;
		int (*add)(struct tc_targets *t, const char *value, struct tc_err *err);
	} passes[] = { { 'a', tc_targets_add_app }, { 'p', tc_targets_add_preset },
		{ 't', tc_targets_add_text } };
	struct tc_err err = { 0 };
	size_t pass, i;

	for (pass = 0; pass < sizeof(passes) / sizeof(passes[0]); pass++)
		for (i = 0; i < n; i++)
			if (given[i].option == passes[pass].option &&
				passes[pass].add(t, given[i].value, &err))
				tc_cli_usage(cli, "-%c: %s", given[i].option, err.msg);
}

int
main(int argc, char **argv)
{
	struct tc_cli cli = TC_CLI_INIT("tc-parse", usage);
	struct tc_filter filter = { .on = on, .end = at_end };
	struct tc_targets t = { .numbers = TC_TARGETS_NUMBERS_INIT };
	struct given *given = tc_mem_calloc((size_t)argc + 1, sizeof(*given));
	struct tc_err err = { 0 };
	size_t n = 0;
	int c, r;

	tc_cli_hold_streams();
	while ((c = getopt_long(argc, argv, TC_CLI_OPTS "p:t:a:", longopts, NULL)) !=
		-1) {
		switch (c) {
		case 'p':
		case 't':
		case 'a': given[n++] = (struct given){ c, optarg }; break;
		case OPT_DUMP: t.dump = true; break;
		case OPT_ASSUME:
			if (tc_targets_assume(&t, optarg, &err))
				tc_cli_usage(&cli, "--assume: %s", err.msg);
			break;
		case OPT_BUFFER:
			t.numbers.buffer_kb = tc_cli_amount(&cli, "--buffer-size", optarg,
				sizes, 1, UINT32_MAX, "64M");
			t.numbers.buffer_set = true;
			break;
		case OPT_PERIOD:
			t.numbers.write_period_ms = tc_cli_amount(&cli, "--write-period",
				optarg, tc_cli_times, 0, UINT32_MAX, "5s");
			t.numbers.write_period_set = true;
			break;
		case OPT_DURATION:
			t.numbers.duration_ms = tc_cli_amount(&cli, "--duration", optarg,
				tc_cli_times, 0, UINT32_MAX, "30s");
			t.numbers.duration_set = true;
			break;
		case OPT_RATE:
			t.numbers.rate_kb = tc_cli_amount(
				&cli, "--data-rate", optarg, sizes, 1, UINT32_MAX, "2M");
			break;
		default: tc_cli_common(&cli, c, argv);
		}
	}
	add_given(&t, &cli, given, n);
	free(given);
	/* What is assumed is enough: nobody types records at a terminal. */
	filter.reads_nothing = t.is_assumed && !argv[optind] && isatty(STDIN_FILENO) == 1;
	r = tc_filter_run(&filter, &t, &cli, argv + optind, &err);
	tc_targets_release(&t);
	return tc_cli_finish(&cli, r, &err);
}
