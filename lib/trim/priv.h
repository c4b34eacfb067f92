#ifndef TC_TRIM_PRIV_H
#define TC_TRIM_PRIV_H
/* Inside trim: what the two readings share. */
#include "mem/mem.h"
#include "pb/pb.h"
#include "trace/trace.h"
#include "trim/trim.h"

struct tc_trim_event;

/* ---- seqs.c: packet sequences, and the generations of their state ---- */

/* From one packet that clears the state to the next. */
struct tc_trim_seqs {
	struct tc_map index;  /* (machine, sequence) to index + 1 */
	uint32_t *generation; /* owned, by index: the one that goes on */
	size_t count, cap;
	uint32_t generations;
};

struct tc_trim_place {
	uint32_t seq, generation;
	bool is_first; /* packet of its sequence */
};

/* Where a packet stands; both readings ask for each packet, in order. */
struct tc_trim_place tc_trim_seqs_enter(
	struct tc_trim_seqs *s, const struct tc_packet *p);
void tc_trim_seqs_release(struct tc_trim_seqs *s);

/* ---- people.c: processes and threads ---- */

struct tc_trim_link {
	uint32_t machine, tid;
	uint32_t of; /* a process, or a thread of it */
	bool is_of_thread;
};

struct tc_trim_people {
	const struct tc_choose *choose;
	struct tc_map pids;         /* (machine, pid) to bits */
	struct tc_map comms;        /* (machine, tid) that had a name which is chosen */
	struct tc_map tids;         /* likewise, once all links are known */
	struct tc_map known_links;  /* those in the array */
	struct tc_trim_link *links; /* owned */
	size_t link_count, link_cap;
};

void tc_trim_people_name(
	struct tc_trim_people *pp, uint32_t machine, uint32_t pid, struct tc_str name);

/* A name of a thread, which is that of the process if it is the main thread. */
void tc_trim_people_comm(
	struct tc_trim_people *pp, uint32_t machine, uint32_t tid, struct tc_str name);
void tc_trim_people_link(struct tc_trim_people *pp, struct tc_trim_link link);
void tc_trim_people_tree(struct tc_trim_people *pp, uint32_t machine, struct tc_str tree);

/* After the first reading; before it, nobody can say who a thread belongs to. */
void tc_trim_people_settle(struct tc_trim_people *pp);
bool tc_trim_people_has(struct tc_trim_people *pp, uint32_t machine, uint32_t pid);

/* True also where it is not known whose thread it is. */
bool tc_trim_people_has_thread(struct tc_trim_people *pp, uint32_t machine, uint32_t tid);
void tc_trim_people_release(struct tc_trim_people *pp);

/* ---- rows: what is held of a packet or an event that is not decided alone ---- */

enum tc_trim_time {
	TC_TRIM_OK,
	TC_TRIM_LATE,    /* ts comes when all is read */
	TC_TRIM_NOWHERE, /* no clock maps it */
};

enum tc_trim_frame_kind {
	TC_TRIM_OTHER, /* not a frame: decided by its time */
	TC_TRIM_EXPECTED,
	TC_TRIM_ACTUAL,
	TC_TRIM_END,
};

struct tc_trim_frame {
	int64_t ts, cookie, token, display_token;
	uint32_t pid, layer;
	uint16_t machine;
	uint8_t kind, time;
	bool is_surface, is_kept, is_hidden;
	bool is_dropped; /* actual surface frames */
	/* Other rows, as index + 1; 0: none. */
	uint32_t end;      /* that closes this one */
	uint32_t next;     /* took over the cookie while this was open */
	uint32_t original; /* of a hidden one: the first with its token */
};

struct tc_trim_buffer {
	int64_t ts, dur;
	uint32_t id, layer, cycle;
	uint16_t machine;
	uint8_t type, time;
	bool is_of_buffer; /* readers pass over those that are not */
	bool is_kept;
};

enum tc_trim_mark_kind {
	TC_TRIM_BEGIN,
	TC_TRIM_FINISH,
	TC_TRIM_ASYNC_BEGIN,
	TC_TRIM_ASYNC_END,
	TC_TRIM_RESET, /* the thread is another one from here on */
};

/* When a CPU switched last before the window, and first behind it. */
struct tc_trim_cpu {
	int64_t before[2]; /* the last switches before the window, newest first */
	int64_t after;     /* the first one behind it */
};

/* A packet that had to wait for its clock. */
struct tc_trim_late {
	uint64_t ordinal; /* of the packet */
	uint64_t clock;
	int64_t raw, ts;
	uint32_t machine;
	bool is_mapped;
};

#define TC_TRIM_ROWS(type) \
	struct { \
		type *items; \
		size_t count, cap; \
	}

/* A slice's begin or end in ftrace. */
struct tc_trim_mark {
	int64_t ts;
	uint64_t ordinal; /* among the marks of the file */
	uint32_t tid;
	/* Of an async one: hash of track or name, and cookie. Of a begin: part + 1. */
	uint32_t what;
	uint16_t machine;
	uint8_t kind;
};

struct tc_trim_marks {
	struct tc_trim_plan *plan;
	TC_TRIM_ROWS(struct tc_trim_mark) held;
	struct tc_trace_item *order; /* owned: those held, by time */
	size_t order_cap;
	uint64_t count;        /* of all marks */
	int64_t taken_until;   /* the time of the last one taken */
	bool is_late;          /* one came that is older */
	bool holds_all;        /* until the end */
	struct tc_map threads; /* (machine, tid) to index + 1 */
	TC_TRIM_ROWS(struct tc_trim_stack) stacks;
	struct tc_map async_index; /* (machine and process, what) to the place */
	TC_TRIM_ROWS(struct tc_trim_async) async;
	uint32_t *free; /* owned: places in async that are free */
	size_t free_count, free_cap;
	struct tc_map kept;   /* ordinals of those outside of the window */
	struct tc_map forced; /* of those that stay whoever they are of */
};

/* Slices that the latency of input events is told from. */
struct tc_trim_input {
	bool is_idle; /* nothing is left out that would be missed */
	TC_TRIM_ROWS(struct tc_trim_part) parts;
	TC_TRIM_ROWS(struct tc_trim_bond) bonds;
	TC_TRIM_ROWS(struct tc_trim_doframes) doframes;
	struct tc_map exchanges; /* (channel and machine, number) to a bond + 1 */
	struct tc_map events;    /* (machine, id) to a bond + 1 */
	struct tc_map threads;   /* (machine, tid) to doframes + 1 */
};

/* A frame that an input event had: what showed it has to be found. */
struct tc_trim_shown {
	uint32_t machine, pid;
	int64_t ts, token; /* of the slice */
};

/* Names that go with the switches that give them. */
struct tc_trim_told {
	uint32_t machine, tid, tgid;
	int64_t ts;
	uint32_t name; /* of a main thread; 0: only whose thread it is */
};

struct tc_trim_names {
	bool is_idle;        /* all switches stay */
	struct tc_map index; /* (machine, tid) to called + 1 */
	TC_TRIM_ROWS(struct tc_trim_called) called;
	struct tc_map people; /* (machine, tid) to bits */
	struct tc_strtab texts;
	struct tc_map owner_index;                /* (machine, tid) to owners + 1 */
	TC_TRIM_ROWS(struct tc_trim_told) owners; /* the first that markers name */
	TC_TRIM_ROWS(struct tc_trim_told) told;   /* to be written */
};

struct tc_trim_plan {
	const struct tc_choose *choose;
	struct tc_choose_window window;
	struct tc_trace_group bulk; /* of the times of all packets */
	uint64_t packets;           /* that the first reading found */
	struct tc_strtab names;
	struct tc_trim_people people;
	struct tc_trim_marks marks;
	struct tc_trim_input input;
	TC_TRIM_ROWS(struct tc_trim_shown) shown;
	struct tc_trim_names called;

	/* Rows in the order of the file; the second reading counts along. */
	TC_TRIM_ROWS(struct tc_trim_frame) frames;
	TC_TRIM_ROWS(struct tc_trim_buffer) buffers;
	TC_TRIM_ROWS(struct tc_trim_late) late;
	TC_TRIM_ROWS(uint64_t) last_kept; /* by generation: ordinal + 1, 0: none */
	TC_TRIM_ROWS(bool) seq_kept;      /* by sequence */

	struct tc_map cpus; /* (machine, cpu) to index + 1 */
	TC_TRIM_ROWS(struct tc_trim_cpu) cpu;
};

/* A layer's name, cut where readers cut it. */
uint32_t tc_trim_name(struct tc_trim_plan *plan, struct tc_str name);

/* Whether something of this length, or a moment, belongs to the window. */
bool tc_trim_in_window(const struct tc_trim_plan *plan, int64_t ts, int64_t dur);

/* ---- frames.c, buffers.c, marks.c: read in the first reading, decided after it ---- */

void tc_trim_frames_read(struct tc_trim_plan *plan, const struct tc_packet *p);
void tc_trim_frames_decide(struct tc_trim_plan *plan);
void tc_trim_buffers_read(struct tc_trim_plan *plan, const struct tc_packet *p);
void tc_trim_buffers_decide(struct tc_trim_plan *plan);

void tc_trim_marks_init(struct tc_trim_marks *m, struct tc_trim_plan *plan);
void tc_trim_marks_add(struct tc_trim_marks *m, const struct tc_trim_mark *mark);
void tc_trim_marks_decide(struct tc_trim_marks *m);
bool tc_trim_marks_has(struct tc_trim_marks *m, uint64_t ordinal, int64_t ts);

/* One stays whatever its time and thread; asked for each of them in turn. */
void tc_trim_marks_force(struct tc_trim_marks *m, uint64_t ordinal);
bool tc_trim_marks_is_forced(struct tc_trim_marks *m, uint64_t ordinal);
void tc_trim_marks_release(struct tc_trim_marks *m);

/* ---- input.c: what input latency needs, whose it may be ---- */

/* The part + 1 that a slice of this name makes, 0: none. */
uint32_t tc_trim_input_read(struct tc_trim_input *in, const struct tc_trim_mark *mark,
	struct tc_str name, uint32_t pid);

/* Of slices in the order of time: `parent` is the part around, 0: there is none. */
void tc_trim_input_begin(struct tc_trim_input *in, uint32_t index, uint32_t parent,
	int64_t ts, uint64_t ordinal);
uint32_t tc_trim_input_around(
	struct tc_trim_input *in, uint32_t parent, int64_t ts, uint64_t ordinal);
void tc_trim_input_end(struct tc_trim_input *in, uint32_t index, uint64_t ordinal);

/* Forces marks, and says which frames were shown. */
void tc_trim_input_decide(struct tc_trim_plan *plan);
void tc_trim_input_release(struct tc_trim_input *in);

/* ---- called.c: names of threads ---- */

/* In the first reading, who is called something, and by what. */
void tc_trim_names_switch(struct tc_trim_names *n, uint32_t machine, uint32_t tid,
	int64_t ts, uint64_t ordinal);
void tc_trim_names_task(
	struct tc_trim_names *n, uint32_t machine, uint32_t tid, int64_t ts);
void tc_trim_names_process(struct tc_trim_names *n, uint32_t machine, uint32_t pid);
void tc_trim_names_owner(struct tc_trim_names *n, uint32_t machine, uint32_t tid,
	uint32_t tgid, int64_t ts);
void tc_trim_names_tree(struct tc_trim_names *n, uint32_t machine, struct tc_str tree);

/* What goes with this switch, when it goes: the name of nobody, or that of a thread. */
enum tc_trim_naming {
	TC_TRIM_NAMES_NOBODY,
	TC_TRIM_NAMES_THREAD, /* an event that renames it says the same */
	TC_TRIM_NAMES_MAIN,   /* to be told */
};

enum tc_trim_naming tc_trim_names_naming(
	struct tc_trim_names *n, uint32_t machine, uint32_t tid, uint64_t ordinal);
void tc_trim_names_tell(struct tc_trim_names *n, uint32_t machine, uint32_t tid,
	int64_t ts, struct tc_str name);

/* A marker that stays says whose thread it is; what none says is to be told. */
void tc_trim_names_owned(struct tc_trim_names *n, uint32_t machine, uint32_t tid);
void tc_trim_names_finish(struct tc_trim_names *n);

/* Writes it as a process tree in this field. */
void tc_trim_told_put(const struct tc_trim_names *n, const struct tc_trim_told *told,
	uint32_t field, struct tc_pb_buf *out);
void tc_trim_names_release(struct tc_trim_names *n);

/* ---- bundle.c: an ftrace bundle, event by event ---- */

/* Fields of FtraceEvent, and two for the columns of CompactSched. */
enum {
	TC_TRIM_PRINT = 3,
	TC_TRIM_SWITCH = 4,
	TC_TRIM_FREQUENCY = 11,
	TC_TRIM_CLOCK_SET_RATE = 16,
	TC_TRIM_WAKEUP = 17,
	TC_TRIM_CPU_HOTPLUG = 19,
	TC_TRIM_WAKING = 20,
	TC_TRIM_MARK_WRITE = 80,
	TC_TRIM_SUSPEND_RESUME = 113,
	TC_TRIM_WAKEUP_NEW = 114,
	TC_TRIM_NEW_TASK = 235,
	TC_TRIM_RENAME = 236,
	TC_TRIM_EXEC = 237,
	TC_TRIM_FREE = 240,
	TC_TRIM_ZERO = 331,
	TC_TRIM_SDE_MARK_WRITE = 333,
	TC_TRIM_DPU_MARK_WRITE = 348,
	TC_TRIM_COMPACT_SWITCH = TC_PB_MAX_FIELD + 1,
	TC_TRIM_COMPACT_WAKING,
};

struct tc_trim_event {
	uint64_t raw_ts; /* on the bundle's clock */
	bool has_ts;
	uint32_t tid; /* that it happened on; of a compact one: not known */
	uint32_t id;  /* field of its message, 0: none */
	/* next_pid, or who is woken, and what next_pid is called; of compact ones alone
	 */
	uint32_t pid;
	struct tc_str comm;
	struct tc_str message;
};

/* What a bundle says of itself. */
struct tc_trim_bundle {
	uint32_t cpu, ftrace_clock;
	bool has_cpu, has_pair;
	bool has_more; /* fields that are not known here */
	int64_t ftrace_ts, boot_ts;
};

struct tc_trim_bundle tc_trim_bundle_head(struct tc_str bytes);

/* Called for each event in order; whether it stays. */
typedef bool tc_trim_event_fn(void *arg, const struct tc_trim_event *e);

/* A field of the bundle: somebody's new name. */
void tc_trim_bundle_rename(struct tc_pb_buf *out, const struct tc_trim_event *e,
	uint32_t tid, struct tc_str name);

/*
 * Shows every event to fn, and writes to out (unless NULL) the bundle with those
 * that stay, and with the fields that fn puts into `instead` for those that do not.
 * How many those are; -1 when the bundle is malformed somewhere: what
 * lies before that was shown.
 */
int64_t tc_trim_bundle_cut(struct tc_str bytes, tc_trim_event_fn *fn, void *arg,
	struct tc_pb_buf *instead, struct tc_pb_buf *out);

/* compact.c: the same for the columns of a CompactSched. */
int64_t tc_trim_compact_cut(
	struct tc_str bytes, tc_trim_event_fn *fn, void *arg, struct tc_pb_buf *out);

/* ---- ftrace.c: what events mean to a trim ---- */

/* One reading of all bundles. */
struct tc_trim_ftrace {
	struct tc_trim_plan *plan;
	struct tc_trace *trace;
	const struct tc_packet *packet;
	struct tc_trim_bundle bundle;
	uint64_t clock;           /* key of the bundle's clock */
	uint64_t mark;            /* how many there were so far */
	uint64_t switches;        /* likewise */
	struct tc_pb_buf instead; /* owned: of events that go, fields of the bundle */
	int64_t renamed;          /* events of that kind */
	int64_t last_pair;        /* ftrace_timestamp applied last */
	struct tc_map seen_cpus;
	bool is_needed;      /* the bundle, whatever it holds */
	int64_t first, last; /* of the times in a bundle; when cutting, of all kept */
};

/* Before all: only to know how long the trace is. */
void tc_trim_ftrace_span(struct tc_trim_ftrace *f, const struct tc_packet *p);

/* The first reading. */
void tc_trim_ftrace_read(struct tc_trim_ftrace *f, const struct tc_packet *p);

/* The second: the bundle that is left, or false when nothing of it is needed. */
bool tc_trim_ftrace_cut(
	struct tc_trim_ftrace *f, const struct tc_packet *p, struct tc_pb_buf *out);
void tc_trim_ftrace_release(struct tc_trim_ftrace *f);

/* ---- write.c: the second reading ---- */

int tc_trim_write(struct tc_trim_plan *plan, struct tc_in *in, struct tc_out *out,
	struct tc_trim_report *report, struct tc_err *err);

/* Whether a packet says what holds for the whole trace, and not for its time. */
bool tc_trim_is_context(const struct tc_packet *p);

#endif
