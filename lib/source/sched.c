/*
 * What threads were doing: on a CPU, waiting for one, or for something else. A
 * switch ends the span of who leaves and of who comes; being woken makes a
 * sleeper runnable.
 */
#include <stdlib.h>

#include "rec/rec.h"
#include "source/priv.h"

/* Of who is on a CPU; others have the kernel's state (spec 6.6). */
enum { RUNNING = -1, RUNNABLE = 0, PREEMPTED = 0x100 };

struct tc_sched_row {
	struct tc_row row; /* first */
	uint32_t tid, machine;
	int64_t ts, dur;
	int32_t state;
	uint32_t utid;
	uint16_t cpu; /* while running */
};

/* The open span of a thread, NULL when nothing is known of it yet. */
static struct tc_sched_row **
span_of(struct tc_sched *s, uint32_t machine, uint32_t tid)
{
	uint64_t *index;
	bool made;

	index = tc_map_put(&s->by_tid, machine, tid, &made);
	if (made) {
		tc_mem_grow(
			&s->spans, &s->span_cap, s->span_count + 1, sizeof(*s->spans));
		*index = s->span_count;
		s->spans[s->span_count++] = NULL;
	}
	return &s->spans[*index];
}

static void
enter(struct tc_sched *s, struct tc_decode *d, const struct tc_ftrace_event *e,
	uint32_t machine, uint32_t tid, int32_t state)
{
	struct tc_sched_row **span, *r;

	if (!tid)
		return; /* the idle task does nothing */
	span = span_of(s, machine, tid);
	if (*span)
		(*span)->dur = e->ts - (*span)->ts;
	r = tc_source_event(d, &tc_source_sched, e->ts, sizeof(*r));
	r->tid = tid;
	r->machine = machine;
	r->ts = e->ts;
	r->dur = -1;
	r->state = state;
	r->cpu = e->cpu;
	*span = r;
}

static void
switched(struct tc_sched *s, struct tc_decode *d, const struct tc_ftrace_event *e,
	uint32_t machine)
{
	uint64_t *running;
	uint32_t prev;
	bool made;

	running = tc_map_put(&s->running, machine, e->cpu, &made);
	prev = e->kind == TC_FTRACE_SWITCH ? e->tid : (uint32_t)*running;
	/* Whoever was thought to be on this CPU left unseen: nobody knows when. */
	if (!made && *running != prev)
		*span_of(s, machine, (uint32_t)*running) = NULL;
	enter(s, d, e, machine, prev, (int32_t)(e->value & 0xffff));
	enter(s, d, e, machine, e->pid, RUNNING);
	*running = e->pid;
}

static void
woken(struct tc_sched *s, struct tc_decode *d, const struct tc_ftrace_event *e,
	uint32_t machine)
{
	const struct tc_sched_row *span = *span_of(s, machine, e->pid);

	if (!span ||
		(span->state != RUNNING && span->state != RUNNABLE &&
			span->state != PREEMPTED))
		enter(s, d, e, machine, e->pid, RUNNABLE);
}

void
tc_sched_event(struct tc_sched *s, struct tc_decode *d, const struct tc_ftrace_event *e,
	uint32_t machine)
{
	if (e->kind == TC_FTRACE_WAKING)
		woken(s, d, e, machine);
	else
		switched(s, d, e, machine);
}

void
tc_sched_release(struct tc_sched *s)
{
	tc_map_release(&s->by_tid);
	tc_map_release(&s->running);
	free(s->spans);
	*s = (struct tc_sched){ 0 };
}

/*
 * The letters of a state of kernel 4.14 and newer; older ones agree on the
 * first two bits only, and the rest is not told.
 */
static struct tc_str
state_name(int32_t state, bool is_old_kernel, char buf[16])
{
	static const char letters[] = { 'S', 'D', 'T', 't', 'X', 'Z', 'P', 'I' };
	size_t i, n = 0;

	if (state == RUNNING)
		return TC_STR("Running");
	if (is_old_kernel && (state & ~3))
		return (struct tc_str){ 0 };
	if (!(state & 0xff))
		return state & PREEMPTED ? TC_STR("R+") : TC_STR("R");
	for (i = 0; i < sizeof(letters); i++)
		if (state & 1 << i)
			buf[n++] = letters[i];
	if (state & PREEMPTED)
		buf[n++] = '+';
	return (struct tc_str){ buf, (uint32_t)n, true };
}

static void
apply(struct tc_decode *d, void *state, int64_t ts, struct tc_row *base)
{
	struct tc_sched_row *r = (struct tc_sched_row *)base;

	(void)state;
	(void)ts;
	r->utid = tc_procs_utid(&d->procs, r->machine, r->tid, 0);
}

static void
put(struct tc_decode *d, void *state, int64_t ts, struct tc_row *base, struct tc_out *o)
{
	const struct tc_sched_row *r = (const struct tc_sched_row *)base;
	const struct tc_thread *t = &d->procs.threads[r->utid];
	struct tc_rec_list edge;
	char buf[16];

	(void)state;
	if (!t->name || !d->chosen.sched || !tc_source_has_process(d, t->upid) ||
		!tc_source_has_time(d, ts, r->dur, &edge))
		return;
	tc_rec_put(o, &tc_rec_sched,
		&(struct tc_rec_sched){
			.ts = ts,
			.dur = r->dur,
			.utid = t->utid,
			.tid = t->tid,
			.pid = t->upid == TC_PROC_NONE
				? TC_NONE
				: (int64_t)d->procs.processes[t->upid].pid,
			.state = state_name(r->state, d->facts.has_old_kernel, buf),
			.cpu = r->state == RUNNING ? (int64_t)r->cpu : TC_NONE,
			.edge = edge,
			.outlier = tc_source_outlier(d, ts),
			.machine_id = tc_source_machine_id(d, r->machine),
			.trace = d->index,
		});
}

const struct tc_source tc_source_sched = { .apply = apply, .put = put };
