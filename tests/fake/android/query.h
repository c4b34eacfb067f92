#ifndef TC_FAKE_QUERY_H
#define TC_FAKE_QUERY_H
/* query: what `perfetto --query` and `--query-raw` print of the device. */

#include "session.h"

/* Both write to standard output, and show sessions that this uid may see. */
void query_text(const struct sessions *s, int uid);
void query_raw(const struct sessions *s, int uid);

#endif
