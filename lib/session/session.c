#include "session/session.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"
#include "err/err.h"
#include "io/io.h"
#include "session/priv.h"

/* ---- what is to be done ---- */

struct tc_session_device *
tc_session_device_of(struct tc_session *s, struct tc_str name)
{
	struct tc_session_device *d;
	size_t i;

	if (!name.p)
		name = tc_str_of(s->name);
	for (i = 0; i < s->device_count; i++)
		if (tc_str_eq(tc_str_of(s->devices[i].name), name))
			return &s->devices[i];
	tc_mem_grow(&s->devices, &s->device_cap, s->device_count + 1, sizeof(*d));
	d = &s->devices[s->device_count++];
	*d = (struct tc_session_device){ .name = tc_session_cstr(&s->arena, name) };
	return d;
}

struct tc_session_item *
tc_session_add_item(struct tc_session *s, struct tc_session_device *d)
{
	struct tc_session_item *item;

	tc_mem_grow(&d->items, &d->item_cap, d->item_count + 1, sizeof(*item));
	item = &d->items[d->item_count++];
	*item = (struct tc_session_item){ 0 };
	tc_rec_init(&tc_rec_session, &item->rec);
	s->item_count++;
	return item;
}

/* A word that can be a file's name on the device. */
static bool
is_word(struct tc_str s)
{
	static const char allowed[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
	size_t i;

	if (!s.p || !s.len || s.len > 128 || s.p[0] == '.')
		return false;
	for (i = 0; i < s.len; i++)
		if (!memchr(allowed, s.p[i], sizeof(allowed) - 1))
			return false;
	return true;
}

static bool
is_text(struct tc_str s)
{
	return s.p && memchr(s.p, '\0', s.len) == NULL;
}

static bool
has_texts(struct tc_rec_list list)
{
	const struct tc_str *items = list.items;
	size_t i;

	for (i = 0; i < list.count; i++)
		if (!is_text(items[i]))
			return false;
	return true;
}

static int
check_file(const struct tc_rec_target_file *f, struct tc_err *err)
{
	if (!is_text(f->path) || f->path.len == 0 || f->path.p[0] != '/')
		return tc_err_set(err, TC_DATA, "the path of a file is not absolute");
	if (!is_word(f->dest) || tc_rec_is_run_file(f->dest))
		return tc_err_set(err, TC_DATA, "dest is not a name for a file");
	if (!has_texts(f->match))
		return tc_err_set(err, TC_DATA, "match is not a list of names");
	return 0;
}

static int
check(const struct tc_session *s, const struct tc_rec_target *t, bool is_new,
	struct tc_err *err)
{
	const struct tc_rec_target_file *files = t->files.items;
	size_t i;

	if (s->item_count >= TC_SESSION_MAX)
		return tc_err_set(err, TC_DATA, "more than %d targets", TC_SESSION_MAX);
	if (!is_word(t->name))
		return tc_err_set(err, TC_DATA, "a target without a usable name");
	if (!has_texts(t->setup) || !is_text(t->stop) || (is_new && !is_text(t->start)))
		return tc_err_set(err, TC_DATA, "%.*s: setup, start or stop is missing",
			(int)t->name.len, t->name.p);
	for (i = 0; i < t->files.count; i++)
		if (check_file(&files[i], err) < 0)
			return tc_err_add(err, "%.*s", (int)t->name.len, t->name.p);
	return 0;
}

int
tc_session_add_target(
	struct tc_session *s, const struct tc_rec_target *t, struct tc_err *err)
{
	struct tc_session_item *item;

	if (check(s, t, true, err) < 0)
		return -1;
	if (!tc_str_eq(t->mode, tc_str_of(s->takes)))
		return tc_err_set(err, TC_DATA, "%.*s: its mode is not %s: %s",
			(int)t->name.len, t->name.p, s->takes,
			strcmp(s->takes, "dump") == 0
				? "tc-session run, or start, is for traces"
				: "tc-session dump is for dumps");
	item = tc_session_add_item(s, tc_session_device_of(s, t->device));
	tc_rec_keep(&tc_rec_target, t, &s->arena, &item->target);
	item->rec.name = item->target.name;
	return 0;
}

/* A later record of a session says more than an earlier one. */
static struct tc_session_item *
item_of(struct tc_session *s, struct tc_session_device *d, struct tc_str id)
{
	size_t i;

	for (i = 0; i < d->item_count; i++)
		if (tc_str_eq(d->items[i].rec.id, id))
			return &d->items[i];
	return tc_session_add_item(s, d);
}

/* Settings of a record go back into commands. */
static int
check_session(
	const struct tc_session *s, const struct tc_rec_session *r, struct tc_err *err)
{
	const struct tc_rec_session_setting *list = r->restore.items;
	size_t i;

	if (!r->target || !is_text(r->id) || !r->id.len || !r->state.p)
		return tc_err_set(
			err, TC_DATA, "a session without an id, a state or a target");
	for (i = 0; i < r->restore.count; i++)
		if (!is_word(list[i].space) || !is_text(list[i].key) ||
			!is_text(list[i].value))
			return tc_err_set(err, TC_DATA, "restore is no list of settings");
	return check(s, r->target, false, err);
}

static void
take_session(struct tc_session *s, struct tc_session_item *item,
	const struct tc_rec_session *r)
{
	tc_rec_keep(&tc_rec_session, r, &s->arena, &item->rec);
	item->target = *item->rec.target;
	if (!item->target.setup.items)
		item->target.setup = (struct tc_rec_list){ "", 0 };
	item->is_ours = true;
	item->may_run = tc_str_eq(r->state, TC_STR("started")) ||
		tc_str_eq(r->state, TC_STR("lost")) ||
		(tc_str_eq(r->state, TC_STR("failed")) && !r->stopped_at.p &&
			r->started_at.p);
}

int
tc_session_add_session(
	struct tc_session *s, const struct tc_rec_session *r, struct tc_err *err)
{
	struct tc_session_device *d;

	if (check_session(s, r, err) < 0)
		return -1;
	d = tc_session_device_of(s, r->device);
	take_session(s, item_of(s, d, r->id), r);
	return 0;
}

void
tc_session_add_device(struct tc_session *s, const struct tc_rec_device *r)
{
	struct tc_session_device *d;

	if (!r->device.p || s->device_count >= TC_SESSION_MAX)
		return;
	d = tc_session_device_of(s, r->device);
	if (tc_str_eq(r->root, TC_STR("su")))
		d->likely_root = TC_SESSION_ROOT_SU;
	else if (r->root.p)
		d->likely_root = TC_SESSION_ROOT_NONE;
	if (r->model.p && r->model.len)
		d->model = tc_session_cstr(&s->arena, r->model);
	d->is_likely_adbd = tc_str_eq(r->root, TC_STR("adbd"));
}

/* ---- the modes ---- */

static void
begin(struct tc_session *s, struct tc_out *out)
{
	struct timespec ts;
	struct tm tm;
	char when[32];

	s->out = out;
	clock_gettime(CLOCK_REALTIME, &ts);
	gmtime_r(&ts.tv_sec, &tm);
	strftime(when, sizeof(when), "%Y%m%dT%H%M%SZ", &tm);
	s->run = tc_session_print(&s->arena, "%s-%06llx", when,
		(unsigned long long)(tc_mem_hash(
					     (uint64_t)ts.tv_nsec, (uint64_t)getpid()) &
			0xffffff));
	if (!s->dry_run)
		tc_session_signals_begin();
}

/* Names for what is new: of the run, and of the sessions in it. */
static void
name_items(struct tc_session *s)
{
	struct tc_session_device *d;
	size_t i, j, n = 0;

	for (i = 0; i < s->device_count; i++) {
		d = &s->devices[i];
		d->run = s->run;
		d->started_at = tc_session_now(s).p;
		for (j = 0; j < d->item_count; j++) {
			d->items[j].rec.run = tc_str_of(s->run);
			d->items[j].rec.id = tc_str_of(
				tc_session_print(&s->arena, "%s.%zu", s->run, ++n));
			/* For run.json, from before the first start on. */
			d->items[j].rec.state = TC_STR("started");
			d->items[j].rec.target = &d->items[j].target;
		}
	}
}

/* Who reads of files goes to the device: it is free by then. */
static void
close_all(struct tc_session *s)
{
	size_t i;

	for (i = 0; i < s->device_count; i++) {
		tc_device_close(s->devices[i].device);
		s->devices[i].device = NULL;
	}
	for (i = 0; i < s->file_count; i++)
		tc_rec_put(s->out, &tc_rec_file, &s->files[i]);
	s->file_count = 0;
}

/* The status; -1 when there is not one device that could be worked with. */
static int
status(struct tc_session *s, struct tc_err *err)
{
	const struct tc_session_device *d, *first = NULL;
	size_t i, used = 0, failed = 0;

	for (i = 0; i < s->device_count; i++) {
		d = &s->devices[i];
		used += d->item_count > 0 || d->has_failed;
		if (!d->has_failed)
			continue;
		failed++;
		if (!first)
			first = d;
	}
	close_all(s);
	if (first && failed == used) {
		*err = first->why;
		return -1;
	}
	return s->is_partial || failed ? TC_PARTIAL : TC_OK;
}

static void
fail(struct tc_session *s, struct tc_session_device *d, const struct tc_err *why)
{
	d->has_failed = true;
	d->why = *why;
	tc_session_put_error(s, d, tc_err_what(why), why->msg);
}

/* After the second signal: what is left, and how to get it. */
static void
name_what_is_left(struct tc_session *s, struct tc_session_device *d)
{
	const char *names = NULL;
	struct tc_session_item *item;
	size_t i;

	for (i = 0; i < d->item_count; i++) {
		item = &d->items[i];
		if (!item->is_ours || item->is_ended)
			continue;
		names = tc_session_print(&s->arena, "%s%s%.*s", names ? names : "",
			names ? ", " : "", (int)item->rec.name.len, item->rec.name.p);
		tc_session_set(
			s, item, "lost", "gave_up", "stopped waiting for it to end");
		tc_session_put(s, d, item);
	}
	tc_cli_diag(s->cli, TC_ERROR, "left_behind", d->name,
		"given up; %s%s; tc-session -d %s recover ends and saves what is left",
		names ? "still running: " : "not all files are moved", names ? names : "",
		d->name);
}

static const char *
progress_of(const struct tc_session_device *d)
{
	size_t i;

	for (i = 0; i < d->item_count; i++)
		if (!d->items[i].is_ours && d->items[i].may_run)
			return "running";
	/* Nothing has to be pulled where nothing is. */
	return d->has_files ? "unpulled" : "pulled";
}

/* Stops, moves, notes; for all devices that are open, or were. */
static void
finish(struct tc_session *s, const char *progress)
{
	struct tc_session_device *d;
	struct tc_err err = { 0 };
	size_t i;

	for (i = 0; i < s->device_count; i++)
		if (!s->devices[i].has_failed)
			tc_session_stop_all(s, &s->devices[i]);
	for (i = 0; i < s->device_count; i++) {
		d = &s->devices[i];
		if (d->has_failed || !d->item_count)
			continue;
		tc_session_move_all(s, d);
		if (d->is_lost) {
			tc_err_named(&err, TC_NOSERVICE, "gone",
				"%s did not come back; tc-session -d %s recover saves "
				"what is on it",
				d->name, d->name);
			fail(s, d, &err);
		} else if (tc_session_is_given_up())
			name_what_is_left(s, d);
		else if (d->run &&
			tc_session_note(
				s, d, progress ? progress : progress_of(d), &err) < 0)
			tc_session_put_error(s, d, tc_err_what(&err), err.msg);
	}
}

static void
start_everywhere(struct tc_session *s,
	void (*start)(struct tc_session *s, struct tc_session_device *d))
{
	size_t i;

	name_items(s);
	for (i = 0; i < s->device_count; i++)
		if (s->devices[i].item_count && tc_session_begin(s, &s->devices[i]) == 0)
			start(s, &s->devices[i]);
	tc_session_is_unread(s);
}

/* Ctrl-C comes too early before, and who waits wants to know. */
static void
say_recording(struct tc_session *s)
{
	const char *names = NULL, *how = "";
	struct tc_session_device *d;
	size_t i;

	if (!tc_cli_is_watched() || tc_session_is_stopped())
		return;
	for (i = 0; i < s->device_count; i++) {
		d = &s->devices[i];
		if (tc_session_runs(d))
			names = tc_session_print(&s->arena, "%s%s%s", names ? names : "",
				names ? ", " : "", d->model ? d->model : d->name);
	}
	if (!names)
		return;
	if (s->for_ms)
		how = tc_session_print(&s->arena, " for %g s", (double)s->for_ms / 1000);
	tc_cli_diag(s->cli, TC_NOTE, "recording", NULL,
		"recording on %s%s: Ctrl-C stops and saves", names, how);
}

int
tc_session_start(struct tc_session *s, struct tc_out *out, struct tc_err *err)
{
	begin(s, out);
	if (s->dry_run) {
		tc_session_dry(s, TC_SESSION_START);
		return TC_OK;
	}
	start_everywhere(s, tc_session_start_all);
	/* Nobody will be told to stop it; or there is nothing to be stopped. */
	if (tc_session_is_unread(s) || !tc_session_any_runs(s))
		finish(s, NULL);
	return status(s, err);
}

/* While one device is asked something, nobody asks another whether it is alive. */
static bool
has_one_device(const struct tc_session *s)
{
	size_t i, used = 0;

	for (i = 0; i < s->device_count; i++)
		used += s->devices[i].item_count > 0;
	return used == 1;
}

int
tc_session_run(struct tc_session *s, struct tc_out *out, struct tc_err *err)
{
	begin(s, out);
	if (s->dry_run) {
		tc_session_dry(s, TC_SESSION_RUN);
		return TC_OK;
	}
	s->keeps = has_one_device(s);
	start_everywhere(s, tc_session_start_all);
	say_recording(s);
	tc_session_watch(s);
	finish(s, NULL);
	return status(s, err);
}

int
tc_session_dump(struct tc_session *s, struct tc_out *out, struct tc_err *err)
{
	begin(s, out);
	if (s->dry_run) {
		tc_session_dry(s, TC_SESSION_DUMP);
		return TC_OK;
	}
	start_everywhere(s, tc_session_dump_all);
	finish(s, NULL);
	return status(s, err);
}

/* ---- with sessions that another process started ---- */

/* What run.json knows, and the records did not bring. */
static void
merge(struct tc_session *s, struct tc_session_device *d, const struct tc_rec_run *run)
{
	const struct tc_rec_session *list = run->sessions.items;
	struct tc_session_item *item;
	struct tc_err err;
	size_t i, before;

	for (i = 0; i < run->sessions.count; i++) {
		if (check_session(s, &list[i], &err) < 0)
			continue;
		before = d->item_count;
		item = item_of(s, d, list[i].id);
		if (d->item_count != before) {
			take_session(s, item, &list[i]);
			item->is_ours = false;
		} else if (!item->target.start.p)
			item->target.start = list[i].target->start;
	}
	d->run = tc_session_cstr(&s->arena, run->run);
	d->started_at = tc_session_cstr(&s->arena, run->started_at);
}

/*
 * The sessions that are not of the run that has the folder now. What starts and stops
 * has no names of its own for each run, and neither do files: whatever is there now is
 * the other run's. How many are left.
 */
static size_t
set_aside(struct tc_session *s, struct tc_session_device *d, const struct tc_rec_run *run)
{
	const char *why = tc_session_print(&s->arena, "the folder is of run %s now",
		tc_session_cstr(&s->arena, run->run));
	struct tc_session_item *item;
	size_t i, left = 0;

	for (i = 0; i < d->item_count; i++) {
		item = &d->items[i];
		if (tc_str_eq(item->rec.run, run->run)) {
			left++;
			continue;
		}
		item->is_other_run = true;
		item->is_ours = false;
		if (item->may_run)
			tc_session_end(s, d, item, "lost", "other_run", why);
	}
	if (left < d->item_count) {
		tc_session_put_error(s, d, "other_run", why);
		tc_cli_diag(s->cli, TC_ERROR, "other_run", d->name, "%s", why);
	}
	return left;
}

static void
take_as(struct tc_session_device *d)
{
	size_t i;

	d->as = "shell";
	for (i = 0; i < d->item_count; i++)
		if (tc_str_eq(d->items[i].rec.as, TC_STR("adbd")))
			d->as = "adbd";
}

static void
lose_all(struct tc_session *s, struct tc_session_device *d, const struct tc_err *why)
{
	size_t i;

	for (i = 0; i < d->item_count; i++) {
		tc_session_set(s, &d->items[i], "lost", tc_err_what(why), why->msg);
		tc_session_put(s, d, &d->items[i]);
	}
}

static void
resume(struct tc_session *s, struct tc_session_device *d)
{
	struct tc_err err = { 0 };
	struct tc_rec_run run;
	int r;

	if (tc_session_open(s, d, tc_session_give_up_fd(), &err) < 0 ||
		(r = tc_session_load(s, d, &run, &err)) < 0 ||
		tc_session_list(s, d, &err) < 0) {
		fail(s, d, &err);
		lose_all(s, d, &err);
		return;
	}
	if (r == 0)
		tc_cli_diag(s->cli, TC_WARNING, "not_found", d->name,
			"the run's folder has no run.json any more");
	else if (set_aside(s, d, &run))
		merge(s, d, &run);
	take_as(d);
}

int
tc_session_stop(struct tc_session *s, struct tc_out *out, struct tc_err *err)
{
	size_t i;

	begin(s, out);
	if (s->dry_run) {
		tc_session_dry(s, TC_SESSION_STOP);
		return TC_OK;
	}
	for (i = 0; i < s->device_count; i++)
		if (s->devices[i].item_count)
			resume(s, &s->devices[i]);
	finish(s, NULL);
	return status(s, err);
}

/* Files of the folder that belong to none of the sessions. */
static void
put_others(struct tc_session *s, struct tc_session_device *d)
{
	struct tc_rec_file *f;
	size_t i;

	for (i = 0; i < d->file_count; i++) {
		f = &d->files[i];
		if (f->session.p)
			continue;
		f->run = tc_str_of(d->run);
		f->device = tc_str_of(d->name);
		f->origin = f->path;
		f->as = tc_str_of(d->as);
		f->state = TC_STR("moved");
		tc_session_put_file(s, f);
	}
}

/* 1 when there is something to be recovered, 0, or -1. */
static int
load_run(struct tc_session *s, struct tc_session_device *d, struct tc_err *err)
{
	struct tc_rec_run run;
	size_t i;
	int r;

	if (tc_session_open(s, d, tc_session_give_up_fd(), err) < 0)
		return -1;
	r = tc_session_load(s, d, &run, err);
	if (r != 1)
		return r;
	if (tc_session_list(s, d, err) < 0)
		return -1;
	merge(s, d, &run);
	take_as(d);
	for (i = 0; i < d->item_count; i++) {
		d->items[i].is_ours = true;
		/* Of a run that was stopped only what could not be may still run. */
		if (!tc_str_eq(run.progress, TC_STR("running")) &&
			!tc_session_is(&d->items[i], "failed"))
			d->items[i].may_run = false;
		d->items[i].is_ended = !d->items[i].may_run;
	}
	/* What ended meanwhile is not to be stopped. */
	return tc_session_check(s, d, err) < 0 ? -1 : 1;
}

int
tc_session_recover(struct tc_session *s, struct tc_out *out, struct tc_err *err)
{
	struct tc_session_device *d =
		tc_session_device_of(s, (struct tc_str){ NULL, 0, false });
	struct tc_err why = { 0 };
	int r;

	begin(s, out);
	if (s->dry_run) {
		tc_session_dry(s, TC_SESSION_RECOVER);
		return TC_OK;
	}
	r = load_run(s, d, &why);
	if (r < 0)
		fail(s, d, &why);
	if (r == 0)
		tc_cli_diag(s->cli, TC_NOTE, "nothing", d->name,
			"there is no run to be recovered");
	if (r == 1) {
		finish(s, "recovered");
		put_others(s, d);
	}
	return status(s, err);
}

/* ---- what is in the way ---- */

/* What a dropped run left running. Whether it could be stopped is of no interest. */
int
tc_session_end_left(struct tc_session *s, struct tc_session_device *d, struct tc_err *err)
{
	struct tc_session_call call = { .phase = "discard", .limit_ms = 60 * 1000 };
	struct tc_session_device old = { .name = d->name, .device = d->device };
	struct tc_device_result result;
	struct tc_rec_run run;
	int r = tc_session_load(s, &old, &run, err);
	size_t i;

	if (r < 0 && err->code == TC_DATA)
		r = 0; /* it cannot be read, and is to be dropped */
	if (r == 1 && tc_str_eq(run.progress, TC_STR("running")))
		merge(s, &old, &run);
	for (i = 0; i < old.item_count && r >= 0; i++) {
		old.items[i].is_ours = true;
		call.text = old.items[i].may_run
			? tc_session_stop_text(
				  &s->arena, &old.items[i].target, old.items[i].rec.pids)
			: NULL;
		if (!call.text)
			continue;
		r = tc_session_exec(s, &old, &call, &result, err);
		if (r == 0)
			tc_device_result_release(&result);
	}
	call.text = tc_session_restore_text(s, &old);
	if (r >= 0 && call.text) {
		r = tc_session_exec(s, &old, &call, &result, err);
		if (r == 0)
			tc_device_result_release(&result);
	}
	s->item_count -= old.item_count;
	d->device = old.device;
	free(old.items);
	return r < 0 ? -1 : 0;
}

bool
tc_session_gave_up(void)
{
	return tc_session_is_given_up();
}

void
tc_session_release(struct tc_session *s)
{
	size_t i;

	close_all(s);
	for (i = 0; i < s->device_count; i++) {
		free(s->devices[i].items);
		free(s->devices[i].files);
		free(s->devices[i].dests);
	}
	free(s->devices);
	free(s->files);
	tc_arena_release(&s->arena);
}
