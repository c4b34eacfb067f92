#ifndef TC_ADB_PRIV_H
#define TC_ADB_PRIV_H
/* Inside adb: sockets, and the two ways to a device. */
#include <sys/socket.h>
#include <sys/types.h>

#include "adb/adb.h"
#include "adb/keys.h"

/* Systems without it have a socket's option for that. */
#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0
#endif

/* ---- sockets: none of them blocks, all close on exec ---- */

/* The descriptor, or -1. A refusal is TC_NOSERVICE with errno in err->sys. */
int tc_adb_connect_tcp(
	const char *host, const char *port, const struct tc_wait *w, struct tc_err *err);
int tc_adb_connect_server(
	const struct tc_adb_server *server, const struct tc_wait *w, struct tc_err *err);

/* Waits for something, at least one byte: how much, 0 at the end, or -1. */
ssize_t tc_adb_recv(
	int fd, void *buf, size_t cap, const struct tc_wait *w, struct tc_err *err);

/* As much as goes now: how much, or -1. */
ssize_t tc_adb_send_some(int fd, const void *bytes, size_t len, struct tc_err *err);

/* All of it: 0, or -1. */
int tc_adb_send(int fd, const void *bytes, size_t len, const struct tc_wait *w,
	struct tc_err *err);

/* ---- requests to a server: four hex digits of length, then the text ---- */

enum { TC_ADB_REQUEST_MAX = 0xffff };

/* The value of four hex digits, -1 when they are none. */
int tc_adb_hex4(const uint8_t *digits);

/* Sends a request and reads OKAY; for FAIL, what the text means. 0, or -1. */
int tc_adb_request(int fd, const char *text, const struct tc_wait *w, struct tc_err *err);

/* A request whose answer is one text, in the arena with a NUL behind it. */
int tc_adb_query(const struct tc_adb_server *server, const char *text,
	const struct tc_wait *w, struct tc_arena *arena, struct tc_str *answer,
	struct tc_err *err);

/* Sets *err from the text of a FAIL; returns -1. */
int tc_adb_failed(const char *text, struct tc_err *err);

/* Lost in the middle of something; returns -1. */
int tc_adb_gone(struct tc_err *err);

/* What errno says of a connection that was made: lost, or else TC_IO; returns -1. */
int tc_adb_broken(struct tc_err *err, const char *doing);

/* ---- messages of the transport, 24 bytes and then their payload ---- */

enum {
	TC_ADB_HEAD = 24,
	TC_ADB_MAX_PAYLOAD = 1 << 20,
	TC_ADB_MIN_PAYLOAD = 4096, /* that the first devices took */
	TC_ADB_MAX_BANNER = 4096,
	TC_ADB_V0 = 0x01000000, /* with checksums */
	TC_ADB_V1 = 0x01000001,
	TC_ADB_TLS_VERSION = 0x01000000
};

#define TC_ADB_CNXN 0x4e584e43u
#define TC_ADB_AUTH 0x48545541u
#define TC_ADB_STLS 0x534c5453u
#define TC_ADB_OPEN 0x4e45504fu
#define TC_ADB_OKAY 0x59414b4fu
#define TC_ADB_WRTE 0x45545257u
#define TC_ADB_CLSE 0x45534c43u

struct tc_adb_head {
	uint32_t command, arg0, arg1, len, check;
};

/* 0, or -1: TC_PROTOCOL; an unknown command and a payload over 1 MiB are errors. */
int tc_adb_head_get(const uint8_t *bytes, struct tc_adb_head *h, struct tc_err *err);
void tc_adb_head_put(uint8_t *bytes, const struct tc_adb_head *h);

/* What older peers want in `check`: the sum of the bytes. */
uint32_t tc_adb_sum(const uint8_t *bytes, size_t len);

static inline uint32_t
tc_adb_get32(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint64_t
tc_adb_get64(const uint8_t *p)
{
	return tc_adb_get32(p) | (uint64_t)tc_adb_get32(p + 4) << 32;
}

static inline void
tc_adb_put32(uint8_t *p, uint32_t v)
{
	p[0] = (uint8_t)v;
	p[1] = (uint8_t)(v >> 8);
	p[2] = (uint8_t)(v >> 16);
	p[3] = (uint8_t)(v >> 24);
}

/* ---- wires ---- */

/* A socket that does not block; it is closed with the wire. */
struct tc_adb_wire *tc_adb_wire_tcp(int fd);

/* The same with TLS, of which this is the client; NULL, and then fd is not closed. */
struct tc_adb_wire *tc_adb_wire_tls(int fd, const struct tc_adb_keys *keys,
	const struct tc_wait *w, struct tc_err *err);

/* What both have in common, and its calls; the first member of either. */
enum { TC_ADB_WINDOW_ROOM = 1 << 20 };

struct tc_adb_socket {
	struct tc_adb_wire base;
	int fd;
	uint8_t *in; /* owned: the window, which shows what was received */
	size_t pos, len;
};

void tc_adb_socket_init(
	struct tc_adb_socket *s, const struct tc_adb_wire_ops *ops, int fd);
size_t tc_adb_socket_peek(const struct tc_adb_wire *w, const uint8_t **bytes);
void tc_adb_socket_eat(struct tc_adb_wire *w, size_t n);
int tc_adb_socket_fd(const struct tc_adb_wire *w);

/* Where the next bytes go; what is left is at the front then. */
uint8_t *tc_adb_socket_room(struct tc_adb_socket *s, size_t *room);

/* ---- keys, when a device asks for one ---- */

/* What AUTH messages are. */
enum {
	TC_ADB_AUTH_TOKEN = 1, /* from the device: to be signed */
	TC_ADB_AUTH_SIGNATURE,
	TC_ADB_AUTH_PUBLIC_KEY /* to be accepted by a person */
};

/* Start with zeros, and `ask`. */
struct tc_adb_auth {
	const struct tc_adb_ask *ask; /* borrowed; NULL: nobody is asked */
	struct tc_adb_keys keys;
	bool is_loaded;
	size_t next; /* key to sign with */
	unsigned tokens, offers;
	int64_t until_ns; /* the time of the person, from the first offer on */
};

struct tc_adb_answer {
	uint32_t type;
	size_t len;
	uint8_t bytes[TC_ADB_KEY_TEXT];
};

void tc_adb_auth_load(struct tc_adb_auth *auth);

/* To a token: a signature, or the public key when there is no other. 0, or -1. */
int tc_adb_auth_answer(struct tc_adb_auth *auth, const uint8_t token[TC_ADB_TOKEN],
	struct tc_adb_answer *answer, struct tc_err *err);

/* No key will do; what could not be tried is named, too. Returns -1. */
int tc_adb_auth_refused(
	const struct tc_adb_auth *auth, const char *what, struct tc_err *err);

/* The time for that is over; returns -1. */
int tc_adb_auth_unanswered(const struct tc_adb_auth *auth, struct tc_err *err);

/* ---- devices ---- */

/* What the two ways to a device do differently. */
struct tc_adb_ops {
	int (*open)(struct tc_adb *a, const char *service, const struct tc_wait *w,
		struct tc_adb_stream **s, struct tc_err *err);
	int64_t (*peek)(struct tc_adb_stream *s, const struct tc_wait *w,
		const uint8_t **bytes, struct tc_err *err);
	void (*eat)(struct tc_adb_stream *s, size_t n);
	int (*write)(struct tc_adb_stream *s, const uint8_t *bytes, size_t len,
		const struct tc_wait *w, struct tc_err *err);
	int (*fd)(const struct tc_adb_stream *s);
	void (*close)(struct tc_adb_stream *s);
	void (*release)(struct tc_adb *a);
};

/* The first member of either. */
struct tc_adb {
	const struct tc_adb_ops *ops;
	struct tc_adb_stream *sync;    /* owned; idle between two requests, or NULL */
	char *state, *model, *product; /* owned */
	char *features;                /* owned; separated by commas */
};

struct tc_adb_stream {
	struct tc_adb *a;
};

/* What a device says of itself when it connects: state::key=value;... */
void tc_adb_banner(struct tc_adb *a, const char *bytes, size_t len);

/* Bytes that come from one side and go to the other, with their room. */
struct tc_adb_buf {
	uint8_t *p; /* owned */
	size_t pos, len, cap;
};

void tc_adb_buf_put(struct tc_adb_buf *b, const void *bytes, size_t len);
void tc_adb_buf_eat(struct tc_adb_buf *b, size_t n);

#endif
