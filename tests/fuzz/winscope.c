/*
 * Fuzz target of winscope: any bytes as what a proxy says. The first byte chooses to
 * what: a command, a file, the lists; or what it is told, which comes back as it was.
 */
#include "fuzz.h"

#include <string.h>

#include "err/err.h"
#include "json/json.h"
#include "winscope/priv.h"

static const char mark[] = "<tc-0123456789abcdef>";

/* Sums up what came, so that two ways to read it can be compared. */
static void
note(uint64_t *sum, const void *bytes, size_t len)
{
	const uint8_t *p = bytes;

	while (len--)
		*sum = (*sum ^ *p++) * 0x100000001b3u;
}

static bool
is_known(const struct tc_err *err)
{
	return err->msg[0] &&
		(err->code == TC_PROTOCOL || err->code == TC_NOSERVICE ||
			err->code == TC_DENIED || err->code == TC_AGAIN);
}

/* ---- a command ---- */

static uint64_t
read_command(const char *bytes, size_t len, size_t step)
{
	char text[TC_WINSCOPE_PIECE + TC_WINSCOPE_TEXT_MORE];
	uint8_t out[sizeof(text) + TC_WINSCOPE_TAIL];
	struct tc_winscope_output o = { 0 };
	struct tc_winscope_text t = { 0 };
	struct tc_err err = { 0 };
	size_t used, n, made;
	uint64_t sum = 1;

	memcpy(o.mark, mark, sizeof(mark));
	for (used = 0; used < len; used += n) {
		n = len - used < step ? len - used : step;
		if (tc_winscope_text_feed(&t, bytes + used, n, text, &made, &err) < 0 ||
			tc_winscope_output_feed(&o, text, made, out, &made, &err) < 0) {
			FUZZ_DEMAND(is_known(&err));
			return 2;
		}
		FUZZ_DEMAND(made <= sizeof(out) && o.tail_len <= TC_WINSCOPE_TAIL);
		note(&sum, out, made);
	}
	FUZZ_DEMAND(strlen(o.said) == o.said_len || memchr(o.said, '\0', o.said_len));
	if (tc_winscope_text_is_whole(&t) && o.state == TC_WINSCOPE_AFTER) {
		FUZZ_DEMAND(o.status >= 0 && o.status <= 255);
		note(&sum, &o.status, sizeof(o.status));
	}
	return sum;
}

/* ---- a file ---- */

enum { FILE_MAX = 1 << 20 };

struct got {
	uint64_t sum;
	size_t len;
};

static int
put(void *ctx, const uint8_t *bytes, size_t len, struct tc_err *err)
{
	struct got *g = ctx;

	FUZZ_DEMAND(len > 0);
	if (len > FILE_MAX - g->len)
		return tc_err_named(err, TC_PROTOCOL, "protocol", "too much of it");
	g->len += len;
	note(&g->sum, bytes, len);
	return 0;
}

static uint64_t
read_file(const char *bytes, size_t len, size_t step)
{
	struct tc_winscope_file f = { .text.key = "/f" };
	struct tc_err err = { 0 };
	struct got g = { 1, 0 };
	size_t used, n;
	int r = 0;

	tc_winscope_gunzip_init(&f.gunzip);
	for (used = 0; r == 0 && used < len; used += n) {
		n = len - used < step ? len - used : step;
		r = tc_winscope_file_feed(&f, bytes + used, n, put, &g, &err);
	}
	if (r == 0)
		r = tc_winscope_file_end(&f, &err);
	tc_winscope_gunzip_release(&f.gunzip);
	FUZZ_DEMAND(r >= 0 || is_known(&err));
	return r < 0 ? 2 : r == 0 ? 3 : g.sum;
}

/* ---- lists ---- */

static void
read_devices(struct tc_str answer, struct tc_arena *arena)
{
	struct tc_winscope_info *list;
	struct tc_err err = { 0 };
	size_t count, i;

	if (tc_winscope_devices(answer, arena, &list, &count, &err) < 0) {
		FUZZ_DEMAND(is_known(&err));
		return;
	}
	for (i = 0; i < count; i++) {
		FUZZ_DEMAND(tc_winscope_is_serial(list[i].serial));
		FUZZ_DEMAND(!list[i].model || !strpbrk(list[i].model, " \n\t\x7f\x1b"));
	}
}

static void
read_errors(struct tc_str answer, struct tc_arena *arena)
{
	const char *errors = NULL;
	struct tc_err err = { 0 };

	if (tc_winscope_errors(answer, arena, &errors, &err) < 0)
		FUZZ_DEMAND(is_known(&err));
	else
		FUZZ_DEMAND(errors);
}

static void
take_entry(void *ctx, const char *name, const struct tc_winscope_stat *st)
{
	(void)ctx;
	FUZZ_DEMAND(*name && !strchr(name, '/') && st->size >= 0);
}

/* ---- words ---- */

static void
show_words(const char *bytes, size_t len)
{
	struct tc_winscope_proxy p = { .token = "abcde" };
	char words[64], version[64];
	size_t n = len < sizeof(version) - 1 ? len : sizeof(version) - 1;

	tc_winscope_words(&p, bytes, len, words, sizeof(words));
	FUZZ_DEMAND(!strstr(words, "abcde") && !strpbrk(words, "\n\r\x1b\x7f"));
	memcpy(version, bytes, n);
	version[n] = '\0';
	FUZZ_DEMAND(!tc_winscope_is_version(version) || strtol(version, NULL, 10) == 6);
}

/* What a request says is what was meant, whatever is in it. */
static void
tell(const char *text)
{
	const char *pairs[] = { "cmd", text, "more", text, NULL };
	char *wrapped = tc_winscope_wrapped(text, mark), *object;
	struct tc_json reader = { 0 };
	struct tc_json_val root;
	struct tc_err err = { 0 };
	struct tc_str s;

	FUZZ_DEMAND(strstr(text, mark) || !strstr(wrapped, mark));
	pairs[3] = wrapped;
	object = tc_winscope_object(pairs + 2);
	FUZZ_DEMAND(tc_json_parse(&reader, tc_str_of(object), &root, &err) == 0);
	FUZZ_DEMAND(tc_json_get_str(tc_json_member(root, "more"), &s) &&
		tc_str_eq(s, tc_str_of(wrapped)));
	tc_json_release(&reader);
	free(object);
	free(wrapped);
}

int
LLVMFuzzerTestOneInput(const uint8_t *input, size_t len)
{
	struct tc_arena arena = { 0 };
	struct tc_err err = { 0 };
	struct tc_str answer;
	char *bytes;
	uint8_t to;

	if (!len || len > 1 << 20)
		return 0;
	to = *input++ % 7;
	len--;
	bytes = tc_arena_alloc(&arena, len + 1);
	memcpy(bytes, input, len);
	bytes[len] = '\0';
	answer = (struct tc_str){ bytes, (uint32_t)len, false };
	if (to == 0)
		FUZZ_DEMAND(read_command(bytes, len, TC_WINSCOPE_PIECE) ==
			read_command(bytes, len, 1));
	else if (to == 1)
		FUZZ_DEMAND(read_file(bytes, len, len + 1) == read_file(bytes, len, 1));
	else if (to == 2)
		read_devices(answer, &arena);
	else if (to == 3)
		read_errors(answer, &arena);
	else if (to == 4)
		show_words(bytes, len);
	else if (to == 5)
		tc_winscope_entries(bytes, len, "/d", take_entry, NULL, &err);
	else
		tell(bytes);
	tc_arena_release(&arena);
	return 0;
}
