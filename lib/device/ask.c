/* Who tells a person to accept our key. */
#include <pthread.h>
#include <stdio.h>

#include "device/priv.h"

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
		fingerprint, *fingerprint ? " " : "", file, a->ask.wait_ms / 1000);
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
