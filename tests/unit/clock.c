/* clock: time on one clock as trace time, over up to four hops. */
#include "clock/clock.h"

#include <unistd.h>

#include "check.h"

/* A run that hangs has failed. */
enum { PATIENCE_S = 60 };

enum {
	REALTIME = 1,
	MONO = 3,
	COARSE = 4,
	RAW = 5,
	BOOT = 6,
	TSC = 9,
	PERF = 10,
	FILE_CLOCK = 11
};

static struct tc_clocks c;

static void
begin(void)
{
	tc_clocks_release(&c);
	tc_clocks_init(&c);
}

#define VALUES(...) \
	(const struct tc_clock_value[]){ __VA_ARGS__ }, \
		sizeof((const struct tc_clock_value[]){ __VA_ARGS__ }) / \
		sizeof(struct tc_clock_value)

/* One clock of a snapshot: {AT(BOOT, 100)}. */
#define AT(clock, t) \
	{ \
		(clock), (t), 1, false \
	}
#define AT_UNIT(clock, t, unit) \
	{ \
		(clock), (t), (unit), false \
	}
#define AT_INCREMENTAL(clock, t, unit) \
	{ \
		(clock), (t), (unit), true \
	}

#define ADD(primary, ...) CHECK_INT(tc_clocks_add(&c, VALUES(__VA_ARGS__), (primary)), 0)
#define REFUSE(primary, ...) \
	CHECK_INT(tc_clocks_add(&c, VALUES(__VA_ARGS__), (primary)), -1)

/* The time t on the clock has to be `want`. */
#define CONVERT(key, t, want) convert((key), (t), (want), __FILE__, __LINE__)
#define FAIL(key, result) fail((key), (result), __FILE__, __LINE__)

static void
convert(uint64_t key, int64_t t, int64_t want, const char *file, int line)
{
	int64_t got = 77;

	check_int(tc_clocks_convert(&c, key, t, &got), TC_CLOCK_OK, "result", file, line);
	check_int(got, want, "time", file, line);
}

static void
fail(uint64_t key, enum tc_clock_result result, const char *file, int line)
{
	int64_t got = 77;

	check_int(tc_clocks_convert(&c, key, 5, &got), result, "result", file, line);
	check_int(got, 77, "time", file, line);
}

/* Appendix A.4: a suspend between two snapshots. */
static void
test_example(void)
{
	begin();
	ADD(BOOT, AT(BOOT, 1000000), AT(MONO, 900000));
	CHECK_INT(c.trace_clock, BOOT);
	CHECK_INT(c.default_clock, BOOT);
	CONVERT(MONO, 900100, 1000100);
	ADD(BOOT, AT(BOOT, 3000000), AT(MONO, 1900000));
	CONVERT(MONO, 1800000, 1900000);
	CONVERT(MONO, 1900005, 3000005);
	CONVERT(BOOT, 3000100, 3000100);
	CONVERT(MONO, 899000, 999000);
	CONVERT(MONO, 1899999, 1999999);
	CONVERT(MONO, 1900000, 3000000);
	CHECK_INT(tc_clocks_seen(&c, MONO), 2);
	CHECK_INT(tc_clocks_seen(&c, RAW), 0);
}

/* The offset is constant from a snapshot to the next, before the first too. */
static void
test_never_interpolated(void)
{
	begin();
	ADD(BOOT, AT(BOOT, 100), AT(MONO, 10));
	ADD(BOOT, AT(BOOT, 1000), AT(MONO, 20));
	ADD(BOOT, AT(BOOT, 9000), AT(MONO, 30));
	CONVERT(MONO, 0, 90);
	CONVERT(MONO, -200, -110);
	CONVERT(MONO, 10, 100);
	CONVERT(MONO, 19, 109);
	CONVERT(MONO, 20, 1000);
	CONVERT(MONO, 25, 1005);
	CONVERT(MONO, 30, 9000);
	CONVERT(MONO, 1030, 10000);
	CONVERT(MONO, 15, 105);
}

/* All snapshots with both clocks count, whatever else they hold. */
static void
test_kinds(void)
{
	begin();
	ADD(BOOT, AT(BOOT, 100), AT(MONO, 10));
	ADD(BOOT, AT(MONO, 20), AT(BOOT, 200));
	ADD(BOOT, AT(REALTIME, 5000), AT(BOOT, 300), AT(MONO, 30), AT(COARSE, 31));
	CONVERT(MONO, 15, 105);
	CONVERT(MONO, 25, 205);
	CONVERT(MONO, 35, 305);
	CONVERT(REALTIME, 5001, 301);
	ADD(BOOT, AT(BOOT, 400), AT(MONO, 40));
	CONVERT(MONO, 35, 305);
	CONVERT(MONO, 45, 405);
	CHECK_INT(tc_clocks_seen(&c, MONO), 4);
	CHECK_INT(tc_clocks_seen(&c, COARSE), 1);
	/* Between those that are known, out of order in the file. */
	ADD(BOOT, AT(BOOT, 255), AT(RAW, 7), AT(MONO, 25));
	CONVERT(MONO, 24, 204);
	CONVERT(MONO, 26, 256);
	CONVERT(MONO, 31, 301);
}

static void
test_hops(void)
{
	begin();
	ADD(BOOT, AT(BOOT, 1000), AT(MONO, 100));
	ADD(0, AT(MONO, 200), AT(RAW, 20));
	ADD(0, AT(RAW, 30), AT(TSC, 3));
	ADD(0, AT(TSC, 40), AT(PERF, 400000));
	ADD(0, AT(PERF, 500000), AT(COARSE, 5));
	CONVERT(MONO, 100, 1000);
	CONVERT(RAW, 20, 1100);
	CONVERT(TSC, 3, 1110);
	CONVERT(PERF, 400001, 1148);
	FAIL(COARSE, TC_CLOCK_NO_PATH);
	/* A short cut makes the fifth reachable and the others what they were. */
	ADD(0, AT(TSC, 50), AT(BOOT, 7000));
	CONVERT(COARSE, 5, 106990);
	CONVERT(MONO, 100, 1000);
}

/* The shortest way is taken, and of two the one over the smaller clock id. */
static void
test_shortest_way(void)
{
	begin();
	ADD(BOOT, AT(BOOT, 1000), AT(RAW, 100));
	ADD(0, AT(RAW, 200), AT(TSC, 20));
	ADD(BOOT, AT(BOOT, 5000), AT(MONO, 100));
	ADD(0, AT(MONO, 200), AT(TSC, 20));
	CONVERT(TSC, 20, 5100);
	ADD(BOOT, AT(BOOT, 9000), AT(TSC, 30));
	CONVERT(TSC, 30, 9000);
	CONVERT(TSC, 20, 8990);
}

static void
test_units(void)
{
	uint64_t ticks = tc_clock_key(64, 7);

	begin();
	ADD(BOOT, AT(BOOT, 1000000), AT_UNIT(ticks, 500, 1000));
	CONVERT(ticks, 500, 1000000);
	CONVERT(ticks, 501, 1001000);
	CONVERT(ticks, 400, 900000);
	ADD(BOOT, AT(BOOT, 3000000), AT_UNIT(ticks, 1000, 1000));
	CONVERT(ticks, 999, 1499000);
	CONVERT(ticks, 1001, 3001000);
	CONVERT(BOOT, 500, 500);
}

/* Clocks of a sequence are not those of another one. */
static void
test_scoped(void)
{
	CHECK(tc_clock_is_scoped(64) && tc_clock_is_scoped(127));
	CHECK(!tc_clock_is_scoped(63) && !tc_clock_is_scoped(128));
	CHECK_INT(tc_clock_key(BOOT, 7), BOOT);
	CHECK_INT(tc_clock_key(128, 7), 128);
	CHECK(tc_clock_key(64, 7) != tc_clock_key(64, 8));
	begin();
	ADD(BOOT, AT(BOOT, 1000), AT(tc_clock_key(64, 1), 10));
	ADD(BOOT, AT(BOOT, 2000), AT(tc_clock_key(64, 2), 10));
	CONVERT(tc_clock_key(64, 1), 11, 1001);
	CONVERT(tc_clock_key(64, 2), 11, 2001);
	FAIL(tc_clock_key(64, 3), TC_CLOCK_UNKNOWN_SOURCE);
	FAIL(tc_clock_key(65, 1), TC_CLOCK_UNKNOWN_SOURCE);
}

/* Each conversion moves an incremental clock on, each snapshot sets it. */
static void
test_incremental(void)
{
	uint64_t delta = tc_clock_key(66, 1);

	begin();
	ADD(BOOT, AT(BOOT, 10000), AT_INCREMENTAL(delta, 5, 10));
	CONVERT(delta, 3, 10030);
	CONVERT(delta, 0, 10030);
	CONVERT(delta, 4, 10070);
	ADD(BOOT, AT(BOOT, 20000), AT_INCREMENTAL(delta, 30, 10));
	CONVERT(delta, 2, 20020);
	CONVERT(delta, 1, 20030);
}

/* Wall time that was set back has two meanings as a source, one as a target. */
static void
test_backwards(void)
{
	begin();
	ADD(BOOT, AT(BOOT, 100), AT(REALTIME, 5000));
	CONVERT(REALTIME, 5010, 110);
	ADD(BOOT, AT(BOOT, 200), AT(REALTIME, 4000));
	FAIL(REALTIME, TC_CLOCK_NO_PATH);
	ADD(BOOT, AT(BOOT, 300), AT(REALTIME, 6000));
	FAIL(REALTIME, TC_CLOCK_NO_PATH);
	/* Nor does a way lead through it. */
	ADD(0, AT(REALTIME, 6000), AT(TSC, 1));
	FAIL(TSC, TC_CLOCK_NO_PATH);
	CONVERT(BOOT, 250, 250);
	ADD(BOOT, AT(BOOT, 400), AT(MONO, 40));
	CONVERT(MONO, 41, 401);

	begin();
	ADD(0, AT(REALTIME, 5000), AT(MONO, 100));
	ADD(0, AT(REALTIME, 4000), AT(MONO, 200));
	ADD(REALTIME, AT(REALTIME, 4500), AT(MONO, 300));
	CHECK_INT(c.trace_clock, REALTIME);
	CONVERT(MONO, 150, 5050);
	CONVERT(MONO, 250, 4050);
	CONVERT(MONO, 350, 4550);
}

/* A clock that stands still does not go backwards. */
static void
test_standing_still(void)
{
	begin();
	ADD(BOOT, AT(BOOT, 100), AT(REALTIME, 5000));
	ADD(BOOT, AT(BOOT, 100), AT(REALTIME, 5000));
	ADD(BOOT, AT(BOOT, 200), AT(REALTIME, 5000));
	CONVERT(REALTIME, 4999, 99);
	CONVERT(REALTIME, 5000, 200);
}

/* Spec 2.5; of a snapshot that is refused nothing is used. */
static void
test_refused(void)
{
	uint64_t delta = tc_clock_key(64, 1);

	begin();
	ADD(BOOT, AT(BOOT, 1000), AT(MONO, 100));
	ADD(BOOT, AT(BOOT, 1000), AT_UNIT(TSC, 10, 10));
	ADD(BOOT, AT(BOOT, 1000), AT_INCREMENTAL(delta, 10, 1));
	/* Incremental, but not of a sequence. */
	REFUSE(BOOT, AT(BOOT, 2000), AT(MONO, 200), AT_INCREMENTAL(RAW, 1, 1));
	REFUSE(BOOT, AT(BOOT, 2000), AT(MONO, 200), AT_INCREMENTAL(128, 1, 1));
	FAIL(RAW, TC_CLOCK_UNKNOWN_SOURCE);
	/* Not as it was defined first. */
	REFUSE(BOOT, AT(BOOT, 2000), AT(MONO, 200), AT_UNIT(TSC, 20, 1));
	REFUSE(BOOT, AT(BOOT, 2000), AT_UNIT(MONO, 200, 2));
	REFUSE(BOOT, AT(BOOT, 2000), AT(delta, 20));
	REFUSE(BOOT, AT(BOOT, 2000), AT_INCREMENTAL(delta, 20, 3));
	/* The same clock twice. */
	REFUSE(BOOT, AT(BOOT, 2000), AT(MONO, 200), AT(MONO, 200));
	REFUSE(BOOT, AT(BOOT, 2000), AT(MONO, 200), AT(BOOT, 2000));
	/* Trace time goes backwards. */
	REFUSE(BOOT, AT(BOOT, 999), AT(MONO, 200));
	CONVERT(MONO, 250, 1150);
	CONVERT(TSC, 12, 1020);
	CONVERT(delta, 2, 1002);
	CHECK_INT(tc_clocks_seen(&c, BOOT), 3);
	CHECK_INT(tc_clocks_seen(&c, MONO), 1);
	CHECK_INT(tc_clocks_seen(&c, RAW), 0);
	/* Backwards only within one kind of snapshot. */
	ADD(BOOT, AT(BOOT, 500), AT(MONO, 50), AT(RAW, 5));
	CONVERT(MONO, 60, 510);
}

static void
test_trace_clock_has_no_unit(void)
{
	begin();
	REFUSE(TSC, AT_UNIT(TSC, 10, 10), AT(MONO, 100));
	ADD(TSC, AT(TSC, 10), AT(MONO, 100));
	CONVERT(MONO, 101, 11);
}

/* What a refused snapshot says of itself counts as little as its values. */
static void
test_refused_primary(void)
{
	begin();
	ADD(BOOT, AT(BOOT, 1000), AT(MONO, 100));
	REFUSE(MONO, AT(MONO, 200), AT(MONO, 200));
	CHECK_INT(c.trace_clock, BOOT);
	CHECK_INT(c.default_clock, BOOT);
	REFUSE(MONO, AT(MONO, 200), AT_UNIT(BOOT, 2, 2));
	CHECK_INT(c.trace_clock, BOOT);
	CHECK_INT(c.default_clock, BOOT);
	CONVERT(MONO, 200, 1100);
}

/* BOOTTIME means trace time where no snapshot says otherwise. */
static void
test_boottime_unchanged(void)
{
	begin();
	CONVERT(BOOT, 123, 123);
	CONVERT(BOOT, -5, -5);
	FAIL(MONO, TC_CLOCK_UNKNOWN_SOURCE);
	CHECK_INT(c.trace_clock, FILE_CLOCK);
	CHECK_INT(c.default_clock, 0);
	CHECK_INT(tc_clocks_seen(&c, BOOT), 0);
	/* A snapshot that comes later is heeded, but trace time stays. */
	ADD(0, AT(BOOT, 1000), AT(MONO, 100));
	CHECK_INT(c.trace_clock, FILE_CLOCK);
	CHECK_INT(c.default_clock, BOOT);
	CONVERT(BOOT, 123, 123);
	CONVERT(MONO, 101, 1001);
	CHECK_INT(tc_clocks_seen(&c, BOOT), 1);

	begin();
	ADD(0, AT(FILE_CLOCK, 5), AT(MONO, 100));
	CONVERT(MONO, 103, 8);
	CONVERT(BOOT, 123, 123);
	CHECK_INT(c.trace_clock, FILE_CLOCK);

	/* Where it can be converted, that is what happens. */
	begin();
	ADD(0, AT(FILE_CLOCK, 5), AT(BOOT, 100));
	CONVERT(BOOT, 103, 8);

	begin();
	ADD(MONO, AT(MONO, 100), AT(BOOT, 1000));
	CHECK_INT(c.trace_clock, MONO);
	CONVERT(BOOT, 1003, 103);
}

static void
test_which_is_trace_time(void)
{
	begin();
	CHECK_INT(c.trace_clock, FILE_CLOCK);
	CHECK_INT(c.default_clock, 0);
	ADD(0, AT(MONO, 1), AT(REALTIME, 1)); /* neither declared nor BOOTTIME */
	CHECK_INT(c.trace_clock, FILE_CLOCK);
	CHECK_INT(c.default_clock, 0);
	ADD(0, AT(BOOT, 1), AT(FILE_CLOCK, 1)); /* has the file's own clock */
	CHECK_INT(c.trace_clock, FILE_CLOCK);
	CHECK_INT(c.default_clock, 0);
	ADD(0, AT(MONO, 1), AT(BOOT, 1));
	CHECK_INT(c.trace_clock, BOOT);
	CHECK_INT(c.default_clock, BOOT);
	ADD(MONO, AT(MONO, 1), AT(BOOT, 1));
	CHECK_INT(c.trace_clock, MONO);
	CHECK_INT(c.default_clock, MONO);
}

/* The first conversion settles it, also one that fails. */
static void
test_trace_time_is_fixed(void)
{
	begin();
	ADD(BOOT, AT(BOOT, 1000), AT(MONO, 100));
	FAIL(TSC, TC_CLOCK_UNKNOWN_SOURCE);
	ADD(MONO, AT(BOOT, 2000), AT(MONO, 200));
	CHECK_INT(c.trace_clock, BOOT);
	CHECK_INT(c.default_clock, MONO);
	CONVERT(MONO, 201, 2001);
}

/* A way that is known is looked for again when there is news. */
static void
test_new_ways(void)
{
	begin();
	ADD(BOOT, AT(BOOT, 1000), AT(MONO, 100));
	ADD(0, AT(RAW, 5), AT(TSC, 5));
	FAIL(RAW, TC_CLOCK_NO_PATH);
	FAIL(TSC, TC_CLOCK_NO_PATH);
	ADD(0, AT(RAW, 6), AT(MONO, 106));
	CONVERT(RAW, 7, 1007);
	CONVERT(TSC, 7, 1007);
}

static void
test_remote_offset(void)
{
	begin();
	ADD(BOOT, AT(BOOT, 1000), AT(MONO, 100));
	c.remote_offset = 300;
	CONVERT(BOOT, 1000, 700);
	CONVERT(MONO, 101, 701);
}

static void
test_too_large_snapshot(void)
{
	struct tc_clock_value v[TC_CLOCK_MAX_IN_SNAPSHOT + 1];
	size_t i;

	begin();
	for (i = 0; i < CHECK_ITEMS(v); i++)
		v[i] = (struct tc_clock_value){ 1000 + i, (int64_t)i, 1, false };
	v[0].key = BOOT;
	CHECK_INT(tc_clocks_add(&c, v, CHECK_ITEMS(v), BOOT), -1);
	FAIL(1001, TC_CLOCK_UNKNOWN_SOURCE);

	begin();
	CHECK_INT(tc_clocks_add(&c, v, TC_CLOCK_MAX_IN_SNAPSHOT, BOOT), 0);
	CONVERT(1001, 5, 4);
	CONVERT(1000 + TC_CLOCK_MAX_IN_SNAPSHOT - 1, 100,
		100 - TC_CLOCK_MAX_IN_SNAPSHOT + 1);
}

/* As many kinds as may be, all pairs of some clocks; then one more. */
static void
test_too_many_kinds(void)
{
	uint64_t i, j, kinds = 0;

	begin();
	for (i = 0; kinds < TC_CLOCK_MAX_KINDS; i++)
		for (j = 0; j < i && kinds < TC_CLOCK_MAX_KINDS; j++, kinds++)
			ADD(0, AT(1000 + i, 1), AT(1000 + j, 1));
	REFUSE(0, AT(1000, 5), AT(1001, 5));
	REFUSE(0, AT(3000, 5), AT(1001, 5));
	FAIL(3000, TC_CLOCK_UNKNOWN_SOURCE);
	/* Those that are known go on. */
	ADD(0, AT(1001, 5), AT(1000, 5));
	/* No room even for what would tie BOOTTIME to trace time. */
	FAIL(1000, TC_CLOCK_UNKNOWN_TARGET);
}

/* Clocks that all have thousands of neighbours cost a moment, not minutes. */
static void
test_many_neighbours(void)
{
	struct tc_clock_value v[TC_CLOCK_MAX_IN_SNAPSHOT];
	int64_t ts;
	size_t i, j;

	begin();
	for (i = 0; i < TC_CLOCK_MAX_KINDS; i++) {
		for (j = 0; j < CHECK_ITEMS(v); j++)
			v[j] = (struct tc_clock_value){
				j < CHECK_ITEMS(v) / 2 ? 1000 + j : 2000 + i * 64 + j, 1,
				1, false
			};
		tc_clocks_add(&c, v, CHECK_ITEMS(v), 0); /* or too many: refused */
	}
	for (i = 0; i < 100; i++)
		tc_clocks_convert(&c, 2000 + i * 64 + 40, 5, &ts);
}

/*
 * Two kinds of snapshots, the second all the way behind the first: each of its
 * pairs belongs between two that are there, and is asked for at once.
 */
static void
test_kinds_one_after_another(void)
{
	enum { EACH = 600000 };
	int64_t i;

	begin();
	ADD(BOOT, AT(BOOT, 1005), AT(MONO, 1000));
	for (i = 0; i < EACH; i++) {
		ADD(BOOT, AT(BOOT, 1005 + 2 * i), AT(MONO, 1000 + 2 * i));
		CONVERT(MONO, 1000 + 2 * i, 1005 + 2 * i);
	}
	for (i = 0; i < EACH; i++) {
		ADD(BOOT, AT(BOOT, 1008 + 2 * i), AT(MONO, 1001 + 2 * i), AT(RAW, i));
		CONVERT(MONO, 1000 + 2 * i, 1005 + 2 * i);
		CONVERT(MONO, 1001 + 2 * i, 1008 + 2 * i);
	}
	for (i = 0; i < EACH; i += 111) {
		CONVERT(MONO, 1000 + 2 * i, 1005 + 2 * i);
		CONVERT(MONO, 1001 + 2 * i, 1008 + 2 * i);
	}
	CONVERT(MONO, 3, 8);
}

/* An incremental clock falls from snapshot to snapshot: as a plain search has it. */
static void
test_any_order(void)
{
	enum { PAIRS = 500, SCOPED = 64 };
	int64_t from[PAIRS], want;
	uint64_t state = 7, key = tc_clock_key(SCOPED, 1);
	size_t i, j, best, first;

	begin();
	for (i = 0; i < PAIRS; i++) {
		from[i] = (int64_t)(check_random(&state) % PAIRS);
		ADD(BOOT, AT(BOOT, 10000 + (int64_t)(i * i)),
			AT_INCREMENTAL(key, from[i], 1));
		best = PAIRS;
		first = 0;
		for (j = 0; j <= i; j++) {
			if (from[j] <= from[i] &&
				(best == PAIRS || from[j] >= from[best]))
				best = j;
			if (from[j] < from[first])
				first = j;
		}
		/* The clock stands where the snapshot has put it. */
		want = 10000 + (int64_t)(best * best);
		CONVERT(key, 0, want);
		/* And before all that is known, the first pair counts. */
		CONVERT(key, -from[i] - 1,
			10000 + (int64_t)(first * first) - 1 - from[first]);
	}
}

/* Any numbers: what comes out may be nonsense, but it comes out. */
static void
test_extremes(void)
{
	static const int64_t edges[] = { INT64_MIN, INT64_MIN + 1, -1, 0, 1, INT64_MAX };
	size_t i, j;
	int64_t ts;

	begin();
	ADD(BOOT, AT(BOOT, INT64_MIN), AT(MONO, INT64_MAX));
	ADD(BOOT, AT(BOOT, INT64_MAX), AT(RAW, INT64_MIN));
	ADD(BOOT, AT(BOOT, 5), AT_UNIT(TSC, INT64_MAX, UINT64_MAX));
	ADD(BOOT, AT(BOOT, 6),
		AT_INCREMENTAL(tc_clock_key(64, 1), INT64_MIN, UINT64_MAX));
	c.remote_offset = INT64_MIN;
	for (i = 0; i < CHECK_ITEMS(edges); i++)
		for (j = 0; j < 5; j++)
			CHECK_INT(tc_clocks_convert(&c,
					  j == 4 ? tc_clock_key(64, 1)
						 : (const uint64_t[]){ BOOT, MONO, RAW,
							   TSC }[j],
					  edges[i], &ts),
				TC_CLOCK_OK);
}

/* A snapshot may be empty, or hold just one clock. */
static void
test_small_snapshots(void)
{
	begin();
	CHECK_INT(tc_clocks_add(&c, NULL, 0, 0), 0);
	ADD(0, AT(MONO, 5));
	FAIL(MONO, TC_CLOCK_NO_PATH);
	CHECK_INT(tc_clocks_add(&c, NULL, 0, BOOT), 0);
	CHECK_INT(c.default_clock, BOOT);
	ADD(0, AT(FILE_CLOCK, 0), AT(MONO, 5));
	CONVERT(MONO, 6, 1);
}

static void
test_names(void)
{
	char buf[24];

	CHECK_STR(tc_str_of(tc_clock_name(BOOT, buf)), TC_STR("BOOTTIME"));
	CHECK_STR(tc_str_of(tc_clock_name(MONO, buf)), TC_STR("MONOTONIC"));
	CHECK_STR(tc_str_of(tc_clock_name(FILE_CLOCK, buf)), TC_STR("TRACE_FILE"));
	CHECK_STR(tc_str_of(tc_clock_name(0, buf)), TC_STR("0"));
	CHECK_STR(tc_str_of(tc_clock_name(7, buf)), TC_STR("7"));
	CHECK_STR(tc_str_of(tc_clock_name(12, buf)), TC_STR("12"));
	CHECK_STR(tc_str_of(tc_clock_name(tc_clock_key(64, 9), buf)), TC_STR("64"));
	CHECK_STR(tc_str_of(tc_clock_name(UINT32_MAX, buf)), TC_STR("4294967295"));
}

int
main(void)
{
	alarm(PATIENCE_S);
	test_example();
	test_never_interpolated();
	test_kinds();
	test_hops();
	test_shortest_way();
	test_units();
	test_scoped();
	test_incremental();
	test_backwards();
	test_standing_still();
	test_refused();
	test_trace_clock_has_no_unit();
	test_refused_primary();
	test_boottime_unchanged();
	test_which_is_trace_time();
	test_trace_time_is_fixed();
	test_new_ways();
	test_remote_offset();
	test_too_large_snapshot();
	test_too_many_kinds();
	test_many_neighbours();
	test_kinds_one_after_another();
	test_any_order();
	test_extremes();
	test_small_snapshots();
	test_names();
	tc_clocks_release(&c);
	return check_done();
}
