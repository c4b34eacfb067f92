/*
 * rec: every type of record goes through its struct and comes out as it was.
 *
 * usage: rec [FOLDER]   with a NAME.jsonl of sample lines for each type
 */
#include "rec/rec.h"

#include <stdlib.h>

#include "check.h"
#include "err/err.h"
#include "io/io.h"

enum { MAX_TEXT = 64 * 1024, MAX_REC = 1024 };

static struct tc_json json;
static struct tc_arena arena;
static struct tc_err err;

/* A record of any type; each test has its own. */
union any {
	char bytes[MAX_REC];
	int64_t aligned;
};

/* The record as a line, without its newline. */
static struct tc_str
put(const struct tc_rec_type *type, const union any *rec, char *buf)
{
	struct tc_out o = check_out(buf, MAX_TEXT);

	tc_rec_put(&o, type, rec);
	CHECK_INT(o.sys, 0);
	CHECK_INT(o.records, 1);
	if (CHECK(o.len > 0 && buf[o.len - 1] == '\n'))
		o.len--;
	return check_out_text(&o);
}

/* 0 or -1, with err. */
static int
get(const struct tc_rec_type *type, struct tc_str text, union any *rec)
{
	struct tc_json_val root;

	err = (struct tc_err){ 0 };
	if (!CHECK_INT(tc_json_parse(&json, text, &root, &err), 0))
		return -1;
	return tc_rec_get(type, root, &arena, rec, &err);
}

static bool
contains(struct tc_str text, const char *part, size_t len)
{
	size_t i;

	for (i = 0; i + len <= text.len; i++)
		if (memcmp(text.p + i, part, len) == 0)
			return true;
	return false;
}

/* The samples of a type, all lines; ended by a NUL. */
static char *
read_samples(const char *folder, const char *name)
{
	char path[4096], *text = calloc(1, MAX_TEXT);
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s.jsonl", folder, name);
	f = fopen(path, "rb");
	if (!text || !f || fread(text, 1, MAX_TEXT - 1, f) == 0) {
		fprintf(stderr, "%s: no sample of a %s record\n", path, name);
		free(text);
		text = NULL;
	}
	if (f)
		fclose(f);
	return text;
}

/* Whether the key (with its quotes and colon) has a value somewhere in the text. */
static bool
is_set(struct tc_str text, const char *key, size_t len)
{
	size_t i;

	for (i = 0; i + len < text.len; i++)
		if (memcmp(text.p + i, key, len) == 0 &&
			strncmp(text.p + i + len, "null", 4) != 0)
			return true;
	return false;
}

/* At least one of the samples has each field, with a value. */
static void
check_fields_are_set(const struct tc_rec_type *type, const char *samples)
{
	const struct tc_rec_field *f;
	size_t i;

	for (i = 0; i < type->count; i++) {
		f = &type->fields[i];
		/* The first member of an object has no comma. */
		if (!CHECK(is_set(tc_str_of(samples), f->key + 1, f->key_len - 1)))
			fprintf(stderr, "  %s\n", f->key);
		if (f->sub)
			check_fields_are_set(f->sub, samples);
	}
}

/* A copy does not mind what becomes of the text that was parsed, and of the arena. */
static void
check_kept(const struct tc_rec_type *type, union any *rec, struct tc_str line)
{
	struct tc_arena keep = { 0 };
	char buf[MAX_TEXT];
	union any copy;
	char *over;

	tc_rec_keep(type, rec, &keep, &copy);
	memset(rec, 0x5a, sizeof(*rec));
	memset(json.text, 0x5a, json.text_cap);
	tc_arena_reset(&arena);
	over = tc_arena_alloc(&arena, MAX_REC);
	memset(over, 0x5a, MAX_REC);
	CHECK_STR(put(type, &copy, buf), line);
	tc_arena_release(&keep);
}

static void
check_line(const struct tc_rec_type *type, struct tc_str line)
{
	char buf[MAX_TEXT];
	union any rec;

	memset(&rec, 0x5a, sizeof(rec));
	if (!CHECK_INT(get(type, line, &rec), 0)) {
		fprintf(stderr, "  %s\n", err.msg);
		return;
	}
	CHECK_STR(put(type, &rec, buf), line);
	check_kept(type, &rec, line);
	tc_arena_reset(&arena);
}

static void
test_samples(const char *folder)
{
	const struct tc_rec_type *const *all = tc_rec_all();
	char *text, *line, *end;
	int i;

	for (i = 0; all[i]; i++) {
		text = read_samples(folder, all[i]->name);
		if (!CHECK(text != NULL))
			continue;
		check_fields_are_set(all[i], text);
		for (line = text; *line; line = end + 1) {
			end = strchr(line, '\n');
			if (!CHECK(end != NULL))
				break;
			check_line(all[i], check_text(line, (size_t)(end - line)));
		}
		free(text);
	}
}

/* The members in another order, with others between them, make the same record. */
static void
check_shuffled(const struct tc_rec_type *type, struct tc_str line)
{
	char shuffled[MAX_TEXT], buf[MAX_TEXT];
	struct tc_str member[64], key[64];
	struct tc_out o = check_out(shuffled, sizeof(shuffled));
	struct tc_json_iter it;
	struct tc_json_val v = { NULL };
	union any rec;
	size_t n = 0;

	CHECK_INT(tc_json_parse(&json, line, &v, &err), 0);
	it = tc_json_iter(v);
	for (; n < CHECK_ITEMS(key) && tc_json_next(&it, &key[n], &v); n++)
		member[n] = tc_json_text(v, &arena);
	tc_out_lit(&o, "{\"new_field\":{\"ts\":[true]}");
	while (n--) {
		tc_out_lit(&o, ",");
		tc_out_quoted(&o, key[n]);
		tc_out_lit(&o, ":");
		tc_out_write(&o, member[n].p, member[n].len);
		tc_out_lit(&o, ",\"\":null");
	}
	tc_out_lit(&o, "}");
	CHECK_INT(get(type, check_out_text(&o), &rec), 0);
	CHECK_STR(put(type, &rec, buf), line);
	tc_arena_reset(&arena);
}

static void
test_any_order(const char *folder)
{
	const struct tc_rec_type *const *all = tc_rec_all();
	char *text, *end;
	int i;

	for (i = 0; all[i]; i++) {
		text = read_samples(folder, all[i]->name);
		end = text ? strchr(text, '\n') : NULL;
		if (end)
			check_shuffled(all[i], check_text(text, (size_t)(end - text)));
		free(text);
	}
}

/* Nothing is known: what is not left out is null, and stays so. */
static void
test_unknown(void)
{
	const struct tc_rec_type *const *all = tc_rec_all();
	char first[MAX_TEXT], second[MAX_TEXT], empty[128];
	struct tc_str line;
	union any rec;
	size_t j;
	int i;

	for (i = 0; all[i]; i++) {
		CHECK(all[i]->size <= sizeof(rec));
		memset(&rec, 0x5a, sizeof(rec));
		tc_rec_init(all[i], &rec);
		line = put(all[i], &rec, first);
		CHECK_INT(get(all[i], line, &rec), 0);
		CHECK_STR(put(all[i], &rec, second), line);
		for (j = 0; j < all[i]->count; j++)
			CHECK_INT(contains(line, all[i]->fields[j].key,
					  all[i]->fields[j].key_len),
				!all[i]->fields[j].optional);
		/* The same comes of a record that has nothing but its type. */
		snprintf(empty, sizeof(empty), "{\"type\":\"%s\"}", all[i]->name);
		CHECK_INT(get(all[i], tc_str_of(empty), &rec), 0);
		CHECK_STR(put(all[i], &rec, second), line);
	}
	tc_arena_reset(&arena);
}

/* Values of a kind that a field of this kind must not have. */
static const char *
wrong_values(enum tc_rec_kind kind)
{
	switch (kind) {
	case TC_REC_INT: return "\"1\" 1.5 true [1] {} 9223372036854775808 1e400";
	case TC_REC_BOOL: return "0 1 \"true\" [] {}";
	case TC_REC_REAL:
	case TC_REC_FLOAT: return "\"1.5\" false [] {}";
	case TC_REC_STR: return "1 1.5 true [] {}";
	case TC_REC_JSON: return "";
	case TC_REC_STRS: return "\"a\" 1 {} [1] [\"a\",null] [[\"a\"]]";
	case TC_REC_LIST: return "\"a\" 1 {} [1] [\"a\"] [{},null] [[{}]]";
	case TC_REC_OBJ: return "\"a\" 1 true [] [{}]";
	}
	return "";
}

/* `before` and `after` are what stands around a member of a nested struct. */
static void
check_wrong(const struct tc_rec_type *type, const struct tc_rec_type *sub,
	const char *before, const char *after)
{
	const struct tc_rec_field *f;
	char text[512], open[128], close[32];
	const char *value;
	union any rec;
	size_t i, n;

	for (i = 0; i < sub->count; i++) {
		f = &sub->fields[i];
		for (value = wrong_values(f->kind); *value; value += n) {
			value += *value == ' ';
			n = strcspn(value, " ");
			snprintf(text, sizeof(text), "{%s%s%.*s%s}", before, f->key + 1,
				(int)n, value, after);
			if (!CHECK_INT(get(type, tc_str_of(text), &rec), -1))
				fprintf(stderr, "  %s\n", text);
			CHECK_INT(err.code, TC_DATA);
			CHECK(strstr(err.msg, type->name) && strstr(err.msg, "field"));
		}
		if (!f->sub)
			continue;
		snprintf(open, sizeof(open), "%s%s%s", before, f->key + 1,
			f->kind == TC_REC_LIST ? "[{}, {" : "{");
		snprintf(close, sizeof(close), "%s%s",
			f->kind == TC_REC_LIST ? "}]" : "}", after);
		check_wrong(type, f->sub, open, close);
	}
	tc_arena_reset(&arena);
}

static void
test_wrong_kinds(void)
{
	const struct tc_rec_type *const *all = tc_rec_all();
	static const char *const roots[] = { "[]", "5", "\"a\"", "null" };
	union any rec;
	size_t j;
	int i;

	for (i = 0; all[i]; i++) {
		check_wrong(all[i], all[i], "", "");
		for (j = 0; j < CHECK_ITEMS(roots); j++) {
			CHECK_INT(get(all[i], tc_str_of(roots[j]), &rec), -1);
			if (!CHECK_INT(err.code, TC_DATA))
				break;
		}
	}
}

/* What is wrong within a value is told of that, not of the value. */
static void
test_wrong_inside(void)
{
	union any rec;

	CHECK_INT(
		get(&tc_rec_trace,
			TC_STR("{\"type\":\"trace\",\"clocks\":[{\"mapped\":1}]}"), &rec),
		-1);
	CHECK_STR(tc_str_of(err.msg),
		TC_STR("trace record: field clocks: field mapped has a wrong value; it "
		       "must be true or false"));
	CHECK_INT(get(&tc_rec_trace, TC_STR("{\"type\":\"trace\",\"clocks\":5}"), &rec),
		-1);
	CHECK_STR(tc_str_of(err.msg),
		TC_STR("trace record: field clocks has a wrong value; it must be a list "
		       "of objects"));
}

static struct tc_str
rewrite(const struct tc_rec_type *type, const char *line, char *buf)
{
	union any rec;

	CHECK_INT(get(type, tc_str_of(line), &rec), 0);
	return put(type, &rec, buf);
}

/* What a filter in between may have made of a record's values. */
static void
test_lenient(void)
{
	char buf[MAX_TEXT];

	CHECK_STR(
		rewrite(&tc_rec_stat,
			"{\"value\":5.0,\"index\":null,\"type\":\"stat\",\"name\":"
			"\"a\\u00e9"
			"\\ud83d\\ude00\",\"severity\":\"x\",\"value\":1e3,\"trace\":-1}",
			buf),
		BYTES("{\"type\":\"stat\",\"name\":\"a\xc3\xa9\xf0\x9f\x98\x80\","
		      "\"severity\":\"x\",\"value\":1000,\"trace\":-1}"));
	CHECK_STR(rewrite(&tc_rec_end,
			  "{\"tool\":\"\",\"status\":-9223372036854775807,"
			  "\"records\":9223372036854775807}",
			  buf),
		BYTES("{\"type\":\"end\",\"tool\":\"\",\"status\":-9223372036854775807,"
		      "\"records\":9223372036854775807}"));
	CHECK_STR(rewrite(&tc_rec_error,
			  "{\"tool\":\"t\",\"code\":\"c\",\"text\":\"\\u0000\\n\\\"\","
			  "\"subject\": [ 1 , { } ] }",
			  buf),
		BYTES("{\"type\":\"error\",\"tool\":\"t\",\"code\":\"c\","
		      "\"text\":\"\\u0000\\n\\\"\",\"subject\":[1,{}]}"));
	tc_arena_reset(&arena);
}

/* No text stands for these: as unknown as what was never there. */
static void
test_not_finite(void)
{
	static const double values[] = { (double)NAN, (double)INFINITY,
		-(double)INFINITY };
	struct tc_rec_actual_frame actual;
	struct tc_rec_jank_frame jank;
	char text[MAX_TEXT];
	struct tc_out o;
	size_t i;

	for (i = 0; i < CHECK_ITEMS(values); i++) {
		o = check_out(text, sizeof(text));
		tc_rec_init(&tc_rec_actual_frame, &actual);
		tc_rec_init(&tc_rec_jank_frame, &jank);
		actual.jank_score = actual.present_delay_ms = (float)values[i];
		jank.end_delta_ms = values[i];
		tc_rec_put(&o, &tc_rec_actual_frame, &actual);
		tc_rec_put(&o, &tc_rec_jank_frame, &jank);
		CHECK(contains(check_out_text(&o), "\"jank_score\":null", 17));
		CHECK(!contains(check_out_text(&o), "present_delay_ms", 16));
		CHECK(contains(check_out_text(&o), "\"end_delta_ms\":null", 19));
	}
}

static void
test_find(void)
{
	const struct tc_rec_type *const *all = tc_rec_all();
	int i, j;

	for (i = 0; all[i]; i++) {
		CHECK(tc_rec_find(all[i]->name) == all[i]);
		for (j = 0; j < i; j++)
			CHECK(strcmp(all[i]->name, all[j]->name) != 0);
	}
	CHECK(!tc_rec_find("no_such_type"));
	CHECK(!tc_rec_find(""));
}

/* What is read where it stands is what the reader of any record makes of it. */
static bool
check_scanned(const struct tc_rec_type *type, struct tc_str line)
{
	char scanned[MAX_TEXT], buf[MAX_TEXT];
	struct tc_str text;
	union any rec, other;

	memset(&rec, 0x5a, sizeof(rec));
	if (!tc_rec_scan(type, line, &rec))
		return false;
	text = put(type, &rec, scanned);
	if (CHECK_INT(get(type, line, &other), 0))
		CHECK_STR(put(type, &other, buf), text);
	tc_arena_reset(&arena);
	return true;
}

/* One byte of a line more, less, or another one that JSON knows. */
static size_t
mutate(char *line, size_t len, uint64_t *random)
{
	static const char bytes[] = "0123456789-+.eE,:[]{}\"\\ ntfa\x01\x80";
	size_t at;

	*random = *random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	at = (size_t)(*random >> 33) % len;
	switch ((*random >> 60) % 3) {
	case 0: memmove(line + at, line + at + 1, len - at - 1); return len - 1;
	case 1: memmove(line + at + 1, line + at, len++ - at); break;
	default: break;
	}
	line[at] = bytes[(*random >> 20) % (sizeof(bytes) - 1)];
	return len;
}

static size_t
check_mutants(const struct tc_rec_type *type, struct tc_str line, uint64_t *random)
{
	char copy[MAX_TEXT];
	size_t accepted = 0, len;
	int i;

	for (i = 0; i < 3000; i++) {
		memcpy(copy, line.p, line.len);
		len = mutate(copy, line.len, random);
		if (i % 3 == 0)
			len = mutate(copy, len, random);
		accepted += check_scanned(type, check_text(copy, len));
	}
	return accepted;
}

static void
test_scan(const char *folder)
{
	const struct tc_rec_type *const *all = tc_rec_all();
	size_t whole = 0, mutants = 0;
	uint64_t random = 1;
	char *text, *line, *end;
	int i;

	for (i = 0; all[i]; i++) {
		text = read_samples(folder, all[i]->name);
		for (line = text; line && (end = strchr(line, '\n')); line = end + 1) {
			whole += check_scanned(
				all[i], check_text(line, (size_t)(end - line)));
			mutants += check_mutants(
				all[i], check_text(line, (size_t)(end - line)), &random);
		}
		free(text);
	}
	/* Most are, and of what differs by a byte enough to tell. */
	CHECK(whole > 30);
	CHECK(mutants > 10000);
}

static void
test_scan_numbers(void)
{
	static const struct {
		const char *text;
		bool is_read;
		double value;
	} reals[] = { { "0", true, 0 }, { "-0", true, -0.0 }, { "1.5", true, 1.5 },
		{ "-0.000001", true, -0.000001 },
		{ "123456789012345", true, 123456789012345 },
		{ "1234567890123456", false, 0 }, { "0.1234567890123456", false, 0 },
		{ "99999999999.9999", true, 99999999999.9999 }, { "1.", false, 0 },
		{ ".5", false, 0 }, { "01", false, 0 }, { "1e3", false, 0 },
		{ "-", false, 0 } };
	char line[256];
	struct tc_rec_jank_frame r;
	size_t i;

	for (i = 0; i < CHECK_ITEMS(reals); i++) {
		snprintf(line, sizeof(line),
			"{\"type\":\"jank_frame\",\"end_delta_ms\":%s}", reals[i].text);
		if (CHECK_INT(tc_rec_scan(&tc_rec_jank_frame, tc_str_of(line), &r),
			    reals[i].is_read) &&
			reals[i].is_read)
			CHECK(r.end_delta_ms == reals[i].value);
	}
	CHECK(tc_rec_scan(&tc_rec_jank_frame,
		TC_STR("{\"type\":\"jank_frame\",\"pid\":-999999999999999999}"), &r));
	CHECK_INT(r.pid, -999999999999999999);
	CHECK(!tc_rec_scan(&tc_rec_jank_frame,
		TC_STR("{\"type\":\"jank_frame\",\"pid\":1000000000000000000}"), &r));
	CHECK(!tc_rec_scan(
		&tc_rec_jank_frame, TC_STR("{\"type\":\"jank_frames\",\"pid\":1}"), &r));
}

int
main(int argc, char **argv)
{
	const char *folder = argc > 1 ? argv[1] : "tests/data/records";

	test_samples(folder);
	test_any_order(folder);
	test_scan(folder);
	test_scan_numbers();
	test_unknown();
	test_wrong_kinds();
	test_wrong_inside();
	test_lenient();
	test_not_finite();
	test_find();
	tc_json_release(&json);
	tc_arena_release(&arena);
	return check_done();
}
