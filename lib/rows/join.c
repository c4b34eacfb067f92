/*
 * Order, and what belongs together. An index is a table of row numbers + 1, open
 * addressing by hash of (process, token); the first row of a token stands in it and
 * has the count of all.
 */
#include "rows/priv.h"

#include <stdlib.h>

#include "rec/rec.h"

static int
by_actual(const void *a, const void *b)
{
	const struct tc_rows_actual *x = a, *y = b;
	int c = tc_mem_compare(x->place, y->place);

	c = c ? c : tc_mem_compare(x->ts, y->ts);
	c = c ? c : tc_mem_compare(x->id, y->id);
	return c ? c : tc_mem_compare(x->dur, y->dur);
}

static int
by_expected(const void *a, const void *b)
{
	const struct tc_rows_expected *x = a, *y = b;
	int c = tc_mem_compare(x->proc, y->proc);

	c = c ? c : tc_mem_compare(x->token, y->token);
	c = c ? c : tc_mem_compare(x->ts, y->ts);
	return c ? c : tc_mem_compare(x->id, y->id);
}

static int
by_phase(const void *a, const void *b)
{
	const struct tc_rows_phase *x = a, *y = b;
	int c = tc_mem_compare(x->place, y->place);

	c = c ? c : tc_mem_compare(x->ts, y->ts);
	c = c ? c : tc_mem_compare(x->id, y->id);
	return c ? c : tc_mem_compare(x->dur, y->dur);
}

static int
by_slice(const void *a, const void *b)
{
	const struct tc_rows_slice *x = a, *y = b;
	int c = tc_mem_compare(x->proc, y->proc);

	c = c ? c : tc_mem_compare(x->vsync_id, y->vsync_id);
	c = c ? c : tc_mem_compare(x->ts, y->ts);
	return c ? c : tc_mem_compare(x->id, y->id);
}

static int
by_sched(const void *a, const void *b)
{
	const struct tc_rows_sched *x = a, *y = b;
	int c = tc_mem_compare(x->thread, y->thread);

	c = c ? c : tc_mem_compare(x->ts, y->ts);
	return c ? c : tc_mem_compare(x->dur, y->dur);
}

static int
by_input(const void *a, const void *b)
{
	const struct tc_rows_input *x = a, *y = b;
	int c = tc_mem_compare(x->place, y->place);

	c = c ? c : tc_mem_compare(tc_rows_input_ts(x), tc_rows_input_ts(y));
	c = c ? c : tc_mem_compare(x->seq, y->seq);
	/* All that is a number: any order will do that is the same each time. */
	return c ? c : memcmp(x, y, offsetof(struct tc_rows_input, proc));
}

static int
by_rate(const void *a, const void *b)
{
	const struct tc_rows_rate *x = a, *y = b;
	int c = tc_mem_compare(x->place, y->place);

	c = c ? c : tc_mem_compare(x->ts, y->ts);
	c = c ? c : tc_mem_compare(x->dur, y->dur);
	return c ? c : tc_mem_compare(x->period_ns, y->period_ns);
}

static int
by_marker(const void *a, const void *b)
{
	const struct tc_rows_marker *x = a, *y = b;
	int c = tc_mem_compare(x->place, y->place);

	c = c ? c : tc_mem_compare(x->ts, y->ts);
	return c ? c : tc_mem_compare(x->dur, y->dur);
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

/* A place and where it stood. */
struct moved {
	struct tc_rows_place place;
	uint32_t from;
};

static int
by_place(const void *a, const void *b)
{
	const struct moved *x = a, *y = b;
	int c = tc_mem_compare((int64_t)x->place.stream, (int64_t)y->place.stream);

	c = c ? c : tc_mem_compare(x->place.trace, y->place.trace);
	return c ? c : tc_mem_compare(x->place.machine, y->place.machine);
}

#define RENUMBER(list, to) \
	do { \
		for (i = 0; i < (list)->count; i++) \
			if ((list)->at[i].place != TC_ROWS_NO) \
				(list)->at[i].place = (to)[(list)->at[i].place]; \
	} while (0)

static void
renumber(struct tc_rows *r, const uint32_t *to)
{
	size_t i;

	RENUMBER(&r->procs, to);
	RENUMBER(&r->threads, to);
	RENUMBER(&r->actual, to);
	RENUMBER(&r->display_actual, to);
	RENUMBER(&r->phases, to);
	RENUMBER(&r->events, to);
	RENUMBER(&r->inputs, to);
	RENUMBER(&r->rates, to);
	RENUMBER(&r->markers, to);
}

/* By stream, trace and machine, whichever row came first of them. */
void
tc_rows_order_places(struct tc_rows *r)
{
	size_t i, n = r->places.count;
	struct moved *order = tc_mem_calloc(n, sizeof(*order));
	uint32_t *to = tc_mem_calloc(n, sizeof(*to));
	bool has_moved = false;

	for (i = 0; i < n; i++)
		order[i] = (struct moved){ r->places.at[i], (uint32_t)i };
	if (n)
		qsort(order, n, sizeof(*order), by_place);
	for (i = 0; i < n; i++) {
		r->places.at[i] = order[i].place;
		to[order[i].from] = (uint32_t)i;
		has_moved |= order[i].from != i;
	}
	if (has_moved)
		renumber(r, to);
	free(order);
	free(to);
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
	SORT(&r->inputs, by_input);
	SORT(&r->rates, by_rate);
	SORT(&r->markers, by_marker);
}

/* Room for half as many again. */
static uint32_t *
make_index(size_t count, size_t *slots)
{
	*slots = count + count / 2 + 16;
	return tc_mem_calloc(*slots, sizeof(uint32_t));
}

/* Where to look first. */
static size_t
slot_of(uint32_t proc, int64_t token, size_t slots)
{
	return (size_t)(tc_mem_hash(proc, (uint64_t)token) % slots);
}

static uint32_t *
find_expected(const struct tc_rows_expected *rows, uint32_t *index, size_t slots,
	uint32_t proc, int64_t token)
{
	size_t i = slot_of(proc, token, slots);
	const struct tc_rows_expected *e;

	for (; index[i]; i = i + 1 < slots ? i + 1 : 0) {
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
	size_t slots = r->display_slots, i = slot_of(proc, token, slots);
	const struct tc_rows_actual *d;

	for (; r->display_index[i]; i = i + 1 < slots ? i + 1 : 0) {
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
	tc_rows_sum_states(r);
}

const struct tc_rows_expected *
tc_rows_expectation(const struct tc_rows *r, const struct tc_rows_actual *a)
{
	uint32_t *slot = find_expected(r->expected.at, r->expected_index,
		r->expected_slots, tc_rows_group_of(r, a->group)->proc, a->token);

	return *slot ? &r->expected.at[*slot - 1] : NULL;
}

const struct tc_rows_expected *
tc_rows_only(const struct tc_rows_expected *e)
{
	return e && e->count == 1 && !e->is_outlier ? e : NULL;
}

/* INT64_MAX is how the platform writes the time of a fence that is still pending. */
int64_t
tc_rows_expected_end(const struct tc_rows_expected *e)
{
	int64_t end = e ? tc_rows_end(e->ts, e->dur) : TC_NONE;

	return end == INT64_MAX ? TC_NONE : end;
}

bool
tc_rows_is_dropped(const struct tc_rows *r, const struct tc_rows_group *g)
{
	return tc_str_eq(tc_rows_text(r, g->present), TC_STR("Dropped Frame"));
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

/* Whether it is the span of an earlier place, or of this one and begins by then. */
static bool
is_rate_until(const void *rate, const void *key)
{
	const struct tc_rows_rate *a = rate, *b = key;

	return a->place < b->place || (a->place == b->place && a->ts <= b->ts);
}

const struct tc_rows_rate *
tc_rows_rate(const struct tc_rows *r, uint32_t place, int64_t ts)
{
	struct tc_rows_rate key = { .place = place, .ts = ts };
	size_t n = tc_mem_find(
		r->rates.at, r->rates.count, sizeof(key), is_rate_until, &key);
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

static bool
is_slice_before(const void *slice, const void *key)
{
	const struct tc_rows_slice *a = slice, *b = key;

	return a->proc < b->proc || (a->proc == b->proc && a->vsync_id < b->vsync_id);
}

static bool
is_slice_until(const void *slice, const void *key)
{
	return !is_slice_before(key, slice);
}

const struct tc_rows_slice *
tc_rows_slices(const struct tc_rows *r, uint32_t proc, int64_t vsync_id, size_t *count)
{
	struct tc_rows_slice key = { .proc = proc, .vsync_id = vsync_id };
	const struct tc_rows_slice *at = r->slices.at;
	size_t n = r->slices.count, first;

	first = tc_mem_find(at, n, sizeof(*at), is_slice_before, &key);
	*count = tc_mem_find(at, n, sizeof(*at), is_slice_until, &key) - first;
	return *count ? &at[first] : NULL;
}

/* Whether it is the state of an earlier thread, or of this one and begins by then. */
static bool
is_state_until(const void *state, const void *key)
{
	const struct tc_rows_sched *a = state, *b = key;

	return a->thread < b->thread || (a->thread == b->thread && a->ts <= b->ts);
}

static size_t
states_until(const struct tc_rows *r, uint32_t thread, int64_t ts)
{
	struct tc_rows_sched key = { .thread = thread, .ts = ts };

	return tc_mem_find(
		r->scheds.at, r->scheds.count, sizeof(key), is_state_until, &key);
}

bool
tc_rows_is_do_frame(const struct tc_rows *r, const struct tc_rows_slice *s)
{
	return (!s->kind || s->kind == 't') &&
		tc_str_begins(tc_rows_text(r, s->name), TC_STR("Choreographer#doFrame"));
}

/* `DrawFrame` and, on newer phones, `DrawFrames`. */
bool
tc_rows_is_draw_frame(const struct tc_rows *r, const struct tc_rows_slice *s)
{
	return (!s->kind || s->kind == 't') &&
		tc_str_begins(tc_rows_text(r, s->name), TC_STR("DrawFrame"));
}

const struct tc_rows_sched *
tc_rows_states(
	const struct tc_rows *r, uint32_t thread, int64_t ts, int64_t end, size_t *count)
{
	/* The states of one thread follow one another: the last that began by then. */
	size_t first = states_until(r, thread, ts), last;

	if (first > 0 && r->scheds.at[first - 1].thread == thread)
		first--;
	last = end > INT64_MIN ? states_until(r, thread, end - 1) : first;
	*count = last > first ? last - first : 0;
	return *count ? &r->scheds.at[first] : NULL;
}
