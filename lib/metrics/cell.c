#include "metrics/priv.h"

#include "dist/dist.h"

void
tc_metrics_begin(struct tc_metrics_job *j, uint32_t layer, uint32_t rate,
	const struct tc_scene *scene, const struct tc_metrics_cuj *cuj)
{
	struct tc_metrics_cell *c = &j->cell;
	size_t i;

	c->layer = layer;
	c->rate = rate ? &j->r->rates.at[rate - 1] : NULL;
	c->scene = scene;
	c->cuj = cuj;
	c->period_ns = c->rate && c->rate->period_ns > 0 ? c->rate->period_ns : TC_NONE;
	memset(c->sums, 0, sizeof(c->sums));
	for (i = 0; i < TC_METRICS_COUNT; i++)
		c->values[i].count = 0;
}

void
tc_metrics_add(struct tc_metrics_cell *c, enum tc_metrics_id id, int64_t num, int64_t den)
{
	struct tc_metrics_sum *s = &c->sums[id];

	s->samples++;
	if (__builtin_add_overflow(s->num, num, &s->num) ||
		__builtin_add_overflow(s->den, den, &s->den))
		s->is_over = true;
}

void
tc_metrics_count(struct tc_metrics_cell *c, enum tc_metrics_id id, bool is_one)
{
	/* The rate stands behind its count, see TC_METRICS_BOTH. */
	tc_metrics_add(c, id, is_one, 0);
	tc_metrics_add(c, (enum tc_metrics_id)(id + 1), is_one, 1);
}

void
tc_metrics_value(struct tc_metrics_cell *c, enum tc_metrics_id id, int64_t value)
{
	struct tc_metrics_values *v = &c->values[id];

	if (value == TC_NONE)
		return;
	c->sums[id].samples++;
	tc_mem_grow(&v->at, &v->cap, v->count + 1, sizeof(*v->at));
	v->at[v->count++] = value;
}

void
tc_metrics_greatest(struct tc_metrics_cell *c, enum tc_metrics_id id, int64_t num)
{
	struct tc_metrics_sum *s = &c->sums[id];

	if (!s->samples || num > s->num)
		s->num = num;
	s->samples++;
}

void
tc_metrics_void(struct tc_metrics_cell *c, enum tc_metrics_id id, const char *why)
{
	c->values[id].count = 0;
	c->sums[id] = (struct tc_metrics_sum){ .why = why };
}

void
tc_metrics_why(struct tc_metrics_cell *c, enum tc_metrics_id id, const char *why)
{
	if (!c->sums[id].why)
		c->sums[id].why = why;
}

/* Scenes cut spans short. */
static void
set_time(const struct tc_metrics_cell *c, struct tc_rec_jank_metric *m)
{
	int64_t ts = TC_NONE, end = TC_NONE;

	if (c->rate) {
		ts = c->rate->ts;
		end = tc_rows_end(ts, c->rate->dur);
	}
	if (c->scene && !c->scene->is_all) {
		if (ts == TC_NONE || c->scene->ts > ts)
			ts = c->scene->ts;
		if (c->scene->end != INT64_MAX && (end == TC_NONE || c->scene->end < end))
			end = c->scene->end;
	}
	if (c->cuj) {
		ts = c->cuj->ts;
		end = c->cuj->end;
	}
	m->ts = ts;
	m->dur = tc_rows_minus(end, ts);
}

static void
set_owner(const struct tc_metrics_job *j, struct tc_rec_jank_metric *m)
{
	const struct tc_rows_place *place = &j->r->places.at[j->place];
	const struct tc_metrics_cell *c = &j->cell;

	if (j->proc != TC_ROWS_NO) {
		m->upid = j->r->procs.at[j->proc].upid;
		m->pid = j->r->procs.at[j->proc].pid;
		m->process = tc_rows_text(j->r, j->r->procs.at[j->proc].name);
	}
	m->layer_name = tc_rows_text(j->r, c->layer);
	if (c->cuj)
		m->cuj = tc_rows_text(j->r, c->cuj->name);
	if (c->scene && !c->scene->is_all) {
		m->scenario = tc_rows_text(j->r, c->scene->scenario);
		m->scenario_is_cuj = c->scene->is_cuj ? 1 : TC_NONE;
		m->repetition = c->scene->repetition;
	}
	m->period_ns = c->period_ns;
	m->rate_hz = tc_rec_rate_hz(c->period_ns);
	set_time(c, m);
	m->device = tc_rows_text(j->r, place->device);
	m->rules = tc_rows_text(j->r, place->rules);
	m->machine_id = place->machine;
	m->trace = place->trace;
	m->path = tc_rows_text(j->r, place->path);
}

static const char *
why_unknown(const struct tc_metrics_job *j, const struct tc_metrics_def *d,
	const struct tc_metrics_sum *s, bool is_ratio)
{
	if (s->is_over)
		return "overflow";
	if (d->needs_rate && j->cell.period_ns == TC_NONE &&
		!(s->why && strcmp(s->why, "no_frames") == 0))
		return "unknown_rate";
	if (!s->samples || (is_ratio && s->den <= 0))
		return s->why ? s->why : "no_frames";
	return NULL;
}

/* The values in order, so that each bucket is made at the end of the list. */
static void
set_sketch(struct tc_metrics_job *j, struct tc_dist_sketch *s,
	const struct tc_metrics_values *v, struct tc_rec_jank_metric *m)
{
	struct tc_rec_sketch *to = tc_arena_calloc(&j->arena, sizeof(*to));
	size_t i;

	for (i = 0; i < v->count; i++)
		tc_dist_sketch_add(s, v->at[i]);
	to->error = TC_DIST_ERROR;
	to->buckets = tc_dist_sketch_text(s, &j->arena);
	m->sketch = to;
}

static void
set_distribution(struct tc_metrics_job *j, const struct tc_metrics_values *v,
	double scale, struct tc_rec_jank_metric *m)
{
	struct tc_dist_sketch s = { 0 };

#define AT(permille) \
	tc_rec_scaled((double)(m->sketch ? tc_dist_sketch_at(&s, permille) \
					 : tc_dist_int_at(v->at, v->count, permille)), \
		scale)
	tc_dist_sort_ints(v->at, v->count);
	if (j->m->sketch)
		set_sketch(j, &s, v, m);
	m->min = tc_rec_scaled((double)v->at[0], scale);
	m->p1 = AT(TC_DIST_P1);
	m->p50 = AT(TC_DIST_P50);
	m->p90 = AT(TC_DIST_P90);
	m->p95 = AT(TC_DIST_P95);
	m->p99 = AT(TC_DIST_P99);
	m->max = tc_rec_scaled((double)v->at[v->count - 1], scale);
	m->method = m->sketch ? TC_STR("sketch") : TC_STR("nearest_rank");
	tc_dist_sketch_release(&s);
#undef AT
}

/* What the sums come to; a distribution has its scale for the buckets. */
static void
set_numbers(struct tc_metrics_job *j, size_t id, struct tc_rec_jank_metric *m)
{
	const struct tc_metrics_def *d = &tc_metrics_defs[id];
	const struct tc_metrics_sum *s = &j->cell.sums[id];
	bool is_ratio = strcmp(d->combine, "ratio") == 0,
	     is_distribution = strcmp(d->combine, "distribution") == 0;
	const char *why = why_unknown(j, d, s, is_ratio);

	m->samples = why ? 0 : s->samples;
	if (why) {
		m->reason = tc_str_of(why);
		return;
	}
	m->scale = d->scale;
	if (is_distribution) {
		set_distribution(j, &j->cell.values[id], d->scale, m);
		return;
	}
	m->num = s->num;
	m->value = tc_rec_scaled((double)s->num, d->scale);
	if (is_ratio) {
		m->den = s->den;
		m->value = tc_rec_scaled((double)s->num, d->scale) / (double)s->den;
	}
}

void
tc_metrics_put(struct tc_metrics_job *j, enum tc_metrics_per per)
{
	const struct tc_metrics_def *d;
	struct tc_rec_jank_metric whose, m;
	size_t i;

	if (!j->fn)
		return;
	tc_rec_init(&tc_rec_jank_metric, &whose);
	set_owner(j, &whose);
	for (i = 0; i < TC_METRICS_COUNT; i++) {
		d = &tc_metrics_defs[i];
		if (d->per != per)
			continue;
		m = whose;
		m.metric = tc_str_of(d->name);
		m.definition = tc_str_of(d->definition);
		m.unit = tc_str_of(d->unit);
		m.combine = tc_str_of(d->combine);
		set_numbers(j, i, &m);
		j->fn(j->ctx, &m);
		tc_arena_reset(&j->arena);
	}
}

void
tc_metrics_put_frame(struct tc_metrics_job *j, const struct tc_metrics_frame *f)
{
	const struct tc_metrics_cell *c = &j->cell;
	const struct tc_rows_proc *p = &j->r->procs.at[j->proc];
	struct tc_rec_frame_metrics m;

	if (!j->frame_fn)
		return;
	tc_rec_init(&tc_rec_frame_metrics, &m);
	m.frame_id = f->id;
	m.ts = f->ts;
	m.dur = f->dur;
	m.upid = p->upid;
	m.pid = p->pid;
	m.process = tc_rows_text(j->r, p->name);
	m.overrun = f->overrun;
	m.app_vsync_delay = f->delay;
	m.cpu_time = f->cpu_time;
	m.ui_time = f->ui_time;
	m.was_jank = f->overrun > 0 ? 1 : TC_NONE;
	m.was_slow_frame = f->cpu_time > TC_METRICS_SLOW_NS ? 1 : TC_NONE;
	m.was_big_jank = f->cpu_time > TC_METRICS_BIG_NS ? 1 : TC_NONE;
	m.was_huge_jank = f->cpu_time > TC_METRICS_HUGE_NS ? 1 : TC_NONE;
	m.period_ns = c->period_ns;
	if (c->scene && !c->scene->is_all) {
		m.scenario = tc_rows_text(j->r, c->scene->scenario);
		m.repetition = c->scene->repetition;
	}
	m.definition = TC_STR("perfetto");
	m.machine_id = j->r->places.at[j->place].machine;
	m.trace = j->r->places.at[j->place].trace;
	j->frame_fn(j->ctx, &m);
}
