/*
 * Fuzz target of input: any slices in the order of time. Each seven bytes are one,
 * and what kind of slice; a text of its own follows where the kind is none.
 */
#include "fuzz.h"

#include <stdio.h>
#include <string.h>

#include "input/input.h"

enum { MAX_SLICES = 4096, THREADS = 4, HEAD = 7 };

static struct tc_slice slices[MAX_SLICES];
static struct tc_strtab names;
static struct tc_procs procs;

/* A name of this kind with the numbers of an event; false: it has its own text. */
static bool
make_name(char name[256], unsigned kind, unsigned seq, unsigned id)
{
	static const char *const sides[] = { "server", "client" };
	static const char *const types[] = { "MOTION", "KEY", "FINISHED", "0x1", "0x2" };
	const char *side = sides[seq >> 2 & 1], *type = types[seq % 5];

	switch (kind % 8) {
	case 0:
		snprintf(name, 256,
			"sendMessage(inputChannel=1a W%u (%s), seq=0x%x, type=%s)",
			seq >> 6, side, seq & 3, type);
		return true;
	case 1:
		snprintf(name, 256,
			"receiveMessage(inputChannel=1a W%u (%s), seq=0x%x, type=%s)",
			seq >> 6, side, seq & 3, type);
		return true;
	case 2: snprintf(name, 256, "deliverInputEvent src=0x1 id=0x%x", id); return true;
	case 3: snprintf(name, 256, "Choreographer#doFrame %u", id); return true;
	case 4:
		snprintf(name, 256, "prepareDispatchCycleLocked(a, id=0x%x)", id);
		return true;
	case 5:
		snprintf(name, 256,
			"UnwantedInteractionBlocker::notifyMotion(id=0x%x, eventTime=%u)",
			id, seq);
		return true;
	case 6:
		snprintf(name, 256, "dispatchInputEvent MotionEvent A%u", id);
		return true;
	default: return false;
	}
}

static bool
is_inside(struct tc_str part, struct tc_str whole)
{
	return !part.p ||
		(part.p >= whole.p && part.len <= whole.len &&
			part.p + part.len <= whole.p + whole.len);
}

static void
check_text(struct tc_str name)
{
	struct tc_input_message m;

	FUZZ_DEMAND(is_inside(tc_input_action(name), name));
	FUZZ_DEMAND(is_inside(tc_input_channel_name(name), name));
	if (!tc_input_message(name, &m))
		return;
	FUZZ_DEMAND(is_inside(m.channel, name) && is_inside(m.base, m.channel));
	FUZZ_DEMAND(is_inside(m.type, name));
	FUZZ_DEMAND(is_inside(tc_input_channel_name(m.base), m.base));
}

/* Messages of one event are of one number, and nothing is part of two. */
static void
check_event(const struct tc_input *in, const struct tc_input_event *e, uint8_t *used)
{
	struct tc_input_message first = { 0 }, m;
	int i, n = 0;

	for (i = 0; i < TC_INPUT_STAGES; i++) {
		if (!e->parts[i])
			continue;
		FUZZ_DEMAND(!used[e->parts[i]->id]);
		used[e->parts[i]->id] = 1;
		FUZZ_DEMAND(tc_input_message(
			tc_strtab_str(in->names, e->parts[i]->name), &m));
		FUZZ_DEMAND((int)m.stage == i && e->ts <= e->parts[i]->ts);
		if (n++)
			FUZZ_DEMAND(m.seq == first.seq && tc_str_eq(m.base, first.base));
		else
			first = m;
	}
	FUZZ_DEMAND(n && (e->finishes > 0) == (e->parts[TC_INPUT_FINISH] != NULL));
	FUZZ_DEMAND(!e->frame || e->delivery);
	FUZZ_DEMAND((e->match == TC_INPUT_NONE) == !e->frame);
	if (!e->delivery)
		return;
	FUZZ_DEMAND(!used[e->delivery->id]);
	used[e->delivery->id] = 1;
}

static int64_t
first_id(const struct tc_input_event *e)
{
	int64_t id = INT64_MAX;
	int i;

	for (i = 0; i < TC_INPUT_STAGES; i++)
		if (e->parts[i] && e->parts[i]->id < id)
			id = e->parts[i]->id;
	return id;
}

/* In one order only: by time, then by the first message. */
static bool
is_before(const struct tc_input_event *a, const struct tc_input_event *b)
{
	return a->ts < b->ts || (a->ts == b->ts && first_id(a) < first_id(b));
}

static void
check_all(const struct tc_input *in)
{
	uint8_t used[MAX_SLICES] = { 0 };
	size_t i;

	for (i = 0; i < in->event_count; i++) {
		FUZZ_DEMAND(!i || is_before(&in->events[i - 1], &in->events[i]));
		check_event(in, &in->events[i], used);
	}
}

static void
add_frame(struct tc_input *in, const uint8_t *p)
{
	tc_input_frame(in,
		&(struct tc_input_frame){ .token = p[1] & 15,
			.display_token = p[2] & 15,
			.ts = p[3],
			.dur = p[4] == 255 ? -1 : p[4],
			.upid = p[1] >> 6,
			.is_surface = p[5] & 1,
			.is_dropped = (p[5] & 6) == 6 });
}

/* The thread's slice that is the parent is one of those before, or none. */
static const struct tc_slice *
parent(const struct tc_slice *s, unsigned back)
{
	return back && back <= (unsigned)s->id ? s - back : NULL;
}

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t len)
{
	const uint8_t *end = p + len;
	struct tc_input in;
	char name[256];
	int64_t ts = 0;
	size_t count = 0, n;
	uint32_t i;

	tc_mem_grow(&procs.threads, &procs.thread_cap, THREADS, sizeof(*procs.threads));
	for (i = 0; i < THREADS; i++)
		procs.threads[i] = (struct tc_thread){ .utid = i, .upid = i / 2 };
	procs.thread_count = THREADS;
	tc_input_init(&in, &names);
	for (; end - p >= HEAD && count < MAX_SLICES; p += HEAD) {
		struct tc_slice *s = &slices[count];

		if (p[0] >= 250) {
			add_frame(&in, p);
			continue;
		}
		ts += (int64_t)p[1] * p[1];
		*s = (struct tc_slice){ .id = (int64_t)count++, .ts = ts };
		s->dur = p[2] == 255 ? -1 : p[2];
		s->utid = p[3] % THREADS;
		s->machine = p[3] >> 7;
		s->vsync_id = p[6] & 15;
		s->parent = parent(s, p[4] & 7);
		if (make_name(name, p[0], p[5], p[6] & 7)) {
			s->name = tc_strtab_id(&names, tc_str_of(name));
		} else {
			n = p[5] < end - p - HEAD ? p[5] : (size_t)(end - p - HEAD);
			s->name = tc_strtab_id(&names,
				(struct tc_str){
					(const char *)p + HEAD, (uint32_t)n, false });
			p += n;
		}
		check_text(tc_strtab_str(&names, s->name));
		tc_input_slice(&in, s);
	}
	tc_input_join(&in, &procs);
	check_all(&in);
	tc_input_release(&in);
	tc_strtab_release(&names);
	names = (struct tc_strtab){ 0 };
	return 0;
}
