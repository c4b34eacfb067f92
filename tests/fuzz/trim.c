/*
 * Fuzz target of the trim: any bytes as a trace file, cut in several ways. What comes
 * out has to be a trace that reads without complaint, and no larger than what came in.
 */
#include "fuzz.h"

#include <string.h>

#include "err/err.h"
#include "io/io.h"
#include "trace/trace.h"
#include "trim/trim.h"

enum { ROOM = 16 * 1024 * 1024, MAX_STUB = 64 };

/* A name of up to 64 bytes, and what it takes to tell it. */
enum { MAX_NAMING = 160 };

struct facts {
	int64_t packets;
	uint64_t bytes; /* of packets, opened */
	int64_t min, max;
};

static int
look_at(const uint8_t *bytes, size_t len, struct facts *facts, struct tc_err *err)
{
	struct tc_packet p;
	struct tc_trace t;
	struct tc_in in;
	int r;

	*facts = (struct facts){ .min = INT64_MAX };
	tc_in_bytes(&in, bytes, len);
	tc_trace_init(&t);
	t.with_all = true;
	while ((r = tc_trace_next(&t, &in, &p, err)) > 0) {
		FUZZ_DEMAND(p.compressed.p == NULL);
		facts->packets++;
		facts->bytes += p.bytes.len;
		if (p.time == TC_TIME_OK && p.ts > facts->max)
			facts->max = p.ts;
		if (p.time == TC_TIME_OK && p.ts < facts->min)
			facts->min = p.ts;
	}
	FUZZ_DEMAND(!t.stats[TC_STAT_TRUNCATED_BYTES] || in.pos < in.len);
	tc_trace_release(&t);
	return r;
}

static void
check_trim(const uint8_t *bytes, size_t len, const struct tc_choose *c)
{
	static char *buf;
	struct tc_trim_report report = { 0 };
	struct tc_err err = { 0 }, out_err = { 0 };
	struct facts before, after;
	struct tc_out out;
	struct tc_in in;
	int r;

	if (!buf)
		buf = malloc(ROOM);
	FUZZ_DEMAND(buf);
	out = (struct tc_out){ .fd = -1, .buf = buf, .cap = ROOM };
	tc_in_bytes(&in, bytes, len);
	r = tc_trim_run(c, &in, &out, &report, &err);
	FUZZ_DEMAND(r == 0 || (r == -1 && err.msg[0]));
	if (out.sys) {
		FUZZ_DEMAND(r == -1 && err.code == TC_IO);
		return;
	}
	FUZZ_DEMAND(r == 0 || err.code == TC_DATA);
	look_at(bytes, len, &before, &out_err);
	FUZZ_DEMAND(look_at((const uint8_t *)out.buf, out.len, &after, &out_err) == 0);
	FUZZ_DEMAND(after.packets == report.kept);
	FUZZ_DEMAND(out.len == report.bytes);
	/* A stub less or more, names, and the time that marks the end. */
	FUZZ_DEMAND(after.packets <= before.packets + 1 + report.told);
	FUZZ_DEMAND(after.bytes <= before.bytes +
			MAX_STUB * (uint64_t)(before.packets + 1) +
			MAX_NAMING * (uint64_t)(report.told + report.renamed));
}

static int64_t
between(const struct facts *f, int64_t part)
{
	return f->min + (f->max - f->min) / 4 * part;
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	struct tc_choose c = { 0 };
	struct tc_err err = { 0 };
	struct facts f;

	check_trim(bytes, len, &c);
	look_at(bytes, len, &f, &err);
	if (f.min > f.max)
		return 0;
	c.from = (struct tc_choose_time){ TC_CHOOSE_AT, between(&f, 1), NULL };
	check_trim(bytes, len, &c);
	/* With the time itself, where all is at one; but behind the last one is none. */
	c.to = (struct tc_choose_time){ TC_CHOOSE_AT, between(&f, 2), NULL };
	c.to.ns += c.to.ns < INT64_MAX;
	check_trim(bytes, len, &c);
	c.from = (struct tc_choose_time){ TC_CHOOSE_AFTER, 1, NULL };
	FUZZ_DEMAND(tc_choose_add_process(&c, "a*", &err) == 0);
	FUZZ_DEMAND(tc_choose_add_process(&c, "pid=7", &err) == 0);
	FUZZ_DEMAND(tc_choose_add_layer(&c, "*1", &err) == 0);
	check_trim(bytes, len, &c);
	c.from = (struct tc_choose_time){ TC_CHOOSE_MARKER, 0, "a" };
	c.to = (struct tc_choose_time){ TC_CHOOSE_MARKER, 0, "a" };
	check_trim(bytes, len, &c);
	return 0;
}
