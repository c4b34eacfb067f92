/* "adb:": devices of the adb server. */
#include <stdlib.h>
#include <string.h>

#include "device/priv.h"
#include "err/err.h"

static const char whose[] = "the adb server";

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

static struct tc_device_info *
list_known(const struct known *k, struct tc_arena *arena)
{
	struct tc_device_info *list, *info;
	size_t i;
	char *name;

	list = tc_arena_calloc(arena, (k->count + 1) * sizeof(*list));
	for (i = 0; i < k->count; i++) {
		name = tc_device_join("adb:", k->list[i].serial);
		info = &list[i];
		info->name = tc_arena_dup(arena, name, strlen(name));
		info->state = k->list[i].state;
		info->serial = k->list[i].serial;
		info->model = k->list[i].model;
		info->product = k->list[i].product;
		info->is_usable = tc_adb_is_usable(k->list[i].state);
		free(name);
	}
	return list;
}

static int
find(const char *rest, const struct tc_wait *w, struct tc_arena *arena,
	struct tc_device_info **list, size_t *count, struct tc_err *err)
{
	struct known k;

	if (look(&k, w, arena, err) < 0)
		return -1;
	*list = list_known(&k, arena);
	*count = k.count;
	return tc_device_narrow(rest, whose, *list, count, err);
}

static int
open_server(struct tc_device *d, const char *rest, const struct tc_wait *w,
	struct tc_err *err)
{
	struct tc_device_choice choice = {
		.wanted = *rest ? rest : getenv("ANDROID_SERIAL"),
		.whose = whose,
		.how = "-d or ANDROID_SERIAL chooses",
	};
	const char *serial = NULL;
	struct tc_arena arena = { 0 };
	struct tc_adb *adb;
	struct known k;
	int r = look(&k, w, &arena, err);

	if (r == 0) {
		choice.list = list_known(&k, &arena);
		choice.count = k.count;
		r = tc_device_choose(&choice, &serial, err);
	}
	if (r == 0) {
		r = tc_adb_open_server(&adb, &k.server, serial, w, err);
		if (r < 0)
			tc_device_not_opened(serial, err);
	}
	if (r == 0) {
		d->name = tc_device_join("adb:", serial);
		tc_device_is_adb(d, adb);
	}
	tc_arena_release(&arena);
	return r;
}

const struct tc_device_way tc_device_server = {
	.prefix = "adb:",
	.find = find,
	.open = open_server,
};
