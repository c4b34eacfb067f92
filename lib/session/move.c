/* Files: found, copied into the run's folder, compared, and only then deleted. */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "err/err.h"
#include "session/priv.h"

enum { FIND_MS = 60 * 1000, COPY_MS = 1800 * 1000 };
enum { GROWS_TRIES = 6, GROWS_MS = 250 }; /* and twice as long each time */

/* ---- root ---- */

/* Asked once; an answer with blanks around it is an answer. */
static bool
has_root(struct tc_session *s, struct tc_session_device *d)
{
	struct tc_session_call call = { .phase = "root",
		.text = tc_session_root_text,
		.limit_ms = FIND_MS,
		.is_repeated = true };
	struct tc_device_result r, out;
	struct tc_err err;

	if (d->root == TC_SESSION_ROOT_UNKNOWN && d->as && strcmp(d->as, "adbd") == 0)
		d->root = TC_SESSION_ROOT_NONE; /* it is root, and needs nobody */
	if (d->root == TC_SESSION_ROOT_UNKNOWN &&
		tc_session_exec(s, d, &call, &r, &err) == 0) {
		out = (struct tc_device_result){ .out = r.out, .out_len = r.out_len };
		d->root = r.status == 0 && strcmp(tc_session_words(s, &out), "0") == 0
			? TC_SESSION_ROOT_SU
			: TC_SESSION_ROOT_NONE;
		tc_device_result_release(&r);
	}
	return d->root == TC_SESSION_ROOT_SU;
}

/* ---- one file ---- */

/* What is being moved: one of an item's files. */
struct move {
	struct tc_session_item *item;
	const struct tc_rec_target_file *file;
	bool su;
};

static void
put_file(struct tc_session *s, struct tc_session_device *d, const struct move *m,
	const char *path, const char *origin, const char *dest, int64_t bytes,
	const char *state, const char *code, const char *text)
{
	struct tc_rec_file_error error = { tc_str_of(code ? code : ""),
		tc_str_of(text ? text : "") };
	struct tc_rec_file rec = {
		.run = m->item->rec.run,
		.session = m->item->rec.id,
		.device = tc_str_of(d->name),
		.origin = tc_str_of(origin),
		.as = tc_str_of(m->su   ? "su"
				: d->as ? d->as
					: "shell"),
		.dest = tc_str_of(dest),
		.bytes = bytes,
		.state = tc_str_of(state),
		.error = code ? &error : NULL,
	};

	if (path)
		rec.path = tc_str_of(path);
	if (code)
		s->is_partial = true;
	d->has_files |= strcmp(state, "missing") != 0;
	tc_session_put_file(s, &rec);
}

static void
put_missing(struct tc_session *s, struct tc_session_device *d, const struct move *m,
	const char *code, const char *text)
{
	put_file(s, d, m, NULL, tc_session_cstr(&s->arena, m->file->path),
		tc_session_cstr(&s->arena, m->file->dest), TC_NONE, "missing", code,
		text);
}

static void
put_left(struct tc_session *s, struct tc_session_device *d, const struct move *m,
	const char *path, const char *code, const char *text)
{
	put_file(s, d, m, path, path, tc_session_cstr(&s->arena, m->file->dest), TC_NONE,
		"left_in_place", code, text);
}

static bool
is_taken(const struct tc_session_device *d, struct tc_str dest)
{
	size_t i;

	for (i = 0; i < d->dest_count; i++)
		if (tc_str_eq(d->dests[i], dest))
			return true;
	for (i = 0; i < d->file_count; i++)
		if (tc_str_eq(d->files[i].dest, dest))
			return true;
	return false;
}

/* A name in the folder that no file of this run has. */
static const char *
free_dest(struct tc_session *s, struct tc_session_device *d, struct tc_str dest)
{
	const char *name;
	unsigned n = 1;

	do
		name = tc_session_dest(&s->arena, dest, n++);
	while (is_taken(d, tc_str_of(name)));
	tc_mem_grow(&d->dests, &d->dest_cap, d->dest_count + 1, sizeof(*d->dests));
	d->dests[d->dest_count++] = tc_str_of(name);
	return name;
}

/* The two sizes that a copy ends with. */
static bool
has_sizes(const struct tc_device_result *r, long long *from, long long *to)
{
	char *end;

	*from = strtoll(r->out, &end, 10);
	if (end == r->out || *end != '\n')
		return false;
	*to = strtoll(end + 1, &end, 10);
	return *end == '\n' || *end == '\0';
}

/*
 * While the file still grows the copy is made again. 0 and the size of both; 1 when
 * the device refused, with *words; -1 when it did not answer.
 */
static int
copy(struct tc_session *s, struct tc_session_device *d, const struct move *m,
	const char *from, const char *to, int64_t *bytes, const char **words)
{
	struct tc_session_call call = { .phase = "copy",
		.item = m->item,
		.text = tc_session_copy_text(&s->arena, m->su, from, to),
		.limit_ms = COPY_MS,
		.is_repeated = true };
	struct tc_wait w = tc_wait_for(0);
	struct tc_device_result r;
	struct tc_err err = { 0 };
	long long sizes[2] = { -1, -1 };
	int tries, status;

	w.stop_fd = tc_session_give_up_fd();
	for (tries = 0; tries < GROWS_TRIES; tries++) {
		if ((tries && tc_wait_sleep(GROWS_MS << tries, &w, &err) < 0) ||
			tc_session_exec(s, d, &call, &r, &err) < 0) {
			*words = tc_session_print(&s->arena, "%s", err.msg);
			return -1;
		}
		status = r.status || !has_sizes(&r, &sizes[0], &sizes[1]);
		*words = tc_session_words(s, &r);
		tc_device_result_release(&r);
		if (status)
			return 1;
		*bytes = sizes[1];
		if (sizes[0] == sizes[1])
			return 0;
		*words = tc_session_print(&s->arena,
			"the copy has %lld bytes, the file %lld", sizes[1], sizes[0]);
	}
	return 1;
}

static int
remove_file(struct tc_session *s, struct tc_session_device *d, const struct move *m,
	const char *path, const char **words)
{
	struct tc_session_call call = { .phase = "delete",
		.item = m->item,
		.text = tc_session_remove_text(&s->arena, m->su, path),
		.limit_ms = FIND_MS,
		.is_repeated = true };
	struct tc_device_result r;
	struct tc_err err = { 0 };
	int status;

	if (tc_session_exec(s, d, &call, &r, &err) < 0) {
		*words = tc_session_print(&s->arena, "%s", err.msg);
		return -1;
	}
	status = r.status;
	*words = tc_session_words(s, &r);
	tc_device_result_release(&r);
	return status ? -1 : 0;
}

static void
move_one(struct tc_session *s, struct tc_session_device *d, const struct move *m,
	const char *from)
{
	const char *dest = free_dest(s, d, m->file->dest), *words = "";
	const char *to = tc_session_print(&s->arena, "%s%s", TC_SESSION_FOLDER, dest);
	int64_t bytes = 0;
	int r = copy(s, d, m, from, to, &bytes, &words);

	if (r != 0) {
		/* Half a copy is worth nothing while the file is there. */
		if (r > 0)
			remove_file(s, d, m, to, &(const char *){ "" });
		put_left(s, d, m, from, r > 0 ? "copy_failed" : "gone", words);
		return;
	}
	if (remove_file(s, d, m, from, &words) < 0)
		put_file(s, d, m, to, from, dest, bytes, "moved", "not_deleted", words);
	else
		put_file(s, d, m, to, from, dest, bytes, "moved", NULL, NULL);
}

/* ---- finding ---- */

struct found {
	const char **paths; /* owned */
	size_t count, cap;
};

static void
take_found(struct tc_session *s, struct found *f, char *line)
{
	char *end;

	for (; (end = strchr(line, '\n')); line = end + 1) {
		*end = '\0';
		if (*line != '/')
			continue;
		tc_mem_grow(&f->paths, &f->cap, f->count + 1, sizeof(*f->paths));
		f->paths[f->count++] = tc_session_print(&s->arena, "%s", line);
	}
}

/* 0 when the device answered; *words when it found fault. */
static int
find(struct tc_session *s, struct tc_session_device *d, const struct move *m,
	const char *text, struct found *f, const char **words)
{
	struct tc_session_call call = { .phase = "find",
		.item = m->item,
		.text = text,
		.limit_ms = FIND_MS,
		.is_repeated = true };
	struct tc_device_result r;
	struct tc_err err = { 0 };

	if (tc_session_exec(s, d, &call, &r, &err) < 0) {
		*words = tc_session_print(&s->arena, "%s", err.msg);
		return -1;
	}
	if (r.status)
		*words = tc_session_words(s, &r);
	take_found(s, f, r.out);
	tc_device_result_release(&r);
	return 0;
}

/* Parts in their order: a shorter name first, and the last has the plain name. */
static int
compare_parts(const void *a, const void *b)
{
	const char *x = *(const char *const *)a, *y = *(const char *const *)b;
	size_t n = strlen(x), m = strlen(y);

	return n != m ? (n < m ? -1 : 1) : strcmp(x, y);
}

static void
sort_parts(struct found *f)
{
	const char *last;

	if (f->count < 2)
		return;
	qsort(f->paths, f->count, sizeof(*f->paths), compare_parts);
	last = f->paths[0];
	memmove(f->paths, f->paths + 1, (f->count - 1) * sizeof(*f->paths));
	f->paths[f->count - 1] = last;
}

/* The first pattern that fits anything counts. */
static int
find_file(struct tc_session *s, struct tc_session_device *d, const struct move *m,
	struct found *f, const char **words)
{
	const struct tc_str *match = m->file->match.items;
	size_t i;
	int r = 0;

	if (tc_session_recorder(&s->arena, &m->item->target)) {
		r = find(s, d, m,
			tc_session_find_recording_text(&s->arena, m->file->path), f,
			words);
		sort_parts(f);
		return r;
	}
	if (!m->file->match.count)
		return find(s, d, m,
			tc_session_find_text(&s->arena, m->su, m->file->path, NULL), f,
			words);
	for (i = 0; i < m->file->match.count && r == 0 && !f->count; i++)
		r = find(s, d, m,
			tc_session_find_text(&s->arena, m->su, m->file->path, &match[i]),
			f, words);
	return r;
}

/* Whether the folder had it before: an earlier try to stop came that far. */
static bool
is_there(struct tc_session *s, struct tc_session_device *d, const struct move *m)
{
	struct tc_rec_file *f;
	bool any = false;
	const char *name;
	unsigned n;
	size_t i;

	for (n = 1; n <= d->file_count; n++) {
		name = tc_session_dest(&s->arena, m->file->dest, n);
		for (i = 0; i < d->file_count; i++) {
			f = &d->files[i];
			if (f->session.p || !tc_str_eq(f->dest, tc_str_of(name)))
				continue;
			f->session = m->item->rec.id;
			put_file(s, d, m, f->path.p,
				tc_session_cstr(&s->arena, m->file->path), name, f->bytes,
				"moved", NULL, NULL);
			any = true;
		}
	}
	return any;
}

/* What is still written to is not moved from under its writer. */
static bool
is_in_use(struct tc_session *s, struct tc_session_device *d, const struct move *m)
{
	if (!m->item->is_unstopped)
		return false;
	put_left(s, d, m, tc_session_cstr(&s->arena, m->file->path), "still_running",
		"it was not stopped: tc-session recover tries again");
	return true;
}

static void
move_file(struct tc_session *s, struct tc_session_device *d, const struct move *m)
{
	struct found f = { 0 };
	const char *words = "no such file";
	bool was_there;
	size_t i;
	int r;

	if (!d->device || tc_session_is_given_up()) {
		put_left(s, d, m, tc_session_cstr(&s->arena, m->file->path),
			d->device ? "gave_up" : "gone",
			"whether it is there was not looked at");
		return;
	}
	if (is_in_use(s, d, m))
		return;
	was_there = is_there(s, d, m);
	r = find_file(s, d, m, &f, &words);
	if (r < 0)
		put_left(s, d, m, tc_session_cstr(&s->arena, m->file->path), "gone",
			words);
	else if (!f.count && !was_there)
		put_missing(s, d, m, "not_found", words);
	for (i = 0; i < f.count; i++)
		if (d->device && !tc_session_is_given_up())
			move_one(s, d, m, f.paths[i]);
		else
			put_left(s, d, m, f.paths[i], d->device ? "gave_up" : "gone",
				"not moved");
	free(f.paths);
}

/* ---- all of them ---- */

static bool
never_ran(const struct tc_session_item *item)
{
	return tc_session_is(item, "failed") && !item->rec.started_at.p;
}

void
tc_session_move_all(struct tc_session *s, struct tc_session_device *d)
{
	struct move m;
	size_t i, j;

	for (i = 0; i < d->item_count; i++) {
		m.item = &d->items[i];
		if (!m.item->is_ours && !m.item->is_other_run)
			continue;
		for (j = 0; j < m.item->target.files.count; j++) {
			m.file = (const struct tc_rec_target_file *)
					 m.item->target.files.items +
				j;
			m.su = false;
			if (m.item->is_other_run) {
				put_missing(s, d, &m, "other_run",
					"the folder is of another run now");
				continue;
			}
			/* What lies there is of another time. */
			if (never_ran(m.item)) {
				put_missing(s, d, &m, "not_started", "it never ran");
				continue;
			}
			m.su = d->device && !tc_session_is_given_up() && has_root(s, d);
			move_file(s, d, &m);
		}
	}
}
