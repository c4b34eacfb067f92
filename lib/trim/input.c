/*
 * What the latency of an input event is told from. That is an exchange of four
 * messages, the deliveries to the app and the readings of the same event, and the
 * frames after them: slices of several threads, any of which may lie outside of
 * the window that the exchange reaches into, or be of another process than the one
 * that was chosen. They stay, each with the slices around it, which name things too.
 *
 * Exchanges that one event or one delivery has in common decide together what
 * belongs to whom, so they stay together: they make a group.
 */
#include <stdlib.h>

#include "input/input.h"
#include "trim/priv.h"

/* As far around a message as readers look, and as deep as they keep slices. */
enum { MAX_OUTWARD = 32, MAX_DEPTH = 512 };

#define NEVER UINT64_MAX

/* The messages of one channel and number, or an event's id; and its group. */
struct tc_trim_bond {
	uint32_t group; /* another one of the group, or itself at its root */
	bool is_exchange, is_chosen, is_kept;
	int64_t first, last; /* times of the messages */
};

enum role {
	AROUND, /* one of those below */
	MESSAGE,
	NAMING, /* its name has the id of the event that is dispatched inside */
	DELIVERY,
	READING,
	DOFRAME,
};

struct tc_trim_part {
	int64_t ts;
	uint64_t begin, end; /* ordinals of its marks; NEVER: not closed */
	int64_t token;       /* of a frame */
	uint32_t parent;     /* part, by index + 1, like all below; 0: none */
	uint32_t bond;
	uint32_t frame; /* begun last on the thread before this */
	uint32_t next;  /* of a frame: the next one of the thread */
	uint32_t tid, pid;
	uint16_t machine;
	uint8_t role, stage;
	bool is_kept;
};

/* Frames of a thread, as parts. */
struct tc_trim_doframes {
	uint32_t first, last;
};

/* ---- as names are read ---- */

static uint32_t
bond_of(struct tc_trim_input *in, struct tc_map *index, uint64_t a, uint64_t b)
{
	bool made;
	uint64_t *slot = tc_map_put(index, a, b, &made);

	if (made) {
		tc_mem_grow(&in->bonds.items, &in->bonds.cap, in->bonds.count + 1,
			sizeof(*in->bonds.items));
		in->bonds.items[in->bonds.count] = (struct tc_trim_bond){
			.group = (uint32_t)in->bonds.count + 1,
			.is_exchange = index == &in->exchanges,
			.first = INT64_MAX,
			.last = INT64_MIN,
		};
		*slot = ++in->bonds.count;
	}
	return (uint32_t)*slot;
}

static uint32_t
event_bond(struct tc_trim_input *in, const struct tc_trim_part *part, int64_t id)
{
	return bond_of(in, &in->events, part->machine, (uint64_t)id);
}

/* What readers of input events make of a slice's name, or AROUND for all others. */
static void
classify(struct tc_trim_input *in, struct tc_str name, struct tc_trim_part *part)
{
	struct tc_input_message m;
	int64_t id;

	if (tc_input_message(name, &m)) {
		part->role = MESSAGE;
		part->stage = (uint8_t)m.stage;
		part->bond = bond_of(in, &in->exchanges,
			tc_mem_hash(
				tc_mem_hash_bytes(m.base.p, m.base.len), part->machine),
			m.seq);
	} else if (tc_str_begins(name, TC_STR("Choreographer#doFrame")) &&
		!tc_str_begins(name, TC_STR("Choreographer#doFrame - "))) {
		part->role = DOFRAME;
		part->token = tc_slice_vsync_id(name);
	} else if (tc_str_begins(name, TC_STR("deliverInputEvent src=")) &&
		tc_input_number(name, " id=0x", 16, &id)) {
		part->role = DELIVERY;
		part->bond = event_bond(in, part, id);
	} else if (tc_str_begins(
			   name, TC_STR("UnwantedInteractionBlocker::notifyMotion")) &&
		tc_input_number(name, "(id=0x", 16, &id)) {
		part->role = READING;
		part->bond = event_bond(in, part, id);
	} else if ((tc_str_begins(name, TC_STR("enqueueDispatchEntr")) ||
			   tc_str_begins(name, TC_STR("prepareDispatchCycleLocked("))) &&
		tc_input_number(name, ", id=0x", 16, &id)) {
		part->role = NAMING;
		part->bond = event_bond(in, part, id);
	}
}

static uint32_t
add_part(struct tc_trim_input *in, const struct tc_trim_part *part)
{
	tc_mem_grow(&in->parts.items, &in->parts.cap, in->parts.count + 1,
		sizeof(*in->parts.items));
	in->parts.items[in->parts.count++] = *part;
	return (uint32_t)in->parts.count;
}

uint32_t
tc_trim_input_read(struct tc_trim_input *in, const struct tc_trim_mark *mark,
	struct tc_str name, uint32_t pid)
{
	struct tc_trim_part part = {
		.end = NEVER, .tid = mark->tid, .pid = pid, .machine = mark->machine
	};

	if (in->is_idle || !name.p)
		return 0;
	classify(in, name, &part);
	return part.role == AROUND ? 0 : add_part(in, &part);
}

/* ---- as slices begin and end, in the order of time ---- */

static struct tc_trim_part *
part_of(const struct tc_trim_input *in, uint32_t index)
{
	return &in->parts.items[index - 1];
}

static uint32_t
root_of(struct tc_trim_input *in, uint32_t bond)
{
	struct tc_trim_bond *b = &in->bonds.items[bond - 1];

	while (b->group != bond) {
		b->group = in->bonds.items[b->group - 1].group;
		bond = b->group;
		b = &in->bonds.items[bond - 1];
	}
	return bond;
}

/* The nearest slice around one that has this role, 0: none. */
static uint32_t
find_around(const struct tc_trim_input *in, const struct tc_trim_part *part, uint8_t role)
{
	uint32_t at = part->parent;
	int i;

	for (i = 0; at && i < MAX_OUTWARD; at = part_of(in, at)->parent, i++)
		if (part_of(in, at)->role == role)
			return at;
	return 0;
}

static void
begin_message(struct tc_trim_input *in, const struct tc_trim_part *part)
{
	struct tc_trim_bond *b = &in->bonds.items[part->bond - 1];
	uint32_t around = 0;

	if (part->ts < b->first)
		b->first = part->ts;
	if (part->ts > b->last)
		b->last = part->ts;
	if (part->stage == TC_INPUT_DISPATCH)
		around = find_around(in, part, NAMING);
	else if (part->stage == TC_INPUT_FINISH)
		around = find_around(in, part, DELIVERY);
	if (around)
		in->bonds.items[root_of(in, part->bond) - 1].group =
			root_of(in, part_of(in, around)->bond);
}

static struct tc_trim_doframes *
doframes_of(struct tc_trim_input *in, const struct tc_trim_part *part)
{
	bool made;
	uint64_t *slot = tc_map_put(&in->threads, part->machine, part->tid, &made);

	if (made) {
		tc_mem_grow(&in->doframes.items, &in->doframes.cap,
			in->doframes.count + 1, sizeof(*in->doframes.items));
		in->doframes.items[in->doframes.count++] = (struct tc_trim_doframes){ 0 };
		*slot = in->doframes.count;
	}
	return &in->doframes.items[*slot - 1];
}

static void
begin_doframe(struct tc_trim_input *in, uint32_t index)
{
	struct tc_trim_doframes *d = doframes_of(in, part_of(in, index));

	if (d->last)
		part_of(in, d->last)->next = index;
	else
		d->first = index;
	d->last = index;
}

void
tc_trim_input_begin(struct tc_trim_input *in, uint32_t index, uint32_t parent, int64_t ts,
	uint64_t ordinal)
{
	struct tc_trim_part *part = part_of(in, index);

	part->ts = ts;
	part->begin = ordinal;
	part->parent = parent;
	if (part->role == MESSAGE)
		begin_message(in, part);
	else if (part->role == DOFRAME)
		begin_doframe(in, index);
	else if (part->role == DELIVERY)
		part->frame = doframes_of(in, part)->last;
}

uint32_t
tc_trim_input_around(
	struct tc_trim_input *in, uint32_t parent, int64_t ts, uint64_t ordinal)
{
	return add_part(in,
		&(struct tc_trim_part){
			.ts = ts, .begin = ordinal, .end = NEVER, .parent = parent });
}

void
tc_trim_input_end(struct tc_trim_input *in, uint32_t index, uint64_t ordinal)
{
	part_of(in, index)->end = ordinal;
}

/* ---- when all is read ---- */

/* With the slices around it. */
static void
keep(struct tc_trim_plan *plan, uint32_t index)
{
	struct tc_trim_part *part;

	for (; index; index = part->parent) {
		part = part_of(&plan->input, index);
		if (part->is_kept)
			return;
		part->is_kept = true;
		tc_trim_marks_force(&plan->marks, part->begin);
		if (part->end != NEVER)
			tc_trim_marks_force(&plan->marks, part->end);
	}
}

/* A frame on a delivery's thread, and what was shown because of it. */
static void
keep_frame(struct tc_trim_plan *plan, const struct tc_trim_part *delivery, uint32_t index)
{
	const struct tc_trim_part *frame;

	if (!index)
		return;
	keep(plan, index);
	frame = part_of(&plan->input, index);
	tc_mem_grow(&plan->shown.items, &plan->shown.cap, plan->shown.count + 1,
		sizeof(*plan->shown.items));
	plan->shown.items[plan->shown.count++] =
		(struct tc_trim_shown){ .machine = delivery->machine,
			.pid = delivery->pid,
			.ts = frame->ts,
			.token = frame->token };
}

/* Those that go on, the one before and the next: readers take one of these. */
static void
keep_frames(struct tc_trim_plan *plan, struct tc_trim_part *delivery)
{
	struct tc_trim_input *in = &plan->input;
	uint32_t next = delivery->frame ? part_of(in, delivery->frame)->next
					: doframes_of(in, delivery)->first;
	uint32_t at = delivery->parent;
	int i;

	for (i = 0; at && i < MAX_DEPTH; at = part_of(in, at)->parent, i++)
		if (part_of(in, at)->role == DOFRAME)
			keep_frame(plan, delivery, at);
	keep_frame(plan, delivery, delivery->frame);
	keep_frame(plan, delivery, next);
}

/* Whose exchange it is, the app's messages tell. */
static void
choose_exchanges(struct tc_trim_plan *plan)
{
	struct tc_trim_input *in = &plan->input;
	const struct tc_trim_part *part;
	size_t i;

	for (i = 0; i < in->parts.count; i++) {
		part = &in->parts.items[i];
		if (part->role == MESSAGE &&
			(part->stage == TC_INPUT_RECEIVE ||
				part->stage == TC_INPUT_FINISH ||
				!plan->choose->processes.count) &&
			tc_trim_people_has_thread(
				&plan->people, part->machine, part->tid))
			in->bonds.items[part->bond - 1].is_chosen = true;
	}
}

static void
keep_groups(struct tc_trim_plan *plan)
{
	struct tc_trim_input *in = &plan->input;
	const struct tc_trim_bond *b;
	size_t i;

	for (i = 0; i < in->bonds.count; i++) {
		b = &in->bonds.items[i];
		if (b->is_exchange && b->is_chosen && b->first <= b->last &&
			tc_trim_in_window(plan, b->first, b->last - b->first))
			in->bonds.items[root_of(in, (uint32_t)i + 1) - 1].is_kept = true;
	}
}

void
tc_trim_input_decide(struct tc_trim_plan *plan)
{
	struct tc_trim_input *in = &plan->input;
	struct tc_trim_part *part;
	size_t i, count = in->parts.count;

	choose_exchanges(plan);
	keep_groups(plan);
	for (i = 0; i < count; i++) {
		part = &in->parts.items[i];
		if (!part->bond || !in->bonds.items[root_of(in, part->bond) - 1].is_kept)
			continue;
		keep(plan, (uint32_t)i + 1);
		if (part->role == DELIVERY)
			keep_frames(plan, part);
	}
}

void
tc_trim_input_release(struct tc_trim_input *in)
{
	free(in->parts.items);
	free(in->bonds.items);
	free(in->doframes.items);
	tc_map_release(&in->exchanges);
	tc_map_release(&in->events);
	tc_map_release(&in->threads);
	*in = (struct tc_trim_input){ 0 };
}
