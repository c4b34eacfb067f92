/* targets: what requests mean, which are equal, and what cannot be meant. */
#include "targets/targets.h"

#include <stdlib.h>

#include "check.h"
#include "err/err.h"
#include "rec/rec.h"

enum { MAX_OUTPUT = 4 * 1024 * 1024 };

static struct tc_targets t;
static struct tc_err err;
static char output[MAX_OUTPUT];

static void
begin(void)
{
	tc_targets_release(&t);
	t = (struct tc_targets){ .numbers = TC_TARGETS_NUMBERS_INIT };
	err = (struct tc_err){ 0 };
}

static int
add(const char *text)
{
	return tc_targets_add_text(&t, text, &err);
}

static int
add_record(const char *target, const char *config)
{
	struct tc_rec_request r = { tc_str_of(target), tc_str_of(config) };

	return tc_targets_add_request(&t, &r, &err);
}

/* What comes of it all, as text; ended by a NUL. */
static const char *
plan(void)
{
	struct tc_out o = check_out(output, sizeof(output) - 1);
	bool idle;

	if (!CHECK_INT(tc_targets_plan(&t, &o, &idle, &err), 0))
		fprintf(stderr, "  %s\n", err.msg);
	CHECK_INT(o.sys, 0);
	output[o.len] = '\0';
	return output;
}

static size_t
count(const char *text, const char *part)
{
	size_t n = 0;

	for (; (text = strstr(text, part)); text += strlen(part))
		n++;
	return n;
}

static void
test_equal(void)
{
	static const char *const pairs[][2] = {
		{ "IME", "IME" },
		{ "WINDOW_MANAGER_TRACE", "WINDOW_MANAGER_TRACE,tracingtype=frame" },
		{ "WINDOW_MANAGER_TRACE,wmbuffersize=16000,tracinglevel=debug",
			"WINDOW_MANAGER_TRACE" },
		{ "SURFACE_FLINGER_TRACE,hwc,input,hwc",
			"SURFACE_FLINGER_TRACE,input,hwc" },
		{ "ATRACE,categories=a,b", "ATRACE,categories=b,categories=a,b" },
		{ "PROTO_LOG,groups=A,A+stacktrace", "PROTO_LOG,groups=A+stacktrace" },
		{ "SCREENSHOT,displays=\"x\" 1 y", "SCREENSHOT,displays=1" },
		{ "SCREENSHOT,displays=", "SCREENSHOT,displays=active" },
	};
	size_t i;

	for (i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		begin();
		CHECK_INT(add(pairs[i][0]), 0);
		CHECK_INT(add(pairs[i][1]), 0);
		if (!CHECK_INT(t.request_count, 1))
			fprintf(stderr, "  %s\n", pairs[i][0]);
	}
}

static void
test_different(void)
{
	static const char *const pairs[][2] = {
		{ "IME", "INPUT" },
		{ "WINDOW_MANAGER_TRACE",
			"WINDOW_MANAGER_TRACE,tracingtype=transaction" },
		{ "SURFACE_FLINGER_TRACE", "SURFACE_FLINGER_TRACE,hwc" },
		{ "SURFACE_FLINGER_TRACE,input", "SURFACE_FLINGER_TRACE,hwc" },
		{ "ATRACE,categories=a", "ATRACE,apps=a" },
		{ "PROTO_LOG,groups=A", "PROTO_LOG,groups=A+stacktrace" },
		{ "SCREENSHOT", "SCREENSHOT,displays=active" },
	};
	size_t i;

	for (i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		begin();
		CHECK_INT(add(pairs[i][0]), 0);
		CHECK_INT(add(pairs[i][1]), 0);
		if (!CHECK_INT(t.request_count, 2))
			fprintf(stderr, "  %s\n", pairs[i][0]);
	}
}

/* Refused, with the code of where it came from, and without a trace. */
static void
test_refused(void)
{
	static const char *const texts[] = { "", ",", "IME,", "ime", "IME ", "IME,x",
		"ATRACE", "FTRACE", "FTRACE,events",
		"FTRACE,events=", "FTRACE,events=a,,", "=", "ATRACE,categories=a b",
		"ATRACE,categories=a\nEOF", "ATRACE,apps=a\"", "ATRACE,apps=\xc3\xa4",
		"SURFACE_FLINGER_TRACE,=", "SURFACE_FLINGER_TRACE,input=true",
		"SCREENSHOT,displays=\"x", "SCREENSHOT,displays=a.b",
		"WINDOW_MANAGER_TRACE,tracingtype=", "PROTO_LOG,groups=+stacktrace" };
	static const char *const configs[] = { "[]", "\"a\"", "1", "{\"apps\":[[]]}",
		"{\"apps\":null}", "{\"apps\":\"\"}", "{\"categories\":{}}",
		"{\"\":true}", "{\"apps\":\"a\\u0000b\"}", "{}" };
	size_t i;

	begin();
	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		err = (struct tc_err){ 0 };
		if (!CHECK_INT(add(texts[i]), -1))
			fprintf(stderr, "  %s\n", texts[i]);
		CHECK_INT(err.code, TC_USAGE);
	}
	for (i = 0; i < sizeof(configs) / sizeof(configs[0]); i++) {
		err = (struct tc_err){ 0 };
		if (!CHECK_INT(add_record("ATRACE", configs[i]), -1))
			fprintf(stderr, "  %s\n", configs[i]);
		CHECK_INT(err.code, TC_DATA);
	}
	CHECK_INT(add_record(NULL, NULL), -1);
	CHECK_INT(err.code, TC_DATA);
	CHECK_INT(t.request_count, 0);
}

/* All that can be asked for at once is refused or not by whether it is a dump. */
static void
test_every_target(void)
{
	static const char *const names[] = { "VIEW_CAPTURE", "WINDOW_MANAGER_TRACE",
		"SURFACE_FLINGER_TRACE", "SCREEN_RECORDING", "TRANSACTIONS", "PROTO_LOG",
		"IME", "WAYLAND", "EVENTLOG", "TRANSITIONS", "INPUT", "FRAME_TIMELINE",
		"FRAME_EVENTS", "SCHED" };
	const char *text;
	size_t i;

	begin();
	CHECK_INT(tc_targets_assume(&t, "all", &err), 0);
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		CHECK_INT(add_record(names[i], NULL), 0);
	CHECK_INT(t.request_count, (int64_t)i);
	text = plan();
	/* Two are never Perfetto's; the last target is. */
	CHECK_INT(count(text, "{\"type\":\"target\""), 3);
	CHECK_INT(count(text, "\"via\":\"perfetto\""), 1);
	CHECK(strstr(strstr(text, "\"name\":\"Wayland\""), "\"name\":\"PerfettoTrace\""));
	/* One source for each of them in both texts, and two of the surroundings. */
	CHECK_INT(count(text, "    name: "), 2 * 14);
	begin();
	CHECK_INT(tc_targets_assume(&t, "none", &err), 0);
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		CHECK_INT(add(names[i]), 0);
	text = plan();
	CHECK_INT(count(text, "\"via\":\"legacy\""), 9);
	CHECK_INT(count(text, "\"via\":\"perfetto\""), 0);
	CHECK_INT(count(text, "\"code\":\"no_data_source\""), 12);
	CHECK_INT(count(text, "\"code\":\"no_legacy_form\""), 5);
}

/* A device is not what the record's memory becomes later. */
static void
test_devices(void)
{
	char name[] = "adb:A", source[] = "android.inputmethod";
	struct tc_str sources[] = { tc_str_of(source) };
	struct tc_rec_device_perfetto perfetto = {
		.data_sources = { sources, 1 }, .sessions = 0, .own_session = 0
	};
	struct tc_rec_device d;
	const char *text;

	begin();
	tc_rec_init(&tc_rec_device, &d);
	CHECK_INT(tc_targets_add_device(&t, &d, &err), -1);
	CHECK_INT(err.code, TC_DATA);
	d.device = tc_str_of(name);
	d.perfetto = &perfetto;
	CHECK_INT(tc_targets_add_device(&t, &d, &err), 0);
	CHECK_INT(add("IME"), 0);
	memset(name, 'x', sizeof(name) - 1);
	memset(source, 'x', sizeof(source) - 1);
	perfetto.sessions = 9;
	text = plan();
	CHECK_INT(count(text, "\"device\":\"adb:A\""), 1);
	CHECK_INT(count(text, "\"via\":\"perfetto\""), 1);
}

/* Every flag has its bit, and all are 126. */
static void
test_mask(void)
{
	static const struct {
		const char *flags, *mask;
	} rows[] = { { "", " 0\"" }, { ",input", " 2\"" }, { ",composition", " 4\"" },
		{ ",metadata", " 8\"" }, { ",hwc", " 16\"" },
		{ ",tracebuffers", " 32\"" }, { ",virtualdisplays", " 64\"" },
		{ ",composition,metadata,tracebuffers", " 44\"" },
		{ ",input,composition", " 6\"" },
		{ ",input,composition,metadata,hwc,tracebuffers,virtualdisplays",
			" 126\"" } };
	char text[128], want[64];
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		begin();
		CHECK_INT(tc_targets_assume(&t, "none", &err), 0);
		snprintf(text, sizeof(text), "SURFACE_FLINGER_TRACE%s", rows[i].flags);
		CHECK_INT(add(text), 0);
		snprintf(want, sizeof(want), "SurfaceFlinger 1033 i32%s", rows[i].mask);
		CHECK_INT(count(plan(), want), 1);
	}
}

/* However much is asked for, it is held against each other in no time, or refused. */
static void
test_limits(void)
{
	struct tc_rec_device d;
	char text[64];
	int i;

	begin();
	CHECK_INT(tc_targets_assume(&t, "all", &err), 0);
	for (i = 0; i < TC_TARGETS_MAX_REQUESTS; i++) {
		snprintf(text, sizeof(text), "PROTO_LOG,groups=g%d", i);
		CHECK_INT(add(text), 0);
	}
	CHECK_INT(add("IME"), -1);
	CHECK_INT(add(text), 0);
	CHECK_INT(count(plan(), "\"conflict\""), TC_TARGETS_MAX_REQUESTS - 1);
	begin();
	for (i = 0; i < TC_TARGETS_MAX_VALUES; i++) {
		snprintf(text, sizeof(text), "PROTO_LOG,groups=%d,a%d,b%d,c%d", i, i, i,
			i);
		if (add(text))
			break;
	}
	CHECK_INT(i, TC_TARGETS_MAX_VALUES / 4);
	begin();
	tc_rec_init(&tc_rec_device, &d);
	for (i = 0; i < TC_TARGETS_MAX_DEVICES; i++) {
		snprintf(text, sizeof(text), "adb:%05d", i);
		d.device = tc_str_of(text);
		CHECK_INT(tc_targets_add_device(&t, &d, &err), 0);
	}
	CHECK_INT(tc_targets_add_device(&t, &d, &err), 0);
	d.device = TC_STR("adb:x");
	CHECK_INT(tc_targets_add_device(&t, &d, &err), -1);
	CHECK_INT(err.code, TC_DATA);
}

int
main(void)
{
	test_equal();
	test_different();
	test_refused();
	test_every_target();
	test_devices();
	test_mask();
	test_limits();
	begin();
	return check_done();
}
