#include "atrace/atrace.h"

#include <string.h>

static const char clock_sync[] = "trace_event_clock_sync:";

/* What a slice without a name is called. */
static const struct tc_str no_name = TC_STR_INIT("[empty slice name]");

static struct tc_str
strip(struct tc_str s)
{
	while (s.len && (s.p[s.len - 1] == '\n' || s.p[s.len - 1] == '\0'))
		s.len--;
	return s;
}

/* Takes the text up to the next bar, and the bar, off the front of *rest. */
static struct tc_str
field(struct tc_str *rest)
{
	const char *bar = rest->len ? memchr(rest->p, '|', rest->len) : NULL;
	struct tc_str f = *rest;

	if (!bar) {
		*rest = (struct tc_str){ rest->p + rest->len, 0, false };
		return f;
	}
	f.len = (uint32_t)(bar - rest->p);
	rest->p = bar + 1;
	rest->len -= f.len + 1;
	return f;
}

/* The text behind the last bar, taken off the end of *rest. */
static struct tc_str
last_field(struct tc_str *rest)
{
	struct tc_str f = *rest;

	while (f.len && f.p[f.len - 1] != '|')
		f.len--;
	f = (struct tc_str){ rest->p + f.len, rest->len - f.len, false };
	rest->len -= f.len < rest->len ? f.len + 1 : f.len;
	return f;
}

static bool
is_digits(struct tc_str s, uint64_t max, uint64_t *value)
{
	uint64_t v = 0;
	uint32_t i;

	for (i = 0; i < s.len; i++) {
		if (s.p[i] < '0' || s.p[i] > '9' || v > (max - 9) / 10)
			return false;
		v = v * 10 + (uint64_t)(s.p[i] - '0');
	}
	*value = v;
	return s.len > 0;
}

static bool
is_number(struct tc_str s, int64_t *value)
{
	bool is_negative = s.len && s.p[0] == '-';
	uint64_t v;

	if (is_negative) {
		s.p++;
		s.len--;
	}
	/* A little short of the last values of 64 bits, which nobody counts to. */
	if (!is_digits(s, INT64_MAX, &v))
		return false;
	*value = is_negative ? -(int64_t)v : (int64_t)v;
	return true;
}

static enum tc_atrace_result
parse_end(struct tc_str rest, struct tc_atrace *a)
{
	uint64_t tgid;

	/* It ends a slice whatever else it says. */
	if (is_digits(field(&rest), UINT32_MAX, &tgid))
		a->tgid = (uint32_t)tgid;
	return TC_ATRACE_OK;
}

static enum tc_atrace_result
with_value(struct tc_str value, struct tc_atrace *a)
{
	return is_number(value, &a->value) ? TC_ATRACE_OK : TC_ATRACE_BAD;
}

/* What stands behind the tgid. */
static enum tc_atrace_result
parse_rest(struct tc_str rest, struct tc_atrace *a)
{
	switch (a->phase) {
	case TC_ATRACE_BEGIN:
		a->name = rest.len ? rest : no_name; /* bars and all */
		return TC_ATRACE_OK;
	case TC_ATRACE_INSTANT:
		a->name = field(&rest);
		if (!a->name.len)
			a->name = no_name;
		return TC_ATRACE_OK;
	case TC_ATRACE_ASYNC_BEGIN:
	case TC_ATRACE_ASYNC_END:
	case TC_ATRACE_COUNTER:
		a->name = field(&rest);
		return with_value(field(&rest), a);
	case TC_ATRACE_TRACK_BEGIN:
		a->track = field(&rest);
		a->name = field(&rest);
		return with_value(field(&rest), a);
	case TC_ATRACE_TRACK_END:
		a->track = field(&rest);
		return with_value(last_field(&rest), a);
	case TC_ATRACE_TRACK_INSTANT:
		a->track = field(&rest);
		a->name = field(&rest);
		return TC_ATRACE_OK;
	case TC_ATRACE_END: break;
	}
	return TC_ATRACE_BAD;
}

/*
 * The forms that nearly all marks have, `B|1234|name` and `E|1234`: true when
 * this is one of them.
 */
static bool
parse_usual(struct tc_str s, struct tc_atrace *a)
{
	enum { MAX_DIGITS = 9 };
	uint32_t tgid = 0, i;

	if (s.len < 3 || (s.p[0] != 'B' && s.p[0] != 'E') || s.p[1] != '|')
		return false;
	for (i = 2; i < s.len && s.p[i] >= '0' && s.p[i] <= '9'; i++)
		tgid = tgid * 10 + (uint32_t)(s.p[i] - '0');
	if (i == 2 || i > 2 + MAX_DIGITS)
		return false;
	*a = (struct tc_atrace){ .phase = (enum tc_atrace_phase)s.p[0], .tgid = tgid };
	if (a->phase == TC_ATRACE_END)
		return i == s.len;
	if (i + 1 >= s.len || s.p[i] != '|')
		return false;
	a->name = (struct tc_str){ s.p + i + 1, s.len - i - 1, false };
	return true;
}

enum tc_atrace_result
tc_atrace_parse(struct tc_str text, struct tc_atrace *a)
{
	struct tc_str rest = strip(text);
	uint64_t tgid;

	if (parse_usual(rest, a))
		return TC_ATRACE_OK;
	*a = (struct tc_atrace){ 0 };
	if (!rest.len)
		return TC_ATRACE_BAD;
	if (rest.len > 1 && rest.p[1] != '|') {
		if (rest.len >= sizeof(clock_sync) - 1 &&
			memcmp(rest.p, clock_sync, sizeof(clock_sync) - 1) == 0)
			return TC_ATRACE_OTHER;
		return TC_ATRACE_BAD;
	}
	a->phase = (enum tc_atrace_phase)rest.p[0];
	field(&rest);
	if (a->phase == TC_ATRACE_END)
		return parse_end(rest, a);
	if (!is_digits(field(&rest), UINT32_MAX, &tgid))
		return TC_ATRACE_BAD;
	a->tgid = (uint32_t)tgid;
	return parse_rest(rest, a);
}

/* How many bytes the character at p has, 0 when it is none (RFC 3629). */
static uint32_t
character(const unsigned char *p, uint32_t avail)
{
	static const unsigned char low[] = { 0x80, 0xa0, 0x90 },
				   high[] = { 0xbf, 0x9f, 0x8f };
	uint32_t n, i;
	int odd;

	if (p[0] < 0x80)
		return 1;
	if (p[0] < 0xc2 || p[0] > 0xf4)
		return 0;
	n = p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
	if (avail < n)
		return 0;
	/* Overlong forms, surrogates and what is beyond the last code point. */
	odd = p[0] == 0xe0 ? 1 : p[0] == 0xf0 ? 2 : 0;
	if (p[1] < low[odd])
		return 0;
	odd = p[0] == 0xed ? 1 : p[0] == 0xf4 ? 2 : 0;
	if (p[1] > high[odd])
		return 0;
	for (i = 2; i < n; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	return n;
}

uint32_t
tc_atrace_clean(char *text, uint32_t len)
{
	uint32_t from, to = 0, n;

	for (from = 0; from < len; from += n ? n : 1) {
		n = character((const unsigned char *)text + from, len - from);
		memmove(text + to, text + from, n);
		to += n;
	}
	return to;
}
