#include "jank/priv.h"

#include <stdio.h>
#include <stdlib.h>

#include "io/io.h"
#include "rec/rec.h"
#include "rows/rows.h"

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

double
tc_jank_mean_ms(int64_t sum_ns, int64_t count)
{
	return six_places(tc_jank_ms((double)sum_ns / (double)count));
}

static void
put_group(const struct tc_rows *r, uint32_t group, struct tc_out *out)
{
	const struct tc_rows_totals *t = &r->totals[group - 1];
	const struct tc_rows_group *c = tc_rows_group_of(r, group);
	const struct tc_rows_proc *p = tc_rows_proc_of(r, group);
	bool is_known = t->sum_ns < INT64_MAX; /* not too great for its 64 bits */
	struct tc_rec_jank_stats rec = {
		.upid = p->upid,
		.pid = c->pid,
		.process = tc_rows_text(r, p->name),
		.layer_name = tc_rows_text(r, c->layer),
		.is_buffer = tc_rows_text(r, c->is_buffer),
		.jank_tag = tc_rows_text(r, c->tag),
		.jank_type = tc_rows_text(r, c->type),
		.present_type = tc_rows_text(r, c->present),
		.on_time_finish = c->on_time,
		.surface_frame_rows = t->rows,
		.closed_positive_rows = t->positive,
		.zero_rows = t->zero,
		.open_rows = t->open,
		.invalid_rows = t->invalid ? t->invalid : TC_NONE,
		.sum_closed_ns = is_known ? t->sum_ns : TC_NONE,
		.avg_closed_ms = t->positive && is_known
			? tc_jank_mean_ms(t->sum_ns, t->positive)
			: (double)NAN,
		.max_closed_ms =
			t->positive ? tc_jank_ms((double)t->max_ns) : (double)NAN,
		.runs = TC_NONE,
		.machine_id = r->places.at[p->place].machine,
		.trace = r->places.at[p->place].trace,
	};

	tc_rec_put(out, &tc_rec_jank_stats, &rec);
}

/* Groups in the order of their rows, then by what they say. */
struct ranked {
	const struct tc_rows *rows;
	uint32_t group;
};

static int
by_meaning(const struct tc_rows *r, const struct tc_rows_group *a,
	const struct tc_rows_group *b)
{
	int c = tc_mem_compare(r->procs.at[a->proc].place, r->procs.at[b->proc].place);

	c = c ? c : tc_mem_compare(r->procs.at[a->proc].upid, r->procs.at[b->proc].upid);
	c = c ? c : tc_strtab_compare(&r->names, a->layer, b->layer);
	c = c ? c : tc_strtab_compare(&r->names, a->is_buffer, b->is_buffer);
	c = c ? c : tc_strtab_compare(&r->names, a->tag, b->tag);
	c = c ? c : tc_strtab_compare(&r->names, a->type, b->type);
	c = c ? c : tc_strtab_compare(&r->names, a->present, b->present);
	c = c ? c : tc_mem_compare(a->on_time, b->on_time);
	return c ? c : tc_mem_compare(a->pid, b->pid);
}

static int
by_rows(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;
	const struct tc_rows *r = x->rows;
	int c = tc_mem_compare(
		r->totals[y->group - 1].rows, r->totals[x->group - 1].rows);

	return c ? c
		 : by_meaning(r, tc_rows_group_of(r, x->group),
			   tc_rows_group_of(r, y->group));
}

void
tc_jank_put_stats(const struct tc_rows *r, struct tc_out *out)
{
	size_t n = r->groups.count, i;
	struct ranked *ranked = tc_mem_calloc(n, sizeof(*ranked));

	for (i = 0; i < n; i++)
		ranked[i] = (struct ranked){ r, (uint32_t)(i + 1) };
	qsort(ranked, n, sizeof(*ranked), by_rows);
	for (i = 0; i < n && !out->sys; i++)
		if (r->totals[ranked[i].group - 1].rows &&
			tc_rows_proc_of(r, ranked[i].group)->is_chosen)
			put_group(r, ranked[i].group, out);
	free(ranked);
}

void
tc_jank_summary(const struct tc_rows *r, char *text, size_t size)
{
	long long rows = 0, janky = 0, open = 0;
	struct tc_str tag;
	uint32_t group;

	for (group = 1; group <= r->groups.count; group++) {
		if (!tc_rows_proc_of(r, group)->is_chosen)
			continue;
		tag = tc_rows_text(r, tc_rows_group_of(r, group)->tag);
		rows += r->totals[group - 1].rows;
		open += r->totals[group - 1].open;
		if (tc_jank_is_janky(tag))
			janky += r->totals[group - 1].rows;
	}
	snprintf(text, size,
		"%lld app frame rows, %lld janky (%.1f %%), %lld never closed", rows,
		janky, rows ? 100.0 * (double)janky / (double)rows : 0.0, open);
}
