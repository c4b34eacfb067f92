/* How long input events took: rows made of slices and frames when all are there. */
#include <string.h>

#include "input/input.h"
#include "rec/rec.h"
#include "source/priv.h"

struct state {
	bool is_asked, is_wanted;
	struct tc_input input;
};

struct latency_row {
	struct tc_row row; /* first */
	const struct tc_input_event *event;
};

static void
release(void *state)
{
	tc_input_release(&((struct state *)state)->input);
}

void
tc_source_input_slice(struct tc_decode *d, const struct tc_slice *slice)
{
	struct state *s = d->use[tc_source_place_of(&tc_source_input_latency)].state;

	if (!s->is_asked) {
		s->is_asked = true;
		s->is_wanted = tc_choose_type(d->choose, "input_latency");
		tc_input_init(&s->input, &d->names);
	}
	if (s->is_wanted)
		tc_input_slice(&s->input, slice);
}

/* Puts the rows of events between those that there are, behind those of their time. */
static void
place_rows(struct tc_decode *d, const struct tc_input *in)
{
	uint16_t source = tc_source_place_of(&tc_source_input_latency);
	size_t from = d->item_count, to = from + in->event_count, i = in->event_count;
	struct latency_row *rows = tc_arena_calloc(&d->rows, i * sizeof(*rows));

	tc_mem_grow(&d->items, &d->item_cap, to, sizeof(*d->items));
	d->item_count = to;
	while (i) {
		if (from && d->items[from - 1].ts > in->events[i - 1].ts) {
			d->items[--to] = d->items[--from];
			continue;
		}
		i--;
		rows[i] = (struct latency_row){ { source }, &in->events[i] };
		d->items[--to] = (struct tc_trace_item){ in->events[i].ts, &rows[i] };
	}
}

static void
complete(struct tc_decode *d, void *state)
{
	struct tc_input *in = &((struct state *)state)->input;
	struct tc_input_frame frame;
	size_t i;

	if (!in->note_count)
		return;
	for (i = 0; in->deliveries && i < d->item_count; i++)
		if (tc_source_actual_frame(&d->items[i], &frame))
			tc_input_frame(in, &frame);
	tc_input_join(in, &d->procs);
	place_rows(d, in);
}

static void
apply(struct tc_decode *d, void *state, int64_t ts, struct tc_row *base)
{
	(void)d;
	(void)state;
	(void)ts;
	(void)base;
}

/* ---- records ---- */

/* Who a slice is of; what is not known stays unknown. */
struct who {
	int64_t tid, upid, pid;
	struct tc_str thread, process;
};

static struct who
who_of(const struct tc_decode *d, const struct tc_slice *s)
{
	struct who w = { .tid = TC_NONE, .upid = TC_NONE, .pid = TC_NONE };
	const struct tc_process *p;
	const struct tc_thread *t;

	if (!s || s->utid == TC_SLICE_NOBODY)
		return w;
	t = &d->procs.threads[s->utid];
	w.tid = t->tid;
	w.thread = tc_strtab_str(&d->names, t->name);
	if (t->upid == TC_PROC_NONE)
		return w;
	p = &d->procs.processes[t->upid];
	w.upid = p->upid;
	w.pid = p->pid;
	w.process = tc_strtab_str(&d->names, p->name);
	return w;
}

static int64_t
start(const struct tc_slice *s)
{
	return s ? s->ts : TC_NONE;
}

static int64_t
length(const struct tc_slice *s)
{
	return s ? s->dur : TC_NONE;
}

static int64_t
between(const struct tc_slice *from, const struct tc_slice *to)
{
	return from && to ? to->ts - from->ts : TC_NONE;
}

static struct tc_str
hex(int64_t v, char buf[24])
{
	static const char digits[] = "0123456789abcdef";
	uint64_t u = (uint64_t)v;
	char *p = buf + 24;

	do
		*--p = digits[u & 15];
	while (u >>= 4);
	*--p = 'x';
	*--p = '0';
	return (struct tc_str){ p, (uint32_t)(buf + 24 - p), true };
}

/* The message of a stage; false when it was not seen. */
static bool
message_of(const struct tc_decode *d, const struct tc_input_event *e,
	enum tc_input_stage stage, struct tc_input_message *m)
{
	return e->parts[stage] &&
		tc_input_message(tc_strtab_str(&d->names, e->parts[stage]->name), m);
}

/* As the publisher calls it, even when only the app's messages were seen. */
static struct tc_str
publisher_channel(struct tc_decode *d, const struct tc_input_message *m)
{
	static const char suffix[] = " (server)";
	size_t len = m->base.len;
	char *text;

	if (m->channel.len == len || m->channel.p[m->channel.len - 2] == 'r')
		return m->channel;
	text = tc_arena_alloc(&d->rows, len + sizeof(suffix));
	memcpy(text, m->base.p, len);
	memcpy(text + len, suffix, sizeof(suffix));
	return (struct tc_str){ text, (uint32_t)(len + sizeof(suffix) - 1), false };
}

static void
set_message(struct tc_decode *d, const struct tc_input_event *e,
	struct tc_rec_input_latency *r)
{
	struct tc_input_message m = { 0 };

	if (message_of(d, e, TC_INPUT_DISPATCH, &m) ||
		message_of(d, e, TC_INPUT_RECEIVE, &m))
		r->event_type = m.type;
	else if (!message_of(d, e, TC_INPUT_FINISH, &m))
		message_of(d, e, TC_INPUT_ACK, &m);
	r->event_channel = publisher_channel(d, &m);
	r->normalized_event_channel = tc_input_channel_name(m.base);
	r->seq = (int64_t)m.seq;
}

static struct tc_str
action_of(const struct tc_decode *d, const struct tc_slice *delivery)
{
	const struct tc_slice *s = delivery;
	struct tc_str action = { 0 };

	while (s && (s = s->parent) && !action.p)
		action = tc_input_action(tc_strtab_str(&d->names, s->name));
	return action;
}

/* The reader's word for when the event happened; it is MONOTONIC. */
static int64_t
event_time(const struct tc_decode *d, const struct tc_input_event *e)
{
	int64_t t;

	if (e->read &&
		tc_input_number(
			tc_strtab_str(&d->names, e->read->name), ", eventTime=", 10, &t))
		return t;
	return TC_NONE;
}

/* The same as trace time; where the reader says nothing, the app may. */
static int64_t
event_ts(struct tc_decode *d, const struct tc_input_event *e, int64_t t)
{
	struct tc_str delivery;
	uint32_t machine;
	int64_t ts;

	if (t == TC_NONE && e->delivery) {
		delivery = tc_strtab_str(&d->names, e->delivery->name);
		if (!tc_input_number(delivery, " eventTimeNano=", 10, &t))
			return TC_NONE;
	}
	if (t == TC_NONE)
		return TC_NONE;
	machine = e->read ? e->read->machine : e->delivery->machine;
	if (tc_clocks_convert(&d->trace.machines[machine].clocks, TC_CLOCK_MONOTONIC, t,
		    &ts) != TC_CLOCK_OK)
		return TC_NONE;
	return ts;
}

static int64_t
frame_token(const struct tc_slice *frame)
{
	if (!frame || frame->vsync_id == TC_SLICE_NONE || frame->vsync_id < 0)
		return TC_NONE;
	return frame->vsync_id;
}

static struct tc_str
match_text(enum tc_input_match match)
{
	switch (match) {
	case TC_INPUT_EXACT: return TC_STR("exact");
	case TC_INPUT_SPECULATIVE: return TC_STR("speculative");
	case TC_INPUT_NONE: break;
	}
	return TC_STR("none");
}

_Static_assert(TC_SLICE_NONE == TC_NONE, "what is not known goes into records as it is");

static void
set_times(const struct tc_input_event *e, struct tc_rec_input_latency *r)
{
	const struct tc_slice *dispatch = e->parts[TC_INPUT_DISPATCH];
	const struct tc_slice *receive = e->parts[TC_INPUT_RECEIVE];
	const struct tc_slice *finish = e->parts[TC_INPUT_FINISH];
	const struct tc_slice *ack = e->parts[TC_INPUT_ACK];

	r->dispatch_latency_dur = between(dispatch, receive);
	r->handling_latency_dur = between(receive, finish);
	r->ack_latency_dur = between(finish, ack);
	r->total_latency_dur = between(dispatch, ack);
	if (e->read && e->presented_ts != TC_NONE)
		r->end_to_end_latency_dur = e->presented_ts - e->read->ts;
	r->read_time = start(e->read);
	r->dispatch_ts = start(dispatch);
	r->dispatch_dur = length(dispatch);
	r->receive_ts = start(receive);
	r->receive_dur = length(receive);
	r->delivery_ts = start(e->delivery);
	r->delivery_dur = length(e->delivery);
	r->finish_ts = start(finish);
	r->last_finish_ts = start(e->last_finish);
	r->finish_count = e->finishes;
	r->ack_ts = start(ack);
	r->present_ts = e->presented_ts;
}

static void
set_people(const struct tc_decode *d, const struct tc_input_event *e,
	struct tc_rec_input_latency *r)
{
	struct who w = who_of(d, e->parts[TC_INPUT_FINISH]);

	r->tid = w.tid;
	r->thread_name = w.thread;
	r->upid = w.upid;
	r->pid = w.pid;
	r->process_name = w.process;
	w = who_of(d, e->parts[TC_INPUT_DISPATCH]);
	r->dispatch_tid = w.tid;
	r->dispatch_thread_name = w.thread;
	r->dispatch_pid = w.pid;
	r->dispatch_process_name = w.process;
	w = who_of(d, e->parts[TC_INPUT_RECEIVE]);
	r->receive_tid = w.tid;
	r->receive_thread_name = w.thread;
	r->receive_pid = w.pid;
	r->receive_process_name = w.process;
}

/* The app that an event was for: it may be known of its message only. */
static bool
has_process(const struct tc_decode *d, const struct tc_input_event *e)
{
	const struct tc_slice *s = e->parts[TC_INPUT_FINISH];

	if (!s)
		s = e->parts[TC_INPUT_RECEIVE];
	return tc_source_has_process(d,
		s && s->utid != TC_SLICE_NOBODY ? d->procs.threads[s->utid].upid
						: TC_PROC_NONE);
}

static uint32_t
machine_of(const struct tc_input_event *e)
{
	int i = 0;

	while (!e->parts[i])
		i++;
	return e->parts[i]->machine;
}

static int64_t
end_of(const struct tc_input_event *e)
{
	int64_t end = e->ts;
	int i;

	for (i = 0; i < TC_INPUT_STAGES; i++)
		if (e->parts[i] && e->parts[i]->ts > end)
			end = e->parts[i]->ts;
	return end;
}

static void
put(struct tc_decode *d, void *state, int64_t ts, struct tc_row *base, struct tc_out *o)
{
	const struct tc_input_event *e = ((struct latency_row *)base)->event;
	struct tc_rec_input_latency r;
	char seq[24], id[24];

	(void)state;
	tc_rec_init(&tc_rec_input_latency, &r);
	if (!has_process(d, e) || !tc_source_has_time(d, ts, end_of(e) - ts, &r.edge))
		return;
	set_times(e, &r);
	set_people(d, e, &r);
	set_message(d, e, &r);
	r.event_seq = hex(r.seq, seq);
	r.event_action = action_of(d, e->delivery);
	r.event_id = e->event_id;
	if (e->event_id != TC_NONE)
		r.input_event_id = hex(e->event_id, id);
	r.batch_event_id = e->batch_id;
	r.event_time = event_time(d, e);
	r.event_ts = event_ts(d, e, r.event_time);
	r.frame_id = e->presented;
	if (e->match != TC_INPUT_NONE)
		r.is_speculative_frame = e->match == TC_INPUT_SPECULATIVE;
	r.match = match_text(e->match);
	r.matched_frame_id = frame_token(e->frame);
	r.matched_frame_ts = start(e->frame);
	r.outlier = tc_source_outlier(d, ts);
	r.machine_id = tc_source_machine_id(d, machine_of(e));
	r.trace = d->index;
	tc_rec_put(o, &tc_rec_input_latency, &r);
}

const struct tc_source tc_source_input_latency = {
	.state_size = sizeof(struct state),
	.complete = complete,
	.apply = apply,
	.put = put,
	.release = release,
};
