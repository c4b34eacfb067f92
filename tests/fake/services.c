/* What streams are opened to. */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fake.h"

enum { PIECE = 64 * 1024 };

static bool
begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

bool
fake_has_service(const char *name)
{
	static const char *const known[] = { "shell:", "shell,",
		"exec:", "sync:", "tcp:", "root:", "reverse:", "reboot:" };
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (begins(name, known[i]))
			return true;
	return false;
}

const char *
fake_path(const struct fake *f, const char *path)
{
	static char mapped[8192];
	struct stat st;
	int len = (int)strcspn(*path == '/' ? path + 1 : path, "/") + 1;

	if (!f->root || f->is_inside || *path != '/')
		return path;
	/* Only what the root has, such as its data. */
	snprintf(mapped, sizeof(mapped), "%s%.*s", f->root, len, path);
	if (stat(mapped, &st) < 0)
		return path;
	snprintf(mapped, sizeof(mapped), "%s%s", f->root, path);
	return mapped;
}

/* The command in place of this process. */
static _Noreturn void
run_shell(const struct fake *f, const char *command)
{
	const char *path = getenv("PATH");
	char *with_shims;
	size_t len;

	if (f->shims) {
		len = strlen(f->shims) + strlen(path ? path : "") + 2;
		with_shims = malloc(len);
		if (!with_shims)
			fake_die("memory");
		snprintf(with_shims, len, "%s:%s", f->shims, path ? path : "/bin");
		setenv("PATH", with_shims, 1);
	}
	if (f->root)
		setenv("TC_FAKE_ROOT", f->is_inside ? "/" : f->root, 1);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	if (*command)
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	else
		execl("/bin/sh", "sh", (char *)NULL);
	fake_die("/bin/sh");
}

/* v1: the stream is its standard input, output and error output. */
static _Noreturn void
plain_shell(const struct fake *f, const char *command, int fd)
{
	int i;

	for (i = 0; i < 3; i++)
		if (dup2(fd, i) < 0)
			fake_die("dup2");
	if (fd > 2)
		close(fd);
	run_shell(f, command);
}

/* ---- v2: packets ---- */

struct shell {
	int fd, in, out, err; /* -1: ended */
	pid_t pid;
	uint8_t head[5];
	size_t have;
	uint32_t left; /* of a packet of the host's */
};

static bool
packet(int fd, uint8_t id, const void *bytes, size_t len)
{
	uint8_t buf[5 + PIECE];

	buf[0] = id;
	fake_put32(buf + 1, (uint32_t)len);
	memcpy(buf + 5, bytes, len);
	return fake_write(fd, buf, 5 + len);
}

static void
start_shell(const struct fake *f, const char *command, struct shell *s)
{
	int in[2], out[2], err[2];

	if (pipe(in) < 0 || pipe(out) < 0 || pipe(err) < 0)
		fake_die("pipe");
	s->pid = fork();
	if (s->pid < 0)
		fake_die("fork");
	if (s->pid == 0) {
		if (dup2(in[0], 0) < 0 || dup2(out[1], 1) < 0 || dup2(err[1], 2) < 0)
			fake_die("dup2");
		close(in[0]);
		close(in[1]);
		close(out[0]);
		close(out[1]);
		close(err[0]);
		close(err[1]);
		close(s->fd);
		run_shell(f, command);
	}
	close(in[0]);
	close(out[1]);
	close(err[1]);
	s->in = in[1];
	s->out = out[0];
	s->err = err[0];
}

/* Its output becomes packets; false at its end. */
static bool
say(struct shell *s, int *from, uint8_t id)
{
	uint8_t buf[PIECE];
	ssize_t n = read(*from, buf, sizeof(buf));

	if (n < 0 && errno == EINTR)
		return true;
	if (n > 0 && packet(s->fd, id, buf, (size_t)n))
		return true;
	close(*from);
	*from = -1;
	return false;
}

static void
end_input(struct shell *s)
{
	if (s->in >= 0)
		close(s->in);
	s->in = -1;
}

/* What the host says; false when the stream is over. */
static bool
hear(struct shell *s)
{
	uint8_t buf[PIECE];
	ssize_t n = read(s->fd, buf,
		s->have < 5               ? 5 - s->have
			: s->left < PIECE ? s->left
					  : PIECE);

	if (n <= 0)
		return n < 0 && errno == EINTR;
	if (s->have < 5) {
		memcpy(s->head + s->have, buf, (size_t)n);
		s->have += (size_t)n;
		if (s->have < 5)
			return true;
		s->left = fake_get32(s->head + 1);
		if (s->head[0] == 4)
			end_input(s);
	} else {
		s->left -= (uint32_t)n;
		if (s->head[0] == 0 && s->in >= 0 && !fake_write(s->in, buf, (size_t)n))
			end_input(s);
	}
	if (!s->left)
		s->have = 0;
	return true;
}

/* As small as they can be, so that there are more than anybody could read in time. */
static void
say_junk(int fd)
{
	static const uint8_t one[] = { 9, 1, 0, 0, 0, '?' };
	uint8_t many[sizeof(one) * 10000];
	size_t i;

	for (i = 0; i < sizeof(many); i++)
		many[i] = one[i % sizeof(one)];
	while (fake_write(fd, many, sizeof(many)))
		;
}

static void
packet_shell(const struct fake *f, const char *command, int fd)
{
	struct shell s = { .fd = fd };
	struct pollfd fds[3];
	uint8_t status;
	int how;

	/* The end of the stream tells us, and the shell then hears of it. */
	signal(SIGHUP, SIG_IGN);
	start_shell(f, command, &s);
	while (s.out >= 0 || s.err >= 0) {
		fds[0] = (struct pollfd){ .fd = fd, .events = POLLIN };
		fds[1] = (struct pollfd){ .fd = s.out, .events = POLLIN };
		fds[2] = (struct pollfd){ .fd = s.err, .events = POLLIN };
		if (poll(fds, 3, -1) < 0)
			continue;
		if (fds[1].revents)
			say(&s, &s.out, 1);
		if (fds[2].revents)
			say(&s, &s.err, 2);
		if (fds[0].revents && !hear(&s)) {
			kill(s.pid, SIGHUP);
			return;
		}
	}
	end_input(&s);
	while (waitpid(s.pid, &how, 0) < 0 && errno == EINTR)
		;
	status = (uint8_t)(WIFSIGNALED(how) ? 128 + WTERMSIG(how) : WEXITSTATUS(how));
	packet(fd, 3, &status, 1);
}

static void
shell(const struct fake *f, const char *name, int fd)
{
	const char *command = strchr(name, ':'), *v2 = strstr(name, ",v2");

	if (f->junk)
		say_junk(fd);
	else if (command && v2 && v2 < command)
		packet_shell(f, command + 1, fd);
	else if (command)
		plain_shell(f, command + 1, fd);
}

/* ---- others ---- */

static void
copy_both_ways(int a, int b)
{
	struct pollfd fds[2] = { { .fd = a, .events = POLLIN },
		{ .fd = b, .events = POLLIN } };
	uint8_t buf[PIECE];
	ssize_t n;
	int i;

	for (;;) {
		if (poll(fds, 2, -1) < 0)
			continue;
		for (i = 0; i < 2; i++) {
			if (!fds[i].revents)
				continue;
			n = read(fds[i].fd, buf, sizeof(buf));
			if (n <= 0 || !fake_write(fds[1 - i].fd, buf, (size_t)n))
				return;
		}
	}
}

static void
connect_tcp(const char *port, int fd)
{
	struct sockaddr_in in = { .sin_family = AF_INET };
	int to = socket(AF_INET, SOCK_STREAM, 0);

	in.sin_port = htons((uint16_t)strtoul(port, NULL, 10));
	in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (to >= 0 && connect(to, (struct sockaddr *)&in, sizeof(in)) == 0)
		copy_both_ways(fd, to);
}

static void
text(int fd, const char *what)
{
	fake_write(fd, what, strlen(what));
}

bool
fake_service(const struct fake *f, const char *name, int fd)
{
	if (begins(name, "shell"))
		shell(f, name, fd);
	else if (begins(name, "exec:"))
		plain_shell(f, name + 5, fd);
	else if (begins(name, "sync:"))
		fake_sync(f, fd);
	else if (begins(name, "tcp:"))
		connect_tcp(name + 4, fd);
	else if (begins(name, "root:"))
		text(fd, "adbd cannot run as root in production builds\n");
	else if (begins(name, "reverse:list-forward"))
		text(fd, "0000");
	else if (begins(name, "reverse:"))
		text(fd, "FAIL0013no reverse forwards");
	else if (begins(name, "reboot:"))
		kill(getppid(), SIGTERM);
	else
		return false;
	return true;
}
