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

/* The digits of a process, as they stood in the mark before. A zeroed one fits none. */
struct tc_atrace_tgid {
	uint64_t digits, mask; /* as eight bytes of memory, and those that count */
	uint32_t len, value;
};

/* Reads the digits at p, of which eight bytes may be looked at; false if there are none
 * or too many. */
static inline bool
tc_atrace_read_tgid(const char *p, struct tc_atrace_tgid *tgid)
{
	enum { MAX_DIGITS = 7 };
	uint32_t n, value = 0;

	for (n = 0; n <= MAX_DIGITS && p[n] >= '0' && p[n] <= '9'; n++)
		value = value * 10 + (uint32_t)(p[n] - '0');
	if (!n || n > MAX_DIGITS)
		return false;
	memcpy(&tgid->digits, p, sizeof(tgid->digits));
	memset(&tgid->mask, 0, sizeof(tgid->mask));
	memset(&tgid->mask, 0xff, n);
	tgid->len = n;
	tgid->value = value;
	return true;
}

/*
 * The forms that nearly all marks have, in line: `B|1234|name` and, with name.p
 * NULL, `E|1234`. False: it may be another one. The text must lie in memory that
 * goes on for eight bytes. One thread after the other marks for the same process,
 * so its digits are seldom read.
 */
static inline bool
tc_atrace_is_usual(struct tc_str text, struct tc_atrace_tgid *tgid, struct tc_str *name)
{
	const char *p = text.p, *end;
	uint64_t digits;

	if (text.len < 4)
		return false;
	end = p + text.len;
	end -= end[-1] == '\n';
	if (p[1] != '|' || end[-1] == '\n' || !end[-1])
		return false;
	memcpy(&digits, p + 2, sizeof(digits));
	if ((((digits ^ tgid->digits) & tgid->mask) || !tgid->len ||
		    (p[2 + tgid->len] >= '0' && p[2 + tgid->len] <= '9')) &&
		!tc_atrace_read_tgid(p + 2, tgid))
		return false;
	p += 2 + tgid->len;
	*name = (struct tc_str){ 0 };
	if (*text.p == 'E')
		return p == end;
	if (*text.p != 'B' || end - p < 2 || *p != '|')
		return false;
	*name = (struct tc_str){ p + 1, (uint32_t)(end - p - 1), false };
	return true;
}

enum tc_atrace_result tc_atrace_parse(struct tc_str text, struct tc_atrace *a);

/*
 * Removes the bytes that are no UTF-8 in place; how many are left. Markers are
 * cut at a length in bytes, so their last character is often half there.
 */
uint32_t tc_atrace_clean(char *text, uint32_t len);

#endif
