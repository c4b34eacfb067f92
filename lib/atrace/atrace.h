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

enum tc_atrace_result tc_atrace_parse(struct tc_str text, struct tc_atrace *a);

/*
 * Removes the bytes that are no UTF-8 in place; how many are left. Markers are
 * cut at a length in bytes, so their last character is often half there.
 */
uint32_t tc_atrace_clean(char *text, uint32_t len);

#endif
