#include "rec/priv.h"

#define FRAME_METRICS(F, s) \
	F(s, ALWAYS, INT, frame_id) \
	F(s, ALWAYS, INT, ts) \
	F(s, ALWAYS, INT, dur) \
	F(s, ALWAYS, INT, upid) \
	F(s, ALWAYS, INT, pid) \
	F(s, ALWAYS, STR, process) \
	F(s, ALWAYS, INT, overrun) \
	F(s, ALWAYS, INT, app_vsync_delay) \
	F(s, ALWAYS, INT, cpu_time) \
	F(s, ALWAYS, INT, ui_time) \
	F(s, ALWAYS, INT, was_jank) \
	F(s, ALWAYS, INT, was_slow_frame) \
	F(s, ALWAYS, INT, was_big_jank) \
	F(s, ALWAYS, INT, was_huge_jank) \
	F(s, ALWAYS, INT, period_ns) \
	F(s, OPTIONAL, STR, scenario) \
	F(s, OPTIONAL, INT, repetition) \
	F(s, ALWAYS, STR, definition) \
	F(s, ALWAYS, INT, machine_id) \
	F(s, ALWAYS, INT, trace)

TC_REC_RECORD(frame_metrics, FRAME_METRICS);
