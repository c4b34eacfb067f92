#ifndef TC_INPUT_INPUT_H
#define TC_INPUT_INPUT_H
/*
 * input: how long input events took, from the slices of those who pass them on.
 *
 * An input event is one exchange of four messages on a channel: it is dispatched,
 * received, finished, and the finish is acknowledged. Channel and sequence number
 * say which messages belong together; numbers are used again, so what has the same
 * ones is paired in the order of time. The type of a message and not the thread
 * says which of the four it is. Whatever was not seen stays NULL.
 *
 * An app handles an event in a delivery, a slice with the event's id, which meets a
 * frame of its thread or else waits for the next. What that frame showed, and when,
 * is told by the frame timeline.
 *
 * Slices come in the order of time and are borrowed for as long as the module is
 * used; frames in the order of their rows. tc_input_join then makes the rows.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mem/mem.h"
#include "proc/proc.h"
#include "slices/slices.h"

/* ---- texts of slices ---- */

enum tc_input_stage {
	TC_INPUT_DISPATCH,
	TC_INPUT_RECEIVE,
	TC_INPUT_FINISH,
	TC_INPUT_ACK,
	TC_INPUT_STAGES,
};

struct tc_input_message {
	enum tc_input_stage stage;
	struct tc_str channel; /* as the publisher writes it */
	struct tc_str base;    /* without the suffix of either side */
	struct tc_str type;
	uint64_t seq;
	bool is_motion;
};

/* Whether a slice of this name is a message of an exchange; borrows from the name. */
bool tc_input_message(struct tc_str name, struct tc_input_message *m);

/* A channel's base as people know it: no hash of the window in front, no popup's number.
 */
struct tc_str tc_input_channel_name(struct tc_str base);

/* MOVE, POINTER_DOWN(1): from `dispatchInputEvent MotionEvent ACTION_MOVE ...`. */
struct tc_str tc_input_action(struct tc_str name);

/* The number behind the last `key` in the name of a slice. */
bool tc_input_number(struct tc_str name, const char *key, int base, int64_t *number);

/* ---- joining ---- */

enum tc_input_match {
	TC_INPUT_NONE,        /* not delivered, or no frame after it */
	TC_INPUT_SPECULATIVE, /* the first frame after the delivery */
	TC_INPUT_EXACT,       /* the frame that the delivery was in */
};

struct tc_input_frame {
	int64_t token; /* of the process */
	int64_t display_token;
	int64_t ts, dur; /* dur -1: never closed */
	uint32_t upid, machine;
	bool is_surface, is_dropped;
};

struct tc_input_event {
	const struct tc_slice *parts[TC_INPUT_STAGES]; /* NULL: not seen */
	const struct tc_slice *last_finish;            /* the same when there is one */
	const struct tc_slice *read;                   /* by the reader, or NULL */
	const struct tc_slice *delivery;               /* NULL: none of its own */
	const struct tc_slice *frame;                  /* of the delivery, or NULL */
	int64_t ts;                                    /* of what was seen first */
	int64_t event_id;                              /* TC_SLICE_NONE: not known */
	int64_t batch_id;     /* of the event that it was delivered with, or NONE */
	int64_t presented;    /* token of the first frame that showed it, or NONE */
	int64_t presented_ts; /* when it was shown, or NONE */
	uint32_t finishes;    /* how often it was finished */
	enum tc_input_match match;
	uint32_t channel;  /* string id of the base */
	uint32_t met, own; /* deliveries, by index + 1: around the finish; its own */
	bool is_motion;
};

struct tc_input {
	struct tc_strtab *names;     /* borrowed */
	struct tc_input_note *notes; /* owned */
	size_t note_count, note_cap;
	struct tc_input_event *events; /* owned: the rows, in the order of ts */
	size_t event_count, event_cap;
	struct tc_input_delivery *deliveries; /* owned */
	size_t delivery_count, delivery_cap;
	struct tc_input_doframe *doframes; /* owned */
	size_t doframe_count, doframe_cap;
	struct tc_input_thread *threads; /* owned */
	size_t thread_count, thread_cap;
	const struct tc_slice **reads; /* owned */
	size_t read_count, read_cap;
	struct tc_input_frame *surfaces, *displays; /* owned */
	size_t surface_count, surface_cap, display_count, display_cap;

	/* To an index + 1 of the above. */
	struct tc_map by_seq;     /* (channel and machine, seq): the last note */
	struct tc_map by_slice;   /* (id of the slice, 0): delivery */
	struct tc_map by_event;   /* (utid, event id): first delivery that is not taken */
	struct tc_map by_utid;    /* (utid, 0): thread */
	struct tc_map by_read;    /* (machine, event id): the last reading */
	struct tc_map by_display; /* (machine, token): the first display frame */
	struct tc_map by_surface; /* (upid, token): the first surface frame */
};

void tc_input_init(struct tc_input *in, struct tc_strtab *names);
void tc_input_release(struct tc_input *in);

/* The slice's utid is known, what its thread is called need not be. */
void tc_input_slice(struct tc_input *in, const struct tc_slice *s);
void tc_input_frame(struct tc_input *in, const struct tc_input_frame *f);

/* Completes the events, when all slices and frames were seen. */
void tc_input_join(struct tc_input *in, const struct tc_procs *procs);

#endif
