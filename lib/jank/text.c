#include <string.h>

#include "jank/priv.h"

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
