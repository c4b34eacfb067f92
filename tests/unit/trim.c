/* trim: what is left of an ftrace bundle, byte for byte. */
#include "trim/priv.h"

#include "check.h"
#include "err/err.h"
#include "twice.h"
#include "wire.h"

enum { CPU = 1, EVENT = 2, COMPACT = 4, LOST = 3, MORE = 11 };

/* Keeps what lies in a range of times, and writes down what it was shown. */
struct wants {
	uint64_t from, to;
	size_t seen;
	struct tc_trim_event events[16];
	bool renames; /* whoever is in what goes */
	struct tc_pb_buf instead;
};

static bool
keep(void *arg, const struct tc_trim_event *e)
{
	struct wants *w = arg;
	bool stays = e->raw_ts >= w->from && e->raw_ts < w->to;

	if (w->seen < sizeof(w->events) / sizeof(w->events[0]))
		w->events[w->seen] = *e;
	w->seen++;
	if (!stays && w->renames)
		tc_trim_bundle_rename(&w->instead, e, 9, TC_STR("nine"));
	return stays;
}

static int64_t
cut(const struct wire *in, struct wants *w, struct tc_pb_buf *out)
{
	tc_pb_buf_reset(out);
	w->seen = 0;
	return tc_trim_bundle_cut(
		check_text((const char *)in->bytes, in->len), keep, w, &w->instead, out);
}

static void
check_bytes(const struct tc_pb_buf *got, const struct wire *want)
{
	CHECK_INT(got->len, want->len);
	CHECK(got->len == want->len && memcmp(got->bytes, want->bytes, got->len) == 0);
}

static void
put_event(struct wire *bundle, uint64_t ts, uint32_t tid, uint32_t id)
{
	struct wire event = { 0 }, message = { 0 };

	wire_num(&message, 1, 7);
	wire_num(&event, 1, ts);
	wire_num(&event, 2, tid);
	wire_sub(&event, id, &message);
	wire_sub(bundle, EVENT, &event);
}

static void
test_events(void)
{
	struct wire in = { 0 }, want = { 0 }, none = { 0 };
	struct wants w = { .from = 20, .to = 30 };
	struct tc_pb_buf out = { 0 };

	wire_num(&in, CPU, 3);
	put_event(&in, 10, 1, TC_TRIM_PRINT);
	put_event(&in, 20, 2, TC_TRIM_SWITCH);
	wire_num(&in, LOST, 1);
	put_event(&in, 30, 3, 777);
	wire_text(&in, MORE, "unknown");
	wire_num(&want, CPU, 3);
	put_event(&want, 20, 2, TC_TRIM_SWITCH);
	wire_num(&want, LOST, 1);
	wire_text(&want, MORE, "unknown");
	CHECK_INT(cut(&in, &w, &out), 1);
	check_bytes(&out, &want);
	CHECK_INT(w.seen, 3);
	CHECK_INT(w.events[1].raw_ts, 20);
	CHECK_INT(w.events[1].tid, 2);
	CHECK_INT(w.events[1].id, TC_TRIM_SWITCH);
	CHECK_INT(w.events[2].id, 777);
	CHECK(tc_trim_bundle_head(check_text((const char *)in.bytes, in.len)).has_more);

	w = (struct wants){ .to = 100 };
	CHECK_INT(cut(&in, &w, &out), 3);
	check_bytes(&out, &in);
	CHECK_INT(cut(&none, &w, &out), 0);
	CHECK_INT(out.len, 0);
	CHECK_INT(
		tc_trim_bundle_cut((struct tc_str){ 0 }, keep, &w, &w.instead, NULL), 0);
	tc_pb_buf_release(&out);
}

static void
put_rename(struct wire *bundle, uint64_t ts)
{
	struct wire event = { 0 }, message = { 0 };

	wire_num(&message, 1, 9);
	wire_text(&message, 3, "nine");
	wire_num(&event, 1, ts);
	wire_num(&event, 2, 9);
	wire_sub(&event, TC_TRIM_RENAME, &message);
	wire_sub(bundle, EVENT, &event);
}

/* What goes leaves behind what it is told to, in its place. */
static void
test_instead(void)
{
	struct wire in = { 0 }, want = { 0 };
	struct wants w = { .from = 20, .to = 30, .renames = true };
	struct tc_pb_buf out = { 0 };

	put_event(&in, 10, 1, TC_TRIM_SWITCH);
	put_event(&in, 20, 2, TC_TRIM_SWITCH);
	put_event(&in, 30, 3, TC_TRIM_SWITCH);
	put_rename(&want, 10);
	put_event(&want, 20, 2, TC_TRIM_SWITCH);
	put_rename(&want, 30);
	CHECK_INT(cut(&in, &w, &out), 3);
	check_bytes(&out, &want);
	CHECK_INT(w.instead.len, 0);
	tc_pb_buf_release(&out);
	tc_pb_buf_release(&w.instead);
}

/* What is left of it when it breaks off is there as it was. */
static void
test_damage(void)
{
	struct wire in = { 0 }, want = { 0 };
	struct wants w = { .from = 20, .to = 30 };
	struct tc_pb_buf out = { 0 };

	put_event(&in, 10, 1, TC_TRIM_PRINT);
	put_event(&in, 20, 1, TC_TRIM_PRINT);
	wire_hex(&in, "12 7f 01");
	put_event(&want, 20, 1, TC_TRIM_PRINT);
	wire_hex(&want, "12 7f 01");
	CHECK_INT(cut(&in, &w, &out), -1);
	check_bytes(&out, &want);
	tc_pb_buf_release(&out);
}

static void
test_head(void)
{
	struct wire in = { 0 };
	struct tc_trim_bundle b;

	b = tc_trim_bundle_head((struct tc_str){ 0 });
	CHECK(!b.has_cpu && !b.has_pair && !b.has_more);
	wire_num(&in, CPU, 3);
	wire_num(&in, 5, 2);
	wire_num(&in, 6, 100);
	b = tc_trim_bundle_head(check_text((const char *)in.bytes, in.len));
	CHECK(b.has_cpu && !b.has_pair && !b.has_more);
	wire_num(&in, 7, 200);
	b = tc_trim_bundle_head(check_text((const char *)in.bytes, in.len));
	CHECK(b.has_pair);
	CHECK_INT(b.cpu, 3);
	CHECK_INT(b.ftrace_clock, 2);
	CHECK_INT(b.ftrace_ts, 100);
	CHECK_INT(b.boot_ts, 200);
}

static void
put_column(struct wire *w, uint32_t field, const uint64_t *values, size_t n)
{
	struct wire column = { 0 };
	size_t i;

	for (i = 0; i < n; i++)
		wire_varint(&column, values[i]);
	wire_sub(w, field, &column);
}

#define COLUMN(w, field, ...) \
	put_column(w, field, (const uint64_t[]){ __VA_ARGS__ }, \
		sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t))

static void
put_compact(struct wire *bundle)
{
	struct wire k = { 0 };

	/* Switches at 1000, 1010, 1030, 1060; wakings at 1005, 1035. */
	wire_text(&k, 5, "a");
	wire_text(&k, 5, "b");
	COLUMN(&k, 1, 1000, 10, 20, 30);
	COLUMN(&k, 2, 1, UINT64_MAX, 3, 4);
	COLUMN(&k, 3, 11, 12, 13, 14);
	COLUMN(&k, 4, 120, 121, 122, 123);
	COLUMN(&k, 6, 0, 1, 0, 1);
	COLUMN(&k, 7, 1005, 30);
	COLUMN(&k, 8, 12, 14);
	COLUMN(&k, 9, 0, 1);
	COLUMN(&k, 10, 120, 120);
	COLUMN(&k, 11, 1, 1);
	wire_sub(bundle, COMPACT, &k);
}

static void
test_compact(void)
{
	struct wire in = { 0 }, want = { 0 }, k = { 0 };
	struct wants w = { .from = 1010, .to = 1036 };
	struct tc_pb_buf out = { 0 };

	wire_num(&in, CPU, 1);
	put_compact(&in);
	COLUMN(&k, 1, 1010, 20);
	COLUMN(&k, 2, UINT64_MAX, 3);
	COLUMN(&k, 3, 12, 13);
	COLUMN(&k, 4, 121, 122);
	wire_text(&k, 5, "a");
	wire_text(&k, 5, "b");
	COLUMN(&k, 6, 1, 0);
	COLUMN(&k, 7, 1035);
	COLUMN(&k, 8, 14);
	COLUMN(&k, 9, 1);
	COLUMN(&k, 10, 120);
	COLUMN(&k, 11, 1);
	wire_num(&want, CPU, 1);
	wire_sub(&want, COMPACT, &k);
	CHECK_INT(cut(&in, &w, &out), 3);
	check_bytes(&out, &want);
	CHECK_INT(w.seen, 6);
	CHECK_INT(w.events[3].raw_ts, 1060);
	CHECK_INT(w.events[3].pid, 14);
	CHECK_INT(w.events[3].id, TC_TRIM_COMPACT_SWITCH);
	CHECK_INT(w.events[5].raw_ts, 1035);
	CHECK_INT(w.events[5].id, TC_TRIM_COMPACT_WAKING);

	/* Without a row there is no need for the names either. */
	w = (struct wants){ .from = 5000, .to = 6000 };
	want = (struct wire){ 0 };
	wire_num(&want, CPU, 1);
	CHECK_INT(cut(&in, &w, &out), 0);
	check_bytes(&out, &want);

	w = (struct wants){ .to = 6000 };
	CHECK_INT(cut(&in, &w, &out), 6);
	check_bytes(&out, &in);
	tc_pb_buf_release(&out);
}

/* Columns that do not go together stay as they are, and nothing is shown of them. */
static void
check_left_alone(const struct wire *compact)
{
	struct wants w = { .from = 5000, .to = 6000 };
	struct tc_pb_buf out = { 0 };
	struct wire in = { 0 };

	wire_sub(&in, COMPACT, compact);
	CHECK_INT(cut(&in, &w, &out), 1);
	check_bytes(&out, &in);
	CHECK_INT(w.seen, 0);
	tc_pb_buf_release(&out);
}

static void
test_odd_columns(void)
{
	struct wire k = { 0 };

	COLUMN(&k, 1, 1000, 10);
	COLUMN(&k, 2, 1);
	check_left_alone(&k);
	k = (struct wire){ 0 };
	COLUMN(&k, 1, 1000);
	COLUMN(&k, 1, 1000);
	check_left_alone(&k);
	k = (struct wire){ 0 };
	COLUMN(&k, 3, 1000);
	check_left_alone(&k);
	k = (struct wire){ 0 };
	COLUMN(&k, 1, 1000);
	COLUMN(&k, 13, 1);
	check_left_alone(&k);
	k = (struct wire){ 0 };
	wire_num(&k, 1, 1000);
	check_left_alone(&k);
	k = (struct wire){ 0 };
	wire_hex(&k, "0a 01 80");
	check_left_alone(&k);
	k = (struct wire){ 0 };
	wire_hex(&k, "0a 05 80");
	check_left_alone(&k);
}

/* ---- whole traces ---- */

/* Packets of each kind that is decided in the first reading, `count` times. */
static void
put_packets(struct wire *file, int count)
{
	struct wire packet, event, frame;
	int i;

	for (i = 0; i < count; i++) {
		packet = event = frame = (struct wire){ 0 };
		wire_num(&frame, 1, (uint64_t)i);
		wire_num(&frame, 2, 7);
		wire_num(&frame, 3, 9);
		wire_sub(&event, 2, &frame);
		wire_num(&packet, 8, 10);
		wire_num(&packet, 10, (uint64_t)i + 1);
		wire_sub(&packet, TC_PACKET_FRAME_TIMELINE_EVENT, &event);
		wire_sub(file, 1, &packet);
		packet = event = (struct wire){ 0 };
		wire_num(&packet, 8, 10);
		wire_num(&packet, 58, 3);
		wire_sub(&packet, TC_PACKET_GRAPHICS_FRAME_EVENT, &event);
		wire_sub(file, 1, &packet);
	}
}

static int
trim_twice(const struct wire *first, const struct wire *second, struct tc_err *err)
{
	struct twice t = { .bytes = { first->bytes, second->bytes },
		.len = { first->len, second->len } };
	struct tc_trim_report report;
	static char room[65536];
	struct tc_out out = check_out(room, sizeof(room));
	struct tc_choose all = { 0 };
	struct tc_in in;
	int r;

	*err = (struct tc_err){ 0 };
	tc_in_open_source(&in, "a trace", &twice, &t);
	r = tc_trim_run(&all, &in, &out, &report, err);
	tc_in_close(&in);
	return r;
}

/* What was decided is found by counting, so the trace has to be the same again. */
static void
test_changed(void)
{
	struct wire none = { 0 }, one = { 0 }, many = { 0 }, tree = { 0 };
	struct tc_err err;

	put_packets(&one, 1);
	put_packets(&many, 20);
	wire_hex(&tree, "0a 04 12 00 40 0a 0a 04 12 00 40 0a");
	CHECK_INT(trim_twice(&many, &many, &err), 0);
	CHECK_INT(trim_twice(&one, &many, &err), -1);
	CHECK_INT(err.code, TC_IO);
	CHECK(strstr(err.msg, "a trace: has changed while it was read"));
	CHECK_INT(trim_twice(&many, &one, &err), -1);
	CHECK_INT(err.code, TC_IO);
	/* As many packets, of another kind. */
	CHECK_INT(trim_twice(&tree, &one, &err), -1);
	CHECK_INT(err.code, TC_IO);
	CHECK_INT(trim_twice(&one, &none, &err), -1);
	CHECK_INT(err.code, TC_IO);
}

int
main(void)
{
	test_events();
	test_instead();
	test_damage();
	test_head();
	test_compact();
	test_odd_columns();
	test_changed();
	return check_done();
}
