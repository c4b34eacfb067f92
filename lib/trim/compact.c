/* CompactSched: columns of switches and of wakings, an entry from each a row. */
#include "trim/priv.h"

#include <stdlib.h>

#include "err/err.h"

enum {
	SWITCH_TS = 1,
	SWITCH_NEXT_PID = 3,
	INTERN_TABLE = 5,
	SWITCH_COMM = 6,
	WAKING_TS = 7,
	WAKING_PID = 8,
	FIELDS = 13,
};

struct column {
	const uint8_t *pos, *end;
	struct tc_pb_buf out; /* owned */
};

struct compact {
	struct column columns[FIELDS];
	struct tc_pb_buf names; /* owned: the intern table as it is on the wire */
	TC_TRIM_ROWS(struct tc_str) comms; /* what is in it */
	int64_t left_out;
};

/* How many values a column has, -1 when it is no column. */
static int64_t
count_values(const struct column *c)
{
	const uint8_t *p = c->pos;
	int64_t count = 0;
	uint64_t value;
	int n;

	for (; p < c->end; p += n, count++) {
		n = tc_pb_varint(p, c->end, &value);
		if (n <= 0)
			return -1;
	}
	return count;
}

/* Rows from one field to another; -1 when columns differ in length. */
static int64_t
count_rows(const struct compact *k, uint32_t ts, uint32_t last)
{
	int64_t rows = count_values(&k->columns[ts]), n;
	uint32_t i;

	for (i = ts + 1; i <= last; i++) {
		if (i == INTERN_TABLE || !k->columns[i].pos)
			continue;
		n = count_values(&k->columns[i]);
		if (n != rows)
			return -1;
	}
	return rows;
}

static int
read_columns(struct compact *k, struct tc_str bytes)
{
	struct tc_pb r = tc_pb_init(bytes.p, bytes.len);
	struct tc_err ignored;
	struct tc_pb_field f;
	int n;

	while ((n = tc_pb_next(&r, &f, &ignored)) > 0) {
		if (f.id >= FIELDS || !tc_pb_is(&f, TC_PB_LEN))
			return -1;
		if (f.id == INTERN_TABLE) {
			tc_pb_put_bytes(&k->names, INTERN_TABLE, f.bytes, f.len);
			tc_mem_grow(&k->comms.items, &k->comms.cap, k->comms.count + 1,
				sizeof(*k->comms.items));
			k->comms.items[k->comms.count++] = tc_pb_str(&f);
			continue;
		}
		if (k->columns[f.id].pos)
			return -1;
		k->columns[f.id].pos = f.bytes;
		k->columns[f.id].end = f.bytes + f.len;
	}
	return n;
}

/* Takes the next row of these columns; the column of times holds differences. */
static void
next_row(struct compact *k, uint32_t ts, uint32_t last, uint64_t row[FIELDS])
{
	struct column *c;
	uint64_t value;
	uint32_t i;

	for (i = ts; i <= last; i++) {
		c = &k->columns[i];
		if (i == INTERN_TABLE || !c->pos)
			continue;
		c->pos += tc_pb_varint(c->pos, c->end, &value);
		row[i] = i == ts ? row[i] + value : value;
	}
}

static void
put_row(struct compact *k, uint32_t ts, uint32_t last, const uint64_t row[FIELDS],
	uint64_t *put_ts)
{
	uint32_t i;

	for (i = ts; i <= last; i++)
		if (i != INTERN_TABLE && k->columns[i].pos)
			tc_pb_put_varint(
				&k->columns[i].out, i == ts ? row[i] - *put_ts : row[i]);
	*put_ts = row[ts];
}

static int64_t
cut_rows(struct compact *k, uint32_t ts, uint32_t last, uint32_t id, tc_trim_event_fn *fn,
	void *arg)
{
	int64_t rows = count_rows(k, ts, last), kept = 0, i;
	uint64_t row[FIELDS] = { 0 }, put_ts = 0;
	struct tc_trim_event e = { .has_ts = true, .id = id };

	for (i = 0; i < rows; i++) {
		next_row(k, ts, last, row);
		e.raw_ts = row[ts];
		e.pid = (uint32_t)row[ts == SWITCH_TS ? SWITCH_NEXT_PID : WAKING_PID];
		e.comm = (struct tc_str){ 0 };
		if (ts == SWITCH_TS && k->columns[SWITCH_COMM].pos &&
			row[SWITCH_COMM] < k->comms.count)
			e.comm = k->comms.items[row[SWITCH_COMM]];
		if (!fn(arg, &e)) {
			k->left_out++;
			continue;
		}
		put_row(k, ts, last, row, &put_ts);
		kept++;
	}
	return rows < 0 ? -1 : kept;
}

/* Indices into the table of names stay what they are, so the table stays whole. */
static void
put_columns(const struct compact *k, struct tc_pb_buf *out)
{
	const struct tc_pb_buf *b;
	uint32_t i;

	for (i = SWITCH_TS; i < FIELDS; i++) {
		b = &k->columns[i].out;
		if (i == INTERN_TABLE)
			tc_pb_put_raw(out, k->names.bytes, k->names.len);
		else if (b->len)
			tc_pb_put_bytes(out, i, b->bytes, b->len);
	}
}

int64_t
tc_trim_compact_cut(
	struct tc_str bytes, tc_trim_event_fn *fn, void *arg, struct tc_pb_buf *out)
{
	struct compact k = { 0 };
	int64_t switches, wakings, kept = -1;
	uint32_t i;

	if (read_columns(&k, bytes) == 0 && count_rows(&k, SWITCH_TS, SWITCH_COMM) >= 0 &&
		count_rows(&k, WAKING_TS, FIELDS - 1) >= 0) {
		switches = cut_rows(
			&k, SWITCH_TS, SWITCH_COMM, TC_TRIM_COMPACT_SWITCH, fn, arg);
		wakings = cut_rows(
			&k, WAKING_TS, FIELDS - 1, TC_TRIM_COMPACT_WAKING, fn, arg);
		kept = switches + wakings;
		if (out && !k.left_out)
			tc_pb_put_raw(out, bytes.p, bytes.len);
		else if (out && kept)
			put_columns(&k, out);
	}
	for (i = 0; i < FIELDS; i++)
		tc_pb_buf_release(&k.columns[i].out);
	tc_pb_buf_release(&k.names);
	free(k.comms.items);
	return kept;
}
