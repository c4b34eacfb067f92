#ifndef TC_COMPARE_COMPARE_H
#define TC_COMPARE_COMPARE_H
/*
 * compare: whether the frames of side B are worse than those of side A.
 *
 * A side is a file of what `tc-jank metrics` says of traces, or a folder of such files.
 * Like is compared with like: the same metric of the same process, layer, interaction,
 * scenario and refresh rate. Frames of one run are not independent of one another, so
 * with several runs the run is the unit: what is tested is one number of each. With one
 * run a side there are only the frames to go by, and the verdict says so.
 *
 * A side that is worse by chance is no regression, nor is one that is worse by nothing
 * that matters: it takes a significant difference, of all that are tested together, and
 * one of the least size that was asked for.
 *
 * All that is held is owned; texts are interned. Records are taken in any order.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "json/json.h"
#include "mem/mem.h"

struct tc_err;
struct tc_out;
struct tc_rec_type;

enum { TC_COMPARE_MAX_WANTED = 64 };

/* A number to compare: of jank_metric records, or of frame_metrics. */
struct tc_compare_wanted {
	char name[64];
	unsigned statistic; /* see wanted.c */
	int field;          /* of frame_metrics, -1: a metric */
	/* Of the usual: needs slices; and stands in for those, where a side has none. */
	bool is_of_slices, is_instead;
};

struct tc_compare_input {
	char *path; /* owned */
	unsigned side;
};

struct tc_compare_cell;
struct tc_compare_frame;

struct tc_compare {
	/* What makes a regression; set by init, and then by whoever knows better. */
	double min_effect, alpha; /* percent; chance of any false finding */
	int64_t seed, resamples;
	struct tc_compare_wanted wanted[TC_COMPARE_MAX_WANTED];
	size_t wanted_count; /* 0: the usual */
	bool is_usual;

	struct tc_compare_input *inputs;   /* owned */
	size_t input_count, input_cap, at; /* at: of the record under way */
	const char *paths[2];              /* of the sides, borrowed */
	const char *empty;                 /* a folder without files, borrowed */
	const char *no_file;               /* in a folder, and must not be opened */

	struct tc_strtab names;           /* every text */
	struct tc_strtab keys;            /* what is compared with what; as bytes */
	struct tc_strtab runs;            /* as bytes */
	struct tc_map cell_index, traces; /* traces: that came, by stream and index */
	struct tc_compare_cell *cells;    /* owned: metrics, by key and run */
	struct tc_compare_frame *frames;  /* owned */
	size_t cell_count, cell_cap, frame_count, frame_cap;
	uint32_t stream;       /* of the input under way */
	uint32_t first_b;      /* the first run of side b, once they are in order */
	uint32_t rules, other; /* the first that came, and one that differs */
	bool lacks_rules;      /* a record did not say */
	bool has_records[2], has_rows[2];
	struct tc_json json;
};

void tc_compare_init(struct tc_compare *c);
void tc_compare_release(struct tc_compare *c);

/* NAME or NAME.STATISTIC. -1 with TC_USAGE for a name that is none. */
int tc_compare_want(struct tc_compare *c, const char *text, struct tc_err *err);

/*
 * The files of both sides, ended by NULL, to be read in this order; valid as long as c.
 * Ended by free. What is no folder stands for itself.
 */
char **tc_compare_inputs(struct tc_compare *c, const char *a, const char *b);

/* -1 with TC_NOINPUT where one is a folder without files, or with what is no file. */
int tc_compare_check_inputs(const struct tc_compare *c, struct tc_err *err);

/*
 * Takes in a record of the input of this path, which is one that `inputs` gave: a trace,
 * jank_metric or frame_metrics; or an actual_frame, which is no metric.
 */
int tc_compare_add(struct tc_compare *c, const char *path, const struct tc_rec_type *type,
	const void *rec, struct tc_err *err);

/* What it came to: of each verdict how many. */
struct tc_compare_result {
	size_t passed, failed, not_enough;
};

/*
 * Judges and writes the verdicts. -1 with TC_DATA, and nothing written, when the sides
 * are not to be compared: made by different rules, or a side without metrics.
 */
int tc_compare_judge(struct tc_compare *c, struct tc_out *out,
	struct tc_compare_result *result, struct tc_err *err);

#endif
