#include "merge/priv.h"

#include <math.h>
#include <stdlib.h>

#include "err/err.h"
#include "rec/rec.h"

void
tc_merge_count(int64_t *sum, int64_t more)
{
	if (*sum == TC_NONE || more == TC_NONE || __builtin_add_overflow(*sum, more, sum))
		*sum = TC_NONE;
}

void
tc_merge_fill(int64_t *sum, int64_t more)
{
	if (__builtin_add_overflow(*sum, more, sum))
		*sum = INT64_MAX;
}

struct tc_str
tc_merge_layer(struct tc_str name)
{
	uint32_t len = name.len;

	while (len > 0 && name.p[len - 1] >= '0' && name.p[len - 1] <= '9')
		len--;
	if (len < name.len && len > 1 && name.p[len - 1] == '#')
		name.len = len - 1;
	return name;
}

double
tc_merge_plain(double v)
{
	return isnan(v) ? (double)NAN : v + 0.0;
}

void
tc_merge_release(struct tc_merge *m)
{
	size_t i;

	for (i = 0; i < m->metrics.count; i++)
		tc_merge_metric_release(&m->metric_at[i]);
	free(m->metric_at);
	free(m->stats_at);
	tc_strtab_release(&m->names);
	tc_strtab_release(&m->metrics);
	tc_strtab_release(&m->stats);
	tc_json_release(&m->json);
}

int
tc_merge_check(const struct tc_merge *m, struct tc_err *err)
{
	if (!m->has_rows || m->metrics.count || m->stats.count)
		return 0;
	return tc_err_named(err, TC_DATA, "no_metrics",
		"rows of traces and no metrics: run tc-jank metrics on them");
}

void
tc_merge_put(struct tc_merge *m, struct tc_out *out)
{
	struct tc_arena arena = { 0 };

	tc_merge_put_metrics(m, out, &arena);
	tc_merge_put_stats(m, out);
	tc_arena_release(&arena);
}
