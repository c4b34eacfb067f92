#include "io/io.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "err/err.h"

/* Large enough to make a system call cheap, small enough to stay in cache. */
enum { IN_BYTES = 256 * 1024 };

/* Whether anything can be read there at all; errno says why not. */
static bool
is_readable(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags >= 0 && (flags & O_ACCMODE) == O_WRONLY) {
		errno = EBADF;
		return false;
	}
	return flags >= 0;
}

int
tc_in_open(struct tc_in *in, const char *name, struct tc_err *err)
{
	struct stat st;

	*in = (struct tc_in){ .fd = STDIN_FILENO, .name = name };
	if (strcmp(name, "-") != 0)
		in->fd = open(name, O_RDONLY | O_CLOEXEC);
	if (in->fd < 0 || !is_readable(in->fd) || fstat(in->fd, &st) != 0)
		return tc_err_sys(err, TC_NOINPUT, "%s", name);
	if (S_ISDIR(st.st_mode)) {
		tc_in_close(in);
		return tc_err_set(err, TC_NOINPUT,
			"%s: is a directory: name files of it, as %s/*", name, name);
	}
	in->may_block = !S_ISREG(st.st_mode);
	in->is_pipe = S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode);
	in->size = S_ISREG(st.st_mode) ? (int64_t)st.st_size : -1;
	in->start = S_ISREG(st.st_mode) ? lseek(in->fd, 0, SEEK_CUR) : -1;
	in->cap = IN_BYTES;
	in->buf = tc_mem_alloc(in->cap);
	return 0;
}

void
tc_in_bytes(struct tc_in *in, const void *bytes, size_t len)
{
	if (!bytes)
		bytes = "";
	/* Never written through: only buffers with a capacity are. */
	*in = (struct tc_in){ .fd = -1, .name = "bytes", .len = len, .eof = true };
	memcpy(&in->buf, &bytes, sizeof(in->buf));
}

void
tc_in_open_source(
	struct tc_in *in, const char *name, const struct tc_in_source *source, void *ctx)
{
	*in = (struct tc_in){
		.fd = -1, .name = name, .size = -1, .source = source, .ctx = ctx
	};
	in->cap = IN_BYTES;
	in->buf = tc_mem_alloc(in->cap);
}

void
tc_in_ends(struct tc_in *in, enum tc_in_ending ending, const char *fmt, ...)
{
	va_list ap;

	in->ending = ending;
	va_start(ap, fmt);
	vsnprintf(in->why, sizeof(in->why), fmt, ap);
	va_end(ap);
}

static int
flush_before_read(const struct tc_in *in, struct tc_err *err)
{
	struct pollfd pfd = { .fd = in->fd, .events = POLLIN };

	if (!in->tie || (!in->tie->len && !in->tie->sys))
		return 0;
	if (in->may_block && poll(&pfd, 1, 0) == 0)
		return tc_out_flush(in->tie, err);
	return tc_out_check(in->tie, err);
}

static int64_t
read_descriptor(struct tc_in *in, void *buf, size_t cap, struct tc_err *err)
{
	struct pollfd pfd = { .fd = in->fd, .events = POLLIN };
	ssize_t n;

	if (flush_before_read(in, err))
		return -1;
	for (;;) {
		n = read(in->fd, buf, cap);
		if (n >= 0 || (errno != EINTR && errno != EAGAIN))
			break;
		if (errno == EAGAIN)
			poll(&pfd, 1, -1);
	}
	return n < 0 ? tc_err_sys(err, TC_IO, "read %s", in->name) : n;
}

static int
read_more(struct tc_in *in, struct tc_err *err)
{
	char *buf = in->buf + in->len;
	size_t cap = in->cap - in->len;
	int64_t n;

	n = in->source ? in->source->read(in, buf, cap, err)
		       : read_descriptor(in, buf, cap, err);
	if (n < 0)
		return -1;
	in->len += (size_t)n;
	in->eof = n == 0;
	return 0;
}

/* Moves the window to the buffer's start, and enlarges it at need. */
static void
make_room(struct tc_in *in, size_t n)
{
	size_t avail = tc_in_avail(in);

	if (in->cap - in->pos >= n && in->len < in->cap)
		return;
	if (in->pos) {
		memmove(in->buf, in->buf + in->pos, avail);
		in->pos = 0;
		in->len = avail;
	}
	if (n > in->cap)
		tc_mem_grow(&in->buf, &in->cap, n, 1);
}

/*
 * The buffer grows with what is really there: a length that a damaged file
 * only claims costs nothing.
 */
int
tc_in_want(struct tc_in *in, size_t n, struct tc_err *err)
{
	size_t step;

	while (tc_in_avail(in) < n && !in->eof) {
		step = tc_in_avail(in) + IN_BYTES;
		make_room(in, n < step ? n : step);
		if (read_more(in, err))
			return -1;
	}
	return tc_in_avail(in) >= n;
}

int64_t
tc_in_skip(struct tc_in *in, uint64_t n, struct tc_err *err)
{
	uint64_t left = n;
	size_t k;

	while (left) {
		k = tc_in_avail(in) < left ? tc_in_avail(in) : (size_t)left;
		tc_in_eat(in, k);
		left -= k;
		if (!left || (!tc_in_avail(in) && in->eof))
			break;
		if (tc_in_want(in, 1, err) < 0)
			return -1;
	}
	return (int64_t)(n - left);
}

bool
tc_in_can_rewind(const struct tc_in *in)
{
	if (in->source)
		return in->source->can_rewind(in);
	return in->fd < 0 || in->start >= 0;
}

int
tc_in_rewind(struct tc_in *in, struct tc_err *err)
{
	bool is_bytes = in->fd < 0 && !in->source;

	if (in->source && in->source->rewind(in, err))
		return -1;
	if (in->fd >= 0 && lseek(in->fd, in->start, SEEK_SET) < 0)
		return tc_err_sys(err, TC_IO, "read %s again", in->name);
	in->pos = 0;
	if (!is_bytes)
		in->len = 0;
	in->offset = in->line = 0;
	in->eof = is_bytes;
	in->skipping = false;
	in->ending = TC_IN_WHOLE;
	in->why[0] = '\0';
	return 0;
}

uint64_t
tc_in_spent(const struct tc_in *in)
{
	if (in->source)
		return in->source->spent(in);
	return in->offset;
}

void
tc_in_close(struct tc_in *in)
{
	if (in->fd > STDIN_FILENO)
		close(in->fd);
	if (in->cap)
		free(in->buf);
	*in = (struct tc_in){ .fd = -1 };
}

/* Eats what is left of a line that was too long. */
static int
skip_line(struct tc_in *in, struct tc_err *err)
{
	const char *nl;

	while (in->skipping) {
		nl = memchr(tc_in_at(in), '\n', tc_in_avail(in));
		in->skipping = !nl;
		tc_in_eat(in,
			nl ? (size_t)(nl + 1 - (const char *)tc_in_at(in))
			   : tc_in_avail(in));
		if (in->skipping && in->eof)
			return 0;
		if (in->skipping && tc_in_want(in, 1, err) < 0)
			return -1;
	}
	return 0;
}

int
tc_in_line(struct tc_in *in, size_t max, struct tc_str *line, struct tc_err *err)
{
	size_t seen = 0, avail;
	const char *at, *nl;

	if (skip_line(in, err))
		return -1;
	for (;;) {
		at = (const char *)tc_in_at(in);
		avail = tc_in_avail(in);
		nl = avail > seen ? memchr(at + seen, '\n', avail - seen) : NULL;
		if (nl || in->eof)
			break;
		if (avail > max)
			break;
		seen = avail;
		if (tc_in_want(in, avail + 1, err) < 0)
			return -1;
	}
	if (!avail)
		return 0;
	in->line++;
	*line = (struct tc_str){ at, (uint32_t)(nl ? (size_t)(nl - at) : avail), false };
	if (line->len > max) {
		in->skipping = true;
		return tc_err_set(err, TC_DATA, "line is longer than %zu bytes", max);
	}
	tc_in_eat(in, line->len + (nl ? 1 : 0));
	return 1;
}
