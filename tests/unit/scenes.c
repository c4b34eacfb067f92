/* Scenes: where they come from, and which frames count in them. */
#include "scenes/scenes.h"

#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "cli/cli.h"
#include "err/err.h"
#include "rec/rec.h"
#include "rows/rows.h"

static struct tc_rows
rows_of_trace(int64_t trace)
{
	struct tc_rows r = { .kinds = TC_ROWS_MARKER | TC_ROWS_SLICE };
	struct tc_rec_trace t;

	tc_rec_init(&tc_rec_trace, &t);
	t.trace = trace;
	tc_rows_add(&r, &tc_rec_trace, &t);
	return r;
}

static void
add_marker(struct tc_rows *r, int64_t ts, int64_t dur, const char *scenario,
	int64_t repetition, int64_t trace)
{
	struct tc_rec_marker m;

	tc_rec_init(&tc_rec_marker, &m);
	m.ts = ts;
	m.dur = dur;
	if (scenario)
		m.scenario = tc_str_of(scenario);
	m.repetition = repetition;
	m.trace = trace;
	tc_rows_add(r, &tc_rec_marker, &m);
}

static void
add_slice(struct tc_rows *r, int64_t id, int64_t ts, int64_t dur, const char *kind,
	const char *name, const char *track, int64_t upid)
{
	struct tc_rec_slice s;

	tc_rec_init(&tc_rec_slice, &s);
	s.id = id;
	s.ts = ts;
	s.dur = dur;
	s.kind = tc_str_of(kind);
	s.name = tc_str_of(name);
	s.track = tc_str_of(track);
	s.upid = upid;
	s.machine_id = 0;
	s.trace = 0;
	tc_rows_add(r, &tc_rec_slice, &s);
}

static bool
make(struct tc_scenes *s, struct tc_rows *r, struct tc_err *err)
{
	struct tc_cli cli = TC_CLI_INIT("test", "");

	return CHECK(tc_rows_settle(r, &cli, err) == 0) && tc_scenes_make(s, r, err) == 0;
}

static void
release(struct tc_scenes *s, struct tc_rows *r)
{
	tc_scenes_release(s);
	tc_rows_release(r);
}

static void
check_scene(const struct tc_rows *r, const struct tc_scenes *s, size_t i, int64_t ts,
	int64_t end, const char *name, int64_t repetition)
{
	if (!CHECK(i < s->count))
		return;
	CHECK_INT(s->at[i].ts, ts);
	CHECK_INT(s->at[i].end, end);
	CHECK_STR(tc_rows_text(r, s->at[i].scenario),
		name ? tc_str_of(name) : (struct tc_str){ 0 });
	CHECK_INT(s->at[i].repetition, repetition);
}

struct found {
	const struct tc_scenes *s;
	size_t count;
	uint64_t sum;
};

static void
on_scene(void *ctx, const struct tc_scene *scene)
{
	struct found *f = ctx;

	f->sum = f->sum * 31 + (uint64_t)(scene - f->s->at);
	f->count++;
}

/* ---- where they come from ---- */

static void
test_nothing_said(void)
{
	struct tc_rows r = rows_of_trace(0);
	struct tc_scenes s = { 0 };
	struct tc_err err = { 0 };
	struct found found = { .s = &s };
	int64_t ts = TC_NONE, end = TC_NONE;

	CHECK(make(&s, &r, &err));
	CHECK_INT(s.count, 1);
	CHECK(s.at[0].is_all);
	CHECK_INT(s.at[0].scenario, 0);
	CHECK_INT(s.at[0].repetition, TC_NONE);
	CHECK(tc_scenes_has(&s, &s.at[0], &ts, &end));
	CHECK_INT(tc_scenes_of(&s, 0, 0, TC_NONE, TC_NONE, on_scene, &found), 1);
	CHECK_INT(tc_scenes_of(&s, 0, 0, 100, 200, on_scene, &found), 1);
	release(&s, &r);
}

static void
test_asked_and_none(void)
{
	struct tc_rows r = rows_of_trace(0);
	struct tc_scenes s = { .cuj = true };
	struct tc_err err = { 0 };

	CHECK(make(&s, &r, &err));
	CHECK_INT(s.count, 0);
	release(&s, &r);
}

static void
test_markers(void)
{
	struct tc_rows r = rows_of_trace(0);
	struct tc_scenes s = { 0 };
	struct tc_err err = { 0 };

	/* Out of order, twice, numbered and not, open, and of another trace. */
	add_marker(&r, 300, 50, "scroll", TC_NONE, TC_NONE);
	add_marker(&r, 100, 50, "scroll", TC_NONE, 0);
	add_marker(&r, 100, 50, "scroll", TC_NONE, TC_NONE);
	add_marker(&r, 200, 50, "scroll", 7, 0);
	add_marker(&r, 120, -1, "open", TC_NONE, 0);
	add_marker(&r, 400, INT64_MAX, "huge", TC_NONE, 0);
	add_marker(&r, 100, 50, "other", TC_NONE, 5);
	CHECK(make(&s, &r, &err));
	CHECK_INT(r.places.count, 2);
	check_scene(&r, &s, 0, 100, 150, "scroll", 1);
	check_scene(&r, &s, 1, 120, INT64_MAX, "open", 1);
	check_scene(&r, &s, 2, 200, 250, "scroll", 7);
	check_scene(&r, &s, 3, 300, 350, "scroll", 8);
	check_scene(&r, &s, 4, 400, INT64_MAX, "huge", 1);
	/* The place that the marker alone speaks of has those without a trace too. */
	check_scene(&r, &s, 5, 100, 150, "other", 1);
	check_scene(&r, &s, 6, 100, 150, "scroll", 1);
	check_scene(&r, &s, 7, 300, 350, "scroll", 2);
	CHECK_INT(s.count, 8);
	release(&s, &r);
}

static void
test_name_for_scenario(void)
{
	struct tc_rows r = rows_of_trace(0);
	struct tc_scenes s = { 0 };
	struct tc_err err = { 0 };
	struct tc_rec_marker m;

	tc_rec_init(&tc_rec_marker, &m);
	m.ts = 5;
	m.dur = 5;
	m.name = TC_STR("fling");
	tc_rows_add(&r, &tc_rec_marker, &m);
	CHECK(make(&s, &r, &err));
	check_scene(&r, &s, 0, 5, 10, "fling", 1);
	release(&s, &r);
}

/* Two machines of a trace have its markers, another stream's trace 0 has its own. */
static void
test_places(void)
{
	struct tc_rows r = rows_of_trace(0);
	struct tc_scenes s = { 0 };
	struct tc_err err = { 0 };
	struct tc_rec_process p;
	struct tc_rec_trace t;

	tc_rec_init(&tc_rec_process, &p);
	p.trace = 0;
	p.machine_id = 4;
	p.upid = 1;
	tc_rows_add(&r, &tc_rec_process, &p);
	add_marker(&r, 100, 50, "a", TC_NONE, 0);
	tc_rec_init(&tc_rec_trace, &t);
	t.trace = 0;
	tc_rows_add(&r, &tc_rec_trace, &t);
	add_marker(&r, 100, 50, "b", TC_NONE, 0);
	CHECK(make(&s, &r, &err));
	CHECK_INT(r.places.count, 3);
	CHECK_INT(s.count, 3);
	check_scene(&r, &s, 0, 100, 150, "a", 1);
	check_scene(&r, &s, 1, 100, 150, "a", 1);
	check_scene(&r, &s, 2, 100, 150, "b", 1);
	release(&s, &r);
}

static void
test_slices(void)
{
	struct tc_rows r = rows_of_trace(0);
	struct tc_scenes s = { .slices = "scroll*" };
	struct tc_err err = { 0 };

	add_slice(&r, 0, 100, 10, "async", "scroll b", "t", 1);
	add_slice(&r, 1, 100, 10, "async", "scroll a", "t", 2);
	add_slice(&r, 2, 200, -1, "thread", "scroll a", "t", 1);
	add_slice(&r, 3, 300, 10, "thread", "fling", "t", 1);
	add_slice(&r, 4, 300, 0, "instant", "scroll a", "t", 1);
	CHECK(make(&s, &r, &err));
	CHECK_INT(s.count, 3);
	check_scene(&r, &s, 0, 100, 110, "scroll a", 1);
	check_scene(&r, &s, 1, 100, 110, "scroll b", 1);
	check_scene(&r, &s, 2, 200, INT64_MAX, "scroll a", 2);
	CHECK_INT(s.at[0].proc, TC_ROWS_NO);
	release(&s, &r);
}

enum { LONG_NS = 5000000 };

static void
test_cujs(void)
{
	struct tc_rows r = rows_of_trace(0);
	struct tc_scenes s = { .cuj = true };
	struct tc_err err = { 0 };

	add_slice(&r, 0, 1000, LONG_NS, "async", "J<A>", "J<A>", 1);
	/* Cancelled, each in one way of saying it, up to the very end. */
	add_slice(&r, 1, 10000000, LONG_NS, "async", "J<B>", "J<B>", 1);
	add_slice(&r, 2, 10000000 + LONG_NS, 0, "instant", "FT#cancel#USER", "J<B>", 1);
	add_slice(&r, 3, 30000000, LONG_NS, "async", "J<B>", "J<B>", 1);
	add_slice(&r, 4, 31000000, 0, "instant", "J<B>#FT#cancel", "main", 1);
	/* What another process cancelled, or a later one, is not. */
	add_slice(&r, 5, 50000000, LONG_NS, "async", "J<B>", "J<B>", 1);
	add_slice(&r, 6, 51000000, 0, "instant", "J<B>#FT#cancel", "main", 2);
	add_slice(&r, 7, 50000001 + LONG_NS, 0, "instant", "J<B>#FT#cancel", "main", 1);
	/* Short ones: with a note, with one of layers alone, and without. */
	add_slice(&r, 8, 70000000, 4000000, "async", "J<C>", "J<C>", 1);
	add_slice(&r, 9, 70000001, 0, "instant", "FT#end#UIThread", "J<C>", 1);
	add_slice(&r, 10, 80000000, 4000000, "async", "J<D>", "J<D>", 1);
	add_slice(&r, 11, 80000001, 0, "instant", "J<D>#FT#layerId#7", "main", 1);
	add_slice(&r, 12, 90000000, 4000001, "async", "J<E>", "J<E>", 1);
	/* No interactions: of a thread, open, or called otherwise. */
	add_slice(&r, 13, 90000000, LONG_NS, "thread", "J<F>", "main", 1);
	add_slice(&r, 14, 90000000, -1, "async", "J<G>", "J<G>", 1);
	add_slice(&r, 15, 90000000, LONG_NS, "async", "J<>", "t", 1);
	add_slice(&r, 16, 90000000, LONG_NS, "async", "K<H>", "t", 1);
	CHECK(make(&s, &r, &err));
	CHECK_INT(s.count, 4);
	check_scene(&r, &s, 0, 1000, 1000 + LONG_NS, "J<A>", 1);
	check_scene(&r, &s, 1, 50000000, 50000000 + LONG_NS, "J<B>", 1);
	check_scene(&r, &s, 2, 70000000, 74000000, "J<C>", 1);
	check_scene(&r, &s, 3, 90000000, 94000001, "J<E>", 1);
	CHECK(s.at[0].is_cuj);
	CHECK_INT(r.procs.at[s.at[0].proc].upid, 1);
	release(&s, &r);
}

static bool
read_text(struct tc_scenes *s, const char *text, struct tc_err *err)
{
	char path[] = "/tmp/scenes.XXXXXX";
	int fd = mkstemp(path);
	bool ok;

	CHECK(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	close(fd);
	ok = tc_scenes_read(s, path, err) == 0;
	unlink(path);
	return ok;
}

static void
test_file(void)
{
	struct tc_rows r = rows_of_trace(0);
	struct tc_scenes s = { 0 }, bad;
	struct tc_err err = { 0 };
	static const char *const wrong[] = { "{\"type\":\"marker\"}\n",
		"{\"type\":\"marker\",\"ts\":5}\n",
		"{\"type\":\"marker\",\"ts\":\"5\"}\n", "x\n", "[]\n", "{}\n", "\n" };
	size_t i;

	CHECK(read_text(&s,
		"{\"type\":\"tool\"}\n"
		"{\"type\":\"marker\",\"ts\":10,\"dur\":5,\"scenario\":\"a\"}\n"
		"{\"type\":\"marker\",\"ts\":20,\"dur\":5,\"name\":\"b\",\"trace\":0}\n"
		"{\"type\":\"marker\",\"ts\":30,\"dur\":5,\"name\":\"c\",\"trace\":1}",
		&err));
	/* What both say is one scene. */
	add_marker(&r, 10, 5, "a", TC_NONE, 0);
	CHECK(make(&s, &r, &err));
	CHECK_INT(s.count, 2);
	check_scene(&r, &s, 0, 10, 15, "a", 1);
	check_scene(&r, &s, 1, 20, 25, "b", 1);
	release(&s, &r);
	for (i = 0; i < CHECK_ITEMS(wrong); i++) {
		bad = (struct tc_scenes){ 0 };
		err = (struct tc_err){ 0 };
		CHECK(!read_text(&bad, wrong[i], &err));
		CHECK_INT(err.code, TC_DATA);
		CHECK(strstr(err.msg, ":1") != NULL);
		tc_scenes_release(&bad);
	}
	bad = (struct tc_scenes){ 0 };
	CHECK(tc_scenes_read(&bad, "/no/such/file", &err) != 0);
	CHECK_INT(err.code, TC_NOINPUT);
	tc_scenes_release(&bad);
}

/* ---- frames and edges ---- */

static const char *const edges[] = { "start-in", "end-in", "both", "clip" };

/* Of frames and the scene from 100 to 200: whether each edge has it, and what of it. */
static const struct {
	int64_t ts, end;
	bool has[4];
	int64_t clip_ts, clip_end;
} frames[] = {
	{ 120, 130, { 1, 1, 1, 1 }, 120, 130 },         /* inside */
	{ 90, 110, { 0, 1, 0, 1 }, 100, 110 },          /* over the first edge */
	{ 190, 210, { 1, 0, 0, 1 }, 190, 200 },         /* over the last one */
	{ 90, 210, { 0, 0, 0, 1 }, 100, 200 },          /* over both */
	{ 100, 200, { 1, 1, 1, 1 }, 100, 200 },         /* all of it */
	{ 90, 100, { 0, 0, 0, 0 }, 0, 0 },              /* just before */
	{ 200, 210, { 0, 0, 0, 0 }, 0, 0 },             /* just behind */
	{ 100, 100, { 1, 1, 1, 1 }, 100, 100 },         /* no length */
	{ 200, 200, { 0, 0, 0, 0 }, 0, 0 },             /* none, at the end */
	{ 150, TC_NONE, { 1, 0, 0, 1 }, 150, TC_NONE }, /* open */
	{ 90, TC_NONE, { 0, 0, 0, 0 }, 0, 0 },          /* open, from before */
	{ TC_NONE, 150, { 0, 0, 0, 0 }, 0, 0 },         /* nobody knows when */
	{ INT64_MIN + 1, INT64_MAX, { 0, 0, 0, 1 }, 100, 200 },
	{ INT64_MAX, INT64_MAX, { 0, 0, 0, 0 }, 0, 0 },
};

static void
test_edges(void)
{
	struct tc_scene scene = { .ts = 100, .end = 200 },
			empty = { .ts = 100, .end = 100 };
	struct tc_scenes s = { 0 };
	int64_t ts, end;
	size_t i, e;

	for (e = 0; e < CHECK_ITEMS(edges); e++) {
		CHECK(tc_scenes_is_edge(edges[e], &s.edge));
		for (i = 0; i < CHECK_ITEMS(frames); i++) {
			ts = frames[i].ts;
			end = frames[i].end;
			if (!CHECK_INT(tc_scenes_has(&s, &scene, &ts, &end),
				    frames[i].has[e]))
				printf("edge %s, frame %zu\n", edges[e], i);
			if (e == 3 && frames[i].has[e]) {
				CHECK_INT(ts, frames[i].clip_ts);
				CHECK_INT(end, frames[i].clip_end);
			} else {
				CHECK_INT(ts, frames[i].ts);
				CHECK_INT(end, frames[i].end);
			}
			CHECK(!tc_scenes_has(&s, &empty, &ts, &end));
		}
	}
	CHECK(!tc_scenes_is_edge("start", &s.edge));
	CHECK(!tc_scenes_is_edge("", &s.edge));
}

/* Scenes that follow one another share out the frames. */
static void
test_partition(void)
{
	struct tc_scene a = { .ts = 100, .end = 200 }, b = { .ts = 200, .end = 300 };
	struct tc_scenes s = { 0 };
	int64_t ts, end, t, e;
	int has;

	for (t = 95; t < 300; t += 5)
		for (e = t; e < t + 60; e += 5) {
			s.edge = TC_SCENES_START_IN;
			ts = t;
			end = e;
			has = tc_scenes_has(&s, &a, &ts, &end);
			has += tc_scenes_has(&s, &b, &ts, &end);
			CHECK_INT(has, t >= 100 && t < 300);
			s.edge = TC_SCENES_END_IN;
			has = tc_scenes_has(&s, &a, &ts, &end);
			has += tc_scenes_has(&s, &b, &ts, &end);
			CHECK_INT(has, e > t ? e > 100 && e <= 300 : e >= 100 && e < 300);
		}
}

/* ---- finding them ---- */

/* The quick way finds what looking at each scene does. */
static void
test_of(void)
{
	struct tc_rows r = rows_of_trace(0);
	struct tc_scenes s = { 0 };
	struct tc_err err = { 0 };
	struct found quick, slow;
	uint64_t state = 1;
	int64_t ts, end, t, e;
	size_t i, n;

	for (i = 0; i < 300; i++)
		add_marker(&r, (int64_t)(check_random(&state) % 3000),
			(int64_t)(check_random(&state) % 80), "s", TC_NONE, TC_NONE);
	add_marker(&r, 0, 3000, "long", TC_NONE, 0);
	CHECK(make(&s, &r, &err));
	for (i = 0; i < 4000; i++) {
		s.edge = (enum tc_scenes_edge)(i % 4);
		t = (int64_t)(check_random(&state) % 3100) - 50;
		e = i % 7 ? t + (int64_t)(check_random(&state) % 200) : TC_NONE;
		quick = slow = (struct found){ .s = &s };
		n = tc_scenes_of(&s, 0, 0, t, e, on_scene, &quick);
		CHECK_INT(n, quick.count);
		for (n = 0; n < s.count; n++) {
			ts = t;
			end = e;
			if (tc_scenes_has(&s, &s.at[n], &ts, &end))
				on_scene(&slow, &s.at[n]);
		}
		CHECK_INT(quick.count, slow.count);
		CHECK_INT(quick.sum, slow.sum);
	}
	CHECK_INT(tc_scenes_of(&s, 9, 0, 100, 200, on_scene, &quick), 0);
	CHECK(tc_scenes_in(&s, 9, &n) == NULL);
	release(&s, &r);
}

/* An interaction's frames are those of its process. */
static void
test_proc(void)
{
	struct tc_scene at = { .ts = 0, .end = 100, .until = 100, .proc = 3 };
	struct tc_scenes s = { .at = &at, .count = 1 };
	struct found found = { .s = &s };

	CHECK_INT(tc_scenes_of(&s, 0, 3, 10, 20, on_scene, &found), 1);
	CHECK_INT(tc_scenes_of(&s, 0, 4, 10, 20, on_scene, &found), 0);
}

/* ---- limits ---- */

static void
test_depth(void)
{
	struct tc_rows r = rows_of_trace(0);
	struct tc_scenes s = { 0 };
	struct tc_err err = { 0 };
	int64_t i;

	/* Many after one another, and as many over one another as may be. */
	for (i = 0; i < 1000; i++)
		add_marker(&r, i * 10, 10, "row", TC_NONE, 0);
	for (i = 0; i < TC_SCENES_MAX_DEPTH - 1; i++)
		add_marker(&r, 20000 + i, 1000, "deep", TC_NONE, 0);
	add_marker(&r, 20000, 0, "empty", TC_NONE, 0);
	add_marker(&r, 0, -1, "open", TC_NONE, 0);
	CHECK(make(&s, &r, &err));
	release(&s, &r);
	r = rows_of_trace(0);
	s = (struct tc_scenes){ 0 };
	for (i = 0; i <= TC_SCENES_MAX_DEPTH; i++)
		add_marker(&r, i, 1000, "deep", TC_NONE, 0);
	CHECK(!make(&s, &r, &err));
	CHECK_INT(err.code, TC_DATA);
	release(&s, &r);
}

/* A frame without end, cut to scenes without number. */
static void
test_long_frame(void)
{
	struct tc_rows r = rows_of_trace(0);
	struct tc_scenes s = { .edge = TC_SCENES_CLIP };
	struct found found = { .s = &s };
	struct tc_err err = { 0 };
	int64_t i;

	for (i = 0; i < 1000; i++)
		add_marker(&r, i * 10, 10, "row", TC_NONE, 0);
	CHECK(make(&s, &r, &err));
	CHECK_INT(tc_scenes_of(&s, 0, 0, 5, INT64_MAX, on_scene, &found),
		TC_SCENES_MAX_DEPTH);
	CHECK_INT(tc_scenes_of(&s, 0, 0, 5, 25, on_scene, &found), 3);
	release(&s, &r);
}

/* Hostile streams: equal markers are one scene, and too many are refused. */
static void
test_many(void)
{
	struct tc_rows r = rows_of_trace(0);
	struct tc_scenes s = { 0 };
	struct tc_err err = { 0 };
	int64_t i;

	for (i = 0; i < 300000; i++)
		add_marker(&r, INT64_MAX, INT64_MAX, "same", INT64_MAX, TC_NONE);
	CHECK(make(&s, &r, &err));
	CHECK_INT(s.count, 1);
	release(&s, &r);
	r = rows_of_trace(0);
	s = (struct tc_scenes){ 0 };
	for (i = 0; i <= TC_SCENES_MAX; i++)
		add_marker(&r, i, 1, "x", TC_NONE, 0);
	CHECK(!make(&s, &r, &err));
	CHECK_INT(err.code, TC_DATA);
	release(&s, &r);
	r = rows_of_trace(0);
	s = (struct tc_scenes){ 0 };
	add_marker(&r, TC_NONE, 5, "no time", TC_NONE, 0);
	add_marker(&r, 5, INT64_MIN + 1, "wrong", TC_NONE, 0);
	add_marker(&r, 6, 1, "x", TC_SCENES_MAX_REPETITION, 0);
	add_marker(&r, 7, 1, "x", TC_NONE, 0);
	add_marker(&r, 8, 1, NULL, TC_NONE, 0);
	CHECK(make(&s, &r, &err));
	check_scene(&r, &s, 0, TC_NONE, TC_NONE, "no time", 1);
	check_scene(&r, &s, 1, 5, 5, "wrong", 1);
	check_scene(&r, &s, 2, 6, 7, "x", TC_SCENES_MAX_REPETITION);
	check_scene(&r, &s, 3, 7, 8, "x", TC_SCENES_MAX_REPETITION + 1);
	check_scene(&r, &s, 4, 8, 9, NULL, 1);
	release(&s, &r);
}

int
main(void)
{
	test_nothing_said();
	test_asked_and_none();
	test_markers();
	test_name_for_scenario();
	test_places();
	test_slices();
	test_cujs();
	test_file();
	test_edges();
	test_partition();
	test_of();
	test_proc();
	test_depth();
	test_long_frame();
	test_many();
	return check_done();
}
