/*
 * adb: what is said on a connection, message by message, to a device that has said all
 * before; over a socket, and over a wire that has packets.
 */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "adb/priv.h"
#include "check.h"
#include "err/err.h"

/* ---- a device that has said all ---- */

struct peer {
	int ours, its;
	bool is_packets;
};

static void
peer_init(struct peer *p, bool is_packets)
{
	int fds[2];

	if (socketpair(AF_UNIX, is_packets ? SOCK_SEQPACKET : SOCK_STREAM, 0, fds) < 0)
		abort();
	p->ours = fds[0];
	p->its = fds[1];
	p->is_packets = is_packets;
	fcntl(fds[0], F_SETFL, O_NONBLOCK);
	fcntl(fds[1], F_SETFL, O_NONBLOCK);
}

static void
say(const struct peer *p, uint32_t command, uint32_t arg0, uint32_t arg1,
	const void *payload, size_t len)
{
	struct tc_adb_head h = { command, arg0, arg1, (uint32_t)len,
		tc_adb_sum(payload, len) };
	uint8_t head[TC_ADB_HEAD];

	tc_adb_head_put(head, &h);
	if (write(p->its, head, sizeof(head)) != (ssize_t)sizeof(head) ||
		(len && write(p->its, payload, len) != (ssize_t)len))
		abort();
}

static void
say_name(const struct peer *p, uint32_t version, uint32_t max, const char *features)
{
	char banner[256];
	int n = snprintf(banner, sizeof(banner), "device::features=%s", features);

	say(p, TC_ADB_CNXN, version, max, banner, (size_t)n);
}

/* All that has come to the device and was not read, as text: "OPEN 1 0 6 sum" and so on.
 */
static const char *
heard(const struct peer *p)
{
	static char text[4096];
	static uint8_t buf[2 << 20];
	struct tc_adb_head h;
	struct tc_err err;
	size_t len = 0, at = 0, used = 0;
	ssize_t n;

	while ((n = recv(p->its, buf + len, sizeof(buf) - len, 0)) > 0) {
		/* Of packets, each is a head or a payload. */
		if (p->is_packets && at == len && n != TC_ADB_HEAD)
			return "a packet that is no head";
		if (p->is_packets && at == len &&
			tc_adb_head_get(buf + len, &h, &err) == 0)
			at = len + TC_ADB_HEAD + h.len;
		len += (size_t)n;
		if (p->is_packets && at < len)
			return "a packet that is too long";
	}
	text[0] = '\0';
	for (at = 0; len - at >= TC_ADB_HEAD; at += TC_ADB_HEAD + h.len) {
		if (tc_adb_head_get(buf + at, &h, &err) < 0 ||
			len - at - TC_ADB_HEAD < h.len)
			return "no message";
		used += (size_t)snprintf(text + used, sizeof(text) - used,
			"%s%.4s %x %x %u%s", used ? ", " : "", buf + at, h.arg0, h.arg1,
			h.len,
			!h.check ? ""
				: h.check == tc_adb_sum(buf + at + TC_ADB_HEAD, h.len)
				? " sum"
				: " wrong");
	}
	return at == len ? text : "a part of a message";
}

#define HEARD(p, want) CHECK_STR(tc_str_of(heard(p)), tc_str_of(want))

static void
peer_release(struct peer *p)
{
	close(p->its);
}

/* ---- a wire that has packets ---- */

/*
 * A socket that keeps packets apart is to a link what USB is: a head and a payload are
 * a packet each, and the other side outlives us.
 */
struct packets {
	struct tc_adb_wire base;
	int fd;
	uint8_t in[4096], out[TC_ADB_HEAD + 65536];
	size_t pos, len, out_len, want;
	bool in_payload;
};

static size_t
packets_peek(const struct tc_adb_wire *w, const uint8_t **bytes)
{
	const struct packets *p = (const struct packets *)w;

	*bytes = p->in + p->pos;
	return p->len - p->pos;
}

static void
packets_eat(struct tc_adb_wire *w, size_t n)
{
	((struct packets *)w)->pos += n;
}

static int
packets_fill(struct tc_adb_wire *w, struct tc_err *err)
{
	struct packets *p = (struct packets *)w;
	ssize_t n;

	if (p->pos < p->len)
		return 1;
	n = recv(p->fd, p->in, sizeof(p->in), 0);
	if (n == 0)
		return tc_adb_gone(err);
	p->pos = 0;
	p->len = n > 0 ? (size_t)n : 0;
	return n > 0;
}

static ssize_t
packets_send(struct tc_adb_wire *w, struct iovec *iov, int count, struct tc_err *err)
{
	struct packets *p = (struct packets *)w;
	const uint8_t *bytes;
	size_t left, n;
	ssize_t sent = 0;
	int i;

	for (i = 0; i < count; i++)
		for (bytes = iov[i].iov_base, left = iov[i].iov_len; left;
			bytes += n, left -= n, sent += (ssize_t)n) {
			if (!p->in_payload && !p->out_len)
				p->want = TC_ADB_HEAD;
			n = p->want - p->out_len < left ? p->want - p->out_len : left;
			memcpy(p->out + p->out_len, bytes, n);
			p->out_len += n;
			if (p->out_len < p->want)
				continue;
			if (send(p->fd, p->out, p->want, MSG_NOSIGNAL) < 0)
				return tc_adb_gone(err);
			p->out_len = 0;
			p->in_payload = !p->in_payload && tc_adb_get32(p->out + 12);
			p->want = tc_adb_get32(p->out + 12);
		}
	return sent;
}

static int
packets_fd(const struct tc_adb_wire *w)
{
	return ((const struct packets *)w)->fd;
}

static short
packets_events(const struct tc_adb_wire *w, bool to_read, bool to_send)
{
	(void)w;
	(void)to_read;
	(void)to_send;
	return POLLIN;
}

/* The other side knows by itself when it starts anew. */
static void
packets_reset(struct tc_adb_wire *w)
{
	(void)w;
}

static void
packets_close(struct tc_adb_wire *w)
{
	close(((struct packets *)w)->fd);
	free(w);
}

static struct tc_adb_wire *
packets_open(int fd)
{
	static const struct tc_adb_wire_ops ops = { packets_peek, packets_eat,
		packets_fill, packets_send, packets_fd, packets_events, NULL,
		packets_reset, packets_close };
	struct packets *p = tc_mem_calloc(1, sizeof(*p));

	p->base.ops = &ops;
	p->base.has_leftovers = true;
	p->fd = fd;
	return &p->base;
}

/* ---- connecting ---- */

/* The device; or NULL, and what went wrong was what is wanted. */
static struct tc_adb *
connect_to(struct peer *p, const char *want)
{
	struct tc_wait w = tc_wait_for(300);
	struct tc_err err = { 0 };
	struct tc_adb *a;
	int r = tc_adb_open_wire(&a,
		p->is_packets ? packets_open(p->ours) : tc_adb_wire_tcp(p->ours), NULL,
		&w, &err);

	CHECK_STR(tc_str_of(r < 0 ? tc_err_what(&err) : "ok"), tc_str_of(want));
	return r < 0 ? NULL : a;
}

static const char hello_1[] = "CNXN 1000001 100000 99 sum";

static void
test_versions(void)
{
	static const struct {
		uint32_t version, max;
		const char *features, *want;
	} cases[] = {
		{ TC_ADB_V1, 1 << 20, "x", "OPEN 1 0 6, CLSE 1 7 0" },
		{ TC_ADB_V0, 4096, "x", "OPEN 1 0 6 sum, CLSE 1 7 0" },
		{ TC_ADB_V1 + 1, 2 << 20, "delayed_ack", "OPEN 1 800000 6, CLSE 1 7 0" },
		{ TC_ADB_V1, 4096, "delayed_acks", "OPEN 1 0 6, CLSE 1 7 0" },
	};
	struct tc_wait w = tc_wait_for(300);
	struct tc_adb_stream *s;
	struct tc_err err;
	struct tc_adb *a;
	struct peer p;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		peer_init(&p, false);
		say_name(&p, cases[i].version, cases[i].max, cases[i].features);
		a = connect_to(&p, "ok");
		HEARD(&p, hello_1);
		say(&p, TC_ADB_OKAY, 7, 1, "\0\0\1\0", i == 2 ? 4 : 0);
		if (CHECK_INT(tc_adb_stream_open(a, "sync:", &w, &s, &err), 0))
			tc_adb_stream_close(s);
		HEARD(&p, cases[i].want);
		tc_adb_close(a);
		peer_release(&p);
	}
}

/* The first word of what is no device, or none that we can speak with. */
static void
test_first_words(void)
{
	static const struct {
		uint32_t command, arg0, arg1;
		size_t len;
		const char *want;
	} cases[] = {
		{ TC_ADB_OKAY, 1, 1, 0, "protocol" },
		{ TC_ADB_WRTE, 1, 1, 10, "protocol" },
		{ TC_ADB_OPEN, 1, 0, 10, "protocol" },
		{ TC_ADB_CNXN, TC_ADB_V1, 0, 8, "protocol" },
		{ TC_ADB_AUTH, TC_ADB_AUTH_TOKEN, 0, 20, "unauthorized" },
		{ TC_ADB_AUTH, TC_ADB_AUTH_TOKEN, 0, 19, "protocol" },
		{ TC_ADB_AUTH, TC_ADB_AUTH_TOKEN, 0, 0, "protocol" },
		{ TC_ADB_AUTH, TC_ADB_AUTH_TOKEN, 0, 4096, "protocol" },
		{ TC_ADB_AUTH, TC_ADB_AUTH_SIGNATURE, 0, 20, "protocol" },
		{ TC_ADB_AUTH, 0, 0, 20, "protocol" },
		{ TC_ADB_STLS, TC_ADB_TLS_VERSION, 0, 0, "unauthorized" },
	};
	static const uint8_t zeros[4096];
	struct peer p;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		peer_init(&p, false);
		say(&p, cases[i].command, cases[i].arg0, cases[i].arg1, zeros,
			cases[i].len);
		connect_to(&p, cases[i].want);
		peer_release(&p);
	}
	/* A device says what it is. */
	peer_init(&p, false);
	say(&p, TC_ADB_CNXN, TC_ADB_V1, 4096, "::", 2);
	connect_to(&p, "protocol");
	peer_release(&p);
	peer_init(&p, false);
	say(&p, TC_ADB_CNXN, TC_ADB_V1, 4095, "device::", 8);
	connect_to(&p, "protocol");
	peer_release(&p);
	/* TLS begins with our word, and there is none on wires without. */
	peer_init(&p, false);
	say(&p, TC_ADB_STLS, TC_ADB_TLS_VERSION, 0, NULL, 0);
	say(&p, TC_ADB_CNXN, TC_ADB_V1, 4096, "device::", 8);
	connect_to(&p, "protocol");
	peer_release(&p);
	peer_init(&p, true);
	say(&p, TC_ADB_STLS, TC_ADB_TLS_VERSION, 0, NULL, 0);
	connect_to(&p, "protocol");
	peer_release(&p);
	/* Nothing, and the end. */
	peer_init(&p, false);
	connect_to(&p, "offline");
	peer_release(&p);
	peer_init(&p, false);
	shutdown(p.its, SHUT_WR);
	connect_to(&p, "gone");
	peer_release(&p);
}

/* It wants TLS, goes on for ever without it, and takes nothing of what we say. */
static void
test_flood_before_tls(void)
{
	static const uint8_t zeros[65536];
	struct peer p;
	pid_t pid;

	peer_init(&p, false);
	while (write(p.ours, zeros, sizeof(zeros)) > 0)
		;
	pid = fork();
	if (pid == 0) {
		close(p.ours);
		fcntl(p.its, F_SETFL, 0);
		say(&p, TC_ADB_STLS, TC_ADB_TLS_VERSION, 0, NULL, 0);
		while (send(p.its, zeros, sizeof(zeros), MSG_NOSIGNAL) > 0)
			;
		_exit(0);
	}
	connect_to(&p, "protocol");
	peer_release(&p);
	waitpid(pid, NULL, 0);
}

/* ---- streams ---- */

static struct tc_adb *
online(struct peer *p, bool is_packets, bool delayed)
{
	struct tc_adb *a;

	peer_init(p, is_packets);
	say_name(p, TC_ADB_V1, 4096, delayed ? "delayed_ack" : "x");
	a = connect_to(p, "ok");
	HEARD(p, hello_1);
	return a;
}

static struct tc_adb_stream *
stream(struct peer *p, struct tc_adb *a, uint32_t id, uint32_t window)
{
	struct tc_wait w = tc_wait_for(300);
	struct tc_adb_stream *s = NULL;
	struct tc_err err;
	uint8_t grant[4];

	tc_adb_put32(grant, window);
	say(p, TC_ADB_OKAY, 100 + id, id, grant, window ? 4 : 0);
	if (!CHECK_INT(tc_adb_stream_open(a, "sync:", &w, &s, &err), 0))
		abort();
	return s;
}

/* Shows what comes on a stream until its end, or what else is wanted. */
static void
reads(struct tc_adb_stream *s, const char *want, const char *end)
{
	struct tc_wait w = tc_wait_for(1); /* all is there */
	struct tc_err err = { 0 };
	char text[8192];
	const uint8_t *bytes;
	size_t len = 0;
	int64_t n;

	while ((n = tc_adb_stream_peek(s, &w, &bytes, &err)) > 0 &&
		len + (size_t)n < sizeof(text)) {
		memcpy(text + len, bytes, (size_t)n);
		len += (size_t)n;
		tc_adb_stream_eat(s, (size_t)n);
	}
	CHECK_STR(check_text(text, len), tc_str_of(want));
	CHECK_STR(tc_str_of(n < 0 ? tc_err_what(&err) : "end"), tc_str_of(end));
}

static void
writes(struct tc_adb_stream *s, size_t len, const char *want)
{
	static const uint8_t zeros[65536];
	struct tc_wait w = tc_wait_for(100);
	struct tc_err err = { 0 };
	int r = tc_adb_stream_write(s, zeros, len, &w, &err);

	CHECK_STR(tc_str_of(r < 0 ? tc_err_what(&err) : "ok"), tc_str_of(want));
}

/* One message at a time each way; bytes before the end of a stream still count. */
static void
test_classic_flow(bool is_packets)
{
	struct peer p;
	struct tc_adb *a = online(&p, is_packets, false);
	struct tc_adb_stream *one = stream(&p, a, 1, 0), *two = stream(&p, a, 2, 0);

	HEARD(&p, "OPEN 1 0 6, OPEN 2 0 6");
	/* Two messages for the other one are put aside, and the second has no OKAY. */
	say(&p, TC_ADB_WRTE, 102, 2, "abc", 3);
	say(&p, TC_ADB_WRTE, 102, 2, "def", 3);
	say(&p, TC_ADB_WRTE, 101, 1, "x", 1);
	reads(one, "x", "timed_out");
	HEARD(&p, "OKAY 2 66 0, OKAY 1 65 0");
	/* It is sent when its bytes were used. */
	reads(two, "abcdef", "timed_out");
	HEARD(&p, "OKAY 2 66 0");
	/* Behind the first, each message waits for an OKAY. */
	writes(one, 5000, "timed_out");
	HEARD(&p, "WRTE 1 65 4096");
	say(&p, TC_ADB_OKAY, 101, 1, NULL, 0);
	say(&p, TC_ADB_OKAY, 999, 1, NULL, 0); /* of nobody */
	writes(one, 1, "ok");
	HEARD(&p, "WRTE 1 65 1");
	writes(one, 1, "timed_out");
	/* The device ends one; what it said before is there, and then there is no more.
	 */
	say(&p, TC_ADB_WRTE, 101, 1, "last", 4);
	say(&p, TC_ADB_CLSE, 101, 1, NULL, 0);
	say(&p, TC_ADB_WRTE, 101, 1, "ghost", 5);
	say(&p, TC_ADB_CLSE, 101, 1, NULL, 0);
	reads(one, "last", "end");
	writes(one, 1, "closed");
	HEARD(&p, "OKAY 1 65 0, CLSE 1 65 0");
	/* We end the other; its late messages are nobody's. */
	tc_adb_stream_close(two);
	HEARD(&p, "CLSE 2 66 0");
	say(&p, TC_ADB_WRTE, 102, 2, "late", 4);
	say(&p, TC_ADB_OKAY, 102, 2, NULL, 0);
	say(&p, TC_ADB_OPEN, 55, 0, "tcp:1", 6);
	say(&p, TC_ADB_CLSE, 77, 77, NULL, 0);
	say(&p, TC_ADB_AUTH, TC_ADB_AUTH_TOKEN, 0, "01234567890123456789", 20);
	tc_adb_stream_close(one);
	one = stream(&p, a, 3, 0);
	HEARD(&p, "OPEN 3 0 6, CLSE 2 66 0, CLSE 0 37 0");
	/* Who is lost is so for all streams, after what came before. */
	say(&p, TC_ADB_WRTE, 103, 3, "rest", 4);
	shutdown(p.its, SHUT_WR);
	reads(one, "rest", "gone");
	tc_adb_stream_close(one);
	tc_adb_close(a);
	peer_release(&p);
}

/* Windows in bytes, both ways. */
static void
test_delayed_flow(void)
{
	static uint8_t bytes[4096];
	struct peer p;
	struct tc_adb *a = online(&p, false, true);
	struct tc_adb_stream *s = stream(&p, a, 1, 5000);
	char big[8192];
	int i;

	HEARD(&p, "OPEN 1 800000 6");
	/* Above zero is enough: the window goes below, and all of it has to come back. */
	writes(s, 10000, "timed_out");
	HEARD(&p, "WRTE 1 65 4096, WRTE 1 65 4096");
	say(&p, TC_ADB_OKAY, 101, 1, "\x78\x0c\0\0", 4); /* 3192, which makes it 0 */
	writes(s, 1, "timed_out");
	say(&p, TC_ADB_OKAY, 101, 1, "\xff\xff\xff\xff", 4); /* one less */
	say(&p, TC_ADB_OKAY, 101, 1, "\2\0\0\0", 4);
	writes(s, 1, "ok");
	HEARD(&p, "WRTE 1 65 1");
	/* What it sends needs no answer each time; what was used is told in bulk. */
	memset(bytes, 'y', sizeof(bytes));
	memset(big, 'y', sizeof(big));
	big[4096] = '\0';
	for (i = 0; i < 63; i++) {
		say(&p, TC_ADB_WRTE, 101, 1, bytes, sizeof(bytes));
		reads(s, big, "timed_out");
	}
	HEARD(&p, "");
	say(&p, TC_ADB_WRTE, 101, 1, bytes, sizeof(bytes));
	reads(s, big, "timed_out");
	HEARD(&p, "OKAY 1 65 4");
	say(&p, TC_ADB_OKAY, 101, 1, NULL, 0);
	reads(s, "", "protocol");
	tc_adb_stream_close(s);
	tc_adb_close(a);
	peer_release(&p);
}

/* More than it may: a third message while the second waits for its OKAY. */
static void
test_too_much(void)
{
	struct peer p;
	struct tc_adb *a = online(&p, false, false);
	struct tc_adb_stream *one = stream(&p, a, 1, 0), *two = stream(&p, a, 2, 0);
	int i;

	for (i = 0; i < 3; i++)
		say(&p, TC_ADB_WRTE, 102, 2, "abc", 3);
	reads(one, "", "protocol");
	tc_adb_stream_close(one);
	tc_adb_stream_close(two);
	tc_adb_close(a);
	peer_release(&p);
	/* And its name, twice. */
	a = online(&p, false, false);
	one = stream(&p, a, 1, 0);
	say_name(&p, TC_ADB_V1, 4096, "x");
	reads(one, "", "protocol");
	tc_adb_stream_close(one);
	tc_adb_close(a);
	peer_release(&p);
}

/* The same message again and again, whatever is answered. */
static _Noreturn void
repeat(const struct peer *p, const struct tc_adb_head *h)
{
	static uint8_t batch[64 * 1024], answers[64 * 1024];
	size_t each = TC_ADB_HEAD + h->len, len;

	close(p->ours);
	fcntl(p->its, F_SETFL, 0);
	for (len = 0; len + each <= sizeof(batch); len += each)
		tc_adb_head_put(batch + len, h);
	while (send(p->its, batch, len, MSG_NOSIGNAL) > 0)
		while (recv(p->its, answers, sizeof(answers), MSG_DONTWAIT) > 0)
			;
	_exit(0);
}

/*
 * A device that goes on for ever with what is no use does not stretch the time: ours,
 * that is, which others on the machine do not stretch either.
 */
static void
check_flood(uint32_t command, uint32_t arg0, uint32_t arg1, uint32_t len)
{
	struct tc_adb_head h = { command, arg0, arg1, len, 0 };
	struct tc_wait w = tc_wait_for(20);
	struct tc_err err = { 0 };
	struct peer p;
	struct tc_adb *a = online(&p, false, false);
	struct tc_adb_stream *s = stream(&p, a, 1, 0);
	clock_t start = clock();
	const uint8_t *bytes;
	pid_t pid = fork();

	if (pid == 0)
		repeat(&p, &h);
	CHECK_INT(tc_adb_stream_peek(s, &w, &bytes, &err), -1);
	CHECK_STR(tc_str_of(tc_err_what(&err)), TC_STR("timed_out"));
	CHECK(clock() - start < CLOCKS_PER_SEC / 10);
	tc_adb_stream_close(s);
	tc_adb_close(a);
	peer_release(&p);
	waitpid(pid, NULL, 0);
}

static void
test_flood(void)
{
	check_flood(TC_ADB_WRTE, 9, 9, 1000);
	/* These are answered, each of them. */
	check_flood(TC_ADB_OKAY, 9, 9, 0);
	check_flood(TC_ADB_OPEN, 9, 0, 6);
	check_flood(TC_ADB_WRTE, 101, 1, 0);
}

static void
test_refused(void)
{
	struct tc_wait w = tc_wait_for(300);
	struct tc_err err = { 0 };
	struct tc_adb_stream *s;
	struct peer p;
	struct tc_adb *a = online(&p, false, false);
	char service[5000];

	say(&p, TC_ADB_CLSE, 0, 1, NULL, 0);
	CHECK_INT(tc_adb_stream_open(a, "sync:", &w, &s, &err), -1);
	CHECK_STR(tc_str_of(tc_err_what(&err)), TC_STR("refused"));
	HEARD(&p, "OPEN 1 0 6");
	memset(service, 'x', sizeof(service) - 1);
	service[sizeof(service) - 1] = '\0';
	CHECK_INT(tc_adb_stream_open(a, service, &w, &s, &err), -1);
	CHECK_STR(tc_str_of(tc_err_what(&err)), TC_STR("too_long"));
	HEARD(&p, "");
	tc_adb_close(a);
	peer_release(&p);
}

/* ---- what outlives a connection ---- */

static void
test_leftovers(void)
{
	struct tc_adb_stream *s;
	struct tc_adb *a;
	struct peer p;

	/* Of those before us: passed over. */
	peer_init(&p, true);
	say(&p, TC_ADB_WRTE, 5, 5, "left from before", 16);
	say(&p, TC_ADB_OKAY, 5, 5, NULL, 0);
	say_name(&p, TC_ADB_V1, 4096, "x");
	a = connect_to(&p, "ok");
	HEARD(&p, hello_1);
	s = stream(&p, a, 1, 0);
	HEARD(&p, "OPEN 1 0 6");
	/* Once more only after it was asked for twice. */
	say_name(&p, TC_ADB_V1, 4096, "x");
	reads(s, "", "protocol");
	tc_adb_stream_close(s);
	tc_adb_close(a);
	peer_release(&p);
}

/* A device that did not hear the first word; it may have, after all. */
static void
test_asked_twice(void)
{
	struct tc_wait w = tc_wait_for(20000);
	struct tc_err err = { 0 };
	struct tc_adb_stream *s;
	struct tc_adb *a = NULL;
	struct peer p;
	pid_t pid;

	peer_init(&p, true);
	pid = fork();
	if (pid == 0) {
		struct pollfd pfd = { .fd = p.its, .events = POLLIN };
		int i;

		close(p.ours);
		for (i = 0; i < 4; i++) { /* two heads and two names */
			uint8_t bytes[4096];

			poll(&pfd, 1, -1);
			if (recv(p.its, bytes, sizeof(bytes), 0) <= 0)
				_exit(1);
		}
		say_name(&p, TC_ADB_V1, 4096, "x");
		say_name(&p, TC_ADB_V1, 4096, "x");
		say(&p, TC_ADB_OKAY, 101, 1, NULL, 0);
		poll(&pfd, 1, 2000);
		_exit(0);
	}
	CHECK_INT(tc_adb_open_wire(&a, packets_open(p.ours), NULL, &w, &err), 0);
	if (a && CHECK_INT(tc_adb_stream_open(a, "sync:", &w, &s, &err), 0))
		tc_adb_stream_close(s);
	tc_adb_close(a);
	peer_release(&p);
	waitpid(pid, NULL, 0);
}

/* A device that got stuck in its first word begins it anew after a reset. */
static void
test_reset_in_a_message(void)
{
	struct tc_wait w = tc_wait_for(20000);
	struct tc_err err = { 0 };
	struct tc_adb *a = NULL;
	struct peer p;
	pid_t pid;

	peer_init(&p, true);
	pid = fork();
	if (pid == 0) {
		struct tc_adb_head h = { TC_ADB_CNXN, TC_ADB_V1, 4096, 100, 0 };
		struct pollfd pfd = { .fd = p.its, .events = POLLIN };
		uint8_t head[TC_ADB_HEAD], bytes[4096];
		int i;

		close(p.ours);
		tc_adb_head_put(head, &h);
		for (i = 0; i < 6; i++) { /* three heads and three names */
			if (i == 2 && send(p.its, head, sizeof(head), 0) < 0)
				_exit(1);
			poll(&pfd, 1, -1);
			if (recv(p.its, bytes, sizeof(bytes), 0) <= 0)
				_exit(1);
		}
		say_name(&p, TC_ADB_V1, 4096, "x");
		poll(&pfd, 1, 2000);
		_exit(0);
	}
	CHECK_INT(tc_adb_open_wire(&a, packets_open(p.ours), NULL, &w, &err), 0);
	tc_adb_close(a);
	peer_release(&p);
	waitpid(pid, NULL, 0);
}

/* ---- sockets ---- */

static int
option(int fd, int level, int name)
{
	int value = -1;
	socklen_t len = sizeof(value);

	getsockopt(fd, level, name, &value, &len);
	return value;
}

/* A listener of this machine, and where it is. */
static int
listen_here(int backlog, struct sockaddr_in *in)
{
	socklen_t len = sizeof(*in);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	*in = (struct sockaddr_in){ .sin_family = AF_INET };
	in->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (bind(fd, (struct sockaddr *)in, len) < 0 || listen(fd, backlog) < 0 ||
		getsockname(fd, (struct sockaddr *)in, &len) < 0)
		abort();
	return fd;
}

/* A device that vanishes without a word is found out within a quarter of a minute. */
static void
test_keep_alive(void)
{
	struct sockaddr_in in;
	struct tc_wait w = tc_wait_for(3000);
	struct tc_err err = { 0 };
	char port[TC_ADB_PORT];
	int listener, fd;

	listener = listen_here(1, &in);
	snprintf(port, sizeof(port), "%u", (unsigned)ntohs(in.sin_port));
	fd = tc_adb_connect_tcp("127.0.0.1", port, &w, &err);
	if (!CHECK(fd >= 0))
		return;
	CHECK_INT(option(fd, SOL_SOCKET, SO_KEEPALIVE), 1);
	CHECK_INT(option(fd, IPPROTO_TCP, TCP_NODELAY), 1);
#ifdef TCP_KEEPIDLE
	CHECK(option(fd, IPPROTO_TCP, TCP_KEEPIDLE) +
			option(fd, IPPROTO_TCP, TCP_KEEPINTVL) *
				option(fd, IPPROTO_TCP, TCP_KEEPCNT) <=
		15);
#endif
	CHECK_INT(fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
	close(fd);
	close(listener);
}

#ifdef __linux__
/* A host that says nothing to a connection, as one that is switched off. */
static void
test_no_connection(void)
{
	struct sockaddr_in in;
	struct tc_wait w = tc_wait_for(200);
	struct tc_err err = { 0 };
	char port[TC_ADB_PORT];
	int listener, full[3];
	size_t i;

	listener = listen_here(0, &in);
	for (i = 0; i < 3; i++) {
		full[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
		if (connect(full[i], (struct sockaddr *)&in, sizeof(in)) < 0 &&
			errno != EINPROGRESS)
			abort();
	}
	snprintf(port, sizeof(port), "%u", (unsigned)ntohs(in.sin_port));
	CHECK_INT(tc_adb_connect_tcp("127.0.0.1", port, &w, &err), -1);
	CHECK_STR(tc_str_of(tc_err_what(&err)), tc_str_of("timed_out"));
	CHECK_STR(tc_str_of(err.msg), tc_str_of("connect: took too long"));
	for (i = 0; i < 3; i++)
		close(full[i]);
	close(listener);
}
#endif

int
main(void)
{
	/* No keys: those of whoever runs this are none of our business. */
	setenv("HOME", "/dev/null", 1);
	unsetenv("ADB_VENDOR_KEYS");
	test_versions();
	test_first_words();
	test_flood_before_tls();
	test_classic_flow(false);
	test_classic_flow(true);
	test_delayed_flow();
	test_too_much();
	test_flood();
	test_refused();
	test_leftovers();
	test_asked_twice();
	test_reset_in_a_message();
	test_keep_alive();
#ifdef __linux__
	test_no_connection();
#endif
	return check_done();
}
