#ifndef TC_USB_PRIV_H
#define TC_USB_PRIV_H
/* Inside usb: what was found, and what one thread hands the other. */
#include <libusb.h>
#include <pthread.h>

#include "err/err.h"
#include "usb/usb.h"

/* ---- an adb interface ---- */

enum { TC_USB_TEXT = 128 };

struct tc_usb_place {
	libusb_device *device; /* owned: a reference */
	int interface, setting;
	uint8_t in, out;                /* endpoints */
	uint16_t in_packet, out_packet; /* bytes: 8 to 1024, a power of two */
	char port[40];                  /* seven ports of three digits at most */
	char serial[TC_USB_TEXT], product[TC_USB_TEXT]; /* "": not known */
};

struct tc_usb_places {
	struct tc_usb_place *list; /* owned */
	size_t count, cap;
};

/* All that there are now, with a context that lives longer: 0, or -1. */
int tc_usb_look(
	libusb_context *context, struct tc_usb_places *places, struct tc_err *err);
void tc_usb_places_release(struct tc_usb_places *places);

/* Its serial number, unless that means another one, too: its port. */
const char *tc_usb_name_of(
	const struct tc_usb_places *places, const struct tc_usb_place *place);
bool tc_usb_is_meant(const struct tc_usb_place *place, const char *which);

/* A setting and endpoints that work: 0, or what libusb says. */
int tc_usb_prepare(const struct tc_usb_place *place, libusb_device_handle *handle);

/* Its interface is ours then: 0, or what libusb says. */
int tc_usb_claim(const struct tc_usb_place *place, libusb_device_handle **handle);

/* Sets *err to what there is instead of what `which` means; returns -1. */
int tc_usb_not_found(
	const struct tc_usb_places *places, const char *which, struct tc_err *err);

/* Sets *err from what libusb says; returns -1. */
int tc_usb_failed(int code, const char *doing, struct tc_err *err);
int tc_usb_gone(struct tc_err *err, const char *why);

/* ---- an open device ---- */

enum {
	TC_USB_PIECE = 256 * 1024, /* the most bytes in a transfer */
	TC_USB_PIECES = 10,        /* that hold so much, and can be received ahead */
	TC_USB_HEADS = 64,         /* likewise, of heads */
	TC_USB_OUT_MAX = 2 << 20,  /* that much waits to be sent, and a message */
	TC_USB_FLIGHTS = 32,       /* transfers under way */
	TC_USB_PACKET = 1024       /* the most bytes in a packet */
};

/* What a transfer of received bytes fills. */
struct tc_usb_piece {
	struct tc_usb *u;
	struct libusb_transfer *transfer; /* owned */
	uint8_t *bytes;                   /* owned */
	size_t want, pos, len;
	bool is_head;
	struct tc_usb_piece *next;
};

struct tc_usb_queue {
	struct tc_usb_piece *first, *last;
};

/* A message on its way out, and how far that got. */
struct tc_usb_message {
	struct tc_usb *u;
	uint8_t head[TC_USB_HEAD];
	uint8_t *payload; /* owned */
	size_t len;
	size_t have;   /* of both, given by the caller */
	size_t sent;   /* of both, given to libusb */
	bool is_ended; /* with an empty packet where one is due */
	int flying;    /* transfers under way */
	struct tc_usb_message *next;
};

struct tc_usb {
	/* Of the caller; the first three never change. */
	libusb_context *context;
	char name[TC_USB_TEXT];
	int fds[2]; /* the first is readable when something has changed */
	pthread_t thread;
	struct tc_usb_piece *shown;     /* NULL: none */
	struct tc_usb_message *partial; /* not whole yet, or NULL */

	/* Of the thread, while it runs. */
	struct tc_usb_place place;
	libusb_device_handle *handle;
	struct tc_usb_message *sending; /* the rest of it is not with libusb */
	struct libusb_transfer *flights[TC_USB_FLIGHTS];
	int flying;
	size_t flying_out;      /* bytes that go out */
	size_t in_max, out_max; /* the most bytes in a transfer */
	bool is_short;          /* of the kernel's memory for transfers */
	bool is_reading;        /* a head is asked for */
	bool is_open;           /* what is said from now on is for us */
	bool is_known;          /* the device has said its first word */
	uint32_t to_read;       /* of a payload: not asked for yet */

	/* Of both, under the lock. */
	pthread_mutex_t lock;
	struct tc_usb_queue ready, free_heads, free_pieces;
	struct tc_usb_message *waiting, **waiting_end; /* whole ones */
	size_t waiting_bytes;
	bool is_signalled;
	bool wants_room;  /* the caller, to send */
	bool has_room;    /* and is to hear of it */
	bool wants_piece; /* the thread, to receive into */
	bool wants_reset, is_stopped;
	bool is_lost;
	struct tc_err why;
};

void tc_usb_message_free(struct tc_usb_message *m);

/* Takes the first that waits, or NULL. With the lock. */
struct tc_usb_message *tc_usb_next_message(struct tc_usb *u);

/* Something has changed for the caller. With the lock. */
void tc_usb_signal(struct tc_usb *u);

/* The thread has something to do. */
void tc_usb_wake(struct tc_usb *u);

void tc_usb_put(struct tc_usb_queue *q, struct tc_usb_piece *piece);
struct tc_usb_piece *tc_usb_get(struct tc_usb_queue *q);

/* What the thread runs, with *u. */
void *tc_usb_run(void *u);

static inline uint32_t
tc_usb_get32(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

#endif
