#ifndef TC_DEVICE_PRIV_H
#define TC_DEVICE_PRIV_H
/* Inside device: what stands behind a name. */
#include "device/device.h"

/* One way to devices, for names that begin with `prefix`. */
struct tc_device_way {
	const char *prefix;
	int (*find)(const char *rest, const struct tc_wait *w, struct tc_arena *arena,
		struct tc_device_info **list, size_t *count, struct tc_err *err);
	int (*open)(struct tc_device *d, const char *rest, const struct tc_wait *w,
		struct tc_err *err);
	void (*close)(struct tc_device *d);
};

struct tc_device {
	const struct tc_device_way *way;
	char *name; /* owned */
	unsigned caps;
	void *ctx; /* of the way */
};

extern const struct tc_device_way tc_device_server;

/* prefix and rest in one; ended by free. */
char *tc_device_join(const char *prefix, const char *rest);

#endif
