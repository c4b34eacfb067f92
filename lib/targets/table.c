#include "targets/priv.h"

#include <string.h>

#define WM_TRACES "/data/misc/wmtrace/"
#define TMP "/data/local/tmp/"

/* Newer systems write x.winscope, older ones x.pb; the first that is there counts. */
#define BOTH(x) \
	{ \
		x ".winscope", x ".pb" \
	}

static const struct tc_targets_word kilobytes[] = { { "4000", NULL }, { "8000", NULL },
	{ "16000", NULL }, { "32000", NULL }, { NULL, NULL } };

static const struct tc_targets_word frequencies[] = { { "frame", "LOG_FREQUENCY_FRAME" },
	{ "transaction", "LOG_FREQUENCY_TRANSACTION" }, { NULL, NULL } };

static const struct tc_targets_word levels[] = { { "verbose", "LOG_LEVEL_VERBOSE" },
	{ "debug", "LOG_LEVEL_DEBUG" }, { "critical", "LOG_LEVEL_CRITICAL" },
	{ NULL, NULL } };

#define FLAG(key, perfetto, bit) \
	{ \
		key, TC_TARGETS_FLAG, NULL, NULL, perfetto, bit \
	}
#define CHOICE(key, words, preset) \
	{ \
		key, TC_TARGETS_CHOICE, words, preset, NULL, 0 \
	}
#define VALUES(key, kind) \
	{ \
		key, kind, NULL, NULL, NULL, 0 \
	}
#define END \
	{ \
		NULL, TC_TARGETS_FLAG, NULL, NULL, NULL, 0 \
	}

static const struct tc_targets_option none[] = { END };

static const struct tc_targets_option sf_options[] = {
	FLAG("input", "TRACE_FLAG_INPUT", 1 << 1),
	FLAG("composition", "TRACE_FLAG_COMPOSITION", 1 << 2),
	FLAG("metadata", "TRACE_FLAG_EXTRA", 1 << 3),
	FLAG("hwc", "TRACE_FLAG_HWC", 1 << 4),
	FLAG("tracebuffers", "TRACE_FLAG_BUFFERS", 1 << 5),
	FLAG("virtualdisplays", "TRACE_FLAG_VIRTUAL_DISPLAYS", 1 << 6),
	CHOICE("sfbuffersize", kilobytes, "16000"),
	END,
};

static const struct tc_targets_option wm_options[] = {
	CHOICE("tracingtype", frequencies, "frame"),
	CHOICE("tracinglevel", levels, "debug"),
	CHOICE("wmbuffersize", kilobytes, "16000"),
	END,
};

static const struct tc_targets_option group_options[] = {
	VALUES("groups", TC_TARGETS_GROUPS), END
};

static const struct tc_targets_option recording_options[] = {
	FLAG("pointer_and_touches", NULL, 0),
	VALUES("displays", TC_TARGETS_DISPLAY),
	END,
};

static const struct tc_targets_option screenshot_options[] = {
	VALUES("displays", TC_TARGETS_DISPLAY), END
};

static const struct tc_targets_option atrace_options[] = {
	VALUES("categories", TC_TARGETS_LIST),
	VALUES("apps", TC_TARGETS_LIST),
	END,
};

static const struct tc_targets_option ftrace_options[] = {
	VALUES("events", TC_TARGETS_LIST), END
};

/* What tc-import makes `sched` records of, and the life of threads. */
static const char *const sched_events[] = { "sched/sched_switch", "sched/sched_waking",
	"sched/sched_process_exit", "sched/sched_process_free", NULL };

static const struct tc_targets_legacy vc_legacy = {
	.name = "VcLegacy",
	.start = "su root settings put global view_capture_enabled 1\n"
		 "echo \"ViewCapture tracing (legacy) started.\"",
	.stop = "su root sh -c \"cmd launcherapps dump-view-hierarchies "
		">/data/misc/wmtrace/view_capture_trace.zip\"\n"
		"su root settings put global view_capture_enabled 0\n"
		"echo \"ViewCapture tracing (legacy) stopped.\"",
	.files = { { WM_TRACES, { "view_capture_trace.zip" },
		"view_capture_trace.zip" } },
};

/* The other settings come before the size: they may reset it. */
static const struct tc_targets_legacy wm_legacy = {
	.name = "WmLegacyTrace",
	.setup = { "su root cmd window tracing @tracingtype@",
		"su root cmd window tracing level @tracinglevel@",
		"su root cmd window tracing size @wmbuffersize@" },
	.start = "su root cmd window tracing start\n"
		 "echo \"WM trace (legacy) started.\"",
	.stop = "su root cmd window tracing stop\n"
		"echo \"WM trace (legacy) stopped.\"",
	.files = { { WM_TRACES, BOTH("wm_trace"), "wm_trace" } },
};

/* The $ is a slip of Winscope's that the device does not mind. */
static const struct tc_targets_legacy sf_legacy = {
	.name = "SfLegacyTrace",
	.setup = { "su root service call SurfaceFlinger 1029 i32 @sfbuffersize@$",
		"su root service call SurfaceFlinger 1033 i32 @mask@" },
	.start = "su root service call SurfaceFlinger 1025 i32 1\n"
		 "echo \"SF layers trace (legacy) started.\"",
	.stop = "su root service call SurfaceFlinger 1025 i32 0 >/dev/null 2>&1\n"
		"echo \"SF layers trace (legacy) stopped.\"",
	.files = { { WM_TRACES, BOTH("layers_trace"), "layers_trace" } },
	.last_sdk = 34,
};

static const struct tc_targets_legacy recording = {
	.name = "ScreenRecording@id@",
	.setup = { "settings put system show_touches @pointer_and_touches@ && "
		   "settings put system pointer_location @pointer_and_touches@" },
	.start = "\n      screenrecord --bugreport --bit-rate 8M@--display-id@ " TMP
		 "screen_@id@.mp4 &       echo \"ScreenRecorder started.\"\n      ",
	.stop = "settings put system pointer_location 0 &&"
		"       settings put system show_touches 0 &&"
		"       pkill -l SIGINT screenrecord >/dev/null 2>&1",
	.files = { { TMP "screen_@id@.mp4", { NULL }, "screen_recording_@id@" } },
	.per_display = true,
	.needs_new_recorder = true,
};

static const struct tc_targets_legacy transactions_legacy = {
	.name = "TransactionsLegacy",
	.start = "su root service call SurfaceFlinger 1041 i32 1\n"
		 "echo \"SF transactions trace (legacy) started.\"",
	.stop = "su root service call SurfaceFlinger 1041 i32 0 >/dev/null 2>&1\n"
		"echo \"SF transactions trace (legacy) stopped.\"",
	.files = { { WM_TRACES, BOTH("transactions_trace"), "transactions" } },
};

static const struct tc_targets_legacy protolog_legacy = {
	.name = "ProtologLegacy",
	.start = "su root cmd window logging start\n"
		 "echo \"ProtoLog (legacy) started.\"",
	.stop = "su root cmd window logging stop >/dev/null 2>&1\n"
		"echo \"ProtoLog (legacy) stopped.\"",
	.files = { { WM_TRACES, BOTH("wm_log"), "proto_log" } },
};

static const struct tc_targets_legacy ime_legacy = {
	.name = "ImeLegacy",
	.start = "su root ime tracing start\n"
		 "echo \"IME tracing (legacy) started.\"",
	.stop = "su root ime tracing stop >/dev/null 2>&1\n"
		"echo \"IME tracing (legacy) stopped.\"",
	.files = { { WM_TRACES, BOTH("ime_trace_clients"), "ime_trace_clients" },
		{ WM_TRACES, BOTH("ime_trace_service"), "ime_trace_service" },
		{ WM_TRACES, BOTH("ime_trace_managerservice"),
			"ime_trace_managerservice" } },
};

static const struct tc_targets_legacy wayland = {
	.name = "Wayland",
	.start = "su root service call Wayland 26 i32 1 >/dev/null\n"
		 "echo \"Wayland trace started.\"",
	.stop = "su root service call Wayland 26 i32 0 >/dev/null\n"
		"echo \"Wayland trace ended.\"",
	.files = { { "/data/misc/wltrace", BOTH("wl_trace"), "wl_trace" } },
	.needs_wayland = true,
};

#define SHELL_TRANSITIONS \
	"su root dumpsys activity service SystemUIService WMShell transitions tracing "

static const struct tc_targets_legacy transitions_legacy = {
	.name = "TransitionsLegacy",
	.start = "su root cmd window shell tracing start && " SHELL_TRANSITIONS "start\n"
		 "echo \"Transition traces (legacy) started.\"",
	.stop = "su root cmd window shell tracing stop && " SHELL_TRANSITIONS
		"stop >/dev/null 2>&1\n"
		" echo \"Transition traces (legacy) stopped.\"",
	.files = { { WM_TRACES, BOTH("wm_transition_trace"), "wm_transition_trace" },
		{ WM_TRACES, BOTH("shell_transition_trace"), "shell_transition_trace" } },
};

static const struct tc_targets_legacy wm_dump_legacy = {
	.name = "WmDumpLegacy",
	.start = "su root dumpsys window --proto > " TMP "wm_dump.winscope",
	.stop = "",
	.files = { { TMP "wm_dump.winscope", { NULL }, "window_dump" } },
};

static const struct tc_targets_legacy sf_dump_legacy = {
	.name = "SfDumpLegacy",
	.start = "su root dumpsys SurfaceFlinger --proto > " TMP "sf_dump.winscope",
	.stop = "",
	.files = { { TMP "sf_dump.winscope", { NULL }, "layers_dump" } },
};

static const struct tc_targets_legacy screenshot = {
	.name = "Screenshot@id@",
	.start = "screencap -p@-d@ > " TMP "screenshot_@id@.png",
	.stop = "",
	.files = { { TMP "screenshot_@id@.png", { NULL }, "screenshot_@id@.png" } },
	.per_display = true,
};

#define SF_CONFIG(lines) "    surfaceflinger_layers_config: {\n" lines "    }\n"
#define WM_CONFIG(lines) "    windowmanager_config: {\n" lines "    }\n"

/* The first fourteen in the order of Winscope's page, then what is ours. */
const struct tc_targets_target tc_targets_table[] = {
	{
		.name = "VIEW_CAPTURE",
		.source = "android.viewcapture",
		.options = none,
		.legacy = &vc_legacy,
	},
	{
		.name = "WINDOW_MANAGER_TRACE",
		.source = "android.windowmanager",
		.fragment = WM_CONFIG("      log_level: @tracinglevel@\n"
				      "      log_frequency: @tracingtype@\n"),
		.options = wm_options,
		.legacy = &wm_legacy,
	},
	{
		.name = "SURFACE_FLINGER_TRACE",
		.source = "android.surfaceflinger.layers",
		.fragment = SF_CONFIG("      mode: MODE_ACTIVE\n@flags@"),
		.options = sf_options,
		.legacy = &sf_legacy,
	},
	{
		.name = "SCREEN_RECORDING",
		.options = recording_options,
		.legacy = &recording,
	},
	{
		.name = "TRANSACTIONS",
		.source = "android.surfaceflinger.transactions",
		.fragment = "    surfaceflinger_transactions_config: {\n"
			    "      mode: MODE_ACTIVE\n"
			    "    }\n",
		.options = none,
		.legacy = &transactions_legacy,
	},
	{
		.name = "PROTO_LOG",
		.source = "android.protolog",
		.fragment = "    protolog_config: {\n@groups@    }\n",
		.options = group_options,
		.legacy = &protolog_legacy,
	},
	{
		.name = "IME",
		.source = "android.inputmethod",
		.options = none,
		.legacy = &ime_legacy,
	},
	{
		.name = "WAYLAND",
		.options = none,
		.legacy = &wayland,
		.caveat = "Winscope has nothing that shows a Wayland trace",
	},
	{
		.name = "EVENTLOG",
		.source = "linux.ftrace",
		.fragment =
			"    ftrace_config {\n"
			"      atrace_apps: \"com.android.systemui\"\n"
			"      atrace_apps: \"com.google.android.apps.nexuslauncher\"\n"
			"      atrace_apps: \"com.android.launcher3\"\n"
			"      atrace_apps: \"system_server\"\n"
			"    }\n",
		.options = none,
	},
	{
		.name = "TRANSITIONS",
		.source = "com.android.wm.shell.transition",
		.options = none,
		.legacy = &transitions_legacy,
	},
	{
		.name = "INPUT",
		.source = "android.input.inputevent",
		.fragment = "    android_input_event_config {\n"
			    "      mode: TRACE_MODE_TRACE_ALL\n"
			    "    }\n",
		.options = none,
	},
	{
		.name = "WINDOW_MANAGER_DUMP",
		.is_dump = true,
		.source = "android.windowmanager",
		.fragment = WM_CONFIG("      log_level: LOG_LEVEL_VERBOSE\n"
				      "      log_frequency: LOG_FREQUENCY_SINGLE_DUMP\n"),
		.options = none,
		.legacy = &wm_dump_legacy,
	},
	{
		.name = "SURFACE_FLINGER_DUMP",
		.is_dump = true,
		.source = "android.surfaceflinger.layers",
		.fragment = SF_CONFIG("      mode: MODE_DUMP\n"
				      "      trace_flags: TRACE_FLAG_INPUT\n"
				      "      trace_flags: TRACE_FLAG_COMPOSITION\n"
				      "      trace_flags: TRACE_FLAG_EXTRA\n"
				      "      trace_flags: TRACE_FLAG_HWC\n"
				      "      trace_flags: TRACE_FLAG_BUFFERS\n"
				      "      trace_flags: TRACE_FLAG_VIRTUAL_DISPLAYS\n"),
		.options = none,
		.legacy = &sf_dump_legacy,
	},
	{
		.name = "SCREENSHOT",
		.is_dump = true,
		.options = screenshot_options,
		.legacy = &screenshot,
	},
	{
		.name = "FRAME_TIMELINE",
		.source = "android.surfaceflinger.frametimeline",
		.options = none,
	},
	{
		.name = "FRAME_EVENTS",
		.source = "android.surfaceflinger.frame",
		.options = none,
	},
	{
		.name = "ATRACE",
		.is_ftrace = true,
		.source = "linux.ftrace",
		.options = atrace_options,
		.needs = "categories or apps",
	},
	{
		.name = "FTRACE",
		.is_ftrace = true,
		.source = "linux.ftrace",
		.options = ftrace_options,
		.needs = "events",
	},
	{
		.name = "SCHED",
		.is_ftrace = true,
		.source = "linux.ftrace",
		.options = none,
		.events = sched_events,
	},
	{ .name = NULL },
};

const struct tc_targets_target *
tc_targets_find(struct tc_str name)
{
	const struct tc_targets_target *target;

	for (target = tc_targets_table; target->name; target++)
		if (tc_str_eq(tc_str_of(target->name), name))
			return target;
	return NULL;
}

const struct tc_targets_option *
tc_targets_find_option(const struct tc_targets_target *target, struct tc_str key)
{
	const struct tc_targets_option *o;

	for (o = target->options; o->key; o++)
		if (tc_str_eq(tc_str_of(o->key), key))
			return o;
	return NULL;
}

bool
tc_targets_is_source(struct tc_str name)
{
	const struct tc_targets_target *target;

	for (target = tc_targets_table; target->name; target++)
		if (target->source && tc_str_eq(tc_str_of(target->source), name))
			return true;
	return false;
}
