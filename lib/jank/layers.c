#include "jank/layers.h"

#include <stdlib.h>

#include "rec/rec.h"
#include "rows/rows.h"

void
tc_jank_layers_release(struct tc_jank_layers *l)
{
	tc_strtab_release(&l->names);
	tc_map_release(&l->index);
	free(l->at);
	free(l->subs);
}

uint32_t
tc_jank_layer(struct tc_jank_layers *l, uint32_t place, struct tc_str name)
{
	struct tc_jank_layer *at;
	uint64_t *slot;
	uint32_t id;
	bool made;
	int i;

	name = tc_rows_layer(name);
	id = tc_strtab_id(&l->names, name);
	if (!id)
		return TC_ROWS_NO;
	slot = tc_map_put(&l->index, place, id, &made);
	if (!made)
		return (uint32_t)*slot;
	*slot = l->count;
	tc_mem_grow(&l->at, &l->cap, l->count + 1, sizeof(*l->at));
	at = &l->at[l->count++];
	*at = (struct tc_jank_layer){ .name = name,
		.place = place,
		.proc = TC_ROWS_NO,
		.from = TC_NONE,
		.to = TC_NONE,
		.queue_ts = TC_NONE };
	for (i = 0; i < TC_JANK_STEPS; i++)
		at->last[i] = TC_NONE;
	return (uint32_t)*slot;
}

void
tc_jank_layers_choose(struct tc_jank_layers *l, const struct tc_rows *r)
{
	const struct tc_rows_group *g;
	uint32_t i, layer;

	for (i = 1; i <= r->groups.count; i++) {
		g = tc_rows_group_of(r, i);
		if (!r->procs.at[g->proc].is_chosen)
			continue;
		layer = tc_jank_layer(
			l, r->procs.at[g->proc].place, tc_rows_text(r, g->layer));
		if (layer != TC_ROWS_NO)
			l->at[layer].is_chosen = true;
	}
}

static void
extend(struct tc_jank_layer *at, int64_t from, int64_t to)
{
	if (from == TC_NONE)
		return;
	if (at->from == TC_NONE || from < at->from)
		at->from = from;
	if (to == TC_NONE || to < from)
		to = from;
	if (at->to == TC_NONE || to > at->to)
		at->to = to;
}

/* A layer whose name has a number behind it, and when it was there. */
struct numbered {
	struct tc_str title; /* the name without its number */
	uint32_t place, layer;
	int64_t from, to;
};

static int
by_title(const void *a, const void *b)
{
	const struct numbered *x = a, *y = b;
	int c = tc_mem_compare(x->place, y->place);

	c = c ? c : tc_str_compare(x->title, y->title);
	c = c ? c : tc_mem_compare(x->from, y->from);
	return c ? c : tc_mem_compare(x->layer, y->layer);
}

static bool
is_title_of(const struct numbered *a, const struct numbered *b)
{
	return a->place == b->place && tc_str_eq(a->title, b->title);
}

/*
 * In the order of beginning, each is held against the one before it that was there
 * longest.
 */
static void
compare_numbered(struct tc_jank_layers *l, const struct numbered *at, size_t count)
{
	const struct numbered *longest = at;
	bool meet;
	size_t i;

	for (i = 1; i < count; i++) {
		if (!is_title_of(&at[i], longest)) {
			longest = &at[i];
			continue;
		}
		meet = at[i].from <= longest->to;
		l->at[at[i].layer].has_sibling |= meet;
		l->at[longest->layer].has_sibling |= meet;
		l->at[at[i].layer].is_remade |= !meet;
		l->at[longest->layer].is_remade |= !meet;
		if (at[i].to > longest->to)
			longest = &at[i];
	}
}

static void
find_siblings(struct tc_jank_layers *l)
{
	struct numbered *list = tc_mem_alloc((l->count + 1) * sizeof(*list));
	const struct tc_jank_layer *at;
	uint32_t len;
	size_t i, n = 0;

	for (i = 0; i < l->count; i++) {
		at = &l->at[i];
		for (len = at->name.len; len > 0 && at->name.p[len - 1] != '#';)
			len--;
		if (len == 0 || at->from == TC_NONE)
			continue;
		list[n++] = (struct numbered){ { at->name.p, len, false }, at->place,
			(uint32_t)i, at->from, at->to };
	}
	qsort(list, n, sizeof(*list), by_title);
	compare_numbered(l, list, n);
	free(list);
}

void
tc_jank_layers_frames(struct tc_jank_layers *l, const struct tc_rows *r)
{
	const struct tc_rows_actual *a;
	const struct tc_rows_group *g;
	struct tc_jank_layer *at;
	uint32_t layer;
	size_t i;

	for (i = 0; i < r->actual.count; i++) {
		a = &r->actual.at[i];
		g = tc_rows_group_of(r, a->group);
		layer = tc_jank_layer(l, a->place, tc_rows_text(r, g->layer));
		if (layer == TC_ROWS_NO)
			continue;
		at = &l->at[layer];
		extend(at, a->ts, tc_rows_end(a->ts, a->dur));
		at->has_several_procs |= at->proc != TC_ROWS_NO && at->proc != g->proc;
		at->proc = g->proc;
	}
	for (i = 0; i < l->sub_count; i++)
		extend(&l->at[l->subs[i].layer], tc_jank_start(&l->subs[i]),
			tc_jank_end(&l->subs[i]));
	find_siblings(l);
}
