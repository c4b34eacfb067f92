#include "trace/priv.h"

#include <string.h>

#include "err/err.h"
#include "pb/pb.h"

enum { SNAPSHOT_CLOCKS = 1, SNAPSHOT_PRIMARY = 2 };
enum { CLOCK_ID = 1, CLOCK_TIMESTAMP = 2, CLOCK_INCREMENTAL = 3, CLOCK_UNIT = 4 };
enum { SYNC_SYNCED = 1, SYNCED_CLIENT = 2, SYNCED_HOST = 3 };

/* Further apart than this, two exchanges say nothing of each other. */
static const uint64_t max_sync_gap_ns = UINT64_C(30000000000);

struct snapshot {
	struct tc_clock_value values[TC_CLOCK_MAX_IN_SNAPSHOT + 1];
	size_t n;
	uint32_t primary;
	bool is_bad; /* names a clock of a sequence where there is none */
};

static struct tc_clock_value
read_clock(struct tc_str bytes, uint32_t seq, bool *is_bad)
{
	struct tc_pb r = tc_pb_init(bytes.p, bytes.len);
	struct tc_clock_value v = { .unit = 1 };
	struct tc_err ignored;
	struct tc_pb_field f;

	while (tc_pb_next(&r, &f, &ignored) > 0) {
		if (!tc_pb_is(&f, TC_PB_VARINT))
			continue;
		if (f.id == CLOCK_ID) {
			v.key = tc_clock_key((uint32_t)f.num, seq);
			*is_bad |= tc_clock_is_scoped((uint32_t)f.num) && !seq;
		} else if (f.id == CLOCK_TIMESTAMP) {
			v.value = (int64_t)f.num;
		} else if (f.id == CLOCK_INCREMENTAL) {
			v.is_incremental = f.num != 0;
		} else if (f.id == CLOCK_UNIT) {
			v.unit = f.num ? f.num : 1;
		}
	}
	return v;
}

static void
read_snapshot(struct tc_str bytes, uint32_t seq, struct snapshot *s)
{
	struct tc_pb r = tc_pb_init(bytes.p, bytes.len);
	struct tc_err ignored;
	struct tc_pb_field f;

	s->n = 0;
	s->primary = 0;
	s->is_bad = false;
	while (tc_pb_next(&r, &f, &ignored) > 0) {
		if (f.id == SNAPSHOT_PRIMARY && tc_pb_is(&f, TC_PB_VARINT))
			s->primary = (uint32_t)f.num;
		if (f.id != SNAPSHOT_CLOCKS || !tc_pb_is(&f, TC_PB_LEN))
			continue;
		/* One more than allowed is enough to have it refused. */
		if (s->n <= TC_CLOCK_MAX_IN_SNAPSHOT)
			s->values[s->n++] = read_clock(tc_pb_str(&f), seq, &s->is_bad);
	}
}

static void
add_snapshot(struct tc_trace *t, struct tc_clocks *c, const struct snapshot *s)
{
	if (s->is_bad || tc_clocks_add(c, s->values, s->n, s->primary))
		tc_trace_count(t, TC_STAT_CLOCK_BAD_SNAPSHOT);
}

void
tc_snapshot_apply(struct tc_trace *t, const struct tc_packet *p)
{
	struct snapshot s;

	read_snapshot(p->clock_snapshot, p->seq, &s);
	add_snapshot(t, &t->machines[p->machine].clocks, &s);
}

struct exchange {
	struct snapshot client, host;
};

static void
read_exchange(struct tc_str bytes, uint32_t seq, struct exchange *e)
{
	struct tc_pb r = tc_pb_init(bytes.p, bytes.len);
	struct tc_err ignored;
	struct tc_pb_field f;

	*e = (struct exchange){ 0 };
	while (tc_pb_next(&r, &f, &ignored) > 0) {
		if (!tc_pb_is(&f, TC_PB_LEN))
			continue;
		if (f.id == SYNCED_CLIENT)
			read_snapshot(tc_pb_str(&f), seq, &e->client);
		else if (f.id == SYNCED_HOST)
			read_snapshot(tc_pb_str(&f), seq, &e->host);
	}
}

static int64_t
value_of(const struct snapshot *s, uint64_t key)
{
	size_t i;

	for (i = 0; i < s->n; i++)
		if (s->values[i].key == key)
			return s->values[i].value;
	return 0;
}

/* Of two positive values, halves first: near 2^63 their sum would overflow. */
static int64_t
middle(int64_t a, int64_t b)
{
	return a / 2 + b / 2 + (a % 2 + b % 2) / 2;
}

/* One that the sum has no room for is of no use anyway. */
static void
add_offset(struct tc_trace_machine *m, int64_t offset)
{
	int64_t sum;

	if (__builtin_add_overflow(m->remote_sum, offset, &sum))
		return;
	m->remote_sum = sum;
	m->remote_count++;
}

/*
 * How far the client's clock is ahead of the host's, twice, from two exchanges
 * that follow each other: each time a value is held against the middle of the
 * two around it.
 */
static void
learn_offset(
	struct tc_trace_machine *m, const struct exchange *a, const struct exchange *b)
{
	int64_t boot_a = value_of(&a->client, TC_CLOCK_BOOTTIME);
	int64_t boot_b = value_of(&b->client, TC_CLOCK_BOOTTIME);
	int64_t t1c = value_of(&a->client, m->clocks.trace_clock);
	int64_t t2c = value_of(&b->client, m->clocks.trace_clock);
	int64_t t1h = value_of(&a->host, m->clocks.trace_clock);
	int64_t t2h = value_of(&b->host, m->clocks.trace_clock);

	if (boot_b < boot_a || (uint64_t)boot_b - (uint64_t)boot_a >= max_sync_gap_ns)
		return;
	if (t1c <= 0 || t2c <= 0 || t1h <= 0 || t2h <= 0)
		return;
	add_offset(m, middle(t1c, t2c) - t1h);
	add_offset(m, t2c - middle(t1h, t2h));
}

void
tc_remote_sync_apply(struct tc_trace *t, const struct tc_packet *p)
{
	struct tc_trace_machine *m = &t->machines[p->machine];
	struct tc_pb r = tc_pb_init(p->remote_sync.p, p->remote_sync.len);
	struct exchange e[2];
	struct tc_err ignored;
	struct tc_pb_field f;
	size_t n = 0;

	while (tc_pb_next(&r, &f, &ignored) > 0) {
		if (f.id != SYNC_SYNCED || !tc_pb_is(&f, TC_PB_LEN))
			continue;
		read_exchange(tc_pb_str(&f), p->seq, &e[n % 2]);
		add_snapshot(t, &m->clocks, &e[n % 2].client);
		if (n > 0)
			learn_offset(m, &e[(n - 1) % 2], &e[n % 2]);
		n++;
	}
	if (m->remote_count)
		m->clocks.remote_offset = m->remote_sum / m->remote_count;
}
