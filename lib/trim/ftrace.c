#include "trim/priv.h"

#include "atrace/atrace.h"
#include "err/err.h"
#include "ftrace/ftrace.h"

enum { PRINT_BUF = 2, MARK_TGID = 1, MARK_BEGIN = 3, ZERO_FLAG = 1, ZERO_TGID = 3 };
enum { SDE_TYPE = 3, SDE_BEGIN = 5, DPU_TYPE = 5 };
enum { SWITCH_PREV_COMM = 1, SWITCH_PREV_PID = 2, WAKING_WAKEE = 2 };
enum { SWITCH_NEXT_COMM = 5, SWITCH_NEXT_PID = 6 };
enum { NEW_TASK_PID = 1, NEW_TASK_COMM = 2, NEW_TASK_FLAGS = 3 };
enum { RENAME_PID = 1, RENAME_NEW = 3, EXEC_FILE = 1, EXEC_PID = 2, FREE_PID = 2 };
enum { CLONE_THREAD = 0x10000 };

/* A number or a text of an event's message, 0 or empty when it is not there. */
static uint64_t
number(const struct tc_trim_event *e, uint32_t field)
{
	struct tc_pb r = tc_pb_init(e->message.p, e->message.len);
	struct tc_err ignored;
	struct tc_pb_field f;
	uint64_t found = 0;

	while (tc_pb_next(&r, &f, &ignored) > 0)
		if (f.id == field && tc_pb_is(&f, TC_PB_VARINT))
			found = f.num;
	return found;
}

static struct tc_str
text(const struct tc_trim_event *e, uint32_t field)
{
	struct tc_pb r = tc_pb_init(e->message.p, e->message.len);
	struct tc_str found = { 0 };
	struct tc_err ignored;
	struct tc_pb_field f;

	while (tc_pb_next(&r, &f, &ignored) > 0)
		if (f.id == field && tc_pb_is(&f, TC_PB_LEN))
			found = tc_pb_str(&f);
	return found;
}

/* A driver's marker has a letter for what it means or, in older ones, a flag. */
static bool
driver_marker(struct tc_atrace *a, uint64_t letter, uint64_t is_begin, uint64_t tgid)
{
	a->phase = (enum tc_atrace_phase)(letter ? letter : is_begin ? 'B' : 'E');
	a->tgid = (uint32_t)tgid;
	return a->phase == TC_ATRACE_BEGIN || a->phase == TC_ATRACE_END;
}

static bool
is_marker(uint32_t id)
{
	return id == TC_TRIM_PRINT || id == TC_TRIM_MARK_WRITE || id == TC_TRIM_ZERO ||
		id == TC_TRIM_SDE_MARK_WRITE || id == TC_TRIM_DPU_MARK_WRITE;
}

/* What a marker says, into zeros; of a driver's, only what begins and ends slices. */
static bool
read_marker(const struct tc_trim_event *e, struct tc_atrace *a)
{
	uint64_t flag;

	switch (e->id) {
	case TC_TRIM_PRINT: return tc_atrace_parse(text(e, PRINT_BUF), a) == TC_ATRACE_OK;
	case TC_TRIM_MARK_WRITE:
		return driver_marker(a, 0, number(e, MARK_BEGIN), number(e, MARK_TGID));
	case TC_TRIM_ZERO:
		flag = number(e, ZERO_FLAG);
		return (flag == 1 || flag == 2) &&
			driver_marker(a, 0, flag == 1, number(e, ZERO_TGID));
	case TC_TRIM_SDE_MARK_WRITE:
		return driver_marker(a, number(e, SDE_TYPE), number(e, SDE_BEGIN),
			number(e, MARK_TGID));
	case TC_TRIM_DPU_MARK_WRITE:
		return driver_marker(a, number(e, DPU_TYPE), 0, number(e, MARK_TGID));
	default: return false;
	}
}

/* A slice is known by its track or name, whichever it has, and its cookie. */
static uint32_t
async_key(const struct tc_atrace *a)
{
	struct tc_str name = a->track.p ? a->track : a->name;

	return (uint32_t)tc_mem_hash(tc_mem_hash_bytes(name.p, name.len),
		(uint64_t)a->value ^ (uint64_t)(a->track.p != NULL) << 63);
}

/*
 * Whether the event begins or ends a slice, or a thread's slices altogether; and what
 * else it says.
 */
static bool
read_mark(const struct tc_trim_event *e, struct tc_trim_mark *m, struct tc_atrace *a)
{
	*a = (struct tc_atrace){ 0 };
	if (e->id == TC_TRIM_NEW_TASK || e->id == TC_TRIM_FREE) {
		m->kind = TC_TRIM_RESET;
		m->tid = (uint32_t)number(
			e, e->id == TC_TRIM_FREE ? FREE_PID : NEW_TASK_PID);
		return true;
	}
	if (!is_marker(e->id))
		return false;
	if (!read_marker(e, a)) {
		*a = (struct tc_atrace){ 0 };
		return false;
	}
	m->tid = e->tid;
	switch (a->phase) {
	case TC_ATRACE_BEGIN: m->kind = TC_TRIM_BEGIN; return true;
	case TC_ATRACE_END: m->kind = TC_TRIM_FINISH; return true;
	case TC_ATRACE_ASYNC_BEGIN:
	case TC_ATRACE_TRACK_BEGIN: m->kind = TC_TRIM_ASYNC_BEGIN; break;
	case TC_ATRACE_ASYNC_END:
	case TC_ATRACE_TRACK_END: m->kind = TC_TRIM_ASYNC_END; break;
	case TC_ATRACE_INSTANT:
	case TC_ATRACE_TRACK_INSTANT:
	case TC_ATRACE_COUNTER: return false;
	}
	m->tid = a->tgid;
	m->what = async_key(a);
	return true;
}

static bool
event_time(const struct tc_trim_ftrace *f, const struct tc_trim_event *e, int64_t *ts)
{
	struct tc_clocks *c = &f->trace->machines[f->packet->machine].clocks;

	return e->has_ts && f->clock &&
		tc_clocks_convert(c, f->clock, (int64_t)e->raw_ts, ts) == TC_CLOCK_OK &&
		*ts >= 0;
}

/* The bundle says how its clock stands to BOOTTIME; that does not choose trace time. */
static bool
apply_pair(struct tc_trim_ftrace *f)
{
	struct tc_clocks *c = &f->trace->machines[f->packet->machine].clocks;
	struct tc_clock_value pair[2] = {
		{ .key = f->clock, .value = f->bundle.ftrace_ts, .unit = 1 },
		{ .key = TC_CLOCK_BOOTTIME, .value = f->bundle.boot_ts, .unit = 1 },
	};
	uint64_t trace_clock = c->trace_clock, default_clock = c->default_clock;

	if (!f->bundle.has_pair || !f->clock || f->clock == TC_CLOCK_BOOTTIME ||
		f->bundle.ftrace_ts == f->last_pair)
		return false;
	f->last_pair = f->bundle.ftrace_ts;
	tc_clocks_add(c, pair, 2, 0);
	c->trace_clock = trace_clock;
	c->default_clock = default_clock;
	return true;
}

/*
 * The first bundle of a CPU says from when on the CPU's data is complete, and a
 * pair of clock values holds for later bundles too.
 */
static void
enter(struct tc_trim_ftrace *f, const struct tc_packet *p)
{
	bool is_first;

	f->packet = p;
	f->bundle = tc_trim_bundle_head(p->data);
	f->clock = tc_ftrace_clock(f->bundle.ftrace_clock, p->seq);
	tc_map_put(&f->seen_cpus, p->machine, f->bundle.cpu, &is_first);
	f->is_needed =
		apply_pair(f) || is_first || f->bundle.has_more || !f->bundle.has_cpu;
}

static struct tc_trim_cpu *
cpu_of(struct tc_trim_plan *plan, uint32_t machine, uint32_t cpu)
{
	bool made;
	uint64_t *slot = tc_map_put(&plan->cpus, machine, cpu, &made);

	if (made) {
		tc_mem_grow(&plan->cpu.items, &plan->cpu.cap, plan->cpu.count + 1,
			sizeof(*plan->cpu.items));
		plan->cpu.items[plan->cpu.count++] =
			(struct tc_trim_cpu){ { INT64_MIN, INT64_MIN }, INT64_MAX };
		*slot = plan->cpu.count;
	}
	return &plan->cpu.items[*slot - 1];
}

static void
note_switch(struct tc_trim_ftrace *f, int64_t ts)
{
	const struct tc_choose_window *w = &f->plan->window;
	struct tc_trim_cpu *cpu = cpu_of(f->plan, f->packet->machine, f->bundle.cpu);

	if (ts < w->from && ts > cpu->before[0]) {
		cpu->before[1] = cpu->before[0];
		cpu->before[0] = ts;
	} else if (ts < cpu->before[0] && ts > cpu->before[1]) {
		cpu->before[1] = ts;
	} else if (ts >= w->to && ts < cpu->after) {
		cpu->after = ts;
	}
}

/* Whom a switch names, and how; of a compact one there is only the next. */
struct naming {
	uint32_t prev, next;
	struct tc_str prev_comm, next_comm;
};

static struct naming
read_naming(const struct tc_trim_event *e)
{
	struct tc_pb r = tc_pb_init(e->message.p, e->message.len);
	struct naming n = { .next = e->pid, .next_comm = e->comm };
	struct tc_err ignored;
	struct tc_pb_field f;

	if (e->id == TC_TRIM_COMPACT_SWITCH)
		return n;
	while (tc_pb_next(&r, &f, &ignored) > 0) {
		if (f.id == SWITCH_PREV_PID && tc_pb_is(&f, TC_PB_VARINT))
			n.prev = (uint32_t)f.num;
		else if (f.id == SWITCH_NEXT_PID && tc_pb_is(&f, TC_PB_VARINT))
			n.next = (uint32_t)f.num;
		else if (f.id == SWITCH_PREV_COMM && tc_pb_is(&f, TC_PB_LEN))
			n.prev_comm = tc_pb_str(&f);
		else if (f.id == SWITCH_NEXT_COMM && tc_pb_is(&f, TC_PB_LEN))
			n.next_comm = tc_pb_str(&f);
	}
	return n;
}

static void
note_naming(struct tc_trim_ftrace *f, const struct tc_trim_event *e, int64_t ts)
{
	struct tc_trim_names *names = &f->plan->called;
	uint64_t ordinal = f->switches++;
	struct naming n;

	if (names->is_idle)
		return;
	n = read_naming(e);
	if (n.prev_comm.p)
		tc_trim_names_switch(names, f->packet->machine, n.prev, ts, ordinal);
	if (n.next_comm.p)
		tc_trim_names_switch(names, f->packet->machine, n.next, ts, ordinal);
}

/*
 * The kernel's names have less than 16 bytes. One that is much longer is no name, and
 * many threads may have the same in a few bytes each, which must not make a part larger
 * than the whole.
 */
enum { MAX_COMM = 64 };

/* Leaves behind what a switch that goes said for good. */
static void
save_name(struct tc_trim_ftrace *f, const struct tc_trim_event *e, int64_t ts,
	uint64_t ordinal, uint32_t tid, struct tc_str comm)
{
	struct tc_trim_names *names = &f->plan->called;

	if (!comm.p || comm.len > MAX_COMM)
		return;
	switch (tc_trim_names_naming(names, f->packet->machine, tid, ordinal)) {
	case TC_TRIM_NAMES_NOBODY: break;
	case TC_TRIM_NAMES_THREAD:
		tc_trim_bundle_rename(&f->instead, e, tid, comm);
		f->renamed++;
		break;
	case TC_TRIM_NAMES_MAIN:
		tc_trim_names_tell(names, f->packet->machine, tid, ts, comm);
		break;
	}
}

static void
save_names(struct tc_trim_ftrace *f, const struct tc_trim_event *e, int64_t ts,
	uint64_t ordinal)
{
	struct naming n;

	if (f->plan->called.is_idle)
		return;
	n = read_naming(e);
	save_name(f, e, ts, ordinal, n.prev, n.prev_comm);
	if (n.next != n.prev)
		save_name(f, e, ts, ordinal, n.next, n.next_comm);
}

/* Tasks whose names stay, and processes. */
static void
note_called(struct tc_trim_ftrace *f, const struct tc_trim_event *e, int64_t ts)
{
	struct tc_trim_names *names = &f->plan->called;
	uint32_t machine = f->packet->machine, pid;

	if (e->id == TC_TRIM_NEW_TASK) {
		pid = (uint32_t)number(e, NEW_TASK_PID);
		tc_trim_names_task(names, machine, pid, ts);
		if (!(number(e, NEW_TASK_FLAGS) & CLONE_THREAD))
			tc_trim_names_process(names, machine, pid);
	} else if (e->id == TC_TRIM_RENAME) {
		tc_trim_names_task(names, machine, (uint32_t)number(e, RENAME_PID), ts);
	} else if (e->id == TC_TRIM_EXEC) {
		tc_trim_names_process(names, machine, (uint32_t)number(e, EXEC_PID));
	}
}

/* Who made whom, and what they are called. */
static void
note_task(struct tc_trim_ftrace *f, const struct tc_trim_event *e)
{
	struct tc_trim_people *pp = &f->plan->people;
	uint32_t machine = f->packet->machine, pid;

	if (e->id == TC_TRIM_NEW_TASK) {
		pid = (uint32_t)number(e, NEW_TASK_PID);
		if (number(e, NEW_TASK_FLAGS) & CLONE_THREAD)
			tc_trim_people_link(
				pp, (struct tc_trim_link){ machine, pid, e->tid, true });
		else
			tc_trim_people_name(pp, machine, pid, text(e, NEW_TASK_COMM));
	} else if (e->id == TC_TRIM_RENAME) {
		tc_trim_people_comm(pp, machine, (uint32_t)number(e, RENAME_PID),
			text(e, RENAME_NEW));
	} else if (e->id == TC_TRIM_EXEC) {
		tc_trim_people_comm(
			pp, machine, (uint32_t)number(e, EXEC_PID), text(e, EXEC_FILE));
	}
}

/* Whether a marker says whose thread wrote it. */
static bool
is_owning(const struct tc_atrace *a)
{
	return a->tgid &&
		(a->phase == TC_ATRACE_BEGIN || a->phase == TC_ATRACE_END ||
			a->phase == TC_ATRACE_INSTANT);
}

/* Whether the event has a time, which then belongs to the trace's range. */
static bool
span_event(struct tc_trim_ftrace *f, const struct tc_trim_event *e, int64_t *ts)
{
	if (!event_time(f, e, ts))
		return false;
	if (*ts < f->first)
		f->first = *ts;
	if (*ts > f->last)
		f->last = *ts;
	return true;
}

static bool
pass_event(void *arg, const struct tc_trim_event *e)
{
	int64_t ts;

	span_event(arg, e, &ts);
	return false;
}

static bool
is_of_task(uint32_t id)
{
	return id >= TC_TRIM_NEW_TASK && id <= TC_TRIM_FREE;
}

static bool
note_event(void *arg, const struct tc_trim_event *e)
{
	struct tc_trim_ftrace *f = arg;
	struct tc_trim_plan *plan = f->plan;
	struct tc_trim_mark mark = { .machine = (uint16_t)f->packet->machine };
	struct tc_atrace a;
	bool is_mark = read_mark(e, &mark, &a);

	note_task(f, e);
	/* A marker names the process of the thread that wrote it. */
	if (plan->choose->processes.count && is_owning(&a))
		tc_trim_people_link(&plan->people,
			(struct tc_trim_link){ mark.machine, e->tid, a.tgid, false });
	if (!span_event(f, e, &mark.ts))
		return false;
	if (e->id == TC_TRIM_SWITCH || e->id == TC_TRIM_COMPACT_SWITCH) {
		note_switch(f, mark.ts);
		note_naming(f, e, mark.ts);
	}
	if (is_of_task(e->id))
		note_called(f, e, mark.ts);
	tc_trim_names_process(&plan->called, mark.machine, a.tgid);
	if (is_owning(&a))
		tc_trim_names_owner(&plan->called, mark.machine, e->tid, a.tgid, mark.ts);
	if (!is_mark)
		return false;
	if (mark.kind == TC_TRIM_BEGIN)
		mark.what = tc_trim_input_read(&plan->input, &mark, a.name, a.tgid);
	tc_trim_marks_add(&plan->marks, &mark);
	return false;
}

static void
read_bundle(struct tc_trim_ftrace *f, const struct tc_packet *p, tc_trim_event_fn *fn)
{
	enter(f, p);
	f->first = INT64_MAX;
	f->last = INT64_MIN;
	tc_trim_bundle_cut(p->data, fn, f, &f->instead, NULL);
	if (f->first <= f->last)
		tc_trace_span(f->trace, f->first, f->last);
}

void
tc_trim_ftrace_read(struct tc_trim_ftrace *f, const struct tc_packet *p)
{
	read_bundle(f, p, note_event);
}

void
tc_trim_ftrace_span(struct tc_trim_ftrace *f, const struct tc_packet *p)
{
	read_bundle(f, p, pass_event);
}

/* Of the machine, on whichever thread they happen to fall: frequencies, clocks. */
static bool
is_of_machine(uint32_t id)
{
	return (id >= TC_TRIM_FREQUENCY && id <= TC_TRIM_CLOCK_SET_RATE) ||
		id == TC_TRIM_CPU_HOTPLUG || id == TC_TRIM_SUSPEND_RESUME;
}

static bool
keep_switch(struct tc_trim_ftrace *f, const struct tc_trim_event *e, int64_t ts)
{
	struct tc_trim_people *pp = &f->plan->people;
	const struct tc_trim_cpu *cpu =
		cpu_of(f->plan, f->packet->machine, f->bundle.cpu);
	uint32_t machine = f->packet->machine;

	/*
	 * Who ran before is in an entry of its own here: none can go, and the
	 * first of all does nothing but tell who runs.
	 */
	if (e->id == TC_TRIM_COMPACT_SWITCH)
		return ts >= cpu->before[1] && ts <= cpu->after;
	return ts >= cpu->before[0] && ts <= cpu->after &&
		(tc_trim_people_has_thread(
			 pp, machine, (uint32_t)number(e, SWITCH_PREV_PID)) ||
			tc_trim_people_has_thread(
				pp, machine, (uint32_t)number(e, SWITCH_NEXT_PID)));
}

/* By whom it concerns, once its time is right. */
static bool
is_wanted(struct tc_trim_ftrace *f, const struct tc_trim_event *e)
{
	struct tc_trim_people *pp = &f->plan->people;
	uint32_t machine = f->packet->machine;

	if (e->id == TC_TRIM_COMPACT_WAKING)
		return tc_trim_people_has_thread(pp, machine, e->pid);
	if (tc_trim_people_has_thread(pp, machine, e->tid) || is_of_machine(e->id))
		return true;
	if (e->id != TC_TRIM_WAKING && e->id != TC_TRIM_WAKEUP &&
		e->id != TC_TRIM_WAKEUP_NEW)
		return false;
	return tc_trim_people_has_thread(pp, machine, (uint32_t)number(e, WAKING_WAKEE));
}

static bool
keep_mark(struct tc_trim_ftrace *f, const struct tc_trim_event *e,
	const struct tc_trim_mark *mark)
{
	struct tc_trim_people *pp = &f->plan->people;
	uint32_t machine = f->packet->machine;
	uint64_t ordinal = f->mark++;

	if (tc_trim_marks_is_forced(&f->plan->marks, ordinal))
		return true;
	if (!tc_trim_marks_has(&f->plan->marks, ordinal, mark->ts))
		return false;
	if (mark->kind == TC_TRIM_ASYNC_BEGIN || mark->kind == TC_TRIM_ASYNC_END)
		return tc_trim_people_has(pp, machine, mark->tid);
	return tc_trim_people_has_thread(pp, machine, e->tid);
}

static bool
is_needed(struct tc_trim_ftrace *f, const struct tc_trim_event *e, int64_t ts,
	struct tc_atrace *a)
{
	struct tc_trim_mark mark = { .ts = ts };
	bool is_kept_mark;
	uint64_t ordinal;

	if (read_mark(e, &mark, a)) {
		is_kept_mark = keep_mark(f, e, &mark);
		return mark.kind == TC_TRIM_RESET || is_kept_mark;
	}
	if (is_of_task(e->id))
		return true;
	if (e->id == TC_TRIM_SWITCH || e->id == TC_TRIM_COMPACT_SWITCH) {
		ordinal = f->switches++;
		if (keep_switch(f, e, ts))
			return true;
		save_names(f, e, ts, ordinal);
		return false;
	}
	return tc_trim_in_window(f->plan, ts, 0) && is_wanted(f, e);
}

static bool
keep_event(void *arg, const struct tc_trim_event *e)
{
	struct tc_trim_ftrace *f = arg;
	struct tc_atrace a;
	int64_t ts;

	/* Nobody can say when that was. */
	if (!event_time(f, e, &ts))
		return true;
	if (!is_needed(f, e, ts, &a))
		return false;
	if (is_owning(&a))
		tc_trim_names_owned(&f->plan->called, f->packet->machine, e->tid);
	if (ts > f->last)
		f->last = ts;
	return true;
}

bool
tc_trim_ftrace_cut(
	struct tc_trim_ftrace *f, const struct tc_packet *p, struct tc_pb_buf *out)
{
	enter(f, p);
	return tc_trim_bundle_cut(p->data, keep_event, f, &f->instead, out) != 0 ||
		f->is_needed;
}

void
tc_trim_ftrace_release(struct tc_trim_ftrace *f)
{
	tc_map_release(&f->seen_cpus);
	tc_pb_buf_release(&f->instead);
}
