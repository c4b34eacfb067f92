#include "json/json.h"

#include <stdlib.h>
#include <string.h>

#include <yyjson.h>

#include "err/err.h"

static yyjson_val *
val(struct tc_json_val v)
{
	yyjson_val *p;

	/* The library wants a pointer to non-const that it does not write to. */
	memcpy(&p, &v.v, sizeof(p));
	return p;
}

/* A number over 2^64 may stand in a record that passes through: kept as text. */
static const yyjson_read_flag flags = YYJSON_READ_INSITU | YYJSON_READ_BIGNUM_AS_RAW;

static const char *
what_is_wrong(const yyjson_read_err *bad)
{
	/* There is memory for all JSON; what opens and never closes can take more. */
	if (bad->code == YYJSON_READ_ERROR_MEMORY_ALLOCATION)
		return "nested too deep";
	return bad->msg ? bad->msg : "damaged";
}

int
tc_json_parse(struct tc_json *j, struct tc_str text, struct tc_json_val *root,
	struct tc_err *err)
{
	size_t pool_need = yyjson_read_max_memory_usage(text.len, flags);
	yyjson_read_err bad = { 0 };
	yyjson_doc *doc;
	yyjson_alc alc;

	tc_mem_grow(&j->text, &j->text_cap, text.len + YYJSON_PADDING_SIZE, 1);
	tc_mem_grow(&j->pool, &j->pool_cap, pool_need + 1024, 1);
	memcpy(j->text, text.p, text.len);
	memset(j->text + text.len, 0, YYJSON_PADDING_SIZE);
	yyjson_alc_pool_init(&alc, j->pool, j->pool_cap);
	doc = yyjson_read_opts(j->text, text.len, flags, &alc, &bad);
	if (!doc) {
		j->error_pos = bad.pos;
		return tc_err_set(err, TC_DATA, "not JSON: %s",
			text.len ? what_is_wrong(&bad) : "an empty line");
	}
	root->v = yyjson_doc_get_root(doc);
	return 0;
}

void
tc_json_release(struct tc_json *j)
{
	free(j->text);
	free(j->pool);
	*j = (struct tc_json){ 0 };
}

bool
tc_json_is_obj(struct tc_json_val v)
{
	return yyjson_is_obj(val(v));
}

bool
tc_json_is_arr(struct tc_json_val v)
{
	return yyjson_is_arr(val(v));
}

bool
tc_json_is_null(struct tc_json_val v)
{
	return yyjson_is_null(val(v));
}

/*
 * Tools that keep numbers as doubles write 1e3 or 5.0 for an integer; taken
 * as far as a double is exact.
 */
static bool
whole_real(double d, int64_t *out)
{
	if (!(d >= -9007199254740992.0 && d <= 9007199254740992.0))
		return false;
	if ((double)(int64_t)d != d)
		return false;
	*out = (int64_t)d;
	return true;
}

bool
tc_json_get_int(struct tc_json_val v, int64_t *out)
{
	yyjson_val *p = val(v);

	if (yyjson_is_sint(p)) {
		*out = yyjson_get_sint(p);
		return true;
	}
	if (yyjson_is_uint(p)) {
		if (yyjson_get_uint(p) > INT64_MAX)
			return false;
		*out = (int64_t)yyjson_get_uint(p);
		return true;
	}
	return yyjson_is_real(p) && whole_real(yyjson_get_real(p), out);
}

bool
tc_json_get_real(struct tc_json_val v, double *out)
{
	if (!yyjson_is_num(val(v)))
		return false;
	*out = yyjson_get_num(val(v));
	return true;
}

bool
tc_json_get_bool(struct tc_json_val v, bool *out)
{
	if (!yyjson_is_bool(val(v)))
		return false;
	*out = yyjson_get_bool(val(v));
	return true;
}

bool
tc_json_get_str(struct tc_json_val v, struct tc_str *out)
{
	if (!yyjson_is_str(val(v)))
		return false;
	*out = (struct tc_str){ yyjson_get_str(val(v)), (uint32_t)yyjson_get_len(val(v)),
		false };
	return true;
}

struct tc_json_val
tc_json_member(struct tc_json_val obj, const char *key)
{
	return (struct tc_json_val){ yyjson_obj_get(val(obj), key) };
}

size_t
tc_json_size(struct tc_json_val v)
{
	return tc_json_is_obj(v) ? yyjson_obj_size(val(v)) : yyjson_arr_size(val(v));
}

struct tc_json_iter
tc_json_iter(struct tc_json_val v)
{
	struct tc_json_iter it = { .left = tc_json_size(v), .is_obj = tc_json_is_obj(v) };

	if (it.left)
		it.pos = unsafe_yyjson_get_first(val(v));
	return it;
}

int
tc_json_next(struct tc_json_iter *it, struct tc_str *key, struct tc_json_val *v)
{
	yyjson_val *p;

	if (!it->left)
		return 0;
	it->left--;
	p = val((struct tc_json_val){ it->pos });
	if (it->is_obj) {
		*key = (struct tc_str){ yyjson_get_str(p), (uint32_t)yyjson_get_len(p),
			false };
		p++; /* a member's value follows its key */
	}
	v->v = p;
	it->pos = unsafe_yyjson_get_next(p);
	return 1;
}

struct tc_str
tc_json_text(struct tc_json_val v, struct tc_arena *arena)
{
	size_t len = 0;
	char *text = yyjson_val_write(val(v), YYJSON_WRITE_ALLOW_INVALID_UNICODE, &len);
	struct tc_str s = TC_STR("null");

	if (text)
		s = (struct tc_str){ tc_arena_dup(arena, text, len), (uint32_t)len,
			false };
	free(text);
	return s;
}
