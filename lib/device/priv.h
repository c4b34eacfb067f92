#ifndef TC_DEVICE_PRIV_H
#define TC_DEVICE_PRIV_H
/* Inside device: what stands behind a name. */
#include "adb/adb.h"
#include "device/device.h"

/* For an answer, where the caller names no time. */
enum { TC_DEVICE_ANSWER_MS = 10 * 1000 };

typedef void tc_device_entry_fn(
	void *ctx, const char *name, const struct tc_device_stat *st);

/*
 * What can be done with an open device, each as tc_device_* says; `handle` and `job`
 * are the way's own. What is NULL it cannot do, and its capabilities say so.
 */
struct tc_device_ops {
	void (*close)(void *handle);

	int (*spawn)(void *handle, const char *command, const struct tc_device_input *in,
		const struct tc_wait *w, void **job, struct tc_err *err);
	int (*job_next)(void *job, const struct tc_wait *w, struct tc_device_piece *piece,
		int *status, struct tc_err *err);
	int (*job_fd)(const void *job);
	void (*job_close)(void *job);

	int (*stat)(void *handle, const char *path, const struct tc_wait *w,
		struct tc_device_stat *st, struct tc_err *err);

	/* Of a directory that can be read, "." is an entry, too. */
	int (*list)(void *handle, const char *path, const struct tc_wait *w,
		tc_device_entry_fn *entry, void *ctx, struct tc_err *err);
	int (*pull)(void *handle, const char *path, int fd,
		const struct tc_device_progress *progress, const struct tc_wait *w,
		int64_t *bytes, struct tc_err *err);
	int (*push)(void *handle, int fd, const char *path, uint32_t mode, int64_t mtime,
		const struct tc_device_progress *progress, const struct tc_wait *w,
		int64_t *bytes, struct tc_err *err);

	/* *out is owned by the caller then. */
	int (*start)(void *handle, const char *id, const char *start, const char *stop,
		const struct tc_wait *w, int *status, char **out, struct tc_err *err);
	int (*alive)(void *handle, const char *id, const struct tc_wait *w,
		struct tc_err *err);
	int (*stop)(void *handle, const char *id, const struct tc_wait *w, int *status,
		char **out, struct tc_err *err);
};

/* One way to devices, for names that begin with `prefix`; `rest` is behind that. */
struct tc_device_way {
	const char *prefix;
	int (*find)(const char *rest, const struct tc_wait *w, struct tc_arena *arena,
		struct tc_device_info **list, size_t *count, struct tc_err *err);

	/* How much of it is what tc_device_queue says; NULL: nothing. */
	size_t (*queue)(const char *rest);

	/* Fills in all but `way`. "busy" is tried again. */
	int (*open)(struct tc_device *d, const char *rest, const struct tc_wait *w,
		struct tc_err *err);

	/*
	 * Until trying to open it may help; NULL where nobody tells. When it is there
	 * already, a second.
	 */
	int (*wait)(const char *rest, const struct tc_wait *w, struct tc_err *err);
};

struct tc_device {
	const struct tc_device_way *way;
	char *name; /* owned */
	unsigned caps;
	const struct tc_device_ops *ops;
	void *handle; /* owned, ended by ops->close */
};

extern const struct tc_device_way tc_device_server, tc_device_tcp, tc_device_usb,
	tc_device_winscope;

/* It is this one from now on, with what that announced that it can do. */
void tc_device_is_adb(struct tc_device *d, struct tc_adb *adb);

/*
 * The same with the adbd that a way has just opened, if it can be worked with; adb NULL:
 * that failed, and *err says why. Both name and adb are owned here. 0, or -1.
 */
int tc_device_use_adb(
	struct tc_device *d, char *name, struct tc_adb *adb, struct tc_err *err);

/*
 * The usable one of several: `wanted`, or the only one. `whose` they are and how to
 * choose are for messages. Lives as long as the list. 0, or -1.
 */
struct tc_device_choice {
	const struct tc_device_info *list;
	size_t count;
	const char *wanted; /* a serial number; NULL or "": the only one */
	const char *whose, *how;
};
int tc_device_choose(
	const struct tc_device_choice *c, const char **serial, struct tc_err *err);

/* Keeps of a list those that are `wanted`, "" all. 0, or -1: there is none. */
int tc_device_narrow(const char *wanted, const char *whose, struct tc_device_info *list,
	size_t *count, struct tc_err *err);

/* How the device of this name, which stays where it is, is asked for its trust. */
struct tc_device_asking {
	struct tc_adb_ask ask;
	const char *name;
};

/* For tc_adb_open_*: NULL when nobody would be told to accept a key. */
const struct tc_adb_ask *tc_device_ask(struct tc_device_asking *a, const char *name);

/* Sets *err from a state that commands and files have to wait for; returns -1. */
int tc_device_not_usable(const char *name, const char *state, struct tc_err *err);

/* Puts in front of what kept it from being opened what that makes it; returns -1. */
int tc_device_not_opened(const char *name, struct tc_err *err);

/* prefix and rest in one; ended by free. */
char *tc_device_join(const char *prefix, const char *rest);

#endif
