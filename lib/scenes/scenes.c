#include "scenes/priv.h"

#include <stdlib.h>
#include <string.h>

#include "dist/dist.h"
#include "err/err.h"
#include "rec/rec.h"
#include "rows/rows.h"

static const char *const edges[] = { "start-in", "end-in", "both", "clip" };

bool
tc_scenes_is_edge(const char *name, enum tc_scenes_edge *edge)
{
	size_t i;

	for (i = 0; i < sizeof(edges) / sizeof(edges[0]); i++) {
		if (strcmp(edges[i], name) != 0)
			continue;
		*edge = (enum tc_scenes_edge)i;
		return true;
	}
	return false;
}

unsigned
tc_scenes_kinds(const struct tc_scenes *s)
{
	return TC_ROWS_MARKER | (s->cuj || s->slices ? (unsigned)TC_ROWS_SLICE : 0);
}

/* By what the records say alone: ids of names hang on the order of lines. */
static int
by_item(const void *a, const void *b)
{
	const struct tc_scenes_item *x = a, *y = b;
	int c = tc_mem_compare(x->scene.place, y->scene.place);

	c = c ? c : tc_mem_compare(x->scene.ts, y->scene.ts);
	c = c ? c : tc_mem_compare(x->scene.end, y->scene.end);
	c = c ? c : tc_str_compare(x->name, y->name);
	c = c ? c : tc_mem_compare(x->upid, y->upid);
	return c ? c : tc_mem_compare(x->stated, y->stated);
}

/* What is said twice, as by a marker of the stream and one of a file, is one scene. */
static void
drop_doubles(struct tc_scenes_items *items)
{
	size_t i, n = 0;

	for (i = 0; i < items->count; i++)
		if (n == 0 || by_item(&items->at[n - 1], &items->at[i]) != 0)
			items->at[n++] = items->at[i];
	items->count = n;
}

/* A trace that nothing is said about is one scene, unless scenes were asked for. */
static void
add_whole(struct tc_scenes_items *items, const struct tc_rows *r)
{
	bool *has = tc_mem_calloc(r->places.count + 1, sizeof(*has));
	struct tc_scene scene = {
		.ts = TC_NONE, .repetition = TC_NONE, .proc = TC_ROWS_NO, .is_all = true
	};
	size_t i;

	for (i = 0; i < items->count; i++)
		has[items->at[i].scene.place] = true;
	for (i = 0; i < r->places.count && !items->is_full; i++) {
		scene.place = (uint32_t)i;
		if (!has[i])
			tc_scenes_add(items, r, &scene, -1);
	}
	free(has);
}

/*
 * A repetition that its marker does not number comes after the greatest number that its
 * scenario has had in this place so far; an interaction counts in its process alone.
 */
static void
number(struct tc_scenes_items *items)
{
	struct tc_map last = { 0 };
	struct tc_scene *s;
	uint64_t *slot;
	size_t i;
	bool made;

	for (i = 0; i < items->count; i++) {
		s = &items->at[i].scene;
		if (s->is_all)
			continue;
		slot = tc_map_put(
			&last, (uint64_t)s->place << 32 | s->scenario, s->proc, &made);
		if (s->repetition == TC_NONE)
			s->repetition = (int64_t)*slot + 1;
		if (s->repetition > 0 && (uint64_t)s->repetition > *slot)
			*slot = (uint64_t)s->repetition;
	}
	tc_map_release(&last);
}

/* Whether at some time more scenes of one place lie over one another than may. */
static bool
is_too_deep(const struct tc_scene *at, size_t count)
{
	int64_t *ends = tc_mem_alloc((count + 1) * sizeof(*ends));
	size_t i, n = 0, open = 0, ended = 0, deepest = 0;

	for (i = 0; i < count; i++)
		if (at[i].end > at[i].ts)
			ends[n++] = at[i].end;
	tc_dist_sort_ints(ends, n);
	for (i = 0; i < count; i++) {
		if (at[i].end <= at[i].ts)
			continue;
		open++;
		while (ends[ended] <= at[i].ts)
			ended++;
		if (open - ended > deepest)
			deepest = open - ended;
	}
	free(ends);
	return deepest > TC_SCENES_MAX_DEPTH;
}

/* Halves: the middle of each knows the last end in it, but for what holds nothing. */
static int64_t
index_ends(struct tc_scene *at, size_t low, size_t high)
{
	size_t middle = low + (high - low) / 2;
	int64_t left, right, until;

	if (low >= high)
		return INT64_MIN;
	left = index_ends(at, low, middle);
	right = index_ends(at, middle + 1, high);
	until = left > right ? left : right;
	if (at[middle].end > at[middle].ts && at[middle].end > until)
		until = at[middle].end;
	at[middle].until = until;
	return until;
}

static int
index_places(struct tc_scenes *s, struct tc_err *err)
{
	size_t first, end;

	for (first = 0; first < s->count; first = end) {
		for (end = first;
			end < s->count && s->at[end].place == s->at[first].place;)
			end++;
		if (is_too_deep(&s->at[first], end - first))
			return tc_err_set(err, TC_DATA,
				"more than %d scenes lie over one another",
				TC_SCENES_MAX_DEPTH);
		index_ends(s->at, first, end);
	}
	return 0;
}

static void
find(struct tc_scenes *s, struct tc_rows *r, struct tc_scenes_items *items)
{
	tc_scenes_of_markers(items, r);
	if (s->file)
		tc_scenes_of_file(items, r, s->file);
	if (s->cuj)
		tc_scenes_of_cujs(items, r);
	if (s->slices)
		tc_scenes_of_slices(items, r, s->slices);
	if (!s->file && !s->cuj && !s->slices)
		add_whole(items, r);
}

int
tc_scenes_make(struct tc_scenes *s, struct tc_rows *r, struct tc_err *err)
{
	struct tc_scenes_items items = { 0 };
	size_t i;
	int c = 0;

	find(s, r, &items);
	if (items.is_full) {
		c = tc_err_set(err, TC_DATA, "more than %d scenes", TC_SCENES_MAX);
	} else if (items.count) {
		qsort(items.at, items.count, sizeof(*items.at), by_item);
		drop_doubles(&items);
		number(&items);
		tc_mem_grow(&s->at, &s->cap, items.count, sizeof(*s->at));
		for (i = 0; i < items.count; i++)
			s->at[i] = items.at[i].scene;
		s->count = items.count;
		c = index_places(s, err);
	}
	free(items.at);
	return c;
}

void
tc_scenes_release(struct tc_scenes *s)
{
	if (s->file) {
		tc_strtab_release(&s->file->names);
		free(s->file->at);
	}
	free(s->file);
	free(s->at);
}
