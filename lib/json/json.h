#ifndef TC_JSON_JSON_H
#define TC_JSON_JSON_H
/*
 * json: reading one JSON value, and writing JSON straight to an output.
 *
 * The reader keeps one copy of the text and one pool, both reused by the next
 * parse; every value and string it hands out is valid until then. Integers
 * are exact over all 64 bits. The writer never builds a tree.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mem/mem.h"

struct tc_err;
struct tc_out;

struct tc_json {
	char *text; /* owned: what is parsed, changed in place */
	size_t text_cap;
	void *pool; /* owned */
	size_t pool_cap;
	size_t error_pos; /* where the last parse failed, from 0 */
};

/* A value of the text parsed last; `v` NULL stands for "not there". */
struct tc_json_val {
	const void *v;
};

/* 0 and the root, or -1 with TC_DATA and error_pos. `text` is not changed. */
int tc_json_parse(struct tc_json *j, struct tc_str text, struct tc_json_val *root,
	struct tc_err *err);
void tc_json_release(struct tc_json *j);

bool tc_json_is_obj(struct tc_json_val v);
bool tc_json_is_arr(struct tc_json_val v);
bool tc_json_is_null(struct tc_json_val v);

/* Each is false, and *out untouched, when the value is of another kind. */
bool tc_json_get_int(struct tc_json_val v, int64_t *out);
bool tc_json_get_real(struct tc_json_val v, double *out);
bool tc_json_get_bool(struct tc_json_val v, bool *out);
bool tc_json_get_str(struct tc_json_val v, struct tc_str *out);

/* The member of an object, `v` NULL when there is none. */
struct tc_json_val tc_json_member(struct tc_json_val obj, const char *key);

size_t tc_json_size(struct tc_json_val arr_or_obj);

/* Walks an array, or an object with its keys. */
struct tc_json_iter {
	const void *pos;
	size_t left;
	bool is_obj;
};
struct tc_json_iter tc_json_iter(struct tc_json_val arr_or_obj);

/* 1: *val (and *key, of an object) is the next one; 0: no more. */
int tc_json_next(struct tc_json_iter *it, struct tc_str *key, struct tc_json_val *val);

/* Any value as JSON text again, in the arena. */
struct tc_str tc_json_text(struct tc_json_val v, struct tc_arena *arena);

void tc_json_put_int(struct tc_out *o, int64_t v);

/* In decimal at p, which has room for 24 bytes; returns the end, no NUL. */
char *tc_json_write_uint(char *p, uint64_t v);
char *tc_json_write_int(char *p, int64_t v);

/* Shortest text that reads back as the same double (or float); never NaN. */
void tc_json_put_real(struct tc_out *o, double v);
void tc_json_put_float(struct tc_out *o, float v);

#endif
