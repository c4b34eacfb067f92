#include "rec/rec.h"

#include <string.h>

static void keep_fields(
	const struct tc_rec_type *type, void *rec, struct tc_arena *arena);

static void
keep_strs(struct tc_rec_list *list, struct tc_arena *arena)
{
	struct tc_str *items;
	size_t i;

	if (!list->items)
		return;
	items = tc_arena_alloc(arena, (list->count + 1) * sizeof(*items));
	memcpy(items, list->items, list->count * sizeof(*items));
	for (i = 0; i < list->count; i++)
		items[i] = tc_arena_str(arena, items[i]);
	list->items = items;
}

/* `count` structs one after another. */
static const void *
keep_structs(const struct tc_rec_type *sub, const void *from, size_t count,
	struct tc_arena *arena)
{
	char *items;
	size_t i;

	if (!from)
		return NULL;
	items = tc_arena_alloc(arena, (count + 1) * sub->size);
	memcpy(items, from, count * sub->size);
	for (i = 0; i < count; i++)
		keep_fields(sub, items + i * sub->size, arena);
	return items;
}

static void
keep_fields(const struct tc_rec_type *type, void *rec, struct tc_arena *arena)
{
	const struct tc_rec_field *f = type->fields;
	struct tc_rec_list *list;
	struct tc_str *s;
	const void **obj;
	void *p;
	size_t i;

	for (i = 0; i < type->count; i++, f++) {
		p = (char *)rec + f->offset;
		list = p;
		obj = p;
		switch (f->kind) {
		case TC_REC_INT:
		case TC_REC_BOOL:
		case TC_REC_REAL:
		case TC_REC_FLOAT: break;
		case TC_REC_STR:
		case TC_REC_JSON:
			s = p;
			*s = tc_arena_str(arena, *s);
			break;
		case TC_REC_STRS: keep_strs(list, arena); break;
		case TC_REC_LIST:
			list->items =
				keep_structs(f->sub, list->items, list->count, arena);
			break;
		case TC_REC_OBJ: *obj = keep_structs(f->sub, *obj, 1, arena); break;
		}
	}
}

void
tc_rec_keep(
	const struct tc_rec_type *type, const void *rec, struct tc_arena *arena, void *to)
{
	memmove(to, rec, type->size);
	keep_fields(type, to, arena);
}
