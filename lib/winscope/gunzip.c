/* Files: gzip data in base64 in JSON, undone piece by piece. */
#include <stdlib.h>
#include <zlib.h>

#include "err/err.h"
#include "winscope/priv.h"

/* zlib's code for a gzip header and nothing else, with the largest window. */
enum { ONLY_GZIP = 16 + MAX_WBITS, OUT_BYTES = 64 * 1024 };

void
tc_winscope_gunzip_init(struct tc_winscope_gunzip *g)
{
	z_stream *z = tc_mem_calloc(1, sizeof(*z));

	*g = (struct tc_winscope_gunzip){ 0 };
	if (inflateInit2(z, ONLY_GZIP) == Z_OK)
		g->z = z;
	else
		free(z);
}

void
tc_winscope_gunzip_release(struct tc_winscope_gunzip *g)
{
	if (g->z)
		inflateEnd(g->z);
	free(g->z);
	g->z = NULL;
}

int64_t
tc_winscope_gunzip_next(struct tc_winscope_gunzip *g, const uint8_t **bytes, size_t *len,
	uint8_t *out, size_t cap)
{
	z_stream *z = g->z;
	size_t used;
	int r;

	if (g->is_over || !z)
		return *len || !z ? -1 : 0;
	/* Not const in all versions of zlib, which does not write there. */
	memcpy(&z->next_in, bytes, sizeof(z->next_in));
	z->avail_in = (unsigned)*len;
	z->next_out = out;
	z->avail_out = (unsigned)cap;
	r = inflate(z, Z_NO_FLUSH);
	used = *len - z->avail_in;
	*bytes += used;
	*len -= used;
	g->is_over = r == Z_STREAM_END;
	if (r != Z_OK && r != Z_STREAM_END && r != Z_BUF_ERROR)
		return -1;
	return (int64_t)(cap - z->avail_out);
}

/* ---- the file in an answer ---- */

static int
damaged(const char *what, struct tc_err *err)
{
	return tc_err_named(err, TC_PROTOCOL, "protocol",
		"the proxy's answer is no file: its %s is damaged", what);
}

static int
unpack(struct tc_winscope_file *f, const uint8_t *bytes, size_t len,
	tc_winscope_put_fn *put, void *ctx, struct tc_err *err)
{
	uint8_t out[OUT_BYTES];
	int64_t n;

	/* A full buffer may have had more behind it. */
	do {
		n = tc_winscope_gunzip_next(&f->gunzip, &bytes, &len, out, sizeof(out));
		if (n < 0)
			return damaged("gzip data", err);
		if (n && put(ctx, out, (size_t)n, err) < 0)
			return -1;
	} while (n == sizeof(out) || (n && len));
	return len ? damaged("gzip data", err) : 0;
}

int
tc_winscope_file_feed(struct tc_winscope_file *f, const char *bytes, size_t len,
	tc_winscope_put_fn *put, void *ctx, struct tc_err *err)
{
	char text[TC_WINSCOPE_PIECE + TC_WINSCOPE_TEXT_MORE];
	uint8_t packed[sizeof(text)];
	size_t n, made;

	for (; len; bytes += n, len -= n) {
		n = len < TC_WINSCOPE_PIECE ? len : TC_WINSCOPE_PIECE;
		if (tc_winscope_text_feed(&f->text, bytes, n, text, &made, err) < 0)
			return -1;
		if (tc_winscope_base64_feed(&f->base64, text, made, packed, &made) < 0)
			return damaged("base64", err);
		if (made && unpack(f, packed, made, put, ctx, err) < 0)
			return -1;
	}
	return 0;
}

int
tc_winscope_file_end(const struct tc_winscope_file *f, struct tc_err *err)
{
	if (!tc_winscope_text_is_whole(&f->text))
		return tc_err_named(err, TC_NOSERVICE, "gone",
			"the proxy was lost in the middle of its answer");
	if (f->text.is_null)
		return 0;
	if (!tc_winscope_base64_is_whole(&f->base64))
		return damaged("base64", err);
	return f->gunzip.is_over ? 1 : damaged("gzip data", err);
}
