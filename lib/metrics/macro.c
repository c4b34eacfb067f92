/*
 * Frames as Macrobenchmark has them: a DrawFrame slice of the render thread, the doFrame
 * slice of the main thread with the same id, the last actual frame not used yet that
 * began before that, give or take, and the expectation of that one. A frame that lacks a
 * part is none. Where slices have no ids (up to Android 11), a DrawFrame belongs to the
 * doFrame that was under way when it began; there, and where the platform's own frames
 * were not traced, the parts that come from those are not asked for.
 */
#include "metrics/priv.h"

#include <stdlib.h>

/* An actual frame may begin so much after its doFrame. */
static const int64_t tolerance_ns = 50000;

struct tc_metrics_pair {
	const struct tc_rows_slice *ui, *draw;
};

struct pairs {
	TC_ROWS_LIST(tc_metrics_pair) list;
};

/*
 * The process's actual frames, in the order of time; and by position + 1, the last one up
 * to there that is not used yet, or 0.
 */
struct pool {
	uint32_t *rows; /* owned: of rows->actual */
	uint32_t *free; /* owned */
	size_t count;
};

static bool
is_ui(const struct tc_rows *r, const struct tc_rows_slice *s)
{
	return s->dur > 0 && s->thread != TC_ROWS_NO &&
		r->threads.at[s->thread].is_main && tc_rows_is_do_frame(r, s);
}

static bool
is_draw(const struct tc_rows *r, const struct tc_rows_slice *s)
{
	return s->dur > 0 && s->thread != TC_ROWS_NO &&
		tc_str_eq(tc_rows_text(r, r->threads.at[s->thread].name),
			TC_STR("RenderThread")) &&
		tc_rows_is_draw_frame(r, s);
}

/* One frame may be drawn in several windows; its doFrame is the first. */
static void
pair_by_id(const struct tc_rows *r, const struct tc_rows_slice *at, size_t count,
	struct pairs *pairs)
{
	const struct tc_rows_slice *ui = NULL;
	size_t i;

	for (i = 0; i < count && !ui; i++)
		if (is_ui(r, &at[i]))
			ui = &at[i];
	for (i = 0; i < count && ui; i++)
		if (is_draw(r, &at[i]))
			*TC_ROWS_MORE(&pairs->list) =
				(struct tc_metrics_pair){ ui, &at[i] };
}

/* Slices without id, in the order of time. */
static void
pair_by_time(const struct tc_rows *r, const struct tc_rows_slice *at, size_t count,
	struct pairs *pairs)
{
	const struct tc_rows_slice *ui = NULL;
	int64_t end;
	size_t i;

	for (i = 0; i < count; i++) {
		if (is_ui(r, &at[i]) &&
			tc_str_eq(tc_rows_text(r, at[i].name),
				TC_STR("Choreographer#doFrame")))
			ui = &at[i];
		if (!ui || !is_draw(r, &at[i]))
			continue;
		end = tc_rows_end(ui->ts, ui->dur);
		if (end != TC_NONE && at[i].ts < end)
			*TC_ROWS_MORE(&pairs->list) =
				(struct tc_metrics_pair){ ui, &at[i] };
	}
}

static int
by_draw(const void *a, const void *b)
{
	const struct tc_metrics_pair *x = a, *y = b;
	int c = tc_mem_compare(x->draw->ts, y->draw->ts);

	return c ? c : tc_mem_compare(x->draw->id, y->draw->id);
}

/* Whether there are ids; then pairs are in the order of their DrawFrames. */
static bool
find_pairs(const struct tc_metrics_job *j, struct pairs *pairs)
{
	const struct tc_rows_slice *s = j->slices;
	size_t first, end, unnamed = 0;

	for (first = 0; first < j->slice_count; first = end) {
		for (end = first + 1;
			end < j->slice_count && s[end].vsync_id == s[first].vsync_id;)
			end++;
		if (s[first].vsync_id == TC_NONE)
			unnamed = end;
		else if (s[first].vsync_id > 0)
			pair_by_id(j->r, &s[first], end - first, pairs);
	}
	if (pairs->list.count) {
		qsort(pairs->list.at, pairs->list.count, sizeof(*pairs->list.at),
			by_draw);
		return true;
	}
	/* Unknown ids are the lowest, so these come first. */
	pair_by_time(j->r, s, unnamed, pairs);
	return false;
}

static void
fill(struct pool *pool, const struct tc_metrics_job *j)
{
	size_t i;

	pool->rows = tc_mem_alloc((j->row_count + 1) * sizeof(*pool->rows));
	pool->free = tc_mem_alloc((j->row_count + 1) * sizeof(*pool->free));
	for (i = 0; i < j->row_count; i++)
		if (j->r->actual.at[j->rows[i]].dur > 0)
			pool->rows[pool->count++] = j->rows[i];
	for (i = 0; i <= pool->count; i++)
		pool->free[i] = (uint32_t)i;
}

struct instant {
	const struct tc_rows *r;
	int64_t ts;
};

static bool
began_before(const void *row, const void *instant)
{
	const struct instant *i = instant;
	const uint32_t *index = row;

	return i->r->actual.at[*index].ts < i->ts;
}

/* Takes the last unused one that began before ts out; ways to it are cut short. */
static const struct tc_rows_actual *
take(const struct tc_metrics_job *j, struct pool *pool, int64_t ts)
{
	struct instant limit = { j->r, ts };
	size_t n = tc_mem_find(
		pool->rows, pool->count, sizeof(*pool->rows), began_before, &limit);
	uint32_t at = (uint32_t)n, next, found;

	while (pool->free[at] != at)
		at = pool->free[at];
	found = at;
	for (at = (uint32_t)n; pool->free[at] != at; at = next) {
		next = pool->free[at];
		pool->free[at] = found;
	}
	if (!found)
		return NULL;
	pool->free[found] = found - 1;
	return &j->r->actual.at[pool->rows[found - 1]];
}

/* False when a part of the platform's is missing. */
static bool
set_platform(
	const struct tc_metrics_job *j, struct pool *pool, struct tc_metrics_macro *f)
{
	int64_t until = tc_metrics_plus(f->ts, tolerance_ns), end, expected;
	const struct tc_rows_actual *a;
	const struct tc_rows_expected *e;

	a = until == TC_NONE ? NULL : take(j, pool, until);
	if (!a)
		return false;
	f->a = a;
	e = tc_metrics_expectation(j->r, a);
	expected = tc_rows_expected_end(e);
	end = tc_rows_end(a->ts, a->dur);
	if (expected == TC_NONE || end == TC_NONE)
		return false;
	if (end < f->end)
		end = f->end;
	f->overrun = tc_metrics_off(end, expected);
	f->full = tc_metrics_off(end, e->ts);
	return true;
}

static void
add_pair(struct tc_metrics_job *j, const struct tc_metrics_pair *p, struct pool *pool)
{
	struct tc_metrics_macro f = {
		.ts = p->ui->ts,
		.end = tc_rows_end(p->draw->ts, p->draw->dur),
		.ui = p->ui->dur,
		.full = TC_NONE,
		.overrun = TC_NONE,
	};

	f.cpu = tc_rows_minus(f.end, f.ts);
	if (pool->rows && !set_platform(j, pool, &f))
		return;
	if (f.cpu != TC_NONE)
		*TC_ROWS_MORE(&j->macros) = f;
}

void
tc_metrics_find_macros(struct tc_metrics_job *j)
{
	struct pairs pairs = { 0 };
	struct pool pool = { 0 };
	const struct tc_metrics_macro *f;
	size_t i;

	j->macros.count = 0;
	if (find_pairs(j, &pairs) && j->row_count)
		fill(&pool, j);
	for (i = 0; i < pairs.list.count; i++)
		add_pair(j, &pairs.list.at[i], &pool);
	for (i = 0; i < j->macros.count; i++) {
		f = &j->macros.at[i];
		tc_metrics_deal(j, &j->macro_deals,
			(struct tc_metrics_deal){ .item = (uint32_t)i }, f->a, f->ts,
			f->cpu);
	}
	free(pairs.list.at);
	free(pool.rows);
	free(pool.free);
}

void
tc_metrics_macro(struct tc_metrics_job *j, const struct tc_metrics_macro *f)
{
	struct tc_metrics_cell *c = &j->cell;

	tc_metrics_add(c, TC_METRICS_FRAME_COUNT, 1, 0);
	tc_metrics_value(c, TC_METRICS_MACRO_CPU, f->cpu);
	tc_metrics_value(c, TC_METRICS_MACRO_UI, f->ui);
	tc_metrics_value(c, TC_METRICS_MACRO_FULL, f->full);
	tc_metrics_value(c, TC_METRICS_MACRO_OVERRUN, f->overrun);
}

void
tc_metrics_macro_end(struct tc_metrics_job *j)
{
	struct tc_metrics_cell *c = &j->cell;
	const char *why = j->has_draws ? "no_whole_frames" : "no_slices";

	if (c->sums[TC_METRICS_FRAME_COUNT].samples)
		why = "no_expectation";
	tc_metrics_why(c, TC_METRICS_FRAME_COUNT, why);
	tc_metrics_why(c, TC_METRICS_MACRO_CPU, why);
	tc_metrics_why(c, TC_METRICS_MACRO_UI, why);
	tc_metrics_why(c, TC_METRICS_MACRO_FULL, why);
	tc_metrics_why(c, TC_METRICS_MACRO_OVERRUN, why);
}
