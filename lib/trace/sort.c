#include "trace/trace.h"

#include <stdlib.h>
#include <string.h>

/*
 * Least significant digit first, 11 bits at a time: stable, and a trace of a
 * minute has times that differ in 36 bits, so four passes do. Digits in which
 * all times agree cost nothing.
 */
enum { DIGIT_BITS = 11, BUCKETS = 1 << DIGIT_BITS, SMALL = 64 };

static void
insertion_sort(struct tc_trace_item *items, size_t n)
{
	struct tc_trace_item item;
	size_t i, j;

	for (i = 1; i < n; i++) {
		item = items[i];
		for (j = i; j > 0 && items[j - 1].ts > item.ts; j--)
			items[j] = items[j - 1];
		items[j] = item;
	}
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

void
tc_trace_sort(struct tc_trace_item *items, size_t n)
{
	struct tc_trace_item *tmp = NULL, *from = items, *to;
	int64_t min = INT64_MAX, max = 0;
	bool is_sorted = true;
	size_t tmp_cap = 0;
	unsigned shift;
	size_t i;

	for (i = 0; i < n; i++) {
		is_sorted &= i == 0 || items[i - 1].ts <= items[i].ts;
		min = items[i].ts < min ? items[i].ts : min;
		max = items[i].ts > max ? items[i].ts : max;
	}
	if (is_sorted)
		return;
	if (n <= SMALL) {
		insertion_sort(items, n);
		return;
	}
	tc_mem_grow(&tmp, &tmp_cap, n, sizeof(*tmp));
	to = tmp;
	for (shift = 0; shift < 64 && (uint64_t)(max - min) >> shift;
		shift += DIGIT_BITS) {
		sort_by_digit(from, to, n, min, shift);
		from = to;
		to = from == tmp ? items : tmp;
	}
	if (from != items)
		memcpy(items, from, n * sizeof(*items));
	free(tmp);
}
