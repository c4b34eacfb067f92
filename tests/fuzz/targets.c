/*
 * Fuzz target of targets: lines of bytes are requests, devices or what -t takes;
 * whatever they are, what comes out are records, and no command has more in it
 * than its table and the values that are allowed.
 */
#include "fuzz.h"

#include <string.h>

#include "err/err.h"
#include "io/io.h"
#include "rec/rec.h"
#include "targets/targets.h"

enum { ROOM = 8 * 1024 * 1024, MAX_LINES = 32 };

static struct tc_json json;
static struct tc_arena arena;

/* A record, or a text for -t; what is refused has a reason. */
static void
add_line(struct tc_targets *t, const char *line, size_t len)
{
	struct tc_str s = { line, (uint32_t)len, false };
	struct tc_json_val v;
	struct tc_rec_device device;
	struct tc_rec_request request;
	struct tc_err err = { 0 };

	if (tc_json_parse(&json, s, &v, &err)) {
		err = (struct tc_err){ 0 };
		FUZZ_DEMAND(tc_targets_add_text(
				    t, tc_arena_dup(&arena, line, len), &err) == 0 ||
			(err.code == TC_USAGE && err.msg[0]));
		return;
	}
	if (tc_rec_get(&tc_rec_device, v, &arena, &device, &err) == 0 && device.device.p)
		FUZZ_DEMAND(tc_targets_add_device(t, &device, &err) == 0);
	if (tc_rec_get(&tc_rec_request, v, &arena, &request, &err) == 0)
		FUZZ_DEMAND(tc_targets_add_request(t, &request, &err) == 0 ||
			(err.code == TC_DATA && err.msg[0]));
}

/* Nothing that a shell reads in a here-document; the $ at the end is the table's. */
static void
demand_tame(struct tc_str s)
{
	size_t i;

	for (i = 0; i < s.len; i++) {
		FUZZ_DEMAND(s.p[i] != '`' && s.p[i] != '\\');
		FUZZ_DEMAND(s.p[i] != '$' || i + 1 == s.len);
	}
}

static void
check_target(const struct tc_rec_target *r)
{
	const struct tc_rec_target_file *file = r->files.items;
	const struct tc_str *setup = r->setup.items;
	size_t i;

	FUZZ_DEMAND(r->start.len && r->stop.p && r->requests.count && r->files.count);
	FUZZ_DEMAND(tc_str_eq(r->via, TC_STR("perfetto")) == (r->config.p != NULL));
	demand_tame(r->start);
	for (i = 0; i < r->setup.count; i++)
		demand_tame(setup[i]);
	for (i = 0; i < r->files.count; i++) {
		demand_tame(file[i].path);
		FUZZ_DEMAND(!memchr(file[i].dest.p, '/', file[i].dest.len));
	}
}

static void
check_output(const struct tc_out *o)
{
	const char *line = o->buf, *end;
	struct tc_rec_target target;
	struct tc_json_val v;
	struct tc_err err = { 0 };
	struct tc_str type;

	for (; line < o->buf + o->len; line = end + 1) {
		end = memchr(line, '\n', (size_t)(o->buf + o->len - line));
		FUZZ_DEMAND(end);
		FUZZ_DEMAND(
			tc_json_parse(&json,
				(struct tc_str){ line, (uint32_t)(end - line), false },
				&v, &err) == 0);
		FUZZ_DEMAND(tc_json_get_str(tc_json_member(v, "type"), &type));
		if (!tc_str_eq(type, TC_STR("target")))
			continue;
		FUZZ_DEMAND(tc_rec_get(&tc_rec_target, v, &arena, &target, &err) == 0);
		check_target(&target);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	static char *room;
	struct tc_targets t = { .numbers = TC_TARGETS_NUMBERS_INIT };
	const char *line = (const char *)bytes, *all = line + len, *end;
	struct tc_out out;
	struct tc_err err = { 0 };
	bool idle;
	int lines;

	if (!room)
		room = malloc(ROOM);
	FUZZ_DEMAND(room);
	out = (struct tc_out){ .fd = -1, .buf = room, .cap = ROOM };
	for (lines = 0; line < all && lines < MAX_LINES; line = end + 1, lines++) {
		end = memchr(line, '\n', (size_t)(all - line));
		if (!end)
			end = all;
		add_line(&t, line, (size_t)(end - line));
	}
	/* Without a device, what there are targets for is assumed. */
	if (!t.device_count)
		FUZZ_DEMAND(tc_targets_assume(&t, len & 1 ? "all" : "none", &err) == 0);
	if (tc_targets_plan(&t, &out, &idle, &err))
		FUZZ_DEMAND(err.code == TC_USAGE && err.msg[0] && !out.len);
	else if (!out.sys)
		check_output(&out);
	tc_targets_release(&t);
	tc_arena_reset(&arena);
	return 0;
}
