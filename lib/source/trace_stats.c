/* What the tracing service says of a trace: what it lost, and when it began. */
#include "source/priv.h"

#include "err/err.h"
#include "pb/pb.h"

enum { STATS_BUFFER = 1, STATS_FLUSHES_FAILED = 14, STATS_FINAL_FLUSH = 15 };
enum { FLUSH_SUCCEEDED = 1, FLUSH_FAILED = 2 };
enum { TRACING_STARTED = 2, DATA_SOURCES_STARTED = 1, TRACING_DISABLED = 5 };

/* Counters by field number; 0 stands for a field that is none. */
static const enum tc_trace_stat service_counters[] = {
	[2] = TC_STAT_TRACED_PRODUCERS_CONNECTED,
	[3] = TC_STAT_TRACED_PRODUCERS_SEEN,
	[4] = TC_STAT_TRACED_DATA_SOURCES_REGISTERED,
	[5] = TC_STAT_TRACED_DATA_SOURCES_SEEN,
	[6] = TC_STAT_TRACED_TRACING_SESSIONS,
	[7] = TC_STAT_TRACED_TOTAL_BUFFERS,
	[8] = TC_STAT_TRACED_CHUNKS_DISCARDED,
	[9] = TC_STAT_TRACED_PATCHES_DISCARDED,
	[10] = TC_STAT_TRACED_INVALID_PACKETS,
	[12] = TC_STAT_TRACED_FLUSHES_REQUESTED,
	[13] = TC_STAT_TRACED_FLUSHES_SUCCEEDED,
	[14] = TC_STAT_TRACED_FLUSHES_FAILED,
};

/* Those of a buffer are numbered as in the table of counters. */
enum { BUFFER_FIRST = 1, BUFFER_LAST = 19 };
_Static_assert(TC_STAT_BUF_TRACE_WRITER_PACKET_LOSS - TC_STAT_BUF_BYTES_WRITTEN ==
		BUFFER_LAST - 1,
	"one counter for each field of BufferStats");

/* The last message is right, whatever earlier ones said. */
static void
forget(struct tc_decode *d)
{
	struct tc_trace *t = &d->trace;
	int stat;
	size_t i;

	for (i = 0; i < TC_TRACE_MAX_INDEX && i < d->facts.buffer_count; i++)
		for (stat = 0; stat < BUFFER_LAST; stat++)
			tc_trace_set_at(t, TC_STAT_BUF_BYTES_WRITTEN + stat, i, 0);
	for (stat = TC_STAT_TRACED_PRODUCERS_CONNECTED;
		stat <= TC_STAT_TRACED_FINAL_FLUSH_FAILED; stat++)
		t->stats[stat] = 0;
	d->facts.has_stats = true;
	d->facts.buffer_count = 0;
	d->facts.final_flush = 0;
}

static void
read_buffer(struct tc_decode *d, struct tc_str bytes)
{
	struct tc_pb r = tc_pb_init(bytes.p, bytes.len);
	size_t index = d->facts.buffer_count;
	struct tc_err ignored;
	struct tc_pb_field f;
	int n;

	/* Nobody has so many. */
	if (index == TC_TRACE_MAX_INDEX)
		return;
	d->facts.buffer_count++;
	while ((n = tc_pb_next(&r, &f, &ignored)) > 0)
		if (f.id >= BUFFER_FIRST && f.id <= BUFFER_LAST &&
			tc_pb_is(&f, TC_PB_VARINT))
			tc_trace_set_at(&d->trace,
				TC_STAT_BUF_BYTES_WRITTEN + f.id - BUFFER_FIRST, index,
				(int64_t)f.num);
	tc_source_nested(d, n);
}

static void
read_number(struct tc_decode *d, const struct tc_pb_field *f)
{
	int64_t *stats = d->trace.stats;

	if (f->id == STATS_FINAL_FLUSH) {
		d->facts.final_flush = (int64_t)f->num;
		stats[TC_STAT_TRACED_FINAL_FLUSH_SUCCEEDED] = f->num == FLUSH_SUCCEEDED;
		stats[TC_STAT_TRACED_FINAL_FLUSH_FAILED] = f->num == FLUSH_FAILED;
	} else if (f->id < sizeof(service_counters) / sizeof(service_counters[0]) &&
		service_counters[f->id]) {
		stats[service_counters[f->id]] = (int64_t)f->num;
	}
}

static void
keep_stats(struct tc_decode *d, void *state, const struct tc_packet *p)
{
	struct tc_pb r = tc_pb_init(p->data.p, p->data.len);
	struct tc_err ignored;
	struct tc_pb_field f;
	int n;

	(void)state;
	forget(d);
	while ((n = tc_pb_next(&r, &f, &ignored)) > 0) {
		if (f.id == STATS_BUFFER && tc_pb_is(&f, TC_PB_LEN))
			read_buffer(d, tc_pb_str(&f));
		else if (tc_pb_is(&f, TC_PB_VARINT))
			read_number(d, &f);
	}
	tc_source_nested(d, n);
}

/* The times of these packets are taken as they are, so the packet's is no use. */
static void
keep_event(struct tc_decode *d, void *state, const struct tc_packet *p)
{
	struct tc_pb r = tc_pb_init(p->data.p, p->data.len);
	int64_t ts = p->has_timestamp ? (int64_t)p->timestamp : -1;
	struct tc_source_facts *facts = &d->facts;
	struct tc_err ignored;
	struct tc_pb_field f;
	int n;

	(void)state;
	while ((n = tc_pb_next(&r, &f, &ignored)) > 0) {
		if (!tc_pb_is(&f, TC_PB_VARINT) || !f.num || ts < 0)
			continue;
		if (f.id == TRACING_STARTED) {
			facts->tracing_started_ts = ts;
			tc_source_ftrace_start(d, p->machine, ts);
		} else if (f.id == DATA_SOURCES_STARTED) {
			facts->all_data_sources_started_ts = ts;
		} else if (f.id == TRACING_DISABLED) {
			facts->tracing_disabled_ts = ts;
		}
	}
	tc_source_nested(d, n);
}

const struct tc_source tc_source_trace_stats = {
	.help = "what the tracing service lost",
	.field = TC_PACKET_TRACE_STATS,
	.keep = keep_stats,
};

const struct tc_source tc_source_service_event = {
	.help = "when tracing began and ended",
	.field = TC_PACKET_SERVICE_EVENT,
	.has_markers = true,
	.keep = keep_event,
};
