/* What the caller's thread and that of libusb hand each other. */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "usb/priv.h"

void
tc_usb_put(struct tc_usb_queue *q, struct tc_usb_piece *piece)
{
	if (!piece)
		return;
	piece->next = NULL;
	if (q->first)
		q->last->next = piece;
	else
		q->first = piece;
	q->last = piece;
}

struct tc_usb_piece *
tc_usb_get(struct tc_usb_queue *q)
{
	struct tc_usb_piece *piece = q->first;

	if (piece)
		q->first = piece->next;
	return piece;
}

/* At most one byte is in the pipe, so this never waits. */
void
tc_usb_signal(struct tc_usb *u)
{
	ssize_t n;

	if (u->is_signalled)
		return;
	do
		n = write(u->fds[1], "", 1);
	while (n < 0 && errno == EINTR);
	u->is_signalled = n == 1;
}

/* Nothing can be done now: the next signal is of something new. With the lock. */
static void
rest(struct tc_usb *u)
{
	char byte;
	ssize_t n;

	if (!u->is_signalled)
		return;
	do
		n = read(u->fds[0], &byte, 1);
	while (n < 0 && errno == EINTR);
	u->is_signalled = false;
}

void
tc_usb_wake(struct tc_usb *u)
{
	libusb_interrupt_event_handler(u->context);
}

int
tc_usb_fd(const struct tc_usb *u)
{
	return u->fds[0];
}

/* ---- received ---- */

size_t
tc_usb_peek(const struct tc_usb *u, const uint8_t **bytes)
{
	if (!u->shown)
		return 0;
	*bytes = u->shown->bytes + u->shown->pos;
	return u->shown->len - u->shown->pos;
}

void
tc_usb_eat(struct tc_usb *u, size_t n)
{
	struct tc_usb_piece *piece = u->shown;
	bool is_wanted;

	if (!n)
		return;
	piece->pos += n;
	if (piece->pos < piece->len)
		return;
	u->shown = NULL;
	pthread_mutex_lock(&u->lock);
	tc_usb_put(piece->is_head ? &u->free_heads : &u->free_pieces, piece);
	is_wanted = u->wants_piece;
	u->wants_piece = false;
	pthread_mutex_unlock(&u->lock);
	if (is_wanted)
		tc_usb_wake(u);
}

int
tc_usb_fill(struct tc_usb *u, struct tc_err *err)
{
	int r = 1;

	if (u->shown)
		return 1;
	pthread_mutex_lock(&u->lock);
	u->shown = tc_usb_get(&u->ready);
	if (!u->shown && u->is_lost) {
		*err = u->why;
		r = -1;
	} else if (!u->shown) {
		/* Nothing to receive, but there may be news for who wants to send. */
		if (!u->has_room)
			rest(u);
		u->has_room = false;
		r = 0;
	}
	pthread_mutex_unlock(&u->lock);
	return r;
}

/* ---- to be sent ---- */

void
tc_usb_message_free(struct tc_usb_message *m)
{
	if (!m)
		return;
	free(m->payload);
	free(m);
}

struct tc_usb_message *
tc_usb_next_message(struct tc_usb *u)
{
	struct tc_usb_message *m = u->waiting;

	if (!m)
		return NULL;
	u->waiting = m->next;
	if (!u->waiting)
		u->waiting_end = &u->waiting;
	return m;
}

static size_t
at_most(size_t n, size_t most)
{
	return n < most ? n : most;
}

/* Copies to the message what is its own of these bytes: how many. */
static size_t
add(struct tc_usb_message *m, const uint8_t *bytes, size_t len)
{
	size_t n, done = 0;

	if (m->have < TC_USB_HEAD) {
		done = at_most(len, TC_USB_HEAD - m->have);
		memcpy(m->head + m->have, bytes, done);
		m->have += done;
		if (m->have < TC_USB_HEAD)
			return done;
		m->len = tc_usb_get32(m->head + 12);
		assert(m->len <= TC_USB_PAYLOAD_MAX);
		m->payload = m->len ? tc_mem_alloc(m->len) : NULL;
	}
	n = at_most(len - done, TC_USB_HEAD + m->len - m->have);
	if (n)
		memcpy(m->payload + (m->have - TC_USB_HEAD), bytes + done, n);
	m->have += n;
	return done + n;
}

/* The message is whole: it goes to the thread. */
static void
hand_over(struct tc_usb *u)
{
	struct tc_usb_message *m = u->partial;

	u->partial = NULL;
	pthread_mutex_lock(&u->lock);
	*u->waiting_end = m;
	u->waiting_end = &m->next;
	u->waiting_bytes += m->have;
	pthread_mutex_unlock(&u->lock);
	tc_usb_wake(u);
}

/* 1: another message may be begun; 0: not now; -1. */
static int
has_room(struct tc_usb *u, struct tc_err *err)
{
	int r = 1;

	pthread_mutex_lock(&u->lock);
	if (u->is_lost) {
		*err = u->why;
		r = -1;
	} else if (u->waiting_bytes >= TC_USB_OUT_MAX) {
		u->wants_room = true;
		u->has_room = false;
		rest(u);
		r = 0;
	}
	pthread_mutex_unlock(&u->lock);
	return r;
}

ssize_t
tc_usb_send(struct tc_usb *u, const struct iovec *iov, int count, struct tc_err *err)
{
	const uint8_t *p;
	size_t left, n;
	ssize_t done = 0;
	int i, r;

	for (i = 0; i < count; i++) {
		p = iov[i].iov_base;
		for (left = iov[i].iov_len; left; left -= n) {
			r = u->partial ? 1 : has_room(u, err);
			if (r <= 0)
				return done ? done : r;
			if (!u->partial) {
				u->partial = tc_mem_calloc(1, sizeof(*u->partial));
				u->partial->u = u;
			}
			n = add(u->partial, p, left);
			p += n;
			done += (ssize_t)n;
			if (u->partial->have >= TC_USB_HEAD &&
				u->partial->have == TC_USB_HEAD + u->partial->len)
				hand_over(u);
		}
	}
	return done;
}

void
tc_usb_reset(struct tc_usb *u)
{
	struct tc_usb_message *m;

	pthread_mutex_lock(&u->lock);
	while ((m = tc_usb_next_message(u))) {
		u->waiting_bytes -= m->have;
		tc_usb_message_free(m);
	}
	u->wants_reset = true;
	pthread_mutex_unlock(&u->lock);
	tc_usb_wake(u);
}
