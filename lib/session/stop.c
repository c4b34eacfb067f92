/* Stopping: each target whatever becomes of the others, then the settings. */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "err/err.h"
#include "session/priv.h"

enum { STOP_MS = 600 * 1000, ANSWER_MS = 20 * 1000 };

/*
 * Perfetto has no such session any more: it ended when its time was over, or the
 * device went away and came back while it was asked to stop it.
 */
static bool
is_stopped_already(const struct tc_session_device *d, unsigned returned,
	const struct tc_session_item *item, const struct tc_device_result *r)
{
	return r->status == 2 && tc_str_eq(item->target.via, TC_STR("perfetto")) &&
		(d->returned != returned || tc_session_duration_ms(&item->target));
}

/* Whether what could not be stopped may go on: unless the device says that it is over. */
static bool
may_go_on(struct tc_session *s, struct tc_session_device *d, struct tc_session_item *item)
{
	struct tc_session_call call = { .phase = "check",
		.item = item,
		.text = tc_session_alive_text(&s->arena, &item->target, item->rec.pids),
		.limit_ms = ANSWER_MS,
		.is_repeated = true };
	struct tc_device_result r;
	struct tc_err err = { 0 };
	bool is_over;

	if (!call.text || !d->device)
		return false; /* nothing can be known, and it writes its file at the end
			       */
	if (tc_session_exec(s, d, &call, &r, &err) < 0)
		return true;
	is_over = tc_session_is_over(item->rec.pids, strtol(r.out, NULL, 10));
	tc_device_result_release(&r);
	return !is_over;
}

static void
stop_failed(struct tc_session *s, struct tc_session_device *d,
	struct tc_session_item *item, const char *code, const char *text)
{
	item->is_unstopped = may_go_on(s, d, item);
	tc_session_end(s, d, item, d->device ? "failed" : "lost", code, text);
}

/*
 * What runs it stops it; where that does not know of it, or cannot, it is stopped as
 * if it had been started by a command. 0, or -1 when that is to be done.
 */
static int
stop_kept(struct tc_session *s, struct tc_session_device *d, struct tc_session_item *item)
{
	struct tc_session_call call = { .phase = "stop",
		.item = item,
		.text = tc_session_kept_stop_text(&s->arena, &item->target),
		.limit_ms = STOP_MS,
		.is_repeated = true,
		.keep = TC_SESSION_KEEP_STOP };
	struct tc_device_result r;
	struct tc_err err = { 0 };

	item->is_kept = false;
	if (tc_session_exec(s, d, &call, &r, &err) < 0) {
		if (d->device && !tc_session_is_given_up())
			return -1;
		if (!d->device)
			stop_failed(s, d, item, tc_err_what(&err), err.msg);
		return 0;
	}
	if (r.status == 0)
		tc_session_end(s, d, item, "stopped", NULL, NULL);
	else
		stop_failed(s, d, item, "stop_failed", tc_session_words(s, &r));
	tc_device_result_release(&r);
	return 0;
}

static void
stop_one(struct tc_session *s, struct tc_session_device *d, struct tc_session_item *item)
{
	struct tc_session_call call = { .phase = "stop",
		.item = item,
		.text = tc_session_stop_text(&s->arena, &item->target, item->rec.pids),
		.limit_ms = STOP_MS,
		.is_repeated = true };
	struct tc_device_result r;
	struct tc_err err = { 0 };
	unsigned returned = d->returned;

	if (item->is_kept && stop_kept(s, d, item) == 0)
		return;
	if (!call.text) {
		tc_session_end(s, d, item, "stopped", NULL, NULL);
		return;
	}
	if (tc_session_exec(s, d, &call, &r, &err) < 0) {
		/* Given up: whoever names what is left ends it. */
		if (!tc_session_is_given_up())
			stop_failed(s, d, item, tc_err_what(&err), err.msg);
		return;
	}
	if (r.status == 0 || is_stopped_already(d, returned, item, &r))
		tc_session_end(s, d, item, "stopped", NULL, NULL);
	else
		stop_failed(s, d, item, "stop_failed", tc_session_words(s, &r));
	tc_device_result_release(&r);
}

/* ---- settings ---- */

static bool
is_put_back(const struct tc_session_device *d, size_t item, size_t setting)
{
	const struct tc_rec_session_setting *wanted, *list;
	size_t i, j;

	wanted = (const struct tc_rec_session_setting *)d->items[item].rec.restore.items +
		setting;
	for (i = 0; i <= item; i++) {
		list = d->items[i].rec.restore.items;
		for (j = 0; j < d->items[i].rec.restore.count; j++) {
			if (i == item && j == setting)
				return false;
			if (d->items[i].is_ours &&
				tc_str_eq(list[j].space, wanted->space) &&
				tc_str_eq(list[j].key, wanted->key))
				return true;
		}
	}
	return false;
}

const char *
tc_session_restore_text(struct tc_session *s, const struct tc_session_device *d)
{
	const struct tc_rec_session_setting *list;
	const char *text = NULL, *put;
	size_t i, j;

	for (i = 0; i < d->item_count; i++) {
		list = d->items[i].rec.restore.items;
		for (j = 0; d->items[i].is_ours && j < d->items[i].rec.restore.count;
			j++) {
			if (is_put_back(d, i, j))
				continue;
			put = tc_session_put_setting(
				&s->arena, &d->items[i].target, &list[j]);
			text = text ? tc_session_print(&s->arena, "%s && %s", text, put)
				    : put;
		}
	}
	return text;
}

static void
restore(struct tc_session *s, struct tc_session_device *d)
{
	struct tc_session_call call = { .phase = "restore",
		.text = tc_session_restore_text(s, d),
		.limit_ms = ANSWER_MS,
		.is_repeated = true };
	struct tc_device_result r;
	struct tc_err err = { 0 };

	if (!call.text || !d->device)
		return;
	if (tc_session_exec(s, d, &call, &r, &err) < 0) {
		tc_session_put_error(s, d, "settings", err.msg);
		return;
	}
	if (r.status)
		tc_session_put_error(s, d, "settings",
			tc_session_print(&s->arena, "settings were not put back: %s",
				tc_session_words(s, &r)));
	tc_device_result_release(&r);
}

/* ---- all of them ---- */

void
tc_session_stop_all(struct tc_session *s, struct tc_session_device *d)
{
	struct tc_session_item *item;
	size_t i;

	for (i = 0; i < d->item_count && !tc_session_is_given_up(); i++) {
		item = &d->items[i];
		if (!item->is_ours || !item->may_run)
			continue;
		if (d->device)
			stop_one(s, d, item);
		else
			tc_session_end(s, d, item, "lost", "gone",
				"the device did not come back");
	}
	if (!tc_session_is_given_up())
		restore(s, d);
}
