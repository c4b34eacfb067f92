#ifndef TC_FUZZ_FUZZ_H
#define TC_FUZZ_FUZZ_H
/*
 * fuzz: what a fuzz target is, to libFuzzer and to replay.c.
 *
 * A target looks at any bytes and returns 0. Besides what sanitizers see, it
 * ends the process where an answer is wrong.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

#define FUZZ_DEMAND(x) \
	do { \
		if (!(x)) { \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #x); \
			abort(); \
		} \
	} while (0)

#endif
