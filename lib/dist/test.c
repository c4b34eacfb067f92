#include "dist/dist.h"

#include <math.h>
#include <stdlib.h>

/*
 * Up to so many values all ways to deal the ranks are counted, in doubles that hold
 * the counts exactly; and up to the second limit where one side has hardly any.
 */
enum { EXACT = 40, EXACT_FEW = 400, FEW = 4 };

static bool
is_exact(size_t a, size_t b)
{
	size_t least = a < b ? a : b;

	return a <= EXACT_FEW && b <= EXACT_FEW &&
		(a + b <= EXACT || (least <= FEW && a + b <= EXACT_FEW));
}

/* What both sides in one order come to. Ranks are doubled, so that halves are whole. */
struct ranking {
	double b_sum;     /* of b's ranks, not doubled */
	double ties;      /* t^3 - t over all groups of equal values */
	uint32_t *ranks;  /* owned, NULL unless they are few */
	uint64_t few_sum; /* of the smaller side's ranks; b's where neither is */
	size_t few;
};

static size_t
count_equal(const double *values, size_t count, double v)
{
	size_t n = 0;

	while (n < count && values[n] == v)
		n++;
	return n;
}

static void
rank(struct ranking *r, const double *a, size_t a_count, const double *b, size_t b_count)
{
	size_t i = 0, j = 0, in_a, in_b, at = 0, both, few, k;
	double v;

	while (i < a_count || j < b_count) {
		v = j == b_count || (i < a_count && a[i] < b[j]) ? a[i] : b[j];
		in_a = count_equal(a + i, a_count - i, v);
		in_b = count_equal(b + j, b_count - j, v);
		both = in_a + in_b;
		few = a_count < b_count ? in_a : in_b;
		r->b_sum += (double)in_b * ((double)at + ((double)both + 1) / 2);
		r->ties += (double)both * ((double)both * (double)both - 1);
		r->few_sum += few * (2 * at + both + 1);
		for (k = 0; r->ranks && k < both; k++)
			r->ranks[at + k] = (uint32_t)(2 * at + both + 1);
		i += in_a;
		j += in_b;
		at += both;
	}
}

/* How many ways there are to choose k of n. */
static double
choose(size_t n, size_t k)
{
	double ways = 1;
	size_t i;

	for (i = 1; i <= k; i++)
		ways = round(ways * (double)(n - k + i) / (double)i);
	return ways;
}

/*
 * Counts for each sum how many choices of `few` of the ranks have it: one rank after
 * another is chosen or not. Sums are at most those of the greatest ranks.
 */
static double
exact_p(const struct ranking *r, size_t n)
{
	size_t most = r->few * 2 * n, i, j, s;
	double *ways = tc_mem_calloc((r->few + 1) * (most + 1), sizeof(*ways));
	double at_most = 0, at_least = 0, *last, p;

	ways[0] = 1;
	for (i = 0; i < n; i++)
		for (j = i + 1 < r->few ? i + 1 : r->few; j > 0; j--) {
			last = ways + (j - 1) * (most + 1);
			for (s = r->ranks[i]; s <= most; s++)
				last[most + 1 + s] += last[s - r->ranks[i]];
		}
	last = ways + r->few * (most + 1);
	for (s = 0; s <= most; s++) {
		at_most += s <= r->few_sum ? last[s] : 0;
		at_least += s >= r->few_sum ? last[s] : 0;
	}
	p = 2 * (at_most < at_least ? at_most : at_least) / choose(n, r->few);
	free(ways);
	return p < 1 ? p : 1;
}

/* Of a count of pairs that is so far off its mean, less the half that it steps by. */
static double
normal_p(double off, double a, double b, double ties)
{
	double n = a + b, variance = a * b / 12 * (n + 1 - ties / (n * (n - 1)));
	double z = fabs(off) > 0.5 ? fabs(off) - 0.5 : 0;

	return variance > 0 ? erfc(z / sqrt(2 * variance)) : 1;
}

struct tc_dist_test
tc_dist_rank_test(const double *a, size_t a_count, const double *b, size_t b_count)
{
	struct tc_dist_test test = { (double)NAN, (double)NAN,
		is_exact(a_count, b_count) };
	struct ranking r = { .few = a_count < b_count ? a_count : b_count };
	double pairs = (double)a_count * (double)b_count, greater;

	if (!a_count || !b_count)
		return test;
	if (test.is_exact)
		r.ranks = tc_mem_calloc(a_count + b_count, sizeof(*r.ranks));
	rank(&r, a, a_count, b, b_count);
	greater = r.b_sum - (double)b_count * ((double)b_count + 1) / 2;
	test.superiority = greater / pairs;
	test.p = test.is_exact
		? exact_p(&r, a_count + b_count)
		: normal_p(greater - pairs / 2, (double)a_count, (double)b_count, r.ties);
	free(r.ranks);
	return test;
}

double
tc_dist_least_p(size_t a_count, size_t b_count)
{
	double pairs = (double)a_count * (double)b_count, p;

	if (!a_count || !b_count)
		return 1;
	if (!is_exact(a_count, b_count))
		return normal_p(pairs / 2, (double)a_count, (double)b_count, 0);
	p = 2 / choose(a_count + b_count, a_count < b_count ? a_count : b_count);
	return p < 1 ? p : 1;
}

/* Between the two in the middle, where there are two: neither side of it is longer. */
static double
middle_of(const double *sorted, size_t n)
{
	double low = sorted[(n - 1) / 2];

	return low + (sorted[n / 2] - low) / 2;
}

static double *
distances(const double *sorted, size_t n)
{
	double *d = tc_mem_calloc(n, sizeof(*d)), middle = middle_of(sorted, n);
	size_t i;

	for (i = 0; i < n; i++)
		d[i] = fabs(sorted[i] - middle);
	tc_dist_sort_reals(d, n);
	return d;
}

double
tc_dist_distance(const double *sorted, size_t n)
{
	double *d, median = (double)NAN;

	if (n) {
		d = distances(sorted, n);
		median = tc_dist_real_at(d, n, TC_DIST_P50);
		free(d);
	}
	return median;
}

struct tc_dist_spread
tc_dist_spread_test(const double *a, size_t a_count, const double *b, size_t b_count)
{
	struct tc_dist_spread spread = { (double)NAN, (double)NAN };
	double *in_a, *in_b;

	if (!a_count || !b_count)
		return spread;
	in_a = distances(a, a_count);
	in_b = distances(b, b_count);
	spread.p = tc_dist_rank_test(in_a, a_count, in_b, b_count).p;
	spread.ratio = tc_dist_real_at(in_b, b_count, TC_DIST_P50) /
		tc_dist_real_at(in_a, a_count, TC_DIST_P50);
	if (!isfinite(spread.ratio))
		spread.ratio = (double)NAN;
	free(in_a);
	free(in_b);
	return spread;
}

static int
by_p(const void *a, const void *b)
{
	double *const *x = a, *const *y = b;

	return (**x > **y) - (**x < **y);
}

void
tc_dist_holm(double *p, size_t n)
{
	double **order = tc_mem_calloc(n, sizeof(*order)), least = 0;
	size_t tests = 0, i;

	for (i = 0; i < n; i++)
		if (!isnan(p[i]))
			order[tests++] = &p[i];
	if (tests)
		qsort(order, tests, sizeof(*order), by_p);
	for (i = 0; i < tests; i++) {
		*order[i] *= (double)(tests - i);
		least = *order[i] = *order[i] < least ? least : *order[i];
		*order[i] = least < 1 ? least : 1;
	}
	free(order);
}
