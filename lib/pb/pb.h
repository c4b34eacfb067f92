#ifndef TC_PB_PB_H
#define TC_PB_PB_H
/*
 * pb: the protobuf wire format: a forward-only reader, and a buffer that
 * messages are written to.
 *
 * A reader borrows the bytes it is given: it never copies, allocates or
 * recurses, and what it returns is valid for as long as those bytes are.
 * To go into a sub-message, start a second reader on f.bytes, f.len. A message
 * that lies in a larger buffer is read faster when the reader knows how far
 * that goes: then it looks at eight bytes at once up to the message's end.
 *
 * The rules are those of Perfetto's own decoder, which is stricter than the
 * format in one place (groups are malformed) and more lenient in two: fields
 * numbered above 16,777,215 and fields longer than 268,435,455 bytes are
 * stepped over.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mem/mem.h"

struct tc_err;
enum tc_pb_wire { TC_PB_VARINT = 0, TC_PB_I64 = 1, TC_PB_LEN = 2, TC_PB_I32 = 5 };

enum { TC_PB_MAX_FIELD = 16777215, TC_PB_MAX_LEN = 268435455 };

struct tc_pb {
	const uint8_t *begin, *pos, *end;
	const uint8_t *fast; /* before this, TC_PB_LOOK bytes can be looked at */
};

/* What a field that is read in line can take: a tag of two bytes, a varint of eight. */
enum { TC_PB_LOOK = 10 };

struct tc_pb_field {
	uint32_t id;
	enum tc_pb_wire wire;
	uint64_t num;         /* all but TC_PB_LEN */
	const uint8_t *bytes; /* TC_PB_LEN only */
	size_t len;
};

/*
 * Of a message in a buffer that goes on up to `ahead`, which is not before the
 * message's end.
 */
static inline struct tc_pb
tc_pb_init_ahead(const void *bytes, size_t len, const void *ahead)
{
	const uint8_t *p = bytes, *end = p + len, *to = ahead;

	if (to - end >= TC_PB_LOOK)
		return (struct tc_pb){ p, p, end, end };
	return (struct tc_pb){ p, p, end, to - p < TC_PB_LOOK ? p : to - TC_PB_LOOK + 1 };
}

static inline struct tc_pb
tc_pb_init(const void *bytes, size_t len)
{
	/* A NULL that came with length 0 must not meet pointer arithmetic. */
	const uint8_t *p = bytes ? bytes : (const uint8_t *)"";

	return tc_pb_init_ahead(p, len, p + len);
}

/*
 * Reads a varint of at most 10 bytes: how many bytes it had, 0 when the bytes
 * end before it does, -1 when it is longer than 10.
 */
int tc_pb_varint(const uint8_t *p, const uint8_t *end, uint64_t *value);

/* The whole of tc_pb_next, for what its short cut does not cover. */
int tc_pb_next_any(struct tc_pb *r, struct tc_pb_field *f, struct tc_err *err);

/* The seven bits that count of each of eight bytes, pushed together. */
static inline uint64_t
tc_pb_push_together(uint64_t w)
{
	w = (w & 0x007f007f007f007f) | (w & 0x7f007f007f007f00) >> 1;
	w = (w & 0x00003fff00003fff) | (w & 0x3fff00003fff0000) >> 2;
	return (w & 0x0fffffff) | (w & 0x0fffffff00000000) >> 4;
}

/* A varint that ends within eight bytes, as all times do; 0 when it does not. */
static inline int
tc_pb_short_varint(const uint8_t *p, uint64_t *value)
{
	uint64_t w = tc_mem_fixed64(p), stops = ~w & 0x8080808080808080;

	if (!stops)
		return 0;
	*value = tc_pb_push_together(w & (stops ^ (stops - 1)));
	return __builtin_ctzll(stops) / 8 + 1;
}

/*
 * The same for a time, in nanoseconds since some boot: one of the last week has
 * seven bytes and an older one eight. A processor foresees which, and goes on
 * with what stands behind before it has counted.
 */
static inline int
tc_pb_time_varint(const uint8_t *p, uint64_t *value)
{
	uint64_t w = tc_mem_fixed64(p);

	if ((w & 0x0080808080808080) == 0x0000808080808080) {
		*value = tc_pb_push_together(w & 0x007fffffffffffff);
		return 7;
	}
	if ((w & 0x8080808080808080) == 0x0080808080808080) {
		*value = tc_pb_push_together(w);
		return 8;
	}
	return tc_pb_short_varint(p, value);
}

/* A varint of up to three bytes, as the numbers of threads are; 0 when it is longer. */
static inline int
tc_pb_tid(const uint8_t *p, uint32_t *value)
{
	uint32_t w = (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
		(uint32_t)p[3] << 24;
	int n = !(w & 0x80) ? 1 : !(w & 0x8000) ? 2 : 3;

	if (n == 3 && w & 0x800000)
		return 0;
	w &= UINT32_MAX >> (32 - 8 * n);
	*value = (w & 0x7f) | (w & 0x7f00) >> 1 | (w & 0x7f0000) >> 2;
	return n;
}

/*
 * A length of up to 28 bits, of which four bytes may be looked at; 0 when it is none.
 * Perfetto writes those that it does not know in advance with four bytes always,
 * and newer versions with one where that is enough.
 */
static inline int
tc_pb_length(const uint8_t *p, uint32_t *len)
{
	uint32_t w;
	int n;

	if (*p < 0x80) {
		*len = *p;
		return 1;
	}
	w = (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
		(uint32_t)p[3] << 24;
	if ((w & 0x80808080) == 0x00808080)
		n = 4;
	else if (!(w & 0x8000))
		n = 2;
	else if (!(w & 0x800000))
		n = 3;
	else
		return 0;
	w &= UINT32_MAX >> (32 - 8 * n);
	*len = (w & 0x7f) | (w & 0x7f00) >> 1 | (w & 0x7f0000) >> 2 |
		(w & 0x7f000000) >> 3;
	return n;
}

/* The same, mostly of one or two bytes; returns what follows it, or NULL. */
static inline const uint8_t *
tc_pb_read_short(const uint8_t *p, uint64_t *value)
{
	int n;

	*value = p[0];
	if (p[0] < 0x80)
		return p + 1;
	*value += ((uint64_t)p[1] - 1) << 7;
	if (p[1] < 0x80)
		return p + 2;
	n = tc_pb_short_varint(p, value);
	return n ? p + n : NULL;
}

/* By way of copies, so that a caller's reader and field can stay in registers. */
static inline int
tc_pb_next_rare(struct tc_pb *r, struct tc_pb_field *f, struct tc_err *err)
{
	struct tc_pb reader = *r;
	struct tc_pb_field field = { 0 };
	int n = tc_pb_next_any(&reader, &field, err);

	*r = reader;
	*f = field;
	return n;
}

/*
 * 1: *f is the next field; 0: end of message; -1: malformed, see *err.
 *
 * In line is what most fields are: a tag of one or two bytes, and a varint or a
 * length of up to eight.
 */
__attribute__((always_inline)) static inline int
tc_pb_next(struct tc_pb *r, struct tc_pb_field *f, struct tc_err *err)
{
	const uint8_t *p = r->pos;
	uint64_t num;
	uint32_t tag;

	if (p >= r->fast)
		return p == r->end ? 0 : tc_pb_next_rare(r, f, err);
	tag = *p++;
	if (tag >= 0x80) {
		if (*p >= 0x80)
			return tc_pb_next_rare(r, f, err);
		tag += ((uint32_t)*p++ - 1) << 7;
	}
	p = tc_pb_read_short(p, &num);
	if (!p)
		return tc_pb_next_rare(r, f, err);
	f->id = tag >> 3;
	f->wire = (enum tc_pb_wire)(tag & 7);
	f->num = num;
	f->bytes = p;
	f->len = 0;
	if (f->wire == TC_PB_LEN && (int64_t)num <= r->end - p && num <= TC_PB_MAX_LEN)
		f->len = (size_t)num;
	else if (f->wire != TC_PB_VARINT || p > r->end)
		return tc_pb_next_rare(r, f, err);
	if (!f->id)
		return tc_pb_next_rare(r, f, err);
	r->pos = p + f->len;
	return 1;
}

/* Fields below this have a tag of one byte. */
enum { TC_PB_NUMBERS = 16 };

/*
 * Whether the next field is a number in line, below TC_PB_NUMBERS: then its id
 * and value. Otherwise the reader stays where it is, and tc_pb_next says what
 * comes.
 */
__attribute__((always_inline)) static inline bool
tc_pb_number(struct tc_pb *r, uint32_t *id, uint64_t *num)
{
	const uint8_t *p = r->pos;
	uint32_t tag;

	if (p >= r->fast)
		return false;
	tag = *p++;
	if (tag & 0x87 || !tag)
		return false;
	p = tc_pb_read_short(p, num);
	if (!p || p > r->end)
		return false;
	*id = tag >> 3;
	r->pos = p;
	return true;
}

/* A field of the wrong wire type counts as absent, so each kind has a test. */
static inline int
tc_pb_is(const struct tc_pb_field *f, enum tc_pb_wire wire)
{
	return f->wire == wire;
}

static inline struct tc_str
tc_pb_str(const struct tc_pb_field *f)
{
	return (struct tc_str){ (const char *)f->bytes, (uint32_t)f->len, false };
}

/*
 * The field that is all of a message, if it is a message of less than 128 bytes
 * with a tag of one byte, and then its bytes; 0: take tc_pb_next.
 */
static inline uint32_t
tc_pb_only(struct tc_str message, struct tc_str *inside)
{
	const uint8_t *p = (const uint8_t *)message.p;

	if (message.len < 2 || message.len >= 0x82 || p[1] != message.len - 2 ||
		(p[0] & 0x87) != TC_PB_LEN)
		return 0;
	*inside = (struct tc_str){ message.p + 2, message.len - 2, false };
	return p[0] >> 3;
}

/* The value of a `float` field (TC_PB_I32). */
float tc_pb_float(const struct tc_pb_field *f);

/*
 * A message being written. It never grows beyond TC_PB_MAX_LEN bytes: what does
 * not fit is left out, and is_full says so. A zeroed one is empty.
 */
struct tc_pb_buf {
	uint8_t *bytes; /* owned */
	size_t len, cap;
	bool is_full;
};

void tc_pb_put_raw(struct tc_pb_buf *b, const void *bytes, size_t len);
void tc_pb_put_varint(struct tc_pb_buf *b, uint64_t value);
void tc_pb_put_number(struct tc_pb_buf *b, uint32_t field, uint64_t value);
void tc_pb_put_bytes(struct tc_pb_buf *b, uint32_t field, const void *bytes, size_t len);
void tc_pb_buf_reset(struct tc_pb_buf *b);
void tc_pb_buf_release(struct tc_pb_buf *b);

#endif
