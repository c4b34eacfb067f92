/* Scenes from markers, and from slices whose name fits a pattern. */
#include "scenes/priv.h"

#include <fnmatch.h>
#include <stdlib.h>

#include "rec/rec.h"
#include "rows/rows.h"

/* Where a scene ends; what has no sensible length has none. */
static int64_t
end_of(int64_t ts, int64_t dur)
{
	int64_t end;

	if (ts == TC_NONE || (dur < -1 && dur != TC_NONE))
		return ts;
	if (dur < 0 || __builtin_add_overflow(ts, dur, &end))
		return INT64_MAX;
	return end;
}

void
tc_scenes_add(struct tc_scenes_items *items, const struct tc_rows *r,
	const struct tc_scene *scene, int64_t dur)
{
	struct tc_scenes_item *item;

	if (items->count == TC_SCENES_MAX) {
		items->is_full = true;
		return;
	}
	tc_mem_grow(&items->at, &items->cap, items->count + 1, sizeof(*items->at));
	item = &items->at[items->count++];
	*item = (struct tc_scenes_item){
		.scene = *scene,
		.name = tc_rows_text(r, scene->scenario),
		.upid = scene->proc == TC_ROWS_NO ? TC_NONE
						  : r->procs.at[scene->proc].upid,
		.stated = scene->repetition,
	};
	item->scene.end = scene->is_all ? INT64_MAX : end_of(scene->ts, dur);
}

/*
 * The machines of one trace are places of their own, and markers know traces alone.
 * A chain of places for each trace: the first by (stream, trace), then one after
 * another; TC_ROWS_NO ends it.
 */
struct chains {
	struct tc_map first;
	uint32_t *next; /* owned: by place */
};

enum { EVERY_STREAM = -1 };

static void
make_chains(struct chains *c, const struct tc_rows *r, bool by_stream)
{
	const struct tc_rows_place *p;
	uint64_t *slot;
	size_t i;
	bool made;

	*c = (struct chains){ 0 };
	c->next = tc_mem_calloc(r->places.count + 1, sizeof(*c->next));
	for (i = r->places.count; i-- > 0;) {
		p = &r->places.at[i];
		slot = tc_map_put(&c->first,
			by_stream ? p->stream : (uint64_t)EVERY_STREAM,
			(uint64_t)p->trace, &made);
		c->next[i] = made ? TC_ROWS_NO : (uint32_t)*slot;
		*slot = i;
	}
}

static void
release_chains(struct chains *c)
{
	tc_map_release(&c->first);
	free(c->next);
}

static uint32_t
first_of(struct chains *c, uint64_t stream, int64_t trace)
{
	uint64_t *slot = tc_map_get(&c->first, stream, (uint64_t)trace);

	return slot ? (uint32_t)*slot : TC_ROWS_NO;
}

/* One scene in each place of the chain that begins here. */
static void
add_chain(struct tc_scenes_items *items, const struct tc_rows *r, const struct chains *c,
	uint32_t place, struct tc_scene *scene, int64_t dur)
{
	for (; place != TC_ROWS_NO && !items->is_full; place = c->next[place]) {
		scene->place = place;
		tc_scenes_add(items, r, scene, dur);
	}
}

static void
add_everywhere(struct tc_scenes_items *items, const struct tc_rows *r,
	struct tc_scene *scene, int64_t dur)
{
	size_t i;

	for (i = 0; i < r->places.count && !items->is_full; i++) {
		scene->place = (uint32_t)i;
		tc_scenes_add(items, r, scene, dur);
	}
}

void
tc_scenes_of_markers(struct tc_scenes_items *items, const struct tc_rows *r)
{
	const struct tc_rows_marker *m;
	const struct tc_rows_place *p;
	struct tc_scene scene;
	struct chains chains;
	size_t i;

	make_chains(&chains, r, true);
	for (i = 0; i < r->markers.count && !items->is_full; i++) {
		m = &r->markers.at[i];
		scene = (struct tc_scene){ .ts = m->ts,
			.repetition = m->repetition,
			.scenario = m->scenario ? m->scenario : m->name,
			.proc = TC_ROWS_NO };
		if (m->place == TC_ROWS_NO) {
			add_everywhere(items, r, &scene, m->dur);
			continue;
		}
		p = &r->places.at[m->place];
		add_chain(items, r, &chains, first_of(&chains, p->stream, p->trace),
			&scene, m->dur);
	}
	release_chains(&chains);
}

void
tc_scenes_of_file(struct tc_scenes_items *items, struct tc_rows *r,
	const struct tc_scenes_file *file)
{
	const struct tc_scenes_marker *m;
	struct tc_scene scene;
	struct chains chains;
	size_t i;

	make_chains(&chains, r, false);
	for (i = 0; i < file->count && !items->is_full; i++) {
		m = &file->at[i];
		scene = (struct tc_scene){ .ts = m->ts,
			.repetition = m->repetition,
			.scenario = tc_strtab_id(
				&r->names, tc_strtab_str(&file->names, m->name)),
			.proc = TC_ROWS_NO };
		if (m->trace == TC_NONE)
			add_everywhere(items, r, &scene, m->dur);
		else
			add_chain(items, r, &chains,
				first_of(&chains, (uint64_t)EVERY_STREAM, m->trace),
				&scene, m->dur);
	}
	release_chains(&chains);
}

static uint32_t
place_of(const struct tc_rows *r, const struct tc_rows_slice *s)
{
	if (s->proc != TC_ROWS_NO)
		return r->procs.at[s->proc].place;
	return s->thread != TC_ROWS_NO ? r->threads.at[s->thread].place : TC_ROWS_NO;
}

/* Names are fewer than slices: each is held against the pattern once. */
static bool
fits(const struct tc_rows *r, const char *glob, uint32_t name, char *known)
{
	/* Interned text has a NUL behind it; one inside ends the name here. */
	if (!known[name])
		known[name] = name && fnmatch(glob, tc_rows_text(r, name).p, 0) == 0
			? 'y'
			: 'n';
	return known[name] == 'y';
}

void
tc_scenes_of_slices(
	struct tc_scenes_items *items, const struct tc_rows *r, const char *glob)
{
	char *known = tc_mem_calloc(r->names.count + 1, 1);
	const struct tc_rows_slice *s;
	struct tc_scene scene;
	size_t i;

	for (i = 0; i < r->slices.count && !items->is_full; i++) {
		s = &r->slices.at[i];
		/* An instant marks no stretch of time. */
		if (s->kind == 'i' || place_of(r, s) == TC_ROWS_NO ||
			!fits(r, glob, s->name, known))
			continue;
		scene = (struct tc_scene){ .ts = s->ts,
			.repetition = TC_NONE,
			.place = place_of(r, s),
			.scenario = s->name,
			.proc = TC_ROWS_NO };
		tc_scenes_add(items, r, &scene, s->dur);
	}
	free(known);
}
