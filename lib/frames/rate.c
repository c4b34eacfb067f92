#include "frames/frames.h"

#include <stdlib.h>

/*
 * Frames are spaced by multiples of the period, give or take some jitter. The
 * longest period that the spacings of a stretch are multiples of is the one in
 * force, as far as one can see: a display that runs twice as fast and shows
 * nothing in between looks the same. Beyond 22 ms it is more likely that the
 * content is slow than that the display is, so that does not tell.
 */
static const int64_t min_period_ns = 3000000, max_period_ns = 22000000;
static const int64_t jitter_ns = 700000;

/* Frames closer than this are of one vsync, further apart they tell nothing. */
static const int64_t same_ns = 1500000, idle_ns = 100000000;

/* Marks of a mode change closer than this are of one change. */
static const int64_t change_ns = 100000000;

enum {
	WINDOW = 12,   /* spacings that decide on a period, */
	FEW = 3,       /* and the least */
	MISSES = 3,    /* spacings in a row that end it */
	SETTLED = 12,  /* multiples in a row that make it a longer one */
	MAX_PARTS = 4, /* periods in the shortest spacing of a window */
	AGREE = 50,    /* periods that differ by less than a 50th are one */
};

/* A stretch of frames, up to the next one's first. */
struct tc_rate_run {
	size_t first;
	int64_t sum, count; /* of spacings and of periods in them; 0: does not tell */
	bool is_changed;    /* a mode change comes before it */
};

void
tc_rates_frame(struct tc_rates *r, int64_t ts)
{
	if (r->frame_count && ts - r->frames[r->frame_count - 1] < same_ns)
		return;
	tc_mem_grow(&r->frames, &r->frame_cap, r->frame_count + 1, sizeof(*r->frames));
	r->frames[r->frame_count++] = ts;
}

/* Of a change that many frames report, the begin and the end split. */
void
tc_rates_change(struct tc_rates *r, int64_t ts)
{
	size_t n = r->change_count;

	if (n && ts - r->changes[n - 1].last < change_ns) {
		r->changes[n - 1].last = ts;
		return;
	}
	tc_mem_grow(&r->changes, &r->change_cap, n + 1, sizeof(*r->changes));
	r->changes[r->change_count++] = (struct tc_rate_change){ ts, ts };
}

static int64_t
spacing(const struct tc_rates *r, size_t i)
{
	return r->frames[i + 1] - r->frames[i];
}

/* How many periods the spacing is, 0 when it is no multiple. */
static int64_t
multiple(int64_t d, int64_t period)
{
	int64_t k = (d + period / 2) / period, off = d - k * period;
	int64_t limit = jitter_ns < period / 8 ? jitter_ns : period / 8;

	return k > 0 && (off < 0 ? -off : off) <= limit ? k : 0;
}

static int64_t
common(int64_t a, int64_t b)
{
	int64_t t;

	while (b) {
		t = a % b;
		a = b;
		b = t;
	}
	return a;
}

/* How well a period fits: which spacings are multiples, and their sums. */
struct fit {
	size_t fits;
	int64_t sum, count, divisor; /* divisor: of all multiples */
};

static struct fit
try_period(const struct tc_rates *r, size_t i, size_t n, int64_t period)
{
	struct fit f = { 0 };
	size_t j;
	int64_t k;

	for (j = i; j < i + n; j++) {
		k = multiple(spacing(r, j), period);
		if (!k)
			continue;
		f.fits++;
		f.sum += spacing(r, j);
		f.count += k;
		f.divisor = common(f.divisor, k);
	}
	return f;
}

/*
 * The longest part of a spacing that all but `misfits` of the n spacings from i
 * are multiples of; 0 for none. What fits best is the mean.
 */
static int64_t
find_part(const struct tc_rates *r, size_t i, size_t n, int64_t parts, size_t misfits)
{
	int64_t best = 0, period;
	struct fit f, best_fit;
	size_t j;

	for (j = i; j < i + n; j++) {
		period = spacing(r, j) / parts;
		if (period < min_period_ns || period > max_period_ns || period <= best)
			continue;
		f = try_period(r, i, n, period);
		if (f.fits + misfits < n || f.divisor != 1)
			continue;
		best = period;
		best_fit = f;
	}
	return best ? best_fit.sum / best_fit.count : 0;
}

/*
 * The period of the n spacings from i, 0 when they do not tell. It is one of
 * them, if possible; now and then one may be anything, which makes two misfits.
 */
static int64_t
find_period(const struct tc_rates *r, size_t i, size_t n)
{
	int64_t period = find_part(r, i, n, 1, 0), parts;

	if (!period && n >= WINDOW)
		period = find_part(r, i, n, 1, n / 6);
	for (parts = 2; !period && n >= WINDOW && parts <= MAX_PARTS; parts++)
		period = find_part(r, i, n, parts, 0);
	return period;
}

/*
 * How far a period lasts: returns the first frame that it is not in force at,
 * or `end`. Where every second vsync is used, and that goes on, the period has
 * changed to a longer one. A single spacing has too much jitter to go by, so the
 * period that the window had counts like a window of them.
 */
static size_t
follow(const struct tc_rates *r, size_t end, int64_t period, struct tc_rate_run *run)
{
	size_t i, settled = run->first, missed = run->first, misses = 0;
	struct tc_rate_run settled_run = *run;
	int64_t seed = period, k, divisor = 0;

	for (i = run->first; i + 1 < end; i++) {
		k = multiple(spacing(r, i), period);
		if (!k) {
			missed = misses ? missed : i;
			if (++misses == MISSES)
				return missed;
			continue;
		}
		misses = 0;
		divisor = common(divisor, k);
		run->sum += spacing(r, i);
		run->count += k;
		period = (seed * WINDOW + run->sum) / (WINDOW + run->count);
		if (divisor == 1) {
			divisor = 0;
			settled = i + 1;
			settled_run = *run;
		} else if (i + 1 - settled >= SETTLED &&
			divisor * period <= max_period_ns && settled > run->first) {
			*run = settled_run;
			return settled;
		}
	}
	return end;
}

static struct tc_rate_run *
add_run(struct tc_rates *r, size_t first)
{
	struct tc_rate_run *last = r->run_count ? &r->runs[r->run_count - 1] : NULL;

	/* One that would be empty makes room. */
	if (last && last->first == first) {
		*last = (struct tc_rate_run){ first, 0, 0, last->is_changed };
		return last;
	}
	tc_mem_grow(&r->runs, &r->run_cap, r->run_count + 1, sizeof(*r->runs));
	r->runs[r->run_count] = (struct tc_rate_run){ .first = first };
	return &r->runs[r->run_count++];
}

/* The frames [first, end), between which nothing stands still. */
static void
add_segment(struct tc_rates *r, size_t first, size_t end, bool is_changed)
{
	struct tc_rate_run *run;
	bool is_known = true;
	int64_t period;
	size_t n, next;

	add_run(r, first)->is_changed |= is_changed;
	while (first + FEW < end) {
		n = end - first - 1 < WINDOW ? end - first - 1 : WINDOW;
		period = find_period(r, first, n);
		if (!period && n > FEW)
			period = find_period(r, first, FEW);
		if (!period) {
			if (is_known)
				add_run(r, first);
			is_known = false;
			first++;
			continue;
		}
		run = add_run(r, first);
		next = follow(r, end, period, run);
		first = next > first ? next : first + 1;
		is_known = true;
	}
	if (is_known && first < end && first + 1 < end)
		add_run(r, first);
}

/* The first frame at or after ts. */
static size_t
frame_at(const struct tc_rates *r, size_t from, int64_t ts)
{
	while (from < r->frame_count && r->frames[from] < ts)
		from++;
	return from;
}

/* Splits where the display stood still. */
static void
add_active(struct tc_rates *r, size_t first, size_t end, bool is_changed)
{
	size_t i;

	for (i = first; i + 1 < end; i++) {
		if (spacing(r, i) <= idle_ns)
			continue;
		add_segment(r, first, i + 1, is_changed);
		add_run(r, i);
		first = i + 1;
		is_changed = false;
	}
	add_segment(r, first, end, is_changed);
}

/* Splits where the mode changed. */
static void
add_all(struct tc_rates *r)
{
	size_t first = 0, next, i;
	bool is_changed = false;
	int64_t edges[2];
	int e;

	for (i = 0; i < r->change_count; i++) {
		edges[0] = r->changes[i].first;
		edges[1] = r->changes[i].last;
		for (e = 0; e < 2; e++) {
			next = frame_at(r, first, edges[e]);
			if (next > first)
				add_active(r, first, next, is_changed);
			is_changed |= next > 0;
			first = next;
		}
	}
	if (first < r->frame_count)
		add_active(r, first, r->frame_count, is_changed);
}

static bool
agree(const struct tc_rate_run *a, const struct tc_rate_run *b)
{
	int64_t p = a->sum / a->count, off = p - b->sum / b->count;

	return (off < 0 ? -off : off) * AGREE <= p;
}

/*
 * Joins neighbours that agree, over what does not tell too, unless that is so
 * much that something else must have been going on.
 */
static void
join(struct tc_rates *r)
{
	struct tc_rate_run *to = r->runs, *run, *end = r->runs + r->run_count;
	struct tc_rate_run *before = NULL; /* the last that tells */

	for (run = r->runs; run < end; run++) {
		if (run->is_changed)
			before = NULL;
		if (before && run->count && agree(before, run) &&
			(to == before + 1 || run->first - before[1].first < WINDOW)) {
			before->sum += run->sum;
			before->count += run->count;
			to = before + 1;
			continue;
		}
		if (to > r->runs && !run->count && !to[-1].count && !run->is_changed)
			continue;
		*to = *run;
		if (to->count)
			before = to;
		to++;
	}
	r->run_count = (size_t)(to - r->runs);
}

void
tc_rates_estimate(struct tc_rates *r)
{
	struct tc_rate_span *s;
	int64_t end;
	size_t i;

	if (!r->frame_count)
		return;
	add_all(r);
	join(r);
	tc_mem_grow(&r->spans, &r->span_cap, r->run_count, sizeof(*r->spans));
	for (i = 0; i < r->run_count; i++) {
		s = &r->spans[r->span_count++];
		s->ts = r->frames[r->runs[i].first];
		s->period_ns = r->runs[i].count ? r->runs[i].sum / r->runs[i].count : 0;
		/* The last frame lasts for a period, if one knows it. */
		end = i + 1 < r->run_count ? r->frames[r->runs[i + 1].first]
					   : r->frames[r->frame_count - 1] + s->period_ns;
		s->dur = end - s->ts;
	}
}

void
tc_rates_release(struct tc_rates *r)
{
	free(r->frames);
	free(r->changes);
	free(r->runs);
	free(r->spans);
	*r = (struct tc_rates){ 0 };
}
