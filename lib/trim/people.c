#include "trim/priv.h"

#include <stdlib.h>
#include <string.h>

#include "err/err.h"

enum { IS_KNOWN = 1, IS_CHOSEN = 2 };
enum { TREE_PROCESSES = 1, TREE_THREADS = 2 };
enum { PROCESS_PID = 1, PROCESS_CMDLINE = 3 };
enum { THREAD_TID = 1, THREAD_TGID = 3 };

/*
 * A name that a process ever had chooses it for good: what it did under another
 * one belongs to it too.
 */
void
tc_trim_people_name(
	struct tc_trim_people *pp, uint32_t machine, uint32_t pid, struct tc_str name)
{
	bool made;
	uint64_t *bits;

	if (!pp->choose->processes.count)
		return;
	bits = tc_map_put(&pp->pids, machine, pid, &made);
	*bits |= IS_KNOWN;
	if (!(*bits & IS_CHOSEN) && tc_choose_process(pp->choose, pid, -1, name))
		*bits |= IS_CHOSEN;
	if (made)
		tc_trim_people_link(
			pp, (struct tc_trim_link){ machine, pid, pid, false });
}

void
tc_trim_people_comm(
	struct tc_trim_people *pp, uint32_t machine, uint32_t tid, struct tc_str name)
{
	bool made;

	if (pp->choose->processes.count && tc_choose_process(pp->choose, tid, -1, name))
		tc_map_put(&pp->comms, machine, tid, &made);
}

void
tc_trim_people_link(struct tc_trim_people *pp, struct tc_trim_link link)
{
	uint64_t of = link.of | (uint64_t)link.is_of_thread << 32;
	bool made;

	if (!pp->choose->processes.count)
		return;
	tc_map_put(&pp->known_links, (uint64_t)link.machine << 32 | link.tid, of, &made);
	if (!made)
		return;
	tc_mem_grow(&pp->links, &pp->link_cap, pp->link_count + 1, sizeof(*pp->links));
	pp->links[pp->link_count++] = link;
}

/* A command line of one element is often all arguments run together. */
static struct tc_str
first_word(struct tc_str s)
{
	const char *space = s.len ? memchr(s.p, ' ', s.len) : NULL;

	if (space)
		s.len = (uint32_t)(space - s.p);
	return s;
}

static void
read_process(struct tc_trim_people *pp, uint32_t machine, struct tc_str bytes)
{
	struct tc_pb r = tc_pb_init(bytes.p, bytes.len);
	struct tc_str name = { 0 };
	struct tc_err ignored;
	struct tc_pb_field f;
	uint32_t pid = 0;

	while (tc_pb_next(&r, &f, &ignored) > 0) {
		if (f.id == PROCESS_PID && tc_pb_is(&f, TC_PB_VARINT))
			pid = (uint32_t)f.num;
		if (f.id == PROCESS_CMDLINE && tc_pb_is(&f, TC_PB_LEN) && !name.p)
			name = tc_pb_str(&f);
	}
	if (!name.p)
		return;
	tc_trim_people_name(pp, machine, pid, name);
	tc_trim_people_name(pp, machine, pid, first_word(name));
}

static void
read_thread(struct tc_trim_people *pp, uint32_t machine, struct tc_str bytes)
{
	struct tc_trim_link link = { .machine = machine };
	struct tc_pb r = tc_pb_init(bytes.p, bytes.len);
	struct tc_err ignored;
	struct tc_pb_field f;

	while (tc_pb_next(&r, &f, &ignored) > 0) {
		if (f.id == THREAD_TID && tc_pb_is(&f, TC_PB_VARINT))
			link.tid = (uint32_t)f.num;
		if (f.id == THREAD_TGID && tc_pb_is(&f, TC_PB_VARINT))
			link.of = (uint32_t)f.num;
	}
	if (link.of)
		tc_trim_people_link(pp, link);
}

void
tc_trim_people_tree(struct tc_trim_people *pp, uint32_t machine, struct tc_str tree)
{
	struct tc_pb r = tc_pb_init(tree.p, tree.len);
	struct tc_err ignored;
	struct tc_pb_field f;

	if (!pp->choose->processes.count)
		return;
	while (tc_pb_next(&r, &f, &ignored) > 0) {
		if (!tc_pb_is(&f, TC_PB_LEN))
			continue;
		if (f.id == TREE_PROCESSES)
			read_process(pp, machine, tc_pb_str(&f));
		else if (f.id == TREE_THREADS)
			read_thread(pp, machine, tc_pb_str(&f));
	}
}

bool
tc_trim_people_has(struct tc_trim_people *pp, uint32_t machine, uint32_t pid)
{
	uint64_t *bits;

	if (!pp->choose->processes.count)
		return true;
	bits = tc_map_get(&pp->pids, machine, pid);
	if (bits)
		return (*bits & IS_CHOSEN) != 0;
	return tc_choose_process(pp->choose, pid, -1, (struct tc_str){ 0 });
}

/* What a link says of its thread; false when that is nothing new. */
static bool
follow(struct tc_trim_people *pp, const struct tc_trim_link *link)
{
	uint64_t *of, *bits, more = IS_KNOWN;
	bool made;

	if (link->is_of_thread) {
		of = tc_map_get(&pp->tids, link->machine, link->of);
		if (!of)
			return false;
		more = *of;
	} else if (tc_trim_people_has(pp, link->machine, link->of)) {
		more |= IS_CHOSEN;
	}
	bits = tc_map_put(&pp->tids, link->machine, link->tid, &made);
	if ((*bits | more) == *bits)
		return false;
	*bits |= more;
	return true;
}

/*
 * Threads that threads made: their order in the file says little, so it is done
 * again while it finds something. More generations than this in the wrong order
 * are not of this world, and then a thread is kept for want of knowledge.
 */
enum { MAX_ROUNDS = 64 };

void
tc_trim_people_settle(struct tc_trim_people *pp)
{
	bool found = true;
	uint64_t *bits;
	size_t i;
	int round;

	for (i = 0; i < pp->link_count; i++) {
		bits = tc_map_get(&pp->pids, pp->links[i].machine, pp->links[i].of);
		if (bits && tc_map_get(&pp->comms, pp->links[i].machine, pp->links[i].of))
			*bits |= IS_CHOSEN;
	}
	for (round = 0; found && round < MAX_ROUNDS; round++) {
		found = false;
		for (i = 0; i < pp->link_count; i++)
			found |= follow(pp, &pp->links[i]);
	}
}

bool
tc_trim_people_has_thread(struct tc_trim_people *pp, uint32_t machine, uint32_t tid)
{
	uint64_t *bits;

	if (!pp->choose->processes.count)
		return true;
	/* The idle thread is everybody's, and nobody's. */
	if (!tid)
		return false;
	bits = tc_map_get(&pp->tids, machine, tid);
	return !bits || (*bits & IS_CHOSEN);
}

void
tc_trim_people_release(struct tc_trim_people *pp)
{
	tc_map_release(&pp->pids);
	tc_map_release(&pp->comms);
	tc_map_release(&pp->tids);
	tc_map_release(&pp->known_links);
	free(pp->links);
	*pp = (struct tc_trim_people){ 0 };
}
