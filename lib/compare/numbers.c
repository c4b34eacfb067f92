#include "compare/priv.h"

#include <math.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "rec/rec.h"

/* ---- the order of all that is held ---- */

struct numbered {
	struct tc_compare_run run;
	uint32_t id;
};

static int
by_int(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static int
by_run(const void *a, const void *b)
{
	const struct tc_compare_run *x = &((const struct numbered *)a)->run;
	const struct tc_compare_run *y = &((const struct numbered *)b)->run;
	int c = by_int(x->input, y->input);

	c = c ? c : by_int(x->stream, y->stream);
	c = c ? c : by_int(x->trace, y->trace);
	return c ? c : by_int(x->repetition, y->repetition);
}

/* By id, the number of each run; those of side a come first. */
static uint32_t *
number_runs(struct tc_compare *c)
{
	size_t n = c->runs.count, i;
	struct numbered *order = tc_mem_calloc(n, sizeof(*order));
	uint32_t *number = tc_mem_calloc(n + 1, sizeof(*number));

	for (i = 0; i < n; i++) {
		order[i].id = (uint32_t)(i + 1);
		memcpy(&order[i].run, tc_strtab_str(&c->runs, order[i].id).p,
			sizeof(order[i].run));
	}
	if (n)
		qsort(order, n, sizeof(*order), by_run);
	c->first_b = 0;
	for (i = 0; i < n; i++) {
		number[order[i].id] = (uint32_t)i;
		c->first_b += c->inputs[order[i].run.input].side == 0;
	}
	free(order);
	return number;
}

static int
by_cell(const void *a, const void *b)
{
	const struct tc_compare_cell *x = a, *y = b;
	int c = by_int(x->key, y->key);

	return c ? c : by_int(x->run, y->run);
}

static int
by_frame(const void *a, const void *b)
{
	const struct tc_compare_frame *x = a, *y = b;
	int c = by_int(x->key, y->key);

	return c ? c : by_int(x->run, y->run);
}

void
tc_compare_sort(struct tc_compare *c)
{
	uint32_t *number = number_runs(c);
	size_t i;

	for (i = 0; i < c->cell_count; i++)
		c->cells[i].run = number[c->cells[i].run];
	for (i = 0; i < c->frame_count; i++)
		c->frames[i].run = number[c->frames[i].run];
	if (c->cell_count)
		qsort(c->cells, c->cell_count, sizeof(*c->cells), by_cell);
	if (c->frame_count)
		qsort(c->frames, c->frame_count, sizeof(*c->frames), by_frame);
	free(number);
}

/* ---- the numbers of one side ---- */

void
tc_compare_numbers_release(struct tc_compare_numbers *n)
{
	free(n->values);
	free(n->run_of);
	free(n->of_runs);
	free(n->spreads);
}

static double
number_of_cell(const struct tc_compare *c, const struct tc_compare_cell *cell,
	unsigned statistic, struct tc_arena *arena, bool *is_lost)
{
	struct tc_rec_jank_metric m;

	tc_rec_init(&tc_rec_jank_metric, &m);
	m.combine = tc_strtab_str(&c->names, cell->combine);
	m.unit = tc_strtab_str(&c->names, tc_compare_key_of(c, cell->key)->unit);
	tc_arena_reset(arena);
	tc_merge_metric_get(&cell->sum, &c->names, arena, &m);
	*is_lost |= cell->sum.is_lost;
	return tc_rec_statistic(&m, tc_compare_statistic(statistic));
}

/* Interactions are short by nature, and seconds are no frames. */
static double
frames_of_cell(const struct tc_compare *c, const struct tc_compare_cell *cell)
{
	const struct tc_compare_key *k = tc_compare_key_of(c, cell->key);

	if (cell->sum.samples == TC_NONE || k->cuj ||
		tc_str_eq(tc_strtab_str(&c->names, k->metric), TC_STR("fps_window")))
		return (double)INFINITY;
	return (double)cell->sum.samples;
}

void
tc_compare_of_cells(const struct tc_compare *c, size_t first, size_t last,
	const struct tc_compare_wanted *w, unsigned side, struct tc_compare_numbers *n)
{
	struct tc_arena arena = { 0 };
	double v;

	*n = (struct tc_compare_numbers){ 0 };
	n->values = tc_mem_calloc(last - first, sizeof(*n->values));
	for (; first < last; first++) {
		if ((c->cells[first].run >= c->first_b) != side)
			continue;
		n->records++;
		v = number_of_cell(
			c, &c->cells[first], w->statistic, &arena, &n->is_lost);
		if (!isfinite(v))
			continue;
		n->values[n->count++] = v;
		n->frames += frames_of_cell(c, &c->cells[first]);
	}
	n->runs = n->count;
	tc_dist_sort_reals(n->values, n->count);
	tc_arena_release(&arena);
}

struct value {
	double v;
	uint32_t run;
};

static int
by_value(const void *a, const void *b)
{
	const struct value *x = a, *y = b;

	if (x->v != y->v)
		return x->v < y->v ? -1 : 1;
	return by_int(x->run, y->run);
}

/* The known values of a side, the runs that have any numbered from 0. */
static size_t
known(const struct tc_compare *c, size_t first, size_t last, int field, unsigned side,
	struct tc_compare_numbers *n, struct value *values)
{
	const struct tc_compare_frame *f;
	uint32_t run = UINT32_MAX;
	size_t count = 0;

	for (f = c->frames + first; f < c->frames + last; f++) {
		if ((f->run >= c->first_b) != side)
			continue;
		n->records++;
		if (f->values[field] == TC_NONE)
			continue;
		n->runs += f->run != run;
		run = f->run;
		values[count++] =
			(struct value){ (double)f->values[field] / (double)TC_MS,
				(uint32_t)(n->runs - 1) };
	}
	return count;
}

/* One number of each run, and how far its frames are spread. */
static void
look_at_runs(struct tc_compare_numbers *n, const struct value *values, unsigned statistic)
{
	double *own = tc_mem_calloc(n->count, sizeof(*own));
	size_t i = 0, count, run;

	n->of_runs = tc_mem_calloc(n->runs, sizeof(*n->of_runs));
	n->spreads = tc_mem_calloc(n->runs, sizeof(*n->spreads));
	for (run = 0; run < n->runs; run++) {
		for (count = 0; i < n->count && values[i].run == run; i++)
			own[count++] = values[i].v;
		tc_dist_sort_reals(own, count);
		n->of_runs[run] = statistic == TC_COMPARE_MEAN
			? tc_dist_mean(own, count)
			: tc_dist_real_at(own, count, statistic);
		n->spreads[run] = tc_dist_distance(own, count);
	}
	tc_dist_sort_reals(n->of_runs, n->runs);
	tc_dist_sort_reals(n->spreads, n->runs);
	free(own);
}

void
tc_compare_of_frames(const struct tc_compare *c, size_t first, size_t last,
	const struct tc_compare_wanted *w, unsigned side, struct tc_compare_numbers *n)
{
	struct value *values = tc_mem_calloc(last - first, sizeof(*values));
	size_t i;

	*n = (struct tc_compare_numbers){ 0 };
	n->count = known(c, first, last, w->field, side, n, values);
	n->frames = (double)n->count;
	look_at_runs(n, values, w->statistic);
	if (n->count)
		qsort(values, n->count, sizeof(*values), by_value);
	n->values = tc_mem_calloc(n->count, sizeof(*n->values));
	n->run_of = tc_mem_calloc(n->count, sizeof(*n->run_of));
	for (i = 0; i < n->count; i++) {
		n->values[i] = values[i].v;
		n->run_of[i] = values[i].run;
	}
	free(values);
}
