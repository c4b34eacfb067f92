/*
 * Fuzz target of adb: any bytes as what a device says. The first byte chooses to
 * whom: the shell's packets, the answers about files, or a whole connection.
 */
#include "fuzz.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "adb/priv.h"
#include "err/err.h"

/* Sums up what was said, so that two ways to read it can be compared. */
static void
note(uint64_t *sum, const void *bytes, size_t len)
{
	const uint8_t *p = bytes;

	while (len--)
		*sum = (*sum ^ *p++) * 0x100000001b3u;
}

static uint64_t
read_shell(const uint8_t *bytes, size_t len, size_t step)
{
	struct tc_adb_shell s = { 0 };
	struct tc_adb_shell_piece p;
	uint64_t sum = 1;
	size_t used = 0, n, i;

	while (used < len) {
		n = len - used < step ? len - used : step;
		i = tc_adb_shell_next(&s, bytes + used, n, &p);
		FUZZ_DEMAND(i > 0 && i <= n);
		FUZZ_DEMAND(p.len ? p.bytes >= bytes + used &&
					p.bytes + p.len == bytes + used + i
				  : i == n);
		used += i;
		for (i = 0; i < p.len; i++) {
			note(&sum, &p.id, 1);
			note(&sum, p.bytes + i, 1);
		}
	}
	return sum;
}

static uint64_t
read_sync(enum tc_adb_sync_answer answer, const uint8_t *bytes, size_t len, size_t step)
{
	struct tc_adb_sync s;
	struct tc_adb_sync_item item;
	struct tc_err err;
	uint64_t sum = 1;
	size_t used = 0, n;
	int64_t i;

	tc_adb_sync_expect(&s, answer);
	while (used < len) {
		n = len - used < step ? len - used : step;
		i = tc_adb_sync_next(&s, bytes + used, n, &item, &err);
		if (i < 0) {
			FUZZ_DEMAND(err.code == TC_PROTOCOL);
			note(&sum, "bad", 3);
			return sum;
		}
		FUZZ_DEMAND(i > 0 && (size_t)i <= n);
		FUZZ_DEMAND(item.kind != TC_ADB_SYNC_MORE || (size_t)i == n);
		used += (size_t)i;
		if (item.kind == TC_ADB_SYNC_DATA) {
			FUZZ_DEMAND(item.len && item.bytes + item.len == bytes + used);
			note(&sum, item.bytes, item.len);
		} else if (item.kind != TC_ADB_SYNC_MORE)
			note(&sum, &item.kind, sizeof(item.kind));
		if (item.kind == TC_ADB_SYNC_ENTRY || item.kind == TC_ADB_SYNC_FAIL)
			note(&sum, item.text, strlen(item.text));
		if (item.kind == TC_ADB_SYNC_FILE || item.kind == TC_ADB_SYNC_ENTRY)
			note(&sum, &item.st, sizeof(item.st));
	}
	return sum;
}

/* ---- a connection, all of which was said before it was asked ---- */

static void
use(struct tc_adb *a)
{
	struct tc_wait w = tc_wait_for(20);
	struct tc_adb_stream *s[2];
	struct tc_err err;
	const uint8_t *bytes;
	int64_t n;
	int i;

	for (i = 0; i < 2; i++)
		if (tc_adb_stream_open(a, "sync:", &w, &s[i], &err) < 0)
			break;
	while (i-- > 0) {
		tc_adb_stream_write(s[i], "0123456789", 10, &w, &err);
		while ((n = tc_adb_stream_peek(s[i], &w, &bytes, &err)) > 0) {
			uint64_t sum = 1;

			FUZZ_DEMAND(n <= 16 << 20);
			note(&sum, bytes, (size_t)n);
			tc_adb_stream_eat(s[i], (size_t)(n + 1) / 2);
		}
		tc_adb_stream_close(s[i]);
	}
}

static void
put_bytes(int fd, const uint8_t *bytes, size_t len)
{
	if (len && write(fd, bytes, len) < 0)
		abort();
}

/*
 * Nothing comes behind these bytes but the end. What stands behind a word of TLS is
 * another packet, since it would come only after ours.
 */
static void
speak(const int fds[2], const uint8_t *bytes, size_t len, const struct tc_adb_ask *ask)
{
	struct tc_wait w = tc_wait_for(20);
	struct tc_adb *a;
	struct tc_err err;

	const uint8_t *tls = memmem(bytes, len, "STLS", 4);
	size_t first = len;

	if (tls && (size_t)(bytes + len - tls) > TC_ADB_HEAD)
		first = (size_t)(tls - bytes) + TC_ADB_HEAD;
	put_bytes(fds[1], bytes, first);
	put_bytes(fds[1], bytes + first, len - first);
	shutdown(fds[1], SHUT_WR);
	if (tc_adb_open_wire(&a, tc_adb_wire_tcp(fds[0]), ask, &w, &err) == 0) {
		use(a);
		tc_adb_close(a);
	}
	close(fds[1]);
}

static void
open_pair(int fds[2])
{
	if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fds) < 0)
		abort();
	fcntl(fds[0], F_SETFL, O_NONBLOCK);
}

static void
connect_to(const uint8_t *bytes, size_t len, bool delayed)
{
	static const char banner[] = "device::features=shell_v2,delayed_ack";
	struct tc_adb_head h = { TC_ADB_CNXN, TC_ADB_V1, 4096, 0, 0 };
	uint8_t head[TC_ADB_HEAD];
	int fds[2];

	open_pair(fds);
	h.len = delayed ? sizeof(banner) - 1 : 25;
	tc_adb_head_put(head, &h);
	put_bytes(fds[1], head, sizeof(head));
	put_bytes(fds[1], (const uint8_t *)banner, h.len);
	speak(fds, bytes, len, NULL);
}

/* ---- its first words; the key is made with the first offer ---- */

static char home[] = "/tmp/tc-fuzz-adb.XXXXXX";

static int
remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

static void
remove_home(void)
{
	nftw(home, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void
asked(void *ctx, const char *fingerprint, const char *file)
{
	(*(int *)ctx)++;
	FUZZ_DEMAND(strlen(fingerprint) < TC_ADB_FINGERPRINT);
	FUZZ_DEMAND(strncmp(file, home, strlen(home)) == 0);
}

static void
greet(const uint8_t *bytes, size_t len, bool may_ask)
{
	static bool has_home;
	int fds[2], times = 0;
	struct tc_adb_ask ask = { 20, asked, &times };

	if (!has_home) {
		if (!mkdtemp(home) || setenv("HOME", home, 1) < 0 || atexit(remove_home))
			abort();
		unsetenv("ADB_VENDOR_KEYS");
		has_home = true;
	}
	open_pair(fds);
	speak(fds, bytes, len, may_ask ? &ask : NULL);
	FUZZ_DEMAND(times <= may_ask);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	struct tc_adb_head h;
	struct tc_err err;
	uint8_t to;

	if (!len)
		return 0;
	to = *bytes++ % 11;
	len--;
	if (to == 0)
		FUZZ_DEMAND(read_shell(bytes, len, len) == read_shell(bytes, len, 1));
	else if (to < 7)
		FUZZ_DEMAND(
			read_sync((enum tc_adb_sync_answer)(to - 1), bytes, len, len) ==
			read_sync((enum tc_adb_sync_answer)(to - 1), bytes, len, 1));
	else if (to < 9)
		connect_to(bytes, len, to == 8);
	else
		greet(bytes, len, to == 10);
	if (len >= TC_ADB_HEAD)
		tc_adb_head_get(bytes, &h, &err);
	return 0;
}
