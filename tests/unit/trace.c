/* trace: elements, packets, sequences, compressed packets, machines, times. */
#include "trace/trace.h"

#include <unistd.h>

#include <libdeflate.h>

#include "check.h"
#include "err/err.h"
#include "io/io.h"
#include "wire.h"

/* A run that hangs has failed. */
enum { PATIENCE_S = 60 };

/* Fields of TracePacket. */
enum {
	SNAPSHOT = 6,
	TIMESTAMP = 8,
	SEQUENCE = 10,
	TRACK_EVENT = 11,
	INTERNED = 12,
	FLAGS = 13,
	CLEARED = 41,
	DROPPED = 42,
	COMPRESSED = 50,
	GRAPHICS = 57,
	CLOCK = 58,
	DEFAULTS = 59,
	TIMELINE = 76,
	MACHINE = 98,
	REMOTE_SYNC = 107,
};
enum { FLAG_CLEARED = 1, FLAG_NEEDS_STATE = 2 };
enum { MONO = 3, BOOT = 6 };

static struct tc_trace t;
static struct tc_in in;
static struct tc_err err;
static struct tc_packet packet;

/* Starts on a file of these bytes; they have to stay. */
static void
begin(const struct wire *file)
{
	tc_trace_release(&t);
	tc_trace_init(&t);
	err = (struct tc_err){ 0 };
	tc_in_bytes(&in, file->bytes, file->len);
}

static int
next(void)
{
	return tc_trace_next(&t, &in, &packet, &err);
}

/* One packet, as an element of the file. */
static void
add(struct wire *file, const struct wire *p)
{
	wire_sub(file, 1, p);
}

/* The smallest packet that can be told from others: a frame timeline event. */
static void
add_marked(struct wire *file, const char *mark)
{
	struct wire p = { 0 };

	wire_text(&p, TIMELINE, mark);
	add(file, &p);
}

/* The next packet has to be the one with this mark. */
static bool
is_next_marked(const char *mark)
{
	return CHECK_INT(next(), 1) && CHECK_INT(packet.data_field, TIMELINE) &&
		CHECK_STR(packet.data, tc_str_of(mark));
}

static void
test_packets(void)
{
	struct wire file = { 0 };

	begin(&file);
	CHECK_INT(next(), 0);
	CHECK_INT(next(), 0);
	CHECK_INT(tc_trace_range_bulk(&t.range).count, 0);
	add_marked(&file, "one");
	add_marked(&file, "");
	add_marked(&file, "three");
	begin(&file);
	is_next_marked("one");
	CHECK_INT(t.offset, 0);
	is_next_marked("");
	CHECK_INT(t.offset, 8);
	is_next_marked("three");
	CHECK_INT(t.offset, 13);
	CHECK_INT(next(), 0);
	CHECK_INT(t.packets, 3);
	CHECK_INT(t.stats[TC_STAT_TRUNCATED_BYTES], 0);
}

/* An empty packet has nothing in it, and others stand around it as before. */
static void
test_empty_packet(void)
{
	struct wire file = { 0 };

	wire_hex(&file, "0a00 0a00");
	add_marked(&file, "x");
	begin(&file);
	while (next() > 0 && !packet.data_field)
		;
	CHECK_STR(packet.data, TC_STR("x"));
	CHECK_INT(next(), 0);
}

static void
test_other_elements(void)
{
	struct wire file = { 0 };

	wire_hex(&file, "10 05");                           /* 2, varint */
	wire_hex(&file, "08 ffffffffffffffffff01");         /* 1, but a varint */
	wire_hex(&file, "11 0102030405060708 15 01020304"); /* 2, fixed */
	wire_hex(&file, "0d 01020304");                     /* 1, fixed */
	wire_hex(&file, "12 03 0a0a0a 7a 00");
	add_marked(&file, "x");
	wire_hex(&file, "82 80 80 80 10 01 0a"); /* a number beyond all limits */
	add_marked(&file, "y");
	begin(&file);
	is_next_marked("x");
	is_next_marked("y");
	CHECK_INT(next(), 0);
	CHECK_INT(t.stats[TC_STAT_UNKNOWN_TOP_LEVEL], 8);
	CHECK_INT(t.packets, 2);
}

/* A good packet, then this: fatal, and the place is told. */
static void
check_damaged(const char *hex)
{
	struct wire file = { 0 };

	add_marked(&file, "x");
	wire_hex(&file, hex);
	begin(&file);
	is_next_marked("x");
	if (!CHECK_INT(next(), -1))
		fprintf(stderr, "  with %s\n", hex);
	CHECK_INT(err.code, TC_DATA);
	CHECK_INT(t.offset, 6);
}

static void
test_damaged_elements(void)
{
	static const char *const cases[] = {
		"03",
		"04",
		"06",
		"07",
		"0b 00",
		"0c 00",
		"0e 00",
		"0f 00", /* wire type */
		"00 00",
		"02 00",                                           /* field 0 */
		"8a808080808080808080 00 0000000000000000000000",  /* tag */
		"0a 80808080808080808080 00 00000000000000000000", /* length */
		"10 80808080808080808080 00 00000000000000000000", /* value */
		"0a 8080808001 00", /* a packet of 2^28 bytes */
		"0a ffffffffffffffffff01 00",
	};
	size_t i;

	for (i = 0; i < CHECK_ITEMS(cases); i++)
		check_damaged(cases[i]);
}

/* The top level of a packet has to be right to its last byte. */
static void
test_damaged_packets(void)
{
	static const char *const cases[] = {
		"0a 01 08",                         /* a tag without its value */
		"0a 02 08 80",                      /* a varint that is cut */
		"0a 03 e2 04 01",                   /* a length beyond the end */
		"0a 02 00 00",                      /* field 0 */
		"0a 01 0b",                         /* group */
		"0a 04 41 010203",                  /* fixed, cut */
		"0a 0b 40 80808080808080808080 00", /* eleven bytes */
		"0a 05 40 05 e2 04 09",             /* a good field, then a bad one */
	};
	size_t i;

	for (i = 0; i < CHECK_ITEMS(cases); i++)
		check_damaged(cases[i]);
}

/* What is behind a cut is gone, and that is no damage. */
static void
test_cut_tail(void)
{
	struct wire file = { 0 }, cut;
	size_t whole, len;

	add_marked(&file, "one");
	whole = file.len;
	add_marked(&file,
		"a packet of more than 127 bytes, so that its length has two: "
		"----------------------------------------------------------"
		"----------------------------------------------------------");
	for (len = whole; len < file.len; len++) {
		cut = file;
		cut.len = len;
		begin(&cut);
		is_next_marked("one");
		CHECK_INT(next(), 0);
		CHECK_INT(t.stats[TC_STAT_TRUNCATED_BYTES], len - whole);
		CHECK(!t.is_damaged);
		CHECK_INT(next(), 0);
		if (!CHECK_INT(t.stats[TC_STAT_TRUNCATED_BYTES], len - whole))
			break;
	}
}

static struct tc_packet
decode(const struct wire *w, int result)
{
	struct tc_packet p;

	err = (struct tc_err){ 0 };
	CHECK_INT(tc_packet_decode(check_text((const char *)w->bytes, w->len),
			  (const char *)w->bytes + w->len, &p, &err),
		result);
	CHECK_INT(err.code, result < 0 ? TC_DATA : TC_OK);
	return p;
}

static void
test_packet_fields(void)
{
	struct wire w = { 0 };
	struct tc_packet p;

	p = decode(&w, 0);
	CHECK(!p.has_timestamp && !p.seq && !p.data_field && !p.compressed.p);
	wire_num(&w, TIMESTAMP, 1);
	wire_num(&w, SEQUENCE, 2);
	wire_num(&w, FLAGS, 3);
	wire_num(&w, CLEARED, 1);
	wire_num(&w, DROPPED, 5);
	wire_num(&w, CLOCK, 6);
	wire_num(&w, MACHINE, 7);
	wire_text(&w, GRAPHICS, "frame");
	wire_text(&w, INTERNED, "");
	wire_text(&w, SNAPSHOT, "clocks");
	wire_text(&w, DEFAULTS, "defaults");
	wire_text(&w, REMOTE_SYNC, "sync");
	wire_text(&w, COMPRESSED, "");
	wire_num(&w, 4000, 1);
	p = decode(&w, 0);
	CHECK(p.has_timestamp && p.timestamp == 1);
	CHECK_INT(p.seq, 2);
	CHECK_INT(p.flags, 3);
	CHECK(p.is_cleared);
	CHECK_INT(p.dropped, 5);
	CHECK_INT(p.clock_id, 6);
	CHECK_INT(p.machine_id, 7);
	CHECK_INT(p.data_field, GRAPHICS);
	CHECK_STR(p.data, TC_STR("frame"));
	CHECK(p.has_interned);
	CHECK_STR(p.clock_snapshot, TC_STR("clocks"));
	CHECK_STR(p.defaults, TC_STR("defaults"));
	CHECK_STR(p.remote_sync, TC_STR("sync"));
	CHECK_STR(p.compressed, TC_STR(""));
}

/* The last of a field counts, and of several kinds of data the first. */
static void
test_repeated_fields(void)
{
	struct wire w = { 0 };
	struct tc_packet p;

	wire_num(&w, TIMESTAMP, 1);
	wire_text(&w, TIMELINE, "first");
	wire_text(&w, GRAPHICS, "other");
	wire_text(&w, TIMELINE, "last");
	wire_num(&w, TIMESTAMP, 9);
	p = decode(&w, 0);
	CHECK_INT(p.timestamp, 9);
	CHECK_INT(p.data_field, TIMELINE);
	CHECK_STR(p.data, TC_STR("last"));
	/* Also one that nobody here reads comes first. */
	w = (struct wire){ 0 };
	wire_text(&w, TRACK_EVENT, "track");
	wire_text(&w, TIMELINE, "frame");
	CHECK_INT(decode(&w, 0).data_field, TRACK_EVENT);
	/* But not one that Perfetto has no reader for. */
	w = (struct wire){ 0 };
	wire_text(&w, 4000, "new");
	wire_text(&w, TIMELINE, "frame");
	CHECK_INT(decode(&w, 0).data_field, TIMELINE);
}

/* A field of the wrong wire type is as good as none. */
static void
test_wrong_wire_types(void)
{
	struct wire w = { 0 };
	struct tc_packet p;

	wire_text(&w, TIMESTAMP, "12345678");
	wire_text(&w, SEQUENCE, "x");
	wire_num(&w, TIMELINE, 5);
	wire_num(&w, SNAPSHOT, 5);
	wire_num(&w, COMPRESSED, 5);
	wire_hex(&w, "69 0100000000000000"); /* sequence_flags, fixed */
	p = decode(&w, 0);
	CHECK(!p.has_timestamp && !p.seq && !p.data_field && !p.flags);
	CHECK(!p.clock_snapshot.p && !p.compressed.p);
	wire_hex(&w, "0b");
	decode(&w, -1);
}

/* ---- sequences, spec 1.4 ---- */

/* A packet of a sequence, with what the step under test needs. */
struct step {
	uint32_t seq;
	int flags, cleared, dropped, interned;
	int default_clock; /* -1: defaults without one, 0: no defaults */
};

static void
add_step(struct wire *file, struct step s)
{
	struct wire p = { 0 }, defaults = { 0 };

	wire_text(&p, TIMELINE, "");
	if (s.seq)
		wire_num(&p, SEQUENCE, s.seq);
	if (s.flags)
		wire_num(&p, FLAGS, (uint64_t)s.flags);
	if (s.cleared)
		wire_num(&p, CLEARED, 1);
	if (s.dropped)
		wire_num(&p, DROPPED, (uint64_t)s.dropped);
	if (s.interned)
		wire_text(&p, INTERNED, "");
	if (s.default_clock > 0)
		wire_num(&defaults, CLOCK, (uint64_t)s.default_clock);
	if (s.default_clock)
		wire_sub(&p, DEFAULTS, &defaults);
	add(file, &p);
}

/* How many of the packets come through, all read to the end. */
static int
count_packets(const struct wire *file)
{
	int n = 0, r;

	begin(file);
	while ((r = next()) > 0)
		n++;
	CHECK_INT(r, 0);
	return n;
}

static void
test_state_validity(void)
{
	struct wire file = { 0 };

	/* Invalid until cleared. */
	add_step(&file, (struct step){ .seq = 1, .flags = FLAG_NEEDS_STATE });
	CHECK_INT(count_packets(&file), 0);
	CHECK_INT(t.stats[TC_STAT_NEEDS_STATE], 1);
	CHECK_INT(t.packets, 1);
	/* One that does not need it comes through all the same. */
	add_step(&file, (struct step){ .seq = 1 });
	CHECK_INT(count_packets(&file), 1);
	/* Clearing counts for the packet itself, by flag or by the old field. */
	add_step(&file,
		(struct step){ .seq = 1, .flags = FLAG_NEEDS_STATE | FLAG_CLEARED });
	add_step(&file, (struct step){ .seq = 1, .flags = FLAG_NEEDS_STATE });
	CHECK_INT(count_packets(&file), 3);
	/* But not for other sequences. */
	add_step(&file, (struct step){ .seq = 2, .flags = FLAG_NEEDS_STATE });
	CHECK_INT(count_packets(&file), 3);
	add_step(&file, (struct step){ .seq = 2, .cleared = 1 });
	add_step(&file, (struct step){ .seq = 2, .flags = FLAG_NEEDS_STATE });
	CHECK_INT(count_packets(&file), 5);
	/* A loss makes it invalid, until it is cleared again. */
	add_step(&file,
		(struct step){ .seq = 1, .flags = FLAG_NEEDS_STATE, .dropped = 1 });
	add_step(&file, (struct step){ .seq = 1, .flags = FLAG_NEEDS_STATE });
	CHECK_INT(count_packets(&file), 5);
	add_step(&file,
		(struct step){ .seq = 1,
			.flags = FLAG_NEEDS_STATE | FLAG_CLEARED,
			.dropped = 1 });
	add_step(&file, (struct step){ .seq = 1, .flags = FLAG_NEEDS_STATE });
	CHECK_INT(count_packets(&file), 7);
	CHECK_INT(t.stats[TC_STAT_NEEDS_STATE], 4);
	/* The two losses of sequence 1, none of which was its first packet. */
	CHECK_INT(t.stats[TC_STAT_SEQ_LOSS], 2);
}

/* The first packet that is seen of a sequence always says that it lost some. */
static void
test_loss(void)
{
	struct wire file = { 0 };

	add_step(&file, (struct step){ .seq = 1, .dropped = 1 });
	add_step(&file, (struct step){ .seq = 2, .dropped = 255 });
	CHECK_INT(count_packets(&file), 2);
	CHECK_INT(t.stats[TC_STAT_SEQ_LOSS], 0);
	add_step(&file, (struct step){ .seq = 1, .dropped = 64 });
	add_step(&file, (struct step){ .seq = 1, .dropped = 1, .cleared = 1 });
	CHECK_INT(count_packets(&file), 4);
	CHECK_INT(t.stats[TC_STAT_SEQ_LOSS], 2);
}

static void
test_interned_data(void)
{
	struct wire file = { 0 };

	add_step(&file, (struct step){ .seq = 1, .interned = 1 });
	CHECK_INT(count_packets(&file), 1);
	CHECK_INT(t.stats[TC_STAT_INTERNED_INVALID], 1);
	add_step(&file, (struct step){ .seq = 1, .interned = 1, .cleared = 1 });
	add_step(&file, (struct step){ .seq = 1, .interned = 1 });
	CHECK_INT(count_packets(&file), 3);
	CHECK_INT(t.stats[TC_STAT_INTERNED_INVALID], 1);
	add_step(&file, (struct step){ .seq = 1, .interned = 1, .dropped = 1 });
	CHECK_INT(count_packets(&file), 4);
	CHECK_INT(t.stats[TC_STAT_INTERNED_INVALID], 2);
}

/* State that no sequence is named for changes nothing and is counted. */
static void
test_no_sequence(void)
{
	struct wire file = { 0 };

	add_step(&file,
		(struct step){ .cleared = 1, .interned = 1, .default_clock = MONO });
	add_step(&file, (struct step){ .dropped = 1 });
	add_step(&file, (struct step){ .dropped = 1, .flags = FLAG_CLEARED });
	add_step(&file, (struct step){ .flags = FLAG_NEEDS_STATE });
	CHECK_INT(count_packets(&file), 3);
	CHECK_INT(t.stats[TC_STAT_CLEARED_NO_SEQ], 2);
	CHECK_INT(t.stats[TC_STAT_DROPPED_NO_SEQ], 1);
	CHECK_INT(t.stats[TC_STAT_DEFAULTS_NO_SEQ], 1);
	CHECK_INT(t.stats[TC_STAT_INTERNED_NO_SEQ], 1);
	CHECK_INT(t.stats[TC_STAT_INTERNED_INVALID], 0);
	CHECK_INT(t.stats[TC_STAT_NEEDS_STATE], 1);
	CHECK_INT(t.stats[TC_STAT_SEQ_LOSS], 0);
}

/* ---- compressed packets ---- */

enum header { ZLIB, GZIP, RAW };

static size_t
deflate_bytes(enum header header, const void *bytes, size_t len, void *out, size_t room)
{
	struct libdeflate_compressor *z = libdeflate_alloc_compressor(6);
	size_t n = 0;

	if (!z)
		abort();
	if (header == ZLIB)
		n = libdeflate_zlib_compress(z, bytes, len, out, room);
	else if (header == GZIP)
		n = libdeflate_gzip_compress(z, bytes, len, out, room);
	else
		n = libdeflate_deflate_compress(z, bytes, len, out, room);
	libdeflate_free_compressor(z);
	return n;
}

/* A packet whose compressed_packets holds these bytes. */
static void
add_bundle(struct wire *file, enum header header, const struct wire *inside)
{
	struct wire p = { 0 };
	uint8_t bytes[4096];
	size_t len;

	len = deflate_bytes(header, inside->bytes, inside->len, bytes, sizeof(bytes));
	/* What else the packet says does not count. */
	wire_num(&p, TIMESTAMP, 999);
	wire_bytes(&p, COMPRESSED, bytes, len);
	wire_num(&p, MACHINE, 5);
	add(file, &p);
}

static void
test_bundles(void)
{
	struct wire file = { 0 }, inside = { 0 }, empty = { 0 };

	add_marked(&inside, "a");
	add_marked(&inside, "b");
	add_marked(&file, "before");
	add_bundle(&file, ZLIB, &inside);
	add_marked(&file, "between");
	add_bundle(&file, GZIP, &inside);
	add_bundle(&file, ZLIB, &empty);
	add_marked(&file, "behind");
	begin(&file);
	is_next_marked("before");
	is_next_marked("a");
	CHECK_INT(packet.machine_id, 0);
	CHECK_INT(packet.ts, 0);
	is_next_marked("b");
	is_next_marked("between");
	is_next_marked("a");
	is_next_marked("b");
	is_next_marked("behind");
	CHECK_INT(next(), 0);
	CHECK_INT(t.packets, 7);
	CHECK_INT(t.machine_count, 1);
	CHECK(!t.is_damaged);
}

/* A second bundle directly behind the first, larger and smaller ones. */
static void
test_bundles_in_a_row(void)
{
	struct wire file = { 0 }, inside = { 0 };
	char mark[64];
	int i, j, n;

	for (i = 0; i < 20; i++) {
		inside.len = 0;
		for (j = 0; j <= i * 7 % 20; j++) {
			n = snprintf(mark, sizeof(mark), "%d of bundle %d", j, i);
			CHECK(n > 0);
			add_marked(&inside, mark);
		}
		add_bundle(&file, i % 2 ? ZLIB : GZIP, &inside);
	}
	begin(&file);
	for (i = 0; i < 20; i++)
		for (j = 0; j <= i * 7 % 20; j++) {
			snprintf(mark, sizeof(mark), "%d of bundle %d", j, i);
			if (!is_next_marked(mark))
				return;
		}
	CHECK_INT(next(), 0);
}

/* Appendix A.1: seven packets in 72 bytes. */
static void
test_bundle_example(void)
{
	static const int64_t times[] = { 10, 14, 16, 18, 19, 25, 41 };
	struct wire file = { 0 };
	size_t i;

	wire_hex(&file,
		"0a4692034378dae3e277e03ac5ccc5c521c028c5e463a8c1c825e8c0778a99"
		"0728c22dc00417128009b1c085846042ac70216198103b5c481226c4"
		"0117d28408f1c08400219c0fd6");
	CHECK_INT(file.len, 72);
	begin(&file);
	for (i = 0; i < CHECK_ITEMS(times); i++) {
		CHECK_INT(next(), 1);
		CHECK_INT(packet.data_field, GRAPHICS);
		CHECK_INT(packet.ts, times[i]);
	}
	CHECK_INT(next(), 0);
	CHECK_INT(tc_trace_range_bulk(&t.range).first, 10);
	CHECK_INT(tc_trace_range_bulk(&t.range).last, 41);
	CHECK_INT(t.max_ts, 41);
}

static void
test_trailing_bytes(void)
{
	struct wire file = { 0 }, inside = { 0 };
	size_t i;

	add_marked(&inside, "a");
	for (i = 0; i < 3; i++) {
		add_bundle(&file, ZLIB, &inside);
		wire_hex(&inside, "ff");
	}
	begin(&file);
	is_next_marked("a");
	is_next_marked("a");
	is_next_marked("a");
	CHECK_INT(next(), 0);
	CHECK(!t.is_damaged);
	add_bundle(&file, ZLIB, &inside); /* with three */
	CHECK_INT(count_packets(&file), 4);
	CHECK(t.is_damaged);
}

/* A damaged bundle is counted; what is behind it, and before the damage, is not lost. */
static void
check_damaged_bundle(const struct wire *bundle, int good, const char *what)
{
	struct wire file = { 0 };
	int i;

	add_marked(&file, "before");
	wire_raw(&file, bundle->bytes, bundle->len);
	add_marked(&file, "behind");
	wire_raw(&file, bundle->bytes, bundle->len);
	begin(&file);
	is_next_marked("before");
	for (i = 0; i < good; i++)
		is_next_marked("a");
	if (!is_next_marked("behind"))
		fprintf(stderr, "  %s\n", what);
	for (i = 0; i < good; i++)
		is_next_marked("a");
	CHECK_INT(next(), 0);
	CHECK(t.is_damaged);
	CHECK_INT(t.stats[TC_STAT_DAMAGED_COMPRESSED], 2);
	CHECK_INT(t.bundle_damage, 11);
	CHECK_INT(t.packets, 2 + 2 * good);
}

static void
test_damaged_insides(void)
{
	static const struct {
		const char *hex, *what;
	} cases[] = {
		{ "12 03 010203", "another field" },
		{ "08 05 0a 00 0a 00", "a varint" },
		{ "0a 05 40 05 40", "a packet that is cut" },
		{ "0a 80 80 80", "a header that is cut" },
		{ "0a 02 08 80 0a 00", "a damaged packet" },
		{ "0b 0b 0b", "a group" },
		{ "00 00 00", "field 0" },
		{ "0a ffffffffffffffffff01 00", "a length that no packet has" },
		{ "0a 80808080808080808080 00", "a length of eleven bytes" },
		{ "0a 03 92 03 00 00 00", "compressed packets" },
	};
	struct wire inside, bundle;
	size_t i;

	for (i = 0; i < CHECK_ITEMS(cases); i++) {
		inside = bundle = (struct wire){ 0 };
		add_marked(&inside, "a");
		add_marked(&inside, "a");
		wire_hex(&inside, cases[i].hex);
		add_bundle(&bundle, ZLIB, &inside);
		check_damaged_bundle(&bundle, 2, cases[i].what);
	}
}

static void
test_nested_bundle(void)
{
	struct wire inside = { 0 }, middle = { 0 }, bundle = { 0 };

	add_marked(&inside, "lost");
	add_marked(&middle, "a");
	add_bundle(&middle, ZLIB, &inside);
	add_bundle(&bundle, ZLIB, &middle);
	check_damaged_bundle(&bundle, 1, "nested");
}

/* Deflate without a header, cut, with a bit flipped, and no deflate at all. */
static void
test_damaged_deflate(void)
{
	struct wire inside = { 0 }, bundle = { 0 }, p = { 0 };
	uint8_t bytes[4096];
	size_t len, i;

	add_marked(&inside, "lost");
	add_bundle(&bundle, RAW, &inside);
	check_damaged_bundle(&bundle, 0, "raw deflate");
	len = deflate_bytes(ZLIB, inside.bytes, inside.len, bytes, sizeof(bytes));
	for (i = 0; i < len; i++) {
		p.len = bundle.len = 0;
		wire_bytes(&p, COMPRESSED, bytes, i);
		add(&bundle, &p);
		check_damaged_bundle(&bundle, 0, "cut");
	}
	bytes[len - 1] ^= 1; /* of the checksum */
	p.len = bundle.len = 0;
	wire_bytes(&p, COMPRESSED, bytes, len);
	add(&bundle, &p);
	check_damaged_bundle(&bundle, 0, "checksum");
	p.len = bundle.len = 0;
	wire_text(&p, COMPRESSED, "not deflate");
	add(&bundle, &p);
	check_damaged_bundle(&bundle, 0, "no deflate");
}

/* As many zeros as `mib` says; what comes out is no packet, but what size is it? */
static const char *
inflated_zeros(size_t mib)
{
	size_t len = mib * 1024 * 1024;
	uint8_t *zeros = calloc(len, 1), *out = malloc(len);
	struct tc_err e = { 0 };
	struct tc_packet p;
	struct wire head = { 0 };
	static char msg[sizeof(e.msg)];
	size_t n, m;

	if (!zeros || !out)
		abort();
	n = deflate_bytes(ZLIB, zeros, len, out + 64, len - 64);
	wire_varint(&head, COMPRESSED << 3 | 2);
	wire_varint(&head, n);
	m = head.len + n;
	head.len = 0;
	wire_varint(&head, 1 << 3 | 2);
	wire_varint(&head, m);
	wire_varint(&head, COMPRESSED << 3 | 2);
	wire_varint(&head, n);
	memcpy(out + 64 - head.len, head.bytes, head.len);
	tc_trace_release(&t);
	tc_trace_init(&t);
	tc_in_bytes(&in, out + 64 - head.len, head.len + n);
	CHECK_INT(tc_trace_next(&t, &in, &p, &e), 0);
	CHECK(t.is_damaged);
	memcpy(msg, e.msg, sizeof(msg));
	free(zeros);
	free(out);
	return msg;
}

/* A bundle that grows beyond all reason is refused before it is there. */
static void
test_growth(void)
{
	CHECK(strstr(inflated_zeros(3), "more than 256 times"));
	CHECK(strstr(inflated_zeros(70), "beyond"));
}

/* ---- time ---- */

struct stamp {
	uint32_t seq, clock, machine;
	uint64_t ts;
	bool no_ts;
};

static void
add_stamped(struct wire *file, struct stamp s)
{
	struct wire p = { 0 };

	wire_text(&p, TIMELINE, "");
	if (!s.no_ts)
		wire_num(&p, TIMESTAMP, s.ts);
	if (s.seq)
		wire_num(&p, SEQUENCE, s.seq);
	if (s.clock)
		wire_num(&p, CLOCK, s.clock);
	if (s.machine)
		wire_num(&p, MACHINE, s.machine);
	add(file, &p);
}

struct reading {
	uint32_t clock;
	uint64_t value, unit;
	bool is_incremental;
};

static void
put_snapshot(struct wire *w, const struct reading *r, size_t n, uint32_t primary)
{
	struct wire clock;

	for (; n; n--, r++) {
		clock = (struct wire){ 0 };
		wire_num(&clock, 1, r->clock);
		wire_num(&clock, 2, r->value);
		if (r->is_incremental)
			wire_num(&clock, 3, 1);
		if (r->unit)
			wire_num(&clock, 4, r->unit);
		wire_sub(w, 1, &clock);
	}
	if (primary)
		wire_num(w, 2, primary);
}

static void
add_snapshot(struct wire *file, uint32_t seq, uint32_t machine, const struct reading *r,
	size_t n, uint32_t primary)
{
	struct wire p = { 0 }, snapshot = { 0 };

	put_snapshot(&snapshot, r, n, primary);
	wire_sub(&p, SNAPSHOT, &snapshot);
	if (seq)
		wire_num(&p, SEQUENCE, seq);
	if (machine)
		wire_num(&p, MACHINE, machine);
	add(file, &p);
}

static void
check_next_time(enum tc_packet_time time, int64_t ts, int line)
{
	bool ok = CHECK_INT(next(), 1);

	ok = ok && CHECK_INT(packet.time, time);
	if (!ok || (time == TC_TIME_OK && !CHECK_INT(packet.ts, ts)))
		fprintf(stderr, "  in line %d\n", line);
}

#define NEXT_AT(ts) check_next_time(TC_TIME_OK, (ts), __LINE__)
#define NEXT_LATER() check_next_time(TC_TIME_LATER, 0, __LINE__)
#define NEXT_BAD() check_next_time(TC_TIME_BAD, 0, __LINE__)

static const struct reading suspended[2][2] = {
	{ { .clock = BOOT, .value = 1000 }, { .clock = MONO, .value = 100 } },
	{ { .clock = BOOT, .value = 5000 }, { .clock = MONO, .value = 200 } },
};

/* Without clocks a time is what it says; without a time it is the latest so far. */
static void
test_times_as_they_are(void)
{
	struct wire file = { 0 };

	add_stamped(&file, (struct stamp){ .no_ts = true });
	add_stamped(&file, (struct stamp){ .ts = 50 });
	add_stamped(&file, (struct stamp){ .ts = 20 });
	add_stamped(&file, (struct stamp){ .no_ts = true });
	add_stamped(&file, (struct stamp){ .ts = INT64_MAX });
	add_stamped(&file, (struct stamp){ .ts = (uint64_t)INT64_MAX + 1 });
	add_stamped(&file, (struct stamp){ .ts = UINT64_MAX });
	begin(&file);
	NEXT_AT(0);
	NEXT_AT(50);
	NEXT_AT(20);
	NEXT_AT(50);
	NEXT_AT(INT64_MAX);
	NEXT_BAD();
	NEXT_BAD();
	CHECK_INT(next(), 0);
	CHECK_INT(t.stats[TC_STAT_NEGATIVE_TIMESTAMP], 2);
	CHECK_INT(tc_trace_range_bulk(&t.range).first, 20);
	CHECK_INT(t.max_ts, INT64_MAX);
}

/* The packet's own clock, else its sequence's, else the snapshot's. */
static void
test_which_clock(void)
{
	struct wire file = { 0 };

	add_snapshot(&file, 0, 0, suspended[0], 2, BOOT);
	add_stamped(&file, (struct stamp){ .ts = 100, .clock = MONO });
	add_stamped(&file, (struct stamp){ .ts = 100, .clock = BOOT });
	add_stamped(&file, (struct stamp){ .ts = 100 });
	add_step(&file, (struct step){ .seq = 1, .default_clock = MONO });
	add_stamped(&file, (struct stamp){ .ts = 101, .seq = 1 });
	add_stamped(&file, (struct stamp){ .ts = 101, .seq = 2 });
	add_stamped(&file, (struct stamp){ .ts = 101, .seq = 1, .clock = BOOT });
	add_step(&file, (struct step){ .seq = 1, .dropped = 1 });
	add_stamped(&file, (struct stamp){ .ts = 102, .seq = 1 });
	add_step(&file, (struct step){ .seq = 1, .default_clock = -1 });
	add_stamped(&file, (struct stamp){ .ts = 103, .seq = 1 });
	add_step(&file, (struct step){ .seq = 1, .default_clock = MONO });
	add_step(&file, (struct step){ .seq = 1, .cleared = 1 });
	add_stamped(&file, (struct stamp){ .ts = 104, .seq = 1 });
	begin(&file);
	NEXT_AT(1000);
	CHECK_INT(packet.clock, MONO);
	NEXT_AT(100);
	CHECK_INT(packet.clock, BOOT);
	NEXT_AT(100);
	CHECK_INT(packet.clock, BOOT);
	NEXT_AT(1000); /* the packet with the defaults, without a time */
	NEXT_AT(1001);
	NEXT_AT(101);
	NEXT_AT(101);
	NEXT_AT(1001);
	NEXT_AT(1002);
	NEXT_AT(1002);
	NEXT_AT(103);
	NEXT_AT(1002);
	NEXT_AT(1002);
	NEXT_AT(104);
	CHECK_INT(next(), 0);
}

/* A snapshot counts from where it stands; what comes too early waits. */
static void
test_snapshots(void)
{
	struct wire file = { 0 };
	int64_t ts;

	add_stamped(&file, (struct stamp){ .ts = 150, .clock = MONO });
	add_snapshot(&file, 1, 0, suspended[0], 2, BOOT);
	add_stamped(&file, (struct stamp){ .ts = 250, .clock = MONO });
	add_snapshot(&file, 1, 0, suspended[1], 2, BOOT);
	add_stamped(&file, (struct stamp){ .ts = 250, .clock = MONO });
	add_stamped(&file, (struct stamp){ .ts = 150, .clock = MONO });
	add_stamped(&file, (struct stamp){ .ts = 150, .clock = 9 });
	begin(&file);
	NEXT_LATER();
	CHECK_INT(packet.clock, MONO);
	CHECK_INT(packet.timestamp, 150);
	NEXT_AT(1150);
	NEXT_AT(5050);
	NEXT_AT(1050);
	NEXT_LATER();
	CHECK_INT(next(), 0);
	CHECK_INT(t.packets, 7);
	CHECK_INT(t.stats[TC_STAT_CLOCK_UNKNOWN_SOURCE], 0);
	CHECK(tc_trace_late(&t, 0, MONO, 150, &ts));
	CHECK_INT(ts, 1050);
	CHECK(!tc_trace_late(&t, 0, 9, 150, &ts));
	CHECK_INT(t.stats[TC_STAT_CLOCK_UNKNOWN_SOURCE], 1);
	CHECK_INT(t.stats[TC_STAT_CLOCK_PACKET_LOSS], 1);
	CHECK(!tc_trace_late(&t, 0, MONO, -5000, &ts));
	CHECK_INT(t.stats[TC_STAT_NEGATIVE_TIMESTAMP], 1);
}

static void
test_bad_snapshots(void)
{
	const struct reading scoped[] = { { .clock = BOOT, .value = 1000 },
		{ .clock = 64, .value = 10, .unit = 1000 } };
	const struct reading twice[] = { { .clock = BOOT, .value = 1000 },
		{ .clock = BOOT, .value = 1000 } };
	const struct reading incremental[] = { { .clock = BOOT, .value = 1000 },
		{ .clock = MONO, .value = 10, .is_incremental = true } };
	struct reading many[TC_CLOCK_MAX_IN_SNAPSHOT + 3];
	struct wire file = { 0 };
	size_t i;

	for (i = 0; i < CHECK_ITEMS(many); i++)
		many[i] = (struct reading){ .clock = 200 + (uint32_t)i, .value = 5 };
	add_snapshot(&file, 0, 0, scoped, 2, BOOT); /* a sequence's, in none */
	add_snapshot(&file, 1, 0, twice, 2, BOOT);
	add_snapshot(&file, 1, 0, incremental, 2, BOOT);
	add_snapshot(&file, 1, 0, many, CHECK_ITEMS(many), BOOT);
	add_snapshot(&file, 1, 0, scoped, 2, BOOT);
	add_stamped(&file, (struct stamp){ .ts = 11, .clock = 64, .seq = 1 });
	add_stamped(&file, (struct stamp){ .ts = 11, .clock = 64, .seq = 2 });
	add_stamped(&file, (struct stamp){ .ts = 11, .clock = 200 });
	begin(&file);
	NEXT_AT(2000);
	NEXT_LATER();
	NEXT_LATER();
	CHECK_INT(t.stats[TC_STAT_CLOCK_BAD_SNAPSHOT], 4);
}

/* ---- machines ---- */

static void
test_machines(void)
{
	struct wire file = { 0 };
	int64_t ts;

	add_snapshot(&file, 0, 77, suspended[0], 2, BOOT);
	add_stamped(&file, (struct stamp){ .ts = 100, .clock = MONO });
	add_stamped(&file, (struct stamp){ .ts = 100, .clock = MONO, .machine = 77 });
	add_stamped(&file, (struct stamp){ .ts = 100, .clock = MONO, .machine = 5 });
	add_step(&file, (struct step){ .seq = 1, .cleared = 1 });
	begin(&file);
	NEXT_LATER();
	CHECK_INT(packet.machine, 0);
	NEXT_AT(1000);
	CHECK_INT(packet.machine, 1);
	CHECK_INT(packet.machine_id, 77);
	NEXT_LATER();
	CHECK_INT(packet.machine, 2);
	CHECK_INT(t.machine_count, 3);
	CHECK_INT(t.machines[0].raw_id, 0);
	CHECK_INT(t.machines[1].raw_id, 77);
	CHECK_INT(t.machines[2].raw_id, 5);
	CHECK(tc_trace_late(&t, 1, MONO, 101, &ts));
	CHECK_INT(ts, 1001);
	CHECK(!tc_trace_late(&t, 0, MONO, 101, &ts));
}

/* A sequence of one machine is not that of another. */
static void
test_sequences_of_machines(void)
{
	struct wire file = { 0 }, p = { 0 };

	add_step(&file, (struct step){ .seq = 1, .cleared = 1 });
	wire_text(&p, TIMELINE, "");
	wire_num(&p, SEQUENCE, 1);
	wire_num(&p, FLAGS, FLAG_NEEDS_STATE);
	add(&file, &p);
	wire_num(&p, MACHINE, 9);
	add(&file, &p);
	CHECK_INT(count_packets(&file), 2);
}

static void
test_too_many_machines(void)
{
	struct wire file = { 0 };
	uint32_t i;

	for (i = 1; i <= TC_TRACE_MAX_MACHINES + 2; i++)
		add_stamped(&file, (struct stamp){ .ts = i, .machine = i });
	add_stamped(&file, (struct stamp){ .ts = 7 });
	CHECK_INT(count_packets(&file), TC_TRACE_MAX_MACHINES);
	CHECK_INT(t.machine_count, TC_TRACE_MAX_MACHINES);
	CHECK_INT(t.stats[TC_STAT_TOO_MANY_MACHINES], 3);
}

/* One exchange of clocks between a remote machine and the host. */
struct exchange {
	uint64_t client, host;
};

static void
put_exchange(struct wire *sync, struct exchange e)
{
	const struct reading client = { .clock = BOOT, .value = e.client };
	const struct reading host = { .clock = BOOT, .value = e.host };
	struct wire pair = { 0 }, snapshot = { 0 };

	put_snapshot(&snapshot, &client, 1, BOOT);
	wire_sub(&pair, 2, &snapshot);
	snapshot.len = 0;
	put_snapshot(&snapshot, &host, 1, BOOT);
	wire_sub(&pair, 3, &snapshot);
	wire_sub(sync, 1, &pair);
}

/* The offset that machine 7 has after these; INT64_MIN: none that is of use. */
static int64_t
remote_offset(const struct exchange *e, size_t n)
{
	struct wire file = { 0 }, sync = { 0 }, p = { 0 };

	for (; n; n--, e++)
		put_exchange(&sync, *e);
	wire_sub(&p, REMOTE_SYNC, &sync);
	wire_num(&p, MACHINE, 7);
	add(&file, &p);
	add_stamped(&file,
		(struct stamp){ .ts = INT64_C(1) << 40, .clock = BOOT, .machine = 7 });
	begin(&file);
	CHECK_INT(next(), 1);
	CHECK_INT(next(), 1);
	if (packet.time != TC_TIME_OK)
		return INT64_MIN;
	return (INT64_C(1) << 40) - packet.ts;
}

#define OFFSET(...) \
	remote_offset((const struct exchange[]){ __VA_ARGS__ }, \
		sizeof((const struct exchange[]){ __VA_ARGS__ }) / \
			sizeof(struct exchange))

static void
test_remote_sync(void)
{
	const uint64_t s = UINT64_C(1000000000);

	/* The client is 500 ahead, a message takes 10: 1010 - 510, 1020 - 520. */
	CHECK_INT(OFFSET({ 1000, 510 }, { 1020, 530 }), 500);
	/* (1000 + 2000) / 2 - 600 = 900 and 2000 - (600 + 1700) / 2 = 850. */
	CHECK_INT(OFFSET({ 1000, 600 }, { 2000, 1700 }), 875);
	/* Behind the host: (1000 + 1100) / 2 - 3000, 1100 - (3000 + 3100) / 2. */
	CHECK_INT(OFFSET({ 1000, 3000 }, { 1100, 3100 }), -1950);
	/* Two pairs: 900, 850, (2000 + 3000) / 2 - 1700 = 800 and
	 * 3000 - (1700 + 2500) / 2 = 900. */
	CHECK_INT(OFFSET({ 1000, 600 }, { 2000, 1700 }, { 3000, 2500 }),
		(900 + 850 + 800 + 900) / 4);
	/* One says nothing of how long it took, nor do two of 30 seconds apart. */
	CHECK_INT(OFFSET({ 1000, 600 }), 0);
	CHECK_INT(OFFSET({ s, 1 }, { 31 * s, 1 }), 0);
	CHECK_INT(OFFSET({ s, s }, { 31 * s - 1, 31 * s - 1 }), 14999999999);
	/* The third is near enough to the second: only those two count. */
	CHECK_INT(OFFSET({ 1000, 1 }, { 40 * s, 40 * s - 500 + 10 },
			  { 40 * s + 20, 40 * s - 500 + 30 }),
		500);
	/* A zero is a value that was not there. */
	CHECK_INT(OFFSET({ 1000, 0 }, { 2000, 1700 }), 0);
	CHECK_INT(OFFSET({ 0, 600 }, { 2000, 1700 }), 0);
	/* Large values do not overflow on the way to their small difference. */
	CHECK_INT(OFFSET({ INT64_MAX - 120, INT64_MAX - 610 },
			  { INT64_MAX - 100, INT64_MAX - 590 }),
		500);
}

/* Numbers that cannot be: nothing is known of the outcome, but it comes. */
static void
test_remote_sync_extremes(void)
{
	struct exchange e[20];
	size_t i;

	for (i = 0; i < CHECK_ITEMS(e); i++)
		e[i] = (struct exchange){ INT64_MAX, 1 };
	remote_offset(e, CHECK_ITEMS(e));
	for (i = 0; i < CHECK_ITEMS(e); i++)
		e[i] = (struct exchange){ 1, INT64_MAX };
	remote_offset(e, CHECK_ITEMS(e));
	for (i = 0; i < CHECK_ITEMS(e); i++)
		e[i] = (struct exchange){ (uint64_t)INT64_MIN, UINT64_MAX };
	remote_offset(e, CHECK_ITEMS(e));
	CHECK_INT(t.machine_count, 2);
}

/* The client's snapshots are snapshots of that machine like others. */
static void
test_remote_snapshots(void)
{
	struct wire file = { 0 }, snapshot = { 0 }, pair = { 0 }, sync = { 0 }, p = { 0 };

	put_snapshot(&snapshot, suspended[0], 2, BOOT);
	wire_sub(&pair, 2, &snapshot);
	wire_sub(&sync, 1, &pair);
	wire_sub(&p, REMOTE_SYNC, &sync);
	wire_num(&p, MACHINE, 7);
	add(&file, &p);
	add_stamped(&file, (struct stamp){ .ts = 101, .clock = MONO, .machine = 7 });
	begin(&file);
	CHECK_INT(next(), 1);
	NEXT_AT(1001);
}

/* ---- sorting ---- */

/* In order, and rows of one time in the order of the file; each row once. */
static bool
is_sorted(const struct tc_trace_item *items, size_t n, const char *rows)
{
	char *seen = calloc(n + 1, 1);
	bool ok = seen != NULL;
	size_t i;

	for (i = 0; ok && i < n; i++) {
		seen[(char *)items[i].row - rows] = 1;
		ok = i == 0 || items[i - 1].ts < items[i].ts ||
			(items[i - 1].ts == items[i].ts &&
				(char *)items[i - 1].row < (char *)items[i].row);
	}
	ok = ok && memchr(seen, 0, n + 1) == seen + n;
	free(seen);
	return ok;
}

/* Rows are numbered in the order of the file, in the place of a pointer. */
static void
check_sorted(size_t n, uint64_t range, int64_t base)
{
	struct tc_trace_item *items = malloc((n + 1) * sizeof(*items));
	char *rows = malloc(n + 1);
	uint64_t state = n + range;
	size_t i;

	if (!items || !rows)
		abort();
	for (i = 0; i < n; i++) {
		items[i].ts = base + (int64_t)(check_random(&state) % range);
		items[i].row = rows + i;
	}
	tc_trace_sort(items, n);
	if (!CHECK(is_sorted(items, n, rows)))
		fprintf(stderr, "  %zu in a range of %llu\n", n,
			(unsigned long long)range);
	free(items);
	free(rows);
}

static void
test_sort(void)
{
	static const size_t sizes[] = { 0, 1, 2, 3, 63, 64, 65, 100, 1000, 5000, 32767,
		32768, 32769, 65536, 65537, 100000, 200000 };
	size_t i;

	for (i = 0; i < CHECK_ITEMS(sizes); i++) {
		check_sorted(sizes[i], 1, 5);
		check_sorted(sizes[i], 2, 0);
		check_sorted(sizes[i], 10, INT64_MAX - 10);
		check_sorted(sizes[i], 3000, INT64_C(123456789012));
		check_sorted(sizes[i], UINT64_C(60000000000), INT64_C(123456789012345));
		check_sorted(sizes[i], (uint64_t)INT64_MAX + 1, 0);
	}
}

/* A few late ones among many in order, as a trace has them, and backwards. */
static void
test_sort_nearly_sorted(void)
{
	enum { N = 150000 };
	struct tc_trace_item *items = malloc(N * sizeof(*items));
	char *rows = malloc(N);
	int64_t i;

	if (!items || !rows)
		abort();
	for (i = 0; i < N; i++) {
		items[i].ts = i % 1000 == 999 && i > 9000 ? i * 10 - 90000 : i * 10;
		items[i].row = rows + i;
	}
	tc_trace_sort(items, N);
	CHECK(is_sorted(items, N, rows));
	for (i = 0; i < N; i++)
		items[i] = (struct tc_trace_item){ (N - i) / 2, rows + i };
	tc_trace_sort(items, N);
	CHECK(is_sorted(items, N, rows));
	free(items);
	free(rows);
}

/* ---- through a window ---- */

enum { LARGE = 700000 };

/* A packet of LARGE bytes that begin and end with the letter, then an element more. */
static void
write_large(FILE *f, char letter)
{
	struct wire head = { 0 }, inner = { 0 };
	char *bytes = calloc(LARGE, 1);

	if (!bytes)
		abort();
	bytes[0] = bytes[LARGE - 1] = letter;
	wire_varint(&inner, TIMELINE << 3 | 2);
	wire_varint(&inner, LARGE);
	wire_varint(&head, 1 << 3 | 2);
	wire_varint(&head, inner.len + LARGE);
	fwrite(head.bytes, 1, head.len, f);
	fwrite(inner.bytes, 1, inner.len, f);
	fwrite(bytes, 1, LARGE, f);
	fwrite("\x12\x02zz", 1, 4, f);
	free(bytes);
}

/* Packets larger than the buffer, in a file. */
static void
test_large_packets(void)
{
	const char *folder = getenv("TMPDIR");
	char name[4096], letter;
	FILE *f;
	int fd;

	snprintf(name, sizeof(name), "%s/tc-unit-XXXXXX", folder ? folder : "/tmp");
	fd = mkstemp(name);
	f = fd < 0 ? NULL : fdopen(fd, "wb");
	if (!CHECK(f != NULL))
		return;
	for (letter = 'a'; letter < 'd'; letter++)
		write_large(f, letter);
	CHECK_INT(fclose(f), 0);
	tc_trace_release(&t);
	tc_trace_init(&t);
	CHECK_INT(tc_in_open(&in, name, &err), 0);
	for (letter = 'a'; letter < 'd' && CHECK_INT(next(), 1); letter++) {
		CHECK_INT(packet.data.len, LARGE);
		CHECK_INT(packet.data.p[0], letter);
		CHECK_INT(packet.data.p[LARGE - 1], letter);
	}
	CHECK_INT(next(), 0);
	CHECK_INT(t.stats[TC_STAT_UNKNOWN_TOP_LEVEL], 3);
	tc_in_close(&in);
	unlink(name);
}

/* Counters of one CPU or buffer. */
static void
test_counters_at(void)
{
	tc_trace_init(&t);
	CHECK_INT(tc_trace_stat_at(&t, TC_STAT_FTRACE_CPU_LOSS, 3), 0);
	tc_trace_count_at(&t, TC_STAT_FTRACE_CPU_LOSS, 3);
	tc_trace_count_at(&t, TC_STAT_FTRACE_CPU_LOSS, 3);
	tc_trace_count_at(&t, TC_STAT_FTRACE_CPU_LOSS, TC_TRACE_MAX_INDEX - 1);
	tc_trace_set_at(&t, TC_STAT_BUF_BYTES_READ, 0, 77);
	CHECK_INT(tc_trace_stat_at(&t, TC_STAT_FTRACE_CPU_LOSS, 3), 2);
	CHECK_INT(
		tc_trace_stat_at(&t, TC_STAT_FTRACE_CPU_LOSS, TC_TRACE_MAX_INDEX - 1), 1);
	CHECK_INT(tc_trace_stat_at(&t, TC_STAT_BUF_BYTES_READ, 0), 77);
	CHECK_INT(t.stats[TC_STAT_FTRACE_CPU_LOSS], 0);
	/* An index of nobody's is counted without it. */
	tc_trace_count_at(&t, TC_STAT_FTRACE_CPU_LOSS, TC_TRACE_MAX_INDEX);
	tc_trace_count_at(&t, TC_STAT_FTRACE_CPU_LOSS, UINT64_MAX);
	CHECK_INT(t.stats[TC_STAT_FTRACE_CPU_LOSS], 2);
	tc_trace_release(&t);
}

static const int64_t hour = INT64_C(3600000000000), ms = 1000000;

static struct tc_trace_range range;

/* n times, one every step. */
static void
add_times(int64_t ts, int64_t step, int n)
{
	for (; n > 0; n--, ts += step)
		tc_trace_range_add(&range, ts, ts);
}

static void
bulk_is(int64_t first, int64_t last, int64_t count)
{
	struct tc_trace_group bulk = tc_trace_range_bulk(&range);

	CHECK_INT(bulk.first, first);
	CHECK_INT(bulk.last, last);
	CHECK_INT(bulk.count, count);
	tc_trace_range_release(&range);
}

static void
test_range(void)
{
	CHECK_INT(tc_trace_range_bulk(&range).count, 0);
	CHECK(tc_trace_range_bulk(&range).first > tc_trace_range_bulk(&range).last);
	add_times(5 * hour, ms, 1);
	bulk_is(5 * hour, 5 * hour, 1);
	/* Hours away, on both sides, in any order. */
	add_times(12 * hour, 0, 1);
	add_times(5 * hour, ms, 1000);
	add_times(0, 0, 1);
	add_times(9 * hour, 0, 1);
	bulk_is(5 * hour, 5 * hour + 999 * ms, 1000);
	/* An hour is not too long. */
	add_times(5 * hour, ms, 1001);
	add_times(6 * hour + 1000 * ms, 0, 1);
	bulk_is(5 * hour, 6 * hour + 1000 * ms, 1002);
	add_times(5 * hour, ms, 1001);
	add_times(6 * hour + 1000 * ms + 1, 0, 1);
	bulk_is(5 * hour, 5 * hour + 1000 * ms, 1001);
	/* The one that closes the gap joins all three. */
	add_times(0, 0, 1);
	add_times(2 * hour, 0, 1);
	add_times(hour, 0, 1);
	bulk_is(0, 2 * hour, 3);
}

/* A span reaches from group to group, also over some that are shorter. */
static void
test_long_spans(void)
{
	static const int8_t spans[][2] = { { 0, 0 }, { 3, 3 }, { 6, 6 }, { 9, 9 },
		{ 20, 21 }, { 0, 9 }, { 2, 7 }, { 30, 40 }, { 33, 34 } };
	enum { SPANS = sizeof(spans) / sizeof(spans[0]) };
	const int8_t *s;
	int step, start, i;

	/* Steps that have no divisor in common with 9 come by every span. */
	for (step = 1; step < SPANS; step++)
		for (start = 0; step % 3 && start < SPANS; start++) {
			for (i = 0; i < SPANS; i++) {
				s = spans[(start + i * step) % SPANS];
				tc_trace_range_add(&range, s[0] * hour, s[1] * hour);
			}
			CHECK_INT(range.count, 3);
			CHECK_INT(range.groups[0].last, 9 * hour);
			CHECK_INT(range.groups[0].count, 6);
			CHECK_INT(range.groups[1].first, 20 * hour);
			CHECK_INT(range.groups[1].count, 1);
			bulk_is(0, 40 * hour, SPANS);
		}
}

/* Of few times, or of sparse ones, none is more usual than another. */
static void
test_sparse_range(void)
{
	add_times(0, 0, 1);
	add_times(3 * hour, 0, 1);
	bulk_is(0, 3 * hour, 2);
	add_times(0, ms, 18);
	add_times(3 * hour, 0, 1);
	bulk_is(0, 3 * hour, 19);
	add_times(0, ms, 19);
	add_times(3 * hour, 0, 1);
	bulk_is(0, 18 * ms, 19);
	/* A day with a packet every two hours; a device that slept for a night. */
	add_times(0, 2 * hour, 12);
	bulk_is(0, 22 * hour, 12);
	add_times(0, ms, 1000);
	add_times(8 * hour, ms, 100);
	bulk_is(0, 8 * hour + 99 * ms, 1100);
	/* A trace of a week with a packet a minute is one group. */
	add_times(0, hour / 60, 7 * 24 * 60);
	add_times(9 * 24 * hour, 0, 1);
	bulk_is(0, 7 * 24 * hour - hour / 60, 7 * 24 * 60);
}

/* Any number of groups, in bounded memory. */
static void
test_scattered_range(void)
{
	int64_t i;

	for (i = 0; i < 3000; i++)
		tc_trace_range_add(
			&range, i * 7919 % 3000 * 2 * hour, i * 7919 % 3000 * 2 * hour);
	CHECK(range.has_too_many && range.count == 1);
	CHECK(range.cap <= 2 * TC_TRACE_MAX_GROUPS);
	bulk_is(0, 2999 * 2 * hour, 3000);
	tc_trace_range_add(&range, INT64_MAX, INT64_MAX);
	tc_trace_range_add(&range, 0, 0);
	bulk_is(0, INT64_MAX, 2);
}

int
main(void)
{
	alarm(PATIENCE_S);
	test_packets();
	test_empty_packet();
	test_other_elements();
	test_damaged_elements();
	test_damaged_packets();
	test_cut_tail();
	test_packet_fields();
	test_repeated_fields();
	test_wrong_wire_types();
	test_state_validity();
	test_loss();
	test_interned_data();
	test_no_sequence();
	test_bundles();
	test_bundles_in_a_row();
	test_bundle_example();
	test_trailing_bytes();
	test_damaged_insides();
	test_nested_bundle();
	test_damaged_deflate();
	test_growth();
	test_times_as_they_are();
	test_which_clock();
	test_snapshots();
	test_bad_snapshots();
	test_machines();
	test_sequences_of_machines();
	test_too_many_machines();
	test_remote_sync();
	test_remote_sync_extremes();
	test_remote_snapshots();
	test_sort();
	test_sort_nearly_sorted();
	test_large_packets();
	tc_trace_release(&t);
	test_counters_at();
	test_range();
	test_long_spans();
	test_sparse_range();
	test_scattered_range();
	return check_done();
}
