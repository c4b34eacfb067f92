#include "clock/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tc_clock {
	uint64_t key, unit;
	bool is_incremental;
	bool ran_backwards; /* cannot be converted from any more */
	int64_t running;    /* of an incremental clock, in nanoseconds */
	size_t snapshots;
	uint32_t *kinds; /* owned: those that hold it */
	size_t kind_count, kind_cap;
	unsigned seen_by; /* number of the search that reached it last */

	/* The way to the trace clock found last: the clocks behind this one. */
	enum tc_clock_result path_result;
	unsigned path_generation;
	uint32_t path[TC_CLOCK_MAX_HOPS];
	unsigned path_len;
};

/* A list of clocks that snapshots were made of, in their order. */
struct tc_clock_kind {
	uint32_t clocks[TC_CLOCK_MAX_IN_SNAPSHOT];
	int64_t last[TC_CLOCK_MAX_IN_SNAPSHOT]; /* values in the newest snapshot */
	size_t n;
	unsigned seen_by; /* as of a clock */
};

struct tc_clock_entry {
	uint32_t clock;
	uint32_t snapshot;
	int64_t value; /* nanoseconds */
};

struct tc_clock_pair {
	int64_t from, to;
};

/*
 * What all snapshots with both clocks say of the pair. Mostly `from` rises from
 * one to the next, and the pairs are one run. Where it falls another run
 * begins; each is kept at least twice as long as the next one, by merging, so
 * that neither adding nor finding takes long in any order.
 */
enum { MAX_RUNS = 64 };

struct tc_clock_hop {
	uint32_t from, to;
	struct tc_clock_pair *pairs; /* owned */
	size_t count, cap;
	size_t runs[MAX_RUNS]; /* where each begins */
	size_t run_count;
	size_t last; /* index found last: times mostly come in order */
};

const char *
tc_clock_name(uint64_t key, char buf[24])
{
	static const char *const names[] = { NULL, "REALTIME", "REALTIME_COARSE",
		"MONOTONIC", "MONOTONIC_COARSE", "MONOTONIC_RAW", "BOOTTIME", NULL, NULL,
		"TSC", "PERF", "TRACE_FILE" };
	uint64_t id = key & UINT32_MAX;

	if (id < sizeof(names) / sizeof(names[0]) && names[id])
		return names[id];
	snprintf(buf, 24, "%llu", (unsigned long long)id);
	return buf;
}

static void
forget_near(struct tc_clocks *c)
{
	c->near = (struct tc_clock_near){ .first = INT64_MAX, .last = INT64_MIN };
}

void
tc_clocks_init(struct tc_clocks *c)
{
	*c = (struct tc_clocks){ .trace_clock = TC_CLOCK_TRACE_FILE, .generation = 1 };
	forget_near(c);
}

void
tc_clocks_release(struct tc_clocks *c)
{
	size_t i;

	for (i = 0; i < c->hop_count; i++)
		free(c->hops[i].pairs);
	for (i = 0; i < c->count; i++)
		free(c->clocks[i].kinds);
	free(c->steps);
	free(c->hops);
	free(c->entries);
	free(c->kinds);
	free(c->clocks);
	tc_map_release(&c->by_key);
	*c = (struct tc_clocks){ 0 };
}

static struct tc_clock *
find_clock(struct tc_clocks *c, uint64_t key)
{
	uint64_t *i = tc_map_get(&c->by_key, key, 0);

	return i ? &c->clocks[*i - 1] : NULL;
}

static uint32_t
clock_index(struct tc_clocks *c, const struct tc_clock_value *v)
{
	bool made;
	uint64_t *i = tc_map_put(&c->by_key, v->key, 0, &made);

	if (made) {
		tc_mem_grow(&c->clocks, &c->cap, c->count + 1, sizeof(*c->clocks));
		c->clocks[c->count] = (struct tc_clock){ .key = v->key,
			.unit = v->unit,
			.is_incremental = v->is_incremental };
		*i = ++c->count;
	}
	return (uint32_t)(*i - 1);
}

/* Wraps around, as two's complement does. */
static int64_t
scaled(int64_t value, uint64_t unit)
{
	return (int64_t)((uint64_t)value * unit);
}

static bool
is_sound(struct tc_clocks *c, const struct tc_clock_value *values, size_t n)
{
	const struct tc_clock_value *v;
	const struct tc_clock *known;
	size_t i, j, total = c->count;

	if (n > TC_CLOCK_MAX_IN_SNAPSHOT)
		return false;
	for (i = 0; i < n; i++) {
		v = &values[i];
		known = find_clock(c, v->key);
		total += !known;
		if (v->is_incremental && !tc_clock_is_scoped((uint32_t)v->key))
			return false;
		if (known &&
			(known->unit != v->unit ||
				known->is_incremental != v->is_incremental))
			return false;
		if (v->key == c->trace_clock && v->unit != 1)
			return false;
		for (j = 0; j < i; j++)
			if (values[j].key == v->key)
				return false;
	}
	return total <= TC_CLOCK_MAX_CLOCKS;
}

static struct tc_clock_kind *
find_kind(struct tc_clocks *c, const uint32_t *clocks, size_t n)
{
	struct tc_clock_kind *k;
	size_t i;

	/* Nearly all snapshots of a trace are of the kind seen last. */
	for (i = c->kind_count; i > 0; i--) {
		k = &c->kinds[i - 1];
		if (k->n == n && memcmp(k->clocks, clocks, n * sizeof(*clocks)) == 0)
			return k;
	}
	return NULL;
}

static struct tc_clock_kind *
add_kind(struct tc_clocks *c, const uint32_t *clocks, size_t n)
{
	struct tc_clock_kind *k;
	struct tc_clock *clock;
	size_t i;

	tc_mem_grow(&c->kinds, &c->kind_cap, c->kind_count + 1, sizeof(*c->kinds));
	k = &c->kinds[c->kind_count];
	memcpy(k->clocks, clocks, n * sizeof(*clocks));
	k->n = n;
	k->seen_by = 0;
	for (i = 0; i < n; i++) {
		clock = &c->clocks[clocks[i]];
		tc_mem_grow(&clock->kinds, &clock->kind_cap, clock->kind_count + 1,
			sizeof(*clock->kinds));
		clock->kinds[clock->kind_count++] = (uint32_t)c->kind_count;
	}
	c->kind_count++;
	c->generation++;
	return k;
}

/* Merges the last run into the one before; of equal times the older comes first. */
static void
merge_last_run(struct tc_clock_hop *h)
{
	size_t begin = h->runs[h->run_count - 2], middle = h->runs[h->run_count - 1];
	size_t n = h->count - middle;
	struct tc_clock_pair *newer = tc_mem_alloc(n * sizeof(*newer));
	struct tc_clock_pair *to = h->pairs + h->count;

	memcpy(newer, h->pairs + middle, n * sizeof(*newer));
	while (n > 0)
		if (middle > begin && h->pairs[middle - 1].from > newer[n - 1].from)
			*--to = h->pairs[--middle];
		else
			*--to = newer[--n];
	free(newer);
	h->run_count--;
}

static bool
last_run_is_long(const struct tc_clock_hop *h)
{
	const size_t *run = h->runs + h->run_count - 1;

	return h->run_count > 1 && 2 * (h->count - run[0]) > run[0] - run[-1];
}

static void
hop_add(struct tc_clock_hop *h, int64_t from, int64_t to)
{
	tc_mem_grow(&h->pairs, &h->cap, h->count + 1, sizeof(*h->pairs));
	if (!h->count || h->pairs[h->count - 1].from > from)
		h->runs[h->run_count++] = h->count;
	h->pairs[h->count++] = (struct tc_clock_pair){ from, to };
	while (last_run_is_long(h))
		merge_last_run(h);
}

/* Adds to the hop what one snapshot says of it. */
static void
hop_learn(struct tc_clock_hop *h, const struct tc_clock_entry *e, size_t n)
{
	const struct tc_clock_entry *from = NULL, *to = NULL;
	size_t i;

	for (i = 0; i < n; i++) {
		if (e[i].clock == h->from)
			from = &e[i];
		if (e[i].clock == h->to)
			to = &e[i];
	}
	if (from && to)
		hop_add(h, from->value, to->value);
}

static struct tc_clock_hop *
hop(struct tc_clocks *c, uint32_t from, uint32_t to)
{
	struct tc_clock_hop *h;
	size_t i, j;

	for (i = 0; i < c->hop_count; i++)
		if (c->hops[i].from == from && c->hops[i].to == to)
			return &c->hops[i];
	tc_mem_grow(&c->hops, &c->hop_cap, c->hop_count + 1, sizeof(*c->hops));
	h = &c->hops[c->hop_count++];
	*h = (struct tc_clock_hop){ .from = from, .to = to };
	for (i = 0; i < c->entry_count; i = j) {
		for (j = i; j < c->entry_count; j++)
			if (c->entries[j].snapshot != c->entries[i].snapshot)
				break;
		hop_learn(h, c->entries + i, j - i);
	}
	return h;
}

/* Whether the trace clock runs on; a clock that does not loses its paths. */
static bool
runs_on(struct tc_clocks *c, const struct tc_clock_kind *k, const int64_t *ns)
{
	struct tc_clock *clock;
	size_t i;

	for (i = 0; i < k->n; i++)
		if (ns[i] < k->last[i] && c->clocks[k->clocks[i]].key == c->trace_clock)
			return false;
	for (i = 0; i < k->n; i++) {
		clock = &c->clocks[k->clocks[i]];
		if (ns[i] < k->last[i] && !clock->is_incremental &&
			!clock->ran_backwards) {
			clock->ran_backwards = true;
			c->generation++;
		}
	}
	return true;
}

static void
keep_snapshot(struct tc_clocks *c, struct tc_clock_kind *k, const int64_t *ns)
{
	struct tc_clock_entry *e;
	struct tc_clock *clock;
	size_t i;

	tc_mem_grow(
		&c->entries, &c->entry_cap, c->entry_count + k->n, sizeof(*c->entries));
	e = c->entries + c->entry_count;
	for (i = 0; i < k->n; i++) {
		clock = &c->clocks[k->clocks[i]];
		clock->running = ns[i];
		clock->snapshots++;
		k->last[i] = ns[i];
		e[i] = (struct tc_clock_entry){ k->clocks[i], (uint32_t)c->snapshots,
			ns[i] };
	}
	c->entry_count += k->n;
	c->snapshots++;
	/* A clock that ran backwards is not converted from any more. */
	for (i = 0; i < c->hop_count; i++)
		if (!c->clocks[c->hops[i].from].ran_backwards)
			hop_learn(&c->hops[i], e, k->n);
}

/* A snapshot may say what trace time is, until the first conversion. */
static void
choose_trace_clock(struct tc_clocks *c, const struct tc_clock_value *values, size_t n,
	uint32_t primary)
{
	bool has_boot = false, has_file = false;
	uint64_t key = primary;
	size_t i;

	for (i = 0; i < n; i++) {
		has_boot |= values[i].key == TC_CLOCK_BOOTTIME;
		has_file |= values[i].key == TC_CLOCK_TRACE_FILE;
	}
	if (!key && has_boot && !has_file)
		key = TC_CLOCK_BOOTTIME;
	if (!key)
		return;
	c->default_clock = key;
	if (!c->is_fixed && c->trace_clock != key) {
		c->trace_clock = key;
		c->generation++;
	}
}

/* Its clocks get their places only once nothing can be wrong with a snapshot. */
static int
add_values(struct tc_clocks *c, const struct tc_clock_value *values, size_t n)
{
	uint32_t clocks[TC_CLOCK_MAX_IN_SNAPSHOT];
	int64_t ns[TC_CLOCK_MAX_IN_SNAPSHOT];
	bool is_full = c->kind_count == TC_CLOCK_MAX_KINDS;
	struct tc_clock_kind *k;
	size_t i;

	if (!is_sound(c, values, n))
		return -1;
	if (n == 0)
		return 0;
	for (i = 0; i < n; i++) {
		if (is_full && !find_clock(c, values[i].key))
			return -1;
		clocks[i] = clock_index(c, &values[i]);
		ns[i] = scaled(values[i].value, values[i].unit);
	}
	k = find_kind(c, clocks, n);
	if ((!k && is_full) || (k && !runs_on(c, k, ns)))
		return -1;
	keep_snapshot(c, k ? k : add_kind(c, clocks, n), ns);
	return 0;
}

int
tc_clocks_add(struct tc_clocks *c, const struct tc_clock_value *values, size_t n,
	uint32_t primary)
{
	uint64_t trace_clock = c->trace_clock, default_clock = c->default_clock;

	forget_near(c);
	choose_trace_clock(c, values, n, primary);
	if (add_values(c, values, n) == 0)
		return 0;
	c->trace_clock = trace_clock;
	c->default_clock = default_clock;
	return -1;
}

/* One node of the search: how it was reached. */
struct tc_clock_step {
	uint64_t key;
	uint32_t clock;
	unsigned hops;
	size_t before; /* index of the step before */
};

static int
by_key(const void *a, const void *b)
{
	const struct tc_clock_step *x = a, *y = b;

	return x->key < y->key ? -1 : x->key > y->key;
}

static void
keep_path(struct tc_clock *source, const struct tc_clock_step *steps, size_t at)
{
	unsigned i = steps[at].hops;

	source->path_len = i;
	source->path_result = TC_CLOCK_OK;
	for (; i > 0; i--) {
		source->path[i - 1] = steps[at].clock;
		at = steps[at].before;
	}
}

static void
add_step(struct tc_clocks *c, uint32_t clock, size_t before, unsigned hops)
{
	if (c->clocks[clock].seen_by == c->searches)
		return;
	c->clocks[clock].seen_by = c->searches;
	tc_mem_grow(&c->steps, &c->step_cap, c->step_count + 1, sizeof(*c->steps));
	c->steps[c->step_count++] =
		(struct tc_clock_step){ c->clocks[clock].key, clock, hops, before };
}

/*
 * The clocks one hop from this step, in the order of their keys. A kind that
 * was opened before has no clock left that is new.
 */
static void
open_step(struct tc_clocks *c, size_t at)
{
	const struct tc_clock_step step = c->steps[at];
	const struct tc_clock *clock = &c->clocks[step.clock];
	size_t first = c->step_count, i, j;
	struct tc_clock_kind *k;

	if (step.hops == TC_CLOCK_MAX_HOPS || clock->ran_backwards)
		return;
	for (i = 0; i < clock->kind_count; i++) {
		k = &c->kinds[clock->kinds[i]];
		if (k->seen_by == c->searches)
			continue;
		k->seen_by = c->searches;
		for (j = 0; j < k->n; j++)
			add_step(c, k->clocks[j], at, step.hops + 1);
	}
	qsort(c->steps + first, c->step_count - first, sizeof(*c->steps), by_key);
}

/* Breadth first, for the way from the source to the trace clock. */
static void
search(struct tc_clocks *c, uint32_t source)
{
	size_t at;

	c->searches++;
	c->step_count = 0;
	c->clocks[source].path_result = TC_CLOCK_NO_PATH;
	add_step(c, source, 0, 0);
	for (at = 0; at < c->step_count; at++) {
		if (c->steps[at].key == c->trace_clock) {
			keep_path(&c->clocks[source], c->steps, at);
			return;
		}
		open_step(c, at);
	}
}

static bool
is_at_or_before(const void *pair, const void *t)
{
	const struct tc_clock_pair *p = pair;
	const int64_t *limit = t;

	return p->from <= *limit;
}

/* The last pair at or before t, or the first one of all. */
static const struct tc_clock_pair *
find_pair(const struct tc_clock_hop *h, int64_t t)
{
	const struct tc_clock_pair *best = NULL, *first = h->pairs, *run, *p;
	size_t i, n, end;

	for (i = 0; i < h->run_count; i++) {
		run = h->pairs + h->runs[i];
		end = i + 1 < h->run_count ? h->runs[i + 1] : h->count;
		n = tc_mem_find(run, end - h->runs[i], sizeof(*run), is_at_or_before, &t);
		p = n ? &run[n - 1] : NULL;
		if (p && (!best || p->from >= best->from))
			best = p;
		if (run->from < first->from)
			first = run;
	}
	return best ? best : first;
}

static int64_t
take_hop(struct tc_clock_hop *h, int64_t t)
{
	const struct tc_clock_pair *p = h->pairs + h->last;

	if (h->run_count > 1 || h->last >= h->count || p->from > t ||
		(h->last + 1 < h->count && p[1].from <= t)) {
		p = find_pair(h, t);
		h->last = (size_t)(p - h->pairs);
	}
	return (int64_t)((uint64_t)t + (uint64_t)p->to - (uint64_t)p->from);
}

/* BOOTTIME passes unchanged where nothing says how it maps to trace time. */
static void
fix_trace_clock(struct tc_clocks *c)
{
	struct tc_clock_value same[2] = {
		{ .key = TC_CLOCK_BOOTTIME, .unit = 1 },
		{ .key = c->trace_clock, .unit = 1 },
	};
	struct tc_clock *boot = find_clock(c, TC_CLOCK_BOOTTIME);
	uint64_t keep = c->default_clock;

	c->is_fixed = true;
	if (c->trace_clock == TC_CLOCK_BOOTTIME)
		return;
	if (boot)
		search(c, (uint32_t)(boot - c->clocks));
	if ((!boot || boot->path_result != TC_CLOCK_OK) &&
		tc_clocks_add(c, same, 2, 0) == 0) {
		/* Not one that the trace has. */
		c->made_up_end = c->entry_count;
		find_clock(c, TC_CLOCK_BOOTTIME)->snapshots--;
		find_clock(c, c->trace_clock)->snapshots--;
	}
	c->default_clock = keep;
}

/* A single hop stays the shortest way, whatever snapshots come. */
static bool
is_settled(const struct tc_clocks *c, const struct tc_clock *clock)
{
	return clock->path_generation && clock->path_result == TC_CLOCK_OK &&
		clock->path_len == 1 && !clock->ran_backwards &&
		c->clocks[clock->path[0]].key == c->trace_clock;
}

static enum tc_clock_result
find_path(struct tc_clocks *c, struct tc_clock *clock)
{
	if (!find_clock(c, c->trace_clock))
		return TC_CLOCK_UNKNOWN_TARGET;
	if (is_settled(c, clock))
		return TC_CLOCK_OK;
	if (clock->path_generation != c->generation) {
		search(c, (uint32_t)(clock - c->clocks));
		clock->path_generation = c->generation;
	}
	return clock->path_result;
}

/* On the clock's own scale: an incremental clock goes on from where it is. */
static int64_t
on_clock(struct tc_clock *clock, int64_t t)
{
	t = scaled(t, clock->unit);
	if (clock->is_incremental)
		t = clock->running = (int64_t)((uint64_t)t + (uint64_t)clock->running);
	return t;
}

static int64_t
take_path(struct tc_clocks *c, struct tc_clock *clock, int64_t t)
{
	uint32_t from = (uint32_t)(clock - c->clocks);
	struct tc_clock_hop *h = NULL;
	unsigned i;

	for (i = 0; i < clock->path_len; i++) {
		h = hop(c, from, clock->path[i]);
		t = take_hop(h, t);
		from = clock->path[i];
	}
	if (clock->path_len == 1)
		c->route = (struct tc_clock_route){ clock->key, c->generation,
			(uint32_t)(clock - c->clocks), (uint32_t)(h - c->hops) };
	return t;
}

/* Times on a clock in nanoseconds move by the same up to the next pair of its hop. */
static void
remember_near(struct tc_clocks *c)
{
	const struct tc_clock *clock = &c->clocks[c->route.clock];
	const struct tc_clock_hop *h = &c->hops[c->route.hop];
	const struct tc_clock_pair *p = h->pairs + h->last;

	if (clock->unit != 1 || clock->is_incremental || h->run_count > 1)
		return;
	c->near = (struct tc_clock_near){ .key = clock->key,
		.first = h->last ? p->from : INT64_MIN,
		.last = h->last + 1 < h->count ? p[1].from - 1 : INT64_MAX,
		.offset = (uint64_t)p->to - (uint64_t)p->from };
}

enum tc_clock_result
tc_clocks_convert_any(struct tc_clocks *c, uint64_t key, int64_t t, int64_t *trace_time)
{
	struct tc_clock *clock;
	enum tc_clock_result r;

	if (!c->is_fixed)
		fix_trace_clock(c);
	if (key == c->trace_clock) {
		/* As it is. */
		c->near = (struct tc_clock_near){ key, INT64_MIN, INT64_MAX, 0 };
	} else if (key == c->route.key && c->generation == c->route.generation) {
		t = take_hop(
			&c->hops[c->route.hop], on_clock(&c->clocks[c->route.clock], t));
		remember_near(c);
	} else {
		clock = find_clock(c, key);
		if (!clock)
			return TC_CLOCK_UNKNOWN_SOURCE;
		r = find_path(c, clock);
		if (r != TC_CLOCK_OK)
			return r;
		t = take_path(c, clock, on_clock(clock, t));
	}
	*trace_time = (int64_t)((uint64_t)t - (uint64_t)c->remote_offset);
	return TC_CLOCK_OK;
}

bool
tc_clocks_is_trace_time(struct tc_clocks *c, uint64_t key)
{
	if (!c->is_fixed)
		fix_trace_clock(c);
	return key == c->trace_clock && !c->remote_offset;
}

size_t
tc_clocks_next(const struct tc_clocks *c, size_t *pos, struct tc_clock_value *values)
{
	const struct tc_clock_entry *e = c->entries, *clock;
	size_t n, first = *pos;

	if (c->made_up_end && first + 2 == c->made_up_end)
		first += 2;
	for (n = 0; first + n < c->entry_count; n++) {
		clock = &e[first + n];
		if (clock->snapshot != e[first].snapshot)
			break;
		values[n] = (struct tc_clock_value){ c->clocks[clock->clock].key,
			clock->value, 1, c->clocks[clock->clock].is_incremental };
	}
	*pos = first + n;
	return n;
}

size_t
tc_clocks_seen(struct tc_clocks *c, uint64_t key)
{
	const struct tc_clock *clock = find_clock(c, key);

	return clock ? clock->snapshots : 0;
}

bool
tc_clocks_is_incremental(struct tc_clocks *c, uint64_t key)
{
	const struct tc_clock *clock = find_clock(c, key);

	return clock && clock->is_incremental;
}
