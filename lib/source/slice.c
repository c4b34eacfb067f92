/* Slices: stretches of time that threads and processes marked. */
#include "slices/slices.h"

#include "rec/rec.h"
#include "source/priv.h"

struct slice_row {
	struct tc_row row; /* first */
	struct tc_slice *slice;
	bool is_marker; /* of the window, and maybe nothing else */
};

void
tc_source_add_slice(struct tc_decode *d, struct tc_slice *slice)
{
	struct tc_str name = tc_strtab_str(&d->names, slice->name);
	struct slice_row *r = tc_source_event(d, &tc_source_slice, slice->ts, sizeof(*r));

	r->slice = slice;
	r->is_marker = tc_choose_is_marker(d->choose, name);
	slice->vsync_id = tc_slice_vsync_id(name);
}

static bool
is_of_thread(const struct tc_slice *s)
{
	return s->kind == TC_SLICE_THREAD || (s->kind == TC_SLICE_INSTANT && !s->track);
}

/* Whose it is, when it began. */
static void
apply(struct tc_decode *d, void *state, int64_t ts, struct tc_row *base)
{
	const struct slice_row *r = (const struct slice_row *)base;
	struct tc_slice *s = r->slice;

	(void)state;
	if (r->is_marker)
		tc_choose_mark(d->choose, &d->window, tc_strtab_str(&d->names, s->name),
			ts, s->dur);
	if (is_of_thread(s))
		s->utid = tc_procs_utid(&d->procs, s->machine, s->tid, s->pid);
	else
		s->upid = tc_procs_upid(&d->procs, s->machine, s->pid);
	tc_source_input_slice(d, s);
}

/* A thread's process may have become known after the slice began. */
static void
complete(const struct tc_decode *d, struct tc_slice *s)
{
	if (s->utid == TC_SLICE_NOBODY)
		return;
	s->upid = d->procs.threads[s->utid].upid;
	s->tid = d->procs.threads[s->utid].tid;
	if (s->upid != TC_PROC_NONE)
		s->pid = d->procs.processes[s->upid].pid;
}

static bool
is_chosen(const struct tc_decode *d, const struct slice_row *r)
{
	struct tc_str name;

	if (!d->chosen.slice || !tc_source_has_process(d, r->slice->upid))
		return false;
	if (!r->is_marker)
		return true;
	name = tc_strtab_str(&d->names, r->slice->name);
	return tc_slice_is_default(name, name.len) || tc_choose_slice(d->choose, name);
}

static void
put(struct tc_decode *d, void *state, int64_t ts, struct tc_row *base, struct tc_out *o)
{
	static const struct tc_str kinds[] = { TC_STR_INIT("thread"),
		TC_STR_INIT("async"), TC_STR_INIT("instant") };
	const struct slice_row *r = (const struct slice_row *)base;
	struct tc_slice *s = r->slice;
	struct tc_rec_slice rec;
	struct tc_rec_list edge;
	bool has_upid, has_utid;

	(void)state;
	complete(d, s);
	if (!is_chosen(d, r) || !tc_source_has_time(d, ts, s->dur, &edge))
		return;
	has_upid = s->upid != TC_SLICE_NOBODY;
	has_utid = s->utid != TC_SLICE_NOBODY;
	rec = (struct tc_rec_slice){
		.id = s->id,
		.ts = ts,
		.dur = s->dur,
		.kind = kinds[s->kind],
		.track = tc_strtab_str(&d->names, s->track),
		.parent_id = s->parent ? s->parent->id : TC_NONE,
		.depth = s->depth,
		.upid = has_upid ? (int64_t)s->upid : TC_NONE,
		.utid = has_utid ? (int64_t)s->utid : TC_NONE,
		.pid = has_upid ? (int64_t)s->pid : TC_NONE,
		.tid = has_utid ? (int64_t)s->tid : TC_NONE,
		.name = tc_strtab_str(&d->names, s->name),
		.vsync_id = s->vsync_id,
		.cookie = s->cookie,
		.edge = edge,
		.outlier = tc_source_outlier(d, ts),
		.machine_id = tc_source_machine_id(d, s->machine),
		.trace = d->index,
	};
	if (has_upid)
		rec.process = tc_strtab_str(&d->names, d->procs.processes[s->upid].name);
	if (has_utid)
		rec.thread = tc_strtab_str(&d->names, d->procs.threads[s->utid].name);
	tc_rec_put(o, &tc_rec_slice, &rec);
}

const struct tc_source tc_source_slice = { .apply = apply, .put = put };
