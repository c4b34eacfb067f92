/* A socket as the wire of a link. */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "adb/priv.h"
#include "err/err.h"

/* ---- what wires with and without TLS have in common ---- */

void
tc_adb_socket_init(struct tc_adb_socket *s, const struct tc_adb_wire_ops *ops, int fd)
{
	s->base.ops = ops;
	s->fd = fd;
	s->in = tc_mem_alloc(TC_ADB_WINDOW_ROOM);
}

uint8_t *
tc_adb_socket_room(struct tc_adb_socket *s, size_t *room)
{
	if (s->pos) {
		memmove(s->in, s->in + s->pos, s->len - s->pos);
		s->len -= s->pos;
		s->pos = 0;
	}
	*room = TC_ADB_WINDOW_ROOM - s->len;
	/* No message waits in here with more than a head and a banner. */
	assert(*room);
	return s->in + s->len;
}

size_t
tc_adb_socket_peek(const struct tc_adb_wire *w, const uint8_t **bytes)
{
	const struct tc_adb_socket *s = (const struct tc_adb_socket *)w;

	*bytes = s->in + s->pos;
	return s->len - s->pos;
}

void
tc_adb_socket_eat(struct tc_adb_wire *w, size_t n)
{
	((struct tc_adb_socket *)w)->pos += n;
}

int
tc_adb_socket_fd(const struct tc_adb_wire *w)
{
	return ((const struct tc_adb_socket *)w)->fd;
}

/* ---- without ---- */

static int
fill(struct tc_adb_wire *w, struct tc_err *err)
{
	struct tc_adb_socket *s = (struct tc_adb_socket *)w;
	size_t room;
	uint8_t *p = tc_adb_socket_room(s, &room);
	ssize_t n;

	do
		n = recv(s->fd, p, room, 0);
	while (n < 0 && errno == EINTR);
	if (n > 0) {
		s->len += (size_t)n;
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
		n = sendmsg(((struct tc_adb_socket *)w)->fd, &m, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	if (n >= 0)
		return n;
	return errno == EAGAIN ? 0 : tc_adb_broken(err, "send");
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
	struct tc_adb_socket *s = (struct tc_adb_socket *)*w;
	struct tc_adb_wire *tls = tc_adb_wire_tls(s->fd, keys, wait, err);

	if (!tls)
		return -1;
	free(s->in);
	free(s);
	*w = tls;
	return 0;
}

static void
close_wire(struct tc_adb_wire *w)
{
	struct tc_adb_socket *s = (struct tc_adb_socket *)w;

	close(s->fd);
	free(s->in);
	free(s);
}

static const struct tc_adb_wire_ops ops = {
	.peek = tc_adb_socket_peek,
	.eat = tc_adb_socket_eat,
	.fill = fill,
	.send = send_some,
	.fd = tc_adb_socket_fd,
	.events = events,
	.secure = secure,
	.close = close_wire,
};

struct tc_adb_wire *
tc_adb_wire_tcp(int fd)
{
	struct tc_adb_socket *s = tc_mem_calloc(1, sizeof(*s));

	tc_adb_socket_init(s, &ops, fd);
	return &s->base;
}
