#ifndef TC_JANK_MATCH_H
#define TC_JANK_MATCH_H
/*
 * Inside jank: which submission an app frame may be.
 *
 * Nothing that the two data sources say of a frame is equal to anything: tokens and
 * frame numbers have nothing to do with each other. What speaks for a candidate is
 * that its layer is the frame's, that it was with its producer while the frame was,
 * and that it was presented when the display frame was.
 */
#include "jank/layers.h"

/* What nears may be apart: the platform's own threshold for a present in time. */
#define TC_JANK_NEAR_NS INT64_C(2000000)

enum tc_jank_confidence { TC_JANK_NO_MATCH, TC_JANK_LOW, TC_JANK_MEDIUM, TC_JANK_HIGH };

/* What keeps a match from being surer, as bits. */
enum tc_jank_limit {
	TC_JANK_NO_LAYER = 1,
	TC_JANK_NO_BUFFER_EVENTS = 1 << 1,
	TC_JANK_CLOCKS_UNMAPPED = 1 << 2,
	TC_JANK_CLOCKS_UNKNOWN = 1 << 3,
	TC_JANK_SAME_NAME = 1 << 4,
	TC_JANK_SAME_TITLE = 1 << 5,
	TC_JANK_REMADE = 1 << 6,
	TC_JANK_RESTARTED = 1 << 7,
	TC_JANK_SURFACE_VIEW = 1 << 8,
	TC_JANK_NOT_A_BUFFER = 1 << 9,
	TC_JANK_NO_TIME = 1 << 10,
	TC_JANK_OPEN_FRAME = 1 << 11,
	TC_JANK_DROPPED = 1 << 12,
	TC_JANK_NO_DISPLAY_FRAME = 1 << 13,
	TC_JANK_SEVERAL_DISPLAYS = 1 << 14,
	TC_JANK_DISPLAY_OPEN = 1 << 15,
	TC_JANK_NO_PRESENT = 1 << 16,
	TC_JANK_MANY = 1 << 17,
	TC_JANK_LIMITS = 18
};

struct tc_jank_candidate {
	const struct tc_jank_submission *s;
	int64_t overlap, end_delta, present_delta; /* TC_NONE: not known */
	enum tc_jank_confidence confidence;
};

enum { TC_JANK_VISITED = 64, TC_JANK_LISTED = 16 };

struct tc_jank_match {
	uint32_t layer;                       /* TC_ROWS_NO: none */
	size_t display_count;                 /* display frames of the token */
	const struct tc_rows_actual *display; /* the only one, or NULL */
	int64_t present;                      /* when it was presented, or TC_NONE */
	bool is_dropped;
	unsigned limits;
	size_t count; /* candidates, at most TC_JANK_VISITED */
	struct tc_jank_candidate at[TC_JANK_VISITED];
	enum tc_jank_confidence confidence;
};

void tc_jank_match(const struct tc_rows *r, struct tc_jank_layers *l,
	const struct tc_rows_actual *a, struct tc_jank_match *m);

/* The candidate that is surer than every other and not just possible, or NULL. */
const struct tc_jank_candidate *tc_jank_best(const struct tc_jank_match *m);

struct tc_str tc_jank_confidence_name(enum tc_jank_confidence confidence);

#endif
