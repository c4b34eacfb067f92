#ifndef TC_MERGE_MERGE_H
#define TC_MERGE_MERGE_H
/*
 * merge: the numbers of many traces become one, whatever the order and the grouping.
 *
 * Records that say the same in all but the trace they come from are one group. Of each
 * group there is what its numbers are made of: sums of integers that are not negative,
 * least and greatest values, sketches. From these alone the result is computed, and it
 * carries them, so that it can be merged again. What does not combine, the exact
 * percentiles of two traces, is unknown afterwards, and stays so.
 *
 * A sum that is too great for 64 bits is unknown too: since nothing is negative, it is
 * so in every order.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dist/dist.h"
#include "json/json.h"
#include "mem/mem.h"

struct tc_err;
struct tc_out;
struct tc_rec_jank_metric;
struct tc_rec_jank_stats;

/* What jank_metric records of one group come to. Zeroed is none. */
struct tc_merge_metric {
	int64_t runs, unknown; /* how many in all, and without a value */
	int64_t samples, dur;  /* TC_NONE: not known of all, or too many */
	int64_t num, den;      /* sums of those that are known; INT64_MAX: too great */
	int64_t repetition;    /* TC_NONE where they differ, as the device is 0 */
	size_t known;          /* how many of the records have a value or samples */
	uint32_t device, reason;
	bool is_cuj;  /* all are of the scene of an interaction */
	bool is_lost; /* percentiles cannot be told any more */
	bool has_sketch;
	bool is_mixed;                 /* what is known has several scales */
	double scale;                  /* of what is known */
	double min, max;               /* NAN: none */
	double p1, p50, p90, p95, p99; /* of the only one that is known */
	uint32_t method, kept_reason;
	struct tc_dist_sketch sketch; /* owned */
};

struct tc_merge_stats {
	int64_t runs, rows, positive, zero, open, invalid, sum_ns; /* TC_NONE: unknown */
	double max_ms;
};

struct tc_merge {
	struct tc_strtab names;   /* every text */
	struct tc_strtab metrics; /* keys, as bytes */
	struct tc_strtab stats;
	struct tc_merge_metric *metric_at; /* owned: by key - 1 */
	struct tc_merge_stats *stats_at;   /* owned: likewise */
	size_t metric_cap, stats_cap;
	bool has_rows; /* to be set when rows of traces came */
	struct tc_json json;
};

void tc_merge_release(struct tc_merge *m);

/* Takes in a record. -1 with TC_DATA for one that is no part of a whole. */
int tc_merge_add_metric(
	struct tc_merge *m, const struct tc_rec_jank_metric *rec, struct tc_err *err);
int tc_merge_add_stats(
	struct tc_merge *m, const struct tc_rec_jank_stats *rec, struct tc_err *err);

/*
 * -1 with TC_DATA where rows came and nothing to merge: somebody left out a step. Nothing
 * at all is an empty answer, as the parts of a fleet may be.
 */
int tc_merge_check(const struct tc_merge *m, struct tc_err *err);

/*
 * A layer's name without the number that ends it, which tells windows of one name apart
 * within a trace and means nothing in another: `app/.Main#12` is `app/.Main`.
 */
struct tc_str tc_merge_layer(struct tc_str name);

/* Writes a record for each group, in the order of what they say. */
void tc_merge_put(struct tc_merge *m, struct tc_out *out);

/*
 * The same for those who know themselves what belongs together: adds a record, whose
 * texts are put into `names`; and says what came of all, the labels aside, which are
 * those of *rec. Percentiles and sketch are in the arena.
 */
int tc_merge_metric_add(struct tc_merge_metric *sum, struct tc_strtab *names,
	struct tc_json *json, const struct tc_rec_jank_metric *rec, struct tc_err *err);
void tc_merge_metric_get(const struct tc_merge_metric *sum, const struct tc_strtab *names,
	struct tc_arena *arena, struct tc_rec_jank_metric *rec);
void tc_merge_metric_release(struct tc_merge_metric *sum);

#endif
