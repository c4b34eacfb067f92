/* Requests about files, and the copying. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "adb/priv.h"
#include "err/err.h"

enum { HEAD = 8, PIECES = 64, BATCH = 15 /* pieces of 64 KiB in a message of 1 MiB */ };

/* Of names, and what is said of each: as much as a command may print. */
enum { LIST_MAX = 16 << 20 };

bool
tc_adb_has_wide_sizes(const struct tc_adb *a)
{
	return tc_adb_has(a, "stat_v2");
}

/* ---- sessions: one is kept, since most requests come one after another ---- */

/* Whether there is an answer to what was not asked yet, or the end: no good news. */
static bool
has_spoken(struct tc_adb_stream *s)
{
	struct tc_wait now = tc_wait_for(-1);
	struct tc_err err;
	const uint8_t *bytes;

	return tc_adb_stream_peek(s, &now, &bytes, &err) >= 0 || err.code != TC_AGAIN;
}

/* One that ended meanwhile, as a server that is started anew ends it, is replaced. */
static int
open_session(struct tc_adb *a, const struct tc_wait *w, struct tc_adb_stream **s,
	struct tc_err *err)
{
	*s = a->sync;
	a->sync = NULL;
	if (*s && !has_spoken(*s))
		return 0;
	tc_adb_stream_close(*s);
	return tc_adb_stream_open(a, "sync:", w, s, err);
}

/* After a failure a session is over. */
static void
end_session(struct tc_adb *a, struct tc_adb_stream *s, int r)
{
	if (r >= 0 && !a->sync)
		a->sync = s;
	else
		tc_adb_stream_close(s);
}

/* Four letters, a length and that many bytes, at p; returns their end. */
static uint8_t *
put_request(uint8_t *p, const char *id, const char *text, size_t len)
{
	memcpy(p, id, 4);
	tc_adb_put32(p + 4, (uint32_t)len);
	memcpy(p + HEAD, text, len);
	return p + HEAD + len;
}

static int
check_path(const char *path, struct tc_err *err)
{
	if (strlen(path) <= TC_ADB_SYNC_PATH_MAX)
		return 0;
	return tc_err_named(err, TC_USAGE, "too_long",
		"%.40s...: a path has at most %d bytes", path, TC_ADB_SYNC_PATH_MAX);
}

static int
cut_off(struct tc_err *err)
{
	return tc_err_named(
		err, TC_NOSERVICE, "gone", "the device was lost, or ended the transfer");
}

static int
ask(struct tc_adb_stream *s, const char *id, const char *path, const struct tc_wait *w,
	struct tc_err *err)
{
	uint8_t request[HEAD + TC_ADB_SYNC_PATH_MAX], *end;

	end = put_request(request, id, path, strlen(path));
	if (tc_adb_stream_write(s, request, (size_t)(end - request), w, err) == 0)
		return 0;
	return strcmp(tc_err_what(err), "closed") == 0 ? cut_off(err) : -1;
}

/* ---- failures ---- */

static int
failed(const char *path, const char *text, struct tc_err *err)
{
	static const struct {
		const char *part;
		enum tc_code code;
		const char *name;
	} known[] = {
		{ "No such file", TC_NOINPUT, "not_found" },
		{ "Permission denied", TC_DENIED, "no_permission" },
		{ "Operation not permitted", TC_DENIED, "no_permission" },
		{ "No space left", TC_IO, "no_space" },
		{ "", TC_IO, "failed" },
	};
	size_t i = 0;

	while (!strstr(text, known[i].part))
		i++;
	return tc_err_named(
		err, known[i].code, known[i].name, "%s: the device says: %s", path, text);
}

/* The device's numbers are Linux's. */
static int
failed_errno(const char *path, uint32_t number, struct tc_err *err)
{
	if (number == 1 || number == 13)
		return tc_err_named(err, TC_DENIED, "no_permission",
			"%s: the device says: permission denied", path);
	return tc_err_named(
		err, TC_IO, "failed", "%s: the device has error %u", path, number);
}

/* ---- one answer after another ---- */

struct answers {
	struct tc_adb_stream *s;
	struct tc_adb_sync sync;
};

/* The next item, which is not MORE: 0, or -1. */
static int
next_answer(struct answers *a, const struct tc_wait *w, struct tc_adb_sync_item *item,
	struct tc_err *err)
{
	const uint8_t *bytes;
	int64_t n;

	do {
		n = tc_adb_stream_peek(a->s, w, &bytes, err);
		if (n < 0)
			return -1;
		if (n == 0)
			return cut_off(err);
		n = tc_adb_sync_next(&a->sync, bytes, (size_t)n, item, err);
		if (n < 0)
			return -1;
		tc_adb_stream_eat(a->s, (size_t)n);
	} while (item->kind == TC_ADB_SYNC_MORE);
	return 0;
}

static int
stat_in(struct tc_adb_stream *s, bool wide, const char *path, const struct tc_wait *w,
	struct tc_adb_stat *st, struct tc_err *err)
{
	struct answers answers = { .s = s };
	struct tc_adb_sync_item item;

	tc_adb_sync_expect(&answers.sync, wide ? TC_ADB_SYNC_STAT2 : TC_ADB_SYNC_STAT);
	if (ask(s, wide ? "STA2" : "STAT", path, w, err) < 0 ||
		next_answer(&answers, w, &item, err) < 0)
		return -1;
	if (item.kind == TC_ADB_SYNC_FAIL)
		return failed(path, item.text, err);
	if (item.error == 2 || item.error == 20) /* ENOENT, ENOTDIR */
		return 0;
	if (item.error)
		return failed_errno(path, item.error, err);
	if (!item.st.mode && !item.st.size && !item.st.mtime)
		return 0;
	*st = item.st;
	return 1;
}

int
tc_adb_stat(struct tc_adb *a, const char *path, const struct tc_wait *w,
	struct tc_adb_stat *st, struct tc_err *err)
{
	struct tc_adb_stream *s;
	int r;

	if (check_path(path, err) < 0 || open_session(a, w, &s, err) < 0)
		return -1;
	r = stat_in(s, tc_adb_has_wide_sizes(a), path, w, st, err);
	end_session(a, s, r);
	return r;
}

static int
list_in(struct tc_adb_stream *s, bool wide, const char *path, const struct tc_wait *w,
	tc_adb_entry_fn *entry, void *ctx, struct tc_err *err)
{
	struct answers answers = { .s = s };
	struct tc_adb_sync_item item;
	size_t bytes = 0;

	tc_adb_sync_expect(&answers.sync, wide ? TC_ADB_SYNC_LIST2 : TC_ADB_SYNC_LIST);
	if (ask(s, wide ? "LIS2" : "LIST", path, w, err) < 0)
		return -1;
	for (;;) {
		if (next_answer(&answers, w, &item, err) < 0 || tc_wait_check(w, err) < 0)
			return -1;
		if (item.kind == TC_ADB_SYNC_FAIL)
			return failed(path, item.text, err);
		if (item.kind == TC_ADB_SYNC_DONE)
			return 0;
		bytes += sizeof(item.st) + strlen(item.text);
		if (bytes > LIST_MAX)
			return tc_err_named(err, TC_DATA, "too_long",
				"%s: the device lists more than %d bytes", path,
				LIST_MAX);
		entry(ctx, item.text, &item.st);
	}
}

int
tc_adb_list(struct tc_adb *a, const char *path, const struct tc_wait *w,
	tc_adb_entry_fn *entry, void *ctx, struct tc_err *err)
{
	struct tc_adb_stream *s;
	int r;

	if (check_path(path, err) < 0 || open_session(a, w, &s, err) < 0)
		return -1;
	r = list_in(s, tc_adb_has(a, "ls_v2"), path, w, entry, ctx, err);
	end_session(a, s, r);
	return r;
}

/* ---- pull: received bytes are written from where they are ---- */

static int
write_pieces(
	int fd, struct iovec *iov, int count, const struct tc_wait *w, struct tc_err *err)
{
	struct pollfd pfd = { .fd = fd, .events = POLLOUT };
	ssize_t n;

	while (count) {
		n = writev(fd, iov, count);
		if (n < 0 && errno == EAGAIN) {
			if (tc_wait_poll(&pfd, 1, w, err) < 0)
				return -1;
		} else if (n < 0 && errno != EINTR)
			return tc_err_sys(err, errno == EPIPE ? TC_GONE : TC_IO, "write");
		for (; n > 0 && count && (size_t)n >= iov->iov_len; iov++, count--)
			n -= (ssize_t)iov->iov_len;
		if (n > 0) {
			iov->iov_base = (char *)iov->iov_base + n;
			iov->iov_len -= (size_t)n;
		}
	}
	return 0;
}

struct pull {
	struct tc_adb_stream *s;
	struct tc_adb_sync sync;
	struct tc_adb_sync_item item;
	int fd;
	int64_t bytes;
};

/* What lies there now, or up to the end of the file. */
static int
pull_some(struct pull *p, const uint8_t *bytes, size_t len, size_t *used,
	const struct tc_wait *w, struct tc_err *err)
{
	struct iovec iov[PIECES];
	int64_t n;
	int count = 0;

	*used = 0;
	do {
		n = tc_adb_sync_next(&p->sync, bytes + *used, len - *used, &p->item, err);
		if (n < 0)
			return -1;
		*used += (size_t)n;
		if (p->item.kind != TC_ADB_SYNC_DATA)
			continue;
		iov[count].iov_base = (void *)(uintptr_t)p->item.bytes;
		iov[count++].iov_len = p->item.len;
		p->bytes += (int64_t)p->item.len;
	} while (*used < len && count < PIECES && p->item.kind <= TC_ADB_SYNC_DATA);
	return write_pieces(p->fd, iov, count, w, err);
}

static int
pull_in(struct pull *p, const char *path, tc_adb_moved_fn *moved, void *ctx,
	const struct tc_wait *w, struct tc_err *err)
{
	const uint8_t *bytes;
	int64_t n;
	size_t used;

	tc_adb_sync_expect(&p->sync, TC_ADB_SYNC_RECV);
	if (ask(p->s, "RECV", path, w, err) < 0)
		return -1;
	do {
		n = tc_adb_stream_peek(p->s, w, &bytes, err);
		if (n < 0 || tc_wait_check(w, err) < 0)
			return -1;
		if (n == 0)
			return cut_off(err);
		if (pull_some(p, bytes, (size_t)n, &used, w, err) < 0)
			return -1;
		tc_adb_stream_eat(p->s, used);
		if (moved)
			moved(ctx, p->bytes);
	} while (p->item.kind <= TC_ADB_SYNC_DATA);
	return p->item.kind == TC_ADB_SYNC_DONE ? 0 : failed(path, p->item.text, err);
}

int
tc_adb_pull(struct tc_adb *a, const char *path, int fd, tc_adb_moved_fn *moved, void *ctx,
	const struct tc_wait *w, int64_t *bytes, struct tc_err *err)
{
	struct pull p = { .fd = fd };
	int r;

	if (check_path(path, err) < 0 || open_session(a, w, &p.s, err) < 0)
		return -1;
	r = pull_in(&p, path, moved, ctx, w, err);
	end_session(a, p.s, r);
	if (r == 0)
		*bytes = p.bytes;
	else if (p.bytes)
		tc_err_add(err, "%s: after %lld bytes", path, (long long)p.bytes);
	return r;
}

/* ---- push: bytes are read to where they are sent from ---- */

struct push {
	struct tc_adb_stream *s;
	int fd;
	bool ended;
	uint8_t *buf; /* owned */
	size_t len;   /* what of it waits */
	int64_t bytes;
};

/* One piece of the file behind what waits already; its head in front. */
static int
read_piece(struct push *p, const struct tc_wait *w, struct tc_err *err)
{
	struct pollfd pfd = { .fd = p->fd, .events = POLLIN };
	uint8_t *at = p->buf + p->len;
	ssize_t n;

	while ((n = read(p->fd, at + HEAD, TC_ADB_SYNC_DATA_MAX)) < 0) {
		if (errno == EAGAIN) {
			if (tc_wait_poll(&pfd, 1, w, err) < 0)
				return -1;
		} else if (errno != EINTR)
			return tc_err_sys(err, TC_IO, "read");
	}
	p->ended = n == 0;
	if (n == 0)
		return 0;
	memcpy(at, "DATA", 4);
	tc_adb_put32(at + 4, (uint32_t)n);
	p->len += HEAD + (size_t)n;
	p->bytes += n;
	return 0;
}

/* All pieces and the end. Stops at a failure, about which the answer says more. */
static int
send_file(struct push *p, int64_t mtime, tc_adb_moved_fn *moved, void *ctx,
	const struct tc_wait *w, struct tc_err *err)
{
	size_t i;

	while (!p->ended) {
		if (tc_wait_check(w, err) < 0)
			return -1;
		for (i = 0; i < BATCH && !p->ended; i++)
			if (read_piece(p, w, err) < 0)
				return -1;
		if (p->ended) {
			memcpy(p->buf + p->len, "DONE", 4);
			tc_adb_put32(p->buf + p->len + 4, (uint32_t)mtime);
			p->len += HEAD;
		}
		if (tc_adb_stream_write(p->s, p->buf, p->len, w, err) < 0) {
			if (strcmp(tc_err_what(err), "closed") != 0)
				return -1;
			/* What it says then tells why. */
			*err = (struct tc_err){ 0 };
			return 0;
		}
		p->len = 0;
		if (moved)
			moved(ctx, p->bytes);
		if (!p->ended && has_spoken(p->s))
			return 0;
	}
	return 0;
}

static int
push_in(struct push *p, const char *path, const char *request, int64_t mtime,
	tc_adb_moved_fn *moved, void *ctx, const struct tc_wait *w, struct tc_err *err)
{
	struct answers answers = { .s = p->s };
	struct tc_adb_sync_item item;

	p->len = (size_t)(put_request(p->buf, "SEND", request, strlen(request)) - p->buf);
	if (send_file(p, mtime, moved, ctx, w, err) < 0)
		return -1;
	tc_adb_sync_expect(&answers.sync, TC_ADB_SYNC_SEND);
	if (next_answer(&answers, w, &item, err) < 0)
		return -1;
	if (item.kind == TC_ADB_SYNC_FAIL)
		return failed(path, item.text, err);
	if (!p->ended)
		return tc_err_named(err, TC_PROTOCOL, "protocol",
			"%s: the device accepted it before its end", path);
	return 0;
}

int
tc_adb_push(struct tc_adb *a, int fd, const char *path, uint32_t mode, int64_t mtime,
	tc_adb_moved_fn *moved, void *ctx, const struct tc_wait *w, int64_t *bytes,
	struct tc_err *err)
{
	char request[TC_ADB_SYNC_PATH_MAX + 16];
	struct push p = { .fd = fd };
	int r;

	if (check_path(path, err) < 0)
		return -1;
	snprintf(request, sizeof(request), "%s,%u", path,
		(unsigned)(S_IFREG | (mode & 07777)));
	if (strlen(request) > TC_ADB_SYNC_PATH_MAX)
		return tc_err_named(
			err, TC_USAGE, "too_long", "%.40s...: too long", path);
	if (open_session(a, w, &p.s, err) < 0)
		return -1;
	p.buf = tc_mem_alloc(
		sizeof(request) + (BATCH + 1) * (HEAD + TC_ADB_SYNC_DATA_MAX));
	r = push_in(&p, path, request, mtime, moved, ctx, w, err);
	end_session(a, p.s, r);
	free(p.buf);
	if (r == 0)
		*bytes = p.bytes;
	return r;
}
