/* linux.process_stats: the processes and threads that ran, by name. */
#include "source/source.h"

#include <string.h>

#include "err/err.h"
#include "pb/pb.h"

enum { TREE_PROCESSES = 1, TREE_THREADS = 2 };
enum {
	PROCESS_PID = 1,
	PROCESS_PPID = 2,
	PROCESS_CMDLINE = 3,
	PROCESS_UID = 5,
	PROCESS_START = 7,
	PROCESS_CMDLINE_IS_COMM = 9,
};
enum { THREAD_TID = 1, THREAD_NAME = 2, THREAD_TGID = 3 };
enum { KTHREADD = 2 }; /* the parent of all kernel threads */

struct entry {
	struct tc_row row; /* first */
	bool is_thread;
};

struct process_row {
	struct entry entry; /* first */
	struct tc_proc_entry process;
};

struct thread_row {
	struct entry entry; /* first */
	uint32_t machine, tid, tgid, name;
};

/*
 * A command line of one element is often all arguments run together. A kernel
 * worker's name goes on with what it is doing at the moment.
 */
static struct tc_str
process_name(struct tc_str cmdline, size_t elements, int64_t ppid)
{
	static const struct tc_str worker = TC_STR_INIT("kworker/");
	const char *space;
	size_t i;

	space = elements == 1 ? memchr(cmdline.p, ' ', cmdline.len) : NULL;
	if (space)
		cmdline.len = (size_t)(space - cmdline.p);
	if (ppid != KTHREADD || !tc_str_begins(cmdline, worker))
		return cmdline;
	for (i = worker.len; i < cmdline.len; i++)
		if (cmdline.p[i] == '+' || cmdline.p[i] == '-')
			cmdline.len = i;
	return cmdline;
}

/* A start time is on BOOTTIME, whatever the packet's clock is. */
static int64_t
start_ts(struct tc_decode *d, uint32_t machine, int64_t from_boot)
{
	struct tc_clocks *c = &d->trace.machines[machine].clocks;
	int64_t ts;

	if (from_boot < 0 ||
		tc_clocks_convert(c, TC_CLOCK_BOOTTIME, from_boot, &ts) != TC_CLOCK_OK)
		return -1;
	return ts;
}

static void
keep_process(struct tc_decode *d, const struct tc_packet *p, struct tc_str bytes)
{
	struct tc_proc_entry e = {
		.machine = p->machine, .ppid = -1, .uid = -1, .start_from_boot = -1
	};
	struct tc_pb r = tc_pb_init(bytes.p, bytes.len);
	struct tc_str cmdline = { 0 };
	struct process_row *row;
	struct tc_err ignored;
	struct tc_pb_field f;
	size_t elements = 0;
	int n;

	while ((n = tc_pb_next(&r, &f, &ignored)) > 0) {
		if (f.id == PROCESS_CMDLINE && tc_pb_is(&f, TC_PB_LEN) && elements++ == 0)
			cmdline = tc_pb_str(&f);
		if (!tc_pb_is(&f, TC_PB_VARINT))
			continue;
		if (f.id == PROCESS_PID)
			e.pid = (uint32_t)f.num;
		else if (f.id == PROCESS_PPID)
			e.ppid = (int32_t)f.num;
		else if (f.id == PROCESS_UID)
			e.uid = (int32_t)f.num;
		else if (f.id == PROCESS_START)
			e.start_from_boot = (int64_t)f.num;
		else if (f.id == PROCESS_CMDLINE_IS_COMM)
			e.names_main_thread = f.num != 0;
	}
	tc_source_nested(d, n);
	if (!elements)
		return;
	row = tc_source_row(d, p, sizeof(*row));
	if (!row)
		return;
	e.name = tc_source_name(d, process_name(cmdline, elements, e.ppid));
	row->process = e;
}

static void
keep_thread(struct tc_decode *d, const struct tc_packet *p, struct tc_str bytes)
{
	struct tc_pb r = tc_pb_init(bytes.p, bytes.len);
	struct thread_row t = { .machine = p->machine }, *row;
	struct tc_err ignored;
	struct tc_pb_field f;
	int n;

	while ((n = tc_pb_next(&r, &f, &ignored)) > 0) {
		if (f.id == THREAD_NAME && tc_pb_is(&f, TC_PB_LEN))
			t.name = tc_source_name(d, tc_pb_str(&f));
		else if (f.id == THREAD_TID && tc_pb_is(&f, TC_PB_VARINT))
			t.tid = (uint32_t)f.num;
		else if (f.id == THREAD_TGID && tc_pb_is(&f, TC_PB_VARINT))
			t.tgid = (uint32_t)f.num;
	}
	tc_source_nested(d, n);
	if (!t.tid)
		return; /* nobody's */
	row = tc_source_row(d, p, sizeof(*row));
	if (!row)
		return;
	t.entry.row = row->entry.row;
	t.entry.is_thread = true;
	*row = t;
}

static void
keep(struct tc_decode *d, void *state, const struct tc_packet *p)
{
	struct tc_pb r = tc_pb_init(p->data.p, p->data.len);
	struct tc_err ignored;
	struct tc_pb_field f;
	int n;

	(void)state;
	while ((n = tc_pb_next(&r, &f, &ignored)) > 0) {
		if (f.id == TREE_PROCESSES && tc_pb_is(&f, TC_PB_LEN))
			keep_process(d, p, tc_pb_str(&f));
		else if (f.id == TREE_THREADS && tc_pb_is(&f, TC_PB_LEN))
			keep_thread(d, p, tc_pb_str(&f));
	}
	tc_source_nested(d, n);
}

static void
apply(struct tc_decode *d, void *state, int64_t ts, struct tc_row *base)
{
	struct thread_row *t = (struct thread_row *)base;
	struct tc_proc_entry *e = &((struct process_row *)base)->process;

	(void)state;
	(void)ts;
	if (t->entry.is_thread) {
		tc_procs_learn_thread(&d->procs, t->machine, t->tid, t->tgid, t->name);
		return;
	}
	e->start_ts = start_ts(d, e->machine, e->start_from_boot);
	if (tc_procs_learn_process(&d->procs, e))
		tc_trace_count(&d->trace, TC_STAT_PARENT_CHANGED);
}

const struct tc_source tc_source_process_tree = {
	.name = "linux.process_stats",
	.help = "the names of processes and threads",
	.field = TC_PACKET_PROCESS_TREE,
	.keep = keep,
	.apply = apply,
};
