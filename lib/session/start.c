/* Starting: settings, the folder, setup and start of each target, readiness. */
#include <query.pb-c.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "err/err.h"
#include "session/priv.h"

enum { START_MS = 120 * 1000, DUMP_MS = 600 * 1000, ANSWER_MS = 20 * 1000 };
enum { READY_TRIES = 25, READY_MS = 200 };

/* ---- settings that will be changed ---- */

/* One command for all of them, in the order of the items. NULL when there is none. */
const char *
tc_session_settings_text(struct tc_session *s, struct tc_session_device *d)
{
	const char *text = NULL, *get;
	struct tc_session_item *item;
	size_t i, j;

	for (i = 0; i < d->item_count; i++) {
		item = &d->items[i];
		item->setting_count = tc_session_settings(&s->arena, &item->target,
			item->settings, TC_SESSION_SETTINGS_MAX);
		for (j = 0; j < item->setting_count; j++) {
			get = tc_session_get_setting(&s->arena, &item->settings[j]);
			text = text ? tc_session_print(&s->arena, "%s; %s", text, get)
				    : get;
		}
	}
	return text;
}

/* The lines that has_lines found, one for each. */
static void
take_settings(struct tc_session *s, struct tc_session_device *d, char *line)
{
	struct tc_session_item *item;
	size_t i, j;
	char *end;

	for (i = 0; i < d->item_count; i++) {
		item = &d->items[i];
		for (j = 0; j < item->setting_count; j++, line = end + 1) {
			end = strchr(line, '\n');
			*end = '\0';
			item->settings[j].value =
				tc_str_of(tc_session_print(&s->arena, "%s", line));
		}
		if (item->setting_count)
			item->rec.restore = (struct tc_rec_list){ item->settings,
				item->setting_count };
	}
}

/* One line for each that was asked for, or no line can be trusted. */
static bool
has_lines(const struct tc_session_device *d, const char *text)
{
	size_t wanted = 0, i;

	for (i = 0; i < d->item_count; i++)
		wanted += d->items[i].setting_count;
	for (; (text = strchr(text, '\n')); text++)
		if (!wanted--)
			return false;
	return wanted == 0;
}

static int
read_settings(struct tc_session *s, struct tc_session_device *d, struct tc_err *err)
{
	struct tc_session_call call = { .phase = "settings",
		.text = tc_session_settings_text(s, d),
		.limit_ms = ANSWER_MS,
		.is_repeated = true };
	struct tc_device_result r;

	if (!call.text)
		return 0;
	if (tc_session_exec(s, d, &call, &r, err) < 0)
		return -1;
	if (r.status == 0 && has_lines(d, r.out))
		take_settings(s, d, r.out);
	else
		tc_cli_diag(s->cli, TC_WARNING, "settings", d->name,
			"settings cannot be read, and will not be put back: %s",
			tc_session_words(s, &r));
	tc_device_result_release(&r);
	return 0;
}

/* ---- one target ---- */

/* `service call` succeeds whatever the service answers. */
static bool
is_refused(const char *text, const struct tc_device_result *r)
{
	return r->status != 0 ||
		(strstr(text, "service call") && strstr(r->out, "Parcel(Error"));
}

static void
start_failed(struct tc_session *s, struct tc_session_device *d,
	struct tc_session_item *item, const struct tc_err *err)
{
	/* How far it came is not known: it is to be stopped like one that runs. */
	item->may_run = item->is_start_failed = true;
	tc_session_set(
		s, item, d->device ? "failed" : "lost", tc_err_what(err), err->msg);
}

/* Whether it went well; and then *out (may be NULL) is what it printed. */
static bool
do_one(struct tc_session *s, struct tc_session_device *d, struct tc_session_item *item,
	const struct tc_session_call *call, const char *code, const char **out)
{
	struct tc_device_result r;
	struct tc_err err = { 0 };
	bool is_done;

	if (tc_session_exec(s, d, call, &r, &err) < 0) {
		start_failed(s, d, item, &err);
		return false;
	}
	is_done = !is_refused(call->text, &r);
	if (out)
		*out = tc_session_print(&s->arena, "%s", r.out);
	if (!is_done)
		tc_session_set(s, item, "failed", code, tc_session_words(s, &r));
	tc_device_result_release(&r);
	return is_done;
}

static bool
set_up(struct tc_session *s, struct tc_session_device *d, struct tc_session_item *item)
{
	const struct tc_str *setup = item->target.setup.items;
	struct tc_session_call call = {
		.phase = "setup", .item = item, .limit_ms = START_MS
	};
	size_t i;

	for (i = 0; i < item->target.setup.count; i++) {
		call.text = tc_session_bare(&s->arena, setup[i]);
		if (!do_one(s, d, item, &call, "setup_failed", NULL))
			return false;
	}
	return true;
}

static void
start_one(struct tc_session *s, struct tc_session_device *d, struct tc_session_item *item)
{
	struct tc_session_call call = { .phase = "start",
		.item = item,
		.text = tc_session_start_text(&s->arena, &item->target),
		.limit_ms = START_MS };
	bool is_recording = tc_session_recorder(&s->arena, &item->target);
	const char *out = "";
	bool is_started;

	if (d->keeps) {
		call.keep = TC_SESSION_KEEP_START;
		call.stop = tc_session_kept_stop_text(&s->arena, &item->target);
	}
	is_started = do_one(s, d, item, &call, "start_failed", &out);
	item->is_kept = d->keeps && (is_started || item->is_start_failed);
	if (is_recording && strtol(out, NULL, 10) > 1)
		item->rec.pids = tc_str_of(
			tc_session_print(&s->arena, "[%ld]", strtol(out, NULL, 10)));
	/* One that may have started has files, too. */
	if (is_started || item->is_start_failed)
		item->rec.started_at = tc_session_now(s);
	if (!is_started)
		return;
	item->started_ns = tc_wait_now();
	item->may_run = true;
	tc_session_set(s, item, "started", NULL, NULL);
}

/* ---- readiness ---- */

static bool
is_text(ProtobufCBinaryData b, const char *text)
{
	return b.len == strlen(text) && memcmp(b.data, text, b.len) == 0;
}

/* By all of its sources; an older Perfetto says only that it told them to start. */
static bool
is_up(const Tc__TracingServiceState__TracingSession *one)
{
	return one->has_is_started ? one->is_started
				   : one->has_state && is_text(one->state, "STARTED");
}

int
tc_session_is_up(const void *bytes, size_t len, const char *name)
{
	Tc__TracingServiceState *state =
		tc__tracing_service_state__unpack(NULL, len, bytes);
	const Tc__TracingServiceState__TracingSession *one;
	int up = -1;
	size_t i;

	if (!state)
		return -1;
	for (i = 0; i < state->n_tracing_sessions && up < 0; i++) {
		one = state->tracing_sessions[i];
		if (one->has_unique_session_name &&
			is_text(one->unique_session_name, name))
			up = is_up(one);
	}
	tc__tracing_service_state__free_unpacked(state, NULL);
	return up;
}

static const char *
name_of(struct tc_session *s, const struct tc_session_device *d)
{
	static const char field[] = "unique_session_name: \"";
	const char *text = NULL;
	size_t i;

	for (i = 0; i < d->item_count && !text; i++)
		if (tc_session_is(&d->items[i], "started"))
			text = strstr(
				tc_session_cstr(&s->arena, d->items[i].target.start),
				field);
	if (!text)
		return NULL;
	text += sizeof(field) - 1;
	return tc_session_cstr(&s->arena,
		(struct tc_str){ text, (uint32_t)strcspn(text, "\"\n"), false });
}

/*
 * --detach comes back before the data sources do. Whether they are up is in the
 * list that Perfetto gives of its sessions; an older one that has no such list
 * leaves it at that.
 */
static void
await_sources(struct tc_session *s, struct tc_session_device *d)
{
	struct tc_session_call call = { .phase = "ready",
		.text = "perfetto --query-raw",
		.limit_ms = ANSWER_MS,
		.is_brief = true };
	const char *name = name_of(s, d);
	struct tc_wait w = tc_wait_for(0);
	struct tc_device_result r;
	struct tc_err err = { 0 };
	int tries, up = 0;

	w.stop_fd = tc_session_stop_fd();
	for (tries = 0; name && up == 0 && tries < READY_TRIES; tries++) {
		if (tries && tc_wait_sleep(READY_MS, &w, &err) < 0)
			return;
		if (tc_session_exec(s, d, &call, &r, &err) < 0)
			return;
		up = r.status ? -1 : tc_session_is_up(r.out, r.out_len, name);
		tc_device_result_release(&r);
	}
	if (up == 0 && name)
		tc_cli_diag(s->cli, TC_WARNING, "not_ready", d->name,
			"Perfetto's data sources were not up within %d s",
			READY_TRIES * READY_MS / 1000);
}

/* ---- all of them ---- */

static void
fail_all(struct tc_session *s, struct tc_session_device *d, const struct tc_err *err)
{
	size_t i;

	tc_session_put_error(s, d, tc_err_what(err), err->msg);
	for (i = 0; i < d->item_count; i++) {
		tc_session_set(s, &d->items[i], "failed", tc_err_what(err), err->msg);
		d->items[i].is_ended = true;
		tc_session_put(s, d, &d->items[i]);
	}
}

int
tc_session_begin(struct tc_session *s, struct tc_session_device *d)
{
	struct tc_err err = { 0 };

	/* Its folder is as it was, then. */
	if (tc_session_is_stopped())
		tc_err_named(&err, TC_AGAIN, "interrupted",
			"%s: stopped before its start", d->name);
	else if (tc_session_open(s, d, tc_session_stop_fd(), &err) == 0 &&
		(!s->discard || tc_session_end_left(s, d, &err) == 0) &&
		read_settings(s, d, &err) == 0 && tc_session_prepare(s, d, &err) == 0) {
		d->keeps =
			s->keeps && (tc_device_caps(d->device) & TC_DEVICE_KEEPS_TARGETS);
		return 0;
	}
	fail_all(s, d, &err);
	d->has_failed = true;
	d->why = err;
	return -1;
}

void
tc_session_start_all(struct tc_session *s, struct tc_session_device *d)
{
	struct tc_session_item *item;
	struct tc_err err = { 0 };
	size_t i;

	for (i = 0; i < d->item_count; i++) {
		item = &d->items[i];
		item->is_ours = true;
		if (tc_session_is_stopped())
			tc_session_set(s, item, "failed", "interrupted",
				"stopped before its start");
		else if (!d->device)
			tc_session_set(s, item, "failed", "gone", "the device is gone");
		else if (set_up(s, d, item))
			start_one(s, d, item);
	}
	await_sources(s, d);
	if (d->device && tc_session_note(s, d, "running", &err) < 0)
		tc_cli_diag(
			s->cli, TC_WARNING, tc_err_what(&err), d->name, "%s", err.msg);
	for (i = 0; i < d->item_count; i++) {
		/* One that is still to be stopped gets its last record then. */
		d->items[i].is_ended = !d->items[i].may_run;
		tc_session_put(s, d, &d->items[i]);
	}
}

static void
dump_one(struct tc_session *s, struct tc_session_device *d, struct tc_session_item *item,
	const struct tc_session_call *call)
{
	item->rec.started_at = tc_session_now(s);
	if (!do_one(s, d, item, call, "dump_failed", NULL))
		return;
	item->rec.stopped_at = tc_session_now(s);
	tc_session_set(s, item, "stopped", NULL, NULL);
}

void
tc_session_dump_all(struct tc_session *s, struct tc_session_device *d)
{
	struct tc_session_call call = { .phase = "dump", .limit_ms = DUMP_MS };
	struct tc_session_item *item;
	size_t i;

	for (i = 0; i < d->item_count; i++) {
		item = &d->items[i];
		item->is_ours = true;
		call.item = item;
		call.text = tc_session_bare(&s->arena, item->target.start);
		if (tc_session_is_stopped())
			tc_session_set(s, item, "failed", "interrupted",
				"stopped before its start");
		else if (!d->device)
			tc_session_set(s, item, "failed", "gone", "the device is gone");
		else if (set_up(s, d, item))
			dump_one(s, d, item, &call);
		item->may_run = false;
		item->is_ended = true;
		tc_session_put(s, d, item);
	}
}
