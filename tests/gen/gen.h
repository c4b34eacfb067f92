#ifndef TC_GEN_GEN_H
#define TC_GEN_GEN_H
/*
 * gen: what the makers of test traces share: growing buffers, packet framing,
 * buffered output and compressed groups of packets.
 *
 * A tc_gen_out collects framed packets. With a descriptor they go out in large
 * writes; without one (fd -1) they stay in memory, for a caller that compresses
 * or interleaves them. The first failed write is remembered in `error`, and what
 * comes after it is dropped, so a caller may check once, at the end.
 *
 * Out of memory ends the process (71): these programs run on test machines only
 * and have nothing to save.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace.pb-c.h"

enum { TC_GEN_MAX_VARINT = 10 };

struct tc_gen_buf {
	uint8_t *bytes; /* owned */
	size_t len, cap;
};

struct tc_gen_out {
	struct tc_gen_buf buf;
	int fd;
	int error;           /* errno of the first failed write, or 0 */
	uint64_t sent_bytes; /* what has left buf */
};

/* As malloc and realloc, but they never return NULL. */
void *tc_gen_zalloc(size_t len);
void *tc_gen_realloc(void *memory, size_t len);

/*
 * Text for a message that is going to be packed. Its fields are not const, but
 * packing only reads them.
 */
char *tc_gen_text(const char *text);
ProtobufCBinaryData tc_gen_text_bytes(const char *text);

/* Makes p the packet that the tracing service writes now and then as a landmark. */
void tc_gen_set_marker(Tc__TracePacket *p);

/* Writes it at `to`, which has room for TC_GEN_MAX_VARINT bytes; its length. */
size_t tc_gen_put_varint(uint8_t *to, uint64_t value);

/* Room for len more bytes at the end of b; the pointer is valid until the next call. */
uint8_t *tc_gen_buf_room(struct tc_gen_buf *b, size_t len);
void tc_gen_buf_put(struct tc_gen_buf *b, const void *bytes, size_t len);
void tc_gen_buf_release(struct tc_gen_buf *b);

void tc_gen_out_init(struct tc_gen_out *out, int fd);
void tc_gen_out_release(struct tc_gen_out *out);

/* All bytes put so far, those still in memory included. */
uint64_t tc_gen_out_bytes(const struct tc_gen_out *out);

/* Bytes as they are, a payload with its frame, a message with its frame. */
void tc_gen_put_bytes(struct tc_gen_out *out, const void *bytes, size_t len);
void tc_gen_put_payload(struct tc_gen_out *out, const void *bytes, size_t len);
void tc_gen_put_packet(struct tc_gen_out *out, const Tc__TracePacket *packet);

/*
 * The framed packets of `inner` as one compressed_packets field, in a copy of
 * `packet`. level is zlib's.
 */
void tc_gen_put_deflated(struct tc_gen_out *out, const Tc__TracePacket *packet,
	const struct tc_gen_buf *inner, int level, bool gzip);

/* Write what is buffered. 0, or -1 when this or an earlier write failed. */
int tc_gen_flush(struct tc_gen_out *out);

#endif
