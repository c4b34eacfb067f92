#include "frames/frames.h"

/* Pointers travel through the map as integers. */
static uint64_t
to_slot(struct tc_frame *f)
{
	return (uint64_t)(uintptr_t)f;
}

static struct tc_frame *
of_slot(uint64_t slot)
{
	return (struct tc_frame *)(uintptr_t)slot;
}

/*
 * One expected row for each surface token of a process: the first one. The
 * end of a hidden start closes a frame of the same kind, process and cookie
 * that is still open, as the cookie is all that an end has.
 */
static bool
is_repeated(struct tc_timeline *tl, const struct tc_frame *f)
{
	uint64_t bit = UINT64_C(1) << ((uint64_t)f->token % 64), *seen;
	bool made, was_seen;

	if (f->is_actual || !f->is_surface)
		return false;
	seen = tc_map_put(&tl->tokens, f->upid, (uint64_t)f->token / 64, &made);
	was_seen = *seen & bit;
	*seen |= bit;
	return was_seen;
}

void
tc_timeline_start(struct tc_timeline *tl, int64_t ts, uint32_t upid, struct tc_frame *f)
{
	uint64_t cookie = (uint64_t)f->dur;
	struct tc_frame *before;
	uint64_t *slot;
	bool made;

	f->upid = upid;
	slot = tc_map_put(&tl->cookies, f->machine, cookie, &made);
	before = made ? NULL : of_slot(*slot);
	f->is_hidden = is_repeated(tl, f);
	if (f->is_hidden) {
		if (!before || before->upid != f->upid || before->is_actual)
			*slot = to_slot(f);
		return;
	}
	f->is_open = true;
	f->dur = ts;
	*slot = to_slot(f);
}

void
tc_timeline_whole(struct tc_timeline *tl, int64_t dur, uint32_t upid, struct tc_frame *f)
{
	f->upid = upid;
	f->is_hidden = is_repeated(tl, f);
	f->dur = dur;
}

bool
tc_timeline_end(struct tc_timeline *tl, int64_t ts, uint32_t machine, int64_t cookie)
{
	struct tc_frame *f;
	uint64_t slot;

	if (!tc_map_take(&tl->cookies, machine, (uint64_t)cookie, &slot))
		return false;
	f = of_slot(slot);
	if (f->is_open) {
		f->is_open = false;
		f->dur = ts - f->dur;
	}
	return true;
}

void
tc_timeline_release(struct tc_timeline *tl)
{
	tc_map_release(&tl->cookies);
	tc_map_release(&tl->tokens);
	*tl = (struct tc_timeline){ 0 };
}
