#ifndef TC_SOURCE_FRAME_ENDS_H
#define TC_SOURCE_FRAME_ENDS_H
/*
 * Inside source: ends of frames that need no row of their own.
 *
 * SurfaceFlinger writes a frame's end close behind its start, and gives every
 * frame a cookie of its own. While a trace keeps to that, the end goes into the
 * row of its start. When a cookie comes up again, which end belongs to which
 * start is for the order of time to say: then all ends get rows as if each had
 * had one from the beginning, and no end is taken into a start any more.
 */
#include <stdbool.h>
#include <stdint.h>

#include "frames/frames.h"
#include "source/source.h"

/* Perfetto refuses times this close to the end of what 64 bits hold. */
#define TC_FRAME_MAX_TS (INT64_MAX - INT64_C(10000000000))

/* What is in a row, as its frame's mark. */
enum {
	TC_FRAME_IS_START, /* dur is the cookie */
	TC_FRAME_HAS_END,  /* dur is the cookie, and above it tc_frame_ends_dur */
	TC_FRAME_IS_END,   /* dur is the cookie; the machine is the only other thing */
};

enum { TC_FRAME_ENDS_PENDING = 256 };

struct tc_frame_ends {
	struct tc_map cookies; /* (machine, cookie / 32) to two bits of each */
	struct tc_frame_pending {
		struct tc_frame *frame;   /* NULL: none */
		size_t item;              /* its place among those of the decoding */
	} pending[TC_FRAME_ENDS_PENDING]; /* starts without an end, by cookie */
	bool is_off;
};

/* The row of a frame that starts was made. */
void tc_frame_ends_start(struct tc_frame_ends *e, struct tc_decode *d,
	const struct tc_packet *p, struct tc_frame *row);

/* A frame ends: whether the row of its start took that, so that it needs no row. */
bool tc_frame_ends_take(struct tc_frame_ends *e, struct tc_decode *d,
	const struct tc_packet *p, int64_t cookie);
void tc_frame_ends_release(struct tc_frame_ends *e);

/* How long after its start a frame ended, whose row took its end. */
static inline int64_t
tc_frame_ends_dur(const struct tc_frame *f)
{
	return (int64_t)((uint64_t)f->dur >> 32);
}

#endif
