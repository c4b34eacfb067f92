/*
 * By which path a frame came, which says what its phases mean. A name alone is a word
 * and no path: it takes something that the process did, or never did, beside it.
 */
#include <string.h>

#include "jank/explain.h"
#include "jank/priv.h"
#include "rows/rows.h"

static const struct {
	const char *word, *path;
} words[] = { { "camera", "camera" }, { "codec", "video" }, { "video", "video" },
	{ "exoplayer", "video" }, { "webview", "webview_overlay" }, { "game", "game" },
	{ "unity", "game" }, { "nativeactivity", "game" } };

static void
add_evidence(struct tc_jank_case *c, struct tc_str text)
{
	if (c->evidence_count < TC_JANK_MAX_EVIDENCE)
		c->evidence[c->evidence_count++] = text;
}

/* The first path that a word in the layer's name speaks for; every word is evidence. */
static const char *
path_of_words(struct tc_jank_case *c, struct tc_str name)
{
	const char *path = NULL;
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (!tc_jank_has_word(name, words[i].word))
			continue;
		add_evidence(c,
			tc_arena_print(c->arena, "the layer's name has the word %s",
				words[i].word));
		if (!path)
			path = words[i].path;
	}
	return path;
}

static void
add_frame_evidence(struct tc_jank_case *c, bool draws_others)
{
	long long token = (long long)c->a->token;

	if (c->has_do_frame && c->has_draw_frame)
		add_evidence(c,
			tc_arena_print(c->arena,
				"Choreographer#doFrame and DrawFrame have vsync id %lld "
				"in this process",
				token));
	else if (c->has_do_frame || c->has_draw_frame)
		add_evidence(c,
			tc_arena_print(c->arena,
				"only %s has vsync id %lld in this process",
				c->has_do_frame ? "Choreographer#doFrame" : "DrawFrame",
				token));
	else if (draws_others)
		add_evidence(c,
			tc_arena_print(c->arena,
				"Choreographer#doFrame has other vsync ids in this "
				"process and not %lld",
				token));
}

void
tc_jank_path(struct tc_jank_case *c)
{
	struct tc_str name = tc_rows_text(c->rows, c->group->layer);
	bool is_view = tc_jank_has_word(name, "surfaceview["),
	     draws_others = !c->has_do_frame && !c->has_draw_frame &&
		c->facts->has_do_frames[c->group->proc];
	const char *path = NULL, *named;

	if (is_view)
		add_evidence(c, TC_STR("the layer's name has SurfaceView["));
	named = path_of_words(c, name);
	add_frame_evidence(c, draws_others);
	if (draws_others && named)
		path = named;
	else if (is_view)
		path = "surface_view";
	else if (c->has_do_frame && c->has_draw_frame &&
		(!named || strcmp(named, "webview_overlay") != 0))
		path = "hwui_window"; /* an overlay shares its window's vsync id */
	c->path = path ? tc_str_of(path) : TC_STR("unknown");
	if (!path)
		tc_jank_not_known(c, "path", "not_enough_evidence");
}
