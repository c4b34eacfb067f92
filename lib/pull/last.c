/* The folder of the last run on a device. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "err/err.h"
#include "pull/priv.h"

#define RUN_FILE TC_REC_RUN_FILE

/* More than that long no id is. */
enum { ID_MAX = 128 };

/* What run.json says should be there. */
struct expected {
	struct tc_str session, dest;
	bool is_there;
};

struct reading {
	struct tc_device *d;
	struct tc_arena *arena;
	int stop_fd;
	struct tc_rec_run run; /* all in the arena */
	struct tc_str device;
	struct tc_strtab names;
	struct expected *expected;
	uint32_t *first; /* by the id of a name, of those that are expected of */
	size_t count;
	size_t named; /* names up to this id are expected */
};

/* A run.json that makes no sense is no reason to leave the files. */
static void
understand(struct reading *x, const struct tc_device_result *result)
{
	struct tc_str text = { result->out, (uint32_t)result->out_len, false };
	struct tc_err ignored;

	tc_rec_init(&tc_rec_run, &x->run);
	if (result->status == 0)
		tc_rec_get_run(text, x->arena, &x->run, &ignored);
}

static void
expect(struct reading *x, struct tc_str session, struct tc_str dest)
{
	size_t known = x->names.count;

	if (!dest.p || !tc_pull_is_name(dest))
		return;
	if (tc_strtab_id(&x->names, dest) > known)
		x->first[known] = (uint32_t)x->count;
	x->expected[x->count++] = (struct expected){ session, dest, false };
}

/* The files of all sessions. */
static void
expect_all(struct reading *x)
{
	const struct tc_rec_session *sessions = x->run.sessions.items;
	const struct tc_rec_target_file *files;
	size_t i, j, all = 0;

	for (i = 0; i < x->run.sessions.count; i++)
		all += sessions[i].target ? sessions[i].target->files.count : 0;
	x->expected = tc_arena_alloc(x->arena, (all + 1) * sizeof(*x->expected));
	x->first = tc_arena_alloc(x->arena, (all + 1) * sizeof(*x->first));
	for (i = 0; i < x->run.sessions.count; i++) {
		if (!sessions[i].target)
			continue;
		files = sessions[i].target->files.items;
		for (j = 0; j < sessions[i].target->files.count; j++)
			expect(x, sessions[i].id, files[j].dest);
	}
	x->named = x->names.count;
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
	uint32_t id = tc_strtab_id(&x->names, dest);

	return id > x->named ? NULL : &x->expected[x->first[id - 1]];
}

static void
put_file(struct reading *x, struct tc_rec_file *f, struct expected *e, struct tc_str dest,
	int64_t bytes)
{
	size_t size = sizeof(TC_REC_RUN_FOLDER) + dest.len + 1;
	char *path = tc_arena_alloc(x->arena, size);

	snprintf(path, size, "%s/%.*s", TC_REC_RUN_FOLDER, (int)dest.len, dest.p);
	tc_rec_init(&tc_rec_file, f);
	f->run = x->run.run;
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

static int
list(struct reading *x, struct tc_pull_last *last, struct tc_err *err)
{
	struct tc_wait w = tc_pull_answer_wait(x->stop_fd);
	struct tc_device_entry *entries;
	struct tc_str name;
	size_t count, i;
	int r = tc_device_list_dir(
		x->d, TC_REC_RUN_FOLDER, &w, x->arena, &entries, &count, err);

	if (r < 0)
		return -1;
	if (r == 0)
		return tc_err_named(err, TC_NOINPUT, "not_found",
			"%s: there is no last run (%s)", tc_device_name(x->d),
			TC_REC_RUN_FOLDER);
	last->files =
		tc_arena_alloc(x->arena, (count + x->count + 1) * sizeof(*last->files));
	for (i = 0; i < count; i++) {
		name = tc_str_of(entries[i].name);
		if (S_ISREG(entries[i].st.mode) && !tc_rec_is_run_file(name))
			put_file(x, &last->files[last->count++], find(x, name), name,
				entries[i].st.size);
	}
	for (i = 0; i < x->count; i++)
		if (!x->expected[i].is_there)
			put_file(x, &last->files[last->count++], &x->expected[i],
				x->expected[i].dest, TC_NONE);
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
	x.device = tc_arena_str(arena, tc_str_of(tc_device_name(x.d)));
	r = read_run_file(&x, err);
	/* What a run is to leave is not there before it has ended. */
	if (r == 0 && tc_str_eq(x.run.progress, TC_STR("running")))
		r = tc_err_named(err, TC_AGAIN, "busy",
			"%.*s: run %.*s is going on or was left: tc-session recover ends "
			"it",
			(int)x.device.len, x.device.p, (int)x.run.run.len,
			x.run.run.p ? x.run.run.p : "");
	if (r == 0) {
		expect_all(&x);
		r = list(&x, last, err);
	}
	tc_strtab_release(&x.names);
	tc_device_close(x.d);
	return r;
}

/* ---- whose it is ---- */

bool
tc_pull_is_id(const char *run)
{
	size_t len = strlen(run);

	return len && len <= ID_MAX &&
		strspn(run,
			"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
			"0123456789-_.:") == len;
}

bool
tc_pull_is_in_folder(const struct tc_pull_job *job)
{
	size_t len = sizeof(TC_REC_RUN_FOLDER) - 1;

	return strncmp(job->source, TC_REC_RUN_FOLDER, len) == 0 &&
		job->source[len] == '/';
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
	*run = x.run.run;
	return r < 0 ? -1 : run->p != NULL;
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
		!tc_pull_is_id(run))
		return command;
	size = strlen(command) + strlen(run) + 256;
	text = tc_arena_alloc(&job->arena, size);
	snprintf(text, size,
		"if [ ! -e '" RUN_FILE "' ] || grep -Fqs '\"run\":\"%s\"' '" RUN_FILE
		"'; then %s; else (exit %d); fi",
		run, command, TC_PULL_OTHER_RUN);
	return text;
}
