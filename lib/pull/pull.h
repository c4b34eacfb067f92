#ifndef TC_PULL_PULL_H
#define TC_PULL_PULL_H
/*
 * pull: files of devices become files of this host, checked and whole.
 *
 * A file shows under its name only when all of it is there, has the size that
 * the device said before and after, and is on the disk. Until then it has
 * another name beside it, and the copy on the device stays in any case.
 *
 * Threads do the work, each with a device of its own; whoever adds files gets
 * the results in the order of adding. Apart from those threads, a struct tc_pull
 * belongs to one.
 *
 * What the peer says is not believed: names are checked to be one word of a
 * path (tc_pull_is_name), and a file that sends more than it has is given up.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err/err.h"
#include "mem/mem.h"
#include "rec/rec.h"

struct tc_out;

/* ---- names ---- */

/*
 * Whether it can be the name of a file, in any folder, without doing harm there:
 * no "/", no "..", nothing that controls a terminal, UTF-8, and not too long.
 */
bool tc_pull_is_name(struct tc_str s);

/* What a template can ask for; p NULL is not known. */
struct tc_pull_names {
	struct tc_str run, device, session, dest;
};

/* 0, or -1 with TC_USAGE. */
int tc_pull_check_template(const char *template, struct tc_err *err);

/* The path below the output folder, in the arena. 0, or -1: "bad_name". */
int tc_pull_expand(const char *template, const struct tc_pull_names *names,
	struct tc_arena *arena, char **path, struct tc_err *err);

/* ---- kinds ---- */

struct tc_pull_kind {
	const char *name;      /* as artifact records have it */
	const char *folder;    /* in an archive, or "" */
	const char *extension; /* in an archive, where there is none */
};

/* So many bytes of the beginning are enough to tell; a smaller file has fewer. */
enum { TC_PULL_KIND_BYTES = 64 * 1024 };

const struct tc_pull_kind *tc_pull_kind(const void *bytes, size_t len);

/* ---- pulling ---- */

struct tc_pull_options {
	const char *dir;      /* for the files */
	const char *template; /* of their names */
	const char *device;   /* of files whose record names none */
	int jobs;             /* how many files at once */
	int stop_fd;          /* readable: stop; -1: none */
	bool force, hash, remove;
};

/* What became of a file; valid until the next call. */
struct tc_pull_result {
	const struct tc_rec_file *file;
	struct tc_err failed; /* its code is TC_OK when the file is there */
	bool is_device;       /* it was the device that failed, not this file */
	struct tc_rec_artifact artifact;
	const struct tc_pull_kind *kind;
	struct tc_err not_removed; /* code TC_OK: it is, or was not asked for */
};

struct tc_pull;

/* The options are borrowed. */
struct tc_pull *tc_pull_new(const struct tc_pull_options *options);

/* The record is copied. A name that two files would get is the first one's. */
void tc_pull_add(struct tc_pull *p, const struct tc_rec_file *file);

enum tc_pull_next { TC_PULL_NONE, TC_PULL_RESULT, TC_PULL_WAIT };

/*
 * The result of the file added first, waiting for it, but no longer than that
 * (-1: for ever); or that there are none left.
 */
enum tc_pull_next tc_pull_next(
	struct tc_pull *p, int wait_ms, struct tc_pull_result *result);

/* How many have been added whose results were not taken. */
size_t tc_pull_pending(const struct tc_pull *p);

/* Lets go of all devices; to be called when nothing is pending. */
void tc_pull_rest(struct tc_pull *p);

/* How far the files have come that were added since tc_pull_rest. */
struct tc_pull_progress {
	size_t files, done;
	int64_t bytes, moved; /* bytes: as far as that is known */
	int64_t since_ns;     /* that the first of them was added */
};

void tc_pull_look(struct tc_pull *p, struct tc_pull_progress *progress);

/* "2 of 3 files, 10.5 of 300.0 MB, 85.2 MB/s, 4 s left" */
void tc_pull_progress_text(
	const struct tc_pull_progress *progress, int64_t now_ns, char *text, size_t size);

/* Pending files are given up; -o's folder has nothing of them. */
void tc_pull_free(struct tc_pull *p);

/* ---- the folder of the last run ---- */

struct tc_pull_last {
	struct tc_rec_file *files; /* in the arena, sorted by name */
	size_t count;
};

/*
 * Everything that lies there, and what run.json says that should. Without a
 * run.json that makes sense, what lies there has no run and no session. 0, or -1.
 */
int tc_pull_last(const char *device, int stop_fd, struct tc_arena *arena,
	struct tc_pull_last *last, struct tc_err *err);

/* ---- runs ---- */

/* Of which files were pulled, or could not be; begins as zeros. */
struct tc_pull_runs {
	struct tc_arena arena;
	struct tc_pull_run *list; /* owned */
	size_t count, cap;
	size_t next; /* to be marked */
};

/* A file of this run, p NULL: of none. */
void tc_pull_runs_add(
	struct tc_pull_runs *r, struct tc_str device, struct tc_str run, bool is_there);

/*
 * Where the next run of which all is here has ended, its run.json is made to say that
 * it was pulled: 1; 0 when there is none left; or -1, and the next call goes on with
 * the one behind it.
 */
int tc_pull_runs_mark(struct tc_pull_runs *r, int stop_fd, struct tc_err *err);
void tc_pull_runs_release(struct tc_pull_runs *r);

/* ---- archives ---- */

/*
 * Archives that Winscope's page loads. It takes one run of one device, with one
 * Perfetto trace: more of them make more archives, FILE-2.zip and so on.
 */
struct tc_pull_zip;

struct tc_pull_zip *tc_pull_zip_new(const char *path);
void tc_pull_zip_free(struct tc_pull_zip *z);

/* The artifact is copied. */
void tc_pull_zip_add(struct tc_pull_zip *z, const struct tc_rec_artifact *a,
	const struct tc_pull_kind *kind);

/*
 * Writes the next archive: 1 and what it is; 0 when there is none; or -1:
 * "exists", "interrupted", TC_IO, TC_NOINPUT.
 */
int tc_pull_zip_next(struct tc_pull_zip *z, bool force, int stop_fd,
	struct tc_rec_artifact *a, struct tc_err *err);

#endif
