#include "mem/mem.h"

#include <stdlib.h>
#include <string.h>

static uint32_t *
find(const struct tc_strtab *t, struct tc_str s)
{
	size_t mask = t->slot_cap - 1, i = (size_t)tc_mem_hash_bytes(s.p, s.len) & mask;

	while (t->slots[i] && !tc_str_eq(t->items[t->slots[i] - 1], s))
		i = (i + 1) & mask;
	return &t->slots[i];
}

static void
grow(struct tc_strtab *t)
{
	size_t i;

	t->slot_cap = t->slot_cap ? t->slot_cap * 2 : 64;
	free(t->slots);
	t->slots = tc_mem_calloc(t->slot_cap, sizeof(*t->slots));
	for (i = 0; i < t->count; i++)
		*find(t, t->items[i]) = (uint32_t)(i + 1);
}

uint32_t
tc_strtab_id_any(struct tc_strtab *t, struct tc_str s)
{
	uint32_t *slot;

	if (!s.p)
		return 0;
	if (t->count * 2 >= t->slot_cap)
		grow(t);
	slot = find(t, s);
	if (!*slot) {
		tc_mem_grow(&t->items, &t->cap, t->count + 1, sizeof(*t->items));
		t->items[t->count] = (struct tc_str){ tc_arena_dup(&t->arena, s.p, s.len),
			s.len, tc_str_plain(s.p, s.len) == s.len };
		*slot = (uint32_t)++t->count;
	}
	t->last[s.len % TC_STRTAB_LAST] = *slot;
	return *slot;
}

struct tc_str
tc_strtab_str(const struct tc_strtab *t, uint32_t id)
{
	return id ? t->items[id - 1] : (struct tc_str){ 0 };
}

int
tc_strtab_compare(const struct tc_strtab *t, uint32_t a, uint32_t b)
{
	if (a == b || !a || !b)
		return (a != 0) - (b != 0);
	return tc_str_compare(tc_strtab_str(t, a), tc_strtab_str(t, b));
}

void
tc_strtab_release(struct tc_strtab *t)
{
	tc_arena_release(&t->arena);
	free(t->items);
	free(t->slots);
	*t = (struct tc_strtab){ 0 };
}
