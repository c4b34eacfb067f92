/* The commands that a capture is made of: pure texts of what is known. */
#include "session/priv.h"

#include "check.h"

static struct tc_arena arena;

static struct tc_str
text(const char *s)
{
	return s ? tc_str_of(s) : TC_STR("(null)");
}

static void
check_bare(const char *command, const char *want)
{
	CHECK_STR(text(tc_session_bare(&arena, tc_str_of(command))), text(want));
}

/* Only a last line that is an echo of one quoted word goes. */
static void
test_bare(void)
{
	check_bare("a\necho 'x'", "a");
	check_bare("a\necho \"x y.\"\n", "a");
	check_bare("a\n echo \"x\"", "a");
	check_bare("a\nb\necho 'x'", "a\nb");
	check_bare("a", "a");
	check_bare("  \n", "");
	check_bare("", "");
	check_bare("echo 'x'", "echo 'x'");
	check_bare("a\necho x", "a\necho x");
	check_bare("a\necho \"x\" > f && b", "a\necho \"x\" > f && b");
	check_bare("a\necho 'x' 'y'", "a\necho 'x' 'y'");
	check_bare("a\necho 'x", "a\necho 'x");
	check_bare("a\nechoes 'x'", "a\nechoes 'x'");
	check_bare("echo \"EventLog\\n\" > f && b", "echo \"EventLog\\n\" > f && b");
}

static void
check_option(const char *command, const char *name, const char *want)
{
	CHECK_STR(text(tc_session_option(&arena, tc_str_of(command), name)), text(want));
}

static void
test_option(void)
{
	check_option("p --attach=K --stop", "attach", "K");
	check_option("p --config /a/b --detach=K", "config", "/a/b");
	check_option("p --config /a/b --detach=K\nq", "detach", "K");
	check_option("p --attach=", "attach", NULL);
	check_option("p --attach", "attach", NULL);
	check_option("p --attachment=x --attach=y", "attach", "y");
	check_option("p--attach=x", "attach", NULL);
	check_option("", "attach", NULL);
}

static void
test_pid(void)
{
	CHECK_INT(tc_session_pid(TC_STR("[4711]")), 4711);
	CHECK_INT(tc_session_pid(BYTES("[ 12, 13]")), 12);
	CHECK_INT(tc_session_pid(TC_STR("[]")), 0);
	CHECK_INT(tc_session_pid(TC_STR("[1]")), 0);
	CHECK_INT(tc_session_pid(TC_STR("[-5]")), 0);
	CHECK_INT(tc_session_pid(BYTES("[\"5\"]")), 0);
	CHECK_INT(tc_session_pid((struct tc_str){ 0 }), 0);
	/* More digits than a process can have are no way to another's. */
	CHECK(tc_session_pid(TC_STR("[99999999999999999999]")) < INT32_MAX);
}

static void
test_dest(void)
{
	CHECK_STR(text(tc_session_dest(&arena, TC_STR("a.b.c"), 1)), TC_STR("a.b.c"));
	CHECK_STR(text(tc_session_dest(&arena, TC_STR("a.b.c"), 2)), TC_STR("a.b-2.c"));
	CHECK_STR(text(tc_session_dest(&arena, TC_STR("a"), 3)), TC_STR("a-3"));
	CHECK_STR(text(tc_session_dest(&arena, TC_STR(".a"), 2)), TC_STR(".a-2"));
}

static const struct tc_rec_target_file recording_file = {
	TC_STR_INIT("/data/local/tmp/screen_active.mp4"), { "", 0 }, TC_STR_INIT("screen")
};

static struct tc_rec_target
target(const char *start, const char *stop)
{
	struct tc_rec_target t;

	tc_rec_init(&tc_rec_target, &t);
	t.start = tc_str_of(start);
	t.stop = tc_str_of(stop);
	t.files = (struct tc_rec_list){ &recording_file, 1 };
	return t;
}

static bool
has(const char *whole, const char *part)
{
	return whole && strstr(whole, part) != NULL;
}

static void
test_recording(void)
{
	struct tc_rec_target t = target(
		"\n      screenrecord --bugreport --bit-rate 8M /data/local/tmp/s.mp4 "
		">/dev/null 2>&1 &       echo \"ScreenRecorder started.\"\n      ",
		"pkill -l SIGINT screenrecord");
	struct tc_rec_target other = target("screenrecorder x & echo 'y'", "");
	const char *start = tc_session_start_text(&arena, &t);

	CHECK_STR(text(tc_session_recorder(&arena, &t)),
		TC_STR("--bugreport --bit-rate 8M /data/local/tmp/s.mp4"));
	CHECK(has(start,
		"screenrecord --time-limit 0 --bugreport --bit-rate 8M "
		"/data/local/tmp/s.mp4 >\"$l\" 2>&1 </dev/null & p=$! ;;"));
	CHECK(!has(start, "ScreenRecorder started"));
	CHECK(tc_session_recorder(&arena, &other) == NULL);
	t.files.count = 0;
	CHECK(tc_session_recorder(&arena, &t) == NULL);
	t.files.count = 1;
	/* By its number; without one, as the target says. */
	CHECK(has(tc_session_stop_text(&arena, &t, TC_STR("[77]")), "p=77\n"));
	CHECK(!has(tc_session_stop_text(&arena, &t, TC_STR("[77]")), "pkill"));
	CHECK_STR(text(tc_session_stop_text(&arena, &t, (struct tc_str){ 0 })),
		TC_STR("pkill -l SIGINT screenrecord"));
	CHECK(has(tc_session_alive_text(&arena, &t, TC_STR("[77]")), "/proc/77/"));
	CHECK(tc_session_alive_text(&arena, &t, (struct tc_str){ 0 }) == NULL);
}

static void
test_stop(void)
{
	struct tc_rec_target t = target("x", "");

	CHECK(tc_session_stop_text(&arena, &t, (struct tc_str){ 0 }) == NULL);
	t.stop = BYTES("perfetto --attach=K --stop\necho 'Perfetto trace stopped.'");
	CHECK_STR(text(tc_session_stop_text(&arena, &t, (struct tc_str){ 0 })),
		TC_STR("perfetto --attach=K --stop"));
	CHECK_STR(text(tc_session_alive_text(&arena, &t, (struct tc_str){ 0 })),
		TC_STR("perfetto --is_detached='K' >/dev/null 2>&1; echo $?"));
}

static void
test_duration(void)
{
	struct tc_rec_target t = target("x", "");

	CHECK_INT(tc_session_duration_ms(&t), 0);
	t.config = BYTES("a\nduration_ms: 300\nb");
	CHECK_INT(tc_session_duration_ms(&t), 300);
	t.config = BYTES("a\nduration_ms: 0");
	CHECK_INT(tc_session_duration_ms(&t), 0);
	t.config = BYTES("a\nduration_ms: ");
	CHECK_INT(tc_session_duration_ms(&t), 0);
	t.config = BYTES("not_duration_ms: 5");
	CHECK_INT(tc_session_duration_ms(&t), 0);
	t.config = BYTES("\nduration_ms: 99999999999999999999999999");
	CHECK(tc_session_duration_ms(&t) > 0);
}

static void
test_settings(void)
{
	struct tc_rec_session_setting list[3];
	struct tc_rec_target t = target("su root settings put global a 1\necho 'x'",
		"su root settings put global a 0 && settings put system b 0");
	const struct tc_str setup[] = { TC_STR_INIT(
		"settings put system b 1 && settings put system c 1&&settings put "
		"system d 1") };

	CHECK_INT((int64_t)tc_session_settings(&arena, &t, list, 3), 2);
	CHECK_STR(list[0].space, TC_STR("global"));
	CHECK_STR(list[0].key, TC_STR("a"));
	CHECK_STR(list[1].key, TC_STR("b"));
	/* No more than there is room for. */
	t.setup = (struct tc_rec_list){ setup, 1 };
	CHECK_INT((int64_t)tc_session_settings(&arena, &t, list, 3), 3);
	CHECK_STR(text(tc_session_get_setting(&arena, &list[0])),
		TC_STR("settings get 'system' 'b'"));
	list[0].value = TC_STR("it's");
	CHECK_STR(text(tc_session_put_setting(&arena, &t, &list[0])),
		BYTES("su root settings put 'system' 'b' 'it'\\''s'"));
	t.stop = TC_STR("");
	list[0].value = TC_STR("null");
	CHECK_STR(text(tc_session_put_setting(&arena, &t, &list[0])),
		TC_STR("settings delete 'system' 'b'"));
}

/* Whatever a path is, it is one word. */
static void
test_files(void)
{
	const struct tc_str evil = BYTES("/a b';rm -rf $(x)"), pattern = TC_STR("*.pb");

	CHECK_STR(text(tc_session_find_text(&arena, false, evil, NULL)),
		BYTES("find '/a b'\\'';rm -rf $(x)'"));
	CHECK_STR(text(tc_session_find_text(&arena, true, TC_STR("/a"), &pattern)),
		TC_STR("su root find '/a' -name '*.pb'"));
	CHECK_STR(text(tc_session_find_recording_text(&arena, TC_STR("/t/s.mp4"))),
		TC_STR("find '/t/' -name 's.mp4' -o -name 's.[0-9]*.mp4'"));
	CHECK_STR(text(tc_session_find_recording_text(&arena, TC_STR("/t/s*.mp4"))),
		TC_STR("find '/t/s*.mp4'"));
	CHECK_STR(text(tc_session_copy_text(&arena, false, "/a", "/b")),
		TC_STR("cp -p '/a' '/b' && stat -c %s '/a' '/b'"));
	CHECK_STR(text(tc_session_copy_text(&arena, true, "/a", "/b")),
		TC_STR("su root cp -p '/a' '/b' && su root chmod 644 '/b' && "
		       "su root stat -c %s '/a' '/b'"));
	CHECK_STR(text(tc_session_remove_text(&arena, true, "/a b")),
		TC_STR("su root rm -f '/a b'"));
}

static void
test_prepare(void)
{
	static const char *const confs[] = { "/c f", "/d" };
	struct tc_session_prepare p = { "K'", confs, 2, false };
	const char *made = tc_session_prepare_text(&arena, &p);

	CHECK(has(made, "perfetto --is_detached='K'\\''' "));
	CHECK(has(made, "rm -f '/c f' || exit 1\nrm -f '/d' || exit 1\n"));
	CHECK(has(made, "exit 9; fi"));
	/* Busy is found before anything is touched. */
	CHECK(strstr(made, "exit 9") < strstr(made, "perfetto"));
	CHECK(strstr(made, "perfetto") < strstr(made, "rm -rf"));
	p = (struct tc_session_prepare){ NULL, NULL, 0, true };
	made = tc_session_prepare_text(&arena, &p);
	CHECK(!has(made, "exit 9") && !has(made, "perfetto --"));
	CHECK(has(made, "rm -rf '" TC_SESSION_FOLDER "'"));
}

int
main(void)
{
	test_bare();
	test_option();
	test_pid();
	test_dest();
	test_recording();
	test_stop();
	test_duration();
	test_settings();
	test_files();
	test_prepare();
	tc_arena_release(&arena);
	return check_done();
}
