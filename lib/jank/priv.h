#ifndef TC_JANK_PRIV_H
#define TC_JANK_PRIV_H
/* Inside jank: what is held of rows and processes. */
#include "jank/jank.h"

/*
 * What an actual row has in common with others: these are the groups of
 * `stats`, and few. Interned as bytes, so without holes, unknown as TC_NONE.
 */
struct tc_jank_group {
	int64_t pid, on_time;
	uint32_t proc, layer, is_buffer, tag, type, present;
};

struct tc_jank_totals {
	int64_t rows, positive, zero, open, invalid;
	double sum_ns, max_ns;
};

/* A process that frames belong to, or that the trace names. */
struct tc_jank_proc {
	int64_t trace, machine, upid, pid;
	uint32_t name;
	bool has_frames, is_chosen;
};

struct tc_jank_expected {
	int64_t token, ts, dur, id;
	uint32_t proc;
	uint32_t count; /* rows with this token; kept in the first of them */
};

struct tc_jank_actual {
	int64_t token, display_token, ts, dur, id;
	uint32_t group;
};

const struct tc_jank_group *tc_jank_group_of(const struct tc_jank *j, uint32_t group);
const struct tc_jank_proc *tc_jank_proc_of(const struct tc_jank *j, uint32_t group);

/* The first expected row of the actual one's token, or NULL; see count. */
const struct tc_jank_expected *tc_jank_expectation(
	struct tc_jank *j, const struct tc_jank_actual *a);

/* Whether Perfetto's tag calls it jank that somebody could see. */
bool tc_jank_is_janky(struct tc_str tag);

#endif
