#include "metrics/priv.h"

#include <string.h>

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
