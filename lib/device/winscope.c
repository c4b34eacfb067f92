/* "winscope:http://HOST:PORT[/SERIAL]": devices of a Winscope proxy. */
#include <stdlib.h>
#include <string.h>

#include "device/priv.h"
#include "err/err.h"
#include "winscope/winscope.h"

/* ---- an open device ---- */

static void
close_winscope(void *handle)
{
	tc_winscope_free(handle);
}

static int
spawn(void *handle, const char *command, const struct tc_device_input *in,
	const struct tc_wait *w, void **job, struct tc_err *err)
{
	struct tc_winscope_job *made;

	(void)w;
	if (in && in->len)
		return tc_err_named(err, TC_NOSERVICE, "unsupported",
			"the proxy gives commands no input");
	if (tc_winscope_job_open(handle, command, &made, err) < 0)
		return -1;
	*job = made;
	return 0;
}

static int
job_next(void *job, const struct tc_wait *w, struct tc_device_piece *piece, int *status,
	struct tc_err *err)
{
	piece->from = TC_DEVICE_OUT;
	return tc_winscope_job_next(job, w, &piece->bytes, &piece->len, status, err);
}

static int
job_fd(const void *job)
{
	return tc_winscope_job_fd(job);
}

static void
job_close(void *job)
{
	tc_winscope_job_close(job);
}

static struct tc_device_stat
stat_of(const struct tc_winscope_stat *st)
{
	return (struct tc_device_stat){ st->mode, st->size, st->mtime };
}

static int
stat_file(void *handle, const char *path, const struct tc_wait *w,
	struct tc_device_stat *st, struct tc_err *err)
{
	struct tc_winscope_stat got;
	int r = tc_winscope_stat(handle, path, w, &got, err);

	if (r == 1)
		*st = stat_of(&got);
	return r;
}

struct taker {
	tc_device_entry_fn *entry;
	void *ctx;
};

static void
take_entry(void *ctx, const char *name, const struct tc_winscope_stat *st)
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

	return tc_winscope_list_dir(handle, path, w, take_entry, &t, err);
}

static int
pull(void *handle, const char *path, int fd, const struct tc_device_progress *progress,
	const struct tc_wait *w, int64_t *bytes, struct tc_err *err)
{
	return tc_winscope_pull(handle, path, fd, progress ? progress->moved : NULL,
		progress ? progress->ctx : NULL, w, bytes, err);
}

static int
start(void *handle, const char *id, const char *command, const char *stop_command,
	const struct tc_wait *w, int *status, char **out, struct tc_err *err)
{
	return tc_winscope_start(handle, id, command, stop_command, w, status, out, err);
}

static int
alive(void *handle, const char *id, const struct tc_wait *w, struct tc_err *err)
{
	return tc_winscope_alive(handle, id, w, err);
}

static int
stop(void *handle, const char *id, const struct tc_wait *w, int *status, char **out,
	struct tc_err *err)
{
	return tc_winscope_stop(handle, id, w, status, out, err);
}

static const struct tc_device_ops winscope_ops = {
	.close = close_winscope,
	.spawn = spawn,
	.job_next = job_next,
	.job_fd = job_fd,
	.job_close = job_close,
	.stat = stat_file,
	.list = list,
	.pull = pull,
	.start = start,
	.alive = alive,
	.stop = stop,
};

/* ---- finding and opening ---- */

static const char whose[] = "the proxy";

static const char *
name_of(const struct tc_winscope_proxy *p, const char *serial, struct tc_arena *arena)
{
	size_t url = strlen(p->url), len = strlen(serial);
	char *name = tc_arena_alloc(arena, sizeof("winscope:/") + url + len);

	memcpy(name, "winscope:", 9);
	memcpy(name + 9, p->url, url);
	name[9 + url] = '/';
	memcpy(name + 10 + url, serial, len + 1);
	return name;
}

/* The list calls every device usable that its user has allowed: so each is asked. */
static int
look(const struct tc_winscope_proxy *p, const struct tc_winscope_info *one,
	const struct tc_wait *w, struct tc_arena *arena, struct tc_device_info *info,
	struct tc_err *err)
{
	if (one->is_authorized &&
		tc_winscope_look(p, one->serial, w, &info->state, err) < 0)
		return -1;
	info->name = name_of(p, one->serial, arena);
	info->is_usable = strcmp(info->state, "device") == 0;
	return 0;
}

/* Only the one with this serial number is asked; "": each. */
static int
list_all(const struct tc_winscope_proxy *p, const char *serial, const struct tc_wait *w,
	struct tc_arena *arena, struct tc_device_info **all, size_t *count,
	struct tc_err *err)
{
	struct tc_winscope_info *known;
	struct tc_device_info *info;
	size_t i, known_count;

	if (tc_winscope_list(p, w, arena, &known, &known_count, err) < 0)
		return -1;
	*all = tc_arena_calloc(arena, (known_count + 1) * sizeof(**all));
	*count = known_count;
	for (i = 0; i < known_count; i++) {
		info = &(*all)[i];
		info->state = known[i].is_authorized ? "device" : "unauthorized";
		info->serial = known[i].serial;
		info->model = known[i].model;
		if (!*serial || strcmp(serial, known[i].serial) == 0)
			if (look(p, &known[i], w, arena, info, err) < 0)
				return -1;
	}
	return 0;
}

static int
find(const char *rest, const struct tc_wait *w, struct tc_arena *arena,
	struct tc_device_info **all, size_t *count, struct tc_err *err)
{
	struct tc_winscope_proxy p;
	const char *serial;

	if (tc_winscope_proxy_get(&p, rest, &serial, err) < 0 ||
		list_all(&p, serial, w, arena, all, count, err) < 0)
		return -1;
	return tc_device_narrow(serial, whose, *all, count, err);
}

/* The proxy's own name: behind the host, there may be a serial number. */
static size_t
queue(const char *rest)
{
	const char *host = strstr(rest, "://");
	size_t before = host ? (size_t)(host + 3 - rest) : 0;

	return before + strcspn(rest + before, "/");
}

static int
open_winscope(struct tc_device *d, const char *rest, const struct tc_wait *w,
	struct tc_err *err)
{
	struct tc_device_choice choice = { .whose = whose,
		.how = "winscope:URL/SERIAL names one" };
	struct tc_winscope_proxy p;
	struct tc_device_info *all;
	struct tc_arena arena = { 0 };
	const char *serial;
	int r;

	if (tc_winscope_proxy_get(&p, rest, &choice.wanted, err) < 0)
		return -1;
	r = list_all(&p, choice.wanted, w, &arena, &all, &choice.count, err);
	if (r == 0) {
		choice.list = all;
		r = tc_device_choose(&choice, &serial, err);
	}
	if (r == 0) {
		d->name = tc_device_join(name_of(&p, serial, &arena), "");
		d->ops = &winscope_ops;
		d->handle = tc_winscope_new(&p, serial);
		d->caps = TC_DEVICE_HAS_FILES | TC_DEVICE_HAS_WIDE_SIZES |
			TC_DEVICE_KEEPS_TARGETS;
	}
	tc_arena_release(&arena);
	return r;
}

const struct tc_device_way tc_device_winscope = {
	.prefix = "winscope:",
	.find = find,
	.queue = queue,
	.open = open_winscope,
};
