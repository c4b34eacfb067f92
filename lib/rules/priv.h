#ifndef TC_RULES_PRIV_H
#define TC_RULES_PRIV_H
/* Inside rules: what a file says, and what is known of each part. */
#include "rules/rules.h"

#include "metrics/metrics.h"

enum tc_rules_verdict { TC_RULES_PASS, TC_RULES_FAIL, TC_RULES_UNKNOWN };

/* What a name must be: a pattern, absent, or anything. */
struct tc_rules_glob {
	const char *glob; /* in the arena */
	bool is_given;    /* without a glob: there must be none */
};

struct tc_rules_scope {
	struct tc_rules_glob process, layer, cuj, scenario, device;
	const char *device_class;
	const struct tc_rules_class *class; /* found once the file is read */
	int64_t rate_hz;                    /* TC_NONE with has_rate: not known */
	bool has_rate;
};

enum tc_rules_how { TC_RULES_ALL, TC_RULES_ANY, TC_RULES_AT_LEAST };

struct tc_rules_policy {
	enum tc_rules_how how;
	int64_t at_least, of; /* of TC_NONE: however many there are */
};

struct tc_rules_rule {
	const char *name, *metric, *statistic, *op;
	const struct tc_metrics_def *def;
	double limit, limit_frames; /* NAN: not given */
	struct tc_rules_scope scope;
	int64_t min_samples;
	struct tc_rules_policy policy;
	bool skips; /* parts that cannot be judged, as if they were not there */

	/* What came of it. */
	bool has_metric; /* of any scope */
	size_t first, parts, judged, failed;
	int64_t samples;
	enum tc_rules_verdict verdict;
	const char *reason;
};

struct tc_rules_class {
	const char *name, *platform;
	const char **models; /* globs; any may fit */
	size_t model_count;
	int64_t sdk_min, sdk_max; /* TC_NONE: not given */
};

struct tc_rules_device {
	uint32_t model, platform;
	int64_t sdk;
	bool is_known; /* there was a record */
};

/* A metric in the scope of a rule; texts are ids of names, once judged of texts. */
struct tc_rules_part {
	uint32_t rule;
	uint32_t process, layer, cuj, scenario, device, unit, definition, said, path;
	int64_t upid, repetition, rate_hz, period_ns, ts, dur, machine, trace, samples;
	double value;

	/* Once judged. */
	double limit;
	const char *reason;
	enum tc_rules_verdict verdict;
};

/*
 * One that a rule could have had a part in, as another process or layer shows. Interned
 * as bytes, so without holes.
 */
struct tc_rules_scene {
	int64_t trace, repetition;
	uint32_t rule, device, scenario, path; /* path: two streams have a trace 0 */
};

/* Of 3: yes, no, and not to be said. */
enum tc_rules_fit { TC_RULES_FITS, TC_RULES_FITS_NOT, TC_RULES_FITS_MAYBE };

/* scope.c: whether the device of this name is of the class. */
enum tc_rules_fit tc_rules_is_of_class(
	const struct tc_rules *r, const struct tc_rules_class *class, uint32_t device);

/* scope.c: parts for scenes in which there was nothing of a rule. */
void tc_rules_add_missing(struct tc_rules *r);

/* judge.c */
const char *tc_rules_verdict_name(enum tc_rules_verdict verdict);

/* "all", "any", "at least 2", "at least 2 of 3". */
void tc_rules_policy_text(const struct tc_rules_policy *p, char *text, size_t size);

/* names.c: what the cases of one suite are called. */
struct tc_rules_names {
	const struct tc_rules *r;
	bool has_devices, has_paths, has_traces; /* several, which tell parts apart */
	struct tc_strtab seen;
	unsigned *times; /* owned: by id of seen - 1 */
	char *text;      /* owned */
	size_t times_cap, len, cap;
};

/* After judging. A name lasts until the next one; the same one again gets a number. */
void tc_rules_names_init(struct tc_rules_names *n, const struct tc_rules *r);
struct tc_str tc_rules_name(struct tc_rules_names *n, const struct tc_rules_part *p);
void tc_rules_names_reset(struct tc_rules_names *n); /* for the next suite */
void tc_rules_names_release(struct tc_rules_names *n);

#endif
