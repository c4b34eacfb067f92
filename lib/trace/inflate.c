#include "trace/priv.h"

#include <stdlib.h>

#include <libdeflate.h>

#include "err/err.h"

/*
 * The writer keeps a compressed element under 512 KiB, and traces shrink four
 * to twenty times. What grows beyond 64 MiB, or more than 256 times, is not a
 * trace but a trap; what stays within the first guess may be as dense as it is.
 */
enum { MAX_INFLATED = 64 * 1024 * 1024, MAX_RATIO = 256, FIRST_GUESS = 256 * 1024 };

struct tc_inflater {
	struct libdeflate_decompressor *z; /* owned */
	char *buf;                         /* owned */
	size_t cap;
};

static struct tc_inflater *
new_inflater(void)
{
	struct tc_inflater *z = tc_mem_calloc(1, sizeof(*z));

	z->z = libdeflate_alloc_decompressor();
	z->buf = tc_mem_alloc(FIRST_GUESS);
	z->cap = FIRST_GUESS;
	return z;
}

static bool
has_gzip_header(struct tc_str in)
{
	return in.len >= 2 && (unsigned char)in.p[0] == 0x1f &&
		(unsigned char)in.p[1] == 0x8b;
}

static enum libdeflate_result
inflate_once(struct tc_inflater *z, struct tc_str in, size_t *len)
{
	if (has_gzip_header(in))
		return libdeflate_gzip_decompress(
			z->z, in.p, in.len, z->buf, z->cap, len);
	return libdeflate_zlib_decompress(z->z, in.p, in.len, z->buf, z->cap, len);
}

int
tc_inflate(
	struct tc_inflater **zp, struct tc_str in, struct tc_str *out, struct tc_err *err)
{
	enum libdeflate_result r;
	struct tc_inflater *z;
	size_t len = 0;

	if (!*zp)
		*zp = new_inflater();
	z = *zp;
	if (!z->z)
		return tc_err_set(err, TC_SYSTEM, "no memory for a decompressor");
	/* The size is not written anywhere; the buffer stays as large as it grew. */
	while ((r = inflate_once(z, in, &len)) == LIBDEFLATE_INSUFFICIENT_SPACE) {
		if (z->cap * 2 > MAX_INFLATED)
			return tc_err_set(err, TC_DATA,
				"compressed packets grow beyond %d bytes", MAX_INFLATED);
		tc_mem_grow(&z->buf, &z->cap, z->cap * 2, 1);
	}
	if (r != LIBDEFLATE_SUCCESS)
		return tc_err_set(err, TC_DATA, "damaged compressed packets");
	if (len > FIRST_GUESS && len / MAX_RATIO > in.len)
		return tc_err_set(err, TC_DATA,
			"compressed packets grow more than %d times", MAX_RATIO);
	*out = (struct tc_str){ z->buf, (uint32_t)len, false };
	return 0;
}

void
tc_inflater_free(struct tc_inflater *z)
{
	if (!z)
		return;
	libdeflate_free_decompressor(z->z);
	free(z->buf);
	free(z);
}
