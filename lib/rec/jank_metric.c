#include "rec/priv.h"

#define JANK_METRIC_SKETCH(F, s) \
	F(s, ALWAYS, REAL, error) \
	F(s, ALWAYS, JSON, buckets)

TC_REC_INSIDE(sketch, tc_rec_sketch, JANK_METRIC_SKETCH);

#define JANK_METRIC(F, s) \
	F(s, ALWAYS, STR, metric) \
	F(s, ALWAYS, STR, definition) \
	F(s, ALWAYS, STR, unit) \
	F(s, ALWAYS, REAL, value) \
	F(s, OPTIONAL, STR, reason) \
	F(s, ALWAYS, INT, samples) \
	F(s, ALWAYS, STR, combine) \
	F(s, OPTIONAL, INT, num) \
	F(s, OPTIONAL, INT, den) \
	F(s, OPTIONAL, REAL, scale) \
	F(s, OPTIONAL, REAL, min) \
	F(s, OPTIONAL, REAL, p1) \
	F(s, OPTIONAL, REAL, p50) \
	F(s, OPTIONAL, REAL, p90) \
	F(s, OPTIONAL, REAL, p95) \
	F(s, OPTIONAL, REAL, p99) \
	F(s, OPTIONAL, REAL, max) \
	F(s, OPTIONAL, STR, method) \
	F(s, OPTIONAL, OBJ, sketch) \
	F(s, ALWAYS, INT, upid) \
	F(s, ALWAYS, INT, pid) \
	F(s, ALWAYS, STR, process) \
	F(s, ALWAYS, STR, layer_name) \
	F(s, OPTIONAL, STR, cuj) \
	F(s, OPTIONAL, STR, scenario) \
	F(s, OPTIONAL, INT, scenario_is_cuj) \
	F(s, OPTIONAL, INT, repetition) \
	F(s, ALWAYS, INT, rate_hz) \
	F(s, ALWAYS, INT, period_ns) \
	F(s, ALWAYS, INT, ts) \
	F(s, ALWAYS, INT, dur) \
	F(s, OPTIONAL, STR, device) \
	F(s, OPTIONAL, STR, rules) \
	F(s, OPTIONAL, INT, runs) \
	F(s, OPTIONAL, INT, runs_unknown) \
	F(s, ALWAYS, INT, machine_id) \
	F(s, ALWAYS, INT, trace)

TC_REC_RECORD(jank_metric, JANK_METRIC);

double
tc_rec_scaled(double number, double scale)
{
	double parts = round(1 / scale);

	return scale > 0 && scale < 1 && 1 / parts == scale ? number / parts
							    : number * scale;
}

double
tc_rec_statistic(const struct tc_rec_jank_metric *m, const char *statistic)
{
	const struct {
		const char *name;
		double value;
	} all[] = { { "value", m->value }, { "min", m->min }, { "p1", m->p1 },
		{ "p50", m->p50 }, { "p90", m->p90 }, { "p95", m->p95 },
		{ "p99", m->p99 }, { "max", m->max } };
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (strcmp(all[i].name, statistic) == 0)
			return all[i].value;
	return (double)NAN;
}

int64_t
tc_rec_rate_hz(int64_t period_ns)
{
	return period_ns > 0 ? (1000000000 + period_ns / 2) / period_ns : TC_NONE;
}
