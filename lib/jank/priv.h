#ifndef TC_JANK_PRIV_H
#define TC_JANK_PRIV_H
/* Inside jank: what its records say alike. */
#include "jank/jank.h"

#include <stdint.h>

struct tc_rows_actual;

/* Whether the word, in lower case, is in the text, whose case does not matter. */
bool tc_jank_has_word(struct tc_str text, const char *word);

struct tc_str tc_jank_duration_status(int64_t dur);
double tc_jank_ms(double ns);

/* NAN where it is TC_NONE. */
double tc_jank_known_ms(int64_t ns);

/* How much later than its only expectation a frame ended, or TC_NONE. */
int64_t tc_jank_late_ns(const struct tc_rows *r, const struct tc_rows_actual *a);

#endif
