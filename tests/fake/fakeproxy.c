/*
 * fakeproxy: a Winscope proxy on loopback, whose devices are the system it runs in.
 *
 *   --port N          to listen on (0, the default: any that is free)
 *   --port-file FILE  where it says which, once it listens; else standard output
 *   --root DIR        DIR/data is /data, and so on; status 69 where that cannot be
 *   --device ID[,STATE[,MODEL]]   one it has; the state is adb's, "device" works
 *   --control FILE    faults, "NAME VALUE" a line, read again for every request
 *
 * Requests have to bring the token "secret-token"; each is said on standard error,
 * "METHOD PATH". Like the real one it does one thing at a time, and ends a trace for
 * which nobody asks for five seconds. Faults:
 *
 *   version TEXT   its version, in place of 6.0.2; without a TEXT it names none
 *   status N TEXT  every answer is that
 *   echo           500, with the request's own token
 *   silent         takes connections and says nothing
 *   garbage        says what is no HTTP
 *   headers        a header without an end
 *   endless [PATH [TEXT]]  answers without an end, to what begins with PATH: blanks,
 *                  behind TEXT
 *   chunked        HTTP/1.1, in chunks
 *   cut N [PATH]   answers end after N bytes of their bodies, of requests for what
 *                  begins with PATH
 *   exit N [PATH]  and so does the proxy
 *   list TEXT      its list of devices
 *   state TEXT     of all devices
 *   noise          the adb server has to be started for each command
 *   lose N         the device is lost after N bytes of the output of any command that
 *                  does something
 *   null, key, base64, gzip, short, more, plain, bomb: files are not there, of another
 *                  name, damaged, not whole, followed by something, not packed, or
 *                  endless
 *   keep MS        in place of five seconds
 *   deaf           endtrace says that it timed out
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fake.h"
#include "proxy.h"

enum { REQUEST_MAX = 1 << 20, TICK_MS = 50, PATIENCE_S = 10 };

/* As long as the real one's. */
enum { QUEUE = 5 };

/* ---- what is wrong with every answer ---- */

static void
endless(struct proxy_call *c, const char *piece)
{
	while (!c->is_cut)
		proxy_put(c, piece, strlen(piece));
}

static void
wait_for_end(struct proxy_call *c)
{
	char byte;

	while (read(c->fd, &byte, 1) > 0)
		;
}

/* Whether that was the answer. */
static bool
is_faulty(struct proxy_call *c, const char *token)
{
	const char *status = proxy_fault(c->p, "status"), *text;
	size_t path_len;

	if (proxy_fault(c->p, "silent")) {
		wait_for_end(c);
		return true;
	}
	if (proxy_fault(c->p, "garbage")) {
		proxy_put(c, "\x01\x02 no HTTP at all \xff\xfe\r\n\r\n\r\n", 26);
		return true;
	}
	if (proxy_fault(c->p, "headers")) {
		proxy_put(c, "HTTP/1.0 200 OK\r\n", 17);
		endless(c, "X-Header: and one more, and one more, and one more\r\n");
		return true;
	}
	if (proxy_fault(c->p, "echo")) {
		proxy_answer(c, 500, "the token was ");
		proxy_text(c, token);
		return true;
	}
	if (status) {
		text = strchr(status, ' ');
		proxy_answer(c, (int)strtol(status, NULL, 10), text ? text + 1 : "");
		return true;
	}
	text = proxy_fault(c->p, "endless");
	path_len = text ? strcspn(text, " ") : 0;
	if (text && strncmp(c->path, text, path_len) == 0) {
		proxy_begin(c, 200, "text/json");
		proxy_text(c, text[path_len] ? text + path_len + 1 : "[");
		endless(c, "                                                      ");
		return true;
	}
	return false;
}

/* ---- requests ---- */

/* The value of a header, ended by its line's end; or NULL. */
static char *
header(char *head, const char *name)
{
	size_t len = strlen(name);
	char *line = head;

	while ((line = strstr(line, "\r\n"))) {
		line += 2;
		if (strncasecmp(line, name, len) == 0 && line[len] == ':')
			return line + len + 1 + strspn(line + len + 1, " ");
	}
	return NULL;
}

static bool
is_token(const struct proxy *p, const char *value)
{
	size_t len = strlen(p->token);

	return value && strncmp(value, p->token, len) == 0 && value[len] == '\r';
}

/* The head, with a NUL behind it, and how much of the body came with it. */
static char *
read_head(int fd, char *buf, size_t size, size_t *len)
{
	char *end = NULL;
	ssize_t n;

	*len = 0;
	while (!end && *len < size - 1) {
		n = read(fd, buf + *len, size - 1 - *len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return NULL;
		*len += (size_t)n;
		buf[*len] = '\0';
		end = strstr(buf, "\r\n\r\n");
	}
	return end;
}

static bool
read_body(struct proxy_call *c, char *head, char *body, size_t have, size_t room)
{
	const char *length = header(head, "Content-Length");

	if (!length)
		return true;
	c->body_len = strtoul(length, NULL, 10);
	if (c->body_len > room || have > c->body_len)
		return false;
	c->body = body;
	if (!fake_read(c->fd, body + have, c->body_len - have))
		return false;
	body[c->body_len] = '\0';
	return true;
}

/* "METHOD PATH ..." and headers: cuts them out, with the token. False: no such. */
static bool
read_request(struct proxy_call *c, char *head, char **token)
{
	char *space = strchr(head, ' ');

	*token = header(head, "Winscope-Token");
	if (!space)
		return false;
	*space = '\0';
	c->method = head;
	c->path = space + 1;
	space = strchr(c->path, ' ');
	if (!space)
		return false;
	*space = '\0';
	fprintf(stderr, "%s %s\n", c->method, c->path);
	return true;
}

static void
serve_one(struct proxy *p, int fd)
{
	static char buf[REQUEST_MAX + 1];
	struct timeval patience = { PATIENCE_S, 0 };
	struct proxy_call c = { .p = p, .fd = fd, .left = -1 };
	char *end, *token;
	size_t len;

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	end = read_head(fd, buf, sizeof(buf), &len);
	if (!end ||
		!read_body(&c, buf, end + 4, len - (size_t)(end + 4 - buf),
			sizeof(buf) - 1 - (size_t)(end + 4 - buf)))
		return;
	end[2] = '\0';
	if (!read_request(&c, buf, &token))
		return;
	proxy_read_faults(p);
	if (is_faulty(&c, token ? token : "not there"))
		;
	else if (!is_token(p, token))
		proxy_answer(&c, 403,
			"Bad Winscope authorization token!\nThis is Winscope ADB "
			"proxy.\n");
	else
		proxy_endpoint(&c);
	if (c.is_chunked && !c.is_cut)
		proxy_put(&c, "0\r\n\r\n", 5);
	if (proxy_fault(p, "exit") && c.is_cut)
		exit(0);
}

/* ---- the listener ---- */

static const struct option options[] = {
	{ "port", required_argument, NULL, 'p' },
	{ "port-file", required_argument, NULL, 'P' },
	{ "root", required_argument, NULL, 'r' },
	{ "device", required_argument, NULL, 'd' },
	{ "control", required_argument, NULL, 'c' },
	{ NULL, 0, NULL, 0 },
};

struct listener {
	long port;
	const char *port_file, *root;
};

static void
add_device(struct proxy *p, char *text)
{
	char *state = strchr(text, ','), *model = state ? strchr(state + 1, ',') : NULL;

	if (p->device_count == PROXY_DEVICES)
		fake_die("more devices than there can be");
	if (state)
		*state++ = '\0';
	if (model)
		*model++ = '\0';
	p->devices[p->device_count].id = text;
	p->devices[p->device_count].state = state ? state : "device";
	p->devices[p->device_count++].model = model ? model : "Fake Model";
}

static void
parse(int argc, char **argv, struct proxy *p, struct listener *l)
{
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (c) {
		case 'p': l->port = strtol(optarg, NULL, 10); break;
		case 'P': l->port_file = optarg; break;
		case 'r': l->root = optarg; break;
		case 'd': add_device(p, optarg); break;
		case 'c': p->control = optarg; break;
		default: exit(2);
		}
	}
	if (optind != argc) {
		fprintf(stderr, "fakeproxy: too many arguments\n");
		exit(2);
	}
}

static struct proxy proxy = {
	.token = "secret-token",
	.version = "6.0.2",
};

static void
on_signal(int sig)
{
	(void)sig;
	proxy_end_all(&proxy);
	_exit(0);
}

int
main(int argc, char **argv)
{
	struct listener l = { 0 };
	struct pollfd waiting = { .events = POLLIN };
	int port, fd;

	parse(argc, argv, &proxy, &l);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGTERM, on_signal);
	signal(SIGINT, on_signal);
	signal(SIGHUP, on_signal);
	waiting.fd = fake_listen(l.port, QUEUE, &port);
	if (l.root && !fake_enter(l.root, false))
		return 69;
	fake_tell_port(l.port_file, port);
	for (;;) {
		proxy_tick(&proxy);
		if (poll(&waiting, 1, TICK_MS) <= 0)
			continue;
		fd = accept(waiting.fd, NULL, NULL);
		if (fd < 0)
			continue;
		fcntl(fd, F_SETFD, FD_CLOEXEC);
		serve_one(&proxy, fd);
		close(fd);
	}
}
