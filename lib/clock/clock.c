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
};

struct tc_clock_entry {
	uint32_t clock;
	uint32_t snapshot;
	int64_t value; /* nanoseconds */
};

struct tc_clock_pair {
	int64_t from, to;
};

/* What all snapshots with both clocks say of the pair, by `from`. */
struct tc_clock_hop {
	uint32_t from, to;
	struct tc_clock_pair *pairs; /* owned */
	size_t count, cap;
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

void
tc_clocks_init(struct tc_clocks *c)
{
	*c = (struct tc_clocks){ .trace_clock = TC_CLOCK_TRACE_FILE, .generation = 1 };
}

void
tc_clocks_release(struct tc_clocks *c)
{
	size_t i;

	for (i = 0; i < c->hop_count; i++)
		free(c->hops[i].pairs);
	free(c->hops);
	free(c->entries);
	free(c->kinds);
	free(c->clocks);
	tc_map_release(&c->by_key);
	*c = (struct tc_clocks){ 0 };
}

static struct tc_clock *
find_clock(const struct tc_clocks *c, uint64_t key)
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
is_sound(const struct tc_clocks *c, const struct tc_clock_value *values, size_t n)
{
	const struct tc_clock_value *v;
	const struct tc_clock *known;
	size_t i, j;

	if (n > TC_CLOCK_MAX_IN_SNAPSHOT)
		return false;
	for (i = 0; i < n; i++) {
		v = &values[i];
		known = find_clock(c, v->key);
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
	return true;
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

	if (c->kind_count == TC_CLOCK_MAX_KINDS)
		return NULL;
	tc_mem_grow(&c->kinds, &c->kind_cap, c->kind_count + 1, sizeof(*c->kinds));
	k = &c->kinds[c->kind_count++];
	memcpy(k->clocks, clocks, n * sizeof(*clocks));
	k->n = n;
	c->generation++;
	return k;
}

static void
hop_add(struct tc_clock_hop *h, int64_t from, int64_t to)
{
	size_t i = h->count;

	tc_mem_grow(&h->pairs, &h->cap, h->count + 1, sizeof(*h->pairs));
	while (i > 0 && h->pairs[i - 1].from > from) {
		h->pairs[i] = h->pairs[i - 1];
		i--;
	}
	h->pairs[i] = (struct tc_clock_pair){ from, to };
	h->count++;
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
	for (i = 0; i < c->hop_count; i++)
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

int
tc_clocks_add(struct tc_clocks *c, const struct tc_clock_value *values, size_t n,
	uint32_t primary)
{
	uint32_t clocks[TC_CLOCK_MAX_IN_SNAPSHOT];
	int64_t ns[TC_CLOCK_MAX_IN_SNAPSHOT];
	struct tc_clock_kind *k;
	size_t i;

	choose_trace_clock(c, values, n, primary);
	if (!is_sound(c, values, n))
		return -1;
	for (i = 0; i < n; i++) {
		clocks[i] = clock_index(c, &values[i]);
		ns[i] = scaled(values[i].value, values[i].unit);
	}
	k = find_kind(c, clocks, n);
	if (k && !runs_on(c, k, ns))
		return -1;
	if (!k)
		k = add_kind(c, clocks, n);
	if (!k)
		return -1;
	keep_snapshot(c, k, ns);
	return 0;
}

/* One node of the search: how it was reached. */
struct step {
	uint32_t clock;
	int before; /* index of the step before, -1 at the source */
	unsigned hops;
};

/* The clock behind `from` that comes next in key order after `after`. */
static bool
next_neighbour(const struct tc_clocks *c, uint32_t from, uint64_t after, bool any,
	uint32_t *found)
{
	const struct tc_clock_kind *k;
	uint64_t key, best = 0;
	bool has = false, holds;
	size_t i, j;

	for (i = 0; i < c->kind_count; i++) {
		k = &c->kinds[i];
		for (holds = false, j = 0; j < k->n && !holds; j++)
			holds = k->clocks[j] == from;
		for (j = 0; holds && j < k->n; j++) {
			key = c->clocks[k->clocks[j]].key;
			if ((any || key > after) && (!has || key < best)) {
				has = true;
				best = key;
				*found = k->clocks[j];
			}
		}
	}
	return has;
}

static bool
is_visited(const struct step *steps, size_t n, uint32_t clock)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (steps[i].clock == clock)
			return true;
	return false;
}

static void
keep_path(struct tc_clock *source, const struct step *steps, size_t at)
{
	unsigned i = steps[at].hops;

	source->path_len = i;
	source->path_result = TC_CLOCK_OK;
	for (; i > 0; i--) {
		source->path[i - 1] = steps[at].clock;
		at = (size_t)steps[at].before;
	}
}

/* Breadth first, neighbours in the order of their keys. */
enum { MAX_STEPS = 256 };

static void
search(struct tc_clocks *c, uint32_t source)
{
	struct step steps[MAX_STEPS] = { { .clock = source, .before = -1 } };
	size_t n = 1, at;
	uint32_t next = 0;
	uint64_t key;
	bool any;

	c->clocks[source].path_result = TC_CLOCK_NO_PATH;
	for (at = 0; at < n; at++) {
		if (c->clocks[steps[at].clock].key == c->trace_clock) {
			keep_path(&c->clocks[source], steps, at);
			return;
		}
		if (steps[at].hops == TC_CLOCK_MAX_HOPS ||
			c->clocks[steps[at].clock].ran_backwards)
			continue;
		for (key = 0, any = true;
			next_neighbour(c, steps[at].clock, key, any, &next);
			any = false) {
			key = c->clocks[next].key;
			if (n < MAX_STEPS && !is_visited(steps, n, next))
				steps[n++] = (struct step){ next, (int)at,
					steps[at].hops + 1 };
		}
	}
}

static int64_t
take_hop(struct tc_clock_hop *h, int64_t t)
{
	size_t low = 0, high = h->count, mid;
	const struct tc_clock_pair *p;

	if (h->last < h->count && h->pairs[h->last].from <= t &&
		(h->last + 1 == h->count || h->pairs[h->last + 1].from > t)) {
		p = &h->pairs[h->last];
		return (int64_t)((uint64_t)t + (uint64_t)p->to - (uint64_t)p->from);
	}
	while (low < high) {
		mid = low + (high - low) / 2;
		if (h->pairs[mid].from <= t)
			low = mid + 1;
		else
			high = mid;
	}
	h->last = low ? low - 1 : 0;
	p = &h->pairs[h->last];
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
	if (!boot || boot->path_result != TC_CLOCK_OK)
		tc_clocks_add(c, same, 2, 0);
	c->default_clock = keep;
}

static enum tc_clock_result
find_path(struct tc_clocks *c, struct tc_clock *clock)
{
	if (!find_clock(c, c->trace_clock))
		return TC_CLOCK_UNKNOWN_TARGET;
	if (clock->path_generation != c->generation) {
		search(c, (uint32_t)(clock - c->clocks));
		clock->path_generation = c->generation;
	}
	return clock->path_result;
}

enum tc_clock_result
tc_clocks_convert(struct tc_clocks *c, uint64_t key, int64_t t, int64_t *trace_time)
{
	struct tc_clock *clock;
	enum tc_clock_result r;
	uint32_t from;
	unsigned i;

	if (!c->is_fixed)
		fix_trace_clock(c);
	if (key == c->trace_clock) {
		*trace_time = (int64_t)((uint64_t)t - (uint64_t)c->remote_offset);
		return TC_CLOCK_OK;
	}
	clock = find_clock(c, key);
	if (!clock)
		return TC_CLOCK_UNKNOWN_SOURCE;
	r = find_path(c, clock);
	if (r != TC_CLOCK_OK)
		return r;
	t = scaled(t, clock->unit);
	if (clock->is_incremental)
		t = clock->running = (int64_t)((uint64_t)t + (uint64_t)clock->running);
	from = (uint32_t)(clock - c->clocks);
	for (i = 0; i < clock->path_len; i++) {
		t = take_hop(hop(c, from, clock->path[i]), t);
		from = clock->path[i];
	}
	*trace_time = (int64_t)((uint64_t)t - (uint64_t)c->remote_offset);
	return TC_CLOCK_OK;
}

size_t
tc_clocks_seen(const struct tc_clocks *c, uint64_t key)
{
	const struct tc_clock *clock = find_clock(c, key);

	return clock ? clock->snapshots : 0;
}
