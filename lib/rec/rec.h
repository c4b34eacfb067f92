#ifndef TC_REC_REC_H
#define TC_REC_REC_H
/*
 * rec: the records that pass between the tools, contract 1.
 *
 * Each record type is a plain struct (types.h) and a table of its fields in
 * contract order (NAME.c); writing and reading walk the table. What is not
 * known has a value of its own, so that nothing unknown turns into a zero:
 *
 *   int64_t TC_NONE · double and float NAN · tc_str {NULL, 0} · lists {NULL, 0}
 *
 * A pointer that is left out of an initialiser is unknown, a number is not: name
 * every number, or begin with tc_rec_init, which sets every field so.
 */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "json/json.h"
#include "mem/mem.h"
#include "rec/types.h"

struct tc_err;
struct tc_out;

#define TC_CONTRACT 1
#define TC_NONE INT64_MIN

enum tc_rec_kind {
	TC_REC_INT,   /* int64_t */
	TC_REC_BOOL,  /* int64_t 0 or 1, true and false on the wire */
	TC_REC_REAL,  /* double */
	TC_REC_FLOAT, /* float */
	TC_REC_STR,   /* struct tc_str */
	TC_REC_JSON,  /* struct tc_str, JSON text as it is */
	TC_REC_STRS,  /* struct tc_rec_list of struct tc_str */
	TC_REC_LIST,  /* struct tc_rec_list of `sub` structs */
	TC_REC_OBJ,   /* pointer to one `sub` struct */
};

enum { TC_REC_KEY_MAX = 40 };

struct tc_rec_field {
	/* As written, with comma, quotes and colon: `,"ts":`. All of it is copied. */
	char key[TC_REC_KEY_MAX];
	size_t key_len;
	enum tc_rec_kind kind;
	bool optional; /* left out when unknown, instead of null */
	size_t offset;
	const struct tc_rec_type *sub;
};

struct tc_rec_type {
	const char *name;          /* NULL for a struct that only stands inside others */
	char open[TC_REC_KEY_MAX]; /* `{"type":"NAME"` */
	size_t open_len;
	const struct tc_rec_field *fields;
	size_t count, size;
};

/*
 * How a NAME.c lists its fields: s is the struct's tag, m the member, k the
 * kind without its prefix. ALWAYS writes null for what is unknown, OPTIONAL
 * leaves the field out.
 */
#define TC_REC_FIELD(s, m, k, optional, sub) \
	{ \
		",\"" #m "\":", sizeof(#m) + 3, TC_REC_##k, (optional), \
			offsetof(struct s, m), (sub) \
	}
#define TC_REC_ALWAYS(s, m, k) TC_REC_FIELD(s, m, k, false, NULL)
#define TC_REC_OPTIONAL(s, m, k) TC_REC_FIELD(s, m, k, true, NULL)
#define TC_REC_ALWAYS_SUB(s, m, k, sub) TC_REC_FIELD(s, m, k, false, sub)
#define TC_REC_OPTIONAL_SUB(s, m, k, sub) TC_REC_FIELD(s, m, k, true, sub)
#define TC_REC_TABLE(s, table) \
	(table), sizeof(table) / sizeof((table)[0]), sizeof(struct s)
#define TC_REC_TYPE(s, type_name, table) \
	{ \
		(type_name), "{\"type\":\"" type_name "\"", \
			sizeof("{\"type\":\"" type_name "\"") - 1, \
			TC_REC_TABLE(s, table) \
	}

/* For a struct that only stands inside others. */
#define TC_REC_INNER(s, table) \
	{ \
		NULL, "", 0, TC_REC_TABLE(s, table) \
	}

void tc_rec_init(const struct tc_rec_type *type, void *rec);

/* Writes one line. Failures are remembered by the output. */
void tc_rec_put(struct tc_out *o, const struct tc_rec_type *type, const void *rec);

/*
 * Reads a record's struct from its JSON object; strings borrow from the parsed
 * text, lists and objects from the arena. Unknown fields are ignored. -1 with
 * TC_DATA when a known field has a value of another kind.
 */
int tc_rec_get(const struct tc_rec_type *type, struct tc_json_val obj,
	struct tc_arena *arena, void *rec, struct tc_err *err);

/* All types that have a struct, ended by NULL; and one by name, or NULL. */
const struct tc_rec_type *const *tc_rec_all(void);
const struct tc_rec_type *tc_rec_find(const char *name);

#endif
