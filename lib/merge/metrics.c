#include "merge/priv.h"

#include <stdlib.h>

#include "err/err.h"
#include "io/io.h"
#include "rec/rec.h"

/* What is combined apart. Interned as bytes, so without holes. */
struct key {
	int64_t rate_hz;
	uint32_t metric, definition, unit, combine, process, layer, cuj, scenario, rules,
		none;
};

static uint32_t
key_of(struct tc_merge *m, const struct tc_rec_jank_metric *rec)
{
	struct key k = {
		.rate_hz = rec->rate_hz,
		.metric = tc_strtab_id(&m->names, rec->metric),
		.definition = tc_strtab_id(&m->names, rec->definition),
		.unit = tc_strtab_id(&m->names, rec->unit),
		.combine = tc_strtab_id(&m->names, rec->combine),
		.process = tc_strtab_id(&m->names, rec->process),
		.layer = tc_strtab_id(&m->names, tc_merge_layer(rec->layer_name)),
		.cuj = tc_strtab_id(&m->names, rec->cuj),
		.scenario = tc_strtab_id(&m->names, rec->scenario),
		.rules = tc_strtab_id(&m->names, rec->rules),
	};

	return tc_strtab_id(
		&m->metrics, (struct tc_str){ (const char *)&k, sizeof(k), false });
}

static const struct key *
key_at(const struct tc_merge *m, size_t i)
{
	return (const void *)tc_strtab_str(&m->metrics, (uint32_t)(i + 1)).p;
}

int
tc_merge_add_metric(
	struct tc_merge *m, const struct tc_rec_jank_metric *rec, struct tc_err *err)
{
	size_t before = m->metrics.count;
	uint32_t key = key_of(m, rec);

	tc_mem_grow(&m->metric_at, &m->metric_cap, key, sizeof(*m->metric_at));
	if (m->metrics.count > before)
		m->metric_at[key - 1] = (struct tc_merge_metric){ 0 };
	return tc_merge_metric_add(&m->metric_at[key - 1], &m->names, &m->json, rec, err);
}

struct ordered {
	const struct tc_merge *m;
	size_t group;
};

static int
by_meaning(const void *a, const void *b)
{
	const struct ordered *i = a, *j = b;
	const struct tc_strtab *names = &i->m->names;
	const struct key *x = key_at(i->m, i->group), *y = key_at(j->m, j->group);
	int c = tc_strtab_compare(names, x->process, y->process);

	c = c ? c : tc_strtab_compare(names, x->layer, y->layer);
	c = c ? c : tc_strtab_compare(names, x->cuj, y->cuj);
	c = c ? c : tc_strtab_compare(names, x->scenario, y->scenario);
	c = c ? c : tc_mem_compare(x->rate_hz, y->rate_hz);
	c = c ? c : tc_strtab_compare(names, x->metric, y->metric);
	c = c ? c : tc_strtab_compare(names, x->definition, y->definition);
	c = c ? c : tc_strtab_compare(names, x->unit, y->unit);
	c = c ? c : tc_strtab_compare(names, x->combine, y->combine);
	return c ? c : tc_strtab_compare(names, x->rules, y->rules);
}

static void
put_group(const struct tc_merge *m, size_t i, struct tc_out *out, struct tc_arena *arena)
{
	const struct key *k = key_at(m, i);
	struct tc_rec_jank_metric rec;

	tc_rec_init(&tc_rec_jank_metric, &rec);
	rec.metric = tc_strtab_str(&m->names, k->metric);
	rec.definition = tc_strtab_str(&m->names, k->definition);
	rec.unit = tc_strtab_str(&m->names, k->unit);
	rec.combine = tc_strtab_str(&m->names, k->combine);
	rec.process = tc_strtab_str(&m->names, k->process);
	rec.layer_name = tc_strtab_str(&m->names, k->layer);
	rec.cuj = tc_strtab_str(&m->names, k->cuj);
	rec.scenario = tc_strtab_str(&m->names, k->scenario);
	rec.rate_hz = k->rate_hz;
	rec.rules = tc_strtab_str(&m->names, k->rules);
	tc_arena_reset(arena);
	tc_merge_metric_get(&m->metric_at[i], &m->names, arena, &rec);
	tc_rec_put(out, &tc_rec_jank_metric, &rec);
}

void
tc_merge_put_metrics(struct tc_merge *m, struct tc_out *out, struct tc_arena *arena)
{
	struct ordered *order = tc_mem_calloc(m->metrics.count, sizeof(*order));
	size_t i;

	for (i = 0; i < m->metrics.count; i++)
		order[i] = (struct ordered){ m, i };
	if (m->metrics.count)
		qsort(order, m->metrics.count, sizeof(*order), by_meaning);
	/* A record that was refused may leave a group without any. */
	for (i = 0; i < m->metrics.count && !out->sys; i++)
		if (m->metric_at[order[i].group].runs)
			put_group(m, order[i].group, out, arena);
	free(order);
}
