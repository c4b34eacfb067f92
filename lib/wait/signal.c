#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "err/err.h"
#include "wait/wait.h"

int
tc_wait_pipe(int fds[2], struct tc_err *err)
{
	if (pipe(fds) < 0)
		return tc_err_sys(err, TC_SYSTEM, "pipe");
	fcntl(fds[0], F_SETFD, FD_CLOEXEC);
	fcntl(fds[1], F_SETFD, FD_CLOEXEC);
	return 0;
}

void
tc_wait_on_signals(void (*handler)(int sig))
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction sa = { .sa_handler = handler, .sa_flags = SA_RESTART }, old;
	size_t i;

	sigfillset(&sa.sa_mask);
	for (i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
			sigaction(signals[i], &sa, NULL);
}
