#include "targets/priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * What stands for a value in the texts of the table:
 *
 *   @key@     the word of a choice; of a flag, 1 or 0
 *   @id@      the display
 *   @-x@      " -x ID", or nothing for the display that is active
 *   @flags@   a line for each flag that is set, in the order of the request
 *   @mask@    the bits of the flags that are set
 *   @groups@  the lines about groups of ProtoLog
 */

void
tc_targets_add_bytes(struct tc_targets_text *t, struct tc_str s)
{
	tc_mem_grow(&t->p, &t->cap, t->len + s.len + 1, 1);
	if (s.len)
		memcpy(t->p + t->len, s.p, s.len);
	t->len += s.len;
}

void
tc_targets_add_cstr(struct tc_targets_text *t, const char *s)
{
	tc_targets_add_bytes(t, tc_str_of(s));
}

struct tc_str
tc_targets_take(struct tc_targets_text *t, struct tc_arena *arena)
{
	struct tc_str s = { tc_arena_dup(arena, t->p, t->len), (uint32_t)t->len, false };

	t->len = 0;
	return s;
}

static void
add_flags(struct tc_targets_text *t, const struct tc_targets_request *r)
{
	size_t i;

	for (i = 0; i < r->count; i++) {
		if (!r->values[i].option->perfetto)
			continue;
		tc_targets_add_cstr(t, "      trace_flags: ");
		tc_targets_add_cstr(t, r->values[i].option->perfetto);
		tc_targets_add_cstr(t, "\n");
	}
}

static void
add_mask(struct tc_targets_text *t, const struct tc_targets_request *r)
{
	char number[16];
	int mask = 0;
	size_t i;

	for (i = 0; i < r->count; i++)
		mask |= r->values[i].option->bit;
	snprintf(number, sizeof(number), "%d", mask);
	tc_targets_add_cstr(t, number);
}

static void
add_groups(struct tc_targets_text *t, const struct tc_targets_request *r)
{
	size_t i;

	tc_targets_add_cstr(t,
		r->count ? "      tracing_mode: DEFAULT\n"
			 : "      tracing_mode: ENABLE_ALL\n");
	for (i = 0; i < r->count; i++) {
		tc_targets_add_cstr(t, "      group_overrides {\n        group_name: \"");
		tc_targets_add_bytes(t, r->values[i].text);
		tc_targets_add_cstr(t, "\"\n        collect_stacktrace: ");
		tc_targets_add_cstr(t, r->values[i].stacktrace ? "true" : "false");
		tc_targets_add_cstr(
			t, "\n        log_from: PROTOLOG_LEVEL_VERBOSE\n      }\n");
	}
}

static void
add_choice(struct tc_targets_text *t, const struct tc_targets_request *r,
	const struct tc_targets_option *o, bool perfetto)
{
	struct tc_str chosen = tc_targets_choice(r, o);
	const struct tc_targets_word *w;

	for (w = o->words; w->word; w++)
		if (tc_str_eq(tc_str_of(w->word), chosen))
			tc_targets_add_cstr(t, perfetto ? w->perfetto : w->word);
}

static void
add_option(struct tc_targets_text *t, struct tc_str key,
	const struct tc_targets_request *r, bool perfetto)
{
	const struct tc_targets_option *o = tc_targets_find_option(r->target, key);

	if (o && o->kind == TC_TARGETS_CHOICE)
		add_choice(t, r, o, perfetto);
	if (o && o->kind == TC_TARGETS_FLAG)
		tc_targets_add_cstr(t, tc_targets_has_flag(r, o) ? "1" : "0");
}

static void
add_placeholder(struct tc_targets_text *t, struct tc_str key,
	const struct tc_targets_request *r, struct tc_str id, bool perfetto)
{
	if (tc_str_eq(key, TC_STR("id"))) {
		tc_targets_add_bytes(t, id);
	} else if (tc_str_eq(key, TC_STR("flags"))) {
		add_flags(t, r);
	} else if (tc_str_eq(key, TC_STR("mask"))) {
		add_mask(t, r);
	} else if (tc_str_eq(key, TC_STR("groups"))) {
		add_groups(t, r);
	} else if (key.len && *key.p == '-') {
		if (tc_str_eq(id, TC_STR("active")))
			return;
		tc_targets_add_cstr(t, " ");
		tc_targets_add_bytes(t, key);
		tc_targets_add_cstr(t, " ");
		tc_targets_add_bytes(t, id);
	} else {
		add_option(t, key, r, perfetto);
	}
}

void
tc_targets_expand(struct tc_targets_text *t, const char *text,
	const struct tc_targets_request *r, struct tc_str id, bool perfetto)
{
	const char *at, *end;

	while ((at = strchr(text, '@')) && (end = strchr(at + 1, '@'))) {
		tc_targets_add_bytes(
			t, (struct tc_str){ text, (uint32_t)(at - text), false });
		add_placeholder(t,
			(struct tc_str){ at + 1, (uint32_t)(end - at - 1), false }, r, id,
			perfetto);
		text = end + 1;
	}
	tc_targets_add_cstr(t, text);
}
