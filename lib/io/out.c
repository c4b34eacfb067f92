#include "io/io.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "err/err.h"

enum { OUT_BYTES = 64 * 1024 };

void
tc_out_init(struct tc_out *o, int fd)
{
	*o = (struct tc_out){ .fd = fd, .cap = OUT_BYTES };
	o->buf = tc_mem_alloc(o->cap);
}

static void
write_all(struct tc_out *o, const char *p, size_t len)
{
	/* Whoever shares our output may have made it non-blocking. */
	struct pollfd pfd = { .fd = o->fd, .events = POLLOUT };
	ssize_t n;

	while (len && !o->sys) {
		n = write(o->fd, p, len);
		if (n < 0) {
			if (errno == EAGAIN)
				poll(&pfd, 1, -1);
			else if (errno != EINTR)
				o->sys = errno;
			continue;
		}
		p += n;
		len -= (size_t)n;
	}
}

void
tc_out_drain(struct tc_out *o)
{
	write_all(o, o->buf, o->len);
	o->len = 0;
}

void
tc_out_write(struct tc_out *o, const void *bytes, size_t len)
{
	if (len > o->cap - o->len)
		tc_out_drain(o);
	if (len > o->cap) {
		write_all(o, bytes, len);
		return;
	}
	if (len)
		memcpy(o->buf + o->len, bytes, len);
	o->len += len;
}

int
tc_out_check(const struct tc_out *o, struct tc_err *err)
{
	if (!o->sys)
		return 0;
	errno = o->sys;
	return tc_err_sys(err, o->sys == EPIPE ? TC_GONE : TC_IO, "write");
}

int
tc_out_flush(struct tc_out *o, struct tc_err *err)
{
	tc_out_drain(o);
	return tc_out_check(o, err);
}

void
tc_out_release(struct tc_out *o)
{
	free(o->buf);
	*o = (struct tc_out){ 0 };
}
