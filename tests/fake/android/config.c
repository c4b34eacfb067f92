#include "config.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "control.h"

struct parser {
	struct config *c;
	const char *pos;
	unsigned line, depth;
	char path[512]; /* of the field, parts joined by dots */
	char *why;      /* 128 bytes */
};

static bool
fail(struct parser *p, const char *why, const char *what)
{
	snprintf(p->why, 128, "%s%s", why, what);
	return false;
}

static void
skip_space(struct parser *p)
{
	for (; *p->pos; p->pos++) {
		if (*p->pos == '#')
			p->pos += strcspn(p->pos, "\n");
		if (*p->pos == '\n')
			p->line++;
		if (!isspace((unsigned char)*p->pos) && *p->pos != ',' && *p->pos != ';')
			return;
	}
}

static bool
is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '-' || c == '+';
}

/* A name, number or enum value. */
static bool
take_word(struct parser *p, char *word, size_t size)
{
	size_t n = 0;

	while (is_word(p->pos[n]))
		n++;
	if (n == 0 || n >= size)
		return fail(p, "Unexpected character", "");
	memcpy(word, p->pos, n);
	word[n] = '\0';
	p->pos += n;
	return true;
}

static bool
take_string(struct parser *p, char *word, size_t size)
{
	char quote = *p->pos++;
	size_t n = 0;

	for (; *p->pos && *p->pos != '\n' && *p->pos != quote; p->pos++) {
		if (*p->pos == '\\' && p->pos[1])
			p->pos++;
		if (n < size - 1)
			word[n++] = *p->pos;
	}
	word[n] = '\0';
	return *p->pos++ == quote || fail(p, "Unterminated string", "");
}

/* Is there a source of this name on the device? */
static bool
is_registered(const char *name)
{
	char *text = fake_control_text("data_sources", NULL), *line = text, *end;
	size_t n = strlen(name);
	bool found = false;

	for (; line && *line && !found; line = *end ? end + 1 : end) {
		end = line + strcspn(line, "\n");
		found = strncmp(line, name, n) == 0 && line[n] == ' ';
	}
	free(text);
	return found;
}

static bool
set(struct parser *p, const char *value)
{
	struct config *c = p->c;

	if (strcmp(value, "undefined") == 0)
		return fail(p, "Unexpected value of an enum: ", value);
	if (strcmp(p->path, ".unique_session_name") == 0)
		snprintf(c->name, sizeof(c->name), "%s", value);
	else if (strcmp(p->path, ".write_into_file") == 0)
		c->write_into_file = strcmp(value, "true") == 0;
	else if (strcmp(p->path, ".duration_ms") == 0)
		c->duration_ms = strtoull(value, NULL, 10);
	else if (strcmp(p->path, ".buffers.size_kb") == 0)
		c->buffer_kb += strtoull(value, NULL, 10);
	else if (strcmp(p->path, ".data_sources.config.name") == 0)
		c->sources += is_registered(value);
	return true;
}

/* The fields of a message, up to its brace or to the end of the text. */
static bool
take_fields(struct parser *p)
{
	char word[1024];
	size_t outer = strlen(p->path);
	bool ok;

	for (skip_space(p); *p->pos && *p->pos != '}'; skip_space(p)) {
		if (!take_word(p, word, 128))
			return false;
		if (outer + strlen(word) + 2 > sizeof(p->path) || p->depth > 30)
			return fail(p, "Nested too deeply", "");
		snprintf(p->path + outer, sizeof(p->path) - outer, ".%s", word);
		skip_space(p);
		ok = *p->pos == ':';
		p->pos += ok;
		skip_space(p);
		if (*p->pos == '{') {
			p->pos++;
			p->depth++;
			p->c->buffers += strcmp(p->path, ".buffers") == 0;
			if (!take_fields(p))
				return false;
			if (*p->pos++ != '}')
				return fail(p, "Missing brace", "");
			p->depth--;
		} else if (!ok) {
			return fail(p, "Expected a value of ", word);
		} else if (*p->pos == '"' || *p->pos == '\'') {
			if (!take_string(p, word, sizeof(word)) || !set(p, word))
				return false;
		} else if (!take_word(p, word, sizeof(word)) || !set(p, word)) {
			return false;
		}
		p->path[outer] = '\0';
	}
	return true;
}

unsigned
config_parse(struct config *c, const char *text, char why[128])
{
	struct parser p = { .c = c, .pos = text, .line = 1, .why = why };

	if (!take_fields(&p))
		return p.line;
	if (*p.pos == '}') {
		fail(&p, "Unmatched brace", "");
		return p.line;
	}
	return 0;
}
