#include "trim/trim.h"

#include <stdlib.h>
#include <string.h>

#include "err/err.h"
#include "import/import.h"
#include "io/io.h"
#include "trim/priv.h"

uint32_t
tc_trim_name(struct tc_trim_plan *plan, struct tc_str name)
{
	if (name.len > TC_STR_MAX_NAME)
		name.len = TC_STR_MAX_NAME;
	return tc_strtab_id(&plan->names, name);
}

bool
tc_trim_in_window(const struct tc_trim_plan *plan, int64_t ts, int64_t dur)
{
	/* Trace time has none below 0: readers drop what does. */
	if (ts < 0)
		return plan->window.from == INT64_MIN;
	return !(tc_choose_place(&plan->window, ts, dur) & TC_CHOOSE_OUTSIDE);
}

int
tc_trim_check(const struct tc_choose *c, struct tc_err *err)
{
	size_t i;

	for (i = 0; i < c->processes.count; i++)
		if (strncmp(c->processes.items[i], "upid=", 5) == 0)
			return tc_err_set(err, TC_USAGE,
				"--process %s: rows of a trace are numbered anew when it "
				"is trimmed; use the name, or pid=N",
				c->processes.items[i]);
	return tc_choose_check(c, err);
}

static void
put_late(struct tc_trim_plan *plan, uint64_t ordinal, const struct tc_packet *p)
{
	tc_mem_grow(&plan->late.items, &plan->late.cap, plan->late.count + 1,
		sizeof(*plan->late.items));
	plan->late.items[plan->late.count++] = (struct tc_trim_late){
		.ordinal = ordinal,
		.clock = p->clock,
		.raw = (int64_t)p->timestamp,
		.machine = p->machine,
	};
}

/* When the file has been read to its end, or to where it is damaged. */
static void
resolve_late(struct tc_trim_plan *plan, struct tc_trace *t)
{
	struct tc_trim_late *late;
	size_t i;

	for (i = 0; i < plan->late.count; i++) {
		late = &plan->late.items[i];
		late->is_mapped = tc_trace_late(
			t, late->machine, late->clock, late->raw, &late->ts);
	}
}

static void
place_late(const struct tc_trim_plan *plan, int64_t *ts, uint8_t *time)
{
	const struct tc_trim_late *late;

	if (*time != TC_TRIM_LATE)
		return;
	late = &plan->late.items[*ts];
	*ts = late->ts;
	if (!late->is_mapped)
		*time = TC_TRIM_NOWHERE;
}

static void
place_late_rows(struct tc_trim_plan *plan)
{
	size_t i;

	for (i = 0; i < plan->frames.count; i++)
		place_late(plan, &plan->frames.items[i].ts, &plan->frames.items[i].time);
	for (i = 0; i < plan->buffers.count; i++)
		place_late(
			plan, &plan->buffers.items[i].ts, &plan->buffers.items[i].time);
}

/* Whether a packet may be written; where only the end of the trace tells, yes. */
static bool
may_be_kept(const struct tc_trim_plan *plan, const struct tc_packet *p)
{
	if (p->needs_lost_state)
		return false;
	if (p->time == TC_TIME_NONE || p->time == TC_TIME_LATER || tc_trim_is_context(p))
		return true;
	if (p->data_field == TC_PACKET_FRAME_TIMELINE_EVENT ||
		p->data_field == TC_PACKET_GRAPHICS_FRAME_EVENT ||
		p->data_field == TC_PACKET_FTRACE_EVENTS)
		return true;
	return tc_trim_in_window(plan, p->ts, 0);
}

/* How far the state of each sequence is needed. */
static void
note_state(struct tc_trim_plan *plan, struct tc_trim_seqs *seqs, uint64_t ordinal,
	const struct tc_packet *p)
{
	struct tc_trim_place place = tc_trim_seqs_enter(seqs, p);
	bool kept = may_be_kept(plan, p);

	if (place.generation == plan->last_kept.count) {
		tc_mem_grow(&plan->last_kept.items, &plan->last_kept.cap,
			plan->last_kept.count + 1, sizeof(*plan->last_kept.items));
		plan->last_kept.items[plan->last_kept.count++] = 0;
	}
	if (place.is_first) {
		tc_mem_grow(&plan->seq_kept.items, &plan->seq_kept.cap,
			plan->seq_kept.count + 1, sizeof(*plan->seq_kept.items));
		plan->seq_kept.items[plan->seq_kept.count++] = false;
	}
	if (kept) {
		plan->last_kept.items[place.generation] = ordinal + 1;
		plan->seq_kept.items[place.seq] = true;
	}
}

static void
note_tree(struct tc_trim_plan *plan, const struct tc_packet *p)
{
	tc_trim_people_tree(&plan->people, p->machine, p->data);
	tc_trim_names_tree(&plan->called, p->machine, p->data);
}

static void
note_data(struct tc_trim_plan *plan, struct tc_trim_ftrace *ftrace,
	const struct tc_packet *p)
{
	if (p->time == TC_TIME_NONE)
		return;
	if (p->data_field == TC_PACKET_FRAME_TIMELINE_EVENT)
		tc_trim_frames_read(plan, p);
	else if (p->data_field == TC_PACKET_GRAPHICS_FRAME_EVENT)
		tc_trim_buffers_read(plan, p);
	else if (p->data_field == TC_PACKET_PROCESS_TREE)
		note_tree(plan, p);
	else if (p->data_field == TC_PACKET_FTRACE_EVENTS)
		tc_trim_ftrace_read(ftrace, p);
}

/*
 * Damage ends both readings at the same place, and the second one reports it: what
 * comes before it is kept.
 */
static int
until_damage(int r, const struct tc_err *err)
{
	return r < 0 && err->code != TC_DATA ? -1 : 0;
}

static bool
has_choice(const struct tc_choose *c)
{
	return c->from.kind || c->to.kind || c->processes.count || c->layers.count;
}

static int
read_plan(struct tc_trim_plan *plan, struct tc_in *in, struct tc_err *err)
{
	struct tc_trim_ftrace ftrace = { .plan = plan };
	struct tc_trim_seqs seqs = { 0 };
	struct tc_packet p;
	struct tc_trace t;
	uint64_t ordinal;
	int r;

	tc_trace_init(&t);
	t.with_all = true;
	ftrace.trace = &t;
	for (ordinal = 0; (r = tc_trace_next(&t, in, &p, err)) > 0; ordinal++) {
		note_state(plan, &seqs, ordinal, &p);
		note_data(plan, &ftrace, &p);
		if (p.time == TC_TIME_LATER)
			put_late(plan, ordinal, &p);
	}
	plan->packets = ordinal;
	resolve_late(plan, &t);
	plan->bulk = tc_trace_range_bulk(&t.range);
	tc_trim_seqs_release(&seqs);
	tc_trim_ftrace_release(&ftrace);
	tc_trace_release(&t);
	return until_damage(r, err);
}

static bool
needs_start(const struct tc_choose *c)
{
	return c->from.kind == TC_CHOOSE_AFTER || c->to.kind == TC_CHOOSE_AFTER;
}

/* Times that count from the trace's start need a reading of their own. */
static int
find_start(struct tc_in *in, int64_t *start, struct tc_err *err)
{
	struct tc_trim_plan plan = { 0 };
	struct tc_trim_ftrace ftrace = { .plan = &plan };
	struct tc_trace_group bulk;
	struct tc_packet p;
	struct tc_trace t;
	uint64_t ordinal;
	int r;

	tc_trace_init(&t);
	ftrace.trace = &t;
	for (ordinal = 0; (r = tc_trace_next(&t, in, &p, err)) > 0; ordinal++) {
		if (p.data_field == TC_PACKET_FTRACE_EVENTS)
			tc_trim_ftrace_span(&ftrace, &p);
		if (p.time == TC_TIME_LATER)
			put_late(&plan, ordinal, &p);
	}
	tc_trim_ftrace_release(&ftrace);
	resolve_late(&plan, &t);
	bulk = tc_trace_range_bulk(&t.range);
	*start = bulk.count ? bulk.first : 0;
	free(plan.late.items);
	tc_trace_release(&t);
	return until_damage(r, err);
}

static bool
has_marker(const struct tc_choose *c)
{
	return c->from.kind == TC_CHOOSE_MARKER || c->to.kind == TC_CHOOSE_MARKER;
}

/* What the trace has to be asked for takes a reading of its own. */
static int
find_window(struct tc_trim_plan *plan, struct tc_in *in, struct tc_err *err)
{
	const struct tc_choose *c = plan->choose;
	int64_t start = 0;

	if (has_marker(c)) {
		if (tc_import_window(c, in, &plan->window, err) || tc_in_rewind(in, err))
			return -1;
		/* What is never closed may last as long as it likes. */
		plan->window.end = INT64_MAX;
		return 0;
	}
	if (needs_start(c) && (find_start(in, &start, err) || tc_in_rewind(in, err)))
		return -1;
	return tc_choose_resolve(c, start, INT64_MAX, &plan->window, err);
}

static void
decide(struct tc_trim_plan *plan)
{
	tc_trim_people_settle(&plan->people);
	place_late_rows(plan);
	tc_trim_marks_decide(&plan->marks);
	tc_trim_input_decide(plan);
	tc_trim_frames_decide(plan);
	tc_trim_buffers_decide(plan);
}

static void
release(struct tc_trim_plan *plan)
{
	tc_trim_marks_release(&plan->marks);
	tc_trim_input_release(&plan->input);
	tc_trim_names_release(&plan->called);
	tc_trim_people_release(&plan->people);
	tc_strtab_release(&plan->names);
	tc_map_release(&plan->cpus);
	free(plan->shown.items);
	free(plan->frames.items);
	free(plan->buffers.items);
	free(plan->late.items);
	free(plan->last_kept.items);
	free(plan->seq_kept.items);
	free(plan->cpu.items);
}

static void
init(struct tc_trim_plan *plan, const struct tc_choose *c)
{
	*plan = (struct tc_trim_plan){ .choose = c, .people = { .choose = c } };
	plan->input.is_idle = plan->called.is_idle = !has_choice(c);
	tc_trim_marks_init(&plan->marks, plan);
}

/* Marks that came too late to be taken in order make a second try, which holds all. */
static int
make_plan(struct tc_trim_plan *plan, const struct tc_choose *c, struct tc_in *in,
	struct tc_err *err)
{
	init(plan, c);
	if (find_window(plan, in, err) || read_plan(plan, in, err))
		return -1;
	if (plan->marks.is_late) {
		release(plan);
		init(plan, c);
		plan->marks.holds_all = true;
		if (tc_in_rewind(in, err) || find_window(plan, in, err) ||
			read_plan(plan, in, err))
			return -1;
	}
	return tc_in_rewind(in, err);
}

int
tc_trim_run(const struct tc_choose *c, struct tc_in *in, struct tc_out *out,
	struct tc_trim_report *report, struct tc_err *err)
{
	struct tc_trim_plan plan;
	int r;

	r = make_plan(&plan, c, in, err);
	if (r == 0) {
		decide(&plan);
		*report = (struct tc_trim_report){ .from = plan.window.from,
			.to = plan.window.to };
		r = tc_trim_write(&plan, in, out, report, err);
	}
	release(&plan);
	return r;
}
