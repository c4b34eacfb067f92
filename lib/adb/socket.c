#include "adb/priv.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "err/err.h"

enum { CONNECT_MS = 5000 }; /* to each of a host's addresses */

static int
new_socket(int family, struct tc_err *err)
{
	int fd = socket(family, SOCK_STREAM, 0);
#ifdef SO_NOSIGPIPE
	int on = 1;
#endif

	if (fd < 0)
		return tc_err_sys(err, TC_SYSTEM, "socket");
	fcntl(fd, F_SETFD, FD_CLOEXEC);
	fcntl(fd, F_SETFL, O_NONBLOCK);
#ifdef SO_NOSIGPIPE
	setsockopt(fd, SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof(on));
#endif
	return fd;
}

/* Small messages must not wait for one another; a peer that is gone must show. */
static void
tune_tcp(int fd)
{
	int on = 1, second = 1, probes = 10;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
#ifdef TCP_KEEPIDLE
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &second, sizeof(second));
#endif
#ifdef TCP_KEEPINTVL
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &second, sizeof(second));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof(probes));
#endif
	(void)second;
	(void)probes;
}

/* Connects a new socket, which is closed when that fails. */
static int
connect_to(int family, const struct sockaddr *to, socklen_t len, const struct tc_wait *w,
	struct tc_err *err)
{
	struct pollfd pfd = { .events = POLLOUT };
	int sys = 0, fd = new_socket(family, err);
	socklen_t size = sizeof(sys);

	if (fd < 0)
		return -1;
	pfd.fd = fd;
	if (connect(fd, to, len) < 0) {
		if (errno != EINPROGRESS && errno != EINTR) {
			sys = errno;
		} else if (tc_wait_poll(&pfd, 1, w, err) < 0) {
			tc_err_add(err, "connect");
			goto fail;
		} else {
			getsockopt(fd, SOL_SOCKET, SO_ERROR, &sys, &size);
		}
	}
	if (!sys)
		return fd;
	errno = sys;
	tc_err_sys(err, TC_NOSERVICE, "connect");
fail:
	close(fd);
	return -1;
}

int
tc_adb_connect_tcp(
	const char *host, const char *port, const struct tc_wait *w, struct tc_err *err)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM }, *list, *a;
	struct tc_wait each;
	int fd = -1, r = getaddrinfo(host, port, &hints, &list);

	if (r)
		return tc_err_named(err, TC_NOSERVICE, "not_found", "%s: %s", host,
			r == EAI_SYSTEM ? strerror(errno) : gai_strerror(r));
	for (a = list; a && fd < 0; a = a->ai_next) {
		each = tc_wait_at_most(w, CONNECT_MS);
		fd = connect_to(a->ai_family, a->ai_addr, a->ai_addrlen, &each, err);
	}
	freeaddrinfo(list);
	if (fd >= 0)
		tune_tcp(fd);
	return fd;
}

static int
connect_local(
	const struct tc_adb_server *server, const struct tc_wait *w, struct tc_err *err)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	size_t len = strlen(server->path), at = server->is_abstract ? 1 : 0;

	if (len + at >= sizeof(un.sun_path))
		return tc_err_set(
			err, TC_USAGE, "%s: too long for a socket", server->path);
	memcpy(un.sun_path + at, server->path, len);
	len += offsetof(struct sockaddr_un, sun_path) + at;
	return connect_to(AF_UNIX, (struct sockaddr *)&un, (socklen_t)len, w, err);
}

int
tc_adb_connect_server(
	const struct tc_adb_server *server, const struct tc_wait *w, struct tc_err *err)
{
	int fd;

	if (server->is_local)
		fd = connect_local(server, w, err);
	else if (server->host[0])
		fd = tc_adb_connect_tcp(server->host, server->port, w, err);
	else {
		fd = tc_adb_connect_tcp("127.0.0.1", server->port, w, err);
		if (fd < 0 && err->code == TC_NOSERVICE)
			fd = tc_adb_connect_tcp("::1", server->port, w, err);
	}
	if (fd < 0 && err->code == TC_NOSERVICE)
		return tc_err_named(err, TC_NOSERVICE, "no_server",
			"no adb server at %s%s%s (adb start-server starts one)",
			server->is_local ? server->path : server->host,
			server->is_local          ? ""
				: server->host[0] ? ":"
						  : "port ",
			server->is_local ? "" : server->port);
	return fd;
}

ssize_t
tc_adb_recv(int fd, void *buf, size_t cap, const struct tc_wait *w, struct tc_err *err)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	ssize_t n;

	for (;;) {
		n = recv(fd, buf, cap, 0);
		if (n >= 0)
			return n;
		if (errno != EAGAIN && errno != EINTR)
			return tc_adb_broken(err, "receive");
		if (tc_wait_poll(&pfd, 1, w, err) < 0)
			return -1;
	}
}

ssize_t
tc_adb_send_some(int fd, const void *bytes, size_t len, struct tc_err *err)
{
	ssize_t n;

	do
		n = send(fd, bytes, len, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	if (n >= 0)
		return n;
	return errno == EAGAIN ? 0 : tc_adb_broken(err, "send");
}

int
tc_adb_send(int fd, const void *bytes, size_t len, const struct tc_wait *w,
	struct tc_err *err)
{
	struct pollfd pfd = { .fd = fd, .events = POLLOUT };
	const char *p = bytes;
	ssize_t n;

	while (len) {
		n = tc_adb_send_some(fd, p, len, err);
		if (n < 0)
			return -1;
		p += n;
		len -= (size_t)n;
		if (n == 0 && tc_wait_poll(&pfd, 1, w, err) < 0)
			return -1;
	}
	return 0;
}

int
tc_adb_gone(struct tc_err *err)
{
	return tc_err_named(err, TC_NOSERVICE, "gone", "the device was lost");
}

int
tc_adb_broken(struct tc_err *err, const char *doing)
{
	switch (errno) {
	case EPIPE:
	case ECONNRESET:
	case ECONNABORTED:
	case ETIMEDOUT:
	/* Without radio, say: what the keepalive probes come to. */
	case EHOSTUNREACH:
	case ENETUNREACH:
	case ENETDOWN:
	case ENETRESET: return tc_adb_gone(err);
	default: return tc_err_sys(err, TC_IO, "%s", doing);
	}
}
