/* Whom the platform blames, by the bits of the trace's jank type. */
#include "jank/explain.h"
#include "jank/priv.h"
#include "rows/rows.h"

enum {
	NONE = 1,
	SF_SCHEDULING = 2,
	PREDICTION = 4,
	DISPLAY_HAL = 8,
	SF_CPU = 16,
	SF_GPU = 32,
	APP_DEADLINE = 64,
	STUFFING = 128,
	NOT_KNOWN = 256,
	SF_STUFFING = 512,
	DROPPED = 1024,
	NON_ANIMATING = 2048,
	APP_JITTER = 4096,
	NOT_ON = 8192,
	MODE_CHANGE = 16384,
	POWER_MODE_CHANGE = 32768,

	APP = APP_DEADLINE | APP_JITTER,
	SF = SF_SCHEDULING | SF_CPU | SF_GPU,
	DISPLAY_STATE = NOT_ON | MODE_CHANGE | POWER_MODE_CHANGE,

	/* What a platform to come may add is no reason that anything is known of. */
	REASONS = 2 * POWER_MODE_CHANGE - 1 - NONE
};

/* The words of a jank type, for rows that lack the mask. */
static const struct {
	int bit;
	const char *word;
} words[] = { { SF_SCHEDULING, "surfaceflinger scheduling" },
	{ PREDICTION, "prediction error" }, { DISPLAY_HAL, "display hal" },
	{ SF_CPU, "surfaceflinger cpu deadline missed" },
	{ SF_GPU, "surfaceflinger gpu deadline missed" },
	{ APP_DEADLINE, "app deadline missed" }, { APP_JITTER, "app resynced jitter" },
	{ STUFFING, "buffer stuffing" }, { NOT_KNOWN, "unknown jank" },
	{ SF_STUFFING, "surfaceflinger stuffing" }, { DROPPED, "dropped frame" },
	{ NON_ANIMATING, "non animating" }, { NOT_ON, "display not on" },
	{ POWER_MODE_CHANGE, "powermodechange in progress" } };

static int64_t
mask_of_text(struct tc_str type)
{
	int64_t mask = 0;
	size_t i;

	if (!type.p || tc_str_eq(type, TC_STR("Unspecified")))
		return TC_NONE;
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (tc_jank_has_word(type, words[i].word))
			mask |= words[i].bit;
	/* Its text is the end of another one's. */
	if (tc_str_begins(type, TC_STR("ModeChange")) ||
		tc_jank_has_word(type, ", modechange"))
		mask |= MODE_CHANGE;
	return mask ? mask : NONE;
}

int64_t
tc_jank_mask(const struct tc_rows *r, const struct tc_rows_actual *a)
{
	const struct tc_rows_verdict *v = tc_rows_verdict_of(r, a->verdict);
	const struct tc_rows_group *g = tc_rows_group_of(r, a->group);

	/* 0 is Unspecified. */
	if (v->mask == TC_NONE)
		return mask_of_text(tc_rows_text(r, g->type));
	return v->mask ? v->mask : TC_NONE;
}

static bool
is_late(const struct tc_rows *r, const struct tc_rows_actual *a)
{
	const struct tc_rows_group *g = tc_rows_group_of(r, a->group);

	if (g->on_time == 0 ||
		tc_str_eq(tc_rows_text(r, g->present), TC_STR("Late Present")))
		return true;
	/* Where the platform does not say whether it finished in time, its end does. */
	return g->on_time == TC_NONE && tc_jank_late_ns(r, a) > 0;
}

bool
tc_jank_is_case(const struct tc_rows *r, const struct tc_rows_actual *a)
{
	const struct tc_rows_group *g = tc_rows_group_of(r, a->group);
	int64_t mask = tc_jank_mask(r, a);

	return (mask != TC_NONE && mask & REASONS) || is_late(r, a) ||
		tc_rows_is_dropped(r, g) || tc_jank_is_janky(tc_rows_text(r, g->tag));
}

/*
 * States of the display replace or colour everything else; then as Perfetto's tag, which
 * takes a dropped frame for that after every jank.
 */
static const struct {
	int bits;
	const char *name;
} classes[] = { { NOT_ON, "display_off" }, { POWER_MODE_CHANGE, "power_mode_change" },
	{ MODE_CHANGE, "mode_change" }, { APP, "app" }, { NOT_KNOWN, "unknown_jank" },
	{ SF, "surfaceflinger" }, { DISPLAY_HAL, "display_hal" },
	{ PREDICTION, "prediction_error" }, { STUFFING, "buffer_stuffing" },
	{ SF_STUFFING, "surfaceflinger_stuffing" }, { DROPPED, "dropped" },
	{ NON_ANIMATING, "non_perceivable" } };

static struct tc_str
class_of(const struct tc_jank_case *c, int64_t mask)
{
	size_t i;

	if (mask == TC_NONE)
		return TC_STR("unknown");
	for (i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
		if (mask & classes[i].bits)
			return tc_str_of(classes[i].name);
	return mask == NONE && is_late(c->rows, c->a) ? TC_STR("late")
						      : TC_STR("unknown");
}

void
tc_jank_blame(struct tc_jank_case *c)
{
	static const struct {
		int bits;
		const char *name;
	} blames[] = { { APP, "app" }, { SF, "surfaceflinger" },
		{ DISPLAY_HAL, "display_hal" }, { STUFFING | SF_STUFFING, "stuffing" },
		{ PREDICTION, "prediction" }, { DISPLAY_STATE, "display_state" },
		{ NOT_KNOWN, "unknown" } };
	int64_t mask = c->mask;
	size_t i;

	if (c->match.is_dropped)
		mask = (mask == TC_NONE ? 0 : mask) | DROPPED;
	c->class = class_of(c, mask);
	if (mask == TC_NONE) {
		tc_jank_not_known(c, "blame", "no_jank_type");
		return;
	}
	if (mask & ~(int64_t)(REASONS | NONE))
		tc_jank_not_known(c, "blame", "unknown_bits");
	for (i = 0; i < sizeof(blames) / sizeof(blames[0]); i++)
		if (mask & blames[i].bits)
			c->blame[c->blame_count++] = tc_str_of(blames[i].name);
}
