/* TLS over a socket as the wire of a link. */
#include <errno.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "adb/priv.h"
#include "err/err.h"

enum {
	AT_ONCE = 16 * 1024,         /* a record's worth */
	READ_AHEAD = 64 * 1024,      /* from the socket */
	HANDSHAKE_MAX = 1024 * 1024, /* that is more than any has */
	RECORDS_MAX = 32             /* of TLS itself, in one go */
};

struct tls {
	struct tc_adb_socket base;
	SSL_CTX *ctx;
	SSL *ssl;
	BIO_METHOD *method;
	const struct tc_adb_keys *keys; /* borrowed */
	bool is_up, has_spoken;         /* ... the device, something that is no TLS */
	bool is_dry;                    /* the socket had no more, last time */
	size_t handshake_bytes;
	bool fill_waits_to_send, send_waits_to_read;
};

/* ---- the socket below, which sends no signals ---- */

static int
socket_write(BIO *bio, const char *bytes, int len)
{
	const struct tls *t = BIO_get_data(bio);
	ssize_t n;

	BIO_clear_retry_flags(bio);
	do
		n = send(t->base.fd, bytes, (size_t)len, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	if (n < 0 && errno == EAGAIN)
		BIO_set_retry_write(bio);
	return (int)n;
}

static int
socket_read(BIO *bio, char *bytes, int cap)
{
	struct tls *t = BIO_get_data(bio);
	ssize_t n;

	BIO_clear_retry_flags(bio);
	do
		n = recv(t->base.fd, bytes, (size_t)cap, 0);
	while (n < 0 && errno == EINTR);
	t->is_dry = n < 0 && errno == EAGAIN;
	if (t->is_dry)
		BIO_set_retry_read(bio);
	/* TLS itself would go on for as long as the other side does. */
	if (n > 0 && !t->is_up && (t->handshake_bytes += (size_t)n) > HANDSHAKE_MAX)
		return -1;
	if (n == 0)
		BIO_set_flags(bio, BIO_FLAGS_IN_EOF);
	return (int)n;
}

static long
socket_ctrl(BIO *bio, int what, long num, void *p)
{
	(void)num;
	(void)p;
	if (what == BIO_CTRL_EOF)
		return BIO_test_flags(bio, BIO_FLAGS_IN_EOF) != 0;
	return what == BIO_CTRL_FLUSH;
}

static BIO *
new_socket(struct tls *t)
{
	BIO *bio = NULL;

	/* No number of its own: a process has few of those, and nobody looks for it. */
	t->method = BIO_meth_new(BIO_TYPE_SOURCE_SINK, "socket");
	if (t->method && BIO_meth_set_write(t->method, socket_write) &&
		BIO_meth_set_read(t->method, socket_read) &&
		BIO_meth_set_ctrl(t->method, socket_ctrl))
		bio = BIO_new(t->method);
	if (bio) {
		BIO_set_data(bio, t);
		BIO_set_init(bio, 1);
	}
	return bio;
}

/* ---- what goes wrong ---- */

/* A device says in an alert, or by hanging up, that it does not know our key. */
static int
not_known(const struct tls *t, const char *why, struct tc_err *err)
{
	return tc_err_named(err, TC_DENIED, "unauthorized",
		"the device does not know our key%s%s%s: pair it once, with adb pair%s%s",
		*why ? " (" : "", why, *why ? ")" : "",
		t->keys->trouble[0] ? "; not tried: " : "", t->keys->trouble);
}

/* Of a call that came back with r; errno is still its own. */
static int
failed(const struct tls *t, int r, const char *doing, struct tc_err *err)
{
	int sys = errno, kind = SSL_get_error(t->ssl, r);
	unsigned long code = ERR_peek_error();
	const char *why = code ? ERR_reason_error_string(code) : NULL;

	ERR_clear_error();
	if (t->handshake_bytes > HANDSHAKE_MAX)
		return tc_err_named(err, TC_PROTOCOL, "protocol",
			"the device broke the protocol of TLS: it does not come to an "
			"end");
	if (kind == SSL_ERROR_SSL) {
		/* It looks at our key when all else is agreed on, and says so then. */
		if (ERR_GET_REASON(code) >= SSL_AD_REASON_OFFSET && t->is_up &&
			!t->has_spoken)
			return not_known(t, why ? why : "", err);
		return tc_err_named(err, TC_PROTOCOL, "protocol",
			"the device broke the protocol of TLS: %s",
			why ? why : "for no known reason");
	}
	if (t->is_up && !t->has_spoken)
		return not_known(t, "", err);
	errno = sys;
	return kind == SSL_ERROR_SYSCALL && sys ? tc_adb_broken(err, doing)
						: tc_adb_gone(err);
}

/* ---- the wire ---- */

/*
 * All there is, as far as there is room: what TLS holds back, no poll shows. Records of
 * TLS itself come to nothing here, and so many of them are enough for one call.
 */
static int
fill(struct tc_adb_wire *w, struct tc_err *err)
{
	struct tls *t = (struct tls *)w;
	size_t room, n;
	uint8_t *p = tc_adb_socket_room(&t->base, &room);
	int r = 1, kind = SSL_ERROR_NONE, records = 0;
	bool some = false;

	while (room && records < RECORDS_MAX) {
		ERR_clear_error();
		errno = 0;
		t->is_dry = false;
		r = SSL_read_ex(t->ssl, p, room, &n);
		if (r > 0) {
			t->has_spoken = some = true;
			t->base.len += n;
			p += n;
			room -= n;
			continue;
		}
		kind = SSL_get_error(t->ssl, r);
		if (kind != SSL_ERROR_WANT_READ || t->is_dry)
			break;
		records++;
	}
	t->fill_waits_to_send = r <= 0 && kind == SSL_ERROR_WANT_WRITE;
	if (some || records == RECORDS_MAX)
		return 1;
	if (kind == SSL_ERROR_WANT_READ || kind == SSL_ERROR_WANT_WRITE)
		return 0;
	return failed(t, r, "receive", err);
}

static ssize_t
send_some(struct tc_adb_wire *w, struct iovec *iov, int count, struct tc_err *err)
{
	struct tls *t = (struct tls *)w;
	size_t n = 0, len;
	int i, r, kind;

	t->send_waits_to_read = false;
	for (i = 0; i < count && !iov[i].iov_len; i++)
		;
	if (i == count)
		return 0;
	len = iov[i].iov_len < AT_ONCE ? iov[i].iov_len : AT_ONCE;
	ERR_clear_error();
	errno = 0;
	r = SSL_write_ex(t->ssl, iov[i].iov_base, len, &n);
	if (r > 0)
		return (ssize_t)n;
	kind = SSL_get_error(t->ssl, r);
	t->send_waits_to_read = kind == SSL_ERROR_WANT_READ;
	if (kind == SSL_ERROR_WANT_READ || kind == SSL_ERROR_WANT_WRITE)
		return 0;
	return failed(t, r, "send", err);
}

static short
events(const struct tc_adb_wire *w, bool to_read, bool to_send)
{
	const struct tls *t = (const struct tls *)w;
	bool in = to_read || (to_send && t->send_waits_to_read),
	     out = (to_send && !t->send_waits_to_read) ||
		(to_read && t->fill_waits_to_send);

	return (short)((in ? POLLIN : 0) | (out ? POLLOUT : 0));
}

static void
release(struct tls *t)
{
	SSL_free(t->ssl);
	SSL_CTX_free(t->ctx);
	BIO_meth_free(t->method);
	free(t->base.in);
	free(t);
	ERR_clear_error();
}

static void
close_wire(struct tc_adb_wire *w)
{
	struct tls *t = (struct tls *)w;
	int fd = t->base.fd;

	SSL_shutdown(t->ssl);
	release(t);
	close(fd);
}

static const struct tc_adb_wire_ops ops = {
	.peek = tc_adb_socket_peek,
	.eat = tc_adb_socket_eat,
	.fill = fill,
	.send = send_some,
	.fd = tc_adb_socket_fd,
	.events = events,
	.close = close_wire,
};

/* ---- the beginning ---- */

/* Whether the device names this key among those it knows. */
static bool
is_named(const STACK_OF(X509_NAME) * names, const struct tc_adb_key *key)
{
	char wanted[TC_ADB_KEY_NAME], name[TC_ADB_KEY_NAME];
	int i;

	tc_adb_key_name(key, wanted);
	for (i = 0; i < sk_X509_NAME_num(names); i++)
		if (X509_NAME_get_text_by_NID(sk_X509_NAME_value(names, i),
			    NID_commonName, name, sizeof(name)) > 0 &&
			strcmp(name, wanted) == 0)
			return true;
	return false;
}

/* The first key that the device knows; or the first, if it names none. */
static int
choose_key(SSL *ssl, X509 **certificate, EVP_PKEY **pkey)
{
	const struct tls *t = SSL_get_app_data(ssl);
	const STACK_OF(X509_NAME) *names = SSL_get0_peer_CA_list(ssl);
	size_t i = 0;

	while (i < t->keys->count && !is_named(names, &t->keys->list[i]))
		i++;
	if (i == t->keys->count)
		i = 0;
	*certificate = tc_adb_key_certificate(&t->keys->list[i]);
	if (!*certificate)
		return 0;
	*pkey = t->keys->list[i].pkey;
	return EVP_PKEY_up_ref(*pkey);
}

/* Who the device is, TLS does not tell here: it is where we were sent. */
static bool
set_up(struct tls *t)
{
	BIO *bio;

	t->ctx = SSL_CTX_new(TLS_client_method());
	if (!t->ctx || !SSL_CTX_set_min_proto_version(t->ctx, TLS1_3_VERSION) ||
		!SSL_CTX_set_max_proto_version(t->ctx, 0))
		return false;
	/* The keys of adb have 2048 bits, whatever this system would like better. */
	SSL_CTX_set_security_level(t->ctx, 2);
	SSL_CTX_set_verify(t->ctx, SSL_VERIFY_NONE, NULL);
	SSL_CTX_set_client_cert_cb(t->ctx, choose_key);
	SSL_CTX_set_mode(t->ctx,
		SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
	SSL_CTX_clear_mode(t->ctx, SSL_MODE_AUTO_RETRY);
	SSL_CTX_set_options(t->ctx, SSL_OP_IGNORE_UNEXPECTED_EOF);
	SSL_CTX_set_session_cache_mode(t->ctx, SSL_SESS_CACHE_OFF);
	SSL_CTX_set_read_ahead(t->ctx, 1);
	SSL_CTX_set_default_read_buffer_len(t->ctx, READ_AHEAD);
	t->ssl = SSL_new(t->ctx);
	bio = t->ssl ? new_socket(t) : NULL;
	if (!bio)
		return false;
	SSL_set_bio(t->ssl, bio, bio);
	SSL_set_app_data(t->ssl, t);
	return true;
}

static int
shake_hands(struct tls *t, const struct tc_wait *w, struct tc_err *err)
{
	struct pollfd pfd = { .fd = t->base.fd };
	int r, kind;

	for (;;) {
		ERR_clear_error();
		errno = 0;
		r = SSL_connect(t->ssl);
		if (r == 1)
			return 0;
		kind = SSL_get_error(t->ssl, r);
		if (kind != SSL_ERROR_WANT_READ && kind != SSL_ERROR_WANT_WRITE)
			return failed(t, r, "connect", err);
		pfd.events = kind == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT;
		if (tc_wait_poll(&pfd, 1, w, err) < 0)
			return -1;
	}
}

struct tc_adb_wire *
tc_adb_wire_tls(int fd, const struct tc_adb_keys *keys, const struct tc_wait *w,
	struct tc_err *err)
{
	struct tls *t = tc_mem_calloc(1, sizeof(*t));
	int r;

	tc_adb_socket_init(&t->base, &ops, fd);
	t->keys = keys;
	r = set_up(t) ? shake_hands(t, w, err)
		      : tc_err_set(err, TC_SYSTEM, "libssl makes no TLS 1.3");
	if (r < 0) {
		release(t);
		return NULL;
	}
	t->is_up = true;
	return &t->base.base;
}
