#include "frames/frames.h"

/* When a step was last seen on a buffer of a layer, and for which frame. */
struct step {
	int64_t ts; /* 0: never, as in Perfetto's rows */
	uint32_t frame_number;
	bool is_seen;
};

struct steps {
	struct step queue, acquire, latch;
};

static struct steps *
steps_of(struct tc_times *t, const struct tc_buffer_event *e)
{
	uint64_t key = (uint64_t)e->machine << 32 | e->buffer_id;
	uint64_t *slot;
	bool made;

	slot = tc_map_put(&t->buffers, key, e->layer, &made);
	if (made)
		*slot = (uint64_t)(uintptr_t)tc_arena_calloc(
			&t->arena, sizeof(struct steps));
	return (struct steps *)(uintptr_t)*slot;
}

static void
note_step(struct steps *s, int64_t ts, const struct tc_buffer_event *e)
{
	struct step now = { ts, e->frame_number, true };

	if (e->type == TC_BUFFER_QUEUE)
		s->queue = now;
	else if (e->type == TC_BUFFER_ACQUIRE_FENCE)
		s->acquire = now;
	else if (e->type == TC_BUFFER_LATCH)
		s->latch = now;
}

static bool
is_of(const struct step *s, const struct tc_buffer_event *e)
{
	return s->is_seen && s->frame_number == e->frame_number;
}

void
tc_times_feed(struct tc_times *t, int64_t ts, const struct tc_buffer_event *e,
	struct tc_buffer_times *out)
{
	struct steps *s = steps_of(t, e);
	int64_t wait;

	note_step(s, ts, e);
	wait = s->acquire.ts - s->queue.ts;
	out->queue_to_acquire = wait > 0 ? wait : 0;
	out->acquire_to_latch = s->latch.ts - s->acquire.ts;
	out->latch_to_present = ts - s->latch.ts;
	out->is_stale[0] = !is_of(&s->queue, e) || !is_of(&s->acquire, e);
	out->is_stale[1] = !is_of(&s->acquire, e) || !is_of(&s->latch, e);
	out->is_stale[2] = !is_of(&s->latch, e);
}

void
tc_times_release(struct tc_times *t)
{
	tc_map_release(&t->buffers);
	tc_arena_release(&t->arena);
	*t = (struct tc_times){ 0 };
}
