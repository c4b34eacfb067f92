#include "merge/priv.h"

#include <math.h>

#include "err/err.h"
#include "rec/rec.h"

/* What a merge says itself; both are known again when they are merged. */
#define OVERFLOW TC_MERGE_OVERFLOW
#define NOT_MERGEABLE "not_mergeable"
#define SCALE_DIFFERS "scale_differs"

static bool
is_distribution(const struct tc_rec_jank_metric *rec)
{
	return tc_merge_is(rec->combine, "distribution");
}

/* Of what is known; numbers of different scales have no sum. */
static void
add_scale(struct tc_merge_metric *sum, const struct tc_rec_jank_metric *rec)
{
	if (!sum->known)
		sum->scale = tc_merge_scale(rec);
	else if (sum->scale != tc_merge_scale(rec))
		sum->is_mixed = true;
}

static void
add_parts(struct tc_merge_metric *sum, const struct tc_rec_jank_metric *rec)
{
	if (!tc_merge_has_parts(rec))
		return;
	add_scale(sum, rec);
	if (tc_merge_is(rec->combine, "max")) {
		if (!sum->known || rec->num > sum->num)
			sum->num = rec->num;
	} else {
		tc_merge_fill(&sum->num, rec->num);
		if (tc_merge_is(rec->combine, "ratio"))
			tc_merge_fill(&sum->den, rec->den);
	}
	sum->known++;
}

static void
keep_percentiles(struct tc_merge_metric *sum, struct tc_strtab *names,
	const struct tc_rec_jank_metric *rec)
{
	sum->p1 = rec->p1;
	sum->p50 = rec->p50;
	sum->p90 = rec->p90;
	sum->p95 = rec->p95;
	sum->p99 = rec->p99;
	sum->method = tc_strtab_id(names, rec->method);
	sum->kept_reason = tc_strtab_id(names, rec->reason);
}

/* Of one that has samples the percentiles are kept; of more only sketches tell. */
static void
add_distribution(struct tc_merge_metric *sum, struct tc_strtab *names,
	const struct tc_rec_jank_metric *rec, const struct tc_dist_sketch *sketch)
{
	add_scale(sum, rec);
	sum->min = tc_merge_plain(sum->known ? fmin(sum->min, rec->min) : rec->min);
	sum->max = tc_merge_plain(sum->known ? fmax(sum->max, rec->max) : rec->max);
	if (!sum->known) {
		keep_percentiles(sum, names, rec);
		sum->has_sketch = rec->sketch != NULL;
	} else if (!sum->has_sketch || !rec->sketch) {
		sum->is_lost = true;
	}
	if (rec->sketch && !tc_dist_sketch_merge(&sum->sketch, sketch))
		sum->is_lost = true;
	sum->known++;
}

static void
add_labels(struct tc_merge_metric *sum, struct tc_strtab *names,
	const struct tc_rec_jank_metric *rec, int64_t runs)
{
	uint32_t device = tc_strtab_id(names, rec->device);
	uint32_t reason = tc_strtab_id(names, rec->reason);
	bool is_first = sum->runs == 0;

	sum->device = is_first || sum->device == device ? device : 0;
	sum->is_cuj = (is_first || sum->is_cuj) && rec->scenario_is_cuj == 1;
	if (is_first)
		sum->repetition = rec->repetition;
	else if (sum->repetition != rec->repetition)
		sum->repetition = TC_NONE;
	/* Any would do that does not depend on the order. */
	if (!sum->reason || (reason && tc_strtab_compare(names, reason, sum->reason) < 0))
		sum->reason = reason;
	tc_merge_count(&sum->dur, rec->dur < 0 ? TC_NONE : rec->dur);
	tc_merge_count(&sum->samples, rec->samples);
	tc_merge_fill(&sum->runs, runs);
}

int
tc_merge_metric_add(struct tc_merge_metric *sum, struct tc_strtab *names,
	struct tc_json *json, const struct tc_rec_jank_metric *rec, struct tc_err *err)
{
	int64_t runs = rec->runs == TC_NONE ? 1 : rec->runs, unknown = 0;
	struct tc_dist_sketch sketch = { 0 };

	if (tc_merge_check_metric(rec, json, &sketch, err)) {
		tc_dist_sketch_release(&sketch);
		return tc_err_add(err, "jank_metric record");
	}
	if (is_distribution(rec) ? rec->samples == 0 : !isfinite(rec->value))
		unknown = runs;
	if (rec->runs_unknown != TC_NONE)
		unknown = rec->runs_unknown;
	tc_merge_fill(&sum->unknown, unknown);
	sum->is_mixed |= tc_merge_is(rec->reason, SCALE_DIFFERS);
	add_labels(sum, names, rec, runs);
	if (!is_distribution(rec))
		add_parts(sum, rec);
	else if (rec->samples != 0)
		add_distribution(sum, names, rec, &sketch);
	tc_dist_sketch_release(&sketch);
	return 0;
}

static void
get_value(const struct tc_merge_metric *sum, const struct tc_strtab *names,
	struct tc_rec_jank_metric *rec)
{
	bool is_ratio = tc_merge_is(rec->combine, "ratio");

	rec->value = (double)NAN;
	rec->num = sum->known ? sum->num : TC_NONE;
	rec->den = sum->known && is_ratio ? sum->den : TC_NONE;
	rec->reason = (struct tc_str){ 0 };
	if (sum->is_mixed) {
		rec->num = rec->den = TC_NONE;
		rec->reason = TC_STR(SCALE_DIFFERS);
	} else if (!sum->known)
		rec->reason = tc_strtab_str(names, sum->reason);
	else if (!tc_merge_is(rec->combine, "max") &&
		(sum->num == INT64_MAX || sum->den == INT64_MAX))
		rec->reason = TC_STR(OVERFLOW);
	else
		rec->value = tc_merge_value(
			sum->num, is_ratio ? sum->den : TC_NONE, sum->scale);
	if (isinf(rec->value)) {
		rec->value = (double)NAN;
		rec->reason = TC_STR(OVERFLOW);
	}
}

static double
percentile(const struct tc_merge_metric *sum, unsigned permille)
{
	double v = tc_rec_scaled(
		(double)tc_dist_sketch_at(&sum->sketch, permille), sum->scale);

	if (!sum->sketch.total)
		return (double)NAN;
	v = v < sum->min ? sum->min : v > sum->max ? sum->max : v;
	return tc_merge_plain(v);
}

static void
get_sketch(const struct tc_merge_metric *sum, struct tc_arena *arena,
	struct tc_rec_jank_metric *rec)
{
	struct tc_rec_sketch *sketch = tc_arena_alloc(arena, sizeof(*sketch));

	sketch->error = TC_DIST_ERROR;
	sketch->buckets = tc_dist_sketch_text(&sum->sketch, arena);
	rec->sketch = sketch;
	if (sum->known == 1)
		return;
	rec->method = TC_STR("sketch");
	rec->p1 = percentile(sum, TC_DIST_P1);
	rec->p50 = percentile(sum, TC_DIST_P50);
	rec->p90 = percentile(sum, TC_DIST_P90);
	rec->p95 = percentile(sum, TC_DIST_P95);
	rec->p99 = percentile(sum, TC_DIST_P99);
}

static void
get_distribution(const struct tc_merge_metric *sum, const struct tc_strtab *names,
	struct tc_arena *arena, struct tc_rec_jank_metric *rec)
{
	bool is_kept = sum->known == 1 && !sum->is_mixed;
	const double none = (double)NAN;

	rec->reason = tc_strtab_str(names,
		sum->known > 1       ? 0
			: sum->known ? sum->kept_reason
				     : sum->reason);
	rec->value = none;
	rec->num = rec->den = TC_NONE;
	rec->min = sum->known ? sum->min : none;
	rec->max = sum->known ? sum->max : none;
	rec->p1 = is_kept ? sum->p1 : none;
	rec->p50 = is_kept ? sum->p50 : none;
	rec->p90 = is_kept ? sum->p90 : none;
	rec->p95 = is_kept ? sum->p95 : none;
	rec->p99 = is_kept ? sum->p99 : none;
	rec->method = is_kept ? tc_strtab_str(names, sum->method) : (struct tc_str){ 0 };
	rec->sketch = NULL;
	if (sum->is_mixed)
		rec->reason = TC_STR(SCALE_DIFFERS);
	else if (sum->has_sketch && !sum->is_lost)
		get_sketch(sum, arena, rec);
	else if (sum->known > 1)
		rec->reason = TC_STR(NOT_MERGEABLE);
}

void
tc_merge_metric_get(const struct tc_merge_metric *sum, const struct tc_strtab *names,
	struct tc_arena *arena, struct tc_rec_jank_metric *rec)
{
	if (is_distribution(rec))
		get_distribution(sum, names, arena, rec);
	else
		get_value(sum, names, rec);
	rec->scale = sum->known && !sum->is_mixed ? sum->scale : (double)NAN;
	rec->samples = sum->samples;
	rec->dur = sum->dur;
	rec->runs = sum->runs;
	rec->runs_unknown = sum->unknown;
	rec->repetition = sum->repetition;
	rec->scenario_is_cuj = sum->is_cuj ? 1 : TC_NONE;
	rec->device = tc_strtab_str(names, sum->device);
}

void
tc_merge_metric_release(struct tc_merge_metric *sum)
{
	tc_dist_sketch_release(&sum->sketch);
}
