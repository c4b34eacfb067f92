#ifndef TC_UNIT_CHECK_H
#define TC_UNIT_CHECK_H
/*
 * check: what a unit test needs.
 *
 * A test is a program. It makes checks, each of which prints where it stands
 * when it fails and lets the rest go on, and ends with `return check_done();`.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "io/io.h"
#include "mem/mem.h"

static long check_count, check_failures;

/* Any bytes as a text; TC_STR is for literals that need no escaping. */
#define BYTES(literal) check_text((literal), sizeof(literal) - 1)

static inline struct tc_str
check_text(const char *p, size_t len)
{
	return (struct tc_str){ .p = p, .len = (uint32_t)len };
}

static inline bool
check_fail(const char *file, int line, const char *what)
{
	fflush(stdout);
	fprintf(stderr, "%s:%d: %s", file, line, what);
	check_failures++;
	return false;
}

static inline bool
check_true(bool ok, const char *what, const char *file, int line)
{
	check_count++;
	if (ok)
		return true;
	check_fail(file, line, what);
	fprintf(stderr, "\n");
	return false;
}

static inline bool
check_int(int64_t got, int64_t want, const char *what, const char *file, int line)
{
	check_count++;
	if (got == want)
		return true;
	check_fail(file, line, what);
	fprintf(stderr, " is %lld, not %lld\n", (long long)got, (long long)want);
	return false;
}

static inline void
check_print(struct tc_str s)
{
	size_t i;

	if (!s.p) {
		fprintf(stderr, "NULL");
		return;
	}
	fprintf(stderr, "\"");
	for (i = 0; i < s.len && i < 400; i++)
		if (s.p[i] >= 0x20 && s.p[i] < 0x7f)
			fputc(s.p[i], stderr);
		else
			fprintf(stderr, "\\x%02x", (unsigned)(unsigned char)s.p[i]);
	fprintf(stderr, "\"");
}

static inline bool
check_str(struct tc_str got, struct tc_str want, const char *what, const char *file,
	int line)
{
	check_count++;
	if (tc_str_eq(got, want) && !got.p == !want.p)
		return true;
	check_fail(file, line, what);
	fprintf(stderr, " is ");
	check_print(got);
	fprintf(stderr, ", not ");
	check_print(want);
	fprintf(stderr, "\n");
	return false;
}

/* Each is true when the check passed, so that a loop can stop at the first. */
#define CHECK(x) check_true(!!(x), #x, __FILE__, __LINE__)
#define CHECK_INT(got, want) \
	check_int((int64_t)(got), (int64_t)(want), #got, __FILE__, __LINE__)

/* Two struct tc_str; NULL and empty are different. */
#define CHECK_STR(got, want) check_str((got), (want), #got, __FILE__, __LINE__)

static inline int
check_done(void)
{
	printf("%ld checks, %ld failed\n", check_count, check_failures);
	return check_failures ? 1 : 0;
}

/* An output that stays in memory; what does not fit fails. */
static inline struct tc_out
check_out(char *buf, size_t size)
{
	return (struct tc_out){ .fd = -1, .buf = buf, .cap = size };
}

static inline struct tc_str
check_out_text(const struct tc_out *o)
{
	return check_text(o->buf, o->len);
}

/* The same series of numbers every time; *state is where it is, any seed. */
static inline uint64_t
check_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

#define CHECK_ITEMS(array) (sizeof(array) / sizeof((array)[0]))

#endif
