#include "dist/dist.h"

#include <math.h>
#include <stdlib.h>

uint64_t
tc_dist_rank(uint64_t n, unsigned permille)
{
	uint64_t rank = n / 1000 * permille + (n % 1000 * permille + 999) / 1000;

	return n && !rank ? 1 : rank;
}

static int
by_int(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static int
by_real(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

void
tc_dist_sort_ints(int64_t *values, size_t n)
{
	if (n)
		qsort(values, n, sizeof(*values), by_int);
}

void
tc_dist_sort_reals(double *values, size_t n)
{
	if (n)
		qsort(values, n, sizeof(*values), by_real);
}

int64_t
tc_dist_int_at(const int64_t *sorted, size_t n, unsigned permille)
{
	return n ? sorted[tc_dist_rank(n, permille) - 1] : INT64_MIN;
}

double
tc_dist_real_at(const double *sorted, size_t n, unsigned permille)
{
	return n ? sorted[tc_dist_rank(n, permille) - 1] : (double)NAN;
}

/* A running mean: sums of great values would go to infinity. */
double
tc_dist_mean(const double *values, size_t n)
{
	double mean = 0;
	size_t i;

	for (i = 0; i < n; i++)
		mean += (values[i] - mean) / (double)(i + 1);
	return n ? mean : (double)NAN;
}
