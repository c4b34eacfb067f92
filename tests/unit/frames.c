/* frames: phases of buffers, frames by cookie, and what jank is called. */
#include "frames/frames.h"

#include <stdlib.h>

#include "check.h"

enum {
	DEQUEUE = TC_BUFFER_DEQUEUE,
	QUEUE = TC_BUFFER_QUEUE,
	ACQUIRE = TC_BUFFER_ACQUIRE_FENCE,
	LATCH = TC_BUFFER_LATCH,
	FALLBACK = TC_BUFFER_FALLBACK,
	PRESENT = TC_BUFFER_PRESENT_FENCE,
};
enum {
	APP = TC_PHASE_APP,
	GPU = TC_PHASE_GPU,
	SF = TC_PHASE_SF,
	DISPLAY = TC_PHASE_DISPLAY
};
enum { LAYER = 1 };

/* One event, and the phase that it opens: `phase` 0, none. */
struct fed {
	int64_t ts;
	int type;
	uint32_t frame, buffer;
	int phase;
	int64_t dur; /* -1: open to the end */
	int64_t name;
	int depth;
};

static struct tc_phases phases;

/* As the row is named: after its frame, or after its time. */
static int64_t
name_of(const struct tc_buffer_event *e, int64_t ts)
{
	return e->phase_frame || e->is_renamed ? (int64_t)e->phase_frame : ts;
}

/* Feeds all, then looks at the rows, as those of a trace are written. */
static void
check_feed(const struct fed *fed, size_t n)
{
	struct tc_buffer_event *e = calloc(n, sizeof(*e));
	size_t i;

	if (!e)
		abort();
	for (i = 0; i < n; i++) {
		e[i].type = (uint8_t)fed[i].type;
		e[i].frame_number = fed[i].frame;
		e[i].buffer_id = fed[i].buffer;
		e[i].layer = LAYER;
		CHECK_INT(tc_phases_feed(&phases, fed[i].ts, &e[i]), TC_BUFFER_FINE);
		CHECK(!e[i].is_dropped);
	}
	for (i = 0; i < n; i++) {
		bool ok = CHECK_INT(e[i].phase, fed[i].phase);

		if (ok && fed[i].phase)
			ok = CHECK_INT(e[i].is_open ? -1 : e[i].phase_dur, fed[i].dur) &&
				CHECK_INT(name_of(&e[i], fed[i].ts), fed[i].name) &&
				CHECK_INT(e[i].depth, fed[i].depth);
		if (!ok)
			fprintf(stderr, "  buffer %u, at %lld\n", (unsigned)fed[i].buffer,
				(long long)fed[i].ts);
	}
	tc_phases_release(&phases);
	free(e);
}

#define CHECK_FEED(...) \
	check_feed((const struct fed[]){ __VA_ARGS__ }, \
		sizeof((const struct fed[]){ __VA_ARGS__ }) / sizeof(struct fed))

/* 3.5 (a) */
static void
test_normal(void)
{
	CHECK_FEED({ 10, DEQUEUE, 0, 1, APP, 4, 11, 0 },
		{ 14, QUEUE, 11, 1, GPU, 2, 11, 0 }, { 16, ACQUIRE, 11, 1, 0, 0, 0, 0 },
		{ 18, LATCH, 11, 1, SF, 7, 11, 0 }, { 19, FALLBACK, 11, 1, 0, 0, 0, 0 },
		{ 25, PRESENT, 11, 1, DISPLAY, 16, 11, 0 },
		{ 41, PRESENT, 12, 1, DISPLAY, -1, 12, 0 });
}

/* 3.5 (b): the latch comes first, so the acquire closes nothing. */
static void
test_unsignaled_latch(void)
{
	CHECK_FEED({ 10, DEQUEUE, 11, 1, APP, 4, 11, 0 },
		{ 14, QUEUE, 11, 1, GPU, -1, 11, 0 }, { 16, LATCH, 11, 1, SF, 9, 11, 0 },
		{ 18, ACQUIRE, 11, 1, 0, 0, 0, 0 },
		{ 25, PRESENT, 11, 1, DISPLAY, 20, 11, 0 },
		{ 30, DEQUEUE, 12, 1, APP, 4, 12, 0 },
		{ 34, QUEUE, 12, 1, GPU, 2, 12, 1 }, { 36, ACQUIRE, 12, 1, 0, 0, 0, 0 },
		{ 38, LATCH, 12, 1, SF, 7, 12, 0 },
		{ 45, PRESENT, 12, 1, DISPLAY, -1, 12, 0 });
}

/* 3.5 (c): one anomaly per buffer. */
static void
test_anomalies(void)
{
	CHECK_FEED(
		/* acquire between dequeue and queue: nothing to wait for */
		{ 10, DEQUEUE, 11, 1, APP, 4, 11, 0 }, { 12, ACQUIRE, 11, 1, 0, 0, 0, 0 },
		{ 14, QUEUE, 11, 1, 0, 0, 0, 0 }, { 16, LATCH, 11, 1, SF, 4, 11, 0 },
		{ 20, PRESENT, 11, 1, DISPLAY, 44, 11, 0 },
		/* queue without dequeue */
		{ 30, QUEUE, 21, 2, GPU, 2, 21, 0 }, { 32, ACQUIRE, 21, 2, 0, 0, 0, 0 },
		/* queued twice, and an acquire too many */
		{ 40, QUEUE, 31, 3, GPU, -1, 31, 0 }, { 42, QUEUE, 32, 3, GPU, 2, 32, 1 },
		{ 44, ACQUIRE, 32, 3, 0, 0, 0, 0 }, { 46, ACQUIRE, 33, 3, 0, 0, 0, 0 },
		/* dequeued twice */
		{ 50, DEQUEUE, 41, 4, APP, -1, 0, 0 },
		{ 52, DEQUEUE, 42, 4, APP, 2, 42, 1 },
		{ 54, QUEUE, 42, 4, GPU, 2, 42, 0 }, { 56, ACQUIRE, 42, 4, 0, 0, 0, 0 },
		/* latched twice */
		{ 60, LATCH, 51, 5, SF, -1, 51, 0 }, { 62, LATCH, 52, 5, SF, 2, 52, 1 },
		{ 64, PRESENT, 52, 5, DISPLAY, 10, 52, 0 },
		/* latched without a queue */
		{ 70, DEQUEUE, 61, 6, APP, -1, 0, 0 }, { 72, LATCH, 61, 6, SF, 2, 61, 0 },
		{ 74, PRESENT, 61, 6, DISPLAY, -1, 61, 0 },
		/* all at one time */
		{ 80, DEQUEUE, 71, 7, APP, 0, 71, 0 },
		{ 80, QUEUE, 71, 7, GPU, 0, 71, 0 }, { 80, ACQUIRE, 71, 7, 0, 0, 0, 0 },
		/* no frame number anywhere */
		{ 90, DEQUEUE, 0, 8, APP, 2, 0, 0 }, { 92, QUEUE, 0, 8, GPU, 2, 92, 0 },
		{ 94, ACQUIRE, 0, 8, 0, 0, 0, 0 });
}

/* What the acquire test of 3.4 does and does not suppress. */
static void
test_early_acquire(void)
{
	/* of an earlier use, and at the very time of the dequeue */
	CHECK_FEED({ 5, ACQUIRE, 1, 1, 0, 0, 0, 0 }, { 10, DEQUEUE, 2, 1, APP, 4, 2, 0 },
		{ 14, QUEUE, 2, 1, GPU, 1, 2, 0 }, { 15, ACQUIRE, 2, 1, 0, 0, 0, 0 },
		{ 20, DEQUEUE, 3, 2, APP, 2, 3, 0 }, { 20, ACQUIRE, 3, 2, 0, 0, 0, 0 },
		{ 22, QUEUE, 3, 2, GPU, -1, 3, 0 });
	/* a queue that no dequeue precedes; one of another buffer does not count */
	CHECK_FEED({ 10, DEQUEUE, 2, 1, APP, -1, 2, 0 },
		{ 12, ACQUIRE, 2, 2, 0, 0, 0, 0 }, { 14, QUEUE, 2, 2, GPU, -1, 2, 0 });
	/* dequeued after a latch that nothing presented: the phase goes on */
	CHECK_FEED({ 10, LATCH, 1, 1, SF, -1, 1, 0 }, { 12, DEQUEUE, 2, 1, APP, 1, 2, 0 },
		{ 13, QUEUE, 2, 1, GPU, 1, 2, 0 }, { 14, ACQUIRE, 2, 1, 0, 0, 0, 0 },
		{ 15, PRESENT, 1, 1, DISPLAY, -1, 1, 0 });
}

/* Types without a phase do nothing to one. */
static void
test_other_types(void)
{
	static const int others[] = { TC_BUFFER_UNSPECIFIED, TC_BUFFER_POST,
		TC_BUFFER_HWC_QUEUED, FALLBACK, TC_BUFFER_RELEASE_FENCE, TC_BUFFER_MODIFY,
		TC_BUFFER_DETACH, TC_BUFFER_ATTACH, TC_BUFFER_CANCEL, TC_BUFFER_UNKNOWN };
	struct fed fed[3 + CHECK_ITEMS(others)] = { { 10, DEQUEUE, 1, 1, APP, 90, 1,
		0 } };
	size_t i;

	for (i = 0; i < CHECK_ITEMS(others); i++)
		fed[1 + i] = (struct fed){ 20 + (int64_t)i, others[i], 1, 1, 0, 0, 0, 0 };
	fed[1 + i] = (struct fed){ 100, QUEUE, 1, 1, GPU, 1, 1, 0 };
	fed[2 + i] = (struct fed){ 101, ACQUIRE, 1, 1, 0, 0, 0, 0 };
	check_feed(fed, CHECK_ITEMS(fed));
}

/* Machines and layers have buffers of their own, and displays. */
static void
test_keys(void)
{
	struct tc_buffer_event e[6];
	size_t i;

	memset(e, 0, sizeof(e));
	for (i = 0; i < 3; i++) {
		e[i].type = DEQUEUE;
		e[3 + i].type = PRESENT;
		e[i].buffer_id = e[3 + i].buffer_id = 1;
		e[i].layer = e[3 + i].layer = i == 1 ? 2 : LAYER;
		e[i].machine = e[3 + i].machine = i == 2;
	}
	for (i = 0; i < 6; i++)
		tc_phases_feed(&phases, 10 + (int64_t)i, &e[i]);
	for (i = 0; i < 6; i++) {
		CHECK_INT(e[i].depth, 0);
		CHECK(e[i].is_open && !e[i].is_renamed);
	}
	tc_phases_release(&phases);
}

/* 3.6: a track nests 512 slices; one more stands outside and closes nothing. */
static void
test_depth_limit(void)
{
	enum { N = 520 };
	struct tc_buffer_event *e = calloc(N + 2, sizeof(*e));
	int i;

	if (!e)
		abort();
	for (i = 0; i < N + 2; i++) {
		e[i].type = i < N ? LATCH : PRESENT;
		e[i].buffer_id = 1;
		e[i].layer = LAYER;
		tc_phases_feed(&phases, 10 + i, &e[i]);
	}
	for (i = 0; i < N; i++) {
		CHECK_INT(e[i].phase, SF);
		if (!CHECK_INT(e[i].depth, i < TC_MAX_DEPTH ? i : 0) ||
			!CHECK_INT(e[i].is_open, i != TC_MAX_DEPTH - 1))
			break;
	}
	CHECK_INT(phases.too_deep, N - TC_MAX_DEPTH);
	CHECK_INT(e[TC_MAX_DEPTH - 1].phase_dur, N + 10 - (TC_MAX_DEPTH - 1 + 10));
	tc_phases_release(&phases);
	CHECK_INT(phases.too_deep, 0);
	free(e);
}

/* Raw rows of one buffer, by 3.6: what happens to each. */
struct raw {
	int64_t ts, dur;
	int result;
};

static void
check_raw(const struct raw *raw, size_t n)
{
	struct tc_buffer_event e;

	for (; n; n--, raw++) {
		memset(&e, 0, sizeof(e));
		e.type = FALLBACK;
		e.dur = raw->dur;
		if (!CHECK_INT(tc_phases_feed(&phases, raw->ts, &e), raw->result))
			fprintf(stderr, "  at %lld, %lld long\n", (long long)raw->ts,
				(long long)raw->dur);
		CHECK_INT(e.is_dropped, raw->result != TC_BUFFER_FINE);
	}
	tc_phases_release(&phases);
}

#define CHECK_RAW(...) \
	check_raw((const struct raw[]){ __VA_ARGS__ }, \
		sizeof((const struct raw[]){ __VA_ARGS__ }) / sizeof(struct raw))

static void
test_raw_rows(void)
{
	const int fine = TC_BUFFER_FINE, overlaps = TC_BUFFER_OVERLAPS,
		  negative = TC_BUFFER_NEGATIVE;

	CHECK_RAW({ 10, 0, fine }, { 10, 0, fine }, { 10, 0, fine }, { 11, 0, fine });
	/* in one that lasts: children and their siblings */
	CHECK_RAW({ 10, 100, fine }, { 20, 0, fine }, { 20, 10, fine }, { 30, 80, fine },
		{ 110, 5, fine });
	/* across the end of one: dropped, and no part of the stack */
	CHECK_RAW({ 10, 10, fine }, { 15, 10, overlaps }, { 15, 5, fine },
		{ 16, 5, overlaps }, { 20, 1, fine });
	/* as long as the one around it; at its end, with and without length */
	CHECK_RAW({ 10, 10, fine }, { 10, 10, fine }, { 10, 11, overlaps },
		{ 20, 0, fine }, { 20, 3, fine }, { 21, 3, overlaps });
	/* an instant, then one with a length at the same time, and the reverse */
	CHECK_RAW({ 10, 0, fine }, { 10, 5, fine }, { 10, 0, fine }, { 12, 4, overlaps });
	/* lengths that no time has */
	CHECK_RAW({ 10, -1, negative }, { 10, INT64_MIN, negative },
		{ 10, INT64_MAX, fine }, { 20, INT64_MAX, fine },
		{ 20, INT64_MAX - 20, fine }, { INT64_MAX, 0, fine });
}

/* A phase goes on where its raw row is dropped. */
static void
test_dropped_row_has_phase(void)
{
	struct tc_buffer_event e[2];

	memset(e, 0, sizeof(e));
	e[0].type = DEQUEUE;
	e[0].dur = -5;
	e[1].type = QUEUE;
	CHECK_INT(tc_phases_feed(&phases, 10, &e[0]), TC_BUFFER_NEGATIVE);
	CHECK_INT(tc_phases_feed(&phases, 14, &e[1]), TC_BUFFER_FINE);
	CHECK(e[0].is_dropped && e[0].phase == APP && !e[0].is_open);
	CHECK_INT(e[0].phase_dur, 4);
	tc_phases_release(&phases);
}

/* ---- the three times on a raw row ---- */

struct timed {
	int64_t ts;
	int type;
	uint32_t frame;
	int64_t queue_to_acquire, acquire_to_latch, latch_to_present;
	const char *stale; /* a letter each: q, a, l */
};

static void
check_times(const struct timed *timed, size_t n)
{
	struct tc_times times = { 0 };
	struct tc_buffer_times got;
	struct tc_buffer_event e;

	for (; n; n--, timed++) {
		memset(&e, 0, sizeof(e));
		e.type = (uint8_t)timed->type;
		e.frame_number = timed->frame;
		e.layer = LAYER;
		tc_times_feed(&times, timed->ts, &e, &got);
		CHECK_INT(got.queue_to_acquire, timed->queue_to_acquire);
		CHECK_INT(got.acquire_to_latch, timed->acquire_to_latch);
		CHECK_INT(got.latch_to_present, timed->latch_to_present);
		CHECK_INT(got.is_stale[0], strchr(timed->stale, 'q') != NULL);
		CHECK_INT(got.is_stale[1], strchr(timed->stale, 'a') != NULL);
		if (!CHECK_INT(got.is_stale[2], strchr(timed->stale, 'l') != NULL))
			fprintf(stderr, "  at %lld\n", (long long)timed->ts);
	}
	tc_times_release(&times);
}

/* 3.5 (a) again: numbers of the reference, and which of them mean something. */
static void
test_times(void)
{
	static const struct timed normal[] = {
		{ 10, DEQUEUE, 0, 0, 0, 10, "qal" },
		{ 14, QUEUE, 11, 0, 0, 14, "qal" },
		{ 16, ACQUIRE, 11, 2, -16, 16, "al" },
		{ 18, LATCH, 11, 2, 2, 0, "" },
		{ 19, FALLBACK, 11, 2, 2, 1, "" },
		{ 25, PRESENT, 11, 2, 2, 7, "" },
		{ 41, PRESENT, 12, 2, 2, 23, "qal" },
	};
	/* The next use of the buffer: each step is stale until it is seen again. */
	static const struct timed reused[] = {
		{ 14, QUEUE, 11, 0, 0, 14, "qal" },
		{ 16, ACQUIRE, 11, 2, -16, 16, "al" },
		{ 18, LATCH, 11, 2, 2, 0, "" },
		{ 30, DEQUEUE, 12, 2, 2, 12, "qal" },
		{ 34, QUEUE, 12, 0, 2, 16, "qal" },
		{ 36, LATCH, 12, 0, 20, 0, "qa" },
		{ 38, ACQUIRE, 12, 4, -2, 2, "" },
	};

	check_times(normal, CHECK_ITEMS(normal));
	check_times(reused, CHECK_ITEMS(reused));
}

/* ---- frame timeline ---- */

static struct tc_timeline timeline;

static void
start(int64_t ts, uint32_t upid, int64_t cookie, struct tc_frame *f)
{
	f->dur = cookie;
	tc_timeline_start(&timeline, ts, upid, f);
}

/* -1: never closed. */
static int64_t
dur_of(const struct tc_frame *f)
{
	return f->is_open ? -1 : f->dur;
}

static void
test_cookies(void)
{
	struct tc_frame a = { .is_actual = true }, b = a, c = { .is_actual = false };

	start(100, 1, 5, &a);
	CHECK(a.is_open && !a.is_hidden && a.upid == 1);
	start(110, 2, 6, &b);
	CHECK(tc_timeline_end(&timeline, 130, 0, 5));
	CHECK_INT(dur_of(&a), 30);
	CHECK_INT(dur_of(&b), -1);
	CHECK(!tc_timeline_end(&timeline, 140, 0, 5));
	CHECK(!tc_timeline_end(&timeline, 140, 0, 7));
	CHECK(!tc_timeline_end(&timeline, 140, 1, 6));
	CHECK(tc_timeline_end(&timeline, 110, 0, 6));
	CHECK_INT(dur_of(&b), 0);
	/* Of a frame whose end is known no cookie is kept. */
	c.dur = 6;
	tc_timeline_whole(&timeline, 17, 3, &c);
	CHECK(dur_of(&c) == 17 && !c.is_hidden && c.upid == 3);
	CHECK(!tc_timeline_end(&timeline, 150, 0, 6));
	/* A cookie may be used again. */
	start(200, 1, 5, &c);
	CHECK(tc_timeline_end(&timeline, 201, 0, 5));
	CHECK_INT(dur_of(&c), 1);
	CHECK_INT(dur_of(&a), 30);
	tc_timeline_release(&timeline);
}

/* Begun twice: the end closes the second, the first stays open (4.4). */
static void
test_cookie_twice(void)
{
	struct tc_frame a = { .is_actual = true }, b = a, c = { .token = 9 };

	start(100, 1, 5, &a);
	start(105, 1, 5, &b);
	CHECK(tc_timeline_end(&timeline, 110, 0, 5));
	CHECK_INT(dur_of(&b), 5);
	CHECK_INT(dur_of(&a), -1);
	CHECK(!tc_timeline_end(&timeline, 120, 0, 5));
	CHECK_INT(dur_of(&a), -1);
	/* Expected, then actual: the actual one. */
	b = (struct tc_frame){ .is_actual = true };
	start(200, 1, 6, &c);
	start(201, 1, 6, &b);
	CHECK(tc_timeline_end(&timeline, 205, 0, 6));
	CHECK_INT(dur_of(&b), 4);
	CHECK_INT(dur_of(&c), -1);
	tc_timeline_release(&timeline);
}

static void
test_end_before_start(void)
{
	struct tc_frame a = { .is_actual = true };

	CHECK(!tc_timeline_end(&timeline, 90, 0, 5));
	start(100, 1, 5, &a);
	CHECK_INT(dur_of(&a), -1);
	tc_timeline_release(&timeline);
}

/* One expected row per process and surface token, whatever the layer. */
static void
test_expected_tokens(void)
{
	struct tc_frame a = { .is_surface = true, .token = 7, .layer = 1 };
	struct tc_frame b = { .is_surface = true, .token = 7, .layer = 2 };
	struct tc_frame other = b, display = { .token = 7 }, display2 = display;
	struct tc_frame actual = { .is_surface = true, .is_actual = true, .token = 7 };

	start(100, 1, 1, &a);
	start(100, 1, 3, &b);
	start(100, 2, 4, &other);
	start(100, 1, 5, &actual);
	start(100, 1, 6, &display);
	start(100, 1, 7, &display2);
	CHECK(!a.is_hidden && b.is_hidden && !other.is_hidden && !actual.is_hidden);
	CHECK(!display.is_hidden && !display2.is_hidden);
	/* The end of the hidden one is no unpaired end, and closes nothing else. */
	CHECK(tc_timeline_end(&timeline, 110, 0, 3));
	CHECK_INT(dur_of(&a), -1);
	CHECK(tc_timeline_end(&timeline, 116, 0, 1));
	CHECK_INT(dur_of(&a), 16);
	/* The token stays known when the frame is over. */
	b = (struct tc_frame){ .is_surface = true, .token = 7 };
	start(200, 1, 8, &b);
	CHECK(b.is_hidden);
	b = (struct tc_frame){ .is_surface = true, .token = 0 };
	start(200, 1, 8, &b);
	CHECK(!b.is_hidden);
	tc_timeline_release(&timeline);
}

/* A hidden frame under the cookie of the open one that hides it ends that one. */
static void
test_hidden_with_same_cookie(void)
{
	struct tc_frame a = { .is_surface = true, .token = 7 }, b = a;
	struct tc_frame other = { .is_actual = true };

	start(100, 1, 1, &a);
	start(105, 1, 1, &b);
	CHECK(b.is_hidden);
	CHECK(tc_timeline_end(&timeline, 110, 0, 1));
	CHECK_INT(dur_of(&a), 10);
	/* But not a frame of another kind. */
	b = (struct tc_frame){ .is_surface = true, .token = 7 };
	start(200, 1, 2, &other);
	start(205, 1, 2, &b);
	CHECK(tc_timeline_end(&timeline, 210, 0, 2));
	CHECK_INT(dur_of(&other), -1);
	tc_timeline_release(&timeline);
}

/* ---- texts, 4.5 and 4.6 ---- */

static void
test_enum_texts(void)
{
	static const char *const present[] = { "Unspecified Present", "On-time Present",
		"Late Present", "Early Present", "Dropped Frame", "Unknown Present",
		"Unspecified Present" };
	static const char *const prediction[] = { "Unspecified Prediction",
		"Valid Prediction", "Expired Prediction", "Unknown Prediction",
		"Unspecified Prediction" };
	static const char *const severity[] = { "Unknown", "None", "Partial", "Full",
		"Unknown" };
	static const char *const fence[] = { "Unknown", "Latched Signaled",
		"Latched Unsignaled", "Delayed Latch Fence Unsignaled", "Unknown" };
	uint8_t i;

	for (i = 0; i < CHECK_ITEMS(present); i++)
		CHECK_STR(tc_present_text(i), tc_str_of(present[i]));
	for (i = 0; i < CHECK_ITEMS(prediction); i++)
		CHECK_STR(tc_prediction_text(i), tc_str_of(prediction[i]));
	for (i = 0; i < CHECK_ITEMS(severity); i++)
		CHECK_STR(tc_severity_text(i, 1), tc_str_of(severity[i]));
	for (i = 0; i < CHECK_ITEMS(fence); i++)
		CHECK_STR(tc_fence_text(i), tc_str_of(fence[i]));
	CHECK_STR(tc_present_text(TC_FRAME_ABSENT), TC_STR("Unspecified Present"));
	CHECK_STR(tc_present_text(TC_FRAME_INVALID), TC_STR("Unspecified Present"));
	CHECK_STR(tc_prediction_text(TC_FRAME_ABSENT), TC_STR("Unspecified Prediction"));
	CHECK_STR(tc_severity_text(TC_FRAME_ABSENT, 1), TC_STR("None"));
	CHECK_STR(tc_severity_text(TC_FRAME_ABSENT, 0), TC_STR("Unknown"));
	CHECK_STR(tc_severity_text(TC_FRAME_ABSENT, 65), TC_STR("Unknown"));
	CHECK_STR(tc_severity_text(TC_FRAME_INVALID, 1), TC_STR("Unknown"));
	CHECK(!tc_fence_text(TC_FRAME_ABSENT).p);
	CHECK_STR(tc_fence_text(TC_FRAME_INVALID), TC_STR("Unknown"));
}

static void
test_jank_texts(void)
{
	static const struct {
		int32_t mask;
		const char *text;
	} cases[] = {
		{ 0, "Unspecified" },
		{ 1, "None" },
		{ 2, "SurfaceFlinger Scheduling" },
		{ 4, "Prediction Error" },
		{ 8, "Display HAL" },
		{ 16, "SurfaceFlinger CPU Deadline Missed" },
		{ 32, "SurfaceFlinger GPU Deadline Missed" },
		{ 64, "App Deadline Missed" },
		{ 128, "Buffer Stuffing" },
		{ 256, "Unknown Jank" },
		{ 512, "SurfaceFlinger Stuffing" },
		{ 1024, "Dropped Frame" },
		{ 2048, "Non Animating" },
		{ 4096, "App Resynced Jitter" },
		{ 8192, "Display not ON" },
		{ 16384, "ModeChange in progress" },
		{ 32768, "PowerModeChange in progress" },
		{ 65536, "" }, /* no bit that has a name */
		{ INT32_MIN, "" },
		{ 65536 + 64, "App Deadline Missed" },
		{ 1 + 64, "App Deadline Missed" },
		{ 64 + 4096 + 128, /* not in the order of the bits */
			"App Deadline Missed, App Resynced Jitter, Buffer Stuffing" },
		{ 128 + 8, "Display HAL, Buffer Stuffing" },
		{ -1,
			"SurfaceFlinger Scheduling, Prediction Error, Display HAL, "
			"SurfaceFlinger CPU Deadline Missed, "
			"SurfaceFlinger GPU Deadline Missed, App Deadline Missed, "
			"App Resynced Jitter, Buffer Stuffing, Unknown Jank, "
			"SurfaceFlinger Stuffing, Dropped Frame, Non Animating, "
			"Display not ON, ModeChange in progress, "
			"PowerModeChange in progress" },
	};
	char buf[TC_JANK_TEXT_MAX];
	size_t i;

	for (i = 0; i < CHECK_ITEMS(cases); i++)
		CHECK_STR(tc_jank_text(cases[i].mask, buf), tc_str_of(cases[i].text));
}

static void
test_jank_tags(void)
{
	static const struct {
		int32_t mask;
		uint8_t present;
		const char *surface, *display;
	} cases[] = {
		{ 0, 1, "Unspecified", "Unspecified" },
		{ 0, 4, "Unspecified", "Unspecified" },
		{ 1, 1, "No Jank", "No Jank" },
		{ 2, 2, "Other Jank", "Self Jank" },
		{ 4, 2, "Other Jank", "Self Jank" },
		{ 8, 2, "Other Jank", "Self Jank" },
		{ 16, 2, "Other Jank", "Self Jank" },
		{ 32, 2, "Other Jank", "Self Jank" },
		{ 64, 2, "Self Jank", "No Jank" },
		{ 64, 4, "Self Jank", "No Jank" },
		{ 128, 2, "Buffer Stuffing", "No Jank" },
		{ 128, 4, "Buffer Stuffing", "No Jank" },
		{ 256, 2, "Self Jank", "No Jank" },
		{ 512, 2, "SurfaceFlinger Stuffing", "SurfaceFlinger Stuffing" },
		{ 1024, 4, "Dropped Frame", "Dropped Frame" },
		{ 1024, 1, "No Jank", "Dropped Frame" },
		{ 1024, TC_FRAME_ABSENT, "No Jank", "Dropped Frame" },
		{ 1, 4, "Dropped Frame", "No Jank" },
		{ 2048, 1, "Non-perceivable Jank", "Non-perceivable Jank" },
		{ 2048, 4, "Dropped Frame", "Non-perceivable Jank" },
		{ 4096, 1, "Self Jank", "No Jank" },
		{ 8192, 1, "Non-perceivable Jank", "Non-perceivable Jank" },
		{ 16384, 1, "No Jank", "No Jank" },
		{ 32768, 1, "Non-perceivable Jank", "Non-perceivable Jank" },
		{ 65536, 1, "No Jank", "No Jank" },
		{ 64 + 2, 2, "Self Jank", "Self Jank" },
		{ 128 + 8, 2, "Other Jank", "Self Jank" },
		{ 128 + 512, 2, "No Jank", "No Jank" },
		{ 128 + 512, 4, "Dropped Frame", "No Jank" },
		{ 16384 + 2, 2, "Other Jank", "Self Jank" },
		{ 8192 + 2048, 1, "No Jank", "No Jank" },
		{ 1 + 64, 1, "Self Jank", "No Jank" },
		{ 1 + 2048, 1, "No Jank", "No Jank" },
		{ 512 + 1024, 1, "No Jank", "No Jank" },
		{ -1, 1, "Self Jank", "Self Jank" },
	};
	size_t i;

	for (i = 0; i < CHECK_ITEMS(cases); i++) {
		CHECK_STR(tc_jank_tag(true, cases[i].mask, cases[i].present),
			tc_str_of(cases[i].surface));
		if (!CHECK_STR(tc_jank_tag(false, cases[i].mask, cases[i].present),
			    tc_str_of(cases[i].display)))
			fprintf(stderr, "  of %d\n", (int)cases[i].mask);
	}
}

static void
test_names(void)
{
	static const char *const types[] = { "unspecified_event", "Dequeue", "Queue",
		"Post", "AcquireFenceSignaled", "Latch", "HWCCompositionQueued",
		"FallbackComposition", "PresentFenceSignaled", "ReleaseFenceSignaled",
		"Modify", "Detach", "Attach", "Cancel", "unknown_event" };
	size_t i;

	for (i = 0; i < CHECK_ITEMS(types); i++)
		CHECK_STR(
			tc_buffer_type_name((enum tc_buffer_type)i), tc_str_of(types[i]));
	CHECK_STR(tc_buffer_type_name(TC_BUFFER_UNKNOWN), TC_STR("unknown_event"));
	CHECK_STR(tc_phase_name(TC_PHASE_APP), TC_STR("app_hold"));
	CHECK_STR(tc_phase_name(TC_PHASE_GPU), TC_STR("producer_fence_wait"));
	CHECK_STR(tc_phase_name(TC_PHASE_SF), TC_STR("latch_to_present"));
	CHECK_STR(tc_phase_name(TC_PHASE_DISPLAY), TC_STR("present_interval"));
	CHECK_STR(tc_phase_track(TC_PHASE_APP), TC_STR("APP_"));
	CHECK_STR(tc_phase_track(TC_PHASE_GPU), TC_STR("GPU_"));
	CHECK_STR(tc_phase_track(TC_PHASE_SF), TC_STR("SF_"));
	CHECK_STR(tc_phase_track(TC_PHASE_DISPLAY), TC_STR("Display_"));
}

int
main(void)
{
	test_normal();
	test_unsignaled_latch();
	test_anomalies();
	test_early_acquire();
	test_other_types();
	test_keys();
	test_depth_limit();
	test_raw_rows();
	test_dropped_row_has_phase();
	test_times();
	test_cookies();
	test_cookie_twice();
	test_end_before_start();
	test_expected_tokens();
	test_hidden_with_same_cookie();
	test_enum_texts();
	test_jank_texts();
	test_jank_tags();
	test_names();
	return check_done();
}
