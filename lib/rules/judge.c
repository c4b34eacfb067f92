/* Verdicts on parts, and of these on rules. */
#include "rules/priv.h"

#include <stdio.h>
#include <stdlib.h>

#include "err/err.h"
#include "io/io.h"
#include "rec/rec.h"

const char *
tc_rules_verdict_name(enum tc_rules_verdict verdict)
{
	static const char *const names[] = { "pass", "fail", "not_enough_data" };

	return names[verdict];
}

void
tc_rules_policy_text(const struct tc_rules_policy *p, char *text, size_t size)
{
	if (p->how != TC_RULES_AT_LEAST)
		snprintf(text, size, "%s", p->how == TC_RULES_ALL ? "all" : "any");
	else if (p->of == TC_NONE)
		snprintf(text, size, "at least %lld", (long long)p->at_least);
	else
		snprintf(text, size, "at least %lld of %lld", (long long)p->at_least,
			(long long)p->of);
}

/* Parts whose device is of another class are none; where it is not known, they are. */
static void
drop_other_classes(struct tc_rules *r)
{
	const struct tc_rules_class *class;
	enum tc_rules_fit fit;
	size_t i, n = 0;

	for (i = 0; i < r->part_count; i++) {
		class = r->rules[r->parts[i].rule].scope.class;
		fit = class ? tc_rules_is_of_class(r, class, r->parts[i].device)
			    : TC_RULES_FITS;
		if (fit == TC_RULES_FITS_NOT)
			continue;
		r->parts[n] = r->parts[i];
		if (fit == TC_RULES_FITS_MAYBE && !r->parts[n].reason)
			r->parts[n].reason = "device_class_not_known";
		n++;
	}
	r->part_count = n;
}

struct ranked {
	struct tc_str text;
	uint32_t id;
};

static int
by_text(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	return tc_str_compare(x->text, y->text);
}

/* Ids hang on the order of lines; from here on they are in the order of the texts. */
static void
rank_texts(struct tc_rules *r)
{
	size_t count = r->names.count, i;
	struct ranked *sorted = tc_mem_alloc((count + 1) * sizeof(*sorted));
	uint32_t *rank = tc_mem_calloc(count + 1, sizeof(*rank));
	struct tc_rules_part *p;

	r->texts = tc_mem_calloc(count + 1, sizeof(*r->texts));
	for (i = 0; i < count; i++)
		sorted[i] = (struct ranked){ tc_strtab_str(&r->names, (uint32_t)i + 1),
			(uint32_t)i + 1 };
	qsort(sorted, count, sizeof(*sorted), by_text);
	for (i = 0; i < count; i++) {
		rank[sorted[i].id] = (uint32_t)i + 1;
		r->texts[i + 1] = sorted[i].text;
	}
	for (i = 0; i < r->part_count; i++) {
		p = &r->parts[i];
		p->process = rank[p->process];
		p->layer = rank[p->layer];
		p->cuj = rank[p->cuj];
		p->scenario = rank[p->scenario];
		p->device = rank[p->device];
		p->unit = rank[p->unit];
		p->definition = rank[p->definition];
		p->said = rank[p->said];
		p->path = rank[p->path];
	}
	free(sorted);
	free(rank);
}

/* What is not known comes first, like TC_NONE. */
static int
by_real(double a, double b)
{
	if (isnan(a) || isnan(b))
		return isnan(b) - isnan(a);
	return (a > b) - (a < b);
}

static int
by_part(const void *a, const void *b)
{
	const struct tc_rules_part *x = a, *y = b;
	const int64_t pairs[][2] = { { x->rule, y->rule }, { x->device, y->device },
		{ x->process, y->process }, { x->layer, y->layer }, { x->cuj, y->cuj },
		{ x->scenario, y->scenario }, { x->repetition, y->repetition },
		{ x->rate_hz, y->rate_hz }, { x->trace, y->trace }, { x->path, y->path },
		{ x->machine, y->machine }, { x->ts, y->ts }, { x->dur, y->dur },
		{ x->upid, y->upid }, { x->period_ns, y->period_ns },
		{ x->samples, y->samples }, { x->said, y->said }, { x->unit, y->unit },
		{ x->definition, y->definition } };
	size_t i;
	int c = 0;

	for (i = 0; !c && i < sizeof(pairs) / sizeof(pairs[0]); i++)
		c = tc_mem_compare(pairs[i][0], pairs[i][1]);
	return c ? c : by_real(x->value, y->value);
}

/* The refresh period in force, in ms; NAN when it is not known. */
static double
period_ms(const struct tc_rules_part *p)
{
	if (p->period_ns > 0)
		return (double)p->period_ns / 1e6;
	return p->rate_hz > 0 ? 1e3 / (double)p->rate_hz : (double)NAN;
}

static bool
holds(double value, const char *op, double limit)
{
	switch (op[0]) {
	case '<': return op[1] ? value <= limit : value < limit;
	case '>': return op[1] ? value >= limit : value > limit;
	case '!': return value < limit || value > limit;
	}
	return value <= limit && value >= limit;
}

static const char *
why_not(const struct tc_rules *r, const struct tc_rules_rule *rule,
	const struct tc_rules_part *p)
{
	if (p->reason)
		return p->reason;
	if (isnan(p->value))
		return p->said ? r->texts[p->said].p : "no_value";
	if (p->samples == TC_NONE)
		return "samples_not_known";
	if (p->samples < rule->min_samples)
		return "too_few_samples";
	return isnan(p->limit) ? "rate_not_known" : NULL;
}

static void
judge_part(const struct tc_rules *r, struct tc_rules_part *p)
{
	const struct tc_rules_rule *rule = &r->rules[p->rule];

	p->limit = isnan(rule->limit_frames) ? rule->limit
					     : rule->limit_frames * period_ms(p);
	p->reason = why_not(r, rule, p);
	if (p->reason)
		p->verdict = TC_RULES_UNKNOWN;
	else
		p->verdict = holds(p->value, rule->op, p->limit) ? TC_RULES_PASS
								 : TC_RULES_FAIL;
}

/*
 * How many must pass, and of how many. Where more came than the policy speaks of, it is
 * the same share of them; fewer are parts that are still to be judged. That so many must
 * pass says that there are so many.
 */
static void
wanted(const struct tc_rules_rule *rule, int64_t *need, int64_t *of)
{
	const struct tc_rules_policy *p = &rule->policy;
	int64_t parts = (int64_t)(rule->skips ? rule->judged : rule->parts);

	*of = parts;
	*need = p->how == TC_RULES_ALL ? parts : p->how == TC_RULES_ANY ? 1 : p->at_least;
	if (p->how != TC_RULES_AT_LEAST)
		return;
	if (p->of == TC_NONE)
		*of = *need > parts ? *need : parts;
	else if (parts < p->of)
		*of = p->of;
	else
		*need = (p->at_least * parts + p->of - 1) / p->of;
}

static const char *
why_no_parts(const struct tc_rules *r, const struct tc_rules_rule *rule)
{
	if (!r->has_metrics)
		return r->lacks_all       ? "no_trace"
			: r->lacks_scenes ? "no_scenes"
					  : "no_metrics";
	return rule->has_metric ? "nothing_in_scope" : "no_such_metric";
}

static void
judge_rule(const struct tc_rules *r, struct tc_rules_rule *rule)
{
	int64_t passed = (int64_t)(rule->judged - rule->failed), need, of, open;

	wanted(rule, &need, &of);
	open = of - (int64_t)rule->judged;
	rule->verdict = TC_RULES_UNKNOWN;
	if (!rule->parts)
		rule->reason = why_no_parts(r, rule);
	else if (!rule->judged)
		rule->reason = "parts_not_judged";
	else if (passed >= need)
		rule->verdict = TC_RULES_PASS;
	else if (passed + open < need)
		rule->verdict = TC_RULES_FAIL;
	else
		rule->reason =
			(int64_t)rule->parts < of ? "too_few_parts" : "parts_not_judged";
}

static void
count_part(struct tc_rules_rule *rule, const struct tc_rules_part *p, size_t i)
{
	if (rule->parts++ == 0)
		rule->first = i;
	if (p->verdict == TC_RULES_UNKNOWN)
		return;
	rule->judged++;
	rule->failed += p->verdict == TC_RULES_FAIL;
	/* What was judged has samples. */
	if (rule->samples != TC_NONE &&
		__builtin_add_overflow(rule->samples, p->samples, &rule->samples))
		rule->samples = TC_NONE;
}

int
tc_rules_judge(struct tc_rules *r, struct tc_err *err)
{
	size_t i;

	tc_rules_add_missing(r);
	if (r->is_full)
		return tc_err_set(
			err, TC_DATA, "more than %d parts to judge", TC_RULES_MAX_PARTS);
	drop_other_classes(r);
	rank_texts(r);
	if (r->part_count)
		qsort(r->parts, r->part_count, sizeof(*r->parts), by_part);
	for (i = 0; i < r->part_count; i++) {
		judge_part(r, &r->parts[i]);
		count_part(&r->rules[r->parts[i].rule], &r->parts[i], i);
	}
	for (i = 0; i < r->count; i++)
		judge_rule(r, &r->rules[i]);
	return 0;
}

bool
tc_rules_passed(const struct tc_rules *r, bool is_strict)
{
	size_t i;

	for (i = 0; i < r->count; i++)
		if (r->rules[i].verdict == TC_RULES_FAIL ||
			(is_strict && r->rules[i].verdict == TC_RULES_UNKNOWN))
			return false;
	return true;
}

void
tc_rules_summary(const struct tc_rules *r, char *text, size_t size)
{
	size_t counts[3] = { 0 }, i;

	for (i = 0; i < r->count; i++)
		counts[r->rules[i].verdict]++;
	snprintf(text, size, "rules: %zu passed, %zu failed, %zu without enough data",
		counts[TC_RULES_PASS], counts[TC_RULES_FAIL], counts[TC_RULES_UNKNOWN]);
}

/* What every verdict of a rule says. */
static void
init(struct tc_rec_verdict *rec, const struct tc_rules_rule *rule,
	enum tc_rules_verdict verdict, const char *reason)
{
	tc_rec_init(&tc_rec_verdict, rec);
	rec->verdict = tc_str_of(tc_rules_verdict_name(verdict));
	rec->by = TC_STR("rules");
	rec->rule = tc_str_of(rule->name);
	rec->metric = tc_str_of(rule->metric);
	rec->definition = tc_str_of(rule->def->definition);
	rec->statistic = tc_str_of(rule->statistic);
	rec->op = tc_str_of(rule->op);
	rec->limit_frames = rule->limit_frames;
	rec->unit = tc_str_of(rule->def->unit);
	rec->min_samples = rule->min_samples;
	if (reason)
		rec->reason = tc_str_of(reason);
	if (rule->scope.device_class)
		rec->device_class = tc_str_of(rule->scope.device_class);
}

static void
put_part(const struct tc_rules *r, const struct tc_rules_part *p, struct tc_out *out)
{
	struct tc_rec_verdict rec;

	init(&rec, &r->rules[p->rule], p->verdict, p->reason);
	rec.definition = r->texts[p->definition];
	rec.limit = p->limit;
	rec.unit = r->texts[p->unit];
	rec.value = p->value;
	rec.samples = p->samples;
	rec.upid = p->upid;
	rec.process = r->texts[p->process];
	rec.layer_name = r->texts[p->layer];
	rec.cuj = r->texts[p->cuj];
	rec.scenario = r->texts[p->scenario];
	rec.repetition = p->repetition;
	rec.rate_hz = p->rate_hz;
	rec.ts = p->ts;
	rec.dur = p->dur;
	rec.device = r->texts[p->device];
	rec.machine_id = p->machine;
	rec.trace = p->trace;
	tc_rec_put(out, &tc_rec_verdict, &rec);
}

static void
put_rule(const struct tc_rules_rule *rule, struct tc_out *out)
{
	struct tc_rec_verdict rec;
	char policy[64];

	init(&rec, rule, rule->verdict, rule->reason);
	tc_rules_policy_text(&rule->policy, policy, sizeof(policy));
	rec.limit = rule->limit;
	rec.samples = rule->samples;
	rec.policy = tc_str_of(policy);
	rec.parts = (int64_t)rule->parts;
	rec.judged = (int64_t)rule->judged;
	rec.failed = (int64_t)rule->failed;
	tc_rec_put(out, &tc_rec_verdict, &rec);
}

void
tc_rules_put(const struct tc_rules *r, struct tc_out *out)
{
	const struct tc_rules_rule *rule;
	size_t i;

	for (rule = r->rules; rule < r->rules + r->count && !out->sys; rule++) {
		for (i = 0; i < rule->parts && !out->sys; i++)
			put_part(r, &r->parts[rule->first + i], out);
		put_rule(rule, out);
	}
}
