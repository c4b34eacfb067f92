/* tc-session: find devices, and run what a capture consists of on them. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "device/device.h"
#include "err/err.h"
#include "filter/filter.h"
#include "probe/probe.h"
#include "rec/rec.h"
#include "session/session.h"

static const char usage[] =
	"usage: tc-session [-v] [-d DEVICE] [--dry-run] [--all] [--take]\n"
	"                  devices|probe|recover\n"
	"       tc-session [-k] [-v] [-d DEVICE] [--dry-run] [--take] [--discard]\n"
	"                  [--wait TIME] [--for TIME] run [FILE...]\n"
	"       tc-session [-k] [-v] [-d DEVICE] [--dry-run] [--take] [--discard]\n"
	"                  start|dump [FILE...]\n"
	"       tc-session [-k] [-v] [-d DEVICE] [--dry-run] [--take] [--wait TIME]\n"
	"                  stop [FILE...]\n"
	"devices: a device record for each device that there is, usable or not.\n"
	"probe: a device record of what the device can do.\n"
	"start: read target records, start them, write a session record for each.\n"
	"stop: read those, stop them, move their files, write a file record for each.\n"
	"run: both, with a wait between; SIGINT ends it. dump: read target records of\n"
	"dumps, make them. recover: end and save what a device still has of a run.\n\n"
	"  -d, --device DEVICE      adb:[SERIAL], tcp:HOST[:PORT], usb:[SERIAL] or\n"
	"                           winscope:http://HOST:PORT[/SERIAL], where records\n"
	"                           name none (default TC_DEVICE, or else adb:)\n"
	"      --take               a USB device from the adb server that has it\n"
	"      --all                probe every device that the name can mean\n"
	"      --for TIME           how long to run, in ms, or like 10s\n"
	"      --wait TIME          for a lost device to come back (default 60s)\n"
	"      --discard            drop a run that is on the device and was not pulled\n"
	"      --dry-run            write what would be run, and touch nothing\n"
	"  -v, --verbose            say each command and what came of "
	"it\n" TC_CLI_USAGE;

enum { OPT_DRY_RUN = 256, OPT_ALL, OPT_FOR, OPT_WAIT, OPT_DISCARD, OPT_TAKE };

static const struct option longopts[] = {
	{ "device", required_argument, NULL, 'd' },
	{ "all", no_argument, NULL, OPT_ALL },
	{ "for", required_argument, NULL, OPT_FOR },
	{ "wait", required_argument, NULL, OPT_WAIT },
	{ "discard", no_argument, NULL, OPT_DISCARD },
	{ "take", no_argument, NULL, OPT_TAKE },
	{ "dry-run", no_argument, NULL, OPT_DRY_RUN },
	{ "verbose", no_argument, NULL, 'v' },
	TC_CLI_LONGOPTS,
};

enum { MAX_MS = 7 * 24 * 60 * 60 * 1000 };

struct tool {
	struct tc_probe probe;
	struct tc_session session;
};

static int
on_target(void *ctx, struct tc_filter_run *run, const void *rec, struct tc_err *err)
{
	struct tool *tool = ctx;

	if (tc_session_add_target(&tool->session, rec, err) == 0)
		return 0;
	return tc_filter_refuse(run, err);
}

static int
on_session(void *ctx, struct tc_filter_run *run, const void *rec, struct tc_err *err)
{
	struct tool *tool = ctx;

	if (tc_session_add_session(&tool->session, rec, err) == 0)
		return 0;
	return tc_filter_refuse(run, err);
}

static int
on_device(void *ctx, struct tc_filter_run *run, const void *rec, struct tc_err *err)
{
	struct tool *tool = ctx;

	(void)run;
	(void)err;
	tc_session_add_device(&tool->session, rec);
	return 0;
}

/* The status of a mode becomes that of the run, which may be worse already. */
static int
ended(struct tc_filter_run *run, int r)
{
	if (r > 0 && !run->status)
		run->status = r;
	return r < 0 ? -1 : 0;
}

static int
devices(void *ctx, struct tc_filter_run *run, struct tc_err *err)
{
	struct tool *tool = ctx;

	return tc_probe_devices(&tool->probe, &run->out, err);
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

	return tc_probe_run(&((struct tool *)ctx)->probe, &run->out, &failed, err);
}

static int
start(void *ctx, struct tc_filter_run *run, struct tc_err *err)
{
	return ended(
		run, tc_session_start(&((struct tool *)ctx)->session, &run->out, err));
}

static int
run_targets(void *ctx, struct tc_filter_run *run, struct tc_err *err)
{
	return ended(run, tc_session_run(&((struct tool *)ctx)->session, &run->out, err));
}

static int
stop(void *ctx, struct tc_filter_run *run, struct tc_err *err)
{
	return ended(
		run, tc_session_stop(&((struct tool *)ctx)->session, &run->out, err));
}

static int
dump(void *ctx, struct tc_filter_run *run, struct tc_err *err)
{
	return ended(
		run, tc_session_dump(&((struct tool *)ctx)->session, &run->out, err));
}

static int
recover(void *ctx, struct tc_filter_run *run, struct tc_err *err)
{
	return ended(
		run, tc_session_recover(&((struct tool *)ctx)->session, &run->out, err));
}

static const struct tc_filter_on targets_on[] = {
	{ &tc_rec_device, on_device, false },
	{ &tc_rec_target, on_target, false },
	{ NULL, NULL, false },
};
static const struct tc_filter_on sessions_on[] = {
	{ &tc_rec_device, on_device, false },
	{ &tc_rec_session, on_session, false },
	{ NULL, NULL, false },
};

/* What is allowed with a mode besides -d, -v and --dry-run. */
enum {
	TAKES_FOR = 1,
	TAKES_WAIT = 2,
	TAKES_DISCARD = 4,
	TAKES_ALL = 8,
	TAKES_DEVICE = 16
};

static const struct mode {
	const char *name;
	struct tc_filter filter;
	unsigned takes;
	const char *targets;
} modes[] = {
	{ "devices", { .reads_nothing = true, .end = devices }, 0, NULL },
	{ "probe", { .reads_nothing = true, .end = probe }, TAKES_ALL | TAKES_DEVICE,
		NULL },
	{ "run", { .on = targets_on, .end = run_targets, .is_interruptible = true },
		TAKES_FOR | TAKES_WAIT | TAKES_DISCARD | TAKES_DEVICE, "trace" },
	{ "start", { .on = targets_on, .end = start, .is_interruptible = true },
		TAKES_DISCARD | TAKES_DEVICE, "trace" },
	{ "stop", { .on = sessions_on, .end = stop }, TAKES_WAIT | TAKES_DEVICE, NULL },
	{ "dump", { .on = targets_on, .end = dump, .is_interruptible = true },
		TAKES_DISCARD | TAKES_DEVICE, "dump" },
	{ "recover", { .reads_nothing = true, .end = recover }, TAKES_DEVICE, NULL },
};

/* The mode that the arguments name. */
static const struct mode *
mode_of(struct tc_cli *cli, char **args)
{
	size_t i;

	if (!args[0])
		tc_cli_usage(cli, "no mode (see %s -h)", cli->tool);
	for (i = 0; i < sizeof(modes) / sizeof(*modes); i++)
		if (strcmp(modes[i].name, args[0]) == 0) {
			if (args[1] && modes[i].filter.reads_nothing)
				tc_cli_usage(cli, "%s takes no '%s'", args[0], args[1]);
			return &modes[i];
		}
	tc_cli_usage(cli, "no mode '%s' (see %s -h)", args[0], cli->tool);
}

static void
check_options(struct tc_cli *cli, const struct mode *mode, unsigned given)
{
	static const char *const names[] = { "--for", "--wait", "--discard", "--all",
		"--take" };
	unsigned i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (given & ~mode->takes & (1u << i))
			tc_cli_usage(cli, "%s takes no %s", mode->name, names[i]);
}

static int
run(struct tc_cli *cli, const struct mode *mode, struct tool *tool, char **files,
	struct tc_err *err)
{
	int r;

	/* The device is let go of first; and then the reader's end is ours. */
	if (!mode->filter.reads_nothing || mode->filter.end == recover)
		signal(SIGPIPE, SIG_IGN);
	tool->session.takes = mode->targets;
	r = tc_filter_run(&mode->filter, tool, cli, files, err);
	if (tc_session_gave_up())
		tc_session_signals_raise();
	tc_session_release(&tool->session);
	return r;
}

int
main(int argc, char **argv)
{
	struct tc_cli cli = TC_CLI_INIT("tc-session", usage);
	const char *name = getenv("TC_DEVICE");
	struct tool tool = { .probe = { .cli = &cli },
		.session = { .cli = &cli, .wait_ms = 60 * 1000 } };
	const struct mode *mode;
	struct tc_err err = { 0 };
	unsigned given = 0;
	int c, r;

	tc_cli_hold_streams();
	while ((c = getopt_long(argc, argv, TC_CLI_OPTS "vd:", longopts, NULL)) != -1) {
		switch (c) {
		case 'd': name = optarg; break;
		case 'v': tool.probe.verbose = tool.session.verbose = true; break;
		case OPT_ALL:
			given |= TAKES_ALL;
			tool.probe.all = true;
			break;
		case OPT_FOR:
			given |= TAKES_FOR;
			tool.session.for_ms = tc_cli_amount(
				&cli, "--for", optarg, tc_cli_times, 1, MAX_MS, "10s");
			break;
		case OPT_WAIT:
			given |= TAKES_WAIT;
			tool.session.wait_ms = tc_cli_amount(
				&cli, "--wait", optarg, tc_cli_times, 0, MAX_MS, "60s");
			break;
		case OPT_DISCARD:
			given |= TAKES_DISCARD;
			tool.session.discard = true;
			break;
		case OPT_TAKE:
			given |= TAKES_DEVICE;
			tc_device_take(true);
			break;
		case OPT_DRY_RUN: tool.probe.dry_run = tool.session.dry_run = true; break;
		default: tc_cli_common(&cli, c, argv);
		}
	}
	tool.probe.name = tool.session.name = name && *name ? name : "adb:";
	mode = mode_of(&cli, argv + optind);
	check_options(&cli, mode, given);
	tc_device_tell(&cli);
	r = run(&cli, mode, &tool, argv + optind + 1, &err);
	return tc_cli_finish(&cli, r, &err);
}
