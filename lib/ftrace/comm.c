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

/* The thread was that process's until now. */
static void
end_owner(struct tc_ftrace *f, struct tc_ftrace_task *task)
{
	if (!task->pid)
		return;
	tc_mem_grow(&f->owners, &f->owner_cap, f->owner_count + 1, sizeof(*f->owners));
	f->owners[f->owner_count++] = (struct tc_ftrace_owner){ task->first_mark,
		task->last_mark, task->tid, task->pid };
	task->pid = 0;
}

void
tc_ftrace_see_owner(struct tc_ftrace *f, struct tc_ftrace_open *open)
{
	bool is_told = open->told_ts != INT64_MIN;
	struct tc_ftrace_task *task;
	int64_t first;

	if (!open->pid || open->told_ts == open->last_ts)
		return;
	first = is_told ? open->last_ts : open->first_ts;
	open->told_ts = open->last_ts;
	task = tc_ftrace_task_of(f, open->tid);
	if (task->pid != open->pid) {
		end_owner(f, task);
		task->pid = open->pid;
		task->first_mark = first;
		task->last_mark = open->last_ts;
	}
	if (first < task->first_mark)
		task->first_mark = first;
	if (open->last_ts > task->last_mark)
		task->last_mark = open->last_ts;
}

void
tc_ftrace_end_owner(struct tc_ftrace *f, uint32_t tid)
{
	const uint64_t *place;
	size_t i;

	for (i = 0; i < f->order_count; i++)
		if (f->cpus[f->order[i]].open.tid == tid)
			tc_ftrace_see_owner(f, &f->cpus[f->order[i]].open);
	place = tc_map_get(&f->task_index, tid, 0);
	if (place)
		end_owner(f, &f->tasks[*place]);
}

void
tc_ftrace_end_tasks(struct tc_ftrace *f)
{
	size_t i;

	for (i = 0; i < f->order_count; i++)
		tc_ftrace_see_owner(f, &f->cpus[f->order[i]].open);
	for (i = 0; i < f->task_count; i++) {
		end_name(f, &f->tasks[i]);
		end_owner(f, &f->tasks[i]);
		f->tasks[i].name = 0;
		f->tasks[i].len = 0;
	}
}
