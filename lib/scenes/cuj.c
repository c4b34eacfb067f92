/*
 * Interactions that the platform marks. What it notes of one on the way are instants:
 * `J<NAME>#what` or, on a track of that name, just what. Those that tell how it went are
 * FT#end and FT#cancel; what they mean is as Perfetto has it.
 */
#include "scenes/priv.h"

#include <stdlib.h>

#include "rec/rec.h"
#include "rows/rows.h"

/* Without a note of its end, one that is no longer than this does not count. */
enum { SHORTEST_NS = 4000000 };

struct tc_scenes_note {
	int64_t ts;
	struct tc_str cuj; /* the name of the interaction's slice */
	uint32_t proc;
	bool is_cancel;
};

/* How much of the text is `J<NAME>`: all of it, or all before the first # behind a >. */
static size_t
name_len(struct tc_str s)
{
	size_t i;

	if (s.len < 4 || s.p[0] != 'J' || s.p[1] != '<')
		return 0;
	for (i = 3; i < s.len; i++)
		if (s.p[i] == '>' && (i + 1 == s.len || s.p[i + 1] == '#'))
			return i + 1;
	return 0;
}

static struct tc_str
cut(struct tc_str s, size_t from, size_t to)
{
	return (struct tc_str){ s.p + from, (uint32_t)(to - from), s.is_plain };
}

bool
tc_scenes_is_cuj(const struct tc_rows *r, const struct tc_rows_slice *s)
{
	struct tc_str name = tc_rows_text(r, s->name);

	return s->kind == 'a' && s->proc != TC_ROWS_NO &&
		tc_rows_end(s->ts, s->dur) != TC_NONE && name.p &&
		name_len(name) == name.len && name.len;
}

bool
tc_scenes_is_cuj_note(const struct tc_rows *r, const struct tc_rows_slice *s,
	struct tc_str *cuj, struct tc_str *what)
{
	size_t n;

	*what = tc_rows_text(r, s->name);
	*cuj = tc_rows_text(r, s->track);
	if (s->kind != 'i' || s->proc == TC_ROWS_NO || !what->p)
		return false;
	n = name_len(*what);
	if (n && n < what->len) {
		*cuj = cut(*what, 0, n);
		*what = cut(*what, n + 1, what->len);
	}
	return cuj->p && cuj->len && name_len(*cuj) == cuj->len;
}

bool
tc_scenes_is_word(struct tc_str what, struct tc_str word)
{
	return tc_str_begins(what, word) &&
		(what.len == word.len || what.p[word.len] == '#');
}

static int
by_note(const void *a, const void *b)
{
	const struct tc_scenes_note *x = a, *y = b;
	int c;

	if (x->is_cancel != y->is_cancel)
		return x->is_cancel ? 1 : -1;
	if (x->proc != y->proc)
		return x->proc < y->proc ? -1 : 1;
	c = tc_str_compare(x->cuj, y->cuj);
	return c ? c : tc_mem_compare(x->ts, y->ts);
}

void
tc_scenes_cujs_init(struct tc_scenes_cujs *c, const struct tc_rows *r)
{
	const struct tc_rows_slice *s;
	struct tc_str cuj, what;
	bool is_cancel;
	size_t i;

	*c = (struct tc_scenes_cujs){ 0 };
	for (i = 0; i < r->slices.count; i++) {
		s = &r->slices.at[i];
		if (!tc_scenes_is_cuj_note(r, s, &cuj, &what))
			continue;
		is_cancel = tc_scenes_is_word(what, TC_STR("FT#cancel"));
		if (!is_cancel && !tc_scenes_is_word(what, TC_STR("FT#end")))
			continue;
		tc_mem_grow(&c->at, &c->cap, c->count + 1, sizeof(*c->at));
		c->at[c->count++] = (struct tc_scenes_note){
			.ts = s->ts, .cuj = cuj, .proc = s->proc, .is_cancel = is_cancel
		};
	}
	if (c->count)
		qsort(c->at, c->count, sizeof(*c->at), by_note);
}

void
tc_scenes_cujs_release(struct tc_scenes_cujs *c)
{
	free(c->at);
}

static bool
is_before(const void *note, const void *key)
{
	return by_note(note, key) < 0;
}

/* Whether one of these was noted while the slice lasted, its end included. */
static bool
is_noted(const struct tc_scenes_cujs *c, const struct tc_rows_slice *s, struct tc_str cuj,
	bool is_cancel)
{
	struct tc_scenes_note key = { s->ts, cuj, s->proc, is_cancel };
	size_t i = tc_mem_find(c->at, c->count, sizeof(*c->at), is_before, &key);
	const struct tc_scenes_note *n = &c->at[i];

	return i < c->count && n->is_cancel == is_cancel && n->proc == s->proc &&
		tc_str_eq(n->cuj, cuj) && n->ts <= tc_rows_end(s->ts, s->dur);
}

bool
tc_scenes_cuj_counts(const struct tc_scenes_cujs *c, const struct tc_rows *r,
	const struct tc_rows_slice *s)
{
	struct tc_str cuj = tc_rows_text(r, s->name);

	if (!tc_scenes_is_cuj(r, s) || is_noted(c, s, cuj, true))
		return false;
	return s->dur > SHORTEST_NS || is_noted(c, s, cuj, false);
}

void
tc_scenes_of_cujs(struct tc_scenes_items *items, const struct tc_rows *r)
{
	const struct tc_rows_slice *s;
	struct tc_scenes_cujs cujs;
	struct tc_scene scene;
	size_t i;

	tc_scenes_cujs_init(&cujs, r);
	for (i = 0; i < r->slices.count && !items->is_full; i++) {
		s = &r->slices.at[i];
		if (s->proc == TC_ROWS_NO || !r->procs.at[s->proc].is_meant ||
			!tc_scenes_cuj_counts(&cujs, r, s))
			continue;
		scene = (struct tc_scene){ .ts = s->ts,
			.repetition = TC_NONE,
			.place = r->procs.at[s->proc].place,
			.scenario = s->name,
			.proc = s->proc,
			.is_cuj = true };
		tc_scenes_add(items, r, &scene, s->dur);
	}
	tc_scenes_cujs_release(&cujs);
}
