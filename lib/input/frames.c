#include "input/priv.h"

#include <stdlib.h>

static void
add(struct tc_input_frame **frames, size_t *count, size_t *cap,
	const struct tc_input_frame *f)
{
	tc_mem_grow(frames, cap, *count + 1, sizeof(**frames));
	(*frames)[(*count)++] = *f;
}

/* Of several rows of one frame, as those of its layers, the first says when it began. */
void
tc_input_frame(struct tc_input *in, const struct tc_input_frame *f)
{
	uint64_t *at;
	bool made;

	if (f->is_surface) {
		at = tc_map_put(&in->by_surface, f->upid, (uint64_t)f->token, &made);
		add(&in->surfaces, &in->surface_count, &in->surface_cap, f);
		if (made)
			*at = (uint64_t)f->ts;
		return;
	}
	at = tc_map_put(&in->by_display, f->machine, (uint64_t)f->token, &made);
	if (!made)
		return;
	add(&in->displays, &in->display_count, &in->display_cap, f);
	*at = in->display_count;
}

static const struct tc_input_frame *
display_of(struct tc_input *in, const struct tc_input_frame *surface)
{
	const uint64_t *at = tc_map_get(
		&in->by_display, surface->machine, (uint64_t)surface->display_token);

	return at ? &in->displays[*at - 1] : NULL;
}

static int
compare(const void *left, const void *right)
{
	const struct tc_input_frame *a = left, *b = right;

	if (a->upid != b->upid)
		return a->upid < b->upid ? -1 : 1;
	if (a->ts != b->ts)
		return a->ts < b->ts ? -1 : 1;
	return a->token < b->token ? -1 : a->token > b->token;
}

void
tc_input_sort_frames(struct tc_input *in)
{
	struct tc_input_frame *f;
	size_t i, kept = 0;

	for (i = 0; i < in->surface_count; i++) {
		f = &in->surfaces[i];
		if (!f->is_dropped && display_of(in, f))
			in->surfaces[kept++] = *f;
	}
	in->surface_count = kept;
	if (kept)
		qsort(in->surfaces, kept, sizeof(*in->surfaces), compare);
}

static bool
is_before(const void *frame, const void *key)
{
	const struct tc_input_frame *a = frame, *b = key;

	return a->upid < b->upid || (a->upid == b->upid && a->ts < b->ts);
}

/* The first frame of the process that begins at this time or later. */
static const struct tc_input_frame *
first_from(const struct tc_input *in, uint32_t upid, int64_t ts)
{
	struct tc_input_frame key = { .upid = upid, .ts = ts };
	size_t i = tc_mem_find(
		in->surfaces, in->surface_count, sizeof(key), is_before, &key);

	return i < in->surface_count && in->surfaces[i].upid == upid ? &in->surfaces[i]
								     : NULL;
}

void
tc_input_present(struct tc_input *in, uint32_t upid, struct tc_input_event *e)
{
	const struct tc_input_frame *surface, *display;
	int64_t start = e->frame->ts;
	const uint64_t *first;

	if (e->frame->vsync_id != TC_SLICE_NONE) {
		first = tc_map_get(&in->by_surface, upid, (uint64_t)e->frame->vsync_id);
		if (first)
			start = (int64_t)*first;
	}
	surface = first_from(in, upid, start);
	if (!surface)
		return;
	display = display_of(in, surface);
	e->presented = surface->token;
	if (display->dur >= 0)
		e->presented_ts = display->ts + display->dur;
}
