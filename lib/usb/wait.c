/* Until a device comes. */
#include "usb/priv.h"

enum { AGAIN_MS = 1000, DESCRIPTORS = 4 };

static int LIBUSB_CALL
has_come(libusb_context *context, libusb_device *device, libusb_hotplug_event event,
	void *ctx)
{
	(void)context;
	(void)device;
	(void)event;
	*(bool *)ctx = true;
	return 0;
}

/* Waits for what libusb waits for, and lets it see what came. */
static int
turn(libusb_context *context, const struct tc_wait *w, struct tc_err *err)
{
	const struct libusb_pollfd **all = libusb_get_pollfds(context);
	struct pollfd fds[DESCRIPTORS];
	struct timeval now = { 0, 0 };
	size_t count = 0;

	for (; all && all[count] && count < DESCRIPTORS; count++)
		fds[count] = (struct pollfd){ all[count]->fd, all[count]->events, 0 };
	libusb_free_pollfds(all);
	if (tc_wait_poll(fds, count, w, err) < 0)
		return -1;
	libusb_handle_events_timeout_completed(context, &now, NULL);
	return 0;
}

/* One that is there already, and could not be opened: trying again is worth a second. */
static bool
is_there(libusb_context *context, const char *which)
{
	struct tc_usb_places places = { 0 };
	struct tc_err err;
	bool found = false;
	size_t i;

	if (tc_usb_look(context, &places, &err) == 0)
		for (i = 0; i < places.count; i++)
			found = found || tc_usb_is_meant(&places.list[i], which);
	tc_usb_places_release(&places);
	return found;
}

static bool
listen(libusb_context *context, bool *came)
{
	return libusb_has_capability(LIBUSB_CAP_HAS_HOTPLUG) &&
		libusb_hotplug_register_callback(context,
			LIBUSB_HOTPLUG_EVENT_DEVICE_ARRIVED, LIBUSB_HOTPLUG_NO_FLAGS,
			LIBUSB_HOTPLUG_MATCH_ANY, LIBUSB_HOTPLUG_MATCH_ANY,
			LIBUSB_HOTPLUG_MATCH_ANY, has_come, came, NULL) == 0;
}

int
tc_usb_wait(const char *which, const struct tc_wait *w, struct tc_err *err)
{
	libusb_context *context;
	bool came = false, hears;
	int r = libusb_init(&context);

	if (r < 0)
		return tc_usb_failed(r, "USB", err);
	/* In this order, or one that comes in between would not be seen. */
	hears = listen(context, &came);
	if (!hears || is_there(context, which))
		r = tc_wait_sleep(AGAIN_MS, w, err);
	else
		while (r == 0 && !came)
			r = turn(context, w, err);
	libusb_exit(context);
	return r;
}
