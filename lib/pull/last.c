/* The folder of the last run on a device. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "err/err.h"
#include "pull/priv.h"

#define RUN_FILE TC_PULL_FOLDER "/run.json"

/* A run has a dozen sessions of some kilobytes. */
enum { RUN_FILE_MAX = 4 << 20, ID_MAX = 128 };

/* What run.json says should be there. */
struct expected {
	struct tc_str session, dest;
	bool is_there;
};

struct reading {
	struct tc_device *d;
	struct tc_arena *arena;
	int stop_fd;
	struct tc_str run, device;
	bool is_running;
	struct expected *expected; /* in the arena */
	size_t count;
};

static struct tc_str
kept(struct tc_arena *arena, struct tc_str s)
{
	return (struct tc_str){ s.p ? tc_arena_dup(arena, s.p, s.len) : NULL, s.len,
		false };
}

static struct tc_str
text_member(struct tc_json_val obj, const char *key)
{
	struct tc_str s = { 0 };

	if (tc_json_is_obj(obj))
		tc_json_get_str(tc_json_member(obj, key), &s);
	return s;
}

/* The files of one session, *cap of which there is room for. */
static void
expect(struct reading *x, struct tc_json_val session, size_t *cap)
{
	struct tc_json_val target = { NULL }, files = { NULL }, file;
	struct tc_json_iter it;
	struct tc_str key, id = text_member(session, "id"), dest;
	struct expected *more;

	if (tc_json_is_obj(session))
		target = tc_json_member(session, "target");
	if (tc_json_is_obj(target))
		files = tc_json_member(target, "files");
	if (!tc_json_is_arr(files))
		return;
	for (it = tc_json_iter(files); tc_json_next(&it, &key, &file);) {
		dest = text_member(file, "dest");
		if (!dest.p || !tc_pull_is_name(dest))
			continue;
		if (x->count == *cap) {
			*cap = *cap ? *cap * 2 : 16;
			more = tc_arena_calloc(x->arena, *cap * sizeof(*more));
			if (x->count)
				memcpy(more, x->expected, x->count * sizeof(*more));
			x->expected = more;
		}
		x->expected[x->count++] = (struct expected){ kept(x->arena, id),
			kept(x->arena, dest), false };
	}
}

/* A run.json that makes no sense is no reason to leave the files. */
static void
understand(struct reading *x, const struct tc_device_result *result)
{
	struct tc_json json = { 0 };
	struct tc_json_val root, sessions, session;
	struct tc_json_iter it;
	struct tc_err ignored;
	struct tc_str key;
	size_t cap = 0;

	if (result->status == 0 && result->out_len <= RUN_FILE_MAX &&
		tc_json_parse(&json,
			(struct tc_str){ result->out, (uint32_t)result->out_len, false },
			&root, &ignored) == 0 &&
		tc_json_is_obj(root)) {
		x->run = kept(x->arena, text_member(root, "run"));
		x->is_running =
			tc_str_eq(text_member(root, "progress"), TC_STR("running"));
		sessions = tc_json_member(root, "sessions");
		if (tc_json_is_arr(sessions))
			for (it = tc_json_iter(sessions);
				tc_json_next(&it, &key, &session);)
				expect(x, session, &cap);
	}
	tc_json_release(&json);
}

static int
read_run_file(struct reading *x, struct tc_err *err)
{
	struct tc_wait w = tc_pull_answer_wait(x->stop_fd);
	struct tc_device_result result;

	if (tc_device_run(x->d, "cat '" RUN_FILE "'", NULL, &w, &result, err) < 0)
		return -1;
	understand(x, &result);
	tc_device_result_release(&result);
	return 0;
}

/* The one that this name is expected of, or NULL. */
static struct expected *
find(struct reading *x, struct tc_str dest)
{
	size_t i;

	for (i = 0; i < x->count; i++)
		if (tc_str_eq(x->expected[i].dest, dest))
			return &x->expected[i];
	return NULL;
}

static void
put_file(struct reading *x, struct tc_rec_file *f, struct tc_str dest, int64_t bytes)
{
	size_t size = sizeof(TC_PULL_FOLDER) + dest.len + 1;
	char *path = tc_arena_alloc(x->arena, size);
	struct expected *e = find(x, dest);

	snprintf(path, size, "%s/%.*s", TC_PULL_FOLDER, (int)dest.len, dest.p);
	tc_rec_init(&tc_rec_file, f);
	f->run = x->run;
	f->session = e ? e->session : (struct tc_str){ 0 };
	f->device = x->device;
	f->path = f->origin = tc_str_of(path);
	f->dest = dest;
	f->bytes = bytes;
	f->state = bytes == TC_NONE ? TC_STR("missing") : TC_STR("moved");
	if (e)
		e->is_there = true;
}

static int
by_name(const void *a, const void *b)
{
	const struct tc_rec_file *x = a, *y = b;

	return tc_str_compare(x->dest, y->dest);
}

/* What keeps the account, and its next version. */
static bool
is_ours(const char *name)
{
	return strcmp(name, "run.json") == 0 || strcmp(name, "run.json.new") == 0;
}

static int
list(struct reading *x, struct tc_pull_last *last, struct tc_err *err)
{
	struct tc_wait w = tc_pull_answer_wait(x->stop_fd);
	struct tc_device_entry *entries;
	size_t count, i;
	int r = tc_device_list_dir(
		x->d, TC_PULL_FOLDER, &w, x->arena, &entries, &count, err);

	if (r < 0)
		return -1;
	if (r == 0)
		return tc_err_named(err, TC_NOINPUT, "not_found",
			"%s: there is no last run (%s)", tc_device_name(x->d),
			TC_PULL_FOLDER);
	last->files =
		tc_arena_alloc(x->arena, (count + x->count + 1) * sizeof(*last->files));
	for (i = 0; i < count; i++)
		if (S_ISREG(entries[i].st.mode) && !is_ours(entries[i].name))
			put_file(x, &last->files[last->count++],
				tc_str_of(entries[i].name), entries[i].st.size);
	for (i = 0; i < x->count; i++)
		if (!x->expected[i].is_there)
			put_file(x, &last->files[last->count++], x->expected[i].dest,
				TC_NONE);
	qsort(last->files, last->count, sizeof(*last->files), by_name);
	return 0;
}

int
tc_pull_last(const char *device, int stop_fd, struct tc_arena *arena,
	struct tc_pull_last *last, struct tc_err *err)
{
	struct tc_wait w = tc_pull_open_wait(stop_fd);
	struct reading x = { .arena = arena, .stop_fd = stop_fd };
	int r;

	*last = (struct tc_pull_last){ 0 };
	if (tc_device_open(&x.d, device, &w, err) < 0)
		return -1;
	x.device = kept(arena, tc_str_of(tc_device_name(x.d)));
	r = read_run_file(&x, err);
	/* What a run is to leave is not there before it has ended. */
	if (r == 0 && x.is_running)
		r = tc_err_named(err, TC_AGAIN, "busy",
			"%.*s: run %.*s is going on or was left: tc-session recover ends "
			"it",
			(int)x.device.len, x.device.p, (int)x.run.len,
			x.run.p ? x.run.p : "");
	if (r == 0)
		r = list(&x, last, err);
	tc_device_close(x.d);
	return r;
}

/* Ids are made of digits, letters and dashes; others nobody made. */
static bool
is_id(const char *run)
{
	size_t len = strlen(run);

	return len && len <= ID_MAX &&
		strspn(run,
			"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
			"0123456789-_.:") == len;
}

/* ---- whose it is ---- */

bool
tc_pull_is_in_folder(const struct tc_pull_job *job)
{
	size_t len = sizeof(TC_PULL_FOLDER) - 1;

	return strncmp(job->source, TC_PULL_FOLDER, len) == 0 && job->source[len] == '/';
}

int
tc_pull_folder_run(struct tc_device *d, int stop_fd, struct tc_arena *arena,
	struct tc_str *run, struct tc_err *err)
{
	struct tc_wait w = tc_pull_answer_wait(stop_fd);
	struct reading x = { .arena = arena };
	struct tc_device_result result;
	int r = 0;

	if (tc_device_run(d, "[ ! -e '" RUN_FILE "' ] || cat '" RUN_FILE "'", NULL, &w,
		    &result, err) < 0)
		return -1;
	if (result.status)
		r = tc_err_named(err, TC_IO, "no_permission",
			"%s cannot be read, and whose files these are is not known",
			RUN_FILE);
	else
		understand(&x, &result);
	tc_device_result_release(&result);
	*run = x.run;
	return r < 0 ? -1 : x.run.p != NULL;
}

int
tc_pull_other_run(const struct tc_pull_job *job, struct tc_str run, struct tc_err *err)
{
	return tc_err_named(err, TC_IO, "other_run",
		"%s: of run %.*s, and the folder is of %s%.*s now", job->source,
		(int)job->file.run.len, job->file.run.p, run.p ? "run " : "another run",
		(int)run.len, run.p ? run.p : "");
}

const char *
tc_pull_guarded(struct tc_pull_job *job, const char *command)
{
	const char *run = job->file.run.p;
	size_t size;
	char *text;

	if (!run || !tc_pull_is_in_folder(job) || strlen(run) != job->file.run.len ||
		!is_id(run))
		return command;
	size = strlen(command) + strlen(run) + 256;
	text = tc_arena_alloc(&job->arena, size);
	snprintf(text, size,
		"if [ ! -e '" RUN_FILE "' ] || grep -Fqs '\"run\":\"%s\"' '" RUN_FILE
		"'; then %s; else (exit %d); fi",
		run, command, TC_PULL_OTHER_RUN);
	return text;
}

int
tc_pull_mark(const char *device, const char *run, int stop_fd, struct tc_err *err)
{
	struct tc_wait w = tc_pull_open_wait(stop_fd);
	struct tc_device_result result;
	struct tc_device *d;
	char command[512];
	int r;

	if (!is_id(run))
		return 0;
	snprintf(command, sizeof(command),
		"if grep -Fqs '\"run\":\"%s\"' '" RUN_FILE "'; then sed -i "
		"'s/\"progress\":\"unpulled\"/\"progress\":\"pulled\"/' '" RUN_FILE
		"'; fi",
		run);
	if (tc_device_open(&d, device, &w, err) < 0)
		return -1;
	w = tc_pull_answer_wait(stop_fd);
	r = tc_device_run(d, command, NULL, &w, &result, err);
	if (r == 0) {
		if (result.status)
			r = tc_err_named(err, TC_IO, "not_noted",
				"%s: %s cannot be written", device, RUN_FILE);
		tc_device_result_release(&result);
	}
	tc_device_close(d);
	return r;
}
