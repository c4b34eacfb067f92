/* The outputs of single commands. Lines may end in CR LF. */
#include <string.h>

#include "probe/priv.h"

static const struct tc_str none = { NULL, 0, false };

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\0';
}

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* What is behind the first n bytes; a text that is not known has none. */
static struct tc_str
behind(struct tc_str s, size_t n)
{
	if (n == 0)
		return s;
	return (struct tc_str){ s.p + n, s.len - (uint32_t)n, false };
}

static struct tc_str
first(struct tc_str s, size_t n)
{
	return (struct tc_str){ s.p, (uint32_t)n, false };
}

struct tc_str
tc_probe_trim(struct tc_str s)
{
	while (s.len && is_blank(s.p[s.len - 1]))
		s.len--;
	while (s.len && is_blank(*s.p))
		s = behind(s, 1);
	return s;
}

bool
tc_probe_has(struct tc_str s, const char *part)
{
	return s.len && memmem(s.p, s.len, part, strlen(part));
}

int64_t
tc_probe_number(struct tc_str s)
{
	uint64_t n = 0;

	s = tc_probe_trim(s);
	if (!s.len || tc_str_digits(s, 10, INT64_MAX, &n) != s.len)
		return -1;
	return (int64_t)n;
}

bool
tc_probe_line(struct tc_str *text, struct tc_str *line)
{
	const char *end;

	if (!text->len)
		return false;
	end = memchr(text->p, '\n', text->len);
	*line = first(*text, end ? (size_t)(end - text->p) : text->len);
	*text = behind(*text, line->len + (end != NULL));
	while (line->len && line->p[line->len - 1] == '\r')
		line->len--;
	return true;
}

struct tc_str
tc_probe_word(struct tc_str *text)
{
	struct tc_str word;
	uint32_t n = 0;

	while (text->len && is_blank(*text->p))
		*text = behind(*text, 1);
	while (n < text->len && !is_blank(text->p[n]))
		n++;
	word = first(*text, n);
	*text = behind(*text, n);
	return word;
}

/* ---- getprop ---- */

static bool
is_key(struct tc_str line, struct tc_str key)
{
	return tc_str_begins(line, TC_STR("[")) && tc_str_begins(behind(line, 1), key) &&
		tc_str_begins(behind(line, 1 + key.len), TC_STR("]: ["));
}

/* "[KEY]: [VALUE]"; a value goes on over lines until one ends in a bracket. */
struct tc_str
tc_probe_prop(struct tc_str text, const char *key)
{
	const struct tc_str wanted = tc_str_of(key);
	struct tc_str line, value;

	while (tc_probe_line(&text, &line)) {
		if (!is_key(line, wanted))
			continue;
		value = behind(line, wanted.len + 5);
		while (!value.len || value.p[value.len - 1] != ']') {
			if (!tc_probe_line(&text, &line))
				return none;
			value.len = (uint32_t)(line.p - value.p) + line.len;
		}
		value.len--;
		value = tc_probe_trim(value);
		return value.len ? value : none;
	}
	return none;
}

/* ---- dumpsys SurfaceFlinger --display-id ---- */

/* Behind displayName=, between the first quote and the last of the line. */
static struct tc_str
display_name(struct tc_str line)
{
	static const char key[] = "displayName=\"";
	const char *p = memmem(line.p, line.len, key, sizeof(key) - 1), *end;
	struct tc_str name;

	if (!p)
		return none;
	p += sizeof(key) - 1;
	for (end = line.p + line.len; end > p && end[-1] != '"'; end--)
		;
	if (end == p)
		return none;
	end--;
	name = (struct tc_str){ p, (uint32_t)(end - p), false };
	return name.len ? name : none;
}

/* "Display ID (WHAT): ... displayName="NAME"", where the name need not be. */
static bool
read_display(struct tc_str line, struct tc_rec_device_display *display)
{
	uint64_t id;
	uint32_t n;

	line = tc_probe_trim(line);
	if (!tc_str_begins(line, TC_STR("Display ")))
		return false;
	line = behind(line, strlen("Display "));
	n = tc_str_digits(line, 10, UINT64_MAX, &id);
	if (!n || (n < line.len && line.p[n] != ' '))
		return false;
	display->id = first(line, n);
	display->name = display_name(behind(line, n));
	return true;
}

int
tc_probe_displays(
	struct tc_str text, struct tc_arena *arena, struct tc_rec_list *displays)
{
	struct tc_str rest = text, line;
	struct tc_rec_device_display one, *all;
	size_t count = 0, i = 0;

	while (tc_probe_line(&rest, &line))
		count += read_display(line, &one);
	if (count > TC_PROBE_MAX_ITEMS || (!count && tc_probe_trim(text).len))
		return -1;
	all = tc_arena_alloc(arena, (count + 1) * sizeof(*all));
	while (i < count && tc_probe_line(&text, &line))
		i += read_display(line, &all[i]);
	*displays = (struct tc_rec_list){ all, count };
	return 0;
}

/* ---- screenrecord ---- */

/* How many bytes at the start are digits, with single points between them. */
static uint32_t
version_len(struct tc_str s)
{
	uint32_t n = 0;

	while (n < s.len &&
		(is_digit(s.p[n]) ||
			(s.p[n] == '.' && n && is_digit(s.p[n - 1]) && n + 1 < s.len &&
				is_digit(s.p[n + 1]))))
		n++;
	return n;
}

/* Help has it behind the first v that a digit follows. */
struct tc_str
tc_probe_screenrecord(struct tc_str text)
{
	uint32_t i;

	text = tc_probe_trim(text);
	if (text.len && version_len(text) == text.len)
		return text;
	for (i = 0; i + 1 < text.len; i++)
		if (text.p[i] == 'v' && is_digit(text.p[i + 1])) {
			text = behind(text, i + 1);
			return first(text, version_len(text));
		}
	return none;
}

/* ---- service, cmd ---- */

int
tc_probe_service_found(struct tc_str text)
{
	if (tc_probe_has(text, ": not found"))
		return 0;
	return tc_probe_has(text, ": found") ? 1 : -1;
}

int
tc_probe_protolog(struct tc_str text, struct tc_arena *arena, struct tc_rec_list *groups)
{
	struct tc_str line, rest, *all;
	size_t count = 0, i = 0;

	text = tc_probe_trim(text);
	if (!tc_str_begins(text, TC_STR("ProtoLog groups registered with service")))
		return -1;
	for (rest = text; tc_probe_line(&rest, &line);)
		count += tc_str_begins(line, TC_STR("- "));
	if (count > TC_PROBE_MAX_ITEMS)
		return -1;
	all = tc_arena_alloc(arena, (count + 1) * sizeof(*all));
	while (tc_probe_line(&text, &line)) {
		if (!tc_str_begins(line, TC_STR("- ")))
			continue;
		all[i] = tc_probe_trim(behind(line, 2));
		i += all[i].len > 0;
	}
	*groups = (struct tc_rec_list){ all, i };
	return 0;
}

/* ---- stat -f, df ---- */

/* "BLOCKS SIZE PATH" */
static int64_t
stat_free(struct tc_str line, const char *path)
{
	int64_t blocks = tc_probe_number(tc_probe_word(&line));
	int64_t size = tc_probe_number(tc_probe_word(&line));

	if (blocks < 0 || size < 0 || !tc_str_eq(tc_probe_trim(line), tc_str_of(path)) ||
		__builtin_mul_overflow(blocks, size, &blocks))
		return -1;
	return blocks;
}

/*
 * Behind the head, which names the unit, the number in front of the percentage: a
 * long name of a device may put it on a second line.
 */
static int64_t
df_free(struct tc_str text)
{
	struct tc_str line, word, before = none;
	int64_t kib;

	do {
		if (!tc_probe_line(&text, &line) || tc_str_begins(line, TC_STR("df ")))
			return -1;
	} while (!tc_str_begins(line, TC_STR("Filesystem")));
	if (!tc_probe_has(line, " 1K-blocks ") && !tc_probe_has(line, " 1024-blocks "))
		return -1;
	while (tc_probe_line(&text, &line) && !tc_str_begins(line, TC_STR("df ")))
		while ((word = tc_probe_word(&line)).len) {
			if (word.len > 1 && word.p[word.len - 1] == '%' &&
				tc_probe_number(first(word, word.len - 1)) >= 0) {
				kib = tc_probe_number(before);
				return kib < 0 || kib > INT64_MAX / 1024 ? -1
									 : kib * 1024;
			}
			before = word;
		}
	return -1;
}

int64_t
tc_probe_free(struct tc_str text, const char *path)
{
	struct tc_str line;
	int64_t bytes;

	while (tc_probe_line(&text, &line)) {
		bytes = stat_free(line, path);
		if (bytes >= 0)
			return bytes;
		if (tc_str_begins(line, TC_STR("df ")) &&
			tc_str_eq(tc_probe_trim(behind(line, 3)), tc_str_of(path)))
			return df_free(text);
	}
	return -1;
}
