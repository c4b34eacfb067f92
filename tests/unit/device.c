/* device: opening waits for a device that is busy, as long as that may take. */
#include "device/device.h"

#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "err/err.h"

/*
 * An adb server with one device, which says `busy` of it so often, and then that
 * it is a device. With OLD it does not know what features are.
 */
enum { OLD = -1 };

static void
serve(int listener, int busy)
{
	char request[256], text[128], answer[256];
	bool failure;
	ssize_t n;
	int fd;

	while ((fd = accept(listener, NULL, NULL)) >= 0) {
		n = recv(fd, request, sizeof(request) - 1, 0);
		request[n > 0 ? n : 0] = '\0';
		text[0] = '\0';
		failure = busy == OLD && strstr(request, ":features");
		if (strcmp(request + 4, "host:devices") == 0)
			snprintf(text, sizeof(text), "A\t%s\n",
				busy > 0 ? "authorizing" : "device");
		else if (strcmp(request + 4, "host-serial:A:features") == 0)
			snprintf(text, sizeof(text), "shell_v2,stat_v2");
		if (failure)
			snprintf(text, sizeof(text), "unknown host service");
		snprintf(answer, sizeof(answer), "%s%04zx%s", failure ? "FAIL" : "OKAY",
			strlen(text), text);
		if (busy > 0 && strcmp(request + 4, "host:devices") == 0)
			busy--;
		if (write(fd, answer, strlen(answer)) < 0)
			_exit(1);
		close(fd);
	}
	_exit(1);
}

static pid_t
start(int busy)
{
	struct sockaddr_in in = { .sin_family = AF_INET };
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	socklen_t len = sizeof(in);
	char spec[32];
	pid_t pid;

	in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (fd < 0 || bind(fd, (struct sockaddr *)&in, sizeof(in)) < 0 ||
		listen(fd, 8) < 0 || getsockname(fd, (struct sockaddr *)&in, &len) < 0)
		abort();
	snprintf(spec, sizeof(spec), "tcp:127.0.0.1:%d", ntohs(in.sin_port));
	setenv("ADB_SERVER_SOCKET", spec, 1);
	unsetenv("ANDROID_SERIAL");
	pid = fork();
	if (pid == 0)
		serve(fd, busy);
	close(fd);
	return pid;
}

/* How it ends, and within which times. */
static void
check_open(int busy, int64_t limit_ms, int stop_fd, const char *want, int64_t least_ms,
	int64_t most_ms)
{
	struct tc_wait w = tc_wait_for(limit_ms);
	struct tc_device *d = NULL;
	struct tc_err err = { 0 };
	pid_t pid = start(busy);
	int64_t start_ns = tc_wait_now(), took_ms;
	int r;

	w.stop_fd = stop_fd;
	r = tc_device_open(&d, "adb:", &w, &err);
	took_ms = (tc_wait_now() - start_ns) / 1000000;
	CHECK_STR(tc_str_of(r == 0 ? tc_device_name(d) : tc_err_what(&err)),
		tc_str_of(want));
	CHECK(took_ms >= least_ms && took_ms < most_ms);
	if (r == 0)
		CHECK_INT(tc_device_caps(d),
			TC_DEVICE_HAS_FILES | TC_DEVICE_HAS_PUSH |
				(busy == OLD ? 0
					     : TC_DEVICE_HAS_STDERR |
							TC_DEVICE_HAS_STDIN |
							TC_DEVICE_HAS_WIDE_SIZES));
	tc_device_close(d);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void
test_quote(void)
{
	struct tc_arena arena = { 0 };

	CHECK_STR(tc_str_of(tc_device_quote(&arena, "")), TC_STR("''"));
	CHECK_STR(tc_str_of(tc_device_quote(&arena, "a b$c")), TC_STR("'a b$c'"));
	CHECK_STR(tc_str_of(tc_device_quote(&arena, "'it's'")),
		BYTES("''\\''it'\\''s'\\'''"));
	tc_arena_release(&arena);
}

int
main(void)
{
	int stop[2];

	if (pipe(stop) < 0 || write(stop[1], "x", 1) != 1)
		abort();
	test_quote();
	check_open(0, 20000, -1, "adb:A", 0, 20000);
	check_open(OLD, 20000, -1, "adb:A", 0, 20000);
	check_open(3, 20000, -1, "adb:A", 600, 20000);
	check_open(1000, 700, -1, "busy", 600, 9000);
	check_open(1000, 60000, -1, "busy", 9700, 30000);
	check_open(1000, 20000, stop[0], "interrupted", 0, 9000);
	return check_done();
}
