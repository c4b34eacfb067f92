#ifndef TC_SLICES_PRIV_H
#define TC_SLICES_PRIV_H
/* Inside slices: what threads and processes share. */
#include "slices/slices.h"

/* A slice with the id that is next, in another or not, if it was chosen. */
struct tc_slice *tc_slices_store(struct tc_slices *s, const struct tc_slice_mark *m,
	enum tc_slice_kind kind, const struct tc_slice *parent);

/* How often this pid was given to a new process. */
uint32_t tc_slices_generation(struct tc_slices *s, uint32_t machine, uint32_t pid);

#endif
