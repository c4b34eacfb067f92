/* Messages of one connection. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fake.h"

#define CNXN 0x4e584e43u
#define AUTH 0x48545541u
#define STLS 0x534c5453u
#define OPEN 0x4e45504fu
#define OKAY 0x59414b4fu
#define WRTE 0x45545257u
#define CLSE 0x45534c43u

enum { STREAMS = 64, MAX = 1 << 20 };

struct stream {
	uint32_t id, peer; /* id 0: not in use */
	int fd;            /* to the service; -1: it has ended */
	pid_t pid;
	bool may_send, closing;
	int64_t window, sent;
	uint8_t *in; /* what the service has not taken yet */
	size_t in_len, in_pos;
};

struct connection {
	struct fake *f;
	int fd;
	bool sums, delayed;
	uint32_t host_version, max, last_id;
	uint8_t token[20]; /* to be signed */
	long signatures;   /* that it has got */
	int64_t sent;      /* bytes of streams */
	struct stream streams[STREAMS];
	uint8_t buf[MAX];
};

_Noreturn void
fake_die(const char *what)
{
	perror(what);
	exit(71);
}

uint32_t
fake_get32(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

void
fake_put32(uint8_t *p, uint32_t v)
{
	int i;

	for (i = 0; i < 4; i++)
		p[i] = (uint8_t)(v >> 8 * i);
}

bool
fake_read(int fd, void *buf, size_t len)
{
	size_t have = 0;
	ssize_t n;

	while (have < len) {
		n = read(fd, (char *)buf + have, len - have);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		have += (size_t)n;
	}
	return true;
}

bool
fake_write(int fd, const void *buf, size_t len)
{
	size_t done = 0;
	ssize_t n;

	while (done < len) {
		n = write(fd, (const char *)buf + done, len - done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		done += (size_t)n;
	}
	return true;
}

static void
pause_ms(long ms)
{
	struct timespec ts = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&ts, NULL);
}

static bool
file_fault(struct fake *f, const char *name, const char *value)
{
	const struct {
		const char *name, **file;
	} known[] = {
		{ "short", &f->short_file },
		{ "lose", &f->lose },
		{ "grow", &f->grow },
		{ "grown", &f->grown },
		{ "touch", &f->touch },
		{ "deny", &f->deny },
		{ "vanish", &f->vanish },
		{ "endless", &f->endless },
	};
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (strcmp(name, known[i].name) == 0) {
			*known[i].file = strdup(value);
			return true;
		}
	return false;
}

bool
fake_fault(struct fake *f, const char *name, const char *value)
{
	if (strcmp(name, "auth") == 0)
		f->auth = true;
	else if (strcmp(name, "accept") == 0)
		f->accept_ms = strtol(value, NULL, 10);
	else if (strcmp(name, "doubt") == 0)
		f->doubt = strtol(value, NULL, 10);
	else if (strcmp(name, "old-tls") == 0)
		f->old_tls = true;
	else if (strcmp(name, "silent") == 0)
		f->silent = true;
	else if (strcmp(name, "brief") == 0)
		f->brief = true;
	else if (strcmp(name, "hang") == 0)
		f->hang = true;
	else if (strcmp(name, "slow") == 0)
		f->slow_ms = strtol(value, NULL, 10);
	else if (strcmp(name, "piece") == 0)
		f->piece = strtoul(value, NULL, 10);
	else if (strcmp(name, "drop") == 0)
		f->drop = strtoll(value, NULL, 10);
	else if (strcmp(name, "cut") == 0)
		f->cut = strtoll(value, NULL, 10);
	else if (strcmp(name, "garbage") == 0)
		f->garbage = strtoll(value, NULL, 10);
	else if (strcmp(name, "junk") == 0)
		f->junk = true;
	else if (strcmp(name, "refuse") == 0)
		f->refuse = strdup(value);
	else
		return file_fault(f, name, value);
	return true;
}

/* What the file says now; what it does not name is as the options said. */
static void
look_at_control(struct fake *f)
{
	char line[256], *value;
	FILE *in = f->control ? fopen(f->control, "r") : NULL;

	if (!in)
		return;
	while (fgets(line, sizeof(line), in)) {
		line[strcspn(line, "\n")] = '\0';
		value = line + strcspn(line, " ");
		if (*value)
			*value++ = '\0';
		if (*line && !fake_fault(f, line, value))
			fprintf(stderr, "fakeadbd: no fault %s\n", line);
	}
	fclose(in);
}

static uint32_t
sum(const uint8_t *p, size_t len)
{
	uint32_t s = 0;

	while (len--)
		s += *p++;
	return s;
}

/* The head in front of the payload, in one write when that is short. */
static void
send_message(struct connection *c, uint32_t command, uint32_t arg0, uint32_t arg1,
	const void *payload, size_t len)
{
	uint8_t head[24 + 256];
	bool with_sum = c->sums || command == CNXN || command == AUTH;

	fake_put32(head, command);
	fake_put32(head + 4, arg0);
	fake_put32(head + 8, arg1);
	fake_put32(head + 12, (uint32_t)len);
	fake_put32(head + 16, with_sum ? sum(payload, len) : 0);
	fake_put32(head + 20, ~command);
	if (len && len <= 256)
		memcpy(head + 24, payload, len);
	if (!fake_write(c->fd, head, 24 + (len <= 256 ? len : 0)) ||
		(len > 256 && !fake_write(c->fd, payload, len)))
		exit(0);
}

/* Everybody who works for this connection hears of its end. */
static void
hang_up(struct connection *c)
{
	int i;

	for (i = 0; i < STREAMS; i++)
		if (c->streams[i].id && c->streams[i].pid > 0)
			kill(c->streams[i].pid, SIGHUP);
	exit(0);
}

/* ---- the host connects ---- */

static const char garbage[] = "this is no message at all, and long enough for one";

static void
banner(struct connection *c)
{
	char text[4096];
	int n = snprintf(text, sizeof(text),
		"%s::ro.product.name=%s;ro.product.model=%s;ro.product.device=%s;"
		"features=%s",
		c->f->state, c->f->product, c->f->model, c->f->device, c->f->features);

	send_message(c, CNXN, c->f->version, c->f->max_payload, text, (size_t)n);
}

static bool
lists(const char *list, size_t len, const char *word)
{
	const char *at = list, *end = list + len;
	size_t n = strlen(word);

	for (; (size_t)(end - at) >= n; at++)
		if (memcmp(at, word, n) == 0)
			return true;
	return false;
}

static void
go_online(struct connection *c)
{
	banner(c);
	c->sums = c->f->version < 0x01000001 || c->host_version < 0x01000001;
}

static void
ask_for_key(struct connection *c)
{
	if (getrandom(c->token, sizeof(c->token), 0) < 0)
		fake_die("getrandom");
	if (c->f->slow_ms)
		pause_ms(c->f->slow_ms);
	send_message(c, AUTH, 1, 0, c->token, sizeof(c->token));
}

static void
on_connect(struct connection *c, const uint8_t *head, size_t len)
{
	look_at_control(c->f);
	if (c->f->silent)
		return;
	if (c->f->brief)
		hang_up(c);
	if (c->f->garbage == 0 && !fake_write(c->fd, garbage, sizeof(garbage)))
		hang_up(c);
	c->host_version = fake_get32(head + 4);
	c->max = fake_get32(head + 8) < c->f->max_payload ? fake_get32(head + 8)
							  : c->f->max_payload;
	if (c->max > MAX)
		c->max = MAX;
	c->delayed = lists((char *)c->buf, len, "delayed_ack") &&
		lists(c->f->features, strlen(c->f->features), "delayed_ack");
	if (c->f->tls)
		send_message(c, STLS, 0x01000000, 0, NULL, 0);
	else if (c->f->auth || c->f->keys)
		ask_for_key(c);
	else
		go_online(c);
}

/* A signature, or a key that somebody may accept. */
static void
on_auth(struct connection *c, const uint8_t *head, size_t len)
{
	bool is_offer = fake_get32(head + 4) == 3;

	if (!c->f->keys)
		ask_for_key(c);
	else if (is_offer) {
		if (fake_accepts(c->f, c->buf, len))
			go_online(c);
	} else if (c->signatures++ >= c->f->doubt &&
		fake_knows(c->f, c->token, c->buf, len))
		go_online(c);
	else
		ask_for_key(c);
}

static void
on_tls(struct connection *c)
{
	if (!c->f->tls)
		hang_up(c);
	c->fd = fake_tls(c->f, c->fd);
	fcntl(c->fd, F_SETFD, FD_CLOEXEC);
	go_online(c);
}

/* ---- streams ---- */

static struct stream *
find(struct connection *c, uint32_t id)
{
	int i;

	for (i = 0; id && i < STREAMS; i++)
		if (c->streams[i].id == id)
			return &c->streams[i];
	return NULL;
}

static struct stream *
unused(struct connection *c)
{
	int i;

	for (i = 0; i < STREAMS; i++)
		if (!c->streams[i].id)
			return &c->streams[i];
	return NULL;
}

static void
forget(struct stream *s)
{
	if (s->fd >= 0)
		close(s->fd);
	free(s->in);
	memset(s, 0, sizeof(*s));
}

static void
start(struct connection *c, struct stream *s, const char *service)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) < 0)
		fake_die("socketpair");
	s->pid = fork();
	if (s->pid < 0)
		fake_die("fork");
	if (s->pid == 0) {
		close(ends[0]);
		close(c->fd);
		if (c->f->hang)
			for (;;)
				pause();
		fake_service(c->f, service, ends[1]);
		_exit(0);
	}
	close(ends[1]);
	s->fd = ends[0];
	fcntl(s->fd, F_SETFD, FD_CLOEXEC);
	fcntl(s->fd, F_SETFL, O_NONBLOCK);
}

static void
on_open(struct connection *c, const uint8_t *head, size_t len)
{
	uint32_t peer = fake_get32(head + 4), window = fake_get32(head + 8);
	struct stream *s = unused(c);
	char service[MAX > 65536 ? 65536 : MAX];
	uint8_t grant[4];

	if (len >= sizeof(service))
		len = sizeof(service) - 1;
	memcpy(service, c->buf, len);
	service[len] = '\0';
	look_at_control(c->f);
	if (!s || !fake_has_service(service) || c->delayed != (window != 0) ||
		(c->f->refuse &&
			strncmp(service, c->f->refuse, strlen(c->f->refuse)) == 0)) {
		send_message(c, CLSE, 0, peer, NULL, 0);
		return;
	}
	s->id = ++c->last_id;
	s->peer = peer;
	s->may_send = true;
	s->window = window;
	start(c, s, service);
	fake_put32(grant, c->f->window);
	send_message(c, OKAY, s->id, s->peer, grant, c->delayed ? 4 : 0);
}

/* What the service can take; the rest of a message waits, and so does its OKAY. */
static void
feed(struct connection *c, struct stream *s)
{
	uint8_t count[4];
	ssize_t n;

	while (s->in_pos < s->in_len && s->fd >= 0) {
		n = write(s->fd, s->in + s->in_pos, s->in_len - s->in_pos);
		if (n < 0 && errno == EAGAIN)
			return;
		if (n <= 0) /* it does not read: its output may still come */
			n = (ssize_t)(s->in_len - s->in_pos);
		s->in_pos += (size_t)n;
	}
	if (s->closing) {
		kill(s->pid, SIGHUP);
		send_message(c, CLSE, s->id, s->peer, NULL, 0);
		forget(s);
		return;
	}
	fake_put32(count, (uint32_t)s->in_len);
	s->in_len = s->in_pos = 0;
	send_message(c, OKAY, s->id, s->peer, count, c->delayed ? 4 : 0);
}

static void
on_write(struct connection *c, const uint8_t *head, size_t len)
{
	struct stream *s = find(c, fake_get32(head + 8));

	if (!s || s->peer != fake_get32(head + 4) || s->closing)
		return;
	if (s->in_len && !c->delayed) {
		fprintf(stderr, "fakeadbd: a second WRTE without an OKAY\n");
		hang_up(c);
	}
	s->in = realloc(s->in, s->in_len + len + 1);
	if (!s->in)
		fake_die("memory");
	memcpy(s->in + s->in_len, c->buf, len);
	s->in_len += len;
	feed(c, s);
}

static void
on_okay(struct connection *c, const uint8_t *head, size_t len)
{
	struct stream *s = find(c, fake_get32(head + 8));

	if (!s)
		return;
	if ((len == 4) != c->delayed) {
		fprintf(stderr, "fakeadbd: an OKAY with %zu bytes\n", len);
		hang_up(c);
	}
	s->may_send = true;
	if (c->delayed)
		s->window += (int32_t)fake_get32(c->buf);
}

static void
on_close(struct connection *c, const uint8_t *head)
{
	struct stream *s = find(c, fake_get32(head + 8));

	if (!s)
		return;
	s->closing = true;
	if (s->fd < 0)
		forget(s); /* we said so first */
	else if (s->in_pos == s->in_len)
		feed(c, s);
}

static void
on_message(struct connection *c)
{
	uint8_t head[24];
	size_t len;

	if (!fake_read(c->fd, head, sizeof(head)))
		hang_up(c);
	len = fake_get32(head + 12);
	if (fake_get32(head + 20) != ~fake_get32(head) || len > MAX ||
		!fake_read(c->fd, c->buf, len))
		hang_up(c);
	if (c->sums && fake_get32(head + 16) != sum(c->buf, len)) {
		fprintf(stderr, "fakeadbd: a checksum is wrong\n");
		hang_up(c);
	}
	switch (fake_get32(head)) {
	case CNXN: on_connect(c, head, len); break;
	case AUTH: on_auth(c, head, len); break;
	case STLS: on_tls(c); break;
	case OPEN: on_open(c, head, len); break;
	case WRTE: on_write(c, head, len); break;
	case OKAY: on_okay(c, head, len); break;
	case CLSE: on_close(c, head); break;
	default: fprintf(stderr, "fakeadbd: an unknown message\n"); hang_up(c);
	}
}

/* ---- what services say ---- */

static void
end_stream(struct connection *c, struct stream *s)
{
	send_message(c, CLSE, s->id, s->peer, NULL, 0);
	close(s->fd);
	s->fd = -1;
	if (s->closing)
		forget(s);
}

/* Faults that come after so many bytes: how many may go before the next. */
static size_t
until_fault(const struct connection *c, const struct stream *s, size_t len)
{
	const struct fake *f = c->f;

	if (f->drop >= 0 && (int64_t)len > f->drop - c->sent)
		len = (size_t)(f->drop - c->sent);
	if (f->garbage >= 0 && (int64_t)len > f->garbage - c->sent)
		len = (size_t)(f->garbage - c->sent);
	if (f->cut >= 0 && (int64_t)len > f->cut - s->sent)
		len = (size_t)(f->cut - s->sent);
	return len;
}

static void
pass_on(struct connection *c, struct stream *s)
{
	const struct fake *f = c->f;
	size_t room = f->piece && f->piece < c->max ? f->piece : c->max;
	ssize_t n;

	room = until_fault(c, s, room);
	n = room ? read(s->fd, c->buf, room) : 0;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n > 0) {
		if (f->slow_ms)
			pause_ms(f->slow_ms);
		send_message(c, WRTE, s->id, s->peer, c->buf, (size_t)n);
		s->may_send = false;
		s->window -= n;
		s->sent += n;
		c->sent += n;
		return;
	}
	if (f->drop >= 0 && c->sent >= f->drop)
		hang_up(c);
	if (f->garbage >= 0 && c->sent >= f->garbage)
		fake_write(c->fd, garbage, sizeof(garbage));
	if (f->cut >= 0 && s->sent >= f->cut)
		kill(s->pid, SIGHUP);
	end_stream(c, s);
}

static bool
may_send(const struct connection *c, const struct stream *s)
{
	return c->delayed ? s->window > 0 : s->may_send;
}

void
fake_serve(struct fake *f, int fd)
{
	static struct connection c;
	struct pollfd fds[STREAMS + 1];
	struct stream *s;
	int i;

	c.f = f;
	c.fd = fd;
	for (;;) {
		fds[STREAMS] = (struct pollfd){ .fd = c.fd, .events = POLLIN };
		for (i = 0; i < STREAMS; i++) {
			s = &c.streams[i];
			fds[i] = (struct pollfd){ .fd = s->id ? s->fd : -1 };
			if (s->id && may_send(&c, s) && !s->closing)
				fds[i].events |= POLLIN;
			if (s->id && s->in_pos < s->in_len)
				fds[i].events |= POLLOUT;
			if (!fds[i].events)
				fds[i].fd = -1;
		}
		if (poll(fds, STREAMS + 1, -1) < 0 && errno != EINTR)
			fake_die("poll");
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
		for (i = 0; i < STREAMS; i++) {
			s = &c.streams[i];
			if (fds[i].fd >= 0 && fds[i].revents & POLLOUT)
				feed(&c, s);
			if (fds[i].fd >= 0 && s->id && s->fd == fds[i].fd &&
				(fds[i].events & POLLIN) &&
				fds[i].revents & (POLLIN | POLLHUP | POLLERR))
				pass_on(&c, s);
		}
		if (fds[STREAMS].revents)
			on_message(&c);
	}
}
