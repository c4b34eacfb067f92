#include "metrics/priv.h"

#include "jank/jank.h"

/* Perfetto's tags, in its own words. */
static const struct {
	const char *tag;
	enum tc_metrics_id id;
} tags[] = {
	{ "No Jank", TC_METRICS_NO_JANK },
	{ "Self Jank", TC_METRICS_SELF_JANK },
	{ "Other Jank", TC_METRICS_OTHER_JANK },
	{ "Dropped Frame", TC_METRICS_DROPPED },
	{ "Buffer Stuffing", TC_METRICS_BUFFER_STUFFING },
	{ "SurfaceFlinger Stuffing", TC_METRICS_SF_STUFFING },
	{ "Non-perceivable Jank", TC_METRICS_NON_PERCEIVABLE },
	{ "Unspecified", TC_METRICS_UNSPECIFIED },
};

static enum tc_metrics_id
tag_of(struct tc_str tag)
{
	size_t i;

	for (i = 0; i < sizeof(tags) / sizeof(tags[0]); i++)
		if (tc_str_eq(tag, tc_str_of(tags[i].tag)))
			return tags[i].id;
	return TC_METRICS_OTHER_TAG;
}

static bool
has_text(struct tc_str s, const char *part)
{
	/* Interned text has a NUL behind it; jank types have none inside. */
	return s.p && strstr(s.p, part);
}

/* As Perfetto's android_is_app_jank_type and android_is_sf_jank_type. */
static bool
is_app_jank(struct tc_str type)
{
	return has_text(type, "App Deadline Missed") ||
		has_text(type, "App Resynced Jitter");
}

static bool
is_sf_jank(struct tc_str type)
{
	static const char *const parts[] = { "SurfaceFlinger CPU Deadline Missed",
		"SurfaceFlinger GPU Deadline Missed", "SurfaceFlinger Scheduling",
		"Prediction Error", "Display HAL" };
	size_t i;

	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (has_text(type, parts[i]))
			return true;
	return false;
}

static int64_t
layer_id(struct tc_str layer)
{
	const char *mark = layer.p ? memchr(layer.p, '#', layer.len) : NULL;
	size_t skip = mark ? (size_t)(mark - layer.p) + 1 : 0;

	return mark ? tc_metrics_number((struct tc_str){
			      mark + 1, layer.len - (uint32_t)skip, false })
		    : TC_NONE;
}

void
tc_metrics_sort_out(struct tc_metrics_job *j)
{
	const struct tc_rows_group *from;
	struct tc_metrics_group *g;
	struct tc_str type;
	size_t i;

	j->groups = tc_mem_calloc(j->r->groups.count + 1, sizeof(*j->groups));
	for (i = 0; i < j->r->groups.count; i++) {
		from = tc_rows_group_of(j->r, (uint32_t)(i + 1));
		type = tc_rows_text(j->r, from->type);
		g = &j->groups[i];
		g->tag = tag_of(tc_rows_text(j->r, from->tag));
		g->is_janky = tc_jank_is_janky(tc_rows_text(j->r, from->tag));
		g->is_dropped = tc_rows_is_dropped(j->r, from);
		g->is_app_jank = is_app_jank(type);
		g->is_sf_jank = is_sf_jank(type);
		g->layer_id = layer_id(tc_rows_text(j->r, from->layer));
	}
}

int64_t
tc_metrics_number(struct tc_str s)
{
	uint64_t value;

	return tc_str_digits(s, 10, INT64_MAX, &value) ? (int64_t)value : TC_NONE;
}

/* What is further from what was expected of it than this is no answer to it. */
static const int64_t furthest_ns = INT64_C(86400000000000);

int64_t
tc_metrics_off(int64_t a, int64_t expected)
{
	int64_t off = tc_rows_minus(a, expected);

	return off > furthest_ns || off < -furthest_ns ? TC_NONE : off;
}

int64_t
tc_metrics_plus(int64_t a, int64_t b)
{
	int64_t sum;

	if (a == TC_NONE || b == TC_NONE || __builtin_add_overflow(a, b, &sum))
		return TC_NONE;
	return sum;
}

const struct tc_rows_expected *
tc_metrics_expectation(const struct tc_rows *r, const struct tc_rows_actual *a)
{
	return tc_rows_only(tc_rows_expectation(r, a));
}
