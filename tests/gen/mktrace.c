/*
 * mktrace: make a trace from a script, one packet per line.
 *
 * The keys of a line are resolved by name through protobuf-c's descriptors, so a
 * new kind is a line in `kinds`, an ftrace event needs none, and a key may always
 * be the name of its field in proto/trace.proto; shorter ones are in `aliases`.
 * Only keys whose value has parts of its own need code, in the kind's `set`.
 */
#include <errno.h>
#include <getopt.h>
#include <string.h>
#include <unistd.h>

#include "bundle.h"
#include "fields.h"
#include "gen.h"
#include "script.h"

enum {
	MAX_NAME = 64,  /* of a field */
	MAX_NESTED = 4, /* deflate inside deflate, for readers that must refuse it */
	LEVEL = 9,
	UNKNOWN_KEY = 1,
};

static const char usage[] =
	"usage: mktrace [FILE]\n"
	"Make a Perfetto trace from a script; one line makes one packet.\n\n"
	"  KIND key=value ...   value plain, or \"...\" with \\n \\t \\\" \\\\ \\xHH\n"
	"  # comment\n\n"
	"keys of every kind: ts clock seq flags dropped cleared machine uid. A key\n"
	"may also be the name of a field in proto/trace.proto.\n"
	"gfx        type (number or name) buffer layer frame dur noevent\n"
	"esurf      cookie token display pid layer\n"
	"asurf      cookie token display pid layer present ontime gpu jank pred\n"
	"           buffer sev delay jitter score jankx presentx meta fence anim\n"
	"edisp      cookie token pid\n"
	"adisp      cookie token pid present ontime gpu jank pred sev delay score\n"
	"           jankx presentx meta lucount alucount\n"
	"end        cookie\n"
	"proc       proc=PID:PPID:UID:CMD[:START]... thread=TID:TGID:NAME... comm\n"
	"clocks     c=ID:VALUE[:UNIT[:INCREMENTAL]]... primary\n"
	"remote     client=ID:VALUE,... host=ID:VALUE,... in pairs\n"
	"defaults   dclock\n"
	"config     ds=NAME... duration\n"
	"uuid       msb lsb\n"
	"sysinfo    sdk build release\n"
	"stats      overwritten=N... loss=N... or any field of BufferStats, the nth\n"
	"           of each for the nth buffer\n"
	"packages   pkg=NAME:UID[:VERSION[:DEBUGGABLE[:PROFILEABLE]]]... error\n"
	"service    started allstarted flushed read disabled flush clone cloned\n"
	"bundle     cpu lost_events ftrace_clock ftrace_timestamp boot_timestamp\n"
	"           last_read_event_timestamp previous_bundle_end_timestamp; the\n"
	"           ftrace events up to endbundle, in one packet\n"
	"print      text, and what ftrace events have: ts tid common_flags, and where\n"
	"           no bundle is open, cpu for one of its own\n"
	"EVENT      any other ftrace event of proto/trace.proto (sched_switch, zero,\n"
	"           task_newtask, ...): its fields, and what ftrace events have\n"
	"other      id hex: an ftrace event of that field number; without, of none\n"
	"compact_switch  ts prev_state next_pid next_prio next_comm, and cpu as above:\n"
	"           a row of the bundle's compact events; a key left out leaves its\n"
	"           column shorter\n"
	"compact_waking  ts pid target_cpu prio comm common_flags, and cpu\n"
	"motion     id time down source action device display class evflags\n"
	"           pointer=ID:TOOL[:AXIS:VALUE]... original=HEX cursorx cursory\n"
	"           actbutton buttons meta policy precx precy\n"
	"keyevent   id time down source action device display code scan meta\n"
	"           repeat evflags policy\n"
	"indispatch id vsync window pointer=ID:X:Y[:AXIS:VALUE]... resolved\n"
	"motionr, keyeventr and indispatchr are the same, redacted\n"
	"interned   nothing more: an empty interned_data\n"
	"marker     nothing more\n"
	"empty      nothing more\n"
	"raw        hex, put into the file as it is\n"
	"rawpacket  hex, a packet's payload, after the keys of every kind\n"
	"deflate    gzip; the packets up to enddeflate, compressed into one\n\n"
	"  -h, --help\n";

/* One deflate line that is waiting for its enddeflate. */
struct group {
	Tc__TracePacket packet;
	struct tc_gen_out inner;
	bool gzip;
	size_t number; /* of its line */
};

struct mk {
	struct tc_script script;
	struct tc_gen_out file;
	struct group groups[MAX_NESTED];
	size_t n_groups;
	struct tc_bundle bundle;
};

/* A line in the making. */
struct packet {
	Tc__TracePacket top;
	ProtobufCMessage *event; /* what the kind's own keys set; may be &top.base */
	struct tc_script_text hex;
	struct tc_script_text id; /* of the event that hex is the payload of */
	size_t n_client, n_host;
	bool gzip, comm;
};

/*
 * set: takes a key; 0, -1 with the script's error, or UNKNOWN_KEY to go on to the
 * common keys and the aliases. put: writes the packet, in place of put_packet.
 */
struct kind {
	const char *name;
	const char *path[3]; /* the messages to make, from the packet inwards */
	bool ftrace;         /* may be a part of the bundle that is open */
	int (*set)(struct mk *mk, struct packet *p, const struct tc_script_arg *a);
	int (*put)(struct mk *mk, struct packet *p);
};

static const struct {
	const char *key, *field;
} common[] = {
	{ "ts", "timestamp" },
	{ "clock", "timestamp_clock_id" },
	{ "seq", "trusted_packet_sequence_id" },
	{ "flags", "sequence_flags" },
	{ "dropped", "previous_packet_dropped" },
	{ "cleared", "incremental_state_cleared" },
	{ "machine", "machine_id" },
	{ "uid", "trusted_uid" },
};

/* A key may stand twice: the field that the kind's message has is meant. */
static const struct {
	const char *key, *field;
} aliases[] = {
	{ "buffer", "buffer_id" },
	{ "buffer", "is_buffer" },
	{ "layer", "layer_name" },
	{ "frame", "frame_number" },
	{ "dur", "duration_ns" },
	{ "display", "display_frame_token" },
	{ "present", "present_type" },
	{ "ontime", "on_time_finish" },
	{ "gpu", "gpu_composition" },
	{ "jank", "jank_type" },
	{ "pred", "prediction_type" },
	{ "sev", "jank_severity_type" },
	{ "delay", "present_delay_millis" },
	{ "jitter", "vsync_resynced_jitter_millis" },
	{ "score", "jank_severity_score" },
	{ "jankx", "jank_type_experimental" },
	{ "presentx", "present_type_experimental" },
	{ "meta", "jank_debug_metadata" },
	{ "fence", "latched_fence_state" },
	{ "anim", "animation_time_millis" },
	{ "lucount", "latched_unsignaled_count" },
	{ "alucount", "addressable_unsignaled_latch_count" },
	{ "primary", "primary_trace_clock" },
	{ "dclock", "timestamp_clock_id" },
	{ "duration", "duration_ms" },
	{ "sdk", "android_sdk_version" },
	{ "build", "android_build_fingerprint" },
	{ "started", "tracing_started" },
	{ "allstarted", "all_data_sources_started" },
	{ "flushed", "all_data_sources_flushed" },
	{ "read", "read_tracing_buffers_completed" },
	{ "disabled", "tracing_disabled" },
	{ "flush", "flush_started" },
	{ "clone", "clone_started" },
	{ "cloned", "buffer_cloned" },
	{ "text", "buf" },
	{ "id", "event_id" },
	{ "time", "event_time_nanos" },
	{ "down", "down_time_nanos" },
	{ "device", "device_id" },
	{ "display", "display_id" },
	{ "class", "classification" },
	{ "evflags", "flags" },
	{ "cursorx", "cursor_position_x" },
	{ "cursory", "cursor_position_y" },
	{ "actbutton", "action_button" },
	{ "buttons", "button_state" },
	{ "meta", "meta_state" },
	{ "policy", "policy_flags" },
	{ "precx", "precision_x" },
	{ "precy", "precision_y" },
	{ "code", "key_code" },
	{ "scan", "scan_code" },
	{ "repeat", "repeat_count" },
	{ "vsync", "vsync_id" },
	{ "window", "window_id" },
	{ "resolved", "resolved_flags" },
};

static const char *const buffer_events[] = {
	"UNSPECIFIED",
	"DEQUEUE",
	"QUEUE",
	"POST",
	"ACQUIRE_FENCE",
	"LATCH",
	"HWC_COMPOSITION_QUEUED",
	"FALLBACK_COMPOSITION",
	"PRESENT_FENCE",
	"RELEASE_FENCE",
	"MODIFY",
	"DETACH",
	"ATTACH",
	"CANCEL",
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static int
set_flag(struct mk *mk, bool *flag, struct tc_script_text value)
{
	uint64_t v;

	if (tc_script_int(&mk->script, value, 1, &v) < 0)
		return -1;
	*flag = v;
	return 0;
}

static int
set_clock(struct mk *mk, ProtobufCMessage *snapshot, size_t max,
	struct tc_script_text value)
{
	static const char *const fields[] = { "clock_id", "timestamp",
		"unit_multiplier_ns", "is_incremental" };
	ProtobufCMessage *clock = tc_fields_add(&mk->script, snapshot, "clocks", max);

	return tc_fields_set_parts(&mk->script, clock, fields, COUNT(fields), 2, value);
}

static int
set_clocks_key(struct mk *mk, struct packet *p, const struct tc_script_arg *a)
{
	if (!tc_script_is(a->key, "c"))
		return UNKNOWN_KEY;
	return set_clock(mk, p->event, mk->script.n_args, a->value);
}

static int
set_remote_key(struct mk *mk, struct packet *p, const struct tc_script_arg *a)
{
	bool client = tc_script_is(a->key, "client");
	struct tc_script_text rest = a->value, one;
	ProtobufCMessage *pair, *snapshot;
	size_t i;

	if (!client && !tc_script_is(a->key, "host"))
		return UNKNOWN_KEY;
	i = client ? p->n_client++ : p->n_host++;
	pair = tc_fields_item(
		&mk->script, p->event, "synced_clocks", i, mk->script.n_args);
	snapshot = tc_fields_sub(
		&mk->script, pair, client ? "client_clocks" : "host_clocks");
	while (tc_script_part(&rest, ',', &one))
		if (set_clock(mk, snapshot, a->value.len + 1, one) < 0)
			return -1;
	return 0;
}

static int
set_gfx_key(struct mk *mk, struct packet *p, const struct tc_script_arg *a)
{
	Tc__GraphicsFrameEvent__BufferEvent *e =
		p->top.graphics_frame_event->buffer_event;
	size_t i;

	(void)mk;
	if (tc_script_is(a->key, "noevent")) {
		p->top.graphics_frame_event->buffer_event = NULL;
		return 0;
	}
	for (i = 0; tc_script_is(a->key, "type") && i < COUNT(buffer_events); i++) {
		if (!tc_script_is(a->value, buffer_events[i]))
			continue;
		if (e) {
			e->has_type = 1;
			e->type = (int32_t)i;
		}
		return 0;
	}
	return UNKNOWN_KEY;
}

/* An empty unquoted CMD makes a process without cmdline; "" makes an empty cmdline. */
static int
set_process(struct mk *mk, struct packet *p, struct tc_script_text value)
{
	static const char *const before[] = { "pid", "ppid", "uid" };
	static const char *const after[] = { "process_start_from_boot" };
	Tc__ProcessTree__Process *proc;
	struct tc_script_text part;
	ProtobufCMessage *m =
		tc_fields_add(&mk->script, p->event, "processes", mk->script.n_args);
	size_t i;

	proc = (Tc__ProcessTree__Process *)m;
	for (i = 0; i < COUNT(before) && tc_script_part(&value, ':', &part); i++)
		if (part.len > 0 && tc_fields_set(&mk->script, m, before[i], part) < 0)
			return -1;
	if (i < COUNT(before) || !tc_script_part(&value, ':', &part))
		return tc_script_fail(&mk->script, "proc needs PID:PPID:UID:CMD");
	if (part.len > 0) {
		proc->n_cmdline = 1;
		proc->cmdline = tc_script_alloc(&mk->script, sizeof(*proc->cmdline));
		if (tc_script_bytes(&mk->script, part, &proc->cmdline->data,
			    &proc->cmdline->len) < 0)
			return -1;
	}
	return tc_fields_set_parts(&mk->script, m, after, COUNT(after), 0, value);
}

static int
set_proc_key(struct mk *mk, struct packet *p, const struct tc_script_arg *a)
{
	static const char *const fields[] = { "tid", "tgid", "name" };
	ProtobufCMessage *thread;

	if (tc_script_is(a->key, "proc"))
		return set_process(mk, p, a->value);
	if (tc_script_is(a->key, "comm"))
		return set_flag(mk, &p->comm, a->value);
	if (!tc_script_is(a->key, "thread"))
		return UNKNOWN_KEY;
	thread = tc_fields_add(&mk->script, p->event, "threads", mk->script.n_args);
	return tc_fields_set_parts(
		&mk->script, thread, fields, COUNT(fields), 2, a->value);
}

static int
set_config_key(struct mk *mk, struct packet *p, const struct tc_script_arg *a)
{
	ProtobufCMessage *source;

	if (!tc_script_is(a->key, "ds"))
		return UNKNOWN_KEY;
	source = tc_fields_add(&mk->script, p->event, "data_sources", mk->script.n_args);
	return tc_fields_set(&mk->script, tc_fields_sub(&mk->script, source, "config"),
		"name", a->value);
}

static int
set_sysinfo_key(struct mk *mk, struct packet *p, const struct tc_script_arg *a)
{
	if (!tc_script_is(a->key, "release"))
		return UNKNOWN_KEY;
	return tc_fields_set(&mk->script, tc_fields_sub(&mk->script, p->event, "utsname"),
		"release", a->value);
}

/* The text as a C string, empty when it is too long for the name of a field. */
static void
copy_name(char name[MAX_NAME], struct tc_script_text text)
{
	name[0] = '\0';
	if (text.len < MAX_NAME)
		snprintf(name, MAX_NAME, "%.*s", (int)text.len, text.pos);
}

static bool
has_value(const ProtobufCMessage *m, const char *name)
{
	return tc_fields_has(m, name) && !tc_fields_has_part(m, name);
}

/* How many keys of that name the line has before this one. */
static size_t
count_before(const struct mk *mk, const struct tc_script_arg *a)
{
	const struct tc_script_arg *b;
	size_t n = 0;

	for (b = mk->script.args; b < a; b++)
		n += b->key.len == a->key.len &&
			memcmp(b->key.pos, a->key.pos, a->key.len) == 0;
	return n;
}

static int
set_stats_key(struct mk *mk, struct packet *p, const struct tc_script_arg *a)
{
	static const Tc__TraceStats__BufferStats buffer =
		TC__TRACE_STATS__BUFFER_STATS__INIT;
	const char *field;
	char name[MAX_NAME];

	copy_name(name, a->key);
	field = tc_script_is(a->key, "overwritten") ? "chunks_overwritten"
		: tc_script_is(a->key, "loss")      ? "trace_writer_packet_loss"
						    : name;
	if (!tc_fields_has(&buffer.base, field))
		return UNKNOWN_KEY;
	return tc_fields_set(&mk->script,
		tc_fields_item(&mk->script, p->event, "buffer_stats", count_before(mk, a),
			mk->script.n_args),
		field, a->value);
}

static int
set_packages_key(struct mk *mk, struct packet *p, const struct tc_script_arg *a)
{
	static const char *const fields[] = { "name", "uid", "version_code", "debuggable",
		"profileable_from_shell" };

	if (!tc_script_is(a->key, "pkg"))
		return UNKNOWN_KEY;
	return tc_fields_set_parts(&mk->script,
		tc_fields_add(&mk->script, p->event, "packages", mk->script.n_args),
		fields, COUNT(fields), 2, a->value);
}

/* The fields of a pointer, then AXIS:VALUE as often as wanted, each in a message. */
static int
set_pointer(struct mk *mk, ProtobufCMessage *pointer, const char *const *fields,
	size_t n_fields, const char *axes, struct tc_script_text value)
{
	static const char *const axis_fields[] = { "axis", "value" };
	size_t i, max = value.len / 2 + 1;
	ProtobufCMessage *m = pointer;
	struct tc_script_text part;
	const char *field;

	for (i = 0; tc_script_part(&value, ':', &part); i++) {
		if (i >= n_fields && (i - n_fields) % 2 == 0)
			m = tc_fields_add(&mk->script, pointer, axes, max);
		field = i < n_fields ? fields[i] : axis_fields[(i - n_fields) % 2];
		if (part.len > 0 && tc_fields_set(&mk->script, m, field, part) < 0)
			return -1;
	}
	return 0;
}

static int
set_original(struct mk *mk, struct packet *p, struct tc_script_text value)
{
	Tc__AndroidMotionEvent *m = (Tc__AndroidMotionEvent *)p->event;

	m->has_original_event_id = 1;
	return tc_script_hex(&mk->script, value, &m->original_event_id.data,
		&m->original_event_id.len);
}

static int
set_motion_key(struct mk *mk, struct packet *p, const struct tc_script_arg *a)
{
	static const char *const fields[] = { "pointer_id", "tool_type" };

	if (tc_script_is(a->key, "original"))
		return set_original(mk, p, a->value);
	if (!tc_script_is(a->key, "pointer"))
		return UNKNOWN_KEY;
	return set_pointer(mk,
		tc_fields_add(&mk->script, p->event, "pointer", mk->script.n_args),
		fields, COUNT(fields), "axis_value", a->value);
}

static int
set_indispatch_key(struct mk *mk, struct packet *p, const struct tc_script_arg *a)
{
	static const char *const fields[] = { "pointer_id", "x_in_display",
		"y_in_display" };

	if (!tc_script_is(a->key, "pointer"))
		return UNKNOWN_KEY;
	return set_pointer(mk,
		tc_fields_add(
			&mk->script, p->event, "dispatched_pointer", mk->script.n_args),
		fields, COUNT(fields), "axis_value_in_window", a->value);
}

/* ts goes to the event: a bundle's packet has no time of its own. */
static int
set_event_key(struct mk *mk, struct packet *p, const struct tc_script_arg *a)
{
	Tc__FtraceEventBundle *bundle = p->top.ftrace_events;
	ProtobufCMessage *event = &bundle->event[0]->base;

	if (tc_script_is(a->key, "ts"))
		return tc_fields_set(&mk->script, event, "timestamp", a->value);
	if (tc_script_is(a->key, "tid"))
		return tc_fields_set(&mk->script, event, "pid", a->value);
	if (tc_script_is(a->key, "common_flags"))
		return tc_fields_set(&mk->script, event, "common_flags", a->value);
	if (tc_script_is(a->key, "cpu"))
		return tc_fields_set(&mk->script, &bundle->base, "cpu", a->value);
	return UNKNOWN_KEY;
}

static int
set_other_key(struct mk *mk, struct packet *p, const struct tc_script_arg *a)
{
	if (tc_script_is(a->key, "hex"))
		p->hex = a->value;
	else if (tc_script_is(a->key, "id"))
		p->id = a->value;
	else
		return set_event_key(mk, p, a);
	return 0;
}

static int
set_compact_ts(struct mk *mk, Tc__FtraceEventBundle__CompactSched *c, bool waking,
	struct tc_script_text value)
{
	uint64_t *ns = tc_script_alloc(&mk->script, sizeof(*ns));

	if (tc_script_int(&mk->script, value, 64, ns) < 0)
		return -1;
	if (waking) {
		*ns = tc_bundle_delta(&mk->bundle.last_waking_ns, *ns);
		c->n_waking_timestamp = 1;
		c->waking_timestamp = ns;
	} else {
		*ns = tc_bundle_delta(&mk->bundle.last_switch_ns, *ns);
		c->n_switch_timestamp = 1;
		c->switch_timestamp = ns;
	}
	return 0;
}

static int
set_compact_comm(struct mk *mk, Tc__FtraceEventBundle__CompactSched *c, bool waking,
	struct tc_script_text value)
{
	uint32_t *index = tc_script_alloc(&mk->script, sizeof(*index));
	ProtobufCBinaryData comm;
	bool is_new;

	if (tc_script_bytes(&mk->script, value, &comm.data, &comm.len) < 0)
		return -1;
	if (comm.len > UINT8_MAX)
		return tc_script_fail(&mk->script, "a comm of more than 255 bytes");
	*index = tc_bundle_comm(&mk->bundle, comm.data, comm.len, &is_new);
	if (is_new && tc_fields_set(&mk->script, &c->base, "intern_table", value) < 0)
		return -1;
	if (waking) {
		c->n_waking_comm_index = 1;
		c->waking_comm_index = index;
	} else {
		c->n_switch_next_comm_index = 1;
		c->switch_next_comm_index = index;
	}
	return 0;
}

/* One row of the columns that a bundle is merged of; the rest goes by their names. */
static int
set_compact(struct mk *mk, struct packet *p, const struct tc_script_arg *a,
	const char *columns)
{
	Tc__FtraceEventBundle *bundle = p->top.ftrace_events;
	bool waking = strcmp(columns, "waking") == 0;
	char key[MAX_NAME], field[2 * MAX_NAME];

	if (tc_script_is(a->key, "ts"))
		return set_compact_ts(mk, bundle->compact_sched, waking, a->value);
	if (tc_script_is(a->key, waking ? "comm" : "next_comm"))
		return set_compact_comm(mk, bundle->compact_sched, waking, a->value);
	if (tc_script_is(a->key, "cpu"))
		return tc_fields_set(&mk->script, &bundle->base, "cpu", a->value);
	copy_name(key, a->key);
	snprintf(field, sizeof(field), "%s_%s", columns, key);
	if (!tc_fields_has(p->event, field))
		return UNKNOWN_KEY;
	return tc_fields_set(&mk->script, p->event, field, a->value);
}

static int
set_compact_switch_key(struct mk *mk, struct packet *p, const struct tc_script_arg *a)
{
	return set_compact(mk, p, a, "switch");
}

static int
set_compact_waking_key(struct mk *mk, struct packet *p, const struct tc_script_arg *a)
{
	return set_compact(mk, p, a, "waking");
}

static int
set_hex_key(struct mk *mk, struct packet *p, const struct tc_script_arg *a)
{
	(void)mk;
	if (!tc_script_is(a->key, "hex"))
		return UNKNOWN_KEY;
	p->hex = a->value;
	return 0;
}

static int
set_deflate_key(struct mk *mk, struct packet *p, const struct tc_script_arg *a)
{
	if (!tc_script_is(a->key, "gzip"))
		return UNKNOWN_KEY;
	return set_flag(mk, &p->gzip, a->value);
}

/* What a line makes goes into the innermost open group, or else the file. */
static struct tc_gen_out *
target(struct mk *mk)
{
	return mk->n_groups > 0 ? &mk->groups[mk->n_groups - 1].inner : &mk->file;
}

static int
put_packet(struct mk *mk, struct packet *p)
{
	tc_gen_put_packet(target(mk), &p->top);
	return 0;
}

static int
put_proc(struct mk *mk, struct packet *p)
{
	Tc__ProcessTree *tree = p->top.process_tree;
	size_t i;

	for (i = 0; p->comm && i < tree->n_processes; i++) {
		tree->processes[i]->has_cmdline_is_comm = 1;
		tree->processes[i]->cmdline_is_comm = 1;
	}
	return put_packet(mk, p);
}

static int
put_remote(struct mk *mk, struct packet *p)
{
	if (p->n_client != p->n_host)
		return tc_script_fail(&mk->script, "client and host do not pair up");
	return put_packet(mk, p);
}

static int
put_interned(struct mk *mk, struct packet *p)
{
	p->top.has_interned_data = 1;
	return put_packet(mk, p);
}

static int
put_marker(struct mk *mk, struct packet *p)
{
	tc_gen_set_marker(&p->top);
	return put_packet(mk, p);
}

static int
put_raw(struct mk *mk, struct packet *p)
{
	uint8_t *bytes;
	size_t len;

	if (tc__trace_packet__get_packed_size(&p->top) > 0)
		return tc_script_fail(
			&mk->script, "raw makes no packet: only hex goes here");
	if (tc_script_hex(&mk->script, p->hex, &bytes, &len) < 0)
		return -1;
	tc_gen_put_bytes(target(mk), bytes, len);
	return 0;
}

static int
put_rawpacket(struct mk *mk, struct packet *p)
{
	struct tc_gen_buf payload = { 0 };
	size_t top_len = tc__trace_packet__get_packed_size(&p->top), len;
	uint8_t *bytes;

	if (tc_script_hex(&mk->script, p->hex, &bytes, &len) < 0)
		return -1;
	payload.len = tc__trace_packet__pack(&p->top, tc_gen_buf_room(&payload, top_len));
	tc_gen_buf_put(&payload, bytes, len);
	tc_gen_put_payload(target(mk), payload.bytes, payload.len);
	tc_gen_buf_release(&payload);
	return 0;
}

static int
put_bundle(struct mk *mk, struct packet *p)
{
	tc_bundle_open(&mk->bundle, &p->top, mk->script.number);
	return 0;
}

static int
put_endbundle(struct mk *mk, struct packet *p)
{
	if (tc__trace_packet__get_packed_size(&p->top) > 0)
		return tc_script_fail(&mk->script, "keys belong on the bundle line");
	if (!mk->bundle.open)
		return tc_script_fail(&mk->script, "endbundle without bundle");
	tc_bundle_close(&mk->bundle, target(mk));
	return 0;
}

/* An event is part of the bundle that is open, or is one alone. */
static int
put_event(struct mk *mk, struct packet *p)
{
	Tc__FtraceEventBundle *part = p->top.ftrace_events;

	if (!mk->bundle.open) {
		tc_bundle_open(&mk->bundle, &p->top, mk->script.number);
		tc_bundle_close(&mk->bundle, target(mk));
		return 0;
	}
	p->top.ftrace_events = NULL;
	if (part->has_cpu || tc__trace_packet__get_packed_size(&p->top) > 0)
		return tc_script_fail(
			&mk->script, "these keys belong on the bundle line");
	tc_bundle_put(&mk->bundle, part);
	return 0;
}

/* protobuf-c writes unknown fields as they are, the length with the bytes. */
static int
put_other(struct mk *mk, struct packet *p)
{
	ProtobufCMessageUnknownField *field =
		tc_script_alloc(&mk->script, sizeof(*field));
	uint8_t *bytes;
	uint64_t id;
	size_t len;

	if (!p->id.pos)
		return p->hex.pos ? tc_script_fail(&mk->script, "hex without id")
				  : put_event(mk, p);
	if (tc_script_int(&mk->script, p->id, 28, &id) < 0 ||
		tc_script_hex(&mk->script, p->hex, &bytes, &len) < 0)
		return -1;
	if (id == 0 || len > 127)
		return tc_script_fail(&mk->script, "id 0, or hex of more than 127 bytes");
	field->tag = (uint32_t)id;
	field->wire_type = PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED;
	field->len = len + 1;
	field->data = tc_script_alloc(&mk->script, field->len);
	field->data[0] = (uint8_t)len;
	memcpy(field->data + 1, bytes, len);
	p->event->n_unknown_fields = 1;
	p->event->unknown_fields = field;
	return put_event(mk, p);
}

/* The packet is kept by value: the keys of every kind are all numbers. */
static int
put_deflate(struct mk *mk, struct packet *p)
{
	struct group *g = &mk->groups[mk->n_groups];

	if (mk->n_groups == MAX_NESTED)
		return tc_script_fail(
			&mk->script, "deflate nested more than %d deep", MAX_NESTED);
	*g = (struct group){ .packet = p->top, .gzip = p->gzip };
	g->number = mk->script.number;
	tc_gen_out_init(&g->inner, -1);
	mk->n_groups++;
	return 0;
}

static int
put_enddeflate(struct mk *mk, struct packet *p)
{
	struct group *g;

	if (tc__trace_packet__get_packed_size(&p->top) > 0)
		return tc_script_fail(&mk->script, "keys belong on the deflate line");
	if (mk->n_groups == 0)
		return tc_script_fail(&mk->script, "enddeflate without deflate");
	g = &mk->groups[--mk->n_groups];
	tc_gen_put_deflated(target(mk), &g->packet, &g->inner.buf, LEVEL, g->gzip);
	tc_gen_out_release(&g->inner);
	return 0;
}

#define INPUT "winscope_extensions", "android_input_event"

static const struct kind kinds[] = {
	{ "gfx", { "graphics_frame_event", "buffer_event" }, .set = set_gfx_key },
	{ "esurf", .path = { "frame_timeline_event", "expected_surface_frame_start" } },
	{ "asurf", .path = { "frame_timeline_event", "actual_surface_frame_start" } },
	{ "edisp", .path = { "frame_timeline_event", "expected_display_frame_start" } },
	{ "adisp", .path = { "frame_timeline_event", "actual_display_frame_start" } },
	{ "end", .path = { "frame_timeline_event", "frame_end" } },
	{ "proc", { "process_tree" }, .set = set_proc_key, .put = put_proc },
	{ "clocks", { "clock_snapshot" }, .set = set_clocks_key },
	{ "remote", { "remote_clock_sync" }, .set = set_remote_key, .put = put_remote },
	{ "defaults", .path = { "trace_packet_defaults" } },
	{ "config", { "trace_config" }, .set = set_config_key },
	{ "uuid", .path = { "trace_uuid" } },
	{ "sysinfo", { "system_info" }, .set = set_sysinfo_key },
	{ "stats", { "trace_stats" }, .set = set_stats_key },
	{ "service", .path = { "service_event" } },
	{ "packages", { "packages_list" }, .set = set_packages_key },
	{ "bundle", { "ftrace_events" }, .put = put_bundle },
	{ "endbundle", { NULL }, .put = put_endbundle },
	{ "other", { "ftrace_events" }, true, .set = set_other_key, .put = put_other },
	{ "compact_switch", { "ftrace_events", "compact_sched" }, true,
		.set = set_compact_switch_key, .put = put_event },
	{ "compact_waking", { "ftrace_events", "compact_sched" }, true,
		.set = set_compact_waking_key, .put = put_event },
	{ "motion", { INPUT, "dispatcher_motion_event" }, .set = set_motion_key },
	{ "motionr", { INPUT, "dispatcher_motion_event_redacted" },
		.set = set_motion_key },
	{ "keyevent", .path = { INPUT, "dispatcher_key_event" } },
	{ "keyeventr", .path = { INPUT, "dispatcher_key_event_redacted" } },
	{ "indispatch", { INPUT, "dispatcher_window_dispatch_event" },
		.set = set_indispatch_key },
	{ "indispatchr", { INPUT, "dispatcher_window_dispatch_event_redacted" },
		.set = set_indispatch_key },
	{ "interned", { NULL }, .put = put_interned },
	{ "marker", { NULL }, .put = put_marker },
	{ "empty", .path = { NULL } },
	{ "raw", { NULL }, .set = set_hex_key, .put = put_raw },
	{ "rawpacket", { NULL }, .set = set_hex_key, .put = put_rawpacket },
	{ "deflate", { NULL }, .set = set_deflate_key, .put = put_deflate },
	{ "enddeflate", { NULL }, .put = put_enddeflate },
	{ NULL, { "ftrace_events" }, true, .set = set_event_key, .put = put_event },
};

/* The last kind, that of every ftrace event, goes by the event's name. */
static const struct kind *
find_kind(struct tc_script_text word)
{
	static const Tc__FtraceEvent event = TC__FTRACE_EVENT__INIT;
	char name[MAX_NAME];
	size_t i = 0;

	while (i < COUNT(kinds) - 1 && !tc_script_is(word, kinds[i].name))
		i++;
	copy_name(name, word);
	if (i == COUNT(kinds) - 1 && !tc_fields_has_part(&event.base, name))
		return NULL;
	return &kinds[i];
}

static ProtobufCMessage *
make_messages(struct mk *mk, const struct kind *kind, struct packet *p)
{
	ProtobufCMessage *m = &p->top.base;
	char name[MAX_NAME];
	size_t i;

	for (i = 0; i < COUNT(kind->path) && kind->path[i]; i++)
		m = tc_fields_sub(&mk->script, m, kind->path[i]);
	if (!kind->ftrace || i > 1)
		return m;
	m = tc_fields_item(&mk->script, m, "event", 0, 1);
	copy_name(name, mk->script.kind);
	return kind->name ? m : tc_fields_sub(&mk->script, m, name);
}

/* How much of a word goes into a message. */
static int
shown(struct tc_script_text word)
{
	return word.len < 80 ? (int)word.len : 80;
}

static int
set_named_key(struct mk *mk, struct packet *p, const struct tc_script_arg *a)
{
	char name[MAX_NAME];
	size_t i;

	for (i = 0; i < COUNT(common); i++)
		if (tc_script_is(a->key, common[i].key))
			return tc_fields_set(
				&mk->script, &p->top.base, common[i].field, a->value);
	for (i = 0; p->event != &p->top.base && i < COUNT(aliases); i++)
		if (tc_script_is(a->key, aliases[i].key) &&
			tc_fields_has(p->event, aliases[i].field))
			return tc_fields_set(
				&mk->script, p->event, aliases[i].field, a->value);
	copy_name(name, a->key);
	if (has_value(p->event, name))
		return tc_fields_set(&mk->script, p->event, name, a->value);
	if (has_value(&p->top.base, name))
		return tc_fields_set(&mk->script, &p->top.base, name, a->value);
	return tc_script_fail(&mk->script, "kind '%.*s' has no key '%.*s'",
		shown(mk->script.kind), mk->script.kind.pos, shown(a->key), a->key.pos);
}

static int
set_key(struct mk *mk, const struct kind *kind, struct packet *p,
	const struct tc_script_arg *a)
{
	int r;

	if (!a->has_value && !tc_script_is(a->key, "noevent"))
		return tc_script_fail(&mk->script, "key without a value");
	r = kind->set ? kind->set(mk, p, a) : UNKNOWN_KEY;
	return r == UNKNOWN_KEY ? set_named_key(mk, p, a) : r;
}

static int
put_line(struct mk *mk)
{
	const struct kind *kind = find_kind(mk->script.kind);
	struct packet p = { .top = TC__TRACE_PACKET__INIT };
	size_t i;

	if (!kind)
		return tc_script_fail(&mk->script, "no kind '%.*s'",
			shown(mk->script.kind), mk->script.kind.pos);
	if (mk->bundle.open && !kind->ftrace && kind->put != put_endbundle)
		return tc_script_fail(&mk->script, "only ftrace events go into a bundle");
	p.event = make_messages(mk, kind, &p);
	for (i = 0; i < mk->script.n_args; i++)
		if (set_key(mk, kind, &p, &mk->script.args[i]) < 0)
			return -1;
	return kind->put ? kind->put(mk, &p) : put_packet(mk, &p);
}

static int
put_script(struct mk *mk)
{
	int r;

	while ((r = tc_script_next(&mk->script)) > 0)
		if (put_line(mk) < 0)
			return -1;
	if (r == 0 && mk->bundle.open) {
		mk->script.number = mk->bundle.number;
		return tc_script_fail(&mk->script, "bundle without endbundle");
	}
	if (r == 0 && mk->n_groups > 0) {
		mk->script.number = mk->groups[mk->n_groups - 1].number;
		return tc_script_fail(&mk->script, "deflate without enddeflate");
	}
	return r;
}

static void
release(struct mk *mk)
{
	while (mk->n_groups > 0)
		tc_gen_out_release(&mk->groups[--mk->n_groups].inner);
	tc_bundle_release(&mk->bundle);
	tc_gen_out_release(&mk->file);
	tc_script_release(&mk->script);
}

static int
make(FILE *in, const char *name)
{
	struct mk mk = { 0 };
	int status = 0;

	tc_script_init(&mk.script, in);
	tc_gen_out_init(&mk.file, STDOUT_FILENO);
	if (put_script(&mk) < 0) {
		fprintf(stderr, "mktrace: %s: %s\n", name, mk.script.err);
		status = mk.script.read_failed ? 74 : 2;
	} else if (tc_gen_flush(&mk.file) < 0) {
		fprintf(stderr, "mktrace: cannot write: %s\n", strerror(mk.file.error));
		status = 74;
	}
	release(&mk);
	return status;
}

static int
make_from(const char *path)
{
	FILE *in;
	int status;

	if (!path || strcmp(path, "-") == 0)
		return make(stdin, "stdin");
	in = fopen(path, "re");
	if (!in) {
		fprintf(stderr, "mktrace: %s: %s\n", path, strerror(errno));
		return 66;
	}
	status = make(in, path);
	fclose(in);
	return status;
}

static int
help(void)
{
	if (fputs(usage, stdout) == EOF || fflush(stdout) == EOF)
		return 74;
	return 0;
}

int
main(int argc, char **argv)
{
	static const struct option longopts[] = {
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int c = getopt_long(argc, argv, "h", longopts, NULL);

	if (c != -1)
		return c == 'h' ? help() : 2;
	if (argc - optind > 1) {
		fprintf(stderr, "mktrace: one script only\n");
		return 2;
	}
	return make_from(argv[optind]);
}
