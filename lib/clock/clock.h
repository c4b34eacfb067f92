#ifndef TC_CLOCK_CLOCK_H
#define TC_CLOCK_CLOCK_H
/*
 * clock: the clocks of one machine in a trace, and time on them as trace time.
 *
 * Snapshots say which values several clocks had at one moment. A time is moved
 * from clock to clock by the offset of the last snapshot at or before it (the
 * first one for earlier times): constant between snapshots, never
 * interpolated. Up to four such hops are taken. All snapshots that hold both
 * clocks of a hop make one list, whatever else they hold.
 *
 * Values are nanoseconds once multiplied by the clock's unit. Numbers from a
 * trace may be anything: sums wrap around, and the caller drops what comes out
 * negative.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mem/mem.h"

/* Perfetto's builtin clock ids. */
enum {
	TC_CLOCK_UNSET = 0,
	TC_CLOCK_REALTIME = 1,
	TC_CLOCK_MONOTONIC = 3,
	TC_CLOCK_MONOTONIC_RAW = 5,
	TC_CLOCK_BOOTTIME = 6,
	TC_CLOCK_TRACE_FILE = 11,
};

/* Clocks 64 to 127 belong to the packet sequence that names them. */
static inline bool
tc_clock_is_scoped(uint32_t id)
{
	return id >= 64 && id <= 127;
}

/* What names a clock within a machine: its id, with the sequence for 64..127. */
static inline uint64_t
tc_clock_key(uint32_t id, uint32_t seq)
{
	return tc_clock_is_scoped(id) ? (uint64_t)seq << 32 | id : id;
}

/* "BOOTTIME", or the id in decimal; valid until the next call with `buf`. */
const char *tc_clock_name(uint64_t key, char buf[24]);

struct tc_clock_value {
	uint64_t key;
	int64_t value; /* in units of the clock */
	uint64_t unit; /* nanoseconds, at least 1 */
	bool is_incremental;
};

enum tc_clock_result {
	TC_CLOCK_OK,
	TC_CLOCK_UNKNOWN_SOURCE,
	TC_CLOCK_UNKNOWN_TARGET,
	TC_CLOCK_NO_PATH,
};

/* Larger snapshots, and more ways to compose one, are not of this world. */
enum {
	TC_CLOCK_MAX_IN_SNAPSHOT = 64,
	TC_CLOCK_MAX_KINDS = 1024,
	TC_CLOCK_MAX_CLOCKS = 2048,
	TC_CLOCK_MAX_HOPS = 4,
};

struct tc_clocks {
	struct tc_clock *clocks; /* owned */
	size_t count, cap;
	struct tc_map by_key;        /* to index + 1 */
	struct tc_clock_kind *kinds; /* owned */
	size_t kind_count, kind_cap;
	struct tc_clock_entry *entries; /* owned: all snapshots, one after another */
	size_t entry_count, entry_cap;
	size_t snapshots;
	struct tc_clock_hop *hops; /* owned: the pairs of clocks in use */
	size_t hop_count, hop_cap;
	unsigned generation;         /* changes when a cached path may be wrong */
	struct tc_clock_step *steps; /* owned: of the search under way */
	size_t step_count, step_cap;
	unsigned searches;
	struct tc_clock_route {
		uint64_t key;
		unsigned generation; /* 0: none yet */
		uint32_t clock, hop; /* indexes */
	} route;                     /* the single hop converted by last */
	struct tc_clock_near {
		uint64_t key;
		int64_t first, last; /* first > last: none */
		uint64_t offset;     /* wraps around */
	} near; /* times that moved like the one converted last, until a snapshot */

	uint64_t trace_clock, default_clock; /* keys; default_clock 0: none */
	bool is_fixed;                       /* the trace clock may not change any more */
	int64_t remote_offset;               /* taken off what is converted */
	size_t made_up_end; /* of the entries of a snapshot that the trace has not; 0:
			       none */
};

void tc_clocks_init(struct tc_clocks *c);
void tc_clocks_release(struct tc_clocks *c);

/*
 * Takes a snapshot. `primary` is the clock that it declares to be the trace's,
 * or 0. -1 when the snapshot contradicts itself or an earlier one, and then
 * nothing of it is used.
 */
int tc_clocks_add(struct tc_clocks *c, const struct tc_clock_value *values, size_t n,
	uint32_t primary);

/* The whole of tc_clocks_convert. */
enum tc_clock_result tc_clocks_convert_any(
	struct tc_clocks *c, uint64_t key, int64_t t, int64_t *trace_time);

/* Whether the time moves like the one converted last, and then trace time. */
static inline bool
tc_clocks_convert_near(
	const struct tc_clocks *c, uint64_t key, int64_t t, int64_t *trace_time)
{
	const struct tc_clock_near *n = &c->near;

	*trace_time = (int64_t)((uint64_t)t + n->offset - (uint64_t)c->remote_offset);
	return n->key == key && t >= n->first && t <= n->last;
}

/* The time t on the clock, as trace time. */
static inline enum tc_clock_result
tc_clocks_convert(struct tc_clocks *c, uint64_t key, int64_t t, int64_t *trace_time)
{
	int64_t near;

	if (!tc_clocks_convert_near(c, key, t, &near))
		return tc_clocks_convert_any(c, key, t, trace_time);
	*trace_time = near;
	return TC_CLOCK_OK;
}

/*
 * Walks the snapshots in the order in which they came. *pos is 0 at first; the
 * values, in nanoseconds, are up to TC_CLOCK_MAX_IN_SNAPSHOT. Returns how many
 * there are, 0 at the end.
 */
size_t tc_clocks_next(
	const struct tc_clocks *c, size_t *pos, struct tc_clock_value *values);

/*
 * Whether times on this clock are trace time as they are. Asking fixes what the
 * trace clock is, as a conversion does.
 */
bool tc_clocks_is_trace_time(struct tc_clocks *c, uint64_t key);

/* How many snapshots hold this clock. */
size_t tc_clocks_seen(struct tc_clocks *c, uint64_t key);

/* Whether each time on this clock counts from the one before. */
bool tc_clocks_is_incremental(struct tc_clocks *c, uint64_t key);

#endif
