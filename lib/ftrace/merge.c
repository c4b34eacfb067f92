/* The events of all CPUs in one order. */
#include "ftrace/ftrace.h"

#include <stdlib.h>
#include <string.h>

#include "ftrace/priv.h"

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

/* All that is held, in terms of events. */
static size_t
held(const struct tc_ftrace *f)
{
	return f->held +
		f->held_begins * sizeof(int64_t) / sizeof(struct tc_ftrace_event);
}

/*
 * Where most of what is held are times of begins, few events tell how far half of it
 * goes; the middle of the longest list of times does. INT64_MAX: events tell.
 */
static int64_t
cut_of(const struct tc_ftrace *f)
{
	const struct tc_ftrace_cpu *c, *longest = NULL;
	size_t i, n, most = 0;

	if (held(f) - f->held <= f->held)
		return INT64_MAX;
	for (i = 0; i < f->order_count; i++) {
		c = &f->cpus[f->order[i]];
		n = c->begun_count - c->begun_head;
		if (n > most) {
			most = n;
			longest = c;
		}
	}
	return longest ? longest->begun[longest->begun_head + most / 2] : INT64_MAX;
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
enum { RUN_BITS = 7, RUN = (1 << RUN_BITS) - 1 };

/* Keys in order, between one that is below all and one that is above all. */
struct run {
	const uint64_t *keys;
	size_t count;
};

/*
 * The oldest events, taken out of the queues: a run from each queue, until they are
 * merged. An event is one number there, which sorts as the events do: the time since
 * the batch begins, above the place of the queue in the order in which they were
 * seen, above the place in the run, from 1 on.
 */
struct tc_ftrace_batch {
	uint64_t *keys, *spare;               /* owned: of the runs, and of merged ones */
	struct run *runs;                     /* owned */
	const struct tc_ftrace_event **first; /* owned: of each queue's run */
	const struct tc_ftrace_event **order; /* owned: the events as the keys sort */
	size_t run_count, count;              /* count: of the keys */
};

enum { PLACE_BITS = 10, TS_SHIFT = PLACE_BITS + RUN_BITS };
_Static_assert(TC_FTRACE_MAX_CPUS <= 1 << PLACE_BITS, "a place fits into a key");

/* So long a batch is at most, some hours: no key of it is one above all. */
#define MAX_SPAN_NS ((INT64_C(1) << (64 - TS_SHIFT)) - 2)

/* What stands around a run's keys. */
enum { AROUND = 2 };

static struct tc_ftrace_batch *
new_batch(size_t queues)
{
	struct tc_ftrace_batch *b = tc_mem_calloc(1, sizeof(*b));

	b->keys = tc_mem_calloc(queues * (RUN + AROUND), sizeof(*b->keys));
	b->spare = tc_mem_calloc(queues * (RUN + AROUND), sizeof(*b->spare));
	b->runs = tc_mem_calloc(queues, sizeof(*b->runs));
	b->first = tc_mem_calloc(queues, sizeof(*b->first));
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
	free(b->runs);
	free(b->first);
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

/* A run of that many keys behind the last one's, which are not there yet. */
static uint64_t *
end_run(struct run *run, uint64_t *at, size_t count)
{
	at[0] = 0;
	at[count + 1] = UINT64_MAX;
	*run = (struct run){ at + 1, count };
	return at + count + AROUND;
}

/* A run of up to RUN of what the queue at a place has up to `last`; where it ends. */
static uint64_t *
take_run(struct tc_ftrace *f, size_t place, int64_t begin, int64_t last, uint64_t *at)
{
	struct tc_ftrace_cpu *c = &f->cpus[f->order[place]];
	size_t n = c->count - c->head, i;
	struct tc_ftrace_batch *b = f->batch;
	const struct tc_ftrace_event *e;
	uint64_t low = place << RUN_BITS;

	if (!n)
		return at;
	e = &c->events[c->head];
	if (n > RUN)
		n = RUN;
	for (i = 0; i < n && e[i].ts <= last; i++)
		at[i + 1] = (uint64_t)(e[i].ts - begin) << TS_SHIFT | low | (i + 1);
	if (!i)
		return at;
	b->first[place] = e;
	c->head += i;
	if (c->head == c->count)
		c->head = c->count = 0; /* the events stay where they are */
	b->count += i;
	return end_run(&b->runs[b->run_count++], at, i);
}

/* From the queues in the order in which they were seen. */
static void
take_runs(struct tc_ftrace *f)
{
	struct tc_ftrace_batch *b = f->batch;
	uint64_t *at = b->keys;
	int64_t begin, last;
	size_t i;

	limit_batch(f, &begin, &last);
	b->run_count = b->count = 0;
	if (begin > f->cut)
		return;
	if (last > f->cut)
		last = f->cut;
	for (i = 0; i < f->order_count; i++)
		at = take_run(f, i, begin, last, at);
	/* More than RUN have the same time: those of the first queue come first. */
	for (i = 0; i < f->order_count && !b->count; i++)
		at = take_run(f, i, begin, begin, at);
}

/*
 * From both ends at once, which are two things for a processor to do at the same time.
 * Which is next cannot be foreseen, so there is no branch on it; and of a run that has
 * come to its end the next key is one that comes last.
 */
static void
merge(const struct run *a, const struct run *b, uint64_t *out)
{
	const uint64_t *a_first = a->keys, *a_last = a_first + a->count - 1,
		       *b_first = b->keys, *b_last = b_first + b->count - 1;
	size_t n = a->count + b->count, i;
	uint64_t *front = out, *back = out + n - 1, x, y;
	bool is_b;

	for (i = n / 2; i > 0; i--) {
		x = *a_first;
		y = *b_first;
		is_b = y < x;
		*front++ = is_b ? y : x;
		b_first += is_b;
		a_first += !is_b;
		x = *a_last;
		y = *b_last;
		is_b = y > x;
		*back-- = is_b ? y : x;
		b_last -= is_b;
		a_last -= !is_b;
	}
	if (n % 2)
		*front = *a_first < *b_first ? *a_first : *b_first;
}

/* Two by two, until one run is left. */
static void
merge_runs(struct tc_ftrace_batch *b)
{
	static const uint64_t no_keys[AROUND] = { 0, UINT64_MAX };
	static const struct run none = { no_keys + 1, 0 };
	const struct run *left, *right, *end;
	uint64_t *at;
	size_t n;

	while (b->run_count > 1) {
		at = b->spare;
		end = b->runs + b->run_count;
		for (n = 0; n < (b->run_count + 1) / 2; n++) {
			left = &b->runs[2 * n];
			right = left + 1 < end ? left + 1 : &none;
			merge(left, right, at + 1);
			at = end_run(&b->runs[n], at, left->count + right->count);
		}
		b->run_count = n;
		at = b->spare;
		b->spare = b->keys;
		b->keys = at;
	}
}

static void
begin_draining(struct tc_ftrace *f, bool is_end)
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
	f->cut = is_end ? INT64_MAX : cut_of(f);
	f->is_draining = true;
}

static inline const struct tc_ftrace_event *
event_of(const struct tc_ftrace_batch *b, uint64_t key)
{
	return b->first[key >> RUN_BITS & ((1 << PLACE_BITS) - 1)] + (key & RUN) - 1;
}

static bool
is_dropped(struct tc_ftrace *f, int64_t ts)
{
	if (ts < f->valid_from || ts < f->started)
		return true;
	if (ts >= f->taken_until)
		return false;
	tc_ftrace_be_late(f);
	return true;
}

/* The next batch, in order, but for what is dropped: that is the oldest of it. */
static void
fill(struct tc_ftrace *f)
{
	struct tc_ftrace_batch *b = f->batch;
	const uint64_t *keys;
	size_t i, n;

	take_runs(f);
	merge_runs(b);
	n = b->count;
	f->held -= n;
	keys = b->runs[0].keys;
	for (i = 0; i < n && is_dropped(f, event_of(b, keys[i])->ts); i++)
		;
	f->ready = b->order;
	f->ready_next = i;
	f->ready_count = n;
	for (; i < n; i++)
		b->order[i] = event_of(b, keys[i]);
}

bool
tc_ftrace_prepare(struct tc_ftrace *f, bool is_end)
{
	size_t window = f->wants->window, left = is_end ? 0 : window / 2;
	const struct tc_ftrace_event *first;

	if (!f->is_draining) {
		if (!is_end && held(f) <= window)
			return false;
		begin_draining(f, is_end);
	}
	for (;;) {
		/* All that was ready is taken, so what began before it needs no time
		 * kept. */
		count_until(f, f->taken_until, 0);
		if (!f->held || held(f) <= left)
			break;
		fill(f);
		if (!f->batch->count)
			break;
		if (f->ready_next == f->ready_count)
			continue;
		first = f->ready[f->ready_next];
		if (first->ts < f->taken_from)
			f->taken_from = first->ts;
		f->taken_until = f->ready[f->ready_count - 1]->ts;
		return true;
	}
	f->is_draining = false;
	if (f->cut != INT64_MAX && f->cut > f->taken_until) {
		f->taken_until = f->cut;
		count_until(f, f->taken_until, 0);
	}
	return false;
}
