/* tc-session: find devices, and what one can do. */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "err/err.h"
#include "filter/filter.h"
#include "probe/probe.h"

static const char usage[] =
	"usage: tc-session [-v] [-d DEVICE] [--dry-run] [--all] devices|probe\n"
	"devices: a device record for each device that there is, usable or not.\n"
	"probe: a device record of what the device can do.\n\n"
	"  -d, --device DEVICE      adb:[SERIAL] or tcp:HOST[:PORT] (default TC_DEVICE,\n"
	"                           or else adb:)\n"
	"      --all                probe every device that the name can mean\n"
	"      --dry-run            write what would be run, and touch nothing\n"
	"  -v, --verbose            say each command and what came of it\n"
	"  -h, --help               show this and exit\n"
	"  -V, --version            show the version and exit\n";

enum { OPT_ALL = 256, OPT_DRY_RUN };

static const struct option longopts[] = {
	{ "device", required_argument, NULL, 'd' },
	{ "all", no_argument, NULL, OPT_ALL },
	{ "dry-run", no_argument, NULL, OPT_DRY_RUN },
	{ "verbose", no_argument, NULL, 'v' },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'V' },
	{ NULL, 0, NULL, 0 },
};

static int
devices(void *ctx, struct tc_filter_run *run, struct tc_err *err)
{
	return tc_probe_devices(ctx, &run->out, err);
}

/* One device of several has failed. */
static void
on_failed(void *ctx, const char *device, const struct tc_err *why)
{
	struct tc_filter_run *run = ctx;

	tc_cli_diag(run->cli, TC_ERROR, tc_err_what(why), device, "%s", why->msg);
	tc_filter_error(run, tc_err_what(why), why->msg, tc_filter_quote(run, device));
	run->status = TC_PARTIAL;
}

static int
probe(void *ctx, struct tc_filter_run *run, struct tc_err *err)
{
	const struct tc_probe_failed failed = { on_failed, run };

	return tc_probe_run(ctx, &run->out, &failed, err);
}

static const struct mode {
	const char *name;
	struct tc_filter filter;
} modes[] = {
	{ "devices", { .reads_nothing = true, .end = devices } },
	{ "probe", { .reads_nothing = true, .end = probe } },
};

/* The mode that the arguments name, alone. */
static const struct mode *
mode_of(struct tc_cli *cli, char **args)
{
	size_t i;

	if (!args[0])
		tc_cli_usage(cli, "no mode (see %s -h)", cli->tool);
	for (i = 0; i < sizeof(modes) / sizeof(*modes); i++)
		if (strcmp(modes[i].name, args[0]) == 0) {
			if (args[1])
				tc_cli_usage(cli, "%s takes no '%s'", args[0], args[1]);
			return &modes[i];
		}
	tc_cli_usage(cli, "no mode '%s' (see %s -h)", args[0], cli->tool);
}

int
main(int argc, char **argv)
{
	struct tc_cli cli = TC_CLI_INIT("tc-session", usage);
	const char *device = getenv("TC_DEVICE");
	struct tc_probe asks = { .cli = &cli, .name = "adb:" };
	const struct mode *mode;
	struct tc_err err = { 0 };
	int c, r;

	if (device && *device)
		asks.name = device;
	while ((c = getopt_long(argc, argv, ":hVvd:", longopts, NULL)) != -1) {
		switch (c) {
		case 'd': asks.name = *optarg ? optarg : "adb:"; break;
		case 'v': asks.verbose = true; break;
		case OPT_ALL: asks.all = true; break;
		case OPT_DRY_RUN: asks.dry_run = true; break;
		default: tc_cli_common(&cli, c, argv);
		}
	}
	mode = mode_of(&cli, argv + optind);
	if (asks.all && mode->filter.end != probe)
		tc_cli_usage(&cli, "--all goes with probe only");
	r = tc_filter_run(&mode->filter, &asks, &cli, argv + argc, &err);
	return tc_cli_finish(&cli, r, &err);
}
