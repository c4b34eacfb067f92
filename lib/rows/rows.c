#include "rows/rows.h"

#include <stdlib.h>

#include "rec/rec.h"
#include "rows/priv.h"

_Static_assert(sizeof(struct tc_rows_expected) <= 64 &&
		sizeof(struct tc_rows_actual) <= 64 &&
		sizeof(struct tc_rows_phase) <= 64 &&
		sizeof(struct tc_rows_slice) <= 64 &&
		sizeof(struct tc_rows_sched) + sizeof(struct tc_rows_times) <= 64,
	"rows that come by the million are small");

/* Of which frames of apps are wanted. */
enum { FRAMES = TC_ROWS_FRAME | TC_ROWS_COUNT };

const struct tc_rows_source tc_rows_sources[] = {
	{ &tc_rec_trace, 0, false, tc_rows_add_trace },
	{ &tc_rec_process, 0, false, tc_rows_add_process },
	{ &tc_rec_thread, TC_ROWS_SLICE | TC_ROWS_SCHED, false, tc_rows_add_thread },
	{ &tc_rec_expected_frame, TC_ROWS_FRAME | TC_ROWS_DISPLAY, true,
		tc_rows_add_expected },
	{ &tc_rec_actual_frame, FRAMES | TC_ROWS_DISPLAY, true, tc_rows_add_actual },
	{ &tc_rec_buffer_event, TC_ROWS_BUFFER, true, tc_rows_add_event },
	{ &tc_rec_phase, TC_ROWS_PHASE, true, tc_rows_add_phase },
	{ &tc_rec_slice, TC_ROWS_SLICE, true, tc_rows_add_slice },
	{ &tc_rec_sched, TC_ROWS_SCHED, true, tc_rows_add_sched },
	{ &tc_rec_input_latency, TC_ROWS_INPUT, true, tc_rows_add_input },
	{ &tc_rec_refresh_rate, TC_ROWS_RATE, true, tc_rows_add_rate },
	{ &tc_rec_marker, TC_ROWS_MARKER, false, tc_rows_add_marker },
	{ NULL, 0, false, NULL },
};

void
tc_rows_add(struct tc_rows *r, const struct tc_rec_type *type, const void *rec)
{
	const struct tc_rows_source *s;

	for (s = tc_rows_sources; s->type; s++)
		if (s->type == type)
			s->add(r, rec);
}

void
tc_rows_release(struct tc_rows *r)
{
	tc_strtab_release(&r->names);
	tc_strtab_release(&r->groups);
	tc_strtab_release(&r->verdicts);
	tc_strtab_release(&r->buffers);
	tc_map_release(&r->traces);
	tc_map_release(&r->place_index);
	tc_map_release(&r->proc_index);
	tc_map_release(&r->thread_index);
	free(r->totals);
	free(r->places.at);
	free(r->procs.at);
	free(r->threads.at);
	free(r->expected.at);
	free(r->display_expected.at);
	free(r->actual.at);
	free(r->display_actual.at);
	free(r->phases.at);
	free(r->events.at);
	free(r->slices.at);
	free(r->scheds.at);
	free(r->inputs.at);
	free(r->rates.at);
	free(r->markers.at);
	free(r->expected_index);
	free(r->display_expected_index);
	free(r->display_index);
	free(r->sched_sums);
	free(r->sf_of);
}

bool
tc_rows_is_empty(const struct tc_rows *r)
{
	return r->traces.used == 0 && r->procs.count == 0 && r->places.count == 0;
}

int
tc_rows_settle(struct tc_rows *r, struct tc_cli *cli, struct tc_err *err)
{
	tc_rows_order_places(r);
	tc_rows_own_inputs(r);
	if (tc_rows_choose(r, cli, err) || tc_rows_find_sf(r, cli, err))
		return -1;
	tc_rows_sort(r);
	tc_rows_join(r);
	return 0;
}

int64_t
tc_rows_minus(int64_t a, int64_t b)
{
	int64_t d;

	if (a == TC_NONE || b == TC_NONE || __builtin_sub_overflow(a, b, &d))
		return TC_NONE;
	return d;
}

int64_t
tc_rows_end(int64_t ts, int64_t dur)
{
	int64_t end;

	if (ts == TC_NONE || dur <= 0 || __builtin_add_overflow(ts, dur, &end))
		return TC_NONE;
	return end;
}

struct tc_str
tc_rows_layer(struct tc_str name)
{
	static const struct tc_str prefix = TC_STR_INIT("TX - ");

	if (!name.p || !tc_str_begins(name, prefix))
		return name;
	return (struct tc_str){ name.p + prefix.len, name.len - prefix.len,
		name.is_plain };
}
