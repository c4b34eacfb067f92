/* Commands: in packets where the device has them, else with a mark at their end. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "adb/priv.h"
#include "err/err.h"

/* ---- packets ---- */

size_t
tc_adb_shell_next(struct tc_adb_shell *s, const uint8_t *bytes, size_t len,
	struct tc_adb_shell_piece *piece)
{
	size_t used = 0, n;

	*piece = (struct tc_adb_shell_piece){ 0 };
	while (used < len) {
		if (s->have < sizeof(s->head)) {
			s->head[s->have++] = bytes[used++];
			if (s->have == sizeof(s->head))
				s->left = tc_adb_get32(s->head + 1);
		}
		if (s->have == sizeof(s->head) && s->left == 0)
			s->have = 0;
		if (s->have < sizeof(s->head) || used == len)
			continue;
		n = len - used < s->left ? len - used : s->left;
		*piece = (struct tc_adb_shell_piece){ s->head[0], bytes + used, n };
		s->left -= (uint32_t)n;
		if (!s->left)
			s->have = 0;
		return used + n;
	}
	return used;
}

/* ---- a command ---- */

enum {
	HOLD = 48,           /* the mark, three digits and the end of a line fit */
	AT_ONCE = 64 * 1024, /* what goes through `text` in one step */
	USELESS_MAX = 64     /* packets of no use, before a look at the time */
};

struct tc_adb_job {
	struct tc_adb_stream *s;
	size_t to_eat; /* of the stream, with the next step */
	bool is_v2;
	int status; /* -1: not known */

	struct tc_adb_shell shell; /* v2 */

	char mark[HOLD]; /* v1: stands behind the output, then the status */
	uint8_t *text;   /* owned; what came, its end held back */
	size_t len, shown;
	bool ended;
};

bool
tc_adb_has_shell2(const struct tc_adb *a)
{
	return tc_adb_has(a, "shell_v2");
}

/* Standard input in packets, and then its end. */
static int
give_input(struct tc_adb_job *job, const void *in, size_t len, const struct tc_wait *w,
	struct tc_err *err)
{
	uint8_t *p = tc_mem_alloc(len + 10);
	size_t at = 0;
	int r;

	if (len) {
		p[0] = TC_ADB_SHELL_STDIN;
		tc_adb_put32(p + 1, (uint32_t)len);
		memcpy(p + 5, in, len);
		at = 5 + len;
	}
	p[at] = TC_ADB_SHELL_CLOSE_STDIN;
	tc_adb_put32(p + at + 1, 0);
	r = tc_adb_stream_write(job->s, p, at + 5, w, err);
	free(p);
	/* A command that does not wait for its input may be over. */
	if (r < 0 && strcmp(tc_err_what(err), "closed") == 0) {
		*err = (struct tc_err){ 0 };
		r = 0;
	}
	return r;
}

static int
open_v2(struct tc_adb *a, struct tc_adb_job *job, const char *command, const void *in,
	size_t in_len, const struct tc_wait *w, struct tc_err *err)
{
	static const char prefix[] = "shell,v2,raw:";
	size_t len = strlen(command);
	char *service = tc_mem_alloc(sizeof(prefix) + len);
	int r;

	memcpy(service, prefix, sizeof(prefix) - 1);
	memcpy(service + sizeof(prefix) - 1, command, len + 1);
	r = tc_adb_stream_open(a, service, w, &job->s, err);
	free(service);
	return r < 0 ? -1 : give_input(job, in, in_len, w, err);
}

static char *
append(char *at, const char *text)
{
	size_t len = strlen(text);

	memcpy(at, text, len + 1);
	return at + len;
}

/*
 * "PREFIX:sh -c 'COMMAND'; echo MARK$?": a shell of its own, so that whatever
 * the command does to its shell, the mark comes. Ended by free.
 */
static char *
marked(const char *prefix, const char *command, const char *mark)
{
	char *p = tc_mem_alloc(strlen(prefix) + 4 * strlen(command) + HOLD + 32), *at = p;

	at = append(at, prefix);
	at = append(at, "sh -c ");
	at = tc_str_put_word(at, command);
	at = append(at, "; echo ");
	at = append(at, mark);
	append(at, "$?");
	return p;
}

/* exec: has no terminal that changes ends of lines; Android 4 has only shell: */
static int
open_v1(struct tc_adb *a, struct tc_adb_job *job, const char *command,
	const struct tc_wait *w, struct tc_err *err)
{
	static const char *const prefixes[] = { "exec:", "shell:" };
	char *service;
	size_t i;
	int r = -1;

	snprintf(job->mark, sizeof(job->mark), "tc-status-%016llx:",
		(unsigned long long)tc_mem_hash(
			(uint64_t)tc_wait_now(), (uint64_t)getpid()));
	for (i = 0; i < 2; i++) {
		service = marked(prefixes[i], command, job->mark);
		r = tc_adb_stream_open(a, service, w, &job->s, err);
		free(service);
		if (r == 0 || strcmp(tc_err_what(err), "refused") != 0)
			break;
	}
	return r;
}

int
tc_adb_job_open(struct tc_adb *a, const char *command, const void *in, size_t in_len,
	const struct tc_wait *w, struct tc_adb_job **job, struct tc_err *err)
{
	struct tc_adb_job *made;
	int r;

	if (in_len > TC_ADB_INPUT_MAX)
		return tc_err_named(err, TC_USAGE, "too_long",
			"%zu bytes are too many for a command's input", in_len);
	if (in_len && !tc_adb_has_shell2(a))
		return tc_err_named(err, TC_NOSERVICE, "unsupported",
			"the device gives commands no input");
	made = tc_mem_calloc(1, sizeof(*made));
	made->status = -1;
	made->is_v2 = tc_adb_has_shell2(a);
	r = made->is_v2 ? open_v2(a, made, command, in, in_len, w, err)
			: open_v1(a, made, command, w, err);
	if (r < 0) {
		tc_adb_job_close(made);
		return -1;
	}
	*job = made;
	return 0;
}

int
tc_adb_job_fd(const struct tc_adb_job *job)
{
	return tc_adb_stream_fd(job->s);
}

void
tc_adb_job_close(struct tc_adb_job *job)
{
	if (!job)
		return;
	tc_adb_stream_close(job->s);
	free(job->text);
	free(job);
}

/* The stream is over: 0 with the status, or it never came. */
static int
finish(const struct tc_adb_job *job, int *status, struct tc_err *err)
{
	if (job->status < 0)
		return tc_err_named(err, TC_NOSERVICE, "gone",
			"the device was lost before the command's end");
	*status = job->status;
	return 0;
}

static int
next_v2(struct tc_adb_job *job, const struct tc_wait *w, struct tc_adb_piece *piece,
	int *status, struct tc_err *err)
{
	struct tc_adb_shell_piece p;
	const uint8_t *bytes;
	int64_t n;
	size_t used, useless;

	for (useless = 0;; useless++) {
		if (useless > USELESS_MAX && tc_wait_check(w, err) < 0)
			return -1;
		n = tc_adb_stream_peek(job->s, w, &bytes, err);
		if (n < 0)
			return -1;
		if (n == 0)
			return finish(job, status, err);
		used = tc_adb_shell_next(&job->shell, bytes, (size_t)n, &p);
		if (p.len &&
			(p.id == TC_ADB_SHELL_STDOUT || p.id == TC_ADB_SHELL_STDERR)) {
			*piece = (struct tc_adb_piece){ p.id == TC_ADB_SHELL_STDERR,
				p.bytes, p.len };
			job->to_eat = used;
			return 1;
		}
		if (p.len && p.id == TC_ADB_SHELL_EXIT) {
			job->status = p.bytes[0];
			*status = job->status;
			return 0;
		}
		tc_adb_stream_eat(job->s, used);
	}
}

/* The number behind the last mark, whose place becomes the end of the text. */
static void
find_mark(struct tc_adb_job *job)
{
	size_t mark = strlen(job->mark), at;
	char *end;
	long status;

	for (at = job->len < mark ? 0 : job->len - mark + 1; at-- > 0;) {
		if (memcmp(job->text + at, job->mark, mark) != 0)
			continue;
		job->text[job->len] = '\0';
		status = strtol((char *)job->text + at + mark, &end, 10);
		if (end != (char *)job->text + at + mark && status >= 0 &&
			status <= 255) {
			job->status = (int)status;
			job->len = at;
		}
		return;
	}
}

static int
next_v1(struct tc_adb_job *job, const struct tc_wait *w, struct tc_adb_piece *piece,
	int *status, struct tc_err *err)
{
	const uint8_t *bytes = NULL;
	int64_t n;

	if (!job->text)
		job->text = tc_mem_alloc(HOLD + AT_ONCE + 1);
	memmove(job->text, job->text + job->shown, job->len - job->shown);
	job->len -= job->shown;
	job->shown = 0;
	while (!job->ended && job->len <= HOLD) {
		n = tc_adb_stream_peek(job->s, w, &bytes, err);
		if (n < 0)
			return -1;
		if (n > AT_ONCE)
			n = AT_ONCE;
		job->ended = n == 0;
		if (n)
			memcpy(job->text + job->len, bytes, (size_t)n);
		job->len += (size_t)n;
		tc_adb_stream_eat(job->s, (size_t)n);
		if (job->ended)
			find_mark(job);
	}
	job->shown = job->ended ? job->len : job->len - HOLD;
	if (!job->shown)
		return finish(job, status, err);
	*piece = (struct tc_adb_piece){ false, job->text, job->shown };
	return 1;
}

int
tc_adb_job_next(struct tc_adb_job *job, const struct tc_wait *w,
	struct tc_adb_piece *piece, int *status, struct tc_err *err)
{
	tc_adb_stream_eat(job->s, job->to_eat);
	job->to_eat = 0;
	if (job->status >= 0 && !job->len)
		return finish(job, status, err);
	return job->is_v2 ? next_v2(job, w, piece, status, err)
			  : next_v1(job, w, piece, status, err);
}
