/* Asks a device what it can do: all questions at once, each for its own. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "err/err.h"
#include "probe/priv.h"

/*
 * A command that hangs costs its own fact: the others have their answers by then,
 * and get a moment to be read.
 */
enum { PATIENCE_MS = 10 * 1000, MOMENT_MS = 300 };

/* One question on its way. */
struct asked {
	struct tc_device_job *job; /* owned */
	char *out, *errors;        /* owned */
	size_t out_len, errors_len, out_cap, errors_cap;
};

static void
add(struct asked *q, const struct tc_device_piece *piece)
{
	bool is_err = piece->from == TC_DEVICE_ERR;
	char **p = is_err ? &q->errors : &q->out;
	size_t *len = is_err ? &q->errors_len : &q->out_len;

	tc_mem_grow(p, is_err ? &q->errors_cap : &q->out_cap, *len + piece->len, 1);
	memcpy(*p + *len, piece->bytes, piece->len);
	*len += piece->len;
}

/* Until it has ended: 0; or -1. */
static int
collect(struct asked *q, const struct tc_wait *w, int *status, struct tc_err *err)
{
	struct tc_device_piece piece;
	int r;

	while ((r = tc_device_job_next(q->job, w, &piece, status, err)) == 1) {
		if (q->out_len + q->errors_len + piece.len > TC_PROBE_ANSWER_MAX)
			return tc_err_named(err, TC_DATA, "too_long",
				"it prints more than %d bytes", TC_PROBE_ANSWER_MAX);
		add(q, &piece);
	}
	return r;
}

/* A device that is good for nothing any more; what else fails is one question. */
static bool
is_lost(const struct tc_err *err)
{
	const char *what = tc_err_what(err);

	return strcmp(what, "gone") == 0 || strcmp(what, "protocol") == 0;
}

static struct tc_str
text_of(struct tc_arena *arena, const char *bytes, size_t len)
{
	if (!len)
		return TC_STR("");
	return (struct tc_str){ tc_arena_dup(arena, bytes, len), (uint32_t)len, false };
}

static void
not_come(struct tc_probe_answer *a, struct tc_arena *arena, const struct tc_err *err)
{
	const char *text = tc_err_what(err);

	a->came = false;
	a->code = tc_str_of(text);
	text = strcmp(text, "timed_out") == 0 ? "it does not end" : err->msg;
	a->text = tc_str_of(tc_arena_dup(arena, text, strlen(text) + 1));
}

/* What came of a command, for a person: its status, and how its output begins. */
static void
say_answer(const struct tc_probe *p, const char *device, enum tc_probe_question q,
	const struct tc_probe_answer *a)
{
	const char *command = tc_probe_command(q);
	struct tc_str out = tc_probe_trim(a->out), errors = tc_probe_trim(a->err);
	uint32_t shown = out.len < 200 ? out.len : 200;

	if (!p->verbose)
		return;
	if (!a->came) {
		tc_cli_diag(
			p->cli, TC_NOTE, "command", device, "%s: %s", command, a->text.p);
		return;
	}
	if (shown && memchr(out.p, '\0', out.len))
		shown = 0;
	tc_cli_diag(p->cli, TC_NOTE, "command", device,
		"%s: status %d, %u bytes%s%.*s%s%s%.*s", command, a->status,
		(unsigned)a->out.len, shown ? ": " : "", (int)shown, out.p,
		shown < out.len ? "..." : "", errors.len ? "; errors: " : "",
		(int)(errors.len < 200 ? errors.len : 200), errors.p);
}

static int
start_all(struct tc_device *d, const struct tc_wait *w, struct asked *asked,
	struct tc_probe_answer *answers, struct tc_arena *arena, struct tc_err *err)
{
	int q;

	for (q = 0; q < TC_PROBE_QUESTIONS; q++) {
		answers[q] =
			(struct tc_probe_answer){ .out = TC_STR(""), .err = TC_STR("") };
		if (tc_device_spawn(d, tc_probe_command((enum tc_probe_question)q), NULL,
			    w, &asked[q].job, err) == 0)
			continue;
		if (is_lost(err))
			return -1;
		not_come(&answers[q], arena, err);
	}
	return 0;
}

/* One answer, whatever it is; -1 when the device is lost. */
static int
read_one(struct asked *q, const struct tc_wait *w, struct tc_probe_answer *a,
	struct tc_arena *arena, struct tc_err *err)
{
	struct tc_wait wait = tc_wait_for(MOMENT_MS);
	int r;

	if (w->until_ns > wait.until_ns)
		wait = *w;
	r = collect(q, &wait, &a->status, err);
	if (r < 0 && is_lost(err))
		return -1;
	/* One that goes on is ended here, before the others are read. */
	tc_device_job_close(q->job);
	q->job = NULL;
	a->came = r == 0;
	a->out = text_of(arena, q->out, q->out_len);
	a->err = text_of(arena, q->errors, q->errors_len);
	if (r < 0)
		not_come(a, arena, err);
	return 0;
}

/*
 * All questions at once, since none depends on another's answer. 0, or -1, also when
 * there is no answer at all: nothing could be done with such a device.
 */
static int
ask(const struct tc_probe *p, struct tc_device *d, struct tc_probe_answer *answers,
	struct tc_arena *arena, struct tc_err *err)
{
	struct tc_wait w = tc_wait_for(PATIENCE_MS);
	struct asked asked[TC_PROBE_QUESTIONS] = { { 0 } };
	int q, came = 0, r = start_all(d, &w, asked, answers, arena, err);

	for (q = 0; r == 0 && q < TC_PROBE_QUESTIONS; q++) {
		if (asked[q].job)
			r = read_one(&asked[q], &w, &answers[q], arena, err);
		came += answers[q].came;
		if (r == 0)
			say_answer(p, tc_device_name(d), (enum tc_probe_question)q,
				&answers[q]);
	}
	if (r == 0 && !came)
		r = tc_err_add(err, "not one command has an answer");
	for (q = 0; q < TC_PROBE_QUESTIONS; q++) {
		tc_device_job_close(asked[q].job);
		free(asked[q].out);
		free(asked[q].errors);
	}
	return r;
}

/*
 * The list is from before: a device may have come since, or have been unlocked, and then
 * has more to say of itself.
 */
static void
begin(struct tc_probe_learnt *l, const char *name, const struct tc_device_info *list,
	size_t count)
{
	struct tc_device_info bare = { .name = name }, *again;
	const struct tc_device_info *info = &bare;
	struct tc_err why;
	size_t i;

	for (i = 0; i < count && strcmp(list[i].name, name) != 0; i++)
		;
	if (i < count && list[i].is_usable)
		info = &list[i];
	else if (i < count &&
		tc_device_find(name, NULL, l->arena, &again, &count, &why) == 0 && count)
		info = again;
	/* Whoever had it before, or has it now: it has just answered. */
	if (info->state && !info->is_usable) {
		bare = *info;
		bare.state = "device";
		info = &bare;
	}
	tc_probe_listed(info, l->arena, &l->rec);
}

/*
 * Opens, asks, closes, and only then writes: whoever reads the record may open the
 * device. 0, or -1 and nothing is written.
 */
static int
probe_one(const struct tc_probe *p, const char *name, const struct tc_device_info *list,
	size_t count, struct tc_out *out, struct tc_err *err)
{
	struct tc_probe_answer answers[TC_PROBE_QUESTIONS];
	struct tc_arena arena = { 0 };
	struct tc_probe_learnt l = { .arena = &arena };
	struct tc_device *d;
	const char *own;
	size_t i;
	int r;

	if (tc_device_open(&d, name, NULL, err) < 0)
		return -1;
	own = tc_device_name(d);
	own = tc_arena_dup(&arena, own, strlen(own) + 1);
	r = ask(p, d, answers, &arena, err);
	tc_device_close(d);
	if (r == 0) {
		begin(&l, own, list, count);
		tc_probe_learn(&l, answers);
		tc_rec_put(out, &tc_rec_device, &l.rec);
		for (i = 0; i < l.notice_count; i++)
			tc_rec_put(out, &tc_rec_notice, &l.notices[i]);
	} else
		tc_err_add(err, "%s", own);
	tc_arena_release(&arena);
	return r;
}

static void
dry_run(const struct tc_probe *p, struct tc_out *out)
{
	const char *serial = getenv("ANDROID_SERIAL");
	const char *name = strcmp(p->name, "adb:") != 0 ? p->name : NULL;
	char *chosen = NULL; /* owned */
	size_t size;
	int q;

	if (!name && !p->all && serial && *serial) {
		size = strlen(serial) + sizeof("adb:");
		chosen = tc_mem_alloc(size);
		snprintf(chosen, size, "adb:%s", serial);
		name = chosen;
	}
	if (!name)
		tc_probe_put_list_command(p, out);
	for (q = 0; q < TC_PROBE_QUESTIONS; q++)
		tc_probe_put_command(
			out, name, "probe", tc_probe_command((enum tc_probe_question)q));
	free(chosen);
}

/* A device that fails does not keep the others from being asked. */
static int
probe_all(const struct tc_probe *p, const struct tc_device_info *list, size_t count,
	struct tc_out *out, const struct tc_probe_failed *failed, struct tc_err *err)
{
	struct tc_arena arena = { 0 };
	struct tc_rec_device rec;
	struct tc_err why;
	size_t i;

	if (count == 0)
		return tc_err_named(err, TC_NOSERVICE, "not_found",
			"there is no device that %s means (is USB debugging on?)",
			p->name);
	for (i = 0; i < count; i++) {
		why = (struct tc_err){ 0 };
		if (probe_one(p, list[i].name, list, count, out, &why) == 0)
			continue;
		/* What could be used and was lost is not to be used by others. */
		if (!list[i].is_usable) {
			tc_probe_listed(&list[i], &arena, &rec);
			tc_rec_put(out, &tc_rec_device, &rec);
		}
		failed->fn(failed->ctx, list[i].name, &why);
	}
	tc_arena_release(&arena);
	return 0;
}

int
tc_probe_run(const struct tc_probe *p, struct tc_out *out,
	const struct tc_probe_failed *failed, struct tc_err *err)
{
	struct tc_arena arena = { 0 };
	struct tc_device_info *list;
	size_t count;
	int r;

	if (p->dry_run) {
		dry_run(p, out);
		return 0;
	}
	r = tc_probe_find(p, &arena, &list, &count, err);
	if (r == 0)
		r = p->all ? probe_all(p, list, count, out, failed, err)
			   : probe_one(p, p->name, list, count, out, err);
	tc_arena_release(&arena);
	return r;
}
