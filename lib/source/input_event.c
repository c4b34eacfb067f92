/*
 * android.input.inputevent: motion and key events as InputDispatcher handled
 * them, and the windows that it sent them to.
 *
 * A row holds the message as it was on the wire, which is the most compact form
 * of it; it is taken apart when the record is written. What is no column of the
 * record becomes an argument, named by its path in the message.
 */
#include "source/source.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "err/err.h"
#include "io/io.h"
#include "pb/pb.h"
#include "rec/rec.h"

/* Of WinscopeExtensions, of which a packet has one; this one is ours. */
enum { ANDROID_INPUT_EVENT = 5, LAST_EXTENSION = 6 };

/*
 * Sixteen pointers of thirty axes take 6 KiB. What is longer is cut, which also
 * bounds the record: an argument takes at least four bytes here, and one of four
 * bytes becomes less than a hundred of text.
 */
enum { MAX_MESSAGE = 64 * 1024, TEXT_PER_BYTE = 25, TEXT_MORE = 4096 };

/* Members of the oneof, in the order in which the first one present counts. */
enum member {
	MOTION = 1,
	MOTION_REDACTED = 2,
	KEY = 3,
	KEY_REDACTED = 4,
	DISPATCH = 5,
	DISPATCH_REDACTED = 6,
	MEMBERS = 7,
};

enum kind { NOTHING, INT32, INT64, UINT32, SINT32, FIXED32, FLOAT, FIXED32S, MESSAGES };

/* Where a value goes that is no argument. */
enum column {
	ARGUMENT,
	EVENT_ID,
	SOURCE,
	ACTION,
	DEVICE_ID,
	DISPLAY_ID,
	KEY_CODE,
	VSYNC_ID,
	WINDOW_ID,
	COLUMNS,
};

enum { MAX_FIELD = 25 };

struct field {
	const char *key;
	enum kind kind;
	enum column column;
	const char *converted; /* the argument for this MONOTONIC time as trace time */
	const struct field *sub;
};

static const struct field axis_value[MAX_FIELD + 1] = {
	[1] = { "axis", INT32, .column = ARGUMENT },
	[2] = { "value", FLOAT, .column = ARGUMENT },
};

static const struct field pointer[MAX_FIELD + 1] = {
	[1] = { "axis_value", MESSAGES, .sub = axis_value },
	[2] = { "pointer_id", INT32, .column = ARGUMENT },
	[3] = { "tool_type", INT32, .column = ARGUMENT },
};

static const struct field dispatched_pointer[MAX_FIELD + 1] = {
	[1] = { "pointer_id", INT32, .column = ARGUMENT },
	[2] = { "x_in_display", FLOAT, .column = ARGUMENT },
	[3] = { "y_in_display", FLOAT, .column = ARGUMENT },
	[4] = { "axis_value_in_window", MESSAGES, .sub = axis_value },
};

static const struct field motion[MAX_FIELD + 1] = {
	[1] = { "event_id", FIXED32, .column = EVENT_ID },
	[2] = { "event_time_nanos", INT64, .converted = "kernel_time" },
	[3] = { "source", UINT32, .column = SOURCE },
	[4] = { "action", INT32, .column = ACTION },
	[5] = { "device_id", INT32, .column = DEVICE_ID },
	[6] = { "display_id", SINT32, .column = DISPLAY_ID },
	[7] = { "classification", INT32, .column = ARGUMENT },
	[8] = { "flags", UINT32, .column = ARGUMENT },
	[9] = { "pointer", MESSAGES, .sub = pointer },
	[16] = { "original_event_id", FIXED32S, .column = ARGUMENT },
	[17] = { "down_time_nanos", INT64, .converted = "down_time" },
	[18] = { "cursor_position_x", FLOAT, .column = ARGUMENT },
	[19] = { "cursor_position_y", FLOAT, .column = ARGUMENT },
	[20] = { "action_button", INT32, .column = ARGUMENT },
	[21] = { "button_state", UINT32, .column = ARGUMENT },
	[22] = { "meta_state", UINT32, .column = ARGUMENT },
	[23] = { "policy_flags", UINT32, .column = ARGUMENT },
	[24] = { "precision_x", FLOAT, .column = ARGUMENT },
	[25] = { "precision_y", FLOAT, .column = ARGUMENT },
};

static const struct field key[MAX_FIELD + 1] = {
	[1] = { "event_id", FIXED32, .column = EVENT_ID },
	[2] = { "event_time_nanos", INT64, .converted = "kernel_time" },
	[3] = { "down_time_nanos", INT64, .converted = "down_time" },
	[4] = { "source", UINT32, .column = SOURCE },
	[5] = { "action", INT32, .column = ACTION },
	[6] = { "device_id", INT32, .column = DEVICE_ID },
	[7] = { "display_id", SINT32, .column = DISPLAY_ID },
	[8] = { "key_code", INT32, .column = KEY_CODE },
	[9] = { "scan_code", UINT32, .column = ARGUMENT },
	[10] = { "meta_state", UINT32, .column = ARGUMENT },
	[11] = { "repeat_count", INT32, .column = ARGUMENT },
	[12] = { "flags", UINT32, .column = ARGUMENT },
	[13] = { "policy_flags", UINT32, .column = ARGUMENT },
};

static const struct field dispatch[MAX_FIELD + 1] = {
	[1] = { "event_id", FIXED32, .column = EVENT_ID },
	[2] = { "vsync_id", INT64, .column = VSYNC_ID },
	[3] = { "window_id", INT32, .column = WINDOW_ID },
	[4] = { "dispatched_pointer", MESSAGES, .sub = dispatched_pointer },
	[5] = { "resolved_flags", UINT32, .column = ARGUMENT },
};

static const struct field *const messages[MEMBERS] = {
	[MOTION] = motion,
	[MOTION_REDACTED] = motion,
	[KEY] = key,
	[KEY_REDACTED] = key,
	[DISPATCH] = dispatch,
	[DISPATCH_REDACTED] = dispatch,
};

struct input_row {
	struct tc_row row; /* first */
	uint16_t machine, member;
	uint32_t len;
	char bytes[];
};

struct state {
	char *text; /* owned: room for the arguments of one record */
	size_t text_cap;
};

/* The arguments of one record in the making. */
struct args {
	struct tc_decode *d;
	struct tc_clocks *clocks;
	struct tc_out out; /* to memory that is large enough */
	int64_t columns[COLUMNS];
};

/* In front of an argument's own key: "pointer[0].axis_value[1].". */
struct path {
	char text[80];
	size_t len;
};

static void
release(void *state)
{
	free(((struct state *)state)->text);
}

/* ---- reading a packet ---- */

/* A packet has one extension: the first of those that there are. */
static struct tc_str
find_input(struct tc_str extensions)
{
	struct tc_pb r = tc_pb_init(extensions.p, extensions.len);
	struct tc_str found = { 0 };
	struct tc_err ignored;
	struct tc_pb_field f;

	while (tc_pb_next(&r, &f, &ignored) > 0) {
		if (f.id > LAST_EXTENSION || !tc_pb_is(&f, TC_PB_LEN))
			continue;
		if (f.id == ANDROID_INPUT_EVENT)
			found = tc_pb_str(&f);
		else if (!found.p)
			break;
	}
	return found;
}

static bool
has(const struct tc_packet *p)
{
	return find_input(p->data).p != NULL;
}

/* The first member in the order of the oneof, whatever the order on the wire. */
static enum member
find_member(struct tc_decode *d, struct tc_str bytes, struct tc_str *found)
{
	struct tc_pb r = tc_pb_init(bytes.p, bytes.len);
	enum member best = MEMBERS;
	struct tc_err ignored;
	struct tc_pb_field f;
	int n;

	while ((n = tc_pb_next(&r, &f, &ignored)) > 0) {
		if (f.id > (uint32_t)best || f.id >= MEMBERS || !tc_pb_is(&f, TC_PB_LEN))
			continue;
		best = (enum member)f.id;
		*found = tc_pb_str(&f);
	}
	tc_source_nested(d, n);
	return best;
}

static void
keep(struct tc_decode *d, void *state, const struct tc_packet *p)
{
	struct tc_str bytes = { 0 };
	enum member member = find_member(d, find_input(p->data), &bytes);
	struct input_row *row;

	(void)state;
	if (member == MEMBERS)
		return;
	if (bytes.len > MAX_MESSAGE) {
		bytes.len = MAX_MESSAGE;
		tc_trace_count(&d->trace, TC_STAT_INPUT_CUT);
	}
	row = tc_source_row(d, p, sizeof(*row) + bytes.len);
	if (!row)
		return;
	row->machine = (uint16_t)p->machine;
	row->member = (uint16_t)member;
	row->len = bytes.len;
	if (bytes.len)
		memcpy(row->bytes, bytes.p, bytes.len);
}

static void
apply(struct tc_decode *d, void *state, int64_t ts, struct tc_row *base)
{
	(void)d;
	(void)state;
	(void)ts;
	(void)base;
}

/* ---- taking a message apart ---- */

static void
path_add(struct path *path, const char *text)
{
	size_t len = strlen(text);

	assert(len < sizeof(path->text) - path->len);
	memcpy(path->text + path->len, text, len);
	path->len += len;
}

static void
path_add_index(struct path *path, int64_t i)
{
	path_add(path, "[");
	path->len = (size_t)(tc_json_write_int(path->text + path->len, i) - path->text);
	path_add(path, "]");
}

static void
put_key(struct args *a, const struct path *path, const char *name)
{
	tc_out_write(&a->out, ",\"", a->out.len > 1 ? 2 : 0);
	if (a->out.len == 1)
		tc_out_lit(&a->out, "\"");
	tc_out_write(&a->out, path->text, path->len);
	tc_out_write(&a->out, name, strlen(name));
	tc_out_lit(&a->out, "\":");
}

/* One value, of the field's kind; a float waits as its bits. */
static int64_t
value_of(const struct field *field, uint64_t wire)
{
	switch (field->kind) {
	case INT32: return (int32_t)wire;
	case INT64: return (int64_t)wire;
	case SINT32: return (int32_t)((uint32_t)wire >> 1 ^ (0 - ((uint32_t)wire & 1)));
	case UINT32:
	case FIXED32:
	case FLOAT:
	case FIXED32S: return (uint32_t)wire;
	case NOTHING:
	case MESSAGES: break;
	}
	return 0;
}

static enum tc_pb_wire
wire_of(enum kind kind)
{
	if (kind == FIXED32 || kind == FLOAT)
		return TC_PB_I32;
	return kind == FIXED32S || kind == MESSAGES ? TC_PB_LEN : TC_PB_VARINT;
}

static float
float_of(int64_t bits)
{
	uint32_t u = (uint32_t)bits;
	float v;

	memcpy(&v, &u, sizeof(v));
	return v;
}

static void
put_time(struct args *a, const struct path *path, const struct field *field, int64_t t)
{
	int64_t ts;

	if (tc_clocks_convert(a->clocks, TC_CLOCK_MONOTONIC, t, &ts) != TC_CLOCK_OK)
		return;
	put_key(a, path, field->converted);
	tc_json_put_int(&a->out, ts);
}

static void
put_value(struct args *a, const struct path *path, const struct field *field, int64_t v)
{
	if (field->column != ARGUMENT) {
		a->columns[field->column] = v;
		return;
	}
	put_key(a, path, field->key);
	if (field->kind == FLOAT)
		tc_json_put_float(&a->out, float_of(v));
	else
		tc_json_put_int(&a->out, v);
	if (field->converted)
		put_time(a, path, field, v);
}

/* Repeated numbers, packed; *index goes on from the field's last occurrence. */
static void
put_packed(struct args *a, const struct path *path, const struct field *field,
	const struct tc_pb_field *f, int64_t *index)
{
	struct path item = *path;
	const uint8_t *p;
	size_t i;

	path_add(&item, field->key);
	for (i = 0; i + 4 <= f->len; i += 4) {
		struct path here = item;

		path_add_index(&here, (*index)++);
		p = f->bytes + i;
		put_key(a, &here, "");
		tc_json_put_int(&a->out,
			(int64_t)((uint32_t)p[0] | (uint32_t)p[1] << 8 |
				(uint32_t)p[2] << 16 | (uint32_t)p[3] << 24));
	}
}

static void put_message(struct args *a, const struct path *path,
	const struct field *fields, struct tc_str bytes);

static void
put_repeated(struct args *a, const struct path *path, const struct field *fields,
	uint32_t id, struct tc_str bytes)
{
	struct tc_pb r = tc_pb_init(bytes.p, bytes.len);
	const struct field *field = &fields[id];
	struct tc_err ignored;
	struct tc_pb_field f;
	struct path item;
	int64_t index = 0;

	while (tc_pb_next(&r, &f, &ignored) > 0) {
		if (f.id != id || !tc_pb_is(&f, TC_PB_LEN))
			continue;
		if (field->kind == FIXED32S) {
			put_packed(a, path, field, &f, &index);
			continue;
		}
		item = *path;
		path_add(&item, field->key);
		path_add_index(&item, index++);
		path_add(&item, ".");
		put_message(a, &item, field->sub, tc_pb_str(&f));
	}
}

/*
 * The last value of a field counts, and so each argument comes once: values are
 * collected before any is written. This calls itself as deep as messages nest in
 * the tables above.
 */
static void
put_message(struct args *a, const struct path *path, const struct field *fields,
	struct tc_str bytes)
{
	struct tc_pb r = tc_pb_init(bytes.p, bytes.len);
	int64_t values[MAX_FIELD + 1];
	struct tc_err ignored;
	struct tc_pb_field f;
	uint32_t seen = 0, id;
	enum kind kind;
	int n;

	while ((n = tc_pb_next(&r, &f, &ignored)) > 0) {
		kind = f.id <= MAX_FIELD ? fields[f.id].kind : NOTHING;
		if (kind == NOTHING || !tc_pb_is(&f, wire_of(kind)))
			continue;
		values[f.id] = value_of(&fields[f.id], f.num);
		seen |= UINT32_C(1) << f.id;
	}
	tc_source_nested(a->d, n);
	for (id = 1; id <= MAX_FIELD; id++) {
		if (!(seen >> id & 1))
			continue;
		if (wire_of(fields[id].kind) == TC_PB_LEN)
			put_repeated(a, path, fields, id, bytes);
		else
			put_value(a, path, &fields[id], values[id]);
	}
}

/* ---- records ---- */

static void
put_event(struct tc_decode *d, int64_t ts, const struct input_row *row,
	const int64_t *columns, struct tc_str args, struct tc_out *o)
{
	bool is_key = row->member == KEY || row->member == KEY_REDACTED;

	tc_rec_put(o, &tc_rec_input_event,
		&(struct tc_rec_input_event){
			.event_id = columns[EVENT_ID],
			.ts = ts,
			.kind = is_key ? TC_STR("key") : TC_STR("motion"),
			.source = columns[SOURCE],
			.action = columns[ACTION],
			.device_id = columns[DEVICE_ID],
			.display_id = columns[DISPLAY_ID],
			.key_code = columns[KEY_CODE],
			.args = args,
			.redacted = row->member == MOTION_REDACTED ||
				row->member == KEY_REDACTED,
			.outlier = tc_source_outlier(d, ts),
			.machine_id = tc_source_machine_id(d, row->machine),
			.trace = d->index,
		});
}

static void
put_dispatch(struct tc_decode *d, int64_t ts, const struct input_row *row,
	const int64_t *columns, struct tc_str args, struct tc_out *o)
{
	tc_rec_put(o, &tc_rec_input_dispatch,
		&(struct tc_rec_input_dispatch){
			.event_id = columns[EVENT_ID],
			.ts = ts,
			.vsync_id = columns[VSYNC_ID],
			.window_id = columns[WINDOW_ID],
			.args = args,
			.redacted = row->member == DISPATCH_REDACTED,
			.outlier = tc_source_outlier(d, ts),
			.machine_id = tc_source_machine_id(d, row->machine),
			.trace = d->index,
		});
}

static void
put(struct tc_decode *d, void *state, int64_t ts, struct tc_row *base, struct tc_out *o)
{
	const struct input_row *row = (const struct input_row *)base;
	const struct field *fields = messages[row->member];
	struct state *s = state;
	struct args a = { .d = d, .clocks = &d->trace.machines[row->machine].clocks };
	const struct path top = { .len = 0 };
	struct tc_rec_list edge;
	struct tc_str args;
	int i;

	if (!(fields == dispatch ? d->chosen.input_dispatch : d->chosen.input_event) ||
		!tc_source_has_time(d, ts, 0, &edge))
		return;
	tc_mem_grow(&s->text, &s->text_cap, row->len * TEXT_PER_BYTE + TEXT_MORE, 1);
	a.out = (struct tc_out){ .fd = -1, .buf = s->text, .cap = s->text_cap };
	for (i = 0; i < COLUMNS; i++)
		a.columns[i] = TC_NONE;
	tc_out_lit(&a.out, "{");
	put_message(&a, &top, fields, (struct tc_str){ row->bytes, row->len, false });
	tc_out_lit(&a.out, "}");
	assert(!a.out.sys);
	args = (struct tc_str){ a.out.buf, (uint32_t)a.out.len, false };
	if (fields == dispatch)
		put_dispatch(d, ts, row, a.columns, args, o);
	else
		put_event(d, ts, row, a.columns, args, o);
}

const struct tc_source tc_source_input_event = {
	.name = "android.input.inputevent",
	.help = "input events, and the windows that they went to",
	.field = TC_PACKET_WINSCOPE_EXTENSIONS,
	.state_size = sizeof(struct state),
	.has = has,
	.keep = keep,
	.apply = apply,
	.put = put,
	.release = release,
};
