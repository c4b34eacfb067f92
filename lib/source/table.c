#include "source/source.h"

#include <string.h>

#include "source/priv.h"

static const struct tc_source *const table[] = {
	&tc_source_frame_timeline,
	&tc_source_graphics_frame,
	&tc_source_input_event,
	&tc_source_process_tree,
	&tc_source_trace_config,
	&tc_source_trace_uuid,
	&tc_source_system_info,
	&tc_source_trace_stats,
	&tc_source_service_event,
	&tc_source_clock,
	&tc_source_packages_list,
	&tc_source_ftrace,
	&tc_source_tasks,
	&tc_source_slice,
	&tc_source_sched,
	&tc_source_counter,
	&tc_source_input_latency,
	NULL,
};

const struct tc_source *const *
tc_source_all(void)
{
	return table;
}

int
tc_source_of_field(uint32_t field)
{
	int i;

	for (i = 0; table[i]; i++)
		if (table[i]->field == field)
			return i;
	return -1;
}

void
tc_source_place_late(struct tc_decode *d, const struct tc_packet *p, struct tc_row *row)
{
	tc_mem_grow(&d->late, &d->late_cap, d->late_count + 1, sizeof(*d->late));
	d->late[d->late_count++] = (struct tc_late_row){
		.row = row,
		.packet = d->trace.packets,
		.clock = p->clock,
		.raw = (int64_t)p->timestamp,
		.machine = p->machine,
	};
}

void *
tc_source_row(struct tc_decode *d, const struct tc_packet *p, size_t size)
{
	struct tc_row *row = tc_source_space(d, p, size);

	if (!row)
		return NULL;
	memset(row, 0, size);
	row->source = d->current;
	return row;
}

uint16_t
tc_source_place_of(const struct tc_source *source)
{
	uint16_t i;

	for (i = 0; table[i] != source; i++)
		;
	return i;
}

void *
tc_source_event(
	struct tc_decode *d, const struct tc_source *source, int64_t ts, size_t size)
{
	struct tc_row *row = tc_arena_calloc(&d->rows, size);

	row->source = tc_source_place_of(source);
	if (d->event_count == d->event_cap)
		tc_mem_grow(&d->events, &d->event_cap, d->event_count + 1,
			sizeof(*d->events));
	d->events[d->event_count++] = (struct tc_trace_item){ ts, row };
	return row;
}

uint32_t
tc_source_name(struct tc_decode *d, struct tc_str name)
{
	if (name.len > TC_STR_MAX_NAME) {
		name.len = TC_STR_MAX_NAME;
		tc_trace_count(&d->trace, TC_STAT_NAME_CUT);
	}
	return tc_strtab_id(&d->names, name);
}
