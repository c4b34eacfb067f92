#include "jank/match.h"

#include <string.h>

#include "io/io.h"
#include "jank/priv.h"
#include "rec/rec.h"
#include "rows/rows.h"

/* By bit. */
static const char *const limit_names[TC_JANK_LIMITS] = { "no_layer", "no_buffer_events",
	"clocks_unmapped", "clocks_unknown", "same_name", "same_title", "layer_remade",
	"numbers_restarted", "surface_view", "not_a_buffer", "no_time", "open_frame",
	"dropped", "no_display_frame", "several_displays", "display_frame_open",
	"no_present", "many_candidates" };

struct tc_str
tc_jank_confidence_name(enum tc_jank_confidence confidence)
{
	static const char *const names[] = { "none", "low", "medium", "high" };

	return tc_str_of(names[confidence]);
}

static unsigned
limits_of_layer(const struct tc_jank_layer *at)
{
	unsigned limits = 0;

	if (!at->count)
		limits |= TC_JANK_NO_BUFFER_EVENTS;
	if (at->has_several_procs || at->is_interleaved)
		limits |= TC_JANK_SAME_NAME;
	else if (at->is_restarted)
		limits |= TC_JANK_RESTARTED;
	if (at->has_sibling)
		limits |= TC_JANK_SAME_TITLE;
	if (at->is_remade)
		limits |= TC_JANK_REMADE;
	if (tc_jank_has_word(at->name, "surfaceview["))
		limits |= TC_JANK_SURFACE_VIEW;
	return limits;
}

static unsigned
limits_of_frame(const struct tc_rows *r, const struct tc_rows_actual *a)
{
	enum tc_rows_clocks clocks = r->places.at[a->place].clocks;
	struct tc_str is_buffer =
		tc_rows_text(r, tc_rows_group_of(r, a->group)->is_buffer);
	unsigned limits = 0;

	if (clocks == TC_ROWS_CLOCKS_UNMAPPED)
		limits |= TC_JANK_CLOCKS_UNMAPPED;
	if (clocks == TC_ROWS_CLOCKS_UNKNOWN)
		limits |= TC_JANK_CLOCKS_UNKNOWN;
	if (tc_str_eq(is_buffer, TC_STR("No")))
		limits |= TC_JANK_NOT_A_BUFFER;
	if (a->ts == TC_NONE)
		limits |= TC_JANK_NO_TIME;
	else if (a->dur < 0)
		limits |= TC_JANK_OPEN_FRAME;
	return limits;
}

static void
find_display(
	const struct tc_rows *r, const struct tc_rows_actual *a, struct tc_jank_match *m)
{
	const struct tc_rows_actual *d = tc_rows_display(r, a, &m->display_count);

	m->present = TC_NONE;
	if (m->display_count == 0)
		m->limits |= TC_JANK_NO_DISPLAY_FRAME;
	if (m->display_count > 1)
		m->limits |= TC_JANK_SEVERAL_DISPLAYS;
	if (m->display_count != 1)
		return;
	m->display = d;
	if (m->is_dropped)
		return;
	m->present = tc_rows_end(d->ts, d->dur);
	if (m->present == TC_NONE)
		m->limits |= TC_JANK_DISPLAY_OPEN;
}

/* Up to when: a frame that was never closed may go on until it was presented. */
static int64_t
end_of(const struct tc_rows_actual *a, const struct tc_jank_match *m)
{
	int64_t end;

	if (a->dur >= 0 && !__builtin_add_overflow(a->ts, a->dur, &end))
		return end;
	return m->present != TC_NONE && m->present > a->ts ? m->present : a->ts;
}

static bool
is_near(int64_t delta)
{
	return delta != TC_NONE && delta >= -TC_JANK_NEAR_NS && delta <= TC_JANK_NEAR_NS;
}

/* A frame ends when its fence has signaled, or where that was pending, when queued. */
static int64_t
end_delta(const struct tc_jank_submission *s, int64_t end)
{
	int64_t queued = tc_rows_minus(s->at[TC_JANK_QUEUE], end), ready = TC_NONE;

	if (s->at[TC_JANK_ACQUIRE] > s->at[TC_JANK_QUEUE])
		ready = tc_rows_minus(s->at[TC_JANK_ACQUIRE], end);
	if (ready == TC_NONE)
		return queued;
	return queued == TC_NONE || !is_near(queued) || is_near(ready) ? ready : queued;
}

static bool
weigh(struct tc_jank_match *m, const struct tc_rows_actual *a,
	const struct tc_jank_submission *s, struct tc_jank_candidate *c)
{
	int64_t end = end_of(a, m), from = tc_jank_start(s), to = tc_jank_end(s);
	int64_t present = s->at[TC_JANK_PRESENT];

	if (m->is_dropped && present != TC_NONE)
		return false;
	/* A difference too large for a number is no near one either. */
	c->present_delta = tc_rows_minus(present, m->present);
	if (present != TC_NONE && m->present != TC_NONE && !is_near(c->present_delta))
		return false;
	c->s = s;
	c->overlap = tc_rows_minus(to < end ? to : end, from > a->ts ? from : a->ts);
	/* A dropped frame ends when it was dropped, not when it was ready. */
	c->end_delta = a->dur >= 0 && !m->is_dropped ? end_delta(s, end) : TC_NONE;
	return true;
}

static enum tc_jank_confidence
confidence_of(const struct tc_jank_match *m, const struct tc_jank_candidate *c)
{
	bool ends = is_near(c->end_delta), presents = is_near(c->present_delta);

	if (m->limits &
		(TC_JANK_CLOCKS_UNMAPPED | TC_JANK_SAME_NAME | TC_JANK_NOT_A_BUFFER |
			TC_JANK_MANY))
		return TC_JANK_LOW;
	if (m->count == 1 && ends && presents)
		return m->limits & (TC_JANK_CLOCKS_UNKNOWN | TC_JANK_RESTARTED)
			? TC_JANK_MEDIUM
			: TC_JANK_HIGH;
	if (ends ? presents || m->count == 1 : presents && m->count == 1)
		return TC_JANK_MEDIUM;
	return TC_JANK_LOW;
}

void
tc_jank_match(const struct tc_rows *r, struct tc_jank_layers *l,
	const struct tc_rows_actual *a, struct tc_jank_match *m)
{
	const struct tc_jank_submission *found[TC_JANK_VISITED];
	struct tc_str name = tc_rows_text(r, tc_rows_group_of(r, a->group)->layer);
	size_t i, n = 0;

	memset(m, 0, offsetof(struct tc_jank_match, at));
	m->confidence = TC_JANK_NO_MATCH;
	m->layer = tc_jank_layer(l, a->place, name);
	m->is_dropped = tc_rows_is_dropped(r, tc_rows_group_of(r, a->group));
	m->limits = limits_of_frame(r, a) | (m->is_dropped ? TC_JANK_DROPPED : 0);
	m->limits |= m->layer == TC_ROWS_NO ? (unsigned)TC_JANK_NO_LAYER
					    : limits_of_layer(&l->at[m->layer]);
	find_display(r, a, m);
	if (a->ts != TC_NONE)
		n = tc_jank_overlapping(
			l, m->layer, a->ts, end_of(a, m), found, TC_JANK_VISITED);
	if (n == TC_JANK_VISITED)
		m->limits |= TC_JANK_MANY;
	for (i = 0; i < n; i++)
		m->count += weigh(m, a, found[i], &m->at[m->count]);
	for (i = 0; i < m->count; i++) {
		m->at[i].confidence = confidence_of(m, &m->at[i]);
		if (m->at[i].confidence > m->confidence)
			m->confidence = m->at[i].confidence;
		if (m->at[i].s->at[TC_JANK_PRESENT] == TC_NONE)
			m->limits |= TC_JANK_NO_PRESENT;
	}
}

const struct tc_jank_candidate *
tc_jank_best(const struct tc_jank_match *m)
{
	const struct tc_jank_candidate *best = NULL;
	size_t i;

	if (m->confidence < TC_JANK_MEDIUM)
		return NULL;
	for (i = 0; i < m->count; i++) {
		if (m->at[i].confidence != m->confidence)
			continue;
		if (best)
			return NULL;
		best = &m->at[i];
	}
	return best;
}

static struct tc_rec_list
limits_list(const struct tc_jank_match *m, struct tc_arena *arena)
{
	struct tc_str *list = tc_arena_alloc(arena, TC_JANK_LIMITS * sizeof(*list));
	size_t i, n = 0;

	for (i = 0; i < TC_JANK_LIMITS; i++)
		if (m->limits & 1U << i)
			list[n++] = tc_str_of(limit_names[i]);
	return (struct tc_rec_list){ list, n };
}

static struct tc_rec_list
candidates_list(const struct tc_jank_match *m, struct tc_arena *arena)
{
	size_t i, n = m->count < TC_JANK_LISTED ? m->count : TC_JANK_LISTED;
	struct tc_rec_jank_match_candidate *list =
		tc_arena_alloc(arena, (n + 1) * sizeof(*list));
	const struct tc_jank_candidate *c;

	for (i = 0; i < n; i++) {
		c = &m->at[i];
		list[i] = (struct tc_rec_jank_match_candidate){
			.buffer_id = c->s->buffer_id,
			.frame_number = c->s->frame_number,
			.dequeue_ts_ns = c->s->at[TC_JANK_DEQUEUE],
			.queue_ts_ns = c->s->at[TC_JANK_QUEUE],
			.acquire_ts_ns = c->s->at[TC_JANK_ACQUIRE],
			.latch_ts_ns = c->s->at[TC_JANK_LATCH],
			.present_ts_ns = c->s->at[TC_JANK_PRESENT],
			.overlap_ns = c->overlap,
			.end_delta_ns = c->end_delta,
			.present_delta_ns = c->present_delta,
			.confidence = tc_jank_confidence_name(c->confidence),
		};
	}
	return (struct tc_rec_list){ list, n };
}

static struct tc_str
near_text(struct tc_arena *arena, const char *did, int64_t delta, const char *what)
{
	if (delta == TC_NONE)
		return tc_arena_print(arena, "when it was %s is not known", did);
	return tc_arena_print(arena, "it was %s %.3f ms %s %s", did,
		tc_jank_ms(delta < 0 ? -(double)delta : (double)delta),
		delta < 0 ? "before" : "after", what);
}

static struct tc_str
text_of(const struct tc_jank_match *m, struct tc_arena *arena)
{
	const struct tc_jank_candidate *c = &m->at[0];
	struct tc_str ready, shown;

	if (m->count == 0)
		return TC_STR("no buffer of this layer was with its producer meanwhile, "
			      "or none that agrees");
	if (m->count > 1)
		return tc_arena_print(
			arena, "%zu buffers of this layer may be it", m->count);
	if (m->is_dropped)
		return tc_arena_print(arena,
			"frame number %lld overlaps the frame, and was not presented "
			"either",
			(long long)c->s->frame_number);
	ready = near_text(arena, "ready", c->end_delta, "the frame ended");
	shown = near_text(arena, "presented", c->present_delta, "the display frame was");
	return tc_arena_print(arena,
		"frame number %lld overlaps the frame; %.*s, and %.*s",
		(long long)c->s->frame_number, (int)ready.len, ready.p, (int)shown.len,
		shown.p);
}

static void
put_match(const struct tc_rows *r, const struct tc_rows_actual *a,
	const struct tc_jank_match *m, struct tc_arena *arena, struct tc_out *out)
{
	const struct tc_rows_group *g = tc_rows_group_of(r, a->group);
	const struct tc_rows_proc *p = &r->procs.at[g->proc];
	struct tc_rec_jank_match rec = {
		.actual_id = a->id,
		.upid = p->upid,
		.pid = g->pid,
		.process = tc_rows_text(r, p->name),
		.layer_name = tc_rows_text(r, g->layer),
		.surface_frame_token = a->token,
		.display_frame_token = a->display_token,
		.is_buffer = tc_rows_text(r, g->is_buffer),
		.actual_ts_ns = a->ts,
		.raw_actual_dur_ns = a->dur,
		.sf_candidate_count = (int64_t)m->display_count,
		.display_present_ts_ns = m->present,
		.confidence = tc_jank_confidence_name(m->confidence),
		.candidate_count = (int64_t)m->count,
		.candidates = candidates_list(m, arena),
		.limits = limits_list(m, arena),
		.text = text_of(m, arena),
		.machine_id = r->places.at[a->place].machine,
		.trace = r->places.at[a->place].trace,
	};

	tc_rec_put(out, &tc_rec_jank_match, &rec);
}

void
tc_jank_put_match(const struct tc_rows *r, struct tc_out *out)
{
	struct tc_jank_layers l = { 0 };
	const struct tc_rows_actual *a;
	struct tc_arena arena = { 0 };
	struct tc_jank_match m;
	size_t i;

	tc_jank_layers_gather(&l, r);
	tc_jank_layers_frames(&l, r);
	for (i = 0; i < r->actual.count && !out->sys; i++) {
		a = &r->actual.at[i];
		if (!tc_rows_proc_of(r, a->group)->is_chosen)
			continue;
		tc_arena_reset(&arena);
		tc_jank_match(r, &l, a, &m);
		put_match(r, a, &m, &arena, out);
	}
	tc_arena_release(&arena);
	tc_jank_layers_release(&l);
}
