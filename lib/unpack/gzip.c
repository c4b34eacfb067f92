#include "unpack/priv.h"

#include <stdlib.h>
#include <string.h>

#include <zlib.h>

/* zlib's code for a gzip header and nothing else, with the largest window. */
enum { ONLY_GZIP = 16 + MAX_WBITS };

static bool
is_magic(const uint8_t *p)
{
	return p[0] == 0x1f && p[1] == 0x8b;
}

static void *
make(void)
{
	z_stream *z = tc_mem_calloc(1, sizeof(*z));

	if (inflateInit2(z, ONLY_GZIP) == Z_OK)
		return z;
	free(z);
	return NULL;
}

static void
reset(void *state)
{
	inflateReset(state);
}

static void
release(void *state)
{
	inflateEnd(state);
	free(state);
}

static unsigned
at_most_unsigned(size_t n)
{
	return n < UINT32_MAX ? (unsigned)n : UINT32_MAX;
}

static int
step(void *state, struct tc_in *from, void *buf, size_t cap, size_t *made,
	const char **why)
{
	z_stream *z = state;
	unsigned in = at_most_unsigned(tc_in_avail(from)), out = at_most_unsigned(cap);
	const uint8_t *at = tc_in_at(from);
	int r;

	/* Not const in all versions of zlib, which does not write there. */
	memcpy(&z->next_in, &at, sizeof(z->next_in));
	z->avail_in = in;
	z->next_out = buf;
	z->avail_out = out;
	r = inflate(z, Z_NO_FLUSH);
	tc_in_eat(from, in - z->avail_in);
	*made = out - z->avail_out;
	if (r == Z_STREAM_END) {
		inflateReset(z);
		return 0;
	}
	if (r == Z_OK || r == Z_BUF_ERROR)
		return 1;
	*why = z->msg ? z->msg : "a dictionary is needed";
	return -1;
}

const struct tc_unpack_format tc_unpack_gzip = {
	.name = "gzip",
	.magic_bytes = 2,
	.is_magic = is_magic,
	.make = make,
	.reset = reset,
	.free = release,
	.step = step,
	.is_padded = true,
};
