#include "source/gfx_clock.h"

#include <stdio.h>

#include "rec/rec.h"

/*
 * Events happen while the trace goes on. Read on the wrong clock, the earliest
 * of them lie before its begin, or the latest after its end, by as much as the
 * clocks differ: by the time that the device has slept since it was booted.
 */
static const int64_t slack_ns = 100 * INT64_C(1000000);

/* So small a difference is no one's concern. */
static const int64_t equal_ns = 1000000;

/* One in so many has to speak for a clock. */
enum { EVIDENCE = 100 };

struct span {
	int64_t first, last;
};

static void
widen(struct span *s, int64_t ts)
{
	s->first = ts < s->first ? ts : s->first;
	s->last = ts > s->last ? ts : s->last;
}

/* Whether an item's row is one whose clock is not known. */
static bool
is_assumed(const struct tc_decode *d, const struct tc_trace_item *item)
{
	const struct tc_buffer_event *e = item->row;

	return e->owner == d->current && e->is_clock_assumed;
}

static struct tc_clocks *
clocks(struct tc_decode *d)
{
	return &d->trace.machines[0].clocks;
}

static void
measure(const struct tc_decode *d, struct tc_gfx_guess *g)
{
	struct span s = { INT64_MAX, INT64_MIN };
	size_t i;

	for (i = 0; i < d->item_count; i++) {
		if (!is_assumed(d, &d->items[i]))
			continue;
		widen(&s, d->items[i].ts);
	}
	g->first = s.first;
	g->last = s.last;
}

/* When the trace went on, from what has a clock; and how far the clocks differ. */
static struct span
known_span(struct tc_decode *d, struct tc_gfx_guess *g)
{
	struct tc_trace_group bulk = tc_trace_range_bulk(&d->trace.range);
	struct tc_clock_value v[TC_CLOCK_MAX_IN_SNAPSHOT];
	struct span s = { bulk.first, bulk.last };
	int64_t boot, mono;
	size_t pos = 0, n, i;

	while ((n = tc_clocks_next(clocks(d), &pos, v)) > 0) {
		boot = mono = -1;
		for (i = 0; i < n; i++) {
			boot = v[i].key == TC_CLOCK_BOOTTIME ? v[i].value : boot;
			mono = v[i].key == TC_CLOCK_MONOTONIC ? v[i].value : mono;
		}
		if (boot < 0)
			continue;
		widen(&s, boot);
		if (mono >= 0 && boot > mono && boot - mono > g->differ_ns)
			g->differ_ns = boot - mono;
	}
	return s;
}

/* Times of hostile traces may be further apart than a number can say. */
static int64_t
apart(int64_t first, int64_t last)
{
	int64_t ns;

	return __builtin_sub_overflow(last, first, &ns) ? INT64_MAX : ns;
}

static bool
is_outside(int64_t ts, const struct span *s)
{
	return (ts < s->first ? apart(ts, s->first) : apart(s->last, ts)) > slack_ns;
}

static void
count_evidence(struct tc_decode *d, const struct span *s, struct tc_gfx_guess *g)
{
	int64_t ts;
	size_t i;

	for (i = 0; i < d->item_count; i++) {
		if (!is_assumed(d, &d->items[i]))
			continue;
		g->out_as_boot += is_outside(d->items[i].ts, s);
		g->out_as_mono += tc_clocks_convert(clocks(d), TC_CLOCK_MONOTONIC,
					  d->items[i].ts, &ts) != TC_CLOCK_OK ||
			is_outside(ts, s);
	}
}

static enum tc_gfx_verdict
judge(struct tc_decode *d, struct tc_gfx_guess *g)
{
	struct span s = known_span(d, g);
	int64_t more;

	if (g->differ_ns < equal_ns)
		return TC_GFX_NOTHING_TO_TELL;
	/* A trace that has little else lasts at least as long as its events. */
	if (apart(s.first, s.last) < apart(g->first, g->last) &&
		__builtin_add_overflow(s.first, apart(g->first, g->last), &s.last))
		s.last = INT64_MAX;
	count_evidence(d, &s, g);
	more = g->out_as_boot - g->out_as_mono;
	if (more > 0 && more >= g->count / EVIDENCE)
		return TC_GFX_IS_MONO;
	if (more < 0 && -more >= g->count / EVIDENCE)
		return TC_GFX_IS_BOOT;
	return TC_GFX_NO_TELLING;
}

/* The clock that the trace record names for these packets. */
static void
rename_clock(struct tc_source_use *use)
{
	size_t i;

	for (i = 0; i < use->clock_count; i++)
		if (use->clocks[i] == TC_CLOCK_BOOTTIME && use->clock_machine[i] == 0)
			use->clocks[i] = TC_CLOCK_MONOTONIC;
}

/* Gives the rows their times; without one, a row is dropped. */
static void
convert(struct tc_decode *d, bool is_mono)
{
	struct tc_trace_item *item, *to = d->items;
	size_t i;
	bool ok;

	for (i = 0; i < d->item_count; i++) {
		item = &d->items[i];
		if (!is_assumed(d, item))
			ok = true;
		else if (is_mono)
			ok = tc_trace_late(
				&d->trace, 0, TC_CLOCK_MONOTONIC, item->ts, &item->ts);
		else
			ok = tc_trace_accept(&d->trace, item->ts);
		if (ok)
			*to++ = *item;
	}
	d->item_count = (size_t)(to - d->items);
}

void
tc_gfx_clock_finish(struct tc_decode *d, struct tc_gfx_guess *g)
{
	struct tc_source_use *use = &d->use[d->current];
	bool is_mono = d->gfx_clock == TC_GFX_CLOCK_MONO;

	if (!g->count)
		return;
	measure(d, g);
	if (d->gfx_clock == TC_GFX_CLOCK_AUTO) {
		g->verdict = judge(d, g);
		is_mono = g->verdict == TC_GFX_IS_MONO;
	}
	if (is_mono && g->count == use->packets)
		rename_clock(use);
	convert(d, is_mono);
}

void
tc_gfx_clock_end(struct tc_decode *d, const struct tc_gfx_guess *g, struct tc_out *out)
{
	char text[384];

	if (g->verdict == TC_GFX_IS_MONO)
		snprintf(text, sizeof(text),
			"%lld buffer events name no clock and were read as MONOTONIC: as "
			"BOOTTIME %lld of them lie outside the trace, as MONOTONIC %lld; "
			"--gfx-clock=boot reads them as BOOTTIME",
			(long long)g->count, (long long)g->out_as_boot,
			(long long)g->out_as_mono);
	else if (g->verdict == TC_GFX_NO_TELLING)
		snprintf(text, sizeof(text),
			"%lld buffer events name no clock and were read as BOOTTIME, "
			"though nothing tells it from MONOTONIC, which is up to %lld ms "
			"behind; --gfx-clock=mono reads them as MONOTONIC",
			(long long)g->count, (long long)(g->differ_ns / 1000000));
	else
		return;
	tc_rec_put(out, &tc_rec_notice,
		&(struct tc_rec_notice){ .level = TC_STR("warning"),
			.code = TC_STR("gfx_clock"),
			.text = tc_str_of(text),
			.trace = d->index });
}
