/* Opening a device, and what libusb says when that fails. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "usb/priv.h"

enum { SETTLE_MS = 1000, AGAIN_MS = 100, CANDIDATES = 200 };

int
tc_usb_gone(struct tc_err *err, const char *why)
{
	return tc_err_named(err, TC_NOSERVICE, "gone", "the device was lost%s", why);
}

int
tc_usb_failed(int code, const char *doing, struct tc_err *err)
{
	if (code == LIBUSB_ERROR_NO_DEVICE || code == LIBUSB_ERROR_NOT_FOUND)
		return tc_usb_gone(err, "");
	return tc_err_set(err, TC_IO, "%s: %s", doing, libusb_strerror(code));
}

static int
denied(const struct tc_usb_place *place, struct tc_err *err)
{
	return tc_err_named(err, TC_DENIED, "no_permission",
		"%.60s may not be used: no permission for it at %s; as root, write this "
		"line "
		"into /etc/udev/rules.d/51-android.rules, run udevadm control --reload "
		"and plug it in again: SUBSYSTEM==\"usb\", ENV{DEVTYPE}==\"usb_device\", "
		"ENV{ID_USB_INTERFACES}==\"*:ff4201:*\", MODE=\"0660\", "
		"GROUP=\"plugdev\", TAG+=\"uaccess\"",
		*place->serial ? place->serial : place->port, place->port);
}

/* What libusb said of the device itself. */
static int
not_opened(int code, const struct tc_usb_place *place, struct tc_err *err)
{
	const char *name = *place->serial ? place->serial : place->port;

	switch (code) {
	case LIBUSB_ERROR_ACCESS: return denied(place, err);
	case LIBUSB_ERROR_BUSY:
		return tc_err_named(err, TC_AGAIN, "busy",
			"%s is busy: another program has it (an adb server, Android "
			"Studio, a browser?)",
			name);
	case LIBUSB_ERROR_NO_DEVICE:
		return tc_err_named(err, TC_NOSERVICE, "gone",
			"the device was lost, or /dev/bus/usb has no %s here, as in a "
			"container",
			name);
	default: break;
	}
	tc_usb_failed(code, "open", err);
	return tc_err_add(err, "%s", name);
}

int
tc_usb_prepare(const struct tc_usb_place *place, libusb_device_handle *handle)
{
	int r = 0;

	if (place->setting)
		r = libusb_set_interface_alt_setting(
			handle, place->interface, place->setting);
	/* Whoever used it before may have left an endpoint halted. */
	if (r == 0)
		r = libusb_clear_halt(handle, place->in);
	if (r == 0)
		r = libusb_clear_halt(handle, place->out);
	return r;
}

int
tc_usb_claim(const struct tc_usb_place *place, libusb_device_handle **handle)
{
	int r = libusb_open(place->device, handle);

	if (r < 0)
		return r;
	libusb_set_auto_detach_kernel_driver(*handle, 1);
	r = libusb_claim_interface(*handle, place->interface);
	if (r == 0)
		r = tc_usb_prepare(place, *handle);
	if (r < 0) {
		libusb_close(*handle);
		*handle = NULL;
	}
	return r;
}

/* ---- which ---- */

static void
write_candidates(
	const struct tc_usb_places *places, const char *which, char text[CANDIDATES])
{
	const struct tc_usb_place *p;
	size_t i, len = 0;

	text[0] = '\0';
	for (i = 0; i < places->count && len < CANDIDATES; i++) {
		p = &places->list[i];
		if (!tc_usb_is_meant(p, which))
			continue;
		len += (size_t)snprintf(text + len, CANDIDATES - len, "%susb:%s%s%s%s",
			len ? ", " : "", tc_usb_name_of(places, p),
			*p->product ? " (" : "", p->product, *p->product ? ")" : "");
	}
}

int
tc_usb_not_found(
	const struct tc_usb_places *places, const char *which, struct tc_err *err)
{
	char others[CANDIDATES];

	if (!*which)
		return tc_err_named(err, TC_NOSERVICE, "not_found",
			"there is no device: none at a USB port has adb (is USB "
			"debugging on?)");
	write_candidates(places, "", others);
	return tc_err_named(err, TC_NOSERVICE, "not_found",
		"there is no device %s: with adb at USB ports there is %s", which,
		*others ? others : "none");
}

static int
choose(const struct tc_usb_places *places, const char *which,
	const struct tc_usb_place **chosen, struct tc_err *err)
{
	char others[CANDIDATES];
	size_t i, count = 0;

	for (i = 0; i < places->count; i++)
		if (tc_usb_is_meant(&places->list[i], which)) {
			*chosen = &places->list[i];
			count++;
		}
	if (count == 1)
		return 0;
	if (!count)
		return tc_usb_not_found(places, which, err);
	write_candidates(places, which, others);
	return tc_err_named(err, TC_NOSERVICE, "ambiguous",
		"several devices (-d chooses): %s", others);
}

/* ---- one ---- */

/* Right after it came, its file is there before udev has set its permissions. */
static int
claim_patiently(const struct tc_usb_place *place, libusb_device_handle **handle,
	const struct tc_wait *w, struct tc_err *err)
{
	struct tc_wait patience = tc_wait_at_most(w, SETTLE_MS);
	struct tc_err why;
	int r;

	while ((r = tc_usb_claim(place, handle)) == LIBUSB_ERROR_ACCESS)
		if (tc_wait_sleep(AGAIN_MS, &patience, &why) < 0)
			break;
	return r < 0 ? not_opened(r, place, err) : 0;
}

static int
open_chosen(
	struct tc_usb *u, const char *which, const struct tc_wait *w, struct tc_err *err)
{
	struct tc_usb_places places = { 0 };
	const struct tc_usb_place *place = NULL;
	int r = tc_usb_look(u->context, &places, err);

	if (r == 0)
		r = choose(&places, which, &place, err);
	if (r == 0)
		r = claim_patiently(place, &u->handle, w, err);
	if (r == 0) {
		u->place = *place;
		libusb_ref_device(u->place.device);
		snprintf(u->name, sizeof(u->name), "%s", tc_usb_name_of(&places, place));
	}
	tc_usb_places_release(&places);
	return r;
}

/* One that was lost may just have become another, as when its mode is changed. */
static int
open_one(struct tc_usb *u, const char *which, const struct tc_wait *w, struct tc_err *err)
{
	struct tc_err again;
	int r = open_chosen(u, which, w, err);

	if (r == 0 || strcmp(tc_err_what(err), "gone") != 0)
		return r;
	r = open_chosen(u, which, w, &again);
	/* libusb does not list any more what it could not open. */
	if (r < 0 && strcmp(tc_err_what(&again), "not_found") != 0)
		*err = again;
	return r;
}

static bool
new_pieces(struct tc_usb *u, size_t count, size_t size, struct tc_usb_queue *q)
{
	struct tc_usb_piece *piece;
	bool made = true;

	while (made && count--) {
		piece = tc_mem_calloc(1, sizeof(*piece));
		piece->u = u;
		piece->transfer = libusb_alloc_transfer(0);
		piece->bytes = tc_mem_alloc(size);
		tc_usb_put(q, piece);
		made = piece->transfer != NULL;
	}
	return made;
}

static void
free_pieces(struct tc_usb_queue *q)
{
	struct tc_usb_piece *piece;

	while ((piece = tc_usb_get(q))) {
		libusb_free_transfer(piece->transfer);
		free(piece->bytes);
		free(piece);
	}
}

/* Signals are for the threads of the caller. */
static int
start(struct tc_usb *u, struct tc_err *err)
{
	sigset_t all, old;
	int r;

	if (tc_wait_pipe(u->fds, err) < 0)
		return -1;
	fcntl(u->fds[0], F_SETFL, O_NONBLOCK);
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	r = pthread_create(&u->thread, NULL, tc_usb_run, u);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (r == 0)
		return 0;
	close(u->fds[0]);
	close(u->fds[1]);
	return tc_err_set(err, TC_SYSTEM, "no thread: %s", strerror(r));
}

static void
release(struct tc_usb *u)
{
	tc_usb_put(&u->ready, u->shown);
	free_pieces(&u->ready);
	free_pieces(&u->free_heads);
	free_pieces(&u->free_pieces);
	tc_usb_message_free(u->partial);
	if (u->handle) {
		libusb_release_interface(u->handle, u->place.interface);
		libusb_close(u->handle);
	}
	if (u->place.device)
		libusb_unref_device(u->place.device);
	libusb_exit(u->context);
	pthread_mutex_destroy(&u->lock);
	free(u);
}

int
tc_usb_open(
	struct tc_usb **u, const char *which, const struct tc_wait *w, struct tc_err *err)
{
	struct tc_usb *made;
	libusb_context *context;
	int r = libusb_init(&context);

	if (r < 0)
		return tc_usb_failed(r, "USB", err);
	made = tc_mem_calloc(1, sizeof(*made));
	made->context = context;
	made->waiting_end = &made->waiting;
	made->in_max = made->out_max = TC_USB_PIECE;
	pthread_mutex_init(&made->lock, NULL);
	r = open_one(made, which, w, err);
	if (r == 0 &&
		(!new_pieces(made, TC_USB_HEADS, TC_USB_PACKET, &made->free_heads) ||
			!new_pieces(
				made, TC_USB_PIECES, TC_USB_PIECE, &made->free_pieces)))
		r = tc_err_set(err, TC_SYSTEM, "no memory for USB");
	if (r == 0)
		r = start(made, err);
	if (r < 0) {
		release(made);
		return -1;
	}
	*u = made;
	return 0;
}

void
tc_usb_close(struct tc_usb *u)
{
	if (!u)
		return;
	pthread_mutex_lock(&u->lock);
	u->is_stopped = true;
	pthread_mutex_unlock(&u->lock);
	tc_usb_wake(u);
	pthread_join(u->thread, NULL);
	close(u->fds[0]);
	close(u->fds[1]);
	release(u);
}

const char *
tc_usb_name(const struct tc_usb *u)
{
	return u->name;
}
