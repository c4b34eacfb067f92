/* The bus: descriptors, and what the kernel does with transfers. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include "fakeusb.h"

/* After so many questions without an answer, one is kept waiting for a moment. */
enum { PATIENCE = 20, MOMENT_MS = 1, LINGER_MS = 2000, EXTRA = 8 };

static UMockdevTestbed *bed;
static int last_number = 1;

/* ---- descriptors ---- */

static void
put_hex(GString *s, const uint8_t *bytes, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		g_string_append_printf(s, "%02X", bytes[i]);
}

static void
put_interface(GString *s, const struct device *d, uint8_t setting, uint8_t subclass)
{
	uint8_t low = (uint8_t)d->packet, high = (uint8_t)(d->packet >> 8);
	const uint8_t bytes[] = { 9, 4, 0, setting, 2, 0xff, subclass, 1, 0, /**/
		7, 5, 0x01, 2, low, high, 0,                                 /**/
		7, 5, 0x81, 2, low, high, 0 };

	put_hex(s, bytes, sizeof(bytes));
}

/* The texts: 2 is the product, 3 the serial number. */
static void
put_descriptors(GString *s, const struct device *d)
{
	const uint8_t device[] = { 18, 1, 0, 2, 0xef, 2, 1, 64, 0xd1, 0x18, 0xe7, 0x4e,
		0x23, 2, 0, d->product ? 2 : 0, d->serial ? 3 : 0, 1 };
	const uint8_t all = (uint8_t)(9 + 23 * (d->in_setting ? 2 : 1));
	const uint8_t config[] = { 9, 2, all, 0, 1, 1, 0, 0x80, 250 };

	put_hex(s, device, sizeof(device));
	put_hex(s, config, sizeof(config));
	if (d->in_setting)
		put_interface(s, d, 0, 0x43);
	put_interface(s, d, d->in_setting ? 1 : 0, 0x42);
}

/* ---- plugging ---- */

static gboolean on_ioctl(UMockdevIoctlBase *base, UMockdevIoctlClient *client, void *ctx);

static void
deny(const char *node)
{
	char *root = umockdev_testbed_get_root_dir(bed);
	char *path = g_strconcat(root, node, NULL);

	if (chmod(path, 0444) < 0)
		g_error("chmod %s", path);
	g_free(path);
	g_free(root);
}

static GString *
describe(const struct device *d)
{
	GString *hex = g_string_new(NULL), *s = g_string_new(NULL);
	const int n = d->number;

	put_descriptors(hex, d);
	g_string_printf(s,
		"P: /devices/usb1/1-%d\nN: bus/usb/001/%03d=%s\n"
		"E: SUBSYSTEM=usb\nE: DEVTYPE=usb_device\n"
		"E: DEVNAME=/dev/bus/usb/001/%03d\nE: BUSNUM=001\nE: DEVNUM=%03d\n"
		"E: MAJOR=189\nE: MINOR=%d\nA: busnum=1\\n\nA: devnum=%d\\n\n"
		"A: bConfigurationValue=1\\n\nA: speed=480\\n\nA: idVendor=18d1\\n\n"
		"A: idProduct=4ee7\\n\nA: dev=189:%d\\n\n",
		d->port, n, hex->str, n, n, n - 1, n, n - 1);
	if (d->serial && !d->hides_texts)
		g_string_append_printf(s, "A: serial=%s\\n\n", d->serial);
	if (d->product && !d->hides_texts)
		g_string_append_printf(s, "A: product=%s\\n\n", d->product);
	g_string_append_printf(s, "H: descriptors=%s\n", hex->str);
	g_string_free(hex, TRUE);
	return s;
}

void
bus_init(UMockdevTestbed *testbed)
{
	bed = testbed;
}

void
bus_plug(struct device *d)
{
	char *node;
	GString *text;
	GError *e = NULL;

	d->number = ++last_number;
	d->base = umockdev_ioctl_base_new();
	g_object_connect(d->base, "signal-after::handle-ioctl", on_ioctl, d, NULL);
	node = g_strdup_printf("/dev/bus/usb/001/%03d", d->number);
	d->path = g_strdup_printf("/sys/devices/usb1/1-%d", d->port);
	text = describe(d);
	if (!umockdev_testbed_attach_ioctl(bed, node, d->base, &e) ||
		!umockdev_testbed_add_from_string(bed, text->str, &e))
		g_error("%s", e->message);
	if (d->denied)
		deny(node);
	umockdev_testbed_uevent(bed, d->path, "add");
	note("plug %s", d->serial ? d->serial : "-");
	g_string_free(text, TRUE);
	g_free(node);
}

static void
end_all(struct device *d, GQueue *q, int status)
{
	while (!g_queue_is_empty(q))
		bus_end(d, g_queue_pop_head(q), status);
}

static gboolean
plug_again(void *ctx)
{
	g_rec_mutex_lock(&all_lock);
	bus_plug(ctx);
	g_rec_mutex_unlock(&all_lock);
	return G_SOURCE_REMOVE;
}

void
bus_unplug(struct device *d)
{
	if (!d->number)
		return;
	d->number = 0;
	d->holder = NULL;
	end_all(d, &d->in, -ESHUTDOWN);
	end_all(d, &d->out, -ESHUTDOWN);
	peer_reset(d);
	umockdev_testbed_uevent(bed, d->path, "remove");
	umockdev_testbed_remove_device(bed, d->path);
	note("unplug %s", d->serial ? d->serial : "-");
	if (d->replug_ms)
		g_timeout_add((guint)d->replug_ms, plug_again, d);
}

/* ---- transfers ---- */

static void
forget(struct urb *u)
{
	g_object_unref(u->data);
	if (u->buffer)
		g_object_unref(u->buffer);
	g_free(u);
}

static void
answer(UMockdevIoctlClient *client, int error)
{
	umockdev_ioctl_client_complete(client, error ? -1 : 0, error);
}

/* Hands the first that has ended back, or answers that there is none. */
static void
reap(struct device *d, UMockdevIoctlClient *client)
{
	UMockdevIoctlData *where;
	struct urb *u = NULL;
	GList *l;

	for (l = d->ended.head; l && !u; l = l->next)
		if (((struct urb *)l->data)->client == client)
			u = l->data;
	if (!u) {
		answer(client, d->number ? EAGAIN : ENODEV);
		return;
	}
	g_queue_remove(&d->ended, u);
	where = umockdev_ioctl_data_resolve(
		umockdev_ioctl_client_get_arg(client), 0, sizeof(void *), NULL);
	if (where) { /* else it was killed */
		umockdev_ioctl_data_set_ptr(where, 0, u->data);
		g_object_unref(where);
	}
	answer(client, 0);
	forget(u);
}

static void
wake_reaper(struct device *d)
{
	UMockdevIoctlClient *client = d->reaper;

	d->reaper = NULL;
	if (client)
		reap(d, client);
}

static gboolean
on_moment(void *ctx)
{
	g_rec_mutex_lock(&all_lock);
	wake_reaper(ctx);
	g_rec_mutex_unlock(&all_lock);
	return G_SOURCE_REMOVE;
}

/* Nothing else keeps it while it waits, and while its answer is under way. */
struct kept {
	UMockdevIoctlClient *client; /* owned */
	gint64 until;
};

static void
drop_kept(struct device *d, GList *link)
{
	struct kept *k = link->data;

	g_queue_delete_link(&d->kept, link);
	g_object_unref(k->client);
	g_free(k);
}

/* Who asks anew has had the answer. */
static void
drop_kept_of(struct device *d, UMockdevIoctlClient *client)
{
	GList *l, *next;

	for (l = d->kept.head; l; l = next) {
		next = l->next;
		if (((struct kept *)l->data)->client == client)
			drop_kept(d, l);
	}
}

/* And who does not may have been killed. */
static gboolean
let_die(void *ctx)
{
	struct device *d = ctx;
	gint64 now = g_get_monotonic_time();
	bool is_timed;

	g_rec_mutex_lock(&all_lock);
	while (d->kept.head && ((struct kept *)d->kept.head->data)->until <= now)
		drop_kept(d, d->kept.head);
	d->is_timed = is_timed = !g_queue_is_empty(&d->kept);
	g_rec_mutex_unlock(&all_lock);
	return is_timed ? G_SOURCE_CONTINUE : G_SOURCE_REMOVE;
}

static void
keep(struct device *d, UMockdevIoctlClient *client)
{
	struct kept *k = g_new0(struct kept, 1);

	k->client = g_object_ref(client);
	k->until = g_get_monotonic_time() + LINGER_MS * 1000;
	g_queue_push_tail(&d->kept, k);
	if (!d->is_timed)
		g_timeout_add(LINGER_MS, let_die, d);
	d->is_timed = true;
}

/* libusb asks again at once: a file is always ready. So it is slowed down. */
static void
on_reap(struct device *d, UMockdevIoctlClient *client)
{
	bool is_idle = g_queue_is_empty(&d->ended);

	d->idle = is_idle ? d->idle + 1 : 0;
	if (d->idle < PATIENCE || d->reaper) {
		reap(d, client);
		return;
	}
	d->reaper = client;
	keep(d, client);
	g_timeout_add(MOMENT_MS, on_moment, d);
}

/* Those that continue one that has ended early are not begun. */
static void
end_rest(struct device *d, struct urb *first)
{
	struct urb *u;

	while ((u = g_queue_peek_head(&d->in)) && u->client == first->client &&
		(u->u->flags & USBDEVFS_URB_BULK_CONTINUATION))
		bus_end(d, g_queue_pop_head(&d->in), -ECONNRESET);
}

static void
put_int(UMockdevIoctlData *data, size_t at, int value)
{
	umockdev_ioctl_data_update(data, at, (guint8 *)&value, sizeof(value));
}

void
bus_end(struct device *d, struct urb *u, int status)
{
	bool is_in = u->u->endpoint & 0x80;

	if (is_in && status == 0 && u->done < u->u->buffer_length &&
		(u->u->flags & USBDEVFS_URB_SHORT_NOT_OK))
		status = -EREMOTEIO;
	put_int(u->data, offsetof(struct usbdevfs_urb, status), status);
	put_int(u->data, offsetof(struct usbdevfs_urb, actual_length), u->done);
	g_queue_push_tail(&d->ended, u);
	if (is_in && status == -EREMOTEIO)
		end_rest(d, u);
	wake_reaper(d);
}

/* A text, as UTF-16; 0 is the list of languages. */
static void
control(struct device *d, struct urb *u)
{
	const uint8_t *setup = u->u->buffer;
	const char *text = setup[2] == 3 ? d->serial : d->product;
	uint8_t answers[256] = { 4, 3, 9, 4 };
	size_t i, len, room = setup[6] | (size_t)setup[7] << 8;

	if (setup[2]) {
		len = strlen(text ? text : "");
		answers[0] = (uint8_t)(2 + 2 * len);
		for (i = 0; i < len; i++) {
			answers[2 + 2 * i] = (uint8_t)text[i];
			answers[3 + 2 * i] = 0;
		}
	}
	len = answers[0] < room ? answers[0] : room;
	umockdev_ioctl_data_update(u->buffer, EXTRA, answers, (int)len);
	u->done = (int)len;
	bus_end(d, u, 0);
}

static void
on_submit(struct device *d, UMockdevIoctlClient *client, UMockdevIoctlData *data)
{
	struct urb *u = g_new0(struct urb, 1);
	struct usbdevfs_urb *given = (struct usbdevfs_urb *)data->data;

	if (d->no_memory && given->buffer_length > d->no_memory) {
		g_free(u);
		note("refuse %d", given->buffer_length);
		answer(client, ENOMEM);
		return;
	}
	u->client = client;
	u->data = g_object_ref(data);
	if (given->buffer_length)
		u->buffer = umockdev_ioctl_data_resolve(data,
			offsetof(struct usbdevfs_urb, buffer),
			(size_t)given->buffer_length, NULL);
	u->u = given;
	answer(client, 0);
	if (given->type == USBDEVFS_URB_TYPE_CONTROL)
		control(d, u);
	else
		g_queue_push_tail(given->endpoint & 0x80 ? &d->in : &d->out, u);
	peer_run(d);
}

static void
on_discard(struct device *d, UMockdevIoctlClient *client)
{
	unsigned long at = *(unsigned long *)umockdev_ioctl_client_get_arg(client)->data;
	GQueue *queues[] = { &d->in, &d->out };
	struct urb *u;
	GList *l;
	size_t i;

	for (i = 0; i < 2; i++)
		for (l = queues[i]->head; l; l = l->next) {
			u = l->data;
			if (u->client != client || u->data->client_addr != at)
				continue;
			g_queue_remove(queues[i], u);
			answer(client, 0);
			bus_end(d, u, -ENOENT);
			return;
		}
	answer(client, EINVAL);
}

static void
on_claim(struct device *d, UMockdevIoctlClient *client)
{
	if (d->busy > 0 || (d->holder && d->holder != client)) {
		d->busy -= d->busy > 0;
		note("busy");
		answer(client, EBUSY);
		return;
	}
	d->holder = client;
	note("claim");
	answer(client, 0);
}

static void
let_go(struct device *d, UMockdevIoctlClient *client)
{
	if (d->holder != client)
		return;
	d->holder = NULL;
	note("release");
}

static void
on_reset(struct device *d, UMockdevIoctlClient *client)
{
	note("reset");
	if (d->deaf < 0)
		d->deaf = 0;
	if (d->is_renewed) {
		answer(client, ENODEV);
		bus_unplug(d);
		return;
	}
	peer_reset(d);
	answer(client, 0);
}

static void
tell_abilities(struct device *d, UMockdevIoctlClient *client, UMockdevIoctlData *data)
{
	uint32_t caps = USBDEVFS_CAP_ZERO_PACKET | USBDEVFS_CAP_BULK_CONTINUATION |
		USBDEVFS_CAP_REAP_AFTER_DISCONNECT;

	if (!d->is_small)
		caps |= USBDEVFS_CAP_NO_PACKET_SIZE_LIM |
			USBDEVFS_CAP_BULK_SCATTER_GATHER;
	umockdev_ioctl_data_update(data, 0, (guint8 *)&caps, sizeof(caps));
	answer(client, 0);
}

static void
act(struct device *d, UMockdevIoctlClient *client)
{
	unsigned long request = umockdev_ioctl_client_get_request(client);
	UMockdevIoctlData *arg = umockdev_ioctl_client_get_arg(client), *data = NULL;

	if (request == USBDEVFS_REAPURB || request == USBDEVFS_REAPURBNDELAY) {
		on_reap(d, client);
		return;
	}
	if (request == (unsigned long)USBDEVFS_DISCARDURB) {
		on_discard(d, client);
		return;
	}
	if (!d->number) {
		answer(client, ENODEV);
		return;
	}
	if (_IOC_SIZE(request))
		data = umockdev_ioctl_data_resolve(arg, 0, _IOC_SIZE(request), NULL);
	switch (request) {
	case USBDEVFS_GET_CAPABILITIES: tell_abilities(d, client, data); break;
	case USBDEVFS_SUBMITURB: on_submit(d, client, data); break;
	case USBDEVFS_CLAIMINTERFACE: on_claim(d, client); break;
	case USBDEVFS_RELEASEINTERFACE:
		let_go(d, client);
		answer(client, 0);
		break;
	case USBDEVFS_RESET: on_reset(d, client); break;
	case USBDEVFS_CLEAR_HALT: answer(client, 0); break;
	case USBDEVFS_SETINTERFACE:
		note("setting %u",
			((struct usbdevfs_setinterface *)data->data)->altsetting);
		answer(client, 0);
		break;
	case USBDEVFS_IOCTL: answer(client, ENODATA); break; /* no driver to detach */
	default: answer(client, ENOTTY);
	}
	if (data)
		g_object_unref(data);
}

static void
drop_urbs(GQueue *q, UMockdevIoctlClient *client)
{
	GList *l, *next;

	for (l = q->head; l; l = next) {
		next = l->next;
		if (((struct urb *)l->data)->client != client)
			continue;
		forget(l->data);
		g_queue_delete_link(q, l);
	}
}

/* The command has closed the file, or was killed, even in the middle of a question. */
static void
on_death(void *ctx, GObject *was)
{
	UMockdevIoctlClient *client = (UMockdevIoctlClient *)was;
	struct device *d = ctx;

	g_rec_mutex_lock(&all_lock);
	let_go(d, client);
	if (d->reaper == client)
		d->reaper = NULL;
	drop_urbs(&d->in, client);
	drop_urbs(&d->out, client);
	drop_urbs(&d->ended, client);
	g_queue_remove(&d->clients, client);
	g_rec_mutex_unlock(&all_lock);
}

static gboolean
on_ioctl(UMockdevIoctlBase *base, UMockdevIoctlClient *client, void *ctx)
{
	struct device *d = ctx;

	(void)base;
	g_rec_mutex_lock(&all_lock);
	if (!g_queue_find(&d->clients, client)) {
		g_queue_push_tail(&d->clients, client);
		g_object_weak_ref(G_OBJECT(client), on_death, d);
	}
	drop_kept_of(d, client);
	act(d, client);
	g_rec_mutex_unlock(&all_lock);
	return TRUE;
}
