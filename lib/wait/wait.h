#ifndef TC_WAIT_WAIT_H
#define TC_WAIT_WAIT_H
/*
 * wait: how long a call may take, and what ends it before.
 *
 * Whatever waits for a peer takes a struct tc_wait. It may be handed down and
 * used for several calls: `until_ns` is a point in time, so they share it.
 *
 * `stop_fd` is the reading end of a pipe into which a signal handler writes: a
 * call that finds it readable ends with "interrupted". It is not read from, so
 * all calls after that end too, until the caller takes it out (-1).
 */
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tc_err;

struct tc_wait {
	int64_t until_ns; /* on the monotonic clock; 0: no limit */
	int quiet_ms;     /* so long without a byte moved is too long; 0: no limit */
	int stop_fd;      /* -1: none */
};

/* Such a pipe, which no child of this process gets. 0, or -1 with TC_SYSTEM. */
int tc_wait_pipe(int fds[2], struct tc_err *err);

/*
 * Such a handler, for SIGINT, SIGTERM and SIGHUP, of which none interrupts it. Who
 * started us with one of them ignored, as nohup does, wants it so.
 */
void tc_wait_on_signals(void (*handler)(int sig));

/* Nanoseconds on the monotonic clock. */
int64_t tc_wait_now(void);

/* That long from now (0: for ever), and nothing else ends it. */
struct tc_wait tc_wait_for(int64_t ms);

/* The same, but no longer than that from now. */
struct tc_wait tc_wait_at_most(const struct tc_wait *w, int64_t ms);

/* Whether something can be read, or the peer is gone, now. */
bool tc_wait_is_readable(int fd);

enum { TC_WAIT_MAX = 8 };

/*
 * Until one of at most TC_WAIT_MAX descriptors has what it is asked for, in its
 * `revents`: 0; or -1: TC_AGAIN, "timed_out" or "interrupted".
 */
int tc_wait_poll(
	struct pollfd *fds, size_t count, const struct tc_wait *w, struct tc_err *err);

/*
 * For a loop that may go on without ever waiting: 0, or -1 as above when the time
 * is over or the caller wants an end.
 */
int tc_wait_check(const struct tc_wait *w, struct tc_err *err);

/* Nothing but the time: 0 when it has passed, or -1 as above. */
int tc_wait_sleep(int64_t ms, const struct tc_wait *w, struct tc_err *err);

#endif
