/*
 * Interactions that the platform marks (CUJ, critical user journeys): slices `J<NAME>`
 * of the process. Which count, scenes tells; of what is noted of one, FT#beginVsync#N,
 * FT#endVsync#N, FT#layerId#N and UIThread tell which frames are its own.
 *
 * Frames are those of the interaction's own process, which upstream's are not, and of
 * every process: upstream looks at Google's and the platform's alone.
 */
#include "metrics/priv.h"

#include <math.h>
#include <stdlib.h>

/* A score is summed up in millionths; what is greater than this is none. */
static const double most = 1e6;

static int
by_name(const struct tc_rows *r, const struct tc_metrics_cuj *x, struct tc_str name,
	int64_t ts)
{
	int c = tc_str_compare(tc_rows_text(r, x->name), name);

	return c ? c : tc_mem_compare(x->ts, ts);
}

/* Names are few, so that it pays to look at the ids before the text. */
struct named {
	const struct tc_rows *r;
	struct tc_metrics_cuj cuj;
};

static int
by_named(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	int c = x->cuj.name == y->cuj.name
		? tc_mem_compare(x->cuj.ts, y->cuj.ts)
		: by_name(x->r, &x->cuj, tc_rows_text(y->r, y->cuj.name), y->cuj.ts);

	return c ? c : tc_mem_compare(x->cuj.end, y->cuj.end);
}

static void
sort_cujs(struct tc_metrics_job *j)
{
	struct named *named = tc_mem_alloc((j->cujs.count + 1) * sizeof(*named));
	size_t i;

	for (i = 0; i < j->cujs.count; i++)
		named[i] = (struct named){ j->r, j->cujs.at[i] };
	qsort(named, j->cujs.count, sizeof(*named), by_named);
	for (i = 0; i < j->cujs.count; i++)
		j->cujs.at[i] = named[i].cuj;
	free(named);
}

static void
find_slices(struct tc_metrics_job *j)
{
	const struct tc_rows_slice *s;
	size_t i;

	for (i = 0; i < j->slice_count; i++) {
		s = &j->slices[i];
		if (!tc_scenes_is_cuj(j->r, s))
			continue;
		*TC_ROWS_MORE(&j->cujs) = (struct tc_metrics_cuj){
			.slice = s,
			.name = s->name,
			.ts = s->ts,
			.end = tc_rows_end(s->ts, s->dur),
			.first = TC_NONE,
			.last = TC_NONE,
			.layer_id = TC_NONE,
			.thread = TC_ROWS_NO,
		};
	}
}

/* What a slice notes of an interaction. */
struct note {
	const struct tc_rows *r;
	struct tc_str name;
	int64_t ts;
};

static bool
begins_by(const void *cuj, const void *note)
{
	const struct note *n = note;

	return by_name(n->r, cuj, n->name, n->ts) <= 0;
}

/*
 * Of interactions of one name that lie over one another, the note is the last one's: of
 * frames, that is; how one came to an end is not told apart.
 */
static struct tc_metrics_cuj *
noted(struct tc_metrics_job *j, struct tc_str name, int64_t ts)
{
	struct note key = { j->r, name, ts };
	struct tc_metrics_cuj *c;
	size_t n;

	n = tc_mem_find(j->cujs.at, j->cujs.count, sizeof(*c), begins_by, &key);
	c = n ? &j->cujs.at[n - 1] : NULL;
	return c && c->end >= ts && tc_str_eq(tc_rows_text(j->r, c->name), name) ? c
										 : NULL;
}

static struct tc_str
behind(struct tc_str s, size_t n)
{
	return (struct tc_str){ s.p + n, s.len - (uint32_t)n, false };
}

/* `what#number`: the number, if it is this what. */
static bool
is_numbered(struct tc_str text, struct tc_str what, int64_t *number)
{
	if (!tc_str_begins(text, what) || text.len == what.len || text.p[what.len] != '#')
		return false;
	*number = tc_metrics_number(behind(text, what.len + 1));
	return true;
}

static void
note(struct tc_metrics_cuj *c, struct tc_str what, uint32_t thread)
{
	if (tc_scenes_is_word(what, TC_STR("UIThread")))
		c->thread = thread;
	if (!is_numbered(what, TC_STR("FT#beginVsync"), &c->first) &&
		!is_numbered(what, TC_STR("FT#endVsync"), &c->last))
		is_numbered(what, TC_STR("FT#layerId"), &c->layer_id);
}

static void
take_notes(struct tc_metrics_job *j)
{
	const struct tc_rows_slice *s;
	struct tc_metrics_cuj *c;
	struct tc_str name, what;
	size_t i;

	for (i = 0; i < j->slice_count; i++) {
		s = &j->slices[i];
		if (!tc_scenes_is_cuj_note(j->r, s, &name, &what))
			continue;
		c = noted(j, name, s->ts);
		if (c)
			note(c, what, s->thread);
	}
}

/* After the notes, which are also of interactions that do not count. */
static void
drop_others(struct tc_metrics_job *j)
{
	size_t i, n = 0;

	for (i = 0; i < j->cujs.count; i++)
		if (tc_scenes_cuj_counts(&j->cuj_notes, j->r, j->cujs.at[i].slice))
			j->cujs.at[n++] = j->cujs.at[i];
	j->cujs.count = n;
}

static int
by_begin(const void *a, const void *b)
{
	const struct tc_metrics_do_frame *x = a, *y = b;
	int c = tc_mem_compare(x->ts, y->ts);

	return c ? c : tc_mem_compare(x->id, y->id);
}

static void
find_do_frames(struct tc_metrics_job *j)
{
	const struct tc_rows_slice *s;
	struct tc_metrics_do_frame *d;
	size_t i;

	j->do_frames.count = 0;
	for (i = 0; i < j->slice_count; i++) {
		s = &j->slices[i];
		if (s->vsync_id <= 0 || tc_rows_end(s->ts, s->dur) == TC_NONE ||
			!tc_rows_is_do_frame(j->r, s))
			continue;
		d = TC_ROWS_MORE(&j->do_frames);
		d->ts = s->ts;
		d->end = tc_rows_end(s->ts, s->dur);
		d->id = s->vsync_id;
		d->thread = s->thread;
	}
	if (j->do_frames.count)
		qsort(j->do_frames.at, j->do_frames.count, sizeof(*d), by_begin);
	for (i = 0; i < j->do_frames.count; i++) {
		d = &j->do_frames.at[i];
		d->until = i && d[-1].until > d->end ? d[-1].until : d->end;
	}
}

/* Whether it had ended by then, and all that stand before it. */
static bool
has_ended(const void *do_frame, const void *ts)
{
	const struct tc_metrics_do_frame *d = do_frame;
	const int64_t *by = ts;

	return d->until <= *by;
}

static bool
is_of(const struct tc_metrics_job *j, const struct tc_metrics_cuj *c,
	const struct tc_metrics_do_frame *d)
{
	if (d->end <= c->ts || d->thread == TC_ROWS_NO)
		return false;
	return c->thread == TC_ROWS_NO ? j->r->threads.at[d->thread].is_main
				       : d->thread == c->thread;
}

/* What may be looked at is bounded: there is no end to how often slices can overlap. */
static bool
is_spent(struct tc_metrics_job *j, struct tc_metrics_cuj *c)
{
	if (j->budget) {
		j->budget--;
		return false;
	}
	c->is_dear = true;
	return true;
}

/* The vsync ids that were not noted are those of the doFrames meanwhile. */
static void
find_range(struct tc_metrics_job *j, struct tc_metrics_cuj *c)
{
	int64_t first = TC_NONE, last = TC_NONE;
	const struct tc_metrics_do_frame *d;
	size_t i;

	if (c->first != TC_NONE && c->last != TC_NONE)
		return;
	i = tc_mem_find(
		j->do_frames.at, j->do_frames.count, sizeof(*d), has_ended, &c->ts);
	for (; i < j->do_frames.count; i++) {
		d = &j->do_frames.at[i];
		if (d->ts >= c->end || is_spent(j, c))
			break;
		if (!is_of(j, c, d))
			continue;
		if (first == TC_NONE || d->id < first)
			first = d->id;
		if (last == TC_NONE || d->id > last)
			last = d->id;
	}
	if (c->first == TC_NONE)
		c->first = first;
	if (c->last == TC_NONE)
		c->last = last;
}

void
tc_metrics_find_cujs(struct tc_metrics_job *j)
{
	struct tc_metrics_cuj *c;
	size_t i;

	j->cujs.count = 0;
	find_slices(j);
	if (!j->cujs.count)
		return;
	sort_cujs(j);
	take_notes(j);
	drop_others(j);
	find_do_frames(j);
	for (i = 0; i < j->cujs.count; i++) {
		c = &j->cujs.at[i];
		tc_metrics_deal(j, &j->cuj_deals,
			(struct tc_metrics_deal){ .item = (uint32_t)i }, NULL, c->ts,
			c->slice->dur);
	}
}

/* One vsync of an interaction, over its layers; and what came before. */
struct vsync {
	bool is_seen, is_app, is_sf;
	int64_t dur;
	double score; /* the greatest, NAN: none is known */
};

struct tally {
	int64_t run;       /* vsyncs missed in a row */
	bool lacks_scores; /* one that was missed has none */
};

static void
add_row(struct tc_metrics_job *j, const struct tc_metrics_cuj *c,
	const struct tc_rows_actual *a, struct vsync *v)
{
	const struct tc_metrics_group *g = &j->groups[a->group - 1];
	double score = fabs((double)a->score);

	if (a->dur <= 0 || (c->layer_id != TC_NONE && g->layer_id != c->layer_id))
		return;
	v->is_seen = true;
	v->is_app |= g->is_app_jank;
	v->is_sf |= g->is_sf_jank;
	if (a->dur > v->dur)
		v->dur = a->dur;
	if (score <= most && !(v->score >= score))
		v->score = score;
}

static void
count_vsync(struct tc_metrics_job *j, const struct vsync *v, struct tally *t)
{
	bool is_missed = v->is_app || v->is_sf;
	struct tc_metrics_cell *c = &j->cell;

	if (!v->is_seen)
		return;
	tc_metrics_add(c, TC_METRICS_CUJ_FRAMES, 1, 0);
	tc_metrics_count(c, TC_METRICS_CUJ_MISSED, is_missed);
	tc_metrics_add(c, TC_METRICS_CUJ_MISSED_APP, v->is_app, 0);
	tc_metrics_add(c, TC_METRICS_CUJ_MISSED_SF, v->is_sf, 0);
	tc_metrics_value(c, TC_METRICS_CUJ_DURATION, v->dur);
	t->run = is_missed ? t->run + 1 : 0;
	tc_metrics_greatest(c, TC_METRICS_CUJ_LONGEST, t->run);
	t->lacks_scores |= is_missed && isnan(v->score);
	tc_metrics_add(c, TC_METRICS_CUJ_WEIGHTED,
		is_missed && !isnan(v->score) ? llround(v->score * 1e6) : 0, 0);
}

static bool
is_below(const void *tagged, const void *token)
{
	const struct tc_metrics_tagged *t = tagged;
	const int64_t *limit = token;

	return t->token < *limit;
}

static void
count_range(struct tc_metrics_job *j, struct tc_metrics_cuj *c, struct tally *t)
{
	size_t i = tc_mem_find(
		j->tagged, j->row_count, sizeof(*j->tagged), is_below, &c->first);
	struct vsync v;
	int64_t token;

	while (i < j->row_count && j->tagged[i].token <= c->last) {
		token = j->tagged[i].token;
		v = (struct vsync){ .score = (double)NAN };
		for (; i < j->row_count && j->tagged[i].token == token; i++) {
			if (is_spent(j, c))
				return;
			add_row(j, c, &j->r->actual.at[j->tagged[i].row], &v);
		}
		count_vsync(j, &v, t);
	}
}

void
tc_metrics_cuj(struct tc_metrics_job *j, struct tc_metrics_cuj *cuj)
{
	struct tc_metrics_cell *c = &j->cell;
	struct tally t = { 0 };
	const char *why = NULL;
	int id;

	find_range(j, cuj);
	if (cuj->first == TC_NONE || cuj->last == TC_NONE)
		why = "no_vsync_range";
	else
		count_range(j, cuj, &t);
	if (cuj->is_dear)
		why = "too_many";
	for (id = TC_METRICS_CUJ_FRAMES; id <= TC_METRICS_CUJ_DURATION; id++) {
		if (why)
			tc_metrics_void(c, (enum tc_metrics_id)id, why);
		tc_metrics_why(c, (enum tc_metrics_id)id, "no_frames");
	}
	if (t.lacks_scores && !why)
		tc_metrics_void(c, TC_METRICS_CUJ_WEIGHTED, "no_score");
}
