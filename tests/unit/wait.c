/* wait: what ends a wait, and which of several ends comes first. */
#include "wait/wait.h"

#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "err/err.h"

enum { MS = 1000000 };

/* "ready", or what it says; and that it took `least` milliseconds. */
static void
check_poll(int fd, const struct tc_wait *w, const char *want, int64_t least)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	struct tc_err err = { 0 };
	int64_t start = tc_wait_now();
	int r = tc_wait_poll(&pfd, 1, w, &err);

	CHECK_STR(tc_str_of(r == 0 ? "ready" : tc_err_what(&err)), tc_str_of(want));
	CHECK_INT(r < 0 ? err.code : TC_OK, r < 0 ? TC_AGAIN : TC_OK);
	CHECK((tc_wait_now() - start) / MS >= least);
}

static void
check_check(const struct tc_wait *w, const char *want)
{
	struct tc_err err = { 0 };
	int r = tc_wait_check(w, &err);

	CHECK_STR(tc_str_of(r == 0 ? "fine" : tc_err_what(&err)), tc_str_of(want));
}

int
main(void)
{
	int quiet[2], full[2];
	struct tc_wait w, sooner;
	struct tc_err err = { 0 };

	if (pipe(quiet) < 0 || pipe(full) < 0 || write(full[1], "x", 1) != 1)
		abort();
	w = tc_wait_for(30);
	check_poll(quiet[0], &w, "timed_out", 29);
	check_check(&w, "timed_out");
	check_poll(full[0], &w, "ready", 0); /* also when the time is over */
	w = tc_wait_for(-1);
	check_poll(quiet[0], &w, "timed_out", 0);

	w = tc_wait_for(0); /* for ever */
	check_poll(full[0], &w, "ready", 0);
	check_check(&w, "fine");
	w.quiet_ms = 30;
	check_poll(quiet[0], &w, "timed_out", 29);
	check_check(&w, "fine");

	/* A request to stop comes first, and stays. */
	w.stop_fd = full[0];
	check_poll(quiet[0], &w, "interrupted", 0);
	check_poll(full[0], &w, "interrupted", 0);
	check_check(&w, "interrupted");
	CHECK_INT(tc_wait_sleep(10, &w, &err), -1);
	CHECK_STR(tc_str_of(tc_err_what(&err)), TC_STR("interrupted"));
	w.stop_fd = quiet[0];
	CHECK_INT(tc_wait_sleep(10, &w, &err), 0);

	sooner = tc_wait_at_most(&w, 1000);
	CHECK(sooner.until_ns > tc_wait_now());
	CHECK_INT(sooner.stop_fd, quiet[0]);
	w = tc_wait_for(5);
	sooner = tc_wait_at_most(&w, 1000);
	CHECK_INT(sooner.until_ns, w.until_ns);
	CHECK_INT(tc_wait_sleep(1000, &w, &err), -1);
	CHECK_STR(tc_str_of(tc_err_what(&err)), TC_STR("timed_out"));

	CHECK(tc_wait_is_readable(full[0]));
	CHECK(!tc_wait_is_readable(quiet[0]));
	return check_done();
}
