#include "merge/priv.h"

#include <math.h>
#include <stdlib.h>

#include "err/err.h"
#include "io/io.h"
#include "jank/jank.h"
#include "rec/rec.h"

/* Interned as bytes, so without holes. */
struct key {
	int64_t on_time;
	uint32_t process, layer, is_buffer, tag, type, present;
};

static uint32_t
key_of(struct tc_merge *m, const struct tc_rec_jank_stats *rec)
{
	struct key k = {
		.on_time = rec->on_time_finish,
		.process = tc_strtab_id(&m->names, rec->process),
		.layer = tc_strtab_id(&m->names, tc_merge_layer(rec->layer_name)),
		.is_buffer = tc_strtab_id(&m->names, rec->is_buffer),
		.tag = tc_strtab_id(&m->names, rec->jank_tag),
		.type = tc_strtab_id(&m->names, rec->jank_type),
		.present = tc_strtab_id(&m->names, rec->present_type),
	};

	return tc_strtab_id(
		&m->stats, (struct tc_str){ (const char *)&k, sizeof(k), false });
}

static const struct key *
key_at(const struct tc_merge *m, size_t i)
{
	return (const void *)tc_strtab_str(&m->stats, (uint32_t)(i + 1)).p;
}

static bool
is_negative(int64_t v)
{
	return v < 0 && v != TC_NONE;
}

static int
check(const struct tc_rec_jank_stats *rec, struct tc_err *err)
{
	if (is_negative(rec->surface_frame_rows) ||
		is_negative(rec->closed_positive_rows) || is_negative(rec->zero_rows) ||
		is_negative(rec->open_rows) || is_negative(rec->invalid_rows) ||
		is_negative(rec->sum_closed_ns) ||
		(rec->runs != TC_NONE && rec->runs < 1))
		return tc_err_set(err, TC_DATA, "jank_stats record: a negative count");
	return 0;
}

/* A sum that a record of an older tool lacks is 0 where nothing was summed up. */
static int64_t
sum_of(const struct tc_rec_jank_stats *rec)
{
	return rec->closed_positive_rows == 0 ? 0 : rec->sum_closed_ns;
}

int
tc_merge_add_stats(
	struct tc_merge *m, const struct tc_rec_jank_stats *rec, struct tc_err *err)
{
	size_t before = m->stats.count;
	struct tc_merge_stats *s;
	uint32_t key;

	if (check(rec, err))
		return -1;
	key = key_of(m, rec);
	tc_mem_grow(&m->stats_at, &m->stats_cap, key, sizeof(*s));
	s = &m->stats_at[key - 1];
	if (m->stats.count > before)
		*s = (struct tc_merge_stats){ .max_ms = (double)NAN };
	tc_merge_fill(&s->runs, rec->runs == TC_NONE ? 1 : rec->runs);
	tc_merge_count(&s->rows, rec->surface_frame_rows);
	tc_merge_count(&s->positive, rec->closed_positive_rows);
	tc_merge_count(&s->zero, rec->zero_rows);
	tc_merge_count(&s->open, rec->open_rows);
	/* It is left out where there are none. */
	tc_merge_fill(&s->invalid, rec->invalid_rows == TC_NONE ? 0 : rec->invalid_rows);
	tc_merge_count(&s->sum_ns, sum_of(rec));
	s->max_ms = tc_merge_plain(fmax(s->max_ms, rec->max_closed_ms));
	return 0;
}

struct ranked {
	const struct tc_merge *m;
	size_t group;
};

static int
by_meaning(const struct tc_strtab *names, const struct key *a, const struct key *b)
{
	int c = tc_strtab_compare(names, a->process, b->process);

	c = c ? c : tc_strtab_compare(names, a->layer, b->layer);
	c = c ? c : tc_strtab_compare(names, a->is_buffer, b->is_buffer);
	c = c ? c : tc_strtab_compare(names, a->tag, b->tag);
	c = c ? c : tc_strtab_compare(names, a->type, b->type);
	c = c ? c : tc_strtab_compare(names, a->present, b->present);
	return c ? c : tc_mem_compare(a->on_time, b->on_time);
}

static int
by_rows(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;
	const struct tc_merge *m = x->m;
	int c = tc_mem_compare(m->stats_at[y->group].rows, m->stats_at[x->group].rows);

	return c ? c : by_meaning(&m->names, key_at(m, x->group), key_at(m, y->group));
}

static void
put_group(const struct tc_merge *m, size_t i, struct tc_out *out)
{
	const struct tc_merge_stats *s = &m->stats_at[i];
	const struct key *k = key_at(m, i);
	bool has_mean = s->positive > 0 && s->sum_ns != TC_NONE;
	struct tc_rec_jank_stats rec = {
		.upid = TC_NONE,
		.pid = TC_NONE,
		.process = tc_strtab_str(&m->names, k->process),
		.layer_name = tc_strtab_str(&m->names, k->layer),
		.is_buffer = tc_strtab_str(&m->names, k->is_buffer),
		.jank_tag = tc_strtab_str(&m->names, k->tag),
		.jank_type = tc_strtab_str(&m->names, k->type),
		.present_type = tc_strtab_str(&m->names, k->present),
		.on_time_finish = k->on_time,
		.surface_frame_rows = s->rows,
		.closed_positive_rows = s->positive,
		.zero_rows = s->zero,
		.open_rows = s->open,
		.invalid_rows = s->invalid ? s->invalid : TC_NONE,
		.sum_closed_ns = s->sum_ns,
		.avg_closed_ms =
			has_mean ? tc_jank_mean_ms(s->sum_ns, s->positive) : (double)NAN,
		.max_closed_ms = s->max_ms,
		.runs = s->runs,
		.machine_id = TC_NONE,
		.trace = TC_NONE,
	};

	tc_rec_put(out, &tc_rec_jank_stats, &rec);
}

void
tc_merge_put_stats(struct tc_merge *m, struct tc_out *out)
{
	struct ranked *ranked = tc_mem_calloc(m->stats.count, sizeof(*ranked));
	size_t i;

	for (i = 0; i < m->stats.count; i++)
		ranked[i] = (struct ranked){ m, i };
	if (m->stats.count)
		qsort(ranked, m->stats.count, sizeof(*ranked), by_rows);
	for (i = 0; i < m->stats.count && !out->sys; i++)
		put_group(m, ranked[i].group, out);
	free(ranked);
}
