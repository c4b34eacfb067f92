#ifndef TC_REC_PRIV_H
#define TC_REC_PRIV_H
/*
 * Inside rec: how a NAME.c makes a type from the list of its fields.
 *
 * The list is a macro that says each field once, in contract order:
 *
 *   #define NAME(F, s) \
 *       F(s, ALWAYS, INT, ts) \
 *       F(s, OPTIONAL, STR, device) \
 *       F(s, ALWAYS, LIST, clocks)
 *
 * ALWAYS writes null for what is unknown, OPTIONAL leaves the field out; then
 * comes the kind without its prefix, and the member. GROUP stands for a list of
 * its own, and the member that may hold its fields as text (see TC_REC_GROUP);
 * no group comes first. What a list or an object
 * is made of is a type that has the member's name. From the list come the
 * table that readers walk, and a function that writes the fields one after
 * another without a loop: rows are written by the million.
 */
#include <string.h>

#include "io/io.h"
#include "rec/rec.h"

/* Makes a field unknown. */
void tc_rec_forget(const struct tc_rec_field *f, void *p);

/* A plain text up to this length is copied into the room made beforehand. */
enum { TC_REC_SHORT_STR = 128 };

/* Room that a value takes without asking for more. */
enum {
	TC_REC_ROOM_INT = 24,
	TC_REC_ROOM_BOOL = 8,
	TC_REC_ROOM_REAL = 8,
	TC_REC_ROOM_FLOAT = 8,
	TC_REC_ROOM_STR = TC_REC_SHORT_STR + 2,
	TC_REC_ROOM_JSON = 8,
	TC_REC_ROOM_STRS = 96,
	TC_REC_ROOM_LIST = 8,
	TC_REC_ROOM_OBJ = 8,
};

/*
 * A value is written at p, where its room is, and the end is returned. What
 * may need more than that hands over to the output and comes back with all the
 * room that a record can want.
 */
char *tc_rec_put_large_str(struct tc_out *o, char *p, struct tc_str s);
char *tc_rec_put_json(struct tc_out *o, char *p, struct tc_str s);
char *tc_rec_put_real(struct tc_out *o, char *p, double v);
char *tc_rec_put_float(struct tc_out *o, char *p, float v);
bool tc_rec_strs_fit(struct tc_rec_list list); /* into TC_REC_ROOM_STRS */
char *tc_rec_put_strs(struct tc_out *o, char *p, struct tc_rec_list list);
char *tc_rec_put_list(struct tc_out *o, char *p, const struct tc_rec_type *sub,
	struct tc_rec_list list);
char *tc_rec_put_obj(
	struct tc_out *o, char *p, const struct tc_rec_type *sub, const void *rec);

/* Copies of a fixed length that overlap: no loop for short texts, no call. */
static inline char *
tc_rec_copy(char *p, const char *from, size_t n)
{
	size_t i;

	if (n >= 16) {
		for (i = 0; i < n - 16; i += 16)
			memcpy(p + i, from + i, 16);
		memcpy(p + n - 16, from + n - 16, 16);
	} else if (n >= 8) {
		memcpy(p, from, 8);
		memcpy(p + n - 8, from + n - 8, 8);
	} else if (n >= 4) {
		memcpy(p, from, 4);
		memcpy(p + n - 4, from + n - 4, 4);
	} else {
		for (i = 0; i < n; i++)
			p[i] = from[i];
	}
	return p + n;
}

static inline char *
tc_rec_put_str(struct tc_out *o, char *p, struct tc_str s)
{
	if (!s.is_plain || s.len > TC_REC_SHORT_STR)
		return tc_rec_put_large_str(o, p, s);
	*p = '"';
	p = tc_rec_copy(p + 1, s.p, s.len);
	*p = '"';
	return p + 1;
}

static inline char *
tc_rec_put_null(char *p)
{
	memcpy(p, "null", 4);
	return p + 4;
}

static inline char *
tc_rec_put_int(char *p, int64_t v)
{
	if (v < 0 || v > 9)
		return tc_json_write_int(p, v);
	*p = (char)('0' + v);
	return p + 1;
}

/* Most numbers are not negative, and so are not unknown. */
static inline char *
tc_rec_put_int_or_null(char *p, int64_t v)
{
	if (v > 9)
		return tc_json_write_uint(p, (uint64_t)v);
	return v == TC_NONE ? tc_rec_put_null(p) : tc_rec_put_int(p, v);
}

static inline char *
tc_rec_put_bool(char *p, int64_t v)
{
	memcpy(p, v ? "true" : "false", v ? 4 : 5);
	return p + (v ? 4 : 5);
}

/* For each kind: whether a value is known, and how it is written. */
#define TC_REC_HAS_INT(v) ((v) != TC_NONE)
#define TC_REC_HAS_BOOL(v) ((v) != TC_NONE)
#define TC_REC_HAS_REAL(v) isfinite(v)
#define TC_REC_HAS_FLOAT(v) isfinite(v)
#define TC_REC_HAS_STR(v) ((v).p != NULL)
#define TC_REC_HAS_JSON(v) ((v).p != NULL)
#define TC_REC_HAS_STRS(v) ((v).items != NULL)
#define TC_REC_HAS_LIST(v) ((v).items != NULL)
#define TC_REC_HAS_OBJ(v) ((v) != NULL)

#define TC_REC_PUT_INT(o, p, v, sub) tc_rec_put_int(p, v)
#define TC_REC_PUT_BOOL(o, p, v, sub) tc_rec_put_bool(p, v)
#define TC_REC_PUT_REAL(o, p, v, sub) tc_rec_put_real(o, p, v)
#define TC_REC_PUT_FLOAT(o, p, v, sub) \
	((v) == 0 ? tc_rec_put_int(p, 0) : tc_rec_put_float(o, p, v))
#define TC_REC_PUT_STR(o, p, v, sub) tc_rec_put_str(o, p, v)
#define TC_REC_PUT_JSON(o, p, v, sub) tc_rec_put_json(o, p, v)
#define TC_REC_PUT_STRS(o, p, v, sub) tc_rec_put_strs(o, p, v)
#define TC_REC_PUT_LIST(o, p, v, sub) tc_rec_put_list(o, p, sub, v)
#define TC_REC_PUT_OBJ(o, p, v, sub) tc_rec_put_obj(o, p, sub, v)

/* With null for what is unknown. */
#define TC_REC_PUT_ANY_INT(o, p, v, sub) tc_rec_put_int_or_null(p, v)
#define TC_REC_PUT_ANY_BOOL(...) TC_REC_PUT_ANY(BOOL, __VA_ARGS__)
#define TC_REC_PUT_ANY_REAL(...) TC_REC_PUT_ANY(REAL, __VA_ARGS__)
#define TC_REC_PUT_ANY_FLOAT(...) TC_REC_PUT_ANY(FLOAT, __VA_ARGS__)
#define TC_REC_PUT_ANY_STR(...) TC_REC_PUT_ANY(STR, __VA_ARGS__)
#define TC_REC_PUT_ANY_JSON(...) TC_REC_PUT_ANY(JSON, __VA_ARGS__)
#define TC_REC_PUT_ANY_STRS(...) TC_REC_PUT_ANY(STRS, __VA_ARGS__)
#define TC_REC_PUT_ANY_LIST(...) TC_REC_PUT_ANY(LIST, __VA_ARGS__)
#define TC_REC_PUT_ANY_OBJ(...) TC_REC_PUT_ANY(OBJ, __VA_ARGS__)
#define TC_REC_PUT_ANY(kind, o, p, v, sub) \
	(TC_REC_HAS_##kind(v) ? TC_REC_PUT_##kind(o, p, v, sub) : tc_rec_put_null(p))

/* The type of what a list or an object holds has the member's name. */
#define TC_REC_SUB_INT(m) NULL
#define TC_REC_SUB_BOOL(m) NULL
#define TC_REC_SUB_REAL(m) NULL
#define TC_REC_SUB_FLOAT(m) NULL
#define TC_REC_SUB_STR(m) NULL
#define TC_REC_SUB_JSON(m) NULL
#define TC_REC_SUB_STRS(m) NULL
#define TC_REC_SUB_LIST(m) &in_##m
#define TC_REC_SUB_OBJ(m) &in_##m

/* As written, with comma, quotes and colon. */
#define TC_REC_KEY(m) ",\"" #m "\":"
#define TC_REC_KEY_LEN(m) (sizeof(TC_REC_KEY(m)) - 1)

/* What a field becomes in the table. */
#define TC_REC_IS_OPTIONAL_ALWAYS false
#define TC_REC_IS_OPTIONAL_OPTIONAL true
#define TC_REC_ROW_ALWAYS(s, kind, m) TC_REC_ROW_IN(s, ALWAYS, kind, m)
#define TC_REC_ROW_OPTIONAL(s, kind, m) TC_REC_ROW_IN(s, OPTIONAL, kind, m)
#define TC_REC_ROW_GROUP(s, FIELDS, m) FIELDS(TC_REC_ROW_IN, s)
#define TC_REC_ROW(s, presence, kind, m) TC_REC_ROW_##presence(s, kind, m)
#define TC_REC_ROW_IN(s, presence, kind, m) \
	{ TC_REC_KEY(m), TC_REC_KEY_LEN(m), TC_REC_##kind, \
		TC_REC_IS_OPTIONAL_##presence, offsetof(struct s, m), \
		TC_REC_SUB_##kind(m) },

/* What it adds to the room that a record needs. */
#define TC_REC_NEEDS_ALWAYS(s, kind, m) TC_REC_NEEDS_IN(s, ALWAYS, kind, m)
#define TC_REC_NEEDS_OPTIONAL(s, kind, m) TC_REC_NEEDS_IN(s, OPTIONAL, kind, m)
#define TC_REC_NEEDS_GROUP(s, FIELDS, m) FIELDS(TC_REC_NEEDS_IN, s)
#define TC_REC_NEEDS(s, presence, kind, m) TC_REC_NEEDS_##presence(s, kind, m)
#define TC_REC_NEEDS_IN(s, presence, kind, m) +TC_REC_KEY_LEN(m) + TC_REC_ROOM_##kind

/* What writes it: `first` is a brace until a field is written, then a comma. */
#define TC_REC_WRITE_KEY(m) \
	memcpy(p, TC_REC_KEY(m), TC_REC_KEY_LEN(m)); \
	*p = first; \
	first = ','; \
	p += TC_REC_KEY_LEN(m);
#define TC_REC_WRITE_ALWAYS(s, kind, m) \
	TC_REC_WRITE_KEY(m) \
	p = TC_REC_PUT_ANY_##kind(o, p, r->m, TC_REC_SUB_##kind(m));
#define TC_REC_WRITE_OPTIONAL(s, kind, m) \
	if (TC_REC_HAS_##kind(r->m)) { \
		TC_REC_WRITE_KEY(m) \
		p = TC_REC_PUT_##kind(o, p, r->m, TC_REC_SUB_##kind(m)); \
	}
#define TC_REC_WRITE_GROUP(s, FIELDS, m) \
	if (r->m.p) { \
		p = tc_rec_copy(p, r->m.p, r->m.len); \
	} else { \
		FIELDS(TC_REC_WRITE_IN, s) \
	}
#define TC_REC_WRITE(s, presence, kind, m) TC_REC_WRITE_##presence(s, kind, m)
#define TC_REC_WRITE_IN(s, presence, kind, m) TC_REC_WRITE_##presence(s, kind, m)

/* The table of struct s and its writer; `open` is what stands before the fields. */
#define TC_REC_FIELDS(s, FIELDS, open, begin) \
	static const struct tc_rec_field s##_fields[] = { FIELDS(TC_REC_ROW, s) }; \
	enum { s##_room = sizeof(open) + 2 FIELDS(TC_REC_NEEDS, s) }; \
	_Static_assert((int)s##_room <= (int)TC_OUT_ROOM, "room for " #s); \
	static char *s##_put(struct tc_out *o, char *p, const void *rec) \
	{ \
		const struct s *r = rec; \
		char first = (begin); \
\
		(void)o; \
		memcpy(p, (open), sizeof(open) - 1); \
		p += sizeof(open) - 1; \
		FIELDS(TC_REC_WRITE, s) \
		if (first == '{') \
			*p++ = first; \
		*p++ = '}'; \
		return p; \
	}
#define TC_REC_INIT(s, type_name) \
	{ \
		.name = (type_name), .fields = s##_fields, \
		.count = sizeof(s##_fields) / sizeof(s##_fields[0]), \
		.size = sizeof(struct s), .room = s##_room, .put = s##_put \
	}

/* The record type `name` of struct tc_rec_NAME. */
#define TC_REC_RECORD(name, FIELDS) \
	TC_REC_FIELDS(tc_rec_##name, FIELDS, "{\"type\":\"" #name "\"", ',') \
	const struct tc_rec_type tc_rec_##name = TC_REC_INIT(tc_rec_##name, #name)

/* Whether a field fits into its room whatever its value, and needs no other look. */
#define TC_REC_FITS_INT(v) true
#define TC_REC_FITS_FLOAT(v) ((v) == 0)
#define TC_REC_FITS_STRS(v) tc_rec_strs_fit(v)
#define TC_REC_FITS_STR(v) (!(v).p || ((v).is_plain && (v).len <= TC_REC_SHORT_STR))
#define TC_REC_FITS(s, presence, kind, m) &&TC_REC_FITS_##kind(r->m)

/*
 * The function tc_rec_NAME_GROUP, which renders the fields of a group for the member
 * `group` of records that say the same.
 */
#define TC_REC_GROUP(name, group, FIELDS) \
	struct tc_str tc_rec_##name##_##group( \
		struct tc_arena *arena, const struct tc_rec_##name *r) \
	{ \
		char text[sizeof("") FIELDS(TC_REC_NEEDS_IN, s)], *p = text, \
								  first = ','; \
		struct tc_out *o = NULL; \
\
		if (!(true FIELDS(TC_REC_FITS, s))) \
			return (struct tc_str){ 0 }; \
		FIELDS(TC_REC_WRITE_IN, s) \
		(void)o; \
		return (struct tc_str){ tc_arena_dup(arena, text, (size_t)(p - text)), \
			(uint32_t)(p - text), false }; \
	}

/* What only stands inside others, in the member of that name. */
#define TC_REC_INSIDE(member, s, FIELDS) \
	TC_REC_FIELDS(s, FIELDS, "", '{') \
	static const struct tc_rec_type in_##member = TC_REC_INIT(s, NULL)

#endif
