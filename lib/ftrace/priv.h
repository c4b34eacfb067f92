#ifndef TC_FTRACE_PRIV_H
#define TC_FTRACE_PRIV_H
/* Inside ftrace: what the files that read a bundle share. */
#include "atrace/atrace.h"
#include "ftrace/ftrace.h"
#include "pb/pb.h"

enum { TC_FTRACE_MAX_CPUS = 1024 };

/*
 * What the thread that wrote the last marks of a CPU began there and has not ended, so
 * that its ends need not wait in the queue. All was read in the order of time, so such
 * slices do not end before they begin.
 *
 * The outer ones are known by the places of their begins in the queue. When the end comes
 * it is written to the begin, which is only a shorter way to write the two: it ends
 * whatever is the innermost one at its time, so it is right wherever the thread was.
 *
 * The innermost ones, if nobody wants them, are counted alone, and their ends take them
 * away as if nothing had been. So they must not stay when something comes in them: an
 * event, or another CPU, where the thread may end them and begin others.
 */
enum { TC_FTRACE_MAX_OPEN = 32 };

/* Instead of a place: some that nobody wants, which end in the queue. */
#define TC_FTRACE_NOT_WANTED SIZE_MAX

struct tc_ftrace_open {
	uint32_t tid, pid;
	int64_t first_ts, last_ts; /* of the marks that it wrote in a row */
	int64_t told_ts;           /* so far they have told whose the thread is */
	uint32_t count;
	int64_t entered, entered_ts; /* of the innermost ones: how many, and since when */
	size_t begins[TC_FTRACE_MAX_OPEN];
};

/* Events of one CPU that wait for those of the others. */
struct tc_ftrace_cpu {
	struct tc_ftrace_open open;
	struct tc_ftrace_event *events; /* owned */
	size_t head, count, cap;
	int64_t last_ts;    /* of all events read, with those that wait in no queue */
	int64_t matched_ts; /* of the last end that went with its begin */
	/* When slices began that are only counted; of one time at most one. */
	int64_t *begun; /* owned */
	size_t begun_head, begun_count, begun_cap;
	uint32_t place; /* in the order of CPUs */
	bool is_known, is_unsorted;
	/* Who runs, as far as the switches read last tell. */
	bool has_running, has_compact;
	uint32_t running;
};

/* A bundle being read. */
struct tc_ftrace_bundle {
	struct tc_ftrace *f;
	struct tc_trace *t;
	struct tc_ftrace_cpu *queue; /* of the bundle's CPU */
	uint32_t machine, cpu;
	uint64_t clock;     /* key of the events' clock */
	bool is_trace_time; /* that clock is the trace's */
	int64_t min_ts, max_ts;
	const uint8_t *ahead; /* what may be looked at, beyond an event's end */
	/*
	 * When threads leave the CPU, as columns tell, from the next time on. That is
	 * INT64_MAX where none is left, and INT64_MIN where one may be at any time.
	 */
	const int64_t *switches, *switches_end;
	int64_t next_switch;
	bool may_lack_switches; /* something of the bundle could not be read */
};

/* Converts; false, counted, when there is no way or it is before all time. */
bool tc_ftrace_convert(struct tc_ftrace_bundle *b, uint64_t raw, int64_t *ts);

static inline bool
tc_ftrace_time(struct tc_ftrace_bundle *b, uint64_t raw, int64_t *ts)
{
	if (!b->is_trace_time || raw > INT64_MAX)
		return tc_ftrace_convert(b, raw, ts);
	*ts = (int64_t)raw;
	return true;
}

/* Widens what the bundle spans. */
static inline void
tc_ftrace_span(struct tc_ftrace_bundle *b, int64_t ts)
{
	if (ts < b->min_ts)
		b->min_ts = ts;
	if (ts > b->max_ts)
		b->max_ts = ts;
}

/* A name, cut where it is too long, which is counted. */
struct tc_str tc_ftrace_clip(struct tc_ftrace_bundle *b, struct tc_str name);

/* The id of that; 0 for p NULL. */
uint32_t tc_ftrace_intern(struct tc_ftrace_bundle *b, struct tc_str name);

void tc_ftrace_batch_free(struct tc_ftrace_batch *b);

/* Room for one more event, and for one more time. */
void tc_ftrace_make_room(struct tc_ftrace_cpu *c);
void tc_ftrace_make_room_begun(struct tc_ftrace_cpu *c);

/* What is only counted becomes an event. */
void tc_ftrace_put_entered(struct tc_ftrace *f, uint32_t cpu);

/*
 * Something comes in what is only counted, or its thread may have left the CPU: it
 * becomes an event.
 */
static inline void
tc_ftrace_leave(struct tc_ftrace_bundle *b)
{
	if (b->queue->open.entered)
		tc_ftrace_put_entered(b->f, b->cpu);
}

/* A new event of the bundle's CPU, for the caller to complete. */
static inline struct tc_ftrace_event *
tc_ftrace_push(struct tc_ftrace_bundle *b, enum tc_ftrace_kind kind, int64_t ts)
{
	struct tc_ftrace_cpu *c = b->queue;
	struct tc_ftrace_event *e;

	tc_ftrace_leave(b);
	if (c->count == c->cap)
		tc_ftrace_make_room(c);
	e = &c->events[c->count++];
	*e = (struct tc_ftrace_event){
		.ts = ts, .cpu = (uint16_t)b->cpu, .kind = (uint8_t)kind
	};
	if (ts >= c->last_ts) {
		c->last_ts = ts;
	} else {
		c->is_unsorted = true;
		c->open.count = 0;
	}
	b->f->held++;
	return e;
}

/* What is told now should have changed what was settled already. */
static inline void
tc_ftrace_be_late(struct tc_ftrace *f)
{
	f->is_late = true;
	f->late++;
}

/* A slice begins of which no event says that it counts. */
static inline void
tc_ftrace_count(struct tc_ftrace_bundle *b, int64_t ts)
{
	struct tc_ftrace_cpu *c = b->queue;

	if (ts <= c->last_ts) { /* in a place of its own among those of this time */
		tc_ftrace_push(b, TC_FTRACE_BEGUN, ts);
		return;
	}
	if (c->begun_count == c->begun_cap)
		tc_ftrace_make_room_begun(c);
	c->begun[c->begun_count++] = ts;
	c->last_ts = ts;
	b->f->held_begins++;
}

/* Where events are in a bundle, from `begin` on, that follow each other up to `end`. */
enum { TC_FTRACE_RUN = 4096 };

struct tc_ftrace_place {
	uint32_t at, len;
};

struct tc_ftrace_run {
	const uint8_t *begin, *end;
	size_t count;
	struct tc_ftrace_place events[TC_FTRACE_RUN];
};

void tc_ftrace_read_run(struct tc_ftrace_bundle *b, const struct tc_ftrace_run *run);

/* At ts threads have left the CPU, since b->next_switch has come. */
void tc_ftrace_pass_switches(struct tc_ftrace_bundle *b, int64_t ts);

/* One FtraceEvent, and one CompactSched. */
void tc_ftrace_read_event(struct tc_ftrace_bundle *b, struct tc_str bytes);
void tc_ftrace_read_compact(struct tc_ftrace_bundle *b, struct tc_str bytes);

/*
 * When the switches of a CompactSched were, put down in f->switches. Nothing is counted:
 * it is going to be read once more.
 */
void tc_ftrace_read_switch_times(struct tc_ftrace_bundle *b, struct tc_str bytes);

/* Which events are wanted. */
void tc_ftrace_init_readers(struct tc_ftrace *f);

/* The kernel's TASK_COMM_LEN; a longer name is compared by its id. */
enum { TC_FTRACE_COMM_BYTES = 16 };

/* A thread's name; one that is not too long also as two numbers, its bytes and zeros. */
struct tc_ftrace_name {
	const char *p;
	uint32_t len;
	uint64_t low, high;
};

struct tc_ftrace_task {
	int64_t first_ts, last_ts; /* of the name */
	uint64_t low, high;        /* the name, as above */
	uint32_t tid, name;
	uint32_t len; /* 0: not known, or too long */
	uint32_t pid; /* of the process that it belongs to; 0: not known */
	int64_t first_mark, last_mark; /* that said so */
};

/* As tc_ftrace_set_name, of names and places that are not usual. */
void tc_ftrace_set_long_name(
	struct tc_ftrace_bundle *b, struct tc_ftrace_name *name, struct tc_str text);

/* The first n of eight bytes; the others are zero. */
static inline uint64_t
tc_ftrace_first_bytes(uint64_t w, uint32_t n)
{
	return w & ((UINT64_C(1) << 4 * n << 4 * n) - 1);
}

/* Becomes the name that stands in a bundle, cut where it is too long. */
static inline void
tc_ftrace_set_name(
	struct tc_ftrace_bundle *b, struct tc_ftrace_name *name, struct tc_str text)
{
	uint32_t n = text.len;

	if (n > TC_FTRACE_COMM_BYTES ||
		b->ahead - (const uint8_t *)text.p < TC_FTRACE_COMM_BYTES) {
		tc_ftrace_set_long_name(b, name, text);
		return;
	}
	name->p = text.p;
	name->len = n;
	name->low = tc_ftrace_first_bytes(tc_mem_fixed64(text.p), n < 8 ? n : 8);
	name->high = tc_ftrace_first_bytes(tc_mem_fixed64(text.p + 8), n < 8 ? 0 : n - 8);
}

/* The task of a thread, made when it is not there. */
struct tc_ftrace_task *tc_ftrace_make_task(struct tc_ftrace *f, uint32_t tid);

static inline struct tc_ftrace_task *
tc_ftrace_task_of(struct tc_ftrace *f, uint32_t tid)
{
	uint32_t last = f->last_task[tid % TC_FTRACE_LAST_TASKS];

	if (last < f->task_count && f->tasks[last].tid == tid)
		return &f->tasks[last];
	return tc_ftrace_make_task(f, tid);
}

/* Another name than the one that a thread had, or it cannot be told so quickly. */
void tc_ftrace_set_comm(struct tc_ftrace *f, struct tc_ftrace_task *task, int64_t ts,
	const struct tc_ftrace_name *name);

/* Bundles of one CPU are in order, those of several are not. */
static inline void
tc_ftrace_widen(struct tc_ftrace_task *task, int64_t ts)
{
	if (ts > task->last_ts)
		task->last_ts = ts;
	if (ts < task->first_ts)
		task->first_ts = ts;
}

/* The marks that a thread wrote in a row say whose it is. */
void tc_ftrace_see_owner(struct tc_ftrace *f, struct tc_ftrace_open *open);

/* A thread begins or ends: what was said until then is of the one with that number. */
void tc_ftrace_end_owner(struct tc_ftrace *f, uint32_t tid);

/* The scheduler calls a thread so. */
static inline void
tc_ftrace_see_comm(
	struct tc_ftrace *f, int64_t ts, uint32_t tid, const struct tc_ftrace_name *name)
{
	struct tc_ftrace_task *task = tc_ftrace_task_of(f, tid);

	if (task->len && task->len == name->len && task->low == name->low &&
		task->high == name->high)
		tc_ftrace_widen(task, ts);
	else
		tc_ftrace_set_comm(f, task, ts, name);
}

#endif
