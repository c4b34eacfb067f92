/*
 * Fuzz target of rules: any bytes as a file of rules, and after a NUL, as lines of
 * metrics and devices. Whatever is accepted has a verdict that agrees with its parts.
 */
#include "fuzz.h"

#include <string.h>

#include "err/err.h"
#include "json/json.h"
#include "rec/rec.h"
#include "rules/priv.h"

static void
add_line(struct tc_rules *r, struct tc_json *json, struct tc_arena *arena,
	struct tc_str line)
{
	struct tc_rec_jank_metric m;
	struct tc_rec_device d;
	struct tc_json_val root;
	struct tc_err err;

	if (tc_json_parse(json, line, &root, &err) || !tc_json_is_obj(root))
		return;
	if (tc_json_member(root, "metric").v) {
		if (tc_rec_get(&tc_rec_jank_metric, root, arena, &m, &err) == 0)
			tc_rules_add_metric(r, &m);
	} else if (tc_rec_get(&tc_rec_device, root, arena, &d, &err) == 0) {
		tc_rules_add_device(r, &d);
	}
}

static void
add_lines(struct tc_rules *r, const char *p, size_t len)
{
	struct tc_json json = { 0 };
	struct tc_arena arena = { 0 };
	const char *end;
	size_t n;

	while (len) {
		end = memchr(p, '\n', len);
		n = end ? (size_t)(end - p) : len;
		add_line(r, &json, &arena, (struct tc_str){ p, (uint32_t)n, false });
		tc_arena_reset(&arena);
		n += end != NULL;
		p += n;
		len -= n;
	}
	tc_arena_release(&arena);
	tc_json_release(&json);
}

static void
check(const struct tc_rules *r)
{
	const struct tc_rules_rule *rule;
	const struct tc_rules_part *p;
	size_t i, parts = 0, judged, failed;

	for (rule = r->rules; rule < r->rules + r->count; rule++) {
		judged = failed = 0;
		for (i = 0; i < rule->parts; i++) {
			p = &r->parts[rule->first + i];
			FUZZ_DEMAND(&r->rules[p->rule] == rule);
			FUZZ_DEMAND(
				(p->verdict == TC_RULES_UNKNOWN) == (p->reason != NULL));
			judged += p->verdict != TC_RULES_UNKNOWN;
			failed += p->verdict == TC_RULES_FAIL;
		}
		parts += rule->parts;
		FUZZ_DEMAND(judged == rule->judged && failed == rule->failed);
		FUZZ_DEMAND(
			(rule->verdict == TC_RULES_UNKNOWN) == (rule->reason != NULL));
		FUZZ_DEMAND(rule->verdict == TC_RULES_UNKNOWN || judged > 0);
		if (rule->policy.how == TC_RULES_ALL && failed)
			FUZZ_DEMAND(rule->verdict == TC_RULES_FAIL);
		if (rule->policy.how == TC_RULES_ANY && judged > failed)
			FUZZ_DEMAND(rule->verdict == TC_RULES_PASS);
	}
	FUZZ_DEMAND(parts == r->part_count);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	const char *text = (const char *)bytes, *end = len ? memchr(text, 0, len) : NULL;
	size_t n = end ? (size_t)(end - text) : len;
	struct tc_rules r = { 0 };
	struct tc_err err = { 0 };

	if (tc_rules_parse(&r, (struct tc_str){ text, (uint32_t)n, false }, &err) == 0) {
		if (end)
			add_lines(&r, end + 1, len - n - 1);
		FUZZ_DEMAND(tc_rules_judge(&r, &err) == 0);
		check(&r);
	} else {
		FUZZ_DEMAND(err.code == TC_DATA && err.msg[0]);
	}
	tc_rules_release(&r);
	return 0;
}
