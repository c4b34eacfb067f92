#include "dist/dist.h"

#include <math.h>
#include <stdlib.h>

/*
 * Resamples of a side. Values by themselves need not be drawn to know a percentile of
 * what would be: its place in the sorted values is that of a number of the same rank
 * among as many random ones. So its cost does not depend on how many there are.
 */
struct drawing {
	const struct tc_dist_side *side;
	unsigned number;
	struct tc_dist_random *random;
	size_t *times, *sizes; /* owned: by cluster, how often drawn and how large */
};

static size_t *
count_sizes(const struct tc_dist_side *side)
{
	size_t *sizes = tc_mem_calloc(side->clusters, sizeof(*sizes)), i;

	for (i = 0; i < side->count; i++)
		sizes[side->cluster_of[i]]++;
	return sizes;
}

static double
draw_percentile(struct drawing *d)
{
	size_t n = d->side->count, rank = tc_dist_rank(n, d->number), i;

	i = (size_t)(tc_dist_random_ranked(d->random, rank, n) * (double)n);
	return d->side->values[i < n ? i : n - 1];
}

static double
draw_mean(struct drawing *d)
{
	double mean = 0, v;
	size_t n = d->side->count, i;

	for (i = 0; i < n; i++) {
		v = d->side->values[tc_dist_random_below(d->random, n)];
		mean += (v - mean) / (double)(i + 1);
	}
	return mean;
}

/* How many values the drawn clusters have together. */
static size_t
draw_clusters(struct drawing *d)
{
	size_t clusters = d->side->clusters, total = 0, i, c;

	memset(d->times, 0, clusters * sizeof(*d->times));
	for (i = 0; i < clusters; i++) {
		c = tc_dist_random_below(d->random, clusters);
		d->times[c]++;
		total += d->sizes[c];
	}
	return total;
}

static double
percentile_of_clusters(const struct drawing *d, size_t total)
{
	const struct tc_dist_side *side = d->side;
	size_t left = tc_dist_rank(total, d->number), i, times;

	for (i = 0; i < side->count; i++) {
		times = d->times[side->cluster_of[i]];
		if (times >= left)
			return side->values[i];
		left -= times;
	}
	return (double)NAN;
}

static double
mean_of_clusters(const struct drawing *d, size_t total)
{
	const struct tc_dist_side *side = d->side;
	double mean = 0;
	size_t i;

	for (i = 0; i < side->count; i++)
		mean += side->values[i] * (double)d->times[side->cluster_of[i]] /
			(double)total;
	return mean;
}

static double
draw(struct drawing *d)
{
	size_t total;

	if (!d->side->cluster_of)
		return d->number == TC_DIST_MEAN ? draw_mean(d) : draw_percentile(d);
	total = draw_clusters(d);
	return d->number == TC_DIST_MEAN ? mean_of_clusters(d, total)
					 : percentile_of_clusters(d, total);
}

static double
number_of(const struct tc_dist_side *side, unsigned number)
{
	return number == TC_DIST_MEAN
		? tc_dist_mean(side->values, side->count)
		: tc_dist_real_at(side->values, side->count, number);
}

/* No shift is no share of anything, of 0 too. */
static double
share_of(double delta, double base)
{
	return delta == 0 ? 0 : delta / fabs(base);
}

static double
finite_or_none(double v)
{
	return isfinite(v) ? v : (double)NAN;
}

/* The resamples in order, without as many of the outermost as alpha says. */
static void
cut(double *sorted, size_t n, double alpha, double *low, double *high)
{
	size_t out = (size_t)(alpha / 2 * (double)n);

	tc_dist_sort_reals(sorted, n);
	*low = finite_or_none(sorted[out]);
	*high = finite_or_none(sorted[n - 1 - out]);
}

static void
resample(struct drawing *a, struct drawing *b, const struct tc_dist_plan *plan,
	struct tc_dist_shift *shift)
{
	double *deltas = tc_mem_calloc(plan->resamples, sizeof(*deltas));
	double *shares = tc_mem_calloc(plan->resamples, sizeof(*shares)), from;
	size_t up = 1, down = 1, i;

	for (i = 0; i < plan->resamples; i++) {
		from = draw(a);
		deltas[i] = draw(b) - from;
		shares[i] = share_of(deltas[i], isnan(plan->base) ? from : plan->base);
		up += deltas[i] >= 0;
		down += deltas[i] <= 0;
	}
	cut(deltas, plan->resamples, plan->alpha, &shift->delta_low, &shift->delta_high);
	cut(shares, plan->resamples, plan->alpha, &shift->share_low, &shift->share_high);
	shift->p = 2 * (double)(up < down ? up : down) / (double)(plan->resamples + 1);
	if (shift->p > 1)
		shift->p = 1;
	free(deltas);
	free(shares);
}

static void
begin(struct drawing *d)
{
	if (!d->side->cluster_of)
		return;
	d->sizes = count_sizes(d->side);
	d->times = tc_mem_calloc(d->side->clusters, sizeof(*d->times));
}

static void
end(struct drawing *d)
{
	free(d->sizes);
	free(d->times);
}

struct tc_dist_shift
tc_dist_bootstrap(const struct tc_dist_side *a, const struct tc_dist_side *b,
	const struct tc_dist_plan *plan, struct tc_dist_random *random)
{
	struct drawing in_a = { .side = a, .number = plan->number, .random = random };
	struct drawing in_b = { .side = b, .number = plan->number, .random = random };
	const double none = (double)NAN;
	struct tc_dist_shift shift = { none, none, none, none, none, none, none, none,
		none };

	shift.a = number_of(a, plan->number);
	shift.b = number_of(b, plan->number);
	if (!a->count || !b->count || !plan->resamples)
		return shift;
	shift.delta = shift.b - shift.a;
	shift.share = finite_or_none(
		share_of(shift.delta, isnan(plan->base) ? shift.a : plan->base));
	begin(&in_a);
	begin(&in_b);
	resample(&in_a, &in_b, plan, &shift);
	end(&in_a);
	end(&in_b);
	return shift;
}
