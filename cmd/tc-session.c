/* tc-session: find devices, and what one can do. */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "err/err.h"
#include "filter/filter.h"
#include "probe/probe.h"

static const char usage[] =
	"usage: tc-session [-v] [-d DEVICE] [--dry-run] devices\n"
	"devices: a device record for each device that there is, usable or not.\n\n"
	"  -d, --device DEVICE      adb:[SERIAL] or tcp:HOST[:PORT] (default TC_DEVICE,\n"
	"                           or else adb:)\n"
	"      --dry-run            write what would be run, and touch nothing\n"
	"  -v, --verbose            say each command and what came of it\n"
	"  -h, --help               show this and exit\n"
	"  -V, --version            show the version and exit\n";

enum { OPT_DRY_RUN = 256 };

static const struct option longopts[] = {
	{ "device", required_argument, NULL, 'd' },
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

static const struct mode {
	const char *name;
	struct tc_filter filter;
} modes[] = {
	{ "devices", { .reads_nothing = true, .end = devices } },
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
	struct tc_probe probe = { .cli = &cli, .name = "adb:" };
	const struct mode *mode;
	struct tc_err err = { 0 };
	int c, r;

	if (device && *device)
		probe.name = device;
	while ((c = getopt_long(argc, argv, ":hVvd:", longopts, NULL)) != -1) {
		switch (c) {
		case 'd': probe.name = *optarg ? optarg : "adb:"; break;
		case 'v': probe.verbose = true; break;
		case OPT_DRY_RUN: probe.dry_run = true; break;
		default: tc_cli_common(&cli, c, argv);
		}
	}
	mode = mode_of(&cli, argv + optind);
	r = tc_filter_run(&mode->filter, &probe, &cli, argv + argc, &err);
	return tc_cli_finish(&cli, r, &err);
}
