/*
 * What threads did under a frame's vsync id. States are summed up beforehand, so that
 * a slice costs the same however many it spans.
 */
#include <stdlib.h>

#include "jank/explain.h"
#include "jank/priv.h"
#include "rows/rows.h"

enum state { NOT_KNOWN, RUNNING, RUNNABLE, BLOCKED };

static enum state
state_of(struct tc_str name)
{
	if (!name.p || !name.len)
		return NOT_KNOWN;
	if (tc_str_eq(name, TC_STR("Running")))
		return RUNNING;
	return name.p[0] == 'R' ? RUNNABLE : BLOCKED;
}

/* Up to when a state lasted: one that was never closed, nobody knows. */
static int64_t
stop_of(const struct tc_rows *r, size_t i)
{
	const struct tc_rows_sched *s = &r->scheds.at[i], *next = s + 1;
	int64_t end = tc_rows_end(s->ts, s->dur);

	if (end == TC_NONE)
		return s->ts;
	if (i + 1 < r->scheds.count && next->thread == s->thread && next->ts < end)
		return next->ts;
	return end;
}

static void
add_state(struct tc_jank_sums *sums, const struct tc_rows *r, size_t i, int64_t from,
	int64_t to)
{
	const struct tc_rows_sched *s = &r->scheds.at[i];
	int64_t stop = stop_of(r, i);
	uint64_t time;

	/* Two states at one time tell nothing. */
	if (i > 0 && s[-1].thread == s->thread && s[-1].ts == s->ts &&
		s[-1].dur == s->dur && s[-1].state != s->state)
		return;
	from = s->ts > from ? s->ts : from;
	to = stop < to ? stop : to;
	if (to <= from)
		return;
	time = (uint64_t)to - (uint64_t)from;
	switch (state_of(tc_rows_text(r, s->state))) {
	case RUNNING: sums->running += time; break;
	case RUNNABLE: sums->runnable += time; break;
	case BLOCKED: sums->blocked += time; break;
	case NOT_KNOWN: break;
	}
}

static void
sum_states(struct tc_jank_facts *f)
{
	const struct tc_rows *r = f->rows;
	struct tc_jank_sums sums = { 0 };
	size_t i;

	f->sums = tc_mem_calloc(r->scheds.count + 1, sizeof(*f->sums));
	for (i = 0; i < r->scheds.count; i++) {
		f->sums[i] = sums;
		add_state(&sums, r, i, INT64_MIN, INT64_MAX);
		f->has_states[r->threads.at[r->scheds.at[i].thread].place] = true;
	}
	f->sums[i] = sums;
}

static bool
is_do_frame(struct tc_str name)
{
	return tc_str_begins(name, TC_STR("Choreographer#doFrame"));
}

static bool
is_draw_frame(struct tc_str name)
{
	return tc_str_begins(name, TC_STR("DrawFrame"));
}

static void
find_slices(struct tc_jank_facts *f)
{
	const struct tc_rows *r = f->rows;
	const struct tc_rows_slice *s;
	struct tc_str name;
	size_t i;

	for (i = 0; i < r->slices.count; i++) {
		s = &r->slices.at[i];
		if (s->proc == TC_ROWS_NO || s->vsync_id == TC_NONE)
			continue;
		name = tc_rows_text(r, s->name);
		if (!is_do_frame(name) && !is_draw_frame(name))
			continue;
		f->has_slices[r->procs.at[s->proc].place] = true;
		f->has_do_frames[s->proc] |= is_do_frame(name);
	}
}

void
tc_jank_facts_init(struct tc_jank_facts *f, const struct tc_rows *r)
{
	*f = (struct tc_jank_facts){ .rows = r };
	f->has_slices = tc_mem_calloc(r->places.count + 1, sizeof(bool));
	f->has_states = tc_mem_calloc(r->places.count + 1, sizeof(bool));
	f->has_do_frames = tc_mem_calloc(r->procs.count + 1, sizeof(bool));
	tc_jank_layers_gather(&f->layers, r);
	tc_jank_layers_frames(&f->layers, r);
	sum_states(f);
	find_slices(f);
}

void
tc_jank_facts_release(struct tc_jank_facts *f)
{
	tc_jank_layers_release(&f->layers);
	tc_map_release(&f->presents);
	free(f->last);
	free(f->sums);
	free(f->has_slices);
	free(f->has_states);
	free(f->has_do_frames);
}

/* What the thread did in [ts, end): the whole states between, and parts at the edges. */
static struct tc_jank_sums
sums_in(const struct tc_jank_facts *f, uint32_t thread, int64_t ts, int64_t end)
{
	const struct tc_rows *r = f->rows;
	const struct tc_rows_sched *states;
	struct tc_jank_sums sums = { 0 };
	size_t count, first, last;

	states = tc_rows_states(r, thread, ts, end, &count);
	if (!count)
		return sums;
	first = (size_t)(states - r->scheds.at);
	last = first + count - 1;
	add_state(&sums, r, first, ts, end);
	if (last == first)
		return sums;
	add_state(&sums, r, last, ts, end);
	sums.running += f->sums[last].running - f->sums[first + 1].running;
	sums.runnable += f->sums[last].runnable - f->sums[first + 1].runnable;
	sums.blocked += f->sums[last].blocked - f->sums[first + 1].blocked;
	return sums;
}

static void
set_times(struct tc_jank_case *c, const struct tc_rows_slice *s,
	struct tc_rec_jank_cause_thread *t)
{
	int64_t end = tc_rows_end(s->ts, s->dur);
	struct tc_jank_sums sums = { 0 };
	uint64_t known;

	if (s->dur >= 0)
		t->dur_ns = s->dur;
	if (end != TC_NONE && s->thread != TC_ROWS_NO)
		sums = sums_in(c->facts, s->thread, s->ts, end);
	known = sums.running + sums.runnable + sums.blocked;
	if (!known || known > (uint64_t)s->dur)
		return;
	t->running_ns = (int64_t)sums.running;
	t->runnable_ns = (int64_t)sums.runnable;
	t->blocked_ns = (int64_t)sums.blocked;
	t->not_known_ns = s->dur - (int64_t)known;
}

static void
add_thread(struct tc_jank_case *c, const struct tc_rows_slice *s, const char *role)
{
	struct tc_rec_jank_cause_thread *t = &c->threads[c->thread_count++];
	const struct tc_rows_thread *thread =
		s->thread == TC_ROWS_NO ? NULL : &c->rows->threads.at[s->thread];

	*t = (struct tc_rec_jank_cause_thread){ .role = tc_str_of(role),
		.slice_id = s->id,
		.name = tc_rows_text(c->rows, s->name),
		.thread = tc_rows_text(c->rows, thread ? thread->name : 0),
		.tid = thread ? thread->tid : TC_NONE,
		.ts = s->ts,
		.dur_ns = TC_NONE,
		.running_ns = TC_NONE,
		.runnable_ns = TC_NONE,
		.blocked_ns = TC_NONE,
		.not_known_ns = TC_NONE };
	set_times(c, s, t);
}

/* Choreographers may run on other threads than the main one. */
static const char *
role_of(const struct tc_jank_case *c, const struct tc_rows_slice *s, bool is_app)
{
	struct tc_str name = tc_rows_text(c->rows, s->name);

	if (s->kind && s->kind != 't')
		return NULL;
	if (!is_app)
		return "surfaceflinger";
	if (is_draw_frame(name))
		return "render";
	if (!is_do_frame(name))
		return NULL;
	return s->thread != TC_ROWS_NO && c->rows->threads.at[s->thread].is_main ? "main"
										 : "ui";
}

/* Of one process; token 0 and below are nobody's. */
static void
add_threads(
	struct tc_jank_case *c, uint32_t proc, int64_t token, bool is_app, size_t most)
{
	const struct tc_rows_slice *s;
	const char *role;
	size_t i, count;

	if (proc == TC_ROWS_NO || token <= 0)
		return;
	s = tc_rows_slices(c->rows, proc, token, &count);
	if (count > most) {
		tc_jank_not_known(c, "threads", "many_slices");
		count = most;
	}
	for (i = 0; i < count; i++) {
		role = role_of(c, &s[i], is_app);
		if (!role)
			continue;
		c->has_draw_frame |=
			is_app && is_draw_frame(tc_rows_text(c->rows, s[i].name));
		c->has_do_frame |=
			is_app && is_do_frame(tc_rows_text(c->rows, s[i].name));
		add_thread(c, &s[i], role);
	}
}

void
tc_jank_threads(struct tc_jank_case *c)
{
	uint32_t place = c->a->place;
	size_t i, of_app, without = 0;

	add_threads(c, c->group->proc, c->a->token, true, TC_JANK_MAX_THREADS / 2);
	of_app = c->thread_count;
	if (c->match.display)
		add_threads(c, c->rows->sf_of[place], c->a->display_token, false,
			TC_JANK_MAX_THREADS / 2);
	if (!of_app)
		tc_jank_not_known(c, "threads",
			c->facts->has_slices[place] ? "no_slices_of_vsync_id"
						    : "no_slices");
	if (!c->facts->has_slices[place])
		tc_jank_hint(c, "linux.ftrace", "ATRACE",
			"slices of the categories gfx and view tell what the main and "
			"the render thread did");
	for (i = 0; i < c->thread_count; i++)
		without += c->threads[i].running_ns == TC_NONE;
	if (without)
		tc_jank_not_known(c, "thread_states",
			c->facts->has_states[place] ? "no_states_meanwhile" : "no_sched");
	if (!c->facts->has_states[place])
		tc_jank_hint(c, "linux.ftrace", "SCHED",
			"sched events tell whether threads ran, could have run or "
			"waited; tc-import writes them on request");
}
