#ifndef TC_MERGE_PRIV_H
#define TC_MERGE_PRIV_H
/* Inside merge: sums and orders. */
#include "merge/merge.h"

/* To the sum, which is unknown as soon as a part is, or when it is too great. */
void tc_merge_count(int64_t *sum, int64_t more);

/* The same, but it stops at INT64_MAX. */
void tc_merge_fill(int64_t *sum, int64_t more);

/* One of two zeros, and one of all that are no numbers: for keys and extremes. */
double tc_merge_plain(double v);

/* The reason of a sum that was too great. */
#define TC_MERGE_OVERFLOW "overflow"

/*
 * Whether a record holds together: parts that make its value, a sketch of as many values
 * as it has samples. That is read into *sketch, which the caller releases in any case. -1
 * with TC_DATA.
 */
int tc_merge_check_metric(const struct tc_rec_jank_metric *rec, struct tc_json *json,
	struct tc_dist_sketch *sketch, struct tc_err *err);

/* Whether a text is this word, which is not empty. */
bool tc_merge_is(struct tc_str s, const char *word);

/* Of a record: whether it has parts to add, and what makes them its value. */
bool tc_merge_has_parts(const struct tc_rec_jank_metric *rec);
double tc_merge_scale(const struct tc_rec_jank_metric *rec);

/* num * scale / den; den TC_NONE: 1. */
double tc_merge_value(int64_t num, int64_t den, double scale);

/* Writes the groups of one type; arena is for what one record needs. */
void tc_merge_put_metrics(struct tc_merge *m, struct tc_out *out, struct tc_arena *arena);
void tc_merge_put_stats(struct tc_merge *m, struct tc_out *out);

#endif
