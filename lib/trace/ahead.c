#include "trace/priv.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "err/err.h"

/*
 * A few are enough to keep two cores busy, and what they hold is bounded. What
 * does not fit in MAX_OUT is left to be done in its turn.
 */
enum { SLOTS = 4, MAX_OUT = 8 * 1024 * 1024 };

enum state { EMPTY, WAITING, RUNNING, READY };

/*
 * Whoever finds a slot WAITING, under the lock, may make it RUNNING, and has it
 * alone until it is READY. Before and after that it is the reader's.
 */
struct slot {
	enum state state;
	struct tc_ahead_item item;
	char *copy; /* owned: the compressed bytes */
	size_t cap;
	struct tc_inflater *inflater; /* owned: and with it, what comes out */
};

struct tc_ahead {
	pthread_t thread;
	pthread_mutex_t lock; /* for states, the ring and is_over */
	pthread_cond_t is_waiting, is_ready;
	struct slot slots[SLOTS]; /* a ring */
	size_t first, count;
	bool is_over;
	bool is_first_taken; /* the reader looks at what came out of it */
};

/* How many cores this process may use. */
static int
cores(void)
{
#ifdef CPU_COUNT
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set) == 0)
		return CPU_COUNT(&set);
#endif
	return (int)sysconf(_SC_NPROCESSORS_ONLN);
}

static struct slot *
first_waiting(struct tc_ahead *a)
{
	struct slot *s;
	size_t i;

	for (i = 0; i < a->count; i++) {
		s = &a->slots[(a->first + i) % SLOTS];
		if (s->state == WAITING)
			return s;
	}
	return NULL;
}

/* With the lock, which is given up meanwhile. */
static void
run(struct tc_ahead *a, struct slot *s)
{
	struct tc_err err;

	s->state = RUNNING;
	pthread_mutex_unlock(&a->lock);
	/* Why it failed is found out once more, in its turn. */
	if (tc_inflate(&s->inflater, &s->item.bundle, MAX_OUT, &s->item.out, &err))
		s->item.out = (struct tc_str){ 0 };
	pthread_mutex_lock(&a->lock);
	s->state = READY;
	pthread_cond_signal(&a->is_ready);
}

static void *
work(void *ctx)
{
	struct tc_ahead *a = ctx;
	struct slot *s;

	pthread_mutex_lock(&a->lock);
	while (!a->is_over) {
		s = first_waiting(a);
		if (s)
			run(a, s);
		else
			pthread_cond_wait(&a->is_waiting, &a->lock);
	}
	pthread_mutex_unlock(&a->lock);
	return NULL;
}

/* Signals are for the thread that reads and writes. */
static bool
start(struct tc_ahead *a)
{
	sigset_t all, old;
	int r;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	r = pthread_create(&a->thread, NULL, work, a);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return r == 0;
}

struct tc_ahead *
tc_ahead_new(void)
{
	struct tc_ahead *a;

	if (cores() < 2)
		return NULL;
	a = tc_mem_calloc(1, sizeof(*a));
	pthread_mutex_init(&a->lock, NULL);
	pthread_cond_init(&a->is_waiting, NULL);
	pthread_cond_init(&a->is_ready, NULL);
	if (start(a))
		return a;
	free(a);
	return NULL;
}

void
tc_ahead_free(struct tc_ahead *a)
{
	size_t i;

	if (!a)
		return;
	pthread_mutex_lock(&a->lock);
	a->is_over = true;
	pthread_cond_signal(&a->is_waiting);
	pthread_mutex_unlock(&a->lock);
	pthread_join(a->thread, NULL);
	for (i = 0; i < SLOTS; i++) {
		tc_inflater_free(a->slots[i].inflater);
		free(a->slots[i].copy);
	}
	pthread_cond_destroy(&a->is_ready);
	pthread_cond_destroy(&a->is_waiting);
	pthread_mutex_destroy(&a->lock);
	free(a);
}

/* The ring is changed by the reader alone, who may look at it without the lock. */
bool
tc_ahead_has_room(const struct tc_ahead *a)
{
	return a->count < SLOTS;
}

void
tc_ahead_put(struct tc_ahead *a, const struct tc_ahead_item *item)
{
	struct slot *s = &a->slots[(a->first + a->count) % SLOTS];
	size_t len = item->bundle.bytes.len;

	tc_mem_grow(&s->copy, &s->cap, len, 1);
	memcpy(s->copy, item->bundle.bytes.p, len);
	s->item = *item;
	s->item.bundle.bytes.p = s->copy;
	pthread_mutex_lock(&a->lock);
	s->state = WAITING;
	a->count++;
	pthread_cond_signal(&a->is_waiting);
	pthread_mutex_unlock(&a->lock);
}

/* Rather than wait, the reader lends a hand. */
const struct tc_ahead_item *
tc_ahead_next(struct tc_ahead *a)
{
	const struct tc_ahead_item *item = NULL;
	struct slot *s, *other;

	pthread_mutex_lock(&a->lock);
	if (a->is_first_taken) {
		a->slots[a->first].state = EMPTY;
		a->first = (a->first + 1) % SLOTS;
		a->count--;
	}
	a->is_first_taken = a->count != 0;
	if (a->count) {
		s = &a->slots[a->first];
		while (s->state != READY) {
			other = first_waiting(a);
			if (other)
				run(a, other);
			else
				pthread_cond_wait(&a->is_ready, &a->lock);
		}
		item = &s->item;
	}
	pthread_mutex_unlock(&a->lock);
	return item;
}
