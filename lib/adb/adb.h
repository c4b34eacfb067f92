#ifndef TC_ADB_ADB_H
#define TC_ADB_ADB_H
/*
 * adb: byte streams to the services of an Android device.
 *
 * A device is reached through an adb server, or straight over TCP; a stream
 * looks the same either way. There is no half-close: ending a stream ends both
 * directions, and the end of a stream says nothing about success.
 *
 * Errors are those of lib/device/device.h. Every call that waits takes a
 * struct tc_wait.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mem/mem.h"
#include "wait/wait.h"

struct tc_err;

/* ---- the adb server ---- */

struct tc_adb_server {
	bool is_local, is_abstract; /* a socket with a path, or of Linux's name space */
	char host[256];             /* "": this machine */
	char port[8];
	char path[108];
};

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

/* What its answers to host:devices and host:devices-l say; `details` may be empty. */
void tc_adb_server_parse(struct tc_str devices, struct tc_str details,
	struct tc_arena *arena, struct tc_adb_info **list, size_t *count);

/* Whether a device in this state can be worked with. */
bool tc_adb_is_usable(const char *state);

/* ---- a device ---- */

struct tc_adb;

/* Device `serial` of the server, which has to be in its list. 0, or -1. */
int tc_adb_open_server(struct tc_adb **a, const struct tc_adb_server *server,
	const char *serial, const struct tc_wait *w, struct tc_err *err);
void tc_adb_close(struct tc_adb *a);

/* Whether the device announced it. */
bool tc_adb_has(const struct tc_adb *a, const char *feature);

#endif
