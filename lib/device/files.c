/* Files. */
#include <string.h>
#include <sys/stat.h>

#include "device/priv.h"
#include "err/err.h"

enum { QUIET_MS = 60 * 1000 };

int
tc_device_stat(struct tc_device *d, const char *path, const struct tc_wait *w,
	struct tc_device_stat *st, struct tc_err *err)
{
	struct tc_wait usual = tc_wait_for(TC_DEVICE_ANSWER_MS);

	return d->ops->stat(d->handle, path, w ? w : &usual, st, err);
}

/* ---- directories ---- */

struct listing {
	struct tc_arena *arena;
	struct entry *last;
	size_t count;
	bool is_open; /* it has itself in it */
};

/* In a chain at first: how many there are shows at the end. */
struct entry {
	struct tc_device_entry e;
	struct entry *before;
};

static void
take_entry(void *ctx, const char *name, const struct tc_device_stat *st)
{
	struct listing *l = ctx;
	struct entry *e;

	l->is_open = l->is_open || strcmp(name, ".") == 0;
	if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		return;
	e = tc_arena_calloc(l->arena, sizeof(*e));
	e->e.name = tc_arena_dup(l->arena, name, strlen(name));
	e->e.st = *st;
	e->before = l->last;
	l->last = e;
	l->count++;
}

int
tc_device_list_dir(struct tc_device *d, const char *path, const struct tc_wait *w,
	struct tc_arena *arena, struct tc_device_entry **list, size_t *count,
	struct tc_err *err)
{
	struct tc_wait usual = tc_wait_for(TC_DEVICE_ANSWER_MS);
	struct listing l = { .arena = arena };
	struct tc_device_stat st;
	struct entry *e;
	size_t i;
	int r;

	if (!w)
		w = &usual;
	/* Of what is no directory the device lists nothing, and says no more. */
	r = tc_device_stat(d, path, w, &st, err);
	if (r <= 0)
		return r;
	if (!S_ISDIR(st.mode) && !S_ISLNK(st.mode))
		return tc_err_named(
			err, TC_NOINPUT, "not_a_directory", "%s: no directory", path);
	if (d->ops->list(d->handle, path, w, take_entry, &l, err) < 0)
		return -1;
	if (!l.is_open && !l.count)
		return tc_err_named(err, TC_DENIED, "no_permission",
			"%s: the device does not list it", path);
	*list = tc_arena_calloc(arena, (l.count + 1) * sizeof(**list));
	*count = l.count;
	for (e = l.last, i = l.count; e; e = e->before)
		(*list)[--i] = e->e;
	return 1;
}

/* ---- copies ---- */

static struct tc_wait
until_quiet(void)
{
	struct tc_wait w = tc_wait_for(0);

	w.quiet_ms = QUIET_MS;
	return w;
}

int
tc_device_pull(struct tc_device *d, const char *path, int fd,
	const struct tc_device_progress *progress, const struct tc_wait *w,
	int64_t *bytes, struct tc_err *err)
{
	struct tc_wait usual = until_quiet();

	return d->ops->pull(d->handle, path, fd, progress, w ? w : &usual, bytes, err);
}

int
tc_device_push(struct tc_device *d, int fd, const char *path, uint32_t mode,
	int64_t mtime, const struct tc_device_progress *progress, const struct tc_wait *w,
	int64_t *bytes, struct tc_err *err)
{
	struct tc_wait usual = until_quiet();

	if (!d->ops->push)
		return tc_err_named(err, TC_NOSERVICE, "unsupported",
			"%s: no files can be put on a device this way", d->name);
	return d->ops->push(
		d->handle, fd, path, mode, mtime, progress, w ? w : &usual, bytes, err);
}
