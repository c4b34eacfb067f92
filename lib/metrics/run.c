#include "metrics/priv.h"

#include <stdlib.h>

/* So often may interactions look at the same frames, and so many times in any case. */
enum { LOOKS = 64, LEAST_LOOKS = 1 << 20 };

/* Rows of rows->actual by process, each process's in the order of time. */
struct buckets {
	uint32_t *rows, *first; /* owned; first: by process, and where the last ends */
};

static struct buckets
bucket(const struct tc_rows *r)
{
	struct buckets b = {
		.rows = tc_mem_alloc((r->actual.count + 1) * sizeof(*b.rows)),
		.first = tc_mem_calloc(r->procs.count + 2, sizeof(*b.first)),
	};
	size_t i;

	for (i = 0; i < r->actual.count; i++)
		b.first[tc_rows_group_of(r, r->actual.at[i].group)->proc + 2]++;
	for (i = 2; i < r->procs.count + 2; i++)
		b.first[i] += b.first[i - 1];
	/* One further on is where a process's next row goes, and in the end its last. */
	for (i = 0; i < r->actual.count; i++)
		b.rows[b.first[tc_rows_group_of(r, r->actual.at[i].group)->proc + 1]++] =
			(uint32_t)i;
	return b;
}

/* The layers of a process, in the order of their names. */
struct layer {
	const struct tc_rows *r;
	uint32_t name;
};

struct layers {
	struct layer *at;   /* owned */
	struct tc_map rank; /* by name */
	size_t count, cap;
};

static int
by_name(const void *a, const void *b)
{
	const struct layer *x = a, *y = b;

	if (!x->name || !y->name)
		return (x->name != 0) - (y->name != 0);
	return tc_str_compare(tc_rows_text(x->r, x->name), tc_rows_text(y->r, y->name));
}

static uint32_t
layer_of(const struct tc_metrics_job *j, size_t row)
{
	return tc_rows_group_of(j->r, j->r->actual.at[j->rows[row]].group)->layer;
}

static void
find_layers(const struct tc_metrics_job *j, struct layers *l)
{
	uint64_t *slot;
	size_t i;
	bool made;

	for (i = 0; i < j->row_count; i++) {
		tc_map_put(&l->rank, layer_of(j, i), 0, &made);
		if (!made)
			continue;
		tc_mem_grow(&l->at, &l->cap, l->count + 1, sizeof(*l->at));
		l->at[l->count++] = (struct layer){ j->r, layer_of(j, i) };
	}
	if (l->count)
		qsort(l->at, l->count, sizeof(*l->at), by_name);
	for (i = 0; i < l->count; i++) {
		slot = tc_map_put(&l->rank, l->at[i].name, 0, &made);
		*slot = i;
	}
}

static void
deal_rows(struct tc_metrics_job *j, struct layers *l)
{
	struct tc_metrics_deal deal = { 0 };
	const struct tc_rows_actual *a;
	size_t i;

	for (i = 0; i < j->row_count; i++) {
		a = &j->r->actual.at[j->rows[i]];
		deal.layer = (uint32_t)*tc_map_get(&l->rank, layer_of(j, i), 0);
		deal.item = (uint32_t)i;
		tc_metrics_deal(j, &j->row_deals, deal, a, a->ts, a->dur);
	}
}

/* How many of the first deals are of one layer, and of one span too. */
static size_t
run_of(const struct tc_metrics_deal *at, size_t count, bool of_rate)
{
	size_t n = 1;

	while (n < count && at[n].layer == at->layer &&
		(!of_rate || at[n].rate == at->rate))
		n++;
	return n;
}

static void
put_layer(struct tc_metrics_job *j, uint32_t layer, const struct tc_scene *scene,
	const struct tc_metrics_deal *at, size_t count, struct tc_metrics_images *images)
{
	const struct tc_metrics_image *shown;
	const struct tc_metrics_deal *end = at + count;
	size_t n, shown_count;

	tc_metrics_images(j, at, count, images);
	for (; at < end; at += n) {
		n = run_of(at, (size_t)(end - at), true);
		tc_metrics_begin(j, layer, at->rate, scene, NULL);
		tc_metrics_timeline(j, at, n);
		shown = tc_metrics_images_of(images, at->rate, &shown_count);
		tc_metrics_presents(j, shown, shown_count);
		tc_metrics_put(j, TC_METRICS_LAYER);
	}
}

static void
put_layers(struct tc_metrics_job *j, uint32_t index, const struct tc_scene *scene,
	const struct layers *l)
{
	struct tc_metrics_images images = { 0 };
	const struct tc_metrics_deal *at;
	size_t count, n, i;

	at = tc_metrics_deals_of(&j->row_deals, index, &count);
	for (i = 0; i < count; i += n) {
		n = run_of(&at[i], count - i, false);
		put_layer(j, l->at[at[i].layer].name, scene, &at[i], n, &images);
	}
	free(images.list.at);
}

/* Of the process as a whole, span by span. */
static bool
put_process(struct tc_metrics_job *j, uint32_t index, const struct tc_scene *scene)
{
	const struct tc_metrics_deal *frames, *macros;
	size_t frame_count, macro_count, i = 0, k = 0;
	uint32_t rate;

	frames = tc_metrics_deals_of(&j->frame_deals, index, &frame_count);
	macros = tc_metrics_deals_of(&j->macro_deals, index, &macro_count);
	while (i < frame_count || k < macro_count) {
		rate = i < frame_count ? frames[i].rate : macros[k].rate;
		if (k < macro_count && macros[k].rate < rate)
			rate = macros[k].rate;
		tc_metrics_begin(j, 0, rate, scene, NULL);
		for (; i < frame_count && frames[i].rate == rate; i++)
			tc_metrics_per_frame(j, &j->frames.at[frames[i].item]);
		for (; k < macro_count && macros[k].rate == rate; k++)
			tc_metrics_macro(j, &j->macros.at[macros[k].item]);
		tc_metrics_per_frame_end(j);
		tc_metrics_macro_end(j);
		tc_metrics_put(j, TC_METRICS_PROCESS);
	}
	return frame_count || macro_count;
}

static bool
put_cujs(struct tc_metrics_job *j, uint32_t index, const struct tc_scene *scene)
{
	const struct tc_metrics_deal *at;
	struct tc_metrics_cuj *cuj;
	size_t count, i;

	at = tc_metrics_deals_of(&j->cuj_deals, index, &count);
	for (i = 0; i < count; i++) {
		cuj = &j->cujs.at[at[i].item];
		tc_metrics_begin(j, 0, at[i].rate, scene, cuj);
		tc_metrics_cuj(j, cuj);
		tc_metrics_put(j, TC_METRICS_CUJ);
	}
	return count > 0;
}

/* That there was nothing is an answer: nothing is known, and why. */
static void
put_nothing(struct tc_metrics_job *j, const struct tc_scene *scene)
{
	int id;

	tc_metrics_begin(j, 0, 0, scene, NULL);
	for (id = 0; id < TC_METRICS_COUNT; id++)
		tc_metrics_why(&j->cell, (enum tc_metrics_id)id, "no_frames");
	tc_metrics_put(j, TC_METRICS_LAYER);
	tc_metrics_put(j, TC_METRICS_PROCESS);
}

/* The scenes of a place; without scenes, one that is all of it. */
struct scenes {
	const struct tc_scene *at; /* NULL: all of it */
	uint32_t first;            /* index of the first */
	size_t count;
	uint32_t *told_of; /* owned: the last process + 1 that something was put of */
};

static struct scenes
scenes_of(const struct tc_metrics_job *j)
{
	struct scenes s = { .count = 1 };

	if (j->m->scenes) {
		s.at = tc_scenes_in(j->m->scenes, j->place, &s.count);
		s.first = s.at ? (uint32_t)(s.at - j->m->scenes->at) : 0;
	}
	s.told_of = tc_mem_calloc(s.count + 1, sizeof(*s.told_of));
	return s;
}

static const struct tc_scene *
scene_at(const struct scenes *s, size_t i)
{
	return s->at ? &s->at[i] : NULL;
}

/* Rows come first, by layer: what is dealt for them is let go before the rest. */
static void
put_rows(struct tc_metrics_job *j, struct scenes *s)
{
	struct layers layers = { 0 };
	uint32_t index;

	find_layers(j, &layers);
	deal_rows(j, &layers);
	tc_metrics_deals_sort(&j->row_deals);
	while ((index = tc_metrics_deals_next(&j->row_deals)) != TC_ROWS_NO) {
		put_layers(j, index, scene_at(s, index - s->first), &layers);
		s->told_of[index - s->first] = j->proc + 1;
	}
	free(layers.at);
	tc_map_release(&layers.rank);
	free(j->row_deals.list.at);
	j->row_deals = (struct tc_metrics_deals){ 0 };
}

static void
put_rest_of(struct tc_metrics_job *j, struct scenes *s, size_t i)
{
	const struct tc_scene *scene = scene_at(s, i);
	uint32_t index = s->first + (uint32_t)i;
	bool is_told = s->told_of[i] == j->proc + 1;

	is_told |= put_process(j, index, scene);
	is_told |= put_cujs(j, index, scene);
	/* Of a process that was asked for; there may be many others. */
	if (!is_told && j->r->app &&
		(!scene || scene->proc == TC_ROWS_NO || scene->proc == j->proc)) {
		put_nothing(j, scene);
		is_told = true;
	}
	if (is_told)
		s->told_of[i] = j->proc + 1;
}

/* From the i-th on, the next scene that there is anything to say of. */
static size_t
next_scene(const struct tc_metrics_job *j, const struct scenes *s, size_t i)
{
	uint32_t next = tc_metrics_deals_next(&j->frame_deals),
		 macro = tc_metrics_deals_next(&j->macro_deals),
		 cuj = tc_metrics_deals_next(&j->cuj_deals);

	if (j->r->app)
		return i;
	next = macro < next ? macro : next;
	next = cuj < next ? cuj : next;
	return next == TC_ROWS_NO ? s->count : next - s->first;
}

static void
put_rest(struct tc_metrics_job *j, struct scenes *s)
{
	size_t i;

	tc_metrics_find_frames(j);
	tc_metrics_find_macros(j);
	tc_metrics_find_cujs(j);
	tc_metrics_deals_sort(&j->frame_deals);
	tc_metrics_deals_sort(&j->macro_deals);
	tc_metrics_deals_sort(&j->cuj_deals);
	for (i = next_scene(j, s, 0); i < s->count; i = next_scene(j, s, i + 1))
		put_rest_of(j, s, i);
}

static bool
is_of_earlier(const void *slice, const void *proc)
{
	const struct tc_rows_slice *s = slice;
	const uint32_t *limit = proc;

	return s->proc < *limit;
}

/* Slices that stand before those of a process. */
static size_t
slices_before(const struct tc_rows *r, uint32_t proc)
{
	return tc_mem_find(r->slices.at, r->slices.count, sizeof(*r->slices.at),
		is_of_earlier, &proc);
}

static void
run_process(struct tc_metrics_job *j, uint32_t proc, const struct buckets *b,
	struct scenes *s)
{
	size_t first = slices_before(j->r, proc);

	j->proc = proc;
	j->rows = &b->rows[b->first[proc]];
	j->row_count = b->first[proc + 1] - b->first[proc];
	j->slice_count = slices_before(j->r, proc + 1) - first;
	j->slices = j->slice_count ? &j->r->slices.at[first] : NULL;
	if (!j->row_count && !j->slice_count && !j->r->app)
		return;
	j->budget = LOOKS * (j->row_count + j->slice_count) + LEAST_LOOKS;
	j->frame_deals.list.count = j->macro_deals.list.count = 0;
	j->cuj_deals.list.count = 0;
	put_rows(j, s);
	put_rest(j, s);
}

/* The meant processes, by place and by what the trace calls them. */
struct meant {
	uint32_t proc, place;
	int64_t upid;
};

static int
by_place(const void *a, const void *b)
{
	const struct meant *x = a, *y = b;
	int c = tc_mem_compare(x->place, y->place);

	return c ? c : tc_mem_compare(x->upid, y->upid);
}

static struct meant *
find_meant(const struct tc_rows *r, size_t *count)
{
	struct meant *at = tc_mem_alloc((r->procs.count + 1) * sizeof(*at));
	const struct tc_rows_proc *p;
	size_t i;

	*count = 0;
	for (i = 0; i < r->procs.count; i++) {
		p = &r->procs.at[i];
		if (p->is_meant)
			at[(*count)++] = (struct meant){ (uint32_t)i, p->place, p->upid };
	}
	qsort(at, *count, sizeof(*at), by_place);
	return at;
}

static void
put_untold(struct tc_metrics_job *j, struct scenes *s)
{
	const struct tc_scene *scene;
	size_t i;

	for (i = 0; i < s->count; i++) {
		scene = scene_at(s, i);
		j->proc = scene ? scene->proc : (uint32_t)TC_ROWS_NO;
		if (!s->told_of[i])
			put_nothing(j, scene);
	}
}

static void
run_places(struct tc_metrics_job *j, const struct buckets *b)
{
	size_t count, i = 0, place;
	struct meant *meant = find_meant(j->r, &count);
	struct scenes s;

	for (place = 0; place < j->r->places.count; place++) {
		j->place = (uint32_t)place;
		if (j->m->skips && j->m->skips[place]) {
			while (i < count && meant[i].place == place)
				i++;
			continue;
		}
		s = scenes_of(j);
		for (; i < count && meant[i].place == place; i++)
			run_process(j, meant[i].proc, b, &s);
		put_untold(j, &s);
		free(s.told_of);
	}
	free(meant);
}

static void
release(struct tc_metrics_job *j)
{
	size_t i;

	for (i = 0; i < TC_METRICS_COUNT; i++)
		free(j->cell.values[i].at);
	free(j->groups);
	free(j->tagged);
	free(j->frames.at);
	free(j->macros.at);
	free(j->cujs.at);
	free(j->do_frames.at);
	free(j->row_deals.list.at);
	free(j->frame_deals.list.at);
	free(j->macro_deals.list.at);
	free(j->cuj_deals.list.at);
	tc_scenes_cujs_release(&j->cuj_notes);
	tc_arena_release(&j->arena);
	free(j);
}

void
tc_metrics_run(const struct tc_metrics *m, const struct tc_rows *r, tc_metrics_fn *fn,
	tc_metrics_frame_fn *frame_fn, void *ctx)
{
	struct tc_metrics_job *j = tc_mem_calloc(1, sizeof(*j));
	struct buckets b = bucket(r);

	j->m = m;
	j->r = r;
	j->fn = fn;
	j->frame_fn = frame_fn;
	j->ctx = ctx;
	tc_metrics_sort_out(j);
	tc_scenes_cujs_init(&j->cuj_notes, r);
	run_places(j, &b);
	free(b.rows);
	free(b.first);
	release(j);
}
