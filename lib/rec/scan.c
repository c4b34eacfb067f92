/*
 * Rows come by the million, as our own tools wrote them: fields in contract order,
 * nothing between them, most texts plain. Such a line is read where it stands. All
 * other lines, and those that are no JSON at all, are left to tc_rec_get.
 */
#include "rec/priv.h"

#include <string.h>

/* Digits that fit whatever they are, and powers of ten that a double has exactly. */
enum { MAX_DIGITS = 18, EXACT_DIGITS = 15 };

struct scan {
	const char *p, *end;
};

static bool
take(struct scan *s, const char *text, size_t len)
{
	if ((size_t)(s->end - s->p) < len || memcmp(s->p, text, len) != 0)
		return false;
	s->p += len;
	return true;
}

/* Digits, of which there is no 0 in front of others; how many, 0 for none like that. */
static size_t
take_digits(struct scan *s, uint64_t *value)
{
	const char *from = s->p;
	size_t n;

	*value = 0;
	for (; s->p < s->end && *s->p >= '0' && *s->p <= '9'; s->p++) {
		if (s->p - from == MAX_DIGITS)
			return 0;
		*value = *value * 10 + (uint64_t)(*s->p - '0');
	}
	n = (size_t)(s->p - from);
	return n > 1 && *from == '0' ? 0 : n;
}

static bool
take_int(struct scan *s, int64_t *value)
{
	bool is_negative = take(s, "-", 1);
	uint64_t digits;

	if (!take_digits(s, &digits) || (is_negative && digits == 0))
		return false;
	*value = is_negative ? -(int64_t)digits : (int64_t)digits;
	return true;
}

/*
 * A decimal number of so few digits that both its digits and the power of ten behind
 * the point are exact, so that their quotient is the nearest double.
 */
static bool
take_real(struct scan *s, double *value)
{
	static const double powers[] = { 1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9,
		1e10, 1e11, 1e12, 1e13, 1e14, 1e15 };
	bool is_negative = take(s, "-", 1);
	uint64_t whole, part = 0;
	size_t n = take_digits(s, &whole), places = 0;
	const char *from;

	if (!n || n > EXACT_DIGITS)
		return false;
	if (take(s, ".", 1)) {
		for (from = s->p; s->p < s->end && *s->p >= '0' && *s->p <= '9'; s->p++) {
			if (n + (size_t)(s->p - from) == EXACT_DIGITS)
				return false;
			part = part * 10 + (uint64_t)(*s->p - '0');
		}
		places = (size_t)(s->p - from);
		if (!places)
			return false;
	}
	*value = (double)(whole * (uint64_t)powers[places] + part) / powers[places];
	if (is_negative)
		*value = -*value;
	return true;
}

static bool
take_str(struct scan *s, struct tc_str *value)
{
	const char *quote;
	size_t len;

	if (!take(s, "\"", 1))
		return false;
	quote = memchr(s->p, '"', (size_t)(s->end - s->p));
	if (!quote)
		return false;
	len = (size_t)(quote - s->p);
	if (tc_str_plain(s->p, len) < len)
		return false;
	*value = (struct tc_str){ s->p, (uint32_t)len, true };
	s->p = quote + 1;
	return true;
}

static bool
take_value(struct scan *s, const struct tc_rec_field *f, void *to)
{
	double d;

	switch (f->kind) {
	case TC_REC_INT: return take_int(s, to);
	case TC_REC_BOOL:
		*(int64_t *)to = take(s, "true", 4);
		return *(int64_t *)to || take(s, "false", 5);
	case TC_REC_REAL: return take_real(s, to);
	case TC_REC_FLOAT:
		if (!take_real(s, &d))
			return false;
		*(float *)to = (float)d;
		return true;
	case TC_REC_STR: return take_str(s, to);
	case TC_REC_STRS:
		/* An empty list has a place all the same, or it would be unknown. */
		*(struct tc_rec_list *)to = (struct tc_rec_list){ f, 0 };
		return take(s, "[]", 2);
	case TC_REC_JSON:
	case TC_REC_LIST:
	case TC_REC_OBJ: break;
	}
	return false;
}

bool
tc_rec_scan(const struct tc_rec_type *type, struct tc_str line, void *rec)
{
	struct scan s = { line.p, line.p + line.len };
	const struct tc_rec_field *f;
	size_t i;
	void *to;

	if (!take(&s, "{\"type\":\"", 9) || !take(&s, type->name, strlen(type->name)) ||
		!take(&s, "\"", 1))
		return false;
	memset(rec, 0, type->size);
	for (i = 0; i < type->count; i++) {
		f = &type->fields[i];
		to = (char *)rec + f->offset;
		if (!take(&s, f->key, f->key_len) || take(&s, "null", 4))
			tc_rec_forget(f, to);
		else if (!take_value(&s, f, to))
			return false;
	}
	return take(&s, "}", 1) && s.p == s.end;
}
