#include "trim/priv.h"

#include "err/err.h"

/* Fields of FtraceEventBundle. */
enum {
	CPU = 1,
	EVENT = 2,
	COMPACT_SCHED = 4,
	FTRACE_CLOCK = 5,
	FTRACE_TIMESTAMP = 6,
	BOOT_TIMESTAMP = 7,
	LAST_KNOWN = 10,
};
enum { EVENT_TIMESTAMP = 1, EVENT_PID = 2 };

struct tc_trim_bundle
tc_trim_bundle_head(struct tc_str bytes)
{
	struct tc_pb r = tc_pb_init(bytes.p, bytes.len);
	struct tc_trim_bundle b = { 0 };
	bool has_ftrace_ts = false, has_boot_ts = false;
	struct tc_err ignored;
	struct tc_pb_field f;

	while (tc_pb_next(&r, &f, &ignored) > 0) {
		b.has_more |= f.id > LAST_KNOWN;
		if (!tc_pb_is(&f, TC_PB_VARINT))
			continue;
		if (f.id == CPU) {
			b.cpu = (uint32_t)f.num;
			b.has_cpu = true;
		} else if (f.id == FTRACE_CLOCK) {
			b.ftrace_clock = (uint32_t)f.num;
		} else if (f.id == FTRACE_TIMESTAMP) {
			b.ftrace_ts = (int64_t)f.num;
			has_ftrace_ts = true;
		} else if (f.id == BOOT_TIMESTAMP) {
			b.boot_ts = (int64_t)f.num;
			has_boot_ts = true;
		}
	}
	b.has_pair = has_ftrace_ts && has_boot_ts;
	return b;
}

static struct tc_trim_event
read_event(const uint8_t *bytes, size_t len)
{
	struct tc_pb r = tc_pb_init(bytes, len);
	struct tc_trim_event e = { 0 };
	struct tc_err ignored;
	struct tc_pb_field f;

	while (tc_pb_next(&r, &f, &ignored) > 0) {
		if (f.id == EVENT_TIMESTAMP && tc_pb_is(&f, TC_PB_VARINT)) {
			e.raw_ts = f.num;
			e.has_ts = true;
		} else if (f.id == EVENT_PID && tc_pb_is(&f, TC_PB_VARINT)) {
			e.tid = (uint32_t)f.num;
		} else if (!e.id && tc_pb_is(&f, TC_PB_LEN)) {
			e.id = f.id;
			e.message = tc_pb_str(&f);
		}
	}
	return e;
}

/* What cannot be taken apart is left as it is, and needed. */
static int64_t
cut_compact(const struct tc_pb_field *f, tc_trim_event_fn *fn, void *arg,
	struct tc_pb_buf *out)
{
	struct tc_pb_buf columns = { 0 };
	int64_t n = tc_trim_compact_cut(tc_pb_str(f), fn, arg, out ? &columns : NULL);

	if (out && n < 0)
		tc_pb_put_bytes(out, COMPACT_SCHED, f->bytes, f->len);
	else if (out && n > 0)
		tc_pb_put_bytes(out, COMPACT_SCHED, columns.bytes, columns.len);
	tc_pb_buf_release(&columns);
	return n < 0 ? 1 : n;
}

int64_t
tc_trim_bundle_cut(
	struct tc_str bytes, tc_trim_event_fn *fn, void *arg, struct tc_pb_buf *out)
{
	struct tc_pb r = tc_pb_init(bytes.p, bytes.len);
	const uint8_t *at = r.pos;
	struct tc_trim_event e;
	struct tc_err ignored;
	struct tc_pb_field f;
	int64_t kept = 0;
	int n;

	for (; (n = tc_pb_next(&r, &f, &ignored)) > 0; at = r.pos) {
		if (f.id == EVENT && tc_pb_is(&f, TC_PB_LEN)) {
			e = read_event(f.bytes, f.len);
			if (!fn(arg, &e))
				continue;
			kept++;
		} else if (f.id == COMPACT_SCHED && tc_pb_is(&f, TC_PB_LEN)) {
			kept += cut_compact(&f, fn, arg, out);
			continue;
		}
		if (out)
			tc_pb_put_raw(out, at, (size_t)(r.pos - at));
	}
	if (n == 0)
		return kept;
	if (out)
		tc_pb_put_raw(out, at, (size_t)(r.end - at));
	return -1;
}
