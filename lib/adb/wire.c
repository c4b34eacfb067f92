/* A socket as the wire of a link. */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "adb/priv.h"
#include "err/err.h"

struct tcp {
	struct tc_adb_wire base;
	int fd;
	struct tc_adb_window in;
};

void
tc_adb_window_init(struct tc_adb_window *in)
{
	*in = (struct tc_adb_window){ tc_mem_alloc(TC_ADB_WINDOW_ROOM), 0, 0 };
}

uint8_t *
tc_adb_window_room(struct tc_adb_window *in, size_t *room)
{
	if (in->pos) {
		memmove(in->p, in->p + in->pos, in->len - in->pos);
		in->len -= in->pos;
		in->pos = 0;
	}
	*room = TC_ADB_WINDOW_ROOM - in->len;
	/* No message waits in here with more than a head and a banner. */
	assert(*room);
	return in->p + in->len;
}

static size_t
peek(const struct tc_adb_wire *w, const uint8_t **bytes)
{
	const struct tcp *t = (const struct tcp *)w;

	*bytes = t->in.p + t->in.pos;
	return t->in.len - t->in.pos;
}

static void
eat(struct tc_adb_wire *w, size_t n)
{
	((struct tcp *)w)->in.pos += n;
}

static int
fill(struct tc_adb_wire *w, struct tc_err *err)
{
	struct tcp *t = (struct tcp *)w;
	size_t room;
	uint8_t *p = tc_adb_window_room(&t->in, &room);
	ssize_t n;

	do
		n = recv(t->fd, p, room, 0);
	while (n < 0 && errno == EINTR);
	if (n > 0) {
		t->in.len += (size_t)n;
		return 1;
	}
	if (n < 0 && errno == EAGAIN)
		return 0;
	return n == 0 ? tc_adb_gone(err) : tc_adb_broken(err, "receive");
}

static ssize_t
send_some(struct tc_adb_wire *w, struct iovec *iov, int count, struct tc_err *err)
{
	struct msghdr m = { .msg_iov = iov };
	ssize_t n;

	m.msg_iovlen = (size_t)count;
	do
		n = sendmsg(((struct tcp *)w)->fd, &m, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	if (n >= 0)
		return n;
	return errno == EAGAIN ? 0 : tc_adb_broken(err, "send");
}

static int
descriptor(const struct tc_adb_wire *w)
{
	return ((const struct tcp *)w)->fd;
}

static short
events(const struct tc_adb_wire *w, bool to_read, bool to_send)
{
	(void)w;
	return (short)((to_read ? POLLIN : 0) | (to_send ? POLLOUT : 0));
}

static int
secure(struct tc_adb_wire **w, const struct tc_adb_keys *keys, const struct tc_wait *wait,
	struct tc_err *err)
{
	struct tcp *t = (struct tcp *)*w;
	struct tc_adb_wire *tls = tc_adb_wire_tls(t->fd, keys, wait, err);

	if (!tls)
		return -1;
	free(t->in.p);
	free(t);
	*w = tls;
	return 0;
}

static void
close_wire(struct tc_adb_wire *w)
{
	struct tcp *t = (struct tcp *)w;

	close(t->fd);
	free(t->in.p);
	free(t);
}

static const struct tc_adb_wire_ops ops = {
	.peek = peek,
	.eat = eat,
	.fill = fill,
	.send = send_some,
	.fd = descriptor,
	.events = events,
	.secure = secure,
	.close = close_wire,
};

struct tc_adb_wire *
tc_adb_wire_tcp(int fd)
{
	struct tcp *t = tc_mem_calloc(1, sizeof(*t));

	t->base.ops = &ops;
	t->fd = fd;
	tc_adb_window_init(&t->in);
	return &t->base;
}
