#ifndef TC_ROWS_ROWS_H
#define TC_ROWS_ROWS_H
/*
 * rows: what a question about frames holds of a stream, and how it hangs together.
 *
 * Takes the rows of traces in any order and keeps those of the kinds asked for, each
 * in at most 64 bytes, and 6 in an index where it is found by a token; input
 * events, which are few, take more. Texts are interned. Once all are in, `settle` puts
 * them in order and answers which belong together: by token within one process, by
 * display token within one place, by thread and time.
 *
 * A place is one machine of one trace of the stream; ids, tokens and times mean
 * something within it alone. Streams that were made apart all count their traces
 * from 0, so an index that was there before begins another stream, with new places.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mem/mem.h"

struct tc_cli;
struct tc_err;
struct tc_rec_type;

/* What can be held. */
enum tc_rows_kind {
	TC_ROWS_FRAME = 1,   /* expected and actual frames of apps */
	TC_ROWS_DISPLAY = 2, /* expected and actual display frames */
	TC_ROWS_PHASE = 4,   /* phases of buffers */
	TC_ROWS_BUFFER = 8,  /* buffer events */
	TC_ROWS_SLICE = 16,  /* slices */
	TC_ROWS_SCHED = 32,  /* thread states */
	TC_ROWS_RATE = 64,   /* spans with the refresh rate in force */
	TC_ROWS_MARKER = 128,
	TC_ROWS_COUNT = 256, /* app frames, of which groups are counted */
	TC_ROWS_INPUT = 512, /* what became of input events */
};

/* Whether the clocks of the two data sources of frames are known in trace time. */
enum tc_rows_clocks {
	TC_ROWS_CLOCKS_UNKNOWN, /* no trace record says */
	TC_ROWS_CLOCKS_MAPPED,
	TC_ROWS_CLOCKS_UNMAPPED, /* at least one is not */
};

struct tc_rows_place {
	int64_t trace, machine;
	/* Of the trace record: TC_NONE and 0 without one. */
	int64_t start_ts, end_ts;
	uint32_t path, device, rules, sources; /* sources: " name name ", those seen */
	size_t stream; /* how many trace records came up to its own */
	enum tc_rows_clocks clocks;
};

/* A process that frames belong to, or that the trace names. */
struct tc_rows_proc {
	int64_t upid, pid;
	uint32_t name, place;
	char name_from, pid_from; /* see owners.c */
	bool has_frames;   /* of an app; or, where those are asked for, input events */
	bool has_displays; /* display frames */
	bool is_meant;     /* by --app, or there is none */
	bool is_chosen;    /* is meant and has frames */
};

struct tc_rows_thread {
	int64_t utid, tid;
	uint32_t name, place, proc; /* proc TC_ROWS_NO: not known */
	char from;                  /* see owners.c */
	bool is_main;
};

#define TC_ROWS_NO UINT32_MAX

/*
 * What an actual frame has in common with others: these are the groups of `stats`,
 * and few. Interned as bytes, so without holes, unknown as TC_NONE.
 */
struct tc_rows_group {
	int64_t pid, on_time;
	uint32_t proc, layer, is_buffer, tag, type, present;
};

/* What else the platform says of one; likewise. */
struct tc_rows_verdict {
	int64_t gpu_composition, mask;
	uint32_t prediction, severity;
};

struct tc_rows_totals {
	int64_t rows, positive, zero, open, invalid;
	int64_t sum_ns, max_ns;
};

/* An expected frame, of an app or of the display. */
struct tc_rows_expected {
	int64_t token, ts, dur, id; /* token: the surface frame's, or the display's own */
	uint32_t proc;
	uint32_t count : 31;     /* rows with this token; kept in the first of them */
	uint32_t is_outlier : 1; /* far away from the trace */
};

/* An actual frame, of an app or of the display. */
struct tc_rows_actual {
	int64_t token; /* as above */
	int64_t display_token, ts, dur, id;
	uint32_t group, verdict; /* for tc_rows_group_of and tc_rows_verdict_of */
	float score;             /* NAN when unknown */
	uint32_t count;          /* display frames: as of expected ones */
	uint32_t place;
};

/* What phases and buffer events have in common with others of their buffer. */
struct tc_rows_buffer {
	int64_t buffer_id;
	uint32_t layer, track, name, none; /* name: of the phase or the event; none 0 */
};

struct tc_rows_phase {
	int64_t id, ts, dur, frame_number;
	uint32_t buffer, place; /* buffer: for tc_rows_buffer_of */
};

struct tc_rows_slice {
	int64_t id, ts, dur, vsync_id;
	uint32_t proc, thread; /* TC_ROWS_NO: none */
	uint32_t name, track;
	char kind; /* the first letter: thread, async, instant */
};

/* How much of a time a thread was on a CPU, waiting for one, or for something else. */
struct tc_rows_times {
	int64_t running_ns, runnable_ns, blocked_ns;
};

struct tc_rows_sched {
	int64_t ts, dur;
	uint32_t thread, state;
};

/*
 * An input event on its way to an app, from input_latency: instants, TC_NONE for what
 * was not seen.
 */
struct tc_rows_input {
	int64_t read_ts, event_ts, dispatch_ts, receive_ts, finish_ts, ack_ts;
	int64_t present_ts, frame_id, matched_frame_id, event_id, seq, pid, tid;
	uint32_t proc, thread; /* whose it is; TC_ROWS_NO until they are settled */
	uint32_t place, type, action, channel, normalized, process, thread_name, match;
};

struct tc_rows_rate {
	int64_t ts, dur, period_ns; /* period TC_NONE: not known */
	uint32_t place;
};

struct tc_rows_marker {
	int64_t ts, dur, repetition;
	uint32_t name, scenario, place; /* place TC_ROWS_NO: any */
};

/* A growing array of one kind of row. */
#define TC_ROWS_LIST(type) \
	struct { \
		struct type *at; /* owned */ \
		size_t count, cap; \
	}

/* A zeroed item more at the end of a list. */
#define TC_ROWS_MORE(list) \
	(tc_mem_grow(&(list)->at, &(list)->cap, (list)->count + 1, sizeof(*(list)->at)), \
		memset(&(list)->at[(list)->count], 0, sizeof(*(list)->at)), \
		&(list)->at[(list)->count++])

struct tc_rows {
	unsigned kinds; /* of enum tc_rows_kind: what is held */

	/* Which processes: a name or glob, "pid=N", "upid=N"; NULL: every one. */
	const char *app;
	bool all; /* several processes may fit */
	/* Whose display frames count: "pid=N", "upid=N"; NULL: as they reveal it. */
	const char *sf;

	struct tc_strtab names; /* every text */
	struct tc_strtab groups, verdicts, buffers;
	struct tc_rows_totals *totals; /* owned: by group - 1 */
	size_t totals_cap;

	TC_ROWS_LIST(tc_rows_place) places;
	TC_ROWS_LIST(tc_rows_proc) procs;
	TC_ROWS_LIST(tc_rows_thread) threads;
	TC_ROWS_LIST(tc_rows_expected) expected, display_expected;
	TC_ROWS_LIST(tc_rows_actual) actual, display_actual;
	TC_ROWS_LIST(tc_rows_phase) phases, events;
	TC_ROWS_LIST(tc_rows_slice) slices;
	TC_ROWS_LIST(tc_rows_sched) scheds;
	TC_ROWS_LIST(tc_rows_input) inputs;
	TC_ROWS_LIST(tc_rows_rate) rates;
	TC_ROWS_LIST(tc_rows_marker) markers;

	/* Of the stream under way: trace indexes, and (trace, machine) to a place. */
	struct tc_map traces, place_index;
	size_t stream_count;
	struct tc_map proc_index;   /* (place, upid) to a process */
	struct tc_map thread_index; /* (place, utid) to a thread */
	uint32_t *expected_index,
		*display_expected_index; /* owned: by hash, see join.c */
	uint32_t *display_index;         /* owned */
	size_t expected_slots, display_expected_slots, display_slots;
	struct tc_rows_times *sched_sums; /* owned: of the thread's states before each */
	uint32_t *sf_of; /* owned: by place, its SurfaceFlinger process or TC_ROWS_NO */
};

/* Whether this can be rows->app, or with only_numbers rows->sf. */
bool tc_rows_is_app(const char *app, bool only_numbers);

/* Whether rows->app fits a process; the name, if it has one, has a NUL behind it. */
bool tc_rows_fits_app(const char *app, int64_t upid, int64_t pid, struct tc_str name);

void tc_rows_release(struct tc_rows *r);

/*
 * The record types that rows come from, ended by NULL, and what kind each is: 0 for
 * those that say what others mean.
 */
struct tc_rows_source {
	const struct tc_rec_type *type;
	unsigned kinds;    /* taken in when one of these is held, or 0: always */
	bool is_trace_row; /* a row of a trace, which answers replace */
	void (*add)(struct tc_rows *r, const void *rec);
};
extern const struct tc_rows_source tc_rows_sources[];

/* Takes in a record of one of these types. */
void tc_rows_add(struct tc_rows *r, const struct tc_rec_type *type, const void *rec);

/* The place that rows of this trace and machine belong to at this point of the stream. */
uint32_t tc_rows_place(struct tc_rows *r, int64_t trace, int64_t machine);

/* Whether neither a trace came nor anything of one. */
bool tc_rows_is_empty(const struct tc_rows *r);

/*
 * Once all rows are in: puts them in order, finds what belongs together and settles
 * which processes are meant. -1 with TC_USAGE when none fits, or several do and
 * `all` is not set; they are listed.
 */
int tc_rows_settle(struct tc_rows *r, struct tc_cli *cli, struct tc_err *err);

/* The text of an id of names. */
static inline struct tc_str
tc_rows_text(const struct tc_rows *r, uint32_t id)
{
	return tc_strtab_str(&r->names, id);
}

const struct tc_rows_group *tc_rows_group_of(const struct tc_rows *r, uint32_t group);
const struct tc_rows_verdict *tc_rows_verdict_of(
	const struct tc_rows *r, uint32_t verdict);
const struct tc_rows_buffer *tc_rows_buffer_of(const struct tc_rows *r, uint32_t buffer);

/* Whether the platform says that its frames were never shown. */
bool tc_rows_is_dropped(const struct tc_rows *r, const struct tc_rows_group *g);

/* Whose frames a group holds. */
const struct tc_rows_proc *tc_rows_proc_of(const struct tc_rows *r, uint32_t group);

/* After settle. */

/* The first expected row of an app frame's token in its process, or NULL; see count. */
const struct tc_rows_expected *tc_rows_expectation(
	const struct tc_rows *r, const struct tc_rows_actual *a);

/* What counts of it: the token's only row, and not far away from the trace; or NULL. */
const struct tc_rows_expected *tc_rows_only(const struct tc_rows_expected *e);

/*
 * When a frame should have ended, or TC_NONE: of NULL, and without a deadline, which is
 * as late as a time can be.
 */
int64_t tc_rows_expected_end(const struct tc_rows_expected *e);

/*
 * The display frames of the app frame's display token, in its place and of the one
 * SurfaceFlinger process there: *count of them, the first returned, or NULL. Token 0
 * is what skipped frames have, and no frame's display token.
 */
const struct tc_rows_actual *tc_rows_display(
	const struct tc_rows *r, const struct tc_rows_actual *a, size_t *count);

/* What was expected of a display frame, likewise of the token's rows. */
const struct tc_rows_expected *tc_rows_display_expectation(
	const struct tc_rows *r, const struct tc_rows_actual *display);

/* The span that a time in a place falls into, or NULL; needs TC_ROWS_RATE. */
const struct tc_rows_rate *tc_rows_rate(
	const struct tc_rows *r, uint32_t place, int64_t ts);

/* The period in force in a place at a time, or TC_NONE; likewise. */
int64_t tc_rows_period(const struct tc_rows *r, uint32_t place, int64_t ts);

/*
 * Slices that belong to this vsync id in this process: *count of them in the order of
 * time, the first returned. Needs TC_ROWS_SLICE.
 */
const struct tc_rows_slice *tc_rows_slices(
	const struct tc_rows *r, uint32_t proc, int64_t vsync_id, size_t *count);

/* Whether a slice is a frame's work on the UI's thread, and on the render thread. */
bool tc_rows_is_do_frame(const struct tc_rows *r, const struct tc_rows_slice *s);
bool tc_rows_is_draw_frame(const struct tc_rows *r, const struct tc_rows_slice *s);

/* The states of a thread that overlap [ts, end), in the order of time. */
const struct tc_rows_sched *tc_rows_states(
	const struct tc_rows *r, uint32_t thread, int64_t ts, int64_t end, size_t *count);

/*
 * What the thread did from ts to end, of which the trace may not tell all. False when it
 * tells nothing.
 */
bool tc_rows_times(const struct tc_rows *r, uint32_t thread, int64_t ts, int64_t end,
	struct tc_rows_times *t);

/* When an event was seen first on its way, or TC_NONE. */
int64_t tc_rows_input_ts(const struct tc_rows_input *in);

/* a - b, or TC_NONE where one is not known or the difference has no place. */
int64_t tc_rows_minus(int64_t a, int64_t b);

/* ts + dur, or TC_NONE where dur is not positive or the sum has no place. */
int64_t tc_rows_end(int64_t ts, int64_t dur);

/* The layer's name as the other data source has it: without `TX - ` in front. */
struct tc_str tc_rows_layer(struct tc_str name);

#endif
