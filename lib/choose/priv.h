#ifndef TC_CHOOSE_PRIV_H
#define TC_CHOOSE_PRIV_H
/* Inside choose: numbers in options. */
#include <stdint.h>

/* Where the digits at `text` end; NULL: none, or more than 63 bits hold. */
const char *tc_choose_digits(const char *text, int64_t *number);

#endif
