/*
 * Names that threads have from switches alone. A thread is called by the one that
 * names it last, wherever that is, and switches outside of the window do not stay:
 * what they leave behind is the name. A thread that is the main one of a process
 * cannot be renamed without its process, so there it is told as by a process tree.
 * So is whose thread it is, where nothing but markers says so, and none of them stays.
 */
#include <stdlib.h>

#include "err/err.h"
#include "trim/priv.h"

enum { TREE_PROCESSES = 1, TREE_THREADS = 2 };
enum { PROCESS_PID = 1, PROCESS_CMDLINE_IS_COMM = 9 };
enum { THREAD_TID = 1, THREAD_NAME = 2, THREAD_TGID = 3 };

/* Bits of a tid. */
enum {
	IS_MAIN = 1,
	IS_TOLD = 2,  /* its name, by a process tree, which counts for more */
	IS_OWNED = 4, /* whose it is, by what stays */
};

/* The newest switch that names a thread, and the newest of all that stays and does. */
struct tc_trim_called {
	int64_t ts, other_ts;
	uint64_t ordinal; /* of the switch */
};

static struct tc_trim_called *
called(struct tc_trim_names *n, uint32_t machine, uint32_t tid)
{
	bool made;
	uint64_t *slot = tc_map_put(&n->index, machine, tid, &made);

	if (made) {
		tc_mem_grow(&n->called.items, &n->called.cap, n->called.count + 1,
			sizeof(*n->called.items));
		n->called.items[n->called.count++] =
			(struct tc_trim_called){ INT64_MIN, INT64_MIN, 0 };
		*slot = n->called.count;
	}
	return &n->called.items[*slot - 1];
}

void
tc_trim_names_switch(struct tc_trim_names *n, uint32_t machine, uint32_t tid, int64_t ts,
	uint64_t ordinal)
{
	struct tc_trim_called *c;

	if (n->is_idle || !tid)
		return;
	c = called(n, machine, tid);
	if (ts >= c->ts) {
		c->ts = ts;
		c->ordinal = ordinal;
	}
}

void
tc_trim_names_task(struct tc_trim_names *n, uint32_t machine, uint32_t tid, int64_t ts)
{
	struct tc_trim_called *c;

	if (n->is_idle || !tid)
		return;
	c = called(n, machine, tid);
	if (ts > c->other_ts)
		c->other_ts = ts;
}

static void
note(struct tc_trim_names *n, uint32_t machine, uint32_t pid, uint64_t bits)
{
	bool made;

	*tc_map_put(&n->people, machine, pid, &made) |= bits;
}

void
tc_trim_names_process(struct tc_trim_names *n, uint32_t machine, uint32_t pid)
{
	if (!n->is_idle && pid)
		note(n, machine, pid, IS_MAIN);
}

void
tc_trim_names_owner(struct tc_trim_names *n, uint32_t machine, uint32_t tid,
	uint32_t tgid, int64_t ts)
{
	struct tc_trim_told *o;
	uint64_t *slot;
	bool made;

	if (n->is_idle || !tid || !tgid)
		return;
	slot = tc_map_put(&n->owner_index, machine, tid, &made);
	if (made) {
		tc_mem_grow(&n->owners.items, &n->owners.cap, n->owners.count + 1,
			sizeof(*n->owners.items));
		n->owners.items[n->owners.count] =
			(struct tc_trim_told){ machine, tid, tgid, ts, 0 };
		*slot = ++n->owners.count;
	}
	o = &n->owners.items[*slot - 1];
	if (ts < o->ts) {
		o->ts = ts;
		o->tgid = tgid;
	}
}

static void
read_process(struct tc_trim_names *n, uint32_t machine, struct tc_str bytes)
{
	struct tc_pb r = tc_pb_init(bytes.p, bytes.len);
	uint64_t bits = IS_MAIN;
	struct tc_err ignored;
	struct tc_pb_field f;
	uint32_t pid = 0;

	while (tc_pb_next(&r, &f, &ignored) > 0) {
		if (f.id == PROCESS_PID && tc_pb_is(&f, TC_PB_VARINT))
			pid = (uint32_t)f.num;
		if (f.id == PROCESS_CMDLINE_IS_COMM && tc_pb_is(&f, TC_PB_VARINT) &&
			f.num)
			bits |= IS_TOLD;
	}
	note(n, machine, pid, bits);
}

static void
read_thread(struct tc_trim_names *n, uint32_t machine, struct tc_str bytes)
{
	struct tc_pb r = tc_pb_init(bytes.p, bytes.len);
	uint32_t tid = 0, tgid = 0;
	struct tc_err ignored;
	struct tc_pb_field f;
	bool has_name = false;

	while (tc_pb_next(&r, &f, &ignored) > 0) {
		if (f.id == THREAD_TID && tc_pb_is(&f, TC_PB_VARINT))
			tid = (uint32_t)f.num;
		if (f.id == THREAD_TGID && tc_pb_is(&f, TC_PB_VARINT))
			tgid = (uint32_t)f.num;
		has_name |= f.id == THREAD_NAME && tc_pb_is(&f, TC_PB_LEN);
	}
	if (tgid)
		note(n, machine, tgid, IS_MAIN);
	if (tgid)
		note(n, machine, tid, IS_OWNED);
	if (has_name)
		note(n, machine, tid, IS_TOLD);
}

void
tc_trim_names_tree(struct tc_trim_names *n, uint32_t machine, struct tc_str tree)
{
	struct tc_pb r = tc_pb_init(tree.p, tree.len);
	struct tc_err ignored;
	struct tc_pb_field f;

	if (n->is_idle)
		return;
	while (tc_pb_next(&r, &f, &ignored) > 0) {
		if (f.id == TREE_PROCESSES && tc_pb_is(&f, TC_PB_LEN))
			read_process(n, machine, tc_pb_str(&f));
		else if (f.id == TREE_THREADS && tc_pb_is(&f, TC_PB_LEN))
			read_thread(n, machine, tc_pb_str(&f));
	}
}

enum tc_trim_naming
tc_trim_names_naming(
	struct tc_trim_names *n, uint32_t machine, uint32_t tid, uint64_t ordinal)
{
	const struct tc_trim_called *c;
	uint64_t *slot, *bits;

	slot = n->is_idle || !tid ? NULL : tc_map_get(&n->index, machine, tid);
	c = slot ? &n->called.items[*slot - 1] : NULL;
	if (!c || c->ordinal != ordinal || c->ts == INT64_MIN || c->other_ts > c->ts)
		return TC_TRIM_NAMES_NOBODY;
	bits = tc_map_get(&n->people, machine, tid);
	if (bits && *bits & IS_TOLD)
		return TC_TRIM_NAMES_NOBODY;
	return bits && *bits & IS_MAIN ? TC_TRIM_NAMES_MAIN : TC_TRIM_NAMES_THREAD;
}

void
tc_trim_names_tell(struct tc_trim_names *n, uint32_t machine, uint32_t tid, int64_t ts,
	struct tc_str name)
{
	tc_mem_grow(
		&n->told.items, &n->told.cap, n->told.count + 1, sizeof(*n->told.items));
	n->told.items[n->told.count++] = (struct tc_trim_told){
		.machine = machine,
		.tid = tid,
		.tgid = tid,
		.ts = ts,
		.name = tc_strtab_id(&n->texts, name),
	};
}

void
tc_trim_names_owned(struct tc_trim_names *n, uint32_t machine, uint32_t tid)
{
	if (!n->is_idle)
		note(n, machine, tid, IS_OWNED);
}

void
tc_trim_names_finish(struct tc_trim_names *n)
{
	const struct tc_trim_told *o;
	const uint64_t *bits;
	size_t i;

	for (i = 0; i < n->owners.count; i++) {
		o = &n->owners.items[i];
		bits = tc_map_get(&n->people, o->machine, o->tid);
		if (bits && *bits & IS_OWNED)
			continue;
		tc_mem_grow(&n->told.items, &n->told.cap, n->told.count + 1,
			sizeof(*n->told.items));
		n->told.items[n->told.count++] = *o;
	}
}

void
tc_trim_told_put(const struct tc_trim_names *n, const struct tc_trim_told *told,
	uint32_t field, struct tc_pb_buf *out)
{
	struct tc_str name = tc_strtab_str(&n->texts, told->name);
	struct tc_pb_buf thread = { 0 }, tree = { 0 };

	tc_pb_put_number(&thread, THREAD_TID, told->tid);
	if (told->name)
		tc_pb_put_bytes(&thread, THREAD_NAME, name.p, name.len);
	tc_pb_put_number(&thread, THREAD_TGID, told->tgid);
	tc_pb_put_bytes(&tree, TREE_THREADS, thread.bytes, thread.len);
	tc_pb_put_bytes(out, field, tree.bytes, tree.len);
	tc_pb_buf_release(&thread);
	tc_pb_buf_release(&tree);
}

void
tc_trim_names_release(struct tc_trim_names *n)
{
	tc_map_release(&n->index);
	tc_map_release(&n->people);
	tc_map_release(&n->owner_index);
	free(n->owners.items);
	tc_strtab_release(&n->texts);
	free(n->called.items);
	free(n->told.items);
	*n = (struct tc_trim_names){ 0 };
}
