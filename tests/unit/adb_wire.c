/* adb: heads of messages, packets of the shell, answers about files; cut anywhere. */
#include <stdlib.h>

#include "adb/priv.h"
#include "check.h"
#include "err/err.h"

/* ---- heads ---- */

static void
check_head(struct tc_str bytes, const char *want)
{
	struct tc_adb_head h;
	struct tc_err err = { 0 };
	uint8_t again[TC_ADB_HEAD];

	if (tc_adb_head_get((const uint8_t *)bytes.p, &h, &err) < 0) {
		CHECK_STR(tc_str_of(tc_err_what(&err)), tc_str_of(want));
		return;
	}
	CHECK_STR(TC_STR("ok"), tc_str_of(want));
	tc_adb_head_put(again, &h);
	CHECK_STR(check_text((const char *)again, TC_ADB_HEAD), bytes);
}

static void
test_heads(void)
{
	/* As they were seen: OPEN of sync:, and the host's CNXN. */
	check_head(BYTES("OPEN\1\0\0\0\0\0\0\0\6\0\0\0\0\0\0\0\xb0\xaf\xba\xb1"), "ok");
	check_head(BYTES("CNXN\1\0\0\1\0\0\x10\0\x17\0\0\0\xed\x08\0\0\xbc\xb1\xa7\xb1"),
		"ok");
	/* The payload: 1 MiB at most, and less of a banner. */
	check_head(BYTES("WRTE\1\0\0\0\1\0\0\0\0\0\x10\0\0\0\0\0\xa8\xad\xab\xba"), "ok");
	check_head(BYTES("WRTE\1\0\0\0\1\0\0\0\1\0\x10\0\0\0\0\0\xa8\xad\xab\xba"),
		"protocol");
	check_head(BYTES("CNXN\1\0\0\1\0\0\x10\0\1\x10\0\0\0\0\0\0\xbc\xb1\xa7\xb1"),
		"protocol");
	/* No magic; an unknown command with one. */
	check_head(BYTES("OPEN\1\0\0\0\0\0\0\0\6\0\0\0\0\0\0\0\xb0\xaf\xba\xb0"),
		"protocol");
	check_head(BYTES("\0\0\0\0\1\0\0\0\0\0\0\0\6\0\0\0\0\0\0\0\xff\xff\xff\xff"),
		"protocol");
	CHECK_INT(tc_adb_sum((const uint8_t *)"host::features=shell_v2", 23), 0x8ed);
	CHECK_INT(tc_adb_sum(NULL, 0), 0);
}

static void
check_banner(struct tc_str bytes, const char *state, const char *model, const char *has,
	const char *has_not)
{
	struct tc_adb a = { 0 };

	tc_adb_banner(&a, bytes.p, bytes.len);
	CHECK_STR(tc_str_of(tc_adb_state(&a)), tc_str_of(state));
	CHECK_STR(tc_str_of(tc_adb_model(&a)), tc_str_of(model));
	CHECK(!has || tc_adb_has(&a, has));
	CHECK(!tc_adb_has(&a, has_not));
	free(a.state);
	free(a.model);
	free(a.product);
	free(a.features);
}

static void
test_banner(void)
{
	check_banner(BYTES("device::ro.product.name=p;ro.product.model=A "
			   "b;features=x,shell_v2"),
		"device", "A b", "shell_v2", "shell");
	check_banner(BYTES("device::features=shell_v2\0"), "device", "", "shell_v2", "");
	check_banner(BYTES("device::ro.product.model=a:b=c;features=x;"), "device",
		"a:b=c", "x", "y");
	check_banner(BYTES("device::"), "device", "", NULL, "x");
	check_banner(BYTES("recovery"), "recovery", "", NULL, "x");
	check_banner(BYTES("a:b"), "a", "", NULL, "x");
	check_banner(BYTES(""), "", "", NULL, "x");
	check_banner(BYTES("device::;;=;features;features="), "device", "", NULL, "x");
}

/* ---- packets of the shell ---- */

/* "o:bytes" and so on for each id, one after the other, fed in two parts. */
static struct tc_str
shell_text(const uint8_t *bytes, size_t len, size_t cut, char *text)
{
	struct tc_adb_shell s = { 0 };
	struct tc_adb_shell_piece p;
	size_t at = 0, n, end, used;
	int last = -1;

	for (used = 0; used < len;) {
		end = used < cut ? cut : len;
		used += tc_adb_shell_next(&s, bytes + used, end - used, &p);
		if (!p.len)
			continue;
		if (p.id != last)
			at += (size_t)snprintf(text + at, 8, "%u:", p.id);
		last = p.id;
		for (n = 0; n < p.len; n++)
			text[at++] = (char)p.bytes[n];
	}
	return check_text(text, at);
}

static void
test_shell(void)
{
	static const char bytes[] = "\1\3\0\0\0hi\n\1\0\0\0\0\2\4\0\0\0err\n"
				    "\7\2\0\0\0??\1\1\0\0\0x\3\1\0\0\0\7";
	char text[128];
	size_t cut;

	for (cut = 0; cut < sizeof(bytes); cut++)
		if (!CHECK_STR(shell_text((const uint8_t *)bytes, sizeof(bytes) - 1, cut,
				       text),
			    BYTES("1:hi\n2:err\n7:??1:x3:\7")))
			return;
}

/* ---- answers about files ---- */

/* What comes of these bytes, fed in two parts. */
static const char *
sync_text(enum tc_adb_sync_answer answer, struct tc_str bytes, size_t cut, char *text,
	size_t size)
{
	static const char *const kinds[] = { "", "file", "entry", "data", "done",
		"fail" };
	struct tc_adb_sync s;
	struct tc_adb_sync_item item;
	struct tc_err err = { 0 };
	size_t at = 0, used = 0, end;
	int64_t n;
	int last = 0;

	text[0] = '\0';
	tc_adb_sync_expect(&s, answer);
	while (used < bytes.len) {
		end = used < cut ? cut : bytes.len;
		n = tc_adb_sync_next(
			&s, (const uint8_t *)bytes.p + used, end - used, &item, &err);
		if (n < 0) {
			snprintf(text + at, size - at, "%s", tc_err_what(&err));
			return text;
		}
		used += (size_t)n;
		if (item.kind == TC_ADB_SYNC_MORE)
			continue;
		if ((int)item.kind != last || item.kind != TC_ADB_SYNC_DATA)
			at += (size_t)snprintf(
				text + at, size - at, "%s ", kinds[item.kind]);
		last = (int)item.kind;
		if (item.kind == TC_ADB_SYNC_FILE || item.kind == TC_ADB_SYNC_ENTRY)
			at += (size_t)snprintf(text + at, size - at, "%u %o %llu %lld ",
				item.error, item.st.mode,
				(unsigned long long)item.st.size,
				(long long)item.st.mtime);
		if (item.kind == TC_ADB_SYNC_ENTRY || item.kind == TC_ADB_SYNC_FAIL)
			at += (size_t)snprintf(text + at, size - at, "%s ", item.text);
		if (item.kind == TC_ADB_SYNC_DATA)
			at += (size_t)snprintf(text + at, size - at, "%.*s",
				(int)item.len, (const char *)item.bytes);
	}
	return text;
}

static void
check_sync(enum tc_adb_sync_answer answer, struct tc_str bytes, const char *want)
{
	char text[512];
	size_t cut;

	for (cut = 0; cut <= bytes.len; cut++)
		if (!CHECK_STR(
			    tc_str_of(sync_text(answer, bytes, cut, text, sizeof(text))),
			    tc_str_of(want)))
			return;
}

#define STAT2(mode, size, mtime) \
	"\0\0\0\0" \
	"dddddddd" \
	"iiiiiiii" mode "nnnn" \
	"uuuu" \
	"gggg" size "aaaaaaaa" mtime "cccccccc"
#define ZEROS "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"

static void
test_sync(void)
{
	check_sync(TC_ADB_SYNC_STAT, BYTES("STAT\xa4\x81\0\0\6\0\0\0\1\0\0\0"),
		"file 0 100644 6 1 ");
	check_sync(TC_ADB_SYNC_STAT2,
		BYTES("STA2" STAT2("\xa4\x81\0\0", "\6\0\0\0\1\0\0\0",
			"\xff\xff\xff\xff\xff\xff\xff\xff")),
		"file 0 100644 4294967302 -1 ");
	check_sync(TC_ADB_SYNC_STAT2, BYTES("STA2\2\0\0\0" ZEROS ZEROS ZEROS ZEROS),
		"file 2 0 0 0 ");
	check_sync(TC_ADB_SYNC_LIST,
		BYTES("DENT\xff\x41\0\0\0\0\0\0\1\0\0\0\1\0\0\0."
		      "DENT\xa4\x81\0\0\6\0\0\0\1\0\0\0\2\0\0\0ab"
		      "DONE" ZEROS),
		"entry 0 40777 0 1 . entry 0 100644 6 1 ab done ");
	check_sync(TC_ADB_SYNC_LIST2,
		BYTES("DNT2" STAT2("\xa4\x81\0\0", "\6\0\0\0\0\0\0\0",
			"\1\0\0\0\0\0\0\0") "\2\0\0\0ab"
					    "DONE" ZEROS ZEROS ZEROS ZEROS
					    "\0\0\0\0\0\0\0\0"),
		"entry 0 100644 6 1 ab done ");
	check_sync(TC_ADB_SYNC_RECV,
		BYTES("DATA\3\0\0\0abcDATA\0\0\0\0DATA\1\0\0\0dDONE\0\0\0\0"),
		"data abcddone ");
	check_sync(TC_ADB_SYNC_SEND, BYTES("OKAY\0\0\0\0"), "done ");
	check_sync(TC_ADB_SYNC_RECV, BYTES("DATA\3\0\0\0abcFAIL\4\0\0\0text"),
		"data abcfail text ");
	check_sync(TC_ADB_SYNC_STAT2, BYTES("FAIL\0\0\0\0"), "fail  ");
	/* What was not asked for; a piece, and a name, that is too long. */
	check_sync(TC_ADB_SYNC_RECV, BYTES("STAT"), "protocol");
	check_sync(TC_ADB_SYNC_STAT, BYTES("STA2"), "protocol");
	check_sync(TC_ADB_SYNC_STAT2, BYTES("DONE"), "protocol");
	check_sync(TC_ADB_SYNC_RECV, BYTES("DATA\0\0\1\0"), "");
	check_sync(TC_ADB_SYNC_RECV, BYTES("DATA\1\0\1\0"), "protocol");
	check_sync(TC_ADB_SYNC_LIST, BYTES("DENT" ZEROS), "protocol");
	/* Names that are no names. */
	check_sync(TC_ADB_SYNC_LIST, BYTES("DENT\0\0\0\0\0\0\0\0\0\0\0\0\3\0\0\0a/b"),
		"protocol");
	check_sync(TC_ADB_SYNC_LIST, BYTES("DENT\0\0\0\0\0\0\0\0\0\0\0\0\3\0\0\0a\0b"),
		"protocol");
	check_sync(TC_ADB_SYNC_LIST, BYTES("DENT\0\0\0\0\0\0\0\0\0\0\0\0\1\4\0\0"),
		"protocol");
}

/* A long failure is told as far as there is room, and its end is found. */
static void
test_long_failure(void)
{
	static uint8_t bytes[8 + 3000] = "FAIL";
	struct tc_adb_sync s;
	struct tc_adb_sync_item item;
	struct tc_err err = { 0 };

	memset(bytes + 8, 'x', 3000);
	tc_adb_put32(bytes + 4, 3000);
	tc_adb_sync_expect(&s, TC_ADB_SYNC_RECV);
	CHECK_INT(tc_adb_sync_next(&s, bytes, sizeof(bytes), &item, &err), sizeof(bytes));
	CHECK_INT(item.kind, TC_ADB_SYNC_FAIL);
	CHECK_INT(strlen(item.text), TC_ADB_SYNC_TEXT_MAX);
}

int
main(void)
{
	test_heads();
	test_banner();
	test_shell();
	test_sync();
	test_long_failure();
	return check_done();
}
