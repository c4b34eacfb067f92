#ifndef TC_GEN_SCENE_H
#define TC_GEN_SCENE_H
/*
 * scene: a phone whose frames are simulated and written as a trace.
 *
 *   scene_sim.c     app, system UI and SurfaceFlinger, one display slot at a time
 *   scene_judge.c   what the platform says about a frame: present and jank type
 *   scene_write.c   packets of the two frame data sources, and their way out
 *   scene_meta.c    packets that describe the trace and its processes
 *   scene_ftrace.c  the scheduler, print and other events that fill a real trace
 *
 * A slot is one vsync of the display: app frames, predictions and SurfaceFlinger's
 * wake-ups are all counted in it. Only causes are scripted (a long frame, a slow
 * SurfaceFlinger, ...); lateness, stuffing and what is blamed follow from them, so
 * times and verdicts agree. All times are MONOTONIC ns until they are written.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gen.h"

enum tc_scene_mix {
	TC_SCENE_SCENE,
	TC_SCENE_SYSTEM,
	TC_SCENE_FRAMES,
	TC_SCENE_MIXED,
	TC_SCENE_ATRACE,
};

enum {
	TC_SCENE_SDK = 34, /* frame packets hold what this release writes, no more */
	TC_SCENE_CLOCK_MONOTONIC = 3,
	TC_SCENE_CLOCK_BOOTTIME = 6,

	TC_SCENE_SEQ_SERVICE = 1,
	TC_SCENE_SEQ_PROCESSES = 2,
	TC_SCENE_SEQ_FTRACE = 3,
	TC_SCENE_SEQ_LOG = 4,
	TC_SCENE_SEQ_TRACER = 5,
	TC_SCENE_SEQ_TIMELINE = 6,

	TC_SCENE_UID_SYSTEM = 1000,
	TC_SCENE_UID_TRACED = 9999,

	TC_SCENE_SF_PID = 612,
	TC_SCENE_PROBES_PID = 702,
	TC_SCENE_SYSTEMUI_PID = 1893,
	TC_SCENE_APP_PID = 9321,
	TC_SCENE_APP_RENDER_TID = 9347,

	TC_SCENE_MS = 1000000, /* ns */
	TC_SCENE_MAX_SURFACES = 5,
	TC_SCENE_MAX_PENDING = 4,
	TC_SCENE_MAX_QUEUED = 4, /* more than the app has buffers */
};

/* Bits and values as they are in the trace, not those inside the platform. */
enum tc_scene_jank {
	TC_SCENE_JANK_NONE = 1,
	TC_SCENE_JANK_SF_SCHEDULING = 2,
	TC_SCENE_JANK_PREDICTION_ERROR = 4,
	TC_SCENE_JANK_DISPLAY_HAL = 8,
	TC_SCENE_JANK_SF_CPU = 16,
	TC_SCENE_JANK_SF_GPU = 32,
	TC_SCENE_JANK_APP = 64,
	TC_SCENE_JANK_STUFFING = 128,
	TC_SCENE_JANK_UNKNOWN = 256,
	TC_SCENE_JANK_SF_STUFFING = 512,
	TC_SCENE_JANK_DROPPED = 1024,
};

enum tc_scene_present {
	TC_SCENE_PRESENT_UNKNOWN = 0, /* SurfaceFlinger writes 0 for its own "unknown" */
	TC_SCENE_PRESENT_ON_TIME = 1,
	TC_SCENE_PRESENT_LATE = 2,
	TC_SCENE_PRESENT_EARLY = 3,
	TC_SCENE_PRESENT_DROPPED = 4,
};

enum tc_scene_buffer_event {
	TC_SCENE_DEQUEUE = 1,
	TC_SCENE_QUEUE = 2,
	TC_SCENE_ACQUIRE_FENCE = 4,
	TC_SCENE_LATCH = 5,
	TC_SCENE_FALLBACK = 7,
	TC_SCENE_PRESENT_FENCE = 8,
};

struct tc_scene_rng {
	uint64_t state;
};

struct tc_scene_opts {
	int64_t seconds;
	int64_t hz;
	uint64_t seed;
	uint64_t min_bytes;
	int64_t frames; /* length in slots; 0: seconds and min_bytes say how long */
	enum tc_scene_mix mix;
	bool deflate;
};

/* A layer has two names: the tracer's, and the timeline's with a prefix. */
struct tc_scene_layer {
	int32_t pid;
	const char *tracer_name; /* NULL: has no buffers */
	const char *timeline_name;
	int64_t last_latch; /* 0: none yet */
};

/* A fence event that was not signalled when it was due to be traced. */
struct tc_scene_fence {
	enum tc_scene_buffer_event type;
	uint32_t frame_number;
	int64_t signal;
};

struct tc_scene_buffer {
	uint32_t id;
	int64_t free_at; /* INT64_MAX: in use */
	struct tc_scene_fence pending[TC_SCENE_MAX_PENDING];
	size_t n_pending;
};

struct tc_scene_verdict {
	enum tc_scene_present present;
	bool on_time;
	unsigned jank; /* of enum tc_scene_jank */
};

struct tc_scene_expect {
	int64_t start, end, present;
};

struct tc_scene_surface {
	struct tc_scene_layer *layer;
	struct tc_scene_buffer *buffer; /* NULL: a transaction without one */
	int64_t token;
	uint32_t frame_number;
	unsigned causes; /* of enum tc_scene_cause */
	struct tc_scene_expect expect;
	bool expired; /* the platform has forgotten what it expected */
	bool announced;
	int64_t dropped_at; /* 0: it was not */
	bool client;        /* composed by the GPU */
	int64_t start, dequeue, queue, acquire;
	int64_t end; /* what the platform calls the frame's actual end */
	struct tc_scene_verdict verdict;
};

struct tc_scene_display {
	int64_t token;
	struct tc_scene_expect expect;
	int64_t start, latch, end, present;
	int64_t last_present, last_expected; /* those of the display frame before */
	bool gpu;
	struct tc_scene_verdict verdict;
	struct tc_scene_surface *surfaces[TC_SCENE_MAX_SURFACES];
	size_t n_surfaces;
};

/* Packets of one writer, kept until a batch of them goes into the file. */
struct tc_scene_lane {
	struct tc_gen_out out;
	uint32_t sequence;
	size_t batch_bytes;
	bool started;
};

struct tc_scene_writer {
	struct tc_gen_out file;
	struct tc_gen_out group; /* packets that go into the next compressed element */
	size_t group_bytes;      /* how many make one; 0: nothing is compressed */
	struct tc_scene_lane timeline, tracer;
	struct tc_scene_rng rng;
	enum tc_scene_mix mix;
	int64_t boot_offset; /* BOOTTIME less MONOTONIC: time spent suspended */
	int64_t next_snapshot;
	int64_t cookie;
	uint64_t frame_bytes; /* of both lanes, so far */
};

struct tc_scene_app {
	int64_t next_slot;
	int64_t ui_free, render_free;
	uint32_t frame_number;
	struct tc_scene_buffer buffers[3];
	struct tc_scene_buffer *shown;
	struct tc_scene_surface queued[TC_SCENE_MAX_QUEUED]; /* oldest first */
	size_t n_queued;
};

struct tc_scene_systemui {
	struct tc_scene_buffer buffers[3];
	uint32_t frame_number;
	struct tc_scene_surface bar, leash;
};

struct tc_scene_ftrace;

struct tc_scene {
	struct tc_scene_opts opts;
	struct tc_scene_rng rng;
	int64_t start; /* of the tracing session */
	int64_t period;
	int64_t slot;
	int64_t last_present, last_expected;
	struct tc_scene_layer app_layer, bar_layer, leash_layer;
	struct tc_scene_app app;
	struct tc_scene_systemui systemui;
	struct tc_scene_writer writer;
	struct tc_scene_ftrace *ftrace; /* owned; NULL unless the mix has it */
};

uint64_t tc_scene_random(struct tc_scene_rng *rng);
int64_t tc_scene_between(struct tc_scene_rng *rng, int64_t low, int64_t high);

void tc_scene_init(struct tc_scene *s, const struct tc_scene_opts *opts, int fd);
void tc_scene_release(struct tc_scene *s);

/* Simulates and writes the next slot. */
void tc_scene_step(struct tc_scene *s);

/* Ends the session and writes what is buffered; -1: see writer.file.error. */
int tc_scene_finish(struct tc_scene *s);

/* Nanoseconds of the story so far, and bytes of trace, those in memory included. */
int64_t tc_scene_elapsed(const struct tc_scene *s);
uint64_t tc_scene_bytes(const struct tc_scene *s);

void tc_scene_judge_display(struct tc_scene_display *d, int64_t period);
void tc_scene_judge_surface(
	struct tc_scene_surface *f, const struct tc_scene_display *d, int64_t period);

void tc_scene_writer_init(
	struct tc_scene_writer *w, const struct tc_scene_opts *opts, int fd);
void tc_scene_writer_release(struct tc_scene_writer *w);
/* Puts what the lanes hold into the file; finish does so with all the rest. */
void tc_scene_flush_lanes(struct tc_scene_writer *w);
int tc_scene_writer_finish(struct tc_scene_writer *w);

/* A packet that belongs to neither frame data source. */
void tc_scene_write_packet(struct tc_scene_writer *w, const Tc__TracePacket *packet);
void tc_scene_write_payload(struct tc_scene_writer *w, const uint8_t *bytes, size_t len);
void tc_scene_set_origin(Tc__TracePacket *p, uint32_t sequence, int32_t uid);
void tc_scene_set_time(Tc__TracePacket *p, int64_t ts);

/* What comes before the frames, every ten seconds, and after them. */
void tc_scene_write_head(struct tc_scene_writer *w, int64_t now, uint64_t seed);
void tc_scene_write_snapshot(struct tc_scene_writer *w, int64_t now);
void tc_scene_write_tail(struct tc_scene_writer *w, int64_t now);

/* The display frame with all its surface frames, in SurfaceFlinger's order. */
void tc_scene_write_display(
	struct tc_scene_writer *w, const struct tc_scene_display *d, int64_t period);

/*
 * Events of a surface frame's buffer. ts is the event's time, now the time at which
 * SurfaceFlinger gets to trace it: fences that have signalled by then come first.
 */
void tc_scene_trace_event(struct tc_scene_writer *w, struct tc_scene_surface *f,
	enum tc_scene_buffer_event type, int64_t ts, int64_t now);
void tc_scene_trace_fence(struct tc_scene_writer *w, struct tc_scene_surface *f,
	enum tc_scene_buffer_event type, int64_t signal, int64_t now);

bool tc_scene_has_ftrace(enum tc_scene_mix mix);
struct tc_scene_ftrace *tc_scene_ftrace_new(
	const struct tc_scene_opts *opts, int64_t start, int64_t period);
void tc_scene_ftrace_free(struct tc_scene_ftrace *ft);

/* A slice of a thread that runs frames; each thread's come in the order of time. */
void tc_scene_ftrace_slice(struct tc_scene_ftrace *ft, int32_t tid, const char *name,
	int64_t id, int64_t begin, int64_t end);

/* Runs all CPUs up to that time, so that frames get their share of the bytes. */
void tc_scene_ftrace_run(
	struct tc_scene_ftrace *ft, struct tc_scene_writer *w, int64_t until);
void tc_scene_ftrace_finish(struct tc_scene_ftrace *ft, struct tc_scene_writer *w);

#endif
