#ifndef TC_IMPORT_PRIV_H
#define TC_IMPORT_PRIV_H
/* Inside import: the records around the rows. */
#include <stdbool.h>

#include "import/import.h"

struct tc_decode;

/* `trace`, processes, threads. */
void tc_import_put_head(struct tc_decode *d, const struct tc_import_origin *origin,
	const struct tc_in *in, struct tc_out *out);

/* `stat` records, and a notice when the trace has no frames. */
void tc_import_put_tail(struct tc_decode *d, bool is_damaged, struct tc_out *out);

/* Says what the input is instead, as far as its first bytes tell. Returns -1. */
int tc_import_not_a_trace(const struct tc_in *in, struct tc_err *err);

#endif
