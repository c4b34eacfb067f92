#include "rec/priv.h"

#define VERDICT(F, s) \
	F(s, ALWAYS, STR, verdict) \
	F(s, ALWAYS, STR, by) \
	F(s, ALWAYS, STR, rule) \
	F(s, ALWAYS, STR, metric) \
	F(s, OPTIONAL, STR, definition) \
	F(s, ALWAYS, STR, statistic) \
	F(s, ALWAYS, STR, op) \
	F(s, ALWAYS, REAL, limit) \
	F(s, OPTIONAL, REAL, limit_frames) \
	F(s, ALWAYS, STR, unit) \
	F(s, ALWAYS, REAL, value) \
	F(s, OPTIONAL, STR, reason) \
	F(s, ALWAYS, INT, samples) \
	F(s, OPTIONAL, INT, min_samples) \
	F(s, OPTIONAL, STR, policy) \
	F(s, OPTIONAL, INT, parts) \
	F(s, OPTIONAL, INT, judged) \
	F(s, OPTIONAL, INT, failed) \
	F(s, OPTIONAL, INT, upid) \
	F(s, ALWAYS, STR, process) \
	F(s, ALWAYS, STR, layer_name) \
	F(s, OPTIONAL, STR, cuj) \
	F(s, OPTIONAL, STR, scenario) \
	F(s, OPTIONAL, INT, repetition) \
	F(s, ALWAYS, INT, rate_hz) \
	F(s, OPTIONAL, INT, ts) \
	F(s, OPTIONAL, INT, dur) \
	F(s, OPTIONAL, STR, device) \
	F(s, OPTIONAL, STR, device_class) \
	F(s, OPTIONAL, STR, worse) \
	F(s, OPTIONAL, STR, change) \
	F(s, OPTIONAL, STR, difference) \
	F(s, OPTIONAL, STR, unit_of_sample) \
	F(s, OPTIONAL, REAL, a) \
	F(s, OPTIONAL, REAL, b) \
	F(s, OPTIONAL, INT, a_samples) \
	F(s, OPTIONAL, INT, b_samples) \
	F(s, OPTIONAL, INT, a_runs) \
	F(s, OPTIONAL, INT, b_runs) \
	F(s, OPTIONAL, REAL, delta) \
	F(s, OPTIONAL, REAL, delta_low) \
	F(s, OPTIONAL, REAL, delta_high) \
	F(s, OPTIONAL, REAL, effect) \
	F(s, OPTIONAL, REAL, ci_low) \
	F(s, OPTIONAL, REAL, ci_high) \
	F(s, OPTIONAL, REAL, superiority) \
	F(s, OPTIONAL, STR, test) \
	F(s, OPTIONAL, REAL, p) \
	F(s, OPTIONAL, REAL, p_adjusted) \
	F(s, OPTIONAL, STR, adjust) \
	F(s, OPTIONAL, INT, comparisons) \
	F(s, OPTIONAL, REAL, spread_ratio) \
	F(s, OPTIONAL, REAL, spread_p) \
	F(s, OPTIONAL, REAL, alpha) \
	F(s, OPTIONAL, REAL, min_effect) \
	F(s, OPTIONAL, INT, resamples) \
	F(s, OPTIONAL, INT, seed) \
	F(s, OPTIONAL, STR, rules) \
	F(s, OPTIONAL, INT, machine_id) \
	F(s, OPTIONAL, INT, trace)

TC_REC_RECORD(verdict, VERDICT);
