/* What a record says of itself must hold together, or a sum of it would be nonsense. */
#include <math.h>

#include "err/err.h"
#include "merge/priv.h"
#include "rec/rec.h"

bool
tc_merge_is(struct tc_str s, const char *word)
{
	return tc_str_eq(s, tc_str_of(word));
}

double
tc_merge_value(int64_t num, int64_t den, double scale)
{
	return tc_rec_scaled((double)num, scale) / (den == TC_NONE ? 1 : (double)den);
}

/* A sum that was too great is part of one that is. */
bool
tc_merge_has_parts(const struct tc_rec_jank_metric *rec)
{
	return isfinite(rec->value) || tc_merge_is(rec->reason, TC_MERGE_OVERFLOW);
}

/* What is left out: sketches are of nanoseconds where the unit is ms. */
double
tc_merge_scale(const struct tc_rec_jank_metric *rec)
{
	if (!isnan(rec->scale))
		return tc_merge_plain(rec->scale);
	return tc_merge_is(rec->combine, "distribution") && tc_merge_is(rec->unit, "ms")
		? 1e-6
		: 1;
}

/* Whether two numbers are the same but for how they were rounded. */
static bool
is_near(double a, double b)
{
	return fabs(a - b) <= 1e-6 * fmax(fabs(a), fabs(b));
}

static int
check_parts(const struct tc_rec_jank_metric *rec, struct tc_err *err)
{
	bool is_ratio = tc_merge_is(rec->combine, "ratio"),
	     is_max = tc_merge_is(rec->combine, "max");

	if (!tc_merge_has_parts(rec))
		return 0;
	if (rec->num == TC_NONE || (is_ratio && rec->den == TC_NONE))
		return tc_err_set(err, TC_DATA, "a value without what it is made of");
	if (!is_max && (rec->num < 0 || (is_ratio && rec->den <= 0)))
		return tc_err_set(err, TC_DATA, "num below 0, or den not above it");
	if (is_ratio && tc_merge_is(rec->unit, "percent") && rec->num > rec->den)
		return tc_err_set(err, TC_DATA, "more than all of it: num above den");
	if (isfinite(rec->value) &&
		!is_near(rec->value,
			tc_merge_value(rec->num, is_ratio ? rec->den : TC_NONE,
				tc_merge_scale(rec))))
		return tc_err_set(err, TC_DATA, "value is not num * scale / den");
	return 0;
}

/* Whether a number stands in this bucket, or beside it by how it was rounded. */
static bool
is_in(double value, double scale, int bucket)
{
	double v = value / scale;

	return v >= (double)tc_dist_bucket_low(bucket) - 1 &&
		v <= (double)tc_dist_bucket_high(bucket) + 1;
}

static int
check_sketch(const struct tc_rec_jank_metric *rec, const struct tc_dist_sketch *sketch,
	struct tc_err *err)
{
	double scale = tc_merge_scale(rec);

	if (rec->sketch->error != TC_DIST_ERROR)
		return tc_err_set(err, TC_DATA, "a sketch of another kind");
	if (sketch->total != rec->samples)
		return tc_err_set(err, TC_DATA, "a sketch of more or fewer samples");
	if (sketch->total &&
		(!is_in(rec->min, scale, sketch->at[0].bucket) ||
			!is_in(rec->max, scale, sketch->at[sketch->count - 1].bucket)))
		return tc_err_set(
			err, TC_DATA, "a sketch of other values than min to max");
	return 0;
}

static int
check_distribution(const struct tc_rec_jank_metric *rec, struct tc_json *json,
	struct tc_dist_sketch *sketch, struct tc_err *err)
{
	if (rec->samples == TC_NONE)
		return tc_err_set(
			err, TC_DATA, "a distribution of nobody knows how many");
	if (rec->samples > 0 && !(rec->min <= rec->max))
		return tc_err_set(err, TC_DATA, "min above max, or one of them missing");
	if (!rec->sketch)
		return 0;
	if (tc_dist_sketch_read(sketch, rec->sketch->buckets, json, err))
		return -1;
	return check_sketch(rec, sketch, err);
}

static int
check_labels(const struct tc_rec_jank_metric *rec, struct tc_err *err)
{
	int64_t runs = rec->runs == TC_NONE ? 1 : rec->runs;

	if (!rec->metric.p)
		return tc_err_set(err, TC_DATA, "no metric");
	if (!tc_merge_is(rec->combine, "sum") && !tc_merge_is(rec->combine, "ratio") &&
		!tc_merge_is(rec->combine, "max") &&
		!tc_merge_is(rec->combine, "distribution"))
		return tc_err_set(
			err, TC_DATA, "combine is none of sum, ratio, max, distribution");
	if ((rec->samples < 0 && rec->samples != TC_NONE) || runs < 1 ||
		(rec->runs_unknown != TC_NONE &&
			(rec->runs_unknown < 0 || rec->runs_unknown > runs)))
		return tc_err_set(err, TC_DATA, "samples or runs that cannot be");
	if (!isnan(rec->scale) && !(rec->scale > 0))
		return tc_err_set(err, TC_DATA, "scale is not above 0");
	return 0;
}

int
tc_merge_check_metric(const struct tc_rec_jank_metric *rec, struct tc_json *json,
	struct tc_dist_sketch *sketch, struct tc_err *err)
{
	if (check_labels(rec, err))
		return -1;
	if (tc_merge_is(rec->combine, "distribution"))
		return check_distribution(rec, json, sketch, err);
	return check_parts(rec, err);
}
