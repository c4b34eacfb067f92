#include "trace/priv.h"

#include "err/err.h"
#include "pb/pb.h"

static int
cut_or_malformed(int n, const char *what, struct tc_err *err)
{
	return n == 0
		? 0
		: tc_err_set(err, TC_DATA, "%s is longer than a varint can be", what);
}

int
tc_element_read_any(
	const uint8_t *p, size_t avail, struct tc_element *e, struct tc_err *err)
{
	uint64_t tag, value;
	int n, m;

	n = tc_pb_varint(p, p + avail, &tag);
	if (n <= 0)
		return cut_or_malformed(n, "a tag", err);
	if (tag >> 3 == 0)
		return tc_err_set(err, TC_DATA, "field number 0");
	e->field = tag >> 3 > TC_PB_MAX_FIELD ? TC_PB_MAX_FIELD : (uint32_t)(tag >> 3);
	e->wire = (uint32_t)(tag & 7);
	e->header = (size_t)n;
	e->len = 0;
	switch (e->wire) {
	case TC_PB_I64: e->len = 8; return 1;
	case TC_PB_I32: e->len = 4; return 1;
	case TC_PB_VARINT:
	case TC_PB_LEN:
		m = tc_pb_varint(p + n, p + avail, &value);
		if (m <= 0)
			return cut_or_malformed(m, "a value", err);
		e->header += (size_t)m;
		e->len = e->wire == TC_PB_LEN ? value : 0;
		return 1;
	default: return tc_err_set(err, TC_DATA, "wire type %u", (unsigned)e->wire);
	}
}
