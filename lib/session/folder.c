/* The run's folder on the device, and run.json in it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "err/err.h"
#include "session/priv.h"

enum { PREPARE_MS = 60 * 1000, ANSWER_MS = 20 * 1000 };

/* Of a configuration, when it ends by itself. */
static struct tc_str
end_of_config(struct tc_session *s, const struct tc_rec_target *t)
{
	int64_t ms = tc_session_duration_ms(t);

	if (!ms)
		return (struct tc_str){ 0 };
	return tc_str_of(
		tc_session_print(&s->arena, "\nduration_ms: %lld\n", (long long)ms));
}

/* What ending a session takes; how it was started is not for the device. */
static int
run_text(struct tc_session *s, struct tc_session_device *d, const char *progress,
	const char **text, struct tc_err *err)
{
	struct tc_rec_session *sessions =
		tc_arena_alloc(&s->arena, (d->item_count + 1) * sizeof(*sessions));
	struct tc_rec_target *targets =
		tc_arena_alloc(&s->arena, (d->item_count + 1) * sizeof(*targets));
	struct tc_rec_run run = {
		.run = tc_str_of(d->run),
		.progress = tc_str_of(progress),
		.started_at = tc_str_of(d->started_at),
	};
	char host[256] = "";
	struct tc_str json;
	size_t i, n = 0;

	gethostname(host, sizeof(host) - 1);
	run.host = tc_str_of(host);
	for (i = 0; i < d->item_count; i++) {
		if (d->items[i].is_other_run)
			continue;
		targets[n] = d->items[i].target;
		targets[n].setup = (struct tc_rec_list){ "", 0 };
		if (!tc_session_recorder(&s->arena, &d->items[i].target))
			targets[n].start = (struct tc_str){ 0 };
		targets[n].config = end_of_config(s, &d->items[i].target);
		sessions[n] = d->items[i].rec;
		sessions[n].target = &targets[n];
		n++;
	}
	run.sessions = (struct tc_rec_list){ sessions, n };
	json = tc_rec_text(&tc_rec_run, &run, &s->arena);
	if (json.len >= TC_REC_RUN_MAX)
		return tc_err_named(err, TC_DATA, "too_long",
			"run.json would have more than %d bytes", TC_REC_RUN_MAX);
	*text = tc_session_print(&s->arena, "%s\n", json.p);
	return 0;
}

/* ---- making it ---- */

/* The device is another's for now; who, and what to do. */
static int
busy(struct tc_session *s, struct tc_session_device *d, const char *json, size_t len,
	struct tc_err *err)
{
	struct tc_str text = { json, (uint32_t)len, false };
	struct tc_rec_run run;
	struct tc_err ignored;

	if (tc_rec_get_run(text, &s->arena, &run, &ignored) < 0)
		return tc_err_named(err, TC_AGAIN, "busy",
			"%s: there is a run on it that cannot be read; --discard drops "
			"it",
			d->name);
	return tc_err_named(err, TC_AGAIN, "busy",
		"%s: run %.*s, started on host %.*s, %s; tc-session -d %s recover ends "
		"it and names its files, --discard drops it",
		d->name, (int)run.run.len, run.run.p, (int)run.host.len,
		run.host.p ? run.host.p : "",
		tc_str_eq(run.progress, TC_STR("running")) ? "is going on"
							   : "was not pulled",
		d->name);
}

static int
refused(struct tc_session *s, struct tc_session_device *d,
	const struct tc_device_result *r, struct tc_err *err)
{
	switch (r->status) {
	case TC_SESSION_LOCKED:
		return tc_err_named(err, TC_AGAIN, "busy",
			"%s: another run is starting at this moment: try again; if there "
			"is none, --discard",
			d->name);
	case TC_SESSION_BUSY: return busy(s, d, r->out, r->out_len, err);
	default:
		return tc_err_named(err, TC_NOSERVICE, "not_prepared",
			"%s: the run's folder cannot be made: %s", d->name,
			tc_session_words(s, r));
	}
}

static const char *
key_of(struct tc_session *s, const struct tc_session_device *d)
{
	const char *key = NULL;
	size_t i;

	for (i = 0; i < d->item_count && !key; i++)
		key = tc_session_option(&s->arena, d->items[i].target.start, "detach");
	return key;
}

void
tc_session_plan_prepare(struct tc_session *s, const struct tc_session_device *d,
	struct tc_session_prepare *p)
{
	const char **confs =
		tc_arena_alloc(&s->arena, (d->item_count + 1) * sizeof(*confs));
	const char *conf;
	size_t i, n = 0;

	for (i = 0; i < d->item_count; i++) {
		conf = tc_session_option(&s->arena, d->items[i].target.start, "config");
		if (conf)
			confs[n++] = conf;
	}
	*p = (struct tc_session_prepare){ key_of(s, d), confs, n, s->discard };
}

/* Re-attaching needs the user that started; the last line is the user's id. */
static void
take_user(struct tc_session *s, struct tc_session_device *d,
	const struct tc_device_result *r)
{
	const struct tc_device_result out = { .out = r->out, .out_len = r->out_len };
	const char *start;
	size_t i;

	d->as = strcmp(tc_session_words(s, &out), "0") == 0 ? "adbd" : "shell";
	for (i = 0; i < d->item_count; i++) {
		start = tc_session_cstr(&s->arena, d->items[i].target.start);
		d->items[i].rec.as = tc_str_of(strstr(start, "su root ") ? "su" : d->as);
	}
}

int
tc_session_prepare(struct tc_session *s, struct tc_session_device *d, struct tc_err *err)
{
	struct tc_session_prepare p;
	struct tc_session_call call = { .phase = "prepare", .limit_ms = PREPARE_MS };
	struct tc_device_result r;

	tc_session_plan_prepare(s, d, &p);
	call.text = tc_session_prepare_text(&s->arena, &p);
	if (run_text(s, d, "running", &call.input, err) < 0 ||
		tc_session_exec(s, d, &call, &r, err) < 0)
		return -1;
	if (r.status) {
		refused(s, d, &r, err);
		tc_device_result_release(&r);
		return -1;
	}
	take_user(s, d, &r);
	tc_device_result_release(&r);
	return 0;
}

int
tc_session_note(struct tc_session *s, struct tc_session_device *d, const char *progress,
	struct tc_err *err)
{
	struct tc_session_call call = { .phase = "note",
		.text = tc_session_write_text,
		.limit_ms = ANSWER_MS,
		.is_repeated = true };
	struct tc_device_result r;
	int status;

	if (run_text(s, d, progress, &call.input, err) < 0 ||
		tc_session_exec(s, d, &call, &r, err) < 0)
		return -1;
	status = r.status;
	if (status)
		tc_err_named(err, TC_NOSERVICE, "not_noted",
			"%s: run.json cannot be written: %s", d->name,
			tc_session_words(s, &r));
	tc_device_result_release(&r);
	return status ? -1 : 0;
}

/* ---- reading it ---- */

int
tc_session_load(struct tc_session *s, struct tc_session_device *d, struct tc_rec_run *run,
	struct tc_err *err)
{
	struct tc_session_call call = { .phase = "read",
		.text = tc_session_read_text,
		.limit_ms = ANSWER_MS,
		.is_repeated = true };
	struct tc_device_result r;
	int got = -1;

	if (tc_session_exec(s, d, &call, &r, err) < 0)
		return -1;
	if (r.status)
		tc_err_named(err, TC_NOSERVICE, "not_read",
			"%s: run.json cannot be read: %s", d->name,
			tc_session_words(s, &r));
	else if (!r.out_len)
		got = 0;
	else if (tc_rec_get_run((struct tc_str){ r.out, (uint32_t)r.out_len, false },
			 &s->arena, run, err) == 0)
		got = 1;
	else
		tc_err_add(err, "%s: run.json", d->name);
	tc_device_result_release(&r);
	return got;
}

/* A line "SIZE PATH" of the list. */
static void
add_listed(struct tc_session *s, struct tc_session_device *d, char *line)
{
	static const size_t folder = sizeof(TC_SESSION_FOLDER) - 1;
	struct tc_rec_file *f;
	char *path;
	long long bytes = strtoll(line, &path, 10);

	if (path == line || *path++ != ' ' || bytes < 0 ||
		strncmp(path, TC_SESSION_FOLDER, folder) != 0 ||
		strchr(path + folder, '/') ||
		tc_rec_is_run_file(tc_str_of(path + folder)))
		return;
	tc_mem_grow(&d->files, &d->file_cap, d->file_count + 1, sizeof(*d->files));
	f = &d->files[d->file_count++];
	tc_rec_init(&tc_rec_file, f);
	f->path = tc_str_of(tc_session_print(&s->arena, "%s", path));
	f->dest = tc_str_of(f->path.p + folder);
	f->bytes = bytes;
}

int
tc_session_list(struct tc_session *s, struct tc_session_device *d, struct tc_err *err)
{
	struct tc_session_call call = { .phase = "list",
		.text = tc_session_list_text,
		.limit_ms = ANSWER_MS,
		.is_repeated = true };
	struct tc_device_result r;
	char *line, *end;

	if (tc_session_exec(s, d, &call, &r, err) < 0)
		return -1;
	d->file_count = 0;
	for (line = r.out; (end = strchr(line, '\n')); line = end + 1) {
		*end = '\0';
		add_listed(s, d, line);
	}
	tc_device_result_release(&r);
	return 0;
}
