#ifndef TC_RULES_RULES_H
#define TC_RULES_RULES_H
/*
 * rules: whether numbers about frames are good enough, by a file that says so.
 *
 * A rule has a metric, a limit and a scope. Every jank_metric record in its scope is a
 * part, one repetition of one scenario, and is judged on its own; the rule's policy
 * makes one verdict of them. A part that cannot be judged could have passed or failed:
 * where that makes a difference to the policy the rule's verdict is not_enough_data, and
 * so it is when no part came at all.
 *
 * Read the file, add devices and metrics in any order, judge, and put what came of it.
 * Nothing that is handed in is borrowed beyond the call, except `app`.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mem/mem.h"

struct tc_err;
struct tc_out;
struct tc_rec_device;
struct tc_rec_jank_metric;
struct tc_rows;

enum {
	TC_RULES_MAX_FILE = 1 << 20, /* bytes of a file */
	TC_RULES_MAX = 1000,         /* rules, and device classes */
	TC_RULES_MAX_PARTS = 1 << 24,
};

struct tc_rules_rule;
struct tc_rules_class;
struct tc_rules_device;
struct tc_rules_part;

struct tc_rules {
	/* Only the metrics of this process: name, glob, "pid=N" or "upid=N"; or NULL. */
	const char *app;

	struct tc_rules_rule *rules; /* owned by the arena */
	struct tc_rules_class *classes;
	size_t count, class_count;
	struct tc_arena arena;
	struct tc_strtab names;
	struct tc_str *texts;        /* owned: once judged, what ids of parts stand for */
	struct tc_rules_part *parts; /* owned: once judged, by rule */
	size_t part_count, part_cap;
	struct tc_strtab scenes; /* of struct tc_rules_scene, those of each rule */
	bool *has_part;          /* owned: by id of the scene - 1 */
	size_t scene_cap;
	struct tc_rules_device *devices; /* owned: by id of the device's name - 1 */
	size_t device_count, device_cap;
	bool *told; /* owned: by place of the rows, whether metrics of it came */
	size_t told_count, told_cap;
	bool has_metrics;  /* any, of whatever process */
	bool has_combined; /* some of them of several traces */
	bool lacks_scenes; /* to be set when there were traces, and no scene in them */
	bool lacks_all;    /* to be set when there was no trace, nor anything of one */
	bool is_full;      /* there were more parts than are held */
};

/* -1 with TC_NOINPUT, or with TC_DATA and what is wrong in which rule. */
int tc_rules_read(struct tc_rules *r, const char *path, struct tc_err *err);

/* The same of the text of a file. */
int tc_rules_parse(struct tc_rules *r, struct tc_str text, struct tc_err *err);

void tc_rules_add_device(struct tc_rules *r, const struct tc_rec_device *d);
void tc_rules_add_metric(struct tc_rules *r, const struct tc_rec_jank_metric *m);

/*
 * A stream may have metrics, and the rows that they were made of or what is left of
 * these. Takes a metric of the stream and notes what place of the rows it stands for;
 * then says, by place, which ones such metrics stand for.
 */
void tc_rules_take_metric(
	struct tc_rules *r, struct tc_rows *rows, const struct tc_rec_jank_metric *m);
const bool *tc_rules_told(struct tc_rules *r, const struct tc_rows *rows);

/* Once all are in. -1 with TC_DATA when there were too many. */
int tc_rules_judge(struct tc_rules *r, struct tc_err *err);

/* Writes a verdict record for each part and, behind its parts, for each rule. */
void tc_rules_put(const struct tc_rules *r, struct tc_out *out);

/*
 * The same as a JUnit file, which shows under its name when it is complete. With
 * lacks_all each rule is an error in it: nothing was tested.
 */
int tc_rules_put_junit(const struct tc_rules *r, const char *path, struct tc_err *err);

/* Whether all rules passed; without is_strict, those without enough data may do. */
bool tc_rules_passed(const struct tc_rules *r, bool is_strict);

/* How many rules came to what, as a line for a person. */
void tc_rules_summary(const struct tc_rules *r, char *text, size_t size);

void tc_rules_release(struct tc_rules *r);

#endif
