#include "rows/priv.h"

#include "rec/rec.h"

uint32_t
tc_rows_place(struct tc_rows *r, int64_t trace, int64_t machine)
{
	struct tc_rows_place *p;
	uint64_t *slot;
	bool made;

	slot = tc_map_put(&r->place_index, (uint64_t)trace, (uint64_t)machine, &made);
	if (!made)
		return (uint32_t)*slot;
	*slot = r->places.count;
	p = TC_ROWS_MORE(&r->places);
	p->trace = trace;
	p->machine = machine;
	p->start_ts = p->end_ts = TC_NONE;
	p->stream = r->stream_count;
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

void
tc_rows_name_proc(struct tc_rows *r, uint32_t proc, int64_t pid, struct tc_str name)
{
	struct tc_rows_proc *p = &r->procs.at[proc];

	if (p->pid == TC_NONE)
		p->pid = pid;
	if (!p->name)
		p->name = tc_strtab_id(&r->names, name);
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
}

void
tc_rows_add_process(struct tc_rows *r, const void *rec)
{
	const struct tc_rec_process *p = rec;
	uint32_t place = tc_rows_place(r, p->trace, p->machine_id),
		 i = tc_rows_proc(r, place, p->upid);

	/* What frames said stays where the record does not know. */
	if (p->pid != TC_NONE)
		r->procs.at[i].pid = p->pid;
	if (p->name.p)
		r->procs.at[i].name = tc_strtab_id(&r->names, p->name);
}

void
tc_rows_add_thread(struct tc_rows *r, const void *rec)
{
	const struct tc_rec_thread *t = rec;
	uint32_t place = tc_rows_place(r, t->trace, t->machine_id),
		 i = tc_rows_thread(r, place, t->utid);
	struct tc_rows_thread *to = &r->threads.at[i];

	to->tid = t->tid;
	to->is_main = t->is_main == 1;
	to->name = tc_strtab_id(&r->names, t->name);
	if (t->upid != TC_NONE)
		to->proc = tc_rows_proc(r, place, t->upid);
}
