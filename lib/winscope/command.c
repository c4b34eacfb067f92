/* Commands. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "err/err.h"
#include "winscope/priv.h"

/* A kernel takes no longer words, and the command becomes one. */
enum { COMMAND_MAX = 128 * 1024 - 1, OUTPUT_MAX = 16 << 20 };

/* Of what is no output: more of it than that would have no end. */
enum { IDLE_MAX = 1 << 20 };

struct tc_winscope_job {
	struct tc_winscope *d;
	char *path, *body; /* owned */
	struct tc_winscope_call call;
	struct tc_winscope_text text;
	struct tc_winscope_output output;
	char piece[TC_WINSCOPE_PIECE + TC_WINSCOPE_TEXT_MORE + TC_WINSCOPE_TAIL];
	size_t len;    /* of the piece */
	int64_t spare; /* bytes of the answer beyond twice the output */
	bool is_begun;
};

int
tc_winscope_job_open(struct tc_winscope *d, const char *command,
	struct tc_winscope_job **job, struct tc_err *err)
{
	const char *pairs[3] = { "cmd" };
	struct tc_winscope_job *made;
	char mark[TC_WINSCOPE_MARK], *wrapped, *cmd;

	snprintf(mark, sizeof(mark), "<tc-%016llx>",
		(unsigned long long)tc_mem_hash(
			(uint64_t)tc_wait_now(), (uint64_t)getpid()));
	wrapped = tc_winscope_wrapped(command, mark);
	if (strlen(wrapped) > COMMAND_MAX) {
		free(wrapped);
		return tc_err_named(err, TC_USAGE, "too_long",
			"%zu bytes are too many for a command", strlen(command));
	}
	cmd = tc_winscope_print("shell %s", wrapped);
	pairs[1] = cmd;
	made = tc_mem_calloc(1, sizeof(*made));
	made->d = d;
	made->path = tc_winscope_path(d, "runadbcmd", "");
	made->body = tc_winscope_object(pairs);
	memcpy(made->output.mark, mark, sizeof(mark));
	free(cmd);
	free(wrapped);
	*job = made;
	return 0;
}

void
tc_winscope_job_close(struct tc_winscope_job *job)
{
	if (!job)
		return;
	tc_winscope_call_end(&job->call);
	free(job->path);
	free(job->body);
	free(job);
}

int
tc_winscope_job_fd(const struct tc_winscope_job *job)
{
	return tc_winscope_call_fd(&job->call);
}

/* A piece of the answer; the one before has to be gone. */
static int
take(void *ctx, const char *bytes, size_t len, struct tc_err *err)
{
	char text[TC_WINSCOPE_PIECE + TC_WINSCOPE_TEXT_MORE];
	struct tc_winscope_job *job = ctx;
	size_t made;

	if (job->len)
		return 1;
	if (len > TC_WINSCOPE_PIECE)
		return tc_err_set(err, TC_BUG, "libcurl has %zu bytes at once", len);
	if (tc_winscope_text_feed(&job->text, bytes, len, text, &made, err) < 0)
		return -1;
	if (tc_winscope_output_feed(
		    &job->output, text, made, (uint8_t *)job->piece, &job->len, err) < 0)
		return -1;
	job->spare += (int64_t)len - 2 * (int64_t)job->len;
	if (job->spare > IDLE_MAX)
		return tc_err_named(
			err, TC_PROTOCOL, "protocol", "the proxy's answer does not end");
	return 0;
}

static int
begin(struct tc_winscope_job *job, const struct tc_wait *w, struct tc_err *err)
{
	job->is_begun = true;
	tc_winscope_keep(job->d, w);
	job->call = (struct tc_winscope_call){
		.proxy = &job->d->proxy,
		.path = job->path,
		.body = job->body,
		.is_open = job->d->is_open,
		.take = take,
		.ctx = job,
	};
	return tc_winscope_call_begin(&job->call, err);
}

/*
 * What adb says in place of an output stands behind the command, which ends with the
 * mark, and means nothing here; nor does a mark that was cut off behind it.
 */
static const char *
complaint(struct tc_winscope_output *o)
{
	const char *word = o->mark + 1, *said = o->said, *at = said;

	o->said[o->said_len - o->matched] = '\0';
	while ((at = strstr(at, word))) {
		at += strlen(word);
		said = at + strspn(at, "': \n");
	}
	return said;
}

static int
finish(struct tc_winscope_job *job, int *status, struct tc_err *err)
{
	if (!tc_winscope_text_is_whole(&job->text))
		return tc_err_named(err, TC_NOSERVICE, "gone",
			"the proxy was lost in the middle of its answer");
	if (job->output.state == TC_WINSCOPE_BEFORE)
		return tc_winscope_refused(job->d, complaint(&job->output), err);
	if (job->output.state == TC_WINSCOPE_DATA)
		return tc_err_named(err, TC_NOSERVICE, "gone",
			"the device was lost before the command's end");
	*status = job->output.status;
	return 0;
}

int
tc_winscope_job_next(struct tc_winscope_job *job, const struct tc_wait *w,
	const char **bytes, size_t *len, int *status, struct tc_err *err)
{
	int r = 0;

	job->len = 0;
	if (!job->is_begun && begin(job, w, err) < 0)
		return -1;
	while (!job->len && (r = tc_winscope_call_step(&job->call, w, err)) == 0)
		;
	/* What has come is given, also when the wait is over. */
	*bytes = job->piece;
	*len = job->len;
	if (job->len)
		return 1;
	return r < 0 ? -1 : finish(job, status, err);
}

/* ---- to the end ---- */

int
tc_winscope_run(struct tc_winscope *d, const char *command, const struct tc_wait *w,
	char **out, size_t *len, int *status, struct tc_err *err)
{
	struct tc_winscope_job *job;
	const char *bytes;
	size_t n, cap = 0;
	char *text = NULL;
	int r;

	if (tc_winscope_job_open(d, command, &job, err) < 0)
		return -1;
	tc_mem_grow(&text, &cap, 1, 1);
	*len = 0;
	while ((r = tc_winscope_job_next(job, w, &bytes, &n, status, err)) == 1) {
		if (n > OUTPUT_MAX - *len) {
			r = tc_err_named(err, TC_DATA, "too_long",
				"the command printed more than %d bytes", OUTPUT_MAX);
			break;
		}
		tc_mem_grow(&text, &cap, *len + n + 1, 1);
		memcpy(text + *len, bytes, n);
		*len += n;
	}
	tc_winscope_job_close(job);
	text[*len] = '\0';
	if (r < 0) {
		free(text);
		return -1;
	}
	*out = text;
	return 0;
}
