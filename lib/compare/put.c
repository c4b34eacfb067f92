#include "compare/priv.h"

#include <math.h>

#include "rec/rec.h"

static void
put_labels(const struct tc_compare_pair *pair, struct tc_rec_verdict *v)
{
	const struct tc_compare *c = pair->c;
	const struct tc_compare_key *k = tc_compare_key_of(c, pair->key);
	const struct tc_compare_wanted *w = &c->wanted[pair->wanted];
	int worse = tc_compare_worse(w->name);

	v->by = TC_STR("compare");
	v->metric = tc_str_of(w->name);
	v->statistic = tc_str_of(tc_compare_statistic(w->statistic));
	v->worse = worse > 0 ? TC_STR("higher")
		: worse < 0  ? TC_STR("lower")
			     : (struct tc_str){ 0 };
	/* What does not say its rules may be of others. */
	if (!c->lacks_rules)
		v->rules = tc_strtab_str(&c->names, c->rules);
	if (!k)
		return;
	v->definition = tc_strtab_str(&c->names, k->definition);
	v->unit = tc_strtab_str(&c->names, k->unit);
	v->process = tc_strtab_str(&c->names, k->process);
	v->layer_name = tc_strtab_str(&c->names, k->layer);
	v->cuj = tc_strtab_str(&c->names, k->cuj);
	v->scenario = tc_strtab_str(&c->names, k->scenario);
	v->rate_hz = k->rate_hz;
	v->unit_of_sample =
		pair->is_by_run || w->field < 0 ? TC_STR("run") : TC_STR("frame");
}

/* What b's number may be: as much worse than a's as is not yet a regression. */
static void
put_limit(const struct tc_compare_pair *pair, struct tc_rec_verdict *v)
{
	int worse = tc_compare_worse(pair->c->wanted[pair->wanted].name);
	double base = pair->shift.delta / pair->shift.share;

	if (!worse)
		return;
	if (!isfinite(base))
		base = fabs(pair->shift.a);
	v->op = worse > 0 ? TC_STR("<") : TC_STR(">");
	if (tc_compare_is_signed(pair->c->wanted[pair->wanted].name) && v->rate_hz <= 0)
		return;
	v->limit = pair->shift.a + worse * fabs(base) * pair->c->min_effect / 100;
}

static void
put_sides(const struct tc_compare_pair *pair, struct tc_rec_verdict *v)
{
	v->a_samples = (int64_t)pair->samples[0];
	v->b_samples = v->samples = (int64_t)pair->samples[1];
	v->a_runs = (int64_t)pair->runs[0];
	v->b_runs = (int64_t)pair->runs[1];
	if (!pair->key)
		return;
	v->a = pair->shift.a;
	v->b = v->value = pair->shift.b;
	if (!isnan(v->a) && !isnan(v->b))
		put_limit(pair, v);
}

static void
put_test(const struct tc_compare_pair *pair, struct tc_rec_verdict *v)
{
	v->delta = pair->shift.delta;
	v->delta_low = pair->shift.delta_low;
	v->delta_high = pair->shift.delta_high;
	v->effect = pair->shift.share * 100;
	v->ci_low = pair->shift.share_low * 100;
	v->ci_high = pair->shift.share_high * 100;
	v->superiority = pair->superiority;
	v->test = tc_str_of(pair->test);
	v->p = pair->p;
	v->p_adjusted = pair->p_adjusted;
	v->adjust = TC_STR("holm");
	v->spread_ratio = pair->spread_ratio;
	v->spread_p = pair->spread_p;
	v->difference = !pair->is_shifted && !pair->is_spread ? TC_STR("none")
		: !pair->is_spread                            ? TC_STR("shift")
		: !pair->is_shifted                           ? TC_STR("spread")
							      : TC_STR("both");
	if (!pair->is_shifted)
		v->change = TC_STR("none");
	else if (!v->worse.p)
		v->change =
			pair->shift.delta > 0 ? TC_STR("increase") : TC_STR("decrease");
	else
		v->change = pair->is_regression ? TC_STR("regression")
						: TC_STR("improvement");
}

void
tc_compare_put(const struct tc_compare_pair *pair, size_t tests, struct tc_out *out)
{
	const struct tc_compare *c = pair->c;
	struct tc_rec_verdict v;

	tc_rec_init(&tc_rec_verdict, &v);
	v.verdict = pair->reason      ? TC_STR("not_enough_data")
		: pair->is_regression ? TC_STR("fail")
				      : TC_STR("pass");
	v.reason = tc_str_of(pair->reason);
	put_labels(pair, &v);
	put_sides(pair, &v);
	if (!isnan(pair->p))
		put_test(pair, &v);
	v.comparisons = (int64_t)tests;
	v.alpha = c->alpha;
	v.min_effect = c->min_effect;
	v.resamples = c->resamples;
	v.seed = c->seed;
	tc_rec_put(out, &tc_rec_verdict, &v);
}
