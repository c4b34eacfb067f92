#ifndef TC_FTRACE_FTRACE_H
#define TC_FTRACE_FTRACE_H
/*
 * ftrace: the kernel's events of one machine, in the order of their times.
 *
 * A trace holds ftrace in bundles, each from one CPU and in order. Threads move
 * from CPU to CPU, so to follow one, the CPUs have to be merged. The events of
 * a long trace are far more than what is made of them: they are held only until
 * a window's worth of newer ones has been seen, which is many read cycles of
 * the tracer. Whoever needs certainty asks for an unlimited window; is_late
 * says when a limited one was too small.
 *
 * What nobody wants is stepped over where it is read: events of other kinds, the
 * names of slices that were not chosen, and such slices themselves where they begin
 * and end with nothing in them, and their thread did not leave its CPU in between, as
 * far as the scheduler tells. Of others it matters how many there are, and when they
 * end, which may be the end of a chosen one. Of those that leave no event it is only
 * kept when they began, for they are counted, and whose their thread is.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mem/mem.h"
#include "trace/trace.h"

enum tc_ftrace_kind {
	/* Markers of userspace: `pid` is the process that the text names, or 0. */
	TC_FTRACE_BEGIN,
	TC_FTRACE_WHOLE, /* begins; value: when it ends, as its thread says itself */
	TC_FTRACE_ENTER, /* value: how many begin that nobody wants; counted apart */
	TC_FTRACE_END,   /* value: -1, for one less is open */
	TC_FTRACE_BEGUN, /* a slice of any kind that was left out counts here */
	TC_FTRACE_INSTANT,
	TC_FTRACE_ASYNC_BEGIN, /* value: cookie */
	TC_FTRACE_ASYNC_END,
	TC_FTRACE_TRACK_BEGIN, /* name: a place in f->tracks, here and below */
	TC_FTRACE_TRACK_END,
	TC_FTRACE_TRACK_INSTANT,
	TC_FTRACE_COUNTER, /* value */
	/* Of the scheduler. */
	TC_FTRACE_SWITCH,         /* tid: prev_pid, pid: next_pid, value: prev_state */
	TC_FTRACE_COMPACT_SWITCH, /* the same without tid */
	TC_FTRACE_WAKING,         /* pid: who is woken */
	TC_FTRACE_CPU_FREQUENCY,  /* pid: the CPU, value: kHz */
	/* Of a task's life: `pid` is the task. */
	TC_FTRACE_NEW_TASK, /* tid: the parent, name: its comm, value: clone flags */
	TC_FTRACE_RENAME,   /* name */
	TC_FTRACE_EXEC,     /* name: the file */
	TC_FTRACE_EXIT,
	TC_FTRACE_FORK, /* name: the child's comm */
	TC_FTRACE_FREE,
};

/* A quarter of a million of these are held, so each byte counts. */
struct tc_ftrace_event {
	int64_t ts, value;
	uint32_t tid, pid;
	uint32_t name; /* id; 0 of a marker that nobody wants */
	uint16_t cpu;
	uint8_t kind;
	bool is_wanted;
};

/* What is on a named track: ids of the track and of the name, 0 if nobody wants it. */
struct tc_ftrace_track {
	uint32_t track, name;
};

/* A thread's name as the scheduler has it, when it was first and last seen. */
struct tc_ftrace_comm {
	int64_t ts;
	uint32_t tid, name;
};

/* Whose a thread is as its markers say, when it was first and last said. */
struct tc_ftrace_owner {
	int64_t first_ts, last_ts;
	uint32_t tid, pid;
};

/* What was seen last, so that it need not be looked up again. */
enum { TC_FTRACE_LAST_TASKS = 1024 };

/*
 * How many events are held at most, and half of them at least, where those that come late
 * can be read once more: 8 MB of them. A phone writes some 100,000 a second and the
 * tracer reads them every quarter second, so this is many cycles; more take longer to
 * come from memory.
 */
enum { TC_FTRACE_WINDOW = 256 * 1024 };

/*
 * Everything is held until the end, also the ends of slices, so that it makes no
 * difference in what order a CPU's bundles come.
 */
#define TC_FTRACE_NO_WINDOW SIZE_MAX

/* What to read. All is borrowed for as long as the reader lives. */
struct tc_ftrace_wants {
	struct tc_strtab *names;
	bool markers; /* slices, counters, and names and owners of threads */
	bool sched;
	bool cpu_frequency;
	/* So many bytes may be looked at, from the name's first one on. */
	bool (*slice)(const void *arg, struct tc_str name, size_t ahead);
	bool (*counter)(const void *arg, struct tc_str name);
	const void *arg;
	size_t window; /* so many are held before the oldest half are taken */
};

/* Numbers of events below this may be read. */
enum { TC_FTRACE_MAX_EVENT = 352 };

struct tc_ftrace {
	const struct tc_ftrace_wants *wants;
	uint8_t readers[TC_FTRACE_MAX_EVENT]; /* by number; 0: nobody wants it */
	struct tc_ftrace_cpu *cpus;           /* owned, by number */
	size_t cpu_count, cpu_cap;
	struct tc_ftrace_run *run; /* owned: of the bundle that is read */
	int64_t *switches; /* owned: when threads left its CPU, those that columns tell */
	size_t switch_count, switch_cap;
	uint32_t *order; /* owned: CPUs as they were first seen */
	size_t order_count, order_cap;
	size_t held;        /* events in all queues */
	size_t held_begins; /* times in all of them of slices that are only counted */
	int64_t begun;      /* how many were counted and not asked for */
	bool is_draining;
	int64_t cut;                                /* nothing newer is taken this time */
	struct tc_ftrace_batch *batch;              /* owned: what is being merged */
	const struct tc_ftrace_event *const *ready; /* the merged ones, in order */
	size_t ready_next, ready_count;

	int64_t valid_from;              /* before it, data of some CPU is missing */
	int64_t started;                 /* the tracer was: nothing before it counts */
	int64_t taken_from, taken_until; /* times of the events taken */
	bool is_late; /* what came should have changed what was settled already */
	int64_t late; /* how often: events dropped, and times that came after theirs */

	int64_t last_clock_pair;
	struct tc_ftrace_track *tracks; /* owned */
	size_t track_count, track_cap;
	struct tc_map track_index;
	struct tc_ftrace_comm *comms; /* owned: changes of thread names */
	size_t comm_count, comm_cap;
	struct tc_ftrace_owner *owners; /* owned: changes of whose a thread is */
	size_t owner_count, owner_cap;
	struct tc_ftrace_task *tasks; /* owned: what each thread was last */
	size_t task_count, task_cap;
	struct tc_map task_index;
	uint32_t last_task[TC_FTRACE_LAST_TASKS]; /* places, by the end of the tid */
};

void tc_ftrace_init(struct tc_ftrace *f, const struct tc_ftrace_wants *wants);
void tc_ftrace_release(struct tc_ftrace *f);

/*
 * The clock that a bundle's events are on: `ftrace_clock` as the bundle has it, or
 * 0. The key of a clock of the trace; 0 when the tracer itself did not know.
 */
uint64_t tc_ftrace_clock(uint64_t ftrace_clock, uint32_t seq);

/*
 * Reads a bundle (a packet's field 1), counting in t what is wrong with it. Not
 * before all events that tc_ftrace_next has to give were taken.
 */
void tc_ftrace_add(struct tc_ftrace *f, struct tc_trace *t, const struct tc_packet *p);

/* The tracer says when it started. */
void tc_ftrace_start(struct tc_ftrace *f, int64_t ts);

/* Makes more of the oldest events ready; false: there are none for now. */
bool tc_ftrace_prepare(struct tc_ftrace *f, bool is_end);

/*
 * Takes the oldest event, valid until the next call. Before the end of the trace
 * (is_end false) only when more are held than the window has. NULL: none for now.
 */
static inline const struct tc_ftrace_event *
tc_ftrace_next(struct tc_ftrace *f, bool is_end)
{
	if (f->ready_next == f->ready_count && !tc_ftrace_prepare(f, is_end))
		return NULL;
	return f->ready[f->ready_next++];
}

/*
 * How many slices that are no events began before this one, which tc_ftrace_next gave,
 * and after the last one of which this was asked.
 */
int64_t tc_ftrace_begun(struct tc_ftrace *f, const struct tc_ftrace_event *e);

/* Completes f->comms and f->owners, once everything was added. */
void tc_ftrace_end_tasks(struct tc_ftrace *f);

#endif
