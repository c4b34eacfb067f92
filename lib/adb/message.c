#include "adb/priv.h"

#include "err/err.h"

int
tc_adb_head_get(const uint8_t *bytes, struct tc_adb_head *h, struct tc_err *err)
{
	h->command = tc_adb_get32(bytes);
	h->arg0 = tc_adb_get32(bytes + 4);
	h->arg1 = tc_adb_get32(bytes + 8);
	h->len = tc_adb_get32(bytes + 12);
	h->check = tc_adb_get32(bytes + 16);
	if (tc_adb_get32(bytes + 20) != (h->command ^ 0xffffffffu))
		return tc_err_named(err, TC_PROTOCOL, "protocol",
			"what the device sent is no message of adb");
	switch (h->command) {
	case TC_ADB_CNXN:
	case TC_ADB_AUTH:
	case TC_ADB_STLS:
	case TC_ADB_OPEN:
	case TC_ADB_OKAY:
	case TC_ADB_WRTE:
	case TC_ADB_CLSE: break;
	default:
		return tc_err_named(err, TC_PROTOCOL, "protocol",
			"the device sent an unknown message 0x%08x", h->command);
	}
	if (h->len > TC_ADB_MAX_PAYLOAD ||
		((h->command == TC_ADB_CNXN || h->command == TC_ADB_AUTH) &&
			h->len > TC_ADB_MAX_BANNER))
		return tc_err_named(err, TC_PROTOCOL, "protocol",
			"the device sent a message of %u bytes", h->len);
	return 0;
}

void
tc_adb_head_put(uint8_t *bytes, const struct tc_adb_head *h)
{
	tc_adb_put32(bytes, h->command);
	tc_adb_put32(bytes + 4, h->arg0);
	tc_adb_put32(bytes + 8, h->arg1);
	tc_adb_put32(bytes + 12, h->len);
	tc_adb_put32(bytes + 16, h->check);
	tc_adb_put32(bytes + 20, h->command ^ 0xffffffffu);
}

uint32_t
tc_adb_sum(const uint8_t *bytes, size_t len)
{
	uint32_t sum = 0;
	size_t i;

	for (i = 0; i < len; i++)
		sum += bytes[i];
	return sum;
}
