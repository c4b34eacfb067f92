/* A case in one sentence: what overlaps and what was over, never what caused it. */
#include "jank/explain.h"
#include "jank/priv.h"
#include "rows/rows.h"

static struct tc_str
join(struct tc_arena *arena, struct tc_str a, struct tc_str b)
{
	if (!a.p || !b.p)
		return a.p ? a : b;
	return tc_arena_print(arena, "%.*s; %.*s", (int)a.len, a.p, (int)b.len, b.p);
}

static struct tc_str
platform(const struct tc_jank_case *c)
{
	struct tc_str type = tc_rows_text(c->rows, c->group->type), who = { 0 };
	size_t i;

	for (i = 0; i < c->blame_count; i++)
		who = i ? tc_arena_print(c->arena, "%.*s and %.*s", (int)who.len, who.p,
				  (int)c->blame[i].len, c->blame[i].p)
			: c->blame[i];
	if (!type.p)
		return TC_STR("the platform says nothing of it");
	if (!type.len)
		return TC_STR("the platform gives a reason that has no name");
	return tc_arena_print(c->arena, "the platform says '%.*s'%s%.*s", (int)type.len,
		type.p, who.p ? " and blames " : ", which blames nobody", (int)who.len,
		who.p ? who.p : "");
}

/* A late begin may be most of what makes a frame end late, whatever it did then. */
static struct tc_str
begin(const struct tc_jank_case *c)
{
	int64_t late = tc_jank_began_late_ns(c);

	if (late == TC_NONE || late <= 0)
		return (struct tc_str){ 0 };
	return tc_arena_print(
		c->arena, "it began %.3f ms late", tc_jank_ms((double)late));
}

static struct tc_str
finish(const struct tc_jank_case *c)
{
	int64_t late = tc_jank_late_ns(c->rows, c->a);

	if (c->match.is_dropped)
		return TC_STR("the platform marks it dropped");
	if (late == TC_NONE)
		return (struct tc_str){ 0 };
	return tc_arena_print(c->arena, "it ended %.3f ms %s its expected end",
		tc_jank_ms(late < 0 ? -(double)late : (double)late),
		late > 0 ? "past" : "before");
}

/* How late it was before it began; where it follows one that was just named, that told.
 */
static struct tc_str
before(struct tc_arena *arena, const struct tc_rec_jank_cause_stretch *s,
	const struct tc_rec_jank_cause_stretch *named)
{
	if (!tc_str_eq(s->why, TC_STR("began_late")) ||
		(named && tc_rows_end(named->ts, named->dur_ns) == s->ts))
		return TC_STR("");
	return tc_arena_print(arena, ", which began %.3f ms past the end",
		tc_jank_ms(-(double)s->expected_ns));
}

/* Every stretch that was long, in the order of the frame's way. */
static struct tc_str
over(const struct tc_jank_case *c)
{
	const struct tc_rec_jank_cause_stretch *s, *named = NULL;
	struct tc_str text = { 0 }, late;
	size_t i;

	for (i = 0; i < c->stretch_count; i++) {
		s = &c->stretches[i];
		if (s->is_long != 1)
			continue;
		late = before(c->arena, s, named);
		text = tc_arena_print(c->arena, "%.*s%s%.*s by %.3f ms%.*s",
			(int)text.len, text.p ? text.p : "",
			text.p ? ", " : "over expectation: ", (int)s->name.len, s->name.p,
			tc_jank_ms((double)s->over_ns), (int)late.len, late.p);
		named = s;
	}
	return text;
}

static struct tc_str
thread(const struct tc_jank_case *c, const struct tc_rec_jank_cause_thread *t)
{
	struct tc_str text;

	text = tc_arena_print(c->arena, "%.*s took %.3f ms", (int)t->name.len,
		t->name.p ? t->name.p : "", tc_jank_ms((double)t->dur_ns));
	if (t->running_ns == TC_NONE)
		return text;
	return tc_arena_print(c->arena,
		"%.*s (%.3f running, %.3f runnable, %.3f blocked)", (int)text.len, text.p,
		tc_jank_ms((double)t->running_ns), tc_jank_ms((double)t->runnable_ns),
		tc_jank_ms((double)t->blocked_ns));
}

/* The longest slice of the app. */
static struct tc_str
busiest(const struct tc_jank_case *c)
{
	const struct tc_rec_jank_cause_thread *t, *most = NULL;
	size_t i;

	for (i = 0; i < c->thread_count; i++) {
		t = &c->threads[i];
		if (t->dur_ns > 0 && !tc_str_eq(t->role, TC_STR("surfaceflinger")) &&
			(!most || t->dur_ns > most->dur_ns))
			most = t;
	}
	return most ? thread(c, most) : (struct tc_str){ 0 };
}

struct tc_str
tc_jank_case_text(const struct tc_jank_case *c)
{
	struct tc_str text = platform(c);

	text = join(c->arena, text, begin(c));
	text = join(c->arena, text, finish(c));
	text = join(c->arena, text, over(c));
	return join(c->arena, text, busiest(c));
}
