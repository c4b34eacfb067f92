#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "session/priv.h"

/* For the first signal and the second; a byte in each, for whoever polls. */
static int pipes[2][2] = { { -1, -1 }, { -1, -1 } };
static volatile sig_atomic_t count, last;

static void
on_signal(int sig)
{
	int saved = errno;

	/* Who has given up and does not end is to be ended all the same. */
	if (count >= 2) {
		signal(sig, SIG_DFL);
		raise(sig);
	}
	if (count < 2 && write(pipes[count][1], "", 1) == 1)
		count++;
	last = sig;
	errno = saved;
}

void
tc_session_signals_begin(void)
{
	struct tc_err err;

	if (tc_wait_pipe(pipes[0], &err) < 0 || tc_wait_pipe(pipes[1], &err) < 0)
		return; /* then they end the process, as ever */
	tc_wait_on_signals(on_signal);
}

bool
tc_session_is_stopped(void)
{
	return count > 0;
}

bool
tc_session_is_given_up(void)
{
	return count > 1;
}

int
tc_session_stop_fd(void)
{
	return pipes[0][0];
}

int
tc_session_give_up_fd(void)
{
	return pipes[1][0];
}

void
tc_session_signals_raise(void)
{
	if (!count)
		return;
	signal(last, SIG_DFL);
	raise(last);
}
