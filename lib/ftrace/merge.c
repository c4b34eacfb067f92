/* The events of all CPUs in one order. */
#include "ftrace/ftrace.h"

#include <stdlib.h>
#include <string.h>

#include "ftrace/priv.h"

/*
 * What is held before the oldest half are taken: 16 MB of events. A phone writes
 * some 100,000 events a second and the tracer reads them every quarter second,
 * so this is many cycles.
 */
enum { HELD_MAX = 512 * 1024, HELD_LEFT = HELD_MAX / 2 };

static void
make_room(struct tc_ftrace_cpu *c)
{
	if (c->head < c->cap / 2 || !c->cap) {
		tc_mem_grow(&c->events, &c->cap, c->count + 1, sizeof(*c->events));
		return;
	}
	c->count -= c->head;
	memmove(c->events, c->events + c->head, c->count * sizeof(*c->events));
	c->head = 0;
}

void
tc_ftrace_push(struct tc_ftrace_bundle *b, struct tc_ftrace_event e)
{
	struct tc_ftrace_cpu *c = &b->f->cpus[b->cpu];

	if (c->count == c->cap)
		make_room(c);
	e.cpu = (uint16_t)b->cpu;
	if (c->count > c->head && c->events[c->count - 1].ts > e.ts)
		c->is_unsorted = true;
	c->events[c->count++] = e;
	b->f->held++;
}

/* Stable, and quick where little is out of place: bundles are in order. */
static void
sort(struct tc_ftrace_cpu *c)
{
	size_t n = c->count - c->head, i;
	struct tc_ftrace_event *sorted, *events = c->events + c->head;
	struct tc_trace_item *items;

	items = tc_mem_calloc(n, sizeof(*items));
	for (i = 0; i < n; i++)
		items[i] = (struct tc_trace_item){ events[i].ts, &events[i] };
	tc_trace_sort(items, n);
	sorted = tc_mem_calloc(c->cap, sizeof(*sorted));
	for (i = 0; i < n; i++)
		sorted[i] = *(const struct tc_ftrace_event *)items[i].row;
	free(items);
	free(c->events);
	c->events = sorted;
	c->head = 0;
	c->count = n;
	c->is_unsorted = false;
}

/* The oldest event of a queue, as the heap knows it. */
struct tc_ftrace_head {
	int64_t ts;
	uint32_t place; /* of its CPU in the order in which they were seen */
	uint32_t cpu;
};

/* Of the same time, who was first seen first comes first. */
static bool
is_before(const struct tc_ftrace_head *a, const struct tc_ftrace_head *b)
{
	return a->ts < b->ts || (a->ts == b->ts && a->place < b->place);
}

/* Moves the head at place i down to where it belongs. */
static void
sift(struct tc_ftrace_head *heads, size_t n, size_t i)
{
	struct tc_ftrace_head moved = heads[i];
	size_t child;

	for (; (child = 2 * i + 1) < n; i = child) {
		if (child + 1 < n && is_before(&heads[child + 1], &heads[child]))
			child++;
		if (!is_before(&heads[child], &moved))
			break;
		heads[i] = heads[child];
	}
	heads[i] = moved;
}

static void
build_heap(struct tc_ftrace *f)
{
	struct tc_ftrace_cpu *c;
	size_t i;

	tc_mem_grow(&f->heads, &f->head_cap, f->order_count, sizeof(*f->heads));
	f->head_count = 0;
	for (i = 0; i < f->order_count; i++) {
		c = &f->cpus[f->order[i]];
		if (c->head == c->count)
			continue;
		if (c->is_unsorted)
			sort(c);
		f->heads[f->head_count++] =
			(struct tc_ftrace_head){ c->events[c->head].ts, (uint32_t)i,
				f->order[i] };
	}
	for (i = f->head_count / 2; i-- > 0;)
		sift(f->heads, f->head_count, i);
	f->has_heads = true;
}

/* The oldest event of all queues, which are not all empty. */
static const struct tc_ftrace_event *
take(struct tc_ftrace *f)
{
	const struct tc_ftrace_event *e;
	struct tc_ftrace_cpu *c;

	if (!f->has_heads)
		build_heap(f);
	c = &f->cpus[f->heads[0].cpu];
	e = &c->events[c->head++];
	if (c->head == c->count) {
		c->head = c->count = 0; /* e stays where it is */
		f->heads[0] = f->heads[--f->head_count];
	} else {
		f->heads[0].ts = e[1].ts;
	}
	if (f->head_count > 1)
		sift(f->heads, f->head_count, 0);
	f->held--;
	return e;
}

static bool
is_dropped(struct tc_ftrace *f, int64_t ts)
{
	if (ts < f->valid_from || ts < f->started)
		return true;
	if (ts >= f->taken_until)
		return false;
	f->is_late = true;
	f->late++;
	return true;
}

const struct tc_ftrace_event *
tc_ftrace_next(struct tc_ftrace *f, bool is_end)
{
	const struct tc_ftrace_event *e;

	if (f->held > HELD_MAX)
		f->is_draining = !f->wants->has_no_window;
	else if (f->held <= HELD_LEFT)
		f->is_draining = false;
	while (f->held && (is_end || (f->is_draining && f->held > HELD_LEFT))) {
		e = take(f);
		if (is_dropped(f, e->ts))
			continue;
		f->taken_until = e->ts;
		if (e->ts < f->taken_from)
			f->taken_from = e->ts;
		return e;
	}
	/* The last one may have been dropped, and the next one does not begin again. */
	if (f->held <= HELD_LEFT)
		f->is_draining = false;
	return NULL;
}
