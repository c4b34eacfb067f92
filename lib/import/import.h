#ifndef TC_IMPORT_IMPORT_H
#define TC_IMPORT_IMPORT_H
/*
 * import: one trace in, its records out.
 *
 * Reads all packets, holding compact rows and not the trace, sorts the rows by
 * time, lets the data sources make sense of them in that order, and writes:
 * the `trace` record, processes and threads, rows, `stat` records.
 *
 * A file may hold several traces, in an archive; each is one of the run.
 */
#include <stdbool.h>
#include <stdint.h>

#include "choose/choose.h"
#include "mem/mem.h"
#include "source/source.h"

struct tc_err;
struct tc_in;
struct tc_out;

struct tc_import {
	bool with_experimental;
	enum tc_gfx_clock gfx_clock;
	struct tc_choose choose; /* zeroed: everything that is not on request */
	bool has_no_rows;        /* only the window is wanted */
	int64_t count;           /* traces imported so far in this run */
	uint64_t inflated;       /* bytes of compressed packets in the file at hand */
};

/* What is known of a trace besides its bytes; p NULL: nothing. */
struct tc_import_origin {
	struct tc_str path, device, session;
};

/*
 * 0, or -1: TC_DATA when the trace is damaged or is none, after everything
 * before the damage was written; or when it lacks the chosen window, and then no
 * rows were; or TC_IO.
 */
int tc_import_run(struct tc_import *im, const struct tc_import_origin *origin,
	struct tc_in *in, struct tc_out *out, struct tc_err *err);

/*
 * The window that c chooses, and nothing else of the trace: what tc_import_run
 * would cut its rows by. 0 also when the trace is damaged behind what the window
 * needs; -1: TC_DATA when it lacks the window, or TC_IO.
 */
int tc_import_window(const struct tc_choose *c, struct tc_in *in,
	struct tc_choose_window *window, struct tc_err *err);

/*
 * All traces in a file, whatever it is wrapped in. What is wrong with one does
 * not keep the others from being imported: -1 then, with the first failure and
 * how many there were.
 */
int tc_import_file(struct tc_import *im, const struct tc_import_origin *origin,
	struct tc_in *file, struct tc_out *out, struct tc_err *err);

#endif
