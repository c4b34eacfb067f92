/* Slices of threads: a stack for each (spec 3.6). */
#include <stdlib.h>

#include "slices/priv.h"

static inline struct tc_slice_thread *
thread_of(struct tc_slices *s, uint32_t machine, uint32_t tid)
{
	uint32_t *last = &s->last[tid % TC_SLICE_LAST];
	uint64_t *index;
	bool made;

	if (*last < s->thread_count && s->threads[*last].tid == tid &&
		s->threads[*last].machine == machine)
		return &s->threads[*last];
	index = tc_map_put(&s->by_tid, machine, tid, &made);
	if (made) {
		tc_mem_grow(&s->threads, &s->thread_cap, s->thread_count + 1,
			sizeof(*s->threads));
		*index = s->thread_count;
		s->threads[s->thread_count++] =
			(struct tc_slice_thread){ .machine = machine, .tid = tid };
	}
	*last = (uint32_t)*index;
	return &s->threads[*index];
}

/* Ends the innermost open slice; one that does not exist is no matter. */
static void
end_innermost(struct tc_slice_thread *t, int64_t ts)
{
	struct tc_slice_entry *e;
	size_t i;

	if (t->too_deep) {
		t->too_deep--;
		return;
	}
	for (i = t->height; i > 0 && t->stack[i - 1].end >= 0; i--)
		;
	if (!i) {
		t->around -= t->around > 0;
		return;
	}
	e = &t->stack[i - 1];
	e->end = ts;
	if (e->slice)
		e->slice->dur = ts - e->ts;
	if (i == t->height)
		t->height--;
}

/* The ends whose time has come. */
static inline void
catch_up(struct tc_slice_thread *t, int64_t ts)
{
	while (t->end_count && t->ends[t->end_count - 1] <= ts)
		end_innermost(t, t->ends[--t->end_count]);
}

/* They nest, but for a thread that was on two CPUs at once, as the idle one is. */
static void
add_end(struct tc_slice_thread *t, int64_t ts)
{
	size_t i = t->end_count;

	if (i == t->end_cap) {
		t->end_cap = i ? i * 2 : 2;
		t->ends = tc_mem_realloc(t->ends, t->end_cap * sizeof(*t->ends));
	}
	for (; i > 0 && t->ends[i - 1] < ts; i--)
		t->ends[i] = t->ends[i - 1];
	t->ends[i] = ts;
	t->end_count++;
}

static void
forget(struct tc_slice_thread *t)
{
	t->around = t->height = t->too_deep = t->end_count = 0;
}

struct tc_slice_thread *
tc_slices_thread(struct tc_slices *s, uint32_t machine, uint32_t tid, uint32_t pid,
	int64_t ts, bool *is_new_owner)
{
	struct tc_slice_thread *t = thread_of(s, machine, tid);

	catch_up(t, ts);
	*is_new_owner = pid && t->pid != pid;
	if (*is_new_owner) {
		if (t->pid)
			forget(t);
		t->pid = pid;
	}
	return t;
}

void
tc_slices_forget(struct tc_slices *s, uint32_t machine, uint32_t tid, int64_t ts)
{
	struct tc_slice_thread *t = thread_of(s, machine, tid);

	catch_up(t, ts);
	forget(t);
	t->pid = 0;
	t->generation++;
}

uint32_t
tc_slices_generation(struct tc_slices *s, uint32_t machine, uint32_t pid)
{
	return thread_of(s, machine, pid)->generation;
}

/* Takes off what ended before a slice of this length begins at ts. */
static void
settle(struct tc_slice_thread *t, int64_t ts, bool is_instant)
{
	const struct tc_slice_entry *top;

	for (; t->height; t->height--) {
		top = &t->stack[t->height - 1];
		if (top->end < 0 || top->end > ts)
			return;
		if (top->end == ts && is_instant && top->end == top->ts)
			return;
	}
}

struct tc_slice *
tc_slices_store(struct tc_slices *s, const struct tc_slice_mark *m,
	enum tc_slice_kind kind, const struct tc_slice *parent)
{
	struct tc_slice *slice;
	int64_t id = s->count++;

	if (!m->name)
		return NULL;
	slice = tc_arena_alloc(&s->arena, sizeof(*slice));
	*slice = (struct tc_slice){
		.id = id,
		.ts = m->ts,
		.dur = kind == TC_SLICE_INSTANT ? 0 : -1,
		.parent = parent,
		.cookie = TC_SLICE_NONE,
		.vsync_id = TC_SLICE_NONE,
		.name = m->name,
		.track = m->track,
		.utid = TC_SLICE_NOBODY,
		.upid = TC_SLICE_NOBODY,
		.tid = m->tid,
		.pid = m->pid,
		.machine = m->machine,
		.kind = (uint8_t)kind,
	};
	return slice;
}

/* From small on: a trace may have millions of threads, most of them flat. */
static void
grow(struct tc_slice_thread *t)
{
	t->cap = t->cap ? t->cap * 2 : 2;
	t->stack = tc_mem_realloc(t->stack, t->cap * sizeof(*t->stack));
}

/* Whether there is room for another one; if not, it is counted. */
static bool
has_room(struct tc_slices *s, struct tc_slice_thread *t, bool will_end)
{
	if (t->around + t->height < TC_SLICE_MAX_DEPTH)
		return true;
	t->too_deep += will_end;
	s->too_deep++;
	return false;
}

static struct tc_slice *
kept_by(const struct tc_slice_thread *t)
{
	return t->height ? t->stack[t->height - 1].kept : NULL;
}

/* On top of all; slice NULL: one that was not chosen. */
static void
put_on(struct tc_slice_thread *t, int64_t ts, int64_t end, struct tc_slice *slice)
{
	struct tc_slice *kept = slice ? slice : kept_by(t);

	if (t->height == t->cap)
		grow(t);
	t->stack[t->height++] = (struct tc_slice_entry){ ts, end, slice, kept };
}

static struct tc_slice *
push(struct tc_slices *s, struct tc_slice_thread *t, const struct tc_slice_mark *m,
	enum tc_slice_kind kind)
{
	bool is_instant = kind == TC_SLICE_INSTANT;
	struct tc_slice *slice;

	if (!has_room(s, t, !is_instant)) {
		s->count++;
		return NULL;
	}
	slice = tc_slices_store(s, m, kind, kept_by(t));
	if (slice)
		slice->depth = (uint32_t)(t->around + t->height);
	put_on(t, m->ts, is_instant ? m->ts : -1, slice);
	return slice;
}

struct tc_slice *
tc_slices_begin(
	struct tc_slices *s, struct tc_slice_thread *t, const struct tc_slice_mark *m)
{
	settle(t, m->ts, false);
	if (m->end != TC_SLICE_NONE)
		add_end(t, m->end);
	return push(s, t, m, TC_SLICE_THREAD);
}

static void
enter(struct tc_slices *s, struct tc_slice_thread *t, int64_t ts, int64_t count)
{
	settle(t, ts, false);
	for (; count > 0; count--)
		if (has_room(s, t, true)) {
			if (t->height)
				put_on(t, ts, -1, NULL);
			else
				t->around++;
		}
}

void
tc_slices_move_any(struct tc_slices *s, struct tc_slice_thread *t, int64_t ts, int64_t by)
{
	if (by > 0)
		enter(s, t, ts, by);
	for (; by < 0; by++)
		end_innermost(t, ts);
}

struct tc_slice *
tc_slices_instant(
	struct tc_slices *s, struct tc_slice_thread *t, const struct tc_slice_mark *m)
{
	settle(t, m->ts, true);
	return push(s, t, m, TC_SLICE_INSTANT);
}

void
tc_slices_finish(struct tc_slices *s)
{
	size_t i;

	for (i = 0; i < s->thread_count; i++)
		catch_up(&s->threads[i], INT64_MAX);
}

void
tc_slices_release(struct tc_slices *s)
{
	size_t i;

	for (i = 0; i < s->thread_count; i++) {
		free(s->threads[i].stack);
		free(s->threads[i].ends);
	}
	free(s->threads);
	free(s->open);
	tc_map_release(&s->by_tid);
	tc_map_release(&s->by_key);
	tc_arena_release(&s->arena);
	*s = (struct tc_slices){ 0 };
}
