/* Commands on a device, which may get lost and come back; and records. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/cli.h"
#include "err/err.h"
#include "io/io.h"
#include "session/priv.h"

enum { OPEN_MS = 25 * 1000, OFTEN = 3, WORDS_MAX = 200 };

static bool
is_named(const struct tc_err *err, const char *name)
{
	return err->name && strcmp(err->name, name) == 0;
}

/* ---- records ---- */

struct tc_str
tc_session_now(struct tc_session *s)
{
	struct timespec ts;
	struct tm tm;
	char text[40];

	clock_gettime(CLOCK_REALTIME, &ts);
	gmtime_r(&ts.tv_sec, &tm);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm);
	return tc_str_of(tc_session_print(
		&s->arena, "%s.%03ldZ", text, (long)(ts.tv_nsec / TC_MS)));
}

bool
tc_session_is(const struct tc_session_item *item, const char *state)
{
	return tc_str_eq(item->rec.state, tc_str_of(state));
}

void
tc_session_set(struct tc_session *s, struct tc_session_item *item, const char *state,
	const char *code, const char *text)
{
	item->rec.state = tc_str_of(state);
	item->rec.error = NULL;
	if (!code)
		return;
	s->is_partial = true;
	item->error.code = tc_str_of(tc_session_print(&s->arena, "%s", code));
	item->error.text = tc_str_of(tc_session_print(&s->arena, "%s", text));
	item->rec.error = &item->error;
}

void
tc_session_put(
	struct tc_session *s, struct tc_session_device *d, struct tc_session_item *item)
{
	item->rec.device = tc_str_of(d->name);
	item->rec.target = &item->target;
	tc_rec_put(s->out, &tc_rec_session, &item->rec);
}

void
tc_session_end(struct tc_session *s, struct tc_session_device *d,
	struct tc_session_item *item, const char *state, const char *code,
	const char *text)
{
	bool is_over = strcmp(state, "lost") != 0 && !item->is_unstopped;

	if (!item->is_start_failed)
		tc_session_set(s, item, state, code, text);
	/* Without it, whoever comes next tries to stop it again. */
	if (is_over)
		item->rec.stopped_at = tc_session_now(s);
	item->is_ended = true;
	item->may_run = false;
	tc_session_put(s, d, item);
}

void
tc_session_put_command(struct tc_session *s, const struct tc_session_device *d,
	const struct tc_session_item *item, const char *phase, const char *text)
{
	struct tc_rec_command rec = {
		.device = tc_str_of(d->name),
		.session = item ? item->target.name : (struct tc_str){ 0 },
		.phase = tc_str_of(phase),
		.text = tc_str_of(text),
	};

	tc_rec_put(s->out, &tc_rec_command, &rec);
}

void
tc_session_put_error(struct tc_session *s, const struct tc_session_device *d,
	const char *code, const char *text)
{
	struct tc_out subject = { .fd = -1, .cap = strlen(d->name) * 6 + 4096 };
	struct tc_rec_error rec = {
		.tool = tc_str_of(s->cli->tool),
		.code = tc_str_of(code),
		.text = tc_str_of(text),
	};

	subject.buf = tc_arena_alloc(&s->arena, subject.cap);
	tc_out_quoted(&subject, tc_str_of(d->name));
	rec.subject = (struct tc_str){ subject.buf, (uint32_t)subject.len, false };
	tc_rec_put(s->out, &tc_rec_error, &rec);
	s->is_partial = true;
}

bool
tc_session_is_unread(struct tc_session *s)
{
	struct tc_err err;

	return tc_out_flush(s->out, &err) < 0;
}

void
tc_session_put_file(struct tc_session *s, const struct tc_rec_file *rec)
{
	tc_mem_grow(&s->files, &s->file_cap, s->file_count + 1, sizeof(*s->files));
	tc_rec_keep(&tc_rec_file, rec, &s->arena, &s->files[s->file_count++]);
}

/* ---- devices ---- */

int
tc_session_open(struct tc_session *s, struct tc_session_device *d, int stop_fd,
	struct tc_err *err)
{
	struct tc_wait w = tc_wait_for(OPEN_MS);

	w.stop_fd = stop_fd;
	if (tc_device_open(&d->device, d->name, &w, err) < 0)
		return -1;
	d->name = tc_session_print(&s->arena, "%s", tc_device_name(d->device));
	return 0;
}

/* What ran there is out of sight, and may be gone. */
static void
put_lost(struct tc_session *s, struct tc_session_device *d, const struct tc_err *why)
{
	size_t i;

	tc_device_close(d->device);
	d->device = NULL;
	tc_cli_diag(s->cli, TC_WARNING, "lost", d->name,
		"lost: %s; waiting up to %lld s for it to come back", why->msg,
		(long long)(s->wait_ms / 1000));
	for (i = 0; i < d->item_count; i++)
		if (d->items[i].is_ours && tc_session_is(&d->items[i], "started")) {
			d->items[i].rec.state = TC_STR("lost");
			tc_session_put(s, d, &d->items[i]);
		}
	tc_session_is_unread(s);
}

static void
find_again(struct tc_session *s, struct tc_session_device *d)
{
	size_t i;

	d->returned++;
	tc_cli_diag(s->cli, TC_NOTE, "back", d->name, "is back");
	for (i = 0; i < d->item_count; i++)
		if (d->items[i].is_ours && tc_session_is(&d->items[i], "lost") &&
			!d->items[i].is_ended) {
			d->items[i].rec.state = TC_STR("started");
			tc_session_put(s, d, &d->items[i]);
		}
	tc_session_is_unread(s);
}

/* d->device is there again, or d->is_lost. */
static void
wait_for(struct tc_session *s, struct tc_session_device *d)
{
	struct tc_wait w = tc_wait_for(s->wait_ms), attempt;
	struct tc_err why;

	w.stop_fd = tc_session_give_up_fd();
	while (s->wait_ms) {
		attempt = tc_wait_at_most(&w, OPEN_MS);
		if (tc_device_open(&d->device, d->name, &attempt, &why) == 0) {
			find_again(s, d);
			return;
		}
		if (tc_device_wait(d->name, &w, &why) < 0)
			break;
	}
	d->is_lost = true;
}

void
tc_session_lose(
	struct tc_session *s, struct tc_session_device *d, const struct tc_err *why)
{
	put_lost(s, d, why);
	wait_for(s, d);
}

/* Old shells end lines in CR LF. */
static void
drop_cr(struct tc_device_result *r)
{
	size_t i, n = 0;

	for (i = 0; i < r->out_len; i++)
		if (r->out[i] != '\r' || (i + 1 < r->out_len && r->out[i + 1] != '\n'))
			r->out[n++] = r->out[i];
	r->out[n] = '\0';
	r->out_len = n;
}

const char *
tc_session_words(struct tc_session *s, const struct tc_device_result *r)
{
	const char *text = r->err_len ? r->err : r->out, *line;
	size_t len = r->err_len ? r->err_len : r->out_len, n;
	char *words, *p;

	while (len && strchr(" \r\n", text[len - 1]))
		len--;
	n = len < WORDS_MAX ? len : WORDS_MAX;
	/* The last line says most. */
	for (line = text + len; line > text && line[-1] != '\n';)
		line--;
	if ((size_t)(text + len - line) < n)
		n = (size_t)(text + len - line);
	if (!n)
		return tc_session_print(&s->arena, "status %d", r->status);
	if (memchr(text, '\0', len))
		return tc_session_print(&s->arena, "%zu bytes", len);
	words = tc_arena_dup(&s->arena, line, n + 1);
	words[n] = '\0';
	for (p = words; *p; p++)
		if ((unsigned char)*p < ' ')
			*p = ' ';
	return words;
}

static void
say_command(struct tc_session *s, struct tc_session_device *d,
	const struct tc_session_call *call)
{
	if (s->verbose)
		tc_cli_diag(s->cli, TC_NOTE, "command", d->name, "%s: %s", call->phase,
			call->text);
}

static void
say_result(struct tc_session *s, struct tc_session_device *d,
	const struct tc_session_call *call, const struct tc_device_result *r)
{
	if (s->verbose)
		tc_cli_diag(s->cli, TC_NOTE, "result", d->name, "%s: status %d%s%s",
			call->phase, r->status, r->err_len || r->out_len ? ": " : "",
			r->err_len || r->out_len ? tc_session_words(s, r) : "");
}

/* A target that the transport runs itself; its id is that of its session. */
static int
keep_once(struct tc_session_device *d, const struct tc_session_call *call,
	const struct tc_wait *w, struct tc_device_result *result, struct tc_err *err)
{
	const char *id = call->item->rec.id.p; /* made here, with a NUL behind it */
	int r;

	if (call->keep == TC_SESSION_KEEP_START)
		return tc_device_start(
			d->device, id, call->text, call->stop, w, result, err);
	if (call->keep == TC_SESSION_KEEP_STOP)
		return tc_device_stop(d->device, id, w, result, err);
	r = tc_device_alive(d->device, id, w, err);
	if (r < 0)
		return -1;
	*result = (struct tc_device_result){ .status = !r };
	result->out = tc_mem_calloc(1, 1);
	return 0;
}

/* Without a standard input of its own, a command gets it as text that quotes itself. */
static int
run_once(struct tc_session_device *d, const struct tc_session_call *call,
	struct tc_arena *arena, struct tc_device_result *result, struct tc_err *err)
{
	struct tc_wait w = tc_wait_for(call->limit_ms);
	struct tc_device_input in = { call->input,
		call->input ? strlen(call->input) : 0 };
	const char *text = call->text;

	w.stop_fd = call->is_brief ? tc_session_stop_fd() : tc_session_give_up_fd();
	if (call->keep)
		return keep_once(d, call, &w, result, err);
	if (call->input && !(tc_device_caps(d->device) & TC_DEVICE_HAS_STDIN)) {
		text = tc_session_print(
			arena, "{\n%s\n} <<'TC_END'\n%sTC_END\n", text, call->input);
		in.len = 0;
	}
	return tc_device_run(d->device, text, in.len ? &in : NULL, &w, result, err);
}

int
tc_session_exec(struct tc_session *s, struct tc_session_device *d,
	const struct tc_session_call *call, struct tc_device_result *result,
	struct tc_err *err)
{
	int times, r = -1;

	for (times = 0; times < OFTEN; times++) {
		if (!d->device)
			return tc_err_named(
				err, TC_NOSERVICE, "gone", "%s is gone", d->name);
		say_command(s, d, call);
		r = run_once(d, call, &s->arena, result, err);
		if (r == 0 || (!is_named(err, "gone") && err->code != TC_PROTOCOL))
			break;
		tc_session_lose(s, d, err);
		if (!call->is_repeated)
			break;
	}
	if (r < 0) {
		if (s->verbose)
			tc_cli_diag(s->cli, TC_NOTE, "result", d->name, "%s: %s",
				call->phase, err->msg);
		return -1;
	}
	drop_cr(result);
	say_result(s, d, call, result);
	return 0;
}
