#include "unpack/priv.h"

#include <string.h>

#include "pb/pb.h"

/* Where a TAR header has its mark. */
enum { USTAR_AT = 257, USTAR_BYTES = 6 };

bool
tc_unpack_is_archive(const struct tc_in *from)
{
	const uint8_t *p = tc_in_at(from);
	size_t n = tc_in_avail(from);

	/* A ZIP of nothing has only the end of its directory. */
	if (n >= 4 && (memcmp(p, "PK\3\4", 4) == 0 || memcmp(p, "PK\5\6", 4) == 0))
		return true;
	if (n < TC_UNPACK_ARCHIVE_BYTES)
		return false;
	return memcmp(p + USTAR_AT, "ustar", USTAR_BYTES) == 0 ||
		memcmp(p + USTAR_AT, "ustar  ", USTAR_BYTES + 2) == 0;
}

/*
 * Fields that services put into packets, and so tell a trace from any other
 * message that begins with a field 1; each with the wire type that it has.
 */
static const struct {
	uint32_t id;
	enum tc_pb_wire wire;
} telling[] = {
	{ 3, TC_PB_VARINT },  /* trusted_uid */
	{ 6, TC_PB_LEN },     /* clock_snapshot */
	{ 8, TC_PB_VARINT },  /* timestamp */
	{ 10, TC_PB_VARINT }, /* trusted_packet_sequence_id */
	{ 33, TC_PB_LEN },    /* trace_config */
	{ 36, TC_PB_LEN },    /* synchronization_marker */
	{ 50, TC_PB_LEN },    /* compressed_packets */
	{ 79, TC_PB_VARINT }, /* trusted_pid */
	{ 89, TC_PB_LEN },    /* trace_uuid */
	{ 133, TC_PB_LEN },   /* zstd_compressed_packets */
};

enum verdict { NO, YES, OPEN };

static enum verdict
judge(uint64_t id, enum tc_pb_wire wire)
{
	size_t i;

	for (i = 0; i < sizeof(telling) / sizeof(telling[0]); i++)
		if (telling[i].id == id)
			return telling[i].wire == wire ? YES : NO;
	return OPEN;
}

/* A cursor over bytes of which the last ones may not be at hand. */
struct cursor {
	const uint8_t *p, *end;
	uint64_t left; /* of the message, at hand or not */
};

/* A tag and a value: YES, NO when this is none, OPEN when it cannot be seen. */
static enum verdict
read_field(struct cursor *c, uint64_t *id, enum tc_pb_wire *wire, uint64_t *value)
{
	uint64_t tag = 0;
	int n = tc_pb_varint(c->p, c->end, &tag), m = 0;

	if (n <= 0)
		return n < 0 ? NO : OPEN;
	*id = tag >> 3;
	*wire = (enum tc_pb_wire)(tag & 7);
	*value = *wire == TC_PB_I64 ? 8 : 4;
	if (*wire == TC_PB_VARINT || *wire == TC_PB_LEN) {
		m = tc_pb_varint(c->p + n, c->end, value);
		if (m <= 0)
			return m < 0 ? NO : OPEN;
	} else if (*wire != TC_PB_I64 && *wire != TC_PB_I32) {
		return NO;
	}
	if (*wire == TC_PB_VARINT)
		*value = 0;
	if ((uint64_t)(n + m) > c->left || *value > c->left - (uint64_t)(n + m))
		return NO;
	c->p += n + m;
	c->left -= (uint64_t)(n + m);
	return *id ? YES : NO;
}

/* Steps over a value: false when its end is not at hand. */
static bool
step_over(struct cursor *c, uint64_t n)
{
	if (n > (uint64_t)(c->end - c->p))
		return false;
	c->p += n;
	c->left -= n;
	return true;
}

static enum verdict
judge_packet(struct cursor c)
{
	enum tc_pb_wire wire;
	uint64_t id, value;
	enum verdict v;

	while (c.left) {
		v = read_field(&c, &id, &wire, &value);
		if (v != YES)
			return v;
		v = judge(id, wire);
		if (v != OPEN)
			return v;
		if (!step_over(&c, value))
			return OPEN;
	}
	return OPEN;
}

bool
tc_unpack_is_trace(const struct tc_in *from)
{
	struct cursor c = { tc_in_at(from), tc_in_at(from) + tc_in_avail(from),
		UINT64_MAX };
	enum tc_pb_wire wire;
	uint64_t id, value;
	enum verdict v;

	do {
		if (read_field(&c, &id, &wire, &value) != YES || id != 1 ||
			wire != TC_PB_LEN)
			return false;
		v = judge_packet((struct cursor){ c.p, c.end, value });
	} while (v == OPEN && step_over(&c, value));
	return v == YES;
}
