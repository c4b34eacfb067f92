/*
 * Fuzz target of json and rec: what can be read can be written, and then read
 * again as the same; and nothing else happens.
 */
#include "fuzz.h"

#include <string.h>

#include "err/err.h"
#include "io/io.h"
#include "rec/rec.h"

enum { MAX_REC = 1024, ROOM = 1024 * 1024 };

static struct tc_json json, json_again;
static struct tc_arena arena;

static struct tc_str
text_of(const struct tc_out *o)
{
	return (struct tc_str){ .p = o->buf, .len = (uint32_t)o->len };
}

/* An output that stays in memory; what does not fit is lost, and sys set. */
static struct tc_out
in_memory(int which)
{
	static char *buf[2];

	if (!buf[which])
		buf[which] = malloc(ROOM);
	FUZZ_DEMAND(buf[which]);
	return (struct tc_out){ .fd = -1, .buf = buf[which], .cap = ROOM };
}

/* Every function that takes a value, on this one and all below, to a depth. */
static void
walk(struct tc_json_val v, int depth)
{
	struct tc_json_iter it = tc_json_iter(v);
	struct tc_json_val member;
	struct tc_str key = { .p = NULL }, s;
	size_t n = 0;
	int64_t i;
	double d;
	bool b;

	b = tc_json_get_int(v, &i);
	FUZZ_DEMAND(!b || tc_json_get_real(v, &d));
	FUZZ_DEMAND(tc_json_is_obj(v) + tc_json_is_arr(v) + tc_json_is_null(v) +
			tc_json_get_str(v, &s) + tc_json_get_bool(v, &b) +
			tc_json_get_real(v, &d) <=
		1);
	for (; tc_json_next(&it, &key, &member); n++) {
		FUZZ_DEMAND(member.v);
		FUZZ_DEMAND(!tc_json_is_obj(v) || key.p);
		if (depth)
			walk(member, depth - 1);
	}
	FUZZ_DEMAND(n == tc_json_size(v));
}

/* A value as text is that value again. */
static void
check_text(struct tc_json_val v)
{
	struct tc_str text = tc_json_text(v, &arena);
	struct tc_json_val again;
	struct tc_err err;

	FUZZ_DEMAND(tc_json_parse(&json_again, text, &again, &err) == 0);
	FUZZ_DEMAND(tc_str_eq(tc_json_text(again, &arena), text));
}

/* A record that was read is written, and from then on stays as it is. */
static void
check_record(const struct tc_rec_type *type, struct tc_json_val v)
{
	struct tc_out first = in_memory(0), second = in_memory(1);
	struct tc_err err = { 0 };
	struct tc_json_val again;
	union {
		char bytes[MAX_REC];
		int64_t aligned;
	} rec;

	FUZZ_DEMAND(type->size <= sizeof(rec));
	if (tc_rec_get(type, v, &arena, &rec, &err)) {
		FUZZ_DEMAND(err.code == TC_DATA);
		return;
	}
	tc_rec_put(&first, type, &rec);
	if (first.sys)
		return;
	FUZZ_DEMAND(first.len && first.buf[first.len - 1] == '\n');
	FUZZ_DEMAND(!memchr(first.buf, '\n', first.len - 1));
	FUZZ_DEMAND(tc_json_parse(&json_again, text_of(&first), &again, &err) == 0);
	FUZZ_DEMAND(tc_rec_get(type, again, &arena, &rec, &err) == 0);
	tc_rec_put(&second, type, &rec);
	FUZZ_DEMAND(tc_str_eq(text_of(&first), text_of(&second)));
}

/* What is read where it stands is what the reader of any record makes of it. */
static void
check_scan(const struct tc_rec_type *type, struct tc_str text, struct tc_json_val v)
{
	struct tc_out first = in_memory(0), second = in_memory(1);
	struct tc_err err = { 0 };
	union {
		char bytes[MAX_REC];
		int64_t aligned;
	} rec;

	if (!tc_rec_scan(type, text, &rec))
		return;
	tc_rec_put(&first, type, &rec);
	FUZZ_DEMAND(v.v);
	FUZZ_DEMAND(tc_rec_get(type, v, &arena, &rec, &err) == 0);
	tc_rec_put(&second, type, &rec);
	FUZZ_DEMAND(tc_str_eq(text_of(&first), text_of(&second)));
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	const struct tc_rec_type *const *type = tc_rec_all();
	struct tc_str text = { .p = (const char *)bytes, .len = (uint32_t)len };
	struct tc_err err = { 0 };
	struct tc_json_val v;

	if (tc_json_parse(&json, text, &v, &err)) {
		FUZZ_DEMAND(err.code == TC_DATA && err.msg[0]);
		FUZZ_DEMAND(json.error_pos <= len);
		for (; *type; type++)
			check_scan(*type, text, (struct tc_json_val){ NULL });
		return 0;
	}
	walk(v, 10);
	check_text(v);
	for (; *type; type++) {
		check_record(*type, v);
		check_scan(*type, text, v);
	}
	tc_arena_reset(&arena);
	return 0;
}
