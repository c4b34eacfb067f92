#ifndef TC_IMPORT_PRIV_H
#define TC_IMPORT_PRIV_H
/* Inside import: the records around the rows. */
#include <stdbool.h>

#include "import/import.h"

struct tc_decode;

void tc_import_put_trace(struct tc_decode *d, const struct tc_import_origin *origin,
	const struct tc_in *in, struct tc_out *out);

/* Those that were chosen, and their threads. */
void tc_import_put_processes(struct tc_decode *d, struct tc_out *out);

/* `damage` is the byte where it begins, -1 for none. `stat` records, and a notice when
 * the trace has no frames. */
void tc_import_put_tail(struct tc_decode *d, int64_t damage, struct tc_out *out);

/* Bytes that tc_import_sniff would like to see. */
enum { TC_IMPORT_SNIFF_BYTES = 8 };

/* What the input is instead of a trace, by its first bytes; NULL: no telling. */
const char *tc_import_sniff(const struct tc_in *in);

#endif
