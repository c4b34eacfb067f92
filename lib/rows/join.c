/*
 * Order, and what belongs together. An index is a table of row numbers + 1, open
 * addressing by hash of (process, token); the first row of a token stands in it and
 * has the count of all.
 */
#include "rows/priv.h"

#include <stdlib.h>

#include "rec/rec.h"

static int
by_number(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static int
by_actual(const void *a, const void *b)
{
	const struct tc_rows_actual *x = a, *y = b;
	int c = by_number(x->place, y->place);

	c = c ? c : by_number(x->ts, y->ts);
	c = c ? c : by_number(x->id, y->id);
	return c ? c : by_number(x->dur, y->dur);
}

static int
by_expected(const void *a, const void *b)
{
	const struct tc_rows_expected *x = a, *y = b;
	int c = by_number(x->proc, y->proc);

	c = c ? c : by_number(x->token, y->token);
	c = c ? c : by_number(x->ts, y->ts);
	return c ? c : by_number(x->id, y->id);
}

static int
by_phase(const void *a, const void *b)
{
	const struct tc_rows_phase *x = a, *y = b;
	int c = by_number(x->place, y->place);

	c = c ? c : by_number(x->ts, y->ts);
	c = c ? c : by_number(x->id, y->id);
	return c ? c : by_number(x->dur, y->dur);
}

static int
by_slice(const void *a, const void *b)
{
	const struct tc_rows_slice *x = a, *y = b;
	int c = by_number(x->proc, y->proc);

	c = c ? c : by_number(x->vsync_id, y->vsync_id);
	c = c ? c : by_number(x->ts, y->ts);
	return c ? c : by_number(x->id, y->id);
}

static int
by_sched(const void *a, const void *b)
{
	const struct tc_rows_sched *x = a, *y = b;
	int c = by_number(x->thread, y->thread);

	return c ? c : by_number(x->ts, y->ts);
}

static int
by_rate(const void *a, const void *b)
{
	const struct tc_rows_rate *x = a, *y = b;
	int c = by_number(x->place, y->place);

	c = c ? c : by_number(x->ts, y->ts);
	c = c ? c : by_number(x->dur, y->dur);
	return c ? c : by_number(x->period_ns, y->period_ns);
}

static int
by_marker(const void *a, const void *b)
{
	const struct tc_rows_marker *x = a, *y = b;
	int c = by_number(x->place, y->place);

	c = c ? c : by_number(x->ts, y->ts);
	return c ? c : by_number(x->dur, y->dur);
}

/* Rows mostly come in order, and sorting takes memory. */
static void
sort(void *items, size_t count, size_t size, int (*compare)(const void *, const void *))
{
	const char *p = items;
	size_t i;

	for (i = 1; i < count; i++)
		if (compare(p + (i - 1) * size, p + i * size) > 0) {
			qsort(items, count, size, compare);
			return;
		}
}

#define SORT(list, compare) sort((list)->at, (list)->count, sizeof(*(list)->at), compare)

void
tc_rows_sort(struct tc_rows *r)
{
	SORT(&r->actual, by_actual);
	SORT(&r->display_actual, by_actual);
	SORT(&r->phases, by_phase);
	SORT(&r->events, by_phase);
	SORT(&r->slices, by_slice);
	SORT(&r->scheds, by_sched);
	SORT(&r->rates, by_rate);
	SORT(&r->markers, by_marker);
}

/* Room for twice as many as there are, a power of 2. */
static uint32_t *
make_index(size_t count, size_t *slots)
{
	*slots = 16;
	while (*slots < count * 2)
		*slots *= 2;
	return tc_mem_calloc(*slots, sizeof(uint32_t));
}

static uint32_t *
find_expected(const struct tc_rows_expected *rows, uint32_t *index, size_t slots,
	uint32_t proc, int64_t token)
{
	size_t mask = slots - 1, i = (size_t)tc_mem_hash(proc, (uint64_t)token) & mask;
	const struct tc_rows_expected *e;

	for (; index[i]; i = (i + 1) & mask) {
		e = &rows[index[i] - 1];
		if (e->proc == proc && e->token == token)
			break;
	}
	return &index[i];
}

/* Which of several rows is the first must not hang on the order of lines. */
static uint32_t *
index_expected(struct tc_rows_expected *rows, size_t count, size_t *slots)
{
	uint32_t *index = make_index(count, slots), *slot;
	size_t i;

	for (i = 0; i < count; i++) {
		slot = find_expected(rows, index, *slots, rows[i].proc, rows[i].token);
		if (!*slot)
			*slot = (uint32_t)(i + 1);
		else if (by_expected(&rows[i], &rows[*slot - 1]) < 0) {
			rows[i].count = rows[*slot - 1].count;
			*slot = (uint32_t)(i + 1);
		}
		rows[*slot - 1].count++;
	}
	return index;
}

static uint32_t *
find_display(const struct tc_rows *r, uint32_t proc, int64_t token)
{
	size_t mask = r->display_slots - 1,
	       i = (size_t)tc_mem_hash(proc, (uint64_t)token) & mask;
	const struct tc_rows_actual *d;

	for (; r->display_index[i]; i = (i + 1) & mask) {
		d = &r->display_actual.at[r->display_index[i] - 1];
		if (d->token == token && tc_rows_group_of(r, d->group)->proc == proc)
			break;
	}
	return &r->display_index[i];
}

static void
index_displays(struct tc_rows *r)
{
	struct tc_rows_actual *d;
	uint32_t proc, *slot;
	size_t i;

	r->display_index = make_index(r->display_actual.count, &r->display_slots);
	for (i = 0; i < r->display_actual.count; i++) {
		d = &r->display_actual.at[i];
		proc = tc_rows_group_of(r, d->group)->proc;
		if (proc != r->sf_of[d->place])
			continue;
		slot = find_display(r, proc, d->token);
		if (!*slot)
			*slot = (uint32_t)(i + 1);
		r->display_actual.at[*slot - 1].count++;
	}
}

void
tc_rows_join(struct tc_rows *r)
{
	r->expected_index =
		index_expected(r->expected.at, r->expected.count, &r->expected_slots);
	r->display_expected_index = index_expected(r->display_expected.at,
		r->display_expected.count, &r->display_expected_slots);
	index_displays(r);
}

const struct tc_rows_expected *
tc_rows_expectation(const struct tc_rows *r, const struct tc_rows_actual *a)
{
	uint32_t *slot = find_expected(r->expected.at, r->expected_index,
		r->expected_slots, tc_rows_group_of(r, a->group)->proc, a->token);

	return *slot ? &r->expected.at[*slot - 1] : NULL;
}

const struct tc_rows_expected *
tc_rows_display_expectation(const struct tc_rows *r, const struct tc_rows_actual *display)
{
	uint32_t *slot = find_expected(r->display_expected.at, r->display_expected_index,
		r->display_expected_slots, tc_rows_group_of(r, display->group)->proc,
		display->token);

	return *slot ? &r->display_expected.at[*slot - 1] : NULL;
}

const struct tc_rows_actual *
tc_rows_display(const struct tc_rows *r, const struct tc_rows_actual *a, size_t *count)
{
	const struct tc_rows_actual *first;
	uint32_t *slot;

	*count = 0;
	if (a->display_token == TC_NONE || a->display_token == 0 ||
		r->sf_of[a->place] == TC_ROWS_NO)
		return NULL;
	slot = find_display(r, r->sf_of[a->place], a->display_token);
	if (!*slot)
		return NULL;
	first = &r->display_actual.at[*slot - 1];
	*count = first->count;
	return first;
}

/* How many of the first rows, in order, stand before a place and time; `at` or not. */
static size_t
rates_until(const struct tc_rows *r, uint32_t place, int64_t ts)
{
	size_t low = 0, high = r->rates.count, middle;
	const struct tc_rows_rate *s;

	while (low < high) {
		middle = low + (high - low) / 2;
		s = &r->rates.at[middle];
		if (s->place < place || (s->place == place && s->ts <= ts))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct tc_rows_rate *
tc_rows_rate(const struct tc_rows *r, uint32_t place, int64_t ts)
{
	size_t n = rates_until(r, place, ts);
	const struct tc_rows_rate *s;
	int64_t end;

	if (n == 0 || ts == TC_NONE)
		return NULL;
	s = &r->rates.at[n - 1];
	end = tc_rows_end(s->ts, s->dur);
	return s->place != place || (end != TC_NONE && ts >= end) ? NULL : s;
}

int64_t
tc_rows_period(const struct tc_rows *r, uint32_t place, int64_t ts)
{
	const struct tc_rows_rate *s = tc_rows_rate(r, place, ts);

	return s && s->period_ns > 0 ? s->period_ns : TC_NONE;
}

/* How many slices stand before the first of (proc, vsync_id). */
static size_t
slices_before(const struct tc_rows *r, uint32_t proc, int64_t vsync_id)
{
	size_t low = 0, high = r->slices.count, middle;
	const struct tc_rows_slice *s;

	while (low < high) {
		middle = low + (high - low) / 2;
		s = &r->slices.at[middle];
		if (s->proc < proc || (s->proc == proc && s->vsync_id < vsync_id))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct tc_rows_slice *
tc_rows_slices(const struct tc_rows *r, uint32_t proc, int64_t vsync_id, size_t *count)
{
	size_t first = slices_before(r, proc, vsync_id), end = first;

	while (end < r->slices.count && r->slices.at[end].proc == proc &&
		r->slices.at[end].vsync_id == vsync_id)
		end++;
	*count = end - first;
	return *count ? &r->slices.at[first] : NULL;
}

const struct tc_rows_sched *
tc_rows_states(
	const struct tc_rows *r, uint32_t thread, int64_t ts, int64_t end, size_t *count)
{
	size_t low = 0, high = r->scheds.count, middle;
	const struct tc_rows_sched *s;

	/* The states of one thread follow one another: the last that began by then. */
	while (low < high) {
		middle = low + (high - low) / 2;
		s = &r->scheds.at[middle];
		if (s->thread < thread || (s->thread == thread && s->ts <= ts))
			low = middle + 1;
		else
			high = middle;
	}
	if (low > 0 && r->scheds.at[low - 1].thread == thread)
		low--;
	for (high = low; high < r->scheds.count && r->scheds.at[high].thread == thread &&
		r->scheds.at[high].ts < end;)
		high++;
	*count = high - low;
	return *count ? &r->scheds.at[low] : NULL;
}
