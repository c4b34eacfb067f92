/*
 * Perfetto's per-frame set: what belongs to one vsync id of one process, its actual
 * frames and its slices. Perfetto joins by the id alone, and with an open slice as if it
 * had ended before it began; here another process's frame is another frame, and what has
 * no end has no duration.
 */
#include "metrics/priv.h"

#include <stdlib.h>

/* What Perfetto takes for the render thread where it drew nothing that it knows. */
static const int64_t fallback_ns = 5000000;

static int
by_token(const void *a, const void *b)
{
	const struct tc_metrics_tagged *x = a, *y = b;
	int c = tc_mem_compare(x->token, y->token);

	return c ? c : tc_mem_compare(x->row, y->row);
}

static void
tag_rows(struct tc_metrics_job *j)
{
	size_t i;

	tc_mem_grow(&j->tagged, &j->tagged_cap, j->row_count, sizeof(*j->tagged));
	for (i = 0; i < j->row_count; i++)
		j->tagged[i] =
			(struct tc_metrics_tagged){ j->r->actual.at[j->rows[i]].token,
				j->rows[i] };
	if (j->row_count)
		qsort(j->tagged, j->row_count, sizeof(*j->tagged), by_token);
}

/* What the slices of one vsync id say. */
struct drawn {
	int64_t ts, ui, draws, end; /* TC_NONE: not known; draws: the sum of all */
	int64_t first_id;           /* of the doFrame that counts */
	bool has_draw, is_open;
};

static void
add_do_frame(struct drawn *d, const struct tc_rows_slice *s)
{
	if (d->ts != TC_NONE && s->id >= d->first_id)
		return;
	d->ts = s->ts;
	d->ui = s->dur >= 0 ? s->dur : TC_NONE;
	d->first_id = s->id;
}

static void
add_draw(struct drawn *d, const struct tc_rows_slice *s)
{
	int64_t end = tc_metrics_plus(s->ts, s->dur);

	d->has_draw = true;
	if (s->dur < 0 || end == TC_NONE) {
		d->is_open = true;
		return;
	}
	d->draws = tc_metrics_plus(d->draws, s->dur);
	if (d->end == TC_NONE || end > d->end)
		d->end = end;
}

static struct drawn
drawn_of(const struct tc_rows *r, const struct tc_rows_slice *at, size_t count)
{
	struct drawn d = { .ts = TC_NONE, .ui = TC_NONE, .end = TC_NONE };
	size_t i;

	for (i = 0; i < count; i++) {
		if (tc_rows_is_do_frame(r, &at[i]))
			add_do_frame(&d, &at[i]);
		else if (tc_rows_is_draw_frame(r, &at[i]))
			add_draw(&d, &at[i]);
	}
	return d;
}

/* From the actual rows: when, how long, and what was expected. */
static void
set_rows(const struct tc_rows *r, struct tc_metrics_frame *f,
	const struct tc_metrics_tagged *at, size_t count)
{
	const struct tc_rows_actual *a, *first = &r->actual.at[at[0].row],
					*eldest = first;
	const struct tc_rows_expected *e = tc_metrics_expectation(r, first);
	size_t i;

	f->a = first;
	f->ts = first->ts;
	for (i = 0; i < count; i++) {
		a = &r->actual.at[at[i].row];
		if (a->dur > f->dur && a->dur >= 0)
			f->dur = a->dur;
		if (a->id < eldest->id)
			eldest = a;
	}
	if (!e)
		return;
	f->delay = tc_metrics_off(f->ts, e->ts);
	f->overrun = tc_metrics_off(
		tc_rows_end(eldest->ts, eldest->dur), tc_rows_expected_end(e));
}

static void
set_drawn(struct tc_metrics_frame *f, const struct drawn *d)
{
	f->ui_time = d->ui;
	if (!d->has_draw)
		f->cpu_time = tc_metrics_plus(d->ui, fallback_ns);
	else if (!d->is_open)
		f->cpu_time = tc_metrics_plus(tc_metrics_plus(f->delay, d->ui), d->draws);
}

static void
add_frame(struct tc_metrics_job *j, int64_t id, const struct tc_metrics_tagged *rows,
	size_t row_count, const struct drawn *d)
{
	struct tc_metrics_frame f = { .id = id,
		.ts = d->ts,
		.dur = TC_NONE,
		.overrun = TC_NONE,
		.delay = TC_NONE,
		.cpu_time = TC_NONE,
		.ui_time = TC_NONE };

	/* A doFrame that drew nothing is no frame, unless the platform has one. */
	if (!row_count && (d->ts == TC_NONE || !d->has_draw))
		return;
	if (row_count)
		set_rows(j->r, &f, rows, row_count);
	else
		f.dur = tc_rows_minus(d->end, d->ts);
	set_drawn(&f, d);
	*TC_ROWS_MORE(&j->frames) = f;
}

static int
by_begin(const void *a, const void *b)
{
	const struct tc_metrics_frame *x = a, *y = b;
	int c = tc_mem_compare(x->ts, y->ts);

	return c ? c : tc_mem_compare(x->id, y->id);
}

/* Perfetto gives up frames of these two ids: no number in a name, and an invalid one. */
static bool
is_id(int64_t id)
{
	return id != 0 && id != -1 && id != TC_NONE;
}

/* Rows and slices, both in the order of their ids. */
static void
join_frames(struct tc_metrics_job *j)
{
	const struct tc_metrics_tagged *rows = j->tagged;
	size_t i = 0, k = 0, rows_end, slices_end;
	struct drawn d;
	int64_t id;

	while (i < j->row_count || k < j->slice_count) {
		if (k == j->slice_count ||
			(i < j->row_count && rows[i].token < j->slices[k].vsync_id))
			id = rows[i].token;
		else
			id = j->slices[k].vsync_id;
		for (rows_end = i; rows_end < j->row_count && rows[rows_end].token == id;)
			rows_end++;
		for (slices_end = k; slices_end < j->slice_count &&
			j->slices[slices_end].vsync_id == id;)
			slices_end++;
		d = drawn_of(j->r, slices_end > k ? &j->slices[k] : NULL, slices_end - k);
		j->has_draws |= d.ts != TC_NONE || d.has_draw;
		if (is_id(id))
			add_frame(j, id, &rows[i], rows_end - i, &d);
		i = rows_end;
		k = slices_end;
	}
}

void
tc_metrics_find_frames(struct tc_metrics_job *j)
{
	const struct tc_metrics_frame *f;
	size_t i;

	j->frames.count = 0;
	j->has_draws = false;
	tag_rows(j);
	join_frames(j);
	if (j->frames.count)
		qsort(j->frames.at, j->frames.count, sizeof(*j->frames.at), by_begin);
	for (i = 0; i < j->frames.count; i++) {
		f = &j->frames.at[i];
		tc_metrics_deal(j, &j->frame_deals,
			(struct tc_metrics_deal){ .item = (uint32_t)i }, f->a, f->ts,
			f->dur);
	}
}

void
tc_metrics_per_frame(struct tc_metrics_job *j, const struct tc_metrics_frame *f)
{
	struct tc_metrics_cell *c = &j->cell;

	tc_metrics_put_frame(j, f);
	tc_metrics_add(c, TC_METRICS_PERFETTO_FRAMES, 1, 0);
	tc_metrics_value(c, TC_METRICS_CPU_TIME, f->cpu_time);
	tc_metrics_value(c, TC_METRICS_UI_TIME, f->ui_time);
	tc_metrics_value(c, TC_METRICS_VSYNC_DELAY, f->delay);
	if (f->overrun != TC_NONE)
		tc_metrics_count(c, TC_METRICS_WAS_JANK, f->overrun > 0);
	if (f->cpu_time == TC_NONE)
		return;
	tc_metrics_count(c, TC_METRICS_WAS_SLOW, f->cpu_time > TC_METRICS_SLOW_NS);
	tc_metrics_count(c, TC_METRICS_WAS_BIG, f->cpu_time > TC_METRICS_BIG_NS);
	tc_metrics_count(c, TC_METRICS_WAS_HUGE, f->cpu_time > TC_METRICS_HUGE_NS);
}

void
tc_metrics_per_frame_end(struct tc_metrics_job *j)
{
	static const enum tc_metrics_id of_slices[] = { TC_METRICS_CPU_TIME,
		TC_METRICS_UI_TIME, TC_METRICS_WAS_SLOW, TC_METRICS_WAS_SLOW_RATE,
		TC_METRICS_WAS_BIG, TC_METRICS_WAS_BIG_RATE, TC_METRICS_WAS_HUGE,
		TC_METRICS_WAS_HUGE_RATE };
	struct tc_metrics_cell *c = &j->cell;
	size_t i;

	for (i = 0; i < sizeof(of_slices) / sizeof(of_slices[0]); i++)
		tc_metrics_why(
			c, of_slices[i], j->has_draws ? "no_whole_frames" : "no_slices");
	tc_metrics_why(c, TC_METRICS_VSYNC_DELAY, "no_expectation");
	tc_metrics_why(c, TC_METRICS_WAS_JANK, "no_expectation");
	tc_metrics_why(c, TC_METRICS_WAS_JANK_RATE, "no_expectation");
}
