/* The events of all CPUs in one order. */
#include "ftrace/ftrace.h"

#include <stdlib.h>
#include <string.h>

#include "ftrace/priv.h"

/*
 * What is held before the oldest half are taken: 8 MB of events. A phone writes
 * some 100,000 events a second and the tracer reads them every quarter second,
 * so this is many cycles; more would only take longer to come from memory.
 */
enum { HELD_MAX = 256 * 1024, HELD_LEFT = HELD_MAX / 2 };

void
tc_ftrace_make_room(struct tc_ftrace_cpu *c)
{
	if (c->head < c->cap / 2 || !c->cap) {
		tc_mem_grow(&c->events, &c->cap, c->count + 1, sizeof(*c->events));
		return;
	}
	c->count -= c->head;
	memmove(c->events, c->events + c->head, c->count * sizeof(*c->events));
	c->head = 0;
	c->open.count = 0; /* they have moved */
}

void
tc_ftrace_put_entered(struct tc_ftrace *f, uint32_t cpu)
{
	struct tc_ftrace_cpu *c = &f->cpus[cpu];
	struct tc_ftrace_open *open = &c->open;

	if (c->count == c->cap)
		tc_ftrace_make_room(c);
	c->events[c->count++] = (struct tc_ftrace_event){
		.ts = open->entered_ts,
		.value = open->entered,
		.tid = open->tid,
		.pid = open->pid,
		.cpu = (uint16_t)cpu,
		.kind = TC_FTRACE_ENTER,
	};
	f->held++;
	open->entered = 0;
	if (open->count == TC_FTRACE_MAX_OPEN)
		open->count = 0;
	open->begins[open->count++] = TC_FTRACE_NOT_WANTED;
}

void
tc_ftrace_make_room_begun(struct tc_ftrace_cpu *c)
{
	if (c->begun_head < c->begun_cap / 2 || !c->begun_cap) {
		tc_mem_grow(
			&c->begun, &c->begun_cap, c->begun_count + 1, sizeof(*c->begun));
		return;
	}
	c->begun_count -= c->begun_head;
	memmove(c->begun, c->begun + c->begun_head, c->begun_count * sizeof(*c->begun));
	c->begun_head = 0;
}

/* Counts what began before ts, and then on the CPUs up to this place. */
static void
count_until(struct tc_ftrace *f, int64_t ts, uint32_t place)
{
	struct tc_ftrace_cpu *c;
	size_t i, head;
	int64_t t;

	for (i = 0; i < f->order_count; i++) {
		c = &f->cpus[f->order[i]];
		for (head = c->begun_head; head < c->begun_count; head++) {
			t = c->begun[head];
			if (t > ts || (t == ts && i > place))
				break;
			f->begun += t >= f->valid_from && t >= f->started;
		}
		f->held_begins -= head - c->begun_head;
		c->begun_head = head;
	}
}

int64_t
tc_ftrace_begun(struct tc_ftrace *f, const struct tc_ftrace_event *e)
{
	int64_t n;

	if (f->held_begins) /* else there is no CPU to be looked at */
		count_until(f, e->ts, f->cpus[e->cpu].place);
	n = f->begun;
	f->begun = 0;
	return n;
}

/* Without events that would do it, half of the longest list of times is passed. */
static void
move_on(struct tc_ftrace *f)
{
	const struct tc_ftrace_cpu *c, *longest = NULL;
	size_t i, n, most = 0;
	int64_t ts;

	for (i = 0; i < f->order_count; i++) {
		c = &f->cpus[f->order[i]];
		n = c->begun_count - c->begun_head;
		if (n > most) {
			most = n;
			longest = c;
		}
	}
	if (!longest)
		return;
	ts = longest->begun[longest->begun_head + most / 2];
	if (ts > f->taken_until)
		f->taken_until = ts;
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

/* From each queue so many at a time, so that what is merged stays in the cache. */
enum { RUN_BITS = 7, RUN = 1 << RUN_BITS };

/*
 * The oldest events, taken out of the queues: a run from each queue, until they are
 * merged. An event is one number there, which sorts as the events do: the time since
 * the batch begins, above the place of the queue in the order in which they were
 * seen, above the place in the run.
 */
struct tc_ftrace_batch {
	uint64_t *keys, *spare;               /* owned */
	const struct tc_ftrace_event **first; /* owned: of each queue's run */
	size_t *ends;                         /* owned: of the runs, among the keys */
	size_t runs, count;                   /* count: of the keys */
	const struct tc_ftrace_event **order; /* owned: the events as the keys sort */
};

enum { PLACE_BITS = 10, TS_SHIFT = PLACE_BITS + RUN_BITS };
_Static_assert(TC_FTRACE_MAX_CPUS <= 1 << PLACE_BITS, "a place fits into a key");

/* So long a batch is at most: some hours. */
#define MAX_SPAN_NS ((INT64_C(1) << (64 - TS_SHIFT)) - 1)

static struct tc_ftrace_batch *
new_batch(size_t queues)
{
	struct tc_ftrace_batch *b = tc_mem_calloc(1, sizeof(*b));

	b->keys = tc_mem_calloc(queues * RUN, sizeof(*b->keys));
	b->spare = tc_mem_calloc(queues * RUN, sizeof(*b->spare));
	b->first = tc_mem_calloc(queues, sizeof(*b->first));
	b->ends = tc_mem_calloc(queues, sizeof(*b->ends));
	b->order = tc_mem_calloc(queues * RUN, sizeof(*b->order));
	return b;
}

void
tc_ftrace_batch_free(struct tc_ftrace_batch *b)
{
	if (!b)
		return;
	free(b->keys);
	free(b->spare);
	free(b->first);
	free(b->ends);
	free(b->order);
	free(b);
}

/* The oldest event's time, and up to which time no queue has more than RUN. */
static void
limit_batch(const struct tc_ftrace *f, int64_t *begin, int64_t *last)
{
	const struct tc_ftrace_event *e;
	const struct tc_ftrace_cpu *c;
	size_t i, n;

	*begin = *last = INT64_MAX;
	for (i = 0; i < f->order_count; i++) {
		c = &f->cpus[f->order[i]];
		n = c->count - c->head;
		if (!n)
			continue;
		e = &c->events[c->head];
		if (e->ts < *begin)
			*begin = e->ts;
		if (n > RUN && e[RUN].ts <= *last)
			*last = e[RUN].ts - 1;
	}
	if (*last - *begin > MAX_SPAN_NS)
		*last = *begin + MAX_SPAN_NS;
}

/* Appends up to RUN of what the queue at a place has up to `last`. */
static void
take_run(struct tc_ftrace *f, size_t place, int64_t begin, int64_t last)
{
	struct tc_ftrace_cpu *c = &f->cpus[f->order[place]];
	size_t n = c->count - c->head, i;
	struct tc_ftrace_batch *b = f->batch;
	uint64_t *keys = b->keys + b->count, low = place << RUN_BITS;
	const struct tc_ftrace_event *e;

	if (!n)
		return;
	e = &c->events[c->head];
	if (n > RUN)
		n = RUN;
	for (i = 0; i < n && e[i].ts <= last; i++)
		keys[i] = (uint64_t)(e[i].ts - begin) << TS_SHIFT | low | i;
	if (!i)
		return;
	b->first[place] = e;
	c->head += i;
	if (c->head == c->count)
		c->head = c->count = 0; /* the events stay where they are */
	b->count += i;
	b->ends[b->runs++] = b->count;
}

/* From the queues in the order in which they were seen. */
static void
take_runs(struct tc_ftrace *f)
{
	struct tc_ftrace_batch *b = f->batch;
	int64_t begin, last;
	size_t i;

	limit_batch(f, &begin, &last);
	b->runs = b->count = 0;
	for (i = 0; i < f->order_count; i++)
		take_run(f, i, begin, last);
	/* More than RUN have the same time: those of the first queue come first. */
	for (i = 0; i < f->order_count && !b->count; i++)
		take_run(f, i, begin, begin);
}

/* Which is next cannot be foreseen, so there is no branch on it. */
static void
merge(const uint64_t *a, const uint64_t *a_end, const uint64_t *b, const uint64_t *b_end,
	uint64_t *out)
{
	uint64_t x, y;
	bool is_b;

	while (a < a_end && b < b_end) {
		x = *a;
		y = *b;
		is_b = y < x;
		*out++ = is_b ? y : x;
		b += is_b;
		a += !is_b;
	}
	memcpy(out, a, (size_t)(a_end - a) * sizeof(*a));
	out += a_end - a;
	memcpy(out, b, (size_t)(b_end - b) * sizeof(*b));
}

/* Two by two, until one run is left. */
static void
merge_runs(struct tc_ftrace_batch *b)
{
	size_t i, begin, middle, end, n;
	uint64_t *merged;

	while (b->runs > 1) {
		begin = n = 0;
		for (i = 0; i < b->runs; i += 2) {
			middle = b->ends[i];
			end = i + 1 < b->runs ? b->ends[i + 1] : middle;
			merge(b->keys + begin, b->keys + middle, b->keys + middle,
				b->keys + end, b->spare + begin);
			b->ends[n++] = begin = end;
		}
		b->runs = n;
		merged = b->spare;
		b->spare = b->keys;
		b->keys = merged;
	}
}

/* All that is held, in terms of events. */
static size_t
held(const struct tc_ftrace *f)
{
	return f->held +
		f->held_begins * sizeof(int64_t) / sizeof(struct tc_ftrace_event);
}

static void
begin_draining(struct tc_ftrace *f)
{
	struct tc_ftrace_cpu *c;
	size_t i;

	for (i = 0; i < f->order_count; i++) {
		c = &f->cpus[f->order[i]];
		if (c->open.entered)
			tc_ftrace_put_entered(f, f->order[i]);
		c->open.count = 0; /* they are going to be handed out */
		if (c->is_unsorted)
			sort(c);
	}
	tc_ftrace_batch_free(f->batch);
	f->batch = new_batch(f->order_count);
	f->is_draining = true;
}

static inline const struct tc_ftrace_event *
event_of(const struct tc_ftrace_batch *b, uint64_t key)
{
	return b->first[key >> RUN_BITS & ((1 << PLACE_BITS) - 1)] + (key & (RUN - 1));
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

/* The next batch, in order, but for what is dropped: that is the oldest of it. */
static void
fill(struct tc_ftrace *f)
{
	struct tc_ftrace_batch *b = f->batch;
	size_t i, n;

	take_runs(f);
	merge_runs(b);
	n = b->count;
	f->held -= n;
	for (i = 0; i < n && is_dropped(f, event_of(b, b->keys[i])->ts); i++)
		;
	f->ready = b->order;
	f->ready_next = i;
	f->ready_count = n;
	for (; i < n; i++)
		b->order[i] = event_of(b, b->keys[i]);
}

bool
tc_ftrace_prepare(struct tc_ftrace *f, bool is_end)
{
	size_t left = is_end ? 0 : HELD_LEFT;
	const struct tc_ftrace_event *first;

	if (!f->is_draining) {
		if (!is_end && (held(f) <= HELD_MAX || f->wants->has_no_window))
			return false;
		begin_draining(f);
	}
	while (f->held && held(f) > left) {
		fill(f);
		if (f->ready_next == f->ready_count)
			continue;
		first = f->ready[f->ready_next];
		if (first->ts < f->taken_from)
			f->taken_from = first->ts;
		f->taken_until = f->ready[f->ready_count - 1]->ts;
		return true;
	}
	f->is_draining = false;
	if (!is_end && !f->held)
		move_on(f);
	count_until(f, f->taken_until, 0);
	return false;
}
