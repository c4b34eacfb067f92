#ifndef TC_DIST_DIST_H
#define TC_DIST_DIST_H
/*
 * dist: what can be said of many numbers, and of the difference of two such sets.
 *
 * Pure mathematics: no records, and no state but what the caller holds. Arrays are
 * borrowed. Where a function wants sorted values they ascend and have no NAN in them.
 *
 * Percentiles are of the nearest rank: the smallest value that at least that share of
 * the values does not exceed. It is always one of the values. Shares are given in
 * thousandths, so that the rank comes from integers alone.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mem/mem.h"

struct tc_err;
struct tc_json;

enum {
	TC_DIST_P1 = 10,
	TC_DIST_P50 = 500,
	TC_DIST_P90 = 900,
	TC_DIST_P95 = 950,
	TC_DIST_P99 = 990
};

/* From 1 to n, 0 when n is 0; permille is at most 1000. */
uint64_t tc_dist_rank(uint64_t n, unsigned permille);

void tc_dist_sort_ints(int64_t *values, size_t n);
void tc_dist_sort_reals(double *values, size_t n);

/* INT64_MIN, or NAN, without values. */
int64_t tc_dist_int_at(const int64_t *sorted, size_t n, unsigned permille);
double tc_dist_real_at(const double *sorted, size_t n, unsigned permille);
double tc_dist_mean(const double *values, size_t n);

/*
 * A sketch counts values by bucket. A bucket is named by the highest seven bits of a
 * value and how many bits follow; values below 128 have one each. Negative values have
 * the buckets of their opposites, negated. All of it is integers, so sketches that are
 * merged are the same bit for bit, in whatever order and grouping, on any machine.
 *
 * A percentile is the middle of its bucket, off by at most this share of itself.
 */
#define TC_DIST_ERROR 0.0078125

enum { TC_DIST_LEAST_BUCKET = -3712, TC_DIST_GREATEST_BUCKET = 3711 };

int tc_dist_bucket(int64_t value);

/* The least and the greatest value of a bucket, and the one that stands for it. */
int64_t tc_dist_bucket_low(int bucket);
int64_t tc_dist_bucket_high(int bucket);
int64_t tc_dist_bucket_middle(int bucket);

struct tc_dist_count {
	int64_t count; /* at least 1 */
	int bucket;
};

/* Zeroed is empty. */
struct tc_dist_sketch {
	struct tc_dist_count *at; /* owned; buckets ascend */
	size_t count, cap;
	int64_t total;    /* how many values */
	int64_t min, max; /* exact; of one that was read, as exact as its buckets */
};

void tc_dist_sketch_release(struct tc_dist_sketch *s);

/* Neither adds beyond INT64_MAX values in all: then false, and nothing is changed. */
bool tc_dist_sketch_add(struct tc_dist_sketch *s, int64_t value);
bool tc_dist_sketch_merge(struct tc_dist_sketch *s, const struct tc_dist_sketch *more);

/* From min to max; INT64_MIN of an empty one. */
int64_t tc_dist_sketch_at(const struct tc_dist_sketch *s, unsigned permille);

/* As JSON text, [[bucket,count],...] in ascending order; in the arena. */
struct tc_str tc_dist_sketch_text(const struct tc_dist_sketch *s, struct tc_arena *arena);

/*
 * Reads that text into *s, which is emptied first; `json` is where it is parsed. -1
 * with TC_DATA for anything but such a list: buckets that do not ascend or do not
 * exist, counts below 1, a sum above INT64_MAX.
 */
int tc_dist_sketch_read(struct tc_dist_sketch *s, struct tc_str text,
	struct tc_json *json, struct tc_err *err);

/* The same series of numbers for the same seed, on any machine. */
struct tc_dist_random {
	uint64_t state;
};

struct tc_dist_random tc_dist_random_of(uint64_t seed);
uint64_t tc_dist_random_next(struct tc_dist_random *r);

/* From 0 to n - 1, each as likely; n is not 0. */
uint64_t tc_dist_random_below(struct tc_dist_random *r, uint64_t n);

/* Above 0 and below 1; normal with mean 0 and deviation 1. */
double tc_dist_random_real(struct tc_dist_random *r);
double tc_dist_random_normal(struct tc_dist_random *r);

/* Of the rank k, from 1 to n, among n numbers that random_real would give. */
double tc_dist_random_ranked(struct tc_dist_random *r, size_t k, size_t n);

/*
 * The rank test of Mann, Whitney and Wilcoxon, two-sided: whether values of b tend to
 * be greater or less than those of a; both are sorted. Equal values share their rank.
 * Few values are tested exactly, over all ways to deal out the ranks that there are;
 * many by the normal approximation with corrections for ties and continuity.
 */
struct tc_dist_test {
	double p;           /* NAN without values on both sides */
	double superiority; /* how often b is greater, equal ones half; 0.5: alike */
	bool is_exact;
};

struct tc_dist_test tc_dist_rank_test(
	const double *a, size_t a_count, const double *b, size_t b_count);

/* The least p that the test can come to with so many values. */
double tc_dist_least_p(size_t a_count, size_t b_count);

/*
 * Whether the values of one side lie further from their middle: the rank test on what
 * they are off their own side's median; both are sorted. The ratio is that of the
 * medians of these distances, b's over a's, NAN where a's is 0.
 */
double tc_dist_distance(const double *sorted, size_t n); /* that median; or NAN */

struct tc_dist_spread {
	double p, ratio;
};

struct tc_dist_spread tc_dist_spread_test(
	const double *a, size_t a_count, const double *b, size_t b_count);

/*
 * Holm's step-down: of tests made together, makes p what it must be compared as, so
 * that the chance of any false finding stays alpha. NAN is no test.
 */
void tc_dist_holm(double *p, size_t n);

/* One number of a set. */
enum { TC_DIST_MEAN = 1001 }; /* beside the thousandths of a percentile */

/*
 * A side: sorted values, and for values that came together (as the frames of one run)
 * which of `clusters` each belongs to, none of them empty. Clusters are drawn whole.
 * NULL: each value by itself.
 */
struct tc_dist_side {
	const double *values;
	size_t count;
	const uint32_t *cluster_of;
	size_t clusters;
};

struct tc_dist_shift {
	double a, b;                         /* the number of each side */
	double delta, delta_low, delta_high; /* b - a */
	double share, share_low, share_high; /* that over the base; NAN when infinite */
	double p; /* two-sided: how often a resample says the opposite, or no shift */
};

struct tc_dist_plan {
	unsigned number; /* thousandths, or TC_DIST_MEAN */
	size_t resamples;
	double alpha; /* the interval leaves out so much, half on each side */
	double base;  /* what the share is of; NAN: the absolute number of side a */
};

/*
 * How far b's number is from a's, with the percentile interval of the bootstrap.
 * Everything is NAN when a side has no values.
 */
struct tc_dist_shift tc_dist_bootstrap(const struct tc_dist_side *a,
	const struct tc_dist_side *b, const struct tc_dist_plan *plan,
	struct tc_dist_random *random);

#endif
