/* io: what is written arrives whole, and a text is always a JSON string. */
#include "io/io.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "err/err.h"

static char
nth_byte(size_t i)
{
	return (char)(i * 7 + i / 251);
}

/* Whether the file holds n bytes of the pattern, and nothing else. */
static void
check_file(FILE *f, size_t n)
{
	size_t i = 0;
	int c;

	rewind(f);
	while ((c = fgetc(f)) != EOF && (char)c == nth_byte(i))
		i++;
	CHECK_INT(c, EOF);
	CHECK_INT(i, n);
}

/* Pieces of all sizes, up to several times what the output buffers. */
static void
test_pieces(void)
{
	static const size_t sizes[] = { 1, 0, 3, 100, 4096, 65535, 1, 65536, 65537, 7,
		200000, 0, 64, 4095 };
	FILE *f = tmpfile();
	struct tc_err err = { 0 };
	struct tc_out o;
	char *bytes = malloc(200000);
	size_t i, j, at = 0;

	if (!CHECK(f && bytes))
		return;
	tc_out_init(&o, fileno(f));
	for (i = 0; i < 10 * CHECK_ITEMS(sizes); i++) {
		for (j = 0; j < sizes[i % CHECK_ITEMS(sizes)]; j++)
			bytes[j] = nth_byte(at++);
		tc_out_write(&o, bytes, j);
	}
	CHECK_INT(tc_out_flush(&o, &err), 0);
	CHECK_INT(o.len, 0);
	tc_out_release(&o);
	check_file(f, at);
	fclose(f);
	free(bytes);
}

static void
test_room(void)
{
	FILE *f = tmpfile();
	struct tc_err err = { 0 };
	size_t i, n, at = 0;
	struct tc_out o;
	char *p;

	if (!CHECK(f != NULL))
		return;
	tc_out_init(&o, fileno(f));
	for (n = 1; n <= TC_OUT_ROOM; n += 5) {
		p = tc_out_room(&o, n);
		for (i = 0; i < n; i++)
			p[i] = nth_byte(at++);
		o.len += n;
	}
	CHECK_INT(tc_out_flush(&o, &err), 0);
	tc_out_release(&o);
	check_file(f, at);
	fclose(f);
}

/* Nothing is written before it has to be. */
static void
test_is_buffered(void)
{
	FILE *f = tmpfile();
	struct tc_err err = { 0 };
	struct tc_out o;

	if (!CHECK(f != NULL))
		return;
	tc_out_init(&o, fileno(f));
	tc_out_lit(&o, "abc");
	CHECK_INT(lseek(fileno(f), 0, SEEK_END), 0);
	CHECK_INT(tc_out_flush(&o, &err), 0);
	CHECK_INT(lseek(fileno(f), 0, SEEK_END), 3);
	CHECK_INT(tc_out_flush(&o, &err), 0);
	CHECK_INT(lseek(fileno(f), 0, SEEK_END), 3);
	tc_out_release(&o);
	tc_out_release(&o);
	fclose(f);
}

/* The first failure is kept, and nobody has to look before the end. */
static void
test_full_disk(void)
{
	int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
	struct tc_err err = { 0 };
	struct tc_out o;
	int i;

	if (fd < 0) {
		printf("no /dev/full here: not tested\n");
		return;
	}
	tc_out_init(&o, fd);
	CHECK_INT(tc_out_check(&o, &err), 0);
	for (i = 0; i < 100000; i++)
		tc_out_lit(&o, "0123456789");
	CHECK_INT(tc_out_check(&o, &err), -1);
	CHECK_INT(err.code, TC_IO);
	CHECK_INT(err.sys, ENOSPC);
	CHECK(strstr(err.msg, strerror(ENOSPC)));
	CHECK_INT(tc_out_flush(&o, &err), -1);
	tc_out_release(&o);
	close(fd);
}

static void
test_reader_gone(void)
{
	struct tc_err err = { 0 };
	struct tc_out o;
	int fds[2];

	if (!CHECK_INT(pipe(fds), 0))
		return;
	close(fds[0]);
	signal(SIGPIPE, SIG_IGN);
	tc_out_init(&o, fds[1]);
	tc_out_lit(&o, "x");
	CHECK_INT(tc_out_flush(&o, &err), -1);
	CHECK_INT(err.code, TC_GONE);
	tc_out_release(&o);
	close(fds[1]);
}

static char text[16384];

static struct tc_str
quoted(struct tc_str s)
{
	static struct tc_out o;

	o = check_out(text, sizeof(text));
	tc_out_quoted(&o, s);
	CHECK_INT(o.sys, 0);
	return check_out_text(&o);
}

/* Each text, alone and between plain characters of all lengths. */
static void
check_quoted(struct tc_str s, struct tc_str want)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz /#$~";
	char in[128], out[256];
	size_t before, after, n;

	for (before = 0; before < 18; before++)
		for (after = 0; after < 18; after++) {
			memcpy(in, plain, before);
			memcpy(in + before, s.p, s.len);
			memcpy(in + before + s.len, plain, after);
			out[0] = '"';
			memcpy(out + 1, plain, before);
			memcpy(out + 1 + before, want.p, want.len);
			memcpy(out + 1 + before + want.len, plain, after);
			n = before + want.len + after + 2;
			out[n - 1] = '"';
			if (!CHECK_STR(quoted(check_text(in, before + s.len + after)),
				    check_text(out, n)))
				return;
		}
}

static void
test_plain(void)
{
	char all[0x7f - 0x20];
	size_t n = 0;
	char c;

	for (c = 0x20; c < 0x7f; c++)
		if (c != '"' && c != '\\')
			all[n++] = c;
	check_quoted(check_text("", 0), BYTES(""));
	CHECK_STR(quoted(check_text(all, n)),
		BYTES("\" !#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_"
		      "`abcdefghijklmnopqrstuvwxyz{|}~\""));
}

static void
test_controls(void)
{
	char c, want[8];
	int n;

	for (c = 0; c < 0x20; c++) {
		n = snprintf(want, sizeof(want), "\\u%04x", (unsigned)c);
		if (c == '\n' || c == '\r' || c == '\t')
			n = snprintf(want, sizeof(want), "\\%c",
				c == '\n'           ? 'n'
					: c == '\r' ? 'r'
						    : 't');
		check_quoted(check_text(&c, 1), check_text(want, (size_t)n));
	}
	check_quoted(BYTES("\x7f"), BYTES("\\u007f"));
	check_quoted(BYTES("\""), BYTES("\\\""));
	check_quoted(BYTES("\\"), BYTES("\\\\"));
	check_quoted(BYTES("\\\"\\n"), BYTES("\\\\\\\"\\\\n"));
	check_quoted(BYTES("\0\0"), BYTES("\\u0000\\u0000"));
}

/* The first and the last of each length, and what lies around the surrogates. */
static void
test_utf8_kept(void)
{
	static const char *const cases[] = { "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80",
		"\xec\xbf\xbf", "\xed\x80\x80", "\xed\x9f\xbf", "\xee\x80\x80",
		"\xef\xbf\xbd", "\xef\xbf\xbf", "\xf0\x90\x80\x80", "\xf3\xbf\xbf\xbf",
		"\xf4\x80\x80\x80", "\xf4\x8f\xbf\xbf", "\xc3\xa9\xe2\x82\xac\xc2\xa0" };
	size_t i;

	for (i = 0; i < CHECK_ITEMS(cases); i++)
		check_quoted(tc_str_of(cases[i]), tc_str_of(cases[i]));
}

#define R "\xef\xbf\xbd" /* U+FFFD */

static void
test_not_utf8(void)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{ "\x80", R }, /* a continuation alone */
		{ "\xbf\xbf", R R },
		{ "\xc0\x80", R R }, /* overlong forms */
		{ "\xc1\xbf", R R },
		{ "\xe0\x80\x80", R R R },
		{ "\xe0\x9f\xbf", R R R },
		{ "\xf0\x80\x80\x80", R R R R },
		{ "\xf0\x8f\xbf\xbf", R R R R },
		{ "\xed\xa0\x80", R R R }, /* surrogates */
		{ "\xed\xbf\xbf", R R R },
		{ "\xf4\x90\x80\x80", R R R R }, /* above U+10FFFF */
		{ "\xf5\x80\x80\x80", R R R R },
		{ "\xff\xfe", R R },
		{ "\xc3", R }, /* cut, at the end or by another character */
		{ "\xe2\x82", R R },
		{ "\xf0\x9f\x98", R R R },
		{ "\xc3(", R "(" },
		{ "\xe2\x82(", R R "(" },
		{ "\xe2(\xa1", R "(" R },
		{ "\xf0\x9f(\x80", R R "(" R },
		{ "\xc3\"", R "\\\"" },
		{ "\xc3\xc3\xa9", R "\xc3\xa9" },
		{ "\xe2\xe2\x82\xac", R "\xe2\x82\xac" },
		{ "\xf0\x9f\xc3\xa9", R R "\xc3\xa9" },
	};
	size_t i;

	for (i = 0; i < CHECK_ITEMS(cases); i++)
		check_quoted(tc_str_of(cases[i].text), tc_str_of(cases[i].want));
}

/* A sequence that goes on behind the text is cut, and not read to its end. */
static void
test_stops_at_the_end(void)
{
	char *p = malloc(2);

	if (!CHECK(p != NULL))
		return;
	memcpy(p, "\xe2\x82", 2);
	CHECK_STR(quoted(check_text(p, 2)), BYTES("\"" R R "\""));
	free(p);
	CHECK_STR(quoted(check_text("\xe2\x82\xac", 2)), BYTES("\"" R R "\""));
}

/* Texts longer than any short cut, through an output that has to drain. */
static void
test_long_texts(void)
{
	FILE *f = tmpfile();
	struct tc_err err = { 0 };
	char *in = malloc(300000);
	size_t len, i, want = 0;
	struct tc_out o;
	int c;

	if (!CHECK(f && in))
		return;
	tc_out_init(&o, fileno(f));
	for (len = 500; len < 300000; len = len < 530 ? len + 1 : len * 3) {
		for (i = 0; i < len; i++)
			in[i] = i % 100 == 99 ? '\n' : 'x';
		tc_out_quoted(&o, check_text(in, len));
		want += 2 + len + len / 100;
		memset(in, 'x', len);
		tc_out_quoted(&o, check_text(in, len));
		want += 2 + len;
	}
	CHECK_INT(tc_out_flush(&o, &err), 0);
	tc_out_release(&o);
	CHECK_INT(lseek(fileno(f), 0, SEEK_END), want);
	rewind(f);
	while ((c = fgetc(f)) != EOF)
		if (!strchr("x\"\\n", c))
			break;
	CHECK_INT(c, EOF);
	fclose(f);
	free(in);
}

int
main(void)
{
	test_pieces();
	test_room();
	test_is_buffered();
	test_full_disk();
	test_reader_gone();
	test_plain();
	test_controls();
	test_utf8_kept();
	test_not_utf8();
	test_stops_at_the_end();
	test_long_texts();
	return check_done();
}
