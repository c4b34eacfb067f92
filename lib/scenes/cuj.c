/*
 * Scenes from interactions: the platform spans each with a slice `J<NAME>` of its
 * process. What it notes on the way are instants: `J<NAME>#FT#cancel...`, or on a track
 * of that name `FT#cancel...`. A cancelled one does not count, nor does one of at most
 * 4 ms of which nothing was noted, which is how Perfetto has it.
 */
#include "scenes/priv.h"

#include <stdlib.h>

#include "rec/rec.h"
#include "rows/rows.h"

enum { SHORTEST_NS = 4000000 };

struct note {
	int64_t ts;
	uint32_t proc, name; /* name: of the interaction's slice */
	bool is_cancel;
};

struct notes {
	struct note *at; /* owned */
	size_t count, cap;
};

static bool
is_cuj_name(struct tc_str s)
{
	return s.len > 3 && s.p[0] == 'J' && s.p[1] == '<' && s.p[s.len - 1] == '>';
}

static struct tc_str
cut(struct tc_str s, size_t from, size_t to)
{
	return (struct tc_str){ s.p + from, (uint32_t)(to - from), s.is_plain };
}

/* Splits `J<NAME>#FT#what`, or takes the track for the name: false when it is neither. */
static bool
split(struct tc_str name, struct tc_str track, struct tc_str *cuj, struct tc_str *what)
{
	static const char front[] = "FT#";
	const size_t n = sizeof(front) - 1;
	const char *hash;

	if (!name.p)
		return false;
	*cuj = track;
	*what = name;
	hash = memchr(name.p, '#', name.len);
	if (name.len > 1 && name.p[0] == 'J' && hash) {
		*cuj = cut(name, 0, (size_t)(hash - name.p));
		*what = cut(name, cuj->len + 1, name.len);
	}
	if (!cuj->p || !is_cuj_name(*cuj) || what->len < n ||
		memcmp(what->p, front, n) != 0)
		return false;
	*what = cut(*what, n, what->len);
	return true;
}

/* Those that say how far an interaction came; layers and vsyncs do not. */
static bool
is_state(struct tc_str what)
{
	return tc_str_begins(what, TC_STR("begin")) ||
		tc_str_begins(what, TC_STR("end")) ||
		tc_str_begins(what, TC_STR("cancel"));
}

static void
find_notes(struct notes *notes, struct tc_rows *r)
{
	const struct tc_rows_slice *s;
	struct tc_str cuj, what;
	size_t i;

	for (i = 0; i < r->slices.count; i++) {
		s = &r->slices.at[i];
		if (s->kind != 'i' || s->proc == TC_ROWS_NO ||
			!split(tc_rows_text(r, s->name), tc_rows_text(r, s->track), &cuj,
				&what) ||
			!is_state(what))
			continue;
		tc_mem_grow(
			&notes->at, &notes->cap, notes->count + 1, sizeof(*notes->at));
		notes->at[notes->count++] = (struct note){
			.ts = s->ts,
			.proc = s->proc,
			.name = tc_strtab_id(&r->names, cuj),
			.is_cancel = tc_str_begins(what, TC_STR("cancel")),
		};
	}
}

static int
by_note(const void *a, const void *b)
{
	const struct note *x = a, *y = b;

	if (x->is_cancel != y->is_cancel)
		return x->is_cancel ? 1 : -1;
	if (x->proc != y->proc)
		return x->proc < y->proc ? -1 : 1;
	if (x->name != y->name)
		return x->name < y->name ? -1 : 1;
	return (x->ts > y->ts) - (x->ts < y->ts);
}

/* Whether one of these was noted while the slice lasted, its end included. */
static bool
is_noted(const struct notes *notes, const struct tc_rows_slice *s, bool is_cancel)
{
	struct note key = { s->ts, s->proc, s->name, is_cancel };
	size_t low = 0, high = notes->count, middle;
	const struct note *n;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (by_note(&notes->at[middle], &key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == notes->count)
		return false;
	n = &notes->at[low];
	return n->is_cancel == is_cancel && n->proc == s->proc && n->name == s->name &&
		n->ts <= tc_rows_end(s->ts, s->dur);
}

static bool
counts(const struct tc_rows *r, const struct tc_rows_slice *s, const struct notes *notes)
{
	if (s->kind != 'a' || s->proc == TC_ROWS_NO || !r->procs.at[s->proc].is_meant ||
		tc_rows_end(s->ts, s->dur) == TC_NONE ||
		!is_cuj_name(tc_rows_text(r, s->name)))
		return false;
	if (is_noted(notes, s, true))
		return false;
	return s->dur > SHORTEST_NS || is_noted(notes, s, false);
}

void
tc_scenes_of_cujs(struct tc_scenes_items *items, struct tc_rows *r)
{
	struct notes notes = { 0 };
	const struct tc_rows_slice *s;
	struct tc_scene scene;
	size_t i;

	find_notes(&notes, r);
	if (notes.count)
		qsort(notes.at, notes.count, sizeof(*notes.at), by_note);
	for (i = 0; i < r->slices.count && !items->is_full; i++) {
		s = &r->slices.at[i];
		if (!counts(r, s, &notes))
			continue;
		scene = (struct tc_scene){ .ts = s->ts,
			.repetition = TC_NONE,
			.place = r->procs.at[s->proc].place,
			.scenario = s->name,
			.proc = s->proc,
			.is_cuj = true };
		tc_scenes_add(items, r, &scene, s->dur);
	}
	free(notes.at);
}
