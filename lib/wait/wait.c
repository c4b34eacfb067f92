#include "wait/wait.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <time.h>

#include "err/err.h"

#define MS INT64_C(1000000)

int64_t
tc_wait_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 * MS + ts.tv_nsec;
}

struct tc_wait
tc_wait_for(int64_t ms)
{
	return (struct tc_wait){ ms ? tc_wait_now() + ms * MS : 0, 0, -1 };
}

struct tc_wait
tc_wait_at_most(const struct tc_wait *w, int64_t ms)
{
	struct tc_wait shorter = *w;
	int64_t until = tc_wait_now() + ms * MS;

	if (!shorter.until_ns || shorter.until_ns > until)
		shorter.until_ns = until;
	return shorter;
}

bool
tc_wait_is_readable(int fd)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };

	return poll(&pfd, 1, 0) > 0;
}

/* For poll: milliseconds until then, rounded up; -1 for ever. */
static int
left_ms(int64_t until_ns)
{
	int64_t ms = (until_ns - tc_wait_now() + MS - 1) / MS;

	if (!until_ns)
		return -1;
	return ms < 0 ? 0 : ms > INT_MAX ? INT_MAX : (int)ms;
}

static int
timed_out(bool quiet, const struct tc_wait *w, struct tc_err *err)
{
	if (quiet)
		return tc_err_named(err, TC_AGAIN, "timed_out", "no answer for %d.%03d s",
			w->quiet_ms / 1000, w->quiet_ms % 1000);
	return tc_err_named(err, TC_AGAIN, "timed_out", "took too long");
}

int
tc_wait_poll(
	struct pollfd *fds, size_t count, const struct tc_wait *w, struct tc_err *err)
{
	struct pollfd all[TC_WAIT_MAX + 1];
	int64_t quiet_ns = w->quiet_ms ? tc_wait_now() + w->quiet_ms * MS : 0;
	bool quiet = quiet_ns && (!w->until_ns || quiet_ns < w->until_ns);
	int64_t until = quiet ? quiet_ns : w->until_ns;
	int ms, n;

	assert(count <= TC_WAIT_MAX);
	if (count)
		memcpy(all, fds, count * sizeof(*fds));
	all[count] = (struct pollfd){ .fd = w->stop_fd, .events = POLLIN };
	do {
		ms = left_ms(until);
		n = poll(all, (nfds_t)count + 1, ms);
		/* poll may come back a little early. */
	} while ((n < 0 && errno == EINTR) || (n == 0 && left_ms(until) != 0));
	if (n < 0)
		return tc_err_sys(err, TC_SYSTEM, "poll");
	if (all[count].revents)
		return tc_err_named(err, TC_AGAIN, "interrupted", "interrupted");
	if (n == 0)
		return timed_out(quiet, w, err);
	if (count)
		memcpy(fds, all, count * sizeof(*fds));
	return 0;
}

int
tc_wait_check(const struct tc_wait *w, struct tc_err *err)
{
	if (w->stop_fd >= 0 && tc_wait_is_readable(w->stop_fd))
		return tc_err_named(err, TC_AGAIN, "interrupted", "interrupted");
	if (w->until_ns && left_ms(w->until_ns) == 0)
		return timed_out(false, w, err);
	return 0;
}

int
tc_wait_sleep(int64_t ms, const struct tc_wait *w, struct tc_err *err)
{
	struct tc_wait nap = tc_wait_at_most(w, ms);
	bool whole = nap.until_ns != w->until_ns;

	nap.quiet_ms = 0;
	tc_wait_poll(NULL, 0, &nap, err);
	if (whole && err->name && strcmp(err->name, "timed_out") == 0) {
		*err = (struct tc_err){ 0 };
		return 0;
	}
	return -1;
}
