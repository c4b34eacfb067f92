#include "json/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "io/io.h"

static const char pairs[] = "0001020304050607080910111213141516171819"
			    "2021222324252627282930313233343536373839"
			    "4041424344454647484950515253545556575859"
			    "6061626364656667686970717273747576777879"
			    "8081828384858687888990919293949596979899";

/* Digits of v before `end`, two at a time; returns where they start. */
static char *
digits(char *end, uint64_t v)
{
	while (v >= 100) {
		end -= 2;
		memcpy(end, pairs + v % 100 * 2, 2);
		v /= 100;
	}
	if (v >= 10) {
		end -= 2;
		memcpy(end, pairs + v * 2, 2);
		return end;
	}
	*--end = (char)('0' + v);
	return end;
}

char *
tc_json_write_int(char *p, int64_t v)
{
	char tmp[20], *end = tmp + sizeof(tmp), *d;

	d = digits(end, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
	if (v < 0)
		*p++ = '-';
	memcpy(p, d, (size_t)(end - d));
	return p + (end - d);
}

void
tc_json_put_int(struct tc_out *o, int64_t v)
{
	char *room = tc_out_room(o, 20);

	o->len += (size_t)(tc_json_write_int(room, v) - room);
}

/*
 * Most reals here are milliseconds that were nanoseconds, or short decimals:
 * at most six places behind the point. `micro` is the value in millionths.
 */
static void
put_micro(struct tc_out *o, int64_t micro)
{
	uint64_t abs = micro < 0 ? 0 - (uint64_t)micro : (uint64_t)micro;
	char frac[7] = ".000000";
	size_t n = 7;
	uint64_t rest = abs % 1000000;

	if (micro < 0)
		tc_out_lit(o, "-");
	tc_json_put_int(o, (int64_t)(abs / 1000000));
	if (!rest)
		return;
	digits(frac + 7, rest);
	while (frac[n - 1] == '0')
		n--;
	tc_out_write(o, frac, n);
}

void
tc_json_put_real(struct tc_out *o, double v)
{
	char text[32];
	int precision, n = 0;

	if (!isfinite(v)) {
		tc_out_lit(o, "null");
		return;
	}
	if (fabs(v) < 1e9 && (double)llround(v * 1e6) / 1e6 == v) {
		put_micro(o, llround(v * 1e6));
		return;
	}
	for (precision = 15; precision <= 17; precision++) {
		n = snprintf(text, sizeof(text), "%.*g", precision, v);
		if (strtod(text, NULL) == v)
			break;
	}
	tc_out_write(o, text, (size_t)n);
}

void
tc_json_put_float(struct tc_out *o, float v)
{
	char text[32];
	int precision, n = 0;

	if (!isfinite(v)) {
		tc_out_lit(o, "null");
		return;
	}
	if (fabsf(v) < 1e6f && (float)((double)llround((double)v * 1e6) / 1e6) == v) {
		put_micro(o, llround((double)v * 1e6));
		return;
	}
	for (precision = 6; precision <= 9; precision++) {
		n = snprintf(text, sizeof(text), "%.*g", precision, (double)v);
		if (strtof(text, NULL) == v)
			break;
	}
	tc_out_write(o, text, (size_t)n);
}
