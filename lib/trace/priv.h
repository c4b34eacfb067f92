#ifndef TC_TRACE_PRIV_H
#define TC_TRACE_PRIV_H
/* Inside trace: the steps that tc_trace_next takes with each packet. */
#include "pb/pb.h"
#include "trace/trace.h"

/* One element of a trace file, or of a compressed bundle. */
struct tc_element {
	uint32_t field;
	uint32_t wire;
	size_t header; /* bytes of tag and length */
	uint64_t len;  /* of what follows the header */
};

/* A tag and a length of ten bytes each is the longest header. */
enum { TC_ELEMENT_MAX_HEADER = 20 };

/*
 * 1: *e describes the element at p; 0: its header is cut; -1: TC_DATA, this is
 * no element.
 */
int tc_element_read_any(
	const uint8_t *p, size_t avail, struct tc_element *e, struct tc_err *err);

enum { TC_ELEMENT_PACKET = 1 }; /* the only field of the message Trace */

/* Whether three bytes begin a packet below 16 KiB: that it is then. */
static inline bool
tc_element_read_packet(const uint8_t *p, struct tc_element *e)
{
	bool is_long = p[1] >= 0x80;

	if (p[0] != (TC_ELEMENT_PACKET << 3 | TC_PB_LEN) || (is_long && p[2] >= 0x80))
		return false;
	e->field = TC_ELEMENT_PACKET;
	e->wire = TC_PB_LEN;
	e->header = is_long ? 3 : 2;
	e->len = is_long ? (p[1] & 0x7fu) | (uint64_t)p[2] << 7 : p[1];
	return true;
}

static inline int
tc_element_read(const uint8_t *p, size_t avail, struct tc_element *e, struct tc_err *err)
{
	if (avail >= 3 && tc_element_read_packet(p, e))
		return 1;
	return tc_element_read_any(p, avail, e, err);
}

/* Applies sequence_flags, losses, defaults and interned data (spec 1.4). */
void tc_sequence_apply(struct tc_trace *t, struct tc_packet *p);

/* Messages that carry clocks. */
void tc_snapshot_apply(struct tc_trace *t, const struct tc_packet *p);
void tc_remote_sync_apply(struct tc_trace *t, const struct tc_packet *p);

/* Gives the packet its trace time. */
void tc_timestamp_resolve_any(struct tc_trace *t, struct tc_packet *p);

/* In line are times that move like the one before, on a clock that their packet names. */
static inline void
tc_timestamp_resolve(struct tc_trace *t, struct tc_packet *p)
{
	const struct tc_clocks *c = &t->machines[0].clocks;
	uint64_t clock = tc_clock_key(p->clock_id, p->seq);
	int64_t ts;

	if (!p->has_timestamp || !p->clock_id || p->machine ||
		!tc_clocks_convert_near(c, clock, (int64_t)p->timestamp, &ts) || ts < 0) {
		tc_timestamp_resolve_any(t, p);
		return;
	}
	p->clock = clock;
	p->time = TC_TIME_OK;
	p->ts = ts;
	t->max_ts = ts > t->max_ts ? ts : t->max_ts;
	tc_trace_range_add(&t->range, ts, ts);
}

/* What holds packets, compressed: field 50 or, with zstd, field 133. */
struct tc_bundle {
	struct tc_str bytes;
	bool is_zstd;
};

/* Bytes of a bundle that is inflated ahead, and that any may grow to. */
enum { TC_BUNDLE_AHEAD = 1024 * 1024, TC_BUNDLE_MAX = 64 * 1024 * 1024 };

/*
 * The bytes that are in a bundle, valid until the next call. -1 with TC_DATA
 * when it is damaged, or grows beyond max bytes.
 */
int tc_inflate(struct tc_inflater **z, const struct tc_bundle *b, size_t max,
	struct tc_str *out, struct tc_err *err);
void tc_inflater_free(struct tc_inflater *z);

/*
 * ahead: bundles inflated before their turn, with the help of a second thread.
 *
 * The reader puts in bundles in their order, which are copied, and takes them
 * out in the same order. Nothing else of a trace is seen by the thread, and what
 * it cannot do is left for the reader to do again in its turn, so that all comes
 * out as if there were no thread.
 */
struct tc_ahead_item {
	struct tc_bundle bundle;
	uint64_t offset, spent; /* the reader's: where it stood in the file */
	struct tc_str out;      /* p NULL: could not be inflated ahead */
};

/* NULL where there is one core only, or no thread to be had. */
struct tc_ahead *tc_ahead_new(void);
void tc_ahead_free(struct tc_ahead *a);

bool tc_ahead_has_room(const struct tc_ahead *a);
void tc_ahead_put(struct tc_ahead *a, const struct tc_ahead_item *item);

/* The next item, valid until the next call; NULL when there is none. */
const struct tc_ahead_item *tc_ahead_next(struct tc_ahead *a);

#endif
