#include "io/io.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "err/err.h"

/* A file that nobody else can name, and that is gone when it is closed. */
static int
open_nameless(struct tc_err *err)
{
	const char *dir = getenv("TMPDIR");
	char path[4096];
	int fd;

	if (!dir || !*dir)
		dir = "/var/tmp";
	if (snprintf(path, sizeof(path), "%s/tc-XXXXXX", dir) >= (int)sizeof(path))
		return tc_err_set(err, TC_IO, "TMPDIR is too long");
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		return tc_err_sys(err, TC_IO, "make a file in %s", dir);
	unlink(path);
	return fd;
}

static int
copy(struct tc_in *in, struct tc_out *out, struct tc_err *err)
{
	int n;

	while ((n = tc_in_want(in, 1, err)) > 0) {
		tc_out_write(out, tc_in_at(in), tc_in_avail(in));
		tc_in_eat(in, tc_in_avail(in));
		if (tc_out_check(out, err))
			break;
	}
	return n < 0 ? -1 : tc_out_flush(out, err);
}

int
tc_in_keep(struct tc_in *in, struct tc_err *err)
{
	struct tc_out out;
	int fd, r;

	if (tc_in_can_rewind(in))
		return 0;
	fd = open_nameless(err);
	if (fd < 0)
		return -1;
	tc_out_init(&out, fd);
	r = copy(in, &out, err);
	tc_out_release(&out);
	if (r) {
		close(fd);
		return tc_err_add(err, "keep %s for a second reading", in->name);
	}
	if (in->fd > STDIN_FILENO)
		close(in->fd);
	in->fd = fd;
	in->size = (int64_t)in->offset;
	in->may_block = in->is_pipe = false;
	in->start = 0;
	return tc_in_rewind(in, err);
}
