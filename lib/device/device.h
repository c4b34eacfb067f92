#ifndef TC_DEVICE_DEVICE_H
#define TC_DEVICE_DEVICE_H
/*
 * device: what the tools do with a device, whichever way it is reached.
 *
 * Names: "adb:" is the only device of the local adb server (ANDROID_SERIAL
 * chooses), "adb:SERIAL" one of its devices, "tcp:HOST[:PORT]" goes straight to
 * adbd (port 5555; an IPv6 address stands in brackets), "usb:" is the only device at
 * a USB port, "usb:SERIAL" or "usb:BUS-PORT" one of them; these two with the keys of
 * adb where the device asks for one. "winscope:http://HOST:PORT" is the only device of
 * a Winscope proxy, with "/SERIAL" behind it one of several.
 *
 * A device and all that was started on it belong to one thread. Every call that
 * waits takes a struct tc_wait; NULL is 10 seconds for an answer, and for
 * transfers a minute without a byte.
 *
 * Errors are 69 not_found, ambiguous (with the candidates), offline, gone (the
 * device was lost), no_server, unsupported; 75 busy, timed_out, interrupted; 76 protocol;
 * 77 unauthorized, no_permission; tc_err_what gives these words. Texts begin alike for
 * each, whatever the way: tests/failures.bats has the table. After "gone" and
 * "protocol" a device is good for nothing but tc_device_close. After
 * "timed_out" and "interrupted" it can be used again, unless "gone" says
 * otherwise.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mem/mem.h"
#include "wait/wait.h"

struct tc_err;
struct tc_device;

/* ---- finding ---- */

/* Texts live in the arena that was given; NULL is not known. */
struct tc_device_info {
	const char *name;  /* for tc_device_open */
	const char *state; /* "device", "recovery", "offline", "unauthorized", ... */
	const char *serial, *model, *product;
	bool is_usable; /* tc_device_open takes it */
};

/*
 * The devices that this name can mean: "" and "adb:" all of the adb server, others that
 * name none all of their way, and the rest the one, or it is not_found. Usable or not;
 * in the order in which their server has them. 0, or -1.
 */
int tc_device_find(const char *name, const struct tc_wait *w, struct tc_arena *arena,
	struct tc_device_info **list, size_t *count, struct tc_err *err);

/* ---- opening ---- */

/* What a device can do, and what its ways are. */
enum tc_device_cap {
	TC_DEVICE_HAS_STDERR = 1, /* apart from standard output */
	TC_DEVICE_HAS_STDIN = 2,  /* a command can be given some, and sees its end */
	TC_DEVICE_HAS_FILES = 4,  /* stat, list_dir, pull */
	TC_DEVICE_HAS_PUSH = 8,
	TC_DEVICE_HAS_WIDE_SIZES = 16, /* of files; else modulo 2^32 */
	TC_DEVICE_IS_EXCLUSIVE = 32,   /* nobody else can have it open meanwhile */
	TC_DEVICE_KEEPS_TARGETS = 64,  /* tc_device_start, _alive, _stop */
};

/*
 * When a device knows none of our keys, a person has to accept one on its screen, and
 * somebody has to tell that person: this function does, with the name of the device
 * and a text. It is for the whole process, set before any device is opened, and called
 * from whichever thread opens one, but not twice at a time; it opens none itself.
 * Without it, such a device is "unauthorized" at once. wait_ms is how long opening
 * then takes at most, on top of its struct tc_wait.
 */
typedef void tc_device_asked_fn(void *ctx, const char *device, const char *text);
void tc_device_on_asked(tc_device_asked_fn *asked, void *ctx, int wait_ms);

/*
 * The same as a note of this tool, whose command line stays where it is; and for as
 * long as TC_AUTH_WAIT says (120s), with 0 not at all. A value that is no time ends
 * the process.
 */
struct tc_cli;
void tc_device_tell(struct tc_cli *cli);

/*
 * While the device is busy, tries again for ten seconds. The name is that of
 * the -d option; *w is for all of it. 0, or -1 with *d untouched.
 */
int tc_device_open(struct tc_device **d, const char *name, const struct tc_wait *w,
	struct tc_err *err);
void tc_device_close(struct tc_device *d);

/*
 * Before a device that was lost, or never there, is opened again: until it may be
 * there, as far as that is told, or a moment has passed. 0, or -1.
 */
int tc_device_wait(const char *name, const struct tc_wait *w, struct tc_err *err);

/*
 * Whether a device at a USB port that the adb server has is asked of that server,
 * which gets it back when it is closed. Holds for all that are opened after this.
 */
void tc_device_take(bool takes);

/* What to put into records: the name in full. Lives as long as *d. */
const char *tc_device_name(const struct tc_device *d);

/* Of enum tc_device_cap. */
unsigned tc_device_caps(const struct tc_device *d);

/*
 * How much of a name is that of a server which does one thing at a time, for all its
 * devices: who asks it meanwhile waits, and may give up. 0: there is none.
 */
size_t tc_device_queue(const char *name);

/* ---- commands, run by the device's shell ---- */

/* What a command is given; NULL for nothing. */
struct tc_device_input {
	const void *bytes; /* to its standard input: TC_DEVICE_HAS_STDIN */
	size_t len;
};

/* Both texts are owned, with a NUL behind them that is not counted. */
struct tc_device_result {
	int status; /* 0 to 255; killed by a signal: 128 and its number */
	char *out, *err;
	size_t out_len, err_len;
};

/* Of out and err together; more is TC_DATA "too_long". */
enum { TC_DEVICE_RESULT_MAX = 16 << 20 };

/*
 * Runs a command to its end. 0 when its status is known, whatever it is; or -1,
 * with *result untouched. Ending the wait does not end the command.
 */
int tc_device_run(struct tc_device *d, const char *command,
	const struct tc_device_input *in, const struct tc_wait *w,
	struct tc_device_result *result, struct tc_err *err);
void tc_device_result_release(struct tc_device_result *result);

/* A command that is kept running. */
struct tc_device_job;

struct tc_device_piece {
	enum { TC_DEVICE_OUT, TC_DEVICE_ERR } from;
	const char *bytes; /* valid until the next call with this device */
	size_t len;        /* at least 1 */
};

int tc_device_spawn(struct tc_device *d, const char *command,
	const struct tc_device_input *in, const struct tc_wait *w,
	struct tc_device_job **job, struct tc_err *err);

/*
 * The next of what it prints: 1 and *piece; or 0 when it has ended, and then
 * its status; or -1. "timed_out" and "interrupted" lose nothing: call again. What
 * has come is given even when the wait is over.
 */
int tc_device_job_next(struct tc_device_job *job, const struct tc_wait *w,
	struct tc_device_piece *piece, int *status, struct tc_err *err);

/*
 * To poll for reading together with others. After any other call with the
 * device, and when poll says so, call tc_device_job_next with a wait that is
 * over (tc_wait_for(-1)) until it has nothing more.
 */
int tc_device_job_fd(const struct tc_device_job *job);

/* A command that still runs gets a hangup, if its device can do that. */
void tc_device_job_close(struct tc_device_job *job);

/* ---- files ---- */

struct tc_device_stat {
	uint32_t mode; /* type and permissions, as Linux has them */
	int64_t size;  /* in bytes; modulo 2^32 without TC_DEVICE_HAS_WIDE_SIZES */
	int64_t mtime; /* in seconds since 1970 */
};

/* Follows links where the device can: 1, or 0 when there is no such file, or -1. */
int tc_device_stat(struct tc_device *d, const char *path, const struct tc_wait *w,
	struct tc_device_stat *st, struct tc_err *err);

struct tc_device_entry {
	const char *name;         /* in the arena; never "." or ".." */
	struct tc_device_stat st; /* of a link itself */
};

/*
 * What is in a directory, in the device's order, in the arena: 1, or 0 when it
 * is not there, or -1. More than a command may print is TC_DATA "too_long", too.
 */
int tc_device_list_dir(struct tc_device *d, const char *path, const struct tc_wait *w,
	struct tc_arena *arena, struct tc_device_entry **list, size_t *count,
	struct tc_err *err);

/* Called now and then while bytes move, with how many have. */
struct tc_device_progress {
	void (*moved)(void *ctx, int64_t bytes); /* may be NULL */
	void *ctx;
};

/*
 * All bytes of a file, written to fd from where that stands. 0 when the device
 * has said that these are all, and *bytes is how many; or -1: TC_NOINPUT
 * "not_found", TC_DENIED "no_permission", TC_IO. What came before a failure has
 * been written. Whether the file was still growing is for the caller to see
 * (stat before and after).
 */
int tc_device_pull(struct tc_device *d, const char *path, int fd,
	const struct tc_device_progress *progress, const struct tc_wait *w,
	int64_t *bytes, struct tc_err *err);

/*
 * What can be read from fd becomes the file, with permissions (0644) and time of
 * change (seconds since 1970). 0, with how many bytes the device has, or -1.
 */
int tc_device_push(struct tc_device *d, int fd, const char *path, uint32_t mode,
	int64_t mtime, const struct tc_device_progress *progress, const struct tc_wait *w,
	int64_t *bytes, struct tc_err *err);

/* ---- targets that the transport runs itself: TC_DEVICE_KEEPS_TARGETS ---- */

/*
 * Runs `start`, and has the transport run `stop`: when it is told to, when nobody
 * asks for some seconds whether it is alive, and when it loses the device. In `stop`,
 * "$TC_STARTED" names a file with what `start` printed. An id is letters, digits,
 * dots, dashes and underscores, and serves only once. 0 with what came of `start`,
 * after which a status other than 0 means that nothing is kept; or -1. Here and when
 * it is stopped, w NULL is a minute.
 */
int tc_device_start(struct tc_device *d, const char *id, const char *start,
	const char *stop, const struct tc_wait *w, struct tc_device_result *result,
	struct tc_err *err);

/* To be asked once a second: 1; 0 when it has been stopped; or -1. */
int tc_device_alive(
	struct tc_device *d, const char *id, const struct tc_wait *w, struct tc_err *err);

/* Stops it, or finds that it was: 0 with what came of `stop`, or -1. */
int tc_device_stop(struct tc_device *d, const char *id, const struct tc_wait *w,
	struct tc_device_result *result, struct tc_err *err);

/* As one word of a shell's command line: quoted, in the arena. */
const char *tc_device_quote(struct tc_arena *arena, const char *text);

#endif
