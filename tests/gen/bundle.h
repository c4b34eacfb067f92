#ifndef TC_GEN_BUNDLE_H
#define TC_GEN_BUNDLE_H
/*
 * bundle: an ftrace bundle that is made of parts, each with a field or two.
 *
 * Parts are kept packed, one after another. That is a valid encoding of all of
 * them merged, which close makes use of: what is written is one message, with
 * each column of its compact events in one piece.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gen.h"

struct tc_bundle {
	bool open;
	size_t number; /* of the line that opened it */
	Tc__TracePacket packet;
	struct tc_gen_buf parts;
	struct tc_gen_buf comms; /* of compact events so far, each after its length */
	uint32_t n_comms;
	uint64_t last_switch_ns, last_waking_ns;
};

/* A bundle in a packet like this one; its ftrace_events are the first part. */
void tc_bundle_open(struct tc_bundle *b, const Tc__TracePacket *packet, size_t number);
void tc_bundle_put(struct tc_bundle *b, const Tc__FtraceEventBundle *part);
void tc_bundle_close(struct tc_bundle *b, struct tc_gen_out *to);
void tc_bundle_release(struct tc_bundle *b);

/* What compact events call it; *is_new: none so far has had it. At most 255 bytes. */
uint32_t tc_bundle_comm(
	struct tc_bundle *b, const uint8_t *bytes, size_t len, bool *is_new);

/* ns relative to *last, which becomes ns. */
uint64_t tc_bundle_delta(uint64_t *last_ns, uint64_t ns);

#endif
