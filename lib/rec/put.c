#include "rec/rec.h"

#include <string.h>

#include "io/io.h"

/* A record's members are reached by offset; the table vouches for the type. */
static const void *
member(const void *rec, const struct tc_rec_field *f)
{
	return (const char *)rec + f->offset;
}

static void put_fields(
	struct tc_out *o, const struct tc_rec_type *type, const void *rec, bool is_first);

static void
put_strs(struct tc_out *o, const struct tc_rec_list *list)
{
	const struct tc_str *s = list->items;
	size_t i;

	tc_out_lit(o, "[");
	for (i = 0; i < list->count; i++) {
		if (i)
			tc_out_lit(o, ",");
		tc_out_quoted(o, s[i]);
	}
	tc_out_lit(o, "]");
}

static void
put_list(struct tc_out *o, const struct tc_rec_type *sub, const struct tc_rec_list *list)
{
	size_t i;

	tc_out_lit(o, "[");
	for (i = 0; i < list->count; i++) {
		tc_out_write(o, ",{", i ? 2 : 0);
		if (!i)
			tc_out_lit(o, "{");
		put_fields(o, sub, (const char *)list->items + i * sub->size, true);
		tc_out_lit(o, "}");
	}
	tc_out_lit(o, "]");
}

static void
put_obj(struct tc_out *o, const struct tc_rec_type *sub, const void *rec)
{
	tc_out_lit(o, "{");
	put_fields(o, sub, rec, true);
	tc_out_lit(o, "}");
}

/* A copy of fixed length compiles to a few moves; only key_len of it counts. */
static inline void
put_key(struct tc_out *o, const struct tc_rec_field *f, bool is_first)
{
	char *p = tc_out_room(o, TC_REC_KEY_MAX);

	if (is_first)
		memcpy(p, f->key + 1, TC_REC_KEY_MAX - 1);
	else
		memcpy(p, f->key, TC_REC_KEY_MAX);
	tc_out_used(o, p + f->key_len - is_first);
}

static inline void
put_text(struct tc_out *o, const char *text, size_t len)
{
	memcpy(tc_out_room(o, len), text, len);
	o->len += len;
}

static bool
is_known(const struct tc_rec_field *f, const void *p)
{
	switch (f->kind) {
	case TC_REC_INT:
	case TC_REC_BOOL: return *(const int64_t *)p != TC_NONE;
	case TC_REC_REAL: return isfinite(*(const double *)p);
	case TC_REC_FLOAT: return isfinite(*(const float *)p);
	case TC_REC_STR:
	case TC_REC_JSON: return ((const struct tc_str *)p)->p != NULL;
	case TC_REC_STRS:
	case TC_REC_LIST: return ((const struct tc_rec_list *)p)->items != NULL;
	case TC_REC_OBJ: return *(const void *const *)p != NULL;
	}
	return false;
}

static void
put_value(struct tc_out *o, const struct tc_rec_field *f, const void *p)
{
	const struct tc_str *s = p;

	switch (f->kind) {
	case TC_REC_INT:
		tc_out_used(
			o, tc_json_write_int(tc_out_room(o, 24), *(const int64_t *)p));
		break;
	case TC_REC_BOOL:
		if (*(const int64_t *)p)
			put_text(o, "true", 4);
		else
			put_text(o, "false", 5);
		break;
	case TC_REC_REAL: tc_json_put_real(o, *(const double *)p); break;
	case TC_REC_FLOAT: tc_json_put_float(o, *(const float *)p); break;
	case TC_REC_STR: tc_out_quoted(o, *s); break;
	case TC_REC_JSON: tc_out_write(o, s->p, s->len); break;
	case TC_REC_STRS: put_strs(o, p); break;
	case TC_REC_LIST: put_list(o, f->sub, p); break;
	case TC_REC_OBJ: put_obj(o, f->sub, *(const void *const *)p); break;
	}
}

static void
put_fields(
	struct tc_out *o, const struct tc_rec_type *type, const void *rec, bool is_first)
{
	const struct tc_rec_field *f = type->fields, *end = f + type->count;
	const void *p;
	int64_t v;

	for (; f < end; f++) {
		p = member(rec, f);
		/* Most fields are integers that are known: the shortest way for them. */
		if (f->kind == TC_REC_INT && (v = *(const int64_t *)p) != TC_NONE) {
			put_key(o, f, is_first);
			tc_out_used(o, tc_json_write_int(tc_out_room(o, 24), v));
		} else if (is_known(f, p)) {
			put_key(o, f, is_first);
			put_value(o, f, p);
		} else if (!f->optional) {
			put_key(o, f, is_first);
			put_text(o, "null", 4);
		} else {
			continue;
		}
		is_first = false;
	}
}

void
tc_rec_put(struct tc_out *o, const struct tc_rec_type *type, const void *rec)
{
	memcpy(tc_out_room(o, TC_REC_KEY_MAX), type->open, TC_REC_KEY_MAX);
	o->len += type->open_len;
	put_fields(o, type, rec, false);
	put_text(o, "}\n", 2);
	o->records++;
}
