/* FtraceEventBundle: what one CPU saw (spec 6.1). */
#include "ftrace/ftrace.h"

#include <assert.h>
#include <stdlib.h>

#include "err/err.h"
#include "ftrace/priv.h"
#include "pb/pb.h"

enum {
	CPU = 1,
	EVENT = 2,
	LOST_EVENTS = 3,
	COMPACT_SCHED = 4,
	CLOCK = 5,
	FTRACE_TIMESTAMP = 6,
	BOOT_TIMESTAMP = 7,
	LAST_READ_TIMESTAMP = 9,
	PREVIOUS_END = 10,
};

enum { CLOCK_BOOT, CLOCK_UNKNOWN, CLOCK_GLOBAL, CLOCK_LOCAL, CLOCK_MONO_RAW };

/* The clock of one sequence that stands for the kernel's own in its bundles. */
enum { SEQUENCE_CLOCK = 64 };

struct head {
	bool has_cpu, has_pair;
	uint64_t cpu, clock;
	bool has_lost;
	struct tc_str compact; /* the first one, and how many there are */
	size_t compact_count;
	int64_t damaged; /* how much was, before the bundle was read */
	int64_t ftrace_timestamp, boot_timestamp;
	uint64_t complete_from; /* of this CPU, 0: not said */
	bool has_previous_end;
};

void
tc_ftrace_init(struct tc_ftrace *f, const struct tc_ftrace_wants *wants)
{
	*f = (struct tc_ftrace){
		.wants = wants, .taken_from = INT64_MAX, .taken_until = -1
	};
	f->run = tc_mem_alloc(sizeof(*f->run));
	tc_mem_grow(&f->switches, &f->switch_cap, 1, sizeof(*f->switches));
	tc_ftrace_init_readers(f);
}

void
tc_ftrace_release(struct tc_ftrace *f)
{
	size_t i;

	for (i = 0; i < f->cpu_count; i++) {
		free(f->cpus[i].events);
		free(f->cpus[i].begun);
	}
	free(f->cpus);
	free(f->order);
	free(f->run);
	free(f->switches);
	tc_ftrace_batch_free(f->batch);
	free(f->tracks);
	tc_map_release(&f->track_index);
	free(f->comms);
	free(f->owners);
	free(f->tasks);
	tc_map_release(&f->task_index);
	*f = (struct tc_ftrace){ 0 };
}

static void
read_number(struct head *h, const struct tc_pb_field *f)
{
	switch (f->id) {
	case CPU:
		h->cpu = f->num;
		h->has_cpu = true;
		break;
	case LOST_EVENTS: h->has_lost = f->num != 0; break;
	case CLOCK: h->clock = f->num; break;
	case FTRACE_TIMESTAMP:
		h->ftrace_timestamp = (int64_t)f->num;
		h->has_pair = true;
		break;
	case BOOT_TIMESTAMP: h->boot_timestamp = (int64_t)f->num; break;
	case LAST_READ_TIMESTAMP:
		if (!h->has_previous_end)
			h->complete_from = f->num;
		break;
	case PREVIOUS_END:
		h->complete_from = f->num;
		h->has_previous_end = true;
		break;
	default: break;
	}
}

/* The event whose field is at p, and *next behind it; NULL: none, or written oddly. */
static inline const uint8_t *
event_at(const uint8_t *p, const uint8_t *end, const uint8_t **next)
{
	uint32_t len;
	int n;

	if (end - p < 5 || *p != (EVENT << 3 | TC_PB_LEN))
		return NULL;
	n = tc_pb_length(p + 1, &len);
	p += 1 + n;
	if (!n || (ptrdiff_t)len > end - p)
		return NULL;
	*next = p + len;
	return p;
}

/* Finds the events that follow each other from p on, as nearly all of a bundle do. */
static void
find_run(struct tc_ftrace_run *run, const uint8_t *p, const uint8_t *end)
{
	struct tc_ftrace_place *place = run->events;
	const uint8_t *event, *next;

	run->begin = p;
	while (place < run->events + TC_FTRACE_RUN && (event = event_at(p, end, &next))) {
		*place++ = (struct tc_ftrace_place){ (uint32_t)(event - run->begin),
			(uint32_t)(next - event) };
		p = next;
	}
	run->end = p;
	run->count = (size_t)(place - run->events);
}

/*
 * What the events depend on may stand behind them, so they are passed over, but where the
 * first ones are is remembered.
 */
static void
read_head(struct tc_ftrace_bundle *b, struct tc_str bytes, struct head *h)
{
	struct tc_pb r = tc_pb_init_ahead(bytes.p, bytes.len, b->ahead);
	struct tc_ftrace_run *run = b->f->run;
	const uint8_t *next;
	struct tc_err ignored;
	struct tc_pb_field f;
	int n;

	*h = (struct head){ .damaged = b->t->stats[TC_STAT_DAMAGED_NESTED] };
	run->count = 0;
	do {
		if (!run->count) {
			find_run(run, r.pos, r.end);
			r.pos = run->end;
		}
		while (event_at(r.pos, r.end, &next))
			r.pos = next;
		n = tc_pb_next(&r, &f, &ignored);
		if (n > 0 && f.wire == TC_PB_VARINT)
			read_number(h, &f);
		if (n > 0 && f.id == COMPACT_SCHED && f.wire == TC_PB_LEN &&
			!h->compact_count++)
			h->compact = tc_pb_str(&f);
	} while (n > 0);
	if (n < 0)
		tc_trace_count(b->t, TC_STAT_DAMAGED_NESTED);
}

uint64_t
tc_ftrace_clock(uint64_t ftrace_clock, uint32_t seq)
{
	switch (ftrace_clock) {
	case CLOCK_UNKNOWN: return 0;
	case CLOCK_MONO_RAW: return TC_CLOCK_MONOTONIC_RAW;
	case CLOCK_GLOBAL:
	case CLOCK_LOCAL: return tc_clock_key(SEQUENCE_CLOCK, seq);
	default: return TC_CLOCK_BOOTTIME;
	}
}

/* The kernel reads its clock and BOOTTIME at once, now and then. */
static void
add_clock_pair(struct tc_ftrace_bundle *b, const struct head *h)
{
	struct tc_clock_value pair[2] = {
		{ .key = b->clock, .value = h->ftrace_timestamp, .unit = 1 },
		{ .key = TC_CLOCK_BOOTTIME, .value = h->boot_timestamp, .unit = 1 },
	};

	if (!h->has_pair || b->clock == TC_CLOCK_BOOTTIME ||
		b->f->last_clock_pair == h->ftrace_timestamp)
		return;
	b->f->last_clock_pair = h->ftrace_timestamp;
	if (tc_clocks_add(&b->t->machines[b->machine].clocks, pair, 2, 0))
		tc_trace_count(b->t, TC_STAT_CLOCK_BAD_SNAPSHOT);
}

/* Events before ts do not count, and some may have been taken already. */
static void
be_valid_from(struct tc_ftrace *f, int64_t ts)
{
	if (f->taken_from >= ts)
		return;
	tc_ftrace_be_late(f);
}

/* The first bundle of a CPU says since when nothing of it was overwritten. */
static void
see_cpu(struct tc_ftrace_bundle *b, const struct head *h)
{
	struct tc_ftrace *f = b->f;
	int64_t ts;
	size_t n;

	if (b->cpu >= f->cpu_count) {
		n = f->cpu_count;
		tc_mem_grow(&f->cpus, &f->cpu_cap, (size_t)b->cpu + 1, sizeof(*f->cpus));
		for (f->cpu_count = (size_t)b->cpu + 1; n < f->cpu_count; n++)
			f->cpus[n] = (struct tc_ftrace_cpu){ 0 };
	}
	if (f->cpus[b->cpu].is_known)
		return;
	f->cpus[b->cpu].is_known = true;
	f->cpus[b->cpu].place = (uint32_t)f->order_count;
	tc_mem_grow(&f->order, &f->order_cap, f->order_count + 1, sizeof(*f->order));
	f->order[f->order_count++] = b->cpu;
	if (!h->complete_from || !tc_ftrace_time(b, h->complete_from, &ts) ||
		ts <= f->valid_from)
		return;
	f->valid_from = ts;
	be_valid_from(f, ts);
}

void
tc_ftrace_start(struct tc_ftrace *f, int64_t ts)
{
	if (ts <= f->started)
		return;
	f->started = ts;
	be_valid_from(f, ts);
}

/* The first switch that is left. */
static void
find_switch(struct tc_ftrace_bundle *b)
{
	bool is_told =
		b->queue->has_compact || b->queue->has_running || b->f->switch_count > 0;

	if (b->may_lack_switches || !is_told)
		b->next_switch = INT64_MIN;
	else if (b->switches < b->switches_end)
		b->next_switch = *b->switches;
	else
		b->next_switch = INT64_MAX;
}

void
tc_ftrace_pass_switches(struct tc_ftrace_bundle *b, int64_t ts)
{
	while (b->switches < b->switches_end && *b->switches <= ts)
		b->switches++;
	find_switch(b);
	tc_ftrace_leave(b);
}

/* Something is lost: any thread may have left its CPU since the last mark. */
static void
leave_all(struct tc_ftrace *f)
{
	size_t i;

	for (i = 0; i < f->order_count; i++)
		if (f->cpus[f->order[i]].open.entered)
			tc_ftrace_put_entered(f, f->order[i]);
}

bool
tc_ftrace_convert(struct tc_ftrace_bundle *b, uint64_t raw, int64_t *ts)
{
	return tc_trace_convert(b->t, b->machine, b->clock, (int64_t)raw, ts);
}

/*
 * The scheduler's columns stand behind the events, but say when the threads that wrote
 * these left the CPU. What becomes events of them has to wait for its place.
 */
static void
learn_switches(struct tc_ftrace_bundle *b, const struct head *h)
{
	struct tc_ftrace *f = b->f;

	f->switch_count = 0;
	if (h->compact_count && f->wants->sched)
		tc_ftrace_read_switch_times(b, h->compact);
	else if (h->compact_count)
		tc_ftrace_read_compact(b, h->compact);
	if (h->has_lost)
		tc_ftrace_leave(b);
	if (h->compact_count > 1 || b->t->stats[TC_STAT_DAMAGED_NESTED] != h->damaged)
		b->may_lack_switches = true;
	b->switches_end = f->switches + f->switch_count;
	/* Where more of them may come, these do not stay where they are. */
	b->switches = b->may_lack_switches ? b->switches_end : f->switches;
	find_switch(b);
}

static void
read_events(struct tc_ftrace_bundle *b, struct tc_str bytes, const struct head *h)
{
	struct tc_pb r = tc_pb_init_ahead(bytes.p, bytes.len, b->ahead);
	struct tc_ftrace_run *run = b->f->run;
	struct tc_err ignored;
	struct tc_pb_field f;

	for (;;) {
		if (r.pos > run->begin)
			find_run(run, r.pos, r.end);
		if (r.pos == run->begin) {
			tc_ftrace_read_run(b, run);
			r.pos = run->end;
			if (run->count == TC_FTRACE_RUN)
				continue;
		}
		if (tc_pb_next(&r, &f, &ignored) <= 0)
			break;
		if (f.wire != TC_PB_LEN)
			continue;
		if (f.id == EVENT)
			tc_ftrace_read_event(b, tc_pb_str(&f));
		else if (f.id == COMPACT_SCHED &&
			(b->f->wants->sched || (const char *)f.bytes != h->compact.p))
			tc_ftrace_read_compact(b, tc_pb_str(&f));
	}
}

void
tc_ftrace_add(struct tc_ftrace *f, struct tc_trace *t, const struct tc_packet *p)
{
	struct tc_ftrace_bundle b = {
		.f = f,
		.t = t,
		.machine = p->machine,
		.min_ts = INT64_MAX,
		.max_ts = -1,
		.ahead = (const uint8_t *)p->ahead,
	};
	struct head h;

	if (p->dropped)
		leave_all(f);
	read_head(&b, p->data, &h);
	b.clock = tc_ftrace_clock(h.clock, p->seq);
	if (!h.has_cpu || h.cpu >= TC_FTRACE_MAX_CPUS || !b.clock) {
		tc_trace_count(t, TC_STAT_FTRACE_BAD_BUNDLE);
		leave_all(f);
		return;
	}
	b.cpu = (uint32_t)h.cpu;
	add_clock_pair(&b, &h);
	b.is_trace_time =
		tc_clocks_is_trace_time(&t->machines[p->machine].clocks, b.clock);
	if (h.has_lost)
		tc_trace_count_at(t, TC_STAT_FTRACE_CPU_LOSS, b.cpu);
	see_cpu(&b, &h);
	b.queue = &f->cpus[b.cpu];
	assert(!f->is_draining);
	learn_switches(&b, &h);
	read_events(&b, p->data, &h);
	if (b.next_switch != INT64_MAX)
		tc_ftrace_leave(&b);
	if (b.max_ts >= 0)
		tc_trace_span(t, b.min_ts, b.max_ts);
}
