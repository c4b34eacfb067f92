/* Through an adb server: every stream is a connection to it. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "adb/priv.h"
#include "err/err.h"

enum { ROOM = 1 << 20 };

struct through {
	struct tc_adb base;
	struct tc_adb_server server;
	char *serial; /* owned */
};

struct stream {
	struct tc_adb_stream base;
	int fd;
	bool ended;
	struct tc_adb_buf in;
};

static struct stream *
of(struct tc_adb_stream *s)
{
	return (struct stream *)s;
}

/* "a" "b" "c" in one; ended by free. */
static char *
join(const char *a, const char *b, const char *c)
{
	size_t la = strlen(a), lb = strlen(b), lc = strlen(c);
	char *p = tc_mem_alloc(la + lb + lc + 1);

	memcpy(p, a, la);
	memcpy(p + la, b, lb);
	memcpy(p + la + lb, c, lc + 1);
	return p;
}

static int
open_stream(struct tc_adb *a, const char *service, const struct tc_wait *w,
	struct tc_adb_stream **s, struct tc_err *err)
{
	struct through *t = (struct through *)a;
	char *transport = join("host:transport:", t->serial, "");
	int fd = tc_adb_connect_server(&t->server, w, err);
	struct stream *made;

	if (fd < 0 || tc_adb_request(fd, transport, w, err) < 0 ||
		tc_adb_request(fd, service, w, err) < 0) {
		if (fd >= 0)
			close(fd);
		free(transport);
		return -1;
	}
	free(transport);
	made = tc_mem_calloc(1, sizeof(*made));
	made->base.a = a;
	made->fd = fd;
	*s = &made->base;
	return 0;
}

/* Takes what is there, as far as there is room: 1; 0 at the end, or none; or -1. */
static int
take(struct stream *s, const struct tc_wait *w, struct tc_err *err)
{
	ssize_t n;

	tc_mem_grow(&s->in.p, &s->in.cap, ROOM, 1);
	if (s->ended || s->in.len == ROOM)
		return 0;
	n = tc_adb_recv(s->fd, s->in.p + s->in.len, ROOM - s->in.len, w, err);
	if (n < 0)
		return -1;
	s->ended = n == 0;
	s->in.len += (size_t)n;
	return n > 0;
}

static int64_t
peek(struct tc_adb_stream *stream, const struct tc_wait *w, const uint8_t **bytes,
	struct tc_err *err)
{
	struct stream *s = of(stream);

	if (s->in.pos == s->in.len && take(s, w, err) < 0)
		return -1;
	*bytes = s->in.p + s->in.pos;
	return (int64_t)(s->in.len - s->in.pos);
}

static void
eat(struct tc_adb_stream *s, size_t n)
{
	tc_adb_buf_eat(&of(s)->in, n);
}

/*
 * Whether the device ended the stream or was lost, a server does not tell; what came
 * before can still be read, and says.
 */
static int
send_failed(struct tc_err *err)
{
	if (strcmp(tc_err_what(err), "gone") != 0)
		return -1;
	return tc_err_named(
		err, TC_NOSERVICE, "closed", "the stream ended, or the device was lost");
}

/* While the device does not take more, takes what it says: it may wait for that. */
static int
write_stream(struct tc_adb_stream *stream, const uint8_t *bytes, size_t len,
	const struct tc_wait *w, struct tc_err *err)
{
	struct stream *s = of(stream);
	struct tc_wait now = tc_wait_for(-1);
	struct pollfd pfd = { .fd = s->fd };
	struct tc_err why;
	ssize_t n;

	while (len) {
		n = tc_adb_send_some(s->fd, bytes, len, err);
		if (n < 0)
			return send_failed(err);
		bytes += n;
		len -= (size_t)n;
		if (n > 0)
			continue;
		pfd.events =
			(short)(POLLOUT | (s->ended || s->in.len == ROOM ? 0 : POLLIN));
		if (tc_wait_poll(&pfd, 1, w, err) < 0)
			return -1;
		if (pfd.revents & POLLIN && take(s, &now, &why) < 0 &&
			why.code != TC_AGAIN) {
			*err = why;
			return send_failed(err);
		}
	}
	return 0;
}

static int
stream_fd(const struct tc_adb_stream *s)
{
	return ((const struct stream *)s)->fd;
}

static void
close_stream(struct tc_adb_stream *stream)
{
	struct stream *s = of(stream);

	close(s->fd);
	free(s->in.p);
	free(s);
}

static void
release(struct tc_adb *a)
{
	free(((struct through *)a)->serial);
	free(a);
}

static const struct tc_adb_ops ops = {
	.open = open_stream,
	.peek = peek,
	.eat = eat,
	.write = write_stream,
	.fd = stream_fd,
	.close = close_stream,
	.release = release,
};

int
tc_adb_open_server(struct tc_adb **a, const struct tc_adb_server *server,
	const char *serial, const struct tc_wait *w, struct tc_err *err)
{
	struct tc_arena arena = { 0 };
	struct tc_str features = TC_STR_INIT("");
	char *text = join("host-serial:", serial, ":features");
	struct through *t;
	int r = tc_adb_query(server, text, w, &arena, &features, err);

	/* Servers of before 2016 do not know: neither did their devices have any. */
	if (r < 0 && strcmp(tc_err_what(err), "unsupported") == 0) {
		*err = (struct tc_err){ 0 };
		r = 0;
	}
	if (r == 0) {
		t = tc_mem_calloc(1, sizeof(*t));
		t->base.ops = &ops;
		t->base.features = join(features.p, "", "");
		t->server = *server;
		t->serial = join(serial, "", "");
		*a = &t->base;
	}
	free(text);
	tc_arena_release(&arena);
	return r;
}
