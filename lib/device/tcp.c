/* "tcp:HOST[:PORT]": straight to adbd. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/priv.h"
#include "err/err.h"

struct place {
	char host[256], port[TC_ADB_PORT];
};

/* HOST, HOST:PORT, [V6] or [V6]:PORT; an address of version 6 alone is one, too. */
static int
parse(const char *rest, struct place *p, struct tc_err *err)
{
	const char *host = rest, *end = strchr(rest, ':'), *port;

	if (*rest == '[') {
		host = rest + 1;
		end = strchr(host, ']');
		port = end ? end + 1 : NULL;
	} else {
		if (end && strchr(end + 1, ':'))
			end = NULL;
		port = end;
	}
	if (!end && *rest != '[')
		end = rest + strlen(rest);
	if (!end || end == host || (size_t)(end - host) >= sizeof(p->host) ||
		(port && *port && *port != ':'))
		return tc_err_set(err, TC_USAGE, "tcp:%s: no HOST[:PORT]", rest);
	memcpy(p->host, host, (size_t)(end - host));
	p->host[end - host] = '\0';
	if (tc_adb_port(port && *port ? port + 1 : "5555", p->port) < 0)
		return tc_err_set(err, TC_USAGE, "tcp:%s: no port", rest);
	return 0;
}

/* tcp:HOST:PORT, with brackets where the host has colons; ended by free. */
static char *
name_of(const struct place *p)
{
	bool v6 = strchr(p->host, ':') != NULL;
	char name[sizeof(p->host) + sizeof(p->port) + 4];

	snprintf(name, sizeof(name), "%s%s%s:%s", v6 ? "[" : "", p->host, v6 ? "]" : "",
		p->port);
	return tc_device_join("tcp:", name);
}

static int
open_tcp(struct tc_device *d, const char *rest, const struct tc_wait *w,
	struct tc_err *err)
{
	struct tc_device_asking asking;
	struct place p;
	struct tc_adb *adb = NULL;
	char *name;

	if (parse(rest, &p, err) < 0)
		return -1;
	name = name_of(&p);
	tc_adb_open_tcp(&adb, p.host, p.port, tc_device_ask(&asking, name), w, err);
	return tc_device_use_adb(d, name, adb, err);
}

static const char *
copy(struct tc_arena *arena, const char *text)
{
	return *text ? tc_arena_dup(arena, text, strlen(text)) : NULL;
}

/* Asks it: one that does not answer, or not us, is there but cannot be used. */
static int
find(const char *rest, const struct tc_wait *w, struct tc_arena *arena,
	struct tc_device_info **list, size_t *count, struct tc_err *err)
{
	struct place p;
	struct tc_adb *adb = NULL;
	struct tc_device_info *info;
	char *name;
	int r;

	if (parse(rest, &p, err) < 0)
		return -1;
	name = name_of(&p);
	r = tc_adb_open_tcp(&adb, p.host, p.port, NULL, w, err);
	if (r < 0 && strcmp(tc_err_what(err), "offline") != 0 &&
		strcmp(tc_err_what(err), "unauthorized") != 0) {
		tc_device_not_opened(name + strlen("tcp:"), err);
		free(name);
		return -1;
	}
	info = tc_arena_calloc(arena, sizeof(*info));
	info->name = copy(arena, name);
	info->serial = info->name + strlen("tcp:");
	free(name);
	if (r < 0) {
		info->state = tc_err_what(err);
		*err = (struct tc_err){ 0 };
	} else {
		info->state = copy(arena, tc_adb_state(adb));
		info->model = copy(arena, tc_adb_model(adb));
		info->product = copy(arena, tc_adb_product(adb));
		info->is_usable = tc_adb_is_usable(tc_adb_state(adb));
	}
	tc_adb_close(adb);
	*list = info;
	*count = 1;
	return 0;
}

const struct tc_device_way tc_device_tcp = {
	.prefix = "tcp:",
	.find = find,
	.open = open_tcp,
};
