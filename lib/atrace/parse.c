#include "atrace/atrace.h"

#include <string.h>

static const struct tc_str clock_sync = TC_STR_INIT("trace_event_clock_sync:");

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
	return s.len && tc_str_digits(s, 10, max, value) == s.len;
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
	if (!is_digits(s, (uint64_t)INT64_MAX + is_negative, &v))
		return false;
	*value = is_negative ? (int64_t)(0 - v) : (int64_t)v;
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

enum tc_atrace_result
tc_atrace_parse(struct tc_str text, struct tc_atrace *a)
{
	struct tc_str rest = strip(text);
	uint64_t tgid;

	*a = (struct tc_atrace){ 0 };
	if (!rest.len)
		return TC_ATRACE_BAD;
	if (rest.len > 1 && rest.p[1] != '|') {
		if (tc_str_begins(rest, clock_sync))
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

bool
tc_atrace_usual_value(const char *p, const char *end, struct tc_str *name)
{
	enum { SURE_DIGITS = 18 };
	const char *value = end;

	if (end - p < 3 || *p != '|')
		return false;
	while (value[-1] >= '0' && value[-1] <= '9')
		value--;
	if (value == end || end - value > SURE_DIGITS)
		return false;
	value -= value[-1] == '-';
	if (value[-1] != '|' || value - 1 == p)
		return false;
	*name = (struct tc_str){ p + 1, (uint32_t)(value - p - 2), false };
	return !tc_str_has(*name, '|');
}

uint32_t
tc_atrace_clean(char *text, uint32_t len)
{
	uint32_t from, to = 0, n;

	for (from = 0; from < len; from += n ? n : 1) {
		n = (uint32_t)tc_str_char(text + from, len - from);
		memmove(text + to, text + from, n);
		to += n;
	}
	return to;
}
