#include "io/io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "err/err.h"

static int
create(struct tc_out *o, struct tc_out_file *f, const char *path, bool is_private,
	struct tc_err *err)
{
	mode_t mask;
	int fd;

	f->path = path;
	f->is_new = false;
	if (snprintf(f->temporary, sizeof(f->temporary), "%s.XXXXXX", path) >=
		(int)sizeof(f->temporary))
		return tc_err_set(err, TC_IO, "the name of the output is too long");
	fd = mkostemp(f->temporary, O_CLOEXEC);
	if (fd < 0) {
		f->temporary[0] = 0;
		return tc_err_sys(err, TC_IO, "create %s", path);
	}
	/* As a file of that name would be, had it been created directly. */
	mask = umask(0);
	umask(mask);
	if (!is_private && fchmod(fd, 0666 & ~mask)) {
		tc_err_sys(err, TC_IO, "create %s", path);
		close(fd);
		tc_out_discard(f);
		return -1;
	}
	tc_out_init(o, fd);
	return 0;
}

int
tc_out_create(
	struct tc_out *o, struct tc_out_file *f, const char *path, struct tc_err *err)
{
	return create(o, f, path, false, err);
}

int
tc_out_create_private(
	struct tc_out *o, struct tc_out_file *f, const char *path, struct tc_err *err)
{
	return create(o, f, path, true, err);
}

/* What is there already is no file that another could take the place of. */
static int
open_in_place(
	struct tc_out *o, struct tc_out_file *f, const char *path, struct tc_err *err)
{
	int fd = open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC);

	f->path = path;
	f->is_new = false;
	f->temporary[0] = 0;
	if (fd < 0)
		return tc_err_sys(err, TC_IO, "open %s", path);
	tc_out_init(o, fd);
	return 0;
}

int
tc_out_create_at(
	struct tc_out *o, struct tc_out_file *f, const char *path, struct tc_err *err)
{
	struct stat st;

	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
		return open_in_place(o, f, path, err);
	if (lstat(path, &st) == 0 && S_ISLNK(st.st_mode)) {
		/* A link to nothing is no place where a file could be made with care. */
		if (!realpath(path, f->target)) {
			f->temporary[0] = 0;
			return tc_err_sys(err, TC_IO, "create %s", path);
		}
		path = f->target;
	}
	return tc_out_create(o, f, path, err);
}

/*
 * A second name and then the end of the first one, because rename replaces. Where
 * there are no second names, a look has to do.
 */
static int
give_new_name(const struct tc_out_file *f)
{
	struct stat st;

	if (link(f->temporary, f->path) == 0) {
		unlink(f->temporary);
		return 0;
	}
	if (errno == EEXIST)
		return -1;
	if (lstat(f->path, &st) == 0) {
		errno = EEXIST;
		return -1;
	}
	return rename(f->temporary, f->path);
}

static int
give_name(const struct tc_out_file *f)
{
	if (!f->temporary[0])
		return 0;
	return f->is_new ? give_new_name(f) : rename(f->temporary, f->path);
}

int
tc_out_commit(struct tc_out *o, struct tc_out_file *f, struct tc_err *err)
{
	int r = tc_out_flush(o, err);

	if (r && err->code == TC_IO && !f->temporary[0])
		tc_err_add(err, "%s", f->path);
	/* Of what is written in place not all can be synced, and a disk need not be. */
	if (r == 0 && f->temporary[0] && fsync(o->fd) != 0)
		r = tc_err_sys(err, TC_IO, "write %s", f->path);
	if (close(o->fd) != 0 && r == 0)
		r = tc_err_sys(err, TC_IO, "write %s", f->path);
	if (r == 0 && give_name(f) != 0)
		r = tc_err_sys(err, TC_IO, "rename to %s", f->path);
	if (r)
		tc_out_discard(f);
	f->temporary[0] = 0;
	return r;
}

void
tc_out_discard(struct tc_out_file *f)
{
	if (f->temporary[0])
		unlink(f->temporary);
}
