/* Archives that Winscope's page loads. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <archive.h>
#include <archive_entry.h>

#include "err/err.h"
#include "io/io.h"
#include "pull/priv.h"

enum { PIECE = 1 << 20 };

struct member {
	struct tc_rec_artifact a; /* in the arena */
	const struct tc_pull_kind *kind;
	char *name; /* in the archive; in the arena */
	bool is_perfetto;
};

/* What one load of the page can take: a run of a device, and one Perfetto trace. */
struct group {
	struct member *members; /* owned */
	size_t count, cap;
	struct tc_strtab names; /* that are taken */
	bool has_perfetto;
};

struct tc_pull_zip {
	const char *path; /* borrowed */
	struct tc_arena arena;
	struct group *groups; /* owned */
	size_t count, cap, next;
	char *at; /* of the archive at hand; in the arena */
};

struct tc_pull_zip *
tc_pull_zip_new(const char *path)
{
	struct tc_pull_zip *z = tc_mem_calloc(1, sizeof(*z));

	z->path = path;
	return z;
}

void
tc_pull_zip_free(struct tc_pull_zip *z)
{
	size_t i;

	if (!z)
		return;
	for (i = 0; i < z->count; i++) {
		free(z->groups[i].members);
		tc_strtab_release(&z->groups[i].names);
	}
	free(z->groups);
	tc_arena_release(&z->arena);
	free(z);
}

/* ---- names inside ---- */

static bool
ends_with(const char *name, const char *end)
{
	size_t n = strlen(name), m = strlen(end);

	return n >= m && strcmp(name + n - m, end) == 0;
}

/* The page takes what is called so for a Perfetto trace, whatever it is. */
static bool
is_called_perfetto(const char *name)
{
	static const char *const ends[] = { ".pftrace", ".perfetto-trace", ".perfetto",
		".pftrace.gz", ".perfetto-trace.gz", ".perfetto.gz" };
	size_t i;

	for (i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (ends_with(name, ends[i]))
			return true;
	return false;
}

/* Files whose beginning does not tell, by the names that captures give them. */
static const char *
folder_of(const struct tc_pull_kind *kind, const char *base)
{
	static const struct {
		const char *start, *folder;
	} known[] = {
		{ "window_", "wm" },
		{ "wl_trace", "wayland" },
		{ "view_capture", "vc" },
		{ "layers_", "sf" },
	};
	size_t i;

	if (*kind->folder || strcmp(kind->name, "video") == 0 ||
		strcmp(kind->name, "image") == 0 || strcmp(kind->name, "perfetto") == 0)
		return kind->folder;
	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strncmp(base, known[i].start, strlen(known[i].start)) == 0)
			return known[i].folder;
	return "";
}

/* FOLDER/BASE.EXTENSION, with " (1)" before the extension where that is taken. */
static char *
name_inside(struct tc_pull_zip *z, struct group *g, const char *base,
	const struct tc_pull_kind *kind)
{
	const char *folder = folder_of(kind, base), *dot = strrchr(base, '.');
	bool has_dot = dot && dot > base;
	int stem = has_dot ? (int)(dot - base) : (int)strlen(base);
	size_t size = strlen(base) + 64;
	char *name = tc_arena_alloc(&z->arena, size), copy[24] = "";
	size_t taken = g->names.count;
	unsigned i;

	for (i = 0;; snprintf(copy, sizeof(copy), " (%u)", ++i)) {
		snprintf(name, size, "%s%s%.*s%s%s", folder, *folder ? "/" : "", stem,
			base, copy, has_dot ? dot : kind->extension);
		if (tc_strtab_id(&g->names, tc_str_of(name)) > taken)
			return name;
	}
}

/* A Perfetto trace needs a name that says so. */
static const char *
base_of(struct tc_pull_zip *z, const char *path, const struct tc_pull_kind *kind)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	size_t size = strlen(base) + 24;
	char *longer;

	if (strcmp(kind->name, "perfetto") != 0 || is_called_perfetto(base) ||
		!strchr(base, '.'))
		return base;
	longer = tc_arena_alloc(&z->arena, size);
	snprintf(longer, size, "%s%s", base, kind->extension);
	return longer;
}

static struct group *
group_of(struct tc_pull_zip *z, const struct member *m)
{
	const struct tc_rec_artifact *other;
	struct group *g;
	size_t i;

	for (i = 0; i < z->count; i++) {
		g = &z->groups[i];
		other = &g->members[0].a;
		if (tc_str_eq(other->run, m->a.run) &&
			tc_str_eq(other->device, m->a.device) &&
			!(g->has_perfetto && m->is_perfetto))
			return g;
	}
	tc_mem_grow(&z->groups, &z->cap, z->count + 1, sizeof(*z->groups));
	g = &z->groups[z->count++];
	*g = (struct group){ 0 };
	return g;
}

void
tc_pull_zip_add(struct tc_pull_zip *z, const struct tc_rec_artifact *a,
	const struct tc_pull_kind *kind)
{
	struct member m = { .a = *a, .kind = kind };
	const char *base;
	struct group *g;

	m.a.run = tc_arena_str(&z->arena, a->run);
	m.a.device = tc_arena_str(&z->arena, a->device);
	m.a.path = tc_arena_str(&z->arena, a->path);
	base = base_of(z, m.a.path.p, kind);
	m.is_perfetto = strcmp(kind->name, "perfetto") == 0 || is_called_perfetto(base);
	g = group_of(z, &m);
	m.name = name_inside(z, g, base, kind);
	tc_mem_grow(&g->members, &g->cap, g->count + 1, sizeof(*g->members));
	g->members[g->count++] = m;
	g->has_perfetto |= m.is_perfetto;
}

/* ---- writing ---- */

struct writing {
	struct archive *a;
	struct tc_out out;
	char *buf;
	int stop_fd;
	int64_t bytes;
};

static la_ssize_t
take(struct archive *a, void *ctx, const void *bytes, size_t len)
{
	struct writing *w = ctx;

	tc_out_write(&w->out, bytes, len);
	w->bytes += (int64_t)len;
	if (!w->out.sys)
		return (la_ssize_t)len;
	archive_set_error(a, w->out.sys, "write");
	return -1;
}

static int
archive_failed(struct writing *w, struct tc_err *err)
{
	const char *text = archive_error_string(w->a);

	if (w->out.sys)
		return tc_out_check(&w->out, err);
	return tc_err_set(err, TC_IO, "%s", text ? text : "the archive failed");
}

/* Videos, pictures and archives do not get smaller; the rest does by far. */
static int
put_header(struct writing *w, const struct member *m, const struct stat *st,
	struct tc_err *err)
{
	struct archive_entry *e = archive_entry_new();
	bool is_dense = strcmp(m->kind->name, "video") == 0 ||
		strcmp(m->kind->name, "image") == 0 || strcmp(m->kind->name, "zip") == 0;
	int r;

	if (!e)
		return tc_err_set(err, TC_SYSTEM, "no memory for an archive");
	if (is_dense)
		archive_write_zip_set_compression_store(w->a);
	else
		archive_write_zip_set_compression_deflate(w->a);
	archive_entry_set_pathname_utf8(e, m->name);
	archive_entry_set_size(e, st->st_size);
	archive_entry_set_filetype(e, AE_IFREG);
	archive_entry_set_perm(e, 0644);
	archive_entry_set_mtime(e, st->st_mtime, 0);
	r = archive_write_header(w->a, e);
	archive_entry_free(e);
	return r == ARCHIVE_OK || r == ARCHIVE_WARN ? 0 : archive_failed(w, err);
}

static int
put_bytes(struct writing *w, int fd, int64_t size, struct tc_err *err)
{
	struct tc_wait stop = { .stop_fd = w->stop_fd };
	ssize_t n;

	while (size > 0) {
		n = read(fd, w->buf, size < PIECE ? (size_t)size : PIECE);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return tc_err_sys(err, TC_IO, "read");
		if (n == 0)
			return tc_err_set(err, TC_IO, "it was cut since it was pulled");
		if (archive_write_data(w->a, w->buf, (size_t)n) != n)
			return archive_failed(w, err);
		if (tc_wait_check(&stop, err) < 0)
			return -1;
		size -= n;
	}
	return 0;
}

static int
put_member(struct writing *w, const struct member *m, struct tc_err *err)
{
	struct stat st;
	int fd = open(m->a.path.p, O_RDONLY | O_CLOEXEC), r = -1;

	if (fd < 0 || fstat(fd, &st) < 0)
		tc_err_sys(err, TC_IO, "open %s", m->a.path.p);
	else if (put_header(w, m, &st, err) == 0)
		r = put_bytes(w, fd, st.st_size, err);
	if (fd >= 0)
		close(fd);
	return r;
}

static int
put_group(struct writing *w, const struct group *g, struct tc_err *err)
{
	size_t i;

	archive_write_set_format_zip(w->a);
	archive_write_set_options(w->a, "zip:hdrcharset=UTF-8");
	archive_write_set_bytes_per_block(w->a, 0);
	if (archive_write_open(w->a, w, NULL, take, NULL) != ARCHIVE_OK)
		return archive_failed(w, err);
	for (i = 0; i < g->count; i++)
		if (put_member(w, &g->members[i], err) < 0)
			return -1;
	return archive_write_close(w->a) == ARCHIVE_OK ? 0 : archive_failed(w, err);
}

/* FILE.zip, FILE-2.zip, ... */
static char *
path_of(struct tc_pull_zip *z, size_t i)
{
	const char *slash = strrchr(z->path, '/'), *dot = strrchr(z->path, '.');
	size_t size = strlen(z->path) + 24;
	char *path = tc_arena_alloc(&z->arena, size);
	int stem = (int)strlen(z->path);

	if (dot && dot > (slash ? slash + 1 : z->path))
		stem = (int)(dot - z->path);
	if (i == 0)
		snprintf(path, size, "%s", z->path);
	else
		snprintf(path, size, "%.*s-%zu%s", stem, z->path, i + 1, z->path + stem);
	return path;
}

static int
commit(struct writing *w, struct tc_out_file *file, bool force, struct tc_err *err)
{
	file->is_new = !force;
	if (tc_out_commit(&w->out, file, err) == 0)
		return 0;
	if (err->sys == EEXIST)
		err->name = "exists";
	return -1;
}

static int
write_group(struct tc_pull_zip *z, const struct group *g, bool force, int stop_fd,
	int64_t *bytes, struct tc_err *err)
{
	struct writing w = { .stop_fd = stop_fd };
	struct tc_out_file file;
	struct stat st;
	int r;

	if (!force && lstat(z->at, &st) == 0)
		return tc_err_named(err, TC_IO, "exists", "it exists");
	if (tc_out_create(&w.out, &file, z->at, err) < 0)
		return -1;
	w.a = archive_write_new();
	w.buf = tc_mem_alloc(PIECE);
	r = w.a ? put_group(&w, g, err)
		: tc_err_set(err, TC_SYSTEM, "no memory for an archive");
	if (w.a) {
		/* What failed is not tried again on the way out. */
		if (r)
			archive_write_fail(w.a);
		archive_write_free(w.a);
	}
	free(w.buf);
	if (r == 0)
		r = commit(&w, &file, force, err);
	else {
		close(w.out.fd);
		tc_out_discard(&file);
	}
	tc_out_release(&w.out);
	*bytes = w.bytes;
	return r;
}

int
tc_pull_zip_next(struct tc_pull_zip *z, bool force, int stop_fd,
	struct tc_rec_artifact *a, struct tc_err *err)
{
	const struct group *g;
	int64_t bytes;

	if (z->next == z->count)
		return 0;
	g = &z->groups[z->next];
	z->at = path_of(z, z->next++);
	if (write_group(z, g, force, stop_fd, &bytes, err) < 0)
		return tc_err_add(err, "%s", z->at);
	tc_rec_init(&tc_rec_artifact, a);
	a->run = g->members[0].a.run;
	a->device = g->members[0].a.device;
	a->path = tc_str_of(z->at);
	a->bytes = bytes;
	a->kind = TC_STR("zip");
	return 1;
}
