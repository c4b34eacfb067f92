#include "unpack/priv.h"

#include <zstd.h>

/* A frame, or one that is to be skipped: some writers begin with such. */
static bool
is_magic(const uint8_t *p)
{
	bool is_frame = p[0] == 0x28 && p[1] == 0xb5 && p[2] == 0x2f && p[3] == 0xfd;

	return is_frame ||
		((p[0] & 0xf0) == 0x50 && p[1] == 0x2a && p[2] == 0x4d && p[3] == 0x18);
}

static void *
make(void)
{
	return ZSTD_createDCtx();
}

static void
reset(void *state)
{
	ZSTD_DCtx_reset(state, ZSTD_reset_session_only);
}

static void
release(void *state)
{
	ZSTD_freeDCtx(state);
}

/* libzstd refuses frames that need a window of more than 128 MiB by itself. */
static int
step(void *state, struct tc_in *from, void *buf, size_t cap, size_t *made,
	const char **why)
{
	ZSTD_inBuffer in = { tc_in_at(from), tc_in_avail(from), 0 };
	ZSTD_outBuffer out = { buf, cap, 0 };
	size_t r = ZSTD_decompressStream(state, &out, &in);

	tc_in_eat(from, in.pos);
	*made = out.pos;
	if (!ZSTD_isError(r))
		return r != 0;
	*why = ZSTD_getErrorName(r);
	return -1;
}

const struct tc_unpack_format tc_unpack_zstd = {
	.name = "zstd",
	.magic_bytes = 4,
	.is_magic = is_magic,
	.make = make,
	.reset = reset,
	.free = release,
	.step = step,
};
