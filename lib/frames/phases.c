#include "frames/frames.h"

#include <string.h>

enum last { LAST_NONE, LAST_DEQUEUED, LAST_QUEUED, LAST_LATCHED };

/* A raw row that may still contain later ones of its track. */
struct span {
	int64_t begin, end;
};

/* Phases of one track that are open, each nested in the one before it. */
struct track {
	struct open_phase {
		struct tc_buffer_event *event;
		int64_t begin;
	} * items; /* in the arena */
	size_t count, cap;
};

/* What is known of one buffer of one layer. */
struct buffer {
	enum last last;
	struct tc_buffer_event *dequeued; /* while last is LAST_DEQUEUED */
	int64_t dequeued_ts;
	bool has_acquire;
	int64_t acquire_ts;
	struct track app, gpu, sf;
	struct span *spans; /* in the arena: raw rows on the stack */
	size_t span_count, span_cap;
};

static const struct {
	struct tc_str name, track;
} phases[] = {
	[TC_PHASE_NONE] = { TC_STR_INIT(""), TC_STR_INIT("") },
	[TC_PHASE_APP] = { TC_STR_INIT("app_hold"), TC_STR_INIT("APP_") },
	[TC_PHASE_GPU] = { TC_STR_INIT("producer_fence_wait"), TC_STR_INIT("GPU_") },
	[TC_PHASE_SF] = { TC_STR_INIT("latch_to_present"), TC_STR_INIT("SF_") },
	[TC_PHASE_DISPLAY] = { TC_STR_INIT("present_interval"), TC_STR_INIT("Display_") },
};

static const struct tc_str type_names[] = {
	[TC_BUFFER_UNSPECIFIED] = TC_STR_INIT("unspecified_event"),
	[TC_BUFFER_DEQUEUE] = TC_STR_INIT("Dequeue"),
	[TC_BUFFER_QUEUE] = TC_STR_INIT("Queue"),
	[TC_BUFFER_POST] = TC_STR_INIT("Post"),
	[TC_BUFFER_ACQUIRE_FENCE] = TC_STR_INIT("AcquireFenceSignaled"),
	[TC_BUFFER_LATCH] = TC_STR_INIT("Latch"),
	[TC_BUFFER_HWC_QUEUED] = TC_STR_INIT("HWCCompositionQueued"),
	[TC_BUFFER_FALLBACK] = TC_STR_INIT("FallbackComposition"),
	[TC_BUFFER_PRESENT_FENCE] = TC_STR_INIT("PresentFenceSignaled"),
	[TC_BUFFER_RELEASE_FENCE] = TC_STR_INIT("ReleaseFenceSignaled"),
	[TC_BUFFER_MODIFY] = TC_STR_INIT("Modify"),
	[TC_BUFFER_DETACH] = TC_STR_INIT("Detach"),
	[TC_BUFFER_ATTACH] = TC_STR_INIT("Attach"),
	[TC_BUFFER_CANCEL] = TC_STR_INIT("Cancel"),
};

struct tc_str
tc_buffer_type_name(enum tc_buffer_type type)
{
	if (type > TC_BUFFER_CANCEL)
		return TC_STR("unknown_event");
	return type_names[type];
}

struct tc_str
tc_phase_name(enum tc_phase phase)
{
	return phases[phase].name;
}

struct tc_str
tc_phase_track(enum tc_phase phase)
{
	return phases[phase].track;
}

static struct buffer *
buffer_of(struct tc_phases *ph, const struct tc_buffer_event *e)
{
	uint64_t key = (uint64_t)e->machine << 32 | e->buffer_id;
	uint64_t *slot;
	bool made;

	slot = tc_map_put(&ph->buffers, key, e->layer, &made);
	if (made)
		*slot = (uint64_t)(uintptr_t)tc_arena_calloc(
			&ph->arena, sizeof(struct buffer));
	return (struct buffer *)(uintptr_t)*slot;
}

/* The items of this size with room for more of them, in the arena. */
static void *
with_room(struct tc_phases *ph, void *items, size_t count, size_t *cap, size_t size)
{
	void *more;

	*cap = *cap ? *cap * 2 : 2;
	more = tc_arena_alloc(&ph->arena, *cap * size);
	if (count)
		memcpy(more, items, count * size);
	return more;
}

/* Opens a phase in its event, nested in what is open on the track. */
static void
open_phase(struct tc_phases *ph, struct track *track, enum tc_phase phase, int64_t ts,
	struct tc_buffer_event *e)
{
	e->phase = (uint8_t)phase;
	e->is_open = true;
	e->phase_frame = e->frame_number;
	if (track->count == TC_MAX_DEPTH) {
		ph->too_deep++;
		return;
	}
	e->depth = (unsigned)track->count & (TC_MAX_DEPTH - 1);
	if (track->count == track->cap)
		track->items = with_room(ph, track->items, track->count, &track->cap,
			sizeof(*track->items));
	track->items[track->count++] = (struct open_phase){ e, ts };
}

/* Closes the innermost open phase of the track. */
static void
close_phase(struct track *track, int64_t ts)
{
	struct open_phase *top;

	if (!track->count)
		return;
	top = &track->items[--track->count];
	top->event->is_open = false;
	top->event->phase_dur = ts - top->begin;
}

static void
rename_phase(struct tc_buffer_event *e, uint32_t frame_number)
{
	e->is_renamed = true;
	e->phase_frame = frame_number;
}

/*
 * A dequeue that no queue followed: the phase was not what it seemed. It stays
 * open under the name 0, and later ones nest in it.
 */
static void
make_placeholder(struct buffer *b)
{
	if (b->last == LAST_DEQUEUED)
		rename_phase(b->dequeued, 0);
}

static void
on_dequeue(struct tc_phases *ph, struct buffer *b, int64_t ts, struct tc_buffer_event *e)
{
	make_placeholder(b);
	open_phase(ph, &b->app, TC_PHASE_APP, ts, e);
	b->last = LAST_DEQUEUED;
	b->dequeued = e;
	b->dequeued_ts = ts;
}

static void
on_queue(struct tc_phases *ph, struct buffer *b, int64_t ts, struct tc_buffer_event *e)
{
	if (b->last == LAST_DEQUEUED) {
		close_phase(&b->app, ts);
		rename_phase(b->dequeued, e->frame_number);
		/* The fence signalled before the queue was reported: nothing to wait for.
		 */
		if (b->has_acquire && b->acquire_ts > b->dequeued_ts) {
			b->last = LAST_NONE;
			return;
		}
	}
	open_phase(ph, &b->gpu, TC_PHASE_GPU, ts, e);
	b->last = LAST_QUEUED;
}

static void
on_acquire_fence(struct buffer *b, int64_t ts)
{
	if (b->last == LAST_QUEUED) {
		close_phase(&b->gpu, ts);
		b->last = LAST_NONE;
	}
	b->has_acquire = true;
	b->acquire_ts = ts;
}

static void
on_latch(struct tc_phases *ph, struct buffer *b, int64_t ts, struct tc_buffer_event *e)
{
	make_placeholder(b);
	open_phase(ph, &b->sf, TC_PHASE_SF, ts, e);
	b->last = LAST_LATCHED;
}

static void
on_present_fence(
	struct tc_phases *ph, struct buffer *b, int64_t ts, struct tc_buffer_event *e)
{
	struct track *display;
	uint64_t *slot;
	bool made;

	if (b->last == LAST_LATCHED) {
		close_phase(&b->sf, ts);
		b->last = LAST_NONE;
	}
	slot = tc_map_put(&ph->layers, e->machine, e->layer, &made);
	if (made)
		*slot = (uint64_t)(uintptr_t)tc_arena_calloc(
			&ph->arena, sizeof(*display));
	display = (struct track *)(uintptr_t)*slot;
	close_phase(display, ts);
	open_phase(ph, display, TC_PHASE_DISPLAY, ts, e);
}

/* Takes off the stack what cannot contain anything from now on (spec 3.6). */
static void
pop_spans(struct buffer *b, int64_t ts, int64_t dur)
{
	const struct span *top;

	while (b->span_count) {
		top = &b->spans[b->span_count - 1];
		if (top->end > ts)
			return;
		if (top->end == ts && top->begin == top->end && dur == 0)
			return;
		b->span_count--;
	}
}

static void
push_span(struct tc_phases *ph, struct buffer *b, struct span s)
{
	if (b->span_count == TC_MAX_DEPTH)
		return;
	if (b->span_count == b->span_cap)
		b->spans =
			with_room(ph, b->spans, b->span_count, &b->span_cap, sizeof(s));
	b->spans[b->span_count++] = s;
}

static enum tc_buffer_result
stack_raw_row(struct tc_phases *ph, struct buffer *b, int64_t ts, int64_t dur)
{
	struct span s = { ts, ts };

	if (dur < 0)
		return TC_BUFFER_NEGATIVE;
	s.end = dur > INT64_MAX - ts ? INT64_MAX : ts + dur;
	pop_spans(b, ts, dur);
	if (b->span_count && s.end > b->spans[b->span_count - 1].end)
		return TC_BUFFER_OVERLAPS;
	push_span(ph, b, s);
	return TC_BUFFER_FINE;
}

static void
advance(struct tc_phases *ph, struct buffer *b, int64_t ts, struct tc_buffer_event *e)
{
	switch (e->type) {
	case TC_BUFFER_DEQUEUE: on_dequeue(ph, b, ts, e); break;
	case TC_BUFFER_QUEUE: on_queue(ph, b, ts, e); break;
	case TC_BUFFER_ACQUIRE_FENCE: on_acquire_fence(b, ts); break;
	case TC_BUFFER_LATCH: on_latch(ph, b, ts, e); break;
	case TC_BUFFER_PRESENT_FENCE: on_present_fence(ph, b, ts, e); break;
	default: break;
	}
}

enum tc_buffer_result
tc_phases_feed(struct tc_phases *ph, int64_t ts, struct tc_buffer_event *e)
{
	struct buffer *b = buffer_of(ph, e);
	enum tc_buffer_result r = stack_raw_row(ph, b, ts, e->dur);

	e->is_dropped = r != TC_BUFFER_FINE;
	advance(ph, b, ts, e);
	return r;
}

void
tc_phases_release(struct tc_phases *ph)
{
	tc_map_release(&ph->buffers);
	tc_map_release(&ph->layers);
	tc_arena_release(&ph->arena);
	*ph = (struct tc_phases){ 0 };
}
