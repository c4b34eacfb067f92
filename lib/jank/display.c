#include "jank/priv.h"

#include "io/io.h"
#include "rec/rec.h"
#include "rows/rows.h"

static void
put_display(const struct tc_rows *r, const struct tc_rows_actual *a, struct tc_out *out)
{
	const struct tc_rows_group *g = tc_rows_group_of(r, a->group), *shown = NULL;
	const struct tc_rows_proc *p = &r->procs.at[g->proc];
	struct tc_rec_jank_display rec;
	const struct tc_rows_actual *d;
	size_t count;

	d = tc_rows_display(r, a, &count);
	tc_rec_init(&tc_rec_jank_display, &rec);
	rec.app_actual_id = a->id;
	rec.app_upid = p->upid;
	rec.app_pid = g->pid;
	rec.layer_name = tc_rows_text(r, g->layer);
	rec.surface_frame_token = a->token;
	rec.display_frame_token = a->display_token;
	rec.is_buffer = tc_rows_text(r, g->is_buffer);
	rec.app_jank_tag = tc_rows_text(r, g->tag);
	rec.app_jank_type = tc_rows_text(r, g->type);
	rec.sf_candidate_count = (int64_t)count;
	rec.machine_id = r->places.at[a->place].machine;
	rec.trace = r->places.at[a->place].trace;
	if (count == 1) {
		shown = tc_rows_group_of(r, d->group);
		rec.sf_actual_id = d->id;
		rec.sf_upid = r->procs.at[shown->proc].upid;
		rec.sf_pid = shown->pid;
		rec.sf_jank_tag = tc_rows_text(r, shown->tag);
		rec.sf_jank_type = tc_rows_text(r, shown->type);
		rec.sf_present_type = tc_rows_text(r, shown->present);
	}
	tc_rec_put(out, &tc_rec_jank_display, &rec);
}

void
tc_jank_put_display(const struct tc_rows *r, struct tc_out *out)
{
	const struct tc_rows_actual *a;
	size_t i;

	for (i = 0; i < r->actual.count && !out->sys; i++) {
		a = &r->actual.at[i];
		if (tc_rows_proc_of(r, a->group)->is_chosen)
			put_display(r, a, out);
	}
}
