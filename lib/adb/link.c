/*
 * Straight to adbd: one connection, with messages of all streams on it.
 *
 * Whoever waits for a stream reads the messages of all. What comes for the
 * stream that is waited for is shown where it was received; what comes for
 * others is put aside. That is bounded: a stream is granted a message or a
 * window at a time, and no more before those bytes are used.
 */
#include <stdlib.h>
#include <string.h>

#include "adb/priv.h"
#include "err/err.h"

enum {
	OUT_MAX = 2 << 20,      /* with that much to be sent, nothing more is read */
	WINDOW = 8 << 20,       /* that a stream is granted with delayed_ack */
	ACK_BYTES = 256 * 1024, /* used before they are acknowledged, then */
	HELLO_MS = 10 * 1000,   /* for a word from the device */
	AGAIN_MS = 2000,        /* a wire with leftovers may have eaten the first CNXN */
	RESET_MS = 3000,        /* and so long after the second, something is stuck */
	EFFORT_MAX = 4096,      /* without a wait, before a look at the time */
	EFFORT_OF_TURN = 64,    /* as much as that of so many messages */
	LAST_MS = 1000          /* for the rest of a message when all ends */
};

static const char hello[] = "host::features=shell_v2,cmd,stat_v2,ls_v2,fixed_push_mkdir,"
			    "fixed_push_symlink_timestamp,delayed_ack";

struct stream {
	struct tc_adb_stream base;
	struct stream *next;
	uint32_t id, peer; /* peer 0: not accepted yet */
	bool ended;        /* by the device */
	bool owes_okay, may_send;
	int64_t window; /* bytes that may be sent, with delayed_ack */
	uint32_t used;  /* bytes not acknowledged yet, likewise */
	struct tc_adb_buf in;
};

struct link {
	struct tc_adb base;
	struct tc_adb_wire *wire; /* owned */
	bool is_online, sums, delayed;
	bool wants_tls, is_secure;
	struct tc_adb_auth auth;
	bool has_spare; /* its first word may come once more: it was asked for twice */
	uint32_t max_payload, last_id;
	struct stream *streams;

	/* The message that was begun, as far as its head is known. */
	struct tc_adb_head head;
	bool has_head;
	struct stream *to; /* whose payload it is that comes; NULL: nobody's */
	uint32_t left;     /* of that payload */

	/*
	 * What waits to be sent; while a payload is on its way, what has to
	 * come behind it.
	 */
	struct tc_adb_buf out, behind;
	bool in_payload;

	unsigned effort; /* in messages, since we last waited or had something to show */
	bool is_lost, is_spoiled;
	struct tc_err why;
};

static struct stream *
of(struct tc_adb_stream *s)
{
	return (struct stream *)s;
}

static struct link *
link_of(const struct tc_adb_stream *s)
{
	return (struct link *)s->a;
}

/*
 * Nothing comes or goes any more: keeps why. What was received before is still
 * good: a device that reboots may have said how a command ended.
 */
static int
lose(struct link *l, const struct tc_err *err)
{
	if (!l->is_lost)
		l->why = *err;
	l->is_lost = true;
	l->out.pos = l->out.len = 0;
	return -1;
}

/* Nor does what was received mean anything. */
static int
spoil(struct link *l, const struct tc_err *err)
{
	l->is_spoiled = true;
	l->left = 0;
	return lose(l, err);
}

static int
bad(struct link *l, struct tc_err *err, const char *what)
{
	tc_err_named(
		err, TC_PROTOCOL, "protocol", "the device broke the protocol: %s", what);
	return spoil(l, err);
}

/* ---- out ---- */

/* Sends what waits, as far as that goes now. */
static void
flush(struct link *l)
{
	struct iovec iov;
	struct tc_err err;
	ssize_t n;

	while (l->out.len) {
		iov = (struct iovec){ l->out.p + l->out.pos, l->out.len - l->out.pos };
		n = l->wire->ops->send(l->wire, &iov, 1, &err);
		if (n < 0)
			lose(l, &err);
		if (n <= 0)
			return;
		tc_adb_buf_eat(&l->out, (size_t)n);
	}
}

/* Its sum covers a payload that follows separately, too. */
static void
put_head(struct link *l, struct tc_adb_buf *b, uint32_t command, uint32_t arg0,
	uint32_t arg1, const void *payload, size_t len)
{
	struct tc_adb_head h = { command, arg0, arg1, (uint32_t)len, 0 };
	uint8_t head[TC_ADB_HEAD];

	if (l->sums)
		h.check = tc_adb_sum(payload, len);
	tc_adb_head_put(head, &h);
	tc_adb_buf_put(b, head, sizeof(head));
}

/* A message that is small enough to wait in memory. */
static void
post(struct link *l, uint32_t command, uint32_t arg0, uint32_t arg1, const void *payload,
	size_t len)
{
	struct tc_adb_buf *b = l->in_payload ? &l->behind : &l->out;

	if (l->is_lost)
		return;
	put_head(l, b, command, arg0, arg1, payload, len);
	tc_adb_buf_put(b, payload, len);
	if (!l->in_payload)
		flush(l);
}

/* Bytes of the stream were used: the device may send as many again. */
static void
acknowledge(struct link *l, const struct stream *s, uint32_t bytes)
{
	uint8_t count[4];

	tc_adb_put32(count, bytes);
	post(l, TC_ADB_OKAY, s->id, s->peer, count, l->delayed ? sizeof(count) : 0);
}

/* ---- in: messages ---- */

static struct stream *
find(struct link *l, uint32_t id)
{
	struct stream *s = l->streams;

	while (s && s->id != id)
		s = s->next;
	return s;
}

static int
on_connect(struct link *l, const struct tc_adb_head *h, const uint8_t *payload,
	struct tc_err *err)
{
	if (l->is_online && l->has_spare) {
		l->has_spare = false;
		return 0;
	}
	if (l->is_online)
		return bad(l, err, "it connected a second time");
	tc_adb_banner(&l->base, (const char *)payload, h->len);
	l->max_payload = h->arg1 < TC_ADB_MAX_PAYLOAD ? h->arg1 : TC_ADB_MAX_PAYLOAD;
	if (l->max_payload < TC_ADB_MIN_PAYLOAD)
		return bad(l, err, "it takes fewer than 4096 bytes at once");
	if (!*tc_adb_state(&l->base))
		return bad(l, err, "it does not say what it is");
	l->sums = h->arg0 < TC_ADB_V1;
	l->delayed = tc_adb_has(&l->base, "delayed_ack");
	l->is_online = true;
	return 0;
}

/* The device accepts a stream, or more bytes on one. */
static int
on_okay(struct link *l, const struct tc_adb_head *h, const uint8_t *payload,
	struct tc_err *err)
{
	struct stream *s = find(l, h->arg1);

	/* Of a stream that was given up: the device is to end it. */
	if (!s) {
		post(l, TC_ADB_CLSE, h->arg1, h->arg0, NULL, 0);
		return 0;
	}
	if (!h->arg0)
		return bad(l, err, "it accepts a stream without an id");
	if (!s->peer)
		s->peer = h->arg0;
	if (s->peer != h->arg0)
		return 0;
	s->may_send = true;
	if (l->delayed && h->len != 4)
		return bad(l, err, "it acknowledges without a count");
	if (l->delayed)
		s->window += (int32_t)tc_adb_get32(payload);
	return 0;
}

static void
on_close(struct link *l, const struct tc_adb_head *h)
{
	struct stream *s = find(l, h->arg1);

	if (!s || s->ended || (h->arg0 && s->peer && s->peer != h->arg0))
		return;
	s->ended = true;
	if (s->peer)
		post(l, TC_ADB_CLSE, s->id, s->peer, NULL, 0);
}

/* Bytes begin to come. They can be put aside, so the next may follow at once. */
static int
on_write(struct link *l, const struct tc_adb_head *h, struct tc_err *err)
{
	struct stream *s = find(l, h->arg1);
	size_t held = s ? s->in.len - s->in.pos : 0;

	l->left = h->len;
	l->to = s && s->peer && s->peer == h->arg0 && !s->ended ? s : NULL;
	if (!l->to)
		return 0;
	if (l->delayed ? held > WINDOW : held && s->owes_okay)
		return bad(l, err, "it sends more than it may");
	if (l->delayed)
		return 0;
	s->owes_okay = held > 0;
	if (!held)
		acknowledge(l, s, 0);
	return 0;
}

/* After TLS has said who we are, it asks in vain, as it does online. */
static int
on_auth(struct link *l, const struct tc_adb_head *h, const uint8_t *payload,
	struct tc_err *err)
{
	struct tc_adb_answer answer;

	if (l->is_online || l->is_secure)
		return 0;
	if (h->arg0 != TC_ADB_AUTH_TOKEN || h->len != TC_ADB_TOKEN)
		return bad(l, err, "it does not ask for a key as adbd does");
	/* It may be asking anew because we did. */
	if (l->has_spare && l->auth.tokens == 1)
		l->auth.next = 0;
	if (tc_adb_auth_answer(&l->auth, payload, &answer, err) < 0)
		return spoil(l, err);
	post(l, TC_ADB_AUTH, answer.type, 0, answer.bytes, answer.len);
	return 0;
}

static int
on_tls(struct link *l, struct tc_err *err)
{
	if (l->is_online || l->is_secure || !l->wire->ops->secure)
		return bad(l, err, "it wants TLS where there is none");
	post(l, TC_ADB_STLS, TC_ADB_TLS_VERSION, 0, NULL, 0);
	l->wants_tls = true;
	return 0;
}

static int
on_message(struct link *l, const struct tc_adb_head *h, const uint8_t *payload,
	struct tc_err *err)
{
	if (h->command == TC_ADB_CNXN)
		return on_connect(l, h, payload, err);
	if (h->command == TC_ADB_AUTH)
		return on_auth(l, h, payload, err);
	if (h->command == TC_ADB_STLS)
		return on_tls(l, err);
	if (!l->is_online && l->wire->has_leftovers)
		return 0;
	if (!l->is_online)
		return bad(l, err, "it does not begin with its name");
	if (h->command == TC_ADB_OKAY)
		return on_okay(l, h, payload, err);
	if (h->command == TC_ADB_CLSE)
		on_close(l, h);
	else /* OPEN: nothing of ours is for the device to open. */
		post(l, TC_ADB_CLSE, 0, h->arg0, NULL, 0);
	return 0;
}

/* Payloads that are needed whole; of others, what is there is passed on. */
static bool
is_whole(const struct tc_adb_head *h)
{
	return h->command == TC_ADB_CNXN || h->command == TC_ADB_AUTH ||
		(h->command == TC_ADB_OKAY && h->len <= 4);
}

/* What was received and not used yet. */
static size_t
window(const struct link *l, const uint8_t **bytes)
{
	return l->is_spoiled ? 0 : l->wire->ops->peek(l->wire, bytes);
}

static void
use(struct link *l, size_t n)
{
	if (n && !l->is_spoiled)
		l->wire->ops->eat(l->wire, n);
}

/* 1: there is a head; 0: more bytes are needed for one; -1. */
static int
next_head(struct link *l, struct tc_err *err)
{
	const uint8_t *p;

	if (l->has_head)
		return 1;
	if (window(l, &p) < TC_ADB_HEAD)
		return 0;
	if (tc_adb_head_get(p, &l->head, err) < 0)
		return spoil(l, err);
	use(l, TC_ADB_HEAD);
	l->has_head = true;
	return 1;
}

/* 1: a message was begun; 0: more bytes are needed for that; -1. */
static int
next_message(struct link *l, struct tc_err *err)
{
	const struct tc_adb_head *h = &l->head;
	const uint8_t *p = (const uint8_t *)""; /* a payload may be empty */
	size_t whole;
	int r = next_head(l, err);

	if (r <= 0)
		return r;
	whole = is_whole(h) ? h->len : 0;
	if (whole && window(l, &p) < whole)
		return 0;
	l->has_head = false;
	l->effort++;
	if (h->command == TC_ADB_WRTE && l->is_online)
		return on_write(l, h, err) < 0 ? -1 : 1;
	l->to = NULL;
	l->left = h->len - (uint32_t)whole;
	r = on_message(l, h, p, err);
	use(l, whole);
	return r < 0 ? -1 : 1;
}

/*
 * Uses what was received, until more is needed (0), or bytes for the reader lie
 * there while it has none put aside (1).
 */
static int
digest(struct link *l, const struct stream *reader, struct tc_err *err)
{
	const uint8_t *p;
	size_t n;
	int r;

	for (;;) {
		if (l->left) {
			n = window(l, &p);
			n = n < l->left ? n : l->left;
			if (!n)
				return 0;
			if (l->to && l->to == reader && reader->in.pos == reader->in.len)
				return 1;
			if (l->to)
				tc_adb_buf_put(&l->to->in, p, n);
			use(l, n);
			l->left -= (uint32_t)n;
		}
		/* What follows now is of another kind. */
		if (l->wants_tls)
			return 0;
		r = l->left ? 1 : next_message(l, err);
		if (r <= 0)
			return r;
	}
}

/* Receives what there is: 1, 0 for nothing, -1. */
static int
receive(struct link *l, struct tc_err *err)
{
	int r = l->wire->ops->fill(l->wire, err);

	return r < 0 ? lose(l, err) : r;
}

/* Waits until something was received, or sent. To be called after digest. */
static int
turn(struct link *l, bool to_send, const struct tc_wait *w, struct tc_err *err)
{
	struct pollfd pfd = { .fd = l->wire->ops->fd(l->wire) };
	bool may_read = l->out.len + l->behind.len < OUT_MAX;
	int r;

	if (l->is_lost) {
		*err = l->why;
		return -1;
	}
	/* Who talks without an end, though to nobody, gets no more time than others. */
	l->effort += EFFORT_OF_TURN;
	if (l->effort > EFFORT_MAX && tc_wait_check(w, err) < 0)
		return -1;
	r = may_read ? receive(l, err) : 0;
	if (r)
		return r < 0 ? -1 : 0;
	l->effort = 0;
	pfd.events = l->wire->ops->events(l->wire, may_read, to_send || l->out.len);
	if (tc_wait_poll(&pfd, 1, w, err) < 0)
		return -1;
	if (may_read && receive(l, err) < 0)
		return -1;
	if (!l->in_payload)
		flush(l);
	return 0;
}

/* ---- streams ---- */

static int64_t
peek(struct tc_adb_stream *stream, const struct tc_wait *w, const uint8_t **bytes,
	struct tc_err *err)
{
	struct stream *s = of(stream);
	struct link *l = link_of(stream);
	size_t there;
	int r;

	for (;;) {
		if (s->in.pos < s->in.len) {
			*bytes = s->in.p + s->in.pos;
			return (int64_t)(s->in.len - s->in.pos);
		}
		r = digest(l, s, err);
		if (r < 0)
			return -1;
		if (r == 1) {
			l->effort = 0;
			there = window(l, bytes);
			return there < l->left ? (int64_t)there : l->left;
		}
		if (s->ended)
			return 0;
		if (turn(l, false, w, err) < 0)
			return -1;
	}
}

static void
eat(struct tc_adb_stream *stream, size_t n)
{
	struct stream *s = of(stream);
	struct link *l = link_of(stream);

	if (s->in.pos < s->in.len)
		tc_adb_buf_eat(&s->in, n);
	else {
		use(l, n);
		l->left -= (uint32_t)n;
	}
	if (s->ended)
		return;
	if (l->delayed) {
		s->used += (uint32_t)n;
		if (s->used >= ACK_BYTES) {
			acknowledge(l, s, s->used);
			s->used = 0;
		}
	} else if (s->owes_okay && s->in.pos == s->in.len) {
		s->owes_okay = false;
		acknowledge(l, s, 0);
	}
}

/* A head that waits in `out`, and its payload from where that is. */
static int
send_payload(struct link *l, const uint8_t *p, size_t len, const struct tc_wait *w,
	struct tc_err *err)
{
	struct iovec iov[2];
	struct tc_adb_buf empty = { 0 };
	size_t head;
	ssize_t n;
	int r = 0;

	l->in_payload = true;
	while (r == 0 && !l->is_lost && (l->out.len || len)) {
		head = l->out.len - l->out.pos;
		iov[0] = (struct iovec){ l->out.p + l->out.pos, head };
		iov[1] = (struct iovec){ (void *)(uintptr_t)p, len };
		n = l->wire->ops->send(l->wire, iov, 2, err);
		if (n < 0) {
			lose(l, err);
		} else if (n == 0) {
			r = digest(l, NULL, err) < 0 ? -1 : turn(l, true, w, err);
		} else {
			tc_adb_buf_eat(&l->out, (size_t)n < head ? (size_t)n : head);
			p += (size_t)n > head ? (size_t)n - head : 0;
			len -= (size_t)n > head ? (size_t)n - head : 0;
		}
	}
	/* A message that was begun has to be ended, or the next means nothing. */
	if (!l->is_lost) {
		tc_adb_buf_put(&l->out, p, len);
		tc_adb_buf_put(&l->out, l->behind.p, l->behind.len);
	}
	free(l->behind.p);
	l->behind = empty;
	l->in_payload = false;
	if (r == 0 && l->is_lost) {
		*err = l->why;
		r = -1;
	}
	return r;
}

static bool
may_send(const struct link *l, const struct stream *s)
{
	return l->delayed ? s->window > 0 : s->may_send;
}

static int
write_stream(struct tc_adb_stream *stream, const uint8_t *bytes, size_t len,
	const struct tc_wait *w, struct tc_err *err)
{
	struct stream *s = of(stream);
	struct link *l = link_of(stream);
	size_t n;

	while (len) {
		if (digest(l, NULL, err) < 0)
			return -1;
		if (s->ended)
			return tc_err_named(err, TC_NOSERVICE, "closed",
				"the device ended the stream");
		if (l->is_lost || !may_send(l, s)) {
			if (turn(l, false, w, err) < 0)
				return -1;
			continue;
		}
		n = len < l->max_payload ? len : l->max_payload;
		s->may_send = false;
		s->window -= (int64_t)n;
		put_head(l, &l->out, TC_ADB_WRTE, s->id, s->peer, bytes, n);
		if (send_payload(l, bytes, n, w, err) < 0)
			return -1;
		bytes += n;
		len -= n;
	}
	return 0;
}

static int
stream_fd(const struct tc_adb_stream *s)
{
	const struct link *l = link_of(s);

	return l->wire->ops->fd(l->wire);
}

static void
close_stream(struct tc_adb_stream *stream)
{
	struct stream *s = of(stream), **at;
	struct link *l = link_of(stream);

	for (at = &l->streams; *at != s; at = &(*at)->next)
		;
	*at = s->next;
	if (l->to == s)
		l->to = NULL;
	if (!s->ended && s->peer)
		post(l, TC_ADB_CLSE, s->id, s->peer, NULL, 0);
	free(s->in.p);
	free(s);
}

static int
wait_accepted(
	struct link *l, struct stream *s, const struct tc_wait *w, struct tc_err *err)
{
	while (!s->peer && !s->ended)
		if (digest(l, NULL, err) < 0 ||
			(!s->peer && !s->ended && turn(l, false, w, err) < 0))
			return -1;
	if (!s->peer)
		return tc_err_named(err, TC_NOSERVICE, "refused",
			"the device refused the service, or was lost");
	return 0;
}

static int
open_stream(struct tc_adb *a, const char *service, const struct tc_wait *w,
	struct tc_adb_stream **s, struct tc_err *err)
{
	struct link *l = (struct link *)a;
	size_t len = strlen(service) + 1; /* older devices want the NUL */
	struct stream *made;

	if (len > l->max_payload)
		return tc_err_named(err, TC_USAGE, "too_long",
			"a request of %zu bytes is too long for the device", len);
	made = tc_mem_calloc(1, sizeof(*made));
	made->base.a = a;
	made->id = ++l->last_id;
	made->next = l->streams;
	l->streams = made;
	post(l, TC_ADB_OPEN, made->id, l->delayed ? WINDOW : 0, service, len);
	if (wait_accepted(l, made, w, err) < 0) {
		close_stream(&made->base);
		return -1;
	}
	*s = &made->base;
	return 0;
}

/* ---- the link ---- */

/* A device that got half a message takes the next host's first word for the rest. */
static void
finish(struct link *l)
{
	struct tc_wait w = tc_wait_for(LAST_MS);
	struct tc_err err;

	while (l->out.len && !l->is_lost)
		if (digest(l, NULL, &err) < 0 || turn(l, true, &w, &err) < 0)
			return;
}

static void
release(struct tc_adb *a)
{
	struct link *l = (struct link *)a;

	if (l->wire->has_leftovers)
		finish(l);
	l->wire->ops->close(l->wire);
	tc_adb_keys_release(&l->auth.keys);
	free(l->out.p);
	free(l->behind.p);
	free(l);
}

static const struct tc_adb_ops ops = {
	.open = open_stream,
	.peek = peek,
	.eat = eat,
	.write = write_stream,
	.fd = stream_fd,
	.close = close_stream,
	.release = release,
};

static void
say_hello(struct link *l)
{
	post(l, TC_ADB_CNXN, TC_ADB_V1, TC_ADB_MAX_PAYLOAD, hello, sizeof(hello) - 1);
}

/* The device waits for the first word of TLS, once it has our answer. */
static int
go_secure(struct link *l, const struct tc_wait *w, struct tc_err *err)
{
	const uint8_t *p;

	while (l->out.len && !window(l, &p))
		if (turn(l, true, w, err) < 0)
			return -1;
	if (window(l, &p))
		return bad(l, err, "it does not wait for TLS");
	tc_adb_auth_load(&l->auth);
	/* The device may have got our own key from adb pair: one that is new, never. */
	if (!l->auth.keys.count)
		return tc_adb_auth_refused(&l->auth,
			"the device wants TLS, and there is no key that it could know: "
			"pair it once, with adb pair",
			err);
	if (l->wire->ops->secure(&l->wire, &l->auth.keys, w, err) < 0)
		return spoil(l, err);
	l->wants_tls = false;
	l->is_secure = true;
	return 0;
}

/* How long the device's next word may take, when it is asked for so often after that. */
static struct tc_wait
patience(const struct link *l, const struct tc_wait *w, int tries)
{
	struct tc_wait p = tc_wait_at_most(w, HELLO_MS);

	if (l->auth.offers)
		p = (struct tc_wait){ .until_ns = l->auth.until_ns,
			.stop_fd = w->stop_fd };
	return tries ? tc_wait_at_most(&p, tries > 1 ? AGAIN_MS : RESET_MS) : p;
}

static int
no_answer(struct link *l, struct tc_err *err)
{
	bool is_mute = !l->auth.tokens && !l->wants_tls && !l->is_secure;

	if (strcmp(tc_err_what(err), "gone") == 0 && is_mute && !l->wire->has_leftovers)
		return tc_err_named(err, TC_NOSERVICE, "gone",
			"the device was lost before its first word (is that the port of "
			"adbd, and not the one for pairing, which is for adb pair?)");
	if (strcmp(tc_err_what(err), "timed_out") != 0)
		return -1;
	if (l->auth.offers)
		return tc_adb_auth_unanswered(&l->auth, err);
	return tc_err_named(err, TC_NOSERVICE, "offline", "the device does not answer");
}

static void
ask_again(struct link *l, bool is_last)
{
	if (is_last && l->wire->ops->reset) {
		/* Nor does it end a message that it was in the middle of. */
		l->out.pos = l->out.len = 0;
		l->has_head = false;
		l->left = 0;
		l->wire->ops->reset(l->wire);
	}
	l->has_spare = true;
	say_hello(l);
}

static bool
is_over(const struct tc_wait *w)
{
	struct tc_err err;

	return tc_wait_check(w, &err) < 0;
}

static int
shake_hands(struct link *l, const struct tc_wait *w, struct tc_err *err)
{
	int tries = l->wire->has_leftovers ? 2 : 0;
	struct tc_wait p = patience(l, w, tries);
	unsigned tokens = 0;

	say_hello(l);
	for (;;) {
		if (digest(l, NULL, err) < 0)
			return -1;
		if (l->is_online)
			return 0;
		/* It lives: it has the time for a word anew. */
		if (l->auth.tokens != tokens || l->wants_tls)
			p = patience(l, w, tries = 0);
		tokens = l->auth.tokens;
		if (l->wants_tls ? go_secure(l, &p, err) == 0
				 : turn(l, false, &p, err) == 0)
			continue;
		if (!tries || strcmp(tc_err_what(err), "timed_out") != 0 || is_over(w))
			return no_answer(l, err);
		p = patience(l, w, --tries);
		ask_again(l, tries == 0);
	}
}

int
tc_adb_open_wire(struct tc_adb **a, struct tc_adb_wire *wire,
	const struct tc_adb_ask *ask, const struct tc_wait *w, struct tc_err *err)
{
	struct link *l = tc_mem_calloc(1, sizeof(*l));
	int r;

	l->base.ops = &ops;
	l->wire = wire;
	l->auth.ask = ask;
	l->sums = true; /* until the device says that it wants none */
	r = shake_hands(l, w, err);
	l->auth.ask = NULL;
	if (r < 0) {
		tc_adb_close(&l->base);
		return -1;
	}
	*a = &l->base;
	return 0;
}

int
tc_adb_open_tcp(struct tc_adb **a, const char *host, const char *port,
	const struct tc_adb_ask *ask, const struct tc_wait *w, struct tc_err *err)
{
	int fd = tc_adb_connect_tcp(host, port, w, err);

	if (fd < 0) {
		if (err->code == TC_NOSERVICE)
			err->name = "not_found";
		return -1;
	}
	return tc_adb_open_wire(a, tc_adb_wire_tcp(fd), ask, w, err);
}
