/* What is in answers: JSON text, base64, marks, lists. Nothing here waits. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "err/err.h"
#include "json/json.h"
#include "winscope/priv.h"

static int
malformed(const char *what, struct tc_err *err)
{
	return tc_err_named(
		err, TC_PROTOCOL, "protocol", "the proxy's answer is %s", what);
}

/* ---- JSON text ---- */

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Where the characters of a string go: into the text, or past the key's. */
struct sink {
	char *out;
	size_t len;
	bool is_other; /* the key is not the one that was asked for */
};

static void
emit(struct tc_winscope_text *t, struct sink *s, char c)
{
	if (t->state == TC_WINSCOPE_TEXT_STRING)
		s->out[s->len++] = c;
	else if (!t->key[t->at] || t->key[t->at++] != c)
		s->is_other = true;
}

static void
emit_char(struct tc_winscope_text *t, struct sink *s, uint32_t c)
{
	if (c < 0x80) {
		emit(t, s, (char)c);
		return;
	}
	if (c < 0x800)
		emit(t, s, (char)(0xc0 | c >> 6));
	else {
		if (c < 0x10000)
			emit(t, s, (char)(0xe0 | c >> 12));
		else {
			emit(t, s, (char)(0xf0 | c >> 18));
			emit(t, s, (char)(0x80 | (c >> 12 & 0x3f)));
		}
		emit(t, s, (char)(0x80 | (c >> 6 & 0x3f)));
	}
	emit(t, s, (char)(0x80 | (c & 0x3f)));
}

/* The first of two units whose second did not come. */
static void
end_half(struct tc_winscope_text *t, struct sink *s)
{
	if (t->high)
		emit_char(t, s, 0xfffd);
	t->high = 0;
}

/* A unit of \uXXXX is whole. */
static void
take_unit(struct tc_winscope_text *t, struct sink *s)
{
	bool is_low = t->unit >= 0xdc00 && t->unit < 0xe000;

	if (is_low && t->high) {
		emit_char(t, s, 0x10000 + ((t->high - 0xd800) << 10) + t->unit - 0xdc00);
		t->high = 0;
		return;
	}
	end_half(t, s);
	if (t->unit >= 0xd800 && t->unit < 0xdc00)
		t->high = t->unit;
	else
		emit_char(t, s, is_low ? 0xfffd : t->unit);
}

static int
take_digit(struct tc_winscope_text *t, struct sink *s, char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *at = c ? strchr(digits, c >= 'A' && c <= 'F' ? c + 32 : c) : NULL;

	if (!at)
		return -1;
	t->unit = t->unit << 4 | (uint32_t)(at - digits);
	if (--t->digits == 0)
		take_unit(t, s);
	return 0;
}

static int
take_escape(struct tc_winscope_text *t, struct sink *s, char c)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const char *at = c ? strchr(from, c) : NULL;

	t->is_escaped = false;
	if (c == 'u') {
		t->digits = 4;
		t->unit = 0;
		return 0;
	}
	if (!at)
		return -1;
	end_half(t, s);
	emit(t, s, to[at - from]);
	return 0;
}

/* Inside quotes: 1 at their end. */
static int
take_char(struct tc_winscope_text *t, struct sink *s, char c)
{
	if (t->digits)
		return take_digit(t, s, c);
	if (t->is_escaped)
		return take_escape(t, s, c);
	if (c == '\\') {
		t->is_escaped = true;
		return 0;
	}
	if ((unsigned char)c < 0x20)
		return -1;
	end_half(t, s);
	if (c == '"')
		return 1;
	emit(t, s, c);
	return 0;
}

static int
take_key(struct tc_winscope_text *t, struct sink *s, char c)
{
	int r = take_char(t, s, c);

	if (r == 1 && t->key[t->at])
		s->is_other = true;
	if (r == 1)
		t->state = TC_WINSCOPE_TEXT_COLON;
	return r < 0 || s->is_other ? -1 : 0;
}

static int
take_null(struct tc_winscope_text *t, char c)
{
	static const char word[] = "null";

	if (c != word[t->at])
		return -1;
	if (++t->at == sizeof(word) - 1) {
		t->is_null = true;
		t->state = TC_WINSCOPE_TEXT_CLOSE;
	}
	return 0;
}

/* Outside of quotes. */
static int
take_mark(struct tc_winscope_text *t, char c)
{
	enum tc_winscope_text_state next = t->state;

	if (is_blank(c))
		return 0;
	if (t->state == TC_WINSCOPE_TEXT_START && t->key && c == '{')
		next = TC_WINSCOPE_TEXT_OBJECT;
	else if (t->state == TC_WINSCOPE_TEXT_START && !t->key && c == '"')
		next = TC_WINSCOPE_TEXT_STRING;
	else if (t->state == TC_WINSCOPE_TEXT_OBJECT && c == '"')
		next = TC_WINSCOPE_TEXT_KEY;
	else if (t->state == TC_WINSCOPE_TEXT_COLON && c == ':')
		next = TC_WINSCOPE_TEXT_VALUE;
	else if (t->state == TC_WINSCOPE_TEXT_VALUE && c == '"')
		next = TC_WINSCOPE_TEXT_STRING;
	else if (t->state == TC_WINSCOPE_TEXT_VALUE && c == 'n') {
		t->at = 1;
		next = TC_WINSCOPE_TEXT_NULL;
	} else if (t->state == TC_WINSCOPE_TEXT_CLOSE && c == '}')
		next = TC_WINSCOPE_TEXT_END;
	else
		return -1;
	t->state = next;
	return 0;
}

static int
take_one(struct tc_winscope_text *t, struct sink *s, char c)
{
	int r;

	if (t->state == TC_WINSCOPE_TEXT_KEY)
		return take_key(t, s, c);
	if (t->state == TC_WINSCOPE_TEXT_NULL)
		return take_null(t, c);
	if (t->state != TC_WINSCOPE_TEXT_STRING)
		return take_mark(t, c);
	r = take_char(t, s, c);
	if (r == 1)
		t->state = t->key ? TC_WINSCOPE_TEXT_CLOSE : TC_WINSCOPE_TEXT_END;
	return r < 0 ? -1 : 0;
}

/* A stretch inside quotes in which nothing means anything else, for speed. */
static size_t
take_plain(
	const struct tc_winscope_text *t, struct sink *s, const char *bytes, size_t len)
{
	size_t n = 0;

	if (t->state != TC_WINSCOPE_TEXT_STRING || t->digits || t->is_escaped || t->high)
		return 0;
	while (n < len && (unsigned char)bytes[n] >= 0x20 && bytes[n] != '"' &&
		bytes[n] != '\\')
		n++;
	memcpy(s->out + s->len, bytes, n);
	s->len += n;
	return n;
}

int
tc_winscope_text_feed(struct tc_winscope_text *t, const char *bytes, size_t len,
	char *out, size_t *out_len, struct tc_err *err)
{
	struct sink s = { .out = out };
	size_t i = 0;

	while ((i += take_plain(t, &s, bytes + i, len - i)) < len)
		if (take_one(t, &s, bytes[i++]) < 0)
			return malformed(s.is_other ? "about another file"
					: t->key    ? "no JSON object with a file"
						    : "no JSON text",
				err);
	*out_len = s.len;
	return 0;
}

bool
tc_winscope_text_is_whole(const struct tc_winscope_text *t)
{
	return t->state == TC_WINSCOPE_TEXT_END;
}

/* ---- base64 ---- */

static const char letters[] =
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static int
value_of(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* Padding: after two letters two, after three one, and nothing behind it. */
static int
take_pad(struct tc_winscope_base64 *b)
{
	if (b->have + b->pads < 2 || b->have + b->pads > 3)
		return -1;
	b->pads++;
	return 0;
}

int
tc_winscope_base64_feed(struct tc_winscope_base64 *b, const char *text, size_t len,
	uint8_t *out, size_t *out_len)
{
	uint8_t *p = out;
	size_t i;
	int v;

	for (i = 0; i < len; i++) {
		if (text[i] == '\n' || text[i] == '\r')
			continue;
		if (text[i] == '=') {
			if (take_pad(b) < 0)
				return -1;
			continue;
		}
		v = value_of(text[i]);
		if (v < 0 || b->pads)
			return -1;
		b->bits = b->bits << 6 | (uint32_t)v;
		/* A byte with each letter but the first of four. */
		if (b->have)
			*p++ = (uint8_t)(b->bits >> (6 - 2 * b->have));
		b->have = (b->have + 1) % 4;
	}
	*out_len = (size_t)(p - out);
	return 0;
}

bool
tc_winscope_base64_is_whole(const struct tc_winscope_base64 *b)
{
	return b->have == 0 || b->have + b->pads == 4;
}

char *
tc_winscope_base64_of(const char *bytes, size_t len)
{
	char *text = tc_mem_alloc(len / 3 * 4 + 5), *p = text;
	uint32_t bits;
	size_t i, n;

	for (i = 0; i < len; i += 3) {
		n = len - i < 3 ? len - i : 3;
		bits = (uint32_t)(uint8_t)bytes[i] << 16;
		if (n > 1)
			bits |= (uint32_t)(uint8_t)bytes[i + 1] << 8;
		if (n > 2)
			bits |= (uint8_t)bytes[i + 2];
		*p++ = letters[bits >> 18];
		*p++ = letters[bits >> 12 & 63];
		*p++ = n > 1 ? letters[bits >> 6 & 63] : '=';
		*p++ = n > 2 ? letters[bits & 63] : '=';
	}
	*p = '\0';
	return text;
}

/* ---- a command and what it printed ---- */

static bool
is_utf8(const char *text)
{
	size_t len = strlen(text), i, n;

	for (i = 0; i < len; i += n) {
		n = tc_str_char(text + i, len - i);
		if (!n)
			return false;
	}
	return true;
}

/*
 * A shell of its own, so that whatever the command does to its shell, the marks come.
 * They do not stand in the command as they are printed, since adb's failures begin
 * with the command. A command that is no UTF-8 cannot be part of a request as it is.
 */
char *
tc_winscope_wrapped(const char *command, const char *mark)
{
	char *base64 = NULL, *word, *text;

	if (is_utf8(command))
		word = tc_winscope_quoted(command);
	else {
		base64 = tc_winscope_base64_of(command, strlen(command));
		word = tc_winscope_print("\"$(echo %s | base64 -d)\"", base64);
	}
	text = tc_winscope_print("echo '<''%s'; "
				 "{ sh -c %s </dev/null 2>&1; echo \" $?\"; } | base64; "
				 "echo '<''%s'",
		mark + 1, word, mark + 1);
	free(word);
	free(base64);
	return text;
}

/* Rolls on: the end says what went wrong. */
static void
keep_said(struct tc_winscope_output *o, char c)
{
	if (o->said_len == TC_WINSCOPE_SAID)
		memmove(o->said, o->said + 1, --o->said_len);
	o->said[o->said_len++] = c;
	o->said[o->said_len] = '\0';
}

/* Whether the mark has ended with this character. Its first one is in it only once. */
static bool
match(struct tc_winscope_output *o, char c)
{
	if (o->mark[o->matched] == c)
		o->matched++;
	else
		o->matched = o->mark[0] == c;
	if (o->mark[o->matched])
		return false;
	o->matched = 0;
	return true;
}

/* Bytes of the output; what may be the status is held back. */
static void
put_data(struct tc_winscope_output *o, const uint8_t *bytes, size_t len, uint8_t *out,
	size_t *out_len)
{
	size_t all = o->tail_len + len, give, n;

	give = all > TC_WINSCOPE_TAIL ? all - TC_WINSCOPE_TAIL : 0;
	n = give < o->tail_len ? give : o->tail_len;
	memcpy(out + *out_len, o->tail, n);
	memmove(o->tail, o->tail + n, o->tail_len - n);
	o->tail_len -= n;
	if (give > n)
		memcpy(out + *out_len + n, bytes, give - n);
	memcpy(o->tail + o->tail_len, bytes + (give - n), len - (give - n));
	o->tail_len += len - (give - n);
	*out_len += give;
}

/* " STATUS\n" ends it. */
static int
take_status(struct tc_winscope_output *o, uint8_t *out, size_t *out_len)
{
	size_t at = o->tail_len, i;

	if (!tc_winscope_base64_is_whole(&o->base64) || !at || o->tail[at - 1] != '\n')
		return -1;
	while (at && o->tail[at - 1] != ' ')
		at--;
	if (!at || o->tail_len - at < 2 || o->tail_len - at > 4)
		return -1;
	for (o->status = 0, i = at; i + 1 < o->tail_len; i++) {
		if (o->tail[i] < '0' || o->tail[i] > '9')
			return -1;
		o->status = o->status * 10 + o->tail[i] - '0';
	}
	memcpy(out + *out_len, o->tail, at - 1);
	*out_len += at - 1;
	o->tail_len = 0;
	o->state = TC_WINSCOPE_AFTER;
	return o->status > 255 ? -1 : 0;
}

/* A stretch of base64 up to a mark: how much was used, or -1. */
static int64_t
take_data(struct tc_winscope_output *o, const char *text, size_t len, uint8_t *out,
	size_t *out_len)
{
	uint8_t bytes[256];
	size_t n = 0, made;

	if (o->matched || text[0] == o->mark[0]) {
		if (o->mark[o->matched] != text[0])
			return -1;
		if (match(o, text[0]) && take_status(o, out, out_len) < 0)
			return -1;
		return 1;
	}
	while (n < len && n < sizeof(bytes) && text[n] != o->mark[0])
		n++;
	if (tc_winscope_base64_feed(&o->base64, text, n, bytes, &made) < 0)
		return -1;
	put_data(o, bytes, made, out, out_len);
	return (int64_t)n;
}

int
tc_winscope_output_feed(struct tc_winscope_output *o, const char *text, size_t len,
	uint8_t *out, size_t *out_len, struct tc_err *err)
{
	size_t at = 0;
	int64_t n;

	*out_len = 0;
	while (at < len && o->state == TC_WINSCOPE_BEFORE) {
		keep_said(o, text[at]);
		if (match(o, text[at++]))
			o->state = TC_WINSCOPE_DATA;
	}
	while (at < len && o->state == TC_WINSCOPE_DATA) {
		n = take_data(o, text + at, len - at, out, out_len);
		if (n < 0)
			return malformed("not what the device was told to print", err);
		at += (size_t)n;
	}
	return 0;
}

/* ---- requests ---- */

static char *
put_string(char *p, const char *text)
{
	*p++ = '"';
	for (; *text; text++) {
		if (*text == '"' || *text == '\\') {
			*p++ = '\\';
			*p++ = *text;
		} else if ((unsigned char)*text < 0x20)
			p += sprintf(p, "\\u%04x", (unsigned)*text);
		else
			*p++ = *text;
	}
	*p++ = '"';
	return p;
}

char *
tc_winscope_object(const char *const *pairs)
{
	size_t size = 3, i;
	char *text, *p;

	for (i = 0; pairs[i]; i++)
		size += strlen(pairs[i]) * 6 + 4;
	p = text = tc_mem_alloc(size);
	*p++ = '{';
	for (i = 0; pairs[i]; i++) {
		if (i)
			*p++ = i % 2 ? ':' : ',';
		p = put_string(p, pairs[i]);
	}
	*p++ = '}';
	*p = '\0';
	return text;
}

/* ---- lists ---- */

enum { DEVICES_MAX = 256, MODEL_MAX = 128, ERRORS_MAX = 256, ERROR_TEXT_MAX = 1000 };

/* No list, or too long a one: what begins as one, and does not end, was cut off. */
static int
no_list(struct tc_str answer, const char *what, struct tc_err *err)
{
	size_t len = answer.len;

	while (len && is_blank(answer.p[len - 1]))
		len--;
	if (!len || (answer.p[0] == '[' && answer.p[len - 1] != ']'))
		return tc_err_named(err, TC_NOSERVICE, "gone",
			"the proxy was lost in the middle of its answer");
	return malformed(what, err);
}

static int
read_list(struct tc_json *reader, struct tc_str answer, size_t most, const char *what,
	struct tc_json_val *list, struct tc_err *err)
{
	if (tc_json_parse(reader, answer, list, err) == 0 && tc_json_is_arr(*list) &&
		tc_json_size(*list) <= most)
		return 0;
	tc_json_release(reader);
	return no_list(answer, what, err);
}

bool
tc_winscope_is_serial(const char *serial)
{
	static const char allowed[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
		"0123456789._:/-";
	size_t len = strlen(serial);

	return len && len <= 256 && strspn(serial, allowed) == len;
}

static bool
has_nul(struct tc_str s)
{
	return memchr(s.p, '\0', s.len) != NULL;
}

/* Names of models have blanks; adb's own lists have underscores there. */
static const char *
model_of(struct tc_json_val device, struct tc_arena *arena)
{
	struct tc_str s;
	char *model, *p;

	if (!tc_json_get_str(tc_json_member(device, "model"), &s) || !s.len ||
		s.len > MODEL_MAX || has_nul(s))
		return NULL;
	model = tc_arena_dup(arena, s.p, s.len);
	for (p = model; *p; p++)
		if ((unsigned char)*p <= ' ' || *p == 0x7f)
			*p = '_';
	return model;
}

static int
take_device(struct tc_json_val v, struct tc_arena *arena, struct tc_winscope_info *info,
	struct tc_err *err)
{
	struct tc_str id;

	if (!tc_json_is_obj(v) || !tc_json_get_str(tc_json_member(v, "id"), &id) ||
		!tc_json_get_bool(tc_json_member(v, "authorized"), &info->is_authorized))
		return malformed("no list of devices", err);
	info->serial = tc_arena_str(arena, id).p;
	if (has_nul(id) || !tc_winscope_is_serial(info->serial))
		return malformed("about a device of a name that cannot be", err);
	info->model = model_of(v, arena);
	return 0;
}

int
tc_winscope_devices(struct tc_str answer, struct tc_arena *arena,
	struct tc_winscope_info **list, size_t *count, struct tc_err *err)
{
	struct tc_json reader = { 0 };
	struct tc_json_iter it;
	struct tc_json_val root, v;
	struct tc_str key;
	int r = 0;

	if (read_list(&reader, answer, DEVICES_MAX, "no list of devices", &root, err) < 0)
		return -1;
	*list = tc_arena_calloc(arena, (tc_json_size(root) + 1) * sizeof(**list));
	*count = 0;
	it = tc_json_iter(root);
	while (r == 0 && tc_json_next(&it, &key, &v) == 1) {
		r = take_device(v, arena, &(*list)[*count], err);
		(*count)++;
	}
	tc_json_release(&reader);
	return r;
}

int
tc_winscope_errors(struct tc_str answer, struct tc_arena *arena, const char **errors,
	struct tc_err *err)
{
	struct tc_json reader = { 0 };
	struct tc_json_iter it;
	struct tc_json_val root, v;
	struct tc_str s, key;
	char *text, *p;
	int r = 0;

	if (read_list(&reader, answer, ERRORS_MAX, "no list of errors", &root, err) < 0)
		return -1;
	p = text = tc_arena_alloc(arena, tc_json_size(root) * (ERROR_TEXT_MAX + 1) + 1);
	it = tc_json_iter(root);
	while (tc_json_next(&it, &key, &v) == 1) {
		if (!tc_json_get_str(v, &s)) {
			r = malformed("no list of errors", err);
			break;
		}
		s.len = s.len < ERROR_TEXT_MAX ? s.len : ERROR_TEXT_MAX;
		memcpy(p, s.p, s.len);
		p += s.len;
		*p++ = '\n';
	}
	*p = '\0';
	*errors = text;
	tc_json_release(&reader);
	return r;
}

/* ---- versions ---- */

/* The proxy's rule for its clients, and the version that this one was written for. */
bool
tc_winscope_is_version(const char *version)
{
	static const unsigned ours[3] = { 6, 0, 2 };
	unsigned theirs[3];
	int end = 0;

	if (strlen(version) > 20 || strspn(version, "0123456789.") != strlen(version) ||
		sscanf(version, "%5u.%5u.%5u%n", &theirs[0], &theirs[1], &theirs[2],
			&end) != 3 ||
		version[end] || theirs[0] != ours[0])
		return false;
	if (theirs[1] == ours[1])
		return theirs[2] >= ours[2];
	return theirs[1] > ours[1];
}
