#include "rows/priv.h"

#include "rec/rec.h"

uint32_t
tc_rows_place(struct tc_rows *r, int64_t trace, int64_t machine)
{
	struct tc_rows_place *p;
	const uint64_t *host;
	uint64_t *slot;
	bool made;

	slot = tc_map_put(&r->place_index, (uint64_t)trace, (uint64_t)machine, &made);
	if (!made)
		return (uint32_t)*slot;
	*slot = r->places.count;
	host = machine ? tc_map_get(&r->place_index, (uint64_t)trace, 0) : NULL;
	p = TC_ROWS_MORE(&r->places);
	/* What the trace record says, and when, holds for all machines of its trace. */
	if (host)
		*p = r->places.at[*host];
	else
		*p = (struct tc_rows_place){
			.start_ts = TC_NONE, .end_ts = TC_NONE, .stream = r->stream_count
		};
	p->trace = trace;
	p->machine = machine;
	return (uint32_t)r->places.count - 1;
}

uint32_t
tc_rows_proc(struct tc_rows *r, uint32_t place, int64_t upid)
{
	struct tc_rows_proc *p;
	uint64_t *slot;
	bool made;

	slot = tc_map_put(&r->proc_index, place, (uint64_t)upid, &made);
	if (!made)
		return (uint32_t)*slot;
	*slot = r->procs.count;
	p = TC_ROWS_MORE(&r->procs);
	p->upid = upid;
	p->pid = TC_NONE;
	p->place = place;
	return (uint32_t)r->procs.count - 1;
}

/*
 * Where rows contradict each other, the least says it: whichever came first, the answer
 * is the same.
 */
static bool
is_better_text(const struct tc_rows *r, uint32_t now, char now_from, struct tc_str text,
	enum tc_rows_from from)
{
	if (!text.p || (int)from < now_from)
		return false;
	return (int)from > now_from || tc_str_compare(text, tc_rows_text(r, now)) < 0;
}

void
tc_rows_name_proc(struct tc_rows *r, uint32_t proc, enum tc_rows_from from, int64_t pid,
	struct tc_str name)
{
	struct tc_rows_proc *p = &r->procs.at[proc];

	if (pid != TC_NONE &&
		((int)from > p->pid_from || ((int)from == p->pid_from && pid < p->pid))) {
		p->pid = pid;
		p->pid_from = (char)from;
	}
	if (is_better_text(r, p->name, p->name_from, name, from)) {
		p->name = tc_strtab_id(&r->names, name);
		p->name_from = (char)from;
	}
}

uint32_t
tc_rows_thread(struct tc_rows *r, uint32_t place, int64_t utid)
{
	struct tc_rows_thread *t;
	uint64_t *slot;
	bool made;

	slot = tc_map_put(&r->thread_index, place, (uint64_t)utid, &made);
	if (!made)
		return (uint32_t)*slot;
	*slot = r->threads.count;
	t = TC_ROWS_MORE(&r->threads);
	t->utid = utid;
	t->tid = TC_NONE;
	t->place = place;
	t->proc = TC_ROWS_NO;
	return (uint32_t)r->threads.count - 1;
}

/* The names of the data sources whose packets came, each between spaces. */
static uint32_t
sources_of(struct tc_rows *r, const struct tc_rec_trace *t)
{
	const struct tc_rec_trace_source *s = t->data_sources.items;
	struct tc_arena arena = { 0 };
	size_t i, n = 0, size = 1;
	uint32_t id;
	char *text;

	for (i = 0; i < t->data_sources.count; i++)
		size += s[i].name.len + 1;
	text = tc_arena_alloc(&arena, size);
	text[n++] = ' ';
	for (i = 0; i < t->data_sources.count; i++) {
		if (!s[i].name.p || s[i].packets <= 0)
			continue;
		memcpy(text + n, s[i].name.p, s[i].name.len);
		n += s[i].name.len;
		text[n++] = ' ';
	}
	id = tc_strtab_id(&r->names, (struct tc_str){ text, (uint32_t)n, false });
	tc_arena_release(&arena);
	return id;
}

/* Of the data sources whose names begin alike: FrameTracer and FrameTimeline. */
static enum tc_rows_clocks
clocks_of(const struct tc_rec_trace *t)
{
	const struct tc_rec_trace_clock *c = t->clocks.items;
	enum tc_rows_clocks clocks = TC_ROWS_CLOCKS_UNKNOWN;
	size_t i;

	for (i = 0; i < t->clocks.count; i++) {
		if (!c[i].source.p ||
			!tc_str_begins(
				c[i].source, TC_STR("android.surfaceflinger.frame")))
			continue;
		if (c[i].mapped == 0)
			return TC_ROWS_CLOCKS_UNMAPPED;
		if (c[i].mapped == 1)
			clocks = TC_ROWS_CLOCKS_MAPPED;
	}
	return clocks;
}

void
tc_rows_add_trace(struct tc_rows *r, const void *rec)
{
	const struct tc_rec_trace *t = rec;
	struct tc_rows_place *p;
	uint32_t place;
	bool made;

	tc_map_put(&r->traces, (uint64_t)t->trace, 0, &made);
	if (!made) {
		tc_map_release(&r->traces);
		tc_map_release(&r->place_index);
		tc_map_put(&r->traces, (uint64_t)t->trace, 0, &made);
	}
	r->stream_count++;
	place = tc_rows_place(r, t->trace, 0);
	p = &r->places.at[place];
	/* A marker may have named the trace before. */
	p->stream = r->stream_count;
	p->start_ts = t->start_ts;
	p->end_ts = t->end_ts;
	p->path = tc_strtab_id(&r->names, t->path);
	p->device = tc_strtab_id(&r->names, t->device);
	p->rules = tc_strtab_id(&r->names, t->rules);
	p->sources = sources_of(r, t);
	p->clocks = clocks_of(t);
}

void
tc_rows_add_process(struct tc_rows *r, const void *rec)
{
	const struct tc_rec_process *p = rec;
	uint32_t place = tc_rows_place(r, p->trace, p->machine_id);

	tc_rows_name_proc(
		r, tc_rows_proc(r, place, p->upid), TC_ROWS_RECORD, p->pid, p->name);
}

void
tc_rows_name_thread(struct tc_rows *r, uint32_t thread, enum tc_rows_from from,
	int64_t tid, struct tc_str name, bool is_main, uint32_t proc)
{
	struct tc_rows_thread *t = &r->threads.at[thread];

	if ((int)from < t->from)
		return;
	if ((int)from > t->from)
		*t = (struct tc_rows_thread){ .utid = t->utid,
			.tid = TC_NONE,
			.place = t->place,
			.proc = TC_ROWS_NO,
			.from = (char)from };
	if (tid != TC_NONE && (t->tid == TC_NONE || tid < t->tid))
		t->tid = tid;
	if (name.p && (!t->name || tc_str_compare(name, tc_rows_text(r, t->name)) < 0))
		t->name = tc_strtab_id(&r->names, name);
	t->is_main |= is_main;
	if (proc != TC_ROWS_NO &&
		(t->proc == TC_ROWS_NO ||
			r->procs.at[proc].upid < r->procs.at[t->proc].upid))
		t->proc = proc;
}

void
tc_rows_add_thread(struct tc_rows *r, const void *rec)
{
	const struct tc_rec_thread *t = rec;
	uint32_t place = tc_rows_place(r, t->trace, t->machine_id),
		 proc = t->upid == TC_NONE ? TC_ROWS_NO : tc_rows_proc(r, place, t->upid);

	tc_rows_name_thread(r, tc_rows_thread(r, place, t->utid), TC_ROWS_RECORD, t->tid,
		t->name, t->is_main == 1, proc);
}
