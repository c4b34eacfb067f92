#ifndef TC_PULL_PRIV_H
#define TC_PULL_PRIV_H
/* Inside pull: one file, and who pulls it. */
#include <stdatomic.h>

#include "device/device.h"
#include "pull/pull.h"

struct tc_pull_place;

/* A file on its way. While it runs it is its thread's, before and after the caller's. */
struct tc_pull_job {
	struct tc_pull_job *next;
	struct tc_arena arena;
	struct tc_rec_file file; /* in the arena, as all here */
	const char *source, *as; /* on the device; as may be NULL */
	char *path;              /* on this host */
	struct tc_pull_place *place;
	enum { TC_PULL_QUEUED, TC_PULL_RUNNING, TC_PULL_DONE } state;
	_Atomic int64_t size, moved; /* size -1: not known yet */

	/* The result. */
	struct tc_err failed, not_removed;
	bool is_device;
	int64_t bytes;
	char sha256[65]; /* "": not made */
	const struct tc_pull_kind *kind;
};

/*
 * Gets the file, checks it and gives it its name. 0, or -1 with the folder as it
 * was. job->not_removed says what came of removing.
 */
int tc_pull_one(struct tc_device *d, const struct tc_pull_options *options,
	struct tc_pull_job *job, struct tc_err *err);

/* Ids are made of digits, letters and dashes; others nobody made. */
bool tc_pull_is_id(const char *run);

/* Below the folder of the last run, which the next one empties. */
bool tc_pull_is_in_folder(const struct tc_pull_job *job);

/*
 * Which run has that folder: 1 and *run, in the arena; 0 when nothing there says it;
 * or -1.
 */
int tc_pull_folder_run(struct tc_device *d, int stop_fd, struct tc_arena *arena,
	struct tc_str *run, struct tc_err *err);

/* TC_IO "other_run". Returns -1. */
int tc_pull_other_run(
	const struct tc_pull_job *job, struct tc_str run, struct tc_err *err);

/* A command, only when the folder is of this job's run; or else its status is that. */
enum { TC_PULL_OTHER_RUN = 9 };
const char *tc_pull_guarded(struct tc_pull_job *job, const char *command);

/* Of all bytes of the file behind fd, in hexadecimal. 0, or -1. */
int tc_pull_sha256(int fd, char hex[65], const struct tc_wait *w, struct tc_err *err);

/* Every folder that the path goes through is there afterwards. 0, or -1. */
int tc_pull_make_folders(const char *path, struct tc_err *err);

/* To open a device, which may be busy for a while; for an answer; for a transfer. */
struct tc_wait tc_pull_open_wait(int stop_fd);
struct tc_wait tc_pull_answer_wait(int stop_fd);
struct tc_wait tc_pull_transfer_wait(int stop_fd);

#endif
