#ifndef TC_SESSION_PRIV_H
#define TC_SESSION_PRIV_H
/* Inside session: targets under way, devices, and the commands of each phase. */
#include "device/device.h"
#include "err/err.h"
#include "rec/rec.h"
#include "session/session.h"

#define TC_SESSION_FOLDER TC_REC_RUN_FOLDER "/"

/* ---- plan.c: commands, from what is known. All in the arena; nothing is touched. ----
 */

const char *tc_session_print(struct tc_arena *arena, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
const char *tc_session_cstr(struct tc_arena *arena, struct tc_str s);

/* What is left of a command without its last line, when that does nothing but echo. */
const char *tc_session_bare(struct tc_arena *arena, struct tc_str command);

/* The value behind --NAME= or --NAME in a command, or NULL. */
const char *tc_session_option(
	struct tc_arena *arena, struct tc_str command, const char *name);

/* A recording's own command, without what Winscope does around it; or NULL. */
const char *tc_session_recorder(struct tc_arena *arena, const struct tc_rec_target *t);

/* How a target is started. */
const char *tc_session_start_text(struct tc_arena *arena, const struct tc_rec_target *t);

/* How it is stopped; pids as in a session's record. NULL: there is nothing to stop. */
const char *tc_session_stop_text(
	struct tc_arena *arena, const struct tc_rec_target *t, struct tc_str pids);

/* The same for a transport that does it by itself: "$TC_STARTED" has what was printed. */
const char *tc_session_kept_stop_text(
	struct tc_arena *arena, const struct tc_rec_target *t);

/* Prints the status of what says whether it runs; or NULL, when nothing says so. */
const char *tc_session_alive_text(
	struct tc_arena *arena, const struct tc_rec_target *t, struct tc_str pids);

/* What that status means. A Perfetto that cannot tell does not say that it is over. */
bool tc_session_is_over(struct tc_str pids, long status);

/* The first of a session's pids, 0 for none. */
int64_t tc_session_pid(struct tc_str pids);

/* When Perfetto ends by itself, in ms after the start; 0: it does not. */
int64_t tc_session_duration_ms(const struct tc_rec_target *t);

/* The settings that a target changes; no more than `max`. */
size_t tc_session_settings(struct tc_arena *arena, const struct tc_rec_target *t,
	struct tc_rec_session_setting *list, size_t max);
const char *tc_session_get_setting(
	struct tc_arena *arena, const struct tc_rec_session_setting *s);
const char *tc_session_put_setting(struct tc_arena *arena, const struct tc_rec_target *t,
	const struct tc_rec_session_setting *s);

/* What tc_session_prepare_text ends with, besides 0. */
enum {
	TC_SESSION_LOCKED = 8, /* another is doing the same at this moment */
	TC_SESSION_BUSY = 9,   /* and it prints run.json */
};

/*
 * Makes the run's folder empty, with what comes from standard input as its
 * run.json, and prints the user's id. `key` (may be NULL) is of a session of
 * Perfetto that would be in the way, `confs` are old files.
 */
struct tc_session_prepare {
	const char *key;
	const char *const *confs;
	size_t conf_count;
	bool discard;
};
const char *tc_session_prepare_text(
	struct tc_arena *arena, const struct tc_session_prepare *p);

extern const char tc_session_read_text[];  /* prints run.json, if there is one */
extern const char tc_session_write_text[]; /* from standard input */
extern const char tc_session_list_text[];  /* "SIZE PATH" of the files of the folder */
extern const char tc_session_root_text[];

/* Files: `su` is whether as root. A pattern may be NULL. */
const char *tc_session_find_text(struct tc_arena *arena, bool su, struct tc_str path,
	const struct tc_str *pattern);
/* A recording that is in parts has them beside it: NAME.1.mp4, NAME.2.mp4, NAME.mp4. */
const char *tc_session_find_recording_text(struct tc_arena *arena, struct tc_str path);
const char *tc_session_copy_text(
	struct tc_arena *arena, bool su, const char *from, const char *to);
const char *tc_session_remove_text(struct tc_arena *arena, bool su, const char *path);

/* DEST, or DEST-N.EXT for a copy of a higher number than 1. */
const char *tc_session_dest(struct tc_arena *arena, struct tc_str dest, unsigned n);

/* ---- what is under way ---- */

enum { TC_SESSION_SETTINGS_MAX = 8 };

struct tc_session_item {
	struct tc_rec_target target;
	struct tc_rec_session rec; /* what is known of it, for its record */
	struct tc_rec_session_error error;
	int64_t started_ns;   /* of this process; 0: by another */
	bool may_run;         /* is to be stopped */
	bool is_ours;         /* of those that this process is to end */
	bool is_asked;        /* whether it runs, by the command that asks for all */
	bool is_ended;        /* its last record was written */
	bool is_start_failed; /* and how far it came is not known */
	bool is_unstopped;    /* it was to be stopped, and may go on all the same */
	bool is_kept;         /* the transport runs it, while it is asked for */
	bool is_other_run;    /* the folder is of another run than this one's by now */
	struct tc_rec_session_setting settings[TC_SESSION_SETTINGS_MAX];
	size_t setting_count;
};

enum tc_session_root {
	TC_SESSION_ROOT_UNKNOWN,
	TC_SESSION_ROOT_SU,
	TC_SESSION_ROOT_NONE
};

struct tc_session_device {
	const char *name;              /* of the records; then of the device itself */
	struct tc_device *device;      /* NULL: not open */
	struct tc_session_item *items; /* owned */
	struct tc_rec_file *files;     /* owned: those in the folder, once listed */
	struct tc_str *dests;          /* owned: names given to files in this run */
	size_t item_count, item_cap, file_count, file_cap, dest_count, dest_cap;
	const char *run, *started_at; /* NULL: none of ours */
	const char *as;               /* "adbd" when it runs as root; or "shell" */
	enum tc_session_root root;
	enum tc_session_root likely_root; /* by a device record */
	bool is_likely_adbd;
	const char *model; /* by a device record; or NULL */
	bool is_lost;      /* for good */
	bool has_failed;   /* nothing more can be done there */
	struct tc_err why;
	unsigned returned; /* how often it was lost and came back */
	unsigned silences; /* how often in a row it did not answer in time */
	bool has_files;    /* some that are to be pulled */
	const char *alive; /* what asks whether they run, NULL: nothing does */
	bool is_asking;    /* alive is made */
	bool keeps;        /* its transport runs targets itself, and is to do so */
};

/* ---- signal.c ---- */

void tc_session_signals_begin(void);
bool tc_session_is_stopped(void);  /* the first has come */
bool tc_session_is_given_up(void); /* the second has */
int tc_session_stop_fd(void);      /* readable from the first on */
int tc_session_give_up_fd(void);

/* ---- talk.c: commands on a device, records ---- */

struct tc_session_call {
	const char *phase;
	const struct tc_session_item *item; /* NULL: of no one alone */
	const char *text;  /* of what is only asked, the name of the target */
	const char *input; /* or NULL */

	/* Of what the transport runs itself, in place of running `text`. */
	enum {
		TC_SESSION_KEEP_NOTHING,
		TC_SESSION_KEEP_START, /* runs `text`, and `stop` in the end */
		TC_SESSION_KEEP_ALIVE, /* status 0: it is */
		TC_SESSION_KEEP_STOP
	} keep;
	const char *stop;
	int64_t limit_ms;
	bool is_brief;    /* the first signal already interrupts it */
	bool is_repeated; /* when the device was lost meanwhile and came back */
};

/*
 * 0 when it ran, and *result, of which lines end in LF; or -1. After "gone" the
 * device is back when d->device is there, and lost for good when it is not.
 */
int tc_session_exec(struct tc_session *s, struct tc_session_device *d,
	const struct tc_session_call *call, struct tc_device_result *result,
	struct tc_err *err);
int tc_session_open(struct tc_session *s, struct tc_session_device *d, int stop_fd,
	struct tc_err *err);

/* What a command said on its way out, in one line. In the arena. */
const char *tc_session_words(struct tc_session *s, const struct tc_device_result *result);

void tc_session_put_command(struct tc_session *s, const struct tc_session_device *d,
	const struct tc_session_item *item, const char *phase, const char *text);
void tc_session_put(
	struct tc_session *s, struct tc_session_device *d, struct tc_session_item *item);
void tc_session_put_error(struct tc_session *s, const struct tc_session_device *d,
	const char *code, const char *text);

/* Files are for the next tool, which wants the device: their records come last. */
void tc_session_put_file(struct tc_session *s, const struct tc_rec_file *rec);

/* It is closed, and waited for: open again, or d->is_lost. */
void tc_session_lose(
	struct tc_session *s, struct tc_session_device *d, const struct tc_err *why);

/* Sets a state, with what went wrong (code NULL: nothing). Texts are copied. */
void tc_session_set(struct tc_session *s, struct tc_session_item *item, const char *state,
	const char *code, const char *text);
bool tc_session_is(const struct tc_session_item *item, const char *state);

/* The last of a session: its state is that, unless its start had failed already. */
void tc_session_end(struct tc_session *s, struct tc_session_device *d,
	struct tc_session_item *item, const char *state, const char *code,
	const char *text);
struct tc_str tc_session_now(struct tc_session *s);

/* Nobody reads what is written any more, or it cannot be written. */
bool tc_session_is_unread(struct tc_session *s);

/* ---- folder.c ---- */

void tc_session_plan_prepare(struct tc_session *s, const struct tc_session_device *d,
	struct tc_session_prepare *p);
int tc_session_prepare(
	struct tc_session *s, struct tc_session_device *d, struct tc_err *err);

/* Writes run.json anew. */
int tc_session_note(struct tc_session *s, struct tc_session_device *d,
	const char *progress, struct tc_err *err);

/* Reads it: 1, 0 when there is none, or -1. */
int tc_session_load(struct tc_session *s, struct tc_session_device *d,
	struct tc_rec_run *run, struct tc_err *err);

/* What is in the folder besides, into d->files. */
int tc_session_list(
	struct tc_session *s, struct tc_session_device *d, struct tc_err *err);

/* ---- start.c, watch.c, stop.c, move.c: each for all of a device's items ---- */

/* What reads the settings that will be changed, and puts them back; or NULL. */
const char *tc_session_settings_text(struct tc_session *s, struct tc_session_device *d);
const char *tc_session_restore_text(
	struct tc_session *s, const struct tc_session_device *d);

/* Opens and prepares a device: 0; or -1, and then all of its items have failed. */
int tc_session_begin(struct tc_session *s, struct tc_session_device *d);

/* Ends what a run that is dropped left running. */
int tc_session_end_left(
	struct tc_session *s, struct tc_session_device *d, struct tc_err *err);

/*
 * Of what `perfetto --query-raw` prints: 1 when the data sources of the session of
 * this name are up, 0 when they are not yet, -1 when it says nothing of it.
 */
int tc_session_is_up(const void *bytes, size_t len, const char *name);

void tc_session_start_all(struct tc_session *s, struct tc_session_device *d);
void tc_session_dump_all(struct tc_session *s, struct tc_session_device *d);
void tc_session_watch(struct tc_session *s);

/* Whether anything is to be stopped there; of all devices, anywhere. */
bool tc_session_runs(const struct tc_session_device *d);
bool tc_session_any_runs(const struct tc_session *s);

/* Whether they run: for each that can be asked about, else it is thought to. */
int tc_session_check(
	struct tc_session *s, struct tc_session_device *d, struct tc_err *err);
void tc_session_stop_all(struct tc_session *s, struct tc_session_device *d);
void tc_session_move_all(struct tc_session *s, struct tc_session_device *d);

struct tc_session_item *tc_session_add_item(
	struct tc_session *s, struct tc_session_device *d);
struct tc_session_device *tc_session_device_of(struct tc_session *s, struct tc_str name);

/* ---- dry.c ---- */

enum tc_session_mode {
	TC_SESSION_START,
	TC_SESSION_RUN,
	TC_SESSION_STOP,
	TC_SESSION_DUMP,
	TC_SESSION_RECOVER,
};
void tc_session_dry(struct tc_session *s, enum tc_session_mode mode);

#endif
