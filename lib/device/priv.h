#ifndef TC_DEVICE_PRIV_H
#define TC_DEVICE_PRIV_H
/* Inside device: what stands behind a name. */
#include "adb/adb.h"
#include "device/device.h"

/* One way to devices, for names that begin with `prefix`; `rest` is behind that. */
struct tc_device_way {
	const char *prefix;
	int (*find)(const char *rest, const struct tc_wait *w, struct tc_arena *arena,
		struct tc_device_info **list, size_t *count, struct tc_err *err);

	/* Fills in all but `way`. "busy" is tried again. */
	int (*open)(struct tc_device *d, const char *rest, const struct tc_wait *w,
		struct tc_err *err);

	/*
	 * Until trying to open it may help; NULL where nobody tells. When it is there
	 * already, a second.
	 */
	int (*wait)(const char *rest, const struct tc_wait *w, struct tc_err *err);
};

struct tc_device {
	const struct tc_device_way *way;
	char *name; /* owned */
	unsigned caps;
	struct tc_adb *adb; /* owned */
};

extern const struct tc_device_way tc_device_server, tc_device_tcp, tc_device_usb;

/* What this device can do, as it announced. */
unsigned tc_device_adb_caps(const struct tc_adb *adb);

/* How the device of this name, which stays where it is, is asked for its trust. */
struct tc_device_asking {
	struct tc_adb_ask ask;
	const char *name;
};

/* For tc_adb_open_*: NULL when nobody would be told to accept a key. */
const struct tc_adb_ask *tc_device_ask(struct tc_device_asking *a, const char *name);

/* Sets *err from a state that commands and files have to wait for; returns -1. */
int tc_device_not_usable(const char *name, const char *state, struct tc_err *err);

/* Puts in front of what kept it from being opened what that makes it; returns -1. */
int tc_device_not_opened(const char *name, struct tc_err *err);

/* prefix and rest in one; ended by free. */
char *tc_device_join(const char *prefix, const char *rest);

#endif
