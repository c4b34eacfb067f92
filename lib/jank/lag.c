/*
 * How long input events took, and what the thread that handled them did meanwhile.
 * Slices of a thread stand inside one another, so those that overlap a time are found
 * by a tree of latest ends over the slices in order of their starts.
 */
#include "jank/priv.h"

#include <stdlib.h>

#include "io/io.h"
#include "rec/rec.h"
#include "rows/rows.h"

enum {
	MAX_SHOWN = 8, /* slices told of one event */
	/* Slices looked at for one; events with more have the first of them. */
	MAX_SEEN = 4096,
};

/* The slices of threads by thread and start, and a tree over their ends. */
struct meanwhile {
	const struct tc_rows *rows;
	const struct tc_rows_slice **by_start; /* owned */
	int64_t *latest;                       /* owned: node i is above 2i and 2i + 1 */
	size_t count, leaves;
};

static int
by_start(const void *a, const void *b)
{
	const struct tc_rows_slice *x = *(const struct tc_rows_slice *const *)a,
				   *y = *(const struct tc_rows_slice *const *)b;
	int c = tc_mem_compare(x->thread, y->thread);

	c = c ? c : tc_mem_compare(x->ts, y->ts);
	return c ? c : tc_mem_compare(x->id, y->id);
}

/* One that was never closed lasts. */
static int64_t
end_of(const struct tc_rows_slice *s)
{
	int64_t end = tc_rows_end(s->ts, s->dur);

	return s->dur < 0 ? INT64_MAX : end == TC_NONE ? s->ts : end;
}

static void
init(struct meanwhile *m, const struct tc_rows *r)
{
	size_t i;

	*m = (struct meanwhile){ .rows = r, .leaves = 1 };
	m->by_start = tc_mem_calloc(r->slices.count, sizeof(*m->by_start));
	for (i = 0; i < r->slices.count; i++)
		if (r->slices.at[i].thread != TC_ROWS_NO && r->slices.at[i].kind == 't')
			m->by_start[m->count++] = &r->slices.at[i];
	if (m->count)
		qsort(m->by_start, m->count, sizeof(*m->by_start), by_start);
	while (m->leaves < m->count)
		m->leaves *= 2;
	m->latest = tc_mem_calloc(2 * m->leaves, sizeof(*m->latest));
	for (i = 0; i < 2 * m->leaves; i++)
		m->latest[i] = INT64_MIN;
	for (i = 0; i < m->count; i++)
		m->latest[m->leaves + i] = end_of(m->by_start[i]);
	for (i = m->leaves; i-- > 1;)
		m->latest[i] = m->latest[2 * i] > m->latest[2 * i + 1]
			? m->latest[2 * i]
			: m->latest[2 * i + 1];
}

static void
release(struct meanwhile *m)
{
	free(m->by_start);
	free(m->latest);
}

static bool
begins_before(const void *slice, const void *key)
{
	const struct tc_rows_slice *a = *(const struct tc_rows_slice *const *)slice;
	const struct tc_rows_slice *b = key;

	return a->thread < b->thread || (a->thread == b->thread && a->ts < b->ts);
}

/* How many slices stand before the first of the thread that begins at ts or later. */
static size_t
before(const struct meanwhile *m, uint32_t thread, int64_t ts)
{
	struct tc_rows_slice key = { .thread = thread, .ts = ts };

	return tc_mem_find(
		m->by_start, m->count, sizeof(*m->by_start), begins_before, &key);
}

/* The first slice from place i on, before `limit`, that ends after ts; or limit. */
static size_t
next_after(const struct meanwhile *m, size_t i, size_t limit, int64_t ts)
{
	size_t node = m->leaves + i;

	if (i >= limit)
		return limit;
	/* Up while nothing below ends late enough, to the right; then down. */
	while (m->latest[node] <= ts) {
		while (node & 1)
			node /= 2;
		if (!node)
			return limit;
		node++;
	}
	while (node < m->leaves)
		node = m->latest[2 * node] > ts ? 2 * node : 2 * node + 1;
	i = node - m->leaves;
	return i < limit ? i : limit;
}

static double
ms_between(int64_t from, int64_t to)
{
	return tc_jank_known_ms(tc_rows_minus(to, from));
}

/* Keeps the longest, the longest first; of equal ones the earlier. */
static void
keep(struct tc_rec_lag_slice *shown, size_t *count, struct tc_rec_lag_slice s)
{
	size_t i;

	if (*count == MAX_SHOWN && shown[MAX_SHOWN - 1].overlap_ms >= s.overlap_ms)
		return;
	i = *count < MAX_SHOWN ? (*count)++ : MAX_SHOWN - 1;
	for (; i > 0 && shown[i - 1].overlap_ms < s.overlap_ms; i--)
		shown[i] = shown[i - 1];
	shown[i] = s;
}

static void
find_slices(const struct meanwhile *m, const struct tc_rows_input *in, int64_t from,
	int64_t to, struct tc_rec_lag_slice *shown, struct tc_rec_lag *rec)
{
	size_t limit = before(m, in->thread, to), seen = 0, count = 0, i;
	const struct tc_rows_slice *s;
	int64_t end;

	/* Where no slices were recorded, that there were none is not known. */
	if (!m->count)
		return;
	for (i = next_after(m, before(m, in->thread, INT64_MIN), limit, from);
		i < limit && seen < MAX_SEEN; i = next_after(m, i + 1, limit, from)) {
		s = m->by_start[i];
		end = end_of(s);
		seen++;
		keep(shown, &count,
			(struct tc_rec_lag_slice){
				tc_rows_text(m->rows, s->name),
				s->ts,
				s->dur,
				ms_between(
					s->ts > from ? s->ts : from, end < to ? end : to),
			});
	}
	rec->slices = (struct tc_rec_list){ shown, count };
	if (seen > count)
		rec->slices_left_off = (int64_t)(seen - count);
}

static struct tc_str
status_of(const struct tc_rows_input *in)
{
	if (in->finish_ts != TC_NONE)
		return TC_STR("finished");
	return in->receive_ts != TC_NONE ? TC_STR("not_finished")
					 : TC_STR("not_received");
}

static void
say_how_long(const struct tc_rows_input *in, struct tc_rec_lag *rec)
{
	rec->dispatch_ms = ms_between(in->dispatch_ts, in->receive_ts);
	rec->handling_ms = ms_between(in->receive_ts, in->finish_ts);
	rec->ack_ms = ms_between(in->finish_ts, in->ack_ts);
	rec->finish_ms = ms_between(in->dispatch_ts, in->finish_ts);
	rec->total_ms = ms_between(in->dispatch_ts, in->ack_ts);
	rec->age_ms = ms_between(in->event_ts, in->finish_ts);
	rec->present_ms = ms_between(in->dispatch_ts, in->present_ts);
	rec->end_to_end_ms = ms_between(in->read_ts, in->present_ts);
}

static void
say_what_ran(const struct meanwhile *m, const struct tc_rows_input *in,
	struct tc_rec_lag_slice *shown, struct tc_rec_lag *rec)
{
	int64_t from = tc_rows_input_ts(in),
		to = in->finish_ts != TC_NONE ? in->finish_ts
					      : m->rows->places.at[in->place].end_ts;
	struct tc_rows_times t;

	if (in->thread == TC_ROWS_NO || from == TC_NONE || to == TC_NONE || to <= from)
		return;
	find_slices(m, in, from, to, shown, rec);
	if (!tc_rows_times(m->rows, in->thread, from, to, &t))
		return;
	rec->running_ms = tc_jank_ms((double)t.running_ns);
	rec->runnable_ms = tc_jank_ms((double)t.runnable_ns);
	rec->blocked_ms = tc_jank_ms((double)t.blocked_ns);
}

static void
put_lag(const struct meanwhile *m, const struct tc_rows_input *in, struct tc_out *out)
{
	const struct tc_rows *r = m->rows;
	struct tc_rec_lag_slice shown[MAX_SHOWN];
	struct tc_rec_lag rec;

	tc_rec_init(&tc_rec_lag, &rec);
	rec.ts = tc_rows_input_ts(in);
	rec.event_type = tc_rows_text(r, in->type);
	rec.event_action = tc_rows_text(r, in->action);
	rec.event_channel = tc_rows_text(r, in->channel);
	rec.normalized_event_channel = tc_rows_text(r, in->normalized);
	rec.seq = in->seq;
	rec.event_id = in->event_id;
	if (in->proc != TC_ROWS_NO)
		rec.upid = r->procs.at[in->proc].upid;
	rec.pid = in->pid;
	rec.process = tc_rows_text(r, in->process);
	rec.tid = in->tid;
	rec.thread = tc_rows_text(r, in->thread_name);
	rec.status = status_of(in);
	say_how_long(in, &rec);
	rec.match = tc_rows_text(r, in->match);
	rec.frame_id = in->frame_id;
	rec.matched_frame_id = in->matched_frame_id;
	rec.present_ts = in->present_ts;
	say_what_ran(m, in, shown, &rec);
	rec.machine_id = r->places.at[in->place].machine;
	rec.trace = r->places.at[in->place].trace;
	tc_rec_put(out, &tc_rec_lag, &rec);
}

void
tc_jank_put_lags(const struct tc_rows *r, struct tc_out *out)
{
	const struct tc_rows_input *in;
	struct meanwhile m;
	size_t i;

	init(&m, r);
	for (i = 0; i < r->inputs.count && !out->sys; i++) {
		in = &r->inputs.at[i];
		if (!r->app ||
			(in->proc != TC_ROWS_NO && r->procs.at[in->proc].is_chosen))
			put_lag(&m, in, out);
	}
	release(&m);
}
