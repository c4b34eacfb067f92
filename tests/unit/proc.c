/* proc: which process and thread a pid and a tid mean. */
#include "proc/proc.h"

#include "check.h"

enum { SWAPPER = 1, APP = 2, OTHER = 3, WORKER = 4 }; /* ids of names */

static struct tc_procs ps;

static void
begin(void)
{
	tc_procs_release(&ps);
	tc_procs_init(&ps, SWAPPER);
}

/* What a process tree says of a pid, the rest not given. */
static struct tc_proc_entry
entry(uint32_t pid, uint32_t name)
{
	return (struct tc_proc_entry){ .pid = pid,
		.name = name,
		.ppid = -1,
		.uid = -1,
		.start_from_boot = -1,
		.start_ts = -1 };
}

static bool
learn(struct tc_proc_entry e)
{
	return tc_procs_learn_process(&ps, &e);
}

static void
test_idle(void)
{
	begin();
	CHECK_INT(ps.process_count, 1);
	CHECK_INT(ps.thread_count, 1);
	CHECK_INT(ps.processes[0].pid, 0);
	CHECK_INT(ps.threads[0].name, SWAPPER);
	CHECK_INT(tc_procs_upid(&ps, 0, 0), 0);
	CHECK_INT(ps.process_count, 1);
}

/* Rows count in the order in which they are first seen, with a main thread each. */
static void
test_new_processes(void)
{
	const struct tc_process *p;
	const struct tc_thread *t;

	begin();
	CHECK_INT(tc_procs_upid(&ps, 0, 1000), 1);
	CHECK_INT(tc_procs_upid(&ps, 0, 500), 2);
	CHECK_INT(tc_procs_upid(&ps, 0, 1000), 1);
	CHECK_INT(tc_procs_upid(&ps, 0, 4294967295u), 3);
	CHECK_INT(ps.process_count, 4);
	CHECK_INT(ps.thread_count, 4);
	p = &ps.processes[1];
	CHECK(p->upid == 1 && p->pid == 1000 && p->machine == 0 && p->name == 0);
	CHECK(p->ppid == -1 && p->uid == -1 && p->start_ts == -1);
	t = &ps.threads[1];
	CHECK(t->utid == 1 && t->tid == 1000 && t->upid == 1 && t->is_main);
	CHECK_INT(t->name, 0);
}

static void
test_machines(void)
{
	begin();
	CHECK_INT(tc_procs_upid(&ps, 1, 10), 1);
	CHECK_INT(tc_procs_upid(&ps, 0, 10), 2);
	CHECK_INT(tc_procs_upid(&ps, 1, 10), 1);
	CHECK_INT(ps.processes[1].machine, 1);
	tc_procs_learn_thread(&ps, 1, 11, 10, WORKER);
	tc_procs_learn_thread(&ps, 0, 11, 10, OTHER);
	CHECK_INT(ps.thread_count, 5);
	CHECK_INT(ps.threads[3].upid, 1);
	CHECK_INT(ps.threads[4].upid, 2);
	CHECK_INT(ps.threads[4].name, OTHER);
}

static void
test_names(void)
{
	struct tc_proc_entry e = entry(10, APP);

	begin();
	CHECK(!learn(e));
	CHECK_INT(ps.processes[1].name, APP);
	CHECK_INT(ps.threads[1].name, 0);
	/* The last one to say so is right, about the process. */
	CHECK(!learn(entry(10, OTHER)));
	CHECK_INT(ps.processes[1].name, OTHER);
	CHECK_INT(ps.process_count, 2);
	/* A command name is that of the main thread too. */
	e.names_main_thread = true;
	CHECK(!learn(e));
	CHECK_INT(ps.threads[1].name, APP);
	tc_procs_learn_thread(&ps, 0, 10, 10, WORKER);
	CHECK_INT(ps.threads[1].name, WORKER);
	tc_procs_learn_thread(&ps, 0, 10, 10, 0);
	CHECK_INT(ps.threads[1].name, WORKER);
	CHECK(ps.threads[1].is_main);
	CHECK_INT(ps.thread_count, 2);
}

static void
test_details(void)
{
	struct tc_proc_entry e = entry(10, APP);

	begin();
	e.uid = 10123;
	e.ppid = 1;
	e.start_from_boot = 5000;
	e.start_ts = 4000;
	CHECK(!learn(e));
	CHECK_INT(ps.processes[1].uid, 10123);
	CHECK_INT(ps.processes[1].ppid, 1);
	CHECK_INT(ps.processes[1].start_ts, 4000);
	/* What an entry leaves out stays known. */
	CHECK(!learn(entry(10, APP)));
	CHECK_INT(ps.processes[1].uid, 10123);
	CHECK_INT(ps.processes[1].ppid, 1);
	CHECK_INT(ps.processes[1].start_ts, 4000);
	/* Parent 0 and user 0 are known ones. */
	e = entry(11, OTHER);
	e.uid = e.ppid = 0;
	CHECK(!learn(e));
	CHECK_INT(ps.processes[2].uid, 0);
	CHECK_INT(ps.processes[2].ppid, 0);
	e.ppid = 1;
	CHECK(learn(e));
	CHECK_INT(ps.processes[2].ppid, 0);
}

/* An orphan that was adopted is the same process, with its first parent (6.5). */
static void
test_adoption(void)
{
	struct tc_proc_entry e = entry(10, APP);

	begin();
	e.ppid = 700;
	CHECK(!learn(e));
	CHECK(!learn(e));
	e.ppid = 1;
	CHECK(learn(e));
	CHECK_INT(ps.process_count, 2);
	CHECK_INT(ps.processes[1].ppid, 700);
	CHECK_INT(tc_procs_upid(&ps, 0, 10), 1);
}

/* The same pid with another start is another process, with a thread of its own. */
static void
test_reuse(void)
{
	struct tc_proc_entry e = entry(10, APP);

	begin();
	e.start_from_boot = 5000;
	e.ppid = 700;
	e.uid = 1;
	CHECK(!learn(e));
	tc_procs_learn_thread(&ps, 0, 11, 10, WORKER);
	e = entry(10, OTHER);
	e.start_from_boot = 9000;
	e.ppid = 1;
	CHECK(!learn(e));
	CHECK_INT(ps.process_count, 3);
	CHECK_INT(tc_procs_upid(&ps, 0, 10), 2);
	CHECK_INT(ps.processes[1].name, APP);
	CHECK_INT(ps.processes[1].ppid, 700);
	CHECK_INT(ps.processes[2].name, OTHER);
	CHECK_INT(ps.processes[2].uid, -1);
	CHECK_INT(ps.thread_count, 4);
	CHECK(ps.threads[3].is_main && ps.threads[3].upid == 2);
	/* A tid of the old process is another thread in the new one. */
	tc_procs_learn_thread(&ps, 0, 11, 10, OTHER);
	CHECK_INT(ps.thread_count, 5);
	CHECK_INT(ps.threads[2].upid, 1);
	CHECK_INT(ps.threads[2].name, WORKER);
	CHECK(ps.threads[4].upid == 2 && !ps.threads[4].is_main);
	/* Without a start time nothing can be told from it. */
	CHECK(!learn(entry(10, APP)));
	CHECK_INT(ps.process_count, 3);
	CHECK_INT(ps.processes[2].name, APP);
}

static void
test_threads(void)
{
	begin();
	tc_procs_learn_thread(&ps, 0, 21, 20, WORKER);
	CHECK_INT(ps.process_count, 2);
	CHECK_INT(ps.thread_count, 3);
	CHECK(ps.threads[1].tid == 20 && ps.threads[1].is_main);
	CHECK(ps.threads[2].tid == 21 && !ps.threads[2].is_main);
	CHECK_INT(ps.threads[2].upid, 1);
	CHECK_INT(ps.threads[2].name, WORKER);
	tc_procs_learn_thread(&ps, 0, 21, 20, 0);
	CHECK_INT(ps.threads[2].name, WORKER);
	tc_procs_learn_thread(&ps, 0, 21, 20, OTHER);
	CHECK_INT(ps.threads[2].name, OTHER);
	CHECK_INT(ps.thread_count, 3);
	/* The tid moves to another process: a new thread. */
	tc_procs_learn_thread(&ps, 0, 21, 30, APP);
	CHECK_INT(ps.thread_count, 5);
	CHECK(ps.threads[4].tid == 21 && ps.threads[4].upid == 2);
	CHECK_INT(ps.threads[2].name, OTHER);
	/* And a process whose pid was a thread's has a main thread all the same. */
	CHECK_INT(tc_procs_upid(&ps, 0, 21), 3);
	CHECK(ps.threads[5].tid == 21 && ps.threads[5].upid == 3 &&
		ps.threads[5].is_main);
}

/* Thousands of both, while the arrays grow. */
static void
test_many(void)
{
	uint32_t i;

	begin();
	for (i = 1; i <= 5000; i++) {
		learn(entry(i * 10, i));
		tc_procs_learn_thread(&ps, 0, i * 10 + 1, i * 10, i + 1);
	}
	CHECK_INT(ps.process_count, 5001);
	CHECK_INT(ps.thread_count, 10001);
	for (i = 1; i <= 5000; i++)
		if (!CHECK_INT(tc_procs_upid(&ps, 0, i * 10), i) ||
			!CHECK_INT(ps.processes[i].name, i) ||
			!CHECK_INT(ps.threads[2 * i].name, i + 1))
			break;
}

/* What makes a thread or process known may move all that are known already. */
static void
test_moved(void)
{
	enum { MANY = 1000 };
	struct tc_proc_birth birth = { .name = APP, .ts = 5 };
	const struct tc_thread *t;
	size_t i;

	begin();
	for (i = 1; i <= MANY; i++)
		tc_procs_renamed(&ps, 0, (uint32_t)i, WORKER);
	CHECK_INT(ps.thread_count, MANY + 1);
	CHECK_INT(ps.processes[0].name, 0);
	for (i = 1; i < ps.thread_count; i++)
		if (!CHECK_INT(ps.threads[i].name, WORKER))
			break;
	begin();
	for (i = 1; i <= MANY; i++)
		tc_procs_executed(&ps, 0, (uint32_t)i, OTHER);
	CHECK_INT(ps.process_count, MANY + 1);
	for (i = 1; i < ps.process_count; i++)
		if (!CHECK_INT(ps.processes[i].name, OTHER))
			break;
	begin();
	for (i = 1; i <= MANY; i++) {
		birth.parent_tid = (uint32_t)i;
		birth.tid = (uint32_t)i + MANY;
		birth.is_thread = true;
		tc_procs_born(&ps, &birth);
		t = &ps.threads[ps.thread_count - 1];
		if (!CHECK_INT(t->tid, birth.tid) || !CHECK_INT(t->upid, TC_PROC_NONE))
			break;
	}
}

int
main(void)
{
	test_idle();
	test_new_processes();
	test_machines();
	test_names();
	test_details();
	test_adoption();
	test_reuse();
	test_threads();
	test_many();
	test_moved();
	tc_procs_release(&ps);
	return check_done();
}
