/* One file: look, copy, look again, check, give it its name. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "err/err.h"
#include "io/io.h"
#include "pull/priv.h"

enum {
	OPEN_MS = 20 * 1000,
	ANSWER_MS = 10 * 1000,
	QUIET_MS = 60 * 1000,
	HASH_MS = 10 * 60 * 1000
};
enum { WRITE_BYTES = 8 << 20 };

/* A command that says more than that beside a file's bytes says nothing of use. */
enum { SAID_MAX = 64 * 1024 };

struct pulling {
	struct tc_device *d; /* borrowed, as all here */
	const struct tc_pull_options *options;
	struct tc_pull_job *job;
	struct tc_wait wait;
	struct tc_device_stat before;
	int fd;          /* of the file with the temporary name */
	int64_t started; /* bytes of it that the disk was given to write */
	bool by_shell;   /* the transfer of files is not permitted to read it */
	bool is_more;    /* came than the device said there is */
};

struct tc_wait
tc_pull_open_wait(int stop_fd)
{
	struct tc_wait w = tc_wait_for(OPEN_MS);

	w.stop_fd = stop_fd;
	return w;
}

struct tc_wait
tc_pull_answer_wait(int stop_fd)
{
	struct tc_wait w = tc_wait_for(ANSWER_MS);

	w.stop_fd = stop_fd;
	return w;
}

struct tc_wait
tc_pull_transfer_wait(int stop_fd)
{
	return (struct tc_wait){ 0, QUIET_MS, stop_fd };
}

static bool
is_what(const struct tc_err *err, const char *name)
{
	return strcmp(tc_err_what(err), name) == 0;
}

/* ---- commands, as the one who may read the file ---- */

static const char *
command_of(struct pulling *x, const char *what)
{
	bool su = x->job->as && strcmp(x->job->as, "su") == 0;
	const char *path = tc_device_quote(&x->job->arena, x->job->source);
	size_t size = strlen(path) + strlen(what) + 32;
	char *command = tc_arena_alloc(&x->job->arena, size);

	snprintf(command, size, "%s%s %s", su ? "su root " : "", what, path);
	return command;
}

/* What a command says of its failure, in one line. */
static int
refused(struct pulling *x, const char *text, size_t len, struct tc_err *err)
{
	while (len && (text[len - 1] == '\n' || text[len - 1] == '\r'))
		len--;
	return tc_err_named(err, TC_DENIED, "no_permission", "%s: the device says: %.*s",
		x->job->source, (int)(len < 120 ? len : 120), text);
}

static int
stat_by_shell(struct pulling *x, struct tc_device_stat *st, struct tc_err *err)
{
	struct tc_wait w = tc_pull_answer_wait(x->options->stop_fd);
	struct tc_device_result result;
	unsigned mode;
	long long size, mtime;
	int r = 1;

	if (tc_device_run(x->d, command_of(x, "stat -L -c '%f %s %Y'"), NULL, &w, &result,
		    err) < 0)
		return -1;
	if (result.status ||
		sscanf(result.out, "%x %lld %lld", &mode, &size, &mtime) != 3)
		r = refused(x, result.err, result.err_len, err);
	else
		*st = (struct tc_device_stat){ mode, size, mtime };
	tc_device_result_release(&result);
	return r;
}

static int
look(struct pulling *x, struct tc_device_stat *st, struct tc_err *err)
{
	struct tc_wait w = tc_pull_answer_wait(x->options->stop_fd);
	int r = -1;

	if (!x->by_shell) {
		r = tc_device_stat(x->d, x->job->source, &w, st, err);
		x->by_shell = r < 0 && is_what(err, "no_permission") &&
			(tc_device_caps(x->d) & TC_DEVICE_HAS_STDERR);
	}
	if (x->by_shell)
		r = stat_by_shell(x, st, err);
	return r;
}

/* ---- the bytes ---- */

/* The disk writes while more comes, so that little is left to wait for at the end. */
static void
start_writing(struct pulling *x, int64_t bytes)
{
#ifdef SYNC_FILE_RANGE_WRITE
	if (bytes - x->started < WRITE_BYTES)
		return;
	sync_file_range(x->fd, x->started, bytes - x->started, SYNC_FILE_RANGE_WRITE);
	x->started = bytes;
#else
	(void)x;
	(void)bytes;
#endif
}

/* What sends more than it has may never end: the wait is over for it. */
static void
moved(void *ctx, int64_t bytes)
{
	struct pulling *x = ctx;

	start_writing(x, bytes);
	atomic_store_explicit(&x->job->moved, bytes, memory_order_relaxed);
	if (bytes > x->before.size && (tc_device_caps(x->d) & TC_DEVICE_HAS_WIDE_SIZES)) {
		x->is_more = true;
		x->wait.until_ns = 1;
	}
}

static int
copy_output(struct pulling *x, struct tc_device_job *cat, int fd, int64_t *bytes,
	struct tc_err *err)
{
	struct tc_out out = { .fd = fd };
	struct tc_device_piece piece;
	char said[128];
	size_t n = 0, all = 0;
	int r, status = 0;

	while ((r = tc_device_job_next(cat, &x->wait, &piece, &status, err)) > 0) {
		if (piece.from == TC_DEVICE_ERR) {
			n = piece.len < sizeof(said) ? piece.len : sizeof(said);
			memcpy(said, piece.bytes, n);
			all += piece.len;
			if (all > SAID_MAX)
				return refused(x, said, n, err);
			continue;
		}
		tc_out_write(&out, piece.bytes, piece.len);
		if (tc_out_check(&out, err) < 0)
			return -1;
		*bytes += (int64_t)piece.len;
		moved(x, *bytes);
		if (x->is_more)
			return tc_err_set(err, TC_IO, "more than there is");
	}
	if (r == 0 && status)
		return refused(x, said, n, err);
	return r;
}

static int
copy_by_shell(struct pulling *x, int fd, int64_t *bytes, struct tc_err *err)
{
	struct tc_device_job *cat;
	int r;

	if (tc_device_spawn(x->d, command_of(x, "cat"), NULL, &x->wait, &cat, err) < 0)
		return -1;
	*bytes = 0;
	r = copy_output(x, cat, fd, bytes, err);
	tc_device_job_close(cat);
	return r;
}

static int
copy(struct pulling *x, int fd, int64_t *bytes, struct tc_err *err)
{
	struct tc_device_progress progress = { moved, x };
	int r = -1;

	if (!x->by_shell) {
		r = tc_device_pull(
			x->d, x->job->source, fd, &progress, &x->wait, bytes, err);
		x->by_shell = r < 0 && is_what(err, "no_permission") &&
			(tc_device_caps(x->d) & TC_DEVICE_HAS_STDERR) &&
			lseek(fd, 0, SEEK_CUR) == 0;
	}
	if (x->by_shell)
		r = copy_by_shell(x, fd, bytes, err);
	return r;
}

/* ---- whether they are all ---- */

static int
growing(struct pulling *x, struct tc_err *err)
{
	return tc_err_named(err, TC_IO, "growing",
		"%s: still being written: more than the %lld bytes that there were",
		x->job->source, (long long)x->before.size);
}

/* Why a copy was not made, with what this host adds to what the device said. */
static int
explain(struct pulling *x, struct tc_err *err)
{
	int64_t n = atomic_load_explicit(&x->job->moved, memory_order_relaxed);

	if (x->is_more)
		return growing(x, err);
	if (err->sys == ENOSPC || err->sys == EDQUOT || err->sys == EFBIG)
		return tc_err_named(err, TC_IO, "no_space",
			"%s: no room for it in %s: %s", x->job->source, x->options->dir,
			strerror(err->sys));
	if (is_what(err, "gone"))
		return tc_err_named(err, TC_NOSERVICE, "gone",
			"%s: connection lost after %lld of %lld bytes", x->job->source,
			(long long)n, (long long)x->before.size);
	return -1;
}

static bool
is_size(struct pulling *x, int64_t bytes, int64_t size)
{
	if (x->by_shell || (tc_device_caps(x->d) & TC_DEVICE_HAS_WIDE_SIZES))
		return bytes == size;
	return (uint32_t)bytes == (uint32_t)size;
}

static int
compare(struct pulling *x, int64_t bytes, const struct tc_device_stat *after,
	struct tc_err *err)
{
	const char *source = x->job->source;

	if (after->size > x->before.size)
		return growing(x, err);
	if (after->size < x->before.size || after->mtime != x->before.mtime)
		return tc_err_named(
			err, TC_IO, "changed", "%s: changed while it was pulled", source);
	if (!is_size(x, bytes, after->size))
		return tc_err_named(err, TC_IO, "truncated",
			"%s: the device sent %lld of %lld bytes", source,
			(long long)bytes, (long long)after->size);
	return 0;
}

static int
gone_missing(struct pulling *x, const char *how, struct tc_err *err)
{
	return tc_err_named(err, TC_NOINPUT, "not_found", "%s: %s", x->job->source, how);
}

static int
look_before(struct pulling *x, struct tc_err *err)
{
	int r = look(x, &x->before, err);

	if (r < 0)
		return explain(x, err);
	if (r == 0)
		return gone_missing(x, "not on the device", err);
	if (!S_ISREG(x->before.mode))
		return tc_err_named(err, TC_IO, "not_a_file", "%s: not a regular file",
			x->job->source);
	/* Some devices tell sizes modulo 2^32, at least in lists of files. */
	if (x->job->file.bytes != TC_NONE &&
		(uint32_t)x->job->file.bytes != (uint32_t)x->before.size)
		return tc_err_named(err, TC_IO, "changed",
			"%s: it has %lld bytes, and had %lld when its record was written",
			x->job->source, (long long)x->before.size,
			(long long)x->job->file.bytes);
	atomic_store(&x->job->size, x->before.size);
	return 0;
}

static int
copy_checked(struct pulling *x, int fd, struct tc_err *err)
{
	struct tc_device_stat after;
	int64_t bytes = 0;
	int r;

	if (copy(x, fd, &bytes, err) < 0)
		return explain(x, err);
	r = look(x, &after, err);
	if (r < 0)
		return explain(x, err);
	if (r == 0)
		return gone_missing(x, "vanished while it was pulled", err);
	if (compare(x, bytes, &after, err) < 0)
		return -1;
	x->job->bytes = bytes;
	return 0;
}

/* ---- the hash ---- */

static bool
is_hash(const char *p)
{
	return strspn(p, "0123456789abcdef") == 64;
}

/* The device reads its copy while this host reads the other one. */
static int
compare_hash(struct pulling *x, int fd, struct tc_err *err)
{
	struct tc_wait w = { 0, HASH_MS, x->options->stop_fd };
	struct tc_device_job *sum;
	struct tc_device_piece piece;
	char said[256] = "";
	const char *hash = said;
	size_t n, len = 0, all = 0;
	int r, status = 0;

	if (tc_device_spawn(x->d, command_of(x, "sha256sum"), NULL, &w, &sum, err) < 0)
		return explain(x, err);
	r = tc_pull_sha256(fd, x->job->sha256, &w, err) < 0 ? -1 : 1;
	while (r > 0 && all <= SAID_MAX &&
		(r = tc_device_job_next(sum, &w, &piece, &status, err)) > 0) {
		all += piece.len;
		n = sizeof(said) - 1 - len < piece.len ? sizeof(said) - 1 - len
						       : piece.len;
		memcpy(said + len, piece.bytes, n);
		len += n;
		said[len] = '\0';
	}
	tc_device_job_close(sum);
	if (r < 0)
		return explain(x, err);
	hash += *hash == '\\'; /* how it begins for a name with a backslash */
	if (r > 0 || status || !is_hash(hash))
		return tc_err_named(err, TC_IO, "no_hash",
			"%s: the device made no SHA-256: %.80s", x->job->source, said);
	if (memcmp(hash, x->job->sha256, 64) != 0)
		return tc_err_named(err, TC_IO, "hash_mismatch",
			"%s: its SHA-256 is %.64s on the device and %s here",
			x->job->source, hash, x->job->sha256);
	return 0;
}

/* ---- on this host ---- */

int
tc_pull_make_folders(const char *path, struct tc_err *err)
{
	char *part = tc_mem_alloc(strlen(path) + 1), *slash;
	int r = 0;

	memcpy(part, path, strlen(path) + 1);
	for (slash = strchr(part + 1, '/'); r == 0 && slash;
		slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(part, 0777) < 0 && errno != EEXIST)
			r = tc_err_sys(err, TC_IO, "make the folder %s", part);
		*slash = '/';
	}
	free(part);
	return r;
}

static int
learn_kind(struct pulling *x, int fd, struct tc_err *err)
{
	char *bytes = tc_mem_alloc(TC_PULL_KIND_BYTES);
	ssize_t n = pread(fd, bytes, TC_PULL_KIND_BYTES, 0);

	if (n >= 0)
		x->job->kind = tc_pull_kind(bytes, (size_t)n);
	free(bytes);
	return n < 0 ? tc_err_sys(err, TC_IO, "read %s", x->job->path) : 0;
}

static int
exists(const char *path, struct tc_err *err)
{
	return tc_err_named(err, TC_IO, "exists",
		"%s exists (--force replaces it, --name makes other names)", path);
}

static int
keep(struct pulling *x, struct tc_out *out, struct tc_out_file *file, struct tc_err *err)
{
	file->is_new = !x->options->force;
	if (tc_out_commit(out, file, err) == 0)
		return 0;
	if (err->sys == EEXIST)
		return exists(x->job->path, err);
	return explain(x, err);
}

/* ---- the copy on the device ---- */

/* Its name must be on the disk, too, before the other copy goes. */
static int
sync_folder(const char *path, struct tc_err *err)
{
	size_t len = (size_t)(strrchr(path, '/') - path);
	char *folder = tc_mem_alloc(len + 2);
	int fd, r = 0;

	memcpy(folder, path, len);
	memcpy(folder + len, len ? "" : "/", len ? 1 : 2);
	fd = open(folder, O_RDONLY | O_CLOEXEC);
	/* Some file systems sync no folders. */
	if (fd < 0 || (fsync(fd) < 0 && errno != EINVAL))
		r = tc_err_sys(err, TC_IO, "sync %s", folder);
	if (fd >= 0)
		close(fd);
	free(folder);
	return r;
}

static int
remove_source(struct pulling *x, struct tc_err *err)
{
	struct tc_wait w = tc_pull_answer_wait(x->options->stop_fd);
	struct tc_device_result result;
	int r = 0;

	if (sync_folder(x->job->path, err) < 0 ||
		tc_device_run(x->d, tc_pull_guarded(x->job, command_of(x, "rm -f")), NULL,
			&w, &result, err) < 0)
		return -1;
	if (result.status == TC_PULL_OTHER_RUN)
		r = tc_pull_other_run(x->job, (struct tc_str){ 0 }, err);
	else if (result.status) {
		r = refused(x, result.err_len ? result.err : result.out,
			result.err_len ? result.err_len : result.out_len, err);
		err->name = "not_removed";
	}
	tc_device_result_release(&result);
	return r;
}

int
tc_pull_one(struct tc_device *d, const struct tc_pull_options *options,
	struct tc_pull_job *job, struct tc_err *err)
{
	struct pulling x = { .d = d, .options = options, .job = job };
	struct tc_out out;
	struct tc_out_file file;
	struct stat st;

	x.wait = tc_pull_transfer_wait(options->stop_fd);
	if (!options->force && lstat(job->path, &st) == 0)
		return exists(job->path, err);
	if (look_before(&x, err) < 0 || tc_pull_make_folders(job->path, err) < 0 ||
		tc_out_create(&out, &file, job->path, err) < 0)
		return -1;
	x.fd = out.fd;
	if (copy_checked(&x, out.fd, err) < 0 || learn_kind(&x, out.fd, err) < 0 ||
		(options->hash && compare_hash(&x, out.fd, err) < 0)) {
		close(out.fd);
		tc_out_discard(&file);
		tc_out_release(&out);
		return -1;
	}
	if (keep(&x, &out, &file, err) < 0) {
		tc_out_release(&out);
		return -1;
	}
	tc_out_release(&out);
	if (options->remove)
		remove_source(&x, &job->not_removed);
	return 0;
}
