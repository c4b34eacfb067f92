#include "json/json.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/io.h"

enum { EIGHT_DIGITS = 100000000 };

/* All numbers of two digits. */
static const char pairs[] = "0001020304050607080910111213141516171819"
			    "2021222324252627282930313233343536373839"
			    "4041424344454647484950515253545556575859"
			    "6061626364656667686970717273747576777879"
			    "8081828384858687888990919293949596979899";

static inline char *
write_two(char *p, uint32_t v)
{
	memcpy(p, pairs + 2 * v, 2);
	return p + 2;
}

static inline char *
write_four(char *p, uint32_t v)
{
	return write_two(write_two(p, v / 100), v % 100);
}

static inline char *
write_eight(char *p, uint32_t v)
{
	return write_four(write_four(p, v / 10000), v % 10000);
}

/* Up to two, four and eight digits, without zeros in front. */
static inline char *
write_below_100(char *p, uint32_t v)
{
	if (v >= 10)
		return write_two(p, v);
	*p = (char)('0' + v);
	return p + 1;
}

static inline char *
write_below_10000(char *p, uint32_t v)
{
	if (v >= 100)
		return write_two(write_below_100(p, v / 100), v % 100);
	return write_below_100(p, v);
}

static inline char *
write_small(char *p, uint32_t v)
{
	if (v >= 10000)
		return write_four(write_below_10000(p, v / 10000), v % 10000);
	return write_below_10000(p, v);
}

char *
tc_json_write_int(char *p, int64_t v)
{
	uint64_t u = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;

	if (v < 0)
		*p++ = '-';
	if (u < EIGHT_DIGITS)
		return write_small(p, (uint32_t)u);
	if (u < (uint64_t)EIGHT_DIGITS * EIGHT_DIGITS) {
		p = write_small(p, (uint32_t)(u / EIGHT_DIGITS));
	} else {
		p = write_small(p, (uint32_t)(u / EIGHT_DIGITS / EIGHT_DIGITS));
		p = write_eight(p, (uint32_t)(u / EIGHT_DIGITS % EIGHT_DIGITS));
	}
	return write_eight(p, (uint32_t)(u % EIGHT_DIGITS));
}

void
tc_json_put_int(struct tc_out *o, int64_t v)
{
	tc_out_used(o, tc_json_write_int(tc_out_room(o, 24), v));
}

/*
 * Most reals here are milliseconds that were nanoseconds, or short decimals:
 * at most six places behind the point. `micro` is the value in millionths.
 */
static void
put_micro(struct tc_out *o, int64_t micro)
{
	uint64_t abs = micro < 0 ? 0 - (uint64_t)micro : (uint64_t)micro;
	uint32_t rest = (uint32_t)(abs % 1000000);
	char frac[8];
	size_t n = 8;

	if (micro < 0)
		tc_out_lit(o, "-");
	tc_json_put_int(o, (int64_t)(abs / 1000000));
	if (!rest)
		return;
	write_eight(frac, rest);
	while (frac[n - 1] == '0')
		n--;
	tc_out_lit(o, ".");
	tc_out_write(o, frac + 2, n - 2);
}

/* The C library writes a decimal point as the locale has it; JSON does not. */
static void
put_with_point(struct tc_out *o, char *text)
{
	char *p;

	for (p = text; *p; p++)
		if (!strchr("0123456789+-e", *p))
			*p = '.';
	tc_out_write(o, text, (size_t)(p - text));
}

/* The fewest digits that read back the same; the smallest numbers have few. */
static void
put_shortest_real(struct tc_out *o, double v)
{
	int precision = fabs(v) < DBL_MIN ? 1 : DBL_DIG;
	char text[32];

	do
		snprintf(text, sizeof(text), "%.*g", precision, v);
	while (strtod(text, NULL) != v && ++precision <= DBL_DECIMAL_DIG);
	put_with_point(o, text);
}

static void
put_shortest_float(struct tc_out *o, float v)
{
	int precision = fabsf(v) < FLT_MIN ? 1 : FLT_DIG;
	char text[32];

	do
		snprintf(text, sizeof(text), "%.*g", precision, (double)v);
	while (strtof(text, NULL) != v && ++precision <= FLT_DECIMAL_DIG);
	put_with_point(o, text);
}

void
tc_json_put_real(struct tc_out *o, double v)
{
	if (!isfinite(v))
		tc_out_lit(o, "null");
	else if (fabs(v) < 1e9 && (double)llround(v * 1e6) / 1e6 == v)
		put_micro(o, llround(v * 1e6));
	else
		put_shortest_real(o, v);
}

void
tc_json_put_float(struct tc_out *o, float v)
{
	int64_t micros = 1000000, scale;

	if (!isfinite(v)) {
		tc_out_lit(o, "null");
		return;
	}
	/* The decimal with the fewest places that is this float and no other. */
	for (scale = 1; fabsf(v) < 1e6f && micros > 0; scale *= 10, micros /= 10) {
		int64_t n = llround((double)v * (double)scale);

		if ((float)((double)n / (double)scale) == v) {
			put_micro(o, n * micros);
			return;
		}
	}
	put_shortest_float(o, v);
}
