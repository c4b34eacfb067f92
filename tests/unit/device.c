/* device: opening waits for a device that is busy, as long as that may take. */
#include "device/device.h"

#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "err/err.h"

/*
 * An adb server with one device, which says `busy` of it so often, and then that
 * it is a device. With OLD it does not know what features are.
 */
enum { OLD = -1 };

/*
 * A shell whose command reads none of its input: it says a word, ends with status 7,
 * and then the server closes the connection, while the client still sends.
 */
static void
serve_command(int fd)
{
	static const char said[] = "\1\2\0\0\0no\3\1\0\0\0\7";
	const struct timespec while_sending = { .tv_nsec = 100 * 1000 * 1000 };

	if (write(fd, said, sizeof(said) - 1) < 0)
		_exit(1);
	nanosleep(&while_sending, NULL);
}

/* One answer about one file, of 5 bytes, and then the server gives up the session. */
static void
serve_file(int fd)
{
	enum { MODE = 24, SIZE = 40, LEN = 72 };
	char answer[LEN] = "STA2", request[64];

	answer[MODE + 1] = (char)0x81;
	answer[SIZE] = 5;
	if (recv(fd, request, sizeof(request), 0) <= 0 || write(fd, answer, LEN) < 0)
		_exit(1);
}

static void
serve_service(int fd)
{
	char service[256];
	ssize_t n;

	if (write(fd, "OKAY", 4) < 0)
		_exit(1);
	n = recv(fd, service, sizeof(service), 0);
	if (n < 9 || write(fd, "OKAY", 4) < 0)
		_exit(1);
	if (memcmp(service + 4, "sync:", 5) == 0)
		serve_file(fd);
	else
		serve_command(fd);
	close(fd);
}

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
		if (strcmp(request + 4, "host:transport:A") == 0) {
			serve_service(fd);
			continue;
		}
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

/* The server, listening there; it is the one that is asked from now on. */
static pid_t
start_at(int fd, const char *spec, int busy)
{
	pid_t pid;

	setenv("ADB_SERVER_SOCKET", spec, 1);
	unsetenv("ANDROID_SERIAL");
	pid = fork();
	if (pid == 0)
		serve(fd, busy);
	close(fd);
	return pid;
}

static pid_t
start(int busy)
{
	struct sockaddr_in in = { .sin_family = AF_INET };
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	socklen_t len = sizeof(in);
	char spec[32];

	in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (fd < 0 || bind(fd, (struct sockaddr *)&in, sizeof(in)) < 0 ||
		listen(fd, 8) < 0 || getsockname(fd, (struct sockaddr *)&in, &len) < 0)
		abort();
	snprintf(spec, sizeof(spec), "tcp:127.0.0.1:%d", ntohs(in.sin_port));
	return start_at(fd, spec, busy);
}

/* With a path, which keeps fewer bytes on their way than TCP does. */
static pid_t
start_local(void)
{
	char dir[] = "/tmp/tc-unit-XXXXXX", spec[128];
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	if (!mkdtemp(dir))
		abort();
	snprintf(un.sun_path, sizeof(un.sun_path), "%s/adb", dir);
	if (fd < 0 || bind(fd, (struct sockaddr *)&un, sizeof(un)) < 0 ||
		listen(fd, 8) < 0)
		abort();
	snprintf(spec, sizeof(spec), "local:%s", un.sun_path);
	return start_at(fd, spec, 0);
}

static void
remove_local(void)
{
	const char *path = getenv("ADB_SERVER_SOCKET") + strlen("local:");
	char dir[64];

	snprintf(dir, sizeof(dir), "%.*s", (int)(strrchr(path, '/') - path), path);
	unlink(path);
	rmdir(dir);
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
test_unread_input(void)
{
	static const char zeros[256 * 1024];
	const struct tc_device_input in = { zeros, sizeof(zeros) };
	struct tc_device_result result = { 0 };
	struct tc_wait w = tc_wait_for(10 * 1000);
	struct tc_device *d = NULL;
	struct tc_err err = { 0 };
	pid_t pid = start_local();

	CHECK_INT(tc_device_open(&d, "adb:", &w, &err), 0);
	if (CHECK_INT(tc_device_run(d, "exit 7", &in, &w, &result, &err), 0)) {
		CHECK_INT(result.status, 7);
		CHECK_STR(check_text(result.out, result.out_len), TC_STR("no"));
	}
	tc_device_result_release(&result);
	tc_device_close(d);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	remove_local();
}

static void
test_ended_session(void)
{
	struct tc_wait w = tc_wait_for(10 * 1000);
	struct tc_device_stat st;
	struct tc_device *d = NULL;
	struct tc_err err = { 0 };
	pid_t pid = start(0);
	int i;

	CHECK_INT(tc_device_open(&d, "adb:", &w, &err), 0);
	for (i = 0; i < 3; i++) {
		st = (struct tc_device_stat){ 0 };
		CHECK_INT(tc_device_stat(d, "/x", &w, &st, &err), 1);
		CHECK_INT(st.size, 5);
		tc_wait_sleep(50, &w, &err);
	}
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
	test_unread_input();
	test_ended_session();
	check_open(0, 20000, -1, "adb:A", 0, 20000);
	check_open(OLD, 20000, -1, "adb:A", 0, 20000);
	check_open(3, 20000, -1, "adb:A", 600, 20000);
	check_open(1000, 700, -1, "busy", 600, 9000);
	check_open(1000, 60000, -1, "busy", 9700, 30000);
	check_open(1000, 20000, stop[0], "interrupted", 0, 9000);
	return check_done();
}
