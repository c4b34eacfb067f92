#include "io/io.h"

enum { MAX_PLAIN = 512 };

/*
 * How many bytes the UTF-8 sequence at p has, 0 when it is none: overlong
 * forms, surrogates and what lies above U+10FFFF are not UTF-8 (RFC 3629).
 */
static size_t
utf8_len(const unsigned char *p, const unsigned char *end)
{
	size_t left = (size_t)(end - p), n, i;
	unsigned char low = 0x80, high = 0xbf;

	if (p[0] < 0xc2 || p[0] > 0xf4)
		return 0;
	n = p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
	if (p[0] == 0xe0)
		low = 0xa0;
	else if (p[0] == 0xed)
		high = 0x9f;
	else if (p[0] == 0xf0)
		low = 0x90;
	else if (p[0] == 0xf4)
		high = 0x8f;
	if (left < n || p[1] < low || p[1] > high)
		return 0;
	for (i = 2; i < n; i++)
		if (p[i] < 0x80 || p[i] > 0xbf)
			return 0;
	return n;
}

static bool
is_plain(unsigned char c)
{
	return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

/* Eight bytes at a time: whether every one of them is plain. */
static inline bool
is_plain_word(const unsigned char *p)
{
	const uint64_t ones = 0x0101010101010101u, highs = 0x8080808080808080u;
	uint64_t w, quote, slash, del;

	memcpy(&w, p, 8);
	quote = w ^ ones * '"';
	slash = w ^ ones * '\\';
	del = w ^ ones * 0x7f;
	return !((w | (w - ones * 0x20) | ((quote - ones) & ~quote) |
			 ((slash - ones) & ~slash) | ((del - ones) & ~del)) &
		highs);
}

static const unsigned char *
plain_end(const unsigned char *p, const unsigned char *end)
{
	while (end - p >= 8 && is_plain_word(p))
		p += 8;
	while (p < end && is_plain(*p))
		p++;
	return p;
}

static void
write_control(struct tc_out *o, unsigned char c)
{
	static const char hex[] = "0123456789abcdef";
	char u[6] = { '\\', 'u', '0', '0', hex[c >> 4], hex[c & 15] };

	switch (c) {
	case '\n': tc_out_lit(o, "\\n"); break;
	case '\r': tc_out_lit(o, "\\r"); break;
	case '\t': tc_out_lit(o, "\\t"); break;
	default: tc_out_write(o, u, sizeof(u));
	}
}

/* One character that is not plain; returns what follows it. */
static const unsigned char *
write_special(struct tc_out *o, const unsigned char *p, const unsigned char *end)
{
	size_t n;

	if (*p == '"' || *p == '\\') {
		char esc[2] = { '\\', (char)*p };

		tc_out_write(o, esc, 2);
		return p + 1;
	}
	if (*p < 0x20 || *p == 0x7f) {
		write_control(o, *p);
		return p + 1;
	}
	n = utf8_len(p, end);
	if (n) {
		tc_out_write(o, p, n);
		return p + n;
	}
	tc_out_lit(o, "\xef\xbf\xbd");
	return p + 1;
}

/* Copies a text if all of it is plain, eight bytes at a time; says whether. */
static bool
copy_plain(char *to, const unsigned char *from, size_t len)
{
	size_t i;

	if (len < 8) {
		for (i = 0; i < len && is_plain(from[i]); i++)
			to[i] = (char)from[i];
		return i == len;
	}
	for (i = 0; i + 8 <= len; i += 8) {
		if (!is_plain_word(from + i))
			return false;
		memcpy(to + i, from + i, 8);
	}
	/* The last word overlaps the one before. */
	memcpy(to + len - 8, from + len - 8, 8);
	return is_plain_word(from + len - 8);
}

/* Nearly all texts are short and plain: one pass, straight into the buffer. */
static bool
quote_plain(struct tc_out *o, struct tc_str s)
{
	char *to = tc_out_room(o, MAX_PLAIN + 2);

	if (!copy_plain(to + 1, (const unsigned char *)s.p, s.len))
		return false;
	to[0] = '"';
	to[s.len + 1] = '"';
	tc_out_used(o, to + s.len + 2);
	return true;
}

void
tc_out_quoted(struct tc_out *o, struct tc_str s)
{
	const unsigned char *p = (const unsigned char *)s.p, *end = p + s.len, *q;

	if (s.len <= MAX_PLAIN && quote_plain(o, s))
		return;
	tc_out_lit(o, "\"");
	while (p < end) {
		q = plain_end(p, end);
		tc_out_write(o, p, (size_t)(q - p));
		p = q < end ? write_special(o, q, end) : q;
	}
	tc_out_lit(o, "\"");
}
