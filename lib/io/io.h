#ifndef TC_IO_IO_H
#define TC_IO_IO_H
/*
 * io: buffered input seen through a window, and buffered output.
 *
 * An input shows the bytes at its position; the caller asks for as many as it
 * needs and eats what it has used, so a pipe that cannot seek serves as well
 * as a file, and memory stays at the size of the largest piece asked for.
 *
 * An input may be a source, such as a decompressor, instead of a descriptor; its
 * readers see no difference.
 *
 * An output is fully buffered. An input that is tied to one flushes it before
 * every read that may block: a slow pipe stays live, a fast one stays fast.
 * An output remembers its first failure, so whoever writes many small pieces
 * checks once, with tc_out_check or tc_out_flush.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "mem/mem.h"

struct tc_err;

struct tc_out {
	int fd;
	int sys;   /* errno of the first failed write, 0 while all is well */
	char *buf; /* owned */
	size_t len, cap;
	int64_t records; /* lines written, counted by whoever ends one */
};

/* With a buffer, that is; what is only { .fd = fd } has none, and writes at once. */
void tc_out_init(struct tc_out *o, int fd);

void tc_out_drain(struct tc_out *o);

/* The most that can be asked for at once. */
enum { TC_OUT_ROOM = 8192 };

/* Makes room and returns where at least n (at most TC_OUT_ROOM) bytes may go. */
static inline char *
tc_out_room(struct tc_out *o, size_t n)
{
	if (o->cap - o->len < n)
		tc_out_drain(o);
	return o->buf + o->len;
}

/* Says how far the room was used. */
static inline void
tc_out_used(struct tc_out *o, const char *end)
{
	o->len = (size_t)(end - o->buf);
}

void tc_out_write(struct tc_out *o, const void *bytes, size_t len);

/* As a JSON string, quotes included; what is not UTF-8 becomes U+FFFD. */
void tc_out_quoted(struct tc_out *o, struct tc_str s);

/* 0, or -1 with TC_IO, or TC_GONE when the reader closed the pipe. */
int tc_out_check(const struct tc_out *o, struct tc_err *err);
int tc_out_flush(struct tc_out *o, struct tc_err *err);
void tc_out_release(struct tc_out *o);

/*
 * An output that goes to a file, which shows under its name only when it is
 * complete: until then it has another one beside it.
 */
struct tc_out_file {
	const char *path;     /* borrowed */
	char temporary[4096]; /* empty: it is written in place */
	char target[4096];    /* what a link leads to; path points here then */
	bool is_new;          /* set once it is created: it takes no other file's place */
};

/* 0, or -1 with TC_IO. What was opened is ended by exactly one of the two below. */
int tc_out_create(
	struct tc_out *o, struct tc_out_file *f, const char *path, struct tc_err *err);

/* The same, for its owner alone, whatever the umask is. */
int tc_out_create_private(
	struct tc_out *o, struct tc_out_file *f, const char *path, struct tc_err *err);

/*
 * The same for a name that a user gave, which may be of anything: a link is followed,
 * and a pipe or a device is written to, as by the shell's >, instead of giving way.
 */
int tc_out_create_at(
	struct tc_out *o, struct tc_out_file *f, const char *path, struct tc_err *err);

/*
 * Flushes, writes through to the disk and gives the file its name. 0, or -1 with
 * TC_IO, its errno EEXIST when the name is taken.
 */
int tc_out_commit(struct tc_out *o, struct tc_out_file *f, struct tc_err *err);

/* Removes it; may be called in a signal's handler. */
void tc_out_discard(struct tc_out_file *f);

/* A literal, without its NUL. */
#define tc_out_lit(o, s) tc_out_write((o), "" s, sizeof(s) - 1)

struct tc_in;

/*
 * Bytes that come from elsewhere than a descriptor, as out of a decompressor.
 * `read` puts up to cap bytes, at least one, into buf and says how many; 0 is
 * the end, about which tc_in_ends may have said more; -1 with *err. It does not
 * wait for more while it has some.
 */
struct tc_in_source {
	int64_t (*read)(struct tc_in *in, void *buf, size_t cap, struct tc_err *err);
	bool (*can_rewind)(const struct tc_in *in);
	int (*rewind)(struct tc_in *in, struct tc_err *err);

	/* How many bytes of the file all this was made of so far. */
	uint64_t (*spent)(const struct tc_in *in);
};

enum tc_in_ending { TC_IN_WHOLE, TC_IN_CUT, TC_IN_DAMAGED };

struct tc_in {
	int fd;             /* -1: a source, or all there is lies in the window */
	const char *name;   /* borrowed, for messages; "-" is standard input */
	struct tc_out *tie; /* borrowed, may be NULL */
	char *buf;          /* owned when cap is not 0 */
	size_t pos, len, cap;
	uint64_t offset; /* of the window's first byte in the input */
	int64_t size;    /* of the whole input, -1 when it is not a file */
	uint64_t line;   /* number of the line read last, from 1 */
	bool eof, may_block, is_pipe;
	bool skipping; /* in the rest of a line that was too long */
	int64_t start; /* where in its file it was opened */

	const struct tc_in_source *source; /* borrowed, NULL without one */
	void *ctx;                         /* of the source; borrowed */
	enum tc_in_ending ending;          /* what a source said of its end */
	char why[128];                     /* the same in words */
};

/* "-" is standard input. 0, or -1 with TC_NOINPUT. */
int tc_in_open(struct tc_in *in, const char *name, struct tc_err *err);
void tc_in_bytes(struct tc_in *in, const void *bytes, size_t len);

/* Both are borrowed, and stay where they are until tc_in_close. */
void tc_in_open_source(
	struct tc_in *in, const char *name, const struct tc_in_source *source, void *ctx);

/* For a source whose end is not what it should be: it has no more to give. */
void tc_in_ends(struct tc_in *in, enum tc_in_ending ending, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * Back to where the input was opened: a file can, also through a decompressor,
 * a pipe cannot. 0, or -1 with TC_IO; what the window showed is gone.
 */
bool tc_in_can_rewind(const struct tc_in *in);
int tc_in_rewind(struct tc_in *in, struct tc_err *err);

/*
 * Makes sure that a file or pipe can be started again: what comes down a pipe is
 * copied to a file without a name first, in the directory that TMPDIR names, or
 * else /var/tmp. To be called before anything was read. 0, or -1 with TC_IO.
 */
int tc_in_keep(struct tc_in *in, struct tc_err *err);

/* How many bytes of the file were used so far: what decompressors are held to. */
uint64_t tc_in_spent(const struct tc_in *in);

/*
 * Reads until n bytes are in the window: 1, or 0 when the input ends before
 * that (what there is stays in the window), or -1 with TC_IO.
 */
int tc_in_want(struct tc_in *in, size_t n, struct tc_err *err);
void tc_in_close(struct tc_in *in);

static inline const uint8_t *
tc_in_at(const struct tc_in *in)
{
	return (const uint8_t *)in->buf + in->pos;
}

static inline size_t
tc_in_avail(const struct tc_in *in)
{
	return in->len - in->pos;
}

static inline void
tc_in_eat(struct tc_in *in, size_t n)
{
	in->pos += n;
	in->offset += n;
}

/* Eats n bytes that need not be in the window; returns how many there were. */
int64_t tc_in_skip(struct tc_in *in, uint64_t n, struct tc_err *err);

/*
 * The next line without its newline, valid until the next call: 1, 0 at the
 * end, or -1: TC_IO, or TC_DATA for a line over max bytes, after which the
 * next call goes on behind it.
 */
int tc_in_line(struct tc_in *in, size_t max, struct tc_str *line, struct tc_err *err);

#endif
