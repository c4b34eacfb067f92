#include "source/source.h"

#include "rec/rec.h"

static void
choose_processes(struct tc_decode *d)
{
	const struct tc_process *p;
	size_t i;

	d->chosen.by_upid = tc_mem_calloc(d->procs.process_count, 1);
	for (i = 0; i < d->procs.process_count; i++) {
		p = &d->procs.processes[i];
		d->chosen.by_upid[i] = tc_choose_process(
			d->choose, p->pid, p->upid, tc_strtab_str(&d->names, p->name));
	}
}

int
tc_source_choose(struct tc_decode *d, struct tc_err *err)
{
	const struct tc_choose *c = d->choose;
	struct tc_source_chosen *chosen = &d->chosen;

	chosen->process = tc_choose_type(c, "process");
	chosen->thread = tc_choose_type(c, "thread");
	chosen->buffer_event = tc_choose_type(c, "buffer_event");
	chosen->phase = tc_choose_type(c, "phase");
	chosen->expected_frame = tc_choose_type(c, "expected_frame");
	chosen->actual_frame = tc_choose_type(c, "actual_frame");
	chosen->input_event = tc_choose_type(c, "input_event");
	chosen->input_dispatch = tc_choose_type(c, "input_dispatch");
	chosen->slice = tc_choose_type(c, "slice");
	chosen->sched = tc_choose_type(c, "sched");
	chosen->counter = tc_choose_type(c, "counter");
	if (c->processes.count)
		choose_processes(d);
	if (c->layers.count)
		chosen->by_name = tc_mem_calloc(d->names.count + 1, 1);
	return tc_choose_resolve(c, d->start_ts, d->end_ts, &d->window, err);
}

bool
tc_source_looks_up_layer(struct tc_decode *d, uint32_t layer)
{
	uint8_t *known = &d->chosen.by_name[layer];

	if (!*known)
		*known = tc_choose_layer(d->choose, tc_strtab_str(&d->names, layer)) ? 1
										     : 2;
	return *known == 1;
}

bool
tc_source_looks_up_time(
	const struct tc_decode *d, int64_t ts, int64_t dur, struct tc_rec_list *edge)
{
	static const struct tc_str edges[] = { TC_STR_INIT("from"), TC_STR_INIT("to") };
	unsigned place;

	place = tc_choose_place(&d->window, ts, dur);
	if (place & TC_CHOOSE_OUTSIDE)
		return false;
	if (place & TC_CHOOSE_CROSSES_FROM)
		*edge = (struct tc_rec_list){ edges, 1 };
	else if (place & TC_CHOOSE_CROSSES_TO)
		*edge = (struct tc_rec_list){ edges + 1, 1 };
	if (place == (TC_CHOOSE_CROSSES_FROM | TC_CHOOSE_CROSSES_TO))
		edge->count = 2;
	return true;
}

int64_t
tc_source_outlier_outside(const struct tc_decode *d, int64_t ts)
{
	if (d->start_ts > d->end_ts)
		return TC_NONE;
	if (ts < d->start_ts)
		return d->start_ts - ts > TC_TRACE_MAX_GAP_NS ? 1 : TC_NONE;
	return ts - d->end_ts > TC_TRACE_MAX_GAP_NS ? 1 : TC_NONE;
}

static bool
has_any(const uint8_t *chosen, size_t n, uint8_t value)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (chosen[i] == value)
			return true;
	return false;
}

void
tc_source_missed(struct tc_decode *d, const char *options[3])
{
	const struct tc_source_chosen *c = &d->chosen;
	size_t n = 0;

	if (c->by_upid && !has_any(c->by_upid, d->procs.process_count, 1))
		options[n++] = "--process";
	/* Layers that no row asked about say nothing. */
	if (c->by_name && has_any(c->by_name, d->names.count + 1, 2) &&
		!has_any(c->by_name, d->names.count + 1, 1))
		options[n++] = "--layer";
	options[n] = NULL;
}
