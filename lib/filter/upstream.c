#include "filter/priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "err/err.h"
#include "rec/rec.h"

/* No pipe has more tools than this; further ones are not watched. */
enum { MAX_OPEN = 64, MAX_NAME = 63 };

struct tc_filter_open {
	char name[MAX_NAME + 1];
};

static int on_tool(struct tc_filter_run *run, struct tc_json_val obj, struct tc_err *err);
static int on_end(struct tc_filter_run *run, struct tc_json_val obj, struct tc_err *err);
static int on_error(
	struct tc_filter_run *run, struct tc_json_val obj, struct tc_err *err);
static int on_session(
	struct tc_filter_run *run, struct tc_json_val obj, struct tc_err *err);
static int on_file(struct tc_filter_run *run, struct tc_json_val obj, struct tc_err *err);

static const struct {
	const char *type;
	int (*fn)(struct tc_filter_run *, struct tc_json_val, struct tc_err *);
} table[] = {
	{ "tool", on_tool },
	{ "end", on_end },
	{ "error", on_error },
	{ "session", on_session },
	{ "file", on_file },
};

bool
tc_filter_is_name(struct tc_str s, const char *name)
{
	uint32_t i;

	for (i = 0; i < s.len; i++)
		if (!name[i] || s.p[i] != name[i])
			return false;
	return s.p && !name[i];
}

static struct tc_str
text_member(struct tc_json_val obj, const char *key)
{
	struct tc_str s = { 0 };

	tc_json_get_str(tc_json_member(obj, key), &s);
	return s;
}

/* A number that decides whether a stream can be believed; absent is fine. */
static int
number_member(
	struct tc_json_val obj, const char *key, int64_t *number, struct tc_err *err)
{
	struct tc_json_val v = tc_json_member(obj, key);

	if (!v.v || tc_json_is_null(v) || tc_json_get_int(v, number))
		return 0;
	return tc_err_set(err, TC_DATA, "field %s has a wrong value", key);
}

static void
copy_name(char *to, struct tc_str name)
{
	snprintf(to, MAX_NAME + 1, "%.*s",
		(int)(name.len < MAX_NAME ? name.len : MAX_NAME), name.p ? name.p : "");
}

static int
on_tool(struct tc_filter_run *run, struct tc_json_val obj, struct tc_err *err)
{
	int64_t contract = TC_CONTRACT;

	if (number_member(obj, "contract", &contract, err))
		return -1;
	if (contract != TC_CONTRACT)
		return tc_err_set(err, TC_DATA,
			"the records follow contract %lld, this tool knows %d",
			(long long)contract, TC_CONTRACT);
	if (run->open_count < MAX_OPEN) {
		tc_mem_grow(&run->open, &run->open_cap, run->open_count + 1,
			sizeof(*run->open));
		copy_name(run->open[run->open_count++].name, text_member(obj, "tool"));
	}
	return 0;
}

static int
on_end(struct tc_filter_run *run, struct tc_json_val obj, struct tc_err *err)
{
	struct tc_filter_open name;
	int64_t status = 0;
	size_t i = run->open_count;

	if (number_member(obj, "status", &status, err))
		return -1;
	run->upstream_failed |= status != TC_OK;
	/* A part that failed has its own record; the rest has none that tells of it. */
	run->upstream_broken |= status != TC_OK && status != TC_PARTIAL;
	copy_name(name.name, text_member(obj, "tool"));
	while (i > 0 && strcmp(run->open[i - 1].name, name.name) != 0)
		i--;
	if (i > 0) {
		run->open_count--;
		memmove(&run->open[i - 1], &run->open[i],
			(run->open_count - (i - 1)) * sizeof(*run->open));
	}
	return 0;
}

static int
on_error(struct tc_filter_run *run, struct tc_json_val obj, struct tc_err *err)
{
	(void)obj;
	(void)err;
	run->upstream_failed = true;
	return 0;
}

/* A device that was lost may come back; then a later record of the session says so. */
static int
on_session(struct tc_filter_run *run, struct tc_json_val obj, struct tc_err *err)
{
	struct tc_str state = text_member(obj, "state"), id = text_member(obj, "id");
	uint64_t hash = tc_mem_hash_bytes(id.p ? id.p : "", id.len), value;
	bool made;

	(void)err;
	run->upstream_failed |= tc_filter_is_name(state, "failed");
	if (tc_filter_is_name(state, "lost")) {
		tc_map_put(&run->lost, hash, id.len, &made);
		run->lost_count += made;
	} else if (tc_map_take(&run->lost, hash, id.len, &value))
		run->lost_count--;
	return 0;
}

static int
on_file(struct tc_filter_run *run, struct tc_json_val obj, struct tc_err *err)
{
	struct tc_str state = text_member(obj, "state");

	(void)err;
	run->upstream_failed |= state.p && !tc_filter_is_name(state, "moved");
	return 0;
}

const char *
tc_filter_upstream_type(size_t i)
{
	return i < sizeof(table) / sizeof(table[0]) ? table[i].type : NULL;
}

bool
tc_filter_is_upstream(struct tc_str type)
{
	size_t i;

	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (tc_filter_is_name(type, table[i].type))
			return true;
	return false;
}

int
tc_filter_upstream(struct tc_filter_run *run, struct tc_str type, struct tc_json_val obj,
	struct tc_err *err)
{
	size_t i;

	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (tc_filter_is_name(type, table[i].type))
			return table[i].fn(run, obj, err);
	return 0;
}

void
tc_filter_upstream_done(struct tc_filter_run *run)
{
	const char *name;
	char text[128];

	while (run->open_count > 0) {
		name = run->open[--run->open_count].name;
		snprintf(text, sizeof(text),
			"the output of %s ends without its end record",
			*name ? name : "a tool");
		tc_filter_error(
			run, "upstream_incomplete", text, tc_filter_quote(run, name));
		tc_cli_diag(run->cli, TC_ERROR, "upstream_incomplete", run->in->name,
			"%s", text);
		run->upstream_cut = true;
	}
}
