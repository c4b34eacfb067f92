/* adb: requests to a server, its answers, and its lists of devices. */
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "adb/priv.h"
#include "check.h"
#include "err/err.h"

static const char *
word(const struct tc_err *err)
{
	return err->code ? tc_err_what(err) : "ok";
}

static void
check_word(const struct tc_err *err, const char *want)
{
	CHECK_STR(tc_str_of(word(err)), tc_str_of(want));
}

/* ---- framing: a server that has said all this before it is asked ---- */

static struct tc_err
ask(struct tc_str reply, const char *request, struct tc_str sent)
{
	struct tc_wait w = tc_wait_for(5000);
	struct tc_err err = { 0 };
	char got[128];
	int r, fds[2];
	ssize_t n;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds) < 0)
		abort();
	CHECK_INT(write(fds[1], reply.p, reply.len), reply.len);
	shutdown(fds[1], SHUT_WR);
	r = tc_adb_request(fds[0], request, &w, &err);
	CHECK_INT(r, err.code ? -1 : 0);
	n = recv(fds[1], got, sizeof(got), MSG_DONTWAIT);
	CHECK_STR(check_text(got, n > 0 ? (size_t)n : 0), sent);
	close(fds[0]);
	close(fds[1]);
	return err;
}

static void
test_request(void)
{
	static const struct {
		const char *reply, *word;
	} cases[] = {
		{ "OKAY", "ok" },
		{ "FAIL0006closed", "refused" },
		{ "FAIL001ano devices/emulators found", "not_found" },
		{ "FAIL0016device 'zzz' not found", "not_found" },
		{ "FAIL001Dmore than one device/emulator", "ambiguous" },
		{ "FAIL0014unknown host service", "unsupported" },
		{ "FAIL0018device still authorizing", "busy" },
		{ "FAIL0014device unauthorized.", "unauthorized" },
		{ "FAIL000edevice offline", "offline" },
		{ "FAIL0003odd", "failed" },
		{ "FAIL0000", "failed" },
		{ "", "gone" },
		{ "FAIL", "gone" },
		{ "OKA", "protocol" },
		{ "HTTP", "protocol" },
		{ "FAIL00x6closed", "protocol" },
		{ "FAIL0006clos", "protocol" },
	};
	struct tc_err err;
	size_t i;

	for (i = 0; i < CHECK_ITEMS(cases); i++) {
		err = ask(tc_str_of(cases[i].reply), "host:version",
			TC_STR("000chost:version"));
		check_word(&err, cases[i].word);
	}
}

static void
test_hex(void)
{
	CHECK_INT(tc_adb_hex4((const uint8_t *)"00fF"), 255);
	CHECK_INT(tc_adb_hex4((const uint8_t *)"ffff"), 65535);
	CHECK_INT(tc_adb_hex4((const uint8_t *)"00g0"), -1);
	CHECK_INT(tc_adb_hex4((const uint8_t *)"+001"), -1);
}

/* ---- lists ---- */

static void
test_list(void)
{
	struct tc_arena arena = { 0 };
	struct tc_adb_info *list;
	size_t count;

	tc_adb_server_parse(
		TC_STR("A1\tdevice\nA\tno permissions (user in plugdev group); see "
		       "[http://x]\n127.0.0.1:26555\toffline\nlast\tdevice"),
		TC_STR("A1                     device usb:1-4 product:p model:M_8 "
		       "device:d transport_id:1\n"
		       "A                      no permissions (user in plugdev group); "
		       "see [http://x] usb:1-5 transport_id:2\n"
		       "127.0.0.1:26555        offline transport_id:3\n"),
		&arena, &list, &count);
	CHECK_INT(count, 4);
	CHECK_STR(tc_str_of(list[0].serial), TC_STR("A1"));
	CHECK_STR(tc_str_of(list[0].state), TC_STR("device"));
	CHECK_STR(tc_str_of(list[0].product), TC_STR("p"));
	CHECK_STR(tc_str_of(list[0].model), TC_STR("M_8"));
	CHECK_STR(tc_str_of(list[0].device), TC_STR("d"));
	CHECK_STR(tc_str_of(list[1].serial), TC_STR("A"));
	CHECK_STR(tc_str_of(list[1].state),
		TC_STR("no permissions (user in plugdev group); see [http://x]"));
	CHECK(!list[1].model);
	CHECK_STR(tc_str_of(list[2].serial), TC_STR("127.0.0.1:26555"));
	CHECK_STR(tc_str_of(list[3].serial), TC_STR("last"));
	CHECK(!list[3].model);
	tc_adb_server_parse(TC_STR(""), TC_STR(""), &arena, &list, &count);
	CHECK_INT(count, 0);
	tc_adb_server_parse(
		TC_STR("\n\nno tab\n\t\n"), TC_STR("\n"), &arena, &list, &count);
	CHECK_INT(count, 1);
	tc_arena_release(&arena);
}

/* ---- where it is ---- */

/* HOST PORT PATH of what the environment says, or the name of the error. */
static void
check_where(const char *socket, const char *host, const char *port, const char *want)
{
	struct tc_adb_server s;
	struct tc_err err = { 0 };
	char got[512];

	setenv("ADB_SERVER_SOCKET", socket, 1);
	setenv("ANDROID_ADB_SERVER_ADDRESS", host, 1);
	setenv("ANDROID_ADB_SERVER_PORT", port, 1);
	if (tc_adb_server_get(&s, &err) < 0)
		snprintf(got, sizeof(got), "%s", word(&err));
	else
		snprintf(got, sizeof(got), "%s %s %s%s", s.host, s.is_local ? "" : s.port,
			s.is_abstract ? "@" : "", s.path);
	CHECK_STR(tc_str_of(got), tc_str_of(want));
}

static void
test_where(void)
{
	check_where("", "", "", " 5037 ");
	check_where("", "localhost", "65535", " 65535 ");
	check_where("", "10.0.0.1", "", "10.0.0.1 5037 ");
	check_where("", "", "65536", "usage");
	check_where("", "", "x", "usage");
	check_where("", "", "+1", "usage");
	check_where("tcp:7", "10.0.0.1", "8", " 7 ");
	check_where("tcp:host:7", "", "", "host 7 ");
	check_where("tcp:[::1]:7", "", "", "::1 7 ");
	check_where("tcp:[::1]", "", "", "usage");
	check_where("localfilesystem:/a/b", "", "", "  /a/b");
	check_where("localabstract:b", "", "", "  @b");
	check_where("vsock:7", "", "", "usage");
}

int
main(void)
{
	test_hex();
	test_request();
	test_list();
	test_where();
	return check_done();
}
