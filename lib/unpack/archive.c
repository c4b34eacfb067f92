#include "unpack/priv.h"

#include <stdlib.h>
#include <string.h>

#include <archive.h>
#include <archive_entry.h>

#include "err/err.h"

/* A bug report has some hundred files. Each costs little, but not nothing. */
enum { MAX_MEMBERS = 65535, MAX_NAME = 4095 };

struct tc_unpack_archive {
	struct tc_in *from;   /* borrowed */
	struct archive *a;    /* owned */
	struct tc_in in;      /* what is in the member at hand */
	size_t lent;          /* bytes of `from` that libarchive is looking at */
	struct tc_err failed; /* of reading `from`; its code says whether */
	char *name;           /* owned: "ARCHIVE:MEMBER" */
	size_t name_cap, member_at;
	size_t index; /* of the member at hand, from 1 */
	uint64_t out; /* bytes that came out of all members */
	uint64_t at;  /* of the member, handed out */
	bool is_bomb;

	/* The block that was read last: where it belongs in the member. */
	const char *block; /* borrowed from libarchive */
	size_t block_len;
	uint64_t block_at;
};

/* libarchive looks at the window of `from`, until it asks for the next one. */
static la_ssize_t
lend(struct archive *a, void *ctx, const void **bytes)
{
	struct tc_unpack_archive *x = ctx;

	tc_in_eat(x->from, x->lent);
	x->lent = 0;
	if (tc_in_want(x->from, 1, &x->failed) < 0) {
		archive_set_error(a, x->failed.sys, "%s", x->failed.msg);
		return -1;
	}
	*bytes = tc_in_at(x->from);
	x->lent = tc_in_avail(x->from);
	return (la_ssize_t)x->lent;
}

static int
open_archive(struct tc_unpack_archive *x, struct tc_err *err)
{
	x->a = archive_read_new();
	if (!x->a)
		return tc_err_set(err, TC_SYSTEM, "no memory for an archive");
	archive_read_support_format_tar(x->a);
	archive_read_support_format_zip_streamable(x->a);
	/* What is wrong with the beginning is said when the first file is asked for. */
	archive_read_open(x->a, x, NULL, lend, NULL);
	return 0;
}

static const char *
error_text(const struct tc_unpack_archive *x)
{
	const char *text = archive_error_string(x->a);

	return text ? text : "no reason given";
}

/* A member that ends badly: with the archive, or by itself. */
static void
member_ends(struct tc_unpack_archive *x)
{
	struct tc_in *from = x->from;

	if (from->ending != TC_IN_WHOLE)
		tc_in_ends(&x->in, from->ending, "%s", from->why);
	else if (from->eof && x->lent == tc_in_avail(from))
		tc_in_ends(&x->in, TC_IN_CUT, "the archive is cut");
	else
		tc_in_ends(&x->in, TC_IN_DAMAGED, "the archive is damaged: %s",
			error_text(x));
}

/*
 * Sees to a block with something in it: 1, 0 at the end of the member, -1. A
 * warning comes with the last block, as when a checksum is wrong.
 */
static int
next_block(struct tc_unpack_archive *x, struct tc_err *err)
{
	const void *bytes;
	la_int64_t at;
	size_t n;
	int r;

	while (!x->block_len) {
		if (x->in.ending != TC_IN_WHOLE)
			return 0;
		bytes = NULL;
		n = 0;
		at = 0;
		r = archive_read_data_block(x->a, &bytes, &n, &at);
		if (r == ARCHIVE_EOF)
			return 0;
		if (x->failed.code) {
			*err = x->failed;
			return -1;
		}
		if (r != ARCHIVE_OK)
			member_ends(x);
		if ((r != ARCHIVE_OK && r != ARCHIVE_WARN) || !bytes)
			continue;
		if (at < 0 || (uint64_t)at < x->at) {
			member_ends(x);
			return 0;
		}
		x->block = bytes;
		x->block_len = n;
		x->block_at = (uint64_t)at;
	}
	return 1;
}

/* Files with holes are rare; what is in one is zeros. */
static size_t
take(struct tc_unpack_archive *x, void *buf, size_t cap)
{
	size_t n = x->block_len < cap ? x->block_len : cap;

	if (x->block_at > x->at) {
		n = x->block_at - x->at < cap ? (size_t)(x->block_at - x->at) : cap;
		memset(buf, 0, n);
		return n;
	}
	memcpy(buf, x->block, n);
	x->block += n;
	x->block_len -= n;
	x->block_at += n;
	return n;
}

/* Says that n bytes came out, unless those were too many. */
static void
count(struct tc_unpack_archive *x, uint64_t n)
{
	x->at += n;
	x->out += n;
	if (!tc_unpack_is_bomb(x->out, tc_in_spent(x->from)))
		return;
	x->is_bomb = true;
	x->block_len = 0;
	tc_in_ends(&x->in, TC_IN_DAMAGED, "the archive grows more than %d times",
		TC_UNPACK_RATIO);
}

static int64_t
read_member(struct tc_in *in, void *buf, size_t cap, struct tc_err *err)
{
	struct tc_unpack_archive *x = in->ctx;
	int r = next_block(x, err);
	size_t n;

	if (r <= 0)
		return r;
	n = take(x, buf, cap);
	count(x, n);
	return (int64_t)n;
}

/*
 * libarchive steps over what is left of a member by itself. In a ZIP, that may
 * mean to unpack without end, and is done here to be held to the limit.
 */
static int
leave_member(struct tc_unpack_archive *x, struct tc_err *err)
{
	int format = archive_format(x->a) & ARCHIVE_FORMAT_BASE_MASK;
	int r;

	if (!x->index || format != ARCHIVE_FORMAT_ZIP)
		return 0;
	while ((r = next_block(x, err)) > 0) {
		count(x, x->block_at + x->block_len - x->at);
		x->block_len = 0;
	}
	if (r < 0)
		return -1;
	return x->is_bomb ? tc_err_set(err, TC_DATA, "%s", x->in.why) : 0;
}

/*
 * The next member: 1, 0 at the end, -1. A name that cannot be converted is no
 * reason to stop.
 */
static int
next_member(struct tc_unpack_archive *x, struct archive_entry **e, struct tc_err *err)
{
	int r;

	if (leave_member(x, err))
		return -1;
	do
		r = archive_read_next_header(x->a, e);
	while (r == ARCHIVE_RETRY);
	x->at = x->block_len = 0;
	if (r == ARCHIVE_OK || r == ARCHIVE_WARN) {
		tc_in_ends(&x->in, TC_IN_WHOLE, "%s", "");
		return ++x->index > MAX_MEMBERS
			? tc_err_set(err, TC_DATA, "more than %d files in the archive",
				  MAX_MEMBERS)
			: 1;
	}
	if (r == ARCHIVE_EOF && !x->failed.code)
		return 0;
	if (x->failed.code) {
		*err = x->failed;
		return -1;
	}
	member_ends(x);
	return tc_err_set(err, TC_DATA, "%s", x->in.why);
}

/* UTF-8 where the archive says so; else the bytes as they are. */
static void
take_name(struct tc_unpack_archive *x, struct archive_entry *e)
{
	size_t n = strlen(x->from->name), len;
	const char *name = archive_entry_pathname_utf8(e);

	if (!name)
		name = archive_entry_pathname(e);
	if (!name)
		name = "?";
	len = strnlen(name, MAX_NAME);
	tc_mem_grow(&x->name, &x->name_cap, n + len + 2, 1);
	memcpy(x->name, x->from->name, n);
	x->name[n] = ':';
	memcpy(x->name + n + 1, name, len);
	x->name[n + 1 + len] = '\0';
	x->member_at = n + 1;
}

static uint64_t
spent_member(const struct tc_in *in)
{
	const struct tc_unpack_archive *x = in->ctx;

	return tc_in_spent(x->from);
}

static bool
can_rewind_member(const struct tc_in *in)
{
	const struct tc_unpack_archive *x = in->ctx;

	return tc_in_can_rewind(x->from);
}

/* From the start of the archive to the same member again. */
static int
rewind_member(struct tc_in *in, struct tc_err *err)
{
	struct tc_unpack_archive *x = in->ctx;
	struct archive_entry *e = NULL;
	size_t index = x->index;
	int r = 1;

	archive_read_free(x->a);
	x->a = NULL;
	x->index = x->lent = 0;
	x->out = 0;
	x->is_bomb = false;
	if (tc_in_rewind(x->from, err) || open_archive(x, err))
		return -1;
	while (x->index < index && r > 0)
		r = next_member(x, &e, err);
	if (r <= 0)
		return r < 0 ? -1 : tc_err_set(err, TC_IO, "%s has changed", in->name);
	return 0;
}

static const struct tc_in_source source = { read_member, can_rewind_member, rewind_member,
	spent_member };

int
tc_unpack_archive_next(
	struct tc_unpack_archive *x, struct tc_in **member, struct tc_err *err)
{
	struct archive_entry *e;
	int r;

	if (!x->a && open_archive(x, err))
		return -1;
	do {
		r = next_member(x, &e, err);
		if (r <= 0)
			return r;
	} while (archive_entry_filetype(e) != AE_IFREG);
	if (x->in.cap)
		tc_in_close(&x->in);
	take_name(x, e);
	tc_in_open_source(&x->in, x->name, &source, x);
	*member = &x->in;
	return 1;
}

struct tc_str
tc_unpack_archive_member(const struct tc_unpack_archive *x)
{
	return tc_str_of(x->name + x->member_at);
}

struct tc_unpack_archive *
tc_unpack_archive_new(struct tc_in *from)
{
	struct tc_unpack_archive *x = tc_mem_calloc(1, sizeof(*x));

	x->from = from;
	return x;
}

void
tc_unpack_archive_free(struct tc_unpack_archive *x)
{
	if (!x)
		return;
	if (x->a)
		archive_read_free(x->a);
	if (x->in.cap)
		tc_in_close(&x->in);
	free(x->name);
	free(x);
}
