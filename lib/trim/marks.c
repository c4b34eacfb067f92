/*
 * Slices of ftrace that reach into the window: their begins and ends.
 *
 * A thread moves from CPU to CPU, and the file has the CPUs one after another, so
 * marks are held until many newer ones have come, and then taken in the
 * order of their times. Where a mark comes even later than that, all of them have
 * to be held.
 */
#include "trim/priv.h"

#include <stdlib.h>

enum { MAX_HELD = 256 * 1024 };

struct tc_trim_open {
	int64_t ts;
	uint64_t ordinal;
	uint32_t part; /* of input latency, by index + 1 */
};

struct tc_trim_stack {
	struct tc_trim_open *open; /* owned */
	size_t count, cap;
};

struct tc_trim_async {
	struct tc_trim_open begin;
	bool is_open;
};

static struct tc_trim_stack *
stack_of(struct tc_trim_marks *m, const struct tc_trim_mark *mark)
{
	bool made;
	uint64_t *slot = tc_map_put(&m->threads, mark->machine, mark->tid, &made);

	if (made) {
		tc_mem_grow(&m->stacks.items, &m->stacks.cap, m->stacks.count + 1,
			sizeof(*m->stacks.items));
		m->stacks.items[m->stacks.count++] = (struct tc_trim_stack){ 0 };
		*slot = m->stacks.count;
	}
	return &m->stacks.items[*slot - 1];
}

/* What is in the window is kept anyway. */
static void
keep(struct tc_trim_marks *m, int64_t ts, uint64_t ordinal)
{
	bool made;

	if (!tc_trim_in_window(m->plan, ts, 0))
		tc_map_put(&m->kept, ordinal, 0, &made);
}

/*
 * A slice from its begin to its end, or without one. An end that is kept for its own
 * time must not end another slice, so it brings its begin.
 */
static void
close_slice(struct tc_trim_marks *m, const struct tc_trim_open *begin,
	const struct tc_trim_mark *end)
{
	if (begin->part && end)
		tc_trim_input_end(&m->plan->input, begin->part, end->ordinal);
	if (!tc_trim_in_window(m->plan, begin->ts, end ? end->ts - begin->ts : -1) &&
		!(end && tc_trim_in_window(m->plan, end->ts, 0)))
		return;
	keep(m, begin->ts, begin->ordinal);
	if (end)
		keep(m, end->ts, end->ordinal);
}

/* What is open around a part is one too: those inside make those outside. */
static void
begin_part(struct tc_trim_marks *m, struct tc_trim_stack *s)
{
	struct tc_trim_input *in = &m->plan->input;
	struct tc_trim_open *top = &s->open[s->count - 1], *o = top;
	uint32_t around = 0;

	while (o > s->open && !o[-1].part)
		o--;
	if (o > s->open)
		around = o[-1].part;
	for (; o < top; o++)
		o->part = around = tc_trim_input_around(in, around, o->ts, o->ordinal);
	tc_trim_input_begin(in, top->part, around, top->ts, top->ordinal);
}

static void
feed_thread(struct tc_trim_marks *m, const struct tc_trim_mark *mark)
{
	struct tc_trim_stack *s = stack_of(m, mark);

	if (mark->kind == TC_TRIM_BEGIN) {
		tc_mem_grow(&s->open, &s->cap, s->count + 1, sizeof(*s->open));
		s->open[s->count++] =
			(struct tc_trim_open){ mark->ts, mark->ordinal, mark->what };
		if (mark->what)
			begin_part(m, s);
	} else if (mark->kind == TC_TRIM_FINISH && s->count) {
		close_slice(m, &s->open[--s->count], mark);
	} else if (mark->kind == TC_TRIM_RESET) {
		while (s->count)
			close_slice(m, &s->open[--s->count], NULL);
	}
}

/* A place for an open one: that of one which is not, if there is any. */
static size_t
free_place(struct tc_trim_marks *m)
{
	if (m->free_count)
		return m->free[--m->free_count];
	tc_mem_grow(&m->async.items, &m->async.cap, m->async.count + 1,
		sizeof(*m->async.items));
	/* There is always room to give all of them back. */
	tc_mem_grow(&m->free, &m->free_cap, m->async.count + 1, sizeof(*m->free));
	return m->async.count++;
}

/*
 * While a slice is open, further begins of the same track and cookie open none,
 * and are decided by their times.
 */
static void
begin_async(struct tc_trim_marks *m, uint64_t who, const struct tc_trim_mark *mark)
{
	bool made;
	uint64_t *slot = tc_map_put(&m->async_index, who, mark->what, &made);
	size_t place;

	if (!made)
		return;
	place = free_place(m);
	*slot = place;
	m->async.items[place] =
		(struct tc_trim_async){ { mark->ts, mark->ordinal, 0 }, true };
}

static void
end_async(struct tc_trim_marks *m, uint64_t who, const struct tc_trim_mark *mark)
{
	struct tc_trim_async *a;
	uint64_t place;

	if (!tc_map_take(&m->async_index, who, mark->what, &place))
		return;
	a = &m->async.items[place];
	close_slice(m, &a->begin, mark);
	a->is_open = false;
	m->free[m->free_count++] = (uint32_t)place;
}

static void
feed(struct tc_trim_marks *m, const struct tc_trim_mark *mark)
{
	uint64_t who = (uint64_t)mark->machine << 32 | mark->tid;

	if (mark->kind == TC_TRIM_ASYNC_BEGIN)
		begin_async(m, who, mark);
	else if (mark->kind == TC_TRIM_ASYNC_END)
		end_async(m, who, mark);
	else
		feed_thread(m, mark);
}

/* Takes the oldest ones of those held until so many are left. */
static void
take(struct tc_trim_marks *m, size_t left)
{
	size_t i, n = m->held.count - left;
	struct tc_trim_mark *rest;

	tc_mem_grow(&m->order, &m->order_cap, m->held.count, sizeof(*m->order));
	for (i = 0; i < m->held.count; i++)
		m->order[i] =
			(struct tc_trace_item){ m->held.items[i].ts, &m->held.items[i] };
	tc_trace_sort(m->order, m->held.count);
	for (i = 0; i < n; i++)
		feed(m, m->order[i].row);
	if (n)
		m->taken_until = m->order[n - 1].ts;
	if (!left) {
		m->held.count = 0;
		return;
	}
	rest = tc_mem_alloc(m->held.cap * sizeof(*rest));
	for (i = 0; i < left; i++)
		rest[i] = *(const struct tc_trim_mark *)m->order[n + i].row;
	free(m->held.items);
	m->held.items = rest;
	m->held.count = left;
}

void
tc_trim_marks_add(struct tc_trim_marks *m, const struct tc_trim_mark *mark)
{
	if (m->held.count == MAX_HELD && !m->holds_all)
		take(m, MAX_HELD / 2);
	m->is_late |= mark->ts < m->taken_until;
	tc_mem_grow(
		&m->held.items, &m->held.cap, m->held.count + 1, sizeof(*m->held.items));
	m->held.items[m->held.count] = *mark;
	m->held.items[m->held.count++].ordinal = m->count++;
}

/* What nothing closed reaches to the end of the trace. */
void
tc_trim_marks_decide(struct tc_trim_marks *m)
{
	struct tc_trim_stack *s;
	size_t i;

	take(m, 0);
	for (i = 0; i < m->stacks.count; i++) {
		s = &m->stacks.items[i];
		while (s->count)
			close_slice(m, &s->open[--s->count], NULL);
	}
	for (i = 0; i < m->async.count; i++)
		if (m->async.items[i].is_open)
			close_slice(m, &m->async.items[i].begin, NULL);
}

bool
tc_trim_marks_has(struct tc_trim_marks *m, uint64_t ordinal, int64_t ts)
{
	return tc_trim_in_window(m->plan, ts, 0) || tc_map_get(&m->kept, ordinal, 0);
}

void
tc_trim_marks_force(struct tc_trim_marks *m, uint64_t ordinal)
{
	bool made;

	tc_map_put(&m->forced, ordinal, 0, &made);
}

bool
tc_trim_marks_is_forced(struct tc_trim_marks *m, uint64_t ordinal)
{
	return tc_map_get(&m->forced, ordinal, 0) != NULL;
}

void
tc_trim_marks_init(struct tc_trim_marks *m, struct tc_trim_plan *plan)
{
	*m = (struct tc_trim_marks){ .plan = plan, .taken_until = INT64_MIN };
}

void
tc_trim_marks_release(struct tc_trim_marks *m)
{
	size_t i;

	for (i = 0; i < m->stacks.count; i++)
		free(m->stacks.items[i].open);
	free(m->stacks.items);
	free(m->async.items);
	free(m->free);
	free(m->held.items);
	free(m->order);
	tc_map_release(&m->threads);
	tc_map_release(&m->async_index);
	tc_map_release(&m->kept);
	tc_map_release(&m->forced);
	*m = (struct tc_trim_marks){ 0 };
}
