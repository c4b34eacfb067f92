/* "adb:": devices of the adb server. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/priv.h"
#include "err/err.h"

/* The server and its devices. */
struct known {
	struct tc_adb_server server;
	struct tc_adb_info *list; /* in the arena */
	size_t count;
};

static int
look(struct known *k, const struct tc_wait *w, struct tc_arena *arena, struct tc_err *err)
{
	if (tc_adb_server_get(&k->server, err) < 0)
		return -1;
	return tc_adb_server_list(&k->server, w, arena, &k->list, &k->count, err);
}

static int
find(const char *rest, const struct tc_wait *w, struct tc_arena *arena,
	struct tc_device_info **list, size_t *count, struct tc_err *err)
{
	struct known k;
	struct tc_device_info *info;
	size_t i;
	char *name;

	if (look(&k, w, arena, err) < 0)
		return -1;
	*list = tc_arena_calloc(arena, (k.count + 1) * sizeof(**list));
	*count = 0;
	for (i = 0; i < k.count; i++) {
		if (*rest && strcmp(rest, k.list[i].serial) != 0)
			continue;
		name = tc_device_join("adb:", k.list[i].serial);
		info = &(*list)[(*count)++];
		info->name = tc_arena_dup(arena, name, strlen(name));
		info->state = k.list[i].state;
		info->serial = k.list[i].serial;
		info->model = k.list[i].model;
		info->product = k.list[i].product;
		info->is_usable = tc_adb_is_usable(k.list[i].state);
		free(name);
	}
	return 0;
}

/* "A (device, Pixel_8), B (offline)" of those that are usable, or of all. */
static void
write_candidates(const struct known *k, bool all, char *text, size_t size)
{
	size_t i, len = 0;
	const struct tc_adb_info *info;

	text[0] = '\0';
	for (i = 0; i < k->count && len < size; i++) {
		info = &k->list[i];
		if (!all && !tc_adb_is_usable(info->state))
			continue;
		len += (size_t)snprintf(text + len, size - len, "%s%s (%s%s%s)",
			len ? ", " : "", info->serial, info->state,
			info->model ? ", " : "", info->model ? info->model : "");
	}
}

static int
choose_serial(const struct known *k, const char *serial, const char **chosen,
	struct tc_err *err)
{
	char others[160];
	size_t i;

	for (i = 0; i < k->count; i++)
		if (strcmp(k->list[i].serial, serial) == 0) {
			if (!tc_adb_is_usable(k->list[i].state))
				return tc_device_not_usable(
					serial, k->list[i].state, err);
			*chosen = serial;
			return 0;
		}
	write_candidates(k, true, others, sizeof(others));
	return tc_err_named(err, TC_NOSERVICE, "not_found",
		"the adb server has no device %s; it has %s", serial,
		k->count ? others : "none");
}

/* The single one that is usable; a device that cannot be used is no candidate. */
static int
choose_only(const struct known *k, const char **chosen, struct tc_err *err)
{
	const struct tc_adb_info *info = NULL;
	char others[160];
	size_t i, usable = 0;

	for (i = 0; i < k->count; i++)
		if (tc_adb_is_usable(k->list[i].state)) {
			info = &k->list[i];
			usable++;
		}
	if (usable == 1) {
		*chosen = info->serial;
		return 0;
	}
	if (k->count == 1)
		return tc_device_not_usable(k->list[0].serial, k->list[0].state, err);
	write_candidates(k, usable == 0, others, sizeof(others));
	if (k->count)
		return tc_err_named(err, TC_NOSERVICE, usable ? "ambiguous" : "offline",
			"%s: %s",
			usable ? "several devices (-d or ANDROID_SERIAL chooses)"
			       : "no device is usable",
			others);
	return tc_err_named(
		err, TC_NOSERVICE, "not_found", "the adb server has no device");
}

static int
open_server(struct tc_device *d, const char *rest, const struct tc_wait *w,
	struct tc_err *err)
{
	const char *wanted = *rest ? rest : getenv("ANDROID_SERIAL");
	const char *serial = NULL;
	struct tc_arena arena = { 0 };
	struct tc_adb *adb;
	struct known k;
	int r = look(&k, w, &arena, err);

	if (r == 0)
		r = wanted && *wanted ? choose_serial(&k, wanted, &serial, err)
				      : choose_only(&k, &serial, err);
	if (r == 0)
		r = tc_adb_open_server(&adb, &k.server, serial, w, err);
	if (r == 0) {
		d->name = tc_device_join("adb:", serial);
		d->adb = adb;
		d->caps = tc_device_adb_caps(adb);
	}
	tc_arena_release(&arena);
	return r;
}

const struct tc_device_way tc_device_server = {
	.prefix = "adb:",
	.find = find,
	.open = open_server,
};
