/* What the thread of a device runs: its transfers. */
#include <string.h>

#include "usb/priv.h"

enum {
	SMALLEST = 16 * 1024, /* the kernel takes transfers in such parts anyway */
	FLYING_OUT = 1 << 20, /* bytes: with received ones under 4 MiB of its memory */
	FLIGHTS_OUT = TC_USB_FLIGHTS - TC_USB_PIECES - 2,
	SEND_MS = 5 * 1000,   /* for one transfer that goes out */
	LEFT_MS = 50,         /* for what is left over, which is there already */
	LAST_MS = 1000,       /* for all that waits to be sent when all ends */
	RETURN_MS = 3 * 1000, /* for a device to be back after a reset */
	BETWEEN_MS = 100,
	IDLE_MS = 60 * 1000
};

#define CNXN 0x4e584e43u
#define AUTH 0x48545541u
#define STLS 0x534c5453u

static const char no_message[] = "what the device sent is no message of adb";

/* ---- an end ---- */

static void
cancel_all(struct tc_usb *u)
{
	int i;

	for (i = 0; i < u->flying; i++)
		libusb_cancel_transfer(u->flights[i]);
}

/* What was received before is still good. */
static void
lose(struct tc_usb *u, const struct tc_err *why)
{
	pthread_mutex_lock(&u->lock);
	if (!u->is_lost) {
		u->why = *why;
		u->is_lost = true;
		tc_usb_signal(u);
	}
	pthread_mutex_unlock(&u->lock);
	cancel_all(u);
}

static void
lose_to_protocol(struct tc_usb *u, const char *what)
{
	struct tc_err why;

	tc_err_named(&why, TC_PROTOCOL, "protocol", "%s", what);
	lose(u, &why);
}

static void
lose_device(struct tc_usb *u, const char *reason)
{
	struct tc_err why;

	tc_usb_gone(&why, reason);
	lose(u, &why);
}

static void
lose_to_error(struct tc_usb *u, int code)
{
	struct tc_err why;

	tc_usb_failed(code, "USB", &why);
	lose(u, &why);
}

/* A transfer ended otherwise than with all that was wanted, or by us. */
static void
lose_transfer(struct tc_usb *u, const struct libusb_transfer *t)
{
	switch (t->status) {
	case LIBUSB_TRANSFER_CANCELLED: break;
	case LIBUSB_TRANSFER_NO_DEVICE: lose_device(u, ""); break;
	case LIBUSB_TRANSFER_STALL:
		lose_device(u, ": it has halted the connection");
		break;
	case LIBUSB_TRANSFER_TIMED_OUT: lose_device(u, ": it takes no more bytes"); break;
	case LIBUSB_TRANSFER_OVERFLOW: lose_to_protocol(u, no_message); break;
	case LIBUSB_TRANSFER_COMPLETED:
	case LIBUSB_TRANSFER_ERROR:
	default: lose_device(u, ": a transfer failed (cable or hub?)");
	}
}

static void
took_off(struct tc_usb *u, struct libusb_transfer *t)
{
	u->flights[u->flying++] = t;
}

static void
landed(struct tc_usb *u, const struct libusb_transfer *t)
{
	int i = 0;

	while (u->flights[i] != t)
		i++;
	u->flights[i] = u->flights[--u->flying];
}

/*
 * libusb did not take a transfer: true when it may take one with fewer bytes. When
 * the system has no memory even for that, others have to end before.
 */
static bool
may_be_smaller(struct tc_usb *u, int code, size_t *most)
{
	if (code == LIBUSB_ERROR_NO_MEM && *most > SMALLEST) {
		*most /= 2;
		return true;
	}
	if (code == LIBUSB_ERROR_NO_MEM && u->flying)
		u->is_short = true;
	else
		lose_to_error(u, code);
	return false;
}

/* ---- in ---- */

static void
put_back(struct tc_usb *u, struct tc_usb_piece *piece)
{
	pthread_mutex_lock(&u->lock);
	tc_usb_put(piece->is_head ? &u->free_heads : &u->free_pieces, piece);
	pthread_mutex_unlock(&u->lock);
}

static void
show(struct tc_usb *u, struct tc_usb_piece *piece)
{
	pthread_mutex_lock(&u->lock);
	tc_usb_put(&u->ready, piece);
	tc_usb_signal(u);
	pthread_mutex_unlock(&u->lock);
}

static bool
is_first_word(const struct tc_usb_piece *piece)
{
	const uint8_t *p = piece->bytes;
	uint32_t command;

	if (piece->len != TC_USB_HEAD)
		return false;
	command = tc_usb_get32(p);
	return (command == CNXN || command == AUTH || command == STLS) &&
		tc_usb_get32(p + 20) == ~command;
}

/*
 * What was left over comes in packets that are no first words, heads and payloads
 * alike. Later, what is no head at all, or a length beyond reason, is told by
 * whoever reads it: nothing is read behind that.
 */
static void
take_head(struct tc_usb *u, struct tc_usb_piece *piece)
{
	uint32_t len;

	u->is_known = u->is_known || (u->is_open && is_first_word(piece));
	if (!u->is_known) {
		put_back(u, piece);
		return;
	}
	if (piece->len != TC_USB_HEAD) {
		put_back(u, piece);
		lose_to_protocol(u, no_message);
		return;
	}
	len = tc_usb_get32(piece->bytes + 12);
	u->to_read = len <= TC_USB_PAYLOAD_MAX ? len : 0;
	show(u, piece);
}

static void LIBUSB_CALL
has_received(struct libusb_transfer *t)
{
	struct tc_usb_piece *piece = t->user_data;
	struct tc_usb *u = piece->u;
	bool is_junk = t->status == LIBUSB_TRANSFER_OVERFLOW && !u->is_known;

	landed(u, t);
	if (piece->is_head)
		u->is_reading = false;
	piece->pos = 0;
	piece->len = is_junk ? 0 : (size_t)t->actual_length;
	if (t->status != LIBUSB_TRANSFER_COMPLETED && !is_junk) {
		put_back(u, piece);
		lose_transfer(u, t);
	} else if (piece->is_head)
		take_head(u, piece);
	else if (piece->len == piece->want)
		show(u, piece);
	else {
		put_back(u, piece);
		lose_to_protocol(
			u, "the device broke the protocol: a payload is too short");
	}
}

static struct tc_usb_piece *
free_piece(struct tc_usb *u, bool is_head)
{
	struct tc_usb_piece *piece;

	pthread_mutex_lock(&u->lock);
	piece = u->is_lost ? NULL
			   : tc_usb_get(is_head ? &u->free_heads : &u->free_pieces);
	u->wants_piece = !piece;
	pthread_mutex_unlock(&u->lock);
	return piece;
}

/*
 * Asks for whole packets, as many as the bytes take: less would be an error when
 * more comes, and more would wait for what comes after them. 0, or what libusb says.
 */
static int
submit_piece(struct tc_usb *u, struct tc_usb_piece *piece)
{
	size_t packet = u->place.in_packet;
	size_t size = (piece->want + packet - 1) / packet * packet;
	int r;

	libusb_fill_bulk_transfer(piece->transfer, u->handle, u->place.in, piece->bytes,
		(int)size, has_received, piece, 0);
	r = libusb_submit_transfer(piece->transfer);
	if (r == 0)
		took_off(u, piece->transfer);
	return r;
}

/* How many bytes are asked for then, 0 when that has to wait. */
static size_t
ask(struct tc_usb *u, size_t len, bool is_head)
{
	struct tc_usb_piece *piece = free_piece(u, is_head);
	int r;

	if (!piece)
		return 0;
	piece->is_head = is_head;
	do {
		piece->want = len < u->in_max ? len : u->in_max;
		r = submit_piece(u, piece);
		if (r == 0)
			return piece->want;
	} while (may_be_smaller(u, r, &u->in_max));
	put_back(u, piece);
	return 0;
}

/* A payload as far as there is room for it, and behind all of it the next head. */
static void
receive(struct tc_usb *u)
{
	size_t n;

	while (u->to_read) {
		n = ask(u, u->to_read, false);
		if (!n)
			return;
		u->to_read -= (uint32_t)n;
	}
	if (!u->is_reading)
		u->is_reading = ask(u, TC_USB_HEAD, true) > 0;
}

/* ---- out ---- */

static void
is_sent(struct tc_usb *u, struct tc_usb_message *m)
{
	pthread_mutex_lock(&u->lock);
	u->waiting_bytes -= m->have;
	if (u->wants_room && u->waiting_bytes < TC_USB_OUT_MAX) {
		u->wants_room = false;
		u->has_room = true;
		tc_usb_signal(u);
	}
	pthread_mutex_unlock(&u->lock);
	tc_usb_message_free(m);
}

static void LIBUSB_CALL
has_sent(struct libusb_transfer *t)
{
	struct tc_usb_message *m = t->user_data;
	struct tc_usb *u = m->u;

	landed(u, t);
	u->flying_out -= (size_t)t->length;
	m->flying--;
	if (t->status != LIBUSB_TRANSFER_COMPLETED || t->actual_length != t->length)
		lose_transfer(u, t);
	libusb_free_transfer(t);
	if (m->is_ended && !m->flying)
		is_sent(u, m);
}

/* Of a message: its head, some of its payload, or its empty packet. */
static int
submit_part(struct tc_usb *u, struct tc_usb_message *m, size_t *len)
{
	struct libusb_transfer *t = libusb_alloc_transfer(0);
	size_t left = TC_USB_HEAD + m->len - m->sent;
	uint8_t *p = m->head;
	int r;

	if (!t)
		return LIBUSB_ERROR_NO_MEM;
	*len = m->sent == 0 ? TC_USB_HEAD : left < u->out_max ? left : u->out_max;
	if (m->sent && left)
		p = m->payload + (m->sent - TC_USB_HEAD);
	/* A device that has said nothing yet is given the time that its user has. */
	libusb_fill_bulk_transfer(t, u->handle, u->place.out, p, (int)*len, has_sent, m,
		u->is_known ? SEND_MS : 0);
	r = libusb_submit_transfer(t);
	if (r < 0)
		libusb_free_transfer(t);
	else
		took_off(u, t);
	return r;
}

/* The next transfer of a message; false when that has to wait. */
static bool
submit(struct tc_usb *u, struct tc_usb_message *m)
{
	size_t n;
	int r;

	do
		r = submit_part(u, m, &n);
	while (r < 0 && may_be_smaller(u, r, &u->out_max));
	if (r < 0)
		return false;
	u->flying_out += n;
	m->flying++;
	m->sent += n;
	/* Nothing but whole packets has no end before an empty one. */
	m->is_ended = m->sent == TC_USB_HEAD + m->len &&
		(n == 0 || m->len == 0 || m->len % u->place.out_packet != 0);
	return true;
}

/* A message that waits, when nothing has to happen before. */
static struct tc_usb_message *
next_message(struct tc_usb *u)
{
	struct tc_usb_message *m = NULL;

	pthread_mutex_lock(&u->lock);
	if (!u->is_lost && !u->wants_reset)
		m = tc_usb_next_message(u);
	pthread_mutex_unlock(&u->lock);
	return m;
}

static int
flights_out(const struct tc_usb *u)
{
	int i, n = 0;

	for (i = 0; i < u->flying; i++)
		n += u->flights[i]->endpoint == u->place.out;
	return n;
}

static void
transmit(struct tc_usb *u)
{
	while (flights_out(u) < FLIGHTS_OUT && u->flying_out < FLYING_OUT) {
		if (!u->sending)
			u->sending = next_message(u);
		if (!u->sending || u->is_lost || !submit(u, u->sending))
			return;
		if (u->sending->is_ended)
			u->sending = NULL;
	}
}

/* ---- reset ---- */

static void
turn(struct tc_usb *u, int64_t ms)
{
	struct timeval tv = { ms / 1000, ms % 1000 * 1000 };
	struct tc_wait nap = tc_wait_for(0);
	struct tc_err err;
	int r = libusb_handle_events_timeout_completed(u->context, &tv, NULL);

	/* It should not fail; if it does, then not in a busy loop. */
	if (r < 0 && r != LIBUSB_ERROR_INTERRUPTED)
		tc_wait_sleep(BETWEEN_MS, &nap, &err);
}

static void
land_all(struct tc_usb *u)
{
	cancel_all(u);
	while (u->flying)
		turn(u, IDLE_MS);
}

/* The reset made another device of it, at the same port. */
static int
find_again(struct tc_usb *u)
{
	struct tc_usb_places places = { 0 };
	struct tc_err err;
	size_t i;
	int r = LIBUSB_ERROR_NO_DEVICE;

	if (tc_usb_look(u->context, &places, &err) < 0)
		return r;
	for (i = 0; i < places.count; i++) {
		if (strcmp(places.list[i].port, u->place.port) != 0)
			continue;
		r = tc_usb_claim(&places.list[i], &u->handle);
		if (r == 0) {
			libusb_unref_device(u->place.device);
			u->place = places.list[i];
			libusb_ref_device(u->place.device);
		}
	}
	tc_usb_places_release(&places);
	return r;
}

static int
claim_again(struct tc_usb *u)
{
	int64_t until_ns = tc_wait_for(RETURN_MS).until_ns;
	int r;

	libusb_close(u->handle);
	u->handle = NULL;
	while ((r = find_again(u)) < 0 && tc_wait_now() < until_ns)
		turn(u, BETWEEN_MS);
	return r;
}

static void
reset(struct tc_usb *u)
{
	int r;

	land_all(u);
	if (u->sending)
		is_sent(u, u->sending);
	u->sending = NULL;
	u->is_known = false;
	u->to_read = 0;
	r = libusb_reset_device(u->handle);
	if (r == LIBUSB_ERROR_NOT_FOUND || r == LIBUSB_ERROR_NO_DEVICE)
		r = claim_again(u);
	else if (r == 0)
		r = tc_usb_prepare(&u->place, u->handle);
	if (r < 0)
		lose_to_error(u, r);
}

/* ---- all of it ---- */

/*
 * A first word may be left over, too: of a device that took long, or whose user did,
 * when nobody waited any more. It comes at once, and what comes then is not for us.
 */
static void
pass_over(struct tc_usb *u)
{
	int64_t until_ns = tc_wait_for(LEFT_MS).until_ns, left_ns;

	while (!u->is_lost && (left_ns = until_ns - tc_wait_now()) > 0) {
		receive(u);
		turn(u, left_ns / 1000000 + 1);
	}
	u->is_open = true;
}

static bool
takes(struct tc_usb *u, bool *flag)
{
	bool was;

	pthread_mutex_lock(&u->lock);
	was = *flag;
	*flag = false;
	pthread_mutex_unlock(&u->lock);
	return was;
}

static bool
has_to_send(struct tc_usb *u)
{
	bool has;

	pthread_mutex_lock(&u->lock);
	has = !u->is_lost && (u->waiting || u->sending || u->flying_out);
	pthread_mutex_unlock(&u->lock);
	return has;
}

/* What waits is sent, so that the device knows that its streams have ended. */
static void
finish(struct tc_usb *u)
{
	int64_t until_ns = tc_wait_for(LAST_MS).until_ns, left_ns;
	struct tc_usb_message *m;

	while (has_to_send(u) && (left_ns = until_ns - tc_wait_now()) > 0) {
		receive(u);
		transmit(u);
		turn(u, left_ns / 1000000 + 1);
	}
	land_all(u);
	tc_usb_message_free(u->sending);
	while ((m = tc_usb_next_message(u)))
		tc_usb_message_free(m);
}

void *
tc_usb_run(void *ctx)
{
	struct tc_usb *u = ctx;

	pass_over(u);
	while (!takes(u, &u->is_stopped)) {
		if (takes(u, &u->wants_reset) && !u->is_lost)
			reset(u);
		u->is_short = false;
		receive(u);
		transmit(u);
		turn(u, u->is_short ? BETWEEN_MS : IDLE_MS);
	}
	finish(u);
	return NULL;
}
