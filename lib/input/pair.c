/*
 * Which messages with one channel and number are of one event. As a rule there are
 * four, of one event. When the number comes up again, or something is missing, the
 * later stage of an event is looked for among what follows its earlier one: as many
 * as possible get theirs, those that do not are the oldest, and the others get them
 * in their order.
 */
#include "input/priv.h"

#include <stdlib.h>

/*
 * Some releases write the slice of a message behind the call, so that the one of
 * the next stage may come first: by what it takes to get the processor back.
 */
enum { SKEW_NS = 5000000 };

/* A message; or a finish with how often it was sent, and its acknowledgement. */
struct piece {
	const struct tc_input_note *first, *last, *ack;
	uint32_t count;
	bool is_taken;
};

struct pieces {
	struct piece *items; /* owned */
	size_t count, cap;
};

/* What may have a mate on the other side, in the order of time. */
struct entry {
	int64_t ts;
	size_t index; /* of what it stands for */
	size_t mate;  /* index of the mate, NOBODY: none */
};

struct side {
	struct entry *items; /* owned */
	size_t count, cap;
};

struct pairing {
	struct tc_input *in;
	struct pieces stages[TC_INPUT_STAGES];
	struct side early, late;
	size_t *stack; /* owned */
	size_t stack_cap;
};

#define NOBODY SIZE_MAX

static void
add_entry(struct side *s, int64_t ts, size_t index)
{
	tc_mem_grow(&s->items, &s->cap, s->count + 1, sizeof(*s->items));
	s->items[s->count++] = (struct entry){ ts, index, NOBODY };
}

/*
 * Finds who has a mate, as brackets are matched: what closes takes the one that was
 * opened last. Mates are provisional, only that there is one counts.
 */
static void
find_matched(struct pairing *p)
{
	struct side *early = &p->early, *late = &p->late;
	size_t depth = 0, next = 0, i;

	tc_mem_grow(&p->stack, &p->stack_cap, early->count, sizeof(*p->stack));
	for (i = 0; i < late->count; i++) {
		for (; next < early->count && early->items[next].ts <= late->items[i].ts;
			next++)
			p->stack[depth++] = next;
		if (!depth && next < early->count &&
			early->items[next].ts - late->items[i].ts <= SKEW_NS)
			p->stack[depth++] = next++;
		if (!depth)
			continue;
		late->items[i].mate = 0;
		early->items[p->stack[--depth]].mate = 0;
	}
}

/* Gives those who have mates each other, in their order. */
static void
match(struct pairing *p)
{
	size_t i, j = 0;

	find_matched(p);
	for (i = 0; i < p->late.count; i++) {
		if (p->late.items[i].mate == NOBODY)
			continue;
		while (p->early.items[j].mate == NOBODY)
			j++;
		p->early.items[j].mate = p->late.items[i].index;
		p->late.items[i].mate = p->early.items[j++].index;
	}
}

static void
clear_sides(struct pairing *p)
{
	p->early.count = p->late.count = 0;
}

static void
add_pieces(struct side *side, const struct pieces *pieces)
{
	size_t i;

	for (i = 0; i < pieces->count; i++)
		if (!pieces->items[i].is_taken)
			add_entry(side, pieces->items[i].first->slice->ts, i);
}

/* An acknowledgement belongs to a finish, and if it was sent again to the last. */
static void
match_acks(struct pairing *p)
{
	struct pieces *finishes = &p->stages[TC_INPUT_FINISH];
	struct pieces *acks = &p->stages[TC_INPUT_ACK];
	const struct entry *e;
	size_t i;

	clear_sides(p);
	add_pieces(&p->early, finishes);
	add_pieces(&p->late, acks);
	match(p);
	for (i = 0; i < p->late.count; i++) {
		e = &p->late.items[i];
		if (e->mate == NOBODY)
			continue;
		acks->items[e->index].is_taken = true;
		finishes->items[e->mate].ack = acks->items[e->index].first;
	}
}

static bool
is_next(const struct pairing *p, const struct tc_input_note *a,
	const struct tc_input_note *b)
{
	return a->next && &p->in->notes[a->next - 1] == b;
}

/* Finishes that nobody acknowledged, and right behind which there is another one. */
static void
join_finishes(struct pairing *p)
{
	struct pieces *finishes = &p->stages[TC_INPUT_FINISH];
	struct piece *f, *kept = NULL;
	size_t i, n = 0;

	for (i = 0; i < finishes->count; i++) {
		f = &finishes->items[i];
		if (kept && !kept->ack && is_next(p, kept->last, f->first)) {
			kept->last = f->last;
			kept->ack = f->ack;
			kept->count++;
			continue;
		}
		if (kept && kept->ack && !f->ack && is_next(p, kept->ack, f->first) &&
			f->first->slice->ts - kept->ack->slice->ts <= SKEW_NS) {
			kept->last = f->last;
			kept->count++;
			continue;
		}
		kept = &finishes->items[n++];
		*kept = *f;
	}
	finishes->count = n;
}

/* ---- events ---- */

static int64_t
latest(const struct tc_input_event *e)
{
	int stage = TC_INPUT_ACK;

	while (!e->parts[stage])
		stage--;
	return e->parts[stage]->ts;
}

static void
set_part(struct tc_input_event *e, enum tc_input_stage stage,
	const struct tc_input_note *note)
{
	e->parts[stage] = note->slice;
	if (note->slice->ts < e->ts)
		e->ts = note->slice->ts;
}

static void
set_stage(struct tc_input_event *e, enum tc_input_stage stage, const struct piece *piece)
{
	set_part(e, stage, piece->first);
	e->is_motion |= piece->first->is_motion;
	if (stage == TC_INPUT_DISPATCH) {
		e->event_id = piece->first->event_id;
		e->read = piece->first->read;
	}
	if (stage == TC_INPUT_FINISH) {
		e->last_finish = piece->last->slice;
		e->finishes = piece->count;
		if (piece->ack)
			set_part(e, TC_INPUT_ACK, piece->ack);
	}
}

static struct tc_input_event *
new_event(struct tc_input *in, const struct tc_input_note *note)
{
	tc_mem_grow(
		&in->events, &in->event_cap, in->event_count + 1, sizeof(*in->events));
	in->events[in->event_count++] = (struct tc_input_event){
		.ts = note->slice->ts,
		.event_id = TC_SLICE_NONE,
		.batch_id = TC_SLICE_NONE,
		.presented = TC_SLICE_NONE,
		.presented_ts = TC_SLICE_NONE,
		.channel = note->channel,
	};
	return &in->events[in->event_count - 1];
}

static int
compare_entries(const void *left, const void *right)
{
	const struct entry *a = left, *b = right;

	if (a->ts != b->ts)
		return a->ts < b->ts ? -1 : 1;
	return a->index < b->index ? -1 : a->index > b->index;
}

/* Events of this chain begin at `from`. A piece that fits none begins a new one. */
static void
add_stage(struct pairing *p, size_t from, enum tc_input_stage stage)
{
	const struct pieces *pieces = &p->stages[stage];
	struct tc_input *in = p->in;
	struct tc_input_event *e;
	const struct entry *entry;
	size_t i;

	clear_sides(p);
	for (i = from; i < in->event_count; i++)
		if (!in->events[i].parts[stage])
			add_entry(&p->early, latest(&in->events[i]), i);
	if (p->early.count > 1)
		qsort(p->early.items, p->early.count, sizeof(*p->early.items),
			compare_entries);
	add_pieces(&p->late, pieces);
	match(p);
	for (i = 0; i < p->late.count; i++) {
		entry = &p->late.items[i];
		e = entry->mate == NOBODY
			? new_event(in, pieces->items[entry->index].first)
			: &in->events[entry->mate];
		set_stage(e, stage, &pieces->items[entry->index]);
	}
}

static void
pair_chain(struct pairing *p, const struct tc_input_note *note)
{
	size_t from = p->in->event_count;
	struct pieces *pieces;
	int stage;

	for (stage = 0; stage < TC_INPUT_STAGES; stage++)
		p->stages[stage].count = 0;
	for (;; note = &p->in->notes[note->next - 1]) {
		pieces = &p->stages[note->stage];
		tc_mem_grow(&pieces->items, &pieces->cap, pieces->count + 1,
			sizeof(*pieces->items));
		pieces->items[pieces->count++] =
			(struct piece){ .first = note, .last = note, .count = 1 };
		if (!note->next)
			break;
	}
	match_acks(p);
	join_finishes(p);
	for (stage = 0; stage < TC_INPUT_STAGES; stage++)
		add_stage(p, from, (enum tc_input_stage)stage);
}

/* The smallest id of its messages, which are messages of no other event. */
static int64_t
first_id(const struct tc_input_event *e)
{
	int64_t id = INT64_MAX;
	int stage;

	for (stage = 0; stage < TC_INPUT_STAGES; stage++)
		if (e->parts[stage] && e->parts[stage]->id < id)
			id = e->parts[stage]->id;
	return id;
}

/* By time, and by their first messages where they begin at one time. */
static int
compare_events(const void *left, const void *right)
{
	const struct tc_input_event *a = left, *b = right;
	int64_t a_id = first_id(a), b_id = first_id(b);

	if (a->ts != b->ts)
		return a->ts < b->ts ? -1 : 1;
	return a_id < b_id ? -1 : a_id > b_id;
}

void
tc_input_pair(struct tc_input *in)
{
	struct pairing p = { .in = in };
	size_t i;

	for (i = 0; i < in->note_count; i++)
		if (in->notes[i].is_first)
			pair_chain(&p, &in->notes[i]);
	if (in->event_count > 1)
		qsort(in->events, in->event_count, sizeof(*in->events), compare_events);
	for (i = 0; i < TC_INPUT_STAGES; i++)
		free(p.stages[i].items);
	free(p.early.items);
	free(p.late.items);
	free(p.stack);
}
