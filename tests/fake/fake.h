#ifndef TC_FAKE_FAKE_H
#define TC_FAKE_FAKE_H
/*
 * fake: a device that speaks the adbd side of the ADB protocol on loopback.
 *
 * Written for itself, from the protocol: it shares no code with lib/adb, so that
 * both would have to be wrong in the same way. One process for each connection
 * moves messages; one for each stream is the service and reads and writes plain
 * bytes. Out of memory and other trouble of this machine end it (71).
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct fake {
	const char *root;  /* the folder that is /data and so on, NULL: none */
	const char *shims; /* in front of PATH, or NULL */
	bool is_inside;    /* of a namespace where root's folders are in place */
	const char *features, *product, *model, *device, *state;
	uint32_t version, max_payload, window;
	const char *control; /* a file with faults, looked at for every stream */
	const char *keys;    /* a file with the keys it knows; NULL: it asks for none */
	bool tls;            /* and it wants them by TLS */

	/* Faults. */
	bool auth;          /* asks for a key for ever */
	long accept_ms;     /* until a key that is offered is accepted; -1: never */
	long doubt;         /* so many signatures are not believed */
	bool old_tls;       /* 1.2, which is not enough */
	bool silent;        /* takes connections and says nothing */
	bool brief;         /* ends them when it is spoken to */
	bool hang;          /* accepts services and does nothing */
	long slow_ms;       /* before each question for a key, and message with bytes */
	size_t piece;       /* the most bytes in a message; 0: no limit */
	int64_t drop;       /* the connection, after that many bytes of streams; -1 */
	int64_t cut;        /* each stream, after that many of its bytes; -1 */
	int64_t garbage;    /* a message that is none, after that many bytes; -1 */
	bool junk;          /* packets of no known kind in place of a shell's, for ever */
	const char *refuse; /* services that begin so */

	/* Of the files with these names, when they are pulled; or a folder is listed. */
	const char *short_file; /* ends in its middle, as if that were its end */
	const char *lose;       /* and the connection with it, after 64 KiB */
	const char *grow;       /* by a byte, before it is read */
	const char *grown;      /* by a byte, after it was read */
	const char *touch;      /* has another time after it was read */
	const char *deny;       /* may not be read, though a shell may */
	const char *vanish;     /* after it was read */
	const char *endless;    /* its first bytes, or name, come again and again */
};

/* A line "NAME" or "NAME VALUE" of a fault: false when there is no such. */
bool fake_fault(struct fake *f, const char *name, const char *value);

/* The other end of a connection; returns when it is over. */
void fake_serve(struct fake *f, int fd);

/* Whether this is the signature of a key that is known. */
bool fake_knows(
	const struct fake *f, const uint8_t *token, const uint8_t *bytes, size_t len);

/* Whether the key in this text is accepted, which is then known, and takes a while. */
bool fake_accepts(const struct fake *f, const uint8_t *bytes, size_t len);

/* A descriptor to go on with, or the end of this process. */
int fake_tls(const struct fake *f, int fd);

/* Runs a service on this end of a stream, never returns; or false: no such. */
bool fake_service(const struct fake *f, const char *name, int fd);
bool fake_has_service(const char *name);
void fake_sync(const struct fake *f, int fd);

/* Where a path of the device is; valid until the next call. */
const char *fake_path(const struct fake *f, const char *path);

/*
 * A listener on loopback, at this port (0: any that is free; *got says which), with so
 * many in its queue.
 */
int fake_listen(long port, int queue, int *got);

/* In a file, or on standard output. */
void fake_tell_port(const char *file, int port);

/* All or nothing: false at the end or on trouble. */
bool fake_read(int fd, void *buf, size_t len);
bool fake_write(int fd, const void *buf, size_t len);

uint32_t fake_get32(const uint8_t *p);
void fake_put32(uint8_t *p, uint32_t v);
_Noreturn void fake_die(const char *what);

/*
 * Into a name space of its own, where the folders in root are in / (its `data`
 * is /data); with net, where there is no network but loopback. False, having
 * said so, when this system does not allow that.
 */
bool fake_enter(const char *root, bool net);

#endif
