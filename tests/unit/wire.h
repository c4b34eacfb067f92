#ifndef TC_UNIT_WIRE_H
#define TC_UNIT_WIRE_H
/*
 * wire: protobuf messages for tests, written field by field, right or wrong.
 *
 * A struct wire is one message under construction, in memory of its own size;
 * what does not fit is a mistake in the test and ends it.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mem/mem.h"

struct wire {
	size_t len;
	uint8_t bytes[4096];
};

static inline void
wire_raw(struct wire *w, const void *bytes, size_t len)
{
	if (len > sizeof(w->bytes) - w->len)
		abort();
	if (len)
		memcpy(w->bytes + w->len, bytes, len);
	w->len += len;
}

static inline void
wire_varint(struct wire *w, uint64_t v)
{
	uint8_t b;

	do {
		b = (uint8_t)((v & 0x7f) | (v > 0x7f ? 0x80 : 0));
		wire_raw(w, &b, 1);
		v >>= 7;
	} while (v);
}

static inline void
wire_num(struct wire *w, uint32_t field, uint64_t v)
{
	wire_varint(w, (uint64_t)field << 3);
	wire_varint(w, v);
}

static inline void
wire_bytes(struct wire *w, uint32_t field, const void *bytes, size_t len)
{
	wire_varint(w, (uint64_t)field << 3 | 2);
	wire_varint(w, len);
	wire_raw(w, bytes, len);
}

static inline void
wire_sub(struct wire *w, uint32_t field, const struct wire *sub)
{
	wire_bytes(w, field, sub->bytes, sub->len);
}

static inline void
wire_text(struct wire *w, uint32_t field, const char *text)
{
	wire_bytes(w, field, text, strlen(text));
}

/* "0a 02 08 01": pairs of hexadecimal digits, blanks do not matter. */
static inline void
wire_hex(struct wire *w, const char *hex)
{
	char pair[3] = "";
	uint8_t b;

	for (; *hex; hex++) {
		if (*hex == ' ')
			continue;
		pair[0] = *hex++;
		pair[1] = *hex;
		b = (uint8_t)strtoul(pair, NULL, 16);
		wire_raw(w, &b, 1);
	}
}

#endif
