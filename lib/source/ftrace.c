/*
 * linux.ftrace: what the kernel and the markers of all threads tell. This file
 * reads the bundles; what their events mean is made rows of other sources.
 */
#include "ftrace/ftrace.h"

#include <stdlib.h>

#include "slices/slices.h"
#include "source/priv.h"
#include "source/source.h"

struct state {
	struct tc_ftrace_wants wants;
	struct tc_ftrace **machines; /* owned, by index; NULL: none of its bundles yet */
	size_t machine_count, machine_cap;
	struct tc_slices slices;
	struct tc_sched sched;
};

static bool
wants_slice(const void *arg, struct tc_str name, size_t ahead)
{
	const struct tc_choose *c = arg;

	return tc_slice_is_default(name, ahead) || tc_choose_slice(c, name) ||
		tc_choose_is_marker(c, name);
}

static bool
wants_default(const void *arg, struct tc_str name, size_t ahead)
{
	(void)arg;
	return tc_slice_is_default(name, ahead);
}

static bool
wants_marker(const void *arg, struct tc_str name, size_t ahead)
{
	(void)ahead;
	return tc_choose_is_marker(arg, name);
}

static bool
wants_counter(const void *arg, struct tc_str name)
{
	return tc_choose_counter(arg, name);
}

/* The least that tells whether a slice is wanted, since every one is asked about. */
static bool (*slice_question(const struct tc_decode *d))(
	const void *, struct tc_str, size_t)
{
	const struct tc_choose *c = d->choose;

	if (d->has_no_rows)
		return wants_marker;
	if (c->slices.count || c->from.kind == TC_CHOOSE_MARKER ||
		c->to.kind == TC_CHOOSE_MARKER)
		return wants_slice;
	return wants_default;
}

/* The types that markers tell something of. */
static bool
wants_markers(const struct tc_choose *c)
{
	static const char *const types[] = { "slice", "counter", "input_latency",
		"process", "thread" };
	size_t i;

	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (tc_choose_type(c, types[i]))
			return true;
	return c->from.kind == TC_CHOOSE_MARKER || c->to.kind == TC_CHOOSE_MARKER;
}

/* What comes late on a pipe cannot be read again, so more is held there. */
static size_t
window_of(const struct tc_decode *d)
{
	if (d->has_no_window)
		return TC_FTRACE_NO_WINDOW;
	return d->is_read_once ? 2 * TC_FTRACE_WINDOW : TC_FTRACE_WINDOW;
}

static void
set_wants(struct tc_decode *d, struct state *st)
{
	st->wants = (struct tc_ftrace_wants){
		.names = &d->names,
		.markers = wants_markers(d->choose),
		.sched = tc_choose_type(d->choose, "sched"),
		.cpu_frequency = tc_choose_counter(d->choose, TC_STR("cpufreq")),
		.slice = slice_question(d),
		.counter = wants_counter,
		.arg = d->choose,
		.window = window_of(d),
	};
}

static struct tc_ftrace *
machine_of(struct tc_decode *d, struct state *st, uint32_t machine)
{
	size_t n;

	if (machine >= st->machine_count) {
		n = st->machine_count;
		tc_mem_grow(&st->machines, &st->machine_cap, (size_t)machine + 1,
			sizeof(*st->machines));
		for (st->machine_count = (size_t)machine + 1; n < st->machine_count; n++)
			st->machines[n] = NULL;
	}
	if (!st->machines[machine]) {
		set_wants(d, st);
		st->machines[machine] = tc_mem_alloc(sizeof(**st->machines));
		tc_ftrace_init(st->machines[machine], &st->wants);
	}
	return st->machines[machine];
}

static struct tc_slice_mark
mark_of(const struct tc_ftrace_event *e, uint32_t machine)
{
	return (struct tc_slice_mark){
		.ts = e->ts,
		.end = TC_SLICE_NONE,
		.machine = machine,
		.tid = e->tid,
		.pid = e->pid,
		.name = e->is_wanted ? e->name : 0,
		.cookie = e->value,
	};
}

/* The same of what is on a named track. */
static struct tc_slice_mark
track_mark_of(
	const struct tc_ftrace *f, const struct tc_ftrace_event *e, uint32_t machine)
{
	const struct tc_ftrace_track *t = &f->tracks[e->name];
	struct tc_slice_mark m = mark_of(e, machine);

	m.name = e->is_wanted ? t->name : 0;
	m.track = t->track;
	return m;
}

/* A marker names the process of the thread that wrote it. */
static struct tc_slice_thread *
thread_of(struct tc_decode *d, struct state *st, const struct tc_ftrace_event *e,
	uint32_t machine)
{
	struct tc_slice_thread *t;
	bool is_new_owner;

	t = tc_slices_thread(&st->slices, machine, e->tid, e->pid, e->ts, &is_new_owner);
	if (is_new_owner)
		tc_source_task(d, TC_TASK_OWNED, e->ts, machine, e->tid)->pid = e->pid;
	return t;
}

static void
mark_thread(struct tc_decode *d, struct state *st, const struct tc_ftrace_event *e,
	uint32_t machine)
{
	struct tc_slice_thread *t = thread_of(d, st, e, machine);
	struct tc_slice_mark m = mark_of(e, machine);
	struct tc_slice *slice;

	if (e->kind == TC_FTRACE_WHOLE)
		m.end = e->value;
	slice = e->kind == TC_FTRACE_INSTANT ? tc_slices_instant(&st->slices, t, &m)
					     : tc_slices_begin(&st->slices, t, &m);
	if (slice)
		tc_source_add_slice(d, slice);
}

static void
mark_process(struct tc_decode *d, struct state *st, const struct tc_ftrace_event *e,
	uint32_t machine)
{
	struct tc_slice_mark m = mark_of(e, machine);
	struct tc_slice *slice = NULL;

	if (e->kind >= TC_FTRACE_TRACK_BEGIN)
		m = track_mark_of(st->machines[machine], e, machine);
	if (e->kind == TC_FTRACE_ASYNC_BEGIN || e->kind == TC_FTRACE_TRACK_BEGIN)
		slice = tc_slices_async_begin(&st->slices, &m);
	else if (e->kind == TC_FTRACE_TRACK_INSTANT)
		slice = tc_slices_async_instant(&st->slices, &m);
	else
		tc_slices_async_end(&st->slices, &m);
	if (slice)
		tc_source_add_slice(d, slice);
}

static void
live(struct tc_decode *d, struct state *st, const struct tc_ftrace_event *e,
	uint32_t machine)
{
	static const enum tc_task_fact facts[] = {
		[TC_FTRACE_NEW_TASK] = TC_TASK_BORN,
		[TC_FTRACE_RENAME] = TC_TASK_RENAMED,
		[TC_FTRACE_EXEC] = TC_TASK_EXECUTED,
		[TC_FTRACE_EXIT] = TC_TASK_EXITED,
		[TC_FTRACE_FORK] = TC_TASK_FORKED,
		[TC_FTRACE_FREE] = TC_TASK_FREED,
	};
	struct tc_task_row *row;

	row = tc_source_task(d, facts[e->kind], e->ts, machine, e->pid);
	row->pid = e->tid;
	row->name = e->name;
	row->is_thread = e->value & TC_TASK_CLONE_THREAD;
	if (e->kind == TC_FTRACE_NEW_TASK)
		tc_slices_forget(&st->slices, machine, e->pid, e->ts);
}

static void
deliver(struct tc_decode *d, struct state *st, const struct tc_ftrace_event *e,
	uint32_t machine)
{
	if (e->is_wanted)
		st->slices.count += tc_ftrace_begun(st->machines[machine], e);
	switch ((enum tc_ftrace_kind)e->kind) {
	case TC_FTRACE_ENTER:
	case TC_FTRACE_END:
		tc_slices_move_any(
			&st->slices, thread_of(d, st, e, machine), e->ts, e->value);
		break;
	case TC_FTRACE_BEGUN: st->slices.count++; break;
	case TC_FTRACE_BEGIN:
	case TC_FTRACE_WHOLE:
	case TC_FTRACE_INSTANT: mark_thread(d, st, e, machine); break;
	case TC_FTRACE_ASYNC_BEGIN:
	case TC_FTRACE_ASYNC_END:
	case TC_FTRACE_TRACK_BEGIN:
	case TC_FTRACE_TRACK_END:
	case TC_FTRACE_TRACK_INSTANT: mark_process(d, st, e, machine); break;
	case TC_FTRACE_COUNTER:
	case TC_FTRACE_CPU_FREQUENCY: tc_source_add_counter(d, e, machine); break;
	case TC_FTRACE_SWITCH:
	case TC_FTRACE_COMPACT_SWITCH:
	case TC_FTRACE_WAKING: tc_sched_event(&st->sched, d, e, machine); break;
	case TC_FTRACE_NEW_TASK:
	case TC_FTRACE_RENAME:
	case TC_FTRACE_EXEC:
	case TC_FTRACE_EXIT:
	case TC_FTRACE_FORK:
	case TC_FTRACE_FREE: live(d, st, e, machine); break;
	}
}

static void
drain(struct tc_decode *d, struct state *st, uint32_t machine, bool is_end)
{
	struct tc_ftrace *f = st->machines[machine];
	const struct tc_ftrace_event *e;
	bool is_move;

	while ((e = tc_ftrace_next(f, is_end))) {
		is_move = e->kind == TC_FTRACE_ENTER || e->kind == TC_FTRACE_END;
		if (!is_move ||
			!tc_slices_move(&st->slices, machine, e->tid, e->pid, e->value))
			deliver(d, st, e, machine);
	}
}

static void
keep(struct tc_decode *d, void *state, const struct tc_packet *p)
{
	struct state *st = state;

	tc_ftrace_add(machine_of(d, st, p->machine), &d->trace, p);
	drain(d, st, p->machine, false);
}

void
tc_source_ftrace_start(struct tc_decode *d, uint32_t machine, int64_t ts)
{
	struct state *st = d->use[tc_source_place_of(&tc_source_ftrace)].state;

	tc_ftrace_start(machine_of(d, st, machine), ts);
}

/* From its first mark that counts on, and once more at its last one. */
static void
add_owner(struct tc_decode *d, const struct tc_ftrace_owner *o, int64_t from,
	uint32_t machine)
{
	int64_t first = o->first_ts > from ? o->first_ts : from;

	if (o->last_ts < from)
		return;
	tc_source_task(d, TC_TASK_OWNED, first, machine, o->tid)->pid = o->pid;
	if (o->last_ts > first)
		tc_source_task(d, TC_TASK_OWNED, o->last_ts, machine, o->tid)->pid =
			o->pid;
}

/* What is known of tasks beside their events, but not of times that do not count. */
static void
add_tasks(struct tc_decode *d, struct tc_ftrace *f, uint32_t machine)
{
	int64_t from = f->valid_from > f->started ? f->valid_from : f->started;
	const struct tc_ftrace_comm *c;
	size_t i;

	tc_ftrace_end_tasks(f);
	for (i = 0; i < f->comm_count; i++) {
		c = &f->comms[i];
		if (c->ts >= from)
			tc_source_task(d, TC_TASK_COMM, c->ts, machine, c->tid)->name =
				c->name;
	}
	for (i = 0; i < f->owner_count; i++)
		add_owner(d, &f->owners[i], from, machine);
}

static void
finish(struct tc_decode *d, void *state)
{
	struct state *st = state;
	size_t i;

	for (i = 0; i < st->machine_count; i++) {
		if (!st->machines[i])
			continue;
		drain(d, st, (uint32_t)i, true);
		add_tasks(d, st->machines[i], (uint32_t)i);
		d->is_late |= st->machines[i]->is_late;
		d->trace.stats[TC_STAT_FTRACE_LATE] += st->machines[i]->late;
	}
	tc_slices_finish(&st->slices);
	d->trace.stats[TC_STAT_MAX_DEPTH] += st->slices.too_deep;
}

static void
release(void *state)
{
	struct state *st = state;
	size_t i;

	for (i = 0; i < st->machine_count; i++) {
		if (st->machines[i])
			tc_ftrace_release(st->machines[i]);
		free(st->machines[i]);
	}
	free(st->machines);
	tc_slices_release(&st->slices);
	tc_sched_release(&st->sched);
}

const struct tc_source tc_source_ftrace = {
	.name = "linux.ftrace",
	.help = "what threads did: slices, scheduling, their names",
	.field = TC_PACKET_FTRACE_EVENTS,
	.has_markers = true,
	.state_size = sizeof(struct state),
	.keep = keep,
	.finish = finish,
	.release = release,
};
