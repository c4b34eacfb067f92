/* "usb:[SERIAL]" and "usb:PORT": adbd at a USB port, without an adb server. */
#include <stdlib.h>
#include <string.h>

#include "device/priv.h"
#include "err/err.h"
#include "usb/usb.h"

enum { SERVER_MS = 500 };

/* ---- the wire that adb's messages go over ---- */

struct usb_wire {
	struct tc_adb_wire base;
	struct tc_usb *usb; /* owned */
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
	tc_usb_close(usb_of(w));
	free(w);
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
new_wire(struct tc_usb *usb)
{
	struct usb_wire *w = tc_mem_calloc(1, sizeof(*w));

	w->base.ops = &wire_ops;
	w->base.has_leftovers = true;
	w->usb = usb;
	return &w->base;
}

/* ---- devices ---- */

/* Whether an adb server that runs has this device, asked in passing. */
static bool
server_has(const char *serial, struct tc_arena *arena)
{
	struct tc_wait w = tc_wait_for(SERVER_MS);
	struct tc_adb_server server;
	struct tc_adb_info *list;
	struct tc_err err;
	size_t i, count;

	if (!serial || tc_adb_server_get(&server, &err) < 0 ||
		tc_adb_server_list(&server, &w, arena, &list, &count, &err) < 0)
		return false;
	for (i = 0; i < count; i++)
		if (strcmp(list[i].serial, serial) == 0)
			return true;
	return false;
}

/* Somebody else has it: says who, and the way that is open then. */
static int
tell_who_has(const char *rest, struct tc_err *err)
{
	struct tc_arena arena = { 0 };
	struct tc_usb_info *list;
	struct tc_err why;
	const char *serial;
	size_t count;

	if (tc_usb_list(rest, &arena, &list, &count, &why) == 0 && count == 1) {
		serial = list->serial;
		if (server_has(serial, &arena))
			tc_err_named(err, TC_AGAIN, "busy",
				"usb:%s: the adb server has it: use adb:%s, or end that "
				"server (adb kill-server)",
				list->name, serial);
		else
			tc_err_named(err, TC_AGAIN, "busy",
				"usb:%s: another program has it (an adb server, Android "
				"Studio, a browser?)",
				list->name);
	}
	tc_arena_release(&arena);
	return -1;
}

static int
open_usb(struct tc_device *d, const char *rest, const struct tc_wait *w,
	struct tc_err *err)
{
	struct tc_device_asking asking;
	const struct tc_adb_ask *ask;
	struct tc_usb *usb;
	struct tc_adb *adb;
	char *name;

	if (tc_usb_open(&usb, rest, w, err) < 0)
		return strcmp(tc_err_what(err), "busy") == 0 ? tell_who_has(rest, err)
							     : -1;
	name = tc_device_join("usb:", tc_usb_name(usb));
	ask = tc_device_ask(&asking, name);
	if (tc_adb_open_wire(&adb, new_wire(usb), ask, w, err) < 0) {
		tc_err_add(err, "%s", name);
		free(name);
		return -1;
	}
	if (!tc_adb_is_usable(tc_adb_state(adb))) {
		tc_device_not_usable(name, tc_adb_state(adb), err);
		tc_adb_close(adb);
		free(name);
		return -1;
	}
	d->name = name;
	d->adb = adb;
	d->caps = tc_device_adb_caps(adb) | TC_DEVICE_IS_EXCLUSIVE;
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

static int
wait_usb(const char *rest, const struct tc_wait *w, struct tc_err *err)
{
	return tc_usb_wait(rest, w, err);
}

const struct tc_device_way tc_device_usb = {
	.prefix = "usb:",
	.find = find,
	.open = open_usb,
	.wait = wait_usb,
};
