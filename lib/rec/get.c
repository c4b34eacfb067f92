#include "rec/priv.h"

#include <string.h>

#include "err/err.h"

static void *
member(void *rec, const struct tc_rec_field *f)
{
	return (char *)rec + f->offset;
}

void
tc_rec_forget(const struct tc_rec_field *f, void *p)
{
	switch (f->kind) {
	case TC_REC_INT:
	case TC_REC_BOOL: *(int64_t *)p = TC_NONE; break;
	case TC_REC_REAL: *(double *)p = (double)NAN; break;
	case TC_REC_FLOAT: *(float *)p = NAN; break;
	case TC_REC_STR:
	case TC_REC_JSON: *(struct tc_str *)p = (struct tc_str){ 0 }; break;
	case TC_REC_STRS:
	case TC_REC_LIST:
		*(struct tc_rec_list *)p = (struct tc_rec_list){ NULL, 0 };
		break;
	case TC_REC_OBJ: *(const void **)p = NULL; break;
	}
}

void
tc_rec_init(const struct tc_rec_type *type, void *rec)
{
	size_t i;

	/* Also what is no field. */
	memset(rec, 0, type->size);
	for (i = 0; i < type->count; i++)
		tc_rec_forget(&type->fields[i], member(rec, &type->fields[i]));
}

/*
 * The field of this name. Records mostly come in contract order, so the one
 * behind the field found last is tried first.
 */
static const struct tc_rec_field *
find_field(const struct tc_rec_type *type, struct tc_str key, size_t *next)
{
	const struct tc_rec_field *f;
	size_t i, at;

	for (i = 0; i < type->count; i++) {
		at = *next + i < type->count ? *next + i : *next + i - type->count;
		f = &type->fields[at];
		if (f->key_len - 4 == key.len &&
			memcmp(f->key + 2, key.p, key.len) == 0) {
			*next = at + 1 < type->count ? at + 1 : 0;
			return f;
		}
	}
	return NULL;
}

/* A value of the right kind of which *err tells what is wrong in it; -1 is any other. */
enum { IS_WRONG_INSIDE = -2 };

static int get_fields(const struct tc_rec_type *type, struct tc_json_val obj,
	struct tc_arena *arena, void *rec, struct tc_err *err);

static int
get_strs(struct tc_json_val v, struct tc_arena *arena, struct tc_rec_list *list)
{
	struct tc_json_iter it = tc_json_iter(v);
	struct tc_str key, *items;
	size_t n = 0;

	if (!tc_json_is_arr(v))
		return -1;
	items = tc_arena_alloc(arena, (tc_json_size(v) + 1) * sizeof(*items));
	while (tc_json_next(&it, &key, &v))
		if (!tc_json_get_str(v, &items[n++]))
			return -1;
	*list = (struct tc_rec_list){ items, n };
	return 0;
}

static int
get_list(const struct tc_rec_type *sub, struct tc_json_val v, struct tc_arena *arena,
	struct tc_rec_list *list, struct tc_err *err)
{
	struct tc_json_iter it = tc_json_iter(v);
	struct tc_str key;
	char *items;
	size_t n = 0;

	if (!tc_json_is_arr(v))
		return -1;
	items = tc_arena_alloc(arena, (tc_json_size(v) + 1) * sub->size);
	while (tc_json_next(&it, &key, &v))
		if (get_fields(sub, v, arena, items + n++ * sub->size, err))
			return IS_WRONG_INSIDE;
	*list = (struct tc_rec_list){ items, n };
	return 0;
}

static int
get_real(struct tc_json_val v, const struct tc_rec_field *f, void *p)
{
	double d;

	if (!tc_json_get_real(v, &d))
		return -1;
	if (f->kind == TC_REC_FLOAT)
		*(float *)p = (float)d;
	else
		*(double *)p = d;
	return 0;
}

static int
get_value(const struct tc_rec_field *f, struct tc_json_val v, struct tc_arena *arena,
	void *p, struct tc_err *err)
{
	void *sub;
	bool b;

	switch (f->kind) {
	case TC_REC_INT: return tc_json_get_int(v, p) ? 0 : -1;
	case TC_REC_BOOL:
		if (!tc_json_get_bool(v, &b))
			return -1;
		*(int64_t *)p = b;
		return 0;
	case TC_REC_REAL:
	case TC_REC_FLOAT: return get_real(v, f, p);
	case TC_REC_STR: return tc_json_get_str(v, p) ? 0 : -1;
	case TC_REC_JSON: *(struct tc_str *)p = tc_json_text(v, arena); return 0;
	case TC_REC_STRS: return get_strs(v, arena, p);
	case TC_REC_LIST: return get_list(f->sub, v, arena, p, err);
	case TC_REC_OBJ:
		if (!tc_json_is_obj(v))
			return -1;
		sub = tc_arena_alloc(arena, f->sub->size);
		if (get_fields(f->sub, v, arena, sub, err))
			return IS_WRONG_INSIDE;
		*(const void **)p = sub;
		return 0;
	}
	return -1;
}

/* Integers are of 64 bits: times in nanoseconds have no fraction. */
static const char *const kinds[] = {
	[TC_REC_INT] = "an integer",
	[TC_REC_BOOL] = "true or false",
	[TC_REC_REAL] = "a number",
	[TC_REC_FLOAT] = "a number",
	[TC_REC_STR] = "a text",
	[TC_REC_JSON] = "any value",
	[TC_REC_STRS] = "a list of texts",
	[TC_REC_LIST] = "a list of objects",
	[TC_REC_OBJ] = "an object",
};

static int
get_fields(const struct tc_rec_type *type, struct tc_json_val obj, struct tc_arena *arena,
	void *rec, struct tc_err *err)
{
	struct tc_json_iter it = tc_json_iter(obj);
	const struct tc_rec_field *f;
	struct tc_json_val v;
	struct tc_str key;
	size_t next = 0;

	tc_rec_init(type, rec);
	if (!tc_json_is_obj(obj))
		return tc_err_set(err, TC_DATA, "not an object");
	while (tc_json_next(&it, &key, &v)) {
		f = find_field(type, key, &next);
		if (!f || tc_json_is_null(v))
			continue;
		switch (get_value(f, v, arena, member(rec, f), err)) {
		case 0: break;
		case IS_WRONG_INSIDE:
			return tc_err_add(err, "field %.*s", (int)key.len, key.p);
		default:
			return tc_err_set(err, TC_DATA,
				"field %.*s has a wrong value; it must be %s",
				(int)key.len, key.p, kinds[f->kind]);
		}
	}
	return 0;
}

int
tc_rec_get(const struct tc_rec_type *type, struct tc_json_val obj, struct tc_arena *arena,
	void *rec, struct tc_err *err)
{
	if (get_fields(type, obj, arena, rec, err) == 0)
		return 0;
	return tc_err_add(err, "%s record", type->name);
}
