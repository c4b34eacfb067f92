/* pb: varints, fields of each kind, and everything that is malformed. */
#include "pb/pb.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "check.h"
#include "err/err.h"

/* Bytes in a block of just their size, so that a step beyond is seen. */
static uint8_t *
exact(const void *bytes, size_t len)
{
	uint8_t *p = malloc(len ? len : 1);

	if (p && len)
		memcpy(p, bytes, len);
	return p;
}

/* What tc_pb_varint says with nothing behind the bytes, and with much. */
static int
read_varint(const uint8_t *bytes, size_t len, uint64_t *value)
{
	uint8_t padded[64], *p = exact(bytes, len);
	uint64_t longer = 0;
	int n, m;

	*value = 0;
	n = tc_pb_varint(p, p + len, value);
	free(p);
	if (n > 0) {
		memset(padded, 0xff, sizeof(padded));
		memcpy(padded, bytes, len);
		m = tc_pb_varint(padded, padded + sizeof(padded), &longer);
		CHECK_INT(m, n);
		CHECK_INT(longer, *value);
	}
	return n;
}

/* In n bytes, whether or not it needs them. */
static void
encode(uint64_t v, int n, uint8_t *p)
{
	int i;

	for (i = 0; i < n; i++) {
		p[i] = (uint8_t)((v & 0x7f) | (i + 1 < n ? 0x80 : 0));
		v >>= 7;
	}
}

static void
test_varint_sizes(void)
{
	uint64_t low, high, v;
	uint8_t p[10];
	int n;

	for (n = 1; n <= 10; n++) {
		low = n == 1 ? 0 : UINT64_C(1) << 7 * (n - 1);
		high = n == 10 ? UINT64_MAX : (UINT64_C(1) << 7 * n) - 1;
		encode(low, n, p);
		CHECK_INT(read_varint(p, (size_t)n, &v), n);
		CHECK_INT(v, low);
		encode(high, n, p);
		CHECK_INT(read_varint(p, (size_t)n, &v), n);
		CHECK_INT(v, high);
	}
}

static void
test_varint_overlong(void)
{
	uint8_t p[10];
	uint64_t v;
	int n;

	for (n = 1; n <= 10; n++) {
		encode(5, n, p);
		CHECK_INT(read_varint(p, (size_t)n, &v), n);
		CHECK_INT(v, 5);
	}
	/* Of the tenth byte one bit counts. */
	memset(p, 0xff, 9);
	p[9] = 0x7f;
	CHECK_INT(read_varint(p, 10, &v), 10);
	CHECK_INT(v, UINT64_MAX);
	p[9] = 0x7e;
	CHECK_INT(read_varint(p, 10, &v), 10);
	CHECK_INT(v, INT64_MAX);
}

static void
test_varint_cut(void)
{
	uint8_t p[16];
	uint64_t v;
	size_t len;

	memset(p, 0x80, sizeof(p));
	for (len = 0; len < 10; len++)
		CHECK_INT(read_varint(p, len, &v), 0);
	for (; len <= sizeof(p); len++)
		CHECK_INT(read_varint(p, len, &v), -1);
}

/* The fields of a message, with nothing behind it and with much. */
struct field {
	int result; /* of tc_pb_next */
	struct tc_pb_field f;
	size_t at; /* of f.bytes, in the message */
};

static struct field
nth_field(const void *bytes, size_t len, int nth)
{
	uint8_t *p = exact(bytes, len);
	struct tc_pb r = tc_pb_init(p, len);
	struct field got = { 0 };
	struct tc_err err = { 0 };

	do
		got.result = tc_pb_next(&r, &got.f, &err);
	while (got.result > 0 && nth-- > 0);
	CHECK_INT(err.code, got.result < 0 ? TC_DATA : TC_OK);
	CHECK((err.msg[0] != '\0') == (got.result < 0));
	CHECK(r.pos >= p && r.pos <= p + len);
	if (got.result > 0 && got.f.wire == TC_PB_LEN)
		got.at = (size_t)(got.f.bytes - p);
	free(p);
	return got;
}

#define MESSAGE(literal) (literal), sizeof(literal) - 1

static void
test_kinds(void)
{
	const char all[] = "\x08\x96\x01"                         /* 1: 150 */
			   "\x15\x00\x00\xc8\x41"                 /* 2: 25.0f */
			   "\x19\x08\x07\x06\x05\x04\x03\x02\x81" /* 3 */
			   "\x22\x03xyz"                          /* 4 */
			   "\x2a\x00"                             /* 5, empty */
			   "\x80\x01\x07";                        /* 16: 7 */
	struct field g;

	g = nth_field(MESSAGE(all), 0);
	CHECK_INT(g.result, 1);
	CHECK_INT(g.f.id, 1);
	CHECK(tc_pb_is(&g.f, TC_PB_VARINT) && !tc_pb_is(&g.f, TC_PB_LEN));
	CHECK_INT(g.f.num, 150);
	g = nth_field(MESSAGE(all), 1);
	CHECK_INT(g.f.id, 2);
	CHECK(tc_pb_is(&g.f, TC_PB_I32));
	CHECK_INT(g.f.num, 0x41c80000);
	CHECK(tc_pb_float(&g.f) == 25.0f);
	g = nth_field(MESSAGE(all), 2);
	CHECK_INT(g.f.id, 3);
	CHECK(tc_pb_is(&g.f, TC_PB_I64));
	CHECK_INT(g.f.num, 0x8102030405060708);
	g = nth_field(MESSAGE(all), 3);
	CHECK_INT(g.f.id, 4);
	CHECK(tc_pb_is(&g.f, TC_PB_LEN));
	CHECK_INT(g.f.len, 3);
	CHECK_INT(g.at, 19);
	g = nth_field(MESSAGE(all), 4);
	CHECK_INT(g.f.id, 5);
	CHECK_INT(g.f.len, 0);
	CHECK_INT(g.at, 24);
	g = nth_field(MESSAGE(all), 5);
	CHECK_INT(g.f.id, 16);
	CHECK_INT(g.f.num, 7);
	CHECK_INT(nth_field(MESSAGE(all), 6).result, 0);
}

static void
test_str(void)
{
	static const char bytes[] = "\x0a\x02hi";
	struct tc_pb r = tc_pb_init(bytes, sizeof(bytes) - 1);
	struct tc_pb_field f;
	struct tc_err err = { 0 };

	CHECK_INT(tc_pb_next(&r, &f, &err), 1);
	CHECK_STR(tc_pb_str(&f), TC_STR("hi"));
	CHECK_INT(tc_pb_next(&r, &f, &err), 0);
	CHECK_INT(tc_pb_next(&r, &f, &err), 0);
}

static void
test_empty(void)
{
	struct tc_pb r = tc_pb_init(NULL, 0);
	struct tc_pb_field f;
	struct tc_err err = { 0 };

	CHECK_INT(tc_pb_next(&r, &f, &err), 0);
	CHECK_INT(nth_field("", 0, 0).result, 0);
}

/* Each stands alone, then behind a good field, then with bytes behind it. */
static void
check_malformed(const char *bytes, size_t len)
{
	char around[128] = "\x08\x01";

	if (!CHECK_INT(nth_field(bytes, len, 0).result, -1))
		check_print(check_text(bytes, len));
	memcpy(around + 2, bytes, len);
	CHECK_INT(nth_field(around, len + 2, 0).result, 1);
	CHECK_INT(nth_field(around, len + 2, 1).result, -1);
}

static void
test_malformed(void)
{
	static const char padding[] = "\x08\x01\x08\x01\x08\x01\x08\x01";
	static const struct {
		const char *bytes;
		size_t len;
		bool ends; /* only wrong where the message ends there */
	} cases[] = {
		{ MESSAGE("\x00\x01"), false },         /* field 0, varint */
		{ MESSAGE("\x02\x00"), false },         /* field 0, length */
		{ MESSAGE("\x05\x00\x00\x00"), false }, /* field 0, fixed */
		{ MESSAGE("\x80\x00\x01"), false },     /* field 0, overlong tag */
		{ MESSAGE("\x82\x80\x00\x00"), false },
		{ MESSAGE("\x0b"), false }, /* group */
		{ MESSAGE("\x0c"), false }, /* end of a group */
		{ MESSAGE("\x0e\x01"), false },
		{ MESSAGE("\x0f\x01"), false },
		{ MESSAGE("\x83\x01\x01"), false }, /* the same in field 16 */
		{ MESSAGE("\x84\x01\x01"), false },
		{ MESSAGE("\x86\x01\x01"), false },
		{ MESSAGE("\x87\x01\x01"), false },
		/* Eleven bytes of tag, value and length. */
		{ MESSAGE("\x88\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00"), false },
		{ MESSAGE("\x08\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00"), false },
		{ MESSAGE("\x0a\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00"), false },
		/* A length that no message has. */
		{ MESSAGE("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), false },
		{ MESSAGE("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\x7f"), false },
		{ MESSAGE("\x0a\x80\x80\x80\x80\x80\x01"), false },
		{ MESSAGE("\x88"), true },
		{ MESSAGE("\x08"), true },
		{ MESSAGE("\x08\x80"), true },
		{ MESSAGE("\x0a"), true },
		{ MESSAGE("\x0a\x01"), true },
		{ MESSAGE("\x0a\x05"
			  "abcd"),
			true },
		{ MESSAGE("\x0a\x85"), true },
		{ MESSAGE("\x0d\x01\x02\x03"), true },
		{ MESSAGE("\x09\x01\x02\x03\x04\x05\x06\x07"), true },
		{ MESSAGE("\x8d\x01\x01\x02\x03"), true },
	};
	char padded[64];
	size_t i;

	for (i = 0; i < CHECK_ITEMS(cases); i++) {
		check_malformed(cases[i].bytes, cases[i].len);
		if (cases[i].ends)
			continue;
		memcpy(padded, cases[i].bytes, cases[i].len);
		memcpy(padded + cases[i].len, MESSAGE(padding));
		check_malformed(padded, cases[i].len + sizeof(padding) - 1);
	}
}

static void
test_message_says_where(void)
{
	static const char bytes[] = "\x08\x01\x0a\x09x";
	struct tc_pb r = tc_pb_init(bytes, sizeof(bytes) - 1);
	struct tc_pb_field f;
	struct tc_err err = { 0 };

	CHECK_INT(tc_pb_next(&r, &f, &err), 1);
	CHECK_INT(tc_pb_next(&r, &f, &err), -1);
	CHECK(strstr(err.msg, "byte 4"));
}

/* Fields of numbers that are too large count as not there, but have to be right. */
static void
test_large_ids(void)
{
	struct field g;

	g = nth_field(MESSAGE("\xf8\xff\xff\x3f\x05"), 0);
	CHECK_INT(g.result, 1);
	CHECK_INT(g.f.id, TC_PB_MAX_FIELD);
	CHECK_INT(g.f.num, 5);
	g = nth_field(MESSAGE("\x80\x80\x80\x40\x05\x10\x06"), 0); /* 16777216 */
	CHECK_INT(g.result, 1);
	CHECK_INT(g.f.id, 2);
	CHECK_INT(g.f.num, 6);
	g = nth_field(MESSAGE("\x82\x80\x80\x40\x03xyz"
			      "\x85\x80\x80\x40yyyy"
			      "\x81\x80\x80\x40zzzzzzzz"
			      "\x1a\x01!"),
		0);
	CHECK_INT(g.result, 1);
	CHECK_INT(g.f.id, 3);
	CHECK_INT(g.f.len, 1);
	/* The largest number a tag can hold, alone: the message just ends. */
	g = nth_field(MESSAGE("\xf8\xff\xff\xff\xff\xff\xff\xff\xff\x01\x05"), 0);
	CHECK_INT(g.result, 0);
	/* 1 << 32 | 1 is not field 1. */
	g = nth_field(MESSAGE("\x88\x80\x80\x80\x80\x01\x05"), 0);
	CHECK_INT(g.result, 0);
	CHECK_INT(nth_field(MESSAGE("\x82\x80\x80\x40\x04xyz"), 0).result, -1);
	CHECK_INT(nth_field(MESSAGE("\x83\x80\x80\x40"), 0).result, -1);
}

/* A field of 2^28 bytes is stepped over, one of a byte less is read. */
static void
test_large_lengths(void)
{
	const size_t size = (size_t)TC_PB_MAX_LEN + 64;
	struct tc_pb_field f;
	struct tc_err err = { 0 };
	struct tc_pb r;
	uint8_t *p;

	p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (!CHECK(p != MAP_FAILED))
		return;
	memcpy(p, "\x0a\xff\xff\xff\x7f", 5);
	memcpy(p + 5 + TC_PB_MAX_LEN, "\x10\x07", 2);
	r = tc_pb_init(p, 5 + (size_t)TC_PB_MAX_LEN + 2);
	CHECK_INT(tc_pb_next(&r, &f, &err), 1);
	CHECK_INT(f.id, 1);
	CHECK_INT(f.len, TC_PB_MAX_LEN);
	CHECK_INT(tc_pb_next(&r, &f, &err), 1);
	CHECK_INT(f.id, 2);
	memcpy(p, "\x0a\x80\x80\x80\x80\x01", 6);
	memcpy(p + 6 + TC_PB_MAX_LEN + 1, "\x10\x07", 2);
	r = tc_pb_init(p, 6 + (size_t)TC_PB_MAX_LEN + 1 + 2);
	CHECK_INT(tc_pb_next(&r, &f, &err), 1);
	CHECK_INT(f.id, 2);
	CHECK_INT(f.num, 7);
	CHECK_INT(tc_pb_next(&r, &f, &err), 0);
	/* One byte short: not stepped over but malformed. */
	r = tc_pb_init(p, 6 + (size_t)TC_PB_MAX_LEN);
	CHECK_INT(tc_pb_next(&r, &f, &err), -1);
	munmap(p, size);
}

static void
test_writing(void)
{
	struct tc_pb_buf b = { 0 };
	struct tc_err err = { 0 };
	struct tc_pb_field f;
	struct tc_pb r;

	tc_pb_put_number(&b, 1, 0);
	tc_pb_put_number(&b, 1, 300);
	tc_pb_put_number(&b, TC_PB_MAX_FIELD, UINT64_MAX);
	tc_pb_put_bytes(&b, 16, "text", 4);
	tc_pb_put_bytes(&b, 2, NULL, 0);
	CHECK(!b.is_full);
	CHECK_INT(b.len, 2 + 3 + 4 + 10 + 7 + 2);
	CHECK(memcmp(b.bytes, "\x08\x00\x08\xac\x02", 5) == 0);
	r = tc_pb_init(b.bytes, b.len);
	CHECK_INT(tc_pb_next(&r, &f, &err), 1);
	CHECK_INT(f.num, 0);
	CHECK_INT(tc_pb_next(&r, &f, &err), 1);
	CHECK_INT(f.num, 300);
	CHECK_INT(tc_pb_next(&r, &f, &err), 1);
	CHECK_INT(f.id, TC_PB_MAX_FIELD);
	CHECK(f.num == UINT64_MAX);
	CHECK_INT(tc_pb_next(&r, &f, &err), 1);
	CHECK_INT(f.id, 16);
	CHECK_INT(f.len, 4);
	CHECK_INT(tc_pb_next(&r, &f, &err), 1);
	CHECK_INT(f.len, 0);
	CHECK_INT(tc_pb_next(&r, &f, &err), 0);

	/* What does not fit is left out, and said. */
	tc_pb_put_raw(&b, b.bytes, TC_PB_MAX_LEN);
	CHECK(b.is_full);
	CHECK_INT(b.len, 28);
	tc_pb_buf_reset(&b);
	CHECK(!b.is_full);
	CHECK_INT(b.len, 0);
	tc_pb_buf_release(&b);
}

int
main(void)
{
	test_writing();
	test_varint_sizes();
	test_varint_overlong();
	test_varint_cut();
	test_kinds();
	test_str();
	test_empty();
	test_malformed();
	test_message_says_where();
	test_large_ids();
	test_large_lengths();
	return check_done();
}
