/* Which scenes a frame counts in. */
#include "scenes/priv.h"

#include "rec/rec.h"
#include "rows/rows.h"

/* Without a length, a frame is where it begins. */
static bool
holds_instant(const struct tc_scene *scene, int64_t ts)
{
	return ts != TC_NONE && ts >= scene->ts && ts < scene->end;
}

/* A frame that was never closed has no end to go by. */
static bool
has_open(const struct tc_scenes *s, const struct tc_scene *scene, int64_t ts)
{
	return (s->edge == TC_SCENES_START_IN || s->edge == TC_SCENES_CLIP) &&
		holds_instant(scene, ts);
}

static bool
has_part(const struct tc_scene *scene, int64_t *ts, int64_t *end)
{
	if (*ts >= scene->end || *end <= scene->ts)
		return false;
	if (*ts < scene->ts)
		*ts = scene->ts;
	if (*end > scene->end)
		*end = scene->end;
	return true;
}

/* Scenes that follow one another share no frame: the end of one is not in the next. */
bool
tc_scenes_has(const struct tc_scenes *s, const struct tc_scene *scene, int64_t *ts,
	int64_t *end)
{
	bool starts_in, ends_in;

	if (scene->is_all)
		return true;
	if (*ts == TC_NONE || scene->end <= scene->ts)
		return false;
	if (*end == TC_NONE)
		return has_open(s, scene, *ts);
	if (*end <= *ts)
		return holds_instant(scene, *ts);
	starts_in = holds_instant(scene, *ts);
	ends_in = *end > scene->ts && *end <= scene->end;
	switch (s->edge) {
	case TC_SCENES_START_IN: return starts_in;
	case TC_SCENES_END_IN: return ends_in;
	case TC_SCENES_BOTH: return starts_in && ends_in;
	case TC_SCENES_CLIP: return has_part(scene, ts, end);
	}
	return false;
}

static bool
is_of_earlier(const void *scene, const void *place)
{
	const struct tc_scene *s = scene;
	const uint64_t *limit = place;

	return s->place < *limit;
}

/* How many scenes stand before those of a place. */
static size_t
count_before(const struct tc_scenes *s, uint64_t place)
{
	return tc_mem_find(s->at, s->count, sizeof(*s->at), is_of_earlier, &place);
}

const struct tc_scene *
tc_scenes_in(const struct tc_scenes *s, uint32_t place, size_t *count)
{
	size_t first = count_before(s, place);

	*count = count_before(s, (uint64_t)place + 1) - first;
	return *count ? &s->at[first] : NULL;
}

struct look {
	const struct tc_scenes *s;
	uint32_t proc;
	int64_t ts, end;
	int64_t after, last; /* what can have the frame ends after, begins by the last */
	tc_scenes_fn *fn;
	void *ctx;
	size_t found;
};

static void
look_at(struct look *l, const struct tc_scene *scene)
{
	int64_t ts = l->ts, end = l->end;

	if (scene->proc != TC_ROWS_NO && scene->proc != l->proc)
		return;
	if (!tc_scenes_has(l->s, scene, &ts, &end))
		return;
	l->found++;
	l->fn(l->ctx, scene);
}

/* Only what the policy can let count is looked at, however long the frame is. */
static void
bound(struct look *l)
{
	bool has_length = l->end != TC_NONE && l->end > l->ts,
	     is_end = l->s->edge == TC_SCENES_END_IN;

	l->after = l->last = l->ts;
	if (has_length && is_end)
		l->after = l->end - 1;
	if (has_length && (is_end || l->s->edge == TC_SCENES_CLIP))
		l->last = l->end - 1;
}

/* Halves in which all has ended before are not looked into. */
static void
look_in(struct look *l, const struct tc_scene *at, size_t count)
{
	size_t middle = count / 2;

	if (count == 0 || at[middle].until <= l->after || l->found == TC_SCENES_MAX_DEPTH)
		return;
	look_in(l, at, middle);
	if (at[middle].ts > l->last || l->found == TC_SCENES_MAX_DEPTH)
		return;
	look_at(l, &at[middle]);
	look_in(l, at + middle + 1, count - middle - 1);
}

size_t
tc_scenes_of(const struct tc_scenes *s, uint32_t place, uint32_t proc, int64_t ts,
	int64_t end, tc_scenes_fn *fn, void *ctx)
{
	struct look l = {
		.s = s, .proc = proc, .ts = ts, .end = end, .fn = fn, .ctx = ctx
	};
	const struct tc_scene *at;
	size_t count;

	at = tc_scenes_in(s, place, &count);
	bound(&l);
	/* All of a trace is alone in it, and has what was nobody knows when. */
	if (count && at->is_all)
		look_at(&l, at);
	else if (ts != TC_NONE)
		look_in(&l, at, count);
	return l.found;
}
