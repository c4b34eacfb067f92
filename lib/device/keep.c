/* Targets that a transport runs itself. */
#include "device/priv.h"
#include "err/err.h"

enum { START_MS = 60 * 1000 };

static int
lacks(const struct tc_device *d, struct tc_err *err)
{
	return tc_err_named(err, TC_NOSERVICE, "unsupported",
		"%s: nothing keeps targets running there", d->name);
}

static void
take(struct tc_device_result *result, int status, char *out)
{
	*result = (struct tc_device_result){
		.status = status, .out = out, .out_len = strlen(out)
	};
	result->err = tc_mem_calloc(1, 1);
}

int
tc_device_start(struct tc_device *d, const char *id, const char *start, const char *stop,
	const struct tc_wait *w, struct tc_device_result *result, struct tc_err *err)
{
	struct tc_wait usual = tc_wait_for(START_MS);
	char *out;
	int status;

	if (!d->ops->start)
		return lacks(d, err);
	if (d->ops->start(
		    d->handle, id, start, stop, w ? w : &usual, &status, &out, err) < 0)
		return -1;
	take(result, status, out);
	return 0;
}

int
tc_device_alive(
	struct tc_device *d, const char *id, const struct tc_wait *w, struct tc_err *err)
{
	struct tc_wait usual = tc_wait_for(TC_DEVICE_ANSWER_MS);

	if (!d->ops->alive)
		return lacks(d, err);
	return d->ops->alive(d->handle, id, w ? w : &usual, err);
}

int
tc_device_stop(struct tc_device *d, const char *id, const struct tc_wait *w,
	struct tc_device_result *result, struct tc_err *err)
{
	struct tc_wait usual = tc_wait_for(START_MS);
	char *out;
	int status;

	if (!d->ops->stop)
		return lacks(d, err);
	if (d->ops->stop(d->handle, id, w ? w : &usual, &status, &out, err) < 0)
		return -1;
	take(result, status, out);
	return 0;
}
