/* Which devices there are. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "usb/priv.h"

enum { DEBUG_CLASS = 0xdc, PORTS = 7 };

static bool
is_adb(const struct libusb_interface_descriptor *d)
{
	return (d->bInterfaceClass == LIBUSB_CLASS_VENDOR_SPEC &&
		       d->bInterfaceSubClass == 0x42 && d->bInterfaceProtocol == 1) ||
		(d->bInterfaceClass == DEBUG_CLASS && d->bInterfaceSubClass == 2 &&
			d->bInterfaceProtocol == 1);
}

/* The first endpoint for each direction; false when there are not both. */
static bool
take_endpoints(const struct libusb_interface_descriptor *d, struct tc_usb_place *place)
{
	const struct libusb_endpoint_descriptor *e;
	uint16_t packet;
	int i;

	for (i = 0; i < d->bNumEndpoints; i++) {
		e = &d->endpoint[i];
		packet = e->wMaxPacketSize & 0x7ff;
		if ((e->bmAttributes & LIBUSB_TRANSFER_TYPE_MASK) !=
				LIBUSB_TRANSFER_TYPE_BULK ||
			packet < 8 || packet > TC_USB_PACKET || (packet & (packet - 1)))
			continue;
		if ((e->bEndpointAddress & LIBUSB_ENDPOINT_IN) && !place->in_packet) {
			place->in = e->bEndpointAddress;
			place->in_packet = packet;
		} else if (!(e->bEndpointAddress & LIBUSB_ENDPOINT_IN) &&
			!place->out_packet) {
			place->out = e->bEndpointAddress;
			place->out_packet = packet;
		}
	}
	return place->in_packet && place->out_packet;
}

static bool
take_interface(const struct libusb_config_descriptor *config, struct tc_usb_place *place)
{
	const struct libusb_interface *interface;
	const struct libusb_interface_descriptor *d;
	int i, j;

	for (i = 0; i < config->bNumInterfaces; i++) {
		interface = &config->interface[i];
		for (j = 0; j < interface->num_altsetting; j++) {
			d = &interface->altsetting[j];
			place->in_packet = place->out_packet = 0;
			place->interface = d->bInterfaceNumber;
			place->setting = d->bAlternateSetting;
			if (is_adb(d) && take_endpoints(d, place))
				return true;
		}
	}
	return false;
}

/* "1-2.3", as the kernel names it. */
static void
take_port(struct tc_usb_place *place)
{
	uint8_t ports[PORTS];
	int i, count = libusb_get_port_numbers(place->device, ports, PORTS);
	size_t len;

	snprintf(place->port, sizeof(place->port), "%d",
		libusb_get_bus_number(place->device));
	for (i = 0; i < count; i++) {
		len = strlen(place->port);
		snprintf(place->port + len, sizeof(place->port) - len, "%c%d",
			i ? '.' : '-', ports[i]);
	}
}

/* A text of the device that the kernel keeps: anybody may read it. */
static bool
read_kept(const struct tc_usb_place *place, const char *what, char text[TC_USB_TEXT])
{
	char path[128];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/sys/bus/usb/devices/%s/%s", place->port, what);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, text, TC_USB_TEXT - 1);
	close(fd);
	text[n < 0 ? 0 : n] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return true;
}

static void
ask(libusb_device_handle *handle, uint8_t index, char text[TC_USB_TEXT])
{
	if (!index ||
		libusb_get_string_descriptor_ascii(
			handle, index, (unsigned char *)text, TC_USB_TEXT) < 0)
		text[0] = '\0';
}

/* A serial number that cannot be written as one word names nothing. */
static void
take_texts(struct tc_usb_place *place, const struct libusb_device_descriptor *d)
{
	libusb_device_handle *handle;
	const char *p;

	if (!read_kept(place, "serial", place->serial) &&
		!read_kept(place, "product", place->product) &&
		libusb_open(place->device, &handle) == 0) {
		ask(handle, d->iSerialNumber, place->serial);
		ask(handle, d->iProduct, place->product);
		libusb_close(handle);
	} else
		read_kept(place, "product", place->product);
	for (p = place->serial; *p; p++)
		if (*p <= ' ' || *p > '~')
			place->serial[0] = '\0';
}

static void
take_device(struct tc_usb_places *places, libusb_device *device)
{
	struct libusb_device_descriptor d;
	struct libusb_config_descriptor *config;
	struct tc_usb_place place = { .device = device };
	bool is_one;

	if (libusb_get_device_descriptor(device, &d) < 0 ||
		libusb_get_active_config_descriptor(device, &config) < 0)
		return;
	is_one = take_interface(config, &place);
	libusb_free_config_descriptor(config);
	if (!is_one)
		return;
	take_port(&place);
	take_texts(&place, &d);
	libusb_ref_device(device);
	tc_mem_grow(&places->list, &places->cap, places->count + 1, sizeof(place));
	places->list[places->count++] = place;
}

static int
by_port(const void *a, const void *b)
{
	return strcmp(((const struct tc_usb_place *)a)->port,
		((const struct tc_usb_place *)b)->port);
}

int
tc_usb_look(libusb_context *context, struct tc_usb_places *places, struct tc_err *err)
{
	libusb_device **list;
	ssize_t i, count = libusb_get_device_list(context, &list);

	if (count < 0)
		return tc_usb_failed((int)count, "look for USB devices", err);
	for (i = 0; i < count; i++)
		take_device(places, list[i]);
	if (places->count)
		qsort(places->list, places->count, sizeof(*places->list), by_port);
	libusb_free_device_list(list, 1);
	return 0;
}

void
tc_usb_places_release(struct tc_usb_places *places)
{
	size_t i;

	for (i = 0; i < places->count; i++)
		libusb_unref_device(places->list[i].device);
	free(places->list);
	*places = (struct tc_usb_places){ 0 };
}

bool
tc_usb_is_meant(const struct tc_usb_place *place, const char *which)
{
	return !*which || strcmp(which, place->port) == 0 ||
		(*place->serial && strcmp(which, place->serial) == 0);
}

const char *
tc_usb_name_of(const struct tc_usb_places *places, const struct tc_usb_place *place)
{
	size_t i, same = 0;

	for (i = 0; i < places->count; i++)
		if (tc_usb_is_meant(&places->list[i], place->serial))
			same++;
	return *place->serial && same == 1 ? place->serial : place->port;
}

/* ---- for a list ---- */

static const char *
copy(struct tc_arena *arena, const char *text)
{
	return *text ? tc_arena_dup(arena, text, strlen(text)) : NULL;
}

static void
describe(const struct tc_usb_places *places, const struct tc_usb_place *place,
	struct tc_arena *arena, struct tc_usb_info *info)
{
	libusb_device_handle *handle;
	int r = tc_usb_claim(place, &handle);

	if (r == 0) {
		libusb_release_interface(handle, place->interface);
		libusb_close(handle);
	}
	info->name = copy(arena, tc_usb_name_of(places, place));
	info->serial = copy(arena, place->serial);
	info->port = copy(arena, place->port);
	info->product = copy(arena, place->product);
	info->state = r == 0               ? TC_USB_FREE
		: r == LIBUSB_ERROR_ACCESS ? TC_USB_DENIED
		: r == LIBUSB_ERROR_BUSY   ? TC_USB_BUSY
					   : TC_USB_FAILED;
}

int
tc_usb_list(const char *which, struct tc_arena *arena, struct tc_usb_info **list,
	size_t *count, struct tc_err *err)
{
	struct tc_usb_places places = { 0 };
	libusb_context *context;
	size_t i;
	int r = libusb_init(&context);

	if (r < 0)
		return tc_usb_failed(r, "USB", err);
	r = tc_usb_look(context, &places, err);
	*count = 0;
	*list = tc_arena_calloc(arena, (places.count + 1) * sizeof(**list));
	for (i = 0; i < places.count; i++)
		if (tc_usb_is_meant(&places.list[i], which))
			describe(&places, &places.list[i], arena, &(*list)[(*count)++]);
	if (r == 0 && *count == 0 && *which)
		r = tc_usb_not_found(&places, which, err);
	tc_usb_places_release(&places);
	libusb_exit(context);
	return r;
}
