#include "json/json.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/io.h"

/* f(a, b, c) for all digits a, b and c, in order. */
#define ALL_C(f, a, b) \
	f(a, b, 0), f(a, b, 1), f(a, b, 2), f(a, b, 3), f(a, b, 4), f(a, b, 5), \
		f(a, b, 6), f(a, b, 7), f(a, b, 8), f(a, b, 9)
#define ALL_B(f, a) \
	ALL_C(f, a, 0), ALL_C(f, a, 1), ALL_C(f, a, 2), ALL_C(f, a, 3), ALL_C(f, a, 4), \
		ALL_C(f, a, 5), ALL_C(f, a, 6), ALL_C(f, a, 7), ALL_C(f, a, 8), \
		ALL_C(f, a, 9)
#define ALL(f) \
	ALL_B(f, 0), ALL_B(f, 1), ALL_B(f, 2), ALL_B(f, 3), ALL_B(f, 4), ALL_B(f, 5), \
		ALL_B(f, 6), ALL_B(f, 7), ALL_B(f, 8), ALL_B(f, 9)

/* Every number below 1000 in three digits; a fourth byte is copied along. */
#define THREE(a, b, c) \
	{ \
		'0' + (a), '0' + (b), '0' + (c) \
	}
static const char three[1000][4] = { ALL(THREE) };

/* The same without zeros in front, and then how many digits there are. */
#define FIRST(a, b, c) \
	{ \
		(a)           ? '0' + (a) \
			: (b) ? '0' + (b) \
			      : '0' + (c), \
			(a) ? '0' + (b) : '0' + (c), '0' + (c), \
			(a)   ? 3 \
			: (b) ? 2 \
			      : 1 \
	}
static const char first[1000][4] = { ALL(FIRST) };

static inline char *
write_three(char *p, uint32_t v)
{
	memcpy(p, three[v], 4);
	return p + 3;
}

static inline char *
write_six(char *p, uint32_t v)
{
	p = write_three(p, v / 1000);
	return write_three(p, v % 1000);
}

static inline char *
write_nine(char *p, uint32_t v)
{
	p = write_three(p, v / 1000000);
	return write_six(p, v % 1000000);
}

/* Below 1000, without zeros in front. */
static inline char *
write_first(char *p, uint32_t v)
{
	memcpy(p, first[v], 4);
	return p + first[v][3];
}

/* The same below 1,000,000,000. */
static inline char *
write_small(char *p, uint32_t v)
{
	if (v < 1000)
		return write_first(p, v);
	if (v < 1000000)
		return write_three(write_first(p, v / 1000), v % 1000);
	return write_six(write_first(p, v / 1000000), v % 1000000);
}

static const uint64_t nine_digits = 1000000000;

char *
tc_json_write_uint(char *p, uint64_t v)
{
	if (v < nine_digits)
		return write_small(p, (uint32_t)v);
	if (v < nine_digits * nine_digits) {
		p = write_small(p, (uint32_t)(v / nine_digits));
	} else {
		p = write_small(p, (uint32_t)(v / nine_digits / nine_digits));
		p = write_nine(p, (uint32_t)(v / nine_digits % nine_digits));
	}
	return write_nine(p, (uint32_t)(v % nine_digits));
}

char *
tc_json_write_int(char *p, int64_t v)
{
	if (v >= 0)
		return tc_json_write_uint(p, (uint64_t)v);
	*p = '-';
	return tc_json_write_uint(p + 1, 0 - (uint64_t)v);
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
	size_t n = 6;

	if (micro < 0)
		tc_out_lit(o, "-");
	tc_json_put_int(o, (int64_t)(abs / 1000000));
	if (!rest)
		return;
	write_six(frac, rest);
	while (frac[n - 1] == '0')
		n--;
	tc_out_lit(o, ".");
	tc_out_write(o, frac, n);
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
