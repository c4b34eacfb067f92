/* android.surfaceflinger.frame: FrameTracer's events on each layer's buffers. */
#include "source/source.h"

#include <stdio.h>
#include <string.h>

#include "err/err.h"
#include "frames/frames.h"
#include "pb/pb.h"
#include "rec/rec.h"
#include "source/gfx_clock.h"

enum { BUFFER_EVENT = 1 }; /* of GraphicsFrameEvent */
enum { FRAME_NUMBER = 1, TYPE = 2, LAYER_NAME = 3, DURATION_NS = 4, BUFFER_ID = 5 };

/* Track names are cut at these lengths, as in Perfetto's tables. */
enum { MAX_RAW_TRACK = 4095, MAX_PHASE_TRACK = 1023 };

/*
 * What is the same in all rows of a buffer of a layer: its tracks, of raw rows and
 * of each phase, and how rows are labelled. p NULL: not needed so far.
 */
struct same {
	struct tc_str track[TC_PHASE_DISPLAY + 1];
	struct labels {
		struct tc_str raw[TC_BUFFER_PRESENT_FENCE + 1]; /* by type */
		struct tc_str phase[TC_PHASE_DISPLAY + 1];
	} * labels; /* NULL in the first row */
};

struct state {
	struct tc_phases phases;
	struct tc_times times;
	struct tc_map same; /* (buffer id, layer) to struct same */
	struct tc_arena arena;
	struct tc_gfx_guess guess;
	int64_t event_id, phase_id;
	int64_t odd[2];         /* events of each type in odd_types */
	struct tc_str stale[8]; /* texts, by which of the three times are */
	char track[MAX_RAW_TRACK + 1];
	char name[24];
};

static void
release(void *state)
{
	struct state *s = state;

	tc_phases_release(&s->phases);
	tc_times_release(&s->times);
	tc_map_release(&s->same);
	tc_arena_release(&s->arena);
}

static uint8_t
event_type(uint64_t value)
{
	return value > TC_BUFFER_CANCEL ? TC_BUFFER_UNKNOWN : (uint8_t)value;
}

/* An event as it is read. */
struct event {
	uint64_t num[TC_PB_NUMBERS]; /* by field */
	uint32_t seen;               /* bits: which of them were there */
	uint32_t layer;
};

static void
read_event(struct tc_decode *d, struct tc_str bytes, const char *ahead, struct event *e)
{
	struct tc_pb r = tc_pb_init_ahead(bytes.p, bytes.len, ahead);
	struct tc_err ignored;
	struct tc_pb_field f;
	uint64_t num;
	uint32_t id;
	int n;

	e->seen = e->layer = 0;
	for (;;) {
		while (tc_pb_number(&r, &id, &num)) {
			e->seen |= UINT32_C(1) << id;
			e->num[id] = num;
		}
		n = tc_pb_next(&r, &f, &ignored);
		if (n <= 0)
			break;
		if (f.id == LAYER_NAME && tc_pb_is(&f, TC_PB_LEN)) {
			e->layer = tc_source_name(d, tc_pb_str(&f));
		} else if (f.id < TC_PB_NUMBERS && tc_pb_is(&f, TC_PB_VARINT)) {
			e->seen |= UINT32_C(1) << f.id;
			e->num[f.id] = f.num;
		}
	}
	tc_source_nested(d, n);
}

static uint64_t
number_or(const struct event *e, uint32_t field, uint64_t absent)
{
	return e->seen >> field & 1 ? e->num[field] : absent;
}

static bool
find_event(
	struct tc_decode *d, struct tc_str bytes, const char *ahead, struct tc_str *event)
{
	struct tc_pb r = tc_pb_init_ahead(bytes.p, bytes.len, ahead);
	struct tc_err ignored;
	struct tc_pb_field f;
	bool found = false;
	int n;

	while ((n = tc_pb_next(&r, &f, &ignored)) > 0) {
		if (f.id == BUFFER_EVENT && tc_pb_is(&f, TC_PB_LEN)) {
			*event = tc_pb_str(&f);
			found = true;
		}
	}
	tc_source_nested(d, n);
	return found;
}

static void
keep(struct tc_decode *d, void *state, const struct tc_packet *p)
{
	struct tc_buffer_event *row;
	struct state *s = state;
	struct tc_str bytes = { 0 };
	struct event e;

	if (tc_pb_only(p->data, &bytes) != BUFFER_EVENT &&
		!find_event(d, p->data, p->ahead, &bytes)) {
		tc_trace_count(&d->trace, TC_STAT_GRAPHICS_FAULTS);
		return;
	}
	read_event(d, bytes, p->ahead, &e);
	/* Without a buffer it is nobody's. */
	if (!(e.seen >> BUFFER_ID & 1)) {
		tc_trace_count(&d->trace, TC_STAT_GRAPHICS_ERRORS);
		tc_trace_count(&d->trace, TC_STAT_GRAPHICS_FAULTS);
		return;
	}
	row = tc_source_space(d, p, sizeof(*row));
	if (!row)
		return;
	*row = (struct tc_buffer_event){
		.owner = d->current,
		.type = event_type(number_or(&e, TYPE, TC_BUFFER_UNKNOWN)),
		.machine = (uint16_t)p->machine,
		.is_clock_assumed = p->is_clock_assumed,
		.buffer_id = (uint32_t)e.num[BUFFER_ID],
		.layer = e.layer,
		.frame_number = (uint32_t)number_or(&e, FRAME_NUMBER, 0),
		.dur = (int64_t)number_or(&e, DURATION_NS, 0),
	};
	s->guess.count += p->is_clock_assumed;
}

static void
finish(struct tc_decode *d, void *state)
{
	struct state *s = state;

	tc_gfx_clock_finish(d, &s->guess);
}

/* AOSP's FrameTracer has these and writes none, or no longer does. */
static const enum tc_buffer_type odd_types[] = {
	TC_BUFFER_HWC_QUEUED,
	TC_BUFFER_RELEASE_FENCE,
};

static void
note_odd(struct state *s, enum tc_buffer_type type)
{
	size_t i;

	for (i = 0; i < sizeof(odd_types) / sizeof(odd_types[0]); i++)
		s->odd[i] += odd_types[i] == type;
}

static void
put_odd(struct tc_decode *d, struct tc_str type, int64_t count, struct tc_out *out)
{
	struct tc_str build = d->facts.build;
	char text[512];

	snprintf(text, sizeof(text),
		"%lld events of type %.*s, which the FrameTracer of AOSP does not write "
		"(any more): an old or a vendor's build, %.*s",
		(long long)count, (int)type.len, type.p, build.p ? (int)build.len : 12,
		build.p ? build.p : "not recorded");
	tc_rec_put(out, &tc_rec_notice,
		&(struct tc_rec_notice){ .level = TC_STR("info"),
			.code = TC_STR("vendor_or_old_event"),
			.text = tc_str_of(text),
			.trace = d->index });
}

static void
end(struct tc_decode *d, void *state, struct tc_out *out)
{
	const struct state *s = state;
	size_t i;

	tc_gfx_clock_end(d, &s->guess, out);
	for (i = 0; i < sizeof(odd_types) / sizeof(odd_types[0]); i++)
		if (s->odd[i])
			put_odd(d, tc_buffer_type_name(odd_types[i]), s->odd[i], out);
}

/* Perfetto counts as an error whatever does not move its three times. */
static void
count_event(struct tc_decode *d, enum tc_buffer_type type)
{
	switch (type) {
	case TC_BUFFER_DEQUEUE:
	case TC_BUFFER_QUEUE:
	case TC_BUFFER_ACQUIRE_FENCE:
	case TC_BUFFER_LATCH: return;
	case TC_BUFFER_UNKNOWN: tc_trace_count(&d->trace, TC_STAT_GRAPHICS_FAULTS); break;
	case TC_BUFFER_UNSPECIFIED:
	case TC_BUFFER_POST:
	case TC_BUFFER_HWC_QUEUED:
	case TC_BUFFER_FALLBACK:
	case TC_BUFFER_PRESENT_FENCE:
	case TC_BUFFER_RELEASE_FENCE:
	case TC_BUFFER_MODIFY:
	case TC_BUFFER_DETACH:
	case TC_BUFFER_ATTACH:
	case TC_BUFFER_CANCEL: break;
	}
	tc_trace_count(&d->trace, TC_STAT_GRAPHICS_ERRORS);
}

static void
apply(struct tc_decode *d, void *state, int64_t ts, struct tc_row *base)
{
	struct tc_buffer_event *e = (struct tc_buffer_event *)base;
	struct state *s = state;

	count_event(d, (enum tc_buffer_type)e->type);
	note_odd(s, (enum tc_buffer_type)e->type);
	switch (tc_phases_feed(&s->phases, ts, e)) {
	case TC_BUFFER_FINE: break;
	case TC_BUFFER_OVERLAPS: tc_trace_count(&d->trace, TC_STAT_OVERLAPPING); break;
	case TC_BUFFER_NEGATIVE:
		tc_trace_count(&d->trace, TC_STAT_NEGATIVE_DURATION);
		break;
	}
	d->trace.stats[TC_STAT_MAX_DEPTH] = s->phases.too_deep;
}

/*
 * "Buffer: <buffer id> <layer>", or with the prefix of a phase; without the id
 * for a layer's own track.
 */
static struct tc_str
make_track(struct state *s, const struct tc_buffer_event *e, enum tc_phase phase,
	struct tc_str layer)
{
	struct tc_str prefix = phase ? tc_phase_track(phase) : TC_STR("Buffer: ");
	size_t room = phase ? MAX_PHASE_TRACK : MAX_RAW_TRACK;
	char *p = s->track;

	memcpy(p, prefix.p, prefix.len);
	p += prefix.len;
	if (phase != TC_PHASE_DISPLAY) {
		p = tc_json_write_int(p, e->buffer_id);
		*p++ = ' ';
	}
	room -= (size_t)(p - s->track);
	if (layer.len < room)
		room = layer.len;
	if (room)
		memcpy(p, layer.p, room);
	room += (size_t)(p - s->track);
	return (struct tc_str){ tc_arena_dup(&s->arena, s->track, room), (uint32_t)room,
		layer.is_plain || !layer.len };
}

/* Labels are not made for a buffer that shows up in a single row. */
static struct same *
same_of(struct state *s, const struct tc_buffer_event *e)
{
	struct same *same;
	uint64_t *slot;
	bool made;

	slot = tc_map_put(&s->same, e->buffer_id, e->layer, &made);
	if (made)
		*slot = (uint64_t)(uintptr_t)tc_arena_calloc(&s->arena, sizeof(*same));
	same = (struct same *)(uintptr_t)*slot;
	if (!made && !same->labels)
		same->labels = tc_arena_calloc(&s->arena, sizeof(*same->labels));
	return same;
}

static struct tc_str
track_of(struct state *s, const struct tc_buffer_event *e, struct same *same,
	enum tc_phase phase, struct tc_str layer)
{
	if (!same->track[phase].p)
		same->track[phase] = make_track(s, e, phase, layer);
	return same->track[phase];
}

static struct tc_str
layer_label(struct tc_str layer)
{
	return layer.p ? layer : TC_STR("no_layer_name");
}

static struct tc_rec_list
stale_names(const struct tc_buffer_times *t, struct tc_str names[3])
{
	size_t n = 0;

	if (t->is_stale[0])
		names[n++] = TC_STR("queue_to_acquire_time");
	if (t->is_stale[1])
		names[n++] = TC_STR("acquire_to_latch_time");
	if (t->is_stale[2])
		names[n++] = TC_STR("latch_to_present_time");
	return (struct tc_rec_list){ names, n };
}

/* In its own function: the whole record is cleared for one list. */
__attribute__((noinline)) static struct tc_str
make_stale_text(struct state *s, const struct tc_buffer_times *t)
{
	struct tc_str names[3];
	struct tc_rec_buffer_event rec = { .stale = stale_names(t, names) };

	return tc_rec_buffer_event_stale_text(&s->arena, &rec);
}

static struct tc_str
stale_text(struct state *s, const struct tc_buffer_times *t)
{
	struct tc_str *text =
		&s->stale[t->is_stale[0] | t->is_stale[1] << 1 | t->is_stale[2] << 2];

	if (!text->p)
		*text = make_stale_text(s, t);
	return *text;
}

/* The labels of an event, by whatever way is the shortest. */
static void
label_event(struct tc_decode *d, struct state *s, const struct tc_buffer_event *e,
	struct tc_rec_buffer_event *rec)
{
	struct same *same = same_of(s, e);
	struct tc_str layer, *labels = NULL;

	if (same->labels && e->type <= TC_BUFFER_PRESENT_FENCE)
		labels = &same->labels->raw[e->type];
	if (labels && labels->p) {
		rec->labels = *labels;
		return;
	}
	layer = tc_strtab_str(&d->names, e->layer);
	rec->name = tc_buffer_type_name(e->type);
	rec->track = track_of(s, e, same, TC_PHASE_NONE, layer);
	rec->buffer_id = e->buffer_id;
	rec->layer_name = layer_label(layer);
	if (labels)
		*labels = tc_rec_buffer_event_labels(&s->arena, rec);
}

static void
put_event(struct tc_decode *d, struct state *s, int64_t ts,
	const struct tc_buffer_event *e, struct tc_out *o)
{
	struct tc_buffer_times t;
	struct tc_rec_buffer_event rec;
	struct tc_rec_list edge;
	int64_t id;

	tc_times_feed(&s->times, ts, e, &t);
	if (e->is_dropped)
		return;
	id = s->event_id++;
	if (!d->chosen.buffer_event || !tc_source_has_layer(d, e->layer) ||
		!tc_source_has_time(d, ts, e->dur, &edge))
		return;
	rec = (struct tc_rec_buffer_event){
		.id = id,
		.ts = ts,
		.dur = e->dur,
		.frame_number = e->frame_number,
		.queue_to_acquire_time = t.queue_to_acquire,
		.acquire_to_latch_time = t.acquire_to_latch,
		.latch_to_present_time = t.latch_to_present,
		.stale_text = stale_text(s, &t),
		.edge = edge,
		.outlier = tc_source_outlier(d, ts),
		.machine_id = tc_source_machine_id(d, e->machine),
		.trace = d->index,
	};
	label_event(d, s, e, &rec);
	tc_rec_put(o, &tc_rec_buffer_event, &rec);
	d->frame_rows++;
}

/* Named after its frame, or after its time while no frame number is known. */
static struct tc_str
phase_name(struct state *s, int64_t ts, const struct tc_buffer_event *e)
{
	int64_t number = e->phase_frame;

	if (!number && !e->is_renamed)
		number = ts;
	return (struct tc_str){ s->name,
		(uint32_t)(tc_json_write_int(s->name, number) - s->name), true };
}

static void
label_phase(struct tc_decode *d, struct state *s, const struct tc_buffer_event *e,
	struct tc_rec_phase *rec)
{
	struct same *same = same_of(s, e);
	struct tc_str layer, *labels = NULL;

	if (same->labels)
		labels = &same->labels->phase[e->phase];
	if (labels && labels->p) {
		rec->labels = *labels;
		return;
	}
	layer = tc_strtab_str(&d->names, e->layer);
	rec->track = track_of(s, e, same, e->phase, layer);
	rec->buffer_id = e->phase == TC_PHASE_DISPLAY ? TC_NONE : (int64_t)e->buffer_id;
	rec->layer_name = layer_label(layer);
	if (labels)
		*labels = tc_rec_phase_labels(&s->arena, rec);
}

static void
put_phase(struct tc_decode *d, struct state *s, int64_t ts,
	const struct tc_buffer_event *e, struct tc_out *o)
{
	int64_t id = s->phase_id++, dur = e->is_open ? -1 : e->phase_dur;
	struct tc_rec_phase rec;
	struct tc_rec_list edge;

	if (!d->chosen.phase || !tc_source_has_layer(d, e->layer) ||
		!tc_source_has_time(d, ts, dur, &edge))
		return;
	rec = (struct tc_rec_phase){
		.id = id,
		.ts = ts,
		.dur = dur,
		.phase = tc_phase_name(e->phase),
		.name = phase_name(s, ts, e),
		.frame_number = e->phase_frame,
		.depth = e->depth,
		.edge = edge,
		.outlier = tc_source_outlier(d, ts),
		.machine_id = tc_source_machine_id(d, e->machine),
		.trace = d->index,
	};
	label_phase(d, s, e, &rec);
	tc_rec_put(o, &tc_rec_phase, &rec);
	d->frame_rows++;
}

static void
put(struct tc_decode *d, void *state, int64_t ts, struct tc_row *base, struct tc_out *o)
{
	const struct tc_buffer_event *e = (const struct tc_buffer_event *)base;

	put_event(d, state, ts, e, o);
	if (e->phase != TC_PHASE_NONE)
		put_phase(d, state, ts, e, o);
}

const struct tc_source tc_source_graphics_frame = {
	.name = "android.surfaceflinger.frame",
	.help = "what each layer's buffers went through, from dequeue to present",
	.field = TC_PACKET_GRAPHICS_FRAME_EVENT,
	.has_frames = true,
	.state_size = sizeof(struct state),
	.keep = keep,
	.finish = finish,
	.apply = apply,
	.put = put,
	.end = end,
	.release = release,
};
