#include "metrics/priv.h"

#include <string.h>

/* A letter in common is no likeness; and how much of a name that is none is shown. */
enum { LEAST_ALIKE = 3, MAX_SHOWN = 60 };

static const char *const one_number[] = { "value", NULL };
static const char *const percentiles[] = { "min", "p1", "p50", "p90", "p95", "p99", "max",
	NULL };

#define COMBINE_SUM "sum"
#define COMBINE_RATIO "ratio"
#define COMBINE_MAX "max"
#define COMBINE_DISTRIBUTION "distribution"
#define STATISTICS_SUM one_number
#define STATISTICS_RATIO one_number
#define STATISTICS_MAX one_number
#define STATISTICS_DISTRIBUTION percentiles

#define WORSE_HIGHER 1, false
#define WORSE_LOWER -1, false
#define WORSE_NEITHER 0, false
#define WORSE_SIGNED 1, true

#define DEF(id, name, definition, unit, combine, per, needs_rate, scale, worse) \
	{ name, definition, unit, COMBINE_##combine, TC_METRICS_##per, needs_rate, \
		scale, WORSE_##worse, STATISTICS_##combine },

/* clang-format off */
const struct tc_metrics_def tc_metrics_defs[] = {
	TC_METRICS_ALL(DEF)
	{ .name = NULL },
};
/* clang-format on */

const struct tc_metrics_def *
tc_metrics_find(const char *name)
{
	const struct tc_metrics_def *d;

	for (d = tc_metrics_defs; d->name; d++)
		if (strcmp(d->name, name) == 0)
			return d;
	return NULL;
}

static size_t
same_begin(const char *a, const char *b)
{
	size_t n;

	for (n = 0; a[n] && a[n] == b[n];)
		n++;
	return n;
}

/* Such as cpu_time, a field of frames, of perfetto_cpu_time. */
static bool
is_end_of(const char *name, const char *whole)
{
	size_t n = strlen(name), all = strlen(whole);

	return n && n < all && whole[all - n - 1] == '_' &&
		strcmp(whole + all - n, name) == 0;
}

/* One that ends so, or begins so. */
static const struct tc_metrics_def *
find_like(const char *name)
{
	const struct tc_metrics_def *d, *best = NULL, *whole = NULL;
	size_t longest = LEAST_ALIKE - 1, n;

	for (d = tc_metrics_defs; d->name; d++) {
		if (!whole && is_end_of(name, d->name))
			whole = d;
		n = same_begin(d->name, name);
		if (n > longest) {
			longest = n;
			best = d;
		}
	}
	return whole && longest < strlen(name) ? whole : best;
}

/* There are too many metrics to list them in a message. */
int
tc_metrics_refuse(const char *name, enum tc_code code, struct tc_err *err)
{
	const struct tc_metrics_def *like = find_like(name);

	return tc_err_set(err, code,
		"no metric is called \"%.*s\"; tc-jank(1) lists them%s%s%s", MAX_SHOWN,
		name, like ? ", " : "", like ? like->name : "", like ? " is one" : "");
}
