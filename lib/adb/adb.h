#ifndef TC_ADB_ADB_H
#define TC_ADB_ADB_H
/*
 * adb: byte streams to the services of an Android device.
 *
 * A device is reached through an adb server, or straight over a wire: TCP, or what
 * another module has made, as lib/usb does; a stream looks the same whatever the
 * way. There is no half-close: ending a stream ends both
 * directions, and the end of a stream says nothing about success.
 *
 * Errors are those of lib/device/device.h. Every call that waits takes a
 * struct tc_wait.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "mem/mem.h"
#include "wait/wait.h"

struct tc_err;

/* ---- the adb server ---- */

enum { TC_ADB_PORT = 8 }; /* bytes of a port's number, with its NUL */

struct tc_adb_server {
	bool is_local, is_abstract; /* a socket with a path, or of Linux's name space */
	char host[256];             /* "": this machine */
	char port[TC_ADB_PORT];
	char path[108];
};

/* The number of a TCP port that a person gave: 0, or -1 when it is none. */
int tc_adb_port(const char *text, char port[TC_ADB_PORT]);

/*
 * Where the environment says it is: ADB_SERVER_SOCKET, or else
 * ANDROID_ADB_SERVER_ADDRESS and ANDROID_ADB_SERVER_PORT. 0, or -1 with TC_USAGE.
 */
int tc_adb_server_get(struct tc_adb_server *server, struct tc_err *err);

struct tc_adb_info {
	const char *serial, *state;
	const char *product, *model, *device; /* NULL: not said */
};

/* The devices the server has, in its order, in the arena. 0, or -1. */
int tc_adb_server_list(const struct tc_adb_server *server, const struct tc_wait *w,
	struct tc_arena *arena, struct tc_adb_info **list, size_t *count,
	struct tc_err *err);

/*
 * Has the server let go of a device at a USB port, so that others can have it, or
 * take it again. 0, or -1: not all servers can do that.
 */
int tc_adb_server_hold(const struct tc_adb_server *server, const char *serial, bool holds,
	const struct tc_wait *w, struct tc_err *err);

/* What its answers to host:devices and host:devices-l say; `details` may be empty. */
void tc_adb_server_parse(struct tc_str devices, struct tc_str details,
	struct tc_arena *arena, struct tc_adb_info **list, size_t *count);

/* Whether a device in this state can be worked with. */
bool tc_adb_is_usable(const char *state);

/* ---- a device ---- */

/* A device and its streams belong to one thread. */
struct tc_adb;

/* Device `serial` of the server, which has to be in its list. 0, or -1. */
int tc_adb_open_server(struct tc_adb **a, const struct tc_adb_server *server,
	const char *serial, const struct tc_wait *w, struct tc_err *err);

/*
 * A device may ask for a key. It gets those of the user: $HOME/.android/adbkey, then
 * what ADB_VENDOR_KEYS names. When it knows none of them, it is offered the first, to
 * be accepted by a person on its screen; that is made when it is not there.
 */
struct tc_adb_ask {
	int wait_ms; /* for that person, whatever else limits the time */

	/* It has been offered: the key as the device shows it, and its file. */
	void (*asked)(void *ctx, const char *fingerprint, const char *file);
	void *ctx;
};

/*
 * The adbd that listens there. Without `ask`, no key is offered or made. 0, or -1:
 * "unauthorized" when it takes no key, "offline" when it says nothing for ten
 * seconds.
 */
int tc_adb_open_tcp(struct tc_adb **a, const char *host, const char *port,
	const struct tc_adb_ask *ask, const struct tc_wait *w, struct tc_err *err);

/* The same at the other end of a wire, closed with the device, or here on failure. */
struct tc_adb_wire;
int tc_adb_open_wire(struct tc_adb **a, struct tc_adb_wire *wire,
	const struct tc_adb_ask *ask, const struct tc_wait *w, struct tc_err *err);

/* Its streams and jobs have to be closed before. */
void tc_adb_close(struct tc_adb *a);

/* Whether the device announced it. */
bool tc_adb_has(const struct tc_adb *a, const char *feature);

/* What else it announced, as long as *a lives; "" when it did not. */
const char *tc_adb_state(const struct tc_adb *a);
const char *tc_adb_model(const struct tc_adb *a);
const char *tc_adb_product(const struct tc_adb *a);

/* ---- wires ---- */

/*
 * What carries the messages of a device: bytes both ways, in order. A message is a
 * head of 24 bytes, whose bytes 12 to 15 are the length of its payload, lowest
 * first, and that payload. Whoever makes a wire has it as the first member of a
 * struct of its own. No call of these waits.
 *
 * A wire whose other side wants packets finds heads and payloads in what it is given
 * to send, by those lengths: each is given whole, though not always in one call. It
 * shows a head, and a payload of up to 4096 bytes, only when it has all of it.
 */
struct tc_adb_wire {
	const struct tc_adb_wire_ops *ops;

	/*
	 * The other side outlives a connection, as that of USB does. So what comes
	 * before the device's first word is passed over, that word is asked for
	 * again, and at the end a message that was begun is sent to its end.
	 */
	bool has_leftovers;
};

struct tc_adb_keys;

struct tc_adb_wire_ops {
	/* What was received and not eaten, valid until fill, eat or close. */
	size_t (*peek)(const struct tc_adb_wire *w, const uint8_t **bytes);
	void (*eat)(struct tc_adb_wire *w, size_t n);

	/*
	 * Receives: 1 something came; 0 there is nothing now, so poll; -1, after
	 * which peek still has what came before: "gone", or "protocol".
	 */
	int (*fill)(struct tc_adb_wire *w, struct tc_err *err);

	/* Sends, or keeps a copy to send: how many of these bytes, 0 for none now; -1. */
	ssize_t (*send)(
		struct tc_adb_wire *w, struct iovec *iov, int count, struct tc_err *err);

	/*
	 * What to poll when fill and send have just had nothing, and for what. It may
	 * say so too often, and for what happened before those calls it need not.
	 */
	int (*fd)(const struct tc_adb_wire *w);
	short (*events)(const struct tc_adb_wire *w, bool to_read, bool to_send);

	/*
	 * Has TLS from now on, with *w replaced, as all has been sent and nothing is
	 * there to peek at; the keys outlive it. 0, or -1 with *w good for no more than
	 * close. NULL: there is no TLS on such wires.
	 */
	int (*secure)(struct tc_adb_wire **w, const struct tc_adb_keys *keys,
		const struct tc_wait *wait, struct tc_err *err);

	/*
	 * For a device that says nothing at all: what was sent is forgotten, and the
	 * other side starts anew before what is sent next. NULL: it cannot do that.
	 */
	void (*reset)(struct tc_adb_wire *w);
	void (*close)(struct tc_adb_wire *w);
};

/* ---- streams ---- */

struct tc_adb_stream;

int tc_adb_stream_open(struct tc_adb *a, const char *service, const struct tc_wait *w,
	struct tc_adb_stream **s, struct tc_err *err);

/*
 * Waits for bytes and shows them where they are, valid until the next call with
 * this device: how many, at least one; 0 at the end of the stream; or -1.
 */
int64_t tc_adb_stream_peek(struct tc_adb_stream *s, const struct tc_wait *w,
	const uint8_t **bytes, struct tc_err *err);

/* The first n of those that were shown are done with. */
void tc_adb_stream_eat(struct tc_adb_stream *s, size_t n);

/* All of it: 0, or -1; "closed" when the device has ended the stream. */
int tc_adb_stream_write(struct tc_adb_stream *s, const void *bytes, size_t len,
	const struct tc_wait *w, struct tc_err *err);

/* To poll for reading, when peek has said that there is nothing more for now. */
int tc_adb_stream_fd(const struct tc_adb_stream *s);
void tc_adb_stream_close(struct tc_adb_stream *s);

/* ---- commands ---- */

struct tc_adb_job;

struct tc_adb_piece {
	bool is_err;
	const uint8_t *bytes; /* valid until the next call with this device */
	size_t len;
};

/* More than that could block both sides for ever. */
enum { TC_ADB_INPUT_MAX = 256 * 1024 };

/* Standard error apart, standard input, an exit status of the device's own. */
bool tc_adb_has_shell2(const struct tc_adb *a);

/* `in` is written to its standard input, which then ends. 0, or -1. */
int tc_adb_job_open(struct tc_adb *a, const char *command, const void *in, size_t in_len,
	const struct tc_wait *w, struct tc_adb_job **job, struct tc_err *err);

/* 1: *piece; 0: it has ended, *status; -1: see *err; "timed_out" loses nothing. */
int tc_adb_job_next(struct tc_adb_job *job, const struct tc_wait *w,
	struct tc_adb_piece *piece, int *status, struct tc_err *err);
int tc_adb_job_fd(const struct tc_adb_job *job);
void tc_adb_job_close(struct tc_adb_job *job);

/* The packets of a v2 shell: five bytes of head, then data. Start with zeros. */
struct tc_adb_shell {
	uint8_t head[5];
	uint8_t have;  /* of the head */
	uint32_t left; /* of the data */
};

enum {
	TC_ADB_SHELL_STDIN,
	TC_ADB_SHELL_STDOUT,
	TC_ADB_SHELL_STDERR,
	TC_ADB_SHELL_EXIT,
	TC_ADB_SHELL_CLOSE_STDIN
};

struct tc_adb_shell_piece {
	uint8_t id;
	const uint8_t *bytes;
	size_t len; /* 0: all bytes are used and there was no data */
};

/* Shows the next data among these bytes, and says how many were used up to its end. */
size_t tc_adb_shell_next(struct tc_adb_shell *s, const uint8_t *bytes, size_t len,
	struct tc_adb_shell_piece *piece);

/* ---- files ---- */

struct tc_adb_stat {
	uint32_t mode;
	uint64_t size; /* modulo 2^32 without tc_adb_has_wide_sizes */
	int64_t mtime;
};

bool tc_adb_has_wide_sizes(const struct tc_adb *a);

/* 1, or 0 when there is no such file, or -1. */
int tc_adb_stat(struct tc_adb *a, const char *path, const struct tc_wait *w,
	struct tc_adb_stat *st, struct tc_err *err);

/*
 * Calls `entry` for everything in a directory, "." and ".." too: 0, or -1, which is
 * TC_DATA "too_long" when all that is said of them is more than 16 MiB. Of a directory
 * that cannot be opened, the device says that there is nothing.
 */
typedef void tc_adb_entry_fn(void *ctx, const char *name, const struct tc_adb_stat *st);
int tc_adb_list(struct tc_adb *a, const char *path, const struct tc_wait *w,
	tc_adb_entry_fn *entry, void *ctx, struct tc_err *err);

typedef void tc_adb_moved_fn(void *ctx, int64_t bytes);

/* From and to a descriptor, with how many bytes have moved, now and then. 0, or -1. */
int tc_adb_pull(struct tc_adb *a, const char *path, int fd, tc_adb_moved_fn *moved,
	void *ctx, const struct tc_wait *w, int64_t *bytes, struct tc_err *err);
int tc_adb_push(struct tc_adb *a, int fd, const char *path, uint32_t mode, int64_t mtime,
	tc_adb_moved_fn *moved, void *ctx, const struct tc_wait *w, int64_t *bytes,
	struct tc_err *err);

/* What the device says to a request about files; set up with tc_adb_sync_expect. */
enum tc_adb_sync_answer {
	TC_ADB_SYNC_STAT,  /* to STAT */
	TC_ADB_SYNC_STAT2, /* to STA2 */
	TC_ADB_SYNC_LIST,  /* to LIST */
	TC_ADB_SYNC_LIST2, /* to LIS2 */
	TC_ADB_SYNC_RECV,  /* to RECV */
	TC_ADB_SYNC_SEND   /* to SEND */
};

enum {
	TC_ADB_SYNC_PATH_MAX = 1024,
	TC_ADB_SYNC_DATA_MAX = 64 * 1024,
	TC_ADB_SYNC_TEXT_MAX = 1024 /* of names, and what is kept of failures */
};

struct tc_adb_sync {
	enum tc_adb_sync_answer expect;
	uint8_t head[76];
	size_t have;   /* of the head */
	uint32_t left; /* of what follows it */
	char text[TC_ADB_SYNC_TEXT_MAX + 1];
	size_t text_len;
};

struct tc_adb_sync_item {
	enum {
		TC_ADB_SYNC_MORE, /* all bytes are used, and there is nothing yet */
		TC_ADB_SYNC_FILE, /* st, or an error of the device's system */
		TC_ADB_SYNC_ENTRY,
		TC_ADB_SYNC_DATA, /* a part of it */
		TC_ADB_SYNC_DONE, /* RECV and lists end so, SEND with its OKAY */
		TC_ADB_SYNC_FAIL
	} kind;
	struct tc_adb_stat st;
	uint32_t error;   /* as Linux numbers them; 0 is none */
	const char *text; /* name or failure, until the next call */
	const uint8_t *bytes;
	size_t len;
};

void tc_adb_sync_expect(struct tc_adb_sync *s, enum tc_adb_sync_answer answer);

/* Shows the next item and says how many bytes were used up to its end; or -1. */
int64_t tc_adb_sync_next(struct tc_adb_sync *s, const uint8_t *bytes, size_t len,
	struct tc_adb_sync_item *item, struct tc_err *err);

#endif
