#include "pb/pb.h"

#include <stdlib.h>
#include <string.h>

void
tc_pb_put_raw(struct tc_pb_buf *b, const void *bytes, size_t len)
{
	if (len > TC_PB_MAX_LEN - b->len) {
		b->is_full = true;
		return;
	}
	if (!len)
		return;
	tc_mem_grow(&b->bytes, &b->cap, b->len + len, 1);
	memcpy(b->bytes + b->len, bytes, len);
	b->len += len;
}

void
tc_pb_put_varint(struct tc_pb_buf *b, uint64_t value)
{
	uint8_t bytes[10];
	size_t n = 0;

	for (; value > 0x7f; value >>= 7)
		bytes[n++] = (uint8_t)(value | 0x80);
	bytes[n++] = (uint8_t)value;
	tc_pb_put_raw(b, bytes, n);
}

void
tc_pb_put_number(struct tc_pb_buf *b, uint32_t field, uint64_t value)
{
	tc_pb_put_varint(b, (uint64_t)field << 3 | TC_PB_VARINT);
	tc_pb_put_varint(b, value);
}

void
tc_pb_put_bytes(struct tc_pb_buf *b, uint32_t field, const void *bytes, size_t len)
{
	tc_pb_put_varint(b, (uint64_t)field << 3 | TC_PB_LEN);
	tc_pb_put_varint(b, len);
	tc_pb_put_raw(b, bytes, len);
}

void
tc_pb_buf_reset(struct tc_pb_buf *b)
{
	b->len = 0;
	b->is_full = false;
}

void
tc_pb_buf_release(struct tc_pb_buf *b)
{
	free(b->bytes);
	*b = (struct tc_pb_buf){ 0 };
}
