#include "jank/priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "io/io.h"
#include "rec/rec.h"

static double
ms(double ns)
{
	return ns / (double)TC_MS;
}

/*
 * A mean to the nanosecond: more digits would only look exact. Rounded as
 * decimal text is, so that a half goes where a reader of %.6f sees it go.
 */
static double
six_places(double v)
{
	char text[64];

	snprintf(text, sizeof(text), "%.6f", v);
	return strtod(text, NULL);
}

static struct tc_str
duration_status(int64_t dur)
{
	if (dur == TC_NONE)
		return (struct tc_str){ 0 };
	if (dur == -1)
		return TC_STR("open");
	if (dur < 0)
		return TC_STR("invalid");
	return dur ? TC_STR("closed-positive") : TC_STR("zero");
}

/* How much later the frame ended than it should have, where that is known. */
static double
end_delta_ms(const struct tc_jank_actual *a, const struct tc_jank_expected *e)
{
	int64_t start, length, end;

	if (a->dur <= 0 || e->dur <= 0 || a->ts == TC_NONE || e->ts == TC_NONE)
		return (double)NAN;
	length = a->dur - e->dur;
	if (__builtin_sub_overflow(a->ts, e->ts, &start) ||
		__builtin_add_overflow(start, length, &end))
		return (double)NAN;
	return ms((double)end);
}

static void
put_frame(struct tc_jank *j, const struct tc_jank_actual *a, struct tc_out *out)
{
	const struct tc_jank_group *c = tc_jank_group_of(j, a->group);
	const struct tc_jank_proc *p = tc_jank_proc_of(j, a->group);
	const struct tc_jank_expected *e = tc_jank_expectation(j, a);
	bool is_one = e && e->count == 1;
	struct tc_rec_jank_frame rec = {
		.actual_id = a->id,
		.upid = p->upid,
		.pid = c->pid,
		.process = tc_strtab_str(&j->names, p->name),
		.layer_name = tc_strtab_str(&j->names, c->layer),
		.surface_frame_token = a->token,
		.display_frame_token = a->display_token,
		.is_buffer = tc_strtab_str(&j->names, c->is_buffer),
		.actual_ts_ns = a->ts,
		.raw_actual_dur_ns = a->dur,
		.actual_duration_status = duration_status(a->dur),
		.expected_count = e ? e->count : 0,
		.expected_id = is_one ? e->id : TC_NONE,
		.expected_ts_ns = is_one ? e->ts : TC_NONE,
		.expected_dur_ns = is_one ? e->dur : TC_NONE,
		.end_delta_ms = is_one ? end_delta_ms(a, e) : (double)NAN,
		.present_type = tc_strtab_str(&j->names, c->present),
		.on_time_finish = c->on_time,
		.jank_tag = tc_strtab_str(&j->names, c->tag),
		.jank_type = tc_strtab_str(&j->names, c->type),
		.machine_id = p->machine,
		.trace = p->trace,
	};

	tc_rec_put(out, &tc_rec_jank_frame, &rec);
}

static void
put_frames(struct tc_jank *j, struct tc_out *out, bool only_janky)
{
	const struct tc_jank_actual *a;
	struct tc_str tag;
	size_t i;

	for (i = 0; i < j->actual_count && !out->sys; i++) {
		a = &j->actual[i];
		if (!tc_jank_proc_of(j, a->group)->is_chosen)
			continue;
		tag = tc_strtab_str(&j->names, tc_jank_group_of(j, a->group)->tag);
		if (!only_janky || tc_jank_is_janky(tag))
			put_frame(j, a, out);
	}
}

static void
put_all_frames(struct tc_jank *j, struct tc_out *out)
{
	put_frames(j, out, false);
}

static void
put_group(struct tc_jank *j, uint32_t group, struct tc_out *out)
{
	const struct tc_jank_totals *t = &j->totals[group - 1];
	const struct tc_jank_group *c = tc_jank_group_of(j, group);
	const struct tc_jank_proc *p = tc_jank_proc_of(j, group);
	struct tc_rec_jank_stats rec = {
		.upid = p->upid,
		.pid = c->pid,
		.process = tc_strtab_str(&j->names, p->name),
		.layer_name = tc_strtab_str(&j->names, c->layer),
		.is_buffer = tc_strtab_str(&j->names, c->is_buffer),
		.jank_tag = tc_strtab_str(&j->names, c->tag),
		.jank_type = tc_strtab_str(&j->names, c->type),
		.present_type = tc_strtab_str(&j->names, c->present),
		.on_time_finish = c->on_time,
		.surface_frame_rows = t->rows,
		.closed_positive_rows = t->positive,
		.zero_rows = t->zero,
		.open_rows = t->open,
		.invalid_rows = t->invalid ? t->invalid : TC_NONE,
		.avg_closed_ms = t->positive
			? six_places(ms(t->sum_ns / (double)t->positive))
			: (double)NAN,
		.max_closed_ms = t->positive ? ms(t->max_ns) : (double)NAN,
		.machine_id = p->machine,
		.trace = p->trace,
	};

	tc_rec_put(out, &tc_rec_jank_stats, &rec);
}

/* Classes in the order of their rows; the one seen first wins a tie. */
struct ranked {
	int64_t rows;
	uint32_t group;
};

static int
by_rows(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->rows != y->rows)
		return x->rows < y->rows ? 1 : -1;
	return x->group < y->group ? -1 : 1;
}

static void
put_stats(struct tc_jank *j, struct tc_out *out)
{
	size_t n = j->groups.count, i;
	struct ranked *ranked = tc_mem_calloc(n, sizeof(*ranked));

	for (i = 0; i < n; i++)
		ranked[i] = (struct ranked){ j->totals[i].rows, (uint32_t)(i + 1) };
	qsort(ranked, n, sizeof(*ranked), by_rows);
	for (i = 0; i < n && !out->sys; i++)
		if (tc_jank_proc_of(j, ranked[i].group)->is_chosen)
			put_group(j, ranked[i].group, out);
	free(ranked);
}

void
tc_jank_put_default(struct tc_jank *j, struct tc_out *out)
{
	put_frames(j, out, true);
	put_stats(j, out);
}

static const struct tc_jank_mode modes[] = {
	{ "frames", put_all_frames },
	{ "stats", put_stats },
};

const struct tc_jank_mode *
tc_jank_find_mode(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (strcmp(modes[i].name, name) == 0)
			return &modes[i];
	return NULL;
}

void
tc_jank_summary(const struct tc_jank *j, char *text, size_t size)
{
	long long rows = 0, janky = 0, open = 0;
	struct tc_str tag;
	uint32_t group;

	for (group = 1; group <= j->groups.count; group++) {
		if (!tc_jank_proc_of(j, group)->is_chosen)
			continue;
		tag = tc_strtab_str(&j->names, tc_jank_group_of(j, group)->tag);
		rows += j->totals[group - 1].rows;
		open += j->totals[group - 1].open;
		if (tc_jank_is_janky(tag))
			janky += j->totals[group - 1].rows;
	}
	snprintf(text, size,
		"%lld app frame rows, %lld janky (%.1f %%), %lld never closed", rows,
		janky, rows ? 100.0 * (double)janky / (double)rows : 0.0, open);
}
