#ifndef TC_TRACE_TRACE_H
#define TC_TRACE_TRACE_H
/*
 * trace: a Perfetto trace as a series of packets with resolved times.
 *
 * Reads the file element by element through a window, opens compressed
 * packets, keeps the state of packet sequences and machines, and turns each
 * packet's timestamp into trace time. What a packet holds beyond that is the
 * business of the data sources.
 *
 * A packet and its bytes are valid until the next call. Between two calls the
 * input may stand beyond the packet: bundles are read ahead where there is a
 * second core to open them.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clock/clock.h"
#include "mem/mem.h"

struct tc_err;
struct tc_in;

/* Counters with the names and meanings of Perfetto's statistics, and ours. */
enum tc_trace_stat {
	TC_STAT_TRUNCATED_BYTES,
	TC_STAT_CONTAINER_CUT,
	TC_STAT_DAMAGE_OFFSET,
	TC_STAT_DAMAGED_COMPRESSED,
	TC_STAT_DAMAGED_NESTED,
	TC_STAT_NAME_CUT,
	TC_STAT_INPUT_CUT,
	TC_STAT_UNKNOWN_TOP_LEVEL,
	TC_STAT_SEQ_LOSS,
	TC_STAT_CLEARED_NO_SEQ,
	TC_STAT_DROPPED_NO_SEQ,
	TC_STAT_DEFAULTS_NO_SEQ,
	TC_STAT_INTERNED_NO_SEQ,
	TC_STAT_INTERNED_INVALID,
	TC_STAT_NEEDS_STATE,
	TC_STAT_CLOCK_UNKNOWN_SOURCE,
	TC_STAT_CLOCK_UNKNOWN_TARGET,
	TC_STAT_CLOCK_NO_PATH,
	TC_STAT_CLOCK_PACKET_LOSS,
	TC_STAT_CLOCK_BAD_SNAPSHOT,
	TC_STAT_NEGATIVE_TIMESTAMP,
	TC_STAT_TOO_MANY_MACHINES,
	TC_STAT_GRAPHICS_ERRORS,
	TC_STAT_TIMELINE_ERRORS,
	TC_STAT_TIMELINE_UNPAIRED,
	TC_STAT_GRAPHICS_FAULTS,
	TC_STAT_TIMELINE_FAULTS,
	TC_STAT_OVERLAPPING,
	TC_STAT_NEGATIVE_DURATION,
	TC_STAT_MAX_DEPTH,
	TC_STAT_PARENT_CHANGED,
	TC_STAT_FTRACE_BAD_BUNDLE,
	TC_STAT_FTRACE_NO_EVENT,
	TC_STAT_FTRACE_CPU_LOSS,
	TC_STAT_FTRACE_LATE,
	TC_STAT_SYSTRACE_BAD,
	TC_STAT_SWITCH_MISMATCH,
	TC_STAT_COMPACT_SKIPPED,
	TC_STAT_PROCESS_ERRORS,
	TC_STAT_MISPLACED_END,

	/* TraceStats: one of each a buffer, in the order of BufferStats' fields. */
	TC_STAT_BUF_BYTES_WRITTEN,
	TC_STAT_BUF_CHUNKS_WRITTEN,
	TC_STAT_BUF_CHUNKS_OVERWRITTEN,
	TC_STAT_BUF_WRITE_WRAP_COUNT,
	TC_STAT_BUF_PATCHES_SUCCEEDED,
	TC_STAT_BUF_PATCHES_FAILED,
	TC_STAT_BUF_READAHEADS_SUCCEEDED,
	TC_STAT_BUF_READAHEADS_FAILED,
	TC_STAT_BUF_ABI_VIOLATIONS,
	TC_STAT_BUF_CHUNKS_REWRITTEN,
	TC_STAT_BUF_CHUNKS_COMMITTED_OUT_OF_ORDER,
	TC_STAT_BUF_BUFFER_SIZE,
	TC_STAT_BUF_BYTES_OVERWRITTEN,
	TC_STAT_BUF_BYTES_READ,
	TC_STAT_BUF_PADDING_BYTES_WRITTEN,
	TC_STAT_BUF_PADDING_BYTES_CLEARED,
	TC_STAT_BUF_CHUNKS_READ,
	TC_STAT_BUF_CHUNKS_DISCARDED,
	TC_STAT_BUF_TRACE_WRITER_PACKET_LOSS,

	/* TraceStats: of the service, in the order of its fields. */
	TC_STAT_TRACED_PRODUCERS_CONNECTED,
	TC_STAT_TRACED_PRODUCERS_SEEN,
	TC_STAT_TRACED_DATA_SOURCES_REGISTERED,
	TC_STAT_TRACED_DATA_SOURCES_SEEN,
	TC_STAT_TRACED_TRACING_SESSIONS,
	TC_STAT_TRACED_TOTAL_BUFFERS,
	TC_STAT_TRACED_CHUNKS_DISCARDED,
	TC_STAT_TRACED_PATCHES_DISCARDED,
	TC_STAT_TRACED_INVALID_PACKETS,
	TC_STAT_TRACED_FLUSHES_REQUESTED,
	TC_STAT_TRACED_FLUSHES_SUCCEEDED,
	TC_STAT_TRACED_FLUSHES_FAILED,
	TC_STAT_TRACED_FINAL_FLUSH_SUCCEEDED,
	TC_STAT_TRACED_FINAL_FLUSH_FAILED,
	TC_STAT_COUNT,
};

struct tc_trace_stat_info {
	const char *name, *severity; /* severity: info, data_loss, error */
};

const struct tc_trace_stat_info *tc_trace_stat_info(enum tc_trace_stat stat);

/* Numbers of TracePacket's fields that more than one file needs. */
enum {
	TC_PACKET_FTRACE_EVENTS = 1,
	TC_PACKET_PROCESS_TREE = 2,
	TC_PACKET_TRACE_CONFIG = 33,
	TC_PACKET_TRACE_STATS = 35,
	TC_PACKET_SYSTEM_INFO = 45,
	TC_PACKET_PACKAGES_LIST = 47,
	TC_PACKET_GRAPHICS_FRAME_EVENT = 57,
	TC_PACKET_SERVICE_EVENT = 69,
	TC_PACKET_FRAME_TIMELINE_EVENT = 76,
	TC_PACKET_TRACE_UUID = 89,
	TC_PACKET_WINSCOPE_EXTENSIONS = 112,
};

enum tc_packet_time {
	TC_TIME_OK,    /* ts is trace time */
	TC_TIME_LATER, /* its clock is not known yet: tc_trace_late at the end */
	TC_TIME_BAD,   /* dropped and counted */
	TC_TIME_NONE,  /* not a packet for data sources, see struct tc_trace */
};

struct tc_packet {
	struct tc_str bytes; /* all of it */
	uint32_t seq, machine_id, clock_id, flags, dropped;
	bool has_timestamp, is_cleared, has_interned;
	uint64_t timestamp;
	uint64_t clock; /* key of the clock that ts was on, 0: taken as it is */

	/* The first field in wire order that some importer reads, 0: none. */
	uint32_t data_field;
	bool is_plain; /* of the host, with nothing that changes what trace knows */
	struct tc_str data;
	const char *ahead; /* behind data: bytes up to here may be looked at */

	/* Read by trace itself; p NULL: absent. */
	struct tc_str compressed, clock_snapshot, defaults, remote_sync;
	bool is_zstd; /* what is compressed */

	/* Set by tc_trace_next. */
	uint32_t machine;       /* index, 0 is the host */
	uint32_t default_clock; /* id that the sequence's defaults name, 0: none */
	enum tc_packet_time time;
	int64_t ts;
	bool is_clock_assumed; /* FrameTracer did not name it: see time.c */
	bool needs_lost_state; /* not to be read: the state it builds on was lost */
};

/*
 * Decodes the top level of a TracePacket, in a buffer that goes on up to
 * `ahead`. -1 with TC_DATA.
 */
int tc_packet_decode(
	struct tc_str bytes, const char *ahead, struct tc_packet *p, struct tc_err *err);

enum {
	TC_TRACE_MAX_MACHINES = 256,
	TC_TRACE_MAX_PACKET = 268435455,
	TC_TRACE_MAX_INDEX = 256, /* CPUs, buffers */
	TC_TRACE_MAX_GROUPS = 1024,
};

/* Times further apart than this do not stand together. */
#define TC_TRACE_MAX_GAP_NS INT64_C(3600000000000)

/* Times that stand together. */
struct tc_trace_group {
	int64_t first, last, count;
};

/*
 * All times of a trace. What is far from nearly all others was stamped wrong, and must
 * not stretch the trace.
 */
struct tc_trace_range {
	struct tc_trace_group *groups; /* owned, by time */
	size_t count, cap, recent;
	bool has_too_many; /* a trace of its own kind, without a bulk */
	int64_t total;
};

void tc_trace_range_add_any(struct tc_trace_range *r, int64_t first, int64_t last);

/*
 * What nearly every time does: it falls into the group of the one before, or a
 * little later. Then it was added.
 */
static inline bool
tc_trace_range_takes(struct tc_trace_range *r, int64_t first, int64_t last)
{
	struct tc_trace_group *g;

	if (!r->count)
		return false;
	g = &r->groups[r->recent];
	if (first < g->first)
		return false;
	if (last > g->last) {
		if (first > g->last && first - g->last > TC_TRACE_MAX_GAP_NS)
			return false;
		/* The next group must stay another one. */
		if (r->recent + 1 < r->count &&
			(g[1].first <= last || g[1].first - last <= TC_TRACE_MAX_GAP_NS))
			return false;
		g->last = last;
	}
	g->count++;
	r->total++;
	return true;
}

static inline void
tc_trace_range_add(struct tc_trace_range *r, int64_t first, int64_t last)
{
	if (!tc_trace_range_takes(r, first, last))
		tc_trace_range_add_any(r, first, last);
}

/*
 * The times without outliers: the group that 19 of 20 times are in, or else all
 * of them. Its count is 0, and first > last, when there are none.
 */
struct tc_trace_group tc_trace_range_bulk(const struct tc_trace_range *r);
void tc_trace_range_release(struct tc_trace_range *r);

struct tc_trace_machine {
	uint32_t raw_id; /* as in the packets, 0 is the host */
	struct tc_clocks clocks;
	int64_t remote_sum; /* of the clock offsets seen, of the trace clock */
	int64_t remote_count;
};

struct tc_trace {
	struct tc_trace_machine *machines; /* owned */
	size_t machine_count, machine_cap;
	struct tc_map machine_index; /* raw id to index */
	struct tc_map sequences;     /* (machine, seq) to what sequence.c packs */
	uint32_t last_seq;           /* of the host, the one applied last; 0: none */
	uint32_t last_clock;         /* its default clock */
	int64_t stats[TC_STAT_COUNT];
	int64_t *stats_at[TC_STAT_COUNT]; /* owned: by index, NULL: all 0 */
	int64_t packets;
	int64_t max_ts;               /* the latest time so far, 0: none */
	struct tc_trace_range range;  /* of all packets with a time */
	uint64_t offset;              /* where the element read last begins in the file */
	bool is_damaged;              /* a packet was skipped: the status is 65 */
	bool with_all;                /* hand out TC_TIME_NONE too; set after init */
	struct tc_inflater *inflater; /* owned */
	struct tc_ahead *ahead;       /* owned, NULL: bundles are opened in their turn */
	struct tc_trace_held *held;   /* owned, with ahead */
	size_t bundles;               /* opened without ahead so far */
	struct tc_str bundle;         /* what is left of the packets inside one */
	size_t element;               /* bytes of the window that are used up */
	uint64_t inflated;            /* bytes of all bundles of the file so far */
	uint64_t bundle_damage;       /* where the first damaged bundle begins */
};

void tc_trace_init(struct tc_trace *t);
void tc_trace_release(struct tc_trace *t);

/*
 * 1: *p is the next packet; 0: the input ended (a cut tail is counted in
 * TC_STAT_TRUNCATED_BYTES); -1: TC_DATA, damage at byte t->offset, the packets
 * before it were fine; or TC_IO.
 */
int tc_trace_next(
	struct tc_trace *t, struct tc_in *in, struct tc_packet *p, struct tc_err *err);

/* Trace time of a packet put aside, once all snapshots are known. */
bool tc_trace_late(
	struct tc_trace *t, uint32_t machine, uint64_t clock, int64_t raw, int64_t *ts);

/*
 * Takes a time that a packet was given later into the trace's range. false,
 * counted, when it lies before trace time.
 */
bool tc_trace_accept(struct tc_trace *t, int64_t ts);

/*
 * A time inside a packet, of an event that cannot be put aside: false, counted,
 * when its clock is not known now or it lies before trace time.
 */
bool tc_trace_convert(
	struct tc_trace *t, uint32_t machine, uint64_t clock, int64_t raw, int64_t *ts);

/* Times inside a packet, of several events, also belong to the trace's range. */
void tc_trace_span(struct tc_trace *t, int64_t first, int64_t last);

static inline void
tc_trace_count(struct tc_trace *t, enum tc_trace_stat stat)
{
	t->stats[stat]++;
}

/*
 * The same for a counter of one CPU or buffer. An index beyond the limit is left
 * out, and the count is kept.
 */
void tc_trace_count_at(struct tc_trace *t, enum tc_trace_stat stat, uint64_t index);
void tc_trace_set_at(
	struct tc_trace *t, enum tc_trace_stat stat, uint64_t index, int64_t value);
int64_t tc_trace_stat_at(const struct tc_trace *t, enum tc_trace_stat stat, size_t index);

struct tc_trace_item {
	int64_t ts; /* not negative */
	void *row;
};

/* Sorts by time; what has the same time keeps its order. */
void tc_trace_sort(struct tc_trace_item *items, size_t n);

#endif
