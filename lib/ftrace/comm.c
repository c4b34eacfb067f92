/*
 * Names of threads as the scheduler tells them with every switch, and whose they are as
 * their marks tell. All that is kept is when each was first and last seen: that decides
 * which one a thread had at the end, in whatever order the CPUs are read.
 */
#include "ftrace/ftrace.h"

#include <string.h>

#include "ftrace/priv.h"

struct tc_ftrace_task *
tc_ftrace_make_task(struct tc_ftrace *f, uint32_t tid)
{
	uint64_t *index;
	bool made;

	index = tc_map_put(&f->task_index, tid, 0, &made);
	if (made) {
		tc_mem_grow(
			&f->tasks, &f->task_cap, f->task_count + 1, sizeof(*f->tasks));
		*index = f->task_count;
		f->tasks[f->task_count++] = (struct tc_ftrace_task){ .tid = tid };
	}
	f->last_task[tid % TC_FTRACE_LAST_TASKS] = (uint32_t)*index;
	return &f->tasks[*index];
}

void
tc_ftrace_set_long_name(
	struct tc_ftrace_bundle *b, struct tc_ftrace_name *name, struct tc_str text)
{
	char copy[TC_FTRACE_COMM_BYTES] = { 0 };

	text = tc_ftrace_clip(b, text);
	if (text.len <= TC_FTRACE_COMM_BYTES)
		memcpy(copy, text.p, text.len);
	*name = (struct tc_ftrace_name){ text.p, text.len, tc_mem_fixed64(copy),
		tc_mem_fixed64(copy + 8) };
}

static void
add_comm(struct tc_ftrace *f, int64_t ts, const struct tc_ftrace_task *task)
{
	tc_mem_grow(&f->comms, &f->comm_cap, f->comm_count + 1, sizeof(*f->comms));
	f->comms[f->comm_count++] = (struct tc_ftrace_comm){ ts, task->tid, task->name };
}

/* The name that a thread had until now is done. */
static void
end_name(struct tc_ftrace *f, const struct tc_ftrace_task *task)
{
	if (!task->name)
		return;
	add_comm(f, task->first_ts, task);
	if (task->last_ts != task->first_ts)
		add_comm(f, task->last_ts, task);
}

void
tc_ftrace_set_comm(struct tc_ftrace *f, struct tc_ftrace_task *task, int64_t ts,
	const struct tc_ftrace_name *comm)
{
	uint32_t name = tc_strtab_id(
		f->wants->names, (struct tc_str){ comm->p, comm->len, false });

	if (task->name == name) { /* one that is too long to be held against bytes */
		tc_ftrace_widen(task, ts);
		return;
	}
	end_name(f, task);
	task->name = name;
	task->first_ts = task->last_ts = ts;
	task->len = comm->len <= TC_FTRACE_COMM_BYTES ? comm->len : 0;
	task->low = comm->low;
	task->high = comm->high;
}

static void
add_owner(struct tc_ftrace *f, int64_t ts, const struct tc_ftrace_task *task)
{
	tc_mem_grow(&f->owners, &f->owner_cap, f->owner_count + 1, sizeof(*f->owners));
	f->owners[f->owner_count++] =
		(struct tc_ftrace_owner){ ts, task->tid, task->pid };
}

/* The thread was that process's until now. */
static void
end_owner(struct tc_ftrace *f, const struct tc_ftrace_task *task)
{
	if (!task->pid)
		return;
	add_owner(f, task->first_mark, task);
	if (task->last_mark != task->first_mark)
		add_owner(f, task->last_mark, task);
}

void
tc_ftrace_see_owner(struct tc_ftrace *f, uint32_t tid, uint32_t pid, int64_t first_ts,
	int64_t last_ts)
{
	struct tc_ftrace_task *task = tc_ftrace_task_of(f, tid);

	if (task->pid != pid) {
		end_owner(f, task);
		task->pid = pid;
		task->first_mark = first_ts;
		task->last_mark = last_ts;
	}
	if (first_ts < task->first_mark)
		task->first_mark = first_ts;
	if (last_ts > task->last_mark)
		task->last_mark = last_ts;
}

/* The same of marks whose CPU has not turned to another thread yet, and does now. */
static void
see_open(struct tc_ftrace *f, struct tc_ftrace_open *open)
{
	if (open->pid)
		tc_ftrace_see_owner(
			f, open->tid, open->pid, open->first_ts, open->last_ts);
	open->pid = 0;
}

void
tc_ftrace_end_owner(struct tc_ftrace *f, uint32_t tid)
{
	struct tc_ftrace_task *task;
	size_t i;

	for (i = 0; i < f->order_count; i++)
		if (f->cpus[f->order[i]].open.tid == tid)
			see_open(f, &f->cpus[f->order[i]].open);
	task = tc_ftrace_task_of(f, tid);
	end_owner(f, task);
	task->pid = 0;
}

void
tc_ftrace_end_tasks(struct tc_ftrace *f)
{
	size_t i;

	for (i = 0; i < f->order_count; i++)
		see_open(f, &f->cpus[f->order[i]].open);
	for (i = 0; i < f->task_count; i++) {
		end_name(f, &f->tasks[i]);
		end_owner(f, &f->tasks[i]);
		f->tasks[i].name = 0;
		f->tasks[i].len = 0;
		f->tasks[i].pid = 0;
	}
}
