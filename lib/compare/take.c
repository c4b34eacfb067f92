#include "compare/priv.h"

#include <stdlib.h>

#include "err/err.h"
#include "rec/rec.h"

void
tc_compare_init(struct tc_compare *c)
{
	*c = (struct tc_compare){
		.min_effect = 5, .alpha = 0.05, .seed = 1, .resamples = 2000
	};
}

void
tc_compare_release(struct tc_compare *c)
{
	size_t i;

	for (i = 0; i < c->input_count; i++)
		free(c->inputs[i].path);
	for (i = 0; i < c->cell_count; i++)
		tc_merge_metric_release(&c->cells[i].sum);
	free(c->inputs);
	free(c->cells);
	free(c->frames);
	tc_strtab_release(&c->names);
	tc_strtab_release(&c->keys);
	tc_strtab_release(&c->runs);
	tc_map_release(&c->cell_index);
	tc_map_release(&c->traces);
	tc_json_release(&c->json);
}

const struct tc_compare_key *
tc_compare_key_of(const struct tc_compare *c, uint32_t key)
{
	return (const void *)tc_strtab_str(&c->keys, key).p;
}

static uint32_t
id_of_key(struct tc_compare *c, const struct tc_compare_key *key)
{
	return tc_strtab_id(
		&c->keys, (struct tc_str){ (const char *)key, sizeof(*key), false });
}

static uint32_t
id_of_run(struct tc_compare *c, int64_t trace, int64_t repetition)
{
	struct tc_compare_run run = { .trace = trace,
		.repetition = repetition,
		.input = (uint32_t)c->at,
		.stream = c->stream };

	return tc_strtab_id(
		&c->runs, (struct tc_str){ (const char *)&run, sizeof(run), false });
}

/* The stream under way, of all that the inputs hold. */
static uint64_t
stream_of(const struct tc_compare *c)
{
	return (uint64_t)c->at << 32 | c->stream;
}

/* Whether the stream under way had no such trace before. */
static bool
note_trace(struct tc_compare *c, int64_t trace)
{
	bool is_new;

	tc_map_put(&c->traces, stream_of(c), (uint64_t)trace, &is_new);
	return is_new;
}

static void
see_rules(struct tc_compare *c, uint32_t rules)
{
	if (!rules)
		c->lacks_rules = true;
	else if (!c->rules)
		c->rules = rules;
	else if (rules != c->rules)
		c->other = rules;
}

/* An index that was there before begins another stream, as streams are joined by cat. */
static int
add_trace(struct tc_compare *c, const void *rec, struct tc_err *err)
{
	const struct tc_rec_trace *t = rec;

	(void)err;
	if (!note_trace(c, t->trace)) {
		c->stream++;
		note_trace(c, t->trace);
	}
	see_rules(c, tc_strtab_id(&c->names, t->rules));
	return 0;
}

static bool
is_wanted(const struct tc_compare *c, struct tc_str metric)
{
	size_t i;

	for (i = 0; i < c->wanted_count; i++)
		if (c->wanted[i].field < 0 &&
			tc_str_eq(metric, tc_str_of(c->wanted[i].name)))
			return true;
	return false;
}

static struct tc_compare_cell *
cell_of(struct tc_compare *c, const struct tc_rec_jank_metric *m)
{
	struct tc_compare_key key = {
		.rate_hz = m->rate_hz,
		.metric = tc_strtab_id(&c->names, m->metric),
		.definition = tc_strtab_id(&c->names, m->definition),
		.unit = tc_strtab_id(&c->names, m->unit),
		.process = tc_strtab_id(&c->names, m->process),
		.layer = tc_strtab_id(&c->names, tc_merge_layer(m->layer_name)),
		.cuj = tc_strtab_id(&c->names, m->cuj),
		.scenario = tc_strtab_id(&c->names, m->scenario),
	};
	uint32_t id = id_of_key(c, &key), run = id_of_run(c, m->trace, m->repetition);
	bool is_new;
	uint64_t *at = tc_map_put(&c->cell_index, id, run, &is_new);

	if (is_new) {
		tc_mem_grow(
			&c->cells, &c->cell_cap, c->cell_count + 1, sizeof(*c->cells));
		c->cells[c->cell_count] = (struct tc_compare_cell){ .key = id,
			.run = run,
			.combine = tc_strtab_id(&c->names, m->combine) };
		*at = c->cell_count++;
	}
	return &c->cells[*at];
}

/* What one run says of a metric in several spans, or processes, is put together. */
static int
add_metric(struct tc_compare *c, const void *rec, struct tc_err *err)
{
	const struct tc_rec_jank_metric *m = rec;
	struct tc_compare_cell *cell;

	c->has_records[c->inputs[c->at].side] = true;
	see_rules(c, tc_strtab_id(&c->names, m->rules));
	if (!is_wanted(c, m->metric))
		return 0;
	cell = cell_of(c, m);
	if (cell->combine != tc_strtab_id(&c->names, m->combine))
		return tc_err_set(err, TC_DATA,
			"jank_metric record: combines otherwise than one before");
	return tc_merge_metric_add(&cell->sum, &c->names, &c->json, m, err);
}

static int
add_frame(struct tc_compare *c, const void *rec, struct tc_err *err)
{
	const struct tc_rec_frame_metrics *f = rec;
	struct tc_compare_key key = {
		.rate_hz = tc_rec_rate_hz(f->period_ns),
		.is_frames = 1,
		.definition = tc_strtab_id(&c->names, f->definition),
		.unit = tc_strtab_id(&c->names, TC_STR("ms")),
		.process = tc_strtab_id(&c->names, f->process),
		.scenario = tc_strtab_id(&c->names, f->scenario),
	};

	(void)err;
	c->has_records[c->inputs[c->at].side] = true;
	/* Frames do not say themselves what their trace's record does. */
	c->lacks_rules |= !tc_map_get(&c->traces, stream_of(c), (uint64_t)f->trace);
	tc_mem_grow(&c->frames, &c->frame_cap, c->frame_count + 1, sizeof(*c->frames));
	c->frames[c->frame_count++] = (struct tc_compare_frame){
		.key = id_of_key(c, &key),
		.run = id_of_run(c, f->trace, f->repetition),
		.values = { f->cpu_time, f->ui_time, f->dur < 0 ? TC_NONE : f->dur,
			f->overrun, f->app_vsync_delay },
	};
	return 0;
}

/* Taken for the sake of saying what should have been done with it. */
static int
add_row(struct tc_compare *c, const void *rec, struct tc_err *err)
{
	(void)rec;
	(void)err;
	c->has_rows[c->inputs[c->at].side] = true;
	return 0;
}

/* The types that are taken in. */
static const struct source {
	const struct tc_rec_type *type;
	int (*add)(struct tc_compare *c, const void *rec, struct tc_err *err);
} sources[] = {
	{ &tc_rec_trace, add_trace },
	{ &tc_rec_jank_metric, add_metric },
	{ &tc_rec_frame_metrics, add_frame },
	{ &tc_rec_actual_frame, add_row },
};

static void
go_to(struct tc_compare *c, const char *path)
{
	if (c->inputs[c->at].path == path)
		return;
	/* They are read in their order. */
	do
		c->at = (c->at + 1) % c->input_count;
	while (c->inputs[c->at].path != path);
	c->stream = 0;
}

int
tc_compare_add(struct tc_compare *c, const char *path, const struct tc_rec_type *type,
	const void *rec, struct tc_err *err)
{
	const struct source *s = sources;

	if (!c->wanted_count)
		tc_compare_want_usual(c);
	go_to(c, path);
	while (s->type != type)
		s++;
	return s->add(c, rec, err);
}
