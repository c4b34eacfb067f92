#include "answer/priv.h"

#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "err/err.h"

static const struct tc_cli_unit plain[] = { { "", 1 }, { "", 1 }, { NULL, 0 } };

/* Those of compare. */
static bool
take_compare(struct tc_compare *to, struct tc_cli *cli, int option, char *value)
{
	struct tc_err err = { 0 };

	switch (option) {
	case TC_ANSWER_METRIC:
		if (tc_compare_want(to, value, &err))
			tc_cli_usage(cli, "--metric %s: %s", value, err.msg);
		return true;
	case TC_ANSWER_MIN_EFFECT:
		to->min_effect = tc_cli_decimal(cli, "--min-effect", value, 0, 1000, "5");
		return true;
	case TC_ANSWER_ALPHA:
		to->alpha = tc_cli_decimal(cli, "--alpha", value, 1e-6, 0.5, "0.05");
		return true;
	case TC_ANSWER_SEED:
		to->seed = tc_cli_amount(cli, "--seed", value, plain, 0, INT64_MAX, "1");
		return true;
	case TC_ANSWER_RESAMPLES:
		to->resamples = tc_cli_amount(
			cli, "--resamples", value, plain, 100, 1000000, "2000");
		return true;
	default: return false;
	}
}

/* Which rows count. */
static bool
take_choice(struct tc_answer *a, struct tc_cli *cli, int option, char *value)
{
	switch (option) {
	case TC_ANSWER_APP:
		if (!tc_rows_is_app(value, false))
			tc_cli_usage(cli, "--app %s: not a number", value);
		a->rows.app = a->rules.app = value;
		return true;
	case TC_ANSWER_ALL: a->rows.all = true; return true;
	case TC_ANSWER_SF:
		if (!tc_rows_is_app(value, true))
			tc_cli_usage(cli, "--sf %s: not pid=N or upid=N", value);
		a->rows.sf = value;
		return true;
	case TC_ANSWER_MARKERS: a->markers = value; return true;
	case TC_ANSWER_CUJ: a->scenes.cuj = true; return true;
	case TC_ANSWER_SCENARIO: a->scenes.slices = value; return true;
	case TC_ANSWER_EDGE:
		if (!tc_scenes_is_edge(value, &a->scenes.edge))
			tc_cli_usage(cli, "--edge %s: not start-in, end-in, both or clip",
				value);
		return true;
	default: return false;
	}
}

static bool
take(struct tc_answer *a, struct tc_cli *cli, int option, char *value)
{
	switch (option) {
	case TC_ANSWER_MISSING: a->has_missing = true; return true;
	case TC_ANSWER_SKETCH: a->has_sketch = true; return true;
	case TC_ANSWER_RULES: a->rules_file = value; return true;
	case TC_ANSWER_STRICT: a->is_strict = true; return true;
	case TC_ANSWER_JUNIT: a->junit = value; return true;
	default:
		return take_choice(a, cli, option, value) ||
			take_compare(&a->compare, cli, option, value);
	}
}

bool
tc_answer_take(struct tc_answer *a, struct tc_cli *cli, int option, char *value)
{
	size_t i;

	if (!take(a, cli, option, value))
		return false;
	for (i = 0; a->given[i] && a->given[i] != option;)
		i++;
	a->given[i] = option;
	return true;
}

static void
check(const struct tc_answer *a, struct tc_cli *cli, const struct option *longopts)
{
	const struct option *o;
	const int *given;

	for (given = a->given; *given; given++) {
		if (tc_answer_has(a->mode, *given))
			continue;
		for (o = longopts; o->val != *given;)
			o++;
		tc_cli_usage(cli, "--%s: not with %s", o->name,
			a->mode->name[0] ? a->mode->name : "the default mode");
	}
	if (tc_answer_has(a->mode, TC_ANSWER_RULES) && !a->rules_file)
		tc_cli_usage(cli, "%s needs -r FILE", a->mode->name);
}

/*
 * A mode that is misspelt, or stands where it is none, is a file that is not there; that
 * is said in words that help, and before any output. What could be meant for a path has
 * a dot or a slash in it.
 */
static void
check_words(const struct tc_answer *a, struct tc_cli *cli, char **words)
{
	char list[256];
	size_t i;

	for (i = 0; words[i]; i++) {
		if (!words[i][0] || strcmp(words[i], "-") == 0 ||
			access(words[i], F_OK) == 0)
			continue;
		if (a->mode->name[0] && tc_answer_mode(words[i]))
			tc_cli_usage(cli,
				"%s: no file is called so, and one mode, %s, is all",
				words[i], a->mode->name);
		if (tc_answer_mode(words[i]))
			tc_cli_usage(cli,
				"%s: no file is called so, and a mode comes before files",
				words[i]);
		if (i > 0 || a->mode->name[0] || strpbrk(words[i], "./"))
			continue;
		tc_answer_list(list, sizeof(list));
		tc_cli_usage(
			cli, "no mode or file is called %s; modes: %s", words[i], list);
	}
}

char **
tc_answer_set(struct tc_answer *a, struct tc_cli *cli, const struct option *longopts,
	char **words)
{
	/* An empty word names a file that cannot be there. */
	a->mode = words[0] && words[0][0] ? tc_answer_mode(words[0]) : NULL;
	if (a->mode)
		words++;
	else
		a->mode = tc_answer_mode("");
	check_words(a, cli, words);
	check(a, cli, longopts);
	tc_answer_make_table(a);
	if (!tc_answer_has(a->mode, TC_ANSWER_METRIC)) {
		tc_answer_check_names(a, cli, words);
		return words;
	}
	if (!words[0] || !words[1] || words[2])
		tc_cli_usage(cli, "%s needs exactly two files or folders, A and B",
			a->mode->name);
	a->sides = tc_compare_inputs(&a->compare, words[0], words[1]);
	return a->sides;
}
