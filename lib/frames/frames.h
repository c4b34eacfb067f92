#ifndef TC_FRAMES_FRAMES_H
#define TC_FRAMES_FRAMES_H
/*
 * frames: what SurfaceFlinger's two data sources mean, without their bytes.
 *
 * Buffer events (FrameTracer) open and close phases; frame timeline events
 * open and close expected and actual frames. Both are fed in the order of
 * trace time; what an event opened is kept in the event itself, so that rows
 * can be written in order once all of them are closed that will be.
 *
 * Layers are ids of one string table. All state is keyed by machine too.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mem/mem.h"

/* GraphicsFrameEvent.BufferEvent.type */
enum tc_buffer_type {
	TC_BUFFER_UNSPECIFIED = 0,
	TC_BUFFER_DEQUEUE = 1,
	TC_BUFFER_QUEUE = 2,
	TC_BUFFER_POST = 3,
	TC_BUFFER_ACQUIRE_FENCE = 4,
	TC_BUFFER_LATCH = 5,
	TC_BUFFER_HWC_QUEUED = 6,
	TC_BUFFER_FALLBACK = 7,
	TC_BUFFER_PRESENT_FENCE = 8,
	TC_BUFFER_RELEASE_FENCE = 9,
	TC_BUFFER_MODIFY = 10,
	TC_BUFFER_DETACH = 11,
	TC_BUFFER_ATTACH = 12,
	TC_BUFFER_CANCEL = 13,
	TC_BUFFER_UNKNOWN = 255, /* absent, or a value not listed */
};

enum tc_phase {
	TC_PHASE_NONE,
	TC_PHASE_APP,     /* dequeue to queue: the producer holds the buffer */
	TC_PHASE_GPU,     /* queue to acquire fence: the producer's work goes on */
	TC_PHASE_SF,      /* latch to present */
	TC_PHASE_DISPLAY, /* present to the layer's next present */
};

enum { TC_MAX_DEPTH = 512 }; /* slices that a track can nest (spec 3.6) */

/* "Dequeue", ...: the name of the raw row. */
struct tc_str tc_buffer_type_name(enum tc_buffer_type type);

/* "app_hold", ...: the phase's name in our records. */
struct tc_str tc_phase_name(enum tc_phase phase);

/* "APP_", ...: how the phase's track is named in Perfetto. */
struct tc_str tc_phase_track(enum tc_phase phase);

/* Millions of these are held: fields stand where they leave no holes. */
struct tc_buffer_event {
	uint16_t owner; /* the caller's */
	uint8_t type;   /* enum tc_buffer_type */
	uint8_t phase;  /* enum tc_phase: what this event opened, if anything */
	uint16_t machine;
	unsigned depth : 10; /* of the phase, as all that follows */
	unsigned is_open : 1, is_renamed : 1;
	unsigned is_dropped : 1;       /* no raw row: overlaps, or dur < 0 */
	unsigned is_clock_assumed : 1; /* the caller's too */
	uint32_t buffer_id, layer;     /* layer 0: not given */
	uint32_t frame_number;         /* 0: not given */
	uint32_t phase_frame;          /* its frame number; when renamed, also its name */
	int64_t dur;                   /* of the raw row, mostly 0 */
	int64_t phase_dur;             /* when it is not open */
};

_Static_assert(sizeof(struct tc_buffer_event) == 40, "no holes");

enum tc_buffer_result { TC_BUFFER_FINE = 0, TC_BUFFER_OVERLAPS, TC_BUFFER_NEGATIVE };

struct tc_phases {
	struct tc_map buffers; /* (machine and buffer id, layer) to struct buffer */
	struct tc_map layers;  /* (machine, layer) to its open display phases */
	struct tc_arena arena;
	int64_t too_deep; /* phases that found their track full */
};

/* Feeds one event; says what happened to its raw row. The phase always goes on. */
enum tc_buffer_result tc_phases_feed(
	struct tc_phases *ph, int64_t ts, struct tc_buffer_event *e);
void tc_phases_release(struct tc_phases *ph);

/*
 * The three times on a raw row, from what was seen of its buffer so far, and
 * which of them do not measure this frame. Fed in order too, on its own.
 */
struct tc_buffer_times {
	int64_t queue_to_acquire, acquire_to_latch, latch_to_present;
	bool is_stale[3]; /* in the order above */
};

struct tc_times {
	struct tc_map buffers;
	struct tc_arena arena;
};

void tc_times_feed(struct tc_times *t, int64_t ts, const struct tc_buffer_event *e,
	struct tc_buffer_times *out);
void tc_times_release(struct tc_times *t);

/* FrameTimeline. What an enum field holds when it is absent or out of range. */
enum { TC_FRAME_ABSENT = 255, TC_FRAME_INVALID = 254 };

struct tc_frame {
	uint16_t owner, gap; /* these three are the caller's */
	uint8_t mark;
	bool is_actual : 1, is_surface : 1; /* else expected, else display */
	bool is_hidden : 1; /* an expected frame whose token is known: no row */
	bool is_open : 1;
	bool on_time : 1, gpu : 1, has_extra : 1; /* of actual frames */
	uint16_t machine;
	uint32_t layer;
	uint32_t upid; /* until it is applied, the pid */
	int64_t token, display_token;
	int64_t dur; /* begin while open, and until it is applied the cookie */
};

/* What few traces have: fields of Android 16 and 17. */
struct tc_actual_extra {
	int32_t jank_mask; /* these three are experimental */
	uint8_t present;   /* enum value, TC_FRAME_ABSENT or _INVALID */
	float metadata;    /* NAN: absent, here and below */
	uint8_t fence;     /* as present */
	float jitter, animation_time;
	int64_t latched_unsignaled, addressable_unsignaled; /* INT64_MIN: absent */
};

/* What an actual frame has on top. */
struct tc_actual {
	struct tc_frame frame; /* first */
	int32_t jank_mask;
	/* Values of the enums, TC_FRAME_ABSENT, or TC_FRAME_INVALID. */
	uint8_t present, prediction, severity;
	uint8_t is_buffer;          /* 0, 1, TC_FRAME_ABSENT */
	float present_delay, score; /* NAN: absent */
};

_Static_assert(
	sizeof(struct tc_frame) == 40 && sizeof(struct tc_actual) == 56, "no holes");

struct tc_timeline {
	struct tc_map cookies; /* (machine, cookie) to the frame begun last */
	struct tc_map tokens; /* of expected surface frames: (upid, token / 64) to bits */
};

/* A frame starts that is of this process; f->dur is its cookie. */
void tc_timeline_start(
	struct tc_timeline *tl, int64_t ts, uint32_t upid, struct tc_frame *f);

/* The same for a frame whose end is known: nothing else in the trace has its cookie. */
void tc_timeline_whole(
	struct tc_timeline *tl, int64_t dur, uint32_t upid, struct tc_frame *f);

/* A frame ends. false: no frame of that cookie had begun. */
bool tc_timeline_end(
	struct tc_timeline *tl, int64_t ts, uint32_t machine, int64_t cookie);
void tc_timeline_release(struct tc_timeline *tl);

/* Bits of a jank mask: the display was changing its mode. */
enum { TC_JANK_MODE_CHANGE = 16384, TC_JANK_POWER_MODE_CHANGE = 32768 };

/*
 * The refresh periods of a machine's displays, estimated from the starts of
 * expected display frames: tell frames and mode changes in the order of time,
 * then estimate once.
 */
struct tc_rate_span {
	int64_t ts, dur;
	int64_t period_ns; /* 0: the frames do not tell */
};

struct tc_rate_change {
	int64_t first, last;
};

struct tc_rates {
	int64_t *frames; /* owned: when they start */
	size_t frame_count, frame_cap;
	struct tc_rate_change *changes; /* owned */
	size_t change_count, change_cap;
	struct tc_rate_run *runs; /* owned: of the estimate under way */
	size_t run_count, run_cap;
	struct tc_rate_span *spans; /* owned: one after another, without holes */
	size_t span_count, span_cap;
};

void tc_rates_frame(struct tc_rates *r, int64_t ts);
void tc_rates_change(struct tc_rates *r, int64_t ts);
void tc_rates_estimate(struct tc_rates *r);
void tc_rates_release(struct tc_rates *r);

/* The present type of a frame that was never shown. */
enum { TC_PRESENT_DROPPED = 4 };

/* Perfetto's texts. A present type 0 or out of range counts as not given. */
struct tc_str tc_present_text(uint8_t present);
struct tc_str tc_prediction_text(uint8_t prediction);
struct tc_str tc_severity_text(uint8_t severity, int32_t jank_mask);
struct tc_str tc_fence_text(uint8_t fence);

/* Room for the names of all bits, joined. */
enum { TC_JANK_TEXT_MAX = 384 };
struct tc_str tc_jank_text(int32_t mask, char buf[TC_JANK_TEXT_MAX]);
struct tc_str tc_jank_tag(bool is_surface, int32_t mask, uint8_t present);

#endif
