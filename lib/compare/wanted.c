#include "compare/priv.h"

#include <stdio.h>
#include <string.h>

#include "err/err.h"
#include "metrics/metrics.h"

static const struct {
	const char *name;
	unsigned statistic;
} statistics[] = {
	{ "value", TC_COMPARE_VALUE },
	{ "min", TC_COMPARE_MIN },
	{ "p1", TC_DIST_P1 },
	{ "p50", TC_DIST_P50 },
	{ "p90", TC_DIST_P90 },
	{ "p95", TC_DIST_P95 },
	{ "p99", TC_DIST_P99 },
	{ "max", TC_COMPARE_MAX },
	{ "mean", TC_COMPARE_MEAN },
};

/* Of all of them higher is worse. */
static const struct {
	const char *name;
	bool is_signed; /* as of metrics */
} fields[TC_COMPARE_FIELDS] = { { "cpu_time", false }, { "ui_time", false },
	{ "dur", false }, { "overrun", true }, { "app_vsync_delay", true } };

/* What the extremes of one run are says little of the next, so frames have none. */
static const char *const frame_statistics[] = { "p1", "p50", "p90", "p95", "p99", "mean",
	NULL };

static const char *const usual[] = { "janky_rate", "fps", NULL };
static const char *const usual_of_slices[] = { "frame_duration_cpu.p50",
	"frame_duration_cpu.p95", "cpu_time.p50", "cpu_time.p95", NULL };
static const char *const usual_instead[] = { "timeline_duration.p50",
	"timeline_duration.p95", NULL };

static bool
is_in(struct tc_str name, const char *const *list)
{
	while (*list && !tc_str_eq(name, tc_str_of(*list)))
		list++;
	return *list != NULL;
}

const char *
tc_compare_statistic(unsigned statistic)
{
	size_t i = 0;

	while (statistics[i].statistic != statistic)
		i++;
	return statistics[i].name;
}

static int
find_field(const char *name)
{
	int i;

	for (i = 0; i < TC_COMPARE_FIELDS; i++)
		if (strcmp(fields[i].name, name) == 0)
			return i;
	return -1;
}

int
tc_compare_worse(const char *name)
{
	const struct tc_metrics_def *def = tc_metrics_find(name);

	return def ? def->worse : 1;
}

bool
tc_compare_is_signed(const char *name)
{
	const struct tc_metrics_def *def = tc_metrics_find(name);
	int field = find_field(name);

	return def ? def->is_signed : field >= 0 && fields[field].is_signed;
}

static int
set_statistic(struct tc_compare_wanted *w, const char *name, const char *const *has,
	struct tc_err *err)
{
	size_t i;

	if (!is_in(tc_str_of(name), has))
		return tc_err_set(err, TC_USAGE, "%s has no %s", w->name, name);
	for (i = 0; i < sizeof(statistics) / sizeof(statistics[0]); i++)
		if (strcmp(statistics[i].name, name) == 0)
			w->statistic = statistics[i].statistic;
	return 0;
}

static bool
is_wanted(const struct tc_compare *c, const struct tc_compare_wanted *w)
{
	const struct tc_compare_wanted *o;

	for (o = c->wanted; o < c->wanted + c->wanted_count; o++)
		if (strcmp(o->name, w->name) == 0 && o->statistic == w->statistic)
			return true;
	return false;
}

int
tc_compare_want(struct tc_compare *c, const char *text, struct tc_err *err)
{
	struct tc_compare_wanted *w = &c->wanted[c->wanted_count];
	const char *dot = strchr(text, '.'), *const *has = frame_statistics;
	size_t len = dot ? (size_t)(dot - text) : strlen(text);
	const struct tc_metrics_def *def;

	if (c->wanted_count == TC_COMPARE_MAX_WANTED)
		return tc_err_set(
			err, TC_USAGE, "more than %d metrics", TC_COMPARE_MAX_WANTED);
	if (len >= sizeof(w->name))
		return tc_metrics_refuse(text, TC_USAGE, err);
	memcpy(w->name, text, len);
	w->name[len] = '\0';
	w->field = find_field(w->name);
	if (w->field < 0) {
		def = tc_metrics_find(w->name);
		if (!def)
			return tc_metrics_refuse(w->name, TC_USAGE, err);
		has = def->statistics;
	}
	if (!dot)
		dot = is_in(TC_STR("value"), has) ? ".value" : ".p50";
	if (set_statistic(w, dot + 1, has, err))
		return -1;
	/* What is wanted twice is one test. */
	c->wanted_count += !is_wanted(c, w);
	return 0;
}

void
tc_compare_want_usual(struct tc_compare *c)
{
	struct tc_err err = { 0 };
	size_t i;

	c->is_usual = true;
	for (i = 0; usual[i]; i++)
		tc_compare_want(c, usual[i], &err);
	for (i = 0; usual_of_slices[i]; i++) {
		c->wanted[c->wanted_count].is_of_slices = true;
		tc_compare_want(c, usual_of_slices[i], &err);
	}
	/* Last, so that what they stand in for has been looked at. */
	for (i = 0; usual_instead[i]; i++) {
		c->wanted[c->wanted_count].is_instead = true;
		tc_compare_want(c, usual_instead[i], &err);
	}
}
