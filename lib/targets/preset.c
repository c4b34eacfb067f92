#include "targets/priv.h"

#include <string.h>

#include "err/err.h"

/* What Winscope's page has ticked, in its order; then ours. */
static const struct {
	const char *name;
	const char *base; /* another preset that comes first, or NULL */
	const char *requests[7];
} presets[] = {
	{ "winscope", NULL,
		{ "WINDOW_MANAGER_TRACE,tracingtype=frame,tracinglevel=verbose,"
		  "wmbuffersize=32000",
			"SURFACE_FLINGER_TRACE,input,composition,sfbuffersize="
			"32000",
			"SCREEN_RECORDING,pointer_and_touches", "TRANSACTIONS", "IME",
			"INPUT" } },
	{ "jank", NULL,
		{ "FRAME_TIMELINE", "FRAME_EVENTS", "ATRACE,categories=view,gfx,wm,input",
			"FTRACE,events=sched/sched_switch,sched/sched_waking,"
			"power/cpu_frequency" } },
	{ "input", "jank", { "INPUT" } },
	{ "dump", NULL, { "WINDOW_MANAGER_DUMP", "SURFACE_FLINGER_DUMP", "SCREENSHOT" } },
};

int
tc_targets_add_preset(struct tc_targets *t, const char *name, struct tc_err *err)
{
	struct tc_targets_listed l = { .len = 0 };
	const char *const *text;
	size_t i;

	for (i = 0; i < sizeof(presets) / sizeof(presets[0]); i++) {
		tc_targets_list(&l, presets[i].name);
		if (strcmp(presets[i].name, name) != 0)
			continue;
		if (presets[i].base && tc_targets_add_preset(t, presets[i].base, err))
			return -1;
		for (text = presets[i].requests; *text; text++)
			if (tc_targets_add(t, *text, true, err))
				return -1;
		return 0;
	}
	return tc_err_set(err, TC_USAGE, "no preset '%.64s': one of %s", name, l.text);
}
