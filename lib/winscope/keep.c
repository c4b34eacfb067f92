/* Targets that the proxy runs, for as long as somebody asks for them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "err/err.h"
#include "winscope/priv.h"

#define MS INT64_C(1000000)

enum { ASK_MS = 1000, ANSWER_MS = 5 * 1000, ERRORS_BYTES = 1 << 20, LATE_MS = 20 * 1000 };

/*
 * The proxy tells neither the status nor the output of what it starts, nor when that
 * is done: files beside each other do, whose names begin so.
 */
static char *
notes_of(const char *id)
{
	return tc_winscope_print("/data/local/tmp/tc-winscope-%s", id);
}

static int
check_id(const char *id, struct tc_err *err)
{
	static const char allowed[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
		"0123456789._-";
	size_t len = strlen(id);

	if (!len || len > 160 || strspn(id, allowed) < len)
		return tc_err_set(err, TC_BUG, "'%s' is no id of a target", id);
	return 0;
}

/* ---- what is kept ---- */

static struct tc_winscope_kept *
find(struct tc_winscope *d, const char *id)
{
	size_t i;

	for (i = 0; i < d->kept_count; i++)
		if (strcmp(d->kept[i].id, id) == 0)
			return &d->kept[i];
	return NULL;
}

static void
take_note(struct tc_winscope *d, const char *id)
{
	struct tc_winscope_kept *k = find(d, id);

	if (!k && d->kept_count < TC_WINSCOPE_KEPT_MAX) {
		tc_mem_grow(&d->kept, &d->kept_cap, d->kept_count + 1, sizeof(*k));
		k = &d->kept[d->kept_count++];
		k->id = tc_winscope_print("%s", id);
	}
	if (k)
		k->asked_ns = tc_wait_now();
}

static void
forget(struct tc_winscope *d, const char *id)
{
	struct tc_winscope_kept *k = find(d, id);

	if (!k)
		return;
	free(k->id);
	*k = d->kept[--d->kept_count];
}

/* 1 or 0, or -1. */
static int
ask(struct tc_winscope *d, const char *id, const struct tc_wait *w, struct tc_err *err)
{
	struct tc_winscope_call c = { .proxy = &d->proxy, .is_open = true };
	char *path = tc_winscope_path(d, "status", id);
	struct tc_arena arena = { 0 };
	struct tc_str answer;
	int r;

	c.path = path;
	r = tc_winscope_ask(&c, 64, &arena, w, &answer, err);
	if (r == 0) {
		while (answer.len && strchr(" \r\n", answer.p[answer.len - 1]))
			answer.len--;
		r = tc_str_eq(answer, TC_STR("True")) ? 1
			: tc_str_eq(answer, TC_STR("False"))
			? 0
			: tc_err_named(err, TC_PROTOCOL, "protocol",
				  "the proxy does not say whether %s is alive", id);
	}
	tc_arena_release(&arena);
	free(path);
	return r;
}

int
tc_winscope_alive(struct tc_winscope *d, const char *id, const struct tc_wait *w,
	struct tc_err *err)
{
	int r = check_id(id, err) < 0 ? -1 : ask(d, id, w, err);

	if (r == 1)
		take_note(d, id);
	if (r == 0)
		forget(d, id);
	return r;
}

void
tc_winscope_keep(struct tc_winscope *d, const struct tc_wait *w)
{
	int64_t now = tc_wait_now();
	struct tc_wait brief = tc_wait_at_most(w, ANSWER_MS);
	struct tc_err err;
	size_t i;

	for (i = 0; i < d->kept_count; i++)
		if (now - d->kept[i].asked_ns >= ASK_MS * MS) {
			d->kept[i].asked_ns = now;
			ask(d, d->kept[i].id, &brief, &err);
		}
}

/* ---- notes ---- */

enum note { NOTE_NONE, NOTE_IS_THERE, NOTE_WILL_NOT_COME };

/*
 * Looks for half a second; with the note, *status and *out, what is behind that. It
 * will not come when the shell that is to write it is no more. -1: no answer.
 */
static int
read_note(struct tc_winscope *d, const char *notes, const char *which,
	const struct tc_wait *w, int *status, char **out, struct tc_err *err)
{
	char *command = tc_winscope_print(
		"f=%s.%s; n=0; until [ -s $f ] || [ $n -ge 5 ]\n"
		"do sleep 0.1; n=$((n + 1)); done\n"
		"runs=1; [ -d /proc/$(cat %s.pid 2>/dev/null) ] || runs=0\n"
		"[ -s $f ] && cat $f $f.out && exit 0; exit $((8 + runs))",
		notes, which, notes);
	char *text, *end;
	size_t len;
	int how, r = tc_winscope_run(d, command, w, &text, &len, &how, err);

	free(command);
	if (r < 0)
		return -1;
	*status = (int)strtol(text, &end, 10);
	if (how || end == text || *end != '\n' || *status < 0 || *status > 255) {
		free(text);
		return how == 8 ? NOTE_WILL_NOT_COME : NOTE_NONE;
	}
	memmove(text, end + 1, len - (size_t)(end + 1 - text) + 1);
	*out = text;
	return NOTE_IS_THERE;
}

static void
remove_notes(struct tc_winscope *d, const char *notes, const struct tc_wait *w)
{
	char *command = tc_winscope_print("rm -f %s.*", notes), *out = NULL;
	struct tc_err err;
	size_t len;
	int status;

	if (tc_winscope_run(d, command, w, &out, &len, &status, &err) == 0)
		free(out);
	free(command);
}

/* ---- starting ---- */

/*
 * The proxy's script ends with the first command that fails, and reads on from its own
 * standard input. A signal ends it once what runs has ended, so that the status of the
 * start may be missing: then it is stopped, too.
 */
static char *
start_body(const char *notes, const char *id, const char *start, const char *stop)
{
	char *start_word = tc_winscope_quoted(start),
	     *stop_word = tc_winscope_quoted(stop);
	const char *pairs[7] = { "targetId", id, "startCmd", NULL, "stopCmd", NULL };
	char *start_cmd = tc_winscope_print(
		"echo $$ >%s.pid; s=0\n"
		"TC_STARTED=%s.start.out sh -c %s >%s.start.out 2>&1 </dev/null || s=$?\n"
		"echo $s >%s.start.new; mv %s.start.new %s.start",
		notes, notes, start_word, notes, notes, notes, notes);
	char *stop_cmd =
		tc_winscope_print("s=0; case $(cat %s.start 2>/dev/null || :) in 0|'')\n"
				  "TC_STARTED=%s.start.out sh -c %s >%s.stop.out 2>&1 "
				  "</dev/null || s=$? ;;\n"
				  "esac; echo $s >%s.stop.new; mv %s.stop.new %s.stop",
			notes, notes, stop_word, notes, notes, notes, notes);
	char *body;

	pairs[3] = start_cmd;
	pairs[5] = stop_cmd;
	body = tc_winscope_object(pairs);
	free(start_word);
	free(stop_word);
	free(start_cmd);
	free(stop_cmd);
	return body;
}

static int
post(struct tc_winscope *d, const char *endpoint, const char *body,
	const struct tc_wait *w, struct tc_err *err)
{
	struct tc_winscope_call c = { .proxy = &d->proxy, .body = body, .is_open = true };
	char *path = tc_winscope_path(d, endpoint, "");
	int r;

	c.path = path;
	tc_winscope_keep(d, w);
	r = tc_winscope_call(&c, w, err);
	free(path);
	return r;
}

static int
end_trace(struct tc_winscope *d, const char *id, const struct tc_wait *w,
	struct tc_arena *arena, const char **errors, struct tc_err *err)
{
	const char *pairs[3] = { "targetId", id };
	struct tc_winscope_call c = { .proxy = &d->proxy, .is_open = true };
	char *body = tc_winscope_object(pairs);
	char *path = tc_winscope_path(d, "endtrace", "");
	struct tc_str answer;
	int r;

	c.path = path;
	c.body = body;
	forget(d, id);
	r = tc_winscope_ask(&c, ERRORS_BYTES, arena, w, &answer, err);
	if (r == 0)
		r = tc_winscope_errors(answer, arena, errors, err);
	free(path);
	free(body);
	return r;
}

/* The answer comes before the command has ended. */
static int
await_start(struct tc_winscope *d, const char *id, const char *notes,
	const struct tc_wait *w, int *status, char **out, struct tc_err *err)
{
	int r = NOTE_NONE, alive = 1;

	while (alive == 1 && r == NOTE_NONE) {
		r = read_note(d, notes, "start", w, status, out, err);
		if (r == NOTE_NONE)
			alive = tc_winscope_alive(d, id, w, err);
	}
	if (r == NOTE_IS_THERE)
		return 0;
	if (r < 0 || alive < 0)
		return -1;
	return tc_err_named(
		err, TC_AGAIN, "timed_out", "the proxy ended it before it had started");
}

int
tc_winscope_start(struct tc_winscope *d, const char *id, const char *start,
	const char *stop, const struct tc_wait *w, int *status, char **out,
	struct tc_err *err)
{
	char *notes, *body;
	const char *errors;
	struct tc_arena arena = { 0 };
	struct tc_err ignored;
	int r;

	if (check_id(id, err) < 0)
		return -1;
	notes = notes_of(id);
	body = start_body(notes, id, start, stop);
	r = post(d, "starttrace", body, w, err);
	if (r == 0) {
		take_note(d, id);
		r = await_start(d, id, notes, w, status, out, err);
	}
	/* There is nothing to be kept. */
	if (r == 0 && *status) {
		end_trace(d, id, w, &arena, &errors, &ignored);
		remove_notes(d, notes, w);
	}
	tc_arena_release(&arena);
	free(body);
	free(notes);
	return r;
}

/* ---- stopping ---- */

/*
 * The proxy waits no more than fifteen seconds for the command, which goes on after
 * that; and what it says is not whether that went well.
 */
static int
await_stop(struct tc_winscope *d, const char *notes, const char *errors,
	const struct tc_wait *w, int *status, char **out, struct tc_err *err)
{
	char words[200];
	int r = NOTE_NONE;

	while (r == NOTE_NONE && tc_wait_check(w, err) == 0)
		r = read_note(d, notes, "stop", w, status, out, err);
	if (r == NOTE_IS_THERE)
		return 0;
	if (r == NOTE_WILL_NOT_COME)
		tc_err_named(err, TC_NOSERVICE, "not_found",
			"the device knows nothing of it any more");
	if (*errors) {
		tc_winscope_words(
			&d->proxy, errors, strlen(errors), words, sizeof(words));
		tc_err_add(err, "the proxy says: %s", words);
	}
	return -1;
}

int
tc_winscope_stop(struct tc_winscope *d, const char *id, const struct tc_wait *w,
	int *status, char **out, struct tc_err *err)
{
	struct tc_wait wait = *w;
	struct tc_arena arena = { 0 };
	const char *errors = "";
	char *notes;
	int r;

	if (check_id(id, err) < 0)
		return -1;
	notes = notes_of(id);
	r = end_trace(d, id, w, &arena, &errors, err);
	/* Of one that ended by itself, the note is there, or comes soon. */
	if (r < 0 && strcmp(tc_err_what(err), "not_found") == 0) {
		wait = tc_wait_at_most(w, LATE_MS);
		r = 0;
	}
	if (r == 0)
		r = await_stop(d, notes, errors, &wait, status, out, err);
	if (r == 0)
		remove_notes(d, notes, w);
	tc_arena_release(&arena);
	free(notes);
	return r;
}
