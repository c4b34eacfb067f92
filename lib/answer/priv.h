#ifndef TC_ANSWER_PRIV_H
#define TC_ANSWER_PRIV_H
/* Inside answer: what a mode is. */
#include "answer/answer.h"

enum { TC_ANSWER_MODE_OPTIONS = 16 };

struct tc_answer_mode {
	const char *name;                    /* "" of the one that needs none */
	unsigned kinds;                      /* of rows, enum tc_rows_kind */
	int options[TC_ANSWER_MODE_OPTIONS]; /* its own, ended by 0 */

	/* One of these answers; the rows are settled, where it asks for any. */
	void (*put)(const struct tc_rows *r, struct tc_out *out);
	int (*run)(struct tc_answer *a, struct tc_filter_run *run, struct tc_err *err);

	/* Of one that reads answers instead of rows: which; else NULL. */
	const struct tc_filter_on *takes;
};

/* The one of this name, or NULL; and the one that needs no name. */
const struct tc_answer_mode *tc_answer_mode(const char *name);

/* The names of all that have one, as a list to be read. */
void tc_answer_list(char *text, size_t size);

bool tc_answer_has(const struct tc_answer_mode *mode, int option);

/* names.c: ends the process where two names are of one file and must not be. */
void tc_answer_check_names(const struct tc_answer *a, struct tc_cli *cli, char **inputs);

/* Fills in a->on: what the mode does not need is not even parsed. */
void tc_answer_make_table(struct tc_answer *a);

/* Where rules are asked for and there is nothing to judge: that each is not judged. */
int tc_answer_no_verdicts(
	struct tc_answer *a, struct tc_filter_run *run, struct tc_err *err);

/* Who takes in what compare and merge read. */
extern const struct tc_filter_on tc_answer_compared[], tc_answer_merged[];

#endif
