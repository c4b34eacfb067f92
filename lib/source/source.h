#ifndef TC_SOURCE_SOURCE_H
#define TC_SOURCE_SOURCE_H
/*
 * source: what the packets of each data source hold.
 *
 * A source sees its packets three times. `keep` decodes one in file order and
 * stores what it needs, compactly. `apply` gets that back in the order of
 * trace time, when all clocks are known. `put` gets it once more, in the same
 * order, when everything is known that will be, and writes rows. `finish` comes
 * before the first apply, `end` after the last put. A source
 * leaves out what it has no use for; nothing but the table names it.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "choose/choose.h"
#include "mem/mem.h"
#include "proc/proc.h"
#include "rec/rec.h"
#include "trace/trace.h"

struct tc_err;
struct tc_out;
struct tc_source;

/* In front of everything that a source stores. */
struct tc_row {
	uint16_t source; /* its place in the table */
};

/* A row whose clock was not known when its packet was read. */
struct tc_late_row {
	struct tc_row *row;
	int64_t packet; /* its number: what counts packets counts it once */
	uint64_t clock;
	int64_t raw;
	uint32_t machine;
};

/* What the trace says of itself. */
struct tc_source_facts {
	bool has_config;
	struct tc_str *requested; /* owned array: data sources of the config */
	size_t requested_count, requested_cap;
	int64_t uuid_msb, uuid_lsb;
	bool has_uuid;
	int64_t duration_ms, write_into_file; /* of the config, TC_NONE: not given */
	bool has_stats;
	size_t buffer_count; /* in the stats */
	int64_t final_flush; /* final_flush_outcome of the stats */
	int64_t tracing_started_ts, all_data_sources_started_ts, tracing_disabled_ts;
	int64_t sdk; /* TC_NONE: not given, as above */
	struct tc_str build;
	bool has_old_kernel;                /* before 4.14, whose task states differ */
	struct tc_source_package *packages; /* owned */
	size_t package_count, package_cap;
};

struct tc_source_package {
	int64_t uid; /* of the app, without the user */
	struct tc_str name;
};

enum { TC_SOURCE_MAX = 32, TC_SOURCE_CLOCKS = 4 };

/* How a source's packets were stamped. */
struct tc_source_use {
	int64_t packets;
	uint64_t clocks[TC_SOURCE_CLOCKS]; /* keys; more than this is not told */
	uint32_t clock_machine[TC_SOURCE_CLOCKS];
	size_t clock_count;
	void *state; /* the source's own, for this trace */
};

/*
 * What the user chose, looked up once: row types to write, and for each process
 * and layer whether its rows are wanted.
 */
struct tc_source_chosen {
	bool process, thread, buffer_event, phase, expected_frame, actual_frame;
	bool input_event, input_dispatch, slice, sched, counter;
	uint8_t *by_upid; /* owned */
	uint8_t *by_name; /* owned: of layers, by id: 0 not looked up, 1 yes, 2 no */
};

/* How FrameTracer's packets are read that name no clock. */
enum tc_gfx_clock { TC_GFX_CLOCK_AUTO, TC_GFX_CLOCK_MONO, TC_GFX_CLOCK_BOOT };

/* One trace being decoded. */
struct tc_decode {
	struct tc_trace trace;
	struct tc_procs procs;
	struct tc_strtab names;
	struct tc_arena rows;
	struct tc_trace_item *items; /* owned: rows by time */
	size_t item_count, item_cap;
	struct tc_trace_item
		*events; /* owned: rows of events, behind packets of their time */
	size_t event_count, event_cap;
	struct tc_late_row *late; /* owned */
	size_t late_count, late_cap;
	struct tc_source_facts facts;
	struct tc_source_use use[TC_SOURCE_MAX]; /* by place in the table */
	uint16_t current;                        /* the source whose keep is running */
	int64_t frame_rows;                      /* written by put */

	int64_t index;          /* which trace of the run this is */
	bool with_experimental; /* write what is not for jank analysis too */

	enum tc_gfx_clock gfx_clock;
	const struct tc_choose *choose;
	struct tc_choose_window window; /* known when rows are put */
	int64_t outliers;         /* packets; known when rows are applied, as below */
	int64_t start_ts, end_ts; /* without outliers; start > end: no times */
	struct tc_source_chosen chosen;

	bool has_no_window; /* hold all events until the end */
	bool is_read_once;  /* what comes too late is lost */
	bool is_late;       /* events came too late for the window */
	bool has_no_rows;   /* nothing is wanted but the window and its markers */
};

struct tc_source {
	const char *name; /* as a TraceConfig has it; NULL: not a data source */
	const char *help; /* what it tells, for a person */
	uint32_t field;   /* of TracePacket; 0: its rows come from other sources */
	bool has_frames;
	bool has_markers;  /* holds slices, or decides which of them count */
	size_t state_size; /* of a state of its own, zeroed; 0: none */
	/* Whether a packet of the field is of this source; NULL: all are. */
	bool (*has)(const struct tc_packet *p);
	void (*keep)(struct tc_decode *d, void *state, const struct tc_packet *p);
	void (*finish)(struct tc_decode *d, void *state); /* all packets were read */
	void (*apply)(struct tc_decode *d, void *state, int64_t ts, struct tc_row *row);
	void (*complete)(struct tc_decode *d, void *state); /* all rows were applied */
	void (*put)(struct tc_decode *d, void *state, int64_t ts, struct tc_row *row,
		struct tc_out *o);
	void (*end)(struct tc_decode *d, void *state, struct tc_out *o); /* news */
	void (*release)(void *state); /* what the state owns */
};

/* All sources, ended by NULL. */
const struct tc_source *const *tc_source_all(void);

/* The place in the table of the source that reads this field, or -1. */
int tc_source_of_field(uint32_t field);

/* Gives a row its time, once that is known. */
static inline void
tc_source_place(struct tc_decode *d, int64_t ts, struct tc_row *row)
{
	if (d->item_count == d->item_cap)
		tc_mem_grow(
			&d->items, &d->item_cap, d->item_count + 1, sizeof(*d->items));
	d->items[d->item_count++] = (struct tc_trace_item){ ts, row };
}

/* The row gets its time when all clocks are known. */
void tc_source_place_late(
	struct tc_decode *d, const struct tc_packet *p, struct tc_row *row);

/*
 * For keep: a row of this size that apply and put get back at the packet's time,
 * for the caller to fill: its source is d->current. NULL when the packet has no
 * usable time.
 */
static inline void *
tc_source_space(struct tc_decode *d, const struct tc_packet *p, size_t size)
{
	struct tc_row *row;

	if (p->time == TC_TIME_BAD)
		return NULL;
	row = tc_arena_alloc(&d->rows, size);
	if (p->time == TC_TIME_LATER)
		tc_source_place_late(d, p, row);
	else
		tc_source_place(d, p->ts, row);
	return row;
}

/* The same, zeroed but for its source. */
void *tc_source_row(struct tc_decode *d, const struct tc_packet *p, size_t size);

/* A row of this size, zeroed, of another source, for an event inside a packet. */
void *tc_source_event(
	struct tc_decode *d, const struct tc_source *source, int64_t ts, size_t size);

/*
 * A name from a packet, interned, and cut where it has more than TC_STR_MAX_NAME
 * bytes. What is cut is counted.
 */
uint32_t tc_source_name(struct tc_decode *d, struct tc_str name);

/*
 * Choosing happens when rows are put, so ids and what rows say of each other do
 * not depend on it. tc_source_choose comes before the first put, when all rows
 * were applied; -1 with TC_DATA when the trace has no such window.
 */
int tc_source_choose(struct tc_decode *d, struct tc_err *err);
bool tc_source_looks_up_layer(struct tc_decode *d, uint32_t layer);
bool tc_source_looks_up_time(
	const struct tc_decode *d, int64_t ts, int64_t dur, struct tc_rec_list *edge);

static inline bool
tc_source_has_process(const struct tc_decode *d, uint32_t upid)
{
	return !d->chosen.by_upid ||
		(upid < d->procs.process_count && d->chosen.by_upid[upid]);
}

static inline bool
tc_source_has_layer(struct tc_decode *d, uint32_t layer)
{
	return !d->chosen.by_name || tc_source_looks_up_layer(d, layer);
}

/* Whether the row lies in the window, and the edges of it that the row crosses. */
static inline bool
tc_source_has_time(
	const struct tc_decode *d, int64_t ts, int64_t dur, struct tc_rec_list *edge)
{
	*edge = (struct tc_rec_list){ 0 };
	return (d->window.from == INT64_MIN && d->window.to == INT64_MAX) ||
		tc_source_looks_up_time(d, ts, dur, edge);
}

/*
 * What was asked for by name and is nowhere in the trace: 0 to 2 names of options,
 * NULL-ended. Once all rows were put.
 */
void tc_source_missed(struct tc_decode *d, const char *options[3]);

int64_t tc_source_outlier_outside(const struct tc_decode *d, int64_t ts);

/* For the field `outlier`: 1 when the row is too far from the others, or unknown. */
static inline int64_t
tc_source_outlier(const struct tc_decode *d, int64_t ts)
{
	if (ts >= d->start_ts && ts <= d->end_ts)
		return TC_NONE;
	return tc_source_outlier_outside(d, ts);
}

/* A row's machine, as records have it. */
static inline int64_t
tc_source_machine_id(const struct tc_decode *d, uint32_t machine)
{
	return d->trace.machines[machine].raw_id;
}

/* For sources that count nested messages which end in damage. */
static inline void
tc_source_nested(struct tc_decode *d, int pb_result)
{
	if (pb_result < 0)
		tc_trace_count(&d->trace, TC_STAT_DAMAGED_NESTED);
}

extern const struct tc_source tc_source_graphics_frame, tc_source_frame_timeline,
	tc_source_input_event, tc_source_process_tree, tc_source_trace_config,
	tc_source_trace_uuid, tc_source_system_info, tc_source_trace_stats,
	tc_source_service_event, tc_source_clock, tc_source_packages_list,
	tc_source_ftrace, tc_source_tasks, tc_source_slice, tc_source_sched,
	tc_source_counter, tc_source_input_latency;

#endif
