/*
 * Buffer events, by cycles.
 *
 * A cycle of a buffer begins when no phase of it is pending and ends when none is
 * again: dequeue, queue, acquire fence, latch, present. Readers come out of a cycle
 * as they went in, so that cycles can be left out one by one and the others still
 * mean what they meant. A cycle that reaches into the window is kept, and so are
 * those before it that the times on its rows go back to.
 */
#include "trim/priv.h"

#include <stdlib.h>

#include "err/err.h"

enum { BUFFER_EVENT = 1 };
enum { TYPE = 2, LAYER_NAME = 3, DURATION_NS = 4, BUFFER_ID = 5 };
enum { DEQUEUE = 1, QUEUE = 2, ACQUIRE = 4, LATCH = 5, PRESENT = 8, UNKNOWN = 255 };

enum pending { NOTHING, DEQUEUED, QUEUED, LATCHED };

struct cycle {
	int64_t begin, end; /* of all that belongs to it; end INT64_MAX: never closed */
	bool is_kept;
};

struct buffer {
	enum pending pending;
	bool has_dequeue_acquire; /* a fence signalled since the dequeue */
	int64_t dequeued, acquired;
	uint32_t cycle;                 /* index + 1 of the one that goes on, 0: none */
	uint32_t queue, acquire, latch; /* cycles, likewise, that had the last of these */
};

struct decide {
	struct tc_trim_plan *plan;
	TC_TRIM_ROWS(struct buffer) buffers;
	TC_TRIM_ROWS(struct cycle) cycles;
	struct tc_map index;  /* (machine and buffer, layer) to index + 1 */
	struct tc_map layers; /* (machine, layer) to index + 1 of the last present row */
};

static struct tc_str
buffer_event(struct tc_str bytes)
{
	struct tc_pb r = tc_pb_init(bytes.p, bytes.len);
	struct tc_str found = { 0 };
	struct tc_err ignored;
	struct tc_pb_field f;

	while (tc_pb_next(&r, &f, &ignored) > 0)
		if (f.id == BUFFER_EVENT && tc_pb_is(&f, TC_PB_LEN))
			found = tc_pb_str(&f);
	return found;
}

void
tc_trim_buffers_read(struct tc_trim_plan *plan, const struct tc_packet *p)
{
	struct tc_str event = buffer_event(p->data);
	struct tc_pb r = tc_pb_init(event.p, event.len);
	struct tc_trim_buffer *row;
	struct tc_err ignored;
	struct tc_pb_field f;

	tc_mem_grow(&plan->buffers.items, &plan->buffers.cap, plan->buffers.count + 1,
		sizeof(*row));
	row = &plan->buffers.items[plan->buffers.count++];
	*row = (struct tc_trim_buffer){
		.ts = p->ts, .machine = (uint16_t)p->machine, .type = UNKNOWN
	};
	if (p->time == TC_TIME_LATER) {
		row->time = TC_TRIM_LATE;
		row->ts = (int64_t)plan->late.count;
	}
	while (tc_pb_next(&r, &f, &ignored) > 0) {
		if (f.id == LAYER_NAME && tc_pb_is(&f, TC_PB_LEN))
			row->layer = tc_trim_name(plan, tc_pb_str(&f));
		if (!tc_pb_is(&f, TC_PB_VARINT))
			continue;
		if (f.id == TYPE) {
			row->type = f.num < UNKNOWN ? (uint8_t)f.num : UNKNOWN;
		} else if (f.id == DURATION_NS) {
			row->dur = (int64_t)f.num < 0 ? 0 : (int64_t)f.num;
		} else if (f.id == BUFFER_ID) {
			row->id = (uint32_t)f.num;
			row->is_of_buffer = true;
		}
	}
}

static struct tc_trace_item *
in_order(struct tc_trim_plan *plan, size_t *count)
{
	struct tc_trace_item *items = NULL;
	struct tc_trim_buffer *row;
	size_t cap = 0, n = 0, i;
	int late;

	tc_mem_grow(&items, &cap, plan->buffers.count + 1, sizeof(*items));
	for (late = 0; late < 2; late++) {
		for (i = 0; i < plan->buffers.count; i++) {
			row = &plan->buffers.items[i];
			if ((row->time == TC_TRIM_LATE) != late || row->ts < 0 ||
				row->time == TC_TRIM_NOWHERE || !row->is_of_buffer)
				continue;
			items[n++] = (struct tc_trace_item){ row->ts, row };
		}
	}
	*count = n;
	tc_trace_sort(items, n);
	return items;
}

static struct buffer *
buffer_of(struct decide *d, const struct tc_trim_buffer *row)
{
	uint64_t who = (uint64_t)row->machine << 32 | row->id, *slot;
	bool made;

	slot = tc_map_put(&d->index, who, row->layer, &made);
	if (made) {
		tc_mem_grow(&d->buffers.items, &d->buffers.cap, d->buffers.count + 1,
			sizeof(*d->buffers.items));
		d->buffers.items[d->buffers.count++] = (struct buffer){ 0 };
		*slot = d->buffers.count;
	}
	return &d->buffers.items[*slot - 1];
}

static int64_t
end_of(int64_t ts, int64_t dur)
{
	return dur > INT64_MAX - ts ? INT64_MAX : ts + dur;
}

static struct cycle *
cycle_of(struct decide *d, struct buffer *b, const struct tc_trim_buffer *row)
{
	struct cycle *c;

	if (!b->cycle) {
		tc_mem_grow(&d->cycles.items, &d->cycles.cap, d->cycles.count + 1,
			sizeof(*c));
		d->cycles.items[d->cycles.count++] =
			(struct cycle){ .begin = row->ts, .end = row->ts };
		b->cycle = (uint32_t)d->cycles.count;
	}
	c = &d->cycles.items[b->cycle - 1];
	if (c->end < end_of(row->ts, row->dur))
		c->end = end_of(row->ts, row->dur);
	return c;
}

static void
keep_cycle(struct decide *d, uint32_t cycle)
{
	if (cycle)
		d->cycles.items[cycle - 1].is_kept = true;
}

/* What is pending after an event; a phase that is left open never ends. */
static void
advance(struct buffer *b, struct cycle *c, const struct tc_trim_buffer *row)
{
	enum pending before = b->pending;
	bool is_closed = false;

	switch (row->type) {
	case DEQUEUE:
		b->pending = DEQUEUED;
		b->dequeued = row->ts;
		break;
	case QUEUE:
		is_closed = before == DEQUEUED;
		b->pending = QUEUED;
		if (is_closed && b->has_dequeue_acquire && b->acquired > b->dequeued)
			b->pending = NOTHING;
		break;
	case ACQUIRE:
		if (before == QUEUED)
			b->pending = NOTHING;
		b->has_dequeue_acquire = true;
		b->acquired = row->ts;
		return;
	case LATCH: b->pending = LATCHED; break;
	case PRESENT:
		if (before == LATCHED)
			b->pending = NOTHING;
		return;
	default: return;
	}
	if (before != NOTHING && !is_closed)
		c->end = INT64_MAX;
}

/* The last present of a layer lasts until the next one, whatever their buffers. */
static void
present(struct decide *d, const struct tc_trim_buffer *row)
{
	const struct tc_trim_buffer *before = NULL;
	bool made;
	uint64_t *slot = tc_map_put(&d->layers, row->machine, row->layer, &made);

	if (!made)
		before = &d->plan->buffers.items[*slot - 1];
	if (before && tc_trim_in_window(d->plan, before->ts, row->ts - before->ts)) {
		keep_cycle(d, before->cycle);
		keep_cycle(d, row->cycle);
	}
	*slot = (uint64_t)(row - d->plan->buffers.items) + 1;
}

/* The times on its row go back to these. */
static void
keep_past(struct decide *d, const struct buffer *b)
{
	keep_cycle(d, b->queue);
	keep_cycle(d, b->acquire);
	keep_cycle(d, b->latch);
}

static void
feed(struct decide *d, struct tc_trim_buffer *row)
{
	struct buffer *b = buffer_of(d, row);
	struct cycle *c = cycle_of(d, b, row);

	row->cycle = b->cycle;
	if (tc_trim_in_window(d->plan, row->ts, row->dur))
		keep_past(d, b);
	advance(b, c, row);
	if (row->type == PRESENT)
		present(d, row);
	if (row->type == QUEUE)
		b->queue = b->cycle;
	else if (row->type == ACQUIRE)
		b->acquire = b->cycle;
	else if (row->type == LATCH)
		b->latch = b->cycle;
	if (b->pending == NOTHING)
		b->cycle = 0;
}

/* Phases that the trace's end leaves open, and every layer's last present. */
static void
finish(struct decide *d)
{
	const struct tc_trim_buffer *row;
	struct cycle *c;
	uint64_t *last;
	size_t i;

	for (i = 0; i < d->buffers.count; i++)
		if (d->buffers.items[i].cycle)
			d->cycles.items[d->buffers.items[i].cycle - 1].end = INT64_MAX;
	for (i = 0; i < d->plan->buffers.count; i++) {
		row = &d->plan->buffers.items[i];
		last = tc_map_get(&d->layers, row->machine, row->layer);
		if (last && *last == i + 1 && tc_trim_in_window(d->plan, row->ts, -1))
			keep_cycle(d, row->cycle);
	}
	for (i = 0; i < d->cycles.count; i++) {
		c = &d->cycles.items[i];
		if (tc_trim_in_window(d->plan, c->begin,
			    c->end == INT64_MAX ? -1 : c->end - c->begin))
			c->is_kept = true;
	}
}

static bool
is_wanted(const struct decide *d, const struct tc_trim_buffer *row)
{
	if (!tc_choose_layer(d->plan->choose, tc_strtab_str(&d->plan->names, row->layer)))
		return false;
	if (row->time == TC_TRIM_NOWHERE)
		return true;
	if (!row->cycle)
		return tc_trim_in_window(d->plan, row->ts, 0);
	return d->cycles.items[row->cycle - 1].is_kept;
}

void
tc_trim_buffers_decide(struct tc_trim_plan *plan)
{
	struct decide d = { .plan = plan };
	struct tc_trace_item *items;
	size_t count, i;

	items = in_order(plan, &count);
	for (i = 0; i < count; i++)
		feed(&d, items[i].row);
	free(items);
	finish(&d);
	for (i = 0; i < plan->buffers.count; i++)
		plan->buffers.items[i].is_kept = is_wanted(&d, &plan->buffers.items[i]);
	tc_map_release(&d.index);
	tc_map_release(&d.layers);
	free(d.buffers.items);
	free(d.cycles.items);
}
