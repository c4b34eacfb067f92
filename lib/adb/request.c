/* What a server is asked, and what its answers mean. */
#include "adb/priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "err/err.h"

static int
digit(uint8_t c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
		return (c | 0x20) - 'a' + 10;
	return -1;
}

int
tc_adb_hex4(const uint8_t *digits)
{
	int i, d, value = 0;

	for (i = 0; i < 4; i++) {
		d = digit(digits[i]);
		if (d < 0)
			return -1;
		value = value << 4 | d;
	}
	return value;
}

/* The server's words and ours; the first that begins so counts. */
static const struct meaning {
	const char *text;
	enum tc_code code;
	const char *name;
} meanings[] = {
	{ "no devices", TC_NOSERVICE, "not_found" },
	{ "no emulators", TC_NOSERVICE, "not_found" },
	{ "no device with transport id", TC_NOSERVICE, "not_found" },
	{ "device '", TC_NOSERVICE, "not_found" }, /* ... not found */
	{ "more than one", TC_NOSERVICE, "ambiguous" },
	{ "device unauthorized", TC_DENIED, "unauthorized" },
	{ "device still", TC_AGAIN, "busy" }, /* authorizing, connecting */
	{ "device offline", TC_NOSERVICE, "offline" },
	{ "insufficient permissions", TC_DENIED, "no_permission" },
	{ "no permissions", TC_DENIED, "no_permission" },
	{ "closed", TC_NOSERVICE, "refused" },
	{ "unknown host service", TC_NOSERVICE, "unsupported" },
};

int
tc_adb_failed(const char *text, struct tc_err *err)
{
	size_t i;

	for (i = 0; i < sizeof(meanings) / sizeof(*meanings); i++)
		if (strncmp(text, meanings[i].text, strlen(meanings[i].text)) == 0)
			return tc_err_named(err, meanings[i].code, meanings[i].name, "%s",
				strcmp(text, "closed") == 0
					? "the device refused the service, or was lost"
					: text);
	return tc_err_named(err, TC_NOSERVICE, "failed", "%s", text);
}

/* 1; 0 when it ends before the first byte; or -1. */
static int
read_all(int fd, void *buf, size_t len, const struct tc_wait *w, struct tc_err *err)
{
	size_t have = 0;
	ssize_t n;

	while (have < len) {
		n = tc_adb_recv(fd, (char *)buf + have, len - have, w, err);
		if (n < 0)
			return -1;
		if (n == 0 && have == 0)
			return 0;
		if (n == 0)
			return tc_err_named(err, TC_PROTOCOL, "protocol",
				"what the adb server sent is no answer: it is cut");
		have += (size_t)n;
	}
	return 1;
}

static int
lost_server(struct tc_err *err)
{
	return tc_err_named(
		err, TC_NOSERVICE, "gone", "the adb server closed the connection");
}

/* Four digits and that much text, which is NUL-terminated in the arena. */
static int
read_text(int fd, const struct tc_wait *w, struct tc_arena *arena, struct tc_str *text,
	struct tc_err *err)
{
	uint8_t digits[4];
	int len, r = read_all(fd, digits, 4, w, err);
	char *p;

	if (r <= 0)
		return r < 0 ? -1 : lost_server(err);
	len = tc_adb_hex4(digits);
	if (len < 0)
		return tc_err_named(err, TC_PROTOCOL, "protocol",
			"what the adb server sent is no answer: it has no length");
	p = tc_arena_alloc(arena, (size_t)len + 1);
	r = len ? read_all(fd, p, (size_t)len, w, err) : 1;
	if (r <= 0)
		return r < 0 ? -1 : lost_server(err);
	p[len] = '\0';
	*text = (struct tc_str){ p, (uint32_t)len, false };
	return 0;
}

static int
read_failure(int fd, const struct tc_wait *w, struct tc_err *err)
{
	struct tc_arena arena = { 0 };
	struct tc_str text;
	int r = read_text(fd, w, &arena, &text, err);

	if (r == 0)
		tc_adb_failed(text.p, err);
	tc_arena_release(&arena);
	return -1;
}

/* In one write: a second one would wait for an acknowledgement of the first. */
static int
send_request(int fd, const char *text, const struct tc_wait *w, struct tc_err *err)
{
	size_t len = strlen(text);
	char *buf;
	int r;

	if (len > TC_ADB_REQUEST_MAX)
		return tc_err_named(err, TC_USAGE, "too_long",
			"a request of %zu bytes is too long for the adb server", len);
	buf = tc_mem_alloc(len + 5);
	snprintf(buf, len + 5, "%04zx%s", len, text);
	r = tc_adb_send(fd, buf, len + 4, w, err);
	free(buf);
	return r;
}

int
tc_adb_request(int fd, const char *text, const struct tc_wait *w, struct tc_err *err)
{
	uint8_t status[4];
	int r;

	if (send_request(fd, text, w, err) < 0)
		return -1;
	r = read_all(fd, status, 4, w, err);
	if (r <= 0)
		return r < 0 ? -1 : lost_server(err);
	if (memcmp(status, "FAIL", 4) == 0)
		return read_failure(fd, w, err);
	if (memcmp(status, "OKAY", 4) != 0)
		return tc_err_named(err, TC_PROTOCOL, "protocol",
			"what the adb server sent is no answer: neither OKAY nor FAIL");
	return 0;
}

int
tc_adb_query(const struct tc_adb_server *server, const char *text,
	const struct tc_wait *w, struct tc_arena *arena, struct tc_str *answer,
	struct tc_err *err)
{
	int r, fd = tc_adb_connect_server(server, w, err);

	if (fd < 0)
		return -1;
	r = tc_adb_request(fd, text, w, err);
	if (r == 0)
		r = read_text(fd, w, arena, answer, err);
	close(fd);
	return r;
}
