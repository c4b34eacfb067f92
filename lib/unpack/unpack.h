#ifndef TC_UNPACK_UNPACK_H
#define TC_UNPACK_UNPACK_H
/*
 * unpack: the traces in a file, whatever the file is wrapped in.
 *
 * A file may be a trace, gzip or zstd of one, or a ZIP or TAR archive with
 * traces among its members. Each trace is handed out as an input that its
 * reader cannot tell from a plain file. Everything streams: a pipe will do, and
 * memory does not follow the sizes. A plain file is handed out as it is, so it
 * costs nothing to come by here.
 *
 *	tc_unpack_open(&u, &in);
 *	while ((r = tc_unpack_next(&u, &trace, err)) > 0)
 *		... read trace, then look at trace->ending ...
 *	tc_unpack_close(&u);
 *
 * How deep it goes: compression around an archive, the archive, compression
 * around a member. Archives in archives are not opened, nor is what was
 * compressed twice.
 *
 * gzip and zstd are read with zlib and libzstd themselves, archives with
 * libarchive. libarchive would decompress as fast, but checks no checksum of
 * gzip, and drops up to its buffer of what came before a cut.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "io/io.h"
#include "mem/mem.h"

struct tc_err;

/*
 * What comes out of a file is held to this many times its bytes, and so many
 * for free, layer by layer: traces shrink four to twenty times. More is a trap.
 */
enum { TC_UNPACK_RATIO = 64, TC_UNPACK_FREE_BYTES = 64 * 1024 * 1024 };

/* Whether `out` bytes are too many to come of the `spent` ones. */
static inline bool
tc_unpack_is_bomb(uint64_t out, uint64_t spent)
{
	return out > TC_UNPACK_FREE_BYTES &&
		(out - TC_UNPACK_FREE_BYTES) / TC_UNPACK_RATIO > spent;
}

/* Compressed bytes, and the input that shows what is in them. */
struct tc_unpack_stream {
	struct tc_in in;
	struct tc_in *from;                    /* borrowed */
	const struct tc_unpack_format *format; /* NULL: not in use */
	void *state;                           /* owned */
	uint64_t base, out; /* bytes that came out before this stream, and so far */
	bool is_inside;     /* of a gzip member or a zstd frame */
	bool is_pending;    /* there may be output that takes no input */
};

struct tc_unpack {
	struct tc_in *file;                   /* borrowed */
	struct tc_unpack_stream whole, inner; /* of the file, of a member */
	struct tc_unpack_archive *archive;    /* owned, NULL: it is none */
	bool is_done;

	/* Of the members seen so far. */
	size_t traces, unreadable;
	uint64_t inner_out; /* bytes that came out of those that were compressed */
	char why[128];      /* the first one could not be read */

	/* Of an archive's member at hand; p NULL when the file is no archive. */
	struct tc_str member;
};

/* The file is borrowed until tc_unpack_close. */
void tc_unpack_open(struct tc_unpack *u, struct tc_in *file);

/*
 * 1: *trace is the next one, valid until the next call; 0: that was all; -1:
 * TC_DATA when an archive is damaged or holds no trace, or TC_IO. A file that
 * is no archive has one trace, of which nobody has checked that it is one.
 */
int tc_unpack_next(struct tc_unpack *u, struct tc_in **trace, struct tc_err *err);
void tc_unpack_close(struct tc_unpack *u);

/* Whether what begins with these bytes is a trace, compressed or not; no archive. */
bool tc_unpack_begins_trace(const void *bytes, size_t len);

#endif
