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

/* When an event was, and which thread was running. */
struct stamp {
	int64_t ts;
	uint32_t tid;
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

struct tc_str
tc_ftrace_clip(struct tc_ftrace_bundle *b, struct tc_str s)
{
	if (s.len > TC_STR_MAX_NAME) {
		s.len = TC_STR_MAX_NAME;
		tc_trace_count(b->t, TC_STAT_NAME_CUT);
	}
	return s;
}

uint32_t
tc_ftrace_intern(struct tc_ftrace_bundle *b, struct tc_str name)
{
	return tc_strtab_id(b->f->wants->names, tc_ftrace_clip(b, name));
}

/* Text of userspace loses what is no UTF-8: it is cut at a length in bytes. */
static uint32_t
intern_text(struct tc_ftrace_bundle *b, struct tc_str s)
{
	char text[TC_STR_MAX_NAME];
	uint32_t i;

	s = tc_ftrace_clip(b, s);
	for (i = 0; i < s.len && (unsigned char)s.p[i] < 0x80; i++)
		;
	if (i < s.len) {
		memcpy(text, s.p, s.len);
		s = (struct tc_str){ text, tc_atrace_clean(text, s.len), false };
	}
	return tc_strtab_id(b->f->wants->names, s);
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

/* Of a name that stands in the bundle. */
static bool
is_wanted_slice(struct tc_ftrace_bundle *b, struct tc_str name)
{
	const struct tc_ftrace_wants *w = b->f->wants;

	return w->slice(w->arg, name, (size_t)(b->ahead - (const uint8_t *)name.p));
}

/* Of one that stands anywhere. */
static bool
is_wanted_name(const struct tc_ftrace_wants *w, struct tc_str name)
{
	return w->slice(w->arg, name, name.len);
}

static bool
is_wanted(const struct tc_ftrace_wants *w, const struct tc_atrace *a)
{
	if (a->phase == TC_ATRACE_COUNTER)
		return w->counter(w->arg, a->name);
	/* What ends a slice does not tell its name, and belongs to what began it. */
	if (a->phase == TC_ATRACE_TRACK_END)
		return is_wanted_name(w, a->track);
	return is_wanted_name(w, a->name) || (a->track.p && is_wanted_name(w, a->track));
}

static enum tc_ftrace_kind
kind_of(enum tc_atrace_phase phase, bool is_wanted)
{
	switch (phase) {
	case TC_ATRACE_BEGIN: return is_wanted ? TC_FTRACE_BEGIN : TC_FTRACE_ENTER;
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

/* Whether ends may go with their begins before all is read; thread 0 is on all CPUs. */
static inline bool
may_match(const struct tc_ftrace_bundle *b, const struct stamp *at)
{
	return at->tid && b->f->wants->window != TC_FTRACE_NO_WINDOW;
}

/* It is another thread's turn, and what the one before began goes on somewhere. */
static void
change_thread(struct tc_ftrace_bundle *b, const struct stamp *at, uint32_t tgid)
{
	struct tc_ftrace_open *open = &b->queue->open;

	tc_ftrace_leave(b);
	tc_ftrace_see_owner(b->f, open);
	open->tid = at->tid;
	open->pid = tgid;
	open->first_ts = open->last_ts = at->ts;
	open->told_ts = INT64_MIN;
	open->count = 0;
}

/* Bundles of a CPU that are not in order may have put a begin and an end together. */
static inline void
see_time(struct tc_ftrace_bundle *b, int64_t ts)
{
	if (ts < b->queue->matched_ts)
		tc_ftrace_be_late(b->f);
}

/* A mark that begins or ends a slice: whether it goes on with those of its thread. */
static inline bool
see_mark(struct tc_ftrace_bundle *b, const struct stamp *at, uint32_t tgid)
{
	struct tc_ftrace_open *open = &b->queue->open;

	see_time(b, at->ts);
	if (at->ts >= b->next_switch)
		tc_ftrace_pass_switches(b, at->ts);
	if (open->tid != at->tid || open->pid != tgid || at->ts < open->last_ts) {
		change_thread(b, at, tgid);
		return false;
	}
	open->last_ts = at->ts;
	return true;
}

static void
begin(struct tc_ftrace_bundle *b, const struct stamp *at, uint32_t tgid,
	struct tc_str name)
{
	struct tc_ftrace_open *open = &b->queue->open;
	bool is_in_order = at->ts >= b->queue->last_ts;
	struct tc_ftrace_event *e = tc_ftrace_push(b, TC_FTRACE_BEGIN, at->ts);

	e->tid = at->tid;
	e->pid = tgid;
	e->is_wanted = true;
	e->name = intern_text(b, name);
	if (!is_in_order)
		return;
	if (open->count == TC_FTRACE_MAX_OPEN)
		open->count = 0;
	open->begins[open->count++] = b->queue->count - 1;
}

/* Of those that nobody wants, where others may come between it and its end. */
static void
enter_alone(struct tc_ftrace_bundle *b, const struct stamp *at, uint32_t tgid)
{
	struct tc_ftrace_event *e;

	tc_ftrace_count(b, at->ts);
	e = tc_ftrace_push(b, TC_FTRACE_ENTER, at->ts);
	e->tid = at->tid;
	e->pid = tgid;
	e->value = 1;
}

/* Out of line, these two: the one loop over events is longer already than is good. */
__attribute__((noinline)) static void
push_begin(struct tc_ftrace_bundle *b, const struct stamp *at, uint32_t tgid,
	struct tc_str name)
{
	struct tc_ftrace_open *open = &b->queue->open;

	see_mark(b, at, tgid);
	if (is_wanted_slice(b, name)) {
		begin(b, at, tgid, name);
	} else if (at->ts < b->queue->last_ts || !may_match(b, at)) {
		enter_alone(b, at, tgid);
	} else {
		tc_ftrace_count(b, at->ts);
		if (!open->entered++)
			open->entered_ts = at->ts;
	}
}

/*
 * The end of what nobody wants, and in which nothing else came, leaves nothing. That of
 * what is wanted goes with its begin, if it comes after all that was read.
 */
static bool
ends_whole(struct tc_ftrace_bundle *b, const struct stamp *at)
{
	struct tc_ftrace_open *open = &b->queue->open;
	struct tc_ftrace_event *e;

	if (!open->count || open->begins[open->count - 1] == TC_FTRACE_NOT_WANTED)
		return false;
	e = &b->queue->events[open->begins[--open->count]];
	e->kind = TC_FTRACE_WHOLE;
	e->value = at->ts;
	b->queue->last_ts = b->queue->matched_ts = at->ts;
	return true;
}

__attribute__((noinline)) static void
push_end(struct tc_ftrace_bundle *b, const struct stamp *at, uint32_t tgid)
{
	struct tc_ftrace_open *open = &b->queue->open;
	struct tc_ftrace_event *e;

	if (see_mark(b, at, tgid) && at->ts > b->queue->last_ts && may_match(b, at)) {
		if (open->entered) {
			open->entered--;
			b->queue->last_ts = b->queue->matched_ts = at->ts;
			return;
		}
		if (ends_whole(b, at))
			return;
	}
	e = tc_ftrace_push(b, TC_FTRACE_END, at->ts);
	e->tid = at->tid;
	e->pid = tgid;
	e->value = -1;
	open->count = 0;
}

/* Whether one begins that is counted apart where nobody wants it. */
static bool
is_slice(enum tc_atrace_phase phase)
{
	return phase == TC_ATRACE_BEGIN || phase == TC_ATRACE_ASYNC_BEGIN ||
		phase == TC_ATRACE_TRACK_INSTANT;
}

/* Whether it tells nothing of another one. */
static bool
is_alone(enum tc_atrace_phase phase)
{
	return phase == TC_ATRACE_COUNTER || phase == TC_ATRACE_ASYNC_BEGIN ||
		phase == TC_ATRACE_ASYNC_END || phase == TC_ATRACE_TRACK_INSTANT;
}

static void
push_marker(struct tc_ftrace_bundle *b, const struct stamp *at, const struct tc_atrace *a)
{
	bool wanted = a->phase != TC_ATRACE_END && is_wanted(b->f->wants, a);
	struct tc_ftrace_event *e;

	if (!wanted && is_slice(a->phase))
		tc_ftrace_count(b, at->ts);
	if (!wanted && is_alone(a->phase))
		return;
	if (a->phase == TC_ATRACE_BEGIN || a->phase == TC_ATRACE_END)
		b->queue->open.count = 0;
	see_time(b, at->ts);
	e = tc_ftrace_push(b, kind_of(a->phase, wanted), at->ts);
	e->tid = at->tid;
	e->pid = a->tgid;
	e->value = a->phase == TC_ATRACE_BEGIN ? 1
		: a->phase == TC_ATRACE_END    ? -1
					       : a->value;
	e->is_wanted = wanted;
	if (wanted && a->name.p)
		e->name = intern_text(b, a->name);
	if (a->track.p)
		e->name = track_of(b->f, intern_text(b, a->track), e->name);
}

/*
 * What may be looked at, in line, behind where an event begins: all that stands before
 * the text of a print that is written as usual, and what tells which that is.
 */
enum { LOOK = 64 };

/* The text of a PrintFtraceEvent, in whatever order its fields are. */
static struct tc_str
print_text(struct tc_ftrace_bundle *b, struct tc_str bytes)
{
	enum { BUF = 2 };
	struct tc_pb r = tc_pb_init(bytes.p, bytes.len);
	struct tc_str text = { 0 };
	struct tc_err ignored;
	struct tc_pb_field f;
	int n;

	while ((n = tc_pb_next(&r, &f, &ignored)) > 0)
		if (f.id == BUF && tc_pb_is(&f, TC_PB_LEN))
			text = tc_pb_str(&f);
	if (n < 0)
		tc_trace_count(b->t, TC_STAT_DAMAGED_NESTED);
	return text;
}

/*
 * The same in the one order that anybody writes: behind the address that printed
 * it, which is of no use and may be left out. p NULL: it is another one.
 */
static inline struct tc_str
usual_print_text(struct tc_str bytes)
{
	enum { IP_TAG = 1 << 3, BUF_TAG = 2 << 3 | TC_PB_LEN, MAX_VARINT = 10 };
	const uint8_t *p = (const uint8_t *)bytes.p, *end = p + bytes.len;
	int n;

	if (*p == IP_TAG) {
		for (n = 1; n < MAX_VARINT && p[n] >= 0x80; n++)
			;
		p += n + 1;
	}
	if (end - p > 2 && *p == BUF_TAG && p[1] == end - p - 2 && p[1] < 0x80)
		return (struct tc_str){ (const char *)p + 2, p[1], false };
	return (struct tc_str){ 0 };
}

static void
read_mark(struct tc_ftrace_bundle *b, const struct stamp *at, struct tc_str text)
{
	struct tc_atrace a;

	switch (tc_atrace_parse(text, &a)) {
	case TC_ATRACE_OK: push_marker(b, at, &a); break;
	case TC_ATRACE_OTHER: break;
	case TC_ATRACE_BAD: tc_trace_count(b->t, TC_STAT_SYSTRACE_BAD); break;
	}
}

__attribute__((always_inline)) static inline void
read_print(struct tc_ftrace_bundle *b, const struct stamp *at, struct tc_str bytes)
{
	struct tc_str text = usual_print_text(bytes), name;
	const struct tc_ftrace_wants *w = b->f->wants;
	uint32_t tgid;
	int phase;

	if (!text.p) {
		read_mark(b, at, print_text(b, bytes));
		return;
	}
	phase = tc_atrace_usual(text, &tgid, &name);
	if (phase == TC_ATRACE_BEGIN)
		push_begin(b, at, tgid, name);
	else if (phase == TC_ATRACE_END)
		push_end(b, at, tgid);
	else if (!phase ||
		(phase == TC_ATRACE_COUNTER ? w->counter(w->arg, name)
					    : is_wanted_slice(b, name)))
		read_mark(b, at, text);
	else if (phase == TC_ATRACE_ASYNC_BEGIN)
		tc_ftrace_count(b, at->ts);
}

/*
 * Drivers have marker events of their own, with a letter for what they mean or,
 * in older ones, whether it begins.
 */
static void
push_driver_marker(struct tc_ftrace_bundle *b, const struct stamp *at, uint64_t letter,
	uint64_t is_begin, struct tc_str name, uint64_t tgid, uint64_t value)
{
	struct tc_atrace a = { .name = name, .tgid = (uint32_t)tgid };

	a.phase = (enum tc_atrace_phase)(letter ? letter : is_begin ? 'B' : 'E');
	a.value = (int64_t)value;
	if (!a.name.p)
		a.name = TC_STR("");
	if (a.phase == TC_ATRACE_BEGIN || a.phase == TC_ATRACE_END ||
		a.phase == TC_ATRACE_COUNTER)
		push_marker(b, at, &a);
}

static void
read_tracing_mark_write(
	struct tc_ftrace_bundle *b, const struct stamp *at, const struct message *m)
{
	enum { TGID = 1, TRACE_NAME = 2, TRACE_BEGIN = 3 };

	push_driver_marker(
		b, at, 0, m->num[TRACE_BEGIN], m->str[TRACE_NAME], m->num[TGID], 0);
}

static void
read_zero(struct tc_ftrace_bundle *b, const struct stamp *at, const struct message *m)
{
	enum { FLAG = 1, NAME = 2, TGID = 3, VALUE = 4 };
	static const char letters[] = { 0, 'B', 'E', 0, 'C' };
	uint64_t flag = m->num[FLAG];

	if (flag < sizeof(letters) && letters[flag])
		push_driver_marker(b, at, (uint64_t)letters[flag], 0, m->str[NAME],
			m->num[TGID], m->num[VALUE]);
}

static void
read_sde(struct tc_ftrace_bundle *b, const struct stamp *at, const struct message *m)
{
	enum { TGID = 1, TRACE_NAME = 2, TRACE_TYPE = 3, VALUE = 4, TRACE_BEGIN = 5 };

	push_driver_marker(b, at, m->num[TRACE_TYPE], m->num[TRACE_BEGIN],
		m->str[TRACE_NAME], m->num[TGID], m->num[VALUE]);
}

static void
read_dpu(struct tc_ftrace_bundle *b, const struct stamp *at, const struct message *m)
{
	enum { TGID = 1, NAME = 4, TYPE = 5, VALUE = 6 };

	push_driver_marker(
		b, at, m->num[TYPE], 0, m->str[NAME], m->num[TGID], m->num[VALUE]);
}

/* The idle threads are all thread 0. */
static void
see_comm(struct tc_ftrace_bundle *b, int64_t ts, uint32_t tid, struct tc_str comm)
{
	struct tc_ftrace_name name;

	if (!comm.p || !tid)
		return;
	tc_ftrace_set_name(b, &name, comm);
	tc_ftrace_see_comm(b->f, ts, tid, &name);
}

static void
read_switch(struct tc_ftrace_bundle *b, const struct stamp *at, const struct message *m)
{
	enum { PREV_COMM = 1, PREV_PID = 2, PREV_STATE = 4, NEXT_COMM = 5, NEXT_PID = 6 };
	uint32_t prev = (uint32_t)m->num[PREV_PID], next = (uint32_t)m->num[NEXT_PID];
	struct tc_ftrace_cpu *cpu = b->queue;
	struct tc_ftrace_event *e;

	see_comm(b, at->ts, prev, m->str[PREV_COMM]);
	see_comm(b, at->ts, next, m->str[NEXT_COMM]);
	tc_ftrace_leave(b);
	if (!cpu->has_running && !cpu->has_compact && !b->may_lack_switches)
		b->next_switch = INT64_MAX; /* from now on they are told */
	if (cpu->has_running && cpu->running != prev)
		tc_trace_count(b->t, TC_STAT_SWITCH_MISMATCH);
	cpu->has_running = true;
	cpu->running = next;
	if (!b->f->wants->sched)
		return;
	e = tc_ftrace_push(b, TC_FTRACE_SWITCH, at->ts);
	e->tid = prev;
	e->pid = next;
	e->value = (int64_t)m->num[PREV_STATE];
}

static void
read_waking(struct tc_ftrace_bundle *b, const struct stamp *at, const struct message *m)
{
	enum { WAKEE = 2 };

	tc_ftrace_push(b, TC_FTRACE_WAKING, at->ts)->pid = (uint32_t)m->num[WAKEE];
}

static void
read_frequency(
	struct tc_ftrace_bundle *b, const struct stamp *at, const struct message *m)
{
	enum { STATE = 1, CPU_ID = 2 };
	struct tc_ftrace_event *e = tc_ftrace_push(b, TC_FTRACE_CPU_FREQUENCY, at->ts);

	e->pid = (uint32_t)m->num[CPU_ID];
	e->value = (int64_t)m->num[STATE];
}

static struct tc_ftrace_event *
push_task(struct tc_ftrace_bundle *b, const struct stamp *at, enum tc_ftrace_kind kind,
	uint64_t pid, struct tc_str name)
{
	struct tc_ftrace_event *e = tc_ftrace_push(b, kind, at->ts);

	e->tid = at->tid;
	e->pid = (uint32_t)pid;
	e->name = tc_ftrace_intern(b, name);
	return e;
}

static void
read_newtask(struct tc_ftrace_bundle *b, const struct stamp *at, const struct message *m)
{
	enum { TASK = 1, COMM = 2, CLONE_FLAGS = 3 };

	tc_ftrace_end_owner(b->f, (uint32_t)m->num[TASK]);
	push_task(b, at, TC_FTRACE_NEW_TASK, m->num[TASK], m->str[COMM])->value =
		(int64_t)m->num[CLONE_FLAGS];
}

static void
read_rename(struct tc_ftrace_bundle *b, const struct stamp *at, const struct message *m)
{
	enum { TASK = 1, NEW_COMM = 3 };

	push_task(b, at, TC_FTRACE_RENAME, m->num[TASK], m->str[NEW_COMM]);
}

static void
read_exec(struct tc_ftrace_bundle *b, const struct stamp *at, const struct message *m)
{
	enum { FILE_NAME = 1, TASK = 2 };

	push_task(b, at, TC_FTRACE_EXEC, m->num[TASK], m->str[FILE_NAME]);
}

/* Events that end a task have these fields in common; the names are known. */
enum { ENDED_TASK = 2 };
static const struct tc_str no_name;

static void
read_exit(struct tc_ftrace_bundle *b, const struct stamp *at, const struct message *m)
{
	push_task(b, at, TC_FTRACE_EXIT, m->num[ENDED_TASK], no_name);
}

static void
read_free(struct tc_ftrace_bundle *b, const struct stamp *at, const struct message *m)
{
	tc_ftrace_end_owner(b->f, (uint32_t)m->num[ENDED_TASK]);
	push_task(b, at, TC_FTRACE_FREE, m->num[ENDED_TASK], no_name);
}

static void
read_fork(struct tc_ftrace_bundle *b, const struct stamp *at, const struct message *m)
{
	enum { CHILD_COMM = 3, CHILD = 4 };

	push_task(b, at, TC_FTRACE_FORK, m->num[CHILD], m->str[CHILD_COMM]);
}

/* What an event is read for; several that any of them does. */
enum { FOR_ALL = 0, FOR_MARKERS = 1, FOR_SCHED = 2, FOR_FREQUENCY = 4 };

/* The events that are read, but for prints, which are most. */
static const struct reader {
	uint16_t event;
	uint8_t wanted_for;
	void (*read)(
		struct tc_ftrace_bundle *, const struct stamp *, const struct message *);
} readers[] = {
	{ 0, FOR_ALL, NULL }, /* nobody's */
	{ SCHED_SWITCH, FOR_MARKERS | FOR_SCHED, read_switch },
	{ CPU_FREQUENCY, FOR_FREQUENCY, read_frequency },
	{ SCHED_WAKEUP, FOR_SCHED, read_waking },
	{ SCHED_WAKING, FOR_SCHED, read_waking },
	{ SCHED_WAKEUP_NEW, FOR_SCHED, read_waking },
	{ TRACING_MARK_WRITE, FOR_MARKERS, read_tracing_mark_write },
	{ TASK_NEWTASK, FOR_ALL, read_newtask },
	{ TASK_RENAME, FOR_ALL, read_rename },
	{ SCHED_PROCESS_EXEC, FOR_ALL, read_exec },
	{ SCHED_PROCESS_EXIT, FOR_ALL, read_exit },
	{ SCHED_PROCESS_FORK, FOR_ALL, read_fork },
	{ SCHED_PROCESS_FREE, FOR_ALL, read_free },
	{ ZERO, FOR_MARKERS, read_zero },
	{ SDE_TRACING_MARK_WRITE, FOR_MARKERS, read_sde },
	{ DPU_TRACING_MARK_WRITE, FOR_MARKERS, read_dpu },
};

void
tc_ftrace_init_readers(struct tc_ftrace *f)
{
	const struct tc_ftrace_wants *w = f->wants;
	uint8_t wanted = (w->markers ? FOR_MARKERS : 0) | (w->sched ? FOR_SCHED : 0) |
		(w->cpu_frequency ? FOR_FREQUENCY : 0);
	uint8_t i;

	for (i = 1; i < sizeof(readers) / sizeof(readers[0]); i++)
		if (!readers[i].wanted_for || (readers[i].wanted_for & wanted))
			f->readers[readers[i].event] = i;
}

struct head {
	uint64_t raw; /* the time, on the bundle's clock */
	uint32_t tid;
	uint32_t what; /* 0: no message */
	struct tc_str message;
};

/*
 * The order in which the tracer writes an event: time, thread, flags at most, and the
 * message. False when this is another one; h is as good as new then.
 */
__attribute__((always_inline)) static inline bool
read_usual(const uint8_t *p, const uint8_t *end, struct head *h)
{
	enum { TIME_TAG = TIMESTAMP << 3, TID_TAG = PID << 3, FLAGS_TAG = 5 << 3 };
	uint32_t tag, len;
	int n;

	n = tc_pb_time_varint(p + 1, &h->raw);
	if (*p != TIME_TAG || !n)
		return false;
	p += 1 + n;
	n = tc_pb_tid(p + 1, &h->tid);
	if (*p != TID_TAG || !n)
		return false;
	p += 1 + n;
	if (*p == FLAGS_TAG && p[1] < 0x80)
		p += 2;
	tag = *p++;
	if (tag >= 0x80) {
		if (*p >= 0x80)
			return false;
		tag += ((uint32_t)*p++ - 1) << 7;
	}
	n = tc_pb_length(p, &len);
	p += n;
	if (!n || (ptrdiff_t)len != end - p || (tag & 7) != TC_PB_LEN)
		return false;
	h->what = tag >> 3;
	h->message = (struct tc_str){ (const char *)p, len, false };
	return h->what != 0;
}

/* Whatever order it has. False, counted, when it lacks what an event needs. */
static bool
read_any(struct tc_ftrace_bundle *b, const uint8_t *p, const uint8_t *end, struct head *h)
{
	struct tc_pb r = tc_pb_init(p, (size_t)(end - p));
	struct tc_err ignored;
	struct tc_pb_field f;
	bool has_time = false;
	int n;

	*h = (struct head){ 0 };
	while ((n = tc_pb_next(&r, &f, &ignored)) > 0) {
		if (f.id == TIMESTAMP && f.wire == TC_PB_VARINT) {
			h->raw = f.num;
			has_time = true;
		} else if (f.id == PID && f.wire == TC_PB_VARINT) {
			h->tid = (uint32_t)f.num;
		} else if (f.wire == TC_PB_LEN && !h->what) {
			h->what = f.id;
			h->message = tc_pb_str(&f);
		}
	}
	if (n < 0)
		tc_trace_count(b->t, TC_STAT_DAMAGED_NESTED);
	if (!has_time)
		tc_trace_count(b->t, TC_STAT_FTRACE_BAD_BUNDLE);
	else if (!h->what)
		tc_trace_count(b->t, TC_STAT_FTRACE_NO_EVENT);
	if (n < 0 || !has_time || !h->what)
		tc_ftrace_leave(b); /* it may have told of a switch */
	return has_time && h->what;
}

/* What nearly all events are goes in line, into the one loop over them. */
__attribute__((always_inline)) static inline void
take_event(struct tc_ftrace_bundle *b, const struct head *h, bool is_usual)
{
	const struct reader *reader;
	struct stamp at;
	struct message m;

	if (!tc_ftrace_time(b, h->raw, &at.ts))
		return;
	tc_ftrace_span(b, at.ts);
	at.tid = h->tid;
	if (h->what == PRINT && b->f->wants->markers) {
		if (is_usual)
			read_print(b, &at, h->message);
		else
			read_mark(b, &at, print_text(b, h->message));
		return;
	}
	if (h->what >= TC_FTRACE_MAX_EVENT || !b->f->readers[h->what])
		return;
	reader = &readers[b->f->readers[h->what]];
	read_message(b, h->message, &m);
	reader->read(b, &at, &m);
}

void
tc_ftrace_read_event(struct tc_ftrace_bundle *b, struct tc_str bytes)
{
	const uint8_t *p = (const uint8_t *)bytes.p;
	struct head h;

	if (read_any(b, p, p + bytes.len, &h))
		take_event(b, &h, false);
}

void
tc_ftrace_read_run(struct tc_ftrace_bundle *b, const struct tc_ftrace_run *run)
{
	const struct tc_ftrace_place *place = run->events, *last = place + run->count;
	const uint8_t *p;
	struct head h;

	for (; place < last; place++) {
		p = run->begin + place->at;
		if (b->ahead - p >= LOOK && read_usual(p, p + place->len, &h))
			take_event(b, &h, true);
		else
			tc_ftrace_read_event(
				b, (struct tc_str){ (const char *)p, place->len, false });
	}
}
