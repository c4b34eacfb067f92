/* The phases that submissions should have and do not. */
#include "io/io.h"
#include "jank/layers.h"
#include "jank/priv.h"
#include "rec/rec.h"
#include "rows/rows.h"

static const char *const event_names[TC_JANK_STEPS] = { "Dequeue", "Queue",
	"AcquireFenceSignaled", "Latch", "PresentFenceSignaled" };

enum why { TAIL, NOT_TRACED, UNKNOWN };

static const struct {
	const char *name, *text;
} whys[] = {
	[TAIL] = { "tail",
		"what is recorded of the layer ends before one could have come" },
	[NOT_TRACED] = { "not_traced", "nor of any other frame of this layer" },
	[UNKNOWN] = { "unknown", "though of others of this layer there are" },
};

/*
 * Fences that are pending are looked at again only when something else happens to
 * their buffer, so their events end sooner than the layer's.
 */
static enum why
why_absent(const struct tc_jank_layer *at, const struct tc_jank_submission *s, int step)
{
	bool is_fence = step == TC_JANK_ACQUIRE || step == TC_JANK_PRESENT;

	if (!(at->seen & 1U << step))
		return NOT_TRACED;
	if (step != TC_JANK_DEQUEUE &&
		(at->last[step] <= tc_jank_last(s) || (is_fence && s->is_last)))
		return TAIL;
	return UNKNOWN;
}

static void
put_absent(const struct tc_rows *r, const struct tc_jank_layer *at,
	const struct tc_jank_submission *s, const char *phase, int step,
	struct tc_arena *arena, struct tc_out *out)
{
	enum why why = why_absent(at, s, step);
	struct tc_rec_jank_phase rec;

	tc_arena_reset(arena);
	tc_rec_init(&tc_rec_jank_phase, &rec);
	rec.layer_name = at->name;
	rec.frame_number = s->frame_number;
	rec.phase_name = tc_str_of(phase);
	if (s->buffer_id != TC_NONE)
		rec.buffer_track_suffix = tc_arena_print(arena, "%llu %.*s",
			(unsigned long long)s->buffer_id, (int)at->name.len, at->name.p);
	rec.duration_status = TC_STR("absent");
	rec.why = tc_str_of(whys[why].name);
	rec.text = tc_arena_print(arena, "no %s of this frame is in this trace; %s",
		event_names[step], whys[why].text);
	rec.machine_id = r->places.at[at->place].machine;
	rec.trace = r->places.at[at->place].trace;
	tc_rec_put(out, &tc_rec_jank_phase, &rec);
}

/* A fence that signaled by the time of queueing leaves no wait. */
static int
fence_lacks(const struct tc_jank_submission *s)
{
	if (s->has_fence_phase)
		return -1;
	if (s->at[TC_JANK_QUEUE] == TC_NONE)
		return TC_JANK_QUEUE;
	return s->at[TC_JANK_ACQUIRE] == TC_NONE ? TC_JANK_ACQUIRE : -1;
}

/* Present intervals are a layer's: phases alone do not tell which are missing. */
static void
put_missing(const struct tc_rows *r, const struct tc_jank_layer *at,
	const struct tc_jank_submission *s, struct tc_arena *arena, struct tc_out *out)
{
	int step;

	if (s->at[TC_JANK_DEQUEUE] == TC_NONE)
		put_absent(r, at, s, "app_hold", TC_JANK_DEQUEUE, arena, out);
	step = fence_lacks(s);
	if (step >= 0)
		put_absent(r, at, s, "producer_fence_wait", step, arena, out);
	if (s->at[TC_JANK_LATCH] == TC_NONE)
		put_absent(r, at, s, "latch_to_present", TC_JANK_LATCH, arena, out);
	if (s->at[TC_JANK_PRESENT] == TC_NONE &&
		(at->has_events || s->at[TC_JANK_LATCH] != TC_NONE))
		put_absent(r, at, s, "present_interval", TC_JANK_PRESENT, arena, out);
}

void
tc_jank_put_missing(const struct tc_rows *r, struct tc_out *out)
{
	struct tc_jank_layers l = { 0 };
	const struct tc_jank_layer *at;
	struct tc_arena arena = { 0 };
	size_t i;

	tc_jank_layers_gather(&l, r);
	tc_jank_layers_choose(&l, r);
	for (i = 0; i < l.sub_count && !out->sys; i++) {
		at = &l.at[l.subs[i].layer];
		if (!r->app || at->is_chosen)
			put_missing(r, at, &l.subs[i], &arena, out);
	}
	tc_arena_release(&arena);
	tc_jank_layers_release(&l);
}
