#include "json/json.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/io.h"

enum { EIGHT_DIGITS = 100000000 };

/*
 * The eight digits of a number as bytes of a word, the first one lowest. Halves
 * are split into pairs of digits and pairs into digits, all at once: dividing
 * by 100 and 10 is multiplying by what is exact for numbers this small.
 */
static inline uint64_t
eight_digits(uint32_t v)
{
	uint64_t w = v / 10000 | (uint64_t)(v % 10000) << 32, tens;

	tens = w * 10486 >> 20 & 0x0000007f0000007f;
	w = tens | (w - tens * 100) << 16;
	tens = w * 103 >> 10 & 0x000f000f000f000f;
	return tens | (w - tens * 10) << 8;
}

/* Digits to text, the lowest byte first. */
static inline void
store_digits(char *p, uint64_t digits)
{
	digits |= 0x3030303030303030;
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	digits = __builtin_bswap64(digits);
#endif
	memcpy(p, &digits, 8);
}

static inline char *
write_eight(char *p, uint32_t v)
{
	store_digits(p, eight_digits(v));
	return p + 8;
}

/* Up to eight digits, without zeros in front; behind them rubbish up to p + 8. */
static inline char *
write_small(char *p, uint32_t v)
{
	uint64_t digits = eight_digits(v);
	/* The last digit stays if all are zeros. */
	unsigned zeros = (unsigned)__builtin_ctzll(digits | UINT64_C(1) << 56) / 8;

	store_digits(p, digits >> 8 * zeros);
	return p + 8 - zeros;
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
