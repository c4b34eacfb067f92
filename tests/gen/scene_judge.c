/*
 * The classification of Android 14: one result per frame, and a surface frame counts
 * as stuffed when its deadline had passed at the layer's latch before.
 */
#include "scene.h"

#include <stdlib.h>

/* How far a present may be off, ns. */
#define THRESHOLD (2 * TC_SCENE_MS)

/* Whether a present that is off by d is off by whole periods. */
static bool
keeps_cadence(int64_t d, int64_t period)
{
	int64_t rest = llabs(d) % period;

	return rest < THRESHOLD || rest >= period - THRESHOLD;
}

static enum tc_scene_present
present_class(int64_t d)
{
	if (llabs(d) <= THRESHOLD)
		return TC_SCENE_PRESENT_ON_TIME;
	return d > 0 ? TC_SCENE_PRESENT_LATE : TC_SCENE_PRESENT_EARLY;
}

static unsigned
late_display(const struct tc_scene_display *d, bool on_time, int64_t period)
{
	int64_t off = d->present - d->expect.present;
	bool stuffed =
		d->last_present && d->last_present + THRESHOLD >= d->expect.present;

	if (stuffed && on_time)
		return TC_SCENE_JANK_UNKNOWN;
	if (stuffed && d->present - d->last_present <= period + THRESHOLD)
		return TC_SCENE_JANK_SF_STUFFING;
	if (!on_time)
		return d->gpu ? TC_SCENE_JANK_SF_GPU : TC_SCENE_JANK_SF_CPU;
	return keeps_cadence(off, period) ? TC_SCENE_JANK_DISPLAY_HAL
					  : TC_SCENE_JANK_PREDICTION_ERROR;
}

void
tc_scene_judge_display(struct tc_scene_display *d, int64_t period)
{
	int64_t off = d->present - d->expect.present;
	struct tc_scene_verdict *v = &d->verdict;

	v->present = present_class(off);
	v->on_time = d->end <= d->expect.end;
	if (v->present == TC_SCENE_PRESENT_ON_TIME)
		v->jank = TC_SCENE_JANK_NONE;
	else if (v->present == TC_SCENE_PRESENT_LATE)
		v->jank = late_display(d, v->on_time, period);
	else if (v->on_time && !keeps_cadence(off, period))
		v->jank = TC_SCENE_JANK_PREDICTION_ERROR;
	else
		v->jank = TC_SCENE_JANK_SF_SCHEDULING;
}

/* on_time is looked at anew for a stuffed frame: its real deadline was a latch later. */
static void
judge_late(struct tc_scene_surface *f, const struct tc_scene_display *d, int64_t period)
{
	struct tc_scene_verdict *v = &f->verdict;
	int64_t last_latch = f->layer->last_latch;
	bool stuffed = last_latch && f->expect.end <= last_latch;
	unsigned display_jank = d->verdict.jank & ~(unsigned)TC_SCENE_JANK_NONE;

	v->jank = stuffed ? TC_SCENE_JANK_STUFFING : 0;
	if (stuffed)
		v->on_time = last_latch + period > f->end;
	v->jank |= display_jank;
	if (!v->on_time)
		v->jank |= TC_SCENE_JANK_APP;
	else if (!stuffed && !display_jank)
		v->jank = keeps_cadence(d->present - f->expect.present, period)
			? TC_SCENE_JANK_SF_SCHEDULING
			: TC_SCENE_JANK_PREDICTION_ERROR;
}

static void
judge_early(struct tc_scene_surface *f, int64_t off, int64_t period)
{
	if (!f->verdict.on_time)
		f->verdict.jank = TC_SCENE_JANK_UNKNOWN;
	else if (keeps_cadence(off, period))
		f->verdict.jank = TC_SCENE_JANK_SF_SCHEDULING;
	else
		f->verdict.jank = TC_SCENE_JANK_PREDICTION_ERROR;
}

void
tc_scene_judge_surface(
	struct tc_scene_surface *f, const struct tc_scene_display *d, int64_t period)
{
	int64_t off = d->present - f->expect.present;
	struct tc_scene_verdict *v = &f->verdict;

	v->on_time = !f->expired && f->end <= f->expect.end;
	if (f->dropped_at) {
		v->present = TC_SCENE_PRESENT_DROPPED;
		v->jank = TC_SCENE_JANK_DROPPED;
	} else if (f->expired) {
		v->present = TC_SCENE_PRESENT_UNKNOWN;
		v->jank = TC_SCENE_JANK_APP;
	} else {
		v->present = present_class(off);
		v->jank = TC_SCENE_JANK_NONE;
		if (v->present == TC_SCENE_PRESENT_LATE)
			judge_late(f, d, period);
		else if (v->present == TC_SCENE_PRESENT_EARLY)
			judge_early(f, off, period);
	}
}
