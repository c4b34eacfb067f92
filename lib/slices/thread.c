/* Slices of threads: a stack for each (spec 3.6). */
#include <stdlib.h>

#include "slices/priv.h"

/* Nesting beyond this is a runaway; Perfetto counts and leaves out as well. */
enum { MAX_DEPTH = 512 };

struct entry {
	int64_t id, ts, end;    /* end -1: open */
	struct tc_slice *slice; /* NULL: not chosen */
	struct tc_slice *kept;  /* the nearest chosen one from here down, or NULL */
};

struct tc_slice_thread {
	struct entry *stack; /* owned */
	size_t height, cap;
	size_t too_deep; /* begins that found no room, for their ends */
	uint32_t pid;
	uint32_t generation; /* of the process that has this pid */
};

static struct tc_slice_thread *
thread_of(struct tc_slices *s, uint32_t machine, uint32_t tid)
{
	uint64_t *index;
	bool made;

	index = tc_map_put(&s->by_tid, machine, tid, &made);
	if (made) {
		tc_mem_grow(&s->threads, &s->thread_cap, s->thread_count + 1,
			sizeof(*s->threads));
		*index = s->thread_count;
		s->threads[s->thread_count++] = (struct tc_slice_thread){ 0 };
	}
	return &s->threads[*index];
}

/* A thread of another process than before is another one, whose tid was free. */
static struct tc_slice_thread *
thread_of_mark(struct tc_slices *s, struct tc_slice_mark *m)
{
	struct tc_slice_thread *t = thread_of(s, m->machine, m->tid);

	m->is_new_owner = m->pid && t->pid != m->pid;
	if (m->is_new_owner) {
		if (t->pid)
			t->height = t->too_deep = 0;
		t->pid = m->pid;
	}
	return t;
}

void
tc_slices_forget(struct tc_slices *s, uint32_t machine, uint32_t tid)
{
	struct tc_slice_thread *t = thread_of(s, machine, tid);

	t->height = t->too_deep = 0;
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
	const struct entry *top;

	for (; t->height; t->height--) {
		top = &t->stack[t->height - 1];
		if (top->end < 0 || top->end > ts)
			return;
		if (top->end == ts && is_instant && top->end == top->ts)
			return;
	}
}

struct tc_slice *
tc_slices_store(
	struct tc_slices *s, const struct tc_slice_mark *m, enum tc_slice_kind kind)
{
	struct tc_slice *slice;

	if (!m->name)
		return NULL;
	slice = tc_arena_alloc(&s->arena, sizeof(*slice));
	*slice = (struct tc_slice){
		.id = s->count,
		.ts = m->ts,
		.dur = kind == TC_SLICE_INSTANT ? 0 : -1,
		.parent_id = TC_SLICE_NONE,
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

static struct tc_slice *
push(struct tc_slices *s, struct tc_slice_mark *m, enum tc_slice_kind kind)
{
	struct tc_slice_thread *t = thread_of_mark(s, m);
	const struct entry *below;
	struct entry *e;

	settle(t, m->ts, kind == TC_SLICE_INSTANT);
	if (t->height == MAX_DEPTH) {
		t->too_deep += kind != TC_SLICE_INSTANT;
		s->too_deep++;
		return NULL;
	}
	if (t->height == t->cap)
		grow(t);
	below = t->height ? &t->stack[t->height - 1] : NULL;
	e = &t->stack[t->height];
	*e = (struct entry){ .id = s->count,
		.ts = m->ts,
		.end = kind == TC_SLICE_INSTANT ? m->ts : -1,
		.slice = tc_slices_store(s, m, kind) };
	if (e->slice) {
		e->slice->depth = (uint32_t)t->height;
		e->slice->parent_id = below ? below->id : TC_SLICE_NONE;
		e->slice->parent = below ? below->kept : NULL;
	}
	e->kept = e->slice ? e->slice : below ? below->kept : NULL;
	t->height++;
	s->count++;
	return e->slice;
}

struct tc_slice *
tc_slices_begin(struct tc_slices *s, struct tc_slice_mark *m)
{
	return push(s, m, TC_SLICE_THREAD);
}

struct tc_slice *
tc_slices_instant(struct tc_slices *s, struct tc_slice_mark *m)
{
	return push(s, m, TC_SLICE_INSTANT);
}

void
tc_slices_end(struct tc_slices *s, struct tc_slice_mark *m)
{
	struct tc_slice_thread *t = thread_of_mark(s, m);
	struct entry *e;
	size_t i;

	if (t->too_deep) {
		t->too_deep--;
		return;
	}
	for (i = t->height; i > 0 && t->stack[i - 1].end >= 0; i--)
		;
	if (!i)
		return;
	e = &t->stack[i - 1];
	e->end = m->ts;
	if (e->slice)
		e->slice->dur = m->ts - e->ts;
	if (i == t->height)
		t->height--;
}

void
tc_slices_release(struct tc_slices *s)
{
	size_t i;

	for (i = 0; i < s->thread_count; i++)
		free(s->threads[i].stack);
	free(s->threads);
	free(s->open);
	tc_map_release(&s->by_tid);
	tc_map_release(&s->by_key);
	tc_arena_release(&s->arena);
	*s = (struct tc_slices){ 0 };
}
