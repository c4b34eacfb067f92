#include "pb/pb.h"

#include <string.h>

#include "err/err.h"

static inline uint64_t
little_endian_4(const uint8_t *p)
{
	return (uint64_t)p[0] | (uint64_t)p[1] << 8 | (uint64_t)p[2] << 16 |
		(uint64_t)p[3] << 24;
}

int
tc_pb_varint(const uint8_t *p, const uint8_t *end, uint64_t *value)
{
	uint64_t v = 0;
	int i;

	if (end - p >= 8) {
		i = tc_pb_short_varint(p, value);
		if (i)
			return i;
	}
	for (i = 0; i < 10; i++) {
		if (end - p <= i)
			return 0;
		/* The tenth byte has one bit that counts. */
		v |= (uint64_t)(p[i] & 0x7f) << (7 * i);
		if (p[i] < 0x80) {
			*value = v;
			return i + 1;
		}
	}
	return -1;
}

static int
malformed(struct tc_pb *r, const char *what, struct tc_err *err)
{
	return tc_err_set(err, TC_DATA, "%s at byte %zu of the message", what,
		(size_t)(r->pos - r->begin));
}

static inline int
read_varint(struct tc_pb *r, uint64_t *v)
{
	int n;

	if (r->pos < r->end && *r->pos < 0x80) {
		*v = *r->pos++;
		return 1;
	}
	n = tc_pb_varint(r->pos, r->end, v);
	if (n > 0)
		r->pos += n;
	return n;
}

static int
read_value(struct tc_pb *r, struct tc_pb_field *f, struct tc_err *err)
{
	size_t width = f->wire == TC_PB_I64 ? 8 : 4;

	switch (f->wire) {
	case TC_PB_VARINT:
		if (read_varint(r, &f->num) <= 0)
			return malformed(r, "bad varint", err);
		return 0;
	case TC_PB_LEN:
		if (read_varint(r, &f->num) <= 0)
			return malformed(r, "bad length", err);
		if (f->num > (uint64_t)(r->end - r->pos))
			return malformed(r, "length beyond the end", err);
		f->bytes = r->pos;
		f->len = (size_t)f->num;
		r->pos += f->len;
		return 0;
	case TC_PB_I64:
	case TC_PB_I32:
		if ((size_t)(r->end - r->pos) < width)
			return malformed(r, "cut fixed-width value", err);
		f->num = width == 8 ? tc_mem_fixed64(r->pos) : little_endian_4(r->pos);
		r->pos += width;
		return 0;
	}
	return malformed(r, "bad wire type", err);
}

int
tc_pb_next_any(struct tc_pb *r, struct tc_pb_field *f, struct tc_err *err)
{
	uint64_t tag;

	do {
		if (r->pos == r->end)
			return 0;
		if (read_varint(r, &tag) <= 0)
			return malformed(r, "bad tag", err);
		if (tag >> 3 == 0)
			return malformed(r, "field number 0", err);
		f->wire = (enum tc_pb_wire)(tag & 7);
		f->len = 0;
		if (read_value(r, f, err))
			return -1;
	} while (tag >> 3 > TC_PB_MAX_FIELD || f->len > TC_PB_MAX_LEN);
	f->id = (uint32_t)(tag >> 3);
	return 1;
}

float
tc_pb_float(const struct tc_pb_field *f)
{
	uint32_t bits = (uint32_t)f->num;
	float v;

	memcpy(&v, &bits, sizeof(v));
	return v;
}
