#include "trace/priv.h"

#include "err/err.h"
#include "pb/pb.h"

enum { STATE_CLEARED = 1, NEEDS_STATE = 2 }; /* bits of sequence_flags */
enum { DEFAULT_CLOCK = 58 };                 /* field of TracePacketDefaults */

/* What is known of a sequence, packed into the map's value. */
struct sequence {
	bool is_seen, is_valid;
	uint32_t clock;
};

static struct sequence
unpack(uint64_t v)
{
	return (struct sequence){ v & 1, v >> 1 & 1, (uint32_t)(v >> 32) };
}

static uint64_t
pack(struct sequence s)
{
	return (uint64_t)s.is_seen | (uint64_t)s.is_valid << 1 | (uint64_t)s.clock << 32;
}

static uint32_t
default_clock(struct tc_str defaults)
{
	struct tc_pb r = tc_pb_init(defaults.p, defaults.len);
	struct tc_err ignored;
	struct tc_pb_field f;
	uint32_t clock = 0;

	while (tc_pb_next(&r, &f, &ignored) > 0)
		if (f.id == DEFAULT_CLOCK && tc_pb_is(&f, TC_PB_VARINT))
			clock = (uint32_t)f.num;
	return clock;
}

/* State that belongs to a sequence, in a packet that names none. */
static void
apply_without(struct tc_trace *t, struct tc_packet *p)
{
	bool cleared = p->is_cleared || (p->flags & STATE_CLEARED);

	p->needs_lost_state = (p->flags & NEEDS_STATE) != 0;
	if (cleared)
		tc_trace_count(t, TC_STAT_CLEARED_NO_SEQ);
	else if (p->dropped)
		tc_trace_count(t, TC_STAT_DROPPED_NO_SEQ);
	if (p->defaults.p)
		tc_trace_count(t, TC_STAT_DEFAULTS_NO_SEQ);
	if (p->has_interned)
		tc_trace_count(t, TC_STAT_INTERNED_NO_SEQ);
}

/* What the packet does to its sequence; few do anything. */
static struct sequence
change(struct tc_trace *t, const struct tc_packet *p, struct sequence s)
{
	bool cleared = p->is_cleared || (p->flags & STATE_CLEARED);

	if (s.is_seen && p->dropped)
		tc_trace_count(t, TC_STAT_SEQ_LOSS);
	s.is_seen = true;
	if (cleared) {
		s.is_valid = true;
		s.clock = 0;
	} else if (p->dropped) {
		s.is_valid = false;
	}
	if (p->defaults.p)
		s.clock = default_clock(p->defaults);
	if (p->has_interned && !s.is_valid)
		tc_trace_count(t, TC_STAT_INTERNED_INVALID);
	return s;
}

void
tc_sequence_apply(struct tc_trace *t, struct tc_packet *p)
{
	struct sequence s;
	uint64_t *slot;
	bool made;

	if (!p->seq) {
		apply_without(t, p);
		return;
	}
	slot = tc_map_put(&t->sequences, p->machine, p->seq, &made);
	s = unpack(*slot);
	if (made || p->is_cleared || p->flags & STATE_CLEARED || p->dropped ||
		p->defaults.p || p->has_interned) {
		s = change(t, p, s);
		*slot = pack(s);
	}
	if (p->machine == 0) {
		t->last_seq = p->seq;
		t->last_clock = s.clock;
	}
	p->default_clock = s.clock;
	p->needs_lost_state = (p->flags & NEEDS_STATE) && !s.is_valid;
}
