#ifndef TC_TARGETS_TARGETS_H
#define TC_TARGETS_TARGETS_H
/*
 * targets: what can be captured on Android, and how on a given device.
 *
 * Takes requests (from presets, from text as options have it, from records) and
 * what is known of devices, in any order, and answers at the end: for every
 * device the targets that a capture consists of, and a notice for whatever does
 * not come as it was asked for. Commands, paths and configurations are those of
 * Winscope, byte for byte, so that its own tools find and read the result.
 *
 * What can be asked for is a table (table.c): a target is a row with its
 * options, its piece of a Perfetto configuration and its commands without
 * Perfetto. Only -a and the lint know one by its name.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "json/json.h"
#include "mem/mem.h"

struct tc_err;
struct tc_out;
struct tc_rec_device;
struct tc_rec_request;

/* The numbers that a Perfetto configuration is made with. */
struct tc_targets_numbers {
	int64_t buffer_kb;
	int64_t write_period_ms; /* 0: not in the configuration */
	int64_t duration_ms;     /* 0: until it is stopped */
	int64_t rate_kb;         /* a second: what buffers are held against */
	bool buffer_set, write_period_set, duration_set;
};

/*
 * As Winscope has them. The rate is no limit of anything: a trace of an app start
 * with frames, scheduling and atrace was measured to write 924 KB a second.
 */
#define TC_TARGETS_NUMBERS_INIT \
	{ \
		500000, 999999999, 0, 900, false, false, false \
	}

struct tc_targets {
	struct tc_targets_numbers numbers;
	bool dump; /* a run of dumps, even before one is asked for */

	struct tc_arena arena;               /* what lasts as long as this */
	struct tc_arena scratch;             /* of the device under way */
	struct tc_json json;                 /* of the request under way */
	struct tc_targets_request *requests; /* owned, in order */
	size_t request_count, request_cap;
	size_t value_count;            /* of all requests that were kept */
	struct tc_rec_device *devices; /* owned, in order; strings in the arena */
	size_t device_count, device_cap;
	struct tc_str *apps; /* owned */
	size_t app_count, app_cap;
	struct tc_str *assumed; /* owned: data sources, when is_assumed */
	size_t assumed_count, assumed_cap;
	bool is_assumed;

	struct tc_out *out; /* borrowed, while a plan is made */
	size_t targets_put, warnings_put;
};

/*
 * More than anybody needs: what is compared with each other must not take for
 * ever, whatever the input.
 */
enum {
	TC_TARGETS_MAX_REQUESTS = 1024,
	TC_TARGETS_MAX_VALUES = 4096,
	TC_TARGETS_MAX_DEVICES = 256
};

void tc_targets_release(struct tc_targets *t);

/*
 * Each 0, or -1 with TC_USAGE and, where a name is wrong, the list of those that
 * are right. `text` is TARGET[,key=value...]. An app is for ATRACE, and is to be
 * added before the requests are.
 */
int tc_targets_add_preset(struct tc_targets *t, const char *name, struct tc_err *err);
int tc_targets_add_text(struct tc_targets *t, const char *text, struct tc_err *err);
int tc_targets_add_app(struct tc_targets *t, const char *app, struct tc_err *err);

/* "all", "none" or names with commas: the data sources that every device has. */
int tc_targets_assume(struct tc_targets *t, const char *text, struct tc_err *err);

/*
 * Each 0, or -1 with TC_DATA. Nothing of the record is borrowed. A device that
 * was there before is forgotten for what is known of it now.
 */
int tc_targets_add_request(
	struct tc_targets *t, const struct tc_rec_request *r, struct tc_err *err);
int tc_targets_add_device(
	struct tc_targets *t, const struct tc_rec_device *d, struct tc_err *err);

/*
 * Writes the notices and targets, and counts them. *idle: for some device there is
 * nothing that can be captured. -1 with TC_USAGE, and nothing written, when there is no
 * device and no assumption, no request, or traces and dumps are asked for at once.
 */
int tc_targets_plan(
	struct tc_targets *t, struct tc_out *out, bool *idle, struct tc_err *err);

#endif
