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
