#include "compare/priv.h"

#include <math.h>
#include <stdlib.h>

/* Fewer frames say nothing of a run. */
enum { MIN_FRAMES = 20 };

static const struct tc_compare_wanted *
wanted_of(const struct tc_compare_pair *pair)
{
	return &pair->c->wanted[pair->wanted];
}

/* A percentile with nothing beyond it is the maximum under another name. */
static bool
has_enough_frames(size_t count, unsigned statistic)
{
	return count >= MIN_FRAMES &&
		(statistic > 1000 || tc_dist_rank(count, statistic) < count);
}

/* What its runs rest on, one with another. */
static bool
has_enough_a_run(const struct tc_compare_numbers *n)
{
	return n->frames >= MIN_FRAMES * (double)n->runs;
}

/* Percentiles other than the median have no rank test: there it is the resamples. */
static bool
is_rank_test(const struct tc_compare_pair *pair)
{
	return pair->is_by_run || wanted_of(pair)->statistic == TC_DIST_P50;
}

static bool
is_signed(const struct tc_compare_pair *pair)
{
	return tc_compare_is_signed(wanted_of(pair)->name);
}

/* What has its zero in the middle is held against the refresh period. */
static double
base_of(const struct tc_compare_pair *pair)
{
	const struct tc_compare_key *k = tc_compare_key_of(pair->c, pair->key);

	if (!is_signed(pair) || k->rate_hz <= 0)
		return (double)NAN;
	return 1000 / (double)k->rate_hz;
}

static const char *
lacks(const struct tc_compare_pair *pair, const struct tc_compare_numbers *a,
	const struct tc_compare_numbers *b)
{
	const struct tc_compare_wanted *w = wanted_of(pair);

	if (!a->records || !b->records)
		return a->records ? "only_in_a" : "only_in_b";
	if (!a->count || !b->count)
		return a->is_lost || b->is_lost ? "not_mergeable" : "no_values";
	if (is_signed(pair) && isnan(base_of(pair)))
		return "unknown_rate";
	if (pair->is_by_run && pair->least_p > pair->c->alpha)
		return "too_few_runs";
	/* A test of these would cost all others, which it is corrected for with. */
	if (pair->is_by_run)
		return has_enough_a_run(a) && has_enough_a_run(b) ? NULL
								  : "too_few_frames";
	if (w->field < 0)
		return "one_run";
	if (!has_enough_frames(a->count, w->statistic) ||
		!has_enough_frames(b->count, w->statistic))
		return "too_few_frames";
	return pair->least_p > pair->c->alpha ? "too_few_resamples" : NULL;
}

static double
least_p(const struct tc_compare_pair *pair)
{
	if (pair->is_by_run)
		return tc_dist_least_p(pair->runs[0], pair->runs[1]);
	if (is_rank_test(pair))
		return tc_dist_least_p(pair->samples[0], pair->samples[1]);
	return 2 / ((double)pair->c->resamples + 1);
}

/* The same for the same texts, in whatever order and company they come. */
static uint64_t
mix(uint64_t hash, struct tc_str s)
{
	uint32_t i;

	for (i = 0; i < s.len; i++)
		hash = (hash ^ (unsigned char)s.p[i]) * 0x100000001b3u;
	return (hash ^ 0x1ff) * 0x100000001b3u;
}

static struct tc_dist_random
random_of(const struct tc_compare_pair *pair)
{
	const struct tc_compare *c = pair->c;
	const struct tc_compare_key *k = tc_compare_key_of(c, pair->key);
	const struct tc_compare_wanted *w = wanted_of(pair);
	uint64_t hash = 0xcbf29ce484222325u;

	hash = mix(hash, tc_str_of(w->name));
	hash = mix(hash, tc_str_of(tc_compare_statistic(w->statistic)));
	hash = mix(hash, tc_strtab_str(&c->names, k->process));
	hash = mix(hash, tc_strtab_str(&c->names, k->layer));
	hash = mix(hash, tc_strtab_str(&c->names, k->cuj));
	hash = mix(hash, tc_strtab_str(&c->names, k->scenario));
	return tc_dist_random_of(hash ^ (uint64_t)k->rate_hz ^ (uint64_t)c->seed);
}

/* Without enough data the sides' own numbers are all that can be said. */
static void
shift(struct tc_compare_pair *pair, const struct tc_compare_numbers *a,
	const struct tc_compare_numbers *b)
{
	const struct tc_compare_wanted *w = wanted_of(pair);
	struct tc_dist_plan plan = {
		.number = w->field < 0 ? (unsigned)TC_DIST_P50 : w->statistic,
		.resamples = pair->reason ? 0 : (size_t)pair->c->resamples,
		.alpha = pair->c->alpha,
		.base = base_of(pair),
	};
	struct tc_dist_side in_a = { a->values, a->count, NULL, a->runs };
	struct tc_dist_side in_b = { b->values, b->count, NULL, b->runs };
	struct tc_dist_random random = random_of(pair);

	if (pair->is_by_run) {
		in_a.cluster_of = a->run_of;
		in_b.cluster_of = b->run_of;
	}
	pair->shift = tc_dist_bootstrap(&in_a, &in_b, &plan, &random);
}

/* Of frames in several runs it is each run's own spread that is compared. */
static void
spread(struct tc_compare_pair *pair, const struct tc_compare_numbers *a,
	const struct tc_compare_numbers *b)
{
	struct tc_dist_spread s;

	if (pair->is_by_run && a->spreads) {
		s.p = tc_dist_rank_test(a->spreads, a->runs, b->spreads, b->runs).p;
		s.ratio = tc_dist_real_at(b->spreads, b->runs, TC_DIST_P50) /
			tc_dist_real_at(a->spreads, a->runs, TC_DIST_P50);
		if (!isfinite(s.ratio))
			s.ratio = (double)NAN;
	} else {
		s = tc_dist_spread_test(a->values, a->count, b->values, b->count);
	}
	pair->spread_p = s.p;
	pair->spread_ratio = s.ratio;
}

static void
rank(struct tc_compare_pair *pair, const struct tc_compare_numbers *a,
	const struct tc_compare_numbers *b)
{
	bool of_runs = pair->is_by_run && a->of_runs;
	struct tc_dist_test t = of_runs
		? tc_dist_rank_test(a->of_runs, a->runs, b->of_runs, b->runs)
		: tc_dist_rank_test(a->values, a->count, b->values, b->count);

	pair->superiority = t.superiority;
	pair->p = is_rank_test(pair) ? t.p : pair->shift.p;
	pair->test = !is_rank_test(pair) ? "bootstrap"
		: t.is_exact             ? "rank_exact"
					 : "rank_normal";
}

void
tc_compare_test(struct tc_compare_pair *pair, const struct tc_compare_numbers *a,
	const struct tc_compare_numbers *b)
{
	pair->samples[0] = a->count;
	pair->samples[1] = b->count;
	pair->runs[0] = a->runs;
	pair->runs[1] = b->runs;
	pair->is_by_run = a->runs > 1 || b->runs > 1;
	pair->least_p = least_p(pair);
	pair->reason = lacks(pair, a, b);
	shift(pair, a, b);
	if (pair->reason)
		return;
	rank(pair, a, b);
	spread(pair, a, b);
}

/* A shift from 0 is no share of it, and of any size. */
static bool
is_large(const struct tc_compare_pair *pair)
{
	return isnan(pair->shift.share)
		? pair->shift.delta != 0
		: fabs(pair->shift.share) * 100 >= pair->c->min_effect;
}

/* Ranks and the number shift the same way, or it is not clear which way it went. */
static bool
agrees(const struct tc_compare_pair *pair)
{
	return !is_rank_test(pair) || (pair->superiority - 0.5) * pair->shift.delta > 0;
}

static void
conclude(struct tc_compare_pair *pair, size_t tests)
{
	double alpha = pair->c->alpha;
	bool is_meant = is_large(pair) && agrees(pair);

	pair->is_shifted = is_meant && pair->p_adjusted < alpha;
	pair->is_spread = pair->spread_p < alpha &&
		(isnan(pair->spread_ratio) ||
			fabs(pair->spread_ratio - 1) * 100 >= pair->c->min_effect);
	pair->is_regression = pair->is_shifted &&
		pair->shift.delta * tc_compare_worse(wanted_of(pair)->name) > 0;
	/* No p of so few runs could stand among so many tests. */
	if (is_meant && !pair->is_shifted && pair->p < alpha &&
		pair->least_p * (double)tests > alpha)
		pair->reason = "too_many_comparisons";
}

size_t
tc_compare_conclude(struct tc_compare_pair *pairs, size_t count)
{
	double *p = tc_mem_calloc(count, sizeof(*p));
	double *spread_p = tc_mem_calloc(count, sizeof(*spread_p));
	size_t i, tests = 0;

	for (i = 0; i < count; i++) {
		p[i] = pairs[i].p;
		spread_p[i] = pairs[i].spread_p;
		tests += !isnan(p[i]);
	}
	tc_dist_holm(p, count);
	tc_dist_holm(spread_p, count);
	for (i = 0; i < count; i++) {
		pairs[i].p_adjusted = p[i];
		pairs[i].spread_p = spread_p[i];
		if (!pairs[i].reason)
			conclude(&pairs[i], tests);
	}
	free(p);
	free(spread_p);
	return tests;
}
