#ifndef TC_PROBE_PRIV_H
#define TC_PROBE_PRIV_H
/* Inside probe. */
#include "device/device.h"
#include "mem/mem.h"
#include "probe/probe.h"
#include "rec/rec.h"

/* A record of what the list of devices says of one, and no more. */
void tc_probe_listed(const struct tc_device_info *info, struct tc_arena *arena,
	struct tc_rec_device *rec);

/* Writes what would be run; device NULL: on each that there is. */
void tc_probe_put_command(
	struct tc_out *out, const char *device, const char *phase, const char *text);

/*
 * The devices that the name can mean, in the arena. A name that is one device's
 * and means none is "not_found". 0, or -1.
 */
int tc_probe_find(const struct tc_probe *p, struct tc_arena *arena,
	struct tc_device_info **list, size_t *count, struct tc_err *err);

#endif
