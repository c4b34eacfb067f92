#include "bundle.h"

#include <assert.h>
#include <string.h>

void
tc_bundle_open(struct tc_bundle *b, const Tc__TracePacket *packet, size_t number)
{
	tc_bundle_release(b);
	b->open = true;
	b->number = number;
	b->packet = *packet;
	b->packet.ftrace_events = NULL;
	tc_bundle_put(b, packet->ftrace_events);
}

void
tc_bundle_put(struct tc_bundle *b, const Tc__FtraceEventBundle *part)
{
	size_t len = tc__ftrace_event_bundle__get_packed_size(part);

	tc__ftrace_event_bundle__pack(part, tc_gen_buf_room(&b->parts, len));
	b->parts.len += len;
}

void
tc_bundle_close(struct tc_bundle *b, struct tc_gen_out *to)
{
	Tc__FtraceEventBundle *merged =
		tc__ftrace_event_bundle__unpack(NULL, b->parts.len, b->parts.bytes);

	assert(merged);
	b->packet.ftrace_events = merged;
	tc_gen_put_packet(to, &b->packet);
	tc__ftrace_event_bundle__free_unpacked(merged, NULL);
	tc_bundle_release(b);
}

void
tc_bundle_release(struct tc_bundle *b)
{
	tc_gen_buf_release(&b->parts);
	tc_gen_buf_release(&b->comms);
	*b = (struct tc_bundle){ 0 };
}

uint32_t
tc_bundle_comm(struct tc_bundle *b, const uint8_t *bytes, size_t len, bool *is_new)
{
	uint8_t head = (uint8_t)len;
	uint32_t i = 0;
	size_t at;

	assert(len <= UINT8_MAX);
	*is_new = false;
	for (at = 0; at < b->comms.len; at += 1 + b->comms.bytes[at], i++)
		if (b->comms.bytes[at] == len &&
			memcmp(b->comms.bytes + at + 1, bytes, len) == 0)
			return i;
	*is_new = true;
	tc_gen_buf_put(&b->comms, &head, 1);
	tc_gen_buf_put(&b->comms, bytes, len);
	return b->n_comms++;
}

uint64_t
tc_bundle_delta(uint64_t *last_ns, uint64_t ns)
{
	uint64_t delta = ns - *last_ns;

	*last_ns = ns;
	return delta;
}
