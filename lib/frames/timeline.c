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
	bool made;

	if (f->is_actual || !f->is_surface)
		return false;
	tc_map_put(&tl->tokens, f->upid, (uint64_t)f->token, &made);
	return !made;
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

bool
tc_timeline_end(struct tc_timeline *tl, int64_t ts, uint32_t machine, int64_t cookie)
{
	uint64_t *slot = tc_map_get(&tl->cookies, machine, (uint64_t)cookie);
	struct tc_frame *f;

	if (!slot)
		return false;
	f = of_slot(*slot);
	if (f->is_open) {
		f->is_open = false;
		f->dur = ts - f->dur;
	}
	tc_map_remove(&tl->cookies, machine, (uint64_t)cookie);
	return true;
}

void
tc_timeline_release(struct tc_timeline *tl)
{
	tc_map_release(&tl->cookies);
	tc_map_release(&tl->tokens);
	*tl = (struct tc_timeline){ 0 };
}
