#include "input/input.h"

#include <string.h>

/*
 * Names of channels are chosen by apps and may hold anything, also what the fields
 * around them are made of, so names of slices are read from the right.
 */

static bool
cut_front(struct tc_str *s, const char *text)
{
	struct tc_str front = tc_str_of(text);

	if (!tc_str_begins(*s, front))
		return false;
	s->p += front.len;
	s->len -= front.len;
	return true;
}

static bool
cut_back(struct tc_str *s, const char *text)
{
	size_t len = strlen(text);

	if (s->len < len || memcmp(s->p + s->len - len, text, len) != 0)
		return false;
	s->len -= (uint32_t)len;
	return true;
}

/* Splits at the last occurrence of the text, which is in neither part. */
static bool
split_back(struct tc_str *s, const char *text, struct tc_str *back)
{
	size_t len = strlen(text), i;

	for (i = s->len; i >= len; i--) {
		if (memcmp(s->p + i - len, text, len) != 0)
			continue;
		*back = (struct tc_str){ s->p + i, s->len - (uint32_t)i, false };
		s->len = (uint32_t)(i - len);
		return true;
	}
	return false;
}

/* How many digits of this base the text begins with; none fit that do not fit in 63 bits.
 */
static size_t
read_digits(struct tc_str s, unsigned base, int64_t *number)
{
	uint64_t n = 0;
	size_t count = tc_str_digits(s, base, INT64_MAX, &n);

	*number = (int64_t)n;
	return count;
}

bool
tc_input_number(struct tc_str name, const char *key, int base, int64_t *number)
{
	struct tc_str back;
	bool is_negative;
	int64_t n;

	if (!split_back(&name, key, &back))
		return false;
	is_negative = base == 10 && cut_front(&back, "-");
	if (!read_digits(back, (unsigned)base, &n))
		return false;
	*number = is_negative ? -n : n;
	return true;
}

static bool
is_type(struct tc_str type, const char *name, const char *code)
{
	return tc_str_eq(type, tc_str_of(name)) || tc_str_eq(type, tc_str_of(code));
}

bool
tc_input_message(struct tc_str name, struct tc_input_message *m)
{
	struct tc_str rest = name, seq;
	bool is_sent = cut_front(&rest, "sendMessage(inputChannel="), is_finished;
	int64_t number;

	if (!is_sent && !cut_front(&rest, "receiveMessage(inputChannel="))
		return false;
	if (!cut_back(&rest, ")") || !split_back(&rest, ", type=", &m->type) ||
		!split_back(&rest, ", seq=0x", &seq))
		return false;
	if (!seq.len || read_digits(seq, 16, &number) != seq.len)
		return false;
	if (is_type(m->type, "TIMELINE", "0x6"))
		return false; /* it is about frames, and nobody answers it */
	is_finished = is_type(m->type, "FINISHED", "0x2");
	m->is_motion = is_type(m->type, "MOTION", "0x1");
	m->seq = (uint64_t)number;
	m->channel = rest;
	m->base = rest;
	if (!cut_back(&m->base, " (client)"))
		cut_back(&m->base, " (server)");
	if (is_finished)
		m->stage = is_sent ? TC_INPUT_FINISH : TC_INPUT_ACK;
	else
		m->stage = is_sent ? TC_INPUT_DISPATCH : TC_INPUT_RECEIVE;
	return true;
}

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

struct tc_str
tc_input_channel_name(struct tc_str base)
{
	struct tc_str name = base, popup;
	const char *space = memchr(base.p, ' ', base.len);
	size_t hash = space ? (size_t)(space - base.p) : 0;
	int64_t ignored;

	if (base.len && base.p[0] == '[')
		return base; /* [Gesture Monitor] of something */
	if (!space) {
		while (name.len && is_digit(name.p[name.len - 1]))
			name.len--;
		return name.len ? name : base;
	}
	if (!hash || read_digits(base, 16, &ignored) != hash)
		return base;
	name.p += hash + 1;
	name.len -= (uint32_t)hash + 1;
	split_back(&name, ":", &popup);
	return name;
}

/* Cuts the word off the front, with the space behind it. */
static struct tc_str
next_word(struct tc_str *s)
{
	const char *space = memchr(s->p, ' ', s->len);
	uint32_t len = space ? (uint32_t)(space - s->p) : s->len;
	struct tc_str word = { s->p, len, false };

	s->p += len + (space != NULL);
	s->len -= len + (space != NULL);
	return word;
}

struct tc_str
tc_input_action(struct tc_str name)
{
	struct tc_str word;

	if (!cut_front(&name, "dispatchInputEvent "))
		return (struct tc_str){ 0 };
	next_word(&name);
	word = next_word(&name);
	cut_front(&word, "ACTION_");
	return word.len ? word : (struct tc_str){ 0 };
}
