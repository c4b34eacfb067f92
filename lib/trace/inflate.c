#include "trace/priv.h"

#include <stdlib.h>

#include <libdeflate.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "err/err.h"

/*
 * The writer keeps a compressed element under 512 KiB, and traces shrink four
 * to twenty times. What grows beyond TC_BUNDLE_MAX, or more than 256 times, is
 * not a trace but a trap; what stays within the first guess may be as dense as
 * it is.
 */
enum { MAX_RATIO = 256, FIRST_GUESS = 256 * 1024 };

struct tc_inflater {
	struct libdeflate_decompressor *deflate; /* owned */
	ZSTD_DCtx *zstd;                         /* owned, made when needed */
	char *buf;                               /* owned */
	size_t cap;
};

enum result { DONE, NO_ROOM, DAMAGED };

static struct tc_inflater *
new_inflater(void)
{
	struct tc_inflater *z = tc_mem_calloc(1, sizeof(*z));

	z->deflate = libdeflate_alloc_decompressor();
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

static enum result
inflate_deflate(struct tc_inflater *z, struct tc_str in, size_t *len)
{
	enum libdeflate_result r;

	if (has_gzip_header(in))
		r = libdeflate_gzip_decompress(
			z->deflate, in.p, in.len, z->buf, z->cap, len);
	else
		r = libdeflate_zlib_decompress(
			z->deflate, in.p, in.len, z->buf, z->cap, len);
	if (r == LIBDEFLATE_INSUFFICIENT_SPACE)
		return NO_ROOM;
	return r == LIBDEFLATE_SUCCESS ? DONE : DAMAGED;
}

/* One frame and nothing else; one that is to be skipped is none. */
static enum result
inflate_zstd(struct tc_inflater *z, struct tc_str in, size_t *len)
{
	unsigned long long size = ZSTD_getFrameContentSize(in.p, in.len);

	if (size == ZSTD_CONTENTSIZE_ERROR || in.p[0] != 0x28 ||
		ZSTD_findFrameCompressedSize(in.p, in.len) != in.len)
		return DAMAGED;
	if (size != ZSTD_CONTENTSIZE_UNKNOWN && size > z->cap)
		return NO_ROOM;
	*len = ZSTD_decompressDCtx(z->zstd, z->buf, z->cap, in.p, in.len);
	if (!ZSTD_isError(*len))
		return DONE;
	return ZSTD_getErrorCode(*len) == ZSTD_error_dstSize_tooSmall ? NO_ROOM : DAMAGED;
}

static enum result
inflate_once(struct tc_inflater *z, const struct tc_bundle *b, size_t *len)
{
	return b->is_zstd ? inflate_zstd(z, b->bytes, len)
			  : inflate_deflate(z, b->bytes, len);
}

int
tc_inflate(struct tc_inflater **zp, const struct tc_bundle *b, size_t max,
	struct tc_str *out, struct tc_err *err)
{
	struct tc_inflater *z;
	enum result r;
	size_t len = 0;

	if (!*zp)
		*zp = new_inflater();
	z = *zp;
	if (b->is_zstd && !z->zstd)
		z->zstd = ZSTD_createDCtx();
	if (b->is_zstd ? !z->zstd : !z->deflate)
		return tc_err_set(err, TC_SYSTEM, "no memory for a decompressor");
	/* The size need not be written anywhere; the buffer stays as it grew. */
	while ((r = inflate_once(z, b, &len)) == NO_ROOM) {
		if (z->cap * 2 > max)
			return tc_err_set(err, TC_DATA,
				"compressed packets grow beyond %zu bytes", max);
		tc_mem_grow(&z->buf, &z->cap, z->cap * 2, 1);
	}
	if (r != DONE)
		return tc_err_set(err, TC_DATA, "damaged compressed packets");
	if (len > FIRST_GUESS && len / MAX_RATIO > b->bytes.len)
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
	libdeflate_free_decompressor(z->deflate);
	ZSTD_freeDCtx(z->zstd);
	free(z->buf);
	free(z);
}
