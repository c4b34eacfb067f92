/* choose: what options say, and which rows fit. */
#include "choose/choose.h"

#include "check.h"
#include "err/err.h"

static struct tc_choose c;
static struct tc_err err;

static void
begin(void)
{
	c = (struct tc_choose){ 0 };
}

static bool
message_has(const char *part)
{
	return err.code == TC_USAGE && strstr(err.msg, part);
}

static void
test_default_types(void)
{
	begin();
	CHECK(tc_choose_type(&c, "process") && tc_choose_type(&c, "actual_frame"));
	CHECK(tc_choose_type(&c, "slice") && tc_choose_type(&c, "refresh_rate"));
	CHECK(!tc_choose_type(&c, "sched") && !tc_choose_type(&c, "clock"));
	CHECK(tc_choose_type(&c, "trace") && tc_choose_type(&c, "stat"));
	CHECK(!tc_choose_type(&c, "zebra") && !tc_choose_type(&c, ""));
}

static void
test_types(void)
{
	begin();
	CHECK_INT(tc_choose_set_types(&c, "phase,clock", &err), 0);
	CHECK(tc_choose_type(&c, "phase") && tc_choose_type(&c, "clock"));
	CHECK(!tc_choose_type(&c, "process") && !tc_choose_type(&c, "sched"));
	CHECK(tc_choose_type(&c, "notice") && tc_choose_type(&c, "error"));
	/* Signed names change what stands, plain ones take its place. */
	CHECK_INT(tc_choose_set_types(&c, "+sched,-phase", &err), 0);
	CHECK(tc_choose_type(&c, "sched") && tc_choose_type(&c, "clock"));
	CHECK(!tc_choose_type(&c, "phase"));
	CHECK_INT(tc_choose_set_types(&c, "trace", &err), 0);
	CHECK(!tc_choose_type(&c, "sched") && tc_choose_type(&c, "stat"));
	begin();
	CHECK_INT(tc_choose_set_types(&c, "-thread", &err), 0);
	CHECK(tc_choose_type(&c, "process") && !tc_choose_type(&c, "thread"));
	CHECK(!tc_choose_type(&c, "sched"));
}

static void
test_wrong_types(void)
{
	static const char *const lists[] = { "", ",", "phase,", ",phase", "+", "-",
		"Phase", "phases", "phase clock", "+phase,clock", "phase,+clock",
		"-trace" };
	size_t i;

	begin();
	for (i = 0; i < CHECK_ITEMS(lists); i++)
		if (!CHECK_INT(tc_choose_set_types(&c, lists[i], &err), -1))
			fprintf(stderr, "list '%s'\n", lists[i]);
	CHECK(!c.has_types);
	tc_choose_set_types(&c, "zebra", &err);
	CHECK(message_has("zebra") && message_has(" phase ") && message_has(" clock"));
	CHECK(!message_has(" stat"));
}

static void
test_processes(void)
{
	begin();
	CHECK(tc_choose_process(&c, 1, 2, (struct tc_str){ 0 }));
	CHECK_INT(tc_choose_add_process(&c, "com.*", &err), 0);
	CHECK_INT(tc_choose_add_process(&c, "pid=12", &err), 0);
	CHECK_INT(tc_choose_add_process(&c, "upid=34", &err), 0);
	CHECK_INT(tc_choose_add_process(&c, "[odd", &err), 0);
	CHECK(tc_choose_process(&c, 1, 2, TC_STR("com.example")));
	CHECK(tc_choose_process(&c, 12, 2, (struct tc_str){ 0 }));
	CHECK(tc_choose_process(&c, 1, 34, TC_STR("x")));
	CHECK(tc_choose_process(&c, 1, 2, TC_STR("[odd")));
	CHECK(!tc_choose_process(&c, 34, 12, TC_STR("x")));
	CHECK(!tc_choose_process(&c, 1, 2, (struct tc_str){ 0 }));
	CHECK(!tc_choose_process(&c, 1, 2, TC_STR("pid=12")));
	/* Only as much of the text as the name has. */
	CHECK(!tc_choose_process(&c, 1, 2, check_text("com.example", 3)));
}

static void
test_wrong_globs(void)
{
	int i;

	begin();
	CHECK_INT(tc_choose_add_process(&c, "", &err), -1);
	CHECK_INT(tc_choose_add_process(&c, "pid=", &err), -1);
	CHECK_INT(tc_choose_add_process(&c, "pid=1x", &err), -1);
	CHECK_INT(tc_choose_add_process(&c, "upid=-1", &err), -1);
	CHECK_INT(tc_choose_add_process(&c, "pid=9223372036854775808", &err), -1);
	CHECK(message_has("not a number"));
	for (i = 0; i < TC_CHOOSE_MAX_GLOBS; i++)
		CHECK_INT(tc_choose_add_layer(&c, "x", &err), 0);
	CHECK_INT(tc_choose_add_layer(&c, "x", &err), -1);
}

static void
test_names(void)
{
	static char longest[4096];

	begin();
	CHECK(tc_choose_layer(&c, (struct tc_str){ 0 }));
	CHECK(!tc_choose_slice(&c, TC_STR("doFrame")));
	CHECK(tc_choose_counter(&c, TC_STR("BufferTX - x")));
	CHECK(!tc_choose_counter(&c, TC_STR("cpufreq")));
	CHECK(!tc_choose_counter(&c, (struct tc_str){ 0 }));
	CHECK_INT(tc_choose_add_layer(&c, "TX - com.example/*#?", &err), 0);
	CHECK_INT(tc_choose_add_slices(&c, "*", &err), 0);
	CHECK_INT(tc_choose_add_counters(&c, "cpufreq", &err), 0);
	CHECK(tc_choose_layer(&c, TC_STR("TX - com.example/a/b#0")));
	CHECK(!tc_choose_layer(&c, TC_STR("TX - com.example/a")));
	CHECK(!tc_choose_layer(&c, (struct tc_str){ 0 }));
	CHECK(tc_choose_slice(&c, TC_STR("doFrame")) && tc_choose_slice(&c, TC_STR("")));
	CHECK(tc_choose_counter(&c, TC_STR("cpufreq")));
	CHECK(tc_choose_counter(&c, TC_STR("BufferTX - x")));
	CHECK(!tc_choose_counter(&c, TC_STR("other")));
	/* The longest name that a trace may have, and one more. */
	memset(longest, 'x', sizeof(longest));
	CHECK(tc_choose_slice(&c, check_text(longest, 4095)));
	CHECK(!tc_choose_slice(&c, check_text(longest, 4096)));
}

static void
test_options(void)
{
	static const struct {
		int option;
		const char *text, *name;
	} wrong[] = {
		{ 'T', "zebra", "-T: " },
		{ TC_CHOOSE_OPT_PROCESS, "", "--process: " },
		{ TC_CHOOSE_OPT_LAYER, "", "--layer: " },
		{ TC_CHOOSE_OPT_FROM, "+x", "--from: " },
		{ TC_CHOOSE_OPT_TO, "5s", "--to: " },
		{ TC_CHOOSE_OPT_SLICES, "", "--slices: " },
		{ TC_CHOOSE_OPT_COUNTERS, "", "--counters: " },
	};
	size_t i;

	for (i = 0; i < CHECK_ITEMS(wrong); i++) {
		begin();
		CHECK_INT(tc_choose_option(&c, wrong[i].option, wrong[i].text, &err), -1);
		CHECK_INT(strncmp(err.msg, wrong[i].name, strlen(wrong[i].name)), 0);
	}
	begin();
	CHECK_INT(tc_choose_option(&c, 'k', "x", &err), 0);
	CHECK_INT(tc_choose_option(&c, TC_CHOOSE_OPT_TO, "7", &err), 1);
	CHECK_INT(c.to.ns, 7);
	CHECK_INT(tc_choose_option(&c, TC_CHOOSE_OPT_LAYER, "x", &err), 1);
	CHECK_INT(c.layers.count, 1);
	CHECK_INT(c.slices.count + c.processes.count + c.counters.count, 0);
}

/* A NUL in a name is a character like others, but that no pattern can hold it. */
static void
test_nul(void)
{
	struct tc_str name = TC_STR("app\0x\0"), nothing = TC_STR("\0");
	static const struct {
		const char *glob;
		bool fits;
	} globs[] = {
		{ "app", false },
		{ "app*", true },
		{ "app?x", false },
		{ "app?x?", true },
		{ "app[!a]*", true },
		{ "*x", false },
		{ "*x?", true },
	};
	size_t i;

	for (i = 0; i < CHECK_ITEMS(globs); i++) {
		begin();
		tc_choose_add_process(&c, globs[i].glob, &err);
		tc_choose_add_layer(&c, globs[i].glob, &err);
		if (!CHECK_INT(tc_choose_process(&c, 1, 1, name), globs[i].fits) ||
			!CHECK_INT(tc_choose_layer(&c, name), globs[i].fits))
			fprintf(stderr, "glob %s\n", globs[i].glob);
	}
	begin();
	tc_choose_add_layer(&c, "?", &err);
	CHECK(tc_choose_layer(&c, nothing));
	CHECK(!tc_choose_layer(&c, TC_STR("")));
}

static void
test_times(void)
{
	static const struct {
		const char *text;
		enum tc_choose_kind kind;
		int64_t ns;
	} good[] = {
		{ "0", TC_CHOOSE_AT, 0 },
		{ "123456789", TC_CHOOSE_AT, 123456789 },
		{ "9223372036854775807", TC_CHOOSE_AT, INT64_MAX },
		{ "+2s", TC_CHOOSE_AFTER, 2000000000 },
		{ "+0s", TC_CHOOSE_AFTER, 0 },
		{ "+500ms", TC_CHOOSE_AFTER, 500000000 },
		{ "+10us", TC_CHOOSE_AFTER, 10000 },
		{ "+5ns", TC_CHOOSE_AFTER, 5 },
		{ "+1.5s", TC_CHOOSE_AFTER, 1500000000 },
		{ "+0.0000000019s", TC_CHOOSE_AFTER, 1 },
		{ "+16.667ms", TC_CHOOSE_AFTER, 16667000 },
		{ "J<X>", TC_CHOOSE_MARKER, 0 },
		{ "-2s", TC_CHOOSE_MARKER, 0 },
	};
	static const char *const bad[] = { "", "+", "+2", "+s", "+2h", "+2 s", "+-2s",
		"+1.s", "+.5s", "+1.5.5s", "2s", "12.5", "9223372036854775808",
		"+9223372036854775807s", "+9223372036.9s", "+2sx" };
	size_t i;

	for (i = 0; i < CHECK_ITEMS(good); i++) {
		begin();
		CHECK_INT(tc_choose_set_from(&c, good[i].text, &err), 0);
		CHECK_INT(c.from.kind, good[i].kind);
		CHECK_INT(c.from.ns, good[i].ns);
		CHECK_INT(c.to.kind, TC_CHOOSE_NOWHERE);
	}
	for (i = 0; i < CHECK_ITEMS(bad); i++)
		if (!CHECK_INT(tc_choose_set_to(&c, bad[i], &err), -1))
			fprintf(stderr, "time '%s'\n", bad[i]);
}

/* What is certain to be empty is refused before any trace is read. */
static void
test_order(void)
{
	begin();
	tc_choose_set_from(&c, "+2s", &err);
	tc_choose_set_to(&c, "+2000ms", &err);
	CHECK_INT(tc_choose_check(&c, &err), -1);
	tc_choose_set_to(&c, "+2001ms", &err);
	CHECK_INT(tc_choose_check(&c, &err), 0);
	tc_choose_set_to(&c, "5", &err);
	CHECK_INT(tc_choose_check(&c, &err), 0);
	tc_choose_set_from(&c, "6", &err);
	CHECK_INT(tc_choose_check(&c, &err), -1);
	tc_choose_set_from(&c, "x", &err);
	tc_choose_set_to(&c, "x", &err);
	CHECK_INT(tc_choose_check(&c, &err), 0);
}

/* From and to as they come out for a trace that starts at 1000. */
static void
resolves(const char *from, const char *to, int64_t want_from, int64_t want_to)
{
	struct tc_choose_window w = { 0 };

	begin();
	if (from)
		tc_choose_set_from(&c, from, &err);
	if (to)
		tc_choose_set_to(&c, to, &err);
	CHECK_INT(tc_choose_resolve(&c, 1000, 9000, &w, &err), 0);
	CHECK_INT(w.from, want_from);
	CHECK_INT(w.to, want_to);
}

static void
test_window(void)
{
	struct tc_choose_window w = { 0 };

	resolves(NULL, NULL, INT64_MIN, INT64_MAX);
	resolves("1100", "+200ns", 1100, 1200);
	resolves("+0ns", NULL, 1000, INT64_MAX);
	resolves("+9223372036854775807ns", NULL, INT64_MAX, INT64_MAX);
	begin();
	tc_choose_set_from(&c, "1100", &err);
	tc_choose_set_to(&c, "+100ns", &err);
	CHECK_INT(tc_choose_resolve(&c, 1000, 9000, &w, &err), -1);
	CHECK_INT(err.code, TC_DATA);
	/* A trace without times has no start either. */
	CHECK_INT(tc_choose_resolve(&c, INT64_MAX, 0, &w, &err), -1);
	tc_choose_set_to(&c, "1200", &err);
	CHECK_INT(tc_choose_resolve(&c, INT64_MAX, 0, &w, &err), 0);
	CHECK_INT(w.from, 1100);
	CHECK_INT(w.end, INT64_MAX);
}

static void
test_markers(void)
{
	struct tc_choose_window w = { 0 };

	begin();
	CHECK(!tc_choose_is_marker(&c, TC_STR("a")));
	tc_choose_set_from(&c, "a", &err);
	tc_choose_set_to(&c, "b", &err);
	CHECK(tc_choose_is_marker(&c, TC_STR("a")) &&
		tc_choose_is_marker(&c, TC_STR("b")));
	CHECK(!tc_choose_is_marker(&c, TC_STR("ab")) &&
		!tc_choose_is_marker(&c, TC_STR("")));
	CHECK_INT(tc_choose_resolve(&c, 0, 9000, &w, &err), -1);
	CHECK(err.code == TC_DATA && strstr(err.msg, "'a'"));
	/* The first of the name counts, whatever was told first. */
	tc_choose_mark(&c, &w, TC_STR("a"), 500, 5);
	tc_choose_mark(&c, &w, TC_STR("a"), 300, 5);
	tc_choose_mark(&c, &w, TC_STR("c"), 100, 5);
	CHECK_INT(tc_choose_resolve(&c, 0, 9000, &w, &err), -1);
	CHECK(strstr(err.msg, "'b'"));
	tc_choose_mark(&c, &w, TC_STR("b"), 400, 50);
	tc_choose_mark(&c, &w, TC_STR("b"), 400, 60);
	CHECK_INT(tc_choose_resolve(&c, 0, 9000, &w, &err), 0);
	CHECK_INT(w.from, 300);
	CHECK_INT(w.to, 450);
	/* A moment is in the window, and so is all that happens at the same time. */
	tc_choose_mark(&c, &w, TC_STR("b"), 390, 0);
	CHECK_INT(tc_choose_resolve(&c, 0, 9000, &w, &err), 0);
	CHECK_INT(w.to, 391);
	CHECK_INT(tc_choose_place(&w, 390, 0), TC_CHOOSE_INSIDE);
	tc_choose_mark(&c, &w, TC_STR("b"), INT64_MAX, 0);
	/* Never closed: until the end. */
	tc_choose_mark(&c, &w, TC_STR("b"), 350, -1);
	CHECK_INT(tc_choose_resolve(&c, 0, 9000, &w, &err), 0);
	CHECK_INT(w.to, INT64_MAX);
}

static void
test_place(void)
{
	enum { IN = TC_CHOOSE_INSIDE, OUT = TC_CHOOSE_OUTSIDE };
	enum { FROM = TC_CHOOSE_CROSSES_FROM, TO = TC_CHOOSE_CROSSES_TO };
	static const struct {
		int64_t ts, dur;
		unsigned place;
	} rows[] = {
		{ 99, 0, OUT },
		{ 100, 0, IN },
		{ 199, 0, IN },
		{ 200, 0, OUT },
		{ 50, 50, OUT },
		{ 50, 51, FROM },
		{ 100, 100, IN },
		{ 100, 101, TO },
		{ 199, 1, IN },
		{ 199, 2, TO },
		{ 200, 1, OUT },
		{ 50, 151, FROM | TO },
		{ 50, -1, FROM | TO },
		{ 100, -1, TO },
		{ 200, -1, OUT },
		{ 150, INT64_MAX, TO },
		{ 150, -7, TO },
	};
	struct tc_choose_window w = { .from = 100, .to = 200, .end = INT64_MAX };
	size_t i;

	for (i = 0; i < CHECK_ITEMS(rows); i++)
		if (!CHECK_INT(
			    tc_choose_place(&w, rows[i].ts, rows[i].dur), rows[i].place))
			fprintf(stderr, "row %zu\n", i);
	/* The end of the trace is that of what is never closed. */
	w.end = 150;
	CHECK_INT(tc_choose_place(&w, 50, -1), FROM);
	CHECK_INT(tc_choose_place(&w, 120, -1), IN);
	CHECK_INT(tc_choose_place(&w, 160, -1), IN);
	w.end = 100;
	CHECK_INT(tc_choose_place(&w, 50, -1), OUT);
	w.from = INT64_MIN;
	w.to = w.end = INT64_MAX;
	CHECK_INT(tc_choose_place(&w, 0, -1), IN);
	CHECK_INT(tc_choose_place(&w, INT64_MAX, 0), IN);
	w.from = 10;
	CHECK_INT(tc_choose_place(&w, 0, -1), FROM);
}

int
main(void)
{
	test_default_types();
	test_types();
	test_wrong_types();
	test_processes();
	test_wrong_globs();
	test_names();
	test_nul();
	test_options();
	test_times();
	test_order();
	test_window();
	test_markers();
	test_place();
	return check_done();
}
