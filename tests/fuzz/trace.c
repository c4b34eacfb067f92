/*
 * Fuzz target of the import: any bytes as a trace file, and once more as what
 * is in a packet of compressed ones. What comes out has to be records.
 */
#include "fuzz.h"

#include <string.h>

#include "err/err.h"
#include "import/import.h"
#include "io/io.h"
#include "rec/rec.h"

enum {
	MAX_REC = 1024,
	ROOM = 16 * 1024 * 1024,
	MAX_INSIDE = 16 * 1024, /* of a stored block, 65535 at most */
};

static struct tc_json json;
static struct tc_arena arena;

/* JSON inside a record is passed on by value: numbers may be spelled otherwise. */
static bool
has_json(const struct tc_rec_type *type)
{
	size_t i;

	for (i = 0; i < type->count; i++)
		if (type->fields[i].kind == TC_REC_JSON)
			return true;
	return false;
}

/*
 * What a line says has to be what its record says. `again`: it is one that was
 * written from a record that was read.
 */
static void
check_line(struct tc_str line, bool again)
{
	static char texts[2][1024 * 1024];
	struct tc_out o = { .fd = -1, .buf = texts[again], .cap = sizeof(texts[0]) };
	const struct tc_rec_type *type;
	struct tc_err err = { 0 };
	struct tc_json_val v;
	struct tc_str name;
	union {
		char bytes[MAX_REC];
		int64_t aligned;
	} rec;

	FUZZ_DEMAND(tc_json_parse(&json, line, &v, &err) == 0);
	FUZZ_DEMAND(tc_json_get_str(tc_json_member(v, "type"), &name));
	type = tc_rec_find(name.p);
	FUZZ_DEMAND(type && type->size <= sizeof(rec));
	FUZZ_DEMAND(tc_rec_get(type, v, &arena, &rec, &err) == 0);
	tc_rec_put(&o, type, &rec);
	tc_arena_reset(&arena);
	if (o.sys)
		return;
	if (has_json(type) && !again)
		check_line((struct tc_str){ o.buf, (uint32_t)o.len - 1, false }, true);
	else
		FUZZ_DEMAND(
			o.len == line.len + 1 && memcmp(o.buf, line.p, line.len) == 0);
}

static void
check_output(const struct tc_out *out)
{
	const char *p = out->buf, *end = p + out->len, *nl;

	for (; p < end; p = nl + 1) {
		nl = memchr(p, '\n', (size_t)(end - p));
		FUZZ_DEMAND(nl);
		check_line((struct tc_str){ .p = p, .len = (uint32_t)(nl - p) }, false);
	}
}

/* Records go to memory; where they do not fit, that is a write that failed. */
static void
check_import(const uint8_t *bytes, size_t len)
{
	static char *buf;
	const struct tc_import_origin origin = { .path = TC_STR("a trace") };
	struct tc_import im = { .with_experimental = true };
	struct tc_err err = { 0 };
	struct tc_out out;
	struct tc_in in;
	int r;

	if (!buf)
		buf = malloc(ROOM);
	FUZZ_DEMAND(buf);
	/* All that can be asked for, and what the length makes of it. */
	tc_choose_set_types(&im.choose, "+clock,+sched", &err);
	im.gfx_clock = (enum tc_gfx_clock)(len % 3);
	if (len % 5 == 0)
		tc_choose_set_from(&im.choose, "+1ms", &err);
	out = (struct tc_out){ .fd = -1, .buf = buf, .cap = ROOM };
	tc_in_bytes(&in, bytes, len);
	r = tc_import_run(&im, &origin, &in, &out, &err);
	FUZZ_DEMAND(r == 0 || r == -1);
	if (out.sys) {
		FUZZ_DEMAND(r == -1 && err.code == TC_IO);
		return;
	}
	FUZZ_DEMAND(r == 0 || err.code == TC_DATA);
	FUZZ_DEMAND(r == 0 || err.msg[0]);
	check_output(&out);
}

static size_t
put_varint(uint8_t *p, size_t v)
{
	size_t n = 0;

	for (; v > 0x7f; v >>= 7)
		p[n++] = (uint8_t)((v & 0x7f) | 0x80);
	p[n++] = (uint8_t)v;
	return n;
}

static uint32_t
adler32(const uint8_t *p, size_t len)
{
	uint32_t a = 1, b = 0;

	for (; len; len--) {
		a = (a + *p++) % 65521;
		b = (b + a) % 65521;
	}
	return b << 16 | a;
}

/* compressed_packets with the bytes as they are, in one stored block. */
static size_t
wrap(uint8_t *p, const uint8_t *bytes, size_t len)
{
	const size_t zlib = 2 + 5 + len + 4;
	uint32_t sum = adler32(bytes, len);
	uint8_t field[16];
	size_t n, m;

	m = put_varint(field, 50 << 3 | 2);
	m += put_varint(field + m, zlib);
	n = put_varint(p, 1 << 3 | 2);
	n += put_varint(p + n, m + zlib);
	memcpy(p + n, field, m);
	n += m;
	memcpy(p + n, "\x78\x01\x01", 3);
	p[n + 3] = (uint8_t)len;
	p[n + 4] = (uint8_t)(len >> 8);
	p[n + 5] = (uint8_t)~len;
	p[n + 6] = (uint8_t)(~len >> 8);
	n += 7;
	if (len)
		memcpy(p + n, bytes, len);
	n += len;
	p[n++] = (uint8_t)(sum >> 24);
	p[n++] = (uint8_t)(sum >> 16);
	p[n++] = (uint8_t)(sum >> 8);
	p[n++] = (uint8_t)sum;
	return n;
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	uint8_t *wrapped;

	check_import(bytes, len);
	if (len > MAX_INSIDE)
		return 0;
	wrapped = malloc(len + 64);
	FUZZ_DEMAND(wrapped);
	check_import(wrapped, wrap(wrapped, bytes, len));
	free(wrapped);
	return 0;
}
