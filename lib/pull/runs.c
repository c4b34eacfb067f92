/* Whether all of a run is here: the next one may then have its folder. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "err/err.h"
#include "pull/priv.h"

struct tc_pull_run {
	struct tc_str device, run; /* in the arena */
	bool is_whole;
};

static struct tc_pull_run *
run_of(struct tc_pull_runs *r, struct tc_str device, struct tc_str run)
{
	struct tc_pull_run *one;
	size_t i;

	for (i = 0; i < r->count; i++) {
		one = &r->list[i];
		if (tc_str_eq(one->run, run) && tc_str_eq(one->device, device))
			return one;
	}
	tc_mem_grow(&r->list, &r->cap, r->count + 1, sizeof(*one));
	one = &r->list[r->count++];
	*one = (struct tc_pull_run){ tc_arena_str(&r->arena, device),
		tc_arena_str(&r->arena, run), true };
	return one;
}

void
tc_pull_runs_add(
	struct tc_pull_runs *r, struct tc_str device, struct tc_str run, bool is_there)
{
	if (run.p)
		run_of(r, device, run)->is_whole &= is_there;
}

static int
mark(const struct tc_pull_run *one, int stop_fd, struct tc_err *err)
{
	struct tc_wait w = tc_pull_open_wait(stop_fd);
	struct tc_device_result result;
	struct tc_device *d;
	char command[512];
	int r;

	snprintf(command, sizeof(command),
		"if grep -Fqs '\"run\":\"%s\"' '" TC_REC_RUN_FILE "'; then sed -i "
		"'s/\"progress\":\"unpulled\"/\"progress\":\"pulled\"/' '" TC_REC_RUN_FILE
		"'; fi",
		one->run.p);
	if (tc_device_open(&d, one->device.p, &w, err) < 0)
		return -1;
	w = tc_pull_answer_wait(stop_fd);
	r = tc_device_run(d, command, NULL, &w, &result, err);
	if (r == 0) {
		if (result.status)
			r = tc_err_named(err, TC_IO, "not_noted", "%s cannot be written",
				TC_REC_RUN_FILE);
		tc_device_result_release(&result);
	}
	tc_device_close(d);
	return r;
}

int
tc_pull_runs_mark(struct tc_pull_runs *r, int stop_fd, struct tc_err *err)
{
	const struct tc_pull_run *one;

	while (r->next < r->count) {
		one = &r->list[r->next++];
		if (!one->is_whole || !tc_pull_is_id(one->run.p))
			continue;
		if (mark(one, stop_fd, err) < 0)
			return tc_err_add(err, "%s: run %s is not marked as pulled",
				one->device.p, one->run.p);
		return 1;
	}
	return 0;
}

void
tc_pull_runs_release(struct tc_pull_runs *r)
{
	tc_arena_release(&r->arena);
	free(r->list);
	*r = (struct tc_pull_runs){ 0 };
}
