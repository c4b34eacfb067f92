#include "jank/jank.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "err/err.h"
#include "jank/priv.h"
#include "rec/rec.h"

static bool
is_number(const char *text, int64_t *number)
{
	char *end;

	errno = 0;
	*number = strtoll(text, &end, 10);
	return end != text && !*end && !errno;
}

bool
tc_jank_is_app(const char *app)
{
	int64_t number;

	if (strncmp(app, "upid=", 5) == 0 || strncmp(app, "pid=", 4) == 0)
		return is_number(strchr(app, '=') + 1, &number);
	return true;
}

static bool
fits(const struct tc_jank *j, const struct tc_jank_proc *p)
{
	struct tc_str name = tc_strtab_str(&j->names, p->name);
	int64_t number;

	if (strncmp(j->app, "upid=", 5) == 0)
		return is_number(j->app + 5, &number) && p->upid == number;
	if (strncmp(j->app, "pid=", 4) == 0)
		return is_number(j->app + 4, &number) && p->pid == number;
	/* Interned text has a NUL behind it; one inside ends the name here. */
	return name.p && (strcmp(j->app, name.p) == 0 || fnmatch(j->app, name.p, 0) == 0);
}

static void
list_process(const struct tc_jank *j, const struct tc_jank_proc *p, struct tc_cli *cli,
	const char *what)
{
	struct tc_str name = tc_strtab_str(&j->names, p->name);

	tc_cli_diag(cli, TC_NOTE, "candidate", NULL,
		"%s upid=%lld pid=%lld %s (trace %lld, machine %lld)", what,
		(long long)p->upid, (long long)p->pid, name.p ? name.p : "(no name)",
		(long long)p->trace, (long long)p->machine);
}

static void
list_chosen(const struct tc_jank *j, struct tc_cli *cli)
{
	size_t i;

	for (i = 0; i < j->proc_count; i++)
		if (j->procs[i].is_chosen)
			list_process(j, &j->procs[i], cli, "fits:");
}

static int
none_fits(const struct tc_jank *j, struct tc_cli *cli, bool exists, struct tc_err *err)
{
	size_t i;

	/* A process without frames is an answer, a name that nobody has is not. */
	if (exists) {
		tc_cli_diag(cli, TC_WARNING, "no_app_frames", NULL,
			"%s has no app frames in this trace", j->app);
		return 0;
	}
	for (i = 0; i < j->proc_count; i++)
		if (j->procs[i].has_frames)
			list_process(j, &j->procs[i], cli, "has frames:");
	return tc_err_set(err, TC_USAGE, "--app %s fits no process", j->app);
}

int
tc_jank_choose(struct tc_jank *j, struct tc_cli *cli, struct tc_err *err)
{
	size_t i, count = 0;
	bool exists = false, is_meant;

	for (i = 0; i < j->proc_count; i++) {
		is_meant = !j->app || fits(j, &j->procs[i]);
		exists |= is_meant;
		j->procs[i].is_chosen = is_meant && j->procs[i].has_frames;
		count += j->procs[i].is_chosen;
	}
	if (j->app && !count)
		return none_fits(j, cli, exists, err);
	if (j->app && count > 1 && !j->all) {
		list_chosen(j, cli);
		return tc_err_set(err, TC_USAGE,
			"--app %s fits %zu processes; choose one, or add --all", j->app,
			count);
	}
	return 0;
}
