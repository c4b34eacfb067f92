#include <errno.h>
#include <fcntl.h>
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

static int
make_pipe(int fds[2])
{
	if (pipe(fds) < 0)
		return -1;
	fcntl(fds[0], F_SETFD, FD_CLOEXEC);
	fcntl(fds[1], F_SETFD, FD_CLOEXEC);
	return 0;
}

void
tc_session_signals_begin(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction sa = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
	struct sigaction old;
	size_t i;

	if (make_pipe(pipes[0]) < 0 || make_pipe(pipes[1]) < 0)
		return; /* then they end the process, as ever */
	sigfillset(&sa.sa_mask);
	for (i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		/* Who started us with it ignored, as nohup does, wants it so. */
		if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
			sigaction(signals[i], &sa, NULL);
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
