#include "source/frame_ends.h"

#include <stdlib.h>

/* What is known of a cookie. */
enum { IS_SEEN = 1, IS_TAKEN = 2, COOKIES = 32 };

/* The word that has the cookie's two bits, which stand at *shift. */
static uint64_t *
cookie_bits(struct tc_frame_ends *e, uint16_t machine, int64_t cookie, unsigned *shift)
{
	bool made;

	*shift = 2 * (unsigned)((uint64_t)cookie % COOKIES);
	return tc_map_put(&e->cookies, machine, (uint64_t)cookie / COOKIES, &made);
}

static struct tc_frame_pending *
pending_of(struct tc_frame_ends *e, int64_t cookie)
{
	return &e->pending[(uint64_t)cookie % TC_FRAME_ENDS_PENDING];
}

/* The starts that took their ends, by where among the items those came. */
static struct tc_trace_item *
list_taken(const struct tc_decode *d, size_t *count)
{
	struct tc_trace_item *list = NULL;
	struct tc_frame *f;
	size_t i, n = 0, cap = 0;

	for (i = 0; i < d->item_count; i++) {
		f = d->items[i].row;
		if (f->owner != d->current || f->mark != TC_FRAME_HAS_END)
			continue;
		tc_mem_grow(&list, &cap, n + 1, sizeof(*list));
		list[n++] = (struct tc_trace_item){ (int64_t)(i + 1 + f->gap), f };
	}
	tc_trace_sort(list, n);
	*count = n;
	return list;
}

/* Splits a row that has both; the end's item. */
static struct tc_trace_item
split(struct tc_decode *d, struct tc_frame *f, int64_t start_ts)
{
	int64_t ts = start_ts + tc_frame_ends_dur(f);
	struct tc_frame *end = tc_arena_calloc(&d->rows, sizeof(*end));

	f->mark = TC_FRAME_IS_START;
	f->dur &= UINT32_MAX;
	end->owner = f->owner;
	end->mark = TC_FRAME_IS_END;
	end->machine = f->machine;
	end->dur = f->dur;
	return (struct tc_trace_item){ ts, end };
}

/* From the back, so that items move up once, and starts after their ends. */
static void
give_back(struct tc_frame_ends *e, struct tc_decode *d)
{
	size_t n, from = d->item_count, place;
	struct tc_trace_item *ends = list_taken(d, &n), *to;
	struct tc_frame *f;

	e->is_off = true;
	tc_mem_grow(&d->items, &d->item_cap, from + n, sizeof(*d->items));
	d->item_count += n;
	to = d->items + d->item_count;
	for (; n > 0; n--) {
		place = (size_t)ends[n - 1].ts;
		f = ends[n - 1].row;
		while (from > place)
			*--to = d->items[--from];
		*--to = split(d, f, d->items[place - 1 - f->gap].ts);
	}
	free(ends);
}

void
tc_frame_ends_start(struct tc_frame_ends *e, struct tc_decode *d,
	const struct tc_packet *p, struct tc_frame *row)
{
	struct tc_frame_pending *pending = pending_of(e, row->dur);
	uint64_t *word;
	unsigned shift;

	if (e->is_off)
		return;
	word = cookie_bits(e, row->machine, row->dur, &shift);
	if (*word >> shift & IS_TAKEN) {
		give_back(e, d);
		return;
	}
	*pending = (struct tc_frame_pending){ NULL, 0 };
	if (!(*word >> shift & IS_SEEN) && p->time == TC_TIME_OK)
		*pending = (struct tc_frame_pending){ row, d->item_count - 1 };
	*word |= (uint64_t)IS_SEEN << shift;
}

/* Whether the frame of an item can take an end at ts: it has little room for that. */
static bool
takes(const struct tc_decode *d, size_t item, const struct tc_frame *f, int64_t ts)
{
	int64_t start_ts = d->items[item].ts;

	return ts >= start_ts && ts - start_ts <= UINT32_MAX && ts < TC_FRAME_MAX_TS &&
		f->dur >= 0 && f->dur <= UINT32_MAX &&
		d->item_count - 1 - item <= UINT16_MAX;
}

bool
tc_frame_ends_take(struct tc_frame_ends *e, struct tc_decode *d,
	const struct tc_packet *p, int64_t cookie)
{
	struct tc_frame_pending *start = pending_of(e, cookie);
	struct tc_frame *f = start->frame;
	uint64_t *word;
	unsigned shift;

	if (e->is_off || p->time == TC_TIME_BAD)
		return false;
	word = cookie_bits(e, (uint16_t)p->machine, cookie, &shift);
	if (*word >> shift & IS_TAKEN) {
		give_back(e, d);
		return false;
	}
	*word |= (uint64_t)IS_SEEN << shift;
	if (!f || f->dur != cookie || f->machine != p->machine)
		return false;
	start->frame = NULL;
	if (p->time != TC_TIME_OK || !takes(d, start->item, f, p->ts))
		return false;
	f->mark = TC_FRAME_HAS_END;
	f->gap = (uint16_t)(d->item_count - 1 - start->item);
	f->dur |= (int64_t)((uint64_t)(p->ts - d->items[start->item].ts) << 32);
	*word |= (uint64_t)IS_TAKEN << shift;
	return true;
}

void
tc_frame_ends_release(struct tc_frame_ends *e)
{
	tc_map_release(&e->cookies);
}
