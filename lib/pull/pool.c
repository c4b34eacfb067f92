/* Who pulls which file when. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "err/err.h"
#include "pull/priv.h"

/* A lost connection is tried once more: cables and hubs drop out. */
enum { TRIES = 2 };

/* A device, as far as threads have to agree about it. */
struct tc_pull_place {
	struct tc_pull_place *next;
	char *name;         /* in the arena of all places */
	int users;          /* threads that have it open */
	bool is_opening;    /* what it can do is not known yet */
	bool is_exclusive;  /* one thread at a time */
	size_t queue;       /* what tc_device_queue says of its name */
	struct tc_str run;  /* that has its folder; p NULL: not asked, or not known */
	struct tc_err lost; /* code not TC_OK: it cannot be had */
};

struct tc_pull {
	const struct tc_pull_options *options;
	pthread_mutex_t lock;
	pthread_cond_t work, done;

	/* Under the lock. */
	struct tc_pull_job *first, *last; /* in the order of adding */
	struct tc_pull_place *places;
	struct tc_arena arena; /* of places */
	bool is_closing, is_stopped;

	/* The caller's own. */
	struct tc_strtab names;  /* of all paths that files got */
	struct tc_pull_job *out; /* whose result is being looked at */
	pthread_t *threads;      /* owned */
	int thread_count;
	size_t pending;
	struct tc_pull_progress progress; /* of the results that were taken */
};

/* A thread's device. */
struct hand {
	struct tc_pull_place *place;
	struct tc_device *d; /* owned */
};

struct tc_pull *
tc_pull_new(const struct tc_pull_options *options)
{
	struct tc_pull *p = tc_mem_calloc(1, sizeof(*p));
	pthread_condattr_t attr;

	p->options = options;
	p->threads = tc_mem_calloc((size_t)options->jobs, sizeof(*p->threads));
	pthread_mutex_init(&p->lock, NULL);
	pthread_condattr_init(&attr);
#ifndef __APPLE__
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
#endif
	pthread_cond_init(&p->work, &attr);
	pthread_cond_init(&p->done, &attr);
	pthread_condattr_destroy(&attr);
	return p;
}

/* ---- what a thread does; the lock is held but for the work itself ---- */

/* Another thread has it, or one that its server would serve before. */
static bool
is_taken(const struct tc_pull *p, const struct hand *h, const struct tc_pull_place *place)
{
	const struct tc_pull_place *other;

	for (other = p->places; place->queue && other; other = other->next)
		if (other->queue == place->queue &&
			memcmp(other->name, place->name, place->queue) == 0 &&
			other->users > (other == h->place))
			return true;
	return place->is_opening || (place->is_exclusive && place->users);
}

static bool
may_have(const struct tc_pull *p, const struct hand *h, const struct tc_pull_place *place)
{
	return place == h->place || place->lost.code || !is_taken(p, h, place);
}

/* Of its own device if there is one. */
static struct tc_pull_job *
choose(struct tc_pull *p, const struct hand *h)
{
	struct tc_pull_job *job, *other = NULL;

	for (job = p->first; job; job = job->next) {
		if (job->state != TC_PULL_QUEUED)
			continue;
		if (job->place == h->place)
			return job;
		if (!other && may_have(p, h, job->place))
			other = job;
	}
	return other;
}

static void
let_go(struct tc_pull *p, struct hand *h)
{
	struct tc_device *d = h->d;

	if (!h->place)
		return;
	pthread_mutex_unlock(&p->lock);
	tc_device_close(d);
	pthread_mutex_lock(&p->lock);
	h->place->users--;
	*h = (struct hand){ 0 };
	pthread_cond_broadcast(&p->work);
}

static int
take_up(struct tc_pull *p, struct hand *h, struct tc_pull_place *place,
	struct tc_err *err)
{
	struct tc_device *d;
	struct tc_wait w;
	int r;

	if (h->place == place)
		return 0;
	let_go(p, h);
	if (place->lost.code) {
		*err = place->lost;
		return -1;
	}
	place->is_opening = true;
	place->users++;
	pthread_mutex_unlock(&p->lock);
	w = tc_pull_open_wait(p->options->stop_fd);
	r = tc_device_open(&d, place->name, &w, err);
	pthread_mutex_lock(&p->lock);
	place->is_opening = false;
	if (r == 0) {
		*h = (struct hand){ place, d };
		place->is_exclusive = tc_device_caps(d) & TC_DEVICE_IS_EXCLUSIVE;
	} else {
		place->users--;
		place->lost = *err;
	}
	pthread_cond_broadcast(&p->work);
	return r;
}

static bool
is_lost(const struct tc_err *err)
{
	return err->code == TC_PROTOCOL || strcmp(tc_err_what(err), "gone") == 0;
}

/*
 * What a record says of a file is true as long as its run has the folder. What else
 * was heard before is asked anew, so a run is asked for once while all goes well.
 */
static int
check_run(struct tc_pull *p, struct hand *h, struct tc_pull_job *job, struct tc_err *err)
{
	struct tc_str run;
	int r;

	if (!job->file.run.p || !tc_pull_is_in_folder(job) ||
		(h->place->run.p && tc_str_eq(h->place->run, job->file.run)))
		return 0;
	pthread_mutex_unlock(&p->lock);
	r = tc_pull_folder_run(h->d, p->options->stop_fd, &job->arena, &run, err);
	pthread_mutex_lock(&p->lock);
	if (r <= 0)
		return r;
	if (!tc_str_eq(run, job->file.run))
		return tc_pull_other_run(job, run, err);
	h->place->run = tc_arena_str(&p->arena, run);
	return 0;
}

static int
try_once(struct tc_pull *p, struct hand *h, struct tc_pull_job *job, struct tc_err *err)
{
	int r = take_up(p, h, job->place, err);

	job->is_device = r < 0;
	if (r < 0)
		return -1;
	atomic_store(&job->moved, 0);
	r = check_run(p, h, job, err);
	if (r == 0) {
		pthread_mutex_unlock(&p->lock);
		r = tc_pull_one(h->d, p->options, job, err);
		pthread_mutex_lock(&p->lock);
	}
	if (r < 0 ? is_lost(err) : is_lost(&job->not_removed))
		let_go(p, h);
	return r;
}

static void
pull(struct tc_pull *p, struct hand *h, struct tc_pull_job *job)
{
	struct tc_err err, first = { 0 };
	int i;

	job->state = TC_PULL_RUNNING;
	for (i = 0; i < TRIES; i++) {
		err = (struct tc_err){ 0 };
		if (p->is_stopped)
			tc_err_named(&err, TC_AGAIN, "interrupted", "%s: interrupted",
				job->source);
		else if (try_once(p, h, job, &err) == 0) {
			/* What another way then got round is none any more. */
			err = (struct tc_err){ 0 };
			break;
		}
		if (i == 0)
			first = err;
		if (p->is_stopped || strcmp(tc_err_what(&err), "gone") != 0)
			break;
	}
	/* Where there is no connection any more, how the first one ended says more. */
	job->failed = err.code && job->is_device && first.code ? first : err;
	if (i > 0 && job->is_device)
		job->is_device = false;
	job->state = TC_PULL_DONE;
	pthread_cond_broadcast(&p->done);
}

static void *
run(void *ctx)
{
	struct tc_pull *p = ctx;
	struct hand h = { 0 };
	struct tc_pull_job *job;

	pthread_mutex_lock(&p->lock);
	for (;;) {
		job = choose(p, &h);
		if (job)
			pull(p, &h, job);
		else if (p->is_closing)
			break;
		else
			pthread_cond_wait(&p->work, &p->lock);
	}
	let_go(p, &h);
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

/* ---- what the caller does ---- */

static struct tc_pull_place *
place_of(struct tc_pull *p, const char *name)
{
	struct tc_pull_place *place;

	for (place = p->places; place; place = place->next)
		if (strcmp(place->name, name) == 0)
			return place;
	place = tc_arena_calloc(&p->arena, sizeof(*place));
	place->name = tc_arena_dup(&p->arena, name, strlen(name));
	place->queue = tc_device_queue(name);
	place->next = p->places;
	p->places = place;
	return place;
}

/* A text without a NUL in it; NULL when it has one, or is not known. */
static const char *
text_of(struct tc_str s)
{
	return s.p && !memchr(s.p, '\0', s.len) ? s.p : NULL;
}

static struct tc_pull_job *
job_of(const struct tc_rec_file *file)
{
	struct tc_pull_job *job = tc_mem_calloc(1, sizeof(*job));
	struct tc_arena *a = &job->arena;

	job->file = *file;
	job->file.run = tc_arena_str(a, file->run);
	job->file.session = tc_arena_str(a, file->session);
	job->file.device = tc_arena_str(a, file->device);
	job->file.path = tc_arena_str(a, file->path);
	job->file.origin = tc_arena_str(a, file->origin);
	job->file.as = tc_arena_str(a, file->as);
	job->file.dest = tc_arena_str(a, file->dest);
	job->file.state = tc_arena_str(a, file->state);
	job->file.error = NULL; /* that the record itself tells */
	atomic_store(&job->size, -1);
	return job;
}

/* Where it goes, which no other file of this run may have. 0, or -1. */
static int
name_path(struct tc_pull *p, struct tc_pull_job *job, struct tc_err *err)
{
	struct tc_pull_names names = { job->file.run, job->file.device, job->file.session,
		job->file.dest };
	size_t len, count = p->names.count;
	char *below;

	if (!names.device.p)
		names.device = tc_str_of(p->options->device);
	if (tc_pull_expand(p->options->template, &names, &job->arena, &below, err) < 0)
		return -1;
	len = strlen(p->options->dir);
	job->path = tc_arena_alloc(&job->arena, len + strlen(below) + 2);
	snprintf(job->path, len + strlen(below) + 2, "%s%s%s", p->options->dir,
		p->options->dir[len - 1] == '/' ? "" : "/", below);
	if (tc_strtab_id(&p->names, tc_str_of(below)) <= count)
		return tc_err_named(err, TC_IO, "exists",
			"%s: another file got this name (--name with {serial}, {run} or "
			"{session} tells them apart)",
			job->path);
	return 0;
}

static int
prepare(struct tc_pull *p, struct tc_pull_job *job, struct tc_err *err)
{
	const char *device = text_of(job->file.device);

	job->source = text_of(job->file.path);
	job->as = text_of(job->file.as);
	if (!job->source || *job->source != '/') {
		job->source = "?";
		return tc_err_named(
			err, TC_DATA, "bad_name", "a file without a path on its device");
	}
	if (job->file.device.p && !device)
		return tc_err_named(err, TC_DATA, "bad_name", "no name of a device");
	if (name_path(p, job, err) < 0)
		return err->code == TC_DATA ? tc_err_add(err, "%s", job->source) : -1;
	job->place = place_of(p, device ? device : p->options->device);
	return 0;
}

/* What could not be stopped goes on writing: half of it is not what was captured. */
static int
check_use(
	const struct tc_pull_job *job, const struct tc_rec_file *file, struct tc_err *err)
{
	if (!file->error || !tc_str_eq(file->error->code, TC_STR("still_running")))
		return 0;
	return tc_err_named(err, TC_AGAIN, "still_running",
		"%s: is still written to, tc-session recover ends that", job->source);
}

/* Signals are for the thread that reads and writes records. */
static void
start_thread(struct tc_pull *p)
{
	sigset_t all, old;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	if (pthread_create(&p->threads[p->thread_count], NULL, run, p) == 0)
		p->thread_count++;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

void
tc_pull_add(struct tc_pull *p, const struct tc_rec_file *file)
{
	struct tc_pull_job *job = job_of(file);

	pthread_mutex_lock(&p->lock);
	if (prepare(p, job, &job->failed) < 0 || check_use(job, file, &job->failed) < 0)
		job->state = TC_PULL_DONE;
	if (!p->first)
		p->first = job;
	else
		p->last->next = job;
	p->last = job;
	pthread_cond_broadcast(&p->work);
	pthread_mutex_unlock(&p->lock);
	if (!p->progress.files++)
		p->progress.since_ns = tc_wait_now();
	p->pending++;
	if (p->thread_count < p->options->jobs && (size_t)p->thread_count < p->pending)
		start_thread(p);
	/* No thread at all: this one has to do. */
	if (!p->thread_count) {
		p->is_closing = true;
		run(p);
		p->is_closing = false;
	}
}

static void
free_job(struct tc_pull_job *job)
{
	if (!job)
		return;
	tc_arena_release(&job->arena);
	free(job);
}

static struct tc_str
text(const char *s)
{
	return *s ? tc_str_of(s) : (struct tc_str){ 0 };
}

static void
tell(const struct tc_pull_job *job, struct tc_pull_result *result)
{
	*result = (struct tc_pull_result){
		.file = &job->file,
		.failed = job->failed,
		.is_device = job->is_device,
		.kind = job->kind,
		.not_removed = job->not_removed,
	};
	tc_rec_init(&tc_rec_artifact, &result->artifact);
	if (job->failed.code)
		return;
	result->artifact = (struct tc_rec_artifact){
		.run = job->file.run,
		.session = job->file.session,
		.device = job->file.device,
		.path = tc_str_of(job->path),
		.bytes = job->bytes,
		.sha256 = text(job->sha256),
		.kind = tc_str_of(job->kind->name),
		.source = job->file.path,
	};
}

/* Whether the first is done in time. */
static bool
wait_for_first(struct tc_pull *p, int wait_ms)
{
	int64_t until = tc_wait_now() + wait_ms * INT64_C(1000000);
	struct timespec ts;

	while (p->first->state != TC_PULL_DONE) {
		if (wait_ms < 0) {
			pthread_cond_wait(&p->done, &p->lock);
			continue;
		}
		if (tc_wait_now() >= until)
			return false;
#ifdef __APPLE__
		ts = (struct timespec){ 0, wait_ms * 1000000L };
		pthread_cond_timedwait_relative_np(&p->done, &p->lock, &ts);
#else
		ts = (struct timespec){ until / 1000000000, until % 1000000000 };
		pthread_cond_timedwait(&p->done, &p->lock, &ts);
#endif
	}
	return true;
}

enum tc_pull_next
tc_pull_next(struct tc_pull *p, int wait_ms, struct tc_pull_result *result)
{
	bool is_done;

	if (!p->pending)
		return TC_PULL_NONE;
	pthread_mutex_lock(&p->lock);
	if (p->options->stop_fd >= 0 && tc_wait_is_readable(p->options->stop_fd))
		p->is_stopped = true;
	is_done = wait_for_first(p, wait_ms);
	if (is_done) {
		free_job(p->out);
		p->out = p->first;
		p->first = p->first->next;
	}
	pthread_mutex_unlock(&p->lock);
	if (!is_done)
		return TC_PULL_WAIT;
	tell(p->out, result);
	p->pending--;
	p->progress.done++;
	p->progress.bytes += p->out->bytes;
	p->progress.moved += p->out->bytes;
	return TC_PULL_RESULT;
}

size_t
tc_pull_pending(const struct tc_pull *p)
{
	return p->pending;
}

void
tc_pull_rest(struct tc_pull *p)
{
	struct tc_pull_place *place;

	pthread_mutex_lock(&p->lock);
	p->is_closing = true;
	pthread_cond_broadcast(&p->work);
	pthread_mutex_unlock(&p->lock);
	while (p->thread_count)
		pthread_join(p->threads[--p->thread_count], NULL);
	p->is_closing = false;
	/* By the next time it may be back, or another run may have its folder. */
	for (place = p->places; place; place = place->next) {
		place->lost = (struct tc_err){ 0 };
		place->run = (struct tc_str){ 0 };
	}
	p->progress = (struct tc_pull_progress){ 0 };
}

void
tc_pull_look(struct tc_pull *p, struct tc_pull_progress *progress)
{
	struct tc_pull_job *job;
	int64_t size;

	*progress = p->progress;
	pthread_mutex_lock(&p->lock);
	for (job = p->first; job; job = job->next) {
		size = atomic_load(&job->size);
		if (size < 0)
			size = job->file.bytes > 0 ? job->file.bytes : 0;
		progress->bytes += size;
		progress->moved += atomic_load(&job->moved);
		progress->done += job->state == TC_PULL_DONE;
	}
	pthread_mutex_unlock(&p->lock);
}

void
tc_pull_progress_text(
	const struct tc_pull_progress *progress, int64_t now_ns, char *out, size_t size)
{
	double seconds = (double)(now_ns - progress->since_ns) / 1e9;
	double rate = seconds > 0.1 ? (double)progress->moved / seconds : 0;
	int64_t left = progress->bytes - progress->moved;
	int n;

	n = snprintf(out, size, "%zu of %zu files, %.1f of %.1f MB", progress->done,
		progress->files, (double)progress->moved / 1e6,
		(double)progress->bytes / 1e6);
	if (rate >= 1 && n > 0 && (size_t)n < size)
		snprintf(out + n, size - (size_t)n, ", %.1f MB/s, %.0f s left",
			rate / 1e6, left > 0 ? (double)left / rate : 0.0);
}

void
tc_pull_free(struct tc_pull *p)
{
	struct tc_pull_result ignored;

	if (!p)
		return;
	pthread_mutex_lock(&p->lock);
	p->is_stopped = true;
	pthread_mutex_unlock(&p->lock);
	while (tc_pull_next(p, -1, &ignored) != TC_PULL_NONE)
		;
	tc_pull_rest(p);
	free_job(p->out);
	free(p->threads);
	tc_strtab_release(&p->names);
	tc_arena_release(&p->arena);
	pthread_cond_destroy(&p->work);
	pthread_cond_destroy(&p->done);
	pthread_mutex_destroy(&p->lock);
	free(p);
}
