/* What files are called on this host. */
#include <stdio.h>
#include <string.h>

#include "io/io.h"
#include "pull/priv.h"

/* A temporary name has seven bytes more, and file systems take 255. */
enum { NAME_LIMIT = 248, PATH_LIMIT = 3072 };

/* UTF-8 without the control characters that have two bytes there (U+0080 on). */
static bool
is_text(struct tc_str s)
{
	uint32_t i;
	size_t n;

	for (i = 0; i < s.len; i += (uint32_t)n) {
		n = (unsigned char)s.p[i] < 0x80 ? 1 : tc_str_char(s.p + i, s.len - i);
		if (!n || (n == 2 && memcmp(s.p + i, "\xc2\xa0", 2) < 0))
			return false;
	}
	return true;
}

bool
tc_pull_is_name(struct tc_str s)
{
	uint32_t i;

	if (!s.p || !s.len || s.len > NAME_LIMIT || (s.len == 1 && s.p[0] == '.'))
		return false;
	for (i = 0; i < s.len; i++) {
		if ((unsigned char)s.p[i] < 0x20 || s.p[i] == 0x7f || s.p[i] == '/')
			return false;
		if (s.p[i] == '.' && i + 1 < s.len && s.p[i + 1] == '.')
			return false;
	}
	return is_text(s);
}

/* One {word} of a template. */
static const char *const words[] = { "run", "serial", "session", "dest" };
enum word { RUN, SERIAL, SESSION, DEST, WORDS };

/* The word that stands at p, which is a brace, and *end behind it; or WORDS. */
static enum word
word_at(const char *p, const char **end)
{
	size_t i, len;

	for (i = 0; i < WORDS; i++) {
		len = strlen(words[i]);
		if (strncmp(p + 1, words[i], len) == 0 && p[1 + len] == '}') {
			*end = p + len + 2;
			return (enum word)i;
		}
	}
	return WORDS;
}

int
tc_pull_check_template(const char *template, struct tc_err *err)
{
	const char *p = template;

	if (!*p || *p == '/' || p[strlen(p) - 1] == '/' || strstr(p, "//"))
		return tc_err_set(
			err, TC_USAGE, "--name %s: a name below the folder", template);
	if (strstr(p, ".."))
		return tc_err_set(err, TC_USAGE, "--name %s: no .. in it", template);
	while (*p) {
		if (*p == '{') {
			if (word_at(p, &p) == WORDS)
				return tc_err_set(err, TC_USAGE,
					"--name %s: there are {run}, {serial}, {session} "
					"and {dest}",
					template);
		} else if (*p == '}' || (unsigned char)*p < 0x20)
			return tc_err_set(err, TC_USAGE,
				"--name %s: a character that cannot be", template);
		else
			p++;
	}
	return 0;
}

/* What follows the transport's name, with nothing in it that paths could mind. */
static struct tc_str
serial_of(struct tc_str device, struct tc_arena *arena)
{
	const char *colon = device.p ? memchr(device.p, ':', device.len) : NULL;
	struct tc_str s = { 0 };
	const char *end = device.p + device.len, *p;
	char *copy;
	uint32_t i;

	if (!colon)
		return s;
	/* Behind the place of a server, if that is named. */
	p = colon + 1;
	if (tc_str_begins((struct tc_str){ p, (uint32_t)(end - p), false },
		    TC_STR("http://"))) {
		colon = memchr(p + 7, '/', (size_t)(end - p) - 7);
		p = colon ? colon + 1 : p;
	}
	s.len = (uint32_t)(end - p);
	s.p = copy = tc_arena_dup(arena, p, s.len);
	for (i = 0; i < s.len; i++)
		if (!strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
			    "0123456789._-",
			    copy[i]))
			copy[i] = '_';
	return s;
}

static struct tc_str
value_of(enum word word, const struct tc_pull_names *n, struct tc_arena *arena)
{
	switch (word) {
	case RUN: return n->run;
	case SERIAL: return serial_of(n->device, arena);
	case SESSION: return n->session;
	case DEST: return n->dest;
	case WORDS: break;
	}
	return (struct tc_str){ 0 };
}

/* Each folder of the path, and the name. */
static bool
is_path(const char *path)
{
	const char *slash;

	for (; (slash = strchr(path, '/')); path = slash + 1)
		if (!tc_pull_is_name(
			    (struct tc_str){ path, (uint32_t)(slash - path), false }))
			return false;
	return tc_pull_is_name(tc_str_of(path));
}

int
tc_pull_expand(const char *template, const struct tc_pull_names *names,
	struct tc_arena *arena, char **path, struct tc_err *err)
{
	char *made = tc_arena_alloc(arena, PATH_LIMIT + 1);
	const char *p = template;
	struct tc_str s;
	enum word word;
	size_t len = 0;

	while (*p) {
		s = (struct tc_str){ p, 1, false };
		word = *p == '{' ? word_at(p, &p) : WORDS;
		if (word == WORDS)
			p++;
		else {
			s = value_of(word, names, arena);
			if (!s.p)
				return tc_err_named(err, TC_DATA, "bad_name",
					"the record has no %s for the name", words[word]);
			if (!tc_pull_is_name(s))
				return tc_err_named(err, TC_DATA, "bad_name",
					"its %s can be no part of a name", words[word]);
		}
		if (s.len > PATH_LIMIT - len)
			return tc_err_named(err, TC_DATA, "bad_name", "too long a name");
		memcpy(made + len, s.p, s.len);
		len += s.len;
	}
	made[len] = '\0';
	if (!is_path(made))
		return tc_err_named(err, TC_DATA, "bad_name", "no name for a file");
	*path = made;
	return 0;
}
