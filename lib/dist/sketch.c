#include "dist/dist.h"

#include <stdlib.h>

#include "err/err.h"
#include "json/json.h"

/* Bits behind the highest one that a bucket still tells apart. */
enum { BITS = 6, ONE = 1 << BITS };

/* The name of a bucket and the highest bits of its values go up together. */
static int
bucket_of(uint64_t size)
{
	int shift;

	if (size < 2 * ONE)
		return (int)size;
	shift = 63 - __builtin_clzll(size) - BITS;
	return (shift << BITS) + (int)(size >> shift);
}

int
tc_dist_bucket(int64_t value)
{
	return value < 0 ? -bucket_of(0 - (uint64_t)value) : bucket_of((uint64_t)value);
}

/* How many bits follow those that the bucket names, and the least size in it. */
static int
shift_of(int bucket)
{
	return bucket < 2 * ONE ? 0 : (bucket >> BITS) - 1;
}

static uint64_t
least_of(int bucket)
{
	int shift = shift_of(bucket);

	return (uint64_t)(bucket - (shift << BITS)) << shift;
}

/* Back to a value; no size but 2^63 is too much for one. */
static int64_t
value_of(uint64_t size, bool is_negative)
{
	if (!is_negative)
		return size > INT64_MAX ? INT64_MAX : (int64_t)size;
	return size > INT64_MAX ? INT64_MIN : -(int64_t)size;
}

static int64_t
value_at(int bucket, uint64_t past_least)
{
	int size = bucket < 0 ? -bucket : bucket;

	return value_of(least_of(size) + past_least, bucket < 0);
}

static uint64_t
width_of(int bucket)
{
	return UINT64_C(1) << shift_of(bucket < 0 ? -bucket : bucket);
}

int64_t
tc_dist_bucket_low(int bucket)
{
	return value_at(bucket, bucket < 0 ? width_of(bucket) - 1 : 0);
}

int64_t
tc_dist_bucket_high(int bucket)
{
	return value_at(bucket, bucket < 0 ? 0 : width_of(bucket) - 1);
}

int64_t
tc_dist_bucket_middle(int bucket)
{
	return value_at(bucket, width_of(bucket) / 2);
}

void
tc_dist_sketch_release(struct tc_dist_sketch *s)
{
	free(s->at);
	*s = (struct tc_dist_sketch){ 0 };
}

static bool
is_below(const void *count, const void *bucket)
{
	const struct tc_dist_count *c = count;
	const int *b = bucket;

	return c->bucket < *b;
}

static void
widen(struct tc_dist_sketch *s, int64_t min, int64_t max, int64_t total)
{
	s->min = s->total && s->min < min ? s->min : min;
	s->max = s->total && s->max > max ? s->max : max;
	s->total += total;
}

static void
insert(struct tc_dist_sketch *s, size_t i, int bucket, int64_t count)
{
	tc_mem_grow(&s->at, &s->cap, s->count + 1, sizeof(*s->at));
	memmove(s->at + i + 1, s->at + i, (s->count - i) * sizeof(*s->at));
	s->at[i] = (struct tc_dist_count){ .bucket = bucket, .count = count };
	s->count++;
}

bool
tc_dist_sketch_add(struct tc_dist_sketch *s, int64_t value)
{
	int bucket = tc_dist_bucket(value);
	size_t i = tc_mem_find(s->at, s->count, sizeof(*s->at), is_below, &bucket);

	if (s->total == INT64_MAX)
		return false;
	if (i < s->count && s->at[i].bucket == bucket)
		s->at[i].count++;
	else
		insert(s, i, bucket, 1);
	widen(s, value, value, 1);
	return true;
}

bool
tc_dist_sketch_merge(struct tc_dist_sketch *s, const struct tc_dist_sketch *more)
{
	const struct tc_dist_count *c, *end = more->at + more->count;
	size_t i = 0;

	if (more->total > INT64_MAX - s->total)
		return false;
	for (c = more->at; c < end; c++) {
		while (i < s->count && s->at[i].bucket < c->bucket)
			i++;
		if (i < s->count && s->at[i].bucket == c->bucket)
			s->at[i].count += c->count;
		else
			insert(s, i, c->bucket, c->count);
	}
	if (more->total)
		widen(s, more->min, more->max, more->total);
	return true;
}

int64_t
tc_dist_sketch_at(const struct tc_dist_sketch *s, unsigned permille)
{
	uint64_t left = tc_dist_rank((uint64_t)s->total, permille);
	int64_t value;
	size_t i = 0;

	if (!s->total)
		return INT64_MIN;
	for (; left > (uint64_t)s->at[i].count; i++)
		left -= (uint64_t)s->at[i].count;
	value = tc_dist_bucket_middle(s->at[i].bucket);
	return value < s->min ? s->min : value > s->max ? s->max : value;
}

struct tc_str
tc_dist_sketch_text(const struct tc_dist_sketch *s, struct tc_arena *arena)
{
	/* Two numbers of at most 20 characters and four around them. */
	char *text = tc_arena_alloc(arena, s->count * 44 + 4), *p = text;
	size_t i;

	*p++ = '[';
	for (i = 0; i < s->count; i++) {
		if (i)
			*p++ = ',';
		*p++ = '[';
		p = tc_json_write_int(p, s->at[i].bucket);
		*p++ = ',';
		p = tc_json_write_int(p, s->at[i].count);
		*p++ = ']';
	}
	*p++ = ']';
	return (struct tc_str){ text, (uint32_t)(p - text), false };
}

static bool
get_pair(struct tc_json_val v, int64_t *bucket, int64_t *count)
{
	struct tc_json_iter it = tc_json_iter(v);
	struct tc_json_val number;
	struct tc_str key;

	return tc_json_is_arr(v) && tc_json_size(v) == 2 &&
		tc_json_next(&it, &key, &number) && tc_json_get_int(number, bucket) &&
		tc_json_next(&it, &key, &number) && tc_json_get_int(number, count);
}

static int
read_pair(struct tc_dist_sketch *s, struct tc_json_val v, struct tc_err *err)
{
	int64_t bucket, count;

	if (!get_pair(v, &bucket, &count))
		return tc_err_set(err, TC_DATA, "sketch: not a pair of integers");
	if (bucket < TC_DIST_LEAST_BUCKET || bucket > TC_DIST_GREATEST_BUCKET)
		return tc_err_set(
			err, TC_DATA, "sketch: no bucket %lld", (long long)bucket);
	if (s->count && s->at[s->count - 1].bucket >= bucket)
		return tc_err_set(err, TC_DATA, "sketch: bucket %lld is out of order",
			(long long)bucket);
	if (count < 1 || count > INT64_MAX - s->total)
		return tc_err_set(err, TC_DATA, "sketch: no count %lld of bucket %lld",
			(long long)count, (long long)bucket);
	insert(s, s->count, (int)bucket, count);
	widen(s, tc_dist_bucket_low((int)bucket), tc_dist_bucket_high((int)bucket),
		count);
	return 0;
}

int
tc_dist_sketch_read(struct tc_dist_sketch *s, struct tc_str text, struct tc_json *json,
	struct tc_err *err)
{
	struct tc_json_val root, v;
	struct tc_json_iter it;
	struct tc_str key;

	s->count = 0;
	s->total = 0;
	if (tc_json_parse(json, text, &root, err))
		return tc_err_add(err, "sketch");
	if (!tc_json_is_arr(root))
		return tc_err_set(err, TC_DATA, "sketch: not a list");
	it = tc_json_iter(root);
	while (tc_json_next(&it, &key, &v))
		if (read_pair(s, v, err))
			return -1;
	return 0;
}
