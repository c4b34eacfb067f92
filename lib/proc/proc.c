#include "proc/proc.h"

#include <stdlib.h>

#include "proc/priv.h"

struct tc_thread *
tc_procs_add_thread(struct tc_procs *ps, struct tc_thread thread)
{
	bool made;

	tc_mem_grow(&ps->threads, &ps->thread_cap, ps->thread_count + 1,
		sizeof(*ps->threads));
	thread.utid = (uint32_t)ps->thread_count;
	ps->threads[ps->thread_count++] = thread;
	*tc_map_put(&ps->by_tid, thread.machine, thread.tid, &made) = thread.utid;
	return &ps->threads[thread.utid];
}

struct tc_thread *
tc_procs_find_thread(struct tc_procs *ps, uint32_t machine, uint32_t tid)
{
	uint64_t *utid = tc_map_get(&ps->by_tid, machine, tid);

	return utid ? &ps->threads[*utid] : NULL;
}

/* A thread that was seen before its process becomes its main thread. */
static void
add_main_thread(struct tc_procs *ps, const struct tc_process *p)
{
	struct tc_thread *t = tc_procs_find_thread(ps, p->machine, p->pid);

	if (t && t->upid == TC_PROC_NONE) {
		t->upid = p->upid;
		t->is_main = true;
		return;
	}
	tc_procs_add_thread(ps,
		(struct tc_thread){ .tid = p->pid,
			.machine = p->machine,
			.upid = p->upid,
			.is_main = true });
}

struct tc_process *
tc_procs_add_process(struct tc_procs *ps, uint32_t machine, uint32_t pid)
{
	struct tc_process *p;
	bool made;

	tc_mem_grow(&ps->processes, &ps->process_cap, ps->process_count + 1,
		sizeof(*ps->processes));
	p = &ps->processes[ps->process_count];
	*p = (struct tc_process){ .upid = (uint32_t)ps->process_count,
		.pid = pid,
		.machine = machine,
		.ppid = -1,
		.uid = -1,
		.start_ts = -1,
		.start_from_boot = -1,
		.exit_ts = -1,
		.free_ts = -1 };
	ps->process_count++;
	*tc_map_put(&ps->by_pid, machine, pid, &made) = p->upid;
	add_main_thread(ps, p);
	return p;
}

void
tc_procs_init(struct tc_procs *ps, uint32_t swapper)
{
	*ps = (struct tc_procs){ 0 };
	tc_procs_add_process(ps, 0, 0);
	ps->threads[0].name = swapper;
}

void
tc_procs_release(struct tc_procs *ps)
{
	free(ps->processes);
	free(ps->threads);
	tc_map_release(&ps->by_pid);
	tc_map_release(&ps->by_tid);
	*ps = (struct tc_procs){ 0 };
}

uint32_t
tc_procs_upid(struct tc_procs *ps, uint32_t machine, uint32_t pid)
{
	uint64_t *upid = tc_map_get(&ps->by_pid, machine, pid);

	return upid ? (uint32_t)*upid : tc_procs_add_process(ps, machine, pid)->upid;
}

/* A process that started at another time than the one known is another one. */
static struct tc_process *
process_of_entry(struct tc_procs *ps, const struct tc_proc_entry *e)
{
	uint32_t upid = tc_procs_upid(ps, e->machine, e->pid);
	int64_t known = ps->processes[upid].start_from_boot;

	if (known >= 0 && e->start_from_boot >= 0 && known != e->start_from_boot)
		return tc_procs_add_process(ps, e->machine, e->pid);
	return &ps->processes[upid];
}

void
tc_procs_name_thread(struct tc_thread *t, uint32_t name, enum tc_proc_source source)
{
	if (!name || t->named_by > source)
		return;
	t->name = name;
	t->named_by = (uint8_t)source;
}

static void
name_main_thread(struct tc_procs *ps, const struct tc_process *p)
{
	struct tc_thread *t = tc_procs_find_thread(ps, p->machine, p->pid);

	if (t && t->upid == p->upid)
		tc_procs_name_thread(t, p->name, TC_PROC_TREE);
}

bool
tc_procs_learn_process(struct tc_procs *ps, const struct tc_proc_entry *e)
{
	struct tc_process *p = process_of_entry(ps, e);
	bool adopted = p->ppid >= 0 && e->ppid >= 0 && p->ppid != e->ppid;

	if (p->ppid < 0)
		p->ppid = e->ppid;
	if (e->uid >= 0)
		p->uid = e->uid;
	if (p->start_from_boot < 0) {
		p->start_from_boot = e->start_from_boot;
		if (p->start_ts < 0)
			p->start_ts = e->start_ts;
	}
	p->name = e->name;
	if (e->names_main_thread)
		name_main_thread(ps, p);
	return adopted;
}

uint32_t
tc_procs_utid(struct tc_procs *ps, uint32_t machine, uint32_t tid, uint32_t tgid)
{
	uint32_t upid = tgid ? tc_procs_upid(ps, machine, tgid) : TC_PROC_NONE;
	struct tc_thread *t = tc_procs_find_thread(ps, machine, tid);

	if (t && t->upid == TC_PROC_NONE)
		t->upid = upid;
	if (t && (!tgid || t->upid == upid))
		return t->utid;
	return tc_procs_add_thread(
		ps, (struct tc_thread){ .tid = tid, .machine = machine, .upid = upid })
		->utid;
}

void
tc_procs_learn_thread(
	struct tc_procs *ps, uint32_t machine, uint32_t tid, uint32_t tgid, uint32_t name)
{
	uint32_t utid = tc_procs_utid(ps, machine, tid, tgid);

	tc_procs_name_thread(&ps->threads[utid], name, TC_PROC_TREE);
}

void
tc_procs_comm(struct tc_procs *ps, uint32_t machine, uint32_t tid, uint32_t name)
{
	uint32_t utid = tc_procs_utid(ps, machine, tid, 0);

	tc_procs_name_thread(&ps->threads[utid], name, TC_PROC_SCHEDULER);
}
