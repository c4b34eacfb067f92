#ifndef TC_SLICES_SLICES_H
#define TC_SLICES_SLICES_H
/*
 * slices: stretches of time that threads and processes marked in a trace.
 *
 * A thread's slices nest: an end belongs to the innermost begin, whatever its
 * name. A process's asynchronous ones are told apart by name and cookie. Only the
 * chosen ones are stored; the others are counted, and how many are open is known, so
 * that ids and depths do not depend on what was chosen.
 *
 * Everything comes in the order of time. Threads are known by tid here, and
 * whoever has the slice works out afterwards whose it is.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mem/mem.h"

enum tc_slice_kind {
	TC_SLICE_THREAD,
	TC_SLICE_ASYNC,
	TC_SLICE_INSTANT, /* of a thread, or on a track of a process */
};

#define TC_SLICE_NONE INT64_MIN
#define TC_SLICE_NOBODY UINT32_MAX
enum { TC_SLICE_LAST = 256 }; /* threads that need not be looked up again */

struct tc_slice {
	int64_t id;      /* counts all that begin in the trace, chosen or not */
	int64_t ts, dur; /* dur -1: never closed */
	const struct tc_slice *parent; /* the nearest chosen one around it, or NULL */
	int64_t cookie, vsync_id;      /* TC_SLICE_NONE: none */
	uint32_t depth;                /* how many are around it, chosen or not */
	uint32_t name, track;          /* string ids; track 0: the thread's, or by name */
	uint32_t utid, upid;           /* TC_SLICE_NOBODY: not known */
	uint32_t tid, pid;             /* 0: not known */
	uint32_t machine;
	uint8_t kind;
};

/* Nesting beyond this is a runaway; Perfetto counts and leaves out as well. */
enum { TC_SLICE_MAX_DEPTH = 512 };

/* On a thread's stack. */
struct tc_slice_entry {
	int64_t ts, end;        /* end -1: open */
	struct tc_slice *slice; /* NULL: not chosen */
	struct tc_slice *kept;  /* the nearest chosen one from here down, or NULL */
};

struct tc_slice_thread {
	uint32_t machine, tid;
	size_t around; /* open slices, none of them chosen, that are the outermost */
	struct tc_slice_entry
		*stack; /* owned: a chosen slice or an instant, and what is in it */
	size_t height, cap;
	size_t too_deep; /* begins that found no room, for their ends */
	/* Ends that are known before their time: the next one last. */
	int64_t *ends; /* owned */
	size_t end_count, end_cap;
	uint32_t pid;
	uint32_t generation; /* of the process that has this pid */
};

struct tc_slices {
	struct tc_arena arena;           /* the slices, for good */
	struct tc_slice_thread *threads; /* owned */
	size_t thread_count, thread_cap;
	struct tc_map by_tid;         /* (machine, tid) to index */
	uint32_t last[TC_SLICE_LAST]; /* indices, by the end of the tid */
	struct tc_slice_async *open;  /* owned: open asynchronous ones, and free places */
	size_t open_count, open_cap;
	uint32_t free_open; /* first free place + 1, chained */
	struct tc_map by_key;
	int64_t count;    /* of slices that began so far, the next one's id */
	int64_t too_deep; /* slices left out */
};

void tc_slices_release(struct tc_slices *s);

/*
 * Who made a mark at ts, on whom all has ended by then whose end was known before its
 * time. *is_new_owner is set where that thread was not known to be pid's (0: the mark
 * does not say). A thread of another process than before is another one, whose tid was
 * free. Valid until the next call of this.
 */
struct tc_slice_thread *tc_slices_thread(struct tc_slices *s, uint32_t machine,
	uint32_t tid, uint32_t pid, int64_t ts, bool *is_new_owner);

/* What a mark says. name 0: not chosen. */
struct tc_slice_mark {
	int64_t ts;
	int64_t end; /* of what begins, if it is known already, or TC_SLICE_NONE */
	uint32_t machine, tid, pid, name;
	/* Of asynchronous ones, which are chosen unless they are on a named track. */
	uint32_t track;
	int64_t cookie;
};

/* Begins a slice; the stored one, or NULL. It is open until its end comes. */
struct tc_slice *tc_slices_begin(
	struct tc_slices *s, struct tc_slice_thread *t, const struct tc_slice_mark *m);
/*
 * So many more are open, none of them chosen, that are in s->count already; or, below 0,
 * so many less, the innermost ones. Where none is, its end is no matter.
 */
void tc_slices_move_any(
	struct tc_slices *s, struct tc_slice_thread *t, int64_t ts, int64_t by);

/*
 * The same where it makes no difference when: mostly nothing chosen is open in a thread
 * that is known to be pid's. False when it does, and nothing has happened.
 */
static inline bool
tc_slices_move(
	struct tc_slices *s, uint32_t machine, uint32_t tid, uint32_t pid, int64_t by)
{
	uint32_t last = s->last[tid % TC_SLICE_LAST];
	struct tc_slice_thread *t;
	int64_t around;

	if (last >= s->thread_count)
		return false;
	t = &s->threads[last];
	around = (int64_t)t->around + by;
	if (t->tid != tid || t->machine != machine || t->pid != pid || t->height ||
		t->too_deep || t->end_count || around < 0 || around > TC_SLICE_MAX_DEPTH)
		return false;
	t->around = (size_t)around;
	return true;
}

struct tc_slice *tc_slices_instant(
	struct tc_slices *s, struct tc_slice_thread *t, const struct tc_slice_mark *m);

struct tc_slice *tc_slices_async_begin(
	struct tc_slices *s, const struct tc_slice_mark *m);
void tc_slices_async_end(struct tc_slices *s, const struct tc_slice_mark *m);
struct tc_slice *tc_slices_async_instant(
	struct tc_slices *s, const struct tc_slice_mark *m);

/* This tid, or process, begins anew: what is open stays so for ever. */
void tc_slices_forget(struct tc_slices *s, uint32_t machine, uint32_t tid, int64_t ts);

/* No more marks come: what ends later than the last one ends now. */
void tc_slices_finish(struct tc_slices *s);

/*
 * What jank work needs whatever else was chosen. So many bytes may be looked at, from
 * the name's first one on; where they are enough, most names take no time.
 */
bool tc_slice_is_default(struct tc_str name, size_t ahead);

/*
 * The vsync id in the name of a frame's slice: `Choreographer#doFrame 123`,
 * `DrawFrames 123 extra`. TC_SLICE_NONE: it has none, or is no frame.
 */
int64_t tc_slice_vsync_id(struct tc_str name);

#endif
