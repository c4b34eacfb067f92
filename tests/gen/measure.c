/*
 * measure: run a command several times, and say what the best run took.
 *
 * Prints nanoseconds of the fastest run and the largest resident memory of any, in
 * KiB, on one line; with -c also the least nanoseconds that a run had a core. The
 * command's output goes to /dev/null, and it must succeed.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct result {
	int64_t ns, cpu_ns;
	long peak_kib;
};

static int64_t
now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void
run(char **argv)
{
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	if (null >= 0 && dup2(null, STDOUT_FILENO) >= 0)
		execvp(argv[0], argv);
	fprintf(stderr, "measure: %s: %s\n", argv[0], strerror(errno));
	_exit(127);
}

static int64_t
ns_of(const struct timeval *t)
{
	return (int64_t)t->tv_sec * 1000000000 + t->tv_usec * INT64_C(1000);
}

/* Exit status of the command; a signal is 128 and more, as in a shell. */
static int
run_once(char **argv, struct result *r)
{
	int64_t start = now_ns();
	struct rusage usage;
	int status;
	pid_t child = fork();

	if (child < 0)
		return 71;
	if (child == 0)
		run(argv);
	while (wait4(child, &status, 0, &usage) < 0)
		if (errno != EINTR)
			return 71;
	r->ns = now_ns() - start;
	r->cpu_ns = ns_of(&usage.ru_utime) + ns_of(&usage.ru_stime);
	r->peak_kib = usage.ru_maxrss;
#ifdef __APPLE__
	r->peak_kib /= 1024;
#endif
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int
main(int argc, char **argv)
{
	bool with_cpu = argc > 1 && strcmp(argv[1], "-c") == 0;
	struct result best = { INT64_MAX, INT64_MAX, 0 }, r;
	long runs, i;
	int status;

	argc -= with_cpu;
	argv += with_cpu;
	runs = argc > 2 ? strtol(argv[1], NULL, 10) : 0;
	if (runs < 1) {
		fprintf(stderr, "usage: measure [-c] RUNS COMMAND [ARGUMENT...]\n");
		return 2;
	}
	for (i = 0; i < runs; i++) {
		status = run_once(argv + 2, &r);
		if (status) {
			fprintf(stderr, "measure: %s: status %d\n", argv[2], status);
			return 1;
		}
		if (r.ns < best.ns)
			best.ns = r.ns;
		if (r.cpu_ns < best.cpu_ns)
			best.cpu_ns = r.cpu_ns;
		if (r.peak_kib > best.peak_kib)
			best.peak_kib = r.peak_kib;
	}
	printf("%lld %ld", (long long)best.ns, best.peak_kib);
	if (with_cpu)
		printf(" %lld", (long long)best.cpu_ns);
	printf("\n");
	return fflush(stdout) == EOF ? 74 : 0;
}
