#ifndef TC_USB_USB_H
#define TC_USB_USB_H
/*
 * usb: messages of adb to and from a device at a USB port, through libusb, which
 * only this module knows.
 *
 * Over USB a message is two transfers, its head of 24 bytes and its payload, and
 * how much to read is only known from the head. So this module reads the lengths in
 * heads; what else they say is the business of lib/adb. Until the device has said
 * its first word (CNXN, AUTH or STLS), whatever arrives is left over from somebody
 * who used it before, and dropped, and so is such a word that it says before it was
 * sent anything.
 *
 * Threads: one for each open device runs libusb, submits all transfers and gets
 * all that completes. The caller's thread, always the same, takes from a queue of
 * received bytes and adds to a queue of messages to be sent, both under one lock,
 * and polls tc_usb_fd. Buffers of received bytes belong to the device; what peek
 * shows is lent until eat.
 *
 * Errors have the words of lib/device/device.h.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "mem/mem.h"
#include "wait/wait.h"

struct tc_err;
struct tc_usb;

/* ---- finding ---- */

struct tc_usb_info {
	const char *name;   /* its serial number, or if others have that too, its port */
	const char *serial; /* NULL: it has none that can be written as one word */
	const char *port;   /* "1-2.3": bus and ports, the same after a replug */
	const char *product;
	enum { TC_USB_FREE, TC_USB_DENIED, TC_USB_BUSY, TC_USB_FAILED } state;
};

/*
 * The devices with an adb interface, or those of them that `which` means: a
 * serial number or a port, and none is not_found; "" is all. In the arena. 0, or -1.
 */
int tc_usb_list(const char *which, struct tc_arena *arena, struct tc_usb_info **list,
	size_t *count, struct tc_err *err);

/*
 * Until any device comes, which may be the one that is meant: 0, or -1. When that is
 * there already, or libusb cannot tell what comes, a second passes.
 */
int tc_usb_wait(const char *which, const struct tc_wait *w, struct tc_err *err);

/* ---- a device ---- */

enum { TC_USB_HEAD = 24, TC_USB_PAYLOAD_MAX = 1 << 20 };

/*
 * The only one that `which` means; nobody else can have its interface before it is
 * closed. 0, or -1: "not_found", "ambiguous", "no_permission", "busy", "gone".
 */
int tc_usb_open(struct tc_usb **u, const char *which, const struct tc_wait *w,
	struct tc_err *err);

/* Sends what waits, but not for long: a message that was begun has to be ended. */
void tc_usb_close(struct tc_usb *u);

/* Its serial number, or if that does not tell it from others, its port. */
const char *tc_usb_name(const struct tc_usb *u);

/*
 * To poll for reading, when fill or send have just had nothing: of what happened
 * before those calls it says nothing.
 */
int tc_usb_fd(const struct tc_usb *u);

/*
 * Received bytes where they are, valid until fill or eat: a head, or a payload, or
 * of one with more than 256 KiB a part.
 */
size_t tc_usb_peek(const struct tc_usb *u, const uint8_t **bytes);
void tc_usb_eat(struct tc_usb *u, size_t n);

/*
 * 1: there is more to peek at; 0: not now; -1: there will be none, "gone" or
 * "protocol". To be called when all is eaten.
 */
int tc_usb_fill(struct tc_usb *u, struct tc_err *err);

/*
 * Copies bytes of messages, each of which is sent when it is whole: how many; or 0
 * when there is no room for any now; or -1 when the device is lost.
 */
ssize_t tc_usb_send(
	struct tc_usb *u, const struct iovec *iov, int count, struct tc_err *err);

/*
 * For a device that does not answer: resets all of it, not just its adb interface.
 * That takes place before what is sent after this call.
 */
void tc_usb_reset(struct tc_usb *u);

#endif
