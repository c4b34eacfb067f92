#include "gen.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum {
	PACKET_TAG = 0x0a, /* field 1, length-delimited */
	FLUSH_BYTES = 1 << 18,
};

static void
die_no_memory(void)
{
	static const char msg[] = "out of memory\n";
	ssize_t n = write(STDERR_FILENO, msg, sizeof(msg) - 1);

	(void)n; /* there is nothing left to do about it */
	_exit(71);
}

void *
tc_gen_zalloc(size_t len)
{
	void *memory = calloc(1, len);

	if (!memory)
		die_no_memory();
	return memory;
}

void *
tc_gen_realloc(void *memory, size_t len)
{
	memory = realloc(memory, len);
	if (!memory)
		die_no_memory();
	return memory;
}

char *
tc_gen_text(const char *text)
{
	union {
		const char *in;
		char *out;
	} pointer = { .in = text };

	return pointer.out;
}

ProtobufCBinaryData
tc_gen_text_bytes(const char *text)
{
	return (ProtobufCBinaryData){ strlen(text), (uint8_t *)tc_gen_text(text) };
}

void
tc_gen_set_marker(Tc__TracePacket *p)
{
	static uint8_t uuid[] = { 0x82, 0x47, 0x7a, 0x76, 0xb2, 0x8d, 0x42, 0xba, 0x81,
		0xdc, 0x33, 0x32, 0x6d, 0x57, 0xa0, 0x79 };

	p->has_synchronization_marker = 1;
	p->synchronization_marker = (ProtobufCBinaryData){ sizeof(uuid), uuid };
}

uint8_t *
tc_gen_buf_room(struct tc_gen_buf *b, size_t len)
{
	size_t cap = b->cap ? b->cap : 4096;

	if (b->bytes && len <= b->cap - b->len)
		return b->bytes + b->len;
	if (len > SIZE_MAX / 2 - b->len)
		die_no_memory();
	while (cap - b->len < len)
		cap *= 2;
	b->bytes = tc_gen_realloc(b->bytes, cap);
	b->cap = cap;
	return b->bytes + b->len;
}

void
tc_gen_buf_put(struct tc_gen_buf *b, const void *bytes, size_t len)
{
	if (len == 0)
		return;
	memcpy(tc_gen_buf_room(b, len), bytes, len);
	b->len += len;
}

void
tc_gen_buf_release(struct tc_gen_buf *b)
{
	free(b->bytes);
	*b = (struct tc_gen_buf){ 0 };
}

void
tc_gen_out_init(struct tc_gen_out *out, int fd)
{
	*out = (struct tc_gen_out){ .fd = fd };
}

void
tc_gen_out_release(struct tc_gen_out *out)
{
	tc_gen_buf_release(&out->buf);
}

uint64_t
tc_gen_out_bytes(const struct tc_gen_out *out)
{
	return out->sent_bytes + out->buf.len;
}

int
tc_gen_flush(struct tc_gen_out *out)
{
	size_t done = 0;
	ssize_t n;

	while (!out->error && done < out->buf.len) {
		n = write(out->fd, out->buf.bytes + done, out->buf.len - done);
		if (n >= 0)
			done += (size_t)n;
		else if (errno != EINTR)
			out->error = errno;
	}
	out->sent_bytes += out->buf.len;
	out->buf.len = 0;
	return out->error ? -1 : 0;
}

/* Called after each append; an error is kept in out, so it need not be checked here. */
static void
flush_if_full(struct tc_gen_out *out)
{
	if (out->fd >= 0 && out->buf.len >= FLUSH_BYTES)
		(void)tc_gen_flush(out);
}

size_t
tc_gen_put_varint(uint8_t *to, uint64_t value)
{
	size_t n = 0;

	while (value >= 0x80) {
		to[n++] = (uint8_t)(value | 0x80);
		value >>= 7;
	}
	to[n++] = (uint8_t)value;
	return n;
}

static void
put_frame(struct tc_gen_out *out, size_t payload_len)
{
	uint8_t *head = tc_gen_buf_room(&out->buf, 1 + TC_GEN_MAX_VARINT);

	head[0] = PACKET_TAG;
	out->buf.len += 1 + tc_gen_put_varint(head + 1, payload_len);
}

void
tc_gen_put_bytes(struct tc_gen_out *out, const void *bytes, size_t len)
{
	tc_gen_buf_put(&out->buf, bytes, len);
	flush_if_full(out);
}

void
tc_gen_put_payload(struct tc_gen_out *out, const void *bytes, size_t len)
{
	put_frame(out, len);
	tc_gen_put_bytes(out, bytes, len);
}

void
tc_gen_put_packet(struct tc_gen_out *out, const Tc__TracePacket *packet)
{
	size_t len = tc__trace_packet__get_packed_size(packet);

	put_frame(out, len);
	tc__trace_packet__pack(packet, tc_gen_buf_room(&out->buf, len));
	out->buf.len += len;
	flush_if_full(out);
}

/* zlib reads through a pointer that is not const, but leaves the bytes alone. */
static void
deflate_all(struct tc_gen_buf *to, const struct tc_gen_buf *from, int level, bool gzip)
{
	int window_bits = gzip ? 15 + 16 : 15;
	z_stream z = { .next_in = from->bytes, .avail_in = (uInt)from->len };

	if (deflateInit2(&z, level, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY) !=
		Z_OK)
		die_no_memory();
	z.avail_out = (uInt)deflateBound(&z, from->len);
	z.next_out = tc_gen_buf_room(to, z.avail_out);
	if (deflate(&z, Z_FINISH) != Z_STREAM_END)
		die_no_memory();
	to->len += z.total_out;
	deflateEnd(&z);
}

void
tc_gen_put_deflated(struct tc_gen_out *out, const Tc__TracePacket *packet,
	const struct tc_gen_buf *inner, int level, bool gzip)
{
	Tc__TracePacket copy = *packet;
	struct tc_gen_buf packed = { 0 };

	deflate_all(&packed, inner, level, gzip);
	copy.has_compressed_packets = 1;
	copy.compressed_packets.data = packed.bytes;
	copy.compressed_packets.len = packed.len;
	tc_gen_put_packet(out, &copy);
	tc_gen_buf_release(&packed);
}
