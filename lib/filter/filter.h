#ifndef TC_FILTER_FILTER_H
#define TC_FILTER_FILTER_H
/*
 * filter: the loop that every tool shares.
 *
 * Reads records line by line from the files named on the command line, or
 * from standard input; passes on what the tool does not handle byte for byte
 * and in order; hands the rest to the tool as structs. Opens the output with a
 * `tool` record and closes it with an `end` record, checks that every tool
 * upstream did the same, and turns it all into an exit status. It is never 0 where
 * a tool upstream ended with another status than 0 and 1: a shell shows only the
 * last one.
 *
 * An input that is empty or whose first byte is not `{` goes to the tool's `raw`
 * function, when it has one. A tool that reads no input at all is all `end`.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "io/io.h"
#include "json/json.h"
#include "mem/mem.h"

struct tc_cli;
struct tc_err;
struct tc_filter_run;
struct tc_rec_type;

enum { TC_FILTER_MAX_LINE = 16 * 1024 * 1024 };

/* Acts on a record that was read. 0, or -1 to end the run. */
typedef int tc_filter_fn(
	void *ctx, struct tc_filter_run *run, const void *rec, struct tc_err *err);

struct tc_filter_on {
	const struct tc_rec_type *type; /* NULL ends the table */
	tc_filter_fn *fn;               /* may be NULL */
	bool replaces;                  /* the record itself goes no further */
};

struct tc_filter {
	const struct tc_filter_on *on;

	/*
	 * Before the first input: reads what options name. May be NULL. 0, or -1 to end
	 * the run.
	 */
	int (*begin)(void *ctx, struct tc_filter_run *run, struct tc_err *err);

	/* Reads an input that holds no records. 0, or -1 when it failed. */
	int (*raw)(void *ctx, struct tc_filter_run *run, struct tc_in *in,
		struct tc_err *err);

	/*
	 * Before a wait for more input: ends what is under way, and writes what came
	 * of it. May be NULL. 0, or -1 to end the run.
	 */
	int (*idle)(void *ctx, struct tc_filter_run *run, struct tc_err *err);

	/* After the last input: writes what the tool found. */
	int (*end)(void *ctx, struct tc_filter_run *run, struct tc_err *err);

	bool reads_nothing; /* there is nothing but `end` */
	bool keep;          /* pass on replaced records too */
	bool heeds;         /* status 1 when a tool upstream failed, or failed in part */
	bool is_interruptible; /* until `end` an interrupt ends it at once: nothing is
				  begun */
	bool ignores;          /* status 0 even when the output of one was cut off */
};

/* What a tool's functions see of the run. */
struct tc_filter_run {
	struct tc_cli *cli;
	struct tc_out out;
	struct tc_arena arena; /* reset at every line */
	int status;            /* what the tool will exit with, if nothing else */
	const struct tc_rec_type *type; /* of the record that is being acted on */

	/* The loop's own. */
	const struct tc_filter *filter;
	void *ctx;
	struct tc_json json;
	struct tc_in *in;
	bool upstream_failed; /* or failed in part */
	bool upstream_broken; /* could not do its work at all, or not on all its input */
	bool upstream_cut;
	struct tc_map lost; /* sessions whose devices are, by hash and length of the id */
	size_t lost_count;
	struct tc_filter_open *open; /* owned: tools without an end so far */
	size_t open_count, open_cap;
};

/* Writes an `error` record. The subject is JSON text: see tc_filter_quote. */
void tc_filter_error(struct tc_filter_run *run, const char *code, const char *text,
	struct tc_str subject_json);

/*
 * For a record that can be read, and says what cannot be: the input and the line
 * are added to *err, and it is treated as a malformed line. Returns what the
 * tool's function is to return.
 */
int tc_filter_refuse(struct tc_filter_run *run, struct tc_err *err);

/* The input that the record under way came from, by the pointer it was named with. */
const char *tc_filter_input(const struct tc_filter_run *run);

/* A name as JSON text, for a subject. Valid until the next line. */
struct tc_str tc_filter_quote(struct tc_filter_run *run, const char *name);

/*
 * Runs over the inputs (NULL-ended; none: standard input). Returns the exit
 * status, or -1 with *err for a failure that nobody reported yet.
 */
int tc_filter_run(const struct tc_filter *filter, void *ctx, struct tc_cli *cli,
	char **inputs, struct tc_err *err);

#endif
