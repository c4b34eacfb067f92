/* json: what is read, exactly, and what is refused, and where. */
#include "json/json.h"

#include <stdlib.h>

#include "check.h"
#include "err/err.h"

static struct tc_json json;
static struct tc_err err;

/* The root of a text that has to be right. */
static struct tc_json_val
parse(struct tc_str text)
{
	struct tc_json_val root = { NULL };

	err = (struct tc_err){ 0 };
	if (!CHECK_INT(tc_json_parse(&json, text, &root, &err), 0))
		fprintf(stderr, "%.*s: %s\n", (int)text.len, text.p, err.msg);
	return root;
}

static void
test_ints(void)
{
	static const struct {
		const char *text;
		int64_t value;
	} cases[] = {
		{ "0", 0 },
		{ "-0", 0 },
		{ "-1", -1 },
		{ "9007199254740993", INT64_C(9007199254740993) },
		{ "9223372036854775807", INT64_MAX },
		{ "-9223372036854775808", INT64_MIN },
		{ "-9223372036854775807", -INT64_MAX },
		{ "5.0", 5 },
		{ "-2.0", -2 },
		{ "1e3", 1000 },
		{ "12.5e1", 125 },
		{ "0.0", 0 },
		{ "9007199254740992.0", INT64_C(9007199254740992) },
		{ "-9007199254740992.0", INT64_C(-9007199254740992) },
	};
	int64_t v;
	size_t i;

	for (i = 0; i < CHECK_ITEMS(cases); i++) {
		v = 77;
		CHECK(tc_json_get_int(parse(tc_str_of(cases[i].text)), &v));
		CHECK_INT(v, cases[i].value);
	}
}

/* A value of another kind leaves what is there alone. */
static void
test_not_ints(void)
{
	static const char *const cases[] = { "5.5", "9223372036854775808",
		"18446744073709551615", "18446744073709551616", "-9223372036854775809",
		"9007199254740994.0", "1e19", "1e300", "-1e300", "1e400", "1e-7", "\"5\"",
		"true", "null", "[5]", "{}" };
	int64_t v = 77;
	size_t i;

	for (i = 0; i < CHECK_ITEMS(cases); i++) {
		CHECK(!tc_json_get_int(parse(tc_str_of(cases[i])), &v));
		CHECK_INT(v, 77);
	}
	CHECK(!tc_json_get_int((struct tc_json_val){ NULL }, &v));
}

static void
test_reals(void)
{
	static const struct {
		const char *text;
		double value;
	} cases[] = {
		{ "0.1", 0.1 },
		{ "-16.7", -16.7 },
		{ "5", 5 },
		{ "-3", -3 },
		{ "1e-7", 1e-7 },
		{ "1E+2", 100 },
		{ "9223372036854775807", 9223372036854775807.0 },
		{ "18446744073709551615", 18446744073709551615.0 },
		{ "1.7976931348623157e308", 1.7976931348623157e308 },
		{ "5e-324", 5e-324 },
		{ "-0.0", 0 },
		{ "0.1000000000000000055511151231257827021181583404541015625", 0.1 },
	};
	double v;
	size_t i;

	for (i = 0; i < CHECK_ITEMS(cases); i++) {
		v = 77;
		CHECK(tc_json_get_real(parse(tc_str_of(cases[i].text)), &v));
		CHECK(v == cases[i].value);
	}
	v = 77;
	CHECK(!tc_json_get_real(parse(BYTES("\"1\"")), &v));
	CHECK(!tc_json_get_real(parse(BYTES("null")), &v));
	CHECK(v == 77);
}

/* A number that no type holds is no reason to refuse a record that passes by. */
static void
test_big_numbers(void)
{
	static const char text[] = "[123456789012345678901234567890,1e400,-1e999]";
	struct tc_arena a = { 0 };
	struct tc_json_val v = parse(BYTES(text));

	CHECK_INT(tc_json_size(v), 3);
	CHECK_STR(tc_json_text(v, &a), BYTES(text));
	tc_arena_release(&a);
}

static void
test_kinds(void)
{
	struct tc_json_val v = parse(BYTES("[true,false,null,{},[]]")), e;
	struct tc_json_iter it = tc_json_iter(v);
	struct tc_str key, s = BYTES("kept");
	bool b = false;

	CHECK(tc_json_is_arr(v) && !tc_json_is_obj(v) && !tc_json_is_null(v));
	CHECK_INT(tc_json_next(&it, &key, &e), 1);
	CHECK(tc_json_get_bool(e, &b) && b);
	CHECK_INT(tc_json_next(&it, &key, &e), 1);
	CHECK(tc_json_get_bool(e, &b) && !b);
	CHECK_INT(tc_json_next(&it, &key, &e), 1);
	CHECK(tc_json_is_null(e) && !tc_json_get_bool(e, &b));
	CHECK(!tc_json_get_str(e, &s));
	CHECK_STR(s, BYTES("kept"));
	CHECK_INT(tc_json_next(&it, &key, &e), 1);
	CHECK(tc_json_is_obj(e) && !tc_json_is_arr(e));
	CHECK_INT(tc_json_next(&it, &key, &e), 1);
	CHECK(tc_json_is_arr(e) && tc_json_size(e) == 0);
	CHECK_INT(tc_json_next(&it, &key, &e), 0);
	CHECK_INT(tc_json_next(&it, &key, &e), 0);
	e.v = NULL;
	CHECK(!tc_json_is_null(e) && !tc_json_is_obj(e) && !tc_json_is_arr(e));
	CHECK_INT(tc_json_size(e), 0);
}

static void
test_strings(void)
{
	static const struct {
		const char *text;
		const char *value;
		size_t len;
	} cases[] = {
		{ "\"\"", "", 0 },
		{ "\"a\\u0000b\"", "a\0b", 3 },
		{ "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t", 8 },
		{ "\"\\u00e9\\u20AC\\ud83d\\ude00\"",
			"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", 9 },
		{ "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\x7f\"",
			"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\x7f", 10 },
	};
	struct tc_str s;
	size_t i;

	for (i = 0; i < CHECK_ITEMS(cases); i++) {
		s = BYTES("kept");
		CHECK(tc_json_get_str(parse(tc_str_of(cases[i].text)), &s));
		CHECK_STR(s, check_text(cases[i].value, cases[i].len));
	}
}

static void
test_members(void)
{
	struct tc_json_val root = parse(
		BYTES("{\"a\":1,\"b\":{\"c\":[2,3],\"\":4},\"ab\":5,\"a\\u0062c\":6}"));
	struct tc_json_iter it = tc_json_iter(root);
	struct tc_json_val v;
	struct tc_str key;
	int64_t n = 0;

	CHECK_INT(tc_json_size(root), 4);
	CHECK(tc_json_get_int(tc_json_member(root, "ab"), &n) && n == 5);
	CHECK(tc_json_get_int(tc_json_member(root, "abc"), &n) && n == 6);
	CHECK(!tc_json_member(root, "c").v && !tc_json_member(root, "").v);
	v = tc_json_member(root, "b");
	CHECK(tc_json_get_int(tc_json_member(v, ""), &n) && n == 4);
	CHECK(!tc_json_member(tc_json_member(root, "a"), "a").v);
	CHECK(!tc_json_member(tc_json_member(root, "none"), "a").v);
	CHECK_INT(tc_json_next(&it, &key, &v), 1);
	CHECK_STR(key, BYTES("a"));
	CHECK_INT(tc_json_next(&it, &key, &v), 1);
	CHECK_STR(key, BYTES("b"));
	CHECK(tc_json_is_obj(v));
	CHECK_INT(tc_json_next(&it, &key, &v), 1);
	CHECK_STR(key, BYTES("ab"));
	CHECK(tc_json_get_int(v, &n) && n == 5);
}

static void
test_text(void)
{
	static const char text[] =
		"{\"a\":[1,-2,0.5,\"x\\\"\\u0001\",null,true],\"\":{}}";
	struct tc_arena a = { 0 };
	struct tc_json_val v = parse(BYTES(text));

	CHECK_STR(tc_json_text(v, &a), BYTES(text));
	CHECK_STR(tc_json_text(parse(BYTES(" [ 1 , 2 ] ")), &a), BYTES("[1,2]"));
	CHECK_STR(tc_json_text(parse(BYTES("-9223372036854775808")), &a),
		BYTES("-9223372036854775808"));
	CHECK_STR(tc_json_text(parse(BYTES("18446744073709551615")), &a),
		BYTES("18446744073709551615"));
	CHECK_STR(tc_json_text((struct tc_json_val){ NULL }, &a), BYTES("null"));
	tc_arena_release(&a);
}

/* The text is not changed, and does not have to end with a NUL. */
static void
test_text_is_borrowed(void)
{
	static const char text[] = "\"\\n\\t\"\"";
	char *copy = malloc(6);
	struct tc_str s;

	if (!CHECK(copy != NULL))
		return;
	memcpy(copy, text, 6);
	CHECK(tc_json_get_str(parse(check_text(copy, 6)), &s));
	CHECK_STR(s, BYTES("\n\t"));
	CHECK(memcmp(copy, text, 6) == 0);
	free(copy);
	CHECK_STR(s, BYTES("\n\t"));
}

/* One reader for texts of all sizes, with failures in between. */
static void
test_reuse(void)
{
	struct tc_json_val root;
	char *text = malloc(3000000);
	size_t len, i;
	int64_t v;

	if (!CHECK(text != NULL))
		return;
	for (len = 3; len < 3000000; len = len * 7 + 1) {
		memset(text, ' ', len);
		text[len - 1] = '7';
		CHECK(tc_json_get_int(parse(check_text(text, len)), &v));
		CHECK_INT(v, 7);
		text[0] = '[';
		for (i = 1; i + 1 < len; i += 2)
			memcpy(text + i, "7,", 2);
		CHECK_INT(tc_json_parse(&json, check_text(text, len), &root, &err), -1);
		CHECK(tc_json_get_int(parse(BYTES("8")), &v));
		CHECK_INT(v, 8);
	}
	free(text);
}

/* Nested deeper than any stack is. */
static void
test_depth(void)
{
	const size_t depth = 500000;
	struct tc_arena a = { 0 };
	char *text = malloc(6 * depth);
	struct tc_json fresh = { 0 };
	struct tc_json_val root;
	struct tc_str s;
	size_t i;

	if (!CHECK(text != NULL))
		return;
	memset(text, '[', depth);
	memset(text + depth, ']', depth);
	root = parse(check_text(text, 2 * depth));
	CHECK(tc_json_is_arr(root));
	s = tc_json_text(root, &a);
	CHECK_INT(s.len, 2 * depth);
	CHECK_INT(tc_json_parse(&json, check_text(text, depth), &root, &err), -1);
	CHECK_INT(err.code, TC_DATA);
	/* One that has not had a longer text before has less memory. */
	CHECK_INT(tc_json_parse(&fresh, check_text(text, depth), &root, &err), -1);
	CHECK_STR(tc_str_of(err.msg), tc_str_of("not JSON: nested too deep"));
	tc_json_release(&fresh);
	for (i = 0; i < depth; i++)
		memcpy(text + 5 * i, "{\"\":", 5);
	CHECK_INT(tc_json_parse(&json, check_text(text, 5 * depth), &root, &err), -1);
	free(text);
	tc_arena_release(&a);
}

static void
test_refused(void)
{
	static const struct {
		const char *text;
		size_t pos;
	} cases[] = {
		{ "{\"a\":}", 5 },
		{ "{\"a\" 1}", 5 },
		{ "{\"a\":1}x", 7 },
		{ "{\"a\":1,}", 6 },
		{ "{a:1}", 1 },
		{ "[1 2]", 3 },
		{ "[1,2", 4 },
		{ "[nul]", 1 },
		{ "[1]]", 3 },
		{ "x", 0 },
		{ "'a'", 0 },
		{ "[+1]", 1 },
		{ "[NaN]", 1 },
		{ "[Infinity]", 1 },
		{ "[/* */1]", 1 },
		{ "\xef\xbb\xbf[1]", 0 },
	};
	struct tc_json_val root;
	size_t i;

	for (i = 0; i < CHECK_ITEMS(cases); i++) {
		err = (struct tc_err){ 0 };
		CHECK_INT(
			tc_json_parse(&json, tc_str_of(cases[i].text), &root, &err), -1);
		CHECK_INT(err.code, TC_DATA);
		CHECK(err.msg[0] != '\0');
		if (!CHECK_INT(json.error_pos, cases[i].pos))
			fprintf(stderr, "in %s\n", cases[i].text);
	}
}

/* These are refused too; where exactly is the library's choice. */
static void
test_refused_somewhere(void)
{
	static const char *const cases[] = { "", " ", "[01]", "[1.]", "[.5]", "[1e]",
		"[-]", "\"", "\"a", "\"\\x\"", "\"\\u12\"", "\"\\ud800\"", "\"\\ude00\"",
		"\"\\ud800x\"", "\"a\nb\"", "\"a\001b\"", "{\"a\"", "{\"a\":1,\"b\"",
		"{1:2}", "[1,,2]", "tru", "truee",
		/* Not UTF-8: continuation alone, overlong, surrogate, too high, cut. */
		"\"\x80\"", "\"\xc0\xaf\"", "\"\xe0\x80\x80\"", "\"\xed\xa0\x80\"",
		"\"\xf4\x90\x80\x80\"", "\"\xff\"", "\"\xe2\x82\"", "\"\xc3\"",
		"\"\xf0\x9f\x98\"", "[\x80]" };
	struct tc_json_val root;
	size_t i;

	for (i = 0; i < CHECK_ITEMS(cases); i++) {
		err = (struct tc_err){ 0 };
		CHECK_INT(tc_json_parse(&json, tc_str_of(cases[i]), &root, &err), -1);
		CHECK_INT(err.code, TC_DATA);
		if (!CHECK(json.error_pos <= strlen(cases[i])))
			fprintf(stderr, "in %s\n", cases[i]);
	}
}

int
main(void)
{
	test_ints();
	test_not_ints();
	test_reals();
	test_big_numbers();
	test_kinds();
	test_strings();
	test_members();
	test_text();
	test_text_is_borrowed();
	test_reuse();
	test_depth();
	test_refused();
	test_refused_somewhere();
	tc_json_release(&json);
	tc_json_release(&json);
	return check_done();
}
