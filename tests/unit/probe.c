/* probe: what is read out of each command's output, and out of what is none. */
#include "probe/priv.h"

#include <stdlib.h>

#include "check.h"
#include "pb/pb.h"

static const struct tc_str none = { NULL, 0, false };

static void
test_words_and_lines(void)
{
	struct tc_str text = BYTES("a\r\n\r\n  b\tc \0\nlast"), line;

	CHECK(tc_probe_line(&text, &line));
	CHECK_STR(line, TC_STR("a"));
	CHECK(tc_probe_line(&text, &line));
	CHECK_INT(line.len, 0);
	CHECK(tc_probe_line(&text, &line));
	CHECK_STR(tc_probe_word(&line), TC_STR("b"));
	CHECK_STR(tc_probe_trim(line), TC_STR("c"));
	CHECK_STR(tc_probe_word(&line), TC_STR("c"));
	CHECK_INT(tc_probe_word(&line).len, 0);
	CHECK(tc_probe_line(&text, &line));
	CHECK_STR(line, TC_STR("last"));
	CHECK(!tc_probe_line(&text, &line));
}

static void
test_number(void)
{
	CHECK_INT(tc_probe_number(BYTES("0\r\n")), 0);
	CHECK_INT(tc_probe_number(BYTES(" 2000 ")), 2000);
	CHECK_INT(tc_probe_number(BYTES("9223372036854775807")), INT64_MAX);
	CHECK_INT(tc_probe_number(BYTES("9223372036854775808")), -1);
	CHECK_INT(tc_probe_number(BYTES("")), -1);
	CHECK_INT(tc_probe_number(BYTES("\r\n")), -1);
	CHECK_INT(tc_probe_number(BYTES("-1")), -1);
	CHECK_INT(tc_probe_number(BYTES("0x0")), -1);
	CHECK_INT(tc_probe_number(BYTES("0 0")), -1);
	CHECK_INT(tc_probe_number(BYTES("su: 0")), -1);
}

static void
test_prop(void)
{
	const struct tc_str text = BYTES("[a.b]: [1]\n[a]: [x] y]\r\n[empty]: []\n"
					 "[blank]: [ \n ]\n[two]: [line one\n[a.b]: 2\n"
					 "line three]\n[twice]: [1]\n[twice]: [2]\n"
					 "[open]: [no end\n");

	CHECK_STR(tc_probe_prop(text, "a.b"), TC_STR("1"));
	CHECK_STR(tc_probe_prop(text, "a"), TC_STR("x] y"));
	CHECK_STR(tc_probe_prop(text, "empty"), none);
	CHECK_STR(tc_probe_prop(text, "blank"), none);
	CHECK_STR(tc_probe_prop(text, "two"), BYTES("line one\n[a.b]: 2\nline three"));
	CHECK_STR(tc_probe_prop(text, "twice"), TC_STR("1"));
	CHECK_STR(tc_probe_prop(text, "open"), none);
	CHECK_STR(tc_probe_prop(text, "a.bb"), none);
	CHECK_STR(tc_probe_prop(BYTES(""), "a"), none);
	CHECK_STR(tc_probe_prop(BYTES("[a]: ["), "a"), none);
}

/* ---- displays ---- */

/* Both forms that devices print, and a virtual one. */
static void
test_displays(void)
{
	const struct tc_str text = BYTES(
		"Display 4619827259835644672 (HWC display 0): port=0 pnpId=GGL "
		"displayName=\"EMU_display_0\"\r\n"
		"Display 4619827551948147201 (HWC display 1): port=1 pnpId=GGL "
		"screenPartStatus=UNSUPPORTED displayName=\"EMU \"display\" 1\"\n"
		"Display 4630946165277524611 (HWC display 0): port=131\n"
		"Display 4630946165277524612 (HWC display 0): displayName=\"\"\n"
		"Display 11529215048785374281 (Virtual display): displayName=\"Luwi\"");
	struct tc_arena arena = { 0 };
	const struct tc_rec_device_display *d;
	struct tc_rec_list list = { NULL, 0 };

	CHECK_INT(tc_probe_displays(text, &arena, &list), 0);
	if (CHECK_INT(list.count, 5)) {
		d = list.items;
		CHECK_STR(d[0].id, TC_STR("4619827259835644672"));
		CHECK_STR(d[0].name, TC_STR("EMU_display_0"));
		CHECK_STR(d[1].name, BYTES("EMU \"display\" 1"));
		CHECK_STR(d[2].id, TC_STR("4630946165277524611"));
		CHECK_STR(d[2].name, none);
		CHECK_STR(d[3].name, none);
		CHECK_STR(d[4].id, TC_STR("11529215048785374281"));
		CHECK_STR(d[4].name, TC_STR("Luwi"));
	}
	tc_arena_release(&arena);
}

static void
check_displays(struct tc_str text, int64_t want)
{
	struct tc_arena arena = { 0 };
	struct tc_rec_list list = { NULL, 0 };
	int r = tc_probe_displays(text, &arena, &list);

	CHECK_INT(r < 0 ? -1 : (int64_t)list.count, want);
	tc_arena_release(&arena);
}

static void
test_no_displays(void)
{
	check_displays(BYTES(""), 0);
	check_displays(BYTES(" \n"), 0);
	check_displays(BYTES("Can't find service: SurfaceFlinger\n"), -1);
	check_displays(BYTES("Failed to get display\n"), -1);
	check_displays(BYTES("Display x (HWC display 0):\n"), -1);
	check_displays(BYTES("Display 12x (HWC display 0):\n"), -1);
	check_displays(BYTES("Display \n"), -1);
	/* 2^64 is one too many. */
	check_displays(BYTES("Display 18446744073709551615 (a): \n"), 1);
	check_displays(BYTES("Display 18446744073709551616 (a): \n"), -1);
	check_displays(BYTES("warning\nDisplay 7\n"), 1);
	check_displays(BYTES("Display 7 (a): displayName=\"open\n"), 1);
}

static void
test_too_many_displays(void)
{
	static char text[16 * (TC_PROBE_MAX_ITEMS + 1)];
	char *p = text;
	int i;

	for (i = 0; i <= TC_PROBE_MAX_ITEMS; i++) {
		memcpy(p, "Display 7 (a):\n", 15);
		p += 15;
	}
	check_displays(check_text(text, (size_t)(p - text)), -1);
	check_displays(check_text(text, (size_t)(p - text) - 15), TC_PROBE_MAX_ITEMS);
}

/* ---- versions, services, groups ---- */

static void
test_screenrecord(void)
{
	CHECK_STR(tc_probe_screenrecord(BYTES("1.4\r\n")), TC_STR("1.4"));
	CHECK_STR(tc_probe_screenrecord(BYTES("1.10\n")), TC_STR("1.10"));
	CHECK_STR(tc_probe_screenrecord(
			  BYTES("screenrecord: unrecognized option '--version'\n"
				"Usage: screenrecord [options] <filename>\n\n"
				"Android screenrecord v1.2.  Records the device's\n")),
		TC_STR("1.2"));
	CHECK_STR(tc_probe_screenrecord(BYTES("v10.20.30")), TC_STR("10.20.30"));
	CHECK_STR(tc_probe_screenrecord(BYTES("v1..2")), TC_STR("1"));
	CHECK_STR(tc_probe_screenrecord(BYTES("")), none);
	CHECK_STR(tc_probe_screenrecord(BYTES("\n")), none);
	CHECK_STR(tc_probe_screenrecord(BYTES(".")), none);
	CHECK_STR(tc_probe_screenrecord(BYTES("1.4 and more")), none);
	CHECK_STR(tc_probe_screenrecord(BYTES("v")), none);
	CHECK_STR(tc_probe_screenrecord(BYTES("--version")), none);
}

static void
test_service_found(void)
{
	CHECK_INT(tc_probe_service_found(BYTES("Service Wayland: found\r\n")), 1);
	CHECK_INT(tc_probe_service_found(BYTES("Service Wayland: not found\n")), 0);
	CHECK_INT(tc_probe_service_found(BYTES("")), -1);
	CHECK_INT(tc_probe_service_found(BYTES("service: Permission denied")), -1);
}

static void
check_groups(struct tc_str text, int64_t want, struct tc_str last)
{
	struct tc_arena arena = { 0 };
	struct tc_rec_list list = { NULL, 0 };
	int r = tc_probe_protolog(text, &arena, &list);
	const struct tc_str *all = list.items;

	CHECK_INT(r < 0 ? -1 : (int64_t)list.count, want);
	if (list.count)
		CHECK_STR(all[list.count - 1], last);
	tc_arena_release(&arena);
}

static void
test_protolog(void)
{
	check_groups(BYTES("ProtoLog groups registered with service:\r\n- WM_A\r\n- WM_B "
			   "C\r\n"),
		2, BYTES("WM_B C"));
	check_groups(BYTES("\nProtoLog groups registered with service:\n"), 0, none);
	check_groups(BYTES("ProtoLog groups registered with service:\n-\n- \nx\n- A"), 1,
		TC_STR("A"));
	check_groups(BYTES("- WM_A\n"), -1, none);
	check_groups(BYTES(""), -1, none);
	check_groups(BYTES("cmd: Can't find service: protolog_configuration"), -1, none);
}

/* ---- free space ---- */

static void
test_free(void)
{
	const struct tc_str text = BYTES(
		"10 4096 /a\r\nstat: '/b': Permission denied\ndf /b\n"
		"Filesystem      1K-blocks    Used Available Use% Mounted on\n"
		"/dev/block/dm-5  114380000 9300000 105080000   9% /data\n"
		"df /c\ndf: '/c': No such file or directory\n7 1 /d\n"
		"df /e\nFilesystem           1K-blocks Used Available Use% Mounted on\n"
		"/dev/block/by-name/userdata-with-a-long-name\n"
		"                     100 20 80 20% /data\n");

	CHECK_INT(tc_probe_free(text, "/a"), 40960);
	CHECK_INT(tc_probe_free(text, "/b"), 105080000LL * 1024);
	CHECK_INT(tc_probe_free(text, "/c"), -1);
	CHECK_INT(tc_probe_free(text, "/d"), 7);
	CHECK_INT(tc_probe_free(text, "/e"), 80 * 1024);
	CHECK_INT(tc_probe_free(text, "/"), -1);
	CHECK_INT(tc_probe_free(BYTES(""), "/a"), -1);
}

static void
test_free_that_is_none(void)
{
	CHECK_INT(tc_probe_free(BYTES("0 4096 /a"), "/a"), 0);
	CHECK_INT(tc_probe_free(BYTES("? 4096 /a"), "/a"), -1);
	CHECK_INT(tc_probe_free(BYTES("-1 4096 /a"), "/a"), -1);
	CHECK_INT(tc_probe_free(BYTES("9223372036854775807 2 /a"), "/a"), -1);
	CHECK_INT(tc_probe_free(BYTES("10 4096 /a/b"), "/a"), -1);
	CHECK_INT(tc_probe_free(BYTES("df /a\nFilesystem Size Used Avail Use% Mounted "
				      "on\n/dev 1G 1K 1G 1% /data\n"),
			  "/a"),
		-1);
	CHECK_INT(tc_probe_free(BYTES("df /a\nFilesystem 1K-blocks Used\n"), "/a"), -1);
	CHECK_INT(
		tc_probe_free(BYTES("df /a\nFilesystem 1K-blocks Used\n9% x"), "/a"), -1);
	CHECK_INT(tc_probe_free(BYTES("df /a\nFilesystem 1K-blocks Used\n"
				      "9223372036854775807 9% x"),
			  "/a"),
		-1);
}

/* ---- the tracing service ---- */

struct wanted {
	struct tc_str version;
	int64_t sources, sessions, own, total;
	bool is_for_people;
};

static void
check_service(struct tc_str out, int64_t uid, struct wanted want)
{
	struct tc_arena arena = { 0 };
	struct tc_probe_service s;

	if (CHECK_INT(tc_probe_service(out, uid, &arena, &s), 0)) {
		CHECK_STR(s.rec.version, want.version);
		CHECK_INT(s.rec.data_sources.count, want.sources);
		CHECK_INT(s.rec.sessions, want.sessions);
		CHECK_INT(s.rec.own_session, want.own);
		CHECK_INT(s.total, want.total);
		CHECK_INT(s.is_for_people, want.is_for_people);
	}
	tc_arena_release(&arena);
}

static void
check_no_service(struct tc_str out)
{
	struct tc_arena arena = { 0 };
	struct tc_probe_service s;

	CHECK_INT(tc_probe_service(out, 2000, &arena, &s), -1);
	tc_arena_release(&arena);
}

#define HEAD \
	"\x1b[31mNot meant for machine consumption. Use --query-raw for " \
	"scripts.\x1b[0m\n\nService: Perfetto v38.0 (N/A)\n" \
	"Tracing sessions: 4 (started: 2)\n\n\nPRODUCER PROCESSES CONNECTED:\n\n" \
	"ID     PID      UID      FLAGS  NAME                                       " \
	"SDK\n" \
	"==     ===      ===      =====  ====                                       " \
	"===\n" \
	"1      701      1000            android.surfaceflinger.layers              x\n" \
	"\n\nDATA SOURCES REGISTERED:\n\n" \
	"NAME                                     PRODUCER                     " \
	"DETAILS\n" \
	"===                                      ========                     " \
	"========\n"
#define SOURCES \
	"linux.ftrace                             traced_probes (1)   \n" \
	"linux.ftrace                             other (2)   \n" \
	"track_event                              app (3)    linux.sys_stats\n"
#define SESSIONS \
	"\n\nTRACING SESSIONS:\n\n" \
	"ID      UID     STATE      BUF (#) KB   DUR (s)   #DS  STARTED  NAME\n" \
	"===     ===     =====      ==========   =======   ===  =======  ====\n"

static void
test_query_text(void)
{
	/* Another uid's, one that is over, a copy, one with our name in its own. */
	check_service(BYTES(HEAD SOURCES SESSIONS
			      "1       2000    STARTED    (1) 500000   0         2    "
			      "02:15:43 winscope proxy perfetto tracing\n"
			      "2       2000    STARTED    (1) 8        0         2    "
			      "00:00:00 not winscope proxy perfetto tracing\n"
			      "3       0       STARTED    (1) 8        0         2    "
			      "00:00:00 a\n"
			      "4       2000    DISABLED   (1) 8        0         2    "
			      "00:00:00 b\n"
			      "5       2000    CLONED_READ_ONLY (1) 8  0         2    "
			      "00:00:00 c\n"
			      "6       2000    CONFIGURED (2) 8        0         2    "
			      "00:00:00 \n"
			      "\nNOTE: Some tracing sessions are not reported in the "
			      "list above.\n"),
		2000, (struct wanted){ TC_STR("v38.0"), 2, 2, 1, 4, true });
	check_service(BYTES(HEAD SOURCES SESSIONS), 2000,
		(struct wanted){ TC_STR("v38.0"), 2, 0, 0, 4, true });
	/* Where the list of sessions has another form, nothing is known of them. */
	check_service(BYTES(HEAD SOURCES), 2000,
		(struct wanted){ TC_STR("v38.0"), 2, TC_NONE, TC_NONE, 4, true });
	check_service(BYTES(HEAD "\n\nTRACING SESSIONS:\n\nID UID NAME\n=== === ===\n"
				 "1 2000 a\n"),
		2000, (struct wanted){ TC_STR("v38.0"), 0, TC_NONE, TC_NONE, 4, true });
	check_no_service(BYTES(""));
	check_no_service(BYTES("DATA SOURCES REGISTERED:\n"));
	check_no_service(BYTES("Could not connect to the traced socket\n"));
	check_no_service(BYTES("linux.ftrace android.surfaceflinger.layers\n"));
}

static void
put_text(struct tc_pb_buf *b, uint32_t field, struct tc_str s)
{
	tc_pb_put_bytes(b, field, s.p, s.len);
}

static void
put_source(struct tc_pb_buf *b, struct tc_str name)
{
	struct tc_pb_buf descriptor = { 0 }, source = { 0 };

	put_text(&descriptor, 1, name);
	tc_pb_put_bytes(&source, 1, descriptor.bytes, descriptor.len);
	tc_pb_put_number(&source, 2, 1);
	tc_pb_put_bytes(b, 2, source.bytes, source.len);
	tc_pb_buf_release(&descriptor);
	tc_pb_buf_release(&source);
}

static void
put_session(struct tc_pb_buf *b, uint64_t uid, struct tc_str state, struct tc_str name)
{
	struct tc_pb_buf session = { 0 };

	tc_pb_put_number(&session, 1, 1);
	tc_pb_put_number(&session, 2, uid);
	put_text(&session, 3, state);
	put_text(&session, 4, name);
	tc_pb_put_number(&session, 11, 1);
	tc_pb_put_bytes(b, 6, session.bytes, session.len);
	tc_pb_buf_release(&session);
}

static struct tc_str
text_of(const struct tc_pb_buf *b)
{
	return check_text((const char *)b->bytes, b->len);
}

static void
test_query_raw(void)
{
	const struct tc_str ours = TC_STR("winscope proxy perfetto tracing");
	struct tc_pb_buf b = { 0 };

	put_source(&b, TC_STR("linux.ftrace"));
	put_source(&b, TC_STR("linux.ftrace"));
	put_source(&b, BYTES("linux.ftrace\0"));
	put_source(&b, TC_STR(""));
	put_session(&b, 0, TC_STR("STARTED"), TC_STR("a"));
	put_session(&b, 2000, TC_STR("STARTED"), TC_STR("a"));
	put_session(&b, 2000, TC_STR("STOP_WAIT"), BYTES("winscope proxy perfetto\0"));
	put_session(&b, 2000, TC_STR("DISABLED"), TC_STR("a"));
	tc_pb_put_number(&b, 3, 17);
	put_text(&b, 5, TC_STR("Perfetto v57.2 (N/A)"));
	/* It does not say that it tells sessions: none may be all or none. */
	check_service(text_of(&b), 2000,
		(struct wanted){ TC_STR("v57.2"), 2, TC_NONE, TC_NONE, 17, false });
	tc_pb_put_number(&b, 7, 1);
	check_service(text_of(&b), 2000,
		(struct wanted){ TC_STR("v57.2"), 2, 2, 0, 17, false });
	check_service(
		text_of(&b), 0, (struct wanted){ TC_STR("v57.2"), 2, 1, 0, 17, false });
	check_service(
		text_of(&b), -1, (struct wanted){ TC_STR("v57.2"), 2, 3, 0, 17, false });
	put_session(&b, 0, TC_STR("STARTED"), ours);
	check_service(text_of(&b), 2000,
		(struct wanted){ TC_STR("v57.2"), 2, 2, 1, 17, false });
	/* Cut off anywhere it is none, or says less; never is a byte beyond read. */
	for (size_t n = 0; n < b.len; n++) {
		struct tc_arena arena = { 0 };
		struct tc_probe_service s;
		char *copy = malloc(n ? n : 1);

		memcpy(copy, b.bytes, n);
		if (tc_probe_service(check_text(copy, n), 2000, &arena, &s) == 0)
			CHECK(s.rec.data_sources.count <= 2);
		tc_arena_release(&arena);
		free(copy);
	}
	tc_pb_buf_release(&b);
}

static void
test_query_too_long(void)
{
	struct tc_pb_buf b = { 0 };
	char name[32];
	int i;

	for (i = 0; i <= TC_PROBE_MAX_ITEMS; i++) {
		snprintf(name, sizeof(name), "source %d", i);
		put_source(&b, tc_str_of(name));
	}
	check_no_service(text_of(&b));
	tc_pb_buf_release(&b);
}

/* ---- all together ---- */

struct device {
	struct tc_probe_answer answers[TC_PROBE_QUESTIONS];
	struct tc_probe_learnt l;
	struct tc_arena arena;
};

/* A device whose every command hangs, until answers are put in. */
static void
init(struct device *d)
{
	int q;

	memset(d, 0, sizeof(*d));
	for (q = 0; q < TC_PROBE_QUESTIONS; q++)
		d->answers[q] = (struct tc_probe_answer){ .out = TC_STR(""),
			.err = TC_STR(""),
			.code = TC_STR("timed_out"),
			.text = TC_STR("it does not end") };
}

static void
answer(struct device *d, enum tc_probe_question q, int status, struct tc_str out,
	struct tc_str err)
{
	d->answers[q] = (struct tc_probe_answer){ true, status, out, err, none, none };
}

static void
learn(struct device *d)
{
	tc_arena_reset(&d->arena);
	memset(&d->l, 0, sizeof(d->l));
	d->l.arena = &d->arena;
	tc_rec_init(&tc_rec_device, &d->l.rec);
	d->l.rec.device = TC_STR("adb:x");
	tc_probe_learn(&d->l, d->answers);
}

/* Whether there is a notice of this code, with this in its text. */
static bool
has_notice(const struct device *d, struct tc_str code, const char *part)
{
	size_t i;

	for (i = 0; i < d->l.notice_count; i++)
		if (tc_str_eq(d->l.notices[i].code, code) &&
			tc_probe_has(d->l.notices[i].text, part))
			return true;
	return false;
}

static void
test_nothing_known(void)
{
	struct device d;

	init(&d);
	learn(&d);
	CHECK_INT(d.l.rec.sdk, TC_NONE);
	CHECK_STR(d.l.rec.root, none);
	CHECK(!d.l.rec.displays.items && !d.l.rec.free.items && !d.l.rec.perfetto);
	CHECK(!d.l.rec.protolog_groups.items);
	CHECK_STR(d.l.rec.screenrecord, none);
	CHECK_INT(d.l.rec.wayland, TC_NONE);
	CHECK_INT(d.l.notice_count, 8);
	CHECK(has_notice(&d, TC_STR("timed_out"), "root is not known: id -u"));
	CHECK(has_notice(&d, TC_STR("timed_out"), "displays are not known"));
	tc_arena_release(&d.arena);
}

static void
check_root(struct device *d, struct tc_str want)
{
	learn(d);
	CHECK_STR(d->l.rec.root, want);
}

static void
test_root(void)
{
	struct device d;

	init(&d);
	answer(&d, TC_PROBE_SU, 0, BYTES("0\r\n"), BYTES(""));
	check_root(&d, TC_STR("su"));
	answer(&d, TC_PROBE_UID, 0, BYTES("0\n"), BYTES(""));
	check_root(&d, TC_STR("adbd"));
	answer(&d, TC_PROBE_UID, 0, BYTES("2000\n"), BYTES(""));
	check_root(&d, TC_STR("su"));
	/* What su says with another status than 0 is not its answer. */
	answer(&d, TC_PROBE_SU, 1, BYTES("0\n"), BYTES("su: denied\n"));
	check_root(&d, TC_STR("none"));
	CHECK(has_notice(&d, TC_STR("su_denied"), "status 1: su: denied"));
	answer(&d, TC_PROBE_SU, 0, BYTES(""), BYTES(""));
	check_root(&d, TC_STR("none"));
	answer(&d, TC_PROBE_SU, 0, BYTES("2000\n"), BYTES(""));
	check_root(&d, TC_STR("none"));
	answer(&d, TC_PROBE_SU, 127, BYTES(""),
		BYTES("/system/bin/sh: su: inaccessible or not found\n"));
	check_root(&d, TC_STR("none"));
	CHECK(has_notice(&d, TC_STR("no_su"), "no su"));
	/* Where it is not known who asks, adbd itself may be root. */
	answer(&d, TC_PROBE_UID, 1, BYTES(""), BYTES("id: broken"));
	check_root(&d, none);
	CHECK(has_notice(&d, TC_STR("failed"), "id: broken"));
	tc_arena_release(&d.arena);
}

static void
test_perfetto(void)
{
	struct device d;

	init(&d);
	answer(&d, TC_PROBE_UID, 0, BYTES("2000\n"), BYTES(""));
	answer(&d, TC_PROBE_PERFETTO, 127, BYTES(""),
		BYTES("sh: perfetto: inaccessible or not found"));
	learn(&d);
	CHECK(has_notice(&d, TC_STR("no_perfetto"), ""));
	answer(&d, TC_PROBE_PERFETTO, 1, BYTES(""),
		BYTES("[123.456]  perfetto_cmd.cc:1 Could not connect to the traced "
		      "socket /dev/socket/traced_consumer"));
	learn(&d);
	CHECK(has_notice(&d, TC_STR("no_traced"), "no tracing service"));
	answer(&d, TC_PROBE_PERFETTO, 0, BYTES("\x0a\xffnonsense"), BYTES(""));
	learn(&d);
	CHECK(!d.l.rec.perfetto);
	CHECK(has_notice(&d, TC_STR("unreadable"), "Perfetto"));
	answer(&d, TC_PROBE_PERFETTO, 0,
		BYTES(HEAD SOURCES SESSIONS
			"1 0 STARTED (1) 8 0 2 02:15:43 winscope proxy perfetto "
			"tracing\n"),
		BYTES(""));
	learn(&d);
	CHECK(d.l.rec.perfetto && d.l.rec.perfetto->own_session == 1);
	CHECK(has_notice(&d, TC_STR("query_text"), "--query"));
	CHECK(has_notice(&d, TC_STR("leftover_session"), ""));
	tc_arena_release(&d.arena);
}

int
main(void)
{
	test_words_and_lines();
	test_number();
	test_prop();
	test_displays();
	test_no_displays();
	test_too_many_displays();
	test_screenrecord();
	test_service_found();
	test_protolog();
	test_free();
	test_free_that_is_none();
	test_query_text();
	test_query_raw();
	test_query_too_long();
	test_nothing_known();
	test_root();
	test_perfetto();
	return check_done();
}
