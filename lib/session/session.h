#ifndef TC_SESSION_SESSION_H
#define TC_SESSION_SESSION_H
/*
 * session: running the targets of a capture on devices, and keeping what they
 * leave.
 *
 * Targets are added, as records have them, and then one of the modes is called
 * once. It writes a `session` record for what became of each target and a `file`
 * record for each file, `error` records where a device could not be worked with;
 * and -1 comes back only when nothing could be done on any device, or nobody reads
 * the output any more.
 *
 * On the device a run has Winscope's folder. run.json in there says what runs, from
 * before the first start on, so that tc_session_recover can end what was left.
 *
 * With `dry_run` nothing is touched: `command` records say what would be run, with
 * what cannot be known put as if all went well.
 *
 * A mode handles SIGINT, SIGTERM and SIGHUP until the process ends: the first says
 * stop, the second give up. SIGPIPE is for the caller to ignore.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mem/mem.h"

struct tc_cli;
struct tc_err;
struct tc_out;
struct tc_rec_device;
struct tc_rec_file;
struct tc_rec_session;
struct tc_rec_target;

struct tc_session {
	struct tc_cli *cli; /* of whoever asks: its diagnostics */
	const char *name;   /* of the device, where records name none */
	int64_t for_ms;     /* how long a run takes; 0: until a signal */
	int64_t wait_ms;    /* for a device that was lost to come back */
	const char *takes;  /* "trace" or "dump": the mode of targets */
	bool dry_run, verbose;
	bool discard; /* a run that was never pulled gives way */

	/* Its own. */
	struct tc_arena arena;
	struct tc_session_device *devices; /* owned, in the order of the records */
	size_t device_count, device_cap;
	size_t item_count;
	struct tc_rec_file *files; /* owned: records to be written at the end */
	size_t file_count, file_cap;
	const char *run;    /* the id of what is started */
	struct tc_out *out; /* borrowed, while a mode is under way */
	bool is_partial;    /* some part of the work failed */
	bool keeps;         /* transports may run targets while this process asks */
};

/* More than anybody needs. */
enum { TC_SESSION_MAX = 256 };

/*
 * Nothing of the record is borrowed. 0, or -1 with TC_DATA for one that cannot be
 * run as it is. What is known of a device is used by dry runs.
 */
int tc_session_add_target(
	struct tc_session *s, const struct tc_rec_target *target, struct tc_err *err);
int tc_session_add_session(
	struct tc_session *s, const struct tc_rec_session *session, struct tc_err *err);
void tc_session_add_device(struct tc_session *s, const struct tc_rec_device *device);

/* The modes: the exit status, 0 or 1; or -1. */
int tc_session_start(struct tc_session *s, struct tc_out *out, struct tc_err *err);
int tc_session_run(struct tc_session *s, struct tc_out *out, struct tc_err *err);
int tc_session_stop(struct tc_session *s, struct tc_out *out, struct tc_err *err);
int tc_session_dump(struct tc_session *s, struct tc_out *out, struct tc_err *err);
int tc_session_recover(struct tc_session *s, struct tc_out *out, struct tc_err *err);

/*
 * Whether the second signal came: once the output is flushed, the process is to end
 * by it, with tc_session_signals_raise.
 */
bool tc_session_gave_up(void);
void tc_session_signals_raise(void);

void tc_session_release(struct tc_session *s);

#endif
