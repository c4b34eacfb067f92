#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "jank/priv.h"

struct tc_str
tc_jank_text(struct tc_arena *arena, const char *format, ...)
{
	va_list args;
	char *text;
	int n;

	va_start(args, format);
	n = vsnprintf(NULL, 0, format, args);
	va_end(args);
	if (n < 0)
		return (struct tc_str){ 0 };
	text = tc_arena_alloc(arena, (size_t)n + 1);
	va_start(args, format);
	vsnprintf(text, (size_t)n + 1, format, args);
	va_end(args);
	return (struct tc_str){ text, (uint32_t)n, false };
}

static char
lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool
tc_jank_has_word(struct tc_str text, const char *word)
{
	size_t n = strlen(word), i, j;

	for (i = 0; i + n <= text.len; i++) {
		for (j = 0; j < n && lower(text.p[i + j]) == word[j];)
			j++;
		if (j == n)
			return true;
	}
	return false;
}
