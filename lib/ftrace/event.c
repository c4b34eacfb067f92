/* FtraceEvent: one event of the kernel, or of userspace through its marker file. */
#include <string.h>

#include "atrace/atrace.h"
#include "err/err.h"
#include "ftrace/priv.h"
#include "pb/pb.h"

enum { TIMESTAMP = 1, PID = 2 };

/* Events by their field number. */
enum {
	PRINT = 3,
	SCHED_SWITCH = 4,
	CPU_FREQUENCY = 11,
	SCHED_WAKEUP = 17,
	SCHED_WAKING = 20,
	TRACING_MARK_WRITE = 80,
	SCHED_WAKEUP_NEW = 114,
	TASK_NEWTASK = 235,
	TASK_RENAME = 236,
	SCHED_PROCESS_EXEC = 237,
	SCHED_PROCESS_EXIT = 238,
	SCHED_PROCESS_FORK = 239,
	SCHED_PROCESS_FREE = 240,
	ZERO = 331,
	SDE_TRACING_MARK_WRITE = 333,
	DPU_TRACING_MARK_WRITE = 348,
};

/* The fields of an event's message by number; those of one that are too many are left
 * out. */
enum { MAX_FIELDS = 8 };

struct message {
	uint64_t num[MAX_FIELDS];
	struct tc_str str[MAX_FIELDS];
};

static void
read_message(struct tc_ftrace_bundle *b, struct tc_str bytes, struct message *m)
{
	struct tc_pb r = tc_pb_init_ahead(bytes.p, bytes.len, b->ahead);
	struct tc_err ignored;
	struct tc_pb_field f;
	int n;

	*m = (struct message){ 0 };
	while ((n = tc_pb_next(&r, &f, &ignored)) > 0) {
		if (f.id >= MAX_FIELDS)
			continue;
		if (f.wire == TC_PB_VARINT)
			m->num[f.id] = f.num;
		else if (f.wire == TC_PB_LEN)
			m->str[f.id] = tc_pb_str(&f);
	}
	if (n < 0)
		tc_trace_count(b->t, TC_STAT_DAMAGED_NESTED);
}

/* A record has to stay a line that readers take, so no name is longer. */
enum { MAX_NAME = 4095 };

static struct tc_str
clip(struct tc_ftrace_bundle *b, struct tc_str s)
{
	if (s.len > MAX_NAME) {
		s.len = MAX_NAME;
		tc_trace_count(b->t, TC_STAT_NAME_CUT);
	}
	return s;
}

uint32_t
tc_ftrace_intern(struct tc_ftrace_bundle *b, struct tc_str name)
{
	return tc_strtab_id(b->f->wants->names, clip(b, name));
}

/* Text of userspace loses what is no UTF-8: it is cut at a length in bytes. */
static uint32_t
intern_text(struct tc_ftrace_bundle *b, struct tc_str s)
{
	char text[MAX_NAME];
	uint32_t i;

	s = clip(b, s);
	for (i = 0; i < s.len && (unsigned char)s.p[i] < 0x80; i++)
		;
	if (i < s.len) {
		memcpy(text, s.p, s.len);
		s = (struct tc_str){ text, tc_atrace_clean(text, s.len), false };
	}
	return tc_strtab_id(b->f->wants->names, s);
}

/* Names that nobody wants only have to tell one from another. */
static uint32_t
name_of(struct tc_ftrace_bundle *b, struct tc_str s, bool is_wanted)
{
	if (!s.p)
		return 0;
	if (is_wanted)
		return intern_text(b, s);
	/* Never an id: there are not that many. */
	return (uint32_t)tc_mem_hash_bytes(s.p, s.len) | 1u << 31;
}

/*
 * The place of a pair of these. Tracks are few; slices on one are told apart by
 * cookie, so names that nobody wants are all the same here.
 */
static uint32_t
track_of(struct tc_ftrace *f, uint32_t track, uint32_t name)
{
	uint64_t *place;
	bool made;

	place = tc_map_put(&f->track_index, track, name, &made);
	if (made) {
		tc_mem_grow(&f->tracks, &f->track_cap, f->track_count + 1,
			sizeof(*f->tracks));
		*place = f->track_count;
		f->tracks[f->track_count++] = (struct tc_ftrace_track){ track, name };
	}
	return (uint32_t)*place;
}

static bool
is_wanted(const struct tc_ftrace_wants *w, const struct tc_atrace *a)
{
	if (a->phase == TC_ATRACE_COUNTER)
		return w->counter(w->arg, a->name);
	/* What ends a slice does not tell its name, and belongs to what began it. */
	if (a->phase == TC_ATRACE_TRACK_END)
		return w->slice(w->arg, a->track);
	return w->slice(w->arg, a->name) || (a->track.p && w->slice(w->arg, a->track));
}

static enum tc_ftrace_kind
kind_of(enum tc_atrace_phase phase)
{
	switch (phase) {
	case TC_ATRACE_BEGIN: return TC_FTRACE_BEGIN;
	case TC_ATRACE_END: return TC_FTRACE_END;
	case TC_ATRACE_INSTANT: return TC_FTRACE_INSTANT;
	case TC_ATRACE_ASYNC_BEGIN: return TC_FTRACE_ASYNC_BEGIN;
	case TC_ATRACE_ASYNC_END: return TC_FTRACE_ASYNC_END;
	case TC_ATRACE_TRACK_BEGIN: return TC_FTRACE_TRACK_BEGIN;
	case TC_ATRACE_TRACK_END: return TC_FTRACE_TRACK_END;
	case TC_ATRACE_TRACK_INSTANT: return TC_FTRACE_TRACK_INSTANT;
	case TC_ATRACE_COUNTER: break;
	}
	return TC_FTRACE_COUNTER;
}

static void
push_marker(
	struct tc_ftrace_bundle *b, struct tc_ftrace_event *e, const struct tc_atrace *a)
{
	const struct tc_ftrace_wants *w = b->f->wants;

	if (!w->markers)
		return;
	e->kind = (uint8_t)kind_of(a->phase);
	e->pid = a->tgid;
	e->value = a->value;
	if (a->phase != TC_ATRACE_END) {
		e->is_wanted = is_wanted(w, a);
		if (a->phase == TC_ATRACE_COUNTER && !e->is_wanted)
			return;
		if (e->is_wanted || (a->phase != TC_ATRACE_BEGIN && !a->track.p))
			e->name = name_of(b, a->name, e->is_wanted);
		if (a->track.p)
			e->name = track_of(b->f, intern_text(b, a->track), e->name);
	}
	tc_ftrace_push(b, *e);
}

/*
 * The text of a PrintFtraceEvent: behind the address that printed it, which is
 * of no use, in the one order that anybody writes.
 */
static struct tc_str
print_text(struct tc_ftrace_bundle *b, struct tc_str bytes)
{
	enum { IP_TAG = 1 << 3, BUF_TAG = 2 << 3 | TC_PB_LEN, BUF = 2 };
	const uint8_t *p = (const uint8_t *)bytes.p, *end = p + bytes.len;
	struct tc_pb r = tc_pb_init(bytes.p, bytes.len);
	struct tc_str text = { 0 };
	struct tc_err ignored;
	struct tc_pb_field f;
	int n;

	if (p < end && *p == IP_TAG) {
		for (p++; p < end && *p >= 0x80; p++)
			;
		if (end - p > 3 && p[1] == BUF_TAG && p[2] == end - p - 3 && p[2] < 0x80)
			return (struct tc_str){ (const char *)p + 3, p[2], false };
	}
	while ((n = tc_pb_next(&r, &f, &ignored)) > 0)
		if (f.id == BUF && tc_pb_is(&f, TC_PB_LEN))
			text = tc_pb_str(&f);
	if (n < 0)
		tc_trace_count(b->t, TC_STAT_DAMAGED_NESTED);
	return text;
}

static void
read_print(struct tc_ftrace_bundle *b, struct tc_ftrace_event *e, struct tc_str bytes)
{
	struct tc_atrace a;

	switch (tc_atrace_parse(print_text(b, bytes), &a)) {
	case TC_ATRACE_OK: push_marker(b, e, &a); break;
	case TC_ATRACE_OTHER: break;
	case TC_ATRACE_BAD: tc_trace_count(b->t, TC_STAT_SYSTRACE_BAD); break;
	}
}

/*
 * Drivers have marker events of their own, with a letter for what they mean or,
 * in older ones, whether it begins.
 */
static void
push_driver_marker(struct tc_ftrace_bundle *b, struct tc_ftrace_event *e, uint64_t letter,
	uint64_t is_begin, struct tc_str name, uint64_t tgid, uint64_t value)
{
	struct tc_atrace a = { .name = name, .tgid = (uint32_t)tgid };

	a.phase = (enum tc_atrace_phase)(letter ? letter : is_begin ? 'B' : 'E');
	a.value = (int64_t)value;
	if (!a.name.p)
		a.name = TC_STR("");
	if (a.phase == TC_ATRACE_BEGIN || a.phase == TC_ATRACE_END ||
		a.phase == TC_ATRACE_COUNTER)
		push_marker(b, e, &a);
}

static void
read_tracing_mark_write(
	struct tc_ftrace_bundle *b, struct tc_ftrace_event *e, const struct message *m)
{
	enum { TGID = 1, TRACE_NAME = 2, TRACE_BEGIN = 3 };

	push_driver_marker(
		b, e, 0, m->num[TRACE_BEGIN], m->str[TRACE_NAME], m->num[TGID], 0);
}

static void
read_zero(struct tc_ftrace_bundle *b, struct tc_ftrace_event *e, const struct message *m)
{
	enum { FLAG = 1, NAME = 2, TGID = 3, VALUE = 4 };
	static const char letters[] = { 0, 'B', 'E', 0, 'C' };
	uint64_t flag = m->num[FLAG];

	if (flag < sizeof(letters) && letters[flag])
		push_driver_marker(b, e, (uint64_t)letters[flag], 0, m->str[NAME],
			m->num[TGID], m->num[VALUE]);
}

static void
read_sde(struct tc_ftrace_bundle *b, struct tc_ftrace_event *e, const struct message *m)
{
	enum { TGID = 1, TRACE_NAME = 2, TRACE_TYPE = 3, VALUE = 4, TRACE_BEGIN = 5 };

	push_driver_marker(b, e, m->num[TRACE_TYPE], m->num[TRACE_BEGIN],
		m->str[TRACE_NAME], m->num[TGID], m->num[VALUE]);
}

static void
read_dpu(struct tc_ftrace_bundle *b, struct tc_ftrace_event *e, const struct message *m)
{
	enum { TGID = 1, NAME = 4, TYPE = 5, VALUE = 6 };

	push_driver_marker(
		b, e, m->num[TYPE], 0, m->str[NAME], m->num[TGID], m->num[VALUE]);
}

static void
read_switch(
	struct tc_ftrace_bundle *b, struct tc_ftrace_event *e, const struct message *m)
{
	enum { PREV_COMM = 1, PREV_PID = 2, PREV_STATE = 4, NEXT_COMM = 5, NEXT_PID = 6 };
	uint32_t prev = (uint32_t)m->num[PREV_PID], next = (uint32_t)m->num[NEXT_PID];
	struct tc_ftrace_cpu *cpu = &b->f->cpus[b->cpu];

	if (!b->f->wants->markers && !b->f->wants->sched)
		return;
	if (m->str[PREV_COMM].p && prev)
		tc_ftrace_see_comm(b->f, e->ts, prev, clip(b, m->str[PREV_COMM]));
	if (m->str[NEXT_COMM].p && next)
		tc_ftrace_see_comm(b->f, e->ts, next, clip(b, m->str[NEXT_COMM]));
	if (cpu->has_running && cpu->running != prev)
		tc_trace_count(b->t, TC_STAT_SWITCH_MISMATCH);
	cpu->has_running = true;
	cpu->running = next;
	if (!b->f->wants->sched)
		return;
	e->kind = TC_FTRACE_SWITCH;
	e->tid = prev;
	e->pid = next;
	e->value = (int64_t)m->num[PREV_STATE];
	tc_ftrace_push(b, *e);
}

static void
push_task(struct tc_ftrace_bundle *b, struct tc_ftrace_event *e, enum tc_ftrace_kind kind,
	uint64_t pid, struct tc_str name)
{
	e->kind = (uint8_t)kind;
	e->pid = (uint32_t)pid;
	e->name = tc_ftrace_intern(b, name);
	tc_ftrace_push(b, *e);
}

static void
read_waking(
	struct tc_ftrace_bundle *b, struct tc_ftrace_event *e, const struct message *m)
{
	enum { WAKEE = 2 };

	if (!b->f->wants->sched)
		return;
	e->kind = TC_FTRACE_WAKING;
	e->pid = (uint32_t)m->num[WAKEE];
	tc_ftrace_push(b, *e);
}

static void
read_frequency(
	struct tc_ftrace_bundle *b, struct tc_ftrace_event *e, const struct message *m)
{
	enum { STATE = 1, CPU_ID = 2 };

	if (!b->f->wants->cpu_frequency)
		return;
	e->kind = TC_FTRACE_CPU_FREQUENCY;
	e->pid = (uint32_t)m->num[CPU_ID];
	e->value = (int64_t)m->num[STATE];
	tc_ftrace_push(b, *e);
}

static void
read_newtask(
	struct tc_ftrace_bundle *b, struct tc_ftrace_event *e, const struct message *m)
{
	enum { TASK = 1, COMM = 2, CLONE_FLAGS = 3 };

	e->value = (int64_t)m->num[CLONE_FLAGS];
	push_task(b, e, TC_FTRACE_NEW_TASK, m->num[TASK], m->str[COMM]);
}

static void
read_rename(
	struct tc_ftrace_bundle *b, struct tc_ftrace_event *e, const struct message *m)
{
	enum { TASK = 1, NEW_COMM = 3 };

	push_task(b, e, TC_FTRACE_RENAME, m->num[TASK], m->str[NEW_COMM]);
}

static void
read_exec(struct tc_ftrace_bundle *b, struct tc_ftrace_event *e, const struct message *m)
{
	enum { FILE_NAME = 1, TASK = 2 };

	push_task(b, e, TC_FTRACE_EXEC, m->num[TASK], m->str[FILE_NAME]);
}

/* Events that end a task have these fields in common; the names are known. */
enum { ENDED_TASK = 2 };
static const struct tc_str no_name;

static void
read_exit(struct tc_ftrace_bundle *b, struct tc_ftrace_event *e, const struct message *m)
{
	push_task(b, e, TC_FTRACE_EXIT, m->num[ENDED_TASK], no_name);
}

static void
read_free(struct tc_ftrace_bundle *b, struct tc_ftrace_event *e, const struct message *m)
{
	push_task(b, e, TC_FTRACE_FREE, m->num[ENDED_TASK], no_name);
}

static void
read_fork(struct tc_ftrace_bundle *b, struct tc_ftrace_event *e, const struct message *m)
{
	enum { CHILD_COMM = 3, CHILD = 4 };

	push_task(b, e, TC_FTRACE_FORK, m->num[CHILD], m->str[CHILD_COMM]);
}

/* What reads the message of an event, NULL for those that nobody reads. */
static void (*reader_of(uint32_t what))(
	struct tc_ftrace_bundle *, struct tc_ftrace_event *, const struct message *)
{
	switch (what) {
	case SCHED_SWITCH: return read_switch;
	case CPU_FREQUENCY: return read_frequency;
	case SCHED_WAKEUP:
	case SCHED_WAKING:
	case SCHED_WAKEUP_NEW: return read_waking;
	case TRACING_MARK_WRITE: return read_tracing_mark_write;
	case TASK_NEWTASK: return read_newtask;
	case TASK_RENAME: return read_rename;
	case SCHED_PROCESS_EXEC: return read_exec;
	case SCHED_PROCESS_EXIT: return read_exit;
	case SCHED_PROCESS_FORK: return read_fork;
	case SCHED_PROCESS_FREE: return read_free;
	case ZERO: return read_zero;
	case SDE_TRACING_MARK_WRITE: return read_sde;
	case DPU_TRACING_MARK_WRITE: return read_dpu;
	default: return NULL;
	}
}

static void
read_what(struct tc_ftrace_bundle *b, struct tc_ftrace_event *e, uint32_t what,
	struct tc_str bytes)
{
	void (*reader)(struct tc_ftrace_bundle *, struct tc_ftrace_event *,
		const struct message *);
	struct message m;

	if (what == PRINT) {
		if (b->f->wants->markers)
			read_print(b, e, bytes);
		return;
	}
	reader = reader_of(what);
	if (!reader)
		return;
	read_message(b, bytes, &m);
	reader(b, e, &m);
}

struct head {
	uint64_t raw; /* the time, on the bundle's clock */
	uint32_t tid;
	uint32_t what; /* 0: no message */
	bool has_time;
	struct tc_str message;
};

/* A number of a byte or up to eight; how many, 0 when it is none of these. */
static inline int
number(const uint8_t *p, uint64_t *value)
{
	if (*p < 0x80) {
		*value = *p;
		return 1;
	}
	return tc_pb_short_varint(p, value);
}

/*
 * The order in which the tracer writes an event: time, thread, flags at most,
 * and the message. False when this is another one; h is as good as new then.
 */
static bool
read_usual(struct tc_ftrace_bundle *b, struct tc_str bytes, struct head *h)
{
	enum {
		TIME_TAG = TIMESTAMP << 3,
		TID_TAG = PID << 3,
		FLAGS_TAG = 5 << 3,
		LOOK = 48
	};
	const uint8_t *p = (const uint8_t *)bytes.p, *end = p + bytes.len;
	uint64_t raw, tid, tag, len;
	int n;

	if (b->ahead - p < LOOK || *p != TIME_TAG || !(n = number(p + 1, &raw)))
		return false;
	p += 1 + n;
	if (*p != TID_TAG || !(n = number(p + 1, &tid)))
		return false;
	p += 1 + n;
	if (*p == FLAGS_TAG) {
		if (!(n = number(p + 1, &tag)))
			return false;
		p += 1 + n;
	}
	if (!(n = number(p, &tag)) || (tag & 7) != TC_PB_LEN ||
		tag >> 3 > TC_PB_MAX_FIELD)
		return false;
	p += n;
	if (!(n = number(p, &len)) || p + n > end || len != (uint64_t)(end - p - n))
		return false;
	h->raw = raw;
	h->tid = (uint32_t)tid;
	h->what = (uint32_t)(tag >> 3);
	h->has_time = true;
	h->message = (struct tc_str){ (const char *)p + n, (uint32_t)len, false };
	return h->what != 0;
}

static void
read_any(struct tc_ftrace_bundle *b, struct tc_str bytes, struct head *h)
{
	struct tc_pb r = tc_pb_init(bytes.p, bytes.len);
	struct tc_err ignored;
	struct tc_pb_field f;
	int n;

	*h = (struct head){ 0 };
	while ((n = tc_pb_next(&r, &f, &ignored)) > 0) {
		if (f.id == TIMESTAMP && f.wire == TC_PB_VARINT) {
			h->raw = f.num;
			h->has_time = true;
		} else if (f.id == PID && f.wire == TC_PB_VARINT) {
			h->tid = (uint32_t)f.num;
		} else if (f.wire == TC_PB_LEN && !h->what) {
			h->what = f.id;
			h->message = tc_pb_str(&f);
		}
	}
	if (n < 0)
		tc_trace_count(b->t, TC_STAT_DAMAGED_NESTED);
}

void
tc_ftrace_read_event(struct tc_ftrace_bundle *b, struct tc_str bytes)
{
	struct tc_ftrace_event e;
	struct head h;

	if (!read_usual(b, bytes, &h))
		read_any(b, bytes, &h);
	if (!h.has_time) {
		tc_trace_count(b->t, TC_STAT_FTRACE_BAD_BUNDLE);
		return;
	}
	if (!h.what) {
		tc_trace_count(b->t, TC_STAT_FTRACE_NO_EVENT);
		return;
	}
	e = (struct tc_ftrace_event){ .tid = h.tid };
	if (!tc_ftrace_time(b, h.raw, &e.ts))
		return;
	tc_ftrace_span(b, e.ts);
	read_what(b, &e, h.what, h.message);
}
