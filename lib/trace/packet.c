#include "trace/trace.h"

#include "err/err.h"
#include "pb/pb.h"

/* Fields of TracePacket that only this file reads by number. */
enum {
	TRUSTED_UID = 3,
	TIMESTAMP = 8,
	SEQUENCE_ID = 10,
	INTERNED_DATA = 12,
	SEQUENCE_FLAGS = 13,
	STATE_CLEARED = 41,
	PREVIOUS_DROPPED = 42,
	COMPRESSED = 50,
	CLOCK_SNAPSHOT = 6,
	TIMESTAMP_CLOCK = 58,
	DEFAULTS = 59,
	TRUSTED_PID = 79,
	MACHINE_ID = 98,
	REMOTE_CLOCK_SYNC = 107,
	ZSTD_COMPRESSED = 133,
};

/*
 * The fields that have an importer in Perfetto. A packet that carries several
 * counts as the first of them, so the ones not read here matter too.
 */
static bool
is_data(uint32_t id)
{
	switch (id) {
	case TC_PACKET_FTRACE_EVENTS:
	case TC_PACKET_PROCESS_TREE:
	case 7:  /* sys_stats */
	case 9:  /* process_stats */
	case 11: /* track_event */
	case TC_PACKET_TRACE_CONFIG:
	case 34: /* ftrace_stats */
	case TC_PACKET_TRACE_STATS:
	case 39: /* android_log */
	case TC_PACKET_SYSTEM_INFO:
	case TC_PACKET_PACKAGES_LIST:
	case TC_PACKET_GRAPHICS_FRAME_EVENT:
	case 60: /* track_descriptor */
	case TC_PACKET_SERVICE_EVENT:
	case TC_PACKET_FRAME_TIMELINE_EVENT:
	case TC_PACKET_TRACE_UUID:
	case 93: /* surfaceflinger_layers_snapshot */
	case 94: /* surfaceflinger_transactions */
	case TC_PACKET_WINSCOPE_EXTENSIONS: return true;
	default: return false;
	}
}

static void
read_number(struct tc_packet *p, const struct tc_pb_field *f)
{
	switch (f->id) {
	case TIMESTAMP:
		p->has_timestamp = true;
		p->timestamp = f->num;
		return;
	case SEQUENCE_ID: p->seq = (uint32_t)f->num; return;
	case TIMESTAMP_CLOCK: p->clock_id = (uint32_t)f->num; return;
	case SEQUENCE_FLAGS: p->flags = (uint32_t)f->num; break;
	case STATE_CLEARED: p->is_cleared = f->num != 0; break;
	case PREVIOUS_DROPPED: p->dropped = (uint32_t)f->num; break;
	case MACHINE_ID: p->machine_id = (uint32_t)f->num; break;
	default: return;
	}
	p->is_plain = false;
}

static void
read_message(struct tc_packet *p, const struct tc_pb_field *f)
{
	if ((!p->data_field && is_data(f->id)) || p->data_field == f->id) {
		p->data_field = f->id;
		p->data = tc_pb_str(f);
		return;
	}
	switch (f->id) {
	case INTERNED_DATA: p->has_interned = true; break;
	case COMPRESSED:
	case ZSTD_COMPRESSED:
		p->compressed = tc_pb_str(f);
		p->is_zstd = f->id == ZSTD_COMPRESSED;
		break;
	case CLOCK_SNAPSHOT: p->clock_snapshot = tc_pb_str(f); break;
	case DEFAULTS: p->defaults = tc_pb_str(f); break;
	case REMOTE_CLOCK_SYNC: p->remote_sync = tc_pb_str(f); break;
	default: return;
	}
	p->is_plain = false;
}

/* Member by member, which takes less time than clearing all bytes in a loop. */
static inline void
clear(struct tc_packet *p)
{
	static const struct tc_str none;

	p->seq = p->machine_id = p->clock_id = p->flags = p->dropped = 0;
	p->has_timestamp = p->is_cleared = p->has_interned = p->is_zstd = false;
	p->timestamp = p->clock = 0;
	p->data_field = 0;
	p->data = p->compressed = p->clock_snapshot = none;
	p->defaults = p->remote_sync = none;
	p->machine = p->default_clock = 0;
	p->time = TC_TIME_NONE;
	p->ts = 0;
	p->is_clock_assumed = p->needs_lost_state = false;
	p->is_plain = true;
}

/*
 * The fields that packets of frames are made of, as they lie before the reader's short
 * cut ends. Each function takes one: false when it is none of them, or takes a closer
 * look; then the reader stays where it is.
 */
static inline bool
take_low_field(struct tc_pb *r, struct tc_packet *p)
{
	uint64_t num;
	const uint8_t *end = tc_pb_read_short(r->pos + 1, &num);

	if (!end || end > r->end)
		return false;
	if (*r->pos == TIMESTAMP << 3) {
		p->has_timestamp = true;
		p->timestamp = num;
	} else if (*r->pos == SEQUENCE_ID << 3) {
		p->seq = (uint32_t)num;
	} else if (*r->pos != TRUSTED_UID << 3) {
		return false;
	}
	r->pos = end;
	return true;
}

/* A tag of two bytes, as the number that they make when the first one is the lower. */
#define TWO_BYTES(field, wire) \
	(((field) << 3 & 0x7f) | (wire) | 0x80 | ((field) << 3 >> 7) << 8)

static inline bool
take_high_field(struct tc_pb *r, struct tc_packet *p)
{
	uint32_t tag = r->pos[0] | (uint32_t)r->pos[1] << 8;
	uint64_t num;
	const uint8_t *end = tc_pb_read_short(r->pos + 2, &num);

	if (!end || end > r->end)
		return false;
	if (tag == TWO_BYTES(TIMESTAMP_CLOCK, TC_PB_VARINT)) {
		p->clock_id = (uint32_t)num;
	} else if (tag == TWO_BYTES(TC_PACKET_FRAME_TIMELINE_EVENT, TC_PB_LEN) ||
		tag == TWO_BYTES(TC_PACKET_GRAPHICS_FRAME_EVENT, TC_PB_LEN)) {
		if (p->data_field || num > (uint64_t)(r->end - end))
			return false;
		p->data_field = (tag & 0x7f) >> 3 | (tag >> 8) << 4;
		p->data = (struct tc_str){ (const char *)end, (uint32_t)num, false };
		end += num;
	} else if (tag != TWO_BYTES(TRUSTED_PID, TC_PB_VARINT)) {
		return false;
	}
	r->pos = end;
	return true;
}

int
tc_packet_decode(
	struct tc_str bytes, const char *ahead, struct tc_packet *p, struct tc_err *err)
{
	struct tc_pb r = tc_pb_init_ahead(bytes.p, bytes.len, ahead);
	struct tc_pb_field f;
	int n;

	clear(p);
	p->bytes = bytes;
	p->ahead = ahead;
	while (r.pos < r.fast &&
		(*r.pos < 0x80 ? take_low_field(&r, p) : take_high_field(&r, p)))
		;
	while ((n = tc_pb_next(&r, &f, err)) > 0) {
		if (f.wire == TC_PB_VARINT)
			read_number(p, &f);
		else if (f.wire == TC_PB_LEN)
			read_message(p, &f);
	}
	return n;
}
