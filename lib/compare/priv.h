#ifndef TC_COMPARE_PRIV_H
#define TC_COMPARE_PRIV_H
/* Inside compare: what is held, and what a comparison is. */
#include "compare/compare.h"

#include "dist/dist.h"
#include "merge/merge.h"

/* Statistics: thousandths of a percentile, and what else there is. */
enum {
	TC_COMPARE_MIN = 0,
	TC_COMPARE_MAX = 1000,
	TC_COMPARE_MEAN = TC_DIST_MEAN,
	TC_COMPARE_VALUE,
};

/* Fields of frame_metrics that can be compared. */
enum { TC_COMPARE_FIELDS = 5 };

/* Interned as bytes, so both without holes. */
struct tc_compare_key {
	int64_t rate_hz, is_frames;
	uint32_t metric, definition, unit, process, layer, cuj, scenario, none;
};

struct tc_compare_run {
	int64_t trace, repetition;
	uint32_t input, stream;
};

/* A metric of one run. */
struct tc_compare_cell {
	uint32_t key, run, combine;
	struct tc_merge_metric sum;
};

/* Nanoseconds, INT64_MIN for unknown. */
struct tc_compare_frame {
	uint32_t key, run;
	int64_t values[TC_COMPARE_FIELDS];
};

/* Which way a metric, or a field, is worse: 1 higher, -1 lower, 0 neither. */
int tc_compare_worse(const char *name);

/* Whether its zero is no base for a share: it may be on both sides of it. */
bool tc_compare_is_signed(const char *name);

const char *tc_compare_statistic(unsigned statistic);

/* The usual, where nothing was wanted. */
void tc_compare_want_usual(struct tc_compare *c);

const struct tc_compare_key *tc_compare_key_of(const struct tc_compare *c, uint32_t key);

/*
 * Numbers the runs anew, from 0 and in the order of the inputs, so that those of side b
 * begin at c->first_b; and puts cells and frames in the order of their keys and runs.
 */
void tc_compare_sort(struct tc_compare *c);

/* The numbers of a side, sorted, and where they come from. */
struct tc_compare_numbers {
	double *values;   /* owned: one a run, or one a frame */
	uint32_t *run_of; /* owned: of frames, from 0 to runs - 1 */
	double *of_runs;  /* owned: of frames, the statistic of each run, sorted */
	double *spreads;  /* owned: likewise, how far they are spread */
	size_t count, runs, records;
	double frames; /* or intervals, that all runs rest on; INFINITY: not counted */
	bool is_lost;  /* percentiles of several spans of a run, without sketches */
};
void tc_compare_numbers_release(struct tc_compare_numbers *n);

/* Of the cells, or frames, from first to last; in the unit of the verdict. */
void tc_compare_of_cells(const struct tc_compare *c, size_t first, size_t last,
	const struct tc_compare_wanted *w, unsigned side, struct tc_compare_numbers *n);
void tc_compare_of_frames(const struct tc_compare *c, size_t first, size_t last,
	const struct tc_compare_wanted *w, unsigned side, struct tc_compare_numbers *n);

/* One that was made, or could not be. */
struct tc_compare_pair {
	const struct tc_compare *c;
	uint32_t key; /* 0: nothing fits what was wanted */
	size_t wanted;
	size_t samples[2], runs[2];
	bool is_by_run;
	const char *reason; /* why there is not enough; NULL: there is */
	const char *test;
	struct tc_dist_shift shift;
	double superiority, p, p_adjusted, least_p, spread_ratio, spread_p;
	bool is_shifted, is_spread, is_regression;
};

/* Looks at both sides, and tests; what needs all of them together is left. */
void tc_compare_test(struct tc_compare_pair *pair, const struct tc_compare_numbers *a,
	const struct tc_compare_numbers *b);

/* Corrects for how many tests there are, which it returns, and says what each came to. */
size_t tc_compare_conclude(struct tc_compare_pair *pairs, size_t count);

void tc_compare_put(const struct tc_compare_pair *pair, size_t tests, struct tc_out *out);

#endif
