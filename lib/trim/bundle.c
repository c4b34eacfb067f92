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
enum { RENAME_PID = 1, RENAME_NEW = 3 };

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

void
tc_trim_bundle_rename(struct tc_pb_buf *out, const struct tc_trim_event *e, uint32_t tid,
	struct tc_str name)
{
	struct tc_pb_buf message = { 0 }, event = { 0 };

	tc_pb_put_number(&message, RENAME_PID, tid);
	tc_pb_put_bytes(&message, RENAME_NEW, name.p, name.len);
	tc_pb_put_number(&event, EVENT_TIMESTAMP, e->raw_ts);
	tc_pb_put_number(&event, EVENT_PID, tid);
	tc_pb_put_bytes(&event, TC_TRIM_RENAME, message.bytes, message.len);
	tc_pb_put_bytes(out, EVENT, event.bytes, event.len);
	tc_pb_buf_release(&message);
	tc_pb_buf_release(&event);
}

/* What stands for events that went; how many fields of the bundle that makes. */
static int64_t
put_instead(struct tc_pb_buf *instead, struct tc_pb_buf *out)
{
	int64_t some = instead->len > 0;

	if (out)
		tc_pb_put_raw(out, instead->bytes, instead->len);
	tc_pb_buf_reset(instead);
	return some;
}

int64_t
tc_trim_bundle_cut(struct tc_str bytes, tc_trim_event_fn *fn, void *arg,
	struct tc_pb_buf *instead, struct tc_pb_buf *out)
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
			if (!fn(arg, &e)) {
				kept += put_instead(instead, out);
				continue;
			}
			kept++;
		} else if (f.id == COMPACT_SCHED && tc_pb_is(&f, TC_PB_LEN)) {
			kept += cut_compact(&f, fn, arg, out);
			kept += put_instead(instead, out);
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
