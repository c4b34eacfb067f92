/*
 * devtool: what lib/device does, on a command line, for tests.
 *
 *   devtool [-t MS] [-q MS] [-s MS] [-a MS] list [NAME]
 *   devtool ... run NAME COMMAND      (standard input goes to it with -i)
 *   devtool ... watch NAME COMMAND    pieces as they come
 *   devtool ... two NAME COMMAND COMMAND   both at once, on one device
 *   devtool ... many NAME N COMMAND   so many of the same at once, on one device
 *   devtool ... stat|ls NAME PATH
 *   devtool ... pull NAME PATH FILE
 *   devtool ... push NAME FILE PATH
 *   devtool ... caps NAME
 *   devtool ... wait NAME     until it is there, as one that was lost is waited for
 *   devtool ... keep NAME ID START STOP MS ALIVE_MS   starts a target, asks every
 *                  ALIVE_MS whether it is alive, and stops it after MS
 *
 * -t all in all, -q without a byte, -s stop after so long as by a signal, -a a person
 * has so long to accept our key, -T takes it from an adb server.
 * A failure is "NAME: MESSAGE" on standard error, and its code the status.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "device/device.h"
#include "err/err.h"

static int stop_pipe[2];

static void
on_alarm(int sig)
{
	(void)sig;
	if (write(stop_pipe[1], "", 1) < 0)
		_exit(71);
}

static int
list(const char *name, const struct tc_wait *w, struct tc_err *err)
{
	struct tc_arena arena = { 0 };
	struct tc_device_info *all;
	size_t i, count;
	int r = tc_device_find(name, w, &arena, &all, &count, err);

	for (i = 0; r == 0 && i < count; i++)
		printf("%s\t%s\t%s\t%s\t%s\t%s\n", all[i].name, all[i].state,
			all[i].is_usable ? "usable" : "-", all[i].serial,
			all[i].model ? all[i].model : "-",
			all[i].product ? all[i].product : "-");
	tc_arena_release(&arena);
	return r;
}

static int
run(struct tc_device *d, const char *command, bool with_input, const struct tc_wait *w,
	struct tc_err *err)
{
	static char buf[1 << 20];
	struct tc_device_input in = { buf, 0 };
	struct tc_device_result result;
	int status;

	if (with_input)
		in.len = fread(buf, 1, sizeof(buf), stdin);
	if (tc_device_run(d, command, &in, w, &result, err) < 0)
		return -1;
	fwrite(result.out, 1, result.out_len, stdout);
	fwrite(result.err, 1, result.err_len, stderr);
	status = result.status;
	tc_device_result_release(&result);
	if (err->code)
		fprintf(stderr, "left behind: %s\n", err->msg);
	return status;
}

static int
watch(struct tc_device *d, const char *command, const struct tc_wait *w,
	struct tc_err *err)
{
	struct tc_device_job *job;
	struct tc_device_piece piece;
	int r, status = 0;

	if (tc_device_spawn(d, command, NULL, w, &job, err) < 0)
		return -1;
	while ((r = tc_device_job_next(job, w, &piece, &status, err)) == 1) {
		fwrite(piece.bytes, 1, piece.len,
			piece.from == TC_DEVICE_OUT ? stdout : stderr);
		fflush(stdout);
	}
	tc_device_job_close(job);
	return r < 0 ? -1 : status;
}

/* One is left waiting while the other runs, and then has lost nothing. */
static int
two(struct tc_device *d, char **commands, const struct tc_wait *w, struct tc_err *err)
{
	struct tc_device_job *jobs[2];
	struct tc_device_piece piece;
	int i, r = 0, status = 0;

	for (i = 0; i < 2; i++)
		if (tc_device_spawn(d, commands[i], NULL, w, &jobs[i], err) < 0)
			return -1;
	for (i = 1; i >= 0; i--) {
		while ((r = tc_device_job_next(jobs[i], w, &piece, &status, err)) == 1)
			fwrite(piece.bytes, 1, piece.len, stdout);
		if (r < 0)
			return -1;
		printf("status %d\n", status);
		tc_device_job_close(jobs[i]);
	}
	return 0;
}

/* What a job says to its end, in one number. */
static int
sum_up(struct tc_device_job *job, const struct tc_wait *w, uint64_t *sum, uint64_t *bytes,
	int *status, struct tc_err *err)
{
	struct tc_device_piece piece;
	size_t i;
	int r;

	*sum = 0;
	while ((r = tc_device_job_next(job, w, &piece, status, err)) == 1)
		for (i = 0; i < piece.len; i++, ++*bytes)
			*sum = (*sum ^ (uint8_t)piece.bytes[i]) * 0x100000001b3u;
	return r;
}

/* Read in the reverse of the order in which they were started; all say the same. */
static int
many(struct tc_device *d, long count, const char *command, const struct tc_wait *w,
	struct tc_err *err)
{
	enum { MANY = 64 };
	struct tc_device_job *jobs[MANY];
	uint64_t sum = 0, last = 0, bytes = 0;
	int r = 0, status = 0;
	long i;

	if (count < 1 || count > MANY)
		return 2;
	for (i = 0; i < count && r == 0; i += r == 0)
		r = tc_device_spawn(d, command, NULL, w, &jobs[i], err);
	while (i > 0) {
		i--;
		if (r == 0)
			r = sum_up(jobs[i], w, &sum, &bytes, &status, err);
		if (r == 0 && i < count - 1 && sum != last)
			r = tc_err_set(err, TC_BUG, "job %ld says something else", i);
		last = sum;
		tc_device_job_close(jobs[i]);
	}
	if (r == 0)
		printf("%ld jobs, %llu bytes, status %d\n", count,
			(unsigned long long)bytes, status);
	return r;
}

static int
stat_file(struct tc_device *d, const char *path, const struct tc_wait *w,
	struct tc_err *err)
{
	struct tc_device_stat st;
	int r = tc_device_stat(d, path, w, &st, err);

	if (r == 1)
		printf("%o %lld %lld\n", st.mode, (long long)st.size,
			(long long)st.mtime);
	return r < 0 ? -1 : r == 0;
}

static int
list_dir(struct tc_device *d, const char *path, const struct tc_wait *w,
	struct tc_err *err)
{
	struct tc_arena arena = { 0 };
	struct tc_device_entry *all;
	size_t i, count;
	int r = tc_device_list_dir(d, path, w, &arena, &all, &count, err);

	for (i = 0; r == 1 && i < count; i++)
		printf("%o %lld %s\n", all[i].st.mode, (long long)all[i].st.size,
			all[i].name);
	tc_arena_release(&arena);
	return r < 0 ? -1 : r == 0;
}

static void
count_calls(void *ctx, int64_t bytes)
{
	int64_t *last = ctx;

	if (bytes < *last)
		abort();
	*last = bytes;
}

static int
copy(struct tc_device *d, bool is_pull, const char *from, const char *to,
	const struct tc_wait *w, struct tc_err *err)
{
	int64_t bytes, seen = 0;
	struct tc_device_progress progress = { count_calls, &seen };
	int r,
		fd = is_pull ? open(to, O_WRONLY | O_CREAT | O_TRUNC, 0644)
			     : open(from, O_RDONLY);

	if (fd < 0)
		return tc_err_sys(err, TC_NOINPUT, "%s", is_pull ? to : from);
	r = is_pull
		? tc_device_pull(d, from, fd, &progress, w, &bytes, err)
		: tc_device_push(d, fd, to, 0640, 1000000000, &progress, w, &bytes, err);
	close(fd);
	if (r == 0 && seen != bytes)
		return tc_err_set(err, TC_BUG, "progress stood still");
	if (r == 0)
		printf("%lld\n", (long long)bytes);
	return r;
}

static void
asked(void *ctx, const char *device, const char *text)
{
	(void)ctx;
	fprintf(stderr, "asked: %s: %s\n", device, text);
}

/* Says what came of each step; 1 when it had ended by itself. */
static int
keep(struct tc_device *d, char **args, const struct tc_wait *w, struct tc_err *err)
{
	int64_t until = tc_wait_now() + strtol(args[3], NULL, 10) * 1000000;
	struct tc_device_result result;
	int alive = 1, status;

	if (tc_device_start(d, args[0], args[1], args[2], w, &result, err) < 0)
		return -1;
	printf("start %d %s\n", result.status, result.out);
	fflush(stdout);
	status = result.status;
	tc_device_result_release(&result);
	if (status)
		return status;
	while (alive == 1 && tc_wait_now() < until) {
		struct tc_wait nap = tc_wait_for(0);

		if (tc_wait_sleep(strtol(args[4], NULL, 10), &nap, err) < 0)
			return -1;
		alive = tc_device_alive(d, args[0], w, err);
	}
	if (alive < 0 || tc_device_stop(d, args[0], w, &result, err) < 0)
		return -1;
	printf("stop %d %s\n", result.status, result.out);
	tc_device_result_release(&result);
	return !alive;
}

static int
act(char **argv, int argc, bool with_input, const struct tc_wait *w, struct tc_err *err)
{
	struct tc_device *d;
	const char *verb = argv[0];
	int r = 2;

	if (strcmp(verb, "list") == 0)
		return list(argc > 1 ? argv[1] : "", w, err);
	if (argc < 2)
		return 2;
	if (strcmp(verb, "wait") == 0) {
		static const struct tc_wait for_ever = { 0, 0, -1 };

		if (tc_device_wait(argv[1], w ? w : &for_ever, err) < 0)
			return -1;
		verb = "caps";
	}
	if (tc_device_open(&d, argv[1], w, err) < 0)
		return -1;
	if (strcmp(verb, "caps") == 0)
		r = printf("%s %u\n", tc_device_name(d), tc_device_caps(d)) < 0;
	else if (strcmp(verb, "run") == 0 && argc == 3)
		r = run(d, argv[2], with_input, w, err);
	else if (strcmp(verb, "watch") == 0 && argc == 3)
		r = watch(d, argv[2], w, err);
	else if (strcmp(verb, "two") == 0 && argc == 4)
		r = two(d, argv + 2, w, err);
	else if (strcmp(verb, "many") == 0 && argc == 4)
		r = many(d, strtol(argv[2], NULL, 10), argv[3], w, err);
	else if (strcmp(verb, "stat") == 0 && argc == 3)
		r = stat_file(d, argv[2], w, err);
	else if (strcmp(verb, "ls") == 0 && argc == 3)
		r = list_dir(d, argv[2], w, err);
	else if (strcmp(verb, "pull") == 0 && argc == 4)
		r = copy(d, true, argv[2], argv[3], w, err);
	else if (strcmp(verb, "push") == 0 && argc == 4)
		r = copy(d, false, argv[2], argv[3], w, err);
	else if (strcmp(verb, "keep") == 0 && argc == 7)
		r = keep(d, argv + 2, w, err);
	tc_device_close(d);
	return r;
}

int
main(int argc, char **argv)
{
	struct tc_wait w = tc_wait_for(0), *given = NULL;
	struct itimerval timer = { 0 };
	struct tc_err err = { 0 };
	bool with_input = false;
	long ms;
	int c, r;

	if (pipe(stop_pipe) < 0)
		return 71;
	signal(SIGALRM, on_alarm);
	while ((c = getopt(argc, argv, "+t:q:s:a:iT")) != -1) {
		ms = optarg ? strtol(optarg, NULL, 10) : 0;
		if (c == 'i') {
			with_input = true;
			continue;
		}
		if (c == 'a') {
			tc_device_on_asked(asked, NULL, (int)ms);
			continue;
		}
		if (c == 'T') {
			tc_device_take(true);
			continue;
		}
		given = &w;
		if (c == 't')
			w.until_ns = tc_wait_for(ms).until_ns;
		if (c == 'q')
			w.quiet_ms = (int)ms;
		if (c == 's') {
			w.stop_fd = stop_pipe[0];
			timer.it_value.tv_sec = ms / 1000;
			timer.it_value.tv_usec = ms % 1000 * 1000;
			setitimer(ITIMER_REAL, &timer, NULL);
		}
	}
	if (optind == argc)
		return 2;
	r = act(argv + optind, argc - optind, with_input, given, &err);
	if (r >= 0)
		return r;
	fprintf(stderr, "%s: %s\n", tc_err_what(&err), err.msg);
	return (int)err.code;
}
