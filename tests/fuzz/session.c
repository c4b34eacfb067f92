/*
 * Fuzz target of session: lines of bytes are targets, sessions or devices; whatever
 * they are, a dry run of each mode writes records, and nothing of a path, a name or
 * a setting gets out of its quotes. As bytes they are also what Perfetto says of
 * its sessions.
 */
#include "fuzz.h"

#include <string.h>

#include "cli/cli.h"
#include "err/err.h"
#include "io/io.h"
#include "session/priv.h"

enum { ROOM = 1024 * 1024, MAX_LINES = 24 };

static struct tc_json json;
static struct tc_arena arena;

static void
add_line(struct tc_session *s, const char *line, size_t len)
{
	struct tc_rec_session session;
	struct tc_rec_target target;
	struct tc_rec_device device;
	struct tc_json_val v;
	struct tc_err err = { 0 };

	if (tc_json_parse(&json, (struct tc_str){ line, (uint32_t)len, false }, &v, &err))
		return;
	if (tc_rec_get(&tc_rec_device, v, &arena, &device, &err) == 0)
		tc_session_add_device(s, &device);
	err = (struct tc_err){ 0 };
	if (tc_rec_get(&tc_rec_target, v, &arena, &target, &err) == 0)
		FUZZ_DEMAND(tc_session_add_target(s, &target, &err) == 0 ||
			(err.code == TC_DATA && err.msg[0]));
	err = (struct tc_err){ 0 };
	if (tc_rec_get(&tc_rec_session, v, &arena, &session, &err) == 0)
		FUZZ_DEMAND(tc_session_add_session(s, &session, &err) == 0 ||
			(err.code == TC_DATA && err.msg[0]));
}

/* Outside of quotes, a command of ours is made of these. */
static void
demand_quoted(struct tc_str text)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 -%&/.;_";
	bool is_quoted = false;
	size_t i;

	for (i = 0; i < text.len; i++) {
		if (text.p[i] == '\'')
			is_quoted = !is_quoted;
		else if (!is_quoted && text.p[i] == '\\')
			FUZZ_DEMAND(++i < text.len && text.p[i] == '\'');
		else if (!is_quoted)
			FUZZ_DEMAND(memchr(plain, text.p[i], sizeof(plain) - 1));
	}
	FUZZ_DEMAND(!is_quoted);
}

static void
check_line(struct tc_str line)
{
	static const char *const ours[] = { "find", "copy", "delete", "settings",
		"restore" };
	struct tc_rec_command command;
	struct tc_json_val v;
	struct tc_err err = { 0 };
	size_t i;

	FUZZ_DEMAND(tc_json_parse(&json, line, &v, &err) == 0);
	FUZZ_DEMAND(tc_rec_get(&tc_rec_command, v, &arena, &command, &err) == 0);
	for (i = 0; i < sizeof(ours) / sizeof(*ours); i++)
		if (tc_str_eq(command.phase, tc_str_of(ours[i])))
			demand_quoted(command.text);
}

static void
check_output(const struct tc_out *o)
{
	const char *line = o->buf, *end = o->buf + o->len, *newline;

	while (line < end && (newline = memchr(line, '\n', (size_t)(end - line)))) {
		check_line((struct tc_str){ line, (uint32_t)(newline - line), false });
		line = newline + 1;
	}
	FUZZ_DEMAND(line == end);
}

static void
run_dry(const uint8_t *bytes, size_t len, const char *takes,
	int (*mode)(struct tc_session *, struct tc_out *, struct tc_err *))
{
	struct tc_cli cli = TC_CLI_INIT("tc-session", "");
	struct tc_session s = {
		.cli = &cli, .name = "adb:", .takes = takes, .dry_run = true
	};
	struct tc_out o = { .fd = -1, .cap = ROOM };
	const char *p = (const char *)bytes, *end = p + len, *newline;
	struct tc_err err = { 0 };
	int lines;

	for (lines = 0; p < end && lines < MAX_LINES; lines++) {
		newline = memchr(p, '\n', (size_t)(end - p));
		if (!newline)
			newline = end;
		add_line(&s, p, (size_t)(newline - p));
		p = newline + (newline < end);
	}
	o.buf = tc_arena_alloc(&arena, o.cap);
	FUZZ_DEMAND(mode(&s, &o, &err) == 0);
	/* A few bytes of input make many of output only by repetition. */
	if (!o.sys)
		check_output(&o);
	tc_session_release(&s);
	tc_arena_reset(&arena);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	if (len > 16 * 1024)
		return 0;
	run_dry(bytes, len, "trace", tc_session_run);
	run_dry(bytes, len, "trace", tc_session_stop);
	run_dry(bytes, len, "dump", tc_session_dump);
	FUZZ_DEMAND(tc_session_is_up(bytes, len, "winscope proxy perfetto tracing") <= 1);
	return 0;
}
