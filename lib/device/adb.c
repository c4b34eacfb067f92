/* Devices that speak the ADB protocol, however their bytes come here. */
#include <stdlib.h>
#include <string.h>

#include "device/priv.h"
#include "err/err.h"

static void
close_adb(void *handle)
{
	tc_adb_close(handle);
}

/* ---- commands ---- */

static int
spawn(void *handle, const char *command, const struct tc_device_input *in,
	const struct tc_wait *w, void **job, struct tc_err *err)
{
	struct tc_adb_job *made;

	if (tc_adb_job_open(handle, command, in ? in->bytes : NULL, in ? in->len : 0, w,
		    &made, err) < 0)
		return -1;
	*job = made;
	return 0;
}

static int
job_next(void *job, const struct tc_wait *w, struct tc_device_piece *piece, int *status,
	struct tc_err *err)
{
	struct tc_adb_piece p;
	int r = tc_adb_job_next(job, w, &p, status, err);

	if (r == 1)
		*piece = (struct tc_device_piece){ p.is_err ? TC_DEVICE_ERR
							    : TC_DEVICE_OUT,
			(const char *)p.bytes, p.len };
	return r;
}

static int
job_fd(const void *job)
{
	return tc_adb_job_fd(job);
}

static void
job_close(void *job)
{
	tc_adb_job_close(job);
}

/* ---- files ---- */

static struct tc_device_stat
stat_of(const struct tc_adb_stat *st)
{
	int64_t size = st->size > INT64_MAX ? INT64_MAX : (int64_t)st->size;

	return (struct tc_device_stat){ st->mode, size, st->mtime };
}

static int
stat_file(void *handle, const char *path, const struct tc_wait *w,
	struct tc_device_stat *st, struct tc_err *err)
{
	struct tc_adb_stat got;
	int r = tc_adb_stat(handle, path, w, &got, err);

	if (r == 1)
		*st = stat_of(&got);
	return r;
}

struct taker {
	tc_device_entry_fn *entry;
	void *ctx;
};

static void
take_entry(void *ctx, const char *name, const struct tc_adb_stat *st)
{
	struct taker *t = ctx;
	struct tc_device_stat found = stat_of(st);

	t->entry(t->ctx, name, &found);
}

static int
list(void *handle, const char *path, const struct tc_wait *w, tc_device_entry_fn *entry,
	void *ctx, struct tc_err *err)
{
	struct taker t = { entry, ctx };

	return tc_adb_list(handle, path, w, take_entry, &t, err);
}

static int
pull(void *handle, const char *path, int fd, const struct tc_device_progress *progress,
	const struct tc_wait *w, int64_t *bytes, struct tc_err *err)
{
	return tc_adb_pull(handle, path, fd, progress ? progress->moved : NULL,
		progress ? progress->ctx : NULL, w, bytes, err);
}

static int
push(void *handle, int fd, const char *path, uint32_t mode, int64_t mtime,
	const struct tc_device_progress *progress, const struct tc_wait *w,
	int64_t *bytes, struct tc_err *err)
{
	return tc_adb_push(handle, fd, path, mode, mtime,
		progress ? progress->moved : NULL, progress ? progress->ctx : NULL, w,
		bytes, err);
}

static const struct tc_device_ops adb_ops = {
	.close = close_adb,
	.spawn = spawn,
	.job_next = job_next,
	.job_fd = job_fd,
	.job_close = job_close,
	.stat = stat_file,
	.list = list,
	.pull = pull,
	.push = push,
};

static unsigned
caps_of(const struct tc_adb *adb)
{
	unsigned caps = TC_DEVICE_HAS_FILES | TC_DEVICE_HAS_PUSH;

	if (tc_adb_has_shell2(adb))
		caps |= TC_DEVICE_HAS_STDERR | TC_DEVICE_HAS_STDIN;
	if (tc_adb_has_wide_sizes(adb))
		caps |= TC_DEVICE_HAS_WIDE_SIZES;
	return caps;
}

void
tc_device_is_adb(struct tc_device *d, struct tc_adb *adb)
{
	d->ops = &adb_ops;
	d->handle = adb;
	d->caps = caps_of(adb);
}

int
tc_device_use_adb(struct tc_device *d, char *name, struct tc_adb *adb, struct tc_err *err)
{
	const char *called = strchr(name, ':') + 1;
	int r = 0;

	if (!adb)
		r = tc_device_not_opened(called, err);
	else if (!tc_adb_is_usable(tc_adb_state(adb))) {
		r = tc_device_not_usable(called, tc_adb_state(adb), err);
		tc_adb_close(adb);
	}
	if (r < 0) {
		free(name);
		return -1;
	}
	d->name = name;
	tc_device_is_adb(d, adb);
	return 0;
}
