/* Commands. */
#include <stdlib.h>
#include <string.h>

#include "device/priv.h"
#include "err/err.h"

struct tc_device_job {
	const struct tc_device_ops *ops;
	void *job; /* owned */
};

int
tc_device_spawn(struct tc_device *d, const char *command,
	const struct tc_device_input *in, const struct tc_wait *w,
	struct tc_device_job **job, struct tc_err *err)
{
	struct tc_wait usual = tc_wait_for(TC_DEVICE_ANSWER_MS);
	void *made;

	if (d->ops->spawn(d->handle, command, in, w ? w : &usual, &made, err) < 0)
		return -1;
	*job = tc_mem_calloc(1, sizeof(**job));
	(*job)->ops = d->ops;
	(*job)->job = made;
	return 0;
}

int
tc_device_job_next(struct tc_device_job *job, const struct tc_wait *w,
	struct tc_device_piece *piece, int *status, struct tc_err *err)
{
	struct tc_wait usual = tc_wait_for(TC_DEVICE_ANSWER_MS);

	return job->ops->job_next(job->job, w ? w : &usual, piece, status, err);
}

int
tc_device_job_fd(const struct tc_device_job *job)
{
	return job->ops->job_fd(job->job);
}

void
tc_device_job_close(struct tc_device_job *job)
{
	if (!job)
		return;
	job->ops->job_close(job->job);
	free(job);
}

/* ---- to the end ---- */

/* A text that grows, always with a NUL behind it. */
struct text {
	char *p; /* owned */
	size_t len, cap;
};

static void
add(struct text *t, const char *bytes, size_t len)
{
	tc_mem_grow(&t->p, &t->cap, t->len + len + 1, 1);
	if (len)
		memcpy(t->p + t->len, bytes, len);
	t->len += len;
	t->p[t->len] = '\0';
}

static int
collect(struct tc_device_job *job, const struct tc_wait *w, struct text *out,
	struct text *errors, int *status, struct tc_err *err)
{
	struct tc_device_piece piece;
	int r;

	add(out, NULL, 0);
	add(errors, NULL, 0);
	while ((r = tc_device_job_next(job, w, &piece, status, err)) == 1) {
		if (out->len + errors->len + piece.len > TC_DEVICE_RESULT_MAX)
			return tc_err_named(err, TC_DATA, "too_long",
				"the command printed more than %d bytes",
				TC_DEVICE_RESULT_MAX);
		if (tc_wait_check(w, err) < 0)
			return -1;
		add(piece.from == TC_DEVICE_ERR ? errors : out, piece.bytes, piece.len);
	}
	return r;
}

int
tc_device_run(struct tc_device *d, const char *command, const struct tc_device_input *in,
	const struct tc_wait *w, struct tc_device_result *result, struct tc_err *err)
{
	struct tc_wait usual = tc_wait_for(TC_DEVICE_ANSWER_MS);
	struct tc_device_job *job;
	struct text out = { 0 }, errors = { 0 };
	int r, status;

	if (!w)
		w = &usual;
	if (tc_device_spawn(d, command, in, w, &job, err) < 0)
		return -1;
	r = collect(job, w, &out, &errors, &status, err);
	tc_device_job_close(job);
	if (r < 0) {
		free(out.p);
		free(errors.p);
		return -1;
	}
	*result =
		(struct tc_device_result){ status, out.p, errors.p, out.len, errors.len };
	return 0;
}

void
tc_device_result_release(struct tc_device_result *result)
{
	free(result->out);
	free(result->err);
	*result = (struct tc_device_result){ 0 };
}
