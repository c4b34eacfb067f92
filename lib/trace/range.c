#include "trace/trace.h"

#include <stdlib.h>
#include <string.h>

/* Of how many times one may be an outlier. */
enum { ONE_IN = 20 };

/* Whether b, which is later, belongs to a. */
static bool
touches(const struct tc_trace_group *a, const struct tc_trace_group *b)
{
	return b->first <= a->last || b->first - a->last <= TC_TRACE_MAX_GAP_NS;
}

static bool
ends_before(const void *group, const void *ts)
{
	const struct tc_trace_group *g = group;
	const int64_t *limit = ts;

	return g->last < *limit;
}

static void
absorb(struct tc_trace_group *g, const struct tc_trace_group *other)
{
	g->first = other->first < g->first ? other->first : g->first;
	g->last = other->last > g->last ? other->last : g->last;
	g->count += other->count;
}

/*
 * Takes what the group at i touches now into it, so that groups are the same in
 * whatever order times arrive.
 */
static void
merge_around(struct tc_trace_range *r, size_t i)
{
	struct tc_trace_group *g;
	size_t end;

	if (i > 0 && touches(&r->groups[i - 1], &r->groups[i]))
		i--;
	g = &r->groups[i];
	for (end = i + 1; end < r->count && touches(g, &r->groups[end]); end++)
		absorb(g, &r->groups[end]);
	memmove(g + 1, &r->groups[end], (r->count - end) * sizeof(*g));
	r->count -= end - i - 1;
	r->recent = i;
}

static void
insert(struct tc_trace_range *r, size_t i, const struct tc_trace_group *g)
{
	tc_mem_grow(&r->groups, &r->cap, r->count + 1, sizeof(*r->groups));
	memmove(&r->groups[i + 1], &r->groups[i], (r->count - i) * sizeof(*r->groups));
	r->groups[i] = *g;
	r->count++;
}

/* From now on only the whole counts: a trace of odd times could have millions. */
static void
give_up(struct tc_trace_range *r)
{
	while (r->count > 1)
		absorb(&r->groups[0], &r->groups[--r->count]);
	r->recent = 0;
	r->has_too_many = true;
}

void
tc_trace_range_add_any(struct tc_trace_range *r, int64_t first, int64_t last)
{
	struct tc_trace_group g = { first, last, 1 };
	size_t i;

	r->total++;
	if (r->has_too_many) {
		absorb(&r->groups[0], &g);
		return;
	}
	i = tc_mem_find(r->groups, r->count, sizeof(*r->groups), ends_before, &first);
	insert(r, i, &g);
	merge_around(r, i);
	if (r->count > TC_TRACE_MAX_GROUPS)
		give_up(r);
}

struct tc_trace_group
tc_trace_range_bulk(const struct tc_trace_range *r)
{
	struct tc_trace_group all = { INT64_MAX, INT64_MIN, 0 };
	size_t i;

	for (i = 0; i < r->count; i++) {
		if (r->groups[i].count >= r->total - r->total / ONE_IN)
			return r->groups[i];
		absorb(&all, &r->groups[i]);
	}
	return all;
}

void
tc_trace_range_release(struct tc_trace_range *r)
{
	free(r->groups);
	*r = (struct tc_trace_range){ 0 };
}
