#ifndef TC_PROBE_PROBE_H
#define TC_PROBE_PROBE_H
/*
 * probe: which devices there are, and what one of them can do.
 *
 * What was learnt becomes `device` records. A fact that cannot be learnt is left
 * out of its record, and a `notice` record says why: nothing is guessed. The
 * device is closed before its records are written, so that whoever reads them can
 * have it.
 *
 * With `dry_run` nothing is touched: `command` records say what would be run.
 * With `verbose` each command and what came of it is a diagnostic.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tc_cli;
struct tc_err;
struct tc_out;

struct tc_probe {
	struct tc_cli *cli; /* of whoever asks: its tool's name, its diagnostics */
	const char *name;   /* as of the -d option; "adb:" where there was none */
	bool dry_run, verbose;
	bool all; /* tc_probe_run: every device that the name can mean */
};

/* The devices that the name can mean, usable or not. 0, or -1. */
int tc_probe_devices(const struct tc_probe *p, struct tc_out *out, struct tc_err *err);

/* Called when one device of several failed, and the others go on. */
struct tc_probe_failed {
	void (*fn)(void *ctx, const char *device, const struct tc_err *why);
	void *ctx;
};

/*
 * What the device can do; or with `all` every one, where one that fails is told to
 * *failed, behind what the list says of it if that is that it cannot be used. 0, or
 * -1.
 */
int tc_probe_run(const struct tc_probe *p, struct tc_out *out,
	const struct tc_probe_failed *failed, struct tc_err *err);

#endif
