#ifndef TC_SOURCE_PRIV_H
#define TC_SOURCE_PRIV_H
/* Inside source: what ftrace hands to the sources of the rows it is made into. */
#include "ftrace/ftrace.h"
#include "slices/slices.h"
#include "source/source.h"

uint16_t tc_source_place_of(const struct tc_source *source);

/* The tracer of this machine was ready at ts. */
void tc_source_ftrace_start(struct tc_decode *d, uint32_t machine, int64_t ts);

/* Something that is now known of a task. */
enum tc_task_fact {
	TC_TASK_OWNED, /* it belongs to process `pid` */
	TC_TASK_COMM,  /* the scheduler calls it `name` */
	TC_TASK_BORN,  /* of the thread `pid` */
	TC_TASK_FORKED,
	TC_TASK_RENAMED,
	TC_TASK_EXECUTED, /* the file `name` */
	TC_TASK_EXITED,
	TC_TASK_FREED,
};

/* CLONE_THREAD of clone(2). */
enum { TC_TASK_CLONE_THREAD = 0x10000 };

struct tc_task_row {
	struct tc_row row; /* first */
	uint8_t fact;
	bool is_thread;
	uint32_t machine, tid, pid, name;
};

/* A new row, for the caller to complete. */
struct tc_task_row *tc_source_task(struct tc_decode *d, enum tc_task_fact fact,
	int64_t ts, uint32_t machine, uint32_t tid);

/* The slice lives as long as the decoding. */
void tc_source_add_slice(struct tc_decode *d, struct tc_slice *slice);

/* Tells a slice, in the order of time, to what makes rows of input latency of them. */
void tc_source_input_slice(struct tc_decode *d, const struct tc_slice *slice);

/* Whether the row is an actual frame with a record; then *f is what input needs of it. */
struct tc_input_frame;
bool tc_source_actual_frame(const struct tc_trace_item *item, struct tc_input_frame *f);

void tc_source_add_counter(
	struct tc_decode *d, const struct tc_ftrace_event *e, uint32_t machine);

/* What threads are doing, as far as it is known. */
struct tc_sched {
	struct tc_map by_tid;        /* (machine, tid) to index */
	struct tc_sched_row **spans; /* owned: the open one of each thread */
	size_t span_count, span_cap;
	struct tc_map running; /* (machine, cpu) to the tid on it */
};

void tc_sched_event(struct tc_sched *s, struct tc_decode *d,
	const struct tc_ftrace_event *e, uint32_t machine);
void tc_sched_release(struct tc_sched *s);

#endif
