#ifndef TC_ADB_PRIV_H
#define TC_ADB_PRIV_H
/* Inside adb: sockets, and the two ways to a device. */
#include <sys/types.h>

#include "adb/adb.h"

/* ---- sockets: none of them blocks, all close on exec ---- */

/* The descriptor, or -1. A refusal is TC_NOSERVICE with errno in err->sys. */
int tc_adb_connect_tcp(
	const char *host, const char *port, const struct tc_wait *w, struct tc_err *err);
int tc_adb_connect_server(
	const struct tc_adb_server *server, const struct tc_wait *w, struct tc_err *err);

/* Waits for something, at least one byte: how much, 0 at the end, or -1. */
ssize_t tc_adb_recv(
	int fd, void *buf, size_t cap, const struct tc_wait *w, struct tc_err *err);

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

/* ---- devices ---- */

struct tc_adb {
	char *features; /* owned; separated by commas */
	struct tc_adb_server server;
	char *serial; /* owned */
};

#endif
