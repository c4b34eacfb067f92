/*
 * Fuzz target of unpack: any bytes as a file. What comes out is bounded, is the
 * same when it is read again, and ends in a way that has a reason.
 */
#include "fuzz.h"

#include <string.h>

#include "err/err.h"
#include "io/io.h"
#include "unpack/unpack.h"

/* So much of each is read again. */
enum { READ_AGAIN = 64 * 1024 };

/* Up to max bytes: how many there were, and what they add up to. */
static uint64_t
sum_up(struct tc_in *in, uint64_t max, uint64_t *sum)
{
	struct tc_err err = { 0 };
	int r;

	*sum = 0;
	while (in->offset < max && (r = tc_in_want(in, 1, &err)) != 0) {
		FUZZ_DEMAND(r > 0);
		*sum = *sum * 31 + *tc_in_at(in);
		tc_in_eat(in, 1);
	}
	return in->offset;
}

static void
check_trace(struct tc_in *in, size_t len)
{
	uint64_t n, again, sum, sum_again;
	struct tc_err err = { 0 };
	int64_t rest;

	n = sum_up(in, READ_AGAIN, &sum);
	FUZZ_DEMAND(tc_in_can_rewind(in));
	FUZZ_DEMAND(tc_in_rewind(in, &err) == 0);
	again = sum_up(in, READ_AGAIN, &sum_again);
	FUZZ_DEMAND(n == again && sum == sum_again);
	rest = tc_in_skip(in, UINT64_MAX, &err);
	FUZZ_DEMAND(rest >= 0);
	FUZZ_DEMAND(
		in->offset <= len * TC_UNPACK_RATIO + TC_UNPACK_FREE_BYTES + (1 << 20));
	FUZZ_DEMAND(tc_in_spent(in) <= len);
	FUZZ_DEMAND((in->ending == TC_IN_WHOLE) == !in->why[0]);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	struct tc_err err = { 0 };
	struct tc_unpack u;
	struct tc_in file, *trace;
	int r;

	tc_in_bytes(&file, bytes, len);
	tc_unpack_open(&u, &file);
	while ((r = tc_unpack_next(&u, &trace, &err)) > 0) {
		FUZZ_DEMAND((trace == &file) || trace->source);
		check_trace(trace, len);
	}
	FUZZ_DEMAND(r == 0 || err.code == TC_DATA);
	FUZZ_DEMAND(r == 0 || err.msg[0]);
	tc_unpack_close(&u);
	return 0;
}
