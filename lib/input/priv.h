#ifndef TC_INPUT_PRIV_H
#define TC_INPUT_PRIV_H
/* Inside input: what is known while slices come and until they are joined. */
#include "input/input.h"

/* A message as it was seen. */
struct tc_input_note {
	const struct tc_slice *slice, *read; /* read: of what is dispatched, or NULL */
	int64_t event_id;                    /* of what is dispatched */
	uint32_t channel;
	uint32_t next; /* with the same channel and number, by index + 1 */
	uint8_t stage;
	bool is_first, is_motion;
};

/* An event as an app got it. */
struct tc_input_delivery {
	const struct tc_slice *slice, *read, *frame;
	int64_t event_id;
	enum tc_input_match match;
	uint32_t owner;        /* event, by index + 1 */
	uint32_t next_waiting; /* of the thread's, for a frame; index + 1 */
	uint32_t next_same;    /* of the same event on the same thread; index + 1 */
};

struct tc_input_doframe {
	const struct tc_slice *slice;
	uint32_t outer; /* the one around it, by index + 1 */
};

struct tc_input_thread {
	uint32_t doframe; /* begun last and not over yet, by index + 1 */
	uint32_t waiting; /* first delivery that waits for a frame, by index + 1 */
};

/* Makes events of the notes, in the order of time. */
void tc_input_pair(struct tc_input *in);

/*
 * Once all frames are known: keeps those surface frames that were presented, by
 * process and time; and finds the one that first showed an event with a frame.
 */
void tc_input_sort_frames(struct tc_input *in);
void tc_input_present(struct tc_input *in, uint32_t upid, struct tc_input_event *e);

#endif
