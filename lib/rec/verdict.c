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
	F(s, OPTIONAL, INT, machine_id) \
	F(s, OPTIONAL, INT, trace)

TC_REC_RECORD(verdict, VERDICT);
