/* Which proxy, with which token, and what devices it has. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "err/err.h"
#include "winscope/priv.h"

#define SCHEME "http://"
#define PORT "5544"

enum { LIST_MAX = 1 << 20, LOOK_MS = 5 * 1000 };

/* ---- names ---- */

static bool
is_port(const char *text, size_t len)
{
	char digits[6];

	if (!len || len > 5 || strspn(text, "0123456789") < len)
		return false;
	memcpy(digits, text, len);
	digits[len] = '\0';
	return strtol(digits, NULL, 10) > 0 && strtol(digits, NULL, 10) < 65536;
}

/* HOST of letters, digits, dots, dashes; or an address of version 6 in brackets. */
static size_t
host_len(const char *text)
{
	static const char letters[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-_";
	size_t n;

	if (*text != '[')
		return strspn(text, letters);
	n = strspn(text + 1, "0123456789abcdefABCDEF:.");
	return n && text[n + 1] == ']' ? n + 2 : 0;
}

static int
parse(struct tc_winscope_proxy *p, const char *text, const char **serial,
	struct tc_err *err)
{
	const char *host = "localhost", *port = PORT, *end;
	size_t host_n, port_n = strlen(PORT);

	if (*text) /* behind another scheme, or none, is no host */
		host = strncmp(text, SCHEME, strlen(SCHEME)) == 0 ? text + strlen(SCHEME)
								  : "";
	host_n = host_len(host);
	end = host + host_n;
	if (*end == ':') {
		port = end + 1;
		port_n = strspn(port, "0123456789");
		end = port + port_n;
	}
	if (!host_n || host_n > 255 || !is_port(port, port_n) || (*end && *end != '/'))
		return tc_err_set(err, TC_USAGE,
			"winscope:%s: no http://HOST[:PORT][/SERIAL]", text);
	*serial = *end ? end + 1 : end;
	if (**serial && !tc_winscope_is_serial(*serial))
		return tc_err_set(err, TC_USAGE, "winscope:%s: no serial number", text);
	snprintf(p->url, sizeof(p->url), SCHEME "%.*s:%.*s", (int)host_n, host,
		(int)port_n, port);
	return 0;
}

/* ---- the token ---- */

/* A secret is not for messages, not even one that cannot be. */
static int
take_token(struct tc_winscope_proxy *p, const char *text, const char *from,
	struct tc_err *err)
{
	size_t len = strcspn(text, "\r\n"), i;

	if (!len || len > TC_WINSCOPE_TOKEN_MAX)
		return tc_err_set(err, TC_USAGE, "%s has no token of the proxy", from);
	for (i = 0; i < len; i++)
		if (text[i] <= ' ' || text[i] > '~')
			return tc_err_set(err, TC_USAGE,
				"%s: a token has no such characters", from);
	memcpy(p->token, text, len);
	p->token[len] = '\0';
	snprintf(p->from, sizeof(p->from), "%s", from);
	return 0;
}

/* 1, or 0 when there is no such file, or -1. */
static int
read_token(struct tc_winscope_proxy *p, const char *path, struct tc_err *err)
{
	char text[TC_WINSCOPE_TOKEN_MAX + 3];
	FILE *f = fopen(path, "re");
	size_t n;
	int r;

	if (!f && (errno == ENOENT || errno == ENOTDIR))
		return 0;
	if (!f)
		return tc_err_sys(err, TC_NOINPUT, "the proxy's token: %s", path);
	/* Nothing of it stays in a buffer. */
	setvbuf(f, NULL, _IONBF, 0);
	n = fread(text, 1, sizeof(text) - 1, f);
	text[n] = '\0';
	r = ferror(f) ? tc_err_sys(err, TC_NOINPUT, "the proxy's token: %s", path)
		      : take_token(p, text, path, err);
	fclose(f);
	return r < 0 ? -1 : 1;
}

/* The file is the token of a proxy on this machine, and of no other. */
static bool
is_here(const struct tc_winscope_proxy *p)
{
	static const char *const names[] = { "localhost:", "127.0.0.1:", "[::1]:" };
	const char *host = p->url + strlen(SCHEME);
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strncmp(host, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

static int
find_token(struct tc_winscope_proxy *p, struct tc_err *err)
{
	const char *token = getenv("TC_WINSCOPE_TOKEN"), *home = getenv("HOME");
	const char *file = getenv("TC_WINSCOPE_TOKEN_FILE");
	char *usual;
	int r = 0;

	if (token && *token)
		return take_token(p, token, "TC_WINSCOPE_TOKEN", err);
	if (file && *file) {
		r = read_token(p, file, err);
		if (r == 0)
			return tc_err_set(err, TC_NOINPUT,
				"TC_WINSCOPE_TOKEN_FILE: there is no %s", file);
	} else if (home && is_here(p)) {
		usual = tc_winscope_print("%s/.config/winscope/.token", home);
		r = read_token(p, usual, err);
		free(usual);
	}
	if (r == 0)
		return tc_err_named(err, TC_DENIED, "unauthorized",
			"%s is unauthorized: no token (TC_WINSCOPE_TOKEN or "
			"TC_WINSCOPE_TOKEN_FILE gives the one that the proxy shows)",
			p->url);
	return r < 0 ? -1 : 0;
}

int
tc_winscope_proxy_get(struct tc_winscope_proxy *p, const char *text, const char **serial,
	struct tc_err *err)
{
	*p = (struct tc_winscope_proxy){ 0 };
	return parse(p, text, serial, err) < 0 ? -1 : find_token(p, err);
}

/* ---- its devices ---- */

int
tc_winscope_list(const struct tc_winscope_proxy *p, const struct tc_wait *w,
	struct tc_arena *arena, struct tc_winscope_info **list, size_t *count,
	struct tc_err *err)
{
	struct tc_winscope_call c = { .proxy = p, .path = "/devices/" };
	struct tc_str answer;

	if (tc_winscope_ask(&c, LIST_MAX, arena, w, &answer, err) < 0)
		return -1;
	return tc_winscope_devices(answer, arena, list, count, err);
}

/* The words of adb's states, of what errors mean that are about one device. */
static const char *
state_of(const struct tc_err *err)
{
	static const struct {
		const char *what, *state;
	} known[] = {
		{ "offline", "offline" },
		{ "gone", "offline" },
		{ "not_found", "offline" },
		{ "unauthorized", "unauthorized" },
		{ "no_permission", "no permissions" },
		{ "busy", "connecting" },
	};
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (strcmp(tc_err_what(err), known[i].what) == 0)
			return known[i].state;
	return NULL;
}

int
tc_winscope_look(const struct tc_winscope_proxy *p, const char *serial,
	const struct tc_wait *w, const char **state, struct tc_err *err)
{
	struct tc_wait patience = tc_wait_at_most(w, LOOK_MS);
	struct tc_winscope *d = tc_winscope_new(p, serial);
	char *out = NULL;
	size_t len;
	int status, r;

	d->is_open = false;
	r = tc_winscope_run(d, ":", &patience, &out, &len, &status, err);
	free(out);
	if (r == 0)
		*state = "device";
	else if (d->is_refused && state_of(err)) {
		*state = state_of(err);
		*err = (struct tc_err){ 0 };
		r = 0;
	}
	tc_winscope_free(d);
	return r;
}
