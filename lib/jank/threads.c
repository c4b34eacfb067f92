/* What threads did under a frame's vsync id. */
#include <stdlib.h>

#include "jank/explain.h"
#include "jank/priv.h"
#include "rows/rows.h"

static void
find_states(struct tc_jank_facts *f)
{
	const struct tc_rows *r = f->rows;
	size_t i;

	for (i = 0; i < r->scheds.count; i++)
		f->has_states[r->threads.at[r->scheds.at[i].thread].place] = true;
}

static void
find_slices(struct tc_jank_facts *f)
{
	const struct tc_rows *r = f->rows;
	const struct tc_rows_slice *s;
	bool is_do;
	size_t i;

	for (i = 0; i < r->slices.count; i++) {
		s = &r->slices.at[i];
		if (s->proc == TC_ROWS_NO || s->vsync_id == TC_NONE)
			continue;
		is_do = tc_rows_is_do_frame(r, s);
		if (!is_do && !tc_rows_is_draw_frame(r, s))
			continue;
		f->has_slices[r->procs.at[s->proc].place] = true;
		f->has_do_frames[s->proc] |= is_do;
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
	find_states(f);
	find_slices(f);
}

void
tc_jank_facts_release(struct tc_jank_facts *f)
{
	tc_jank_layers_release(&f->layers);
	tc_map_release(&f->presents);
	free(f->last);
	free(f->has_slices);
	free(f->has_states);
	free(f->has_do_frames);
}

static void
set_times(const struct tc_jank_case *c, const struct tc_rows_slice *s,
	struct tc_rec_jank_cause_thread *t)
{
	struct tc_rows_times times;

	if (s->dur >= 0)
		t->dur_ns = s->dur;
	if (!tc_rows_times(c->rows, s->thread, s->ts, tc_rows_end(s->ts, s->dur), &times))
		return;
	t->running_ns = times.running_ns;
	t->runnable_ns = times.runnable_ns;
	t->blocked_ns = times.blocked_ns;
	t->not_known_ns =
		s->dur - times.running_ns - times.runnable_ns - times.blocked_ns;
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
	if (s->kind && s->kind != 't')
		return NULL;
	if (!is_app)
		return "surfaceflinger";
	if (tc_rows_is_draw_frame(c->rows, s))
		return "render";
	if (!tc_rows_is_do_frame(c->rows, s))
		return NULL;
	return s->thread != TC_ROWS_NO && c->rows->threads.at[s->thread].is_main ? "main"
										 : "ui";
}

/* What is looked at is bounded: a token may stand for any number of slices and frames. */
enum { LOOKS = 256 };

/*
 * Of one process, which has half of the room; token 0 and below are nobody's. False:
 * there are more than are taken.
 */
static bool
add_threads(struct tc_jank_case *c, uint32_t proc, int64_t token, bool is_app)
{
	size_t i, count, left = TC_JANK_MAX_THREADS / 2;
	const struct tc_rows_slice *s;
	const char *role;

	if (proc == TC_ROWS_NO || token <= 0)
		return true;
	s = tc_rows_slices(c->rows, proc, token, &count);
	for (i = 0; i < count && i < LOOKS; i++) {
		role = role_of(c, &s[i], is_app);
		if (!role)
			continue;
		if (!left--)
			return false;
		c->has_draw_frame |= is_app && tc_rows_is_draw_frame(c->rows, &s[i]);
		c->has_do_frame |= is_app && tc_rows_is_do_frame(c->rows, &s[i]);
		add_thread(c, &s[i], role);
	}
	return i == count;
}

void
tc_jank_threads(struct tc_jank_case *c)
{
	uint32_t place = c->a->place;
	size_t i, of_app, without = 0;
	bool is_all = add_threads(c, c->group->proc, c->a->token, true);
	bool is_all_of_app = is_all;

	of_app = c->thread_count;
	if (c->match.display)
		is_all &=
			add_threads(c, c->rows->sf_of[place], c->a->display_token, false);
	if (!is_all)
		tc_jank_not_known(c, "threads", "many_slices");
	if (!of_app && is_all_of_app)
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
