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

/* A text known to be plain, or found to be: one piece. */
static bool
quote_plain(struct tc_out *o, struct tc_str s)
{
	char *to;

	if (s.len > MAX_PLAIN || (!s.is_plain && tc_str_plain(s.p, s.len) < s.len))
		return false;
	to = tc_out_room(o, MAX_PLAIN + 2);
	to[0] = '"';
	if (s.len)
		memcpy(to + 1, s.p, s.len);
	to[s.len + 1] = '"';
	tc_out_used(o, to + s.len + 2);
	return true;
}

void
tc_out_quoted(struct tc_out *o, struct tc_str s)
{
	const unsigned char *p = (const unsigned char *)s.p, *end = p + s.len;
	size_t n;

	if (quote_plain(o, s))
		return;
	tc_out_lit(o, "\"");
	while (p < end) {
		n = tc_str_plain((const char *)p, (size_t)(end - p));
		tc_out_write(o, p, n);
		p += n;
		if (p < end)
			p = write_special(o, p, end);
	}
	tc_out_lit(o, "\"");
}
