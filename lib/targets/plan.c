#include "targets/priv.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "err/err.h"

/* Winscope asks no more of a device: a service takes five sessions of one user. */
enum { MAX_SESSIONS = 5 };

void
tc_targets_release(struct tc_targets *t)
{
	size_t i;

	for (i = 0; i < t->request_count; i++)
		free(t->requests[i].values);
	free(t->requests);
	free(t->devices);
	free(t->apps);
	free(t->assumed);
	tc_json_release(&t->json);
	tc_arena_release(&t->scratch);
	tc_arena_release(&t->arena);
}

bool
tc_targets_has_str(const struct tc_str *items, size_t count, struct tc_str s)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (tc_str_eq(items[i], s))
			return true;
	return false;
}

void
tc_targets_notice(struct tc_targets *t, const struct tc_rec_device *d, const char *level,
	const char *code, const char *target, const char *fmt, ...)
{
	struct tc_rec_notice rec = {
		.level = tc_str_of(level),
		.code = tc_str_of(code),
		.trace = TC_NONE,
	};
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (d)
		rec.device = d->device;
	if (target)
		rec.target = tc_str_of(target);
	rec.text = tc_str_of(text);
	tc_rec_put(t->out, &tc_rec_notice, &rec);
	t->warnings_put += strcmp(level, "warning") == 0;
}

void
tc_targets_put(struct tc_targets *t, const struct tc_rec_target *rec)
{
	tc_rec_put(t->out, &tc_rec_target, rec);
	t->targets_put++;
}

/* Whether an earlier target has the same data source. */
static bool
is_again(const struct tc_targets_target *target)
{
	const struct tc_targets_target *t;

	for (t = tc_targets_table; t < target; t++)
		if (t->source && strcmp(t->source, target->source) == 0)
			return true;
	return false;
}

static int
no_source(struct tc_str name, struct tc_err *err)
{
	const struct tc_targets_target *target;
	struct tc_targets_listed l = { .len = 0 };

	tc_targets_list(&l, "all");
	tc_targets_list(&l, "none");
	for (target = tc_targets_table; target->name; target++)
		if (target->source && !is_again(target))
			tc_targets_list(&l, target->source);
	return tc_err_set(err, TC_USAGE, "no data source '%.*s': one of %s",
		name.len < 32 ? (int)name.len : 32, name.p, l.text);
}

static void
assume_one(struct tc_targets *t, struct tc_str name)
{
	tc_mem_grow(
		&t->assumed, &t->assumed_cap, t->assumed_count + 1, sizeof(*t->assumed));
	t->assumed[t->assumed_count++] = tc_arena_str(&t->arena, name);
}

int
tc_targets_assume(struct tc_targets *t, const char *text, struct tc_err *err)
{
	const struct tc_targets_target *target;
	struct tc_str name;

	t->is_assumed = true;
	if (strcmp(text, "none") == 0)
		return 0;
	if (strcmp(text, "all") == 0) {
		for (target = tc_targets_table; target->name; target++)
			if (target->source)
				assume_one(t, tc_str_of(target->source));
		return 0;
	}
	for (;; text += name.len + 1) {
		name = (struct tc_str){ text, (uint32_t)strcspn(text, ","), false };
		if (!tc_targets_is_source(name))
			return no_source(name, err);
		assume_one(t, name);
		if (!text[name.len])
			return 0;
	}
}

int
tc_targets_add_device(
	struct tc_targets *t, const struct tc_rec_device *d, struct tc_err *err)
{
	size_t i = 0;

	if (!d->device.p)
		return tc_err_set(err, TC_DATA, "a device without a name");
	while (i < t->device_count && !tc_str_eq(t->devices[i].device, d->device))
		i++;
	if (i == TC_TARGETS_MAX_DEVICES)
		return tc_err_set(
			err, TC_DATA, "more than %d devices", TC_TARGETS_MAX_DEVICES);
	if (i == t->device_count) {
		tc_mem_grow(&t->devices, &t->device_cap, i + 1, sizeof(*t->devices));
		t->device_count++;
	}
	tc_rec_keep(&tc_rec_device, d, &t->arena, &t->devices[i]);
	return 0;
}

static bool
is(struct tc_str s, const char *text)
{
	return s.p && tc_str_eq(s, tc_str_of(text));
}

static bool
has_source(const struct tc_targets *t, const struct tc_rec_device *d, const char *source)
{
	const struct tc_str name = tc_str_of(source);

	if (t->is_assumed)
		return tc_targets_has_str(t->assumed, t->assumed_count, name);
	return d->perfetto &&
		tc_targets_has_str(d->perfetto->data_sources.items,
			d->perfetto->data_sources.count, name);
}

/* NULL, or the code of the reason why Perfetto cannot do it. */
static const char *
trouble_of(const struct tc_targets *t, const struct tc_rec_device *d,
	const struct tc_targets_target *target)
{
	if (!t->is_assumed && !d->perfetto)
		return "no_perfetto";
	if (!has_source(t, d, target->source))
		return "no_data_source";
	if (d->perfetto && d->perfetto->sessions >= MAX_SESSIONS)
		return "session_limit";
	return NULL;
}

static void
say_trouble(struct tc_targets *t, const struct tc_rec_device *d,
	const struct tc_targets_target *target, const char *code)
{
	const char *so = target->legacy ? "the legacy way is taken" : "not captured";

	if (strcmp(code, "no_perfetto") == 0)
		tc_targets_notice(t, d, "warning", code, target->name,
			"%s: no tracing service of Perfetto answers: %s", target->name,
			so);
	else if (strcmp(code, "no_data_source") == 0)
		tc_targets_notice(t, d, "warning", code, target->name,
			"%s: the device has no data source %s: %s", target->name,
			target->source, so);
	else
		tc_targets_notice(t, d, "warning", code, target->name,
			"%s: %" PRId64
			" Perfetto sessions are there already, the limit is %d: "
			"%s",
			target->name, d->perfetto->sessions, MAX_SESSIONS, so);
}

/* NULL, or why this device cannot do it without Perfetto. */
static const char *
no_form(const struct tc_rec_device *d, const struct tc_targets_target *target)
{
	if (is(d->platform, "ios"))
		return "this is no Android device";
	if (!target->legacy)
		return "there is no way but Perfetto";
	if (target->legacy->needs_wayland && d->wayland == 0)
		return "the device has no Wayland service";
	return NULL;
}

static bool
needs_root(const struct tc_targets_target *target)
{
	return strstr(target->legacy->start, "su root ") != NULL;
}

/* The legacy way is there, and may yet come to nothing. */
static void
say_doubts(struct tc_targets *t, const struct tc_rec_device *d,
	const struct tc_targets_target *target)
{
	if (needs_root(target) && is(d->root, "none"))
		tc_targets_notice(t, d, "warning", "needs_root", target->name,
			"%s: the legacy way needs root, which this device does not give",
			target->name);
	if (target->legacy->last_sdk && d->sdk != TC_NONE &&
		d->sdk > target->legacy->last_sdk)
		tc_targets_notice(t, d, "warning", "legacy_refused", target->name,
			"%s: systems after API level %d refuse the legacy way",
			target->name, target->legacy->last_sdk);
}

static void
say_displays(struct tc_targets *t, const struct tc_rec_device *d,
	const struct tc_targets_request *r)
{
	const char *trouble;
	size_t i, asked = 0;

	for (i = 0; i < r->count; i++) {
		if (r->values[i].option->kind != TC_TARGETS_DISPLAY)
			continue;
		asked++;
		trouble = tc_targets_display_trouble(d, r, r->values[i].text);
		if (trouble)
			tc_targets_notice(t, d, "warning", "no_such_display",
				r->target->name, "%s: display %.*s is left out: %s",
				r->target->name, (int)r->values[i].text.len,
				r->values[i].text.p, trouble);
	}
	if (!asked && r->target->legacy->per_display && d->displays.count > 1)
		tc_targets_notice(t, d, "info", "several_displays", r->target->name,
			"%s: the device has %zu displays, and no option says which",
			r->target->name, d->displays.count);
}

/* Decides about one request. Returns whether Perfetto does it; *legacy is the rest. */
static bool
decide(struct tc_targets *t, const struct tc_rec_device *d,
	const struct tc_targets_request *r, bool *legacy)
{
	const struct tc_targets_target *target = r->target;
	const char *why = NULL;

	*legacy = false;
	if (target->source && !is(d->platform, "ios")) {
		why = trouble_of(t, d, target);
		if (!why)
			return true;
		say_trouble(t, d, target, why);
	}
	why = no_form(d, target);
	if (why) {
		tc_targets_notice(t, d, "warning", "no_legacy_form", target->name,
			"%s is not captured: %s", target->name, why);
		return false;
	}
	*legacy = true;
	say_doubts(t, d, target);
	say_displays(t, d, r);
	return false;
}

/* In every other state a device does not take the commands of a capture. */
static bool
is_ready(const struct tc_rec_device *d)
{
	return !d->state.p || is(d->state, "device");
}

/* What is decided for a device, request by request. */
struct decided {
	bool *use, *legacy; /* owned */
	size_t used, fallen;
};

static void
decide_all(struct tc_targets *t, const struct tc_rec_device *d, struct decided *to)
{
	size_t i;

	to->use = tc_mem_calloc(t->request_count, sizeof(*to->use));
	to->legacy = tc_mem_calloc(t->request_count, sizeof(*to->legacy));
	for (i = 0; i < t->request_count; i++) {
		to->use[i] = decide(t, d, &t->requests[i], &to->legacy[i]);
		to->used += to->use[i];
		to->fallen += to->legacy[i];
	}
}

/* Legacy targets in the order of the requests, Perfetto last. Whether any is there. */
static bool
put_targets(struct tc_targets *t, const struct tc_rec_device *d,
	const struct decided *decided)
{
	struct tc_targets_names done = { NULL, 0, 0 };
	bool any;
	size_t i;

	for (i = 0; i < t->request_count; i++)
		if (decided->legacy[i])
			tc_targets_put_legacy(t, d, &t->requests[i], &done);
	if (decided->used)
		tc_targets_put_perfetto(t, d->device, decided->use);
	any = done.count || decided->used;
	free(done.items);
	return any;
}

/* Whether there is anything to capture. */
static bool
plan_device(struct tc_targets *t, const struct tc_rec_device *d)
{
	struct decided decided = { NULL, NULL, 0, 0 };
	bool any;

	if (!is_ready(d)) {
		tc_targets_notice(t, d, "warning", "not_ready", NULL,
			"the device is not ready: %.*s", (int)d->state.len, d->state.p);
		return false;
	}
	decide_all(t, d, &decided);
	tc_targets_lint_device(t, d, decided.use);
	any = put_targets(t, d, &decided);
	if (!any)
		tc_targets_notice(t, d, "warning", "nothing_to_capture", NULL,
			"None of the requested targets are available on this device.");
	free(decided.use);
	free(decided.legacy);
	tc_arena_reset(&t->scratch);
	return any;
}

static int
settle_requests(struct tc_targets *t, struct tc_err *err)
{
	size_t i, atrace = 0;

	if (t->dump && !t->request_count && tc_targets_add_preset(t, "dump", err))
		return -1;
	for (i = 0; i < t->request_count; i++)
		atrace += strcmp(t->requests[i].target->name, "ATRACE") == 0;
	if (t->app_count && !atrace && tc_targets_add_text(t, "ATRACE", err))
		return -1;
	if (!t->request_count)
		return tc_err_set(err, TC_USAGE,
			"nothing is asked for: use -p, -t or request records");
	t->dump |= t->requests[0].target->is_dump;
	for (i = 0; i < t->request_count; i++)
		if (t->requests[i].target->is_dump != t->dump)
			return tc_err_set(err, TC_USAGE,
				"%s is a %s: traces and dumps are not for one run",
				t->requests[i].target->name,
				t->dump ? "trace, and this is a run of dumps"
					: "dump, and this is a run of traces");
	if (t->dump && (t->numbers.duration_set || t->numbers.write_period_set))
		return tc_err_set(err, TC_USAGE,
			"--duration and --write-period are for traces, not for dumps");
	return 0;
}

int
tc_targets_plan(struct tc_targets *t, struct tc_out *out, bool *idle, struct tc_err *err)
{
	struct tc_rec_device unknown;
	size_t i;

	*idle = false;
	if (!t->device_count && !t->is_assumed)
		return tc_err_set(err, TC_USAGE,
			"no device record came, and --assume does not say what one has");
	if (settle_requests(t, err))
		return -1;
	t->out = out;
	tc_targets_lint(t);
	for (i = 0; i < t->device_count; i++)
		*idle |= !plan_device(t, &t->devices[i]);
	if (!t->device_count) {
		tc_rec_init(&tc_rec_device, &unknown);
		*idle = !plan_device(t, &unknown);
	}
	return 0;
}
