#ifndef TC_ANSWER_ANSWER_H
#define TC_ANSWER_ANSWER_H
/*
 * answer: the questions that tc-jank knows, what each needs, and who answers it.
 *
 * A mode is a row of a table (modes.c): what rows of traces it wants held, or what
 * answers of others it reads; which options it has; and a function. The command line is
 * taken in first, option by option; then `set` settles the mode, and the object is what
 * a filter's functions work on.
 */
#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>

#include "compare/compare.h"
#include "filter/filter.h"
#include "merge/merge.h"
#include "rows/rows.h"
#include "rules/rules.h"
#include "scenes/scenes.h"

struct tc_answer_mode;

/* Options, as getopt_long returns them. */
enum tc_answer_option {
	TC_ANSWER_APP = 'a',
	TC_ANSWER_RULES = 'r',
	TC_ANSWER_ALL = 256,
	TC_ANSWER_SF,
	TC_ANSWER_MISSING,
	TC_ANSWER_SKETCH,
	TC_ANSWER_STRICT,
	TC_ANSWER_JUNIT,
	TC_ANSWER_MARKERS,
	TC_ANSWER_CUJ,
	TC_ANSWER_SCENARIO,
	TC_ANSWER_EDGE,
	TC_ANSWER_METRIC,
	TC_ANSWER_MIN_EFFECT,
	TC_ANSWER_ALPHA,
	TC_ANSWER_SEED,
	TC_ANSWER_RESAMPLES,
	TC_ANSWER_OTHER, /* the first that is the tool's own */
};

enum { TC_ANSWER_MAX_ON = 32, TC_ANSWER_MAX_OPTIONS = 32 };

struct tc_answer {
	const struct tc_answer_mode *mode;
	struct tc_rows rows;
	struct tc_scenes scenes;
	struct tc_rules rules;
	struct tc_merge merge;
	struct tc_compare compare;
	const char *rules_file, *junit, *markers;
	bool is_strict, has_sketch, has_missing;
	int given[TC_ANSWER_MAX_OPTIONS]; /* ended by 0 */
	struct tc_filter_on on[TC_ANSWER_MAX_ON];
	char **sides; /* owned */
};

void tc_answer_init(struct tc_answer *a);
void tc_answer_release(struct tc_answer *a);

/* Whether this is one of the options here, which then has been taken in. */
bool tc_answer_take(struct tc_answer *a, struct tc_cli *cli, int option, char *value);

/*
 * The mode that the first of the words names, or the default. Ends the process when an
 * option was given that the mode does not have, since it would be ignored; `longopts`
 * has their names. Returns the words that are inputs; they last as long as *a.
 */
char **tc_answer_set(struct tc_answer *a, struct tc_cli *cli,
	const struct option *longopts, char **words);

/* For the filter, whose context is *a and whose table is a->on. */
int tc_answer_begin(void *answer, struct tc_filter_run *run, struct tc_err *err);
int tc_answer_end(void *answer, struct tc_filter_run *run, struct tc_err *err);

#endif
