/* A device, whichever way it is reached. */
#include <stdlib.h>
#include <string.h>

#include "adb/priv.h"
#include "err/err.h"

int
tc_adb_open_server(struct tc_adb **a, const struct tc_adb_server *server,
	const char *serial, const struct tc_wait *w, struct tc_err *err)
{
	struct tc_arena arena = { 0 };
	struct tc_str features;
	size_t len = strlen(serial);
	char *text = tc_mem_alloc(len + 32);
	int r;

	memcpy(text, "host-serial:", 12);
	memcpy(text + 12, serial, len);
	memcpy(text + 12 + len, ":features", 10);
	r = tc_adb_query(server, text, w, &arena, &features, err);
	if (r == 0) {
		*a = tc_mem_calloc(1, sizeof(**a));
		(*a)->server = *server;
		(*a)->serial = memcpy(tc_mem_alloc(len + 1), serial, len + 1);
		(*a)->features = memcpy(
			tc_mem_alloc(features.len + 1u), features.p, features.len + 1u);
	}
	free(text);
	tc_arena_release(&arena);
	return r;
}

void
tc_adb_close(struct tc_adb *a)
{
	if (!a)
		return;
	free(a->features);
	free(a->serial);
	free(a);
}

bool
tc_adb_has(const struct tc_adb *a, const char *feature)
{
	size_t len = strlen(feature);
	const char *p = a->features;

	while (p && *p) {
		if (strncmp(p, feature, len) == 0 && (p[len] == ',' || !p[len]))
			return true;
		p = strchr(p, ',');
		p = p ? p + 1 : NULL;
	}
	return false;
}
