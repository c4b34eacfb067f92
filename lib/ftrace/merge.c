/* The events of all CPUs in one order. */
#include "ftrace/ftrace.h"

#include <stdlib.h>
#include <string.h>

#include "ftrace/priv.h"

/*
 * What is held before the oldest are taken: 20 MB of events. A phone writes
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

/* Of the same time, who was first seen first comes first. */
static void
choose(struct tc_ftrace *f)
{
	struct tc_ftrace_cpu *c;
	int64_t best = 0, ts;
	size_t i;

	f->has_current = false;
	f->others_ts = INT64_MAX;
	f->others_place = f->order_count;
	for (i = 0; i < f->order_count; i++) {
		c = &f->cpus[f->order[i]];
		if (c->head == c->count)
			continue;
		if (c->is_unsorted)
			sort(c);
		ts = c->events[c->head].ts;
		if (!f->has_current || ts < best) {
			if (f->has_current) {
				f->others_ts = best;
				f->others_place = f->current;
			}
			best = ts;
			f->current = i;
			f->has_current = true;
		} else if (ts < f->others_ts) {
			f->others_ts = ts;
			f->others_place = i;
		}
	}
}

/* The oldest event of all queues, which are not all empty. */
static struct tc_ftrace_event *
take(struct tc_ftrace *f)
{
	struct tc_ftrace_cpu *c;
	struct tc_ftrace_event *e;

	if (f->has_current) {
		c = &f->cpus[f->order[f->current]];
		e = &c->events[c->head];
		if (c->head == c->count || e->ts > f->others_ts ||
			(e->ts == f->others_ts && f->others_place < f->current))
			f->has_current = false;
	}
	if (!f->has_current)
		choose(f);
	c = &f->cpus[f->order[f->current]];
	e = &c->events[c->head++];
	if (c->head == c->count)
		c->head = c->count = 0; /* e stays where it is */
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

bool
tc_ftrace_next(struct tc_ftrace *f, bool is_end, struct tc_ftrace_event *e)
{
	const struct tc_ftrace_event *next;

	if (f->held > HELD_MAX)
		f->is_draining = !f->wants->has_no_window;
	else if (f->held <= HELD_LEFT)
		f->is_draining = false;
	while (f->held && (is_end || (f->is_draining && f->held > HELD_LEFT))) {
		next = take(f);
		if (is_dropped(f, next->ts))
			continue;
		*e = *next;
		f->taken_until = e->ts;
		if (e->ts < f->taken_from)
			f->taken_from = e->ts;
		return true;
	}
	return false;
}
