#ifndef TC_TRIM_TRIM_H
#define TC_TRIM_TRIM_H
/*
 * trim: a smaller trace, cut out of a larger one.
 *
 * The trace is read twice. First everything is looked at that decides what is
 * needed: which frames, buffers and slices reach into the window, which pids and
 * threads a name stands for, which sequence has to keep its state. Then it is
 * read again and written, packet by packet in the order of the file: whole, with
 * less in it, as a stub that keeps the state of its sequence intact, or not at
 * all. What is held between the two readings follows the number of frames, buffer
 * events and slices, not the size of the trace.
 *
 * Whoever reads the smaller trace finds in the window what the whole one has
 * there: the same times, because all that says how clocks relate is kept; the
 * same names, because all that names processes and threads is, or its outcome; and
 * whole frames, slices and exchanges of input events, because what crosses an edge is
 * kept with both of its ends and with what it is told from.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "choose/choose.h"

struct tc_err;
struct tc_in;
struct tc_out;

/* What became of the trace. */
struct tc_trim_report {
	int64_t packets;  /* that it has */
	int64_t kept;     /* written, stubs and those that were cut included */
	int64_t events;   /* packets written for what they hold, not for others */
	int64_t unmapped; /* of these: on a clock that nothing maps */
	int64_t told;     /* packets added for names and owners of threads */
	int64_t renamed;  /* events added for names */
	int64_t from, to; /* of the window; INT64_MIN and INT64_MAX: no edge */
	uint64_t bytes;   /* written */
	bool has_more;    /* traces in the archive, which were not read */
};

/* What cannot be asked of a trim, said before any work: -1 with TC_USAGE. */
int tc_trim_check(const struct tc_choose *c, struct tc_err *err);

/*
 * Reads the trace from in, which can be started again, and writes to out what c
 * chooses. 0, or -1: TC_DATA when the trace is damaged or is none, after
 * what lies before the damage was written; or TC_IO, also when the trace is not
 * the same when it is read again.
 */
int tc_trim_run(const struct tc_choose *c, struct tc_in *in, struct tc_out *out,
	struct tc_trim_report *report, struct tc_err *err);

/* The same for a file, or a pipe, that may be wrapped in something. */
int tc_trim_file(const struct tc_choose *c, struct tc_in *file, struct tc_out *out,
	struct tc_trim_report *report, struct tc_err *err);

#endif
