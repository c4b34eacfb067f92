#include "rows/priv.h"

#include "rec/rec.h"

/* Of bytes that are the same for every row of one name on one track. */
static uint32_t
buffer_of(struct tc_rows *r, const struct tc_rows_buffer *b)
{
	return tc_strtab_id(
		&r->buffers, (struct tc_str){ (const char *)b, sizeof(*b), false });
}

const struct tc_rows_buffer *
tc_rows_buffer_of(const struct tc_rows *r, uint32_t buffer)
{
	return (const void *)tc_strtab_str(&r->buffers, buffer).p;
}

void
tc_rows_add_phase(struct tc_rows *r, const void *rec)
{
	const struct tc_rec_phase *p = rec;
	struct tc_rows_buffer b = {
		.buffer_id = p->buffer_id,
		.layer = tc_strtab_id(&r->names, p->layer_name),
		.track = tc_strtab_id(&r->names, p->track),
		.name = tc_strtab_id(&r->names, p->phase),
	};

	*TC_ROWS_MORE(&r->phases) = (struct tc_rows_phase){
		.id = p->id,
		.ts = p->ts,
		.dur = p->dur,
		.frame_number = p->frame_number,
		.buffer = buffer_of(r, &b),
		.place = tc_rows_place(r, p->trace, p->machine_id),
	};
}

void
tc_rows_add_event(struct tc_rows *r, const void *rec)
{
	const struct tc_rec_buffer_event *e = rec;
	struct tc_rows_buffer b = {
		.buffer_id = e->buffer_id,
		.layer = tc_strtab_id(&r->names, e->layer_name),
		.track = tc_strtab_id(&r->names, e->track),
		.name = tc_strtab_id(&r->names, e->name),
	};

	*TC_ROWS_MORE(&r->events) = (struct tc_rows_phase){
		.id = e->id,
		.ts = e->ts,
		.dur = e->dur,
		.frame_number = e->frame_number,
		.buffer = buffer_of(r, &b),
		.place = tc_rows_place(r, e->trace, e->machine_id),
	};
}

/* What a row says of its thread counts where no thread record came. */
static uint32_t
thread_of(struct tc_rows *r, uint32_t place, uint32_t proc, const struct tc_rec_slice *s)
{
	struct tc_rows_thread *t;
	uint32_t i;

	if (s->utid == TC_NONE)
		return TC_ROWS_NO;
	i = tc_rows_thread(r, place, s->utid);
	t = &r->threads.at[i];
	if (t->tid == TC_NONE)
		t->tid = s->tid;
	t->is_main |= s->tid != TC_NONE && s->tid == s->pid;
	if (!t->name)
		t->name = tc_strtab_id(&r->names, s->thread);
	if (t->proc == TC_ROWS_NO)
		t->proc = proc;
	return i;
}

void
tc_rows_add_slice(struct tc_rows *r, const void *rec)
{
	const struct tc_rec_slice *s = rec;
	uint32_t place = tc_rows_place(r, s->trace, s->machine_id), proc = TC_ROWS_NO;

	if (s->upid != TC_NONE) {
		proc = tc_rows_proc(r, place, s->upid);
		tc_rows_name_proc(r, proc, s->pid, s->process);
	}
	*TC_ROWS_MORE(&r->slices) = (struct tc_rows_slice){
		.id = s->id,
		.ts = s->ts,
		.dur = s->dur,
		.vsync_id = s->vsync_id,
		.proc = proc,
		.thread = thread_of(r, place, proc, s),
		.name = tc_strtab_id(&r->names, s->name),
		.track = tc_strtab_id(&r->names, s->track),
		.kind = s->kind.len ? s->kind.p[0] : 0,
	};
}

void
tc_rows_add_sched(struct tc_rows *r, const void *rec)
{
	const struct tc_rec_sched *s = rec;
	uint32_t place = tc_rows_place(r, s->trace, s->machine_id),
		 thread = tc_rows_thread(r, place, s->utid);

	if (r->threads.at[thread].tid == TC_NONE)
		r->threads.at[thread].tid = s->tid;
	*TC_ROWS_MORE(&r->scheds) = (struct tc_rows_sched){
		.ts = s->ts,
		.dur = s->dur,
		.thread = thread,
		.state = tc_strtab_id(&r->names, s->state),
	};
}

void
tc_rows_add_rate(struct tc_rows *r, const void *rec)
{
	const struct tc_rec_refresh_rate *s = rec;

	*TC_ROWS_MORE(&r->rates) = (struct tc_rows_rate){
		.ts = s->ts,
		.dur = s->dur,
		.period_ns = s->period_ns,
		.place = tc_rows_place(r, s->trace, s->machine_id),
	};
}

void
tc_rows_add_marker(struct tc_rows *r, const void *rec)
{
	const struct tc_rec_marker *m = rec;

	*TC_ROWS_MORE(&r->markers) = (struct tc_rows_marker){
		.ts = m->ts,
		.dur = m->dur,
		.repetition = m->repetition,
		.name = tc_strtab_id(&r->names, m->name),
		.scenario = tc_strtab_id(&r->names, m->scenario),
		.place = m->trace == TC_NONE ? TC_ROWS_NO : tc_rows_place(r, m->trace, 0),
	};
}
