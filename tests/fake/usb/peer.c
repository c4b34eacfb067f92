/* A device's own side: what its USB controller and its adbd do. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <glib-unix.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fakeusb.h"

enum { HEAD = 24 };

#define CNXN 0x4e584e43u

static uint32_t
get32(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* ---- the connection to fakeadbd ---- */

static gboolean on_peer(int fd, GIOCondition condition, void *ctx);

static void
watch(struct device *d)
{
	GIOCondition wanted = 0;

	if (d->watch)
		g_source_remove(d->watch);
	d->watch = 0;
	if (d->fd < 0)
		return;
	if (d->bytes->len < QUEUE_MAX)
		wanted |= G_IO_IN;
	if (d->to_peer->len)
		wanted |= G_IO_OUT;
	if (wanted)
		d->watch = g_unix_fd_add(d->fd, wanted, on_peer, d);
}

static void
hang_up(struct device *d)
{
	if (d->watch)
		g_source_remove(d->watch);
	d->watch = 0;
	if (d->fd >= 0)
		close(d->fd);
	d->fd = -1;
}

static void
clear(struct device *d)
{
	g_byte_array_set_size(d->to_peer, 0);
	g_byte_array_set_size(d->bytes, 0);
	g_byte_array_set_size(d->head, 0);
	g_queue_clear(&d->segments);
	d->from_peer = 0;
	d->is_garbage = false;
}

void
peer_reset(struct device *d)
{
	hang_up(d);
	clear(d);
	g_byte_array_set_size(d->chunk, 0);
	d->payload = 0;
	d->wants_empty = false;
}

static void
send_run(struct device *d, const void *bytes, size_t len)
{
	if (bytes)
		g_byte_array_append(d->bytes, bytes, (guint)len);
	g_queue_push_tail(&d->segments, GSIZE_TO_POINTER(len));
}

/* What adbd had still to send is dropped, but not what its controller has already. */
static void
start_anew(struct device *d)
{
	size_t n = GPOINTER_TO_SIZE(g_queue_peek_head(&d->segments));
	uint8_t left[SPLIT];

	n = n < d->bytes->len ? n : d->bytes->len;
	n = n < SPLIT ? n : SPLIT;
	if (n)
		memcpy(left, d->bytes->data, n);
	clear(d);
	if (n) {
		note("left %zu", n);
		send_run(d, left, n);
	}
}

static void
connect_peer(struct device *d)
{
	struct sockaddr_in in = { .sin_family = AF_INET };
	int on = 1;

	hang_up(d);
	start_anew(d);
	if (!d->peer)
		return;
	in.sin_port = htons((uint16_t)d->peer);
	in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	d->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (connect(d->fd, (struct sockaddr *)&in, sizeof(in)) < 0)
		g_error("no fakeadbd at port %d", d->peer);
	setsockopt(d->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	fcntl(d->fd, F_SETFL, O_NONBLOCK);
}

/* ---- from the host ---- */

/* 0: it takes this CNXN. */
static bool
is_deaf(struct device *d)
{
	if (d->deaf == 0)
		return false;
	d->deaf -= d->deaf > 0;
	return true;
}

static void
take_head(struct device *d)
{
	const uint8_t *p = d->chunk->data;

	if (d->chunk->len != HEAD || get32(p + 20) != ~get32(p)) {
		violation(d->chunk->len ? "no head" : "an empty packet without reason");
		return;
	}
	d->payload = get32(p + 12);
	if (get32(p) == CNXN) {
		note("connect");
		if (is_deaf(d))
			hang_up(d);
		else
			connect_peer(d);
	}
	if (d->fd >= 0)
		g_byte_array_append(d->to_peer, p, HEAD);
}

/* One read of adbd has ended: by a short packet, or since it asked for no more. */
static void
take_chunk(struct device *d)
{
	uint32_t len = d->chunk->len;

	if (d->wants_empty) {
		if (len)
			violation("no empty packet behind a payload of whole ones");
		d->wants_empty = false;
	} else if (!d->payload) {
		take_head(d);
		d->wants_empty = false;
	} else if (len > d->payload || (len < d->payload && len != SPLIT)) {
		violation("a payload of another length");
	} else {
		d->payload -= len;
		if (d->fd >= 0)
			g_byte_array_append(d->to_peer, d->chunk->data, len);
		/* The last read was as long as it may be: the end comes by itself. */
		d->wants_empty = !d->payload && len == SPLIT;
	}
	g_byte_array_set_size(d->chunk, 0);
}

static void
take(struct device *d, const uint8_t *bytes, size_t len)
{
	bool is_short = len == 0 || len % d->packet;
	size_t n;

	while (len) {
		n = SPLIT - d->chunk->len;
		n = n < len ? n : len;
		g_byte_array_append(d->chunk, bytes, (guint)n);
		bytes += n;
		len -= n;
		if (d->chunk->len == SPLIT)
			take_chunk(d);
	}
	/* A read that such a packet would begin ends with it, empty. */
	if (is_short)
		take_chunk(d);
}

static bool
takes_from_host(const struct device *d)
{
	return d->to_peer->len < QUEUE_MAX && (d->stuck < 0 || d->sent < d->stuck);
}

static void
run_out(struct device *d)
{
	struct urb *u;

	while (d->number && takes_from_host(d) && (u = g_queue_pop_head(&d->out))) {
		note(u->u->buffer_length ? "out" : "empty");
		take(d, u->buffer ? u->buffer->data : NULL, (size_t)u->u->buffer_length);
		u->done = u->u->buffer_length;
		bus_end(d, u, 0);
	}
}

/* ---- to the host ---- */

/* What somebody before has left in the controller: packets of all lengths. */
static void
leave_junk(struct device *d)
{
	uint8_t junk[1024];
	int i;

	memset(junk, 'j', sizeof(junk));
	for (i = 0; i < d->junk; i++)
		send_run(d, junk, i % 3 == 0 ? d->packet : i % 3 == 1 ? HEAD : 7);
	d->junk = 0;
}

/* CNXN, or AUTH with a token, whom nobody was there to read any more. */
static void
leave_word(struct device *d)
{
	const uint8_t rest[20] = "device::features=old";
	const uint32_t head[6] = { d->old_word, d->old_word == CNXN ? 0x01000001 : 1,
		d->old_word == CNXN ? 1 << 20 : 0, sizeof(rest), 0, ~d->old_word };
	uint8_t bytes[HEAD];
	size_t i;

	for (i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(head[i / 4] >> 8 * (i % 4));
	send_run(d, bytes, sizeof(bytes));
	send_run(d, rest, sizeof(rest));
	d->old_word = 0;
}

/* Cuts what the peer says into heads and payloads; what is neither goes on as it is. */
static void
cut(struct device *d, const uint8_t *bytes, size_t len)
{
	size_t n;

	while (len && !d->is_garbage) {
		if (d->from_peer) {
			n = d->from_peer < len ? d->from_peer : len;
			g_byte_array_append(d->bytes, bytes, (guint)n);
			d->from_peer -= (uint32_t)n;
		} else {
			n = HEAD - d->head->len < len ? HEAD - d->head->len : len;
			g_byte_array_append(d->head, bytes, (guint)n);
		}
		bytes += n;
		len -= n;
		if (d->head->len < HEAD)
			continue;
		send_run(d, d->head->data, HEAD);
		d->from_peer = get32(d->head->data + 12);
		d->is_garbage = get32(d->head->data + 20) != ~get32(d->head->data);
		if (d->from_peer && !d->is_garbage)
			send_run(d, NULL, d->from_peer);
		g_byte_array_set_size(d->head, 0);
	}
	if (len)
		send_run(d, bytes, len);
}

static void
exchange(struct device *d, int fd, GIOCondition condition)
{
	static uint8_t buf[256 * 1024];
	ssize_t n = 0;

	if (condition & G_IO_OUT) {
		n = send(fd, d->to_peer->data, d->to_peer->len, MSG_NOSIGNAL);
		if (n > 0)
			g_byte_array_remove_range(d->to_peer, 0, (guint)n);
	}
	if (condition & ~G_IO_OUT) {
		n = recv(fd, buf, sizeof(buf), 0);
		/* adbd has ended: its interface goes with it. */
		if (n == 0 || (n < 0 && errno != EAGAIN)) {
			bus_unplug(d);
			return;
		}
		if (n > 0)
			cut(d, buf, (size_t)n);
	}
	peer_run(d);
}

/* One that was called off meanwhile says nothing any more. */
static gboolean
on_peer(int fd, GIOCondition condition, void *ctx)
{
	struct device *d = ctx;

	g_rec_mutex_lock(&all_lock);
	if (d->watch == g_source_get_id(g_main_current_source())) {
		d->watch = 0;
		exchange(d, fd, condition);
	}
	g_rec_mutex_unlock(&all_lock);
	return G_SOURCE_REMOVE;
}

static bool
is_due(int64_t *fault, const struct device *d)
{
	if (*fault < 0 || d->sent < *fault)
		return false;
	*fault = -1;
	return true;
}

/* The first run of packets ends early: what is behind it comes as the next. */
static void
cut_run(struct device *d, size_t left)
{
	size_t all = GPOINTER_TO_SIZE(g_queue_peek_head(&d->segments));

	if (all <= left)
		return;
	d->segments.head->data = GSIZE_TO_POINTER(left);
	g_queue_push_nth(&d->segments, GSIZE_TO_POINTER(all - left), 1);
}

/* False when the device has gone. */
static bool
do_faults(struct device *d, struct urb *u)
{
	size_t run = GPOINTER_TO_SIZE(g_queue_peek_head(&d->segments));

	if (is_due(&d->unplug, d)) {
		bus_unplug(d);
		return false;
	}
	if (is_due(&d->stall, d)) {
		bus_end(d, g_queue_pop_head(&d->in), -EPIPE);
		return false;
	}
	if (is_due(&d->fail, d)) {
		bus_end(d, g_queue_pop_head(&d->in), -EPROTO);
		return false;
	}
	if (u->done == 0 && run == HEAD && is_due(&d->cut_head, d))
		cut_run(d, 10);
	if (run > HEAD && is_due(&d->cut_payload, d))
		cut_run(d, 100);
	return true;
}

/* One packet: false when there is none, or no room for it. */
static bool
give_packet(struct device *d, struct urb *u)
{
	size_t run = GPOINTER_TO_SIZE(g_queue_peek_head(&d->segments));
	size_t len = run < d->packet ? run : d->packet;
	bool is_short = len < d->packet;

	if (g_queue_is_empty(&d->segments) || d->bytes->len < len)
		return false;
	if ((size_t)(u->u->buffer_length - u->done) < len) {
		bus_end(d, g_queue_pop_head(&d->in), -EOVERFLOW);
		return false;
	}
	umockdev_ioctl_data_update(u->buffer, (gsize)u->done, d->bytes->data, (gint)len);
	g_byte_array_remove_range(d->bytes, 0, (guint)len);
	u->done += (int)len;
	if (run != HEAD)
		d->sent += (int64_t)len;
	if (run == len)
		g_queue_pop_head(&d->segments);
	else
		d->segments.head->data = GSIZE_TO_POINTER(run - len);
	if (is_short || u->done == u->u->buffer_length) {
		bus_end(d, g_queue_pop_head(&d->in), 0);
		return false;
	}
	return true;
}

static void
run_in(struct device *d)
{
	struct urb *u = NULL, *last;

	do {
		last = u;
		u = g_queue_peek_head(&d->in);
		if (!u || u == last)
			return;
		while (do_faults(d, u) && give_packet(d, u))
			;
	} while (d->number);
}

void
peer_run(struct device *d)
{
	if (!d->number)
		return;
	if (d->junk && !g_queue_is_empty(&d->in))
		leave_junk(d);
	if (d->old_word && !g_queue_is_empty(&d->in))
		leave_word(d);
	run_out(d);
	run_in(d);
	if (d->number)
		watch(d);
}
