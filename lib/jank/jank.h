#ifndef TC_JANK_JANK_H
#define TC_JANK_JANK_H
/*
 * jank: app frames held against their expectations.
 *
 * Takes expected and actual frames in any order, holds what the join needs,
 * and answers at the end. The join is by process and surface frame token,
 * within one trace and one machine; every actual row gives one row, with the
 * details of its expectation only where there is exactly one.
 */
#include <stdbool.h>
#include <stdint.h>

#include "mem/mem.h"

struct tc_cli;
struct tc_err;
struct tc_out;
struct tc_rec_actual_frame;
struct tc_rec_expected_frame;
struct tc_rec_process;
struct tc_rec_trace;

struct tc_jank {
	/* Which processes: a name or glob, "pid=N", "upid=N"; NULL: every one. */
	const char *app;
	bool all; /* several processes may fit */

	struct tc_strtab names;        /* process, layer and enum texts */
	struct tc_strtab groups;       /* what rows have in common, as bytes */
	struct tc_jank_totals *totals; /* owned: by group - 1 */
	size_t totals_cap;

	struct tc_jank_proc *procs; /* owned */
	size_t proc_count, proc_cap;
	/* (trace, machine) of the stream under way to a place, (place, upid) to proc. */
	struct tc_map places, proc_index;
	uint64_t place_count;
	struct tc_map traces; /* indexes that this stream has used */

	struct tc_jank_expected *expected; /* owned */
	size_t expected_count, expected_cap;
	uint32_t *expected_index; /* owned: hash of first rows, made at the end */
	size_t index_cap;

	struct tc_jank_actual *actual; /* owned */
	size_t actual_count, actual_cap;
};

/* Whether this can be j->app: a name, or a number where one is due. */
bool tc_jank_is_app(const char *app);

void tc_jank_release(struct tc_jank *j);

/*
 * A trace begins. Streams that were made apart all count from 0, so an index
 * that was there before begins another stream: nothing of it is joined with
 * what came earlier.
 */
void tc_jank_add_trace(struct tc_jank *j, const struct tc_rec_trace *t);
void tc_jank_add_process(struct tc_jank *j, const struct tc_rec_process *p);
void tc_jank_add_expected(struct tc_jank *j, const struct tc_rec_expected_frame *f);
void tc_jank_add_actual(struct tc_jank *j, const struct tc_rec_actual_frame *f);

/* Whether neither a trace came nor anything of one. */
bool tc_jank_is_empty(const struct tc_jank *j);

/*
 * Once all rows are in: settles which processes are meant. -1 with TC_USAGE
 * when none fits, or several do and `all` is not set; they are listed.
 */
int tc_jank_choose(struct tc_jank *j, struct tc_cli *cli, struct tc_err *err);

/* One answer of tc-jank: writes its records. */
struct tc_jank_mode {
	const char *name;
	void (*put)(struct tc_jank *j, struct tc_out *out);
};

/* The mode of this name, or NULL. */
const struct tc_jank_mode *tc_jank_find_mode(const char *name);

/* What is written when no mode is named: janky frames, then stats. */
void tc_jank_put_default(struct tc_jank *j, struct tc_out *out);

/* One line for a person, cut to `size` bytes. */
void tc_jank_summary(const struct tc_jank *j, char *text, size_t size);

#endif
