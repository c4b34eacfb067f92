/* pull: names that peers choose, kinds by first bytes, how far it is. */
#include "pull/pull.h"

#include "check.h"
#include "err/err.h"

static struct tc_arena arena;
static struct tc_err err;

static void
test_names(void)
{
	static const struct {
		const char *text;
		size_t len;
		bool is;
	} cases[] = {
		{ "a", 1, true }, { "trace.perfetto-trace", 20, true },
		{ ".hidden", 7, true }, { "-rf", 3, true }, { "a b", 3, true },
		{ "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", 9, true },
		{ "\xc2\xa0", 2, true }, { "", 0, false }, { ".", 1, false },
		{ "..", 2, false }, { "...", 3, false }, { "a..b", 4, false },
		{ "a..", 3, false }, { "/", 1, false }, { "a/b", 3, false },
		{ "/a", 2, false }, { "a/", 2, false }, { "a\0b", 3, false },
		{ "a\nb", 3, false }, { "\x1b[2J", 4, false }, { "\x7f", 1, false },
		{ "\xc2\x9b", 2, false }, /* a control sequence in one character */
		{ "\xff", 1, false }, { "a\xc3", 2, false }, /* cut */
		{ "\xc0\xae", 2, false },                    /* a dot, overlong */
		{ "\xed\xa0\x80", 3, false },                /* a surrogate */
	};
	char longest[249];
	size_t i;

	for (i = 0; i < CHECK_ITEMS(cases); i++)
		if (!CHECK_INT(tc_pull_is_name(check_text(cases[i].text, cases[i].len)),
			    cases[i].is))
			fprintf(stderr, "name %zu\n", i);
	memset(longest, 'x', sizeof(longest));
	CHECK(tc_pull_is_name(check_text(longest, 248)));
	CHECK(!tc_pull_is_name(check_text(longest, 249)));
	CHECK(!tc_pull_is_name((struct tc_str){ 0 }));
}

static void
test_templates(void)
{
	static const char *const good[] = { "{dest}", "x",
		"{run}/{serial}/{session}/{dest}", "{run}{run}", "a.b", "a/{dest}.x" };
	static const char *const bad[] = { "", "/x", "x/", "a//b", "..", "../{dest}",
		"a/../b", "{dest", "dest}", "{}", "{x}", "{ dest}", "{{dest}}", "a\nb" };
	size_t i;

	for (i = 0; i < CHECK_ITEMS(good); i++)
		if (!CHECK_INT(tc_pull_check_template(good[i], &err), 0))
			fprintf(stderr, "%s\n", good[i]);
	for (i = 0; i < CHECK_ITEMS(bad); i++)
		if (!CHECK_INT(tc_pull_check_template(bad[i], &err), -1) ||
			!CHECK_INT(err.code, TC_USAGE))
			fprintf(stderr, "%s\n", bad[i]);
}

static const struct tc_pull_names usual = { TC_STR_INIT("r1"),
	TC_STR_INIT("adb:127.0.0.1:5555"), TC_STR_INIT("s1"), TC_STR_INIT("f.x") };

/* The template makes this of the names; NULL: it is refused. */
static void
check_expand(const char *template, struct tc_pull_names names, const char *wanted)
{
	char *path = NULL;
	int r;

	err = (struct tc_err){ 0 };
	r = tc_pull_expand(template, &names, &arena, &path, &err);
	if (!CHECK_INT(r, wanted ? 0 : -1) ||
		!CHECK_STR(tc_str_of(path), tc_str_of(wanted)) ||
		(!wanted && !CHECK(strcmp(tc_err_what(&err), "bad_name") == 0)))
		fprintf(stderr, "template %s\n", template);
}

static void
test_expand(void)
{
	struct tc_pull_names n = usual;

	check_expand("{dest}", n, "f.x");
	check_expand(
		"{run}/{serial}-{session}_{dest}.y", n, "r1/127.0.0.1_5555-s1_f.x.y");
	check_expand("fixed", n, "fixed");
	/* Words that make something else together. */
	n.dest = TC_STR(".");
	check_expand("{dest}", n, NULL);
	check_expand(".{dest}", n, NULL);
	n.dest = TC_STR(".x");
	check_expand("a.{dest}", n, NULL);
	n.dest = TC_STR("{run}");
	check_expand("{dest}", n, "{run}");
	n = usual;
	n.run = TC_STR("../r");
	check_expand("{dest}", n, "f.x");
	check_expand("{run}{dest}", n, NULL);
	n.run = (struct tc_str){ 0 };
	check_expand("{run}{dest}", n, NULL);
	/* The serial number has nothing in it that a path could mind. */
	n.device = TC_STR("winscope:http://h:1/../x\\y");
	check_expand("{serial}", n, NULL);
	n.device = TC_STR("winscope:http://h:1/x\\y");
	check_expand("{serial}", n, "x_y"); /* and not the place of the proxy */
	n.device = TC_STR("adb:");
	check_expand("{serial}", n, NULL);
	n.device = TC_STR("noprefix");
	check_expand("{serial}", n, NULL);
	n.device = (struct tc_str){ 0 };
	check_expand("{serial}", n, NULL);
}

static void
test_long_paths(void)
{
	struct tc_pull_names n = usual;
	char name[248], template[20 * 7 + 1] = "";
	size_t i;

	memset(name, 'x', sizeof(name));
	n.dest = check_text(name, sizeof(name));
	check_expand("{dest}y", n, NULL);
	for (i = 0; i < 20; i++)
		memcpy(template + 7 * i, "{dest}/", 8);
	template[20 * 7 - 1] = '\0';
	check_expand(template, n, NULL);
}

static void
check_kind(const char *bytes, size_t len, const char *wanted)
{
	const struct tc_pull_kind *kind = tc_pull_kind(bytes, len);

	CHECK_STR(tc_str_of(kind->name), tc_str_of(wanted));
}

static void
test_kinds(void)
{
	static const struct {
		const char *bytes;
		size_t len;
		const char *kind, *folder;
	} cases[] = {
		{ "\x09IMCTRACE", 9, "winscope", "ime" },
		{ "\x09IMMTRACE", 9, "winscope", "ime" },
		{ "\x09IMSTRACE", 9, "winscope", "ime" },
		{ "\x09PROTOLOG", 9, "winscope", "protolog" },
		{ "\0\0\0\x18"
		  "ftypmp42",
			12, "video", "" },
		{ "\x09LYRTRACE", 9, "winscope", "sf" },
		{ "\x09TNXTRACE", 9, "winscope", "sf" },
		{ "\x09WINTRACE", 9, "winscope", "wm" },
		{ "EventLog", 8, "eventlog", "eventlog" },
		{ "\x09TRNTRACE", 9, "winscope", "transition" },
		{ "\x09WMSTRACE", 9, "winscope", "transition" },
		{ "\x09NAZAIRAD", 9, "winscope", "vc" },
		{ "\x89PNG\r\n\x1a\n", 8, "image", "" },
		{ "PK\3\4", 4, "zip", "" },
		{ "PK\5\6", 4, "zip", "" },
	};
	size_t i;

	for (i = 0; i < CHECK_ITEMS(cases); i++) {
		check_kind(cases[i].bytes, cases[i].len, cases[i].kind);
		CHECK_STR(tc_str_of(tc_pull_kind(cases[i].bytes, cases[i].len)->folder),
			tc_str_of(cases[i].folder));
		/* One byte less tells nothing. */
		check_kind(cases[i].bytes,
			cases[i].len - (strcmp(cases[i].kind, "video") ? 1 : 5),
			"unknown");
	}
	check_kind("", 0, "unknown");
	/* A packet of a trace: trusted_uid, timestamp. */
	check_kind("\x0a\x04\x18\x01\x40\x02", 6, "perfetto");
	check_kind("\x0a\x04\x1a\x00\x40\x02", 6, "unknown");
	check_kind("\x1f\x8b\x08", 3, "unknown");
	check_kind("hello, world\n", 13, "unknown");
}

static void
test_progress(void)
{
	struct tc_pull_progress p = { .files = 3,
		.done = 1,
		.bytes = 300000000,
		.moved = 100000000,
		.since_ns = 1000 };
	char text[128], small[20];

	tc_pull_progress_text(&p, 1000 + INT64_C(2000000000), text, sizeof(text));
	CHECK_STR(tc_str_of(text),
		TC_STR("1 of 3 files, 100.0 of 300.0 MB, 50.0 MB/s, 4 s left"));
	/* Nothing is known of the rate yet. */
	tc_pull_progress_text(&p, 1000, text, sizeof(text));
	CHECK_STR(tc_str_of(text), TC_STR("1 of 3 files, 100.0 of 300.0 MB"));
	p.moved = 0;
	tc_pull_progress_text(&p, INT64_C(9000000000), text, sizeof(text));
	CHECK_STR(tc_str_of(text), TC_STR("1 of 3 files, 0.0 of 300.0 MB"));
	tc_pull_progress_text(&p, INT64_C(9000000000), small, sizeof(small));
	CHECK_STR(tc_str_of(small), TC_STR("1 of 3 files, 0.0 o"));
}

int
main(void)
{
	test_names();
	test_templates();
	test_expand();
	test_long_paths();
	test_kinds();
	test_progress();
	tc_arena_release(&arena);
	return check_done();
}
