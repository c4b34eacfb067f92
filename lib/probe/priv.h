#ifndef TC_PROBE_PRIV_H
#define TC_PROBE_PRIV_H
/*
 * Inside probe. devices.c lists devices, probe.c asks one, learn.c makes facts of
 * its answers, facts.c and service.c read the single outputs: from learn.c on they
 * are pure functions of bytes that nobody has checked.
 *
 * Texts that come out lie in the bytes that went in, or in the arena.
 */
#include "device/device.h"
#include "mem/mem.h"
#include "probe/probe.h"
#include "rec/rec.h"

/* ---- devices.c ---- */

/* A record of what the list of devices says of one, and no more. */
void tc_probe_listed(const struct tc_device_info *info, struct tc_arena *arena,
	struct tc_rec_device *rec);

/* Writes what would be run; device NULL: on each that there is. */
void tc_probe_put_command(
	struct tc_out *out, const char *device, const char *phase, const char *text);

/* The same for the list of devices, where it is asked for. */
void tc_probe_put_list_command(const struct tc_probe *p, struct tc_out *out);

/*
 * The devices that the name can mean, in the arena. A name that is one device's
 * and means none is "not_found". 0, or -1.
 */
int tc_probe_find(const struct tc_probe *p, struct tc_arena *arena,
	struct tc_device_info **list, size_t *count, struct tc_err *err);

/* ---- learn.c ---- */

/* What a device is asked. */
enum tc_probe_question {
	TC_PROBE_PROPS,
	TC_PROBE_UID,
	TC_PROBE_SU,
	TC_PROBE_DISPLAYS,
	TC_PROBE_SCREENRECORD,
	TC_PROBE_WAYLAND,
	TC_PROBE_FREE,
	TC_PROBE_PERFETTO,
	TC_PROBE_PROTOLOG,
	TC_PROBE_QUESTIONS,
};

/* The command line that asks it. */
const char *tc_probe_command(enum tc_probe_question q);

/*
 * The most that is read of an answer. Written as JSON it takes at most six times
 * as much, and those that go into the record fit together into a line.
 */
enum { TC_PROBE_ANSWER_MAX = 512 << 10 };

struct tc_probe_answer {
	bool came;                /* the command has ended by itself */
	int status;               /* when it came */
	struct tc_str out, err;   /* what it printed, also when it did not end */
	struct tc_str code, text; /* why it did not come */
};

enum { TC_PROBE_MAX_NOTICES = 32 };

struct tc_probe_learnt {
	struct tc_rec_device rec;
	struct tc_rec_notice notices[TC_PROBE_MAX_NOTICES];
	size_t notice_count;
	struct tc_arena *arena; /* borrowed */
};

/*
 * Adds what the answers say to l->rec, of which the name is known, and a notice
 * for each fact that they do not say.
 */
void tc_probe_learn(struct tc_probe_learnt *l,
	const struct tc_probe_answer answers[TC_PROBE_QUESTIONS]);

/* ---- facts.c: one output each ---- */

/* The most items of a list: more is no list of a device's. */
enum { TC_PROBE_MAX_ITEMS = 4096 };

/* Without blanks, line ends and NULs around it. */
struct tc_str tc_probe_trim(struct tc_str s);

bool tc_probe_has(struct tc_str s, const char *part);

/* A whole number of decimal digits, with blanks around; -1 when it is none. */
int64_t tc_probe_number(struct tc_str s);

/* Takes a line off the text, without its line end; false at the end. */
bool tc_probe_line(struct tc_str *text, struct tc_str *line);

/* Takes a word off the text; empty at the end. */
struct tc_str tc_probe_word(struct tc_str *text);

/* What all of `getprop` says of a key: p NULL when nothing, or nothing but blanks. */
struct tc_str tc_probe_prop(struct tc_str text, const char *key);

/*
 * The displays of `dumpsys SurfaceFlinger --display-id`. None is an empty list when
 * nothing was printed; -1 when something else was, or too many.
 */
int tc_probe_displays(
	struct tc_str text, struct tc_arena *arena, struct tc_rec_list *displays);

/* Of `screenrecord --version`, or --help of one that does not know it; or p NULL. */
struct tc_str tc_probe_screenrecord(struct tc_str text);

/* Of `service check NAME`: 1 found, 0 not found, -1 it does not say. */
int tc_probe_service_found(struct tc_str text);

/* Of `cmd protolog_configuration groups list`: 0, or -1 when it is no such list. */
int tc_probe_protolog(
	struct tc_str text, struct tc_arena *arena, struct tc_rec_list *groups);

/*
 * What is free at a path, in bytes; -1 when the text does not say. It has for each
 * path one line "BLOCKS SIZE PATH" (of stat -f), or a line "df PATH" and then what
 * df -k prints.
 */
int64_t tc_probe_free(struct tc_str text, const char *path);

/* ---- service.c: the tracing service ---- */

struct tc_probe_service {
	struct tc_rec_device_perfetto rec;
	int64_t total; /* sessions, also those that are not shown; TC_NONE: not said */
	bool is_for_people; /* it was read from what --query prints for people */
};

/*
 * Of `perfetto --query-raw`, or of --query. Of the sessions those are counted
 * that are under way and of this uid (below 0: of any), for that is what the
 * service limits; ours are counted apart. 0, or -1 when it is neither.
 */
int tc_probe_service(struct tc_str out, int64_t uid, struct tc_arena *arena,
	struct tc_probe_service *s);

#endif
