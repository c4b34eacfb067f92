#include "metrics/priv.h"

#include <stdlib.h>

struct hand {
	struct tc_metrics_deals *to;
	struct tc_metrics_deal deal;
	const struct tc_scene *scenes;
};

static void
give(void *ctx, const struct tc_scene *scene)
{
	struct hand *h = ctx;
	struct tc_metrics_deal *d = TC_ROWS_MORE(&h->to->list);

	*d = h->deal;
	d->scene = scene ? (uint32_t)(scene - h->scenes) : 0;
}

static bool
is_known(const struct tc_rows_rate *rate)
{
	return rate && rate->period_ns > 0;
}

/* The span of a moment, where the rate is known in it; else the one there was. */
static const struct tc_rows_rate *
known_at(const struct tc_metrics_job *j, const struct tc_rows_rate *rate, int64_t ts)
{
	const struct tc_rows_rate *other;

	if (is_known(rate) || ts == INT64_MAX)
		return rate;
	other = tc_rows_rate(j->r, j->place, ts);
	return is_known(other) ? other : rate;
}

/*
 * That of the begin. An app's first frame begins before the first display frame that
 * tells the rate, and would be a span of its own that nothing can be said of: it belongs
 * to the one that it is shown in, or should have been.
 */
static uint32_t
span_of(const struct tc_metrics_job *j, const struct tc_rows_actual *a, int64_t ts,
	int64_t end)
{
	const struct tc_rows_rate *rate = tc_rows_rate(j->r, j->place, ts);
	const struct tc_rows_actual *display;
	size_t count;

	if (!is_known(rate) && a) {
		display = tc_rows_display(j->r, a, &count);
		if (count == 1)
			rate = known_at(j, rate, tc_rows_end(display->ts, display->dur));
		rate = known_at(
			j, rate, tc_rows_expected_end(tc_metrics_expectation(j->r, a)));
	} else {
		rate = known_at(j, rate, end);
	}
	return rate ? (uint32_t)(rate - j->r->rates.at) + 1 : 0;
}

void
tc_metrics_deal(struct tc_metrics_job *j, struct tc_metrics_deals *to,
	struct tc_metrics_deal deal, const struct tc_rows_actual *a, int64_t ts,
	int64_t dur)
{
	struct hand h = { .to = to, .deal = deal };
	int64_t end = dur ? tc_rows_end(ts, dur) : ts;

	h.deal.rate = span_of(j, a, ts, end);
	if (!j->m->scenes) {
		give(&h, NULL);
		return;
	}
	h.scenes = j->m->scenes->at;
	tc_scenes_of(j->m->scenes, j->place, j->proc, ts, end, give, &h);
}

static int
by_cell(const void *a, const void *b)
{
	const struct tc_metrics_deal *x = a, *y = b;

	if (x->scene != y->scene)
		return x->scene < y->scene ? -1 : 1;
	if (x->layer != y->layer)
		return x->layer < y->layer ? -1 : 1;
	if (x->rate != y->rate)
		return x->rate < y->rate ? -1 : 1;
	return (x->item > y->item) - (x->item < y->item);
}

void
tc_metrics_deals_sort(struct tc_metrics_deals *d)
{
	if (d->list.count)
		qsort(d->list.at, d->list.count, sizeof(*d->list.at), by_cell);
	d->put = 0;
}

uint32_t
tc_metrics_deals_next(const struct tc_metrics_deals *d)
{
	return d->put < d->list.count ? d->list.at[d->put].scene : TC_ROWS_NO;
}

const struct tc_metrics_deal *
tc_metrics_deals_of(struct tc_metrics_deals *d, uint32_t scene, size_t *count)
{
	size_t first = d->put, end;

	while (first < d->list.count && d->list.at[first].scene < scene)
		first++;
	for (end = first; end < d->list.count && d->list.at[end].scene == scene;)
		end++;
	d->put = end;
	*count = end - first;
	return *count ? &d->list.at[first] : NULL;
}
