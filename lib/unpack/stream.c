#include "unpack/priv.h"

#include "err/err.h"

static const struct tc_unpack_format *const formats[] = { &tc_unpack_gzip,
	&tc_unpack_zstd };

static bool
begins(const struct tc_unpack_format *f, const struct tc_in *from)
{
	return tc_in_avail(from) >= f->magic_bytes && f->is_magic(tc_in_at(from));
}

const struct tc_unpack_format *
tc_unpack_format_of(const struct tc_in *from)
{
	size_t i;

	for (i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (begins(formats[i], from))
			return formats[i];
	return NULL;
}

/* There is nothing more in `from`; whether there should be is for this to say. */
static int
at_end(struct tc_unpack_stream *s)
{
	if (s->from->ending != TC_IN_WHOLE)
		tc_in_ends(&s->in, s->from->ending, "%s", s->from->why);
	else if (s->is_inside)
		tc_in_ends(&s->in, TC_IN_CUT, "the %s data is cut", s->format->name);
	return 0;
}

/* Whether what follows begins another member or frame: 1, 0 at the end, -1. */
static int
begin(struct tc_unpack_stream *s, struct tc_err *err)
{
	const struct tc_unpack_format *f = s->format;
	int r;

	while ((r = tc_in_want(s->from, 1, err)) > 0) {
		if (!f->is_padded || *tc_in_at(s->from) != 0)
			break;
		tc_in_eat(s->from, 1);
	}
	if (r > 0 && tc_in_want(s->from, f->magic_bytes, err) < 0)
		r = -1;
	if (r <= 0)
		return r < 0 ? -1 : at_end(s);
	s->is_inside = begins(f, s->from);
	if (!s->is_inside)
		tc_in_ends(&s->in, TC_IN_DAMAGED, "something else follows the %s data",
			f->name);
	return s->is_inside;
}

/* Sees that there is something to go on with: 1, 0 at the end, -1. */
static int
prepare(struct tc_unpack_stream *s, struct tc_err *err)
{
	int r;

	if (!s->is_inside)
		return begin(s, err);
	if (s->is_pending || tc_in_avail(s->from))
		return 1;
	r = tc_in_want(s->from, 1, err);
	return r == 0 ? at_end(s) : r;
}

/*
 * No more comes out between two looks at the limit: a packet may claim to be large,
 * and the room for it must not be filled before that is found to be a trap.
 */
enum { STEP_BYTES = 1024 * 1024 };

static int64_t
read_stream(struct tc_in *in, void *buf, size_t cap, struct tc_err *err)
{
	struct tc_unpack_stream *s = in->ctx;
	const char *why = NULL;
	size_t made = 0;
	int r;

	if (in->ending != TC_IN_WHOLE)
		return 0;
	if (cap > STEP_BYTES)
		cap = STEP_BYTES;
	do {
		r = prepare(s, err);
		if (r <= 0)
			return r;
		r = s->format->step(s->state, s->from, buf, cap, &made, &why);
		if (r < 0)
			tc_in_ends(in, TC_IN_DAMAGED, "the %s data is damaged: %s",
				s->format->name, why);
		s->is_inside = r != 0;
		s->is_pending = r > 0 && made == cap;
	} while (!made && r >= 0);
	s->out += made;
	if (tc_unpack_is_bomb(s->base + s->out, tc_in_spent(s->from)))
		tc_in_ends(in, TC_IN_DAMAGED, "the %s data grows more than %d times",
			s->format->name, TC_UNPACK_RATIO);
	return (int64_t)made;
}

static bool
can_rewind_stream(const struct tc_in *in)
{
	const struct tc_unpack_stream *s = in->ctx;

	return tc_in_can_rewind(s->from);
}

static int
rewind_stream(struct tc_in *in, struct tc_err *err)
{
	struct tc_unpack_stream *s = in->ctx;

	s->format->reset(s->state);
	s->out = 0;
	s->is_inside = s->is_pending = false;
	return tc_in_rewind(s->from, err);
}

static uint64_t
spent_stream(const struct tc_in *in)
{
	const struct tc_unpack_stream *s = in->ctx;

	return tc_in_spent(s->from);
}

static const struct tc_in_source source = { read_stream, can_rewind_stream, rewind_stream,
	spent_stream };

int
tc_unpack_stream_open(struct tc_unpack_stream *s, const struct tc_unpack_format *f,
	struct tc_in *from, uint64_t base, struct tc_err *err)
{
	*s = (struct tc_unpack_stream){ .from = from, .format = f, .base = base };
	s->state = f->make();
	if (!s->state)
		return tc_err_set(err, TC_SYSTEM, "no memory for a decompressor");
	tc_in_open_source(&s->in, from->name, &source, s);
	return 0;
}

void
tc_unpack_stream_close(struct tc_unpack_stream *s)
{
	if (s->state)
		s->format->free(s->state);
	if (s->in.cap)
		tc_in_close(&s->in);
	*s = (struct tc_unpack_stream){ 0 };
}
