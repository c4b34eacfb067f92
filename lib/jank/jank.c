#include "jank/jank.h"

#include <stdlib.h>
#include <string.h>

#include "jank/priv.h"
#include "rec/rec.h"

void
tc_jank_release(struct tc_jank *j)
{
	tc_strtab_release(&j->names);
	tc_strtab_release(&j->groups);
	tc_map_release(&j->traces);
	tc_map_release(&j->places);
	tc_map_release(&j->proc_index);
	free(j->totals);
	free(j->procs);
	free(j->expected);
	free(j->expected_index);
	free(j->actual);
}

void
tc_jank_add_trace(struct tc_jank *j, const struct tc_rec_trace *t)
{
	bool made;

	tc_map_put(&j->traces, (uint64_t)t->trace, 0, &made);
	if (made)
		return;
	tc_map_release(&j->traces);
	tc_map_release(&j->places);
	tc_map_put(&j->traces, (uint64_t)t->trace, 0, &made);
}

bool
tc_jank_is_empty(const struct tc_jank *j)
{
	return j->traces.used == 0 && j->proc_count == 0;
}

static uint32_t
proc_of(struct tc_jank *j, int64_t trace, int64_t machine, int64_t upid)
{
	struct tc_jank_proc *p;
	uint64_t *slot, place;
	bool made;

	slot = tc_map_put(&j->places, (uint64_t)trace, (uint64_t)machine, &made);
	if (made)
		*slot = j->place_count++;
	place = *slot;
	slot = tc_map_put(&j->proc_index, place, (uint64_t)upid, &made);
	if (!made)
		return (uint32_t)*slot;
	tc_mem_grow(&j->procs, &j->proc_cap, j->proc_count + 1, sizeof(*j->procs));
	p = &j->procs[j->proc_count];
	*p = (struct tc_jank_proc){ trace, machine, upid, TC_NONE, 0, false, false };
	*slot = j->proc_count;
	return (uint32_t)j->proc_count++;
}

void
tc_jank_add_process(struct tc_jank *j, const struct tc_rec_process *r)
{
	uint32_t i = proc_of(j, r->trace, r->machine_id, r->upid);

	/* What frames said stays where the record does not know. */
	if (r->pid != TC_NONE)
		j->procs[i].pid = r->pid;
	if (r->name.p)
		j->procs[i].name = tc_strtab_id(&j->names, r->name);
}

/* A stream need not have the process records; frames name theirs too. */
static uint32_t
name_proc(struct tc_jank *j, uint32_t i, int64_t pid, struct tc_str name)
{
	struct tc_jank_proc *p = &j->procs[i];

	if (p->pid == TC_NONE)
		p->pid = pid;
	if (!p->name)
		p->name = tc_strtab_id(&j->names, name);
	return i;
}

void
tc_jank_add_expected(struct tc_jank *j, const struct tc_rec_expected_frame *f)
{
	uint32_t proc;

	if (f->surface_frame_token == TC_NONE)
		return;
	proc = proc_of(j, f->trace, f->machine_id, f->upid);
	tc_mem_grow(&j->expected, &j->expected_cap, j->expected_count + 1,
		sizeof(*j->expected));
	j->expected[j->expected_count++] = (struct tc_jank_expected){
		.token = f->surface_frame_token,
		.ts = f->ts,
		.dur = f->dur,
		.id = f->id,
		.proc = name_proc(j, proc, f->pid, f->process),
	};
}

static uint32_t
group_of(struct tc_jank *j, const struct tc_rec_actual_frame *f)
{
	uint32_t proc = proc_of(j, f->trace, f->machine_id, f->upid);
	struct tc_jank_group c = {
		.proc = name_proc(j, proc, f->pid, f->process),
		.pid = f->pid,
		.on_time = f->on_time_finish,
		.layer = tc_strtab_id(&j->names, f->layer_name),
		.is_buffer = tc_strtab_id(&j->names, f->is_buffer),
		.tag = tc_strtab_id(&j->names, f->jank_tag),
		.type = tc_strtab_id(&j->names, f->jank_type),
		.present = tc_strtab_id(&j->names, f->present_type),
	};
	size_t before = j->groups.count;
	uint32_t id;

	j->procs[proc].has_frames = true;
	id = tc_strtab_id(
		&j->groups, (struct tc_str){ (const char *)&c, sizeof(c), false });
	if (j->groups.count > before) {
		tc_mem_grow(&j->totals, &j->totals_cap, id, sizeof(*j->totals));
		j->totals[id - 1] = (struct tc_jank_totals){ 0 };
	}
	return id;
}

static void
count_row(struct tc_jank_totals *t, int64_t dur)
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
	t->sum_ns += (double)dur;
	if ((double)dur > t->max_ns)
		t->max_ns = (double)dur;
}

void
tc_jank_add_actual(struct tc_jank *j, const struct tc_rec_actual_frame *f)
{
	uint32_t group;

	if (f->surface_frame_token == TC_NONE)
		return;
	group = group_of(j, f);
	count_row(&j->totals[group - 1], f->dur);
	tc_mem_grow(&j->actual, &j->actual_cap, j->actual_count + 1, sizeof(*j->actual));
	j->actual[j->actual_count++] = (struct tc_jank_actual){
		.token = f->surface_frame_token,
		.display_token = f->display_frame_token,
		.ts = f->ts,
		.dur = f->dur,
		.id = f->id,
		.group = group,
	};
}

const struct tc_jank_group *
tc_jank_group_of(const struct tc_jank *j, uint32_t group)
{
	/* The arena that holds the bytes aligns them. */
	return (const void *)tc_strtab_str(&j->groups, group).p;
}

const struct tc_jank_proc *
tc_jank_proc_of(const struct tc_jank *j, uint32_t group)
{
	return &j->procs[tc_jank_group_of(j, group)->proc];
}

/* The slot of the token's first row, or the free one where it would stand. */
static uint32_t *
find_slot(const struct tc_jank *j, uint32_t proc, int64_t token)
{
	size_t mask = j->index_cap - 1,
	       i = (size_t)tc_mem_hash(proc, (uint64_t)token) & mask;
	const struct tc_jank_expected *e;

	for (; j->expected_index[i]; i = (i + 1) & mask) {
		e = &j->expected[j->expected_index[i] - 1];
		if (e->proc == proc && e->token == token)
			break;
	}
	return &j->expected_index[i];
}

static void
make_index(struct tc_jank *j)
{
	uint32_t *slot;
	size_t i;

	j->index_cap = 16;
	while (j->index_cap < j->expected_count * 2)
		j->index_cap *= 2;
	j->expected_index = tc_mem_calloc(j->index_cap, sizeof(*j->expected_index));
	for (i = 0; i < j->expected_count; i++) {
		slot = find_slot(j, j->expected[i].proc, j->expected[i].token);
		if (!*slot)
			*slot = (uint32_t)(i + 1);
		j->expected[*slot - 1].count++;
	}
}

const struct tc_jank_expected *
tc_jank_expectation(struct tc_jank *j, const struct tc_jank_actual *a)
{
	uint32_t *slot;

	if (!j->expected_index)
		make_index(j);
	slot = find_slot(j, tc_jank_group_of(j, a->group)->proc, a->token);
	return *slot ? &j->expected[*slot - 1] : NULL;
}

bool
tc_jank_is_janky(struct tc_str tag)
{
	static const char *const fine[] = { "No Jank", "Unspecified",
		"Non-perceivable Jank" };
	size_t i;

	for (i = 0; i < sizeof(fine) / sizeof(fine[0]); i++)
		if (tc_str_eq(tag, tc_str_of(fine[i])))
			return false;
	return tag.p != NULL;
}
