/*
 * Names of threads as the scheduler tells them with every switch. All that is
 * kept is when each name was first and last seen: that decides which one a
 * thread had at the end, in whatever order the CPUs are read.
 */
#include "ftrace/ftrace.h"

#include <string.h>

#include "ftrace/priv.h"

static struct tc_ftrace_task *
task_of(struct tc_ftrace *f, uint32_t tid)
{
	uint32_t *last = &f->last_task[tid % TC_FTRACE_LAST_TASKS];
	struct tc_ftrace_task *task;
	uint64_t *index;
	bool made;

	if (*last < f->task_count && f->tasks[*last].tid == tid)
		return &f->tasks[*last];
	index = tc_map_put(&f->task_index, tid, 0, &made);
	if (made) {
		tc_mem_grow(&f->tasks, &f->task_cap, f->task_count + 1, sizeof(*task));
		*index = f->task_count;
		f->tasks[f->task_count++] = (struct tc_ftrace_task){ .tid = tid };
	}
	*last = (uint32_t)*index;
	return &f->tasks[*index];
}

static void
add(struct tc_ftrace *f, int64_t ts, const struct tc_ftrace_task *task)
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
	add(f, task->first_ts, task);
	if (task->last_ts != task->first_ts)
		add(f, task->last_ts, task);
}

static void
set_name(struct tc_ftrace *f, struct tc_ftrace_task *task, int64_t ts, struct tc_str comm)
{
	uint32_t name = tc_strtab_id(f->wants->names, comm);

	if (task->name == name) { /* one that is too long to be held against bytes */
		tc_ftrace_widen(task, ts);
		return;
	}
	end_name(f, task);
	task->name = name;
	task->first_ts = task->last_ts = ts;
	task->len = comm.len <= TC_FTRACE_COMM_BYTES ? (uint8_t)comm.len : 0;
	memcpy(task->comm, comm.p, task->len);
}

uint32_t
tc_ftrace_see_comm(struct tc_ftrace *f, int64_t ts, uint32_t tid, struct tc_str comm)
{
	struct tc_ftrace_task *task = task_of(f, tid);

	if (task->len && task->len == comm.len &&
		memcmp(task->comm, comm.p, comm.len) == 0)
		tc_ftrace_widen(task, ts);
	else
		set_name(f, task, ts, comm);
	return (uint32_t)(task - f->tasks);
}

void
tc_ftrace_end_comms(struct tc_ftrace *f)
{
	size_t i;

	for (i = 0; i < f->task_count; i++) {
		end_name(f, &f->tasks[i]);
		f->tasks[i].name = 0;
		f->tasks[i].len = 0;
	}
}
