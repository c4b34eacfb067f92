#include "dist/dist.h"

#include <math.h>

/*
 * The state goes up by the golden ratio's share of 2^64, which is odd, so that every
 * state comes once; two rounds of shifting and multiplying scatter it.
 */
uint64_t
tc_dist_random_next(struct tc_dist_random *r)
{
	uint64_t z = r->state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

/* Seeds that follow one another shall not give series that do. */
struct tc_dist_random
tc_dist_random_of(uint64_t seed)
{
	struct tc_dist_random r = { seed };

	r.state = tc_dist_random_next(&r);
	return r;
}

/* The few numbers that would make small results likelier are drawn again. */
uint64_t
tc_dist_random_below(struct tc_dist_random *r, uint64_t n)
{
	uint64_t excess = (0 - n) % n, x;

	do
		x = tc_dist_random_next(r);
	while (x < excess);
	return x % n;
}

double
tc_dist_random_real(struct tc_dist_random *r)
{
	return ((double)(tc_dist_random_next(r) >> 12) + 0.5) * 0x1p-52;
}

/* The polar method; its second number is not kept, so that the state is one word. */
double
tc_dist_random_normal(struct tc_dist_random *r)
{
	double x, y, s;

	do {
		x = 2 * tc_dist_random_real(r) - 1;
		y = 2 * tc_dist_random_real(r) - 1;
		s = x * x + y * y;
	} while (s >= 1);
	return x * sqrt(-2 * log(s) / s);
}

/* Gamma with shape k, at least 1: a cubed normal, and some of them refused. */
static double
gamma_of(struct tc_dist_random *r, double k)
{
	double d = k - 1.0 / 3, c = 1 / sqrt(9 * d), x, v, u;

	for (;;) {
		x = tc_dist_random_normal(r);
		v = 1 + c * x;
		if (v <= 0)
			continue;
		v = v * v * v;
		u = tc_dist_random_real(r);
		if (log(u) < x * x / 2 + d - d * v + d * log(v))
			return d * v;
	}
}

/* Which is how numbers of that rank are distributed: beta with k and n - k + 1. */
double
tc_dist_random_ranked(struct tc_dist_random *r, size_t k, size_t n)
{
	double below = gamma_of(r, (double)k);

	return below / (below + gamma_of(r, (double)(n - k + 1)));
}
