#ifndef TC_FAKE_USB_H
#define TC_FAKE_USB_H
/*
 * fakeusb: USB devices that a command sees through the real libusb.
 *
 * umockdev gives the command a /sys and a /dev of its own, and brings its ioctls
 * here. A device is at a port of bus 1; it cuts bytes into packets as USB does, and
 * behind it is a fakeadbd on loopback, to which each CNXN makes a new connection.
 * It insists on what a real adbd needs: heads apart from payloads, and an empty
 * packet behind a payload of whole packets and nowhere else.
 */
#include <linux/usbdevice_fs.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <umockdev.h>

/* A transfer that the command has submitted, or a part of one. */
struct urb {
	UMockdevIoctlClient *client;
	UMockdevIoctlData *data, *buffer; /* owned; the buffer may be NULL */
	struct usbdevfs_urb *u;           /* in data */
	int done;                         /* bytes */
};

enum { SPLIT = 16384, QUEUE_MAX = 1 << 20 };

struct device {
	/* As the options say. */
	int port;
	const char *serial, *product; /* NULL: none */
	int peer;                     /* fakeadbd's port; 0: nobody answers */
	uint16_t packet;
	bool in_setting;  /* adb is its second alternate setting */
	bool is_small;    /* the controller takes 16 KiB at a time */
	bool hides_texts; /* which have to be asked for */

	/* Faults; -1: none. Bytes are those of payloads to the host. */
	int busy;            /* claims that are refused */
	bool denied;         /* its file may not be opened */
	int64_t unplug;      /* gone after so many bytes */
	int64_t stall;       /* halts then */
	int64_t fail;        /* a transfer fails then */
	int64_t cut_head;    /* the next head is short then */
	int64_t cut_payload; /* the payload is short then */
	int64_t stuck;       /* takes no more bytes from the host then */
	int junk;            /* packets that are left over */
	uint32_t old_word;   /* that was said to somebody before; 0: none */
	int deaf;            /* so many CNXN are not heard; -1: until a reset */
	int no_memory;       /* transfers of more bytes are refused; 0: none */
	long unplug_ms;      /* gone so long after the start; 0: not */
	long replug_ms;      /* back so long after it went; 0: not */
	long absent_ms;      /* not there in the beginning; 0: it is */
	bool is_renewed;     /* a reset makes another device of it */

	/* Now. */
	UMockdevIoctlBase *base; /* owned */
	int number;              /* on the bus; 0: not plugged in */
	char *path;              /* in /sys; owned */
	GQueue clients;          /* who has its file open */
	UMockdevIoctlClient *holder;
	GQueue in, out, ended;       /* of struct urb */
	UMockdevIoctlClient *reaper; /* waits for one to end */
	GQueue kept;                 /* of struct kept */
	bool is_timed;               /* a timer looks after them */
	int idle;

	int fd; /* to the peer; -1: none */
	guint watch;
	GByteArray *chunk; /* from the host: not a whole read yet */
	uint32_t payload;  /* of it, that is still to come */
	bool wants_empty;
	GByteArray *to_peer;
	GByteArray *bytes;  /* to the host */
	GQueue segments;    /* what is left of each run of packets in them */
	GByteArray *head;   /* from the peer */
	uint32_t from_peer; /* of its payload, that is still to come */
	bool is_garbage;    /* from here on */
	int64_t sent;       /* of payloads, to the host */
};

/*
 * umockdev calls from a thread of its own, timers and sockets from the main one: who
 * is called has this lock.
 */
extern GRecMutex all_lock;

/* ---- the bus ---- */
void bus_init(UMockdevTestbed *bed);
void bus_plug(struct device *d);
void bus_unplug(struct device *d);

/* The urb has ended: 0 or the negative of an errno. */
void bus_end(struct device *d, struct urb *u, int status);

/* ---- what is behind ---- */
void peer_reset(struct device *d);

/* Takes what the host sends, and gives it what there is. */
void peer_run(struct device *d);

/* Something that a real device would have dropped the connection for. */
void violation(const char *what);
void note(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
