#include "io/io.h"

enum { MAX_PLAIN = 512 };

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
	n = tc_str_char((const char *)p, (size_t)(end - p));
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
