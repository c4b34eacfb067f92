#ifndef TC_CHOOSE_CHOOSE_H
#define TC_CHOOSE_CHOOSE_H
/*
 * choose: what a user wants of a trace.
 *
 * Pure functions over texts and times. A struct tc_choose holds what options
 * said and is the same for all traces of a run; a zeroed one chooses what is
 * chosen without options. The texts that it is given are borrowed for as long as
 * it is used, as those of argv are. What depends on the trace, the window in trace time,
 * is a struct of its own: tell it of slices with the names of its markers, and
 * resolve it when all slices have been seen.
 *
 * Functions that take an option's text return 0, or -1 with TC_USAGE and a
 * message that does not name the option.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mem/mem.h"

struct tc_err;

enum { TC_CHOOSE_MAX_GLOBS = 64 };

struct tc_choose_globs {
	const char *items[TC_CHOOSE_MAX_GLOBS];
	size_t count;
};

enum tc_choose_kind {
	TC_CHOOSE_NOWHERE, /* no option: the end of the trace on that side */
	TC_CHOOSE_AT,      /* trace time */
	TC_CHOOSE_AFTER,   /* so long after the trace's start */
	TC_CHOOSE_MARKER,  /* where a slice of this name begins or ends */
};

struct tc_choose_time {
	enum tc_choose_kind kind;
	int64_t ns;
	const char *marker;
};

struct tc_choose {
	bool has_types;
	uint32_t types; /* bits, in the order of the table; with has_types */
	struct tc_choose_globs processes, layers, slices, counters;
	struct tc_choose_time from, to;
};

/*
 * "a,b": these record types and no others. "+a,-b": a beside those that are chosen
 * already, b not. Framing and news are always written and may be named too.
 */
int tc_choose_set_types(struct tc_choose *c, const char *list, struct tc_err *err);

/* Each adds a pattern of fnmatch(3); a process may also be pid=N or upid=N. */
int tc_choose_add_process(struct tc_choose *c, const char *glob, struct tc_err *err);
int tc_choose_add_layer(struct tc_choose *c, const char *glob, struct tc_err *err);
int tc_choose_add_slices(struct tc_choose *c, const char *glob, struct tc_err *err);
int tc_choose_add_counters(struct tc_choose *c, const char *glob, struct tc_err *err);

/*
 * "123" is trace time, "+2s", "+1.5ms", "+10us", "+5ns" is after the start, anything
 * else the name of a slice: from its begin, or to its end. One without length, as an
 * instant, is in the window that it ends, as it is in the one that it begins.
 */
int tc_choose_set_from(struct tc_choose *c, const char *text, struct tc_err *err);
int tc_choose_set_to(struct tc_choose *c, const char *text, struct tc_err *err);

/*
 * What getopt_long returns for the long options that choose, in whichever tools have
 * them; -T is 'T'.
 */
enum {
	TC_CHOOSE_OPT_PROCESS = 1000,
	TC_CHOOSE_OPT_LAYER,
	TC_CHOOSE_OPT_FROM,
	TC_CHOOSE_OPT_TO,
	TC_CHOOSE_OPT_SLICES,
	TC_CHOOSE_OPT_COUNTERS,
};

/* 1: it was one of them, and is taken; 0: none; -1: wrong, in words with its name. */
int tc_choose_option(
	struct tc_choose *c, int option, const char *text, struct tc_err *err);

/* Once all options are known: -1 when --to is not after --from, as far as one can tell.
 */
int tc_choose_check(const struct tc_choose *c, struct tc_err *err);

/* Whether records of this type are written. Look it up once, not for each row. */
bool tc_choose_type(const struct tc_choose *c, const char *name);

/* Whether any pattern fits; all do where there are none. A name may be unknown. */
bool tc_choose_process(
	const struct tc_choose *c, int64_t pid, int64_t upid, struct tc_str name);
bool tc_choose_layer(const struct tc_choose *c, struct tc_str layer);

/* Whether --slices asks for this one. What is written anyway is no question of it. */
bool tc_choose_slice(const struct tc_choose *c, struct tc_str name);

/* Whether this counter is written: BufferTX always is. */
bool tc_choose_counter(const struct tc_choose *c, struct tc_str name);

/* The part of a trace that is wanted: from <= time < to. */
struct tc_choose_window {
	int64_t from, to;
	int64_t end;           /* of the trace: what is never closed ends there */
	bool has_from, has_to; /* the marker, where there is one, was seen */
	int64_t from_marker;   /* when it begins */
	int64_t to_marker, to_marker_dur;
};

/*
 * Whether slices of this name are a marker, and so have to be told even if
 * nobody asked to have them written.
 */
bool tc_choose_is_marker(const struct tc_choose *c, struct tc_str name);

/* Tells a slice, in any order; of equal times the one told first counts. */
void tc_choose_mark(const struct tc_choose *c, struct tc_choose_window *w,
	struct tc_str name, int64_t ts, int64_t dur);

/*
 * Sets from, to and end for a trace that lasts from start_ts to end_ts (start_ts
 * > end_ts: it has no times). -1 with TC_DATA when a marker does not occur or
 * nothing is left between the two.
 */
int tc_choose_resolve(const struct tc_choose *c, int64_t start_ts, int64_t end_ts,
	struct tc_choose_window *w, struct tc_err *err);

/* Where a row stands: inside, outside, or across one edge or both. */
enum {
	TC_CHOOSE_INSIDE = 0,
	TC_CHOOSE_CROSSES_FROM = 1,
	TC_CHOOSE_CROSSES_TO = 2,
	TC_CHOOSE_OUTSIDE = 4,
};

/*
 * A row with dur 0 stands at one moment; one with a negative dur was never
 * closed and lasts until the end of the trace.
 */
unsigned tc_choose_place(const struct tc_choose_window *w, int64_t ts, int64_t dur);

#endif
