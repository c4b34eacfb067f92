#include "unpack/priv.h"

#include <string.h>

#include "err/err.h"

void
tc_unpack_open(struct tc_unpack *u, struct tc_in *file)
{
	*u = (struct tc_unpack){ .file = file };
}

void
tc_unpack_close(struct tc_unpack *u)
{
	tc_unpack_stream_close(&u->inner);
	tc_unpack_archive_free(u->archive);
	tc_unpack_stream_close(&u->whole);
	*u = (struct tc_unpack){ 0 };
}

/*
 * Puts a stream in front of what is compressed; *in is then what comes out of
 * it, with its first bytes at hand.
 */
static int
open_layer(struct tc_unpack_stream *s, struct tc_in **in, size_t want, uint64_t base,
	struct tc_err *err)
{
	const struct tc_unpack_format *f;

	if (tc_in_want(*in, want, err) < 0)
		return -1;
	f = tc_unpack_format_of(*in);
	if (!f)
		return 0;
	if (tc_unpack_stream_open(s, f, *in, base, err))
		return -1;
	*in = &s->in;
	return tc_in_want(*in, want, err) < 0 ? -1 : 0;
}

static int
first(struct tc_unpack *u, struct tc_in **trace, struct tc_err *err)
{
	*trace = u->file;
	if (open_layer(&u->whole, trace, TC_UNPACK_ARCHIVE_BYTES, 0, err))
		return -1;
	if (tc_unpack_is_archive(*trace))
		u->archive = tc_unpack_archive_new(*trace);
	return 1;
}

/*
 * Behind the archive: who writes to a pipe is not cut short, and a checksum of
 * the whole is looked at.
 */
static int
at_end(struct tc_unpack *u, struct tc_err *err)
{
	struct tc_in *from = u->whole.format ? &u->whole.in : u->file;

	u->is_done = true;
	if (tc_in_skip(from, UINT64_MAX, err) < 0)
		return -1;
	if (from->ending != TC_IN_WHOLE)
		return tc_err_set(err, TC_DATA, "%s: %s", from->name, from->why);
	if (u->unreadable)
		return tc_err_set(err, TC_DATA,
			"%s: %zu files in it cannot be read, the first: %s", from->name,
			u->unreadable, u->why);
	if (!u->traces)
		return tc_err_set(err, TC_DATA,
			"%s: no Perfetto trace in this archive "
			"(archives inside it are not opened)",
			from->name);
	return 0;
}

/* Whether the member at hand is a trace, perhaps compressed: 1, 0, -1. */
static int
look(struct tc_unpack *u, struct tc_in **member, struct tc_err *err)
{
	uint64_t before = u->inner_out;
	struct tc_in *in = *member;
	const struct tc_in *damaged;

	if (open_layer(&u->inner, member, TC_UNPACK_TRACE_BYTES, before, err))
		return -1;
	if (tc_unpack_is_trace(*member))
		return 1;
	damaged = in->ending == TC_IN_DAMAGED ? in : *member;
	if (damaged->ending == TC_IN_DAMAGED && !u->unreadable++)
		memcpy(u->why, damaged->why, sizeof(u->why));
	return 0;
}

static int
next_in_archive(struct tc_unpack *u, struct tc_in **trace, struct tc_err *err)
{
	int r;

	for (;;) {
		u->inner_out += u->inner.out;
		tc_unpack_stream_close(&u->inner);
		r = tc_unpack_archive_next(u->archive, trace, err);
		if (r == 0)
			return at_end(u, err);
		if (r > 0)
			r = look(u, trace, err);
		if (r < 0) {
			u->is_done = true;
			return err->code == TC_DATA ? tc_err_add(err, "%s", u->file->name)
						    : -1;
		}
		if (r > 0)
			break;
	}
	u->traces++;
	u->member = tc_unpack_archive_member(u->archive);
	return 1;
}

int
tc_unpack_next(struct tc_unpack *u, struct tc_in **trace, struct tc_err *err)
{
	int r = 1;

	if (u->is_done)
		return 0;
	if (!u->archive)
		r = first(u, trace, err);
	u->is_done = r < 0 || !u->archive;
	if (r > 0 && u->archive)
		r = next_in_archive(u, trace, err);
	return r;
}

bool
tc_unpack_begins_trace(const void *bytes, size_t len)
{
	struct tc_unpack_stream s = { 0 };
	struct tc_in whole, *in = &whole;
	struct tc_err ignored = { 0 };
	bool is;

	tc_in_bytes(&whole, bytes, len);
	is = open_layer(&s, &in, TC_UNPACK_TRACE_BYTES, 0, &ignored) == 0 &&
		tc_unpack_is_trace(in);
	tc_unpack_stream_close(&s);
	return is;
}
