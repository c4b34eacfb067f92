#include "jank/explain.h"

#include <stdlib.h>

#include "io/io.h"
#include "jank/priv.h"
#include "rows/rows.h"

void
tc_jank_not_known(struct tc_jank_case *c, const char *what, const char *why)
{
	if (c->unknown_count < TC_JANK_MAX_UNKNOWN)
		c->unknown[c->unknown_count++] =
			(struct tc_rec_jank_cause_unknown){ tc_str_of(what),
				tc_str_of(why) };
}

void
tc_jank_hint(
	struct tc_jank_case *c, const char *source, const char *target, const char *text)
{
	if (c->hint_count < TC_JANK_MAX_HINTS)
		c->hints[c->hint_count++] =
			(struct tc_rec_jank_cause_hint){ tc_str_of(source),
				tc_str_of(target), tc_str_of(text) };
}

/* Whether the trace is known to have packets of this data source. */
static bool
has_source(const struct tc_rows *r, uint32_t place, const char *name)
{
	struct tc_str sources = tc_rows_text(r, r->places.at[place].sources);

	return sources.p && tc_jank_has_word(sources, name);
}

/* Why there is no submission to look at, and what would give one. */
static void
explain_match(struct tc_jank_case *c)
{
	const struct tc_jank_match *m = &c->match;

	if (c->best)
		return;
	if (m->limits & TC_JANK_NO_BUFFER_EVENTS) {
		tc_jank_not_known(c, "submission", "no_buffer_events");
		if (!has_source(c->rows, c->a->place, " android.surfaceflinger.frame "))
			tc_jank_hint(c, "android.surfaceflinger.frame", "FRAME_EVENTS",
				"buffer events tell when the buffer was dequeued, "
				"queued, ready, latched and presented");
	} else if (m->limits & TC_JANK_CLOCKS_UNMAPPED) {
		tc_jank_not_known(c, "submission", "clocks_unmapped");
	} else if (m->count == 0) {
		tc_jank_not_known(c, "submission", "no_candidate");
	} else {
		tc_jank_not_known(c, "submission",
			m->count > 1 ? "several_candidates" : "low_confidence");
	}
}

/* When the layer's frame before was presented; and remembers this one's. */
static int64_t
present_before(struct tc_jank_facts *f, const struct tc_jank_match *m, uint32_t proc)
{
	struct tc_jank_presents *p;
	uint64_t *slot;
	int64_t before;
	bool made;

	if (m->layer == TC_ROWS_NO || m->present == TC_NONE)
		return TC_NONE;
	slot = tc_map_put(&f->presents, m->layer, proc, &made);
	if (made) {
		*slot = f->last_count;
		tc_mem_grow(&f->last, &f->last_cap, f->last_count + 1, sizeof(*f->last));
		f->last[f->last_count++] = (struct tc_jank_presents){ TC_NONE, TC_NONE };
	}
	p = &f->last[*slot];
	before = p->last < m->present ? p->last : p->before;
	if (m->present > p->last) {
		p->before = p->last;
		p->last = m->present;
	} else if (m->present < p->last && m->present > p->before) {
		p->before = m->present;
	}
	return before < m->present ? before : TC_NONE;
}

int64_t
tc_jank_began_late_ns(const struct tc_jank_case *c)
{
	return c->expected ? tc_rows_minus(c->a->ts, c->expected->ts) : TC_NONE;
}

static void
put_cause(const struct tc_jank_case *c, struct tc_out *out)
{
	const struct tc_rows *r = c->rows;
	const struct tc_rows_actual *a = c->a, *d = c->match.display;
	const struct tc_rows_group *g = c->group, *shown;
	const struct tc_rows_proc *p = &r->procs.at[g->proc];
	const struct tc_jank_submission *s = c->best ? c->best->s : NULL;
	struct tc_rec_jank_cause rec = {
		.actual_id = a->id,
		.upid = p->upid,
		.pid = g->pid,
		.process = tc_rows_text(r, p->name),
		.layer_name = tc_rows_text(r, g->layer),
		.surface_frame_token = a->token,
		.display_frame_token = a->display_token,
		.is_buffer = tc_rows_text(r, g->is_buffer),
		.actual_ts_ns = a->ts,
		.raw_actual_dur_ns = a->dur,
		.present_type = tc_rows_text(r, g->present),
		.on_time_finish = g->on_time,
		.jank_tag = tc_rows_text(r, g->tag),
		.jank_type = tc_rows_text(r, g->type),
		.jank_mask = c->verdict->mask,
		.jank_severity_type = tc_rows_text(r, c->verdict->severity),
		.prediction_type = tc_rows_text(r, c->verdict->prediction),
		.class = c->class,
		.blame = { c->blame, c->blame_count },
		.expected_count = (int64_t)c->expected_count,
		.begin_delta_ms = tc_jank_known_ms(tc_jank_began_late_ns(c)),
		.end_delta_ms = tc_jank_known_ms(tc_jank_late_ns(r, a)),
		.period_ns = c->period,
		.stretches = { c->stretches, c->stretch_count },
		.threads = { c->threads, c->thread_count },
		.gpu_composition = c->verdict->gpu_composition,
		.fallback_composition = s && s->is_fallback ? 1 : TC_NONE,
		.sf_candidate_count = (int64_t)c->match.display_count,
		.sf_gpu_composition = TC_NONE,
		.match_confidence = tc_jank_confidence_name(c->match.confidence),
		.match_count = (int64_t)c->match.count,
		.buffer_id = s ? s->buffer_id : TC_NONE,
		.frame_number = s ? s->frame_number : TC_NONE,
		.path = c->path,
		.path_evidence = { c->evidence, c->evidence_count },
		.unknown = { c->unknown, c->unknown_count },
		.hints = { c->hints, c->hint_count },
		.text = tc_jank_case_text(c),
		.machine_id = r->places.at[a->place].machine,
		.trace = r->places.at[a->place].trace,
	};

	if (d) {
		shown = tc_rows_group_of(r, d->group);
		rec.sf_jank_type = tc_rows_text(r, shown->type);
		rec.sf_gpu_composition =
			tc_rows_verdict_of(r, d->verdict)->gpu_composition;
	}
	tc_rec_put(out, &tc_rec_jank_cause, &rec);
}

/*
 * The one in force when the frame was presented; else when it began, or, since the first
 * frame begins before any rate is known, when it was expected to end.
 */
static int64_t
period_of(const struct tc_jank_case *c)
{
	const int64_t at[] = { c->match.present, c->a->ts,
		tc_rows_expected_end(c->expected) };
	int64_t period = TC_NONE;
	size_t i;

	for (i = 0; i < sizeof(at) / sizeof(at[0]) && period == TC_NONE; i++)
		period = tc_rows_period(c->rows, c->a->place, at[i]);
	return period;
}

/* The path first: the fence's stretch is read by it. */
static void
fill(struct tc_jank_case *c)
{
	const struct tc_rows_expected *e = tc_rows_expectation(c->rows, c->a);

	c->expected_count = e ? e->count : 0;
	c->expected = tc_rows_only(e);
	c->best = tc_jank_best(&c->match);
	c->period = period_of(c);
	c->mask = tc_jank_mask(c->rows, c->a);
	tc_jank_blame(c);
	explain_match(c);
	tc_jank_threads(c);
	tc_jank_path(c);
	tc_jank_stretches(c);
}

static void
explain(struct tc_jank_facts *f, const struct tc_rows_actual *a, struct tc_arena *arena,
	struct tc_jank_case *c, struct tc_out *out)
{
	const struct tc_rows *r = f->rows;

	*c = (struct tc_jank_case){ .facts = f,
		.rows = r,
		.arena = arena,
		.a = a,
		.group = tc_rows_group_of(r, a->group),
		.verdict = tc_rows_verdict_of(r, a->verdict) };
	tc_jank_match(r, &f->layers, a, &c->match);
	c->present_before = present_before(f, &c->match, c->group->proc);
	if (!tc_jank_is_case(r, a))
		return;
	fill(c);
	put_cause(c, out);
}

void
tc_jank_put_explain(const struct tc_rows *r, struct tc_out *out)
{
	struct tc_jank_case *c = tc_mem_alloc(sizeof(*c));
	struct tc_arena arena = { 0 };
	struct tc_jank_facts f;
	size_t i;

	tc_jank_facts_init(&f, r);
	for (i = 0; i < r->actual.count && !out->sys; i++) {
		if (!tc_rows_proc_of(r, r->actual.at[i].group)->is_chosen)
			continue;
		tc_arena_reset(&arena);
		explain(&f, &r->actual.at[i], &arena, c, out);
	}
	free(c);
	tc_arena_release(&arena);
	tc_jank_facts_release(&f);
}
