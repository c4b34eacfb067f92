/* atrace: the forms of a marker's text, and what is none. */
#include "atrace/atrace.h"

#include <stdlib.h>

#include "check.h"

/* What the short way takes, it reads as the long one does. */
static void
check_usual(struct tc_str text)
{
	struct tc_atrace a;
	struct tc_str name = { 0 };
	char padded[128] = "";
	uint32_t tgid;
	int phase;

	memcpy(padded, text.p, text.len);
	text.p = padded;
	phase = tc_atrace_usual(text, &tgid, &name);
	if (!phase)
		return;
	CHECK_INT(tc_atrace_parse(text, &a), TC_ATRACE_OK);
	CHECK_INT(a.phase, phase);
	CHECK_INT(tgid, a.tgid);
	CHECK_STR(name, a.name);
}

static void
test_digits(void)
{
	static const char *const texts[] = { "0", "7", "12", "123", "1234", "12345",
		"123456", "1234567", "9999999", "0000007", "42|9", "5/", "5:", "5\xff" };
	static const char *const none[] = { "", "/1", ":1", "x", "-1", "12345678",
		"\xff" };
	uint32_t value = 0, n;
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		char padded[16] = "";

		strcpy(padded, texts[i]);
		n = tc_atrace_digits(padded, &value);
		CHECK_INT(n, strspn(padded, "0123456789"));
		CHECK_INT(value, strtoul(padded, NULL, 10));
	}
	for (i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		char padded[16] = "";

		strcpy(padded, none[i]);
		CHECK_INT(tc_atrace_digits(padded, &value), 0);
	}
}

static void
test_usual(void)
{
	static const struct tc_str texts[] = { TC_STR_INIT("B|5|a"),
		TC_STR_INIT("E|51\n"), TC_STR_INIT("B|1234567|name\n"),
		TC_STR_INIT("E|123"), TC_STR_INIT("C|1|load|-5\n"),
		TC_STR_INIT("S|1||123456789012345678"), TC_STR_INIT("F|1|a|0") };
	struct tc_str name;
	uint32_t tgid;
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		char padded[32] = "";

		memcpy(padded, texts[i].p, texts[i].len);
		CHECK(tc_atrace_usual(check_text(padded, texts[i].len), &tgid, &name));
	}
}

static void
check_parse(struct tc_str text, struct tc_atrace want)
{
	struct tc_atrace got;

	check_usual(text);
	CHECK_INT(tc_atrace_parse(text, &got), TC_ATRACE_OK);
	CHECK_INT(got.phase, want.phase);
	CHECK_INT(got.tgid, want.tgid);
	CHECK_STR(got.name, want.name);
	CHECK_STR(got.track, want.track);
	CHECK_INT(got.value, want.value);
}

static void
test_forms(void)
{
	check_parse(BYTES("B|512|a"),
		(struct tc_atrace){ TC_ATRACE_BEGIN, 512, TC_STR("a"), { 0 }, 0 });
	check_parse(BYTES("E|12345678"),
		(struct tc_atrace){ TC_ATRACE_END, 12345678, { 0 }, { 0 }, 0 });
	check_parse(BYTES("B|5|a\n\n"),
		(struct tc_atrace){ TC_ATRACE_BEGIN, 5, TC_STR("a"), { 0 }, 0 });
	check_parse(
		BYTES("E|5\n"), (struct tc_atrace){ TC_ATRACE_END, 5, { 0 }, { 0 }, 0 });
	check_parse(BYTES("B|5|a|b\n"),
		(struct tc_atrace){ TC_ATRACE_BEGIN, 5, TC_STR("a|b"), { 0 }, 0 });
	check_parse(BYTES("B|0|\n\0"),
		(struct tc_atrace){
			TC_ATRACE_BEGIN, 0, TC_STR("[empty slice name]"), { 0 }, 0 });
	check_parse(BYTES("E"), (struct tc_atrace){ TC_ATRACE_END, 0, { 0 }, { 0 }, 0 });
	check_parse(
		BYTES("E|7"), (struct tc_atrace){ TC_ATRACE_END, 7, { 0 }, { 0 }, 0 });
	check_parse(
		BYTES("E|x"), (struct tc_atrace){ TC_ATRACE_END, 0, { 0 }, { 0 }, 0 });
	check_parse(BYTES("I|5|a|b"),
		(struct tc_atrace){ TC_ATRACE_INSTANT, 5, TC_STR("a"), { 0 }, 0 });
	check_parse(BYTES("S|5|a|-9"),
		(struct tc_atrace){ TC_ATRACE_ASYNC_BEGIN, 5, TC_STR("a"), { 0 }, -9 });
	check_parse(BYTES("F|5|a|9|more"),
		(struct tc_atrace){ TC_ATRACE_ASYNC_END, 5, TC_STR("a"), { 0 }, 9 });
	check_parse(BYTES("G|5|t|a|9"),
		(struct tc_atrace){
			TC_ATRACE_TRACK_BEGIN, 5, TC_STR("a"), TC_STR("t"), 9 });
	check_parse(BYTES("H|5|t|9"),
		(struct tc_atrace){ TC_ATRACE_TRACK_END, 5, { 0 }, TC_STR("t"), 9 });
	check_parse(BYTES("H|5|t|a|9"),
		(struct tc_atrace){ TC_ATRACE_TRACK_END, 5, { 0 }, TC_STR("t"), 9 });
	check_parse(BYTES("N|5|t|a"),
		(struct tc_atrace){
			TC_ATRACE_TRACK_INSTANT, 5, TC_STR("a"), TC_STR("t"), 0 });
	check_parse(BYTES("C|4294967280|a|9000000000000000000"),
		(struct tc_atrace){ TC_ATRACE_COUNTER, 4294967280, TC_STR("a"), { 0 },
			9000000000000000000 });
	/* The last values that fit. */
	check_parse(BYTES("C|4294967295|a|9223372036854775807"),
		(struct tc_atrace){
			TC_ATRACE_COUNTER, UINT32_MAX, TC_STR("a"), { 0 }, INT64_MAX });
	check_parse(BYTES("C|5|a|-9223372036854775808"),
		(struct tc_atrace){
			TC_ATRACE_COUNTER, 5, TC_STR("a"), { 0 }, INT64_MIN });
}

static void
check_result(struct tc_str text, enum tc_atrace_result want)
{
	struct tc_atrace a;

	check_usual(text);
	CHECK_INT(tc_atrace_parse(text, &a), want);
}

static void
test_others(void)
{
	static const char *const bad[] = { "", "\n", "B", "B|", "B|x|a", "B|-1|a",
		"Bx|5|a", "X|5|a", "S|5|a", "S|5|a|", "F|5|a|x", "G|5|t|a", "H|5|t",
		"C|5|a", "C|5|a|1.5", "B|4294967296|a", "C|5|a|99999999999999999999",
		"C|5|a|9223372036854775808", "C|5|a|-9223372036854775809", "C|5|a|-",
		"trace_event_clock" };
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		check_result(tc_str_of(bad[i]), TC_ATRACE_BAD);
	check_result(BYTES("trace_event_clock_sync: x\n"), TC_ATRACE_OTHER);
}

static void
check_clean(const char *text, const char *want)
{
	char buf[64];
	uint32_t len = (uint32_t)strlen(text);

	memcpy(buf, text, len);
	len = tc_atrace_clean(buf, len);
	CHECK_STR(check_text(buf, len), tc_str_of(want));
}

static void
test_clean(void)
{
	check_clean("plain", "plain");
	check_clean("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80",
		"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
	check_clean("a\xffz\x80", "az");
	check_clean("cut \xe2\x82", "cut ");
	check_clean("\xc0\xaf\xe0\x80\xaf\xf0\x80\x80\xaf", "");
	check_clean("\xed\xa0\x80|\xf4\x90\x80\x80|\xf5\x80\x80\x80", "||");
	check_clean("\xe2\x41\xf0\x9f\x41", "AA");
}

int
main(void)
{
	test_digits();
	test_usual();
	test_forms();
	test_others();
	test_clean();
	return check_done();
}
