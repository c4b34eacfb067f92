/*
 * fakeadbd: a device for `adb connect 127.0.0.1:PORT` and for tcp:127.0.0.1:PORT.
 *
 *   --port N          to listen on (0, the default: any that is free)
 *   --port-file FILE  where it says which, once it listens; else standard output
 *   --root DIR        DIR/data is the device's /data, and so on: mounted there if
 *                     this system allows it, else commands find it in TC_FAKE_ROOT
 *   --require-mount   or not at all (status 69)
 *   --shims DIR       in front of the PATH of commands
 *   --features LIST   --product P --model M --device D --state S   its banner
 *   --protocol N      0: with checksums, which it verifies; 1
 *   --max N           the largest payload it takes
 *   --window N        what it grants with delayed_ack
 *   --keys FILE       asks for a key that FILE has, in the form of adb's public keys,
 *                     one a line; those that are accepted are added
 *   --tls             and that by TLS
 *   --fault NAME[=V]  see fake.h; more than one may be given
 *   --control FILE    faults, "NAME VALUE" a line, read again for every stream
 *
 * It runs until it is sent a signal; its connections end with it.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fake.h"

static const struct option options[] = {
	{ "port", required_argument, NULL, 'p' },
	{ "port-file", required_argument, NULL, 'P' },
	{ "root", required_argument, NULL, 'r' },
	{ "require-mount", no_argument, NULL, 'R' },
	{ "shims", required_argument, NULL, 's' },
	{ "features", required_argument, NULL, 'f' },
	{ "product", required_argument, NULL, 'o' },
	{ "model", required_argument, NULL, 'm' },
	{ "device", required_argument, NULL, 'd' },
	{ "state", required_argument, NULL, 'S' },
	{ "protocol", required_argument, NULL, 'v' },
	{ "max", required_argument, NULL, 'x' },
	{ "window", required_argument, NULL, 'w' },
	{ "keys", required_argument, NULL, 'k' },
	{ "tls", no_argument, NULL, 't' },
	{ "fault", required_argument, NULL, 'F' },
	{ "control", required_argument, NULL, 'c' },
	{ NULL, 0, NULL, 0 },
};

struct listener {
	long port;
	const char *port_file;
	bool require_mount;
};

static void
add_fault(struct fake *f, char *text)
{
	char *value = strchr(text, '=');

	if (value)
		*value++ = '\0';
	if (!fake_fault(f, text, value ? value : "")) {
		fprintf(stderr, "fakeadbd: no fault %s\n", text);
		exit(2);
	}
}

static void
parse(int argc, char **argv, struct fake *f, struct listener *l)
{
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (c) {
		case 'p': l->port = strtol(optarg, NULL, 10); break;
		case 'P': l->port_file = optarg; break;
		case 'r': f->root = optarg; break;
		case 'R': l->require_mount = true; break;
		case 's': f->shims = optarg; break;
		case 'f': f->features = optarg; break;
		case 'o': f->product = optarg; break;
		case 'm': f->model = optarg; break;
		case 'd': f->device = optarg; break;
		case 'S': f->state = optarg; break;
		case 'v':
			f->version = 0x01000000 + (uint32_t)strtoul(optarg, NULL, 0);
			break;
		case 'x': f->max_payload = (uint32_t)strtoul(optarg, NULL, 0); break;
		case 'w': f->window = (uint32_t)strtoul(optarg, NULL, 0); break;
		case 'k': f->keys = optarg; break;
		case 't': f->tls = true; break;
		case 'F': add_fault(f, optarg); break;
		case 'c': f->control = optarg; break;
		default: exit(2);
		}
	}
	if (optind != argc || (f->tls && !f->keys)) {
		fprintf(stderr,
			"fakeadbd: too many arguments, or --tls without --keys\n");
		exit(2);
	}
}

static void
on_signal(int sig)
{
	(void)sig;
	/* To the connections and services, which are all in our group. */
	signal(SIGTERM, SIG_IGN);
	kill(0, SIGTERM);
	_exit(0);
}

static void
serve(struct fake *f, int listener)
{
	int on = 1, fd;
	pid_t pid;

	for (;;) {
		fd = accept(listener, NULL, NULL);
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
		if (fd < 0) {
			if (errno != EINTR && errno != ECONNABORTED)
				fake_die("accept");
			continue;
		}
		fcntl(fd, F_SETFD, FD_CLOEXEC);
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
		pid = fork();
		if (pid < 0)
			fake_die("fork");
		if (pid == 0) {
			signal(SIGTERM, SIG_DFL);
			signal(SIGINT, SIG_DFL);
			signal(SIGHUP, SIG_DFL);
			close(listener);
			fake_serve(f, fd);
			_exit(0);
		}
		close(fd);
	}
}

int
main(int argc, char **argv)
{
	struct fake f = {
		.features = "shell_v2,cmd,stat_v2,ls_v2,fixed_push_mkdir,"
			    "fixed_push_symlink_timestamp",
		.product = "fake_product",
		.model = "Fake_Model",
		.device = "fake_device",
		.state = "device",
		.version = 0x01000001,
		.max_payload = 1 << 20,
		.window = 32 << 20,
		.accept_ms = -1,
		.drop = -1,
		.cut = -1,
		.garbage = -1,
	};
	struct listener l = { 0 };
	int fd, port;

	parse(argc, argv, &f, &l);
	setpgid(0, 0);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGTERM, on_signal);
	signal(SIGINT, on_signal);
	signal(SIGHUP, on_signal);
	fd = fake_listen(l.port, 16, &port);
	if (f.root) {
		f.is_inside = fake_enter(f.root, false);
		if (!f.is_inside && l.require_mount)
			return 69;
	}
	fake_tell_port(l.port_file, port);
	serve(&f, fd);
}
