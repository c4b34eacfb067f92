#include "input/priv.h"

#include <stdlib.h>
#include <string.h>

/*
 * How far around a message what it belongs to is looked for. It is the next slice or
 * two; a message that is deeper inside counts as one outside, so that a trace of
 * deep slices costs no more time than others.
 */
enum { MAX_OUTWARD = 32 };

void
tc_input_init(struct tc_input *in, struct tc_strtab *names)
{
	*in = (struct tc_input){ .names = names };
}

void
tc_input_release(struct tc_input *in)
{
	free(in->notes);
	free(in->events);
	free(in->deliveries);
	free(in->doframes);
	free(in->threads);
	free(in->reads);
	free(in->surfaces);
	free(in->displays);
	tc_map_release(&in->by_seq);
	tc_map_release(&in->by_slice);
	tc_map_release(&in->by_event);
	tc_map_release(&in->by_utid);
	tc_map_release(&in->by_read);
	tc_map_release(&in->by_display);
	tc_map_release(&in->by_surface);
	*in = (struct tc_input){ 0 };
}

static struct tc_str
name_of(const struct tc_input *in, const struct tc_slice *s)
{
	return tc_strtab_str(in->names, s->name);
}

static const struct tc_slice *
last_read(struct tc_input *in, uint32_t machine, int64_t event_id)
{
	const uint64_t *at = tc_map_get(&in->by_read, machine, (uint64_t)event_id);

	return at ? in->reads[*at - 1] : NULL;
}

/* The slices around a dispatch name the event, unless it was put off until a finish. */
static int64_t
dispatched_id(const struct tc_input *in, const struct tc_slice *s)
{
	struct tc_str name;
	int64_t id;
	int i;

	for (i = 0; i < MAX_OUTWARD && (s = s->parent); i++) {
		name = name_of(in, s);
		if ((tc_str_begins(name, TC_STR("enqueueDispatchEntr")) ||
			    tc_str_begins(name, TC_STR("prepareDispatchCycleLocked("))) &&
			tc_input_number(name, ", id=0x", 16, &id))
			return id;
	}
	return TC_SLICE_NONE;
}

/* The delivery that a slice is inside, by index + 1. */
static uint32_t
delivery_around(struct tc_input *in, const struct tc_slice *s)
{
	const uint64_t *at;
	int i;

	for (i = 0; i < MAX_OUTWARD && (s = s->parent); i++) {
		at = tc_map_get(&in->by_slice, (uint64_t)s->id, 0);
		if (at)
			return (uint32_t)*at;
	}
	return 0;
}

/* Messages of one channel and number make a list, in the order of time. */
static void
add_message(
	struct tc_input *in, const struct tc_slice *s, const struct tc_input_message *m)
{
	uint32_t channel = tc_strtab_id(in->names, m->base), at;
	uint64_t *chain;
	bool made;

	tc_mem_grow(&in->notes, &in->note_cap, in->note_count + 1, sizeof(*in->notes));
	in->notes[in->note_count++] = (struct tc_input_note){ .slice = s,
		.stage = m->stage,
		.is_motion = m->is_motion,
		.channel = channel };
	at = (uint32_t)in->note_count;
	if (m->stage == TC_INPUT_DISPATCH) {
		in->notes[at - 1].event_id = dispatched_id(in, s);
		in->notes[at - 1].read =
			last_read(in, s->machine, in->notes[at - 1].event_id);
	}
	chain = tc_map_put(
		&in->by_seq, (uint64_t)s->machine << 32 | channel, m->seq, &made);
	if (made)
		in->notes[at - 1].is_first = true;
	else
		in->notes[*chain - 1].next = at;
	*chain = at;
}

/* ---- deliveries and frames ---- */

static struct tc_input_thread *
thread_of(struct tc_input *in, const struct tc_slice *s)
{
	bool made;
	uint64_t *at = tc_map_put(&in->by_utid, s->utid, 0, &made);

	if (made) {
		tc_mem_grow(&in->threads, &in->thread_cap, in->thread_count + 1,
			sizeof(*in->threads));
		in->threads[in->thread_count++] = (struct tc_input_thread){ 0 };
		*at = in->thread_count;
	}
	return &in->threads[*at - 1];
}

static bool
is_over(const struct tc_slice *s, int64_t ts)
{
	return s->dur >= 0 && s->ts + s->dur <= ts;
}

/* The thread's innermost frame at this time; those that are over are let go of. */
static const struct tc_slice *
frame_at(struct tc_input *in, struct tc_input_thread *t, int64_t ts)
{
	while (t->doframe && is_over(in->doframes[t->doframe - 1].slice, ts))
		t->doframe = in->doframes[t->doframe - 1].outer;
	return t->doframe ? in->doframes[t->doframe - 1].slice : NULL;
}

/* The first frame after a delivery, unless it began before the delivery was over. */
static void
match_waiting(struct tc_input *in, struct tc_input_thread *t, const struct tc_slice *s)
{
	struct tc_input_delivery *d;
	uint32_t at;

	for (at = t->waiting; at; at = d->next_waiting) {
		d = &in->deliveries[at - 1];
		d->frame = s;
		d->match = d->slice->dur >= 0 && !is_over(d->slice, s->ts)
			? TC_INPUT_EXACT
			: TC_INPUT_SPECULATIVE;
	}
	t->waiting = 0;
}

static void
add_doframe(struct tc_input *in, const struct tc_slice *s)
{
	struct tc_input_thread *t = thread_of(in, s);
	const struct tc_slice *outer = frame_at(in, t, s->ts);

	/* One that was never closed lasts until the next at most. */
	if (outer && outer->dur < 0)
		t->doframe = in->doframes[t->doframe - 1].outer;
	match_waiting(in, t, s);
	tc_mem_grow(&in->doframes, &in->doframe_cap, in->doframe_count + 1,
		sizeof(*in->doframes));
	in->doframes[in->doframe_count++] = (struct tc_input_doframe){ s, t->doframe };
	t->doframe = (uint32_t)in->doframe_count;
}

/* Those of one event on one thread make a list, in the order of time. */
static void
list_delivery(struct tc_input *in, const struct tc_input_delivery *d, uint32_t at)
{
	bool made;
	uint64_t *ends =
		tc_map_put(&in->by_event, d->slice->utid, (uint64_t)d->event_id, &made);

	/* The first in the low half, the last in the high one. */
	if (made) {
		*ends = (uint64_t)at << 32 | at;
		return;
	}
	in->deliveries[(*ends >> 32) - 1].next_same = at;
	*ends = (*ends & UINT32_MAX) | (uint64_t)at << 32;
}

static void
add_delivery(struct tc_input *in, const struct tc_slice *s, int64_t event_id)
{
	struct tc_input_thread *t = thread_of(in, s);
	struct tc_input_delivery *d;
	uint32_t at;
	bool made;

	tc_mem_grow(&in->deliveries, &in->delivery_cap, in->delivery_count + 1,
		sizeof(*in->deliveries));
	d = &in->deliveries[in->delivery_count++];
	at = (uint32_t)in->delivery_count;
	*d = (struct tc_input_delivery){ .slice = s, .event_id = event_id };
	d->read = last_read(in, s->machine, event_id);
	d->frame = frame_at(in, t, s->ts);
	if (d->frame) {
		d->match = TC_INPUT_EXACT;
	} else {
		d->next_waiting = t->waiting;
		t->waiting = at;
	}
	*tc_map_put(&in->by_slice, (uint64_t)s->id, 0, &made) = at;
	list_delivery(in, d, at);
}

static void
add_read(struct tc_input *in, const struct tc_slice *s, int64_t event_id)
{
	bool made;

	tc_mem_grow(&in->reads, &in->read_cap, in->read_count + 1, sizeof(*in->reads));
	in->reads[in->read_count++] = s;
	*tc_map_put(&in->by_read, s->machine, (uint64_t)event_id, &made) = in->read_count;
}

/* "- resynced to ..." inside a frame is none of its own. */
static bool
is_doframe(struct tc_str name)
{
	return tc_str_begins(name, TC_STR("Choreographer#doFrame")) &&
		!tc_str_begins(name, TC_STR("Choreographer#doFrame - "));
}

void
tc_input_slice(struct tc_input *in, const struct tc_slice *s)
{
	struct tc_str name = name_of(in, s);
	struct tc_input_message m;
	int64_t id;

	if (s->kind != TC_SLICE_THREAD || !name.len)
		return;
	if (tc_input_message(name, &m))
		add_message(in, s, &m);
	else if (is_doframe(name))
		add_doframe(in, s);
	else if (tc_str_begins(name, TC_STR("deliverInputEvent src=")) &&
		tc_input_number(name, " id=0x", 16, &id))
		add_delivery(in, s, id);
	else if (tc_str_begins(
			 name, TC_STR("UnwantedInteractionBlocker::notifyMotion")) &&
		tc_input_number(name, "(id=0x", 16, &id))
		add_read(in, s, id);
}

/* ---- joining ---- */

static void
own(struct tc_input *in, size_t event, uint32_t delivery)
{
	in->deliveries[delivery - 1].owner = (uint32_t)event + 1;
	in->events[event].own = delivery;
}

/* Where each event was finished. */
static void
meet_deliveries(struct tc_input *in)
{
	const struct tc_slice *finish;
	size_t i;

	for (i = 0; i < in->event_count; i++) {
		finish = in->events[i].parts[TC_INPUT_FINISH];
		if (finish)
			in->events[i].met = delivery_around(in, finish);
	}
}

/*
 * An event that was finished inside a delivery of its id had this delivery. Where
 * several were, for windows of one process, it is the one that was received last.
 */
static void
own_around_finish(struct tc_input *in)
{
	struct tc_input_event *e;
	struct tc_input_delivery *d;
	size_t i;

	for (i = in->event_count; i-- > 0;) {
		e = &in->events[i];
		d = e->met ? &in->deliveries[e->met - 1] : NULL;
		if (d && !d->owner && d->event_id == e->event_id)
			own(in, i, e->met);
	}
}

/* Finished elsewhere, or not at all: its first delivery that nobody has. */
static void
own_by_id(struct tc_input *in)
{
	const struct tc_slice *receive, *finish;
	struct tc_input_delivery *d;
	struct tc_input_event *e;
	uint64_t *ends;
	uint32_t at;
	size_t i;

	for (i = 0; i < in->event_count; i++) {
		e = &in->events[i];
		receive = e->parts[TC_INPUT_RECEIVE];
		finish = e->parts[TC_INPUT_FINISH];
		if (e->own || e->event_id == TC_SLICE_NONE || !receive)
			continue;
		ends = tc_map_get(&in->by_event, receive->utid, (uint64_t)e->event_id);
		at = ends ? (uint32_t)(*ends & UINT32_MAX) : 0;
		while (at &&
			(in->deliveries[at - 1].owner ||
				in->deliveries[at - 1].slice->ts < receive->ts))
			at = in->deliveries[at - 1].next_same;
		if (!ends)
			continue;
		*ends = (*ends & ~(uint64_t)UINT32_MAX) | at;
		d = at ? &in->deliveries[at - 1] : NULL;
		if (d && (!finish || d->slice->ts <= finish->ts))
			own(in, i, at);
	}
}

/*
 * The id of an event that was dispatched late is that of the delivery that it was
 * finished in. Of a batch, whose other samples are finished there too, it is that
 * of the first.
 */
static void
own_without_id(struct tc_input *in)
{
	struct tc_input_event *e;
	size_t i;

	for (i = 0; i < in->event_count; i++) {
		e = &in->events[i];
		if (e->own || !e->met || e->event_id != TC_SLICE_NONE ||
			in->deliveries[e->met - 1].owner)
			continue;
		own(in, i, e->met);
		e->event_id = in->deliveries[e->met - 1].event_id;
		e->read = in->deliveries[e->met - 1].read;
	}
}

static void
name_batch(struct tc_input *in, struct tc_input_event *e)
{
	const struct tc_input_delivery *d = &in->deliveries[e->met - 1];

	if (d->owner && e->is_motion && in->events[d->owner - 1].channel == e->channel)
		e->batch_id = d->event_id;
}

void
tc_input_join(struct tc_input *in, const struct tc_procs *procs)
{
	const struct tc_input_delivery *d;
	struct tc_input_event *e;
	size_t i;

	tc_input_pair(in);
	meet_deliveries(in);
	own_around_finish(in);
	own_by_id(in);
	own_without_id(in);
	tc_input_sort_frames(in);
	for (i = 0; i < in->event_count; i++) {
		e = &in->events[i];
		if (!e->own) {
			if (e->met)
				name_batch(in, e);
			continue;
		}
		d = &in->deliveries[e->own - 1];
		e->delivery = d->slice;
		e->frame = d->frame;
		e->match = d->match;
		if (d->frame && d->slice->utid < procs->thread_count)
			tc_input_present(in, procs->threads[d->slice->utid].upid, e);
	}
}
