#include "mem/mem.h"

#include <stdlib.h>

enum state { FREE, LIVE, DEAD };

struct tc_map_slot {
	uint64_t a, b, value;
	uint64_t state;
};

/* Mixes both words well enough that runs of tokens spread over the table. */
static uint64_t
hash(uint64_t a, uint64_t b)
{
	uint64_t h = a * 0x9e3779b97f4a7c15u ^ (b + 0x7f4a7c159e3779b9u);

	h ^= h >> 32;
	h *= 0xd6e8feb86659fd93u;
	h ^= h >> 29;
	return h;
}

/* The live slot of the key, or the slot where it would go. */
static struct tc_map_slot *
find(const struct tc_map *m, uint64_t a, uint64_t b)
{
	size_t mask = m->cap - 1, i = (size_t)hash(a, b) & mask;
	struct tc_map_slot *dead = NULL, *s;

	for (;; i = (i + 1) & mask) {
		s = &m->slots[i];
		if (s->state == FREE)
			return dead ? dead : s;
		if (s->state == DEAD)
			dead = dead ? dead : s;
		else if (s->a == a && s->b == b)
			return s;
	}
}

static void
resize(struct tc_map *m)
{
	struct tc_map old = *m;
	size_t i;

	m->cap = old.cap ? old.cap : 16;
	while (m->cap < old.used * 2 + 16)
		m->cap *= 2;
	m->slots = tc_mem_calloc(m->cap, sizeof(*m->slots));
	m->dead = 0;
	for (i = 0; i < old.cap; i++)
		if (old.slots[i].state == LIVE)
			*find(m, old.slots[i].a, old.slots[i].b) = old.slots[i];
	free(old.slots);
}

uint64_t *
tc_map_get(const struct tc_map *m, uint64_t a, uint64_t b)
{
	struct tc_map_slot *s;

	if (!m->used)
		return NULL;
	s = find(m, a, b);
	return s->state == LIVE ? &s->value : NULL;
}

uint64_t *
tc_map_put(struct tc_map *m, uint64_t a, uint64_t b, bool *made)
{
	struct tc_map_slot *s;

	if ((m->used + m->dead) * 4 >= m->cap * 3)
		resize(m);
	s = find(m, a, b);
	*made = s->state != LIVE;
	if (*made) {
		m->dead -= s->state == DEAD;
		m->used++;
		*s = (struct tc_map_slot){ .a = a, .b = b, .state = LIVE };
	}
	return &s->value;
}

void
tc_map_remove(struct tc_map *m, uint64_t a, uint64_t b)
{
	struct tc_map_slot *s;

	if (!m->used)
		return;
	s = find(m, a, b);
	if (s->state != LIVE)
		return;
	s->state = DEAD;
	m->used--;
	m->dead++;
}

void
tc_map_release(struct tc_map *m)
{
	free(m->slots);
	*m = (struct tc_map){ 0 };
}
