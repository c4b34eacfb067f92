#include "trim/priv.h"

#include <stdlib.h>

#include "err/err.h"
#include "io/io.h"

/* Fields of TracePacket. */
enum {
	FTRACE_EVENTS = 1,
	PROCESS_TREE = 2,
	TRUSTED_UID = 3,
	TIMESTAMP = 8,
	SEQUENCE_ID = 10,
	INTERNED_DATA = 12,
	SEQUENCE_FLAGS = 13,
	STATE_CLEARED = 41,
	PREVIOUS_DROPPED = 42,
	TIMESTAMP_CLOCK = 58,
	DEFAULTS = 59,
	TRUSTED_PID = 79,
	FIRST_ON_SEQUENCE = 87,
	MACHINE_ID = 98,
};
enum { PACKET = 1 };
enum { CLEARED = 1 }; /* bit of sequence_flags */

/* What a clock of a sequence that counts on has lost with the packets left out. */
struct gap {
	uint64_t lost;
	size_t snapshots; /* the clock had seen; a newer one makes up for it */
};

struct writer {
	struct tc_trim_plan *plan;
	struct tc_out *out;
	struct tc_trim_report *report;
	struct tc_trace trace;
	struct tc_trim_seqs seqs;
	struct tc_trim_ftrace ftrace;
	uint64_t ordinal; /* of the packet at hand */
	struct tc_trim_place place;
	size_t frame, buffer, late; /* rows that were passed */
	int64_t max_ts; /* of what was written: the time of packets without one */
	struct tc_map gap_index; /* (machine, clock) to index + 1 */
	TC_TRIM_ROWS(struct gap) gaps;
	bool is_fixed[TC_TRACE_MAX_MACHINES]; /* trace time is, of the machine */
	struct tc_pb_buf body, extra;         /* owned */
	bool has_changed;                     /* the trace, since the first reading */
};

static void
put_element(struct writer *w, struct tc_str a, struct tc_str b)
{
	struct tc_pb_buf head = { 0 };
	uint8_t room[16];

	head.bytes = room;
	head.cap = sizeof(room);
	tc_pb_put_varint(&head, PACKET << 3 | TC_PB_LEN);
	tc_pb_put_varint(&head, (uint64_t)a.len + b.len);
	tc_out_write(w->out, room, head.len);
	tc_out_write(w->out, a.p, a.len);
	tc_out_write(w->out, b.p, b.len);
	w->report->bytes += head.len + a.len + b.len;
	w->report->kept++;
}

static struct tc_str
written(const struct tc_pb_buf *b)
{
	return (struct tc_str){ (const char *)b->bytes, (uint32_t)b->len, false };
}

static struct gap *
gap_of(struct writer *w, const struct tc_packet *p)
{
	size_t seen = tc_clocks_seen(&w->trace.machines[p->machine].clocks, p->clock);
	struct gap *gap;
	bool made;
	uint64_t *slot = tc_map_put(&w->gap_index, p->machine, p->clock, &made);

	if (made) {
		tc_mem_grow(
			&w->gaps.items, &w->gaps.cap, w->gaps.count + 1, sizeof(*gap));
		w->gaps.items[w->gaps.count++] = (struct gap){ 0 };
		*slot = w->gaps.count;
	}
	gap = &w->gaps.items[*slot - 1];
	if (gap->snapshots != seen)
		*gap = (struct gap){ .snapshots = seen };
	return gap;
}

static bool
counts_on(struct writer *w, const struct tc_packet *p)
{
	return (p->time == TC_TIME_OK || p->time == TC_TIME_BAD) && p->clock &&
		tc_clocks_is_incremental(&w->trace.machines[p->machine].clocks, p->clock);
}

/*
 * A packet that stays keeps its time, also where it counts from a packet that does
 * not: of a field that is there twice, readers take the second.
 */
static void
amend_time(struct writer *w, const struct tc_packet *p, bool is_timed)
{
	const struct tc_clocks *c = &w->trace.machines[p->machine].clocks;
	struct gap *gap;

	tc_pb_buf_reset(&w->extra);
	if (counts_on(w, p)) {
		gap = gap_of(w, p);
		if (gap->lost)
			tc_pb_put_number(&w->extra, TIMESTAMP, p->timestamp + gap->lost);
		gap->lost = 0;
	} else if (is_timed && p->time == TC_TIME_OK && !p->has_timestamp &&
		p->ts != w->max_ts) {
		tc_pb_put_number(&w->extra, TIMESTAMP,
			(uint64_t)p->ts + (uint64_t)c->remote_offset);
		tc_pb_put_number(&w->extra, TIMESTAMP_CLOCK, c->trace_clock);
	}
	if (p->time == TC_TIME_OK && p->ts > w->max_ts &&
		(p->has_timestamp || w->extra.len))
		w->max_ts = p->ts;
}

static void
put_packet(
	struct writer *w, const struct tc_packet *p, struct tc_str bytes, bool is_timed)
{
	amend_time(w, p, is_timed);
	put_element(w, bytes, written(&w->extra));
}

/* What belongs to the sequence and not to the packet's data. */
static bool
is_of_sequence(uint32_t field)
{
	switch (field) {
	case TRUSTED_UID:
	case SEQUENCE_ID:
	case INTERNED_DATA:
	case SEQUENCE_FLAGS:
	case STATE_CLEARED:
	case PREVIOUS_DROPPED:
	case DEFAULTS:
	case TRUSTED_PID:
	case FIRST_ON_SEQUENCE:
	case MACHINE_ID: return true;
	default: return false;
	}
}

static void
put_stub(struct writer *w, const struct tc_packet *p, bool with_time)
{
	struct tc_pb r = tc_pb_init(p->bytes.p, p->bytes.len);
	const uint8_t *at = r.pos;
	struct tc_err ignored;
	struct tc_pb_field f;

	tc_pb_buf_reset(&w->body);
	for (; tc_pb_next(&r, &f, &ignored) > 0; at = r.pos)
		if (is_of_sequence(f.id) ||
			(with_time && (f.id == TIMESTAMP || f.id == TIMESTAMP_CLOCK)))
			tc_pb_put_raw(&w->body, at, (size_t)(r.pos - at));
	put_element(w, written(&w->body), (struct tc_str){ 0 });
}

/* Whether a packet that stays builds on what this one does to its sequence. */
static bool
carries_state(const struct writer *w, const struct tc_packet *p)
{
	const struct tc_trim_plan *plan = w->plan;
	bool changes = p->is_cleared || (p->flags & CLEARED) || p->dropped ||
		p->defaults.p || p->has_interned;

	if (!p->seq)
		return false;
	if (w->place.is_first && plan->seq_kept.items[w->place.seq])
		return true;
	return changes && plan->last_kept.items[w->place.generation] > w->ordinal;
}

/* A packet that goes leaves behind what others need of it. */
static void
leave_out(struct writer *w, const struct tc_packet *p, bool fixes_time)
{
	if (fixes_time) {
		put_stub(w, p, true);
		return;
	}
	if (counts_on(w, p))
		gap_of(w, p)->lost += p->timestamp;
	if (carries_state(w, p))
		put_stub(w, p, false);
}

/*
 * The first conversion fixes what trace time is. Where no snapshot had said so
 * before, it is part of what fixed it.
 */
static bool
fixes_time(struct writer *w, const struct tc_packet *p)
{
	const struct tc_clocks *c = &w->trace.machines[p->machine].clocks;
	bool is_now = c->is_fixed && !w->is_fixed[p->machine];

	w->is_fixed[p->machine] = c->is_fixed;
	return is_now && c->trace_clock == TC_CLOCK_TRACE_FILE;
}

/* The ftrace packet with what is left of its bundle, in place of the whole one. */
static void
put_bundle(struct writer *w, const struct tc_packet *p, struct tc_str bundle)
{
	struct tc_pb r = tc_pb_init(p->bytes.p, p->bytes.len);
	const uint8_t *at = r.pos;
	struct tc_pb_buf whole = { 0 };
	struct tc_err ignored;
	struct tc_pb_field f;

	for (; tc_pb_next(&r, &f, &ignored) > 0; at = r.pos) {
		if (f.id != FTRACE_EVENTS || !tc_pb_is(&f, TC_PB_LEN))
			tc_pb_put_raw(&whole, at, (size_t)(r.pos - at));
		else if (f.bytes == (const uint8_t *)p->data.p)
			tc_pb_put_bytes(&whole, FTRACE_EVENTS, bundle.p, bundle.len);
	}
	put_packet(w, p, written(&whole), false);
	tc_pb_buf_release(&whole);
}

/* A packet that had to wait has the time that was found for it in the end, or none. */
static bool
late_in_window(struct writer *w)
{
	const struct tc_trim_late *late = &w->plan->late.items[w->late - 1];

	return !late->is_mapped || tc_trim_in_window(w->plan, late->ts, 0);
}

static bool
is_wanted(struct writer *w, const struct tc_packet *p)
{
	if (p->data_field == TC_PACKET_FRAME_TIMELINE_EVENT)
		return w->plan->frames.items[w->frame++].is_kept;
	if (p->data_field == TC_PACKET_GRAPHICS_FRAME_EVENT)
		return w->plan->buffers.items[w->buffer++].is_kept;
	if (p->time == TC_TIME_LATER)
		return late_in_window(w);
	return tc_trim_in_window(w->plan, p->ts, 0);
}

/* Clocks, and what this reader has no room for: neither has a time. */
static bool
is_timeless(const struct tc_packet *p)
{
	return p->time == TC_TIME_NONE && !p->needs_lost_state;
}

static void
put_ftrace(struct writer *w, const struct tc_packet *p, bool fixes)
{
	struct tc_pb_buf bundle = { 0 };

	if (tc_trim_ftrace_cut(&w->ftrace, p, &bundle)) {
		put_bundle(w, p, written(&bundle));
		w->report->events += bundle.len > 0;
	} else {
		leave_out(w, p, fixes);
	}
	tc_pb_buf_release(&bundle);
}

/*
 * Whether the first reading came past this packet, as far as that matters here: a
 * trace may be written to while it is read, and what was decided is found by counting.
 */
static bool
is_known(const struct writer *w, const struct tc_packet *p)
{
	const struct tc_trim_plan *plan = w->plan;

	if (w->ordinal >= plan->packets || w->late > plan->late.count ||
		w->place.seq >= plan->seq_kept.count ||
		w->place.generation >= plan->last_kept.count)
		return false;
	if (p->data_field == TC_PACKET_FRAME_TIMELINE_EVENT)
		return p->time == TC_TIME_NONE || w->frame < plan->frames.count;
	if (p->data_field == TC_PACKET_GRAPHICS_FRAME_EVENT)
		return p->time == TC_TIME_NONE || w->buffer < plan->buffers.count;
	return true;
}

static void
put(struct writer *w, const struct tc_packet *p)
{
	bool fixes = fixes_time(w, p), is_tree;

	w->place = tc_trim_seqs_enter(&w->seqs, p);
	if (p->time == TC_TIME_LATER)
		w->late++;
	if (!is_known(w, p)) {
		w->has_changed = true;
	} else if (is_timeless(p)) {
		put_packet(w, p, p->bytes, false);
	} else if (p->needs_lost_state) {
		leave_out(w, p, false);
	} else if (p->data_field == TC_PACKET_FTRACE_EVENTS) {
		put_ftrace(w, p, fixes);
	} else if (tc_trim_is_context(p)) {
		is_tree = p->data_field == TC_PACKET_PROCESS_TREE;
		put_packet(w, p, p->bytes, is_tree);
	} else if (is_wanted(w, p)) {
		put_packet(w, p, p->bytes, true);
		w->report->events++;
		w->report->unmapped += p->time == TC_TIME_LATER &&
			!w->plan->late.items[w->late - 1].is_mapped;
	} else {
		leave_out(w, p, fixes);
	}
}

/*
 * What is never closed lasts until the trace ends, and that must not be before the
 * window does: a packet with nothing but a time says so.
 */
static void
put_end(struct writer *w)
{
	const struct tc_clocks *c = &w->trace.machines[0].clocks;
	int64_t to = w->plan->window.to, end = w->plan->bulk.last;

	if (to != INT64_MAX && end >= to)
		end = to - 1;
	if (!w->plan->bulk.count || end <= w->max_ts || end <= w->ftrace.last ||
		end < w->plan->window.from)
		return;
	tc_pb_buf_reset(&w->body);
	tc_pb_put_number(&w->body, TIMESTAMP, (uint64_t)end);
	tc_pb_put_number(&w->body, TIMESTAMP_CLOCK, c->trace_clock);
	put_element(w, written(&w->body), (struct tc_str){ 0 });
}

/* Names that were told by what is not there any more. */
static void
put_names(struct writer *w)
{
	const struct tc_trim_names *n = &w->plan->called;
	const struct tc_trace_machine *m;
	size_t i;

	tc_trim_names_finish(&w->plan->called);
	for (i = 0; i < n->told.count; i++) {
		if (n->told.items[i].machine >= w->trace.machine_count)
			continue;
		m = &w->trace.machines[n->told.items[i].machine];
		tc_pb_buf_reset(&w->body);
		tc_trim_told_put(n, &n->told.items[i], PROCESS_TREE, &w->body);
		tc_pb_put_number(&w->body, TIMESTAMP,
			(uint64_t)n->told.items[i].ts +
				(uint64_t)m->clocks.remote_offset);
		tc_pb_put_number(&w->body, TIMESTAMP_CLOCK, m->clocks.trace_clock);
		if (m->raw_id)
			tc_pb_put_number(&w->body, MACHINE_ID, m->raw_id);
		put_element(w, written(&w->body), (struct tc_str){ 0 });
		w->report->told++;
	}
}

static int
verdict(const struct writer *w, const struct tc_in *in, int r, struct tc_err *err)
{
	const struct tc_trace *t = &w->trace;

	if (w->has_changed || w->ordinal != w->plan->packets)
		return tc_err_set(
			err, TC_IO, "%s: has changed while it was read", in->name);
	if ((r == 0 || t->packets == 0) && in->ending == TC_IN_DAMAGED)
		return tc_err_set(err, TC_DATA, "%s: %s (after byte %llu of the trace)",
			in->name, in->why,
			(unsigned long long)(in->offset + tc_in_avail(in)));
	if (r < 0 && err->code == TC_DATA && t->packets == 0)
		return tc_err_add(err, "%s: not a Perfetto trace", in->name);
	if (r < 0 && err->code == TC_DATA)
		return tc_err_add(err, "%s: damaged at byte %llu", in->name,
			(unsigned long long)t->offset);
	if (r < 0)
		return -1;
	if (t->packets == 0 && !t->is_damaged)
		return tc_err_set(err, TC_DATA, "%s: no packets", in->name);
	if (t->is_damaged)
		return tc_err_set(err, TC_DATA,
			"%s: damaged compressed packets skipped, the first at byte %llu",
			in->name, (unsigned long long)t->bundle_damage);
	return 0;
}

static void
release(struct writer *w)
{
	tc_trim_seqs_release(&w->seqs);
	tc_trim_ftrace_release(&w->ftrace);
	tc_trace_release(&w->trace);
	tc_map_release(&w->gap_index);
	free(w->gaps.items);
	tc_pb_buf_release(&w->body);
	tc_pb_buf_release(&w->extra);
}

int
tc_trim_write(struct tc_trim_plan *plan, struct tc_in *in, struct tc_out *out,
	struct tc_trim_report *report, struct tc_err *err)
{
	struct writer w = {
		.plan = plan, .out = out, .report = report, .ftrace = { .plan = plan }
	};
	struct tc_packet p;
	int r = 0;

	tc_trace_init(&w.trace);
	w.trace.with_all = true;
	w.ftrace.trace = &w.trace;
	while (!w.has_changed && !out->sys &&
		(r = tc_trace_next(&w.trace, in, &p, err)) > 0) {
		put(&w, &p);
		w.ordinal++;
	}
	put_names(&w);
	put_end(&w);
	report->packets = w.trace.packets;
	report->renamed = w.ftrace.renamed;
	r = out->sys ? tc_out_check(out, err) : verdict(&w, in, r, err);
	release(&w);
	return r;
}
