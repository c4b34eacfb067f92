/* Files: told of by commands, fetched by their paths. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "err/err.h"
#include "io/io.h"
#include "winscope/priv.h"

/* So much more than a file has is not just what it grew by. */
enum { MORE_MAX = 64 << 20 };

/* 1 MB a second, and no more than half an hour. */
enum { SLOW_BYTES_PER_MS = 1000, QUIET_MAX_MS = 1800 * 1000 };

/* As the device's commands say it. */
static int
failed(struct tc_winscope *d, const char *path, const char *said, struct tc_err *err)
{
	static const struct {
		const char *part;
		enum tc_code code;
		const char *name;
	} known[] = {
		{ "No such file", TC_NOINPUT, "not_found" },
		{ "Permission denied", TC_DENIED, "no_permission" },
		{ "Operation not permitted", TC_DENIED, "no_permission" },
		{ "", TC_IO, "failed" },
	};
	char words[160];
	size_t i = 0;

	while (!strstr(said, known[i].part))
		i++;
	tc_winscope_words(&d->proxy, said, strlen(said), words, sizeof(words));
	return tc_err_named(err, known[i].code, known[i].name, "%s: the device says: %s",
		path, words);
}

static int
no_numbers(const char *path, struct tc_err *err)
{
	return tc_err_named(err, TC_PROTOCOL, "protocol",
		"%s: the device says nothing about it that makes sense", path);
}

/* A command line with the path in it, as one word; ended by free. */
static char *
about(const char *before, const char *path, const char *behind)
{
	char *quoted = tc_winscope_quoted(path);
	char *command = tc_winscope_print("%s%s%s", before, quoted, behind);

	free(quoted);
	return command;
}

/* Its whole output: ended by free. 0, or -1. */
static int
run_about(struct tc_winscope *d, const char *before, const char *path, const char *behind,
	const struct tc_wait *w, char **out, size_t *len, int *status, struct tc_err *err)
{
	char *command = about(before, path, behind);
	int r = tc_winscope_run(d, command, w, out, len, status, err);

	free(command);
	return r;
}

/* "MODE SIZE MTIME" and a newline: what is behind it, or NULL. */
static const char *
take_stat(const char *text, struct tc_winscope_stat *st)
{
	long long size, mtime;
	unsigned mode;
	int end = 0;

	if (sscanf(text, "%8x %19lld %19lld%n", &mode, &size, &mtime, &end) != 3 ||
		text[end] != '\n' || size < 0)
		return NULL;
	*st = (struct tc_winscope_stat){ mode, size, mtime };
	return text + end + 1;
}

int
tc_winscope_stat(struct tc_winscope *d, const char *path, const struct tc_wait *w,
	struct tc_winscope_stat *st, struct tc_err *err)
{
	char *out;
	size_t len;
	int status, r;

	if (run_about(d, "stat -L -c '%f %s %Y' ", path, "", w, &out, &len, &status,
		    err) < 0)
		return -1;
	if (status == 0)
		r = take_stat(out, st) ? 1 : no_numbers(path, err);
	else if (strstr(out, "No such file") || strstr(out, "Not a directory"))
		r = 0;
	else
		r = failed(d, path, out, err);
	free(out);
	return r;
}

/* ---- directories ---- */

int
tc_winscope_entries(const char *text, size_t len, const char *path,
	tc_winscope_entry_fn *entry, void *ctx, struct tc_err *err)
{
	const char *end = text + len, *name;
	struct tc_winscope_stat st = { 0 };

	entry(ctx, ".", &st);
	while (text < end) {
		name = take_stat(text, &st);
		if (!name || !*name || strchr(name, '/') || name + strlen(name) >= end)
			return no_numbers(path, err);
		entry(ctx, name, &st);
		text = name + strlen(name) + 1;
	}
	return 0;
}

/* What goes while it is listed is left out. */
int
tc_winscope_list_dir(struct tc_winscope *d, const char *path, const struct tc_wait *w,
	tc_winscope_entry_fn *entry, void *ctx, struct tc_err *err)
{
	static const char each[] =
		" && ls . >/dev/null && for f in * .[!.]* ..?*; do\n"
		"if [ -e \"$f\" ] || [ -L \"$f\" ]; then\n"
		"stat -c '%f %s %Y' \"./$f\" 2>/dev/null && printf '%s\\0' \"$f\" || :\n"
		"fi\ndone";
	char *out;
	size_t len;
	int status, r;

	if (run_about(d, "cd ", path, each, w, &out, &len, &status, err) < 0)
		return -1;
	r = status ? failed(d, path, out, err)
		   : tc_winscope_entries(out, len, path, entry, ctx, err);
	free(out);
	return r;
}

/* ---- copies ---- */

struct copying {
	struct tc_winscope *d;
	const char *path;
	struct tc_out out;           /* with nothing in it between two pieces */
	tc_winscope_moved_fn *moved; /* may be NULL */
	void *ctx;
	const struct tc_wait *w;
	int64_t size, bytes, max; /* size as it was before */
	int64_t answered;         /* bytes of the answer */
	struct tc_winscope_file file;
};

static int
put(void *ctx, const uint8_t *bytes, size_t len, struct tc_err *err)
{
	struct copying *x = ctx;

	if ((int64_t)len > x->max - x->bytes)
		return tc_err_named(err, TC_PROTOCOL, "protocol",
			"%s: the proxy has far more of it than the device", x->path);
	tc_out_write(&x->out, bytes, len);
	if (tc_out_flush(&x->out, err) < 0)
		return -1;
	x->bytes += (int64_t)len;
	if (x->moved)
		x->moved(x->ctx, x->bytes);
	return tc_wait_check(x->w, err);
}

static int
take(void *ctx, const char *bytes, size_t len, struct tc_err *err)
{
	struct copying *x = ctx;

	/* Base64, its lines and JSON make it a little more than a third longer. */
	x->answered += (int64_t)len;
	if (x->answered / 2 > x->max)
		return tc_err_named(err, TC_PROTOCOL, "protocol",
			"%s: the proxy's answer does not end", x->path);
	return tc_winscope_file_feed(&x->file, bytes, len, put, x, err);
}

/* The proxy could not read it, and does not say why: then the device does. */
static int
why_not(struct copying *x, struct tc_err *err)
{
	char *out;
	size_t len;
	int status, r;

	if (run_about(x->d, "head -c 1 ", x->path, " >/dev/null", x->w, &out, &len,
		    &status, err) < 0)
		return -1;
	if (status)
		r = failed(x->d, x->path, out, err);
	else
		r = tc_err_named(
			err, TC_IO, "failed", "%s: the proxy could not read it", x->path);
	free(out);
	return r;
}

/* The proxy says nothing before it has all of a file, and has packed it. */
static struct tc_wait
patience(const struct copying *x)
{
	struct tc_wait w = *x->w;
	int64_t ms = x->size / SLOW_BYTES_PER_MS;

	if (w.quiet_ms)
		w.quiet_ms += ms < QUIET_MAX_MS ? (int)ms : QUIET_MAX_MS;
	return w;
}

static int
fetch(struct copying *x, struct tc_err *err)
{
	struct tc_wait w = patience(x);
	struct tc_winscope_call c = {
		.proxy = &x->d->proxy, .is_open = true, .take = take, .ctx = x
	};
	char *path = tc_winscope_path(x->d, "fetch", x->path);
	int r;

	c.path = path;
	x->file = (struct tc_winscope_file){ .text.key = x->path };
	tc_winscope_gunzip_init(&x->file.gunzip);
	tc_winscope_keep(x->d, x->w);
	r = tc_winscope_call(&c, &w, err);
	free(path);
	if (r == 0)
		r = tc_winscope_file_end(&x->file, err);
	tc_winscope_gunzip_release(&x->file.gunzip);
	return r == 0 ? why_not(x, err) : r < 0 ? -1 : 0;
}

/* By a command, which can quote what a request cannot. */
static int
copy_output(struct copying *x, struct tc_err *err)
{
	char *command = about("cat ", x->path, ""), said[161] = "";
	struct tc_winscope_job *job;
	const char *bytes;
	size_t len, n;
	int status, r;

	r = tc_winscope_job_open(x->d, command, &job, err);
	free(command);
	if (r < 0)
		return -1;
	while ((r = tc_winscope_job_next(job, x->w, &bytes, &len, &status, err)) == 1) {
		n = len < sizeof(said) - 1 ? len : sizeof(said) - 1;
		memcpy(said, bytes, n);
		said[n] = '\0';
		r = put(x, (const uint8_t *)bytes, len, err);
		if (r < 0)
			break;
	}
	tc_winscope_job_close(job);
	if (r == 0 && status)
		r = failed(x->d, x->path, said, err);
	return r;
}

/*
 * What the proxy takes as it is, and puts unquoted into a command of the device's
 * shell: nothing that means anything to either, and no part that the proxy drops.
 */
static bool
is_plain(const char *path)
{
	static const char allowed[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
		"0123456789_./+,:@-";
	size_t len = strlen(path);

	return len && path[0] == '/' && path[len - 1] != '/' && !strstr(path, "//") &&
		strspn(path, allowed) == len;
}

/*
 * Of a file that cannot be read, old devices say so in place of what is in it: so
 * it is looked at before.
 */
int
tc_winscope_pull(struct tc_winscope *d, const char *path, int fd,
	tc_winscope_moved_fn *moved, void *ctx, const struct tc_wait *w, int64_t *bytes,
	struct tc_err *err)
{
	struct copying x = { .d = d, .path = path, .moved = moved, .ctx = ctx, .w = w };
	struct tc_winscope_stat st;
	int r = tc_winscope_stat(d, path, w, &st, err);

	if (r < 0)
		return -1;
	if (r == 0)
		return failed(d, path, "No such file or directory", err);
	if (S_ISDIR(st.mode))
		return failed(d, path, "Is a directory", err);
	if (!S_ISREG(st.mode))
		return tc_err_named(err, TC_IO, "failed",
			"%s: no regular file, and the proxy would read it to its end",
			path);
	x.size = st.size;
	x.max = st.size > INT64_MAX - MORE_MAX ? INT64_MAX : st.size + MORE_MAX;
	tc_out_init(&x.out, fd);
	r = is_plain(path) ? fetch(&x, err) : copy_output(&x, err);
	tc_out_release(&x.out);
	if (r == 0)
		*bytes = x.bytes;
	return r;
}
