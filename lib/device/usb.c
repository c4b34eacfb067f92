/* "usb:[SERIAL]" and "usb:PORT": adbd at a USB port, without an adb server. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "device/priv.h"
#include "err/err.h"
#include "usb/usb.h"

enum { SERVER_MS = 1000, LET_GO_MS = 2000, BETWEEN_MS = 100 };

static atomic_bool takes_devices;

void
tc_device_take(bool takes)
{
	takes_devices = takes;
}

/* ---- the adb server, which may have the device ---- */

static bool
server_has(const char *serial)
{
	struct tc_wait w = tc_wait_for(SERVER_MS);
	struct tc_arena arena = { 0 };
	struct tc_adb_server server;
	struct tc_adb_info *list;
	struct tc_err err;
	size_t i, count = 0;
	bool has = false;

	if (tc_adb_server_get(&server, &err) == 0 &&
		tc_adb_server_list(&server, &w, &arena, &list, &count, &err) == 0)
		for (i = 0; i < count; i++)
			has = has || strcmp(list[i].serial, serial) == 0;
	tc_arena_release(&arena);
	return has;
}

static int
server_hold(const char *serial, bool holds, struct tc_err *err)
{
	struct tc_wait w = tc_wait_for(SERVER_MS);
	struct tc_adb_server server;

	if (tc_adb_server_get(&server, err) < 0)
		return -1;
	return tc_adb_server_hold(&server, serial, holds, &w, err);
}

/* ---- the wire that adb's messages go over ---- */

struct usb_wire {
	struct tc_adb_wire base;
	struct tc_usb *usb; /* owned */
	char *taken;        /* owned: the serial number for the adb server, or NULL */
};

static struct tc_usb *
usb_of(const struct tc_adb_wire *w)
{
	return ((const struct usb_wire *)w)->usb;
}

static size_t
peek(const struct tc_adb_wire *w, const uint8_t **bytes)
{
	return tc_usb_peek(usb_of(w), bytes);
}

static void
eat(struct tc_adb_wire *w, size_t n)
{
	tc_usb_eat(usb_of(w), n);
}

static int
fill(struct tc_adb_wire *w, struct tc_err *err)
{
	return tc_usb_fill(usb_of(w), err);
}

static ssize_t
send_some(struct tc_adb_wire *w, struct iovec *iov, int count, struct tc_err *err)
{
	return tc_usb_send(usb_of(w), iov, count, err);
}

static int
descriptor(const struct tc_adb_wire *w)
{
	return tc_usb_fd(usb_of(w));
}

/* What has changed, room to send as well, is told by bytes to read. */
static short
events(const struct tc_adb_wire *w, bool to_read, bool to_send)
{
	(void)w;
	return to_read || to_send ? POLLIN : 0;
}

static void
reset_wire(struct tc_adb_wire *w)
{
	tc_usb_reset(usb_of(w));
}

static void
close_wire(struct tc_adb_wire *w)
{
	struct usb_wire *u = (struct usb_wire *)w;
	struct tc_err err;

	tc_usb_close(u->usb);
	/* A server that has ended meanwhile needs nothing back. */
	if (u->taken)
		server_hold(u->taken, true, &err);
	free(u->taken);
	free(u);
}

static const struct tc_adb_wire_ops wire_ops = {
	.peek = peek,
	.eat = eat,
	.fill = fill,
	.send = send_some,
	.fd = descriptor,
	.events = events,
	.reset = reset_wire,
	.close = close_wire,
};

static struct tc_adb_wire *
new_wire(struct tc_usb *usb, char *taken)
{
	struct usb_wire *w = tc_mem_calloc(1, sizeof(*w));

	w->base.ops = &wire_ops;
	w->base.has_leftovers = true;
	w->usb = usb;
	w->taken = taken;
	return &w->base;
}

/* ---- devices ---- */

/* Its serial number, when there is one that means it and nothing else; owned. */
static char *
serial_of(const char *rest)
{
	struct tc_arena arena = { 0 };
	struct tc_usb_info *list;
	struct tc_err err;
	size_t count;
	char *serial = NULL;

	if (tc_usb_list(rest, &arena, &list, &count, &err) == 0 && count == 1 &&
		list->serial && strcmp(list->serial, list->name) == 0)
		serial = tc_device_join("", list->serial);
	tc_arena_release(&arena);
	return serial;
}

/* The server lets go of it: it is ours then, or the server's again. */
static int
take(struct tc_usb **usb, const char *serial, const struct tc_wait *w, struct tc_err *err)
{
	struct tc_wait patience = tc_wait_at_most(w, LET_GO_MS);
	struct tc_err why;
	int r;

	if (server_hold(serial, false, &why) < 0)
		return tc_err_named(err, TC_AGAIN, "busy",
			"%s is busy: the adb server has it and does not let go of it "
			"(%s): "
			"use adb:%s, or end that server (adb kill-server)",
			serial, why.msg, serial);
	/* It does so in a thread of its own, when it comes to that. */
	while ((r = tc_usb_open(usb, serial, w, err)) < 0 &&
		strcmp(tc_err_what(err), "busy") == 0)
		if (tc_wait_sleep(BETWEEN_MS, &patience, &why) < 0)
			break;
	if (r < 0)
		server_hold(serial, true, &why);
	return r;
}

/*
 * Somebody else has it: takes it, *taken what the server calls it, or says who has
 * it and which way is open then.
 */
static int
open_busy(struct tc_usb **usb, const char *rest, char **taken, const struct tc_wait *w,
	struct tc_err *err)
{
	char *serial = serial_of(rest);
	bool has = serial && server_has(serial);
	int r = -1;

	if (has && takes_devices)
		r = take(usb, serial, w, err);
	else if (has)
		tc_err_named(err, TC_AGAIN, "busy",
			"%s is busy: the adb server has it: use adb:%s, or --take, or "
			"end "
			"that server (adb kill-server)",
			serial, serial);
	if (r == 0)
		*taken = serial;
	else
		free(serial);
	return r;
}

static int
open_usb(struct tc_device *d, const char *rest, const struct tc_wait *w,
	struct tc_err *err)
{
	struct tc_device_asking asking;
	const struct tc_adb_ask *ask;
	struct tc_usb *usb;
	struct tc_adb *adb = NULL;
	char *name, *taken = NULL;
	int r = tc_usb_open(&usb, rest, w, err);

	if (r < 0 && strcmp(tc_err_what(err), "busy") == 0)
		r = open_busy(&usb, rest, &taken, w, err);
	if (r < 0)
		return -1;
	name = tc_device_join("usb:", tc_usb_name(usb));
	ask = tc_device_ask(&asking, name);
	tc_adb_open_wire(&adb, new_wire(usb, taken), ask, w, err);
	if (tc_device_use_adb(d, name, adb, err) < 0)
		return -1;
	d->caps |= TC_DEVICE_IS_EXCLUSIVE;
	return 0;
}

/* Nothing is asked of them: that would take them from whoever has them. */
static int
find(const char *rest, const struct tc_wait *w, struct tc_arena *arena,
	struct tc_device_info **list, size_t *count, struct tc_err *err)
{
	static const char *const states[] = { [TC_USB_FREE] = "device",
		[TC_USB_DENIED] = "no permissions",
		[TC_USB_BUSY] = "busy",
		[TC_USB_FAILED] = "offline" };
	struct tc_usb_info *found;
	struct tc_device_info *info;
	char *name;
	size_t i;

	(void)w;
	if (tc_usb_list(rest, arena, &found, count, err) < 0)
		return -1;
	*list = tc_arena_calloc(arena, (*count + 1) * sizeof(**list));
	for (i = 0; i < *count; i++) {
		info = &(*list)[i];
		name = tc_device_join("usb:", found[i].name);
		info->name = tc_arena_dup(arena, name, strlen(name));
		free(name);
		info->state = states[found[i].state];
		info->serial = found[i].serial ? found[i].serial : found[i].port;
		info->model = found[i].product;
		info->is_usable = found[i].state == TC_USB_FREE;
	}
	return 0;
}

const struct tc_device_way tc_device_usb = {
	.prefix = "usb:",
	.find = find,
	.open = open_usb,
	.wait = tc_usb_wait,
};
