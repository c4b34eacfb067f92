/*
 * The file of rules. What a user could get wrong is an error that says where, what and
 * what there could be: a key that is not known would be a rule that is not kept.
 */
#include "rules/priv.h"

#include <stdlib.h>
#include <string.h>

#include "err/err.h"
#include "io/io.h"
#include "json/json.h"
#include "rec/rec.h"
#include "rules/keys.h"

enum { MAX_COUNT = 1000000 };

static int
take_glob(struct tc_rules *r, struct tc_json_val v, struct tc_rules_glob *to,
	struct tc_err *err)
{
	to->is_given = true;
	if (tc_json_is_null(v) || tc_rules_take_text(r, v, &to->glob, err) == 0)
		return 0;
	return tc_err_set(err, TC_DATA,
		"must be a pattern of 1 to %d bytes, or null for what has none",
		TC_RULES_MAX_TEXT);
}

#define TAKE(name) \
	static int take_##name( \
		struct tc_rules *r, struct tc_json_val v, void *to, struct tc_err *err)
#define TAKE_GLOB(name) \
	TAKE(name) \
	{ \
		return take_glob(r, v, &((struct tc_rules_scope *)to)->name, err); \
	}

TAKE_GLOB(process)
TAKE_GLOB(layer)
TAKE_GLOB(cuj)
TAKE_GLOB(scenario)
TAKE_GLOB(device)

TAKE(device_class)
{
	return tc_rules_take_text(
		r, v, &((struct tc_rules_scope *)to)->device_class, err);
}

TAKE(rate_hz)
{
	struct tc_rules_scope *scope = to;

	(void)r;
	scope->has_rate = true;
	if (tc_json_is_null(v) ||
		tc_rules_take_number(v, 1, 1000, &scope->rate_hz, err) == 0)
		return 0;
	return tc_err_set(err, TC_DATA,
		"must be a whole number from 1 to 1000, or null where it is not known");
}

static const struct tc_rules_key scope_keys[] = {
	{ "process", take_process, false, false },
	{ "layer", take_layer, false, false },
	{ "cuj", take_cuj, false, false },
	{ "scenario", take_scenario, false, false },
	{ "device", take_device, false, false },
	{ "device_class", take_device_class, false, false },
	{ "rate_hz", take_rate_hz, false, false },
	{ 0 },
};
static const struct tc_rules_kind scope_kind = { "a scope", scope_keys };

TAKE(at_least)
{
	(void)r;
	return tc_rules_take_number(
		v, 1, MAX_COUNT, &((struct tc_rules_policy *)to)->at_least, err);
}

TAKE(of)
{
	(void)r;
	return tc_rules_take_number(
		v, 1, MAX_COUNT, &((struct tc_rules_policy *)to)->of, err);
}

static const struct tc_rules_key policy_keys[] = {
	{ "at_least", take_at_least, true, false },
	{ "of", take_of, false, false },
	{ 0 },
};
static const struct tc_rules_kind policy_kind = { "a policy", policy_keys };

TAKE(policy)
{
	struct tc_rules_policy *policy = &((struct tc_rules_rule *)to)->policy;
	struct tc_str s = { 0 };

	if (tc_json_is_obj(v)) {
		policy->how = TC_RULES_AT_LEAST;
		if (tc_rules_take_object(r, &policy_kind, v, policy, err))
			return -1;
		if (policy->of != TC_NONE && policy->of < policy->at_least)
			return tc_err_set(
				err, TC_DATA, "\"of\" is less than \"at_least\"");
		return 0;
	}
	tc_json_get_str(v, &s);
	if (!tc_str_eq(s, TC_STR("all")) && !tc_str_eq(s, TC_STR("any")))
		return tc_err_set(err, TC_DATA,
			"must be \"all\", \"any\" or an object with at_least, of");
	policy->how = tc_str_eq(s, TC_STR("any")) ? TC_RULES_ANY : TC_RULES_ALL;
	return 0;
}

TAKE(scope)
{
	return tc_rules_take_object(
		r, &scope_kind, v, &((struct tc_rules_rule *)to)->scope, err);
}

TAKE(name)
{
	return tc_rules_take_text(r, v, &((struct tc_rules_rule *)to)->name, err);
}

TAKE(metric)
{
	struct tc_rules_rule *rule = to;

	if (tc_rules_take_text(r, v, &rule->metric, err))
		return -1;
	rule->def = tc_metrics_find(rule->metric);
	return rule->def ? 0 : tc_metrics_refuse(rule->metric, TC_DATA, err);
}

TAKE(statistic)
{
	return tc_rules_take_text(r, v, &((struct tc_rules_rule *)to)->statistic, err);
}

TAKE(op)
{
	static const char *const ops[] = { "<", "<=", ">", ">=", "==", "!=" };
	struct tc_rules_rule *rule = to;
	struct tc_str s = { 0 };
	size_t i;

	(void)r;
	tc_json_get_str(v, &s);
	for (i = 0; i < sizeof(ops) / sizeof(ops[0]); i++)
		if (s.p && tc_str_eq(s, tc_str_of(ops[i])))
			rule->op = ops[i];
	return rule->op ? 0
			: tc_err_set(err, TC_DATA,
				  "must be one of \"<\", \"<=\", \">\", \">=\", \"==\", "
				  "\"!=\"");
}

TAKE(limit)
{
	struct tc_rules_rule *rule = to;

	(void)r;
	if (!tc_json_get_real(v, &rule->limit) || !isfinite(rule->limit))
		return tc_err_set(err, TC_DATA, "must be a number");
	return 0;
}

TAKE(limit_frames)
{
	struct tc_rules_rule *rule = to;

	(void)r;
	if (!tc_json_get_real(v, &rule->limit_frames) || !isfinite(rule->limit_frames) ||
		rule->limit_frames < 0)
		return tc_err_set(err, TC_DATA, "must be a number from 0");
	return 0;
}

TAKE(min_samples)
{
	(void)r;
	return tc_rules_take_number(
		v, 1, MAX_COUNT, &((struct tc_rules_rule *)to)->min_samples, err);
}

TAKE(unjudged)
{
	struct tc_str s = { 0 };

	(void)r;
	tc_json_get_str(v, &s);
	if (!tc_str_eq(s, TC_STR("open")) && !tc_str_eq(s, TC_STR("skip")))
		return tc_err_set(err, TC_DATA, "must be \"open\" or \"skip\"");
	((struct tc_rules_rule *)to)->skips = tc_str_eq(s, TC_STR("skip"));
	return 0;
}

static const struct tc_rules_key rule_keys[] = {
	{ "name", take_name, true, false },
	{ "metric", take_metric, true, false },
	{ "statistic", take_statistic, false, false },
	{ "op", take_op, true, false },
	{ "limit", take_limit, false, false },
	{ "limit_frames", take_limit_frames, false, false },
	{ "scope", take_scope, false, false },
	{ "min_samples", take_min_samples, false, false },
	{ "policy", take_policy, false, false },
	{ "unjudged", take_unjudged, false, false },
	{ 0 },
};
static const struct tc_rules_kind rule_kind = { "a rule", rule_keys };

TAKE(platform)
{
	struct tc_rules_class *class = to;

	if (tc_rules_take_text(r, v, &class->platform, err) == 0 &&
		(strcmp(class->platform, "android") == 0 ||
			strcmp(class->platform, "ios") == 0))
		return 0;
	return tc_err_set(err, TC_DATA, "must be \"android\" or \"ios\"");
}

TAKE(model)
{
	struct tc_rules_class *class = to;
	struct tc_json_iter it;
	size_t count = tc_json_is_arr(v) ? tc_json_size(v) : 1;

	class->models = tc_arena_calloc(&r->arena, (count + 1) * sizeof(*class->models));
	if (!tc_json_is_arr(v)) {
		class->model_count = 1;
		return tc_rules_take_text(r, v, &class->models[0], err);
	}
	if (!count)
		return tc_err_set(err, TC_DATA, "must not be empty");
	for (it = tc_json_iter(v); tc_json_next(&it, NULL, &v) > 0;)
		if (tc_rules_take_text(r, v, &class->models[class->model_count++], err))
			return -1;
	return 0;
}

TAKE(sdk_min)
{
	(void)r;
	return tc_rules_take_number(
		v, 1, 1000, &((struct tc_rules_class *)to)->sdk_min, err);
}

TAKE(sdk_max)
{
	(void)r;
	return tc_rules_take_number(
		v, 1, 1000, &((struct tc_rules_class *)to)->sdk_max, err);
}

static const struct tc_rules_key class_keys[] = {
	{ "platform", take_platform, false, false },
	{ "model", take_model, false, false },
	{ "sdk_min", take_sdk_min, false, false },
	{ "sdk_max", take_sdk_max, false, false },
	{ 0 },
};
static const struct tc_rules_kind class_kind = { "a device class", class_keys };

static int
take_class(struct tc_rules *r, struct tc_json_val v, struct tc_rules_class *class,
	struct tc_err *err)
{
	class->sdk_min = class->sdk_max = TC_NONE;
	if (tc_json_is_obj(v) && tc_json_size(v) == 0)
		return tc_err_set(err, TC_DATA, "says nothing");
	if (tc_rules_take_object(r, &class_kind, v, class, err))
		return -1;
	if (class->sdk_max != TC_NONE && class->sdk_max < class->sdk_min)
		return tc_err_set(err, TC_DATA, "\"sdk_max\" is less than \"sdk_min\"");
	return 0;
}

TAKE(device_classes)
{
	struct tc_rules_class *class;
	struct tc_json_iter it = tc_json_iter(v);
	struct tc_str name;
	size_t i;

	(void)to;
	if (!tc_json_is_obj(v) || tc_json_size(v) > TC_RULES_MAX)
		return tc_err_set(err, TC_DATA, "must be an object of up to %d classes",
			TC_RULES_MAX);
	r->classes =
		tc_arena_calloc(&r->arena, (tc_json_size(v) + 1) * sizeof(*r->classes));
	while (tc_json_next(&it, &name, &v) > 0) {
		for (i = 0; i < r->class_count; i++)
			if (tc_str_eq(name, tc_str_of(r->classes[i].name)))
				return tc_err_set(err, TC_DATA,
					"\"%.*s\" stands there twice",
					TC_RULES_SHOWN(name));
		class = &r->classes[r->class_count++];
		class->name = tc_arena_str(&r->arena, name).p;
		if (take_class(r, v, class, err))
			return tc_err_add(err, "\"%.*s\"", TC_RULES_SHOWN(name));
	}
	return 0;
}

static int
check_statistic(struct tc_rules_rule *rule, struct tc_err *err)
{
	const char *const *s = rule->def->statistics;
	char list[128] = "";

	if (!rule->statistic && !s[1])
		rule->statistic = s[0];
	for (; *s; s++) {
		if (rule->statistic && strcmp(*s, rule->statistic) == 0)
			return 0;
		tc_rules_list(list, sizeof(list), *s);
	}
	return tc_err_set(err, TC_DATA, "\"statistic\": of %s it must be %s%s",
		rule->def->name, rule->def->statistics[1] ? "one of " : "", list);
}

/* What no single key can tell. */
static int
check_rule(struct tc_rules *r, struct tc_rules_rule *rule, struct tc_err *err)
{
	const struct tc_rules_rule *other;
	size_t i;

	for (other = r->rules; other < rule; other++)
		if (strcmp(other->name, rule->name) == 0)
			return tc_err_set(
				err, TC_DATA, "\"name\": another rule has it too");
	if (isnan(rule->limit) == isnan(rule->limit_frames))
		return tc_err_set(
			err, TC_DATA, "needs either \"limit\" or \"limit_frames\"");
	if (!isnan(rule->limit_frames) && strcmp(rule->def->unit, "ms") != 0)
		return tc_err_set(err, TC_DATA,
			"\"limit_frames\": only for metrics in ms; %s is in %s",
			rule->def->name, rule->def->unit);
	if (check_statistic(rule, err))
		return -1;
	if (!rule->scope.device_class)
		return 0;
	for (i = 0; i < r->class_count; i++)
		if (strcmp(r->classes[i].name, rule->scope.device_class) == 0)
			rule->scope.class = &r->classes[i];
	return rule->scope.class ? 0
				 : tc_err_set(err, TC_DATA,
					   "\"scope\": \"device_class\": no class of "
					   "\"device_classes\" is called \"%.*s\"",
					   TC_RULES_MAX_SHOWN, rule->scope.device_class);
}

/* A rule is named by its place in the file, and by its name where it has one. */
static int
wrong_rule(const struct tc_rules *r, const struct tc_rules_rule *rule, struct tc_err *err)
{
	if (rule->name)
		tc_err_add(err, "rule \"%.*s\"", TC_RULES_MAX_SHOWN, rule->name);
	return tc_err_add(err, "rules[%zu]", (size_t)(rule - r->rules));
}

TAKE(rules)
{
	struct tc_json_iter it = tc_json_iter(v);
	struct tc_rules_rule *rule;
	size_t count = tc_json_is_arr(v) ? tc_json_size(v) : 0;

	(void)to;
	if (count == 0 || count > TC_RULES_MAX)
		return tc_err_set(err, TC_DATA,
			"\"rules\": must be a list of 1 to %d rules", TC_RULES_MAX);
	r->rules = tc_arena_calloc(&r->arena, count * sizeof(*r->rules));
	while (tc_json_next(&it, NULL, &v) > 0) {
		rule = &r->rules[r->count++];
		rule->limit = rule->limit_frames = (double)NAN;
		rule->min_samples = 1;
		rule->policy.of = rule->scope.rate_hz = TC_NONE;
		if (tc_rules_take_object(r, &rule_kind, v, rule, err))
			return wrong_rule(r, rule, err);
	}
	return 0;
}

/* For editors, which find the schema by it. */
TAKE(schema)
{
	const char *text;

	(void)to;
	return tc_rules_take_text(r, v, &text, err);
}

static const struct tc_rules_key file_keys[] = {
	{ "rules", take_rules, true, true },
	{ "device_classes", take_device_classes, false, false },
	{ "$schema", take_schema, false, false },
	{ 0 },
};
static const struct tc_rules_kind file_kind = { "a file of rules", file_keys };

/* Where in the text: line and column, from 1. */
static int
wrong_text(struct tc_str text, size_t at, struct tc_err *err)
{
	size_t line = 1, column = 1, i;

	for (i = 0; i < at && i < text.len; i++) {
		column++;
		if (text.p[i] == '\n') {
			line++;
			column = 1;
		}
	}
	return tc_err_add(err, "%zu:%zu", line, column);
}

int
tc_rules_parse(struct tc_rules *r, struct tc_str text, struct tc_err *err)
{
	struct tc_json json = { 0 };
	struct tc_json_val root;
	size_t i;
	int c;

	if (tc_json_parse(&json, text, &root, err))
		c = wrong_text(text, json.error_pos, err);
	else
		c = tc_rules_take_object(r, &file_kind, root, NULL, err);
	for (i = 0; c == 0 && i < r->count; i++)
		if (check_rule(r, &r->rules[i], err))
			c = wrong_rule(r, &r->rules[i], err);
	tc_json_release(&json);
	return c;
}

int
tc_rules_read(struct tc_rules *r, const char *path, struct tc_err *err)
{
	struct tc_in in;
	struct tc_str text;
	int c;

	if (tc_in_open(&in, path, err))
		return -1;
	c = tc_in_want(&in, TC_RULES_MAX_FILE + 1, err);
	if (c > 0)
		c = tc_err_set(err, TC_DATA, "%s: a file of rules has at most %d bytes",
			path, TC_RULES_MAX_FILE);
	if (c == 0) {
		text = (struct tc_str){ (const char *)tc_in_at(&in),
			(uint32_t)tc_in_avail(&in), false };
		c = tc_rules_parse(r, text, err);
		if (c)
			tc_err_add(err, "%s", path);
	}
	tc_in_close(&in);
	return c;
}
