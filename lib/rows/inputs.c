#include "rows/priv.h"

#include "rec/rec.h"

static int64_t
first_of(int64_t a, int64_t b)
{
	return a == TC_NONE || (b != TC_NONE && b < a) ? b : a;
}

int64_t
tc_rows_input_ts(const struct tc_rows_input *in)
{
	return first_of(first_of(in->dispatch_ts, in->receive_ts),
		first_of(in->finish_ts, in->ack_ts));
}

/* An event that nobody finished is its receiver's. */
void
tc_rows_add_input(struct tc_rows *r, const void *rec)
{
	const struct tc_rec_input_latency *l = rec;
	uint32_t place = tc_rows_place(r, l->trace, l->machine_id), proc = TC_ROWS_NO;
	bool is_finished = l->upid != TC_NONE;

	if (is_finished) {
		proc = tc_rows_proc(r, place, l->upid);
		tc_rows_name_proc(r, proc, TC_ROWS_ROW, l->pid, l->process_name);
		r->procs.at[proc].has_frames = true;
	}
	*TC_ROWS_MORE(&r->inputs) = (struct tc_rows_input){
		.read_ts = l->read_time,
		.event_ts = l->event_ts,
		.dispatch_ts = l->dispatch_ts,
		.receive_ts = l->receive_ts,
		.finish_ts = l->finish_ts,
		.ack_ts = l->ack_ts,
		.present_ts = l->present_ts,
		.frame_id = l->frame_id,
		.matched_frame_id = l->matched_frame_id,
		.event_id = l->event_id,
		.seq = l->seq,
		.pid = is_finished ? l->pid : l->receive_pid,
		.tid = is_finished ? l->tid : l->receive_tid,
		.proc = proc,
		.thread = TC_ROWS_NO,
		.place = place,
		.type = tc_strtab_id(&r->names, l->event_type),
		.action = tc_strtab_id(&r->names, l->event_action),
		.channel = tc_strtab_id(&r->names, l->event_channel),
		.normalized = tc_strtab_id(&r->names, l->normalized_event_channel),
		.process = tc_strtab_id(&r->names,
			is_finished ? l->process_name : l->receive_process_name),
		.thread_name = tc_strtab_id(
			&r->names, is_finished ? l->thread_name : l->receive_thread_name),
		.match = tc_strtab_id(&r->names, l->match),
	};
}

/* By (place, number): the one item that has it, or TC_ROWS_NO where several do. */
static void
note(struct tc_map *index, uint32_t place, int64_t number, size_t i)
{
	uint64_t *slot;
	bool made;

	if (number == TC_NONE)
		return;
	slot = tc_map_put(index, place, (uint64_t)number, &made);
	*slot = made ? i : TC_ROWS_NO;
}

static uint32_t
noted(struct tc_map *index, uint32_t place, int64_t number)
{
	uint64_t *slot =
		number == TC_NONE ? NULL : tc_map_get(index, place, (uint64_t)number);

	return slot ? (uint32_t)*slot : TC_ROWS_NO;
}

/*
 * Rows of events have pids and tids, of which a trace may have several with one
 * number: whose an event is is said only where there is one.
 */
void
tc_rows_own_inputs(struct tc_rows *r)
{
	struct tc_map pids = { 0 }, tids = { 0 };
	struct tc_rows_input *in;
	size_t i;

	for (i = 0; r->inputs.count && i < r->procs.count; i++)
		note(&pids, r->procs.at[i].place, r->procs.at[i].pid, i);
	for (i = 0; r->inputs.count && i < r->threads.count; i++)
		note(&tids, r->threads.at[i].place, r->threads.at[i].tid, i);
	for (i = 0; i < r->inputs.count; i++) {
		in = &r->inputs.at[i];
		in->thread = noted(&tids, in->place, in->tid);
		if (in->proc != TC_ROWS_NO)
			continue;
		in->proc = noted(&pids, in->place, in->pid);
		if (in->proc != TC_ROWS_NO)
			r->procs.at[in->proc].has_frames = true;
	}
	tc_map_release(&pids);
	tc_map_release(&tids);
}
