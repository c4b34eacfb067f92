/*
 * Fuzz target of pb: the reader has to say what a second one says, which is
 * written without short cuts.
 */
#include "fuzz.h"

#include <string.h>

#include "err/err.h"
#include "pb/pb.h"

enum { MAX_DEPTH = 8 };

/* How many bytes, 0 when it is cut, -1 when it has more than ten. */
static int
plain_varint(const uint8_t *p, size_t len, uint64_t *v)
{
	uint64_t bits;
	int i, bit;

	*v = 0;
	for (i = 0; i < 10; i++) {
		if ((size_t)i == len)
			return 0;
		bits = p[i] & 127u;
		for (bit = 0; bit < 7; bit++)
			if (i * 7 + bit < 64 && (bits >> bit & 1))
				*v += UINT64_C(1) << (i * 7 + bit);
		if (p[i] < 128)
			return i + 1;
	}
	return -1;
}

/* What a message holds from `at` on: a field, its end, or a mistake. */
struct plain {
	int result; /* as tc_pb_next */
	uint64_t id, num;
	int wire;
	size_t at, begin, len; /* where the next one begins; the bytes */
};

static int
plain_value(const uint8_t *p, size_t len, struct plain *f)
{
	size_t left = len - f->at, width = f->wire == 1 ? 8 : 4, i;
	int n;

	f->num = 0;
	f->len = 0;
	if (f->wire == 0 || f->wire == 2) {
		n = plain_varint(p + f->at, left, &f->num);
		if (n <= 0)
			return -1;
		f->at += (size_t)n;
		if (f->wire == 0)
			return 0;
		if (f->num > len - f->at)
			return -1;
		f->begin = f->at;
		f->len = (size_t)f->num;
		f->at += f->len;
		return 0;
	}
	if ((f->wire != 1 && f->wire != 5) || left < width)
		return -1;
	for (i = width; i-- > 0;)
		f->num = f->num << 8 | p[f->at + i];
	f->at += width;
	return 0;
}

static void
plain_next(const uint8_t *p, size_t len, struct plain *f)
{
	uint64_t tag;
	int n;

	for (;;) {
		f->result = 0;
		if (f->at == len)
			return;
		f->result = -1;
		n = plain_varint(p + f->at, len - f->at, &tag);
		if (n <= 0 || tag < 8)
			return;
		f->at += (size_t)n;
		f->id = tag / 8;
		f->wire = (int)(tag % 8);
		if (plain_value(p, len, f))
			return;
		f->result = 1;
		if (f->id <= TC_PB_MAX_FIELD && f->len <= TC_PB_MAX_LEN)
			return;
	}
}

static void
check_field(const struct tc_pb_field *got, const struct plain *want, const uint8_t *p)
{
	uint32_t bits = (uint32_t)want->num;
	float v = tc_pb_float(got);

	FUZZ_DEMAND(got->id == want->id);
	FUZZ_DEMAND((int)got->wire == want->wire);
	FUZZ_DEMAND(got->num == want->num);
	FUZZ_DEMAND(memcmp(&v, &bits, sizeof(bits)) == 0);
	if (got->wire != TC_PB_LEN)
		return;
	FUZZ_DEMAND(got->len == want->len);
	FUZZ_DEMAND(got->bytes == p + want->begin);
	FUZZ_DEMAND(tc_pb_str(got).len == want->len);
}

static void
check_message(const uint8_t *p, size_t len, int depth)
{
	struct tc_pb r = tc_pb_init(p, len);
	struct tc_err err = { 0 };
	struct plain want = { 0 };
	struct tc_pb_field got;
	int n;

	do {
		n = tc_pb_next(&r, &got, &err);
		plain_next(p, len, &want);
		FUZZ_DEMAND(n == want.result);
		FUZZ_DEMAND((n < 0) == (err.code == TC_DATA));
		if (n <= 0)
			return;
		check_field(&got, &want, p);
		FUZZ_DEMAND(r.pos == p + want.at);
		if (got.wire == TC_PB_LEN && depth < MAX_DEPTH)
			check_message(got.bytes, got.len, depth + 1);
	} while (n > 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	uint64_t got = 0, want;
	size_t i;
	int n;

	for (i = 0; i < len && i < 64; i++) {
		n = tc_pb_varint(bytes + i, bytes + len, &got);
		FUZZ_DEMAND(n == plain_varint(bytes + i, len - i, &want));
		FUZZ_DEMAND(n <= 0 || got == want);
	}
	check_message(bytes, len, 0);
	return 0;
}
