#ifndef TC_JANK_PRIV_H
#define TC_JANK_PRIV_H
/* Inside jank: what its records say alike. */
#include "jank/jank.h"

#include <stdint.h>

struct tc_str tc_jank_duration_status(int64_t dur);
double tc_jank_ms(double ns);

#endif
