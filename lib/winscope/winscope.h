#ifndef TC_WINSCOPE_WINSCOPE_H
#define TC_WINSCOPE_WINSCOPE_H
/*
 * winscope: devices of a Winscope proxy, over HTTP.
 *
 * The proxy does one thing at a time, and knows a device only as `adb` on its own
 * host does: a command's output and errors come as one text, its status not at all,
 * and no bytes but text. So a command is wrapped: the device says its output and
 * status in base64 between two marks. A command that nobody waits for any more goes
 * on, and keeps the proxy from all else until it ends.
 *
 * Errors are those of lib/device/device.h; "no_server" is a proxy that is not there
 * before a device was opened, "gone" one that is lost after that. What the proxy
 * says is shown without control characters and without the token.
 *
 * A struct tc_winscope and its jobs belong to one thread.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mem/mem.h"
#include "wait/wait.h"

struct tc_err;

/* ---- the proxy ---- */

enum { TC_WINSCOPE_TOKEN_MAX = 256 };

struct tc_winscope_proxy {
	char url[300]; /* "http://HOST:PORT", an IPv6 address in brackets */
	char token[TC_WINSCOPE_TOKEN_MAX + 1];
	char from[128]; /* where that is from, for messages */
};

/*
 * From "http://HOST[:PORT][/SERIAL]" (port 5544; "" is this machine), and the token
 * from TC_WINSCOPE_TOKEN, or else the file that TC_WINSCOPE_TOKEN_FILE names, or
 * else, for a proxy of this machine, the file where that keeps it. *serial points
 * into the text. 0, or -1.
 */
int tc_winscope_proxy_get(struct tc_winscope_proxy *p, const char *text,
	const char **serial, struct tc_err *err);

struct tc_winscope_info {
	const char *serial;
	const char *model; /* NULL: not said */
	bool is_authorized;
};

/* Its devices, in its order, in the arena. 0, or -1. */
int tc_winscope_list(const struct tc_winscope_proxy *p, const struct tc_wait *w,
	struct tc_arena *arena, struct tc_winscope_info **list, size_t *count,
	struct tc_err *err);

/*
 * What the list does not tell: whether commands reach a device. *state is a literal:
 * "device", "offline", "unauthorized", ... 0, or -1 when the proxy does not answer.
 */
int tc_winscope_look(const struct tc_winscope_proxy *p, const char *serial,
	const struct tc_wait *w, const char **state, struct tc_err *err);

/* ---- a device ---- */

struct tc_winscope;

/* One that was looked at and is a "device". */
struct tc_winscope *tc_winscope_new(
	const struct tc_winscope_proxy *p, const char *serial);

/* Its jobs have to be closed before. Targets that it keeps end by themselves. */
void tc_winscope_free(struct tc_winscope *d);

/* ---- commands ---- */

struct tc_winscope_job;

/* It begins when it is first asked for more: what is waited for comes first. */
int tc_winscope_job_open(struct tc_winscope *d, const char *command,
	struct tc_winscope_job **job, struct tc_err *err);

/* 1: *bytes, valid until the next call; 0: it has ended, *status; -1: see *err. */
int tc_winscope_job_next(struct tc_winscope_job *job, const struct tc_wait *w,
	const char **bytes, size_t *len, int *status, struct tc_err *err);
int tc_winscope_job_fd(const struct tc_winscope_job *job);
void tc_winscope_job_close(struct tc_winscope_job *job);

/* ---- files ---- */

struct tc_winscope_stat {
	uint32_t mode;
	int64_t size, mtime;
};

/* 1, or 0 when there is no such file, or -1. */
int tc_winscope_stat(struct tc_winscope *d, const char *path, const struct tc_wait *w,
	struct tc_winscope_stat *st, struct tc_err *err);

/* Calls `entry` for everything in a directory, and for ".". 0, or -1. */
typedef void tc_winscope_entry_fn(
	void *ctx, const char *name, const struct tc_winscope_stat *st);
int tc_winscope_list_dir(struct tc_winscope *d, const char *path, const struct tc_wait *w,
	tc_winscope_entry_fn *entry, void *ctx, struct tc_err *err);

typedef void tc_winscope_moved_fn(void *ctx, int64_t bytes);

/* A regular file, to a descriptor, with how many bytes have moved, now and then. */
int tc_winscope_pull(struct tc_winscope *d, const char *path, int fd,
	tc_winscope_moved_fn *moved, void *ctx, const struct tc_wait *w, int64_t *bytes,
	struct tc_err *err);

/* ---- targets that the proxy keeps ---- */

/*
 * The proxy has the device run `start`, and then `stop`: when it is told to, when
 * nobody asks for five seconds whether it is alive, and when the device loses it. In
 * `stop`, "$TC_STARTED" names the file with what `start` printed. An id is made of
 * letters, digits, dots, dashes and underscores. Other calls with this device ask
 * for what it keeps before they begin, where nobody did for a second. *out (ended by
 * free) is what the command printed, of both outputs. 0 with the status of `start`,
 * or -1.
 */
int tc_winscope_start(struct tc_winscope *d, const char *id, const char *start,
	const char *stop, const struct tc_wait *w, int *status, char **out,
	struct tc_err *err);

/* Whether it is kept: 1 or 0, or -1. To be asked once a second. */
int tc_winscope_alive(struct tc_winscope *d, const char *id, const struct tc_wait *w,
	struct tc_err *err);

/* Has it stopped, or finds that it was: 0 with the status of `stop`, or -1. */
int tc_winscope_stop(struct tc_winscope *d, const char *id, const struct tc_wait *w,
	int *status, char **out, struct tc_err *err);

#endif
