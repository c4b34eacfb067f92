#ifndef TC_UNIT_TWICE_H
#define TC_UNIT_TWICE_H
/* twice: an input that is another one when it is read again. */
#include <string.h>

#include "io/io.h"

struct twice {
	const void *bytes[2];
	size_t len[2];
	size_t reading, at;
};

static inline int64_t
twice_read(struct tc_in *in, void *buf, size_t cap, struct tc_err *err)
{
	struct twice *t = in->ctx;
	size_t left = t->len[t->reading] - t->at, n = left < cap ? left : cap;

	(void)err;
	memcpy(buf, (const char *)t->bytes[t->reading] + t->at, n);
	t->at += n;
	return (int64_t)n;
}

static inline bool
twice_can_rewind(const struct tc_in *in)
{
	(void)in;
	return true;
}

static inline int
twice_rewind(struct tc_in *in, struct tc_err *err)
{
	struct twice *t = in->ctx;

	(void)err;
	t->reading = 1;
	t->at = 0;
	return 0;
}

static inline uint64_t
twice_spent(const struct tc_in *in)
{
	const struct twice *t = in->ctx;

	return t->at;
}

static const struct tc_in_source twice = { twice_read, twice_can_rewind, twice_rewind,
	twice_spent };

#endif
