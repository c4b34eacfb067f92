/* The snapshots of the clocks, on request. */
#include "source/source.h"

#include <string.h>

#include "json/json.h"
#include "rec/rec.h"

/* A name or number of a clock, quoted, with its value and a comma. */
enum { MAX_ENTRY = 64 };

struct state {
	char text[TC_CLOCK_MAX_IN_SNAPSHOT * MAX_ENTRY + 2];
};

struct row {
	struct tc_row row; /* first */
	uint16_t machine;
	uint32_t snapshot;
	size_t pos; /* for tc_clocks_next */
};

/* When the snapshot was taken; false: none of its clocks tells. */
static bool
find_ts(struct tc_clocks *c, const struct tc_clock_value *v, size_t n, int64_t *ts)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (v[i].key == c->trace_clock)
			return tc_clocks_convert(c, v[i].key, v[i].value, ts) ==
				TC_CLOCK_OK &&
				*ts >= 0;
	return false;
}

static void
keep_machine(struct tc_decode *d, uint16_t machine)
{
	struct tc_clocks *c = &d->trace.machines[machine].clocks;
	struct tc_clock_value v[TC_CLOCK_MAX_IN_SNAPSHOT];
	size_t pos = 0, start = 0, n;
	uint32_t snapshot = 0;
	struct row *row;
	int64_t ts;

	for (; (n = tc_clocks_next(c, &pos, v)) > 0; start = pos, snapshot++) {
		if (!find_ts(c, v, n, &ts))
			continue;
		row = tc_arena_calloc(&d->rows, sizeof(*row));
		*row = (struct row){ { d->current }, machine, snapshot, start };
		tc_source_place(d, ts, &row->row);
	}
}

static void
finish(struct tc_decode *d, void *state)
{
	size_t i;

	(void)state;
	if (!tc_choose_type(d->choose, "clock"))
		return;
	for (i = 0; i < d->trace.machine_count; i++)
		keep_machine(d, (uint16_t)i);
}

/* There is nothing to make sense of. */
static void
apply(struct tc_decode *d, void *state, int64_t ts, struct tc_row *row)
{
	(void)d;
	(void)state;
	(void)ts;
	(void)row;
}

/* {"BOOTTIME":1,"64":2} */
static struct tc_str
clocks_text(struct state *s, const struct tc_clock_value *v, size_t n)
{
	char *p = s->text, buf[24];
	const char *name;
	size_t i, len;

	*p++ = '{';
	for (i = 0; i < n; i++) {
		name = tc_clock_name(v[i].key, buf);
		len = strlen(name);
		*p++ = '"';
		memcpy(p, name, len);
		memcpy(p + len, "\":", 2);
		p = tc_json_write_int(p + len + 2, v[i].value);
		*p++ = ',';
	}
	p[-1] = '}';
	return (struct tc_str){ s->text, (uint32_t)(p - s->text), false };
}

static void
put(struct tc_decode *d, void *state, int64_t ts, struct tc_row *base, struct tc_out *o)
{
	const struct row *row = (const struct row *)base;
	struct tc_clock_value v[TC_CLOCK_MAX_IN_SNAPSHOT];
	size_t pos = row->pos, n;
	struct tc_rec_list edge;
	struct tc_rec_clock rec;

	if (!tc_source_has_time(d, ts, 0, &edge))
		return;
	n = tc_clocks_next(&d->trace.machines[row->machine].clocks, &pos, v);
	rec = (struct tc_rec_clock){
		.ts = ts,
		.snapshot = row->snapshot,
		.clocks = clocks_text(state, v, n),
		.outlier = tc_source_outlier(d, ts),
		.machine_id = tc_source_machine_id(d, row->machine),
		.trace = d->index,
	};
	tc_rec_put(o, &tc_rec_clock, &rec);
}

const struct tc_source tc_source_clock = {
	.help = "the clock snapshots",
	.state_size = sizeof(struct state),
	.finish = finish,
	.apply = apply,
	.put = put,
};
