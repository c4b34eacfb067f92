#include "trace/trace.h"

#include <stdlib.h>
#include <string.h>

/*
 * A trace is written buffer by buffer, so its packets are out of order by
 * seconds, not by minutes. Blocks that fit in cache are sorted on their own, by
 * merging or, where that has much to move, by digits of 11 bits; and then merged:
 * where two neighbours overlap, only the overlap is moved. All of it is stable.
 */
enum { DIGIT_BITS = 11, BUCKETS = 1 << DIGIT_BITS, BLOCK = 32 * 1024, SMALL = 16 };

/* How often an item is moved before sorting by digits is better. */
enum { MAX_MOVES = 4 };

struct scratch {
	struct tc_trace_item *items; /* owned */
	size_t cap;
};

static void
insertion_sort(struct tc_trace_item *items, size_t n)
{
	struct tc_trace_item item;
	size_t i, j;

	for (i = 1; i < n; i++) {
		if (items[i - 1].ts <= items[i].ts)
			continue;
		item = items[i];
		for (j = i; j > 0 && items[j - 1].ts > item.ts; j--)
			items[j] = items[j - 1];
		items[j] = item;
	}
}

static bool
is_before(const void *item, const void *key)
{
	const struct tc_trace_item *a = item, *b = key;

	return a->ts < b->ts;
}

static bool
is_before_or_at(const void *item, const void *key)
{
	return !is_before(key, item);
}

/* Merges items[0, a) with items[a, a + b); how many of them it had to move. */
static size_t
merge(struct tc_trace_item *items, size_t a, size_t b, struct scratch *s)
{
	struct tc_trace_item *out, *left, *left_end, *right, *right_end;
	size_t in_place;

	if (!a || !b || items[a - 1].ts <= items[a].ts)
		return 0;
	in_place = tc_mem_find(items, a, sizeof(*items), is_before_or_at, &items[a]);
	b = tc_mem_find(items + a, b, sizeof(*items), is_before, &items[a - 1]);
	out = items + in_place;
	right = items + a;
	right_end = right + b;
	a -= in_place;
	tc_mem_grow(&s->items, &s->cap, a, sizeof(*items));
	memcpy(s->items, out, a * sizeof(*items));
	for (left = s->items, left_end = left + a; left < left_end;)
		*out++ = right < right_end && right->ts < left->ts ? *right++ : *left++;
	return a + b;
}

/* Merges runs of this width with their neighbours; how many items that moved. */
static size_t
merge_runs(struct tc_trace_item *items, size_t n, size_t width, struct scratch *s)
{
	size_t i, left, moved = 0;

	for (i = 0; i + width < n; i += 2 * width) {
		left = n - i - width;
		moved += merge(items + i, width, left < width ? left : width, s);
	}
	return moved;
}

/*
 * Each sequence of packets is nearly sorted, and takes turns with others: little has
 * to move then. false when it was much and they are not sorted yet.
 */
static bool
sort_by_merging(struct tc_trace_item *items, size_t n, struct scratch *s)
{
	size_t i, width, moved = 0;

	for (i = 0; i < n; i += SMALL)
		insertion_sort(items + i, n - i < SMALL ? n - i : SMALL);
	for (width = SMALL; width < n && moved <= MAX_MOVES * n; width *= 2)
		moved += merge_runs(items, n, width, s);
	return width >= n;
}

static void
sort_by_digit(const struct tc_trace_item *from, struct tc_trace_item *to, size_t n,
	int64_t base, unsigned shift)
{
	size_t start[BUCKETS] = { 0 }, i, sum = 0, count;

	for (i = 0; i < n; i++)
		start[(uint64_t)(from[i].ts - base) >> shift & (BUCKETS - 1)]++;
	for (i = 0; i < BUCKETS; i++) {
		count = start[i];
		start[i] = sum;
		sum += count;
	}
	for (i = 0; i < n; i++)
		to[start[(uint64_t)(from[i].ts - base) >> shift & (BUCKETS - 1)]++] =
			from[i];
}

static void
sort_block(struct tc_trace_item *items, size_t n, struct scratch *s)
{
	struct tc_trace_item *from = items, *to;
	int64_t min = INT64_MAX, max = 0;
	unsigned shift;
	size_t i;

	if (sort_by_merging(items, n, s))
		return;
	for (i = 0; i < n; i++) {
		min = items[i].ts < min ? items[i].ts : min;
		max = items[i].ts > max ? items[i].ts : max;
	}
	tc_mem_grow(&s->items, &s->cap, n, sizeof(*items));
	to = s->items;
	for (shift = 0; shift < 64 && (uint64_t)(max - min) >> shift;
		shift += DIGIT_BITS) {
		sort_by_digit(from, to, n, min, shift);
		from = to;
		to = from == items ? s->items : items;
	}
	if (from != items)
		memcpy(items, from, n * sizeof(*items));
}

void
tc_trace_sort(struct tc_trace_item *items, size_t n)
{
	struct scratch s = { 0 };
	size_t i, width;

	for (i = 0; i < n; i += BLOCK)
		sort_block(items + i, n - i < BLOCK ? n - i : BLOCK, &s);
	for (width = BLOCK; width < n; width *= 2)
		merge_runs(items, n, width, &s);
	free(s.items);
}
