#include "device/device.h"

#include <stdlib.h>
#include <string.h>

#include "device/priv.h"
#include "err/err.h"

enum { BUSY_MS = 10 * 1000, BETWEEN_MS = 200, AGAIN_MS = 300 };

static const struct tc_device_way *const ways[] = { &tc_device_server, &tc_device_tcp,
	&tc_device_usb, &tc_device_winscope };

/* Names that mean something, to a build that has what it takes. */
static const char *const others[] = { "ios:" };

/* The way of a name, *rest what is behind its prefix; or NULL with *err. */
static const struct tc_device_way *
way_of(const char *name, const char **rest, struct tc_err *err)
{
	size_t i, len;

	for (i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		len = strlen(ways[i]->prefix);
		if (strncmp(name, ways[i]->prefix, len) == 0) {
			*rest = name + len;
			return ways[i];
		}
	}
	for (i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (strncmp(name, others[i], strlen(others[i])) == 0) {
			tc_err_named(err, TC_NOSERVICE, "unsupported",
				"%s devices are not built in yet", others[i]);
			return NULL;
		}
	tc_err_set(err, TC_USAGE,
		"%s: no name of a device (adb:[SERIAL], tcp:HOST[:PORT], usb:[SERIAL], "
		"winscope:http://HOST:PORT[/SERIAL])",
		name);
	return NULL;
}

int
tc_device_find(const char *name, const struct tc_wait *w, struct tc_arena *arena,
	struct tc_device_info **list, size_t *count, struct tc_err *err)
{
	struct tc_wait usual = tc_wait_for(TC_DEVICE_ANSWER_MS);
	const struct tc_device_way *way;
	const char *rest;

	way = way_of(*name ? name : "adb:", &rest, err);
	if (!way)
		return -1;
	return way->find(rest, w ? w : &usual, arena, list, count, err);
}

size_t
tc_device_queue(const char *name)
{
	struct tc_err err;
	const char *rest;
	const struct tc_device_way *way = way_of(*name ? name : "adb:", &rest, &err);

	return way && way->queue ? (size_t)(rest - name) + way->queue(rest) : 0;
}

static bool
is_busy(const struct tc_err *err)
{
	return err->name && strcmp(err->name, "busy") == 0;
}

/* While it is busy, again, as long as *w and ten seconds last. */
static int
open_patiently(struct tc_device *d, const char *rest, const struct tc_wait *w,
	struct tc_err *err)
{
	struct tc_wait patience = tc_wait_at_most(w, BUSY_MS);
	struct tc_err why, last;

	while (d->way->open(d, rest, w, &why) < 0) {
		last = why;
		if (is_busy(&why) && tc_wait_sleep(BETWEEN_MS, &patience, &why) == 0)
			continue;
		/* Out of patience: still busy is the better answer. */
		*err = why.name && strcmp(why.name, "interrupted") == 0 ? why : last;
		return -1;
	}
	return 0;
}

int
tc_device_open(struct tc_device **d, const char *name, const struct tc_wait *w,
	struct tc_err *err)
{
	struct tc_wait usual = tc_wait_for(TC_DEVICE_ANSWER_MS + BUSY_MS);
	const char *rest;
	const struct tc_device_way *way = way_of(name, &rest, err);
	struct tc_device *made;

	if (!way)
		return -1;
	made = tc_mem_calloc(1, sizeof(*made));
	made->way = way;
	if (open_patiently(made, rest, w ? w : &usual, err) < 0) {
		free(made);
		return -1;
	}
	*d = made;
	return 0;
}

int
tc_device_wait(const char *name, const struct tc_wait *w, struct tc_err *err)
{
	const char *rest;
	const struct tc_device_way *way = way_of(name, &rest, err);

	if (!way)
		return -1;
	return way->wait ? way->wait(rest, w, err) : tc_wait_sleep(AGAIN_MS, w, err);
}

void
tc_device_close(struct tc_device *d)
{
	if (!d)
		return;
	d->ops->close(d->handle);
	free(d->name);
	free(d);
}

const char *
tc_device_name(const struct tc_device *d)
{
	return d->name;
}

unsigned
tc_device_caps(const struct tc_device *d)
{
	return d->caps;
}

int
tc_device_not_usable(const char *name, const char *state, struct tc_err *err)
{
	if (strcmp(state, "unauthorized") == 0)
		return tc_err_named(err, TC_DENIED, "unauthorized",
			"%s is unauthorized: allow USB debugging on its screen", name);
	if (strncmp(state, "no permissions", 14) == 0)
		return tc_err_named(err, TC_DENIED, "no_permission",
			"%s may not be used: %s", name, state);
	if (strcmp(state, "authorizing") == 0 || strcmp(state, "connecting") == 0)
		return tc_err_named(
			err, TC_AGAIN, "busy", "%s is busy: it is still %s", name, state);
	return tc_err_named(err, TC_NOSERVICE, "offline", "%s is %s", name, state);
}

int
tc_device_not_opened(const char *name, struct tc_err *err)
{
	const char *what = tc_err_what(err);

	if (strcmp(what, "offline") == 0 || strcmp(what, "unauthorized") == 0 ||
		strcmp(what, "busy") == 0)
		return tc_err_add(err, "%s is %s", name, what);
	if (strcmp(what, "no_permission") == 0)
		return tc_err_add(err, "%s may not be used", name);
	if (strcmp(what, "not_found") == 0)
		return tc_err_add(err, "there is no device %s", name);
	return tc_err_add(err, "%s", name);
}

char *
tc_device_join(const char *prefix, const char *rest)
{
	size_t a = strlen(prefix), b = strlen(rest);
	char *p = tc_mem_alloc(a + b + 1);

	memcpy(p, prefix, a);
	memcpy(p + a, rest, b + 1);
	return p;
}

const char *
tc_device_quote(struct tc_arena *arena, const char *text)
{
	char *quoted = tc_arena_alloc(arena, strlen(text) * 4 + 3);

	tc_str_put_word(quoted, text);
	return quoted;
}
