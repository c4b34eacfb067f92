#ifndef TC_TARGETS_PRIV_H
#define TC_TARGETS_PRIV_H
/* Inside targets: the table, requests as they are held, and texts being made. */
#include "rec/rec.h"
#include "targets/targets.h"

enum tc_targets_kind {
	TC_TARGETS_FLAG,    /* set or not */
	TC_TARGETS_CHOICE,  /* one of `words` */
	TC_TARGETS_LIST,    /* free texts */
	TC_TARGETS_GROUPS,  /* free texts, each with or without stack traces */
	TC_TARGETS_DISPLAY, /* ids of displays */
};

/* A value that a choice can have; NULL ends the list. */
struct tc_targets_word {
	const char *word;     /* in requests and in commands */
	const char *perfetto; /* in a configuration, NULL where it does not go there */
};

struct tc_targets_option {
	const char *key; /* NULL ends the list */
	enum tc_targets_kind kind;
	const struct tc_targets_word *words; /* of a choice */
	const char *standard;                /* of a choice: what it is when left out */
	const char *perfetto;                /* a flag, in a configuration */
	int bit;                             /* a flag, in the mask of the legacy way */
};

struct tc_targets_file {
	const char *path; /* NULL ends the list */
	const char *match[2];
	const char *dest;
};

/* How it is done without Perfetto. In texts @x@ stands for a value: see text.c. */
struct tc_targets_legacy {
	const char *name;
	const char *setup[3];
	const char *start, *stop;
	struct tc_targets_file files[3];
	bool per_display;   /* once for each display asked for; setup for the first */
	int last_sdk;       /* later systems are known to refuse; 0: none does */
	bool needs_wayland; /* the service */
	bool needs_new_recorder; /* to take another display than the active one */
};

struct tc_targets_target {
	const char *name; /* NULL ends the table */
	bool is_dump;
	bool is_ftrace; /* shares one piece of configuration with others of the kind */
	const char *source;   /* the data source, NULL without one */
	const char *fragment; /* its configuration, NULL where the name says it all */
	const struct tc_targets_option *options;
	const char *const *events; /* of ftrace, without being asked; NULL-ended */
	const char *needs;         /* what options must say something about */
	const struct tc_targets_legacy *legacy;
	const char *caveat; /* what a person should know who asks for it */
};

extern const struct tc_targets_target tc_targets_table[];

const struct tc_targets_target *tc_targets_find(struct tc_str name);
const struct tc_targets_option *tc_targets_find_option(
	const struct tc_targets_target *target, struct tc_str key);

/* Whether any target has this data source. */
bool tc_targets_is_source(struct tc_str name);

/* Of a flag the text is unknown; of a display it is the id. */
struct tc_targets_value {
	const struct tc_targets_option *option;
	struct tc_str text;
	bool stacktrace;
};

struct tc_targets_request {
	const struct tc_targets_target *target;
	struct tc_targets_value *values; /* owned, in the order of the request */
	size_t count, cap;
	bool is_preset;
};

bool tc_targets_has_flag(
	const struct tc_targets_request *r, const struct tc_targets_option *o);
struct tc_str tc_targets_choice(
	const struct tc_targets_request *r, const struct tc_targets_option *o);

/* Whether both come to the same; displays may be left out of account. */
bool tc_targets_is_same(const struct tc_targets_request *a,
	const struct tc_targets_request *b, bool with_displays);

/* A text that grows. */
struct tc_targets_text {
	char *p; /* owned */
	size_t len, cap;
};

void tc_targets_add_bytes(struct tc_targets_text *t, struct tc_str s);
void tc_targets_add_cstr(struct tc_targets_text *t, const char *s);

/* The text so far, copied to the arena; it is empty then. */
struct tc_str tc_targets_take(struct tc_targets_text *t, struct tc_arena *arena);

/*
 * Adds a text of the table with its values put in. Of Perfetto, the words and
 * flags are those of a configuration; `id` is the display.
 */
void tc_targets_expand(struct tc_targets_text *t, const char *text,
	const struct tc_targets_request *r, struct tc_str id, bool perfetto);

bool tc_targets_has_str(const struct tc_str *list, size_t count, struct tc_str s);

/* A record of the plan, counted. */
void tc_targets_put(struct tc_targets *t, const struct tc_rec_target *rec);

/* A notice; `d` and `target` may be NULL. */
void tc_targets_notice(struct tc_targets *t, const struct tc_rec_device *d,
	const char *level, const char *code, const char *target, const char *fmt, ...)
	__attribute__((format(printf, 6, 7)));

/*
 * The one Perfetto target of a device, of the requests for which use[i] is set.
 * The device may be unknown.
 */
void tc_targets_put_perfetto(struct tc_targets *t, struct tc_str device, const bool *use);

/*
 * The legacy targets of one request. `done` is the list of names that this device
 * has a target for already, which are not made again.
 */
struct tc_targets_names {
	struct tc_str *items; /* owned */
	size_t count, cap;
};
void tc_targets_put_legacy(struct tc_targets *t, const struct tc_rec_device *d,
	const struct tc_targets_request *r, struct tc_targets_names *done);

/* NULL, or why this display of the device cannot be captured. */
const char *tc_targets_display_trouble(const struct tc_rec_device *d,
	const struct tc_targets_request *r, struct tc_str id);

/* What is questionable whatever the device; and what is on this one. */
void tc_targets_lint(struct tc_targets *t);
void tc_targets_lint_device(
	struct tc_targets *t, const struct tc_rec_device *d, const bool *use);

/* A request as -t has it, of a person's own or of a preset. */
int tc_targets_add(
	struct tc_targets *t, const char *text, bool is_preset, struct tc_err *err);

/* "a, b, c" of the names that something can have. */
struct tc_targets_listed {
	char text[448];
	size_t len;
};
void tc_targets_list(struct tc_targets_listed *l, const char *name);

#endif
