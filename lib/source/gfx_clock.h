#ifndef TC_SOURCE_GFX_CLOCK_H
#define TC_SOURCE_GFX_CLOCK_H
/* Inside source: the clock of FrameTracer's packets that name none. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frames/frames.h"
#include "source/source.h"

/* An event is a row of its own: what is the caller's in it begins it as one. */
_Static_assert(offsetof(struct tc_buffer_event, owner) == 0 &&
		sizeof(((struct tc_buffer_event *)0)->owner) == sizeof(struct tc_row),
	"an event as a row");

enum tc_gfx_verdict {
	TC_GFX_NOTHING_TO_TELL, /* none of them, or it makes no difference */
	TC_GFX_IS_BOOT,
	TC_GFX_IS_MONO,
	TC_GFX_NO_TELLING,
};

struct tc_gfx_guess {
	enum tc_gfx_verdict verdict;
	int64_t count;       /* rows without a clock, by whoever keeps them */
	int64_t first, last; /* their times as they stand */
	int64_t differ_ns;   /* the most that BOOTTIME is ahead of MONOTONIC */
	int64_t out_as_boot, out_as_mono; /* rows that would lie outside the trace */
};

/* Decides, and gives the rows their times. Once, when all packets were read. */
void tc_gfx_clock_finish(struct tc_decode *d, struct tc_gfx_guess *g);

/* What was assumed, and why. */
void tc_gfx_clock_end(
	struct tc_decode *d, const struct tc_gfx_guess *g, struct tc_out *out);

#endif
