/*
 * mktrace: make a trace from a script, one packet per line.
 *
 * The keys of a line are resolved by name through protobuf-c's descriptors, so a
 * new kind is a line in `kinds`, and a new key is one in `aliases`. Only keys
 * whose value has parts of its own need code, in the kind's `set`.
 */
#include <errno.h>
#include <getopt.h>
#include <string.h>
#include <unistd.h>

#include "fields.h"
#include "gen.h"
#include "script.h"

enum {
	MAX_NESTED = 4, /* deflate inside deflate, for readers that must refuse it */
	LEVEL = 9,
	UNKNOWN_KEY = 1,
};

static const char usage[] =
	"usage: mktrace [FILE]\n"
	"Make a Perfetto trace from a script; one line makes one packet.\n\n"
	"  KIND key=value ...   value plain, or \"...\" with \\n \\t \\\" \\\\ \\xHH\n"
	"  # comment\n\n"
	"keys of every kind: ts clock seq flags dropped cleared machine uid\n"
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
	"stats      overwritten=N... loss=N..., the nth of each for the nth buffer\n"
	"service    started allstarted flushed read disabled flush clone cloned\n"
	"print      cpu tid text; ts is the event's\n"
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
};

/* A line in the making. */
struct packet {
	Tc__TracePacket top;
	ProtobufCMessage *event; /* what the kind's own keys set; may be &top.base */
	struct tc_script_text hex;
	size_t n_client, n_host, n_overwritten, n_loss;
	bool gzip, comm;
};

/*
 * set: takes a key; 0, -1 with the script's error, or UNKNOWN_KEY to go on to the
 * common keys and the aliases. put: writes the packet, in place of put_packet.
 */
struct kind {
	const char *name;
	const char *path[2]; /* the messages to make, from the packet inwards */
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
	{ "type", "type" },
	{ "buffer", "buffer_id" },
	{ "buffer", "is_buffer" },
	{ "layer", "layer_name" },
	{ "frame", "frame_number" },
	{ "dur", "duration_ns" },
	{ "cookie", "cookie" },
	{ "token", "token" },
	{ "display", "display_frame_token" },
	{ "pid", "pid" },
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
	{ "msb", "msb" },
	{ "lsb", "lsb" },
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
	{ "cpu", "cpu" },
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

static int
set_stats_key(struct mk *mk, struct packet *p, const struct tc_script_arg *a)
{
	bool loss = tc_script_is(a->key, "loss");
	const char *field = loss ? "trace_writer_packet_loss" : "chunks_overwritten";
	size_t i;

	if (!loss && !tc_script_is(a->key, "overwritten"))
		return UNKNOWN_KEY;
	i = loss ? p->n_loss++ : p->n_overwritten++;
	return tc_fields_set(&mk->script,
		tc_fields_item(
			&mk->script, p->event, "buffer_stats", i, mk->script.n_args),
		field, a->value);
}

/* ts goes to the event: a bundle's packet has no time of its own. */
static int
set_print_key(struct mk *mk, struct packet *p, const struct tc_script_arg *a)
{
	ProtobufCMessage *event = tc_fields_item(&mk->script, p->event, "event", 0, 1);
	ProtobufCMessage *print = tc_fields_sub(&mk->script, event, "print");

	if (tc_script_is(a->key, "ts"))
		return tc_fields_set(&mk->script, event, "timestamp", a->value);
	if (tc_script_is(a->key, "tid"))
		return tc_fields_set(&mk->script, event, "pid", a->value);
	if (tc_script_is(a->key, "text"))
		return tc_fields_set(&mk->script, print, "buf", a->value);
	return UNKNOWN_KEY;
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
	{ "print", { "ftrace_events" }, .set = set_print_key },
	{ "interned", { NULL }, .put = put_interned },
	{ "marker", { NULL }, .put = put_marker },
	{ "empty", .path = { NULL } },
	{ "raw", { NULL }, .set = set_hex_key, .put = put_raw },
	{ "rawpacket", { NULL }, .set = set_hex_key, .put = put_rawpacket },
	{ "deflate", { NULL }, .set = set_deflate_key, .put = put_deflate },
	{ "enddeflate", { NULL }, .put = put_enddeflate },
};

static const struct kind *
find_kind(struct tc_script_text name)
{
	size_t i;

	for (i = 0; i < COUNT(kinds); i++)
		if (tc_script_is(name, kinds[i].name))
			return &kinds[i];
	return NULL;
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
	p.event = &p.top.base;
	for (i = 0; i < COUNT(kind->path) && kind->path[i]; i++)
		p.event = tc_fields_sub(&mk->script, p.event, kind->path[i]);
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
