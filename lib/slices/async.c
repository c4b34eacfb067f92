/*
 * Asynchronous slices of processes. Where a name has a track of its own, one
 * cookie's slice is open once, and beginning it again adds nothing; on a named
 * track it nests.
 */
#include "slices/priv.h"

struct tc_slice_async {
	struct tc_slice *slice; /* NULL: not chosen */
	struct tc_slice *kept;  /* the nearest chosen one from here down, or NULL */
	uint32_t depth;
	uint32_t below; /* the one it nests in + 1, or the next free place + 1 */
};

struct key {
	uint64_t process, slice;
};

static struct key
key_of(struct tc_slices *s, const struct tc_slice_mark *m)
{
	uint64_t name = m->track ? (uint64_t)m->track << 32 : m->name;

	return (struct key){
		(uint64_t)tc_slices_generation(s, m->machine, m->pid) << 41 |
			(uint64_t)m->machine << 32 | m->pid,
		tc_mem_hash(name, (uint64_t)m->cookie),
	};
}

/* A place in s->open, + 1. */
static uint32_t
new_place(struct tc_slices *s)
{
	uint32_t place = s->free_open;

	if (place) {
		s->free_open = s->open[place - 1].below;
		return place;
	}
	tc_mem_grow(&s->open, &s->open_cap, s->open_count + 1, sizeof(*s->open));
	return (uint32_t)++s->open_count;
}

struct tc_slice *
tc_slices_async_begin(struct tc_slices *s, const struct tc_slice_mark *m)
{
	struct key key = key_of(s, m);
	struct tc_slice_async *a, *below;
	struct tc_slice *parent;
	uint32_t place;
	uint64_t *top;
	bool made;

	top = tc_map_put(&s->by_key, key.process, key.slice, &made);
	if (!made && !m->track) {
		s->count++;
		return NULL;
	}
	place = new_place(s);
	a = &s->open[place - 1];
	below = made ? NULL : &s->open[*top - 1];
	parent = below ? below->kept : NULL;
	*a = (struct tc_slice_async){
		.slice = tc_slices_store(s, m, TC_SLICE_ASYNC, parent),
		.depth = below ? below->depth + 1 : 0,
		.below = (uint32_t)*top,
	};
	*top = place;
	if (a->slice) {
		a->slice->cookie = m->cookie;
		a->slice->depth = a->depth;
	}
	a->kept = a->slice ? a->slice : parent;
	return a->slice;
}

void
tc_slices_async_end(struct tc_slices *s, const struct tc_slice_mark *m)
{
	struct key key = key_of(s, m);
	struct tc_slice_async *a;
	uint32_t place;
	uint64_t *top, gone;

	top = tc_map_get(&s->by_key, key.process, key.slice);
	if (!top)
		return;
	place = (uint32_t)*top;
	a = &s->open[place - 1];
	if (a->slice)
		a->slice->dur = m->ts - a->slice->ts;
	if (a->below)
		*top = a->below;
	else
		tc_map_take(&s->by_key, key.process, key.slice, &gone);
	a->below = s->free_open;
	s->free_open = place;
}

struct tc_slice *
tc_slices_async_instant(struct tc_slices *s, const struct tc_slice_mark *m)
{
	return tc_slices_store(s, m, TC_SLICE_INSTANT, NULL);
}
