/* Frames of the frame timeline: those that reach into the window, whole. */
#include "trim/priv.h"

#include <stdlib.h>

#include "err/err.h"
#include "frames/frames.h"

/* Members of FrameTimelineEvent's oneof; the first in this order counts. */
enum member {
	EXPECTED_DISPLAY = 1,
	ACTUAL_DISPLAY = 2,
	EXPECTED_SURFACE = 3,
	ACTUAL_SURFACE = 4,
	FRAME_END = 5,
	NO_MEMBER = 6,
};
enum { COOKIE = 1, TOKEN = 2, PRESENT = 6 };
enum { DISPLAY_PID = 3 };                                       /* of display frames */
enum { SURFACE_DISPLAY_TOKEN = 3, SURFACE_PID = 4, LAYER = 5 }; /* of surface frames */

/* Later ones are refused by readers. */
static const int64_t max_ts = INT64_MAX - INT64_C(10000000000);

static enum member
find_member(struct tc_str bytes, struct tc_str *found)
{
	struct tc_pb r = tc_pb_init(bytes.p, bytes.len);
	enum member best = NO_MEMBER;
	struct tc_err ignored;
	struct tc_pb_field f;

	while (tc_pb_next(&r, &f, &ignored) > 0) {
		if (f.id > (uint32_t)best || f.id >= NO_MEMBER ||
			!tc_pb_is(&f, TC_PB_LEN))
			continue;
		best = (enum member)f.id;
		*found = tc_pb_str(&f);
	}
	return best;
}

/* Fields that are there, as bits by number. */
static uint32_t
read_fields(struct tc_trim_plan *plan, struct tc_str bytes, struct tc_trim_frame *row)
{
	struct tc_pb r = tc_pb_init(bytes.p, bytes.len);
	struct tc_err ignored;
	struct tc_pb_field f;
	uint32_t seen = 0;

	while (tc_pb_next(&r, &f, &ignored) > 0) {
		if (row->is_surface && f.id == LAYER && tc_pb_is(&f, TC_PB_LEN))
			row->layer = tc_trim_name(plan, tc_pb_str(&f));
		if (row->is_surface && f.id == PRESENT && tc_pb_is(&f, TC_PB_VARINT))
			row->is_dropped = f.num == TC_PRESENT_DROPPED;
		if (!tc_pb_is(&f, TC_PB_VARINT) || f.id > SURFACE_PID)
			continue;
		seen |= UINT32_C(1) << f.id;
		if (f.id == COOKIE)
			row->cookie = (int64_t)f.num;
		else if (f.id == TOKEN)
			row->token = (int64_t)f.num;
		else if (f.id == (row->is_surface ? (uint32_t)SURFACE_PID : DISPLAY_PID))
			row->pid = (uint32_t)f.num;
		else if (f.id == SURFACE_DISPLAY_TOKEN)
			row->display_token = (int64_t)f.num;
	}
	return seen;
}

/* What a reader would take for a frame; anything else stays TC_TRIM_OTHER. */
static void
read_frame(struct tc_trim_plan *plan, struct tc_str data, struct tc_trim_frame *row)
{
	uint32_t need = 1u << COOKIE, seen;
	struct tc_str bytes;
	enum member member = find_member(data, &bytes);

	if (member == NO_MEMBER)
		return;
	row->is_surface = member == EXPECTED_SURFACE || member == ACTUAL_SURFACE;
	seen = read_fields(plan, bytes, row);
	if (row->is_surface)
		need |= 1u << TOKEN | 1u << SURFACE_DISPLAY_TOKEN | 1u << SURFACE_PID;
	else if (member != FRAME_END)
		need |= 1u << TOKEN | 1u << DISPLAY_PID;
	if ((seen & need) != need)
		return;
	row->kind = TC_TRIM_END;
	if (member == EXPECTED_SURFACE || member == EXPECTED_DISPLAY)
		row->kind = TC_TRIM_EXPECTED;
	else if (member != FRAME_END)
		row->kind = TC_TRIM_ACTUAL;
}

void
tc_trim_frames_read(struct tc_trim_plan *plan, const struct tc_packet *p)
{
	struct tc_trim_frame *row;

	tc_mem_grow(&plan->frames.items, &plan->frames.cap, plan->frames.count + 1,
		sizeof(*row));
	row = &plan->frames.items[plan->frames.count++];
	*row = (struct tc_trim_frame){ .ts = p->ts, .machine = (uint16_t)p->machine };
	if (p->time == TC_TIME_LATER) {
		row->time = TC_TRIM_LATE;
		row->ts = (int64_t)plan->late.count;
	}
	if (p->time != TC_TIME_BAD)
		read_frame(plan, p->data, row);
}

/* All the frames in the order of their times: those put aside last among equals. */
static struct tc_trace_item *
in_order(struct tc_trim_plan *plan, size_t *count)
{
	struct tc_trace_item *items = NULL;
	size_t cap = 0, n = 0, i;
	struct tc_trim_frame *row;
	int late;

	tc_mem_grow(&items, &cap, plan->frames.count + 1, sizeof(*items));
	for (late = 0; late < 2; late++) {
		for (i = 0; i < plan->frames.count; i++) {
			row = &plan->frames.items[i];
			if ((row->time == TC_TRIM_LATE) != late)
				continue;
			if (row->time == TC_TRIM_NOWHERE || row->kind == TC_TRIM_OTHER)
				continue;
			if (row->ts >= 0 && row->ts < max_ts)
				items[n++] = (struct tc_trace_item){ row->ts, row };
		}
	}
	*count = n;
	tc_trace_sort(items, n);
	return items;
}

struct match {
	struct tc_trim_plan *plan;
	struct tc_map cookies; /* (machine, cookie) to index + 1 of what it opened */
	struct tc_map tokens;  /* (machine and pid, token) of expected surfaces */
	uint32_t *todo;        /* owned: rows to be kept whose company was not seen to */
	size_t todo_count, todo_cap;
};

static uint32_t
index_of(const struct match *m, const struct tc_trim_frame *row)
{
	return (uint32_t)(row - m->plan->frames.items) + 1;
}

static struct tc_trim_frame *
row_of(const struct match *m, uint64_t index)
{
	return &m->plan->frames.items[index - 1];
}

/* One expected frame counts for each surface token of a process: the first. */
static void
find_original(struct match *m, struct tc_trim_frame *row)
{
	uint64_t who = (uint64_t)row->machine << 32 | row->pid, *slot;
	bool made;

	if (row->kind != TC_TRIM_EXPECTED || !row->is_surface)
		return;
	slot = tc_map_put(&m->tokens, who, (uint64_t)row->token, &made);
	row->is_hidden = !made;
	if (made)
		*slot = index_of(m, row);
	else
		row->original = (uint32_t)*slot;
}

/* As tc_timeline_start does it, who has the cookie afterwards. */
static void
start(struct match *m, struct tc_trim_frame *row)
{
	struct tc_trim_frame *before = NULL;
	uint64_t *slot;
	bool made;

	find_original(m, row);
	slot = tc_map_put(&m->cookies, row->machine, (uint64_t)row->cookie, &made);
	if (!made)
		before = row_of(m, *slot);
	if (row->is_hidden && before && before->pid == row->pid &&
		before->kind == TC_TRIM_EXPECTED)
		return;
	if (before)
		before->next = index_of(m, row);
	*slot = index_of(m, row);
}

static void
end(struct match *m, struct tc_trim_frame *row)
{
	uint64_t begun;

	if (!tc_map_take(&m->cookies, row->machine, (uint64_t)row->cookie, &begun))
		return;
	row_of(m, begun)->end = index_of(m, row);
	row->next = (uint32_t)begun;
}

static void
keep(struct match *m, uint32_t index)
{
	if (!index || row_of(m, index)->is_kept)
		return;
	row_of(m, index)->is_kept = true;
	tc_mem_grow(&m->todo, &m->todo_cap, m->todo_count + 1, sizeof(*m->todo));
	m->todo[m->todo_count++] = index;
}

/* With a frame goes whatever makes readers see it as they do in the whole trace. */
static void
keep_company(struct match *m)
{
	const struct tc_trim_frame *row;

	while (m->todo_count) {
		row = row_of(m, m->todo[--m->todo_count]);
		keep(m, row->end);
		keep(m, row->next);
		keep(m, row->original);
	}
}

static int64_t
length(const struct match *m, const struct tc_trim_frame *row)
{
	return row->end ? row_of(m, row->end)->ts - row->ts : -1;
}

static bool
is_chosen(struct tc_trim_plan *plan, const struct tc_trim_frame *row)
{
	return tc_trim_people_has(&plan->people, row->machine, row->pid) &&
		tc_choose_layer(plan->choose, tc_strtab_str(&plan->names, row->layer));
}

/* A start by where its frame lies; a hidden one, which opens none, by its time. */
static bool
reaches_in(const struct match *m, const struct tc_trim_frame *row)
{
	bool is_moment = row->is_hidden && !row->end;

	return tc_trim_in_window(m->plan, row->ts, is_moment ? 0 : length(m, row));
}

/*
 * The end of a frame that was chosen goes with it; one that ends nothing, and
 * what is no frame, is nobody's and decided by its time.
 */
static bool
is_wanted(const struct match *m, const struct tc_trim_frame *row)
{
	if (row->time == TC_TRIM_NOWHERE)
		return true;
	if (row->kind == TC_TRIM_OTHER)
		return tc_trim_in_window(m->plan, row->ts, 0);
	if (row->kind == TC_TRIM_END)
		return !row->next && tc_trim_in_window(m->plan, row->ts, 0);
	return is_chosen(m->plan, row) && reaches_in(m, row);
}

/* Display frames that a surface frame which is kept was shown in. */
static void
keep_displays(struct match *m)
{
	struct tc_map shown = { 0 };
	struct tc_trim_frame *row;
	bool made;
	size_t i;

	for (i = 0; i < m->plan->frames.count; i++) {
		row = &m->plan->frames.items[i];
		/* Token 0 is that of all frames that SurfaceFlinger skipped. */
		if (row->is_kept && row->is_surface && row->display_token)
			tc_map_put(&shown, row->machine, (uint64_t)row->display_token,
				&made);
	}
	for (i = 0; i < m->plan->frames.count; i++) {
		row = &m->plan->frames.items[i];
		if (row->kind == TC_TRIM_OTHER || row->kind == TC_TRIM_END ||
			row->is_surface)
			continue;
		if (tc_map_get(&shown, row->machine, (uint64_t)row->token))
			keep(m, (uint32_t)i + 1);
	}
	tc_map_release(&shown);
}

static void
match_all(struct match *m)
{
	struct tc_trace_item *items;
	struct tc_trim_frame *row;
	size_t count, i;

	items = in_order(m->plan, &count);
	for (i = 0; i < count; i++) {
		row = items[i].row;
		if (row->kind == TC_TRIM_END)
			end(m, row);
		else
			start(m, row);
	}
	free(items);
}

/* ---- frames that input events were shown in ---- */

/* Actual frames: by process and token the first, and displays by their tokens. */
struct shown {
	struct match *m;
	struct tc_map surfaces;      /* (machine and pid, token) to index + 1 */
	struct tc_map displays;      /* (machine, token) to index + 1 */
	struct tc_trim_frame **rows; /* owned: surfaces that a display frame showed */
	size_t count, cap;
};

static bool
is_actual(const struct tc_trim_frame *row)
{
	return row->kind == TC_TRIM_ACTUAL && row->time != TC_TRIM_NOWHERE;
}

static uint64_t
process_of(const struct tc_trim_frame *row)
{
	return (uint64_t)row->machine << 32 | row->pid;
}

static int
compare_shown(const void *left, const void *right)
{
	const struct tc_trim_frame *a = *(struct tc_trim_frame *const *)left;
	const struct tc_trim_frame *b = *(struct tc_trim_frame *const *)right;

	if (process_of(a) != process_of(b))
		return process_of(a) < process_of(b) ? -1 : 1;
	if (a->ts != b->ts)
		return a->ts < b->ts ? -1 : 1;
	return a->token < b->token ? -1 : a->token > b->token;
}

static void
index_actual(struct shown *s)
{
	struct tc_trace_item *items;
	struct tc_trim_frame *row;
	size_t count, i;
	uint64_t *slot;
	bool made;

	items = in_order(s->m->plan, &count);
	for (i = 0; i < count; i++) {
		row = items[i].row;
		if (!is_actual(row))
			continue;
		slot = row->is_surface ? tc_map_put(&s->surfaces, process_of(row),
						 (uint64_t)row->token, &made)
				       : tc_map_put(&s->displays, row->machine,
						 (uint64_t)row->token, &made);
		if (made)
			*slot = index_of(s->m, row);
	}
	for (i = 0; i < count; i++) {
		row = items[i].row;
		if (!is_actual(row) || !row->is_surface || row->is_dropped ||
			!tc_map_get(
				&s->displays, row->machine, (uint64_t)row->display_token))
			continue;
		tc_mem_grow(&s->rows, &s->cap, s->count + 1, sizeof(*s->rows));
		s->rows[s->count++] = row;
	}
	free(items);
	if (s->count)
		qsort(s->rows, s->count, sizeof(*s->rows), compare_shown);
}

static bool
is_shown_before(const void *row, const void *key)
{
	return compare_shown(row, key) < 0;
}

static void
keep_shown(struct shown *s, const struct tc_trim_shown *want)
{
	struct tc_trim_frame from = { .machine = (uint16_t)want->machine,
		.pid = want->pid,
		.ts = want->ts,
		.token = INT64_MIN };
	const struct tc_trim_frame *first = &from;
	const uint64_t *own =
		tc_map_get(&s->surfaces, process_of(&from), (uint64_t)want->token);
	size_t i;

	if (own) {
		keep(s->m, (uint32_t)*own);
		from.ts = row_of(s->m, *own)->ts;
	}
	/* The first frame of the process from this time on, as readers find it. */
	i = tc_mem_find(s->rows, s->count, sizeof(*s->rows), is_shown_before, &first);
	first = i < s->count ? s->rows[i] : NULL;
	if (!first || process_of(first) != process_of(&from))
		return;
	/* Its layers, any of which readers may take. */
	for (; i < s->count && compare_shown(&s->rows[i], &first) == 0; i++) {
		keep(s->m, index_of(s->m, s->rows[i]));
		keep(s->m,
			(uint32_t)*tc_map_get(&s->displays, first->machine,
				(uint64_t)s->rows[i]->display_token));
	}
}

static void
keep_all_shown(struct match *m)
{
	struct shown s = { .m = m };
	size_t i;

	if (!m->plan->shown.count)
		return;
	index_actual(&s);
	for (i = 0; i < m->plan->shown.count; i++)
		keep_shown(&s, &m->plan->shown.items[i]);
	tc_map_release(&s.surfaces);
	tc_map_release(&s.displays);
	free(s.rows);
}

/* Frames make processes known. */
static void
note_processes(struct tc_trim_plan *plan)
{
	const struct tc_trim_frame *row;
	size_t i;

	for (i = 0; i < plan->frames.count; i++) {
		row = &plan->frames.items[i];
		if (row->time != TC_TRIM_NOWHERE && row->kind != TC_TRIM_OTHER)
			tc_trim_names_process(&plan->called, row->machine, row->pid);
	}
}

void
tc_trim_frames_decide(struct tc_trim_plan *plan)
{
	struct match m = { .plan = plan };
	size_t i;

	note_processes(plan);
	match_all(&m);
	for (i = 0; i < plan->frames.count; i++)
		if (is_wanted(&m, &plan->frames.items[i]))
			keep(&m, (uint32_t)i + 1);
	keep_all_shown(&m);
	keep_company(&m);
	keep_displays(&m);
	keep_company(&m);
	tc_map_release(&m.cookies);
	tc_map_release(&m.tokens);
	free(m.todo);
}
