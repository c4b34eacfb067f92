#include "mem/mem.h"

#include <stdlib.h>

/* The live slot of the key, or the free one where it would go. */
static struct tc_map_slot *
probe(const struct tc_map *m, uint64_t a, uint64_t b)
{
	size_t mask = m->cap - 1, i = (size_t)tc_mem_hash(a, b) & mask;
	struct tc_map_slot *s;

	for (;; i = (i + 1) & mask) {
		s = &m->slots[i];
		if (!s->is_live || (s->a == a && s->b == b))
			return s;
	}
}

static void
remember(struct tc_map *m, const struct tc_map_slot *s)
{
	m->recent[(s->a + s->b) % TC_MAP_RECENT] = (uint32_t)(s - m->slots);
}

static void
resize(struct tc_map *m)
{
	struct tc_map old = *m;
	size_t i;

	m->cap = old.cap ? old.cap * 2 : 16;
	m->slots = tc_mem_calloc(m->cap, sizeof(*m->slots));
	for (i = 0; i < old.cap; i++)
		if (old.slots[i].is_live)
			*probe(m, old.slots[i].a, old.slots[i].b) = old.slots[i];
	free(old.slots);
}

struct tc_map_slot *
tc_map_find(struct tc_map *m, uint64_t a, uint64_t b)
{
	struct tc_map_slot *s;

	if (!m->used)
		return NULL;
	s = probe(m, a, b);
	if (!s->is_live)
		return NULL;
	remember(m, s);
	return s;
}

struct tc_map_slot *
tc_map_make(struct tc_map *m, uint64_t a, uint64_t b, bool *made)
{
	struct tc_map_slot *s;

	if (m->used * 4 >= m->cap * 3)
		resize(m);
	s = probe(m, a, b);
	*made = !s->is_live;
	if (*made) {
		m->used++;
		*s = (struct tc_map_slot){ .a = a, .b = b, .is_live = true };
	}
	remember(m, s);
	return s;
}

/*
 * Moves up what follows and would not be found across a gap, so that a map
 * whose entries come and go stays as quick as a fresh one.
 */
bool
tc_map_take(struct tc_map *m, uint64_t a, uint64_t b, uint64_t *value)
{
	size_t mask = m->cap - 1, gap, i, home;
	struct tc_map_slot *s = tc_map_again(m, a, b);

	if (!s)
		s = tc_map_find(m, a, b);
	if (!s)
		return false;
	*value = s->value;
	gap = (size_t)(s - m->slots);
	for (i = (gap + 1) & mask; m->slots[i].is_live; i = (i + 1) & mask) {
		home = (size_t)tc_mem_hash(m->slots[i].a, m->slots[i].b) & mask;
		if (((i - home) & mask) < ((i - gap) & mask))
			continue;
		m->slots[gap] = m->slots[i];
		gap = i;
	}
	m->slots[gap].is_live = false;
	m->used--;
	return true;
}

void
tc_map_release(struct tc_map *m)
{
	free(m->slots);
	*m = (struct tc_map){ 0 };
}
