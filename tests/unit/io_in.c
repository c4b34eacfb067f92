/* io: an input seen through its window, as bytes and as lines. */
#include "io/io.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "err/err.h"

/* A run that hangs has failed. */
enum { PATIENCE_S = 60 };

static struct tc_err err;

static char
nth_byte(size_t i)
{
	return (char)(i * 7 + i / 251);
}

/* What the other end of a pipe does; *ctx is the test's. */
typedef void feeder(int fd, const void *ctx);

static void
write_all(int fd, const char *p, size_t len)
{
	ssize_t n;

	for (; len; p += n, len -= (size_t)n) {
		n = write(fd, p, len);
		if (n <= 0)
			_exit(1);
	}
}

/* Makes `in` standard input, and that a pipe which another process feeds. */
static pid_t
open_pipe(struct tc_in *in, feeder *feed, const void *ctx)
{
	int fds[2];
	pid_t pid;

	if (pipe(fds) != 0 || (pid = fork()) < 0) {
		perror("pipe");
		exit(1);
	}
	if (pid == 0) {
		close(fds[0]);
		feed(fds[1], ctx);
		_exit(0);
	}
	close(fds[1]);
	dup2(fds[0], STDIN_FILENO);
	close(fds[0]);
	CHECK_INT(tc_in_open(in, "-", &err), 0);
	return pid;
}

static void
close_pipe(struct tc_in *in, pid_t pid)
{
	int status;

	tc_in_close(in);
	close(STDIN_FILENO);
	CHECK_INT(open("/dev/null", O_RDONLY), STDIN_FILENO);
	CHECK_INT(waitpid(pid, &status, 0), pid);
	CHECK_INT(status, 0);
}

/* n bytes of the pattern, in pieces of odd sizes. */
static void
feed_pattern(int fd, const void *ctx)
{
	const size_t *total = ctx;
	char bytes[40000];
	size_t at = 0, n, i;

	while (at < *total) {
		n = at % 3 ? 40000 : 4099;
		n = n < *total - at ? n : *total - at;
		for (i = 0; i < n; i++)
			bytes[i] = nth_byte(at + i);
		write_all(fd, bytes, n);
		at += n;
	}
}

/* Looks at the window and eats n bytes of it. */
static bool
eat(struct tc_in *in, size_t *at, size_t n)
{
	const char *p = (const char *)tc_in_at(in);
	size_t i;

	for (i = 0; i < n && p[i] == nth_byte(*at + i); i++)
		;
	tc_in_eat(in, n);
	*at += n;
	return CHECK_INT(i, n) && CHECK_INT(in->offset, *at);
}

static void
check_windows(struct tc_in *in, size_t total)
{
	static const size_t wants[] = { 1, 20, 1000, 262143, 262144, 262145, 5, 300000,
		600000, 2, 65536 };
	size_t at = 0, n, i;

	for (i = 0;; i++) {
		n = wants[i % CHECK_ITEMS(wants)];
		if (tc_in_want(in, n, &err) != 1)
			break;
		if (!CHECK(tc_in_avail(in) >= n) || !eat(in, &at, n - n / 3))
			return;
	}
	CHECK(total - at < n);
	CHECK_INT(tc_in_avail(in), total - at);
	CHECK_INT(tc_in_want(in, n, &err), 0);
	eat(in, &at, total - at);
	CHECK_INT(tc_in_want(in, 0, &err), 1);
	CHECK_INT(tc_in_want(in, 1, &err), 0);
	CHECK_INT(at, total);
}

static void
test_windows_of_a_pipe(void)
{
	const size_t totals[] = { 0, 1, 262144, 262145, 3000000 };
	struct tc_in in;
	pid_t pid;
	size_t i;

	for (i = 0; i < CHECK_ITEMS(totals); i++) {
		pid = open_pipe(&in, feed_pattern, &totals[i]);
		CHECK(in.may_block && in.is_pipe);
		CHECK_INT(in.size, -1);
		check_windows(&in, totals[i]);
		close_pipe(&in, pid);
	}
}

static void
test_windows_of_a_file(void)
{
	const char *folder = getenv("TMPDIR");
	size_t total = 1500000;
	struct tc_in in;
	char name[4096];
	int fd;

	snprintf(name, sizeof(name), "%s/tc-unit-XXXXXX", folder ? folder : "/tmp");
	fd = mkstemp(name);
	if (!CHECK(fd >= 0))
		return;
	feed_pattern(fd, &total);
	close(fd);
	CHECK_INT(tc_in_open(&in, name, &err), 0);
	CHECK(!in.may_block && !in.is_pipe);
	CHECK_INT(in.size, total);
	check_windows(&in, total);
	tc_in_close(&in);
	tc_in_close(&in);
	unlink(name);
}

/* A length that is only claimed costs no memory. */
static void
test_want_far_too_much(void)
{
	size_t total = 1000, at = 0;
	struct tc_in in;
	pid_t pid = open_pipe(&in, feed_pattern, &total);

	CHECK_INT(tc_in_want(&in, (size_t)1 << 40, &err), 0);
	CHECK(in.cap <= 1024 * 1024);
	CHECK_INT(tc_in_avail(&in), 1000);
	eat(&in, &at, 1000);
	close_pipe(&in, pid);
}

static void
test_skip(void)
{
	size_t total = 2000000, at;
	struct tc_in in;
	pid_t pid = open_pipe(&in, feed_pattern, &total);

	CHECK_INT(tc_in_skip(&in, 0, &err), 0);
	CHECK_INT(tc_in_skip(&in, 10, &err), 10);
	CHECK_INT(tc_in_want(&in, 100, &err), 1);
	at = 10;
	eat(&in, &at, 100);
	CHECK_INT(tc_in_skip(&in, 700000, &err), 700000);
	at += 700000;
	CHECK_INT(tc_in_want(&in, 1000, &err), 1);
	eat(&in, &at, 1000);
	CHECK_INT(tc_in_skip(&in, UINT64_MAX, &err), total - at);
	CHECK_INT(in.offset, total);
	CHECK_INT(tc_in_skip(&in, 1, &err), 0);
	close_pipe(&in, pid);
}

static void
test_bytes(void)
{
	static const char bytes[] = "abcdef";
	struct tc_in in;

	tc_in_bytes(&in, bytes, 6);
	CHECK_INT(tc_in_avail(&in), 6);
	CHECK_INT(tc_in_want(&in, 6, &err), 1);
	CHECK_INT(tc_in_want(&in, 7, &err), 0);
	CHECK(tc_in_at(&in) == (const uint8_t *)bytes);
	tc_in_eat(&in, 4);
	CHECK_INT(in.offset, 4);
	CHECK_INT(tc_in_want(&in, 3, &err), 0);
	CHECK_INT(tc_in_skip(&in, 5, &err), 2);
	CHECK_INT(in.offset, 6);
	tc_in_close(&in);
	tc_in_bytes(&in, NULL, 0);
	CHECK_INT(tc_in_want(&in, 1, &err), 0);
	CHECK_INT(tc_in_skip(&in, 1, &err), 0);
	tc_in_close(&in);
}

static void
test_cannot_open(void)
{
	struct tc_in in;

	err = (struct tc_err){ 0 };
	CHECK_INT(tc_in_open(&in, "/nowhere/at/all", &err), -1);
	CHECK_INT(err.code, TC_NOINPUT);
	CHECK(strstr(err.msg, "/nowhere/at/all"));
	err = (struct tc_err){ 0 };
	CHECK_INT(tc_in_open(&in, "/", &err), -1);
	CHECK_INT(err.code, TC_NOINPUT);
	CHECK(strstr(err.msg, "directory"));
}

/* Text in pieces of `step` bytes, all at once when 0. */
struct pieces {
	struct tc_str text;
	size_t step;
};

static void
feed_pieces(int fd, const void *ctx)
{
	const struct pieces *p = ctx;
	size_t at, n;

	for (at = 0; at < p->text.len; at += n) {
		n = p->text.len - at;
		n = p->step && p->step < n ? p->step : n;
		write_all(fd, p->text.p + at, n);
		/* Lets the reader have this much alone, most of the time. */
		if (p->step && p->text.len < 1000)
			usleep(300);
	}
}

/* Lines of a text as they have to come out, cut at newlines by hand. */
static void
check_lines(struct tc_in *in, struct tc_str text, size_t max)
{
	const char *p = text.p, *end = text.p + text.len, *nl;
	struct tc_str line;
	uint64_t number = 0;
	size_t len;
	int r;

	while (p < end) {
		nl = memchr(p, '\n', (size_t)(end - p));
		len = (size_t)((nl ? nl : end) - p);
		err = (struct tc_err){ 0 };
		r = tc_in_line(in, max, &line, &err);
		if (!CHECK_INT(in->line, ++number))
			return;
		if (len <= max && CHECK_INT(r, 1)) {
			if (!CHECK_STR(line, check_text(p, len)))
				return;
		} else if (len > max) {
			CHECK_INT(r, -1);
			CHECK_INT(err.code, TC_DATA);
		}
		p += len + (nl ? 1 : 0);
	}
	CHECK_INT(tc_in_line(in, max, &line, &err), 0);
	CHECK_INT(tc_in_line(in, max, &line, &err), 0);
	CHECK_INT(in->line, number);
}

static void
check_lines_every_way(struct tc_str text, size_t max)
{
	struct pieces p = { text, 0 };
	struct tc_in in;
	pid_t pid;

	tc_in_bytes(&in, text.p, text.len);
	check_lines(&in, text, max);
	tc_in_close(&in);
	for (; p.step < 3; p.step++) {
		pid = open_pipe(&in, feed_pieces, &p);
		check_lines(&in, text, max);
		close_pipe(&in, pid);
	}
}

static void
test_lines(void)
{
	check_lines_every_way(BYTES(""), 10);
	check_lines_every_way(BYTES("\n"), 10);
	check_lines_every_way(BYTES("\n\n\n"), 0);
	check_lines_every_way(BYTES("a"), 10);
	check_lines_every_way(BYTES("a\nbc\n"), 10);
	check_lines_every_way(BYTES("a\nbc"), 10);
	check_lines_every_way(BYTES("\na\r\n\0\n\0b"), 10);
}

/* At, below and above the limit; behind what is too long it goes on. */
static void
test_line_limit(void)
{
	check_lines_every_way(BYTES("1234567890\n"), 10);
	check_lines_every_way(BYTES("1234567890"), 10);
	check_lines_every_way(BYTES("12345678901\n"), 10);
	check_lines_every_way(BYTES("12345678901"), 10);
	check_lines_every_way(BYTES("123456789\n1234567890\n12345678901\n1\n"), 10);
	check_lines_every_way(BYTES("12345678901\n\n12345678901\n\na"), 10);
	check_lines_every_way(BYTES("a\n123456789012345678901234567890\nb"), 10);
	check_lines_every_way(BYTES("\n1\n\n1"), 0);
}

/* Lines that begin and end around where the buffer does, and fill it. */
static void
test_long_lines(void)
{
	static const size_t lens[] = { 262143, 262144, 262145, 0, 1, 262142, 100, 524288,
		524287, 7, 800000, 262144, 3, 299999, 300000, 300001, 300002, 1 };
	const size_t max = 300000;
	struct pieces p = { .step = 0 };
	size_t total = 0, i;
	struct tc_in in;
	char *text;
	pid_t pid;

	text = malloc(5000000);
	if (!CHECK(text != NULL))
		return;
	for (i = 0; i < CHECK_ITEMS(lens); i++) {
		memset(text + total, 'a' + (int)i, lens[i]);
		total += lens[i];
		text[total++] = '\n';
	}
	p.text = check_text(text, total);
	for (i = 0; i < 3; i++) {
		p.step = i * 40009;
		pid = open_pipe(&in, feed_pieces, &p);
		check_lines(&in, p.text, max);
		CHECK(in.cap <= 4 * 300000);
		close_pipe(&in, pid);
	}
	p.text.len--; /* and a last line that has no newline */
	tc_in_bytes(&in, p.text.p, p.text.len);
	check_lines(&in, p.text, max);
	free(text);
}

/* Answers only what the reader's output has told it to. */
static void
feed_after_greeting(int fd, const void *ctx)
{
	const int *greeting = ctx;
	char c;

	if (read(*greeting, &c, 1) != 1 || c != '!')
		_exit(1);
	write_all(fd, "answer\n", 7);
	if (read(*greeting, &c, 1) != 1 || c != '?')
		_exit(1);
	write_all(fd, "end", 3);
}

/* What was written is out before the input waits for more. */
static void
test_tie(void)
{
	struct tc_str line;
	struct tc_out out;
	struct tc_in in;
	int fds[2];
	pid_t pid;

	if (!CHECK_INT(pipe(fds), 0))
		return;
	pid = open_pipe(&in, feed_after_greeting, &fds[0]);
	tc_out_init(&out, fds[1]);
	in.tie = &out;
	tc_out_lit(&out, "!");
	CHECK_INT(tc_in_line(&in, 100, &line, &err), 1);
	CHECK_STR(line, BYTES("answer"));
	CHECK_INT(out.len, 0);
	tc_out_lit(&out, "?");
	CHECK_INT(tc_in_line(&in, 100, &line, &err), 1);
	CHECK_STR(line, BYTES("end"));
	close_pipe(&in, pid);
	tc_out_release(&out);
	close(fds[0]);
	close(fds[1]);
}

/* Where the output has failed there is no use in reading on. */
static void
test_tie_that_failed(void)
{
	size_t nothing = 0;
	struct tc_str line;
	struct tc_in in;
	pid_t pid = open_pipe(&in, feed_pattern, &nothing);
	struct tc_out out;

	tc_out_init(&out, -1);
	in.tie = &out;
	tc_out_lit(&out, "x");
	CHECK(tc_out_flush(&out, &err) < 0);
	err = (struct tc_err){ 0 };
	CHECK_INT(tc_in_line(&in, 100, &line, &err), -1);
	CHECK_INT(err.code, TC_IO);
	tc_out_release(&out);
	close_pipe(&in, pid);
}

int
main(void)
{
	alarm(PATIENCE_S);
	test_windows_of_a_pipe();
	test_windows_of_a_file();
	test_want_far_too_much();
	test_skip();
	test_bytes();
	test_cannot_open();
	test_lines();
	test_line_limit();
	test_long_lines();
	test_tie();
	test_tie_that_failed();
	return check_done();
}
