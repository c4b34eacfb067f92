#include "compare/priv.h"

#include <math.h>
#include <stdlib.h>

#include "err/err.h"
#include "io/io.h"
#include "rec/rec.h"

static int
check_side(const struct tc_compare *c, unsigned side, struct tc_err *err)
{
	if (c->has_records[side])
		return 0;
	if (c->has_rows[side])
		return tc_err_named(err, TC_DATA, "no_metrics",
			"%s: rows of traces and no metrics: run tc-jank metrics on them",
			c->paths[side]);
	return tc_err_named(err, TC_DATA, "no_metrics",
		"%s: no metrics: what tc-jank metrics writes is wanted", c->paths[side]);
}

static int
check(const struct tc_compare *c, struct tc_err *err)
{
	struct tc_str x = tc_strtab_str(&c->names, c->rules);
	struct tc_str y = tc_strtab_str(&c->names, c->other);

	if (c->other)
		return tc_err_named(err, TC_DATA, "rules_differ",
			"made by the rules %.*s and by %.*s: not to be compared",
			(int)x.len, x.p, (int)y.len, y.p);
	return check_side(c, 0, err) || check_side(c, 1, err) ? -1 : 0;
}

struct pairs {
	struct tc_compare_pair *at; /* owned */
	size_t count, cap;
};

static struct tc_compare_pair *
add_pair(struct pairs *p, const struct tc_compare *c, size_t wanted, uint32_t key)
{
	const double none = (double)NAN;
	struct tc_compare_pair pair = { .c = c, .key = key, .wanted = wanted };

	pair.p = pair.p_adjusted = pair.spread_p = pair.spread_ratio = none;
	pair.superiority = none;
	tc_mem_grow(&p->at, &p->cap, p->count + 1, sizeof(*p->at));
	p->at[p->count] = pair;
	return &p->at[p->count++];
}

/* Whether both sides have times of this process that slices tell. */
static bool
has_slices(const struct pairs *p, const struct tc_compare *c, uint32_t key)
{
	uint32_t process = tc_compare_key_of(c, key)->process;
	const struct tc_compare_pair *o;

	for (o = p->at; o < p->at + p->count; o++)
		if (c->wanted[o->wanted].is_of_slices && o->samples[0] && o->samples[1] &&
			tc_compare_key_of(c, o->key)->process == process)
			return true;
	return false;
}

/* Whether what has this key is a metric of the name that is wanted. */
static bool
is_of(const struct tc_compare *c, uint32_t key, const struct tc_compare_wanted *w)
{
	uint32_t name = tc_compare_key_of(c, key)->metric;

	return tc_str_eq(tc_strtab_str(&c->names, name), tc_str_of(w->name));
}

/* Of the usual it is what there is: what neither side has a value of is left out. */
static void
test_sides(struct pairs *p, const struct tc_compare *c, size_t wanted, uint32_t key,
	struct tc_compare_numbers *a, struct tc_compare_numbers *b)
{
	bool is_there = a->count || b->count || a->is_lost || b->is_lost;

	if (c->wanted[wanted].is_instead && has_slices(p, c, key))
		is_there = false;
	if (!c->is_usual || is_there)
		tc_compare_test(add_pair(p, c, wanted, key), a, b);
	tc_compare_numbers_release(a);
	tc_compare_numbers_release(b);
}

static void
test_cells(struct pairs *p, const struct tc_compare *c, size_t wanted)
{
	const struct tc_compare_wanted *w = &c->wanted[wanted];
	struct tc_compare_numbers a, b;
	size_t i = 0, end;
	uint32_t key;

	for (; i < c->cell_count; i = end) {
		key = c->cells[i].key;
		for (end = i; end < c->cell_count && c->cells[end].key == key;)
			end++;
		if (!is_of(c, key, w))
			continue;
		tc_compare_of_cells(c, i, end, w, 0, &a);
		tc_compare_of_cells(c, i, end, w, 1, &b);
		test_sides(p, c, wanted, key, &a, &b);
	}
}

static void
test_frames(struct pairs *p, const struct tc_compare *c, size_t wanted)
{
	const struct tc_compare_wanted *w = &c->wanted[wanted];
	struct tc_compare_numbers a, b;
	size_t i = 0, end;
	uint32_t key;

	for (; i < c->frame_count; i = end) {
		key = c->frames[i].key;
		for (end = i; end < c->frame_count && c->frames[end].key == key;)
			end++;
		tc_compare_of_frames(c, i, end, w, 0, &a);
		tc_compare_of_frames(c, i, end, w, 1, &b);
		test_sides(p, c, wanted, key, &a, &b);
	}
}

/* Whether there are records that would have it, if anyone knew it. */
static bool
is_told_of(const struct tc_compare *c, const struct tc_compare_wanted *w)
{
	size_t i;

	if (w->field >= 0)
		return c->frame_count > 0;
	for (i = 0; i < c->cell_count; i++)
		if (is_of(c, c->cells[i].key, w))
			return true;
	return false;
}

static void
test_wanted(struct pairs *p, const struct tc_compare *c, size_t wanted)
{
	const struct tc_compare_wanted *w = &c->wanted[wanted];
	size_t before = p->count;

	if (w->field < 0)
		test_cells(p, c, wanted);
	else
		test_frames(p, c, wanted);
	if (p->count > before || w->is_instead)
		return;
	if (!c->is_usual)
		add_pair(p, c, wanted, 0)->reason = "not_found";
	else if (is_told_of(c, w))
		add_pair(p, c, wanted, 0)->reason = "no_values";
}

static int
by_key(const struct tc_compare *c, uint32_t a, uint32_t b)
{
	const struct tc_compare_key *x = tc_compare_key_of(c, a);
	const struct tc_compare_key *y = tc_compare_key_of(c, b);
	int r;

	if (!x || !y)
		return (x != NULL) - (y != NULL);
	r = tc_strtab_compare(&c->names, x->process, y->process);
	r = r ? r : tc_strtab_compare(&c->names, x->layer, y->layer);
	r = r ? r : tc_strtab_compare(&c->names, x->cuj, y->cuj);
	r = r ? r : tc_strtab_compare(&c->names, x->scenario, y->scenario);
	r = r ? r : tc_mem_compare(x->rate_hz, y->rate_hz);
	r = r ? r : tc_strtab_compare(&c->names, x->definition, y->definition);
	return r ? r : tc_strtab_compare(&c->names, x->unit, y->unit);
}

static int
by_meaning(const void *a, const void *b)
{
	const struct tc_compare_pair *x = a, *y = b;
	int r = by_key(x->c, x->key, y->key);

	return r ? r : tc_mem_compare(x->wanted, y->wanted);
}

static void
count_result(const struct tc_compare_pair *pair, struct tc_compare_result *result)
{
	if (pair->reason)
		result->not_enough++;
	else if (pair->is_regression)
		result->failed++;
	else
		result->passed++;
}

int
tc_compare_judge(struct tc_compare *c, struct tc_out *out,
	struct tc_compare_result *result, struct tc_err *err)
{
	struct pairs p = { 0 };
	size_t i, tests;

	*result = (struct tc_compare_result){ 0 };
	if (check(c, err))
		return -1;
	tc_compare_sort(c);
	for (i = 0; i < c->wanted_count; i++)
		test_wanted(&p, c, i);
	/* That nothing of the usual is there is said of all of it. */
	for (i = p.count ? c->wanted_count : 0; i < c->wanted_count; i++)
		if (!c->wanted[i].is_instead)
			add_pair(&p, c, i, 0)->reason = "not_found";
	tests = tc_compare_conclude(p.at, p.count);
	qsort(p.at, p.count, sizeof(*p.at), by_meaning);
	for (i = 0; i < p.count && !out->sys; i++) {
		tc_compare_put(&p.at[i], tests, out);
		count_result(&p.at[i], result);
	}
	free(p.at);
	return 0;
}
