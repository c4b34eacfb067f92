/* Which server, and which devices it has. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "adb/priv.h"
#include "err/err.h"

/* ---- where it is ---- */

int
tc_adb_port(const char *text, char port[TC_ADB_PORT])
{
	char *end;
	long n = strtol(text, &end, 10);

	if (text[0] < '0' || text[0] > '9' || *end || n < 1 || n > 65535)
		return -1;
	snprintf(port, TC_ADB_PORT, "%ld", n);
	return 0;
}

static int
set_port(struct tc_adb_server *server, const char *text, const char *from,
	struct tc_err *err)
{
	if (tc_adb_port(text, server->port) == 0)
		return 0;
	return tc_err_set(err, TC_USAGE, "%s: no port: %s", from, text);
}

static int
set_host(struct tc_adb_server *server, const char *p, size_t len, const char *from,
	struct tc_err *err)
{
	if (len >= 2 && p[0] == '[' && p[len - 1] == ']') {
		p++;
		len -= 2;
	}
	if (len >= sizeof(server->host))
		return tc_err_set(err, TC_USAGE, "%s: the host's name is too long", from);
	memcpy(server->host, p, len);
	server->host[len] = '\0';
	if (strcmp(server->host, "localhost") == 0)
		server->host[0] = '\0';
	return 0;
}

/* A path behind one of these words. */
static const char *
local_path(const char *spec, bool *is_abstract)
{
	static const char *const words[] = {
		"local:", "localfilesystem:", "localabstract:"
	};
	size_t i;

	for (i = 0; i < 3; i++)
		if (strncmp(spec, words[i], strlen(words[i])) == 0) {
			*is_abstract = i == 2;
			return spec + strlen(words[i]);
		}
	return NULL;
}

static int
set_socket(struct tc_adb_server *server, const char *spec, struct tc_err *err)
{
	static const char from[] = "ADB_SERVER_SOCKET";
	const char *port, *path = local_path(spec, &server->is_abstract);

	if (path) {
		server->is_local = true;
		if (strlen(path) >= sizeof(server->path))
			return tc_err_set(err, TC_USAGE, "%s: path is too long", from);
		memcpy(server->path, path, strlen(path) + 1);
		return 0;
	}
	if (strncmp(spec, "tcp:", 4) != 0)
		return tc_err_set(err, TC_USAGE, "%s: no socket: %s", from, spec);
	spec += 4;
	port = strrchr(spec, ':');
	if (port && set_host(server, spec, (size_t)(port - spec), from, err) < 0)
		return -1;
	return set_port(server, port ? port + 1 : spec, from, err);
}

int
tc_adb_server_get(struct tc_adb_server *server, struct tc_err *err)
{
	const char *spec = getenv("ADB_SERVER_SOCKET");
	const char *host = getenv("ANDROID_ADB_SERVER_ADDRESS");
	const char *port = getenv("ANDROID_ADB_SERVER_PORT");
	struct tc_adb_server s = { .port = "5037" };
	int r = 0;

	if (spec && *spec)
		r = set_socket(&s, spec, err);
	else {
		if (host)
			r = set_host(&s, host, strlen(host), "ANDROID_ADB_SERVER_ADDRESS",
				err);
		if (r == 0 && port && *port)
			r = set_port(&s, port, "ANDROID_ADB_SERVER_PORT", err);
	}
	if (r == 0)
		*server = s;
	return r;
}

/* ---- what it has ---- */

bool
tc_adb_is_usable(const char *state)
{
	return strcmp(state, "device") == 0 || strcmp(state, "recovery") == 0;
}

/* Takes a line off the text. */
static bool
next_line(struct tc_str *text, struct tc_str *line)
{
	const char *end;

	if (text->len == 0)
		return false;
	end = memchr(text->p, '\n', text->len);
	*line = (struct tc_str){ text->p, end ? (uint32_t)(end - text->p) : text->len,
		false };
	text->p += line->len + (end ? 1 : 0);
	text->len -= line->len + (end ? 1 : 0);
	return true;
}

/* Where the line about this device says key:value, the value. */
static const char *
detail(struct tc_str details, const char *serial, const char *key, struct tc_arena *arena)
{
	size_t len = strlen(serial), k = strlen(key);
	struct tc_str line, word;

	while (next_line(&details, &line)) {
		if (!tc_str_begins(line, tc_str_of(serial)) || line.len <= len ||
			line.p[len] != ' ')
			continue;
		/* From the right: in front are words of a state. */
		while (line.len > len) {
			word = line;
			while (line.len > len && line.p[line.len - 1] != ' ')
				line.len--;
			word.p += line.len;
			word.len -= line.len;
			while (line.len > len && line.p[line.len - 1] == ' ')
				line.len--;
			if (tc_str_begins(word, tc_str_of(key)))
				return tc_arena_dup(arena, word.p + k, word.len - k);
		}
	}
	return NULL;
}

void
tc_adb_server_parse(struct tc_str devices, struct tc_str details, struct tc_arena *arena,
	struct tc_adb_info **list, size_t *count)
{
	struct tc_str text = devices, line;
	struct tc_adb_info *info;
	size_t n = 0;
	const char *tab;

	while (next_line(&text, &line))
		n++;
	*list = tc_arena_calloc(arena, (n + 1) * sizeof(**list));
	*count = 0;
	while (next_line(&devices, &line)) {
		tab = memchr(line.p, '\t', line.len);
		if (!tab)
			continue;
		info = &(*list)[(*count)++];
		info->serial = tc_arena_dup(arena, line.p, (size_t)(tab - line.p));
		info->state = tc_arena_dup(
			arena, tab + 1, line.len - (size_t)(tab + 1 - line.p));
		info->product = detail(details, info->serial, "product:", arena);
		info->model = detail(details, info->serial, "model:", arena);
		info->device = detail(details, info->serial, "device:", arena);
	}
}

int
tc_adb_server_list(const struct tc_adb_server *server, const struct tc_wait *w,
	struct tc_arena *arena, struct tc_adb_info **list, size_t *count,
	struct tc_err *err)
{
	struct tc_str devices, details;

	if (tc_adb_query(server, "host:devices", w, arena, &devices, err) < 0 ||
		tc_adb_query(server, "host:devices-l", w, arena, &details, err) < 0)
		return -1;
	tc_adb_server_parse(devices, details, arena, list, count);
	return 0;
}

int
tc_adb_server_hold(const struct tc_adb_server *server, const char *serial, bool holds,
	const struct tc_wait *w, struct tc_err *err)
{
	struct tc_arena arena = { 0 };
	struct tc_str answer;
	char text[256];
	int r;

	if (snprintf(text, sizeof(text), "host-serial:%s:%s", serial,
		    holds ? "attach" : "detach") >= (int)sizeof(text))
		return tc_err_named(err, TC_USAGE, "too_long", "%s: too long", serial);
	r = tc_adb_query(server, text, w, &arena, &answer, err);
	tc_arena_release(&arena);
	return r;
}
