#include "targets/priv.h"

#include <inttypes.h>
#include <string.h>

static const struct tc_targets_request *
find(const struct tc_targets *t, const char *target)
{
	size_t i;

	for (i = 0; i < t->request_count; i++)
		if (strcmp(t->requests[i].target->name, target) == 0)
			return &t->requests[i];
	return NULL;
}

static bool
has_category(const struct tc_targets *t, const char *category)
{
	const struct tc_str s = tc_str_of(category);
	const struct tc_targets_request *r;
	size_t i, j;

	for (i = 0; i < t->request_count; i++)
		for (r = &t->requests[i], j = 0; j < r->count; j++)
			if (strcmp(r->values[j].option->key, "categories") == 0 &&
				tc_str_eq(r->values[j].text, s))
				return true;
	return false;
}

/* Whether somebody means to look at frames. */
static bool
is_about_frames(const struct tc_targets *t)
{
	return t->app_count || find(t, "FRAME_TIMELINE") || find(t, "FRAME_EVENTS") ||
		has_category(t, "gfx") || has_category(t, "view");
}

static void
lint_frames(struct tc_targets *t)
{
	if (is_about_frames(t) && !find(t, "FRAME_TIMELINE"))
		tc_targets_notice(t, NULL, "info", "no_frame_data", "FRAME_TIMELINE",
			"no frames will be in the trace: ask for FRAME_TIMELINE "
			"(android.surfaceflinger.frametimeline) too");
}

/* The first request for a target is the one that its legacy way follows. */
static void
lint_conflicts(struct tc_targets *t)
{
	const struct tc_targets_request *r, *first;
	size_t i;

	for (i = 0; i < t->request_count; i++) {
		r = &t->requests[i];
		first = find(t, r->target->name);
		if (!r->target->is_ftrace && !tc_targets_is_same(first, r, false))
			tc_targets_notice(t, NULL, "warning", "conflict", r->target->name,
				"%s is asked for with different options: Perfetto gets "
				"all "
				"of them, the legacy way is that of the first",
				r->target->name);
	}
}

static void
lint_ime(struct tc_targets *t)
{
	if (find(t, "IME") &&
		!(find(t, "SURFACE_FLINGER_TRACE") && find(t, "TRANSACTIONS") &&
			find(t, "WINDOW_MANAGER_TRACE")))
		tc_targets_notice(t, NULL, "info", "incomplete", "IME",
			"IME: without SURFACE_FLINGER_TRACE, TRANSACTIONS and "
			"WINDOW_MANAGER_TRACE in the same run, its frames cannot be "
			"mapped");
}

/* How much is written before the buffer is emptied, in KB, -1 when nobody knows. */
static int64_t
expected_kb(const struct tc_targets_numbers *n)
{
	int64_t ms = n->duration_ms;

	if (n->write_period_set && n->write_period_ms && (!ms || n->write_period_ms < ms))
		ms = n->write_period_ms;
	/* Both factors have 32 bits. */
	return ms ? (ms * n->rate_kb + 999) / 1000 : -1;
}

/* Only of what is no longer as Winscope has it. */
static void
lint_numbers(struct tc_targets *t)
{
	const struct tc_targets_numbers *n = &t->numbers;
	int64_t kb = expected_kb(n);
	bool uses_perfetto = false;
	size_t i;

	for (i = 0; i < t->request_count; i++)
		uses_perfetto |= t->requests[i].target->source != NULL;
	if (t->dump || !uses_perfetto)
		return;
	if ((n->write_period_set && !n->write_period_ms) ||
		(!n->write_period_set && (n->buffer_set || n->duration_set)))
		tc_targets_notice(t, NULL, "info", "no_write_period", NULL,
			n->write_period_set ? "write_into_file without a period: the "
					      "service chooses one"
					    : "write_into_file without a period of its "
					      "own: nothing is "
					      "written before the end, and what does not "
					      "fit into the "
					      "buffer is lost; see --write-period");
	if ((n->buffer_set || n->duration_set || n->write_period_set) &&
		kb > n->buffer_kb)
		tc_targets_notice(t, NULL, "warning", "buffer_too_small", NULL,
			"about %" PRId64 " KB are expected at %" PRId64
			" KB a second before the buffer is written, and it has %" PRId64
			" KB: the oldest would be lost",
			kb, n->rate_kb, n->buffer_kb);
}

void
tc_targets_lint(struct tc_targets *t)
{
	const struct tc_targets_request *r;
	size_t i;

	lint_conflicts(t);
	for (i = 0; i < t->request_count; i++) {
		r = &t->requests[i];
		if (r->target->caveat)
			tc_targets_notice(t, NULL, "info", "caveat", r->target->name,
				"%s: %s", r->target->name, r->target->caveat);
	}
	lint_ime(t);
	lint_frames(t);
	lint_numbers(t);
}

/* The sizes of legacy buffers, when they were asked for and there is another. */
static void
lint_ignored(struct tc_targets *t, const struct tc_rec_device *d,
	const struct tc_targets_request *r)
{
	const struct tc_targets_option *o;
	size_t i;

	for (i = 0; !r->is_preset && i < r->count; i++) {
		o = r->values[i].option;
		if (o->kind == TC_TARGETS_CHOICE && !o->words[0].perfetto)
			tc_targets_notice(t, d, "info", "option_ignored", r->target->name,
				"%s: %s is for the legacy way; the buffer of Perfetto "
				"has "
				"%" PRId64 " KB (--buffer-size)",
				r->target->name, o->key, t->numbers.buffer_kb);
	}
}

static void
lint_groups(struct tc_targets *t, const struct tc_rec_device *d,
	const struct tc_targets_request *r)
{
	const struct tc_targets_value *v;
	size_t i;

	for (i = 0; d->protolog_groups.items && i < r->count; i++) {
		v = &r->values[i];
		if (v->option->kind == TC_TARGETS_GROUPS &&
			!tc_targets_has_str(d->protolog_groups.items,
				d->protolog_groups.count, v->text))
			tc_targets_notice(t, d, "warning", "unknown_group",
				r->target->name, "%s: the device has no group %.*s",
				r->target->name, (int)v->text.len, v->text.p);
	}
}

void
tc_targets_lint_device(
	struct tc_targets *t, const struct tc_rec_device *d, const bool *use)
{
	const struct tc_targets_request *r;
	bool has_frames = false;
	size_t i;

	for (i = 0; i < t->request_count; i++) {
		r = &t->requests[i];
		if (!use[i])
			continue;
		has_frames |= strcmp(r->target->name, "FRAME_TIMELINE") == 0;
		lint_ignored(t, d, r);
		lint_groups(t, d, r);
	}
	if (!has_frames && find(t, "FRAME_TIMELINE"))
		tc_targets_notice(t, d, "warning", "no_frame_data", "FRAME_TIMELINE",
			"no frames will be in the trace: the device lacks "
			"android.surfaceflinger.frametimeline, or cannot be asked for "
			"it");
}
