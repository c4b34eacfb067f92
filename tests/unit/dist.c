/* dist: percentiles, sketches, and how two sets of numbers differ. */
#include "dist/dist.h"

#include <math.h>
#include <stdlib.h>

#include "check.h"
#include "err/err.h"
#include "json/json.h"

static bool
near(double got, double want, double within)
{
	if (CHECK(fabs(got - want) <= within))
		return true;
	fprintf(stderr, "got %.9g, wanted %.9g\n", got, want);
	return false;
}

static void
test_percentiles(void)
{
	int64_t ints[100];
	double reals[] = { 4, 1, 3, 2 };
	int i;

	for (i = 0; i < 100; i++)
		ints[i] = 100 - i;
	tc_dist_sort_ints(ints, 100);
	CHECK_INT(tc_dist_int_at(ints, 100, TC_DIST_P50), 50);
	CHECK_INT(tc_dist_int_at(ints, 100, TC_DIST_P99), 99);
	CHECK_INT(tc_dist_int_at(ints, 99, TC_DIST_P99), 99);
	CHECK_INT(tc_dist_int_at(ints, 3, TC_DIST_P50), 2);
	CHECK_INT(tc_dist_int_at(ints, 1, TC_DIST_P95), 1);
	CHECK_INT(tc_dist_int_at(ints, 100, 0), 1);
	CHECK_INT(tc_dist_int_at(ints, 100, 1000), 100);
	CHECK_INT(tc_dist_int_at(ints, 0, TC_DIST_P50), INT64_MIN);
	CHECK_INT(tc_dist_rank(INT64_MAX, 1000), INT64_MAX);
	CHECK_INT(tc_dist_rank(INT64_MAX, TC_DIST_P50), INT64_MAX / 2 + 1);
	tc_dist_sort_reals(reals, 4);
	near(tc_dist_real_at(reals, 4, TC_DIST_P50), 2, 0);
	near(tc_dist_real_at(reals, 4, TC_DIST_P90), 4, 0);
	near(tc_dist_mean(reals, 4), 2.5, 1e-12);
	CHECK(isnan(tc_dist_mean(reals, 0)) && isnan(tc_dist_real_at(reals, 0, 500)));
}

/* ---- sketches ---- */

static void
test_buckets(void)
{
	int b;

	CHECK_INT(tc_dist_bucket(0), 0);
	CHECK_INT(tc_dist_bucket(127), 127);
	CHECK_INT(tc_dist_bucket(128), 128);
	CHECK_INT(tc_dist_bucket(129), 128);
	CHECK_INT(tc_dist_bucket(130), 129);
	CHECK_INT(tc_dist_bucket(-130), -129);
	CHECK_INT(tc_dist_bucket(INT64_MAX), TC_DIST_GREATEST_BUCKET);
	CHECK_INT(tc_dist_bucket(INT64_MIN), TC_DIST_LEAST_BUCKET);
	CHECK_INT(tc_dist_bucket(-INT64_MAX), -TC_DIST_GREATEST_BUCKET);
	CHECK_INT(tc_dist_bucket_high(TC_DIST_GREATEST_BUCKET), INT64_MAX);
	CHECK_INT(tc_dist_bucket_low(TC_DIST_LEAST_BUCKET), INT64_MIN);
	CHECK_INT(tc_dist_bucket_middle(TC_DIST_LEAST_BUCKET), INT64_MIN);
	/* They leave no gap, and each holds its own ends. */
	for (b = TC_DIST_LEAST_BUCKET; b < TC_DIST_GREATEST_BUCKET; b++)
		if (!CHECK_INT(tc_dist_bucket_low(b + 1), tc_dist_bucket_high(b) + 1) ||
			!CHECK_INT(tc_dist_bucket(tc_dist_bucket_low(b)), b) ||
			!CHECK_INT(tc_dist_bucket(tc_dist_bucket_high(b)), b) ||
			!CHECK_INT(tc_dist_bucket(tc_dist_bucket_middle(b)), b))
			return;
}

/* Of every size, and of both signs. */
static int64_t
any_value(uint64_t *seed)
{
	uint64_t bits = check_random(seed) >> check_random(seed) % 64;

	return check_random(seed) % 2 ? (int64_t)(bits >> 1) : -(int64_t)(bits >> 1);
}

static void
test_error(void)
{
	uint64_t seed = 1;
	int64_t v, m;
	int i;

	for (i = 0; i < 100000; i++) {
		v = any_value(&seed);
		m = tc_dist_bucket_middle(tc_dist_bucket(v));
		if (!CHECK(fabs((double)m - (double)v) <=
			    TC_DIST_ERROR * fabs((double)v)))
			return;
	}
}

static void
test_sketch_percentiles(void)
{
	struct tc_dist_sketch s = { 0 };
	int64_t values[1000], exact, got;
	unsigned permille;
	uint64_t seed = 7;
	int i;

	CHECK_INT(tc_dist_sketch_at(&s, TC_DIST_P50), INT64_MIN);
	for (i = 0; i < 1000; i++) {
		values[i] = (int64_t)(check_random(&seed) % 50000000);
		CHECK(tc_dist_sketch_add(&s, values[i]));
	}
	tc_dist_sort_ints(values, 1000);
	CHECK_INT(s.total, 1000);
	CHECK_INT(s.min, values[0]);
	CHECK_INT(s.max, values[999]);
	for (permille = 0; permille <= 1000; permille += 10) {
		exact = tc_dist_int_at(values, 1000, permille);
		got = tc_dist_sketch_at(&s, permille);
		CHECK(llabs(got - exact) <= (double)exact * TC_DIST_ERROR);
	}
	tc_dist_sketch_release(&s);
	/* Of one value every percentile is that value. */
	tc_dist_sketch_add(&s, 16666667);
	CHECK_INT(tc_dist_sketch_at(&s, TC_DIST_P99), 16666667);
	tc_dist_sketch_release(&s);
}

static bool
same_sketch(const struct tc_dist_sketch *a, const struct tc_dist_sketch *b)
{
	size_t i;

	for (i = 0; i < a->count && i < b->count; i++)
		if (a->at[i].bucket != b->at[i].bucket ||
			a->at[i].count != b->at[i].count)
			return false;
	return a->count == b->count && a->total == b->total && a->min == b->min &&
		a->max == b->max;
}

/* Values dealt out to parts, which are merged in a random order and grouping. */
static void
test_merge(void)
{
	struct tc_dist_sketch whole = { 0 }, parts[7];
	uint64_t seed = 3;
	int64_t v;
	size_t n, i, j;
	int round;

	for (round = 0; round < 200; round++) {
		memset(parts, 0, sizeof(parts));
		for (n = check_random(&seed) % 300; n > 0; n--) {
			v = any_value(&seed);
			tc_dist_sketch_add(&whole, v);
			tc_dist_sketch_add(&parts[check_random(&seed) % 7], v);
		}
		for (n = 7; n > 1; n--) {
			i = check_random(&seed) % n;
			j = (i + 1 + check_random(&seed) % (n - 1)) % n;
			CHECK(tc_dist_sketch_merge(&parts[i], &parts[j]));
			tc_dist_sketch_release(&parts[j]);
			parts[j] = parts[n - 1];
		}
		CHECK(same_sketch(&parts[0], &whole));
		tc_dist_sketch_release(&parts[0]);
		tc_dist_sketch_release(&whole);
	}
}

static void
test_full(void)
{
	struct tc_dist_count c = { INT64_MAX, 5 };
	struct tc_dist_sketch full = { &c, 1, 1, INT64_MAX, 5, 5 }, one = { 0 };

	tc_dist_sketch_add(&one, 6);
	CHECK(!tc_dist_sketch_merge(&one, &full));
	CHECK(!tc_dist_sketch_merge(&full, &one));
	CHECK(!tc_dist_sketch_add(&full, 5));
	CHECK_INT(one.total, 1);
	CHECK_INT(full.count, 1);
	CHECK_INT(tc_dist_sketch_at(&full, TC_DIST_P99), 5);
	tc_dist_sketch_release(&one);
}

static void
test_text(void)
{
	static const char *const bad[] = { "", "{}", "1", "[1]", "[[1]]", "[[1,2,3]]",
		"[[2,1],[1,1]]", "[[1,1],[1,1]]", "[[1,0]]", "[[1,-1]]", "[[1.5,1]]",
		"[[1,1.5]]", "[[\"1\",1]]", "[[3712,1]]", "[[-3713,1]]", "[[1,null]]",
		"[[1,9223372036854775807],[2,1]]", "[[1,9223372036854775808]]",
		"[[1,2]" };
	struct tc_dist_sketch s = { 0 }, back = { 0 };
	struct tc_arena arena = { 0 };
	struct tc_json json = { 0 };
	struct tc_err err = { 0 };
	size_t i;

	CHECK_STR(tc_dist_sketch_text(&s, &arena), BYTES("[]"));
	tc_dist_sketch_add(&s, -130);
	tc_dist_sketch_add(&s, 0);
	tc_dist_sketch_add(&s, 0);
	tc_dist_sketch_add(&s, INT64_MAX);
	CHECK_STR(tc_dist_sketch_text(&s, &arena), BYTES("[[-129,1],[0,2],[3711,1]]"));
	CHECK_INT(
		tc_dist_sketch_read(&back, tc_dist_sketch_text(&s, &arena), &json, &err),
		0);
	CHECK_STR(tc_dist_sketch_text(&back, &arena), tc_dist_sketch_text(&s, &arena));
	CHECK_INT(back.total, 4);
	CHECK_INT(back.min, -131);
	CHECK_INT(back.max, INT64_MAX);
	for (i = 0; i < CHECK_ITEMS(bad); i++) {
		err = (struct tc_err){ 0 };
		if (!CHECK_INT(tc_dist_sketch_read(&back, tc_str_of(bad[i]), &json, &err),
			    -1) ||
			!CHECK_INT(err.code, TC_DATA))
			fprintf(stderr, "%s\n", bad[i]);
	}
	CHECK_INT(tc_dist_sketch_read(&back, tc_str_of("[]"), &json, &err), 0);
	CHECK_INT(back.total, 0);
	tc_dist_sketch_release(&s);
	tc_dist_sketch_release(&back);
	tc_arena_release(&arena);
	tc_json_release(&json);
}

/* ---- random numbers ---- */

static void
test_random(void)
{
	struct tc_dist_random r = tc_dist_random_of(1), same = tc_dist_random_of(1);
	struct tc_dist_random other = tc_dist_random_of(2);
	double sum = 0, squares = 0, ranked = 0, x;
	int seen[6] = { 0 }, i, differ = 0;

	for (i = 0; i < 100; i++) {
		x = (double)tc_dist_random_next(&r);
		CHECK(x == (double)tc_dist_random_next(&same));
		differ += x != (double)tc_dist_random_next(&other);
	}
	CHECK_INT(differ, 100);
	for (i = 0; i < 60000; i++)
		seen[tc_dist_random_below(&r, 6)]++;
	for (i = 0; i < 6; i++)
		CHECK(seen[i] > 9600 && seen[i] < 10400);
	for (i = 0; i < 100000; i++) {
		x = tc_dist_random_normal(&r);
		sum += x;
		squares += x * x;
		x = tc_dist_random_real(&r);
		CHECK(x > 0 && x < 1);
		ranked += tc_dist_random_ranked(&r, 3, 9);
	}
	near(sum / 100000, 0, 0.015);
	near(squares / 100000, 1, 0.02);
	near(ranked / 100000, 0.3, 0.003); /* k / (n + 1) */
}

/* ---- tests ---- */

static struct tc_dist_test
ranks(const double *a, size_t a_count, const double *b, size_t b_count)
{
	return tc_dist_rank_test(a, a_count, b, b_count);
}

/* By counting on paper all ways to choose ranks. */
static void
test_exact_ranks(void)
{
	static const double low[] = { 1, 2, 3 }, high[] = { 4, 5, 6 };
	static const double odd[] = { 1, 3, 5 }, even[] = { 2, 4, 6 };
	static const double ones[] = { 1, 1, 1 }, mixed[] = { 1, 2 };
	struct tc_dist_test t = ranks(low, 3, high, 3);

	CHECK(t.is_exact);
	near(t.p, 2.0 / 20, 1e-12);
	near(t.superiority, 1, 1e-12);
	near(ranks(high, 3, low, 3).p, 2.0 / 20, 1e-12);
	near(ranks(high, 3, low, 3).superiority, 0, 1e-12);
	near(ranks(low, 2, high, 2).p, 2.0 / 6, 1e-12);
	near(ranks(low, 1, high, 3).p, 2.0 / 4, 1e-12);
	t = ranks(odd, 3, even, 3);
	near(t.p, 14.0 / 20, 1e-12);
	near(t.superiority, 6.0 / 9, 1e-12);
	/* Ties: three choices of two have the sum of b, three have less. */
	near(ranks(ones, 2, mixed, 2).p, 1, 1e-12);
	near(ranks(ones, 3, high, 3).p, 2.0 / 20, 1e-12);
	near(ranks(ones, 3, ones, 3).p, 1, 1e-12);
	near(ranks(ones, 3, ones, 3).superiority, 0.5, 1e-12);
	CHECK(isnan(ranks(ones, 0, ones, 3).p));
	near(tc_dist_least_p(3, 3), 0.1, 1e-12);
	near(tc_dist_least_p(1, 39), 0.05, 1e-12);
	near(tc_dist_least_p(5, 5), 2.0 / 252, 1e-12);
	near(tc_dist_least_p(1, 1), 1, 1e-12);
	near(tc_dist_least_p(0, 5), 1, 1e-12);
	CHECK(tc_dist_least_p(1000, 1000) < 1e-100);
}

/*
 * 50 against 50 of zeros and ones: 1500 of 2500 pairs, 250 over the mean; the variance
 * is 2500 / 12 * (101 - 2 * (50^3 - 50) / (100 * 99)) = 15782.83, z = 249.5 / 125.63.
 */
static void
test_normal_ranks(void)
{
	double a[50], b[50];
	struct tc_dist_test t;
	int i;

	for (i = 0; i < 50; i++) {
		a[i] = i >= 30;
		b[i] = i >= 20;
	}
	t = ranks(a, 50, b, 50);
	CHECK(!t.is_exact);
	near(t.superiority, 0.6, 1e-12);
	near(t.p, 0.047034, 2e-5);
	near(ranks(b, 50, a, 50).p, t.p, 1e-12);
	near(ranks(a, 30, a, 30).p, 1, 1e-12);
}

static void
test_holm(void)
{
	double p[] = { 0.01, 0.04, (double)NAN, 0.03 }, one[] = { 0.7, 0.6 };

	tc_dist_holm(p, 4);
	near(p[0], 0.03, 1e-12);
	near(p[1], 0.06, 1e-12);
	near(p[3], 0.06, 1e-12);
	CHECK(isnan(p[2]));
	tc_dist_holm(one, 2);
	near(one[0], 1, 0);
	near(one[1], 1, 0);
	tc_dist_holm(one, 0);
}

/* ---- simulations ---- */

/* n numbers about a mean, sorted. */
static void
simulate(struct tc_dist_random *r, double *v, size_t n, double mean, double deviation)
{
	size_t i;

	for (i = 0; i < n; i++)
		v[i] = mean + deviation * tc_dist_random_normal(r);
	tc_dist_sort_reals(v, n);
}

static struct tc_dist_shift
shift_of(const double *a, size_t a_count, const double *b, size_t b_count,
	unsigned number, struct tc_dist_random *r)
{
	struct tc_dist_side in_a = { a, a_count, NULL, 0 },
			    in_b = { b, b_count, NULL, 0 };
	struct tc_dist_plan plan = { number, 500, 0.05, (double)NAN };

	return tc_dist_bootstrap(&in_a, &in_b, &plan, r);
}

enum { N = 400 };
static double a[N], b[N];

/* How many of so many pairs of sets have a significant shift of at least 5 percent. */
static int
regressions(double a_mean, double b_mean, double deviation, int trials)
{
	struct tc_dist_random r = tc_dist_random_of(5);
	int found = 0;

	for (; trials > 0; trials--) {
		simulate(&r, a, N, a_mean, deviation);
		simulate(&r, b, N, b_mean, deviation);
		found += ranks(a, N, b, N).p < 0.05 &&
			shift_of(a, N, b, N, TC_DIST_P50, &r).share >= 0.05;
	}
	return found;
}

static void
test_shifts(void)
{
	CHECK(regressions(10, 10.3, 1, 200) <= 4);
	CHECK_INT(regressions(10, 11.5, 1, 200), 200);
	CHECK_INT(regressions(10, 10, 1, 200), 0);
}

/* Without any difference the tests find one about as often as alpha says. */
static void
test_false_positives(void)
{
	struct tc_dist_random r = tc_dist_random_of(9);
	int many = 0, few = 0, tail = 0, spread = 0, i;

	for (i = 0; i < 1000; i++) {
		simulate(&r, a, 60, 10, 2);
		simulate(&r, b, 60, 10, 2);
		many += ranks(a, 60, b, 60).p < 0.05;
		spread += tc_dist_spread_test(a, 60, b, 60).p < 0.05;
		tail += shift_of(a, 60, b, 60, TC_DIST_P90, &r).p < 0.05;
		simulate(&r, a, 8, 10, 2);
		simulate(&r, b, 8, 10, 2);
		few += ranks(a, 8, b, 8).p < 0.05;
	}
	CHECK(many >= 30 && many <= 70);
	CHECK(spread >= 25 && spread <= 75);
	CHECK(few >= 25 && few <= 70);
	CHECK(tail >= 15 && tail <= 75);
	printf("of 1000: %d, spread %d, few %d, tail %d\n", many, spread, few, tail);
}

/* Equal means: no shift, and a spread that is told. */
static void
test_spread(void)
{
	static const double narrow[] = { 8, 9, 10, 11, 12 },
			    wide[] = { 2, 6, 10, 14, 18 };
	struct tc_dist_random r = tc_dist_random_of(11);
	struct tc_dist_spread s;
	int shifted = 0, told = 0, i;

	near(tc_dist_spread_test(narrow, 5, wide, 5).ratio, 4, 1e-12);
	near(tc_dist_spread_test(wide, 5, narrow, 5).ratio, 0.25, 1e-12);
	CHECK(isnan(tc_dist_spread_test(narrow, 1, wide, 5).ratio));
	CHECK(isnan(tc_dist_spread_test(narrow, 0, wide, 5).p));
	for (i = 0; i < 200; i++) {
		simulate(&r, a, 200, 10, 1);
		simulate(&r, b, 200, 10, 2);
		s = tc_dist_spread_test(a, 200, b, 200);
		told += s.p < 0.05 && s.ratio > 1.3;
		shifted += ranks(a, 200, b, 200).p < 0.01;
	}
	CHECK_INT(told, 200);
	CHECK(shifted <= 10);
}

/* How often the interval has the true shift in it. */
static int
covered(unsigned number, double want, int trials)
{
	struct tc_dist_random r = tc_dist_random_of(13);
	struct tc_dist_shift s;
	int in = 0;

	for (; trials > 0; trials--) {
		simulate(&r, a, 100, 10, 1);
		simulate(&r, b, 100, 11, 1);
		s = shift_of(a, 100, b, 100, number, &r);
		in += s.delta_low <= want && want <= s.delta_high;
	}
	return in;
}

static void
test_intervals(void)
{
	static const double low[] = { 10, 10, 10 }, high[] = { 12, 12, 12 },
			    zero[] = { 0 };
	struct tc_dist_random r = tc_dist_random_of(1), again = tc_dist_random_of(1);
	struct tc_dist_shift s = shift_of(low, 3, high, 3, TC_DIST_P50, &r), t;
	int in;

	near(s.delta, 2, 0);
	near(s.delta_low, 2, 0);
	near(s.delta_high, 2, 0);
	near(s.share_low, 0.2, 1e-12);
	near(s.share_high, 0.2, 1e-12);
	near(s.p, 2.0 / 501, 1e-12);
	near(shift_of(low, 3, low, 3, TC_DIST_MEAN, &r).p, 1, 0);
	/* What is no share of anything is not known. */
	s = shift_of(zero, 1, high, 3, TC_DIST_P50, &r);
	near(s.delta, 12, 0);
	CHECK(isnan(s.share) && isnan(s.share_low) && isnan(s.share_high));
	near(shift_of(zero, 1, zero, 1, TC_DIST_P50, &r).share, 0, 0);
	CHECK(isnan(shift_of(low, 0, high, 3, TC_DIST_P50, &r).delta_low));
	in = covered(TC_DIST_P50, 1, 300);
	CHECK(in >= 275 && in <= 298);
	in = covered(TC_DIST_MEAN, 1, 300);
	CHECK(in >= 275 && in <= 298);
	r = again;
	s = shift_of(a, N, b, N, TC_DIST_P95, &r);
	t = shift_of(a, N, b, N, TC_DIST_P95, &again);
	CHECK(memcmp(&s, &t, sizeof(s)) == 0);
}

/*
 * Values that come in runs, each run off by as much as its values: drawn one by one
 * they look better known than they are.
 */
static void
test_clusters(void)
{
	enum { RUNS = 10, EACH = 40 };
	static uint32_t of[RUNS * EACH], order[] = { 0, 0, 1, 1 };
	static const double pairs[] = { 1, 2, 3, 4 };
	struct tc_dist_side small = { pairs, 4, order, 2 };
	struct tc_dist_random r = tc_dist_random_of(17);
	struct tc_dist_plan plan = { TC_DIST_P50, 400, 0.05, (double)NAN };
	struct tc_dist_side in_a = { a, N, of, RUNS }, in_b = { b, N, of, RUNS };
	struct tc_dist_shift runs, alone;
	int i;

	for (i = 0; i < N; i++) {
		of[i] = (uint32_t)(i / EACH);
		a[i] = 10 + of[i] + 0.001 * (i % EACH);
		b[i] = a[i] + 0.5;
	}
	runs = tc_dist_bootstrap(&in_a, &in_b, &plan, &r);
	alone = shift_of(a, N, b, N, TC_DIST_P50, &r);
	near(runs.delta, 0.5, 1e-9);
	CHECK(runs.delta_high - runs.delta_low >
		3 * (alone.delta_high - alone.delta_low));
	plan.number = TC_DIST_MEAN;
	runs = tc_dist_bootstrap(&in_a, &in_b, &plan, &r);
	near(runs.delta, 0.5, 1e-9);
	CHECK(runs.delta_low < 0 && runs.delta_high > 1);
	/* Two runs of two: a resample is one twice, or both; medians 1, 2 or 3. */
	plan.number = TC_DIST_P50;
	runs = tc_dist_bootstrap(&small, &small, &plan, &r);
	near(runs.delta_low, -2, 0);
	near(runs.delta_high, 2, 0);
}

int
main(void)
{
	test_percentiles();
	test_buckets();
	test_error();
	test_sketch_percentiles();
	test_merge();
	test_full();
	test_text();
	test_random();
	test_exact_ranks();
	test_normal_ranks();
	test_holm();
	test_shifts();
	test_false_positives();
	test_spread();
	test_intervals();
	test_clusters();
	return check_done();
}
