/* Who tells a person to accept our key. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "device/priv.h"

enum { WAIT_MS = 120 * 1000, WAIT_MAX_MS = 60 * 60 * 1000 };

static struct {
	pthread_mutex_t lock;
	tc_device_asked_fn *asked;
	void *ctx;
	int wait_ms;
} teller = { .lock = PTHREAD_MUTEX_INITIALIZER };

void
tc_device_on_asked(tc_device_asked_fn *asked, void *ctx, int wait_ms)
{
	pthread_mutex_lock(&teller.lock);
	teller.asked = asked;
	teller.ctx = ctx;
	teller.wait_ms = wait_ms;
	pthread_mutex_unlock(&teller.lock);
}

static void
tell(void *ctx, const char *fingerprint, const char *file)
{
	const struct tc_device_asking *a = ctx;
	char text[512];

	snprintf(text, sizeof(text),
		"allow USB debugging on its screen, to the key %s%sof %s; waiting up to "
		"%d s",
		fingerprint, *fingerprint ? " " : "", file,
		(a->ask.wait_ms + 999) / 1000);
	pthread_mutex_lock(&teller.lock);
	if (teller.asked)
		teller.asked(teller.ctx, a->name, text);
	pthread_mutex_unlock(&teller.lock);
}

const struct tc_adb_ask *
tc_device_ask(struct tc_device_asking *a, const char *name)
{
	bool can_tell;

	a->name = name;
	a->ask.asked = tell;
	a->ask.ctx = a;
	pthread_mutex_lock(&teller.lock);
	a->ask.wait_ms = teller.wait_ms;
	can_tell = teller.asked != NULL;
	pthread_mutex_unlock(&teller.lock);
	return can_tell ? &a->ask : NULL;
}

static void
write_note(void *ctx, const char *device, const char *text)
{
	tc_cli_diag(ctx, TC_NOTE, "accept_key", device, "%s", text);
}

void
tc_device_tell(struct tc_cli *cli)
{
	const char *wait = getenv("TC_AUTH_WAIT");
	int ms = WAIT_MS;

	if (wait && *wait)
		ms = (int)tc_cli_amount(
			cli, "TC_AUTH_WAIT", wait, tc_cli_times, 0, WAIT_MAX_MS, "30s");
	tc_device_on_asked(ms ? write_note : NULL, cli, ms);
}
