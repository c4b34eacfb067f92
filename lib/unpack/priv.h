#ifndef TC_UNPACK_PRIV_H
#define TC_UNPACK_PRIV_H
/* Inside unpack: the layers that a file may have. */
#include "unpack/unpack.h"

/* A way to compress. */
struct tc_unpack_format {
	const char *name;
	size_t magic_bytes;
	bool (*is_magic)(const uint8_t *p);
	void *(*make)(void); /* NULL without memory */
	void (*reset)(void *state);
	void (*free)(void *state);

	/*
	 * Goes on with what the input shows, and eats of it. 1: there is more to
	 * come, 0: a member or frame is complete, -1: damaged, *why says how.
	 */
	int (*step)(void *state, struct tc_in *from, void *buf, size_t cap, size_t *made,
		const char **why);
	bool is_padded; /* zeros may follow, as on tapes */
};

extern const struct tc_unpack_format tc_unpack_gzip, tc_unpack_zstd;

/* The format that the bytes at hand begin with, or NULL. */
const struct tc_unpack_format *tc_unpack_format_of(const struct tc_in *from);

/* `base` bytes came out of other streams of the same file before. */
int tc_unpack_stream_open(struct tc_unpack_stream *s, const struct tc_unpack_format *f,
	struct tc_in *from, uint64_t base, struct tc_err *err);
void tc_unpack_stream_close(struct tc_unpack_stream *s);

/* Bytes that it takes to tell an archive, and a trace. */
enum { TC_UNPACK_ARCHIVE_BYTES = 265, TC_UNPACK_TRACE_BYTES = 4096 };

bool tc_unpack_is_archive(const struct tc_in *from);

/* Whether the bytes at hand are packets, by the fields of the first ones. */
bool tc_unpack_is_trace(const struct tc_in *from);

struct tc_unpack_archive *tc_unpack_archive_new(struct tc_in *from);
void tc_unpack_archive_free(struct tc_unpack_archive *x);

/* The next file of it, and what is in it: 1, 0 at the end, -1. */
int tc_unpack_archive_next(
	struct tc_unpack_archive *x, struct tc_in **member, struct tc_err *err);

/* Of the file at hand, without the archive's own name. */
struct tc_str tc_unpack_archive_member(const struct tc_unpack_archive *x);

#endif
