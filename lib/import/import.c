#include "import/import.h"

#include <stdlib.h>
#include <string.h>

#include "err/err.h"
#include "import/priv.h"
#include "io/io.h"
#include "rec/rec.h"
#include "source/source.h"

static void
init(struct tc_decode *d, const struct tc_import *im)
{
	const struct tc_source *const *all = tc_source_all();
	int i;

	*d = (struct tc_decode){ .index = im->count,
		.with_experimental = im->with_experimental,
		.gfx_clock = im->gfx_clock,
		.has_no_rows = im->has_no_rows,
		.choose = &im->choose };
	d->facts.sdk = d->facts.duration_ms = d->facts.write_into_file = TC_NONE;
	d->facts.tracing_started_ts = d->facts.all_data_sources_started_ts = TC_NONE;
	d->facts.tracing_disabled_ts = TC_NONE;
	tc_mem_grow(&d->items, &d->item_cap, 1, sizeof(*d->items));
	tc_trace_init(&d->trace);
	tc_procs_init(&d->procs, tc_strtab_id(&d->names, TC_STR("swapper")));
	for (i = 0; all[i]; i++)
		d->use[i].state = tc_mem_calloc(1, all[i]->state_size);
}

static void
release(struct tc_decode *d)
{
	const struct tc_source *const *all = tc_source_all();
	int i;

	for (i = 0; all[i]; i++) {
		if (all[i]->release)
			all[i]->release(d->use[i].state);
		free(d->use[i].state);
	}
	tc_trace_release(&d->trace);
	tc_procs_release(&d->procs);
	tc_strtab_release(&d->names);
	tc_arena_release(&d->rows);
	free(d->items);
	free(d->events);
	free(d->facts.packages);
	free(d->late);
	free(d->facts.requested);
	free(d->chosen.by_upid);
	free(d->chosen.by_name);
}

static void
note_use(struct tc_source_use *use, const struct tc_packet *p)
{
	size_t i;

	use->packets++;
	if (!p->clock)
		return;
	for (i = 0; i < use->clock_count; i++)
		if (use->clocks[i] == p->clock && use->clock_machine[i] == p->machine)
			return;
	if (i == TC_SOURCE_CLOCKS)
		return;
	use->clocks[i] = p->clock;
	use->clock_machine[i] = p->machine;
	use->clock_count++;
}

static int
read_packets(struct tc_decode *d, struct tc_in *in, struct tc_err *err)
{
	const struct tc_source *const *all = tc_source_all();
	struct tc_packet p;
	uint32_t field = 0;
	int r, i = -1;

	while ((r = tc_trace_next(&d->trace, in, &p, err)) > 0) {
		/* Packets of one kind come in runs. */
		if (p.data_field != field) {
			field = p.data_field;
			i = field ? tc_source_of_field(field) : -1;
		}
		if (i < 0 || (all[i]->has && !all[i]->has(&p)))
			continue;
		if (d->has_no_rows && !all[i]->has_markers)
			continue;
		note_use(&d->use[i], &p);
		d->current = (uint16_t)i;
		all[i]->keep(d, d->use[i].state, &p);
	}
	return r;
}

/* Packets put aside come last among those of the same time. */
static void
place_late_rows(struct tc_decode *d)
{
	const struct tc_late_row *late;
	bool has_time = false;
	int64_t ts = 0;
	size_t i;

	for (i = 0; i < d->late_count; i++) {
		late = &d->late[i];
		if (i == 0 || late->packet != late[-1].packet)
			has_time = tc_trace_late(
				&d->trace, late->machine, late->clock, late->raw, &ts);
		if (has_time)
			tc_source_place(d, ts, late->row);
	}
}

/* Rows lie in the order of the file, so the next one is seldom in cache. */
static inline void
fetch_ahead(const struct tc_trace_item *item, const struct tc_trace_item *end)
{
	if (end - item > 8)
		__builtin_prefetch(item[8].row);
}

/* Of the same time, what packets tell comes before the events inside them. */
static void
add_events(struct tc_decode *d)
{
	if (!d->event_count)
		return;
	tc_mem_grow(&d->items, &d->item_cap, d->item_count + d->event_count,
		sizeof(*d->items));
	memcpy(d->items + d->item_count, d->events, d->event_count * sizeof(*d->items));
	d->item_count += d->event_count;
	free(d->events);
	d->events = NULL;
	d->event_count = d->event_cap = 0;
}

/* All packets were read: what has to wait for that, and then how long the trace is. */
static void
finish(struct tc_decode *d)
{
	const struct tc_source *const *all = tc_source_all();
	struct tc_trace_group bulk;
	int i;

	for (i = 0; all[i]; i++) {
		d->current = (uint16_t)i;
		if (all[i]->finish)
			all[i]->finish(d, d->use[i].state);
	}
	bulk = tc_trace_range_bulk(&d->trace.range);
	d->start_ts = bulk.first;
	d->end_ts = bulk.last;
	d->outliers = d->trace.range.total - bulk.count;
}

static void
apply_rows(struct tc_decode *d)
{
	const struct tc_source *const *all = tc_source_all();
	const struct tc_trace_item *item, *end;
	struct tc_row *row;

	add_events(d);
	tc_trace_sort(d->items, d->item_count);
	end = d->items + d->item_count;
	for (item = d->items; item < end; item++) {
		fetch_ahead(item, end);
		row = item->row;
		all[row->source]->apply(d, d->use[row->source].state, item->ts, row);
	}
}

static void
complete(struct tc_decode *d)
{
	const struct tc_source *const *all = tc_source_all();
	int i;

	for (i = 0; all[i]; i++)
		if (all[i]->complete)
			all[i]->complete(d, d->use[i].state);
}

static void
put_rows(struct tc_decode *d, struct tc_out *out)
{
	const struct tc_source *const *all = tc_source_all();
	const struct tc_trace_item *item, *end = d->items + d->item_count;
	struct tc_row *row;

	for (item = d->items; item < end && !out->sys; item++) {
		fetch_ahead(item, end);
		row = item->row;
		if (all[row->source]->put)
			all[row->source]->put(
				d, d->use[row->source].state, item->ts, row, out);
	}
}

/* Where a trace ended that should have gone on, or else where it has a hole. */
static int64_t
damage_offset(const struct tc_decode *d, const struct tc_in *in, int r)
{
	if (r < 0)
		return (int64_t)d->trace.offset;
	if (in->ending == TC_IN_DAMAGED)
		return (int64_t)(in->offset + tc_in_avail(in));
	return d->trace.is_damaged ? (int64_t)d->trace.bundle_damage : -1;
}

/* What went wrong, as the last word on this input. */
static int
verdict(const struct tc_decode *d, const struct tc_in *in, const char *sniffed, int r,
	struct tc_err *err)
{
	if ((r == 0 || d->trace.packets == 0) && in->ending == TC_IN_DAMAGED)
		return tc_err_set(err, TC_DATA, "%s: %s (after byte %llu of the trace)",
			in->name, in->why,
			(unsigned long long)(in->offset + tc_in_avail(in)));
	if (d->trace.packets == 0 && in->ending == TC_IN_CUT)
		return tc_err_set(err, TC_DATA, "%s: %s before the first packet",
			in->name, in->why);
	if (r < 0 && err->code == TC_DATA && d->trace.packets == 0)
		return tc_err_set(err, TC_DATA,
			"%s: not a Perfetto trace%s%s (byte %llu)", in->name,
			sniffed ? " but " : "", sniffed ? sniffed : "",
			(unsigned long long)d->trace.offset);
	if (r < 0 && err->code == TC_DATA)
		return tc_err_add(err, "%s: damaged at byte %llu", in->name,
			(unsigned long long)d->trace.offset);
	if (r < 0)
		return -1;
	if (d->trace.is_damaged)
		return tc_err_set(err, TC_DATA,
			"%s: %lld damaged compressed packets skipped, the first at byte "
			"%llu",
			in->name, (long long)d->trace.stats[TC_STAT_DAMAGED_COMPRESSED],
			(unsigned long long)d->trace.bundle_damage);
	return 0;
}

/*
 * The trace and its rows. Without the window that was asked for there are none; what else
 * is wrong with the trace is the better reason.
 */
static int
put(struct tc_decode *d, const struct tc_import_origin *origin, const struct tc_in *in,
	struct tc_out *out, int r, struct tc_err *err)
{
	struct tc_err window_err;

	tc_import_put_trace(d, origin, in, out);
	if (tc_source_choose(d, &window_err)) {
		if (r == 0)
			*err = window_err;
		return r ? r : tc_err_add(err, "%s", in->name);
	}
	tc_import_put_processes(d, out);
	put_rows(d, out);
	return r;
}

/* Reads the trace to its end, or to where that is not possible. */
static int
decode(struct tc_decode *d, struct tc_import *im, struct tc_in *in, struct tc_err *err)
{
	int r;

	d->trace.inflated = im->inflated;
	r = read_packets(d, in, err);
	d->trace.stats[TC_STAT_CONTAINER_CUT] = in->ending == TC_IN_CUT;
	if (r == 0 && d->trace.packets == 0 && !d->trace.is_damaged)
		r = tc_err_set(err, TC_DATA, "no packets");
	if (r < 0 && err->code != TC_DATA)
		return r;
	place_late_rows(d);
	finish(d);
	return r;
}

/*
 * Events of ftrace may come so late that what came before them was made into
 * rows already. Where the trace can be read once more, it is, holding them all.
 */
static int
decode_whole(
	struct tc_decode *d, struct tc_import *im, struct tc_in *in, struct tc_err *err)
{
	int64_t packets;
	int r;

	init(d, im);
	d->is_read_once = !tc_in_can_rewind(in);
	r = decode(d, im, in, err);
	if (!d->is_late || d->is_read_once)
		return r;
	packets = d->trace.packets;
	release(d);
	init(d, im);
	d->has_no_window = true;
	if (tc_in_rewind(in, err))
		return -1;
	r = decode(d, im, in, err);
	if (d->trace.packets != packets)
		return tc_err_set(
			err, TC_IO, "%s: has changed while it was read", in->name);
	return r;
}

int
tc_import_run(struct tc_import *im, const struct tc_import_origin *origin,
	struct tc_in *in, struct tc_out *out, struct tc_err *err)
{
	struct tc_err write_err;
	const char *sniffed;
	struct tc_decode d;
	int64_t damage;
	int r;

	if (tc_in_want(in, TC_IMPORT_SNIFF_BYTES, err) < 0)
		return -1;
	sniffed = tc_import_sniff(in);
	r = decode_whole(&d, im, in, err);
	im->count++;
	im->inflated = d.trace.inflated;
	if (r == 0 || err->code == TC_DATA) {
		damage = damage_offset(&d, in, r);
		r = verdict(&d, in, sniffed, r, err);
		apply_rows(&d);
		complete(&d);
		r = put(&d, origin, in, out, r, err);
		tc_import_put_tail(&d, damage, out);
	}
	release(&d);
	if (tc_out_check(out, &write_err)) {
		*err = write_err;
		return -1;
	}
	return r;
}

int
tc_import_window(const struct tc_choose *c, struct tc_in *in,
	struct tc_choose_window *window, struct tc_err *err)
{
	/* No type of record, and so nothing that only their rows need. */
	struct tc_import im = {
		.choose = { .has_types = true, .from = c->from, .to = c->to },
		.has_no_rows = true,
	};
	struct tc_err window_err;
	struct tc_decode d;
	int r;

	r = decode_whole(&d, &im, in, err);
	if (r == 0 || err->code == TC_DATA) {
		r = verdict(&d, in, NULL, r, err);
		apply_rows(&d);
		if (tc_source_choose(&d, &window_err) == 0) {
			*window = d.window;
			r = 0;
		} else if (r == 0) {
			*err = window_err;
			r = tc_err_add(err, "%s", in->name);
		}
	}
	release(&d);
	return r;
}
