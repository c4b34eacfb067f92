#include "rows/priv.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "err/err.h"
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
tc_rows_is_app(const char *app, bool only_numbers)
{
	int64_t number;

	if (strncmp(app, "upid=", 5) == 0 || strncmp(app, "pid=", 4) == 0)
		return is_number(strchr(app, '=') + 1, &number);
	return !only_numbers;
}

bool
tc_rows_fits_app(const char *app, int64_t upid, int64_t pid, struct tc_str name)
{
	int64_t number;

	if (strncmp(app, "upid=", 5) == 0)
		return is_number(app + 5, &number) && upid == number;
	if (strncmp(app, "pid=", 4) == 0)
		return is_number(app + 4, &number) && pid == number;
	/* A NUL inside ends the name here. */
	return name.p && (strcmp(app, name.p) == 0 || fnmatch(app, name.p, 0) == 0);
}

static bool
fits(const struct tc_rows *r, const struct tc_rows_proc *p, const char *app)
{
	return tc_rows_fits_app(app, p->upid, p->pid, tc_rows_text(r, p->name));
}

static void
list_process(const struct tc_rows *r, const struct tc_rows_proc *p, struct tc_cli *cli,
	const char *what)
{
	struct tc_str name = tc_rows_text(r, p->name);

	tc_cli_diag(cli, TC_NOTE, "candidate", NULL,
		"%s upid=%lld pid=%lld %s (trace %lld, machine %lld)", what,
		(long long)p->upid, (long long)p->pid, name.p ? name.p : "(no name)",
		(long long)r->places.at[p->place].trace,
		(long long)r->places.at[p->place].machine);
}

static void
list_chosen(const struct tc_rows *r, struct tc_cli *cli)
{
	size_t i;

	for (i = 0; i < r->procs.count; i++)
		if (r->procs.at[i].is_chosen)
			list_process(r, &r->procs.at[i], cli, "fits:");
}

static int
none_fits(const struct tc_rows *r, struct tc_cli *cli, bool exists, struct tc_err *err)
{
	const char *what = r->kinds & TC_ROWS_INPUT ? "input events" : "app frames";
	size_t i;

	/* A process without frames is an answer, a name that nobody has is not. */
	if (exists) {
		tc_cli_diag(cli, TC_WARNING, "no_app_frames", NULL,
			"%s has no %s in this trace", r->app, what);
		return 0;
	}
	for (i = 0; i < r->procs.count; i++)
		if (r->procs.at[i].has_frames)
			list_process(r, &r->procs.at[i], cli,
				r->kinds & TC_ROWS_INPUT ? "has events:" : "has frames:");
	return tc_err_set(err, TC_USAGE, "--app %s fits no process", r->app);
}

int
tc_rows_choose(struct tc_rows *r, struct tc_cli *cli, struct tc_err *err)
{
	size_t i, count = 0;
	bool exists = false, is_meant;

	for (i = 0; i < r->procs.count; i++) {
		is_meant = !r->app || fits(r, &r->procs.at[i], r->app);
		exists |= is_meant;
		r->procs.at[i].is_meant = is_meant;
		r->procs.at[i].is_chosen = is_meant && r->procs.at[i].has_frames;
		count += r->procs.at[i].is_chosen;
	}
	if (r->app && !count)
		return none_fits(r, cli, exists, err);
	if (r->app && count > 1 && !r->all) {
		list_chosen(r, cli);
		return tc_err_set(err, TC_USAGE,
			"--app %s fits %zu processes; choose one, or add --all", r->app,
			count);
	}
	return 0;
}

static bool
is_surfaceflinger(struct tc_str name)
{
	return tc_str_eq(name, TC_STR("/system/bin/surfaceflinger")) ||
		tc_str_eq(name, TC_STR("surfaceflinger"));
}

/* Of two processes with display frames in one place: which is SurfaceFlinger, if any. */
static uint32_t
better_sf(const struct tc_rows *r, uint32_t a, uint32_t b, bool *is_unclear)
{
	bool a_is = is_surfaceflinger(tc_rows_text(r, r->procs.at[a].name)),
	     b_is = is_surfaceflinger(tc_rows_text(r, r->procs.at[b].name));

	*is_unclear = a_is == b_is;
	return b_is && !a_is ? b : a;
}

/* By place, the process whose display frames count. */
static void
reveal_sf(struct tc_rows *r, struct tc_cli *cli)
{
	bool *unclear = tc_mem_calloc(r->places.count + 1, sizeof(*unclear)), now;
	const struct tc_rows_proc *p;
	uint32_t *sf, best;
	size_t i;

	for (i = 0; i < r->procs.count; i++) {
		p = &r->procs.at[i];
		if (!p->has_displays)
			continue;
		sf = &r->sf_of[p->place];
		if (*sf == TC_ROWS_NO) {
			*sf = (uint32_t)i;
			continue;
		}
		best = better_sf(r, *sf, (uint32_t)i, &now);
		unclear[p->place] = now || (unclear[p->place] && best == *sf);
		*sf = best;
	}
	for (i = 0; i < r->places.count; i++) {
		if (!unclear[i])
			continue;
		r->sf_of[i] = TC_ROWS_NO;
		tc_cli_diag(cli, TC_WARNING, "sf_not_known", NULL,
			"trace %lld, machine %lld: several processes have display "
			"frames and none is named surfaceflinger; --sf says which",
			(long long)r->places.at[i].trace,
			(long long)r->places.at[i].machine);
	}
	free(unclear);
}

/* Of the processes that --sf fits, which are by place: whether any could be it. */
static int
check_sf(const struct tc_rows *r, struct tc_cli *cli, struct tc_err *err)
{
	bool is_any = false, fits_any = false;
	size_t i;

	for (i = 0; i < r->procs.count; i++) {
		is_any |= r->procs.at[i].has_displays;
		fits_any |= r->procs.at[i].has_displays &&
			r->sf_of[r->procs.at[i].place] == i;
	}
	if (fits_any)
		return 0;
	if (!is_any) {
		tc_cli_diag(cli, TC_WARNING, "no_display_frames", NULL,
			"--sf %s: no process has display frames", r->sf);
		return 0;
	}
	for (i = 0; i < r->procs.count; i++)
		if (r->procs.at[i].has_displays)
			list_process(r, &r->procs.at[i], cli, "has display frames:");
	return tc_err_set(err, TC_USAGE, "--sf %s has no display frames", r->sf);
}

int
tc_rows_find_sf(struct tc_rows *r, struct tc_cli *cli, struct tc_err *err)
{
	const struct tc_rows_proc *p;
	size_t i, found = 0;

	r->sf_of = tc_mem_alloc((r->places.count + 1) * sizeof(*r->sf_of));
	for (i = 0; i < r->places.count; i++)
		r->sf_of[i] = TC_ROWS_NO;
	if (!r->sf) {
		reveal_sf(r, cli);
		return 0;
	}
	for (i = 0; i < r->procs.count; i++) {
		p = &r->procs.at[i];
		if (!fits(r, p, r->sf))
			continue;
		found++;
		if (r->sf_of[p->place] != TC_ROWS_NO)
			return tc_err_set(err, TC_USAGE,
				"--sf %s fits several processes of one trace; upid= "
				"tells them apart",
				r->sf);
		r->sf_of[p->place] = (uint32_t)i;
	}
	if (!found && r->procs.count)
		return tc_err_set(err, TC_USAGE, "--sf %s fits no process", r->sf);
	return found ? check_sf(r, cli, err) : 0;
}
