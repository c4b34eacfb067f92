/* json: numbers as text that reads back as the same number. */
#include "json/json.h"

#include <float.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>

#include "check.h"
#include "err/err.h"

static struct tc_json json;

/* What a function wrote, until the next one. */
static char text[8192];
static struct tc_out out;

static struct tc_str
int_text(int64_t v)
{
	out = check_out(text, sizeof(text));
	tc_json_put_int(&out, v);
	return check_out_text(&out);
}

static struct tc_str
real_text(double v)
{
	out = check_out(text, sizeof(text));
	tc_json_put_real(&out, v);
	return check_out_text(&out);
}

static struct tc_str
float_text(float v)
{
	out = check_out(text, sizeof(text));
	tc_json_put_float(&out, v);
	return check_out_text(&out);
}

static double
read_back(struct tc_str s)
{
	struct tc_json_val root = { NULL };
	struct tc_err err = { 0 };
	double v = (double)NAN;

	if (tc_json_parse(&json, s, &root, &err) == 0)
		tc_json_get_real(root, &v);
	return v;
}

static bool
check_one_int(int64_t v)
{
	char want[24], direct[24];
	int n = snprintf(want, sizeof(want), "%" PRId64, v);

	return CHECK_STR(int_text(v), check_text(want, (size_t)n)) &&
		CHECK_INT(tc_json_write_int(direct, v) - direct, n) &&
		CHECK(memcmp(direct, want, (size_t)n) == 0);
}

static void
test_ints(void)
{
	uint64_t p, state = 1;
	int64_t v;
	int i;

	check_one_int(INT64_MIN);
	check_one_int(INT64_MAX);
	for (p = 1; p <= UINT64_C(1000000000000000000); p *= 10)
		for (v = -2; v <= 2; v++) {
			check_one_int((int64_t)p + v);
			check_one_int(-(int64_t)p + v);
		}
	for (i = 0; i < 1000; i++)
		check_one_int(i);
	for (i = 0; i < 20000; i++)
		if (!check_one_int((int64_t)(check_random(&state) >> i % 64)))
			break;
}

/* Many in a row, so that one meets the end of the buffer. */
static void
test_many_ints(void)
{
	FILE *f = tmpfile();
	struct tc_err err = { 0 };
	char line[32];
	int64_t v;

	if (!CHECK(f != NULL))
		return;
	tc_out_init(&out, fileno(f));
	for (v = INT64_MIN; v < INT64_MIN + 20000; v++) {
		tc_json_put_int(&out, v);
		tc_out_lit(&out, "\n");
	}
	CHECK_INT(tc_out_flush(&out, &err), 0);
	tc_out_release(&out);
	rewind(f);
	for (v = INT64_MIN; fgets(line, sizeof(line), f); v++)
		if (!CHECK_INT(strtoll(line, NULL, 10), v))
			break;
	CHECK_INT(v, INT64_MIN + 20000);
	fclose(f);
}

static void
test_real_texts(void)
{
	static const struct {
		double value;
		const char *text;
	} cases[] = {
		{ 0, "0" },
		{ -0.0, "0" }, /* nothing that we measure has a negative zero */
		{ 1, "1" },
		{ -1, "-1" },
		{ 0.1, "0.1" },
		{ -0.1, "-0.1" },
		{ 16.7, "16.7" },
		{ 0.3, "0.3" },
		{ 0.1 + 0.2, "0.30000000000000004" },
		{ 1e-6, "0.000001" },
		{ 1e-7, "1e-07" },
		{ -1e-7, "-1e-07" },
		{ 1.5e-7, "1.5e-07" },
		{ 16.666667, "16.666667" },
		{ 1e9, "1000000000" },
		{ 999999999.5, "999999999.5" },
		{ 1e15, "1e+15" },
		{ 123456789012.25, "123456789012.25" },
		{ 9007199254740993.0, "9007199254740992" },
		{ 1e300, "1e+300" },
		{ DBL_MAX, "1.7976931348623157e+308" },
		{ DBL_MIN, "2.2250738585072014e-308" },
		{ 5e-324, "5e-324" },
		{ 1.0 / 3, "0.3333333333333333" },
		{ (double)NAN, "null" },
		{ (double)INFINITY, "null" },
		{ -(double)INFINITY, "null" },
	};
	size_t i;

	for (i = 0; i < CHECK_ITEMS(cases); i++)
		CHECK_STR(real_text(cases[i].value), tc_str_of(cases[i].text));
}

static void
test_float_texts(void)
{
	static const struct {
		float value;
		const char *text;
	} cases[] = {
		{ 0, "0" },
		{ -0.0f, "0" },
		{ 16.7f, "16.7" },
		{ -16.7f, "-16.7" },
		{ 0.1f, "0.1" },
		{ 1.25f, "1.25" },
		{ 33.3f, "33.3" },
		{ 8.333333f, "8.333333" },
		{ 1e-7f, "1e-07" },
		{ 100000.1f, "100000.1" },
		{ 999999.9f, "999999.9" },
		{ 1234567.0f, "1234567" },
		{ 16777216.0f, "16777216" },
		{ FLT_MAX, "3.4028235e+38" },
		{ FLT_MIN, "1.1754944e-38" },
		{ NAN, "null" },
		{ INFINITY, "null" },
		{ -INFINITY, "null" },
	};
	size_t i;

	for (i = 0; i < CHECK_ITEMS(cases); i++)
		CHECK_STR(float_text(cases[i].value), tc_str_of(cases[i].text));
}

/* How many digits count, which is what "short" is about: "1e-07" has one. */
static size_t
count_digits(struct tc_str s)
{
	size_t i, n = 0, zeros = 0;

	for (i = 0; i < s.len && s.p[i] != 'e'; i++) {
		if (s.p[i] < '0' || s.p[i] > '9' || (n == 0 && s.p[i] == '0'))
			continue;
		n++;
		zeros = s.p[i] == '0' ? zeros + 1 : 0;
	}
	return n - zeros;
}

/* The fewest digits with which printf makes a text that reads back. */
static size_t
least_digits(double v, bool is_float)
{
	char tmp[40];
	int n, precision;

	for (precision = 1; precision < 17; precision++) {
		n = snprintf(tmp, sizeof(tmp), "%.*g", precision, v);
		if (is_float ? strtof(tmp, NULL) == (float)v : strtod(tmp, NULL) == v)
			break;
	}
	n = snprintf(tmp, sizeof(tmp), "%.*g", precision, v);
	return count_digits(check_text(tmp, (size_t)n));
}

static bool
check_one_real(double v)
{
	struct tc_str s = real_text(v);
	bool ok = CHECK_INT(count_digits(s), least_digits(v, false)) &&
		CHECK(read_back(s) == v);

	if (!ok)
		fprintf(stderr, "  with %.17g written as %.*s\n", v, (int)s.len, s.p);
	return ok;
}

static bool
check_one_float(float v)
{
	struct tc_str s = float_text(v);
	bool ok = CHECK_INT(count_digits(s), least_digits((double)v, true)) &&
		CHECK((float)read_back(s) == v);

	if (!ok)
		fprintf(stderr, "  with %.9g written as %.*s\n", (double)v, (int)s.len,
			s.p);
	return ok;
}

/* Any bits that make a finite number, and milliseconds as they come. */
static void
test_random_reals(void)
{
	uint64_t state = 2, bits;
	double v;
	int i;

	for (i = 0; i < 20000; i++) {
		bits = check_random(&state);
		memcpy(&v, &bits, sizeof(v));
		if (isfinite(v) && !check_one_real(v))
			break;
	}
	for (i = 0; i < 20000; i++)
		if (!check_one_real(
			    (double)(check_random(&state) >> (20 + i % 43)) / 1e6))
			break;
}

static void
test_random_floats(void)
{
	uint64_t state = 3;
	uint32_t bits;
	float v;
	int i;

	for (i = 0; i < 20000; i++) {
		bits = (uint32_t)check_random(&state);
		memcpy(&v, &bits, sizeof(v));
		if (isfinite(v) && !check_one_float(v))
			break;
	}
	for (i = 0; i < 20000; i++)
		if (!check_one_float(
			    (float)(check_random(&state) >> (34 + i % 29)) / 1e3f))
			break;
}

/* "comma" is what unit.bats makes where it can; the others may be installed. */
static bool
set_comma_locale(void)
{
	static const char *const names[] = { "comma", "de_DE.UTF-8", "de_DE.utf8",
		"de_DE", "fr_FR.UTF-8", "nl_NL.UTF-8", "pl_PL.UTF-8", "pt_BR.UTF-8" };
	size_t i;

	for (i = 0; i < CHECK_ITEMS(names); i++)
		if (setlocale(LC_NUMERIC, names[i]) &&
			strcmp(localeconv()->decimal_point, ",") == 0)
			return true;
	setlocale(LC_NUMERIC, "C");
	return false;
}

static void
test_locale(void)
{
	if (!set_comma_locale()) {
		printf("no locale with a decimal comma here: not tested\n");
		return;
	}
	CHECK_STR(real_text(16.7), TC_STR("16.7"));
	CHECK_STR(real_text(1.5e-7), TC_STR("1.5e-07"));
	CHECK_STR(real_text(-1.5e300), TC_STR("-1.5e+300"));
	CHECK_STR(real_text(1.0 / 3), TC_STR("0.3333333333333333"));
	CHECK_STR(float_text(16.7f), TC_STR("16.7"));
	CHECK_STR(float_text(1.5e-7f), TC_STR("1.5e-07"));
	CHECK_STR(int_text(-1234567), TC_STR("-1234567"));
	CHECK(read_back(TC_STR("1.5")) == 1.5);
	CHECK(read_back(TC_STR("1.5e300")) == 1.5e300);
	CHECK(read_back(TC_STR("0.30000000000000000001")) == 0.3);
	setlocale(LC_NUMERIC, "C");
}

int
main(void)
{
	test_ints();
	test_many_ints();
	test_real_texts();
	test_float_texts();
	test_random_reals();
	test_random_floats();
	test_locale();
	tc_json_release(&json);
	return check_done();
}
