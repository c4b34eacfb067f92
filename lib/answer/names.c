/* Names of files that may be of one and the same: what must not be is a wrong option. */
#include "answer/priv.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"

static bool
is_stdin(const char *name)
{
	return strcmp(name, "-") == 0;
}

static bool
look(const char *name, struct stat *st)
{
	return (is_stdin(name) ? fstat(STDIN_FILENO, st) : stat(name, st)) == 0;
}

/* Devices are no harm: what is written to one is not what is read from it. */
static bool
is_same(const struct stat *x, const struct stat *y)
{
	return x->st_dev == y->st_dev && x->st_ino == y->st_ino && !S_ISCHR(x->st_mode);
}

/* What the JUnit file would take the place of is still needed. */
static void
check_junit(
	const struct tc_answer *a, struct tc_cli *cli, const char *name, const char *what)
{
	struct stat x, y;

	if (name && look(a->junit, &x) && look(name, &y) && is_same(&x, &y))
		tc_cli_usage(cli, "--junit %s: is %s too", a->junit, what);
}

/* A pipe gives what it has once: of two who read it one goes without. */
static bool
shares(const char *name, const char *other)
{
	struct stat x, y;

	if (is_stdin(name) && is_stdin(other))
		return true;
	return look(name, &x) && look(other, &y) && is_same(&x, &y) &&
		(S_ISFIFO(x.st_mode) || S_ISSOCK(x.st_mode));
}

static void
check_shared(struct tc_cli *cli, const char *option, const char *name, const char *other,
	const char *what)
{
	if (name && other && shares(name, other))
		tc_cli_usage(cli, "%s %s: is %s too, and can be read only once", option,
			name, what);
}

static void
check_input(const struct tc_answer *a, struct tc_cli *cli, const char *input)
{
	check_shared(cli, "--markers", a->markers, input, "an input");
	check_shared(cli, "-r", a->rules_file, input, "an input");
	if (a->junit)
		check_junit(a, cli, input, "an input");
}

void
tc_answer_check_names(const struct tc_answer *a, struct tc_cli *cli, char **inputs)
{
	struct stat x, y;

	if (a->junit && is_stdin(a->junit))
		tc_cli_usage(cli, "--junit -: standard output is for the records");
	check_shared(cli, "--markers", a->markers, a->rules_file, "the file of rules");
	if (a->junit) {
		check_junit(a, cli, a->rules_file, "the file of rules");
		check_junit(a, cli, a->markers, "the file of markers");
		if (look(a->junit, &x) && fstat(STDOUT_FILENO, &y) == 0 &&
			S_ISREG(x.st_mode) && is_same(&x, &y))
			tc_cli_usage(cli, "--junit %s: is the output too", a->junit);
	}
	if (!inputs[0])
		check_input(a, cli, "-");
	for (; *inputs; inputs++)
		check_input(a, cli, *inputs);
}
