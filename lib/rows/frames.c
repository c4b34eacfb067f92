#include "rows/priv.h"

#include "rec/rec.h"

void
tc_rows_add_expected(struct tc_rows *r, const void *rec)
{
	const struct tc_rec_expected_frame *f = rec;
	bool is_display = f->surface_frame_token == TC_NONE;
	struct tc_rows_expected *e;
	uint32_t proc;

	if (!(r->kinds & (is_display ? TC_ROWS_DISPLAY : TC_ROWS_FRAME)))
		return;
	proc = tc_rows_proc(r, tc_rows_place(r, f->trace, f->machine_id), f->upid);
	tc_rows_name_proc(r, proc, TC_ROWS_ROW, f->pid, f->process);
	e = is_display ? TC_ROWS_MORE(&r->display_expected) : TC_ROWS_MORE(&r->expected);
	e->token = is_display ? f->display_frame_token : f->surface_frame_token;
	e->ts = f->ts;
	e->dur = f->dur;
	e->id = f->id;
	e->proc = proc;
	e->is_outlier = f->outlier == 1;
}

static uint32_t
group_of(struct tc_rows *r, const struct tc_rec_actual_frame *f, uint32_t proc)
{
	struct tc_rows_group g = {
		.proc = proc,
		.pid = f->pid,
		.on_time = f->on_time_finish,
		.layer = tc_strtab_id(&r->names, f->layer_name),
		.is_buffer = tc_strtab_id(&r->names, f->is_buffer),
		.tag = tc_strtab_id(&r->names, f->jank_tag),
		.type = tc_strtab_id(&r->names, f->jank_type),
		.present = tc_strtab_id(&r->names, f->present_type),
	};
	size_t before = r->groups.count;
	uint32_t id = tc_strtab_id(
		&r->groups, (struct tc_str){ (const char *)&g, sizeof(g), false });

	if (r->groups.count > before) {
		tc_mem_grow(&r->totals, &r->totals_cap, id, sizeof(*r->totals));
		r->totals[id - 1] = (struct tc_rows_totals){ 0 };
	}
	return id;
}

static uint32_t
verdict_of(struct tc_rows *r, const struct tc_rec_actual_frame *f)
{
	struct tc_rows_verdict v = {
		.gpu_composition = f->gpu_composition,
		.mask = f->jank_mask,
		.prediction = tc_strtab_id(&r->names, f->prediction_type),
		.severity = tc_strtab_id(&r->names, f->jank_severity_type),
	};

	return tc_strtab_id(
		&r->verdicts, (struct tc_str){ (const char *)&v, sizeof(v), false });
}

static void
count_row(struct tc_rows_totals *t, int64_t dur)
{
	t->rows++;
	if (dur == TC_NONE)
		return;
	if (dur == -1)
		t->open++;
	else if (dur == 0)
		t->zero++;
	else if (dur < 0)
		t->invalid++;
	if (dur <= 0)
		return;
	t->positive++;
	if (__builtin_add_overflow(t->sum_ns, dur, &t->sum_ns))
		t->sum_ns = INT64_MAX;
	if (dur > t->max_ns)
		t->max_ns = dur;
}

/* Display frames are held for joins alone, app frames are counted too. */
void
tc_rows_add_actual(struct tc_rows *r, const void *rec)
{
	const struct tc_rec_actual_frame *f = rec;
	bool is_display = f->surface_frame_token == TC_NONE;
	struct tc_rows_actual *a;
	uint32_t place, proc, group;

	if (!(r->kinds & (is_display ? TC_ROWS_DISPLAY : TC_ROWS_FRAME | TC_ROWS_COUNT)))
		return;
	place = tc_rows_place(r, f->trace, f->machine_id);
	proc = tc_rows_proc(r, place, f->upid);
	tc_rows_name_proc(r, proc, TC_ROWS_ROW, f->pid, f->process);
	group = group_of(r, f, proc);
	if (is_display) {
		r->procs.at[proc].has_displays = true;
		a = TC_ROWS_MORE(&r->display_actual);
	} else {
		r->procs.at[proc].has_frames = true;
		count_row(&r->totals[group - 1], f->dur);
		if (!(r->kinds & TC_ROWS_FRAME))
			return;
		a = TC_ROWS_MORE(&r->actual);
	}
	*a = (struct tc_rows_actual){
		.token = is_display ? f->display_frame_token : f->surface_frame_token,
		.display_token = f->display_frame_token,
		.ts = f->ts,
		.dur = f->dur,
		.id = f->id,
		.group = group,
		.verdict = verdict_of(r, f),
		.score = f->jank_score,
		.place = place,
	};
}

/* The arenas that hold the bytes align them. */
const struct tc_rows_group *
tc_rows_group_of(const struct tc_rows *r, uint32_t group)
{
	return (const void *)tc_strtab_str(&r->groups, group).p;
}

const struct tc_rows_verdict *
tc_rows_verdict_of(const struct tc_rows *r, uint32_t verdict)
{
	return (const void *)tc_strtab_str(&r->verdicts, verdict).p;
}

const struct tc_rows_proc *
tc_rows_proc_of(const struct tc_rows *r, uint32_t group)
{
	return &r->procs.at[tc_rows_group_of(r, group)->proc];
}
