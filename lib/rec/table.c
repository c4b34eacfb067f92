#include "rec/rec.h"

#include <string.h>

static const struct tc_rec_type *const table[] = {
	&tc_rec_tool,
	&tc_rec_end,
	&tc_rec_error,
	&tc_rec_notice,
	&tc_rec_device,
	&tc_rec_request,
	&tc_rec_target,
	&tc_rec_session,
	&tc_rec_run,
	&tc_rec_file,
	&tc_rec_command,
	&tc_rec_artifact,
	&tc_rec_trace,
	&tc_rec_process,
	&tc_rec_thread,
	&tc_rec_buffer_event,
	&tc_rec_phase,
	&tc_rec_expected_frame,
	&tc_rec_actual_frame,
	&tc_rec_input_event,
	&tc_rec_input_dispatch,
	&tc_rec_input_latency,
	&tc_rec_refresh_rate,
	&tc_rec_clock,
	&tc_rec_slice,
	&tc_rec_counter,
	&tc_rec_sched,
	&tc_rec_stat,
	&tc_rec_jank_frame,
	&tc_rec_jank_stats,
	&tc_rec_marker,
	&tc_rec_jank_display,
	&tc_rec_jank_phase,
	&tc_rec_jank_match,
	&tc_rec_jank_cause,
	&tc_rec_lag,
	&tc_rec_frame_metrics,
	&tc_rec_jank_metric,
	&tc_rec_verdict,
	NULL,
};

const struct tc_rec_type *const *
tc_rec_all(void)
{
	return table;
}

const struct tc_rec_type *
tc_rec_find(const char *name)
{
	const struct tc_rec_type *const *t;

	for (t = table; *t; t++)
		if (strcmp((*t)->name, name) == 0)
			return *t;
	return NULL;
}
