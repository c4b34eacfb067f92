#ifndef TC_JANK_LAYERS_H
#define TC_JANK_LAYERS_H
/*
 * Inside jank: layers by name within a place, and what each buffer did on them.
 *
 * A layer is all that has its name: the two data sources give no other identity, so
 * two layers of one name are one here, and are found out by what they do. Names
 * are without the prefix that one of the sources puts in front.
 *
 * A submission is what one buffer of one layer did for one frame number, gathered
 * from phases and buffer events. Names are borrowed from the rows.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mem/mem.h"

struct tc_rows;
struct tc_rows_actual;

enum tc_jank_step {
	TC_JANK_DEQUEUE,
	TC_JANK_QUEUE,
	TC_JANK_ACQUIRE,
	TC_JANK_LATCH,
	TC_JANK_PRESENT,
	TC_JANK_STEPS
};

struct tc_jank_layer {
	struct tc_str name;
	uint32_t place;
	uint32_t first, count;       /* its submissions */
	unsigned seen;               /* bits of steps that any of its rows tells of */
	bool has_events;             /* buffer events, not phases alone */
	int64_t last[TC_JANK_STEPS]; /* when each came last */
	int64_t from, to;            /* when there was anything of it; TC_NONE */

	/* Of frame numbers in the order of queueing. */
	int64_t queue_ts, queue_number, max_number, max_before, left_at;
	bool is_restarted;   /* they went back: it may have been made anew */
	bool has_left;       /* and then from left_at to where they had been */
	bool is_interleaved; /* and back again: there were two at a time */

	uint32_t proc; /* whose frames name it, TC_ROWS_NO: nobody's */
	bool has_several_procs;
	bool is_chosen;   /* frames of a chosen process name it */
	bool has_sibling; /* the same name with another # at the same time */
	bool is_remade;   /* likewise, at another time */
};

struct tc_jank_submission {
	int64_t buffer_id, frame_number;
	int64_t at[TC_JANK_STEPS]; /* when each step was, or TC_NONE */
	int64_t max_end;           /* of those that the search finds below it */
	uint32_t layer;
	bool has_fence_phase; /* though it may be open */
	bool is_last;         /* of its buffer: no row of that is later */
	bool is_fallback;     /* went through client composition */
};

struct tc_jank_layers {
	struct tc_strtab names;
	struct tc_map index;      /* (place, name) to a layer */
	struct tc_jank_layer *at; /* owned */
	size_t count, cap;
	struct tc_jank_submission *subs; /* owned: by layer, then by when they began */
	size_t sub_count, sub_cap;
};

void tc_jank_layers_release(struct tc_jank_layers *l);

/* The layer of this name, made when there was none; no name: TC_ROWS_NO. */
uint32_t tc_jank_layer(struct tc_jank_layers *l, uint32_t place, struct tc_str name);

/* Marks the layers that the frames of chosen processes name. */
void tc_jank_layers_choose(struct tc_jank_layers *l, const struct tc_rows *r);

/* Gathers submissions, from rows that hold phases and buffer events. */
void tc_jank_layers_gather(struct tc_jank_layers *l, const struct tc_rows *r);

/* Adds what frames tell of their layers; then layers of one name know each other. */
void tc_jank_layers_frames(struct tc_jank_layers *l, const struct tc_rows *r);

/* From when to when its producer had the buffer, as far as known. */
int64_t tc_jank_start(const struct tc_jank_submission *s);
int64_t tc_jank_end(const struct tc_jank_submission *s);

/* When its last step was, as far as known, or TC_NONE. */
int64_t tc_jank_last(const struct tc_jank_submission *s);

/*
 * The submissions of a layer whose time with the producer touches [from, to], in the
 * order of beginning: how many, at most `cap`.
 */
size_t tc_jank_overlapping(const struct tc_jank_layers *l, uint32_t layer, int64_t from,
	int64_t to, const struct tc_jank_submission **found, size_t cap);

#endif
