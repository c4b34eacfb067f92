#include "trace/trace.h"

#include <stdlib.h>

#include "err/err.h"
#include "io/io.h"
#include "pb/pb.h"
#include "trace/priv.h"
#include "unpack/unpack.h"

void
tc_trace_release(struct tc_trace *t)
{
	size_t i;

	for (i = 0; i < t->machine_count; i++)
		tc_clocks_release(&t->machines[i].clocks);
	free(t->machines);
	tc_map_release(&t->machine_index);
	tc_map_release(&t->sequences);
	tc_inflater_free(t->inflater);
	tc_ahead_free(t->ahead);
	free(t->held);
	tc_trace_range_release(&t->range);
	for (i = 0; i < TC_STAT_COUNT; i++)
		free(t->stats_at[i]);
	*t = (struct tc_trace){ 0 };
}

/* -1 when there are too many; the host is machine 0 from the start. */
static int64_t
machine_index(struct tc_trace *t, uint32_t raw_id)
{
	struct tc_trace_machine *m;
	uint64_t *i;
	bool made;

	if (raw_id == 0 && t->machine_count)
		return 0;
	i = tc_map_get(&t->machine_index, raw_id, 0);
	if (i)
		return (int64_t)*i;
	if (t->machine_count == TC_TRACE_MAX_MACHINES)
		return -1;
	tc_mem_grow(&t->machines, &t->machine_cap, t->machine_count + 1, sizeof(*m));
	m = &t->machines[t->machine_count];
	*m = (struct tc_trace_machine){ .raw_id = raw_id };
	tc_clocks_init(&m->clocks);
	i = tc_map_put(&t->machine_index, raw_id, 0, &made);
	*i = t->machine_count++;
	return (int64_t)*i;
}

void
tc_trace_init(struct tc_trace *t)
{
	*t = (struct tc_trace){ 0 };
	machine_index(t, 0);
}

/* Everything that happens in file order (spec 1.4), step by step. */
static int
process(struct tc_trace *t, struct tc_packet *p)
{
	int64_t machine;

	if (p->is_plain && p->seq && p->seq == t->last_seq) {
		p->default_clock = t->last_clock;
		tc_timestamp_resolve(t, p);
		return 1;
	}
	machine = machine_index(t, p->machine_id);
	if (machine < 0) {
		tc_trace_count(t, TC_STAT_TOO_MANY_MACHINES);
		return 0;
	}
	p->machine = (uint32_t)machine;
	tc_sequence_apply(t, p);
	if (p->clock_snapshot.p) {
		tc_snapshot_apply(t, p);
		return 0;
	}
	if (p->remote_sync.p)
		tc_remote_sync_apply(t, p);
	if (p->needs_lost_state) {
		tc_trace_count(t, TC_STAT_NEEDS_STATE);
		return 0;
	}
	tc_timestamp_resolve_any(t, p);
	return 1;
}

/* The next packet inside a compressed one: 1, 0 at its end, -1 damaged. */
static int
next_inside(struct tc_trace *t, struct tc_packet *p, struct tc_err *err)
{
	struct tc_element e;
	int n;

	/* Up to two bytes may trail behind the last packet. */
	if (t->bundle.len <= 2)
		return 0;
	n = tc_element_read((const uint8_t *)t->bundle.p, t->bundle.len, &e, err);
	if (n < 0)
		return -1;
	if (n == 0 || e.len > t->bundle.len - e.header)
		return tc_err_set(
			err, TC_DATA, "a packet is cut inside compressed packets");
	if (e.field != TC_ELEMENT_PACKET || e.wire != TC_PB_LEN)
		return tc_err_set(err, TC_DATA, "compressed packets hold something else");
	if (tc_packet_decode(
		    (struct tc_str){ t->bundle.p + e.header, (uint32_t)e.len, false },
		    t->bundle.p + t->bundle.len, p, err))
		return -1;
	if (p->compressed.p)
		return tc_err_set(
			err, TC_DATA, "compressed packets inside compressed packets");
	t->bundle.p += e.header + e.len;
	t->bundle.len -= (uint32_t)(e.header + e.len);
	return 1;
}

/* What is damaged inside one bundle is counted; the file goes on behind it. */
static int
bundle_failed(struct tc_trace *t, struct tc_err *err)
{
	if (err->code != TC_DATA)
		return -1;
	t->bundle.len = 0;
	t->is_damaged = true;
	tc_trace_count(t, TC_STAT_DAMAGED_COMPRESSED);
	if (t->stats[TC_STAT_DAMAGED_COMPRESSED] == 1)
		t->bundle_damage = t->offset;
	return 0;
}

/* A tail that is cut is no damage, if it is the tail of a packet. */
static int
cut_tail(struct tc_trace *t, const struct tc_in *in)
{
	t->stats[TC_STAT_TRUNCATED_BYTES] = (int64_t)tc_in_avail(in);
	return 0;
}

/* Steps over an element that is not a packet. */
static int
skip_unknown(struct tc_trace *t, struct tc_in *in, const struct tc_element *e,
	struct tc_err *err)
{
	int64_t n;

	tc_in_eat(in, e->header);
	n = tc_in_skip(in, e->len, err);
	if (n < 0)
		return -1;
	if ((uint64_t)n < e->len)
		return tc_err_set(err, TC_DATA,
			"field %u goes beyond the end of the file", (unsigned)e->field);
	tc_trace_count(t, TC_STAT_UNKNOWN_TOP_LEVEL);
	return 1;
}

/* The bytes of the next packet in the file: 1, 0 at the end, -1. */
static int
next_element(
	struct tc_trace *t, struct tc_in *in, struct tc_str *bytes, struct tc_err *err)
{
	struct tc_element e;
	int n;

	tc_in_eat(in, t->element);
	t->element = 0;
	for (;;) {
		if (tc_in_avail(in) < TC_ELEMENT_MAX_HEADER &&
			tc_in_want(in, TC_ELEMENT_MAX_HEADER, err) < 0)
			return -1;
		t->offset = in->offset;
		if (!tc_in_avail(in))
			return 0;
		n = tc_element_read(tc_in_at(in), tc_in_avail(in), &e, err);
		if (n <= 0)
			return n < 0 ? -1 : cut_tail(t, in);
		if (e.field == TC_ELEMENT_PACKET && e.wire == TC_PB_LEN)
			break;
		if (skip_unknown(t, in, &e, err) < 0)
			return -1;
	}
	if (e.len > TC_TRACE_MAX_PACKET)
		return tc_err_set(err, TC_DATA, "a packet of %llu bytes",
			(unsigned long long)e.len);
	if (tc_in_avail(in) < e.header + (size_t)e.len) {
		n = tc_in_want(in, e.header + (size_t)e.len, err);
		if (n <= 0)
			return n < 0 ? -1 : cut_tail(t, in);
	}
	*bytes = (struct tc_str){ .p = (const char *)tc_in_at(in) + e.header,
		.len = (uint32_t)e.len };
	t->element = e.header + (size_t)e.len;
	return 1;
}

/* Many bundles that each stay below the limit of one add up too. */
static int
open_bundle(struct tc_trace *t, const struct tc_ahead_item *item, struct tc_err *err)
{
	t->offset = item->offset;
	t->bundle = item->out;
	if (!item->out.p &&
		tc_inflate(&t->inflater, &item->bundle, TC_BUNDLE_MAX, &t->bundle, err))
		return -1;
	t->inflated += t->bundle.len;
	if (!tc_unpack_is_bomb(t->inflated, item->spent))
		return 0;
	return tc_err_set(err, TC_DATA,
		"the compressed packets of the file grow more than %d times",
		TC_UNPACK_RATIO);
}

/* The next packet of the file, which may be a bundle: 1, 0 at the end, -1. */
static int
next_outside(
	struct tc_trace *t, struct tc_in *in, struct tc_packet *p, struct tc_err *err)
{
	struct tc_str bytes;
	int n;

	n = next_element(t, in, &bytes, err);
	if (n <= 0)
		return n;
	if (tc_packet_decode(bytes, in->buf + in->len, p, err)) {
		/* Nothing behind this can be trusted. */
		t->element = 0;
		return -1;
	}
	return 1;
}

/* What ended the reading ahead, until everything before it was used. */
struct tc_trace_held {
	bool is_set;
	int result;
	struct tc_packet packet;
	struct tc_err err;
	uint64_t offset;
};

static struct tc_ahead_item
item_of(const struct tc_trace *t, const struct tc_in *in, const struct tc_packet *p)
{
	return (struct tc_ahead_item){
		.bundle = { p->compressed, p->is_zstd },
		.offset = t->offset,
		.spent = tc_in_spent(in),
	};
}

/* As far as there are bundles, one after the other. */
static void
read_ahead(struct tc_trace *t, struct tc_in *in)
{
	struct tc_trace_held *h = t->held;
	struct tc_ahead_item item;

	while (!h->is_set && tc_ahead_has_room(t->ahead)) {
		h->result = next_outside(t, in, &h->packet, &h->err);
		h->offset = t->offset;
		h->is_set = h->result <= 0 || !h->packet.compressed.p ||
			h->packet.compressed.len > TC_BUNDLE_AHEAD;
		if (h->is_set)
			return;
		item = item_of(t, in, &h->packet);
		tc_ahead_put(t->ahead, &item);
	}
}

static int
take_held(struct tc_trace *t, struct tc_packet *p, struct tc_err *err)
{
	struct tc_trace_held *h = t->held;

	h->is_set = false;
	*p = h->packet;
	t->offset = h->offset;
	if (h->result < 0)
		*err = h->err;
	return h->result;
}

/* A file with a second bundle is one of many; a thread is worth it then. */
static void
start_ahead(struct tc_trace *t)
{
	if (t->bundles++ != 1)
		return;
	t->ahead = tc_ahead_new();
	if (t->ahead)
		t->held = tc_mem_calloc(1, sizeof(*t->held));
}

/*
 * Opens the next bundle, or else gives the next packet of the file: 1 a packet,
 * 2 a bundle, 0 at the end, -1.
 */
static int
next_packet_or_bundle(
	struct tc_trace *t, struct tc_in *in, struct tc_packet *p, struct tc_err *err)
{
	const struct tc_ahead_item *item = NULL;
	struct tc_ahead_item own;
	int n;

	if (t->ahead) {
		read_ahead(t, in);
		item = tc_ahead_next(t->ahead);
	}
	if (!item) {
		n = t->ahead ? take_held(t, p, err) : next_outside(t, in, p, err);
		if (n <= 0 || !p->compressed.p)
			return n;
		own = item_of(t, in, p);
		item = &own;
		start_ahead(t);
	}
	if (open_bundle(t, item, err) && bundle_failed(t, err))
		return -1;
	return 2;
}

/* One packet, wherever it comes from; *p is decoded but not processed yet. */
static int
next_packet(struct tc_trace *t, struct tc_in *in, struct tc_packet *p, struct tc_err *err)
{
	int n;

	do {
		n = next_inside(t, p, err);
		if (n < 0 && bundle_failed(t, err))
			return -1;
		if (n > 0)
			return 1;
		n = next_packet_or_bundle(t, in, p, err);
	} while (n == 2);
	return n;
}

/*
 * What nearly every packet is: all of it in the window, and no bundle. Otherwise
 * nothing has happened, and next_packet begins again.
 */
static inline bool
next_usual(struct tc_trace *t, struct tc_in *in, struct tc_packet *p, struct tc_err *err)
{
	const uint8_t *at = tc_in_at(in) + t->element;
	size_t avail = tc_in_avail(in) - t->element;
	struct tc_element e;

	if (t->ahead || t->bundle.len > 2 || avail < TC_ELEMENT_MAX_HEADER)
		return false;
	if (!tc_element_read_packet(at, &e) || avail < e.header + e.len)
		return false;
	if (tc_packet_decode((struct tc_str){ (const char *)at + e.header,
				     (uint32_t)e.len, false },
		    in->buf + in->len, p, err) ||
		p->compressed.p)
		return false;
	tc_in_eat(in, t->element);
	t->offset = in->offset;
	t->element = e.header + (size_t)e.len;
	return true;
}

int
tc_trace_next(
	struct tc_trace *t, struct tc_in *in, struct tc_packet *p, struct tc_err *err)
{
	int n;

	do {
		if (!next_usual(t, in, p, err)) {
			n = next_packet(t, in, p, err);
			if (n <= 0)
				return n;
		}
		t->packets++;
	} while (!process(t, p) && !t->with_all);
	return 1;
}
