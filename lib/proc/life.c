/* What the kernel tells of a task's life: born, renamed, another program, gone. */
#include "proc/priv.h"

void
tc_procs_born(struct tc_procs *ps, const struct tc_proc_birth *b)
{
	const struct tc_thread *parent;
	struct tc_process *p;
	struct tc_thread *t;
	uint32_t parent_utid, parent_upid;
	uint64_t gone;

	/* By itself: it may move the array. */
	parent_utid = tc_procs_utid(ps, b->machine, b->parent_tid, 0);
	parent = &ps->threads[parent_utid];
	parent_upid = parent->upid;
	if (b->is_thread) {
		t = tc_procs_add_thread(ps,
			(struct tc_thread){ .tid = b->tid,
				.machine = b->machine,
				.upid = parent_upid });
	} else {
		/* Whoever had the number is gone, even if nobody said so. */
		tc_map_take(&ps->by_tid, b->machine, b->tid, &gone);
		p = tc_procs_add_process(ps, b->machine, b->tid);
		p->start_ts = b->ts;
		p->name = b->name;
		if (parent_upid != TC_PROC_NONE)
			p->ppid = ps->processes[parent_upid].pid;
		t = tc_procs_find_thread(ps, b->machine, b->tid);
	}
	tc_procs_name_thread(t, b->name, TC_PROC_SCHEDULER);
}

void
tc_procs_forked(struct tc_procs *ps, uint32_t machine, uint32_t tid, uint32_t name)
{
	if (!tc_procs_find_thread(ps, machine, tid))
		tc_procs_comm(ps, machine, tid, name);
}

void
tc_procs_renamed(struct tc_procs *ps, uint32_t machine, uint32_t tid, uint32_t name)
{
	uint32_t utid = tc_procs_utid(ps, machine, tid, 0);
	struct tc_thread *t = &ps->threads[utid];

	tc_procs_name_thread(t, name, TC_PROC_SCHEDULER);
	if (name && t->is_main && t->upid != TC_PROC_NONE)
		ps->processes[t->upid].name = name;
}

void
tc_procs_executed(struct tc_procs *ps, uint32_t machine, uint32_t pid, uint32_t file)
{
	uint32_t upid;

	if (!file)
		return;
	upid = tc_procs_upid(ps, machine, pid);
	ps->processes[upid].name = file;
}

/* The process that ends with this thread, or NULL. */
static struct tc_process *
process_ended(struct tc_procs *ps, uint32_t machine, uint32_t tid)
{
	const struct tc_thread *t = tc_procs_find_thread(ps, machine, tid);

	return t && t->is_main && t->upid != TC_PROC_NONE ? &ps->processes[t->upid]
							  : NULL;
}

void
tc_procs_exited(struct tc_procs *ps, uint32_t machine, uint32_t tid, int64_t ts)
{
	struct tc_process *p = process_ended(ps, machine, tid);

	if (p)
		p->exit_ts = ts;
}

void
tc_procs_freed(struct tc_procs *ps, uint32_t machine, uint32_t tid, int64_t ts)
{
	struct tc_process *p = process_ended(ps, machine, tid);
	uint64_t gone;

	ps->has_frees = true;
	if (p) {
		p->free_ts = ts;
		tc_map_take(&ps->by_pid, machine, p->pid, &gone);
	}
	tc_map_take(&ps->by_tid, machine, tid, &gone);
}

int64_t
tc_procs_end_ts(const struct tc_procs *ps, uint32_t upid)
{
	const struct tc_process *p = &ps->processes[upid];

	return ps->has_frees ? p->free_ts : p->exit_ts;
}
