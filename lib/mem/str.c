#include "mem/mem.h"

#include <string.h>

struct tc_str
tc_str_of(const char *cstr)
{
	return (struct tc_str){ cstr, cstr ? (uint32_t)strlen(cstr) : 0, false };
}

int
tc_str_compare(struct tc_str a, struct tc_str b)
{
	uint32_t n = a.len < b.len ? a.len : b.len;
	int r = n ? memcmp(a.p, b.p, n) : 0;

	return r ? r : (a.len > b.len) - (a.len < b.len);
}

bool
tc_str_eq(struct tc_str a, struct tc_str b)
{
	return a.len == b.len && (a.len == 0 || memcmp(a.p, b.p, a.len) == 0);
}

static bool
is_plain(unsigned char c)
{
	return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

/* Eight bytes at a time: whether every one of them is plain. */
static inline bool
is_plain_word(const char *p)
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

size_t
tc_str_plain(const char *p, size_t len)
{
	size_t i = 0;

	while (len - i >= 8 && is_plain_word(p + i))
		i += 8;
	while (i < len && is_plain((unsigned char)p[i]))
		i++;
	return i;
}

bool
tc_str_begins(struct tc_str s, struct tc_str start)
{
	if (s.len < start.len || start.len == 0)
		return start.len == 0;
	return *s.p == *start.p && memcmp(s.p, start.p, start.len) == 0;
}

size_t
tc_str_char(const char *p, size_t avail)
{
	const unsigned char *u = (const unsigned char *)p;
	unsigned char low = 0x80, high = 0xbf;
	size_t n, i;

	if (u[0] < 0x80)
		return 1;
	if (u[0] < 0xc2 || u[0] > 0xf4)
		return 0;
	n = u[0] < 0xe0 ? 2 : u[0] < 0xf0 ? 3 : 4;
	if (u[0] == 0xe0)
		low = 0xa0;
	else if (u[0] == 0xed)
		high = 0x9f;
	else if (u[0] == 0xf0)
		low = 0x90;
	else if (u[0] == 0xf4)
		high = 0x8f;
	if (avail < n || u[1] < low || u[1] > high)
		return 0;
	for (i = 2; i < n; i++)
		if (u[i] < 0x80 || u[i] > 0xbf)
			return 0;
	return n;
}

static unsigned
digit(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	return c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10 : 16;
}

uint32_t
tc_str_digits(struct tc_str s, unsigned base, uint64_t max, uint64_t *value)
{
	uint64_t v = 0;
	uint32_t i;
	unsigned d;

	for (i = 0; i < s.len && (d = digit(s.p[i])) < base; i++) {
		if (d > max || v > (max - d) / base)
			return 0;
		v = v * base + d;
	}
	*value = v;
	return i;
}

/* Each ' ends the quotes, stands alone behind a backslash, and starts them again. */
char *
tc_str_put_word(char *p, const char *text)
{
	*p++ = '\'';
	for (; *text; text++) {
		if (*text == '\'') {
			memcpy(p, "'\\''", 4);
			p += 4;
		} else
			*p++ = *text;
	}
	*p++ = '\'';
	*p = '\0';
	return p;
}
