#ifndef TC_PB_PB_H
#define TC_PB_PB_H
/*
 * pb: forward-only reader of the protobuf wire format.
 *
 * A reader borrows the bytes it is given: it never copies, allocates or
 * recurses, and what it returns is valid for as long as those bytes are.
 * To go into a sub-message, start a second reader on f.bytes, f.len.
 *
 * The rules are those of Perfetto's own decoder, which is stricter than the
 * format in one place (groups are malformed) and more lenient in two: fields
 * numbered above 16,777,215 and fields longer than 268,435,455 bytes are
 * stepped over.
 */
#include <stddef.h>
#include <stdint.h>

#include "mem/mem.h"

struct tc_err;
enum tc_pb_wire { TC_PB_VARINT = 0, TC_PB_I64 = 1, TC_PB_LEN = 2, TC_PB_I32 = 5 };

enum { TC_PB_MAX_FIELD = 16777215, TC_PB_MAX_LEN = 268435455 };

struct tc_pb {
	const uint8_t *begin, *pos, *end;
};

struct tc_pb_field {
	uint32_t id;
	enum tc_pb_wire wire;
	uint64_t num;         /* all but TC_PB_LEN */
	const uint8_t *bytes; /* TC_PB_LEN only */
	size_t len;
};

struct tc_pb tc_pb_init(const void *bytes, size_t len);

/* 1: *f is the next field; 0: end of message; -1: malformed, see *err. */
int tc_pb_next(struct tc_pb *r, struct tc_pb_field *f, struct tc_err *err);

/*
 * Reads a varint of at most 10 bytes: how many bytes it had, 0 when the bytes
 * end before it does, -1 when it is longer than 10.
 */
int tc_pb_varint(const uint8_t *p, const uint8_t *end, uint64_t *value);

/* A field of the wrong wire type counts as absent, so each kind has a test. */
static inline int
tc_pb_is(const struct tc_pb_field *f, enum tc_pb_wire wire)
{
	return f->wire == wire;
}

static inline struct tc_str
tc_pb_str(const struct tc_pb_field *f)
{
	return (struct tc_str){ (const char *)f->bytes, f->len };
}

/* The value of a `float` field (TC_PB_I32). */
float tc_pb_float(const struct tc_pb_field *f);

#endif
