/*
 * Fuzz target of usb: any bytes as what is at the bus. They are descriptors first, and
 * then what each transfer brings. libusb itself stands in this file, as far as lib/usb
 * calls it, and sees to it that it is called as a real one and a device would want.
 */
#include "fuzz.h"

#include <libusb.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "err/err.h"
#include "usb/usb.h"

enum { DEVICES = 3, FLIGHTS = 64, TRANSFER_MAX = 256 * 1024 };

struct libusb_device {
	uint8_t port;
	uint16_t packet; /* bytes, of all its endpoints that are sound */
	int references;
};

struct libusb_device_handle {
	struct libusb_device *device;
};

struct flight {
	struct libusb_transfer *transfer;
	bool is_cancelled;
};

static struct {
	pthread_mutex_t lock;
	pthread_cond_t news;

	const uint8_t *bytes; /* the input, from here on */
	size_t len;

	struct libusb_device devices[DEVICES];
	int handles, transfers, lists, configs; /* that are not given back */
	int most;                               /* bytes that there is memory for */
	int transfers_max;
	struct flight flights[FLIGHTS]; /* in the order of submitting */
	size_t count;
	bool is_interrupted;

	uint32_t to_host;   /* of a payload whose head came */
	uint32_t to_device; /* of one whose head went */
	bool wants_empty;   /* a packet, behind that */
} bus = { .lock = PTHREAD_MUTEX_INITIALIZER, .news = PTHREAD_COND_INITIALIZER };

static uint32_t
get32(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* Zeros behind the end. */
static uint8_t
take(void)
{
	if (!bus.len)
		return 0;
	bus.len--;
	return *bus.bytes++;
}

static int
take_bytes(void *to, size_t len)
{
	size_t n = len < bus.len ? len : bus.len;

	if (n)
		memcpy(to, bus.bytes, n);
	bus.bytes += n;
	bus.len -= n;
	return (int)n;
}

static void *
zeros(size_t count, size_t size)
{
	void *p = calloc(count ? count : 1, size);

	FUZZ_DEMAND(p);
	return p;
}

/* ---- libusb: what there is ---- */

int LIBUSB_CALL
libusb_init(libusb_context **context)
{
	*context = NULL;
	return 0;
}

void LIBUSB_CALL
libusb_exit(libusb_context *context)
{
	FUZZ_DEMAND(!context && !bus.count && !bus.handles && !bus.lists && !bus.configs);
}

ssize_t LIBUSB_CALL
libusb_get_device_list(libusb_context *context, libusb_device ***list)
{
	size_t count = take() % (DEVICES + 1), i;

	(void)context;
	*list = zeros(DEVICES + 1, sizeof(**list));
	for (i = 0; i < count; i++)
		(*list)[i] = libusb_ref_device(&bus.devices[i]);
	bus.lists++;
	return (ssize_t)count;
}

void LIBUSB_CALL
libusb_free_device_list(libusb_device **list, int unref)
{
	size_t i;

	for (i = 0; unref && list[i]; i++)
		libusb_unref_device(list[i]);
	free(list);
	bus.lists--;
}

libusb_device *LIBUSB_CALL
libusb_ref_device(libusb_device *device)
{
	device->references++;
	return device;
}

void LIBUSB_CALL
libusb_unref_device(libusb_device *device)
{
	FUZZ_DEMAND(device->references > 0);
	device->references--;
}

int LIBUSB_CALL
libusb_get_device_descriptor(libusb_device *device, struct libusb_device_descriptor *d)
{
	FUZZ_DEMAND(device->references > 0);
	*d = (struct libusb_device_descriptor){ .iSerialNumber = 1, .iProduct = 2 };
	return take() == 255 ? LIBUSB_ERROR_IO : 0;
}

/* No such bus has files in /sys. */
uint8_t LIBUSB_CALL
libusb_get_bus_number(libusb_device *device)
{
	(void)device;
	return 255;
}

int LIBUSB_CALL
libusb_get_port_numbers(libusb_device *device, uint8_t *ports, int len)
{
	FUZZ_DEMAND(len > 0);
	ports[0] = device->port;
	return 1;
}

static struct libusb_endpoint_descriptor *
endpoints(uint8_t count, uint16_t packet)
{
	struct libusb_endpoint_descriptor *list = zeros(count, sizeof(*list));
	uint8_t i;

	for (i = 0; i < count; i++) {
		list[i].bEndpointAddress = take();
		list[i].bmAttributes = take();
		list[i].wMaxPacketSize = take() < 128 ? packet : 1000;
	}
	return list;
}

/* Most often of adb. */
static void
describe(struct libusb_interface_descriptor *d, uint16_t packet)
{
	uint8_t kind = take();

	d->bInterfaceClass = kind < 192 ? 0xff : kind < 224 ? 0xdc : kind;
	d->bInterfaceSubClass = kind < 192 ? 0x42 : 2;
	d->bInterfaceProtocol = 1;
	d->bAlternateSetting = kind & 1;
	d->bNumEndpoints = take() % 4;
	d->endpoint = endpoints(d->bNumEndpoints, packet);
}

int LIBUSB_CALL
libusb_get_active_config_descriptor(
	libusb_device *device, struct libusb_config_descriptor **config)
{
	struct libusb_config_descriptor *c;
	struct libusb_interface *interfaces;
	struct libusb_interface_descriptor *settings;
	int i, j;

	FUZZ_DEMAND(device->references > 0);
	device->packet = take();
	device->packet |= (uint16_t)(take() << 8);
	*config = c = zeros(1, sizeof(*c));
	c->bNumInterfaces = take() % 3;
	c->interface = interfaces = zeros(c->bNumInterfaces, sizeof(*interfaces));
	for (i = 0; i < c->bNumInterfaces; i++) {
		interfaces[i].num_altsetting = take() % 3;
		settings = zeros((size_t)interfaces[i].num_altsetting, sizeof(*settings));
		interfaces[i].altsetting = settings;
		for (j = 0; j < interfaces[i].num_altsetting; j++)
			describe(&settings[j], device->packet);
	}
	bus.configs++;
	return 0;
}

static void
release(const void *p)
{
	free((void *)(uintptr_t)p);
}

void LIBUSB_CALL
libusb_free_config_descriptor(struct libusb_config_descriptor *c)
{
	int i, j;

	for (i = 0; i < c->bNumInterfaces; i++) {
		for (j = 0; j < c->interface[i].num_altsetting; j++)
			release(c->interface[i].altsetting[j].endpoint);
		release(c->interface[i].altsetting);
	}
	release(c->interface);
	free(c);
	bus.configs--;
}

/* ---- libusb: one device ---- */

int LIBUSB_CALL
libusb_open(libusb_device *device, libusb_device_handle **handle)
{
	*handle = zeros(1, sizeof(**handle));
	(*handle)->device = libusb_ref_device(device);
	bus.handles++;
	return 0;
}

void LIBUSB_CALL
libusb_close(libusb_device_handle *handle)
{
	FUZZ_DEMAND(!bus.count);
	libusb_unref_device(handle->device);
	free(handle);
	bus.handles--;
}

int LIBUSB_CALL
libusb_get_string_descriptor_ascii(
	libusb_device_handle *handle, uint8_t index, unsigned char *text, int size)
{
	int len = take(), n;

	(void)handle;
	(void)index;
	if (len == 255)
		return LIBUSB_ERROR_PIPE;
	n = take_bytes(text, (size_t)(len < size ? len : size - 1));
	text[n] = '\0';
	return n;
}

int LIBUSB_CALL
libusb_set_auto_detach_kernel_driver(libusb_device_handle *handle, int enable)
{
	(void)handle;
	(void)enable;
	return 0;
}

int LIBUSB_CALL
libusb_claim_interface(libusb_device_handle *handle, int number)
{
	(void)handle;
	(void)number;
	return take() == 255 ? LIBUSB_ERROR_NO_DEVICE : 0;
}

int LIBUSB_CALL
libusb_release_interface(libusb_device_handle *handle, int number)
{
	(void)handle;
	(void)number;
	return 0;
}

int LIBUSB_CALL
libusb_set_interface_alt_setting(libusb_device_handle *handle, int number, int setting)
{
	(void)handle;
	(void)number;
	(void)setting;
	return 0;
}

int LIBUSB_CALL
libusb_clear_halt(libusb_device_handle *handle, unsigned char endpoint)
{
	(void)handle;
	(void)endpoint;
	return 0;
}

/* Another device may come of it, at the same port. */
int LIBUSB_CALL
libusb_reset_device(libusb_device_handle *handle)
{
	(void)handle;
	bus.to_host = bus.to_device = 0;
	bus.wants_empty = false;
	return take() & 1 ? LIBUSB_ERROR_IO : 0;
}

/* ---- libusb: transfers ---- */

struct libusb_transfer *LIBUSB_CALL
libusb_alloc_transfer(int iso_packets)
{
	bool may;

	FUZZ_DEMAND(!iso_packets);
	pthread_mutex_lock(&bus.lock);
	may = bus.transfers < bus.transfers_max;
	bus.transfers += may;
	pthread_mutex_unlock(&bus.lock);
	return may ? zeros(1, sizeof(struct libusb_transfer)) : NULL;
}

void LIBUSB_CALL
libusb_free_transfer(struct libusb_transfer *t)
{
	if (!t)
		return;
	free(t);
	pthread_mutex_lock(&bus.lock);
	bus.transfers--;
	pthread_mutex_unlock(&bus.lock);
}

static bool
is_in(const struct libusb_transfer *t)
{
	return t->endpoint & LIBUSB_ENDPOINT_IN;
}

/* Heads and payloads apart, and an empty packet where nothing else tells the end. */
static void
look_at_sent(const struct libusb_transfer *t)
{
	uint32_t len;

	if (bus.to_device || bus.wants_empty) {
		FUZZ_DEMAND((uint32_t)t->length <= bus.to_device);
		FUZZ_DEMAND(t->length ? bus.to_device : !bus.to_device);
		bus.to_device -= (uint32_t)t->length;
		bus.wants_empty = bus.wants_empty && t->length;
		return;
	}
	FUZZ_DEMAND(t->length == TC_USB_HEAD);
	len = get32(t->buffer + 12);
	FUZZ_DEMAND(len <= TC_USB_PAYLOAD_MAX);
	bus.to_device = len;
	bus.wants_empty = len && len % (t->dev_handle->device->packet & 0x7ff) == 0;
}

int LIBUSB_CALL
libusb_submit_transfer(struct libusb_transfer *t)
{
	size_t i;

	FUZZ_DEMAND(t->dev_handle && t->length >= 0 && t->length <= TRANSFER_MAX);
	FUZZ_DEMAND(!is_in(t) || (t->length && t->length % 8 == 0));
	if (t->length > bus.most)
		return LIBUSB_ERROR_NO_MEM;
	pthread_mutex_lock(&bus.lock);
	for (i = 0; i < bus.count; i++)
		FUZZ_DEMAND(bus.flights[i].transfer != t);
	FUZZ_DEMAND(bus.count < FLIGHTS);
	bus.flights[bus.count++] = (struct flight){ t, false };
	pthread_mutex_unlock(&bus.lock);
	if (!is_in(t))
		look_at_sent(t);
	return 0;
}

int LIBUSB_CALL
libusb_cancel_transfer(struct libusb_transfer *t)
{
	size_t i;

	pthread_mutex_lock(&bus.lock);
	for (i = 0; i < bus.count; i++)
		if (bus.flights[i].transfer == t)
			bus.flights[i].is_cancelled = true;
	pthread_mutex_unlock(&bus.lock);
	return 0;
}

void LIBUSB_CALL
libusb_interrupt_event_handler(libusb_context *context)
{
	(void)context;
	pthread_mutex_lock(&bus.lock);
	bus.is_interrupted = true;
	pthread_cond_signal(&bus.news);
	pthread_mutex_unlock(&bus.lock);
}

/* As many bytes as the payload still has, of no interest; or those of the input. */
static void
bring(struct libusb_transfer *t)
{
	static const enum libusb_transfer_status ends[] = { LIBUSB_TRANSFER_ERROR,
		LIBUSB_TRANSFER_STALL, LIBUSB_TRANSFER_OVERFLOW };
	uint8_t kind = take();
	size_t room = (size_t)t->length, len;

	if (kind >= 128 && bus.to_host) {
		len = room < bus.to_host ? room : bus.to_host;
		memset(t->buffer, kind, len);
		t->actual_length = (int)len;
	} else {
		len = kind == 64 ? TC_USB_HEAD : take() + (size_t)(kind & 15) * 256;
		t->actual_length = take_bytes(t->buffer, len < room ? len : room);
	}
	if (kind > 64 && kind < 96)
		t->status = ends[kind % 3];
	len = (size_t)t->actual_length;
	if (bus.to_host)
		bus.to_host -= len < bus.to_host ? (uint32_t)len : bus.to_host;
	else if (len == TC_USB_HEAD && get32(t->buffer + 12) <= TC_USB_PAYLOAD_MAX)
		bus.to_host = get32(t->buffer + 12);
}

static void
end(struct libusb_transfer *t, bool is_cancelled)
{
	t->status = LIBUSB_TRANSFER_COMPLETED;
	t->actual_length = is_in(t) ? 0 : t->length;
	if (is_cancelled)
		t->status = LIBUSB_TRANSFER_CANCELLED;
	else if (is_in(t) && !bus.len)
		t->status = LIBUSB_TRANSFER_NO_DEVICE;
	else if (is_in(t))
		bring(t);
	t->callback(t);
}

/* One transfer, or an interruption, or the time. */
int LIBUSB_CALL
libusb_handle_events_timeout_completed(
	libusb_context *context, struct timeval *tv, int *completed)
{
	struct timespec until;
	struct flight first = { 0 };
	int r = 0;

	(void)context;
	FUZZ_DEMAND(!completed);
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += tv->tv_sec + (until.tv_nsec + tv->tv_usec * 1000) / 1000000000;
	until.tv_nsec = (until.tv_nsec + tv->tv_usec * 1000) % 1000000000;
	pthread_mutex_lock(&bus.lock);
	while (!bus.count && !bus.is_interrupted && r == 0)
		r = pthread_cond_timedwait(&bus.news, &bus.lock, &until);
	bus.is_interrupted = false;
	if (bus.count) {
		first = bus.flights[0];
		memmove(bus.flights, bus.flights + 1, --bus.count * sizeof(first));
	}
	pthread_mutex_unlock(&bus.lock);
	if (first.transfer)
		end(first.transfer, first.is_cancelled);
	return 0;
}

/* ---- who uses it ---- */

/* Messages of some sizes, as far as they go. */
static void
say(struct tc_usb *u, unsigned sizes)
{
	static uint8_t message[TC_USB_HEAD + 8192];
	static const uint16_t lens[] = { 0, 1, 64, 512, 700, 1024, 8192 };
	struct tc_err err;
	struct iovec iov;
	uint16_t len;

	for (; sizes; sizes /= 8) {
		len = lens[sizes % 7];
		message[12] = (uint8_t)len;
		message[13] = (uint8_t)(len >> 8);
		iov = (struct iovec){ message, TC_USB_HEAD + (size_t)len };
		if (tc_usb_send(u, &iov, 1, &err) < 0)
			return;
	}
}

struct hearing {
	uint32_t left; /* of a payload */
	bool is_known, is_reset;
};

/*
 * What comes is messages, the first one of them a device's first word. Behind a reset,
 * what was before it may still come. False: whoever reads this reads no further.
 */
static bool
look_at_piece(struct hearing *h, const uint8_t *bytes, size_t n)
{
	FUZZ_DEMAND(n > 0 && n <= TRANSFER_MAX);
	if (h->is_reset)
		return true;
	if (h->left) {
		FUZZ_DEMAND(n <= h->left);
		h->left -= (uint32_t)n;
		return true;
	}
	FUZZ_DEMAND(n == TC_USB_HEAD);
	FUZZ_DEMAND(h->is_known || memchr("CAS", bytes[0], 3));
	h->is_known = true;
	h->left = get32(bytes + 12);
	return h->left <= TC_USB_PAYLOAD_MAX;
}

static void
hear(struct tc_usb *u, int reset_after)
{
	struct pollfd pfd = { .fd = tc_usb_fd(u), .events = POLLIN };
	struct tc_wait w = tc_wait_for(20 * 1000);
	struct tc_err err = { 0 };
	struct hearing h = { 0 };
	const uint8_t *bytes;
	size_t n;
	int r;

	while ((r = tc_usb_fill(u, &err)) >= 0) {
		if (r == 0) {
			FUZZ_DEMAND(tc_wait_poll(&pfd, 1, &w, &err) == 0);
			continue;
		}
		n = tc_usb_peek(u, &bytes);
		if (!look_at_piece(&h, bytes, n))
			return;
		tc_usb_eat(u, n / 2);
		tc_usb_eat(u, n - n / 2);
		if (reset_after-- == 0) {
			tc_usb_reset(u);
			say(u, 1);
			h.is_reset = true;
		}
	}
	FUZZ_DEMAND(
		err.code == TC_NOSERVICE || err.code == TC_PROTOCOL || err.code == TC_IO);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	struct tc_wait w = tc_wait_for(50);
	struct tc_err err = { 0 };
	struct tc_usb *u;
	uint8_t how, sizes;
	int i;

	bus.bytes = bytes;
	bus.len = len;
	bus.to_host = bus.to_device = 0;
	bus.wants_empty = false;
	for (i = 0; i < DEVICES; i++)
		bus.devices[i] = (struct libusb_device){ .port = (uint8_t)(i + 1) };
	how = take();
	sizes = take();
	bus.most = how & 1 ? 16 * 1024 : TRANSFER_MAX;
	bus.transfers_max = how & 8 ? (how >> 6) * 25 : 1000;
	if (tc_usb_open(&u, how & 2 ? "255-1" : "", &w, &err) == 0) {
		say(u, sizes);
		hear(u, how & 4 ? how >> 4 : -1);
		tc_usb_close(u);
	}
	for (i = 0; i < DEVICES; i++)
		FUZZ_DEMAND(!bus.devices[i].references);
	FUZZ_DEMAND(!bus.transfers);
	return 0;
}
