/* The time between start and stop: what ends it, and what dies in it. */
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/cli.h"
#include "err/err.h"
#include "io/io.h"
#include "session/priv.h"

enum { CHECK_MS = 1000, ALIVE_MS = 5 * 1000, SILENCES = 2, LET_GO_MS = 60 * 1000 };

/*
 * Which items can be asked about, in one command; NULL when there is none. It is
 * made again only when one of them has ended: a run can take days.
 */
static const char *
alive_text(struct tc_session *s, struct tc_session_device *d)
{
	struct tc_session_item *item;
	const char *one;
	size_t i;

	if (d->is_asking)
		return d->alive;
	d->is_asking = true;
	d->alive = NULL;
	for (i = 0; i < d->item_count; i++) {
		item = &d->items[i];
		one = item->may_run
			? tc_session_alive_text(&s->arena, &item->target, item->rec.pids)
			: NULL;
		item->is_asked = one != NULL;
		if (one)
			d->alive = d->alive
				? tc_session_print(&s->arena, "%s; %s", d->alive, one)
				: one;
	}
	return d->alive;
}

/* A trace with a duration ends by itself, and then there is nothing to stop. */
static bool
is_over(const struct tc_session_item *item)
{
	int64_t ms = tc_session_duration_ms(&item->target);

	return ms &&
		(!item->started_ns || tc_wait_now() - item->started_ns >= ms * TC_MS);
}

/* What ran it lets go of it, having stopped what there is: 0, or -1. */
static int
let_go(struct tc_session *s, struct tc_session_device *d, struct tc_session_item *item)
{
	struct tc_session_call call = { .phase = "stop",
		.item = item,
		.text = item->rec.name.p,
		.limit_ms = LET_GO_MS,
		.keep = TC_SESSION_KEEP_STOP };
	struct tc_device_result r;
	struct tc_err err = { 0 };
	int done = 0;

	if (item->is_kept) {
		done = tc_session_exec(s, d, &call, &r, &err);
		if (done == 0)
			tc_device_result_release(&r);
	}
	item->is_kept = false;
	d->is_asking = false;
	return done;
}

/* As if a command had started it. Whether it still ran is not known. */
static void
stop_by_command(
	struct tc_session *s, struct tc_session_device *d, struct tc_session_item *item)
{
	struct tc_session_call call = { .phase = "stop",
		.item = item,
		.text = tc_session_stop_text(&s->arena, &item->target, item->rec.pids),
		.limit_ms = LET_GO_MS };
	struct tc_device_result r;
	struct tc_err err = { 0 };

	if (d->device && call.text && tc_session_exec(s, d, &call, &r, &err) == 0)
		tc_device_result_release(&r);
}

/*
 * The device has stopped it; that is waited for, so that its file is whole. One that
 * was started anew has not.
 */
static void
is_dropped(
	struct tc_session *s, struct tc_session_device *d, struct tc_session_item *item)
{
	static const char why[] = "it was stopped before its time: the proxy heard "
				  "nothing for too long, or lost the device";

	if (let_go(s, d, item) < 0)
		stop_by_command(s, d, item);
	tc_cli_diag(s->cli, TC_WARNING, "timed_out", d->name, "%.*s: %s",
		(int)item->rec.name.len, item->rec.name.p, why);
	tc_session_end(s, d, item, "failed", "timed_out", why);
}

/* Those that the transport runs are asked for one by one. */
static int
ask_kept(struct tc_session *s, struct tc_session_device *d, struct tc_err *err)
{
	struct tc_session_call call = { .phase = "alive",
		.limit_ms = ALIVE_MS,
		.is_brief = true,
		.is_repeated = true,
		.keep = TC_SESSION_KEEP_ALIVE };
	struct tc_device_result r;
	size_t i;

	for (i = 0; i < d->item_count; i++) {
		if (!d->items[i].is_kept || !d->items[i].may_run)
			continue;
		call.item = &d->items[i];
		call.text = call.item->rec.name.p;
		if (tc_session_exec(s, d, &call, &r, err) < 0)
			return -1;
		if (r.status)
			is_dropped(s, d, &d->items[i]);
		tc_device_result_release(&r);
	}
	return 0;
}

static void
is_dead(struct tc_session *s, struct tc_session_device *d, struct tc_session_item *item)
{
	let_go(s, d, item);
	if (is_over(item)) {
		tc_session_end(s, d, item, "stopped", NULL, NULL);
		return;
	}
	tc_cli_diag(s->cli, TC_WARNING, "died", d->name,
		"%.*s ended before it was stopped", (int)item->rec.name.len,
		item->rec.name.p);
	tc_session_end(s, d, item, "failed", "died", "it ended before it was stopped");
}

/* A status a line. Of Perfetto 1 is "cannot tell", and it is asked again. */
static void
take_alive(struct tc_session *s, struct tc_session_device *d, char *line)
{
	struct tc_session_item *item;
	size_t i;
	long status;
	char *end;

	for (i = 0; i < d->item_count; i++) {
		item = &d->items[i];
		if (!item->is_asked)
			continue;
		status = strtol(line, &end, 10);
		if (end == line || *end != '\n')
			return;
		if (tc_session_is_over(item->rec.pids, status))
			is_dead(s, d, item);
		line = end + 1;
	}
}

/*
 * A network can swallow a device without a word. Once it may be slow; twice it is
 * as good as gone.
 */
static int
is_silent(struct tc_session *s, struct tc_session_device *d, const struct tc_err *why)
{
	bool is_slow = why->name && strcmp(why->name, "timed_out") == 0;

	if (is_slow && ++d->silences >= SILENCES) {
		d->silences = 0;
		tc_session_lose(s, d, why);
	}
	return -1;
}

int
tc_session_check(struct tc_session *s, struct tc_session_device *d, struct tc_err *err)
{
	struct tc_session_call call = { .phase = "check",
		.limit_ms = ALIVE_MS,
		.is_brief = true,
		.is_repeated = true };
	struct tc_device_result r;

	if (ask_kept(s, d, err) < 0)
		return is_silent(s, d, err);
	call.text = alive_text(s, d);
	if (!call.text)
		call.text = ":"; /* then at least the device is known to be there */
	if (tc_session_exec(s, d, &call, &r, err) < 0)
		return is_silent(s, d, err);
	d->silences = 0;
	take_alive(s, d, r.out);
	tc_device_result_release(&r);
	return 0;
}

bool
tc_session_runs(const struct tc_session_device *d)
{
	size_t i;

	for (i = 0; d->device && i < d->item_count; i++)
		if (d->items[i].may_run)
			return true;
	return false;
}

bool
tc_session_any_runs(const struct tc_session *s)
{
	size_t i;

	for (i = 0; i < s->device_count; i++)
		if (tc_session_runs(&s->devices[i]))
			return true;
	return false;
}

/* The output, to see that its reader is gone; -1 for devices, which have none. */
static int
watched_fd(const struct tc_session *s)
{
	struct stat st;

	return fstat(s->out->fd, &st) == 0 && S_ISCHR(st.st_mode) ? -1 : s->out->fd;
}

/* The output's reader is gone: that is a request to stop, too. */
static bool
is_over_by(struct tc_session *s, int64_t until_ns)
{
	struct pollfd out = { .fd = watched_fd(s) };
	struct tc_wait w = { until_ns, 0, tc_session_stop_fd() };
	struct tc_err err = { 0 };

	if (tc_wait_poll(&out, 1, &w, &err) == 0)
		return true;
	return err.name && strcmp(err.name, "interrupted") == 0;
}

void
tc_session_watch(struct tc_session *s)
{
	int64_t end_ns = s->for_ms ? tc_wait_now() + s->for_ms * TC_MS : 0, next_ns;
	struct tc_err err = { 0 };
	size_t i;

	while (!tc_session_is_stopped() && !tc_session_is_unread(s) &&
		tc_session_any_runs(s)) {
		next_ns = tc_wait_now() + CHECK_MS * TC_MS;
		if (end_ns && end_ns < next_ns)
			next_ns = end_ns;
		if (is_over_by(s, next_ns) || (end_ns && tc_wait_now() >= end_ns))
			break;
		/* What does not answer in time is asked again. */
		for (i = 0; i < s->device_count; i++)
			if (s->devices[i].device)
				tc_session_check(s, &s->devices[i], &err);
	}
}
