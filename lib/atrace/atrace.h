#ifndef TC_ATRACE_ATRACE_H
#define TC_ATRACE_ATRACE_H
/*
 * atrace: the text of an Android trace marker, taken apart.
 *
 * Userspace writes `B|1234|inflate` and the like to the kernel's marker file.
 * What comes out borrows from the text. Spec 6.2 lists the forms.
 */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "mem/mem.h"

enum tc_atrace_phase {
	TC_ATRACE_BEGIN = 'B',         /* a slice of the thread that wrote it */
	TC_ATRACE_END = 'E',           /* the innermost open one */
	TC_ATRACE_INSTANT = 'I',       /* of the thread */
	TC_ATRACE_ASYNC_BEGIN = 'S',   /* of the process, told apart by cookie */
	TC_ATRACE_ASYNC_END = 'F',     /* by name and cookie */
	TC_ATRACE_TRACK_BEGIN = 'G',   /* on a named track of the process */
	TC_ATRACE_TRACK_END = 'H',     /* by track and cookie */
	TC_ATRACE_TRACK_INSTANT = 'N', /* on a named track */
	TC_ATRACE_COUNTER = 'C',
};

struct tc_atrace {
	enum tc_atrace_phase phase;
	uint32_t tgid;       /* 0: not given, or none of this pid namespace */
	struct tc_str name;  /* of TC_ATRACE_TRACK_END: p NULL */
	struct tc_str track; /* of those on a named track */
	int64_t value;       /* the cookie, or the counter's value */
};

enum tc_atrace_result {
	TC_ATRACE_OK,
	TC_ATRACE_OTHER, /* a mark of the tracer's own, to be passed over */
	TC_ATRACE_BAD,
};

/*
 * How many digits stand at p, of which eight bytes may be looked at, and their value;
 * 0 when there are none, or more than seven. All at once: the numbers of processes are
 * as long as it happens, which no processor foresees.
 */
__attribute__((always_inline)) static inline uint32_t
tc_atrace_digits(const char *p, uint32_t *value)
{
	const uint64_t ones = 0x0101010101010101u;
	uint64_t w, others;
	uint32_t n;

	w = tc_mem_fixed64(p) ^ ones * '0';
	others = (w | (w + ones * 0x76)) & ones * 0x80; /* what is above 9 */
	if (!others || others & 0x80)
		return 0;
	n = (uint32_t)__builtin_ctzll(others) / 8;
	w <<= 64 - 8 * n; /* behind zeros, which changes no value */
	/* Pairs of digits; then pairs of those, and the two sums of four each. */
	w = w * 10 + (w >> 8);
	w = (w & 0x000000ff000000ff) * (100 + (UINT64_C(1000000) << 32)) +
		(w >> 16 & 0x000000ff000000ff) * (1 + (UINT64_C(10000) << 32));
	*value = (uint32_t)(w >> 32);
	return n;
}

/* `|name|value` up to `end`, if the value is one that surely fits. */
bool tc_atrace_usual_value(const char *p, const char *end, struct tc_str *name);

/*
 * The forms that nearly all marks have, in line: `B|1234|name`, `E|1234`, and, S, F and
 * C alike, `C|1234|name|5`. The phase, the process, and the name, which is not set for
 * an end; or 0: it may be another one. The text must lie in memory that goes on for
 * eight bytes.
 */
__attribute__((always_inline)) static inline int
tc_atrace_usual(struct tc_str text, uint32_t *tgid, struct tc_str *name)
{
	const char *p = text.p, *end = p + text.len;
	struct tc_str other; /* so that *name can stay in registers */
	uint32_t n;

	if (text.len < 4 || p[1] != '|')
		return 0;
	n = tc_atrace_digits(p + 2, tgid);
	if (!n)
		return 0;
	p += 2 + n;
	if (*text.p == TC_ATRACE_END)
		return p == end || (*p == '\n' && p + 1 == end) ? TC_ATRACE_END : 0;
	end -= end[-1] == '\n';
	if ((unsigned char)end[-1] <= '\n') /* more is to be stripped */
		return 0;
	if (*text.p == TC_ATRACE_BEGIN) {
		*name = (struct tc_str){ p + 1, (uint32_t)(end - p - 1), false };
		return end - p >= 2 && *p == '|' ? TC_ATRACE_BEGIN : 0;
	}
	if (*text.p != TC_ATRACE_COUNTER && *text.p != TC_ATRACE_ASYNC_BEGIN &&
		*text.p != TC_ATRACE_ASYNC_END)
		return 0;
	if (!tc_atrace_usual_value(p, end, &other))
		return 0;
	*name = other;
	return *text.p;
}

enum tc_atrace_result tc_atrace_parse(struct tc_str text, struct tc_atrace *a);

/*
 * Removes the bytes that are no UTF-8 in place; how many are left. Markers are
 * cut at a length in bytes, so their last character is often half there.
 */
uint32_t tc_atrace_clean(char *text, uint32_t len);

#endif
