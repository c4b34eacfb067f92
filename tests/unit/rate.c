/* rate: the refresh period from the starts of expected display frames. */
#include "frames/frames.h"

#include <stdlib.h>

#include "check.h"

enum { US = 1000, MS = 1000000 };

static const int64_t p60 = 16666667, p120 = 8333333;

static struct tc_rates r;
static int64_t now;
static uint64_t seed;

static void
begin(void)
{
	tc_rates_release(&r);
	now = INT64_C(81236450112233);
	seed = 1;
}

/* n frames, each of them that long after the one before, give or take the jitter. */
static void
frames(int n, int64_t step, int64_t jitter)
{
	int64_t off;

	for (; n > 0; n--) {
		now += step;
		off = jitter
			? (int64_t)(check_random(&seed) % (uint64_t)(2 * jitter)) - jitter
			: 0;
		tc_rates_frame(&r, now + off);
	}
}

/* The period of a span, 0 for unknown, is within this many nanoseconds. */
static bool
period_is(size_t i, int64_t want, int64_t within)
{
	if (!CHECK(i < r.span_count))
		return false;
	if (want == 0)
		return CHECK_INT(r.spans[i].period_ns, 0);
	return CHECK(r.spans[i].period_ns >= want - within &&
		       r.spans[i].period_ns <= want + within) ||
		(fprintf(stderr, "span %zu: %lld\n", i, (long long)r.spans[i].period_ns),
			false);
}

static void
spans_are(size_t count)
{
	size_t i;

	tc_rates_estimate(&r);
	if (!CHECK_INT(r.span_count, count))
		for (i = 0; i < r.span_count; i++)
			fprintf(stderr, "%zu: at +%lld us for %lld us: %lld\n", i,
				(long long)((r.spans[i].ts - r.spans[0].ts) / US),
				(long long)(r.spans[i].dur / US),
				(long long)r.spans[i].period_ns);
	/* One after another, without holes. */
	for (i = 1; i < r.span_count; i++)
		CHECK_INT(r.spans[i].ts, r.spans[i - 1].ts + r.spans[i - 1].dur);
}

static void
test_constant(void)
{
	static const int64_t periods[] = { 4166667, 6944444, 8333333, 11111111, 13888889,
		16666667, 17064000, 20833333 };
	size_t i, j;

	for (i = 0; i < CHECK_ITEMS(periods); i++) {
		for (j = 0; j < 2; j++) {
			begin();
			frames(300, periods[i], (int64_t)j * 200 * US);
			spans_are(1);
			period_is(0, periods[i], j ? 5 * US : 0);
		}
	}
	/* Not 16.67 ms. */
	begin();
	frames(61, 17060 * US, 0);
	spans_are(1);
	period_is(0, 17060 * US, 0);
	CHECK_INT(r.spans[0].dur, 61 * 17060 * US);
}

static void
test_too_few(void)
{
	begin();
	spans_are(0);
	begin();
	frames(1, p60, 0);
	spans_are(1);
	period_is(0, 0, 0);
	CHECK_INT(r.spans[0].dur, 0);
	begin();
	frames(3, p60, 0);
	spans_are(1);
	period_is(0, 0, 0);
	CHECK_INT(r.spans[0].dur, 2 * p60);
	begin();
	frames(4, p60, 0);
	spans_are(1);
	period_is(0, p60, 0);
}

/* Frames that were skipped: spacings of one, two, three periods. */
static void
test_skipped(void)
{
	int i;

	begin();
	for (i = 0; i < 100; i++)
		frames(1, p120 * (1 + (int64_t)(check_random(&seed) % 4)), 150 * US);
	spans_are(1);
	period_is(0, p120, 10 * US);
	/* Two and three only: none is the period itself. */
	begin();
	for (i = 0; i < 40; i++)
		frames(1, p120 * (2 + i % 2), 0);
	spans_are(1);
	period_is(0, p120, 1);
}

static void
test_changes(void)
{
	static const int64_t to[][2] = { { 8333333, 16666667 }, { 16666667, 8333333 },
		{ 11111111, 16666667 }, { 16666667, 11111111 }, { 8333333, 11111111 },
		{ 11111111, 8333333 } };
	int64_t change;
	size_t i, j;

	for (i = 0; i < CHECK_ITEMS(to); i++) {
		for (j = 0; j < 2; j++) {
			begin();
			frames(60, to[i][0], (int64_t)j * 150 * US);
			change = now;
			frames(60, to[i][1], (int64_t)j * 150 * US);
			spans_are(2);
			period_is(0, to[i][0], 10 * US);
			period_is(1, to[i][1], 10 * US);
			CHECK(r.span_count < 2 ||
				llabs(r.spans[1].ts - change) <= 200 * US);
		}
	}
	/* A frame that is late now and then is no change. */
	begin();
	for (i = 0; i < 20; i++) {
		frames(9, p60, 0);
		frames(1, p60 + 5 * MS, 0);
		frames(1, p60 - 5 * MS, 0);
	}
	spans_are(1);
	period_is(0, p60, 100 * US);
}

/*
 * Every second vsync all along cannot be told from half the rate; for a while
 * it is no change, and slow content on a fast display does not tell at all.
 */
static void
test_every_second(void)
{
	begin();
	frames(60, 2 * p120, 0);
	spans_are(1);
	period_is(0, p60, 1);
	begin();
	frames(30, p120, 0);
	frames(8, 2 * p120, 0);
	frames(30, p120, 0);
	spans_are(1);
	period_is(0, p120, 1);
	begin();
	frames(60, 33333 * US, 0);
	spans_are(1);
	period_is(0, 0, 0);
	begin();
	frames(60, 41667 * US, 0);
	spans_are(1);
	period_is(0, 0, 0);
	/* A display at 60 Hz that shows a video is still one. */
	begin();
	frames(60, p60, 0);
	frames(60, 2 * p60, 0);
	spans_are(1);
	period_is(0, p60, 1);
}

static void
test_idle(void)
{
	begin();
	frames(30, p60, 0);
	frames(1, 900 * MS, 0);
	frames(30, p60, 0);
	spans_are(1);
	period_is(0, p60, 1);
	/* Where the sides differ, the time between belongs to neither. */
	begin();
	frames(30, p120, 0);
	frames(1, 900 * MS, 0);
	frames(30, p60, 0);
	spans_are(3);
	period_is(0, p120, 1);
	period_is(1, 0, 0);
	period_is(2, p60, 1);
	CHECK_INT(r.spans[1].dur, 900 * MS);
	/* A cursor that blinks. */
	begin();
	frames(30, 500 * MS, 0);
	spans_are(1);
	period_is(0, 0, 0);
}

static void
test_marks(void)
{
	int64_t change;

	begin();
	frames(30, p60, 0);
	change = now + p60;
	tc_rates_change(&r, change);
	frames(30, p60, 0);
	spans_are(2);
	period_is(0, p60, 1);
	period_is(1, p60, 1);
	CHECK(r.span_count < 2 || r.spans[1].ts == change);
	/* While it goes on, the frames are what they are. */
	begin();
	frames(30, p60, 0);
	tc_rates_change(&r, now);
	frames(1, 20 * MS, 0);
	tc_rates_change(&r, now);
	frames(1, 13 * MS, 0);
	tc_rates_change(&r, now);
	frames(30, p120, 0);
	spans_are(3);
	period_is(0, p60, 1);
	period_is(1, 0, 0);
	period_is(2, p120, 1);
	/* Before all frames, and after them. */
	begin();
	tc_rates_change(&r, now);
	frames(10, p60, 0);
	tc_rates_change(&r, now + 500 * MS);
	spans_are(1);
	period_is(0, p60, 1);
}

/* Two displays whose frames come in between each other's. */
static void
test_two_displays(void)
{
	int64_t a, b;
	int i;

	begin();
	a = b = now;
	for (i = 0; i < 200; i++) {
		if (a + p60 < b + 13 * MS)
			tc_rates_frame(&r, a += p60);
		else
			tc_rates_frame(&r, b += 13 * MS);
	}
	tc_rates_estimate(&r);
	for (i = 0; i < (int)r.span_count; i++)
		CHECK(r.spans[i].period_ns == 0 || r.spans[i].dur < 300 * MS);
	/* In the same vsync. */
	begin();
	for (i = 0; i < 50; i++) {
		frames(1, p60, 0);
		tc_rates_frame(&r, now + 300 * US);
	}
	spans_are(1);
	period_is(0, p60, 1);
}

/* Whatever comes, there is an end to it. */
static void
test_noise(void)
{
	int i, j;

	for (j = 0; j < 50; j++) {
		begin();
		seed = (uint64_t)j;
		for (i = 0; i < 500; i++) {
			frames(1, (int64_t)(check_random(&seed) % (40 * MS)), 0);
			if (check_random(&seed) % 50 == 0)
				tc_rates_change(&r, now);
		}
		tc_rates_estimate(&r);
		CHECK(r.span_count >= 1 && r.spans[0].ts == r.frames[0]);
		for (i = 1; i < (int)r.span_count; i++)
			CHECK(r.spans[i - 1].dur > 0 &&
				r.spans[i].ts == r.spans[i - 1].ts + r.spans[i - 1].dur);
	}
}

int
main(void)
{
	test_constant();
	test_too_few();
	test_skipped();
	test_changes();
	test_every_second();
	test_idle();
	test_marks();
	test_two_displays();
	test_noise();
	tc_rates_release(&r);
	return check_done();
}
