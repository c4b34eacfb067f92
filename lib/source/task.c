/* Facts of tasks' lives, from ftrace, in the order in which they happened. */
#include "source/priv.h"

struct tc_task_row *
tc_source_task(struct tc_decode *d, enum tc_task_fact fact, int64_t ts, uint32_t machine,
	uint32_t tid)
{
	struct tc_task_row *row = tc_source_event(d, &tc_source_tasks, ts, sizeof(*row));

	row->fact = (uint8_t)fact;
	row->machine = machine;
	row->tid = tid;
	return row;
}

static void
apply(struct tc_decode *d, void *state, int64_t ts, struct tc_row *base)
{
	const struct tc_task_row *r = (const struct tc_task_row *)base;
	struct tc_procs *ps = &d->procs;

	(void)state;
	switch ((enum tc_task_fact)r->fact) {
	case TC_TASK_OWNED: tc_procs_utid(ps, r->machine, r->tid, r->pid); break;
	case TC_TASK_COMM: tc_procs_comm(ps, r->machine, r->tid, r->name); break;
	case TC_TASK_BORN:
		tc_procs_born(ps,
			&(struct tc_proc_birth){ .machine = r->machine,
				.parent_tid = r->pid,
				.tid = r->tid,
				.name = r->name,
				.ts = ts,
				.is_thread = r->is_thread });
		break;
	case TC_TASK_FORKED: tc_procs_forked(ps, r->machine, r->tid, r->name); break;
	case TC_TASK_RENAMED: tc_procs_renamed(ps, r->machine, r->tid, r->name); break;
	case TC_TASK_EXECUTED: tc_procs_executed(ps, r->machine, r->tid, r->name); break;
	case TC_TASK_EXITED: tc_procs_exited(ps, r->machine, r->tid, ts); break;
	case TC_TASK_FREED: tc_procs_freed(ps, r->machine, r->tid, ts); break;
	}
}

const struct tc_source tc_source_tasks = { .apply = apply };
