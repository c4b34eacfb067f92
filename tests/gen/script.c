#include "script.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "gen.h"

struct tc_script_block {
	struct tc_script_block *next;
	max_align_t memory[];
};

void
tc_script_init(struct tc_script *s, FILE *in)
{
	*s = (struct tc_script){ .in = in };
}

static void
free_blocks(struct tc_script *s)
{
	struct tc_script_block *b;

	while ((b = s->blocks) != NULL) {
		s->blocks = b->next;
		free(b);
	}
}

void
tc_script_release(struct tc_script *s)
{
	free_blocks(s);
	free(s->args);
	free(s->line);
	*s = (struct tc_script){ 0 };
}

void *
tc_script_alloc(struct tc_script *s, size_t len)
{
	struct tc_script_block *b = tc_gen_zalloc(sizeof(*b) + len);

	b->next = s->blocks;
	s->blocks = b;
	return b->memory;
}

int
tc_script_fail(struct tc_script *s, const char *fmt, ...)
{
	int n = snprintf(s->err, sizeof(s->err), "line %zu: ", s->number);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(s->err + n, sizeof(s->err) - (size_t)n, fmt, ap);
	va_end(ap);
	return -1;
}

bool
tc_script_is(struct tc_script_text t, const char *word)
{
	return strlen(word) == t.len && memcmp(word, t.pos, t.len) == 0;
}

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Length of t up to the first unquoted c, where ' ' stands for any blank. */
static size_t
span_to(struct tc_script_text t, char c)
{
	bool quoted = false;
	size_t i;

	for (i = 0; i < t.len; i++) {
		if (quoted && t.pos[i] == '\\')
			i++;
		else if (t.pos[i] == '"')
			quoted = !quoted;
		else if (!quoted && (t.pos[i] == c || (c == ' ' && is_blank(t.pos[i]))))
			return i;
	}
	return t.len;
}

static struct tc_script_text
skip(struct tc_script_text t, size_t n)
{
	return (struct tc_script_text){ t.pos + n, t.len - n };
}

bool
tc_script_part(struct tc_script_text *rest, char sep, struct tc_script_text *part)
{
	size_t n;

	if (!rest->pos)
		return false;
	n = span_to(*rest, sep);
	*part = (struct tc_script_text){ rest->pos, n };
	if (n == rest->len)
		rest->pos = NULL;
	else
		*rest = skip(*rest, n + 1);
	return true;
}

static void
add_arg(struct tc_script *s, struct tc_script_text word)
{
	struct tc_script_arg *a;
	size_t n = span_to(word, '=');

	if (s->n_args == s->max_args) {
		s->max_args = s->max_args ? 2 * s->max_args : 16;
		s->args = tc_gen_realloc(s->args, s->max_args * sizeof(*a));
	}
	a = &s->args[s->n_args++];
	*a = (struct tc_script_arg){ .key = { word.pos, n } };
	a->has_value = n < word.len;
	if (a->has_value)
		a->value = skip(word, n + 1);
}

static void
split_line(struct tc_script *s, struct tc_script_text rest)
{
	struct tc_script_text word;

	s->kind = (struct tc_script_text){ NULL, 0 };
	s->n_args = 0;
	while (tc_script_part(&rest, ' ', &word)) {
		if (word.len == 0)
			continue;
		if (word.pos[0] == '#')
			return;
		if (s->kind.pos)
			add_arg(s, word);
		else
			s->kind = word;
	}
}

int
tc_script_next(struct tc_script *s)
{
	ssize_t n;

	free_blocks(s);
	errno = 0;
	while ((n = getline(&s->line, &s->line_cap, s->in)) >= 0) {
		s->number++;
		split_line(s, (struct tc_script_text){ s->line, (size_t)n });
		if (s->kind.pos)
			return 1;
	}
	if (feof(s->in))
		return 0;
	s->read_failed = true;
	return tc_script_fail(s, "cannot read on: %s", strerror(errno));
}

static int
hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

static int
hex_byte(struct tc_script_text t)
{
	int high = t.len >= 2 ? hex_digit(t.pos[0]) : -1;
	int low = t.len >= 2 ? hex_digit(t.pos[1]) : -1;

	return high < 0 || low < 0 ? -1 : high * 16 + low;
}

/* What stands at t, after a backslash: sets *byte, returns its length or 0. */
static size_t
unescape(struct tc_script_text t, int *byte)
{
	char c = t.len > 0 ? t.pos[0] : '\0';

	switch (c) {
	case 'n': *byte = '\n'; return 1;
	case 't': *byte = '\t'; return 1;
	case '"':
	case '\\': *byte = c; return 1;
	case 'x': *byte = hex_byte(skip(t, 1)); return *byte < 0 ? 0 : 3;
	default: return 0;
	}
}

int
tc_script_bytes(
	struct tc_script *s, struct tc_script_text t, uint8_t **bytes, size_t *len)
{
	uint8_t *to = tc_script_alloc(s, t.len + 1);
	bool quoted = false;
	size_t i = 0, n = 0, step;
	int byte;

	*bytes = to;
	while (i < t.len) {
		char c = t.pos[i++];

		if (c == '"') {
			quoted = !quoted;
			continue;
		}
		byte = (unsigned char)c;
		if (quoted && c == '\\') {
			step = unescape(skip(t, i), &byte);
			if (step == 0)
				return tc_script_fail(s, "bad escape after \\");
			i += step;
		}
		to[n++] = (uint8_t)byte;
	}
	*len = n;
	return quoted ? tc_script_fail(s, "quote not closed") : 0;
}

int
tc_script_hex(struct tc_script *s, struct tc_script_text t, uint8_t **bytes, size_t *len)
{
	size_t i;
	int byte;

	if (tc_script_bytes(s, t, bytes, len) < 0)
		return -1;
	t = (struct tc_script_text){ (const char *)*bytes, *len };
	for (i = 0; 2 * i < t.len; i++) {
		byte = hex_byte(skip(t, 2 * i));
		if (byte < 0)
			return tc_script_fail(s, "not pairs of hex digits");
		(*bytes)[i] = (uint8_t)byte;
	}
	*len = i;
	return 0;
}

static int
bad_number(struct tc_script *s, struct tc_script_text t, const char *what)
{
	int n = t.len < 80 ? (int)t.len : 80;

	return tc_script_fail(s, "'%.*s' is not %s", n, t.pos, what);
}

int
tc_script_int(
	struct tc_script *s, struct tc_script_text t, unsigned bits, uint64_t *value)
{
	uint64_t max = UINT64_MAX >> (64 - bits), v;
	bool minus = t.len > 0 && t.pos[0] == '-';
	struct tc_script_text digits = skip(t, minus ? 1 : 0);
	char copy[32] = "", *end;
	int base = 10;

	if (digits.len > 0 && digits.len < sizeof(copy))
		memcpy(copy, digits.pos, digits.len);
	if (copy[0] == '0' && copy[1] == 'x')
		base = 16;
	errno = 0;
	v = strtoull(copy, &end, base);
	if (hex_digit(copy[0]) < 0 || (size_t)(end - copy) != digits.len || errno)
		return bad_number(s, t, "an integer");
	if (v > (minus ? max / 2 + 1 : max))
		return bad_number(s, t, "in range");
	*value = minus ? 0 - v : v;
	return 0;
}

int
tc_script_real(struct tc_script *s, struct tc_script_text t, double *value)
{
	char copy[64] = "", *end;

	if (t.len > 0 && t.len < sizeof(copy))
		memcpy(copy, t.pos, t.len);
	*value = strtod(copy, &end);
	if (end == copy || (size_t)(end - copy) != t.len || is_blank(copy[0]))
		return bad_number(s, t, "a number");
	return 0;
}
