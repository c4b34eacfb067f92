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
	struct tc_pb r = tc_pb_init(bytes.p, bytes.len);
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
tc_ftrace_intern(struct tc_ftrace_bundle *b, struct tc_str s)
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
	return is_wanted ? tc_ftrace_intern(b, s)
			 : (uint32_t)tc_mem_hash_bytes(s.p, s.len);
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

	e->kind = (uint8_t)kind_of(a->phase);
	e->pid = a->tgid;
	e->value = a->value;
	if (a->phase != TC_ATRACE_END) {
		e->is_wanted = is_wanted(w, a);
		if (a->phase == TC_ATRACE_COUNTER && !e->is_wanted)
			return;
		if (a->phase != TC_ATRACE_BEGIN || e->is_wanted)
			e->name = name_of(b, a->name, e->is_wanted);
		/* Tracks are few, and their ends name nothing else. */
		if (a->track.p)
			e->name2 = tc_ftrace_intern(b, a->track);
	}
	tc_ftrace_push(b, *e);
}

static void
read_print(struct tc_ftrace_bundle *b, struct tc_ftrace_event *e, struct tc_str bytes)
{
	enum { BUF = 2 };
	struct tc_pb r = tc_pb_init(bytes.p, bytes.len);
	struct tc_str text = { 0 };
	struct tc_err ignored;
	struct tc_pb_field f;
	struct tc_atrace a;

	while (tc_pb_next(&r, &f, &ignored) > 0)
		if (f.id == BUF && tc_pb_is(&f, TC_PB_LEN))
			text = tc_pb_str(&f);
	switch (tc_atrace_parse(text, &a)) {
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
	e->name = name.p ? tc_ftrace_intern(b, name) : 0;
	tc_ftrace_push(b, *e);
}

static void
read_scheduler(struct tc_ftrace_bundle *b, struct tc_ftrace_event *e, uint32_t what,
	const struct message *m)
{
	const struct tc_ftrace_wants *w = b->f->wants;

	if (what == SCHED_SWITCH) {
		read_switch(b, e, m);
	} else if (what == CPU_FREQUENCY && w->cpu_frequency) {
		enum { STATE = 1, CPU_ID = 2 };

		e->kind = TC_FTRACE_CPU_FREQUENCY;
		e->pid = (uint32_t)m->num[CPU_ID];
		e->value = (int64_t)m->num[STATE];
		tc_ftrace_push(b, *e);
	} else if (what != CPU_FREQUENCY && w->sched) {
		enum { WAKEE = 2 };

		e->kind = TC_FTRACE_WAKING;
		e->pid = (uint32_t)m->num[WAKEE];
		tc_ftrace_push(b, *e);
	}
}

static void
read_task(struct tc_ftrace_bundle *b, struct tc_ftrace_event *e, uint32_t what,
	const struct message *m)
{
	static const struct tc_str none;

	switch (what) {
	case TASK_NEWTASK:
		e->value = (int64_t)m->num[3]; /* clone_flags */
		push_task(b, e, TC_FTRACE_NEW_TASK, m->num[1], m->str[2]);
		break;
	case TASK_RENAME: push_task(b, e, TC_FTRACE_RENAME, m->num[1], m->str[3]); break;
	case SCHED_PROCESS_EXEC:
		push_task(b, e, TC_FTRACE_EXEC, m->num[2], m->str[1]);
		break;
	case SCHED_PROCESS_EXIT: push_task(b, e, TC_FTRACE_EXIT, m->num[2], none); break;
	case SCHED_PROCESS_FORK:
		push_task(b, e, TC_FTRACE_FORK, m->num[4], m->str[3]);
		break;
	case SCHED_PROCESS_FREE: push_task(b, e, TC_FTRACE_FREE, m->num[2], none); break;
	default: break;
	}
}

static void
read_known(struct tc_ftrace_bundle *b, struct tc_ftrace_event *e, uint32_t what,
	struct tc_str bytes)
{
	struct message m;

	if (what == PRINT) {
		read_print(b, e, bytes);
		return;
	}
	read_message(b, bytes, &m);
	switch (what) {
	case TRACING_MARK_WRITE: read_tracing_mark_write(b, e, &m); break;
	case ZERO: read_zero(b, e, &m); break;
	case SDE_TRACING_MARK_WRITE: read_sde(b, e, &m); break;
	case DPU_TRACING_MARK_WRITE: read_dpu(b, e, &m); break;
	case SCHED_SWITCH:
	case SCHED_WAKEUP:
	case SCHED_WAKING:
	case SCHED_WAKEUP_NEW:
	case CPU_FREQUENCY: read_scheduler(b, e, what, &m); break;
	default: read_task(b, e, what, &m); break;
	}
}

static bool
is_known(uint32_t what)
{
	switch (what) {
	case PRINT:
	case SCHED_SWITCH:
	case CPU_FREQUENCY:
	case SCHED_WAKEUP:
	case SCHED_WAKING:
	case TRACING_MARK_WRITE:
	case SCHED_WAKEUP_NEW:
	case TASK_NEWTASK:
	case TASK_RENAME:
	case SCHED_PROCESS_EXEC:
	case SCHED_PROCESS_EXIT:
	case SCHED_PROCESS_FORK:
	case SCHED_PROCESS_FREE:
	case ZERO:
	case SDE_TRACING_MARK_WRITE:
	case DPU_TRACING_MARK_WRITE: return true;
	default: return false;
	}
}

void
tc_ftrace_read_event(struct tc_ftrace_bundle *b, struct tc_str bytes)
{
	struct tc_pb r = tc_pb_init(bytes.p, bytes.len);
	struct tc_ftrace_event e = { 0 };
	struct tc_str message = { 0 };
	bool has_time = false;
	struct tc_err ignored;
	struct tc_pb_field f;
	uint64_t raw = 0;
	uint32_t what = 0;

	while (tc_pb_next(&r, &f, &ignored) > 0) {
		if (f.id == TIMESTAMP && f.wire == TC_PB_VARINT) {
			raw = f.num;
			has_time = true;
		} else if (f.id == PID && f.wire == TC_PB_VARINT) {
			e.tid = (uint32_t)f.num;
		} else if (f.wire == TC_PB_LEN && !what) {
			what = f.id;
			message = tc_pb_str(&f);
		}
	}
	if (!has_time) {
		tc_trace_count(b->t, TC_STAT_FTRACE_BAD_BUNDLE);
		return;
	}
	if (!what) {
		tc_trace_count(b->t, TC_STAT_FTRACE_NO_EVENT);
		return;
	}
	if (!tc_ftrace_time(b, raw, &e.ts))
		return;
	tc_ftrace_span(b, e.ts);
	if (is_known(what))
		read_known(b, &e, what, message);
}
