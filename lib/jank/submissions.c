/*
 * What each buffer did for each frame number. Phases and events are walked as one, in
 * the order of time; the map has the submission that is under way for a buffer and a
 * number, so that numbers which begin anew give new submissions.
 */
#include <stdlib.h>

#include "jank/layers.h"
#include "rec/rec.h"
#include "rows/rows.h"

enum kind {
	OTHER,
	APP_HOLD,
	FENCE_WAIT,
	OUTPUT,
	INTERVAL,
	FALLBACK,
	EVENT, /* and a step from here on */
};

/* What a buffer's name in the rows is: a phase, or an event. */
struct what {
	struct tc_str layer;
	int64_t buffer_id;
	int kind;
};

struct gather {
	struct tc_jank_layers *layers;
	const struct tc_rows *rows;
	struct what *what;       /* owned: by buffer of the rows - 1 */
	struct tc_map under_way; /* (buffer, frame number) to a submission */
	struct tc_map buffers;   /* (layer, buffer id) to an index into last_row */
	int64_t *last_row;       /* owned: when each buffer's last row was */
	size_t buffer_count, cap;
};

static int
kind_of(struct tc_str name)
{
	static const struct {
		const char *name;
		int kind;
	} kinds[] = { { "app_hold", APP_HOLD }, { "producer_fence_wait", FENCE_WAIT },
		{ "latch_to_present", OUTPUT }, { "present_interval", INTERVAL },
		{ "FallbackComposition", FALLBACK },
		{ "Dequeue", EVENT + TC_JANK_DEQUEUE },
		{ "Queue", EVENT + TC_JANK_QUEUE },
		{ "AcquireFenceSignaled", EVENT + TC_JANK_ACQUIRE },
		{ "Latch", EVENT + TC_JANK_LATCH },
		{ "PresentFenceSignaled", EVENT + TC_JANK_PRESENT } };
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (tc_str_eq(name, tc_str_of(kinds[i].name)))
			return kinds[i].kind;
	return OTHER;
}

static void
find_kinds(struct gather *g)
{
	const struct tc_rows_buffer *b;
	uint32_t i;

	g->what = tc_mem_calloc(g->rows->buffers.count + 1, sizeof(*g->what));
	for (i = 0; i < g->rows->buffers.count; i++) {
		b = tc_rows_buffer_of(g->rows, i + 1);
		g->what[i] = (struct what){ tc_rows_text(g->rows, b->layer), b->buffer_id,
			kind_of(tc_rows_text(g->rows, b->name)) };
	}
}

/* The number of a buffer, (layer, buffer id), and that it has a row then. */
static uint32_t
buffer_of(struct gather *g, uint32_t layer, int64_t buffer_id, int64_t ts)
{
	uint64_t *slot;
	bool made;

	slot = tc_map_put(&g->buffers, layer, (uint64_t)buffer_id, &made);
	if (made) {
		*slot = g->buffer_count;
		tc_mem_grow(
			&g->last_row, &g->cap, g->buffer_count + 1, sizeof(*g->last_row));
		g->last_row[g->buffer_count++] = ts;
	}
	if (ts > g->last_row[*slot])
		g->last_row[*slot] = ts;
	return (uint32_t)*slot;
}

/* Frame numbers rise; where they fall or stay, it is another layer of that name. */
static void
check_number(struct tc_jank_layer *at, int64_t ts, int64_t number)
{
	int64_t before = at->queue_number;

	if (at->queue_ts != TC_NONE && ts <= at->queue_ts)
		return;
	if (at->queue_ts == TC_NONE) {
		at->max_number = before = number;
	} else if (number == before) {
		at->is_interleaved = true;
	} else if (number < before) {
		at->is_interleaved |= at->has_left && number > at->left_at;
		at->is_restarted = true;
		at->max_before = at->max_number;
	} else if (at->is_restarted && before < at->max_before &&
		number > at->max_before) {
		at->has_left = true;
		at->left_at = before;
	}
	at->queue_ts = ts;
	at->queue_number = number;
	if (number > at->max_number)
		at->max_number = number;
}

static void
see(struct tc_jank_layer *at, int step, int64_t ts)
{
	at->seen |= 1U << step;
	if (at->last[step] == TC_NONE || ts > at->last[step])
		at->last[step] = ts;
}

static struct tc_jank_submission *
begin(struct gather *g, uint32_t layer, int64_t buffer_id, int64_t number)
{
	struct tc_jank_layers *l = g->layers;
	struct tc_jank_submission *s;
	int i;

	tc_mem_grow(&l->subs, &l->sub_cap, l->sub_count + 1, sizeof(*l->subs));
	s = &l->subs[l->sub_count++];
	*s = (struct tc_jank_submission){
		.buffer_id = buffer_id, .frame_number = number, .layer = layer
	};
	for (i = 0; i < TC_JANK_STEPS; i++)
		s->at[i] = TC_NONE;
	return s;
}

/* Whether a buffer that did this at this time cannot be the one under way. */
static bool
is_another(const struct tc_jank_submission *s, int step, int64_t ts)
{
	int later;

	if (step > TC_JANK_QUEUE)
		return false;
	if (s->at[step] != TC_NONE)
		return s->at[step] != ts;
	/* A fence may signal before its buffer is queued. */
	for (later = step + 1; later < TC_JANK_STEPS; later++)
		if (later != TC_JANK_ACQUIRE && s->at[later] != TC_NONE &&
			s->at[later] < ts)
			return true;
	return false;
}

/* Of a step that came more than once, the first counts. */
static struct tc_jank_submission *
note(struct gather *g, uint32_t layer, const struct what *w, int64_t number, int step,
	int64_t ts)
{
	uint32_t buffer = buffer_of(g, layer, w->buffer_id, ts);
	struct tc_jank_submission *s;
	uint64_t *slot;
	bool made;

	if (number == TC_NONE || number == 0)
		return NULL;
	slot = tc_map_put(&g->under_way, buffer, (uint64_t)number, &made);
	if (!made && step >= 0 && is_another(&g->layers->subs[*slot], step, ts))
		made = true;
	if (made)
		*slot = g->layers->sub_count;
	s = made ? begin(g, layer, w->buffer_id, number) : &g->layers->subs[*slot];
	if (step >= 0 && s->at[step] == TC_NONE)
		s->at[step] = ts;
	return s;
}

static void
take_event(struct gather *g, const struct tc_rows_phase *e)
{
	const struct what *w = &g->what[e->buffer - 1];
	uint32_t layer = tc_jank_layer(g->layers, e->place, w->layer);
	int step = w->kind - EVENT;
	struct tc_jank_submission *s;

	if (layer == TC_ROWS_NO || e->ts == TC_NONE)
		return;
	g->layers->at[layer].has_events = true;
	if (w->kind == FALLBACK) {
		s = note(g, layer, w, e->frame_number, -1, e->ts);
		if (s)
			s->is_fallback = true;
	}
	if (step < 0)
		return;
	see(&g->layers->at[layer], step, e->ts);
	s = note(g, layer, w, e->frame_number, step, e->ts);
	if (s && step == TC_JANK_QUEUE)
		check_number(&g->layers->at[layer], e->ts, e->frame_number);
}

/* A phase is from one step to the next one, if that came. */
static void
take_phase(struct gather *g, const struct tc_rows_phase *p)
{
	static const int first[] = { [APP_HOLD] = TC_JANK_DEQUEUE,
		[FENCE_WAIT] = TC_JANK_QUEUE,
		[OUTPUT] = TC_JANK_LATCH,
		[INTERVAL] = TC_JANK_PRESENT };
	const struct what *w = &g->what[p->buffer - 1];
	uint32_t layer = tc_jank_layer(g->layers, p->place, w->layer);
	struct tc_jank_submission *s;
	int64_t end;

	if (layer == TC_ROWS_NO || p->ts == TC_NONE || w->kind == OTHER ||
		w->kind > INTERVAL)
		return;
	see(&g->layers->at[layer], first[w->kind], p->ts);
	if (w->kind == INTERVAL)
		return;
	s = note(g, layer, w, p->frame_number, first[w->kind], p->ts);
	if (s && w->kind == FENCE_WAIT) {
		s->has_fence_phase = true;
		check_number(&g->layers->at[layer], p->ts, p->frame_number);
	}
	if (p->dur < 0 || __builtin_add_overflow(p->ts, p->dur, &end))
		return;
	see(&g->layers->at[layer], first[w->kind] + 1, end);
	buffer_of(g, layer, w->buffer_id, end);
	if (s && s->at[first[w->kind] + 1] == TC_NONE)
		s->at[first[w->kind] + 1] = end;
}

static bool
is_before(const struct tc_rows_phase *a, const struct tc_rows_phase *b)
{
	return a->place != b->place ? a->place < b->place : a->ts <= b->ts;
}

static void
walk(struct gather *g)
{
	const struct tc_rows *r = g->rows;
	size_t p = 0, e = 0;

	while (p < r->phases.count || e < r->events.count) {
		if (e == r->events.count ||
			(p < r->phases.count &&
				is_before(&r->phases.at[p], &r->events.at[e])))
			take_phase(g, &r->phases.at[p++]);
		else
			take_event(g, &r->events.at[e++]);
	}
}

int64_t
tc_jank_start(const struct tc_jank_submission *s)
{
	int i;

	for (i = 0; i < TC_JANK_STEPS - 1 && s->at[i] == TC_NONE;)
		i++;
	return s->at[i];
}

/* The buffer is the producer's until it is queued and its fence has signaled. */
int64_t
tc_jank_end(const struct tc_jank_submission *s)
{
	int64_t end = tc_jank_start(s);

	if (s->at[TC_JANK_QUEUE] > end)
		end = s->at[TC_JANK_QUEUE];
	return s->at[TC_JANK_ACQUIRE] > end ? s->at[TC_JANK_ACQUIRE] : end;
}

int64_t
tc_jank_last(const struct tc_jank_submission *s)
{
	int64_t last = TC_NONE;
	int i;

	for (i = 0; i < TC_JANK_STEPS; i++)
		if (s->at[i] > last)
			last = s->at[i];
	return last;
}

static void
find_last(struct gather *g)
{
	struct tc_jank_submission *s;
	uint64_t *slot;
	size_t i;

	for (i = 0; i < g->layers->sub_count; i++) {
		s = &g->layers->subs[i];
		slot = tc_map_get(&g->buffers, s->layer, (uint64_t)s->buffer_id);
		s->is_last = g->last_row[*slot] <= tc_jank_last(s);
	}
}

static int
by_start(const void *a, const void *b)
{
	const struct tc_jank_submission *x = a, *y = b;
	int c = tc_mem_compare(x->layer, y->layer);

	c = c ? c : tc_mem_compare(tc_jank_start(x), tc_jank_start(y));
	c = c ? c : tc_mem_compare(tc_jank_end(x), tc_jank_end(y));
	c = c ? c : tc_mem_compare(x->frame_number, y->frame_number);
	return c ? c : tc_mem_compare(x->buffer_id, y->buffer_id);
}

/* The middle one of a range has the latest end of the range. */
static int64_t
set_max(struct tc_jank_submission *at, size_t count)
{
	size_t middle = count / 2;
	int64_t end, other;

	if (!count)
		return TC_NONE;
	end = tc_jank_end(&at[middle]);
	other = set_max(at, middle);
	end = other > end ? other : end;
	other = set_max(at + middle + 1, count - middle - 1);
	end = other > end ? other : end;
	at[middle].max_end = end;
	return end;
}

static void
set_order(struct tc_jank_layers *l)
{
	struct tc_jank_layer *at;
	size_t i;

	if (l->sub_count)
		qsort(l->subs, l->sub_count, sizeof(*l->subs), by_start);
	for (i = 0; i < l->sub_count; i++) {
		at = &l->at[l->subs[i].layer];
		if (!at->count++)
			at->first = (uint32_t)i;
	}
	for (i = 0; i < l->count; i++)
		if (l->at[i].count)
			set_max(&l->subs[l->at[i].first], l->at[i].count);
}

void
tc_jank_layers_gather(struct tc_jank_layers *l, const struct tc_rows *r)
{
	struct gather g = { .layers = l, .rows = r };

	find_kinds(&g);
	walk(&g);
	find_last(&g);
	set_order(l);
	tc_map_release(&g.under_way);
	tc_map_release(&g.buffers);
	free(g.what);
	free(g.last_row);
}

struct search {
	int64_t from, to;
	const struct tc_jank_submission **found;
	size_t count, cap;
};

static void
find(struct search *f, const struct tc_jank_submission *at, size_t count)
{
	const struct tc_jank_submission *s = &at[count / 2];

	if (!count || f->count == f->cap || s->max_end < f->from)
		return;
	find(f, at, count / 2);
	if (tc_jank_start(s) > f->to)
		return;
	if (f->count < f->cap && tc_jank_end(s) >= f->from)
		f->found[f->count++] = s;
	find(f, s + 1, count - count / 2 - 1);
}

size_t
tc_jank_overlapping(const struct tc_jank_layers *l, uint32_t layer, int64_t from,
	int64_t to, const struct tc_jank_submission **found, size_t cap)
{
	struct search f = { from, to, found, 0, cap };
	const struct tc_jank_layer *at;

	if (layer == TC_ROWS_NO || !l->at[layer].count)
		return 0;
	at = &l->at[layer];
	find(&f, &l->subs[at->first], at->count);
	return f.count;
}
