#ifndef TC_FILTER_PRIV_H
#define TC_FILTER_PRIV_H
/* Inside filter: what the loop asks upstream.c about records in passing. */
#include <stdbool.h>

#include "filter/filter.h"

/* Asked for every line and many names, of which most differ in the first letter. */
bool tc_filter_is_name(struct tc_str s, const char *name);

/* The i-th of the types that say something about the tools upstream, or NULL. */
const char *tc_filter_upstream_type(size_t i);

/* Whether lines of this type say something about the tools upstream. */
bool tc_filter_is_upstream(struct tc_str type);

/* Takes note of such a record. -1 with TC_DATA for a contract we do not know. */
int tc_filter_upstream(struct tc_filter_run *run, struct tc_str type,
	struct tc_json_val obj, struct tc_err *err);

/* At the end of an input: an error record for each tool that has no end. */
void tc_filter_upstream_done(struct tc_filter_run *run);

#endif
