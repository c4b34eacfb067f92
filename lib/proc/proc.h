#ifndef TC_PROC_PROC_H
#define TC_PROC_PROC_H
/*
 * proc: the processes and threads of a trace, told apart when a pid is reused.
 *
 * A upid names one process for good, a pid only the one that is alive now; the
 * same holds for utid and tid. Both count rows in the order in which they were
 * first seen, over all machines; row 0 is the idle process of the host.
 * Everything here happens in the order of trace time.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mem/mem.h"

struct tc_process {
	uint32_t upid, pid, machine; /* machine: index */
	uint32_t name;               /* id in the string table, 0: not known */
	int64_t ppid, uid;           /* -1: not known */
	int64_t start_ts;            /* trace time, -1: not known */
	int64_t start_from_boot;     /* as the process tree has it, -1: not known */
	/* Trace times, -1: not known. Between the two it is a zombie. */
	int64_t exit_ts, free_ts;
};

/* Who says what a thread is called: the same or a higher one replaces. */
enum tc_proc_source { TC_PROC_SCHEDULER = 1, TC_PROC_TREE };

struct tc_thread {
	uint32_t utid, tid, machine;
	uint32_t upid; /* TC_PROC_NONE: its process is not known */
	uint32_t name;
	uint8_t named_by; /* enum tc_proc_source, 0: nobody */
	bool is_main;
};

#define TC_PROC_NONE UINT32_MAX

struct tc_procs {
	struct tc_process *processes; /* owned, by upid */
	size_t process_count, process_cap;
	struct tc_thread *threads; /* owned, by utid */
	size_t thread_count, thread_cap;
	bool has_frees;       /* the trace tells when tasks are freed */
	struct tc_map by_pid; /* (machine, pid) to the live upid */
	struct tc_map by_tid; /* (machine, tid) to the newest utid */
};

/* `swapper` is the idle thread's name in the string table. */
void tc_procs_init(struct tc_procs *ps, uint32_t swapper);
void tc_procs_release(struct tc_procs *ps);

/* The live process of this pid, made (with its main thread) when new. */
uint32_t tc_procs_upid(struct tc_procs *ps, uint32_t machine, uint32_t pid);

/* What one entry of a process tree says. */
struct tc_proc_entry {
	uint32_t machine, pid;
	int64_t ppid, uid; /* -1: absent */
	uint32_t name;
	bool names_main_thread;
	int64_t start_from_boot, start_ts; /* -1: absent */
};

/*
 * Returns whether the process turned out to have another parent than before:
 * that alone is no new process, since orphans are adopted. Another start time
 * is.
 */
bool tc_procs_learn_process(struct tc_procs *ps, const struct tc_proc_entry *e);
void tc_procs_learn_thread(struct tc_procs *ps, uint32_t machine, uint32_t tid,
	uint32_t tgid, uint32_t name);

/* The live thread of this tid, made when new; tgid 0: of whatever process. */
uint32_t tc_procs_utid(
	struct tc_procs *ps, uint32_t machine, uint32_t tid, uint32_t tgid);

/* The scheduler calls a thread so. */
void tc_procs_comm(struct tc_procs *ps, uint32_t machine, uint32_t tid, uint32_t name);

/*
 * What the kernel tells of a task's life. A new task that is no thread is a new
 * process, whoever had its pid before.
 */
struct tc_proc_birth {
	uint32_t machine, parent_tid, tid, name;
	int64_t ts;
	bool is_thread;
};

void tc_procs_born(struct tc_procs *ps, const struct tc_proc_birth *b);

/* A fork tells less than a birth: it counts where there was none. */
void tc_procs_forked(struct tc_procs *ps, uint32_t machine, uint32_t tid, uint32_t name);

/* A main thread's new name is its process's too, until a process tree knows better. */
void tc_procs_renamed(struct tc_procs *ps, uint32_t machine, uint32_t tid, uint32_t name);
void tc_procs_executed(
	struct tc_procs *ps, uint32_t machine, uint32_t pid, uint32_t file);

/*
 * When a process ended, -1: not known. That is when it was freed; in a trace
 * that does not tell such things it is when it exited.
 */
int64_t tc_procs_end_ts(const struct tc_procs *ps, uint32_t upid);

/* A task that has exited still owns its number until it is freed. */
void tc_procs_exited(struct tc_procs *ps, uint32_t machine, uint32_t tid, int64_t ts);
void tc_procs_freed(struct tc_procs *ps, uint32_t machine, uint32_t tid, int64_t ts);

#endif
