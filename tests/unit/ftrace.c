/* ftrace: events of all CPUs in one order, with what is held kept small. */
#include "ftrace/ftrace.h"

#include <stdlib.h>

#include "check.h"
#include "wire.h"

enum {
	TIMESTAMP = 1,
	PID = 2,
	PRINT = 3,
	BUF = 2,
	CPU = 1,
	EVENT = 2,
	PREVIOUS_END = 10,
	OTHER = 15
};
enum { MANY = 600 * 1000, PER_BUNDLE = 100 };

struct fixture {
	struct tc_strtab names;
	struct tc_ftrace_wants wants;
	struct tc_trace trace;
	struct tc_ftrace ftrace;
};

/* All but what begins with an x. */
static bool
wants_most(const void *arg, struct tc_str name)
{
	(void)arg;
	return name.len > 0 && *name.p != 'x';
}

static bool
wants_most_slices(const void *arg, struct tc_str name, size_t ahead)
{
	CHECK(ahead >= name.len);
	return wants_most(arg, name);
}

static void
set_up(struct fixture *x, size_t window)
{
	*x = (struct fixture){ .wants = { .markers = true,
				       .slice = wants_most_slices,
				       .counter = wants_most,
				       .window = window } };
	x->wants.names = &x->names;
	tc_trace_init(&x->trace);
	tc_ftrace_init(&x->ftrace, &x->wants);
}

static void
tear_down(struct fixture *x)
{
	tc_ftrace_release(&x->ftrace);
	tc_trace_release(&x->trace);
	tc_strtab_release(&x->names);
}

/* Adds a mark of a thread to a bundle, as atrace writes it. */
static void
put_mark(struct wire *bundle, uint64_t ts, uint64_t tid, const char *text)
{
	struct wire event = { 0 }, print = { 0 };

	wire_bytes(&print, BUF, text, strlen(text));
	wire_num(&event, TIMESTAMP, ts);
	wire_num(&event, PID, tid);
	wire_sub(&event, PRINT, &print);
	wire_sub(bundle, EVENT, &event);
}

static void
add_bundle(struct fixture *x, const struct wire *bundle)
{
	struct tc_packet p = { 0 };

	p.data = check_text((const char *)bundle->bytes, bundle->len);
	p.ahead = p.data.p + p.data.len;
	tc_ftrace_add(&x->ftrace, &x->trace, &p);
}

/* n begins on a CPU, from `ts` on, one each nanosecond; the thread tells the CPU. */
static void
add(struct fixture *x, uint64_t cpu, uint64_t ts, int n, uint64_t previous_end)
{
	struct wire bundle = { 0 };
	int i;

	wire_num(&bundle, CPU, cpu);
	if (previous_end)
		wire_num(&bundle, PREVIOUS_END, previous_end);
	for (i = 0; i < n; i++)
		put_mark(&bundle, ts + (uint64_t)i, 100 + cpu, "B|1|a");
	add_bundle(x, &bundle);
}

static void
check_next(struct fixture *x, bool is_end, int64_t ts, uint32_t cpu)
{
	const struct tc_ftrace_event *e = tc_ftrace_next(&x->ftrace, is_end);

	if (!CHECK(e != NULL))
		return;
	CHECK_INT(e->ts, ts);
	CHECK_INT(e->tid, 100 + cpu);
}

static void
test_order(void)
{
	struct fixture x;

	set_up(&x, TC_FTRACE_WINDOW);
	/* At the same time, the CPU seen first comes first; within it, the file. */
	add(&x, 3, 10, 2, 0);
	add(&x, 1, 9, 3, 0);
	add(&x, 3, 10, 1, 0); /* out of order within its CPU */
	CHECK(!tc_ftrace_next(&x.ftrace, false));
	check_next(&x, true, 9, 1);
	check_next(&x, true, 10, 3);
	check_next(&x, true, 10, 3);
	check_next(&x, true, 10, 1);
	check_next(&x, true, 11, 3);
	check_next(&x, true, 11, 1);
	CHECK(!tc_ftrace_next(&x.ftrace, true));
	CHECK(!x.ftrace.is_late);
	tear_down(&x);
}

/* Takes all that may be taken; the number of events, checked to be in order. */
static long
drain(struct fixture *x, bool is_end)
{
	const struct tc_ftrace_event *e;
	int64_t last = 0;
	long n = 0;

	while ((e = tc_ftrace_next(&x->ftrace, is_end))) {
		CHECK(e->ts >= last);
		last = e->ts;
		n++;
	}
	return n;
}

static long
add_many(struct fixture *x, size_t *held_max)
{
	long taken = 0;
	int i;

	for (i = 0; i < MANY; i += PER_BUNDLE) {
		add(x, 0, (uint64_t)(1000 + i), PER_BUNDLE, 0);
		taken += drain(x, false);
		if (x->ftrace.held > *held_max)
			*held_max = x->ftrace.held;
	}
	return taken;
}

/* More of one time than are merged at once: the queues' order, and within each its own.
 */
static void
test_same_time(void)
{
	enum { EACH = 300 };
	struct fixture x;
	uint32_t cpu;
	int i;

	set_up(&x, TC_FTRACE_WINDOW);
	for (i = 0; i < EACH; i++)
		for (cpu = 5; cpu-- > 0;)
			add(&x, cpu, 1000, 1, 0);
	add(&x, 2, 999, 1, 0);
	check_next(&x, true, 999, 2);
	for (cpu = 5; cpu-- > 0;)
		for (i = 0; i < EACH; i++)
			check_next(&x, true, 1000, cpu);
	CHECK(!tc_ftrace_next(&x.ftrace, true));
	tear_down(&x);
}

/*
 * Queues of any lengths, with times that many of them share: the order is that of the
 * times, then of the CPUs as they were seen.
 */
static void
check_merge(uint32_t cpus, uint32_t seed)
{
	enum { MAX_EACH = 400, MAX_STEP = 3 };
	int64_t last_ts = -1, last[32] = { 0 };
	const struct tc_ftrace_event *e;
	uint32_t cpu, last_cpu = 0;
	long added = 0, taken = 0;
	struct fixture x;
	uint64_t ts;
	int i, n;

	set_up(&x, TC_FTRACE_WINDOW);
	for (cpu = 0; cpu < cpus; cpu++) {
		seed = seed * 1103515245 + 12345;
		n = (int)(seed >> 16) % MAX_EACH;
		added += n;
		for (i = 0, ts = 1000; i < n; i++) {
			seed = seed * 1103515245 + 12345;
			ts += (seed >> 16) % MAX_STEP;
			add(&x, cpu, ts, 1, 0);
		}
	}
	while ((e = tc_ftrace_next(&x.ftrace, true))) {
		cpu = e->tid - 100;
		CHECK(e->ts > last_ts || (e->ts == last_ts && cpu >= last_cpu));
		CHECK(e->ts >= last[cpu]);
		last[cpu] = last_ts = e->ts;
		last_cpu = cpu;
		taken++;
	}
	CHECK_INT(taken, added);
	CHECK_INT(x.ftrace.held, 0);
	tear_down(&x);
}

static void
test_merge(void)
{
	uint32_t cpus, seed;

	for (cpus = 1; cpus <= 19; cpus++)
		for (seed = 1; seed <= 5; seed++)
			check_merge(cpus, seed * 7919 + cpus);
}

/* Events by the thousand in a bundle, on the CPU that is told behind them all. */
static void
test_long_bundle(void)
{
	enum { LONG = 9001 };
	const struct tc_ftrace_event *e;
	struct wire event = { 0 }, print = { 0 };
	struct tc_packet p = { 0 };
	struct fixture x;
	uint8_t *bytes, *at;
	long n = 0;
	int i;

	wire_bytes(&print, BUF, "B|1|a", 5);
	wire_num(&event, TIMESTAMP, 1000);
	wire_num(&event, PID, 107);
	wire_sub(&event, PRINT, &print);
	bytes = at = tc_mem_calloc(LONG + 1, event.len + 2);
	for (i = 0; i < LONG; i++) {
		*at++ = EVENT << 3 | 2;
		*at++ = (uint8_t)event.len;
		memcpy(at, event.bytes, event.len);
		at += event.len;
	}
	*at++ = CPU << 3;
	*at++ = 7;
	set_up(&x, TC_FTRACE_WINDOW);
	p.data = check_text((const char *)bytes, (size_t)(at - bytes));
	p.ahead = p.data.p + p.data.len;
	tc_ftrace_add(&x.ftrace, &x.trace, &p);
	while ((e = tc_ftrace_next(&x.ftrace, true))) {
		CHECK_INT(e->cpu, 7);
		n++;
	}
	CHECK_INT(n, LONG);
	tear_down(&x);
	free(bytes);
}

/* Stands behind events, since only what has something behind it is read the short way. */
static const char rest[64];

/*
 * All events as "KIND@TIME", of a whole slice "-END", and of several begins that nobody
 * wants "*COUNT".
 */
static void
check_events(struct fixture *x, const char *wanted)
{
	static const char *const kinds[] = { [TC_FTRACE_BEGIN] = "B",
		[TC_FTRACE_ENTER] = "B",
		[TC_FTRACE_WHOLE] = "W",
		[TC_FTRACE_END] = "E",
		[TC_FTRACE_BEGUN] = "N" };
	const struct tc_ftrace_event *e;
	char got[256] = "";
	size_t len = 0;

	while ((e = tc_ftrace_next(&x->ftrace, true))) {
		len += (size_t)snprintf(got + len, sizeof(got) - len, "%s@%lld",
			kinds[e->kind], (long long)e->ts);
		if (e->kind == TC_FTRACE_WHOLE)
			len += (size_t)snprintf(got + len, sizeof(got) - len, "-%lld",
				(long long)e->value);
		if (e->kind == TC_FTRACE_ENTER)
			len += (size_t)snprintf(got + len, sizeof(got) - len, "*%lld",
				(long long)e->value);
		len += (size_t)snprintf(got + len, sizeof(got) - len, " ");
	}
	CHECK_STR(tc_str_of(got), tc_str_of(wanted));
}

/* The scheduler's word that another thread goes on; without any, all may go anywhere. */
static void
put_switch(struct wire *bundle, uint64_t ts)
{
	enum { SCHED_SWITCH = 4 };
	struct wire event = { 0 }, none = { 0 };

	wire_num(&event, TIMESTAMP, ts);
	wire_num(&event, PID, 7);
	wire_sub(&event, SCHED_SWITCH, &none);
	wire_sub(bundle, EVENT, &event);
}

/*
 * A CPU's marks, each KIND@TIME, in lower case of what nobody wants, and "S" of a switch.
 * They are all of thread 7.
 */
static void
add_marks(struct fixture *x, const char *const *marks)
{
	struct wire bundle = { 0 };
	uint64_t ts;

	wire_num(&bundle, CPU, 0);
	for (; *marks; marks++) {
		ts = strtoull(*marks + 2, NULL, 10);
		switch (**marks) {
		case 'S': put_switch(&bundle, ts); break;
		case 'B': put_mark(&bundle, ts, 7, "B|42|a"); break;
		case 'b': put_mark(&bundle, ts, 7, "B|42|x"); break;
		default: put_mark(&bundle, ts, 7, "E|42"); break;
		}
	}
	wire_bytes(&bundle, OTHER, rest, sizeof(rest));
	add_bundle(x, &bundle);
}

static void
check_marks(const char *const *marks, const char *wanted)
{
	struct fixture x;

	set_up(&x, TC_FTRACE_WINDOW);
	add_marks(&x, marks);
	check_events(&x, wanted);
	tear_down(&x);
}

/* An end goes with its begin where time only goes up, and else stands for itself. */
static void
test_ends(void)
{
	check_marks((const char *const[]){ "B@10", "B@20", "E@30", "E@40", NULL },
		"W@10-40 W@20-30 ");
	/* The begin that was read first is the later one. */
	check_marks((const char *const[]){ "B@100", "B@50", "E@60", "E@70", NULL },
		"B@50 E@60 E@70 B@100 ");
	/* Slices that do not nest: each would have to be sorted in among all others. */
	check_marks((const char *const[]){ "B@10", "E@1000", "B@11", "E@1001", "B@12",
			    "E@1002", NULL },
		"W@10-1000 B@11 B@12 E@1001 E@1002 ");
}

/* Of slices that nobody wants it is kept how many are open, and when they end. */
static void
test_unwanted(void)
{
	check_marks((const char *const[]){ "S@1", "b@10", "b@20", "E@30", "b@35", "E@36",
			    "E@40", "b@50", "E@60", NULL },
		"");
	/* A thread that leaves may begin and end something on another CPU. */
	check_marks((const char *const[]){ "S@1", "b@10", "b@20", "S@25", "E@30", "E@40",
			    "b@50", "E@60", "B@70", "S@75", "E@80", NULL },
		"B@10*2 E@30 E@40 W@70-80 ");
	check_marks((const char *const[]){ "b@10", "E@20", "S@21", "b@30", "E@40", NULL },
		"B@10*1 E@20 ");
	check_marks(
		(const char *const[]){ "S@1", "b@10", "b@11", "b@12", "E@13", "B@14",
			"b@15", "b@16", "E@17", "E@18", "E@19", "E@20", "E@21", NULL },
		"B@10*2 W@14-19 E@20 E@21 ");
	/* Where time does not go up, all is as it was said. */
	check_marks((const char *const[]){ "b@100", "b@50", "E@60", "E@70", NULL },
		"N@50 B@50*1 E@60 E@70 B@100*1 ");
	check_marks((const char *const[]){ "b@10", "E@10", "b@10", "B@10", "E@11", NULL },
		"B@10*1 E@10 N@10 B@10*1 W@10-11 ");
}

/* Slices that are only counted are so in time, and are held no longer than events. */
static void
test_begun(void)
{
	enum { BUNDLES = 50000, PAIRS = 60, HELD_MAX = 4 * TC_FTRACE_WINDOW + PAIRS };
	const struct tc_ftrace_event *e;
	struct fixture x;
	int64_t ts = 0, n = 0;
	int i, k;

	set_up(&x, TC_FTRACE_WINDOW);
	for (i = 0; i <= BUNDLES; i++) {
		struct wire bundle = { 0 };

		wire_num(&bundle, CPU, i % 2);
		for (k = 0; k < PAIRS && i < BUNDLES; k++) {
			put_mark(&bundle, (uint64_t)++ts, 7, "B|42|x");
			put_mark(&bundle, (uint64_t)++ts, 7, "E|42");
		}
		if (i == BUNDLES)
			put_mark(&bundle, (uint64_t)++ts, 7, "B|42|a");
		/* Without something behind it, what is at the end would leave events. */
		wire_bytes(&bundle, OTHER, rest, sizeof(rest));
		add_bundle(&x, &bundle);
		while ((e = tc_ftrace_next(&x.ftrace, i == BUNDLES)))
			n += e->is_wanted ? tc_ftrace_begun(&x.ftrace, e) : 0;
		CHECK(x.ftrace.held_begins <= HELD_MAX);
	}
	CHECK_INT(n, (int64_t)BUNDLES * PAIRS);
	CHECK_INT(x.ftrace.held_begins, 0);
	tear_down(&x);
}

static void
check_owner(const struct fixture *x, size_t i, int64_t first, int64_t last, uint32_t tid,
	uint32_t pid)
{
	if (!CHECK(i < x->ftrace.owner_count))
		return;
	CHECK_INT(x->ftrace.owners[i].first_ts, first);
	CHECK_INT(x->ftrace.owners[i].last_ts, last);
	CHECK_INT(x->ftrace.owners[i].tid, tid);
	CHECK_INT(x->ftrace.owners[i].pid, pid);
}

/*
 * Whose a thread is is known from its first mark to its last one, also when nothing else
 * is left of them; and anew when a thread with that number ends.
 */
static void
test_owners(void)
{
	enum { FREE_EVENT = 240, FREED = 2 };
	struct wire bundle = { 0 }, event = { 0 }, task = { 0 };
	struct fixture x;

	set_up(&x, TC_FTRACE_WINDOW);
	wire_num(&bundle, CPU, 0);
	put_mark(&bundle, 10, 7, "B|42|x");
	put_mark(&bundle, 20, 7, "E|42");
	put_mark(&bundle, 30, 8, "B|43|x");
	put_mark(&bundle, 40, 8, "E|43");
	put_mark(&bundle, 50, 7, "B|42|x");
	put_mark(&bundle, 60, 7, "E|42");
	wire_num(&task, FREED, 7);
	wire_num(&event, TIMESTAMP, 65);
	wire_num(&event, PID, 1);
	wire_sub(&event, FREE_EVENT, &task);
	wire_sub(&bundle, EVENT, &event);
	put_mark(&bundle, 70, 7, "B|44|x");
	put_mark(&bundle, 80, 7, "E|44");
	wire_bytes(&bundle, OTHER, rest, sizeof(rest));
	add_bundle(&x, &bundle);
	tc_ftrace_end_tasks(&x.ftrace);
	CHECK_INT(x.ftrace.owner_count, 3);
	check_owner(&x, 0, 10, 60, 7, 42);
	check_owner(&x, 1, 70, 80, 7, 44);
	check_owner(&x, 2, 30, 40, 8, 43);
	tear_down(&x);
}

/* Columns may come in several messages, of which only the first is known in time. */
static void
test_columns(void)
{
	enum { COMPACT_SCHED = 4, SWITCH_TIMES = 1, SWITCH_PIDS = 3, LONG = 1800 };
	static uint8_t ones[LONG];
	struct wire bundle = { 0 }, few = { 0 }, many = { 0 };
	struct fixture x;

	memset(ones, 1, sizeof(ones));
	wire_bytes(&few, SWITCH_TIMES, ones, 3);
	wire_bytes(&few, SWITCH_PIDS, ones, 3);
	wire_bytes(&many, SWITCH_TIMES, ones, LONG);
	wire_bytes(&many, SWITCH_PIDS, ones, LONG);
	set_up(&x, TC_FTRACE_WINDOW);
	wire_num(&bundle, CPU, 0);
	wire_sub(&bundle, COMPACT_SCHED, &few);
	put_mark(&bundle, 10, 7, "B|42|x");
	wire_sub(&bundle, COMPACT_SCHED, &many);
	put_mark(&bundle, 20, 7, "E|42");
	put_mark(&bundle, 30, 7, "B|42|x");
	put_mark(&bundle, 40, 7, "E|42");
	wire_bytes(&bundle, OTHER, rest, sizeof(rest));
	add_bundle(&x, &bundle);
	check_events(&x, "B@10*1 E@20 B@30*1 E@40 ");
	tear_down(&x);
}

/* Who wants to know of switches has them behind the events, which are left out as else.
 */
static void
test_sched(void)
{
	enum { COMPACT_SCHED = 4, SWITCH_TIMES = 1, SWITCH_PIDS = 3 };
	struct wire bundle = { 0 }, columns = { 0 };
	struct fixture x;

	wire_bytes(&columns, SWITCH_TIMES, "\x5a\x0a", 2);
	wire_bytes(&columns, SWITCH_PIDS, "\x07\x08", 2);
	set_up(&x, TC_FTRACE_WINDOW);
	x.wants.sched = true;
	wire_num(&bundle, CPU, 0);
	put_mark(&bundle, 10, 7, "B|42|x");
	put_mark(&bundle, 20, 7, "E|42");
	put_mark(&bundle, 30, 7, "B|42|a");
	put_mark(&bundle, 40, 7, "E|42");
	put_mark(&bundle, 91, 7, "B|42|x");
	put_mark(&bundle, 105, 7, "E|42");
	wire_sub(&bundle, COMPACT_SCHED, &columns);
	wire_bytes(&bundle, OTHER, rest, sizeof(rest));
	add_bundle(&x, &bundle);
	CHECK_INT(x.ftrace.held_begins, 2);
	CHECK_INT(x.ftrace.held, 5); /* W, B and E, and the two switches */
	/* What is wrong with them counts once, though they are read twice. */
	bundle.len = columns.len = 0;
	wire_raw(&columns, "\x0a\x05\x01", 3);
	wire_num(&bundle, CPU, 0);
	wire_sub(&bundle, COMPACT_SCHED, &columns);
	add_bundle(&x, &bundle);
	CHECK_INT(x.trace.stats[TC_STAT_DAMAGED_NESTED], 1);
	tear_down(&x);
}

/*
 * Slices that are only counted, and whose last chosen one is long ago, do not take the
 * window from the events: the CPUs are read one after the other.
 */
static void
test_window_of_begins(void)
{
	enum { CYCLES = 200, PAIRS = 60, CPUS = 8 };
	struct fixture x;
	uint64_t ts = 0, at;
	int i, cpu, k;

	set_up(&x, 1024);
	for (i = 0; i < CYCLES; i++, ts += 10000)
		for (cpu = 0; cpu < CPUS; cpu++) {
			struct wire bundle = { 0 };

			wire_num(&bundle, CPU, (uint64_t)cpu);
			put_switch(&bundle, ts + 1);
			at = ts + 10 + (uint64_t)cpu;
			put_mark(&bundle, at, 100 + (uint64_t)cpu, "E|42");
			for (k = 0; k < PAIRS; k++) {
				at += 20;
				put_mark(&bundle, at, 100 + (uint64_t)cpu, "B|42|x");
				put_mark(&bundle, at + 10, 100 + (uint64_t)cpu, "E|42");
			}
			wire_bytes(&bundle, OTHER, rest, sizeof(rest));
			add_bundle(&x, &bundle);
			drain(&x, false);
		}
	drain(&x, true);
	CHECK(!x.ftrace.is_late);
	CHECK_INT(x.ftrace.late, 0);
	tear_down(&x);
}

/* Bundles of one CPU the wrong way round: what was settled is late then, or never is. */
static void
test_swapped(void)
{
	static const char *const bundles[][3] = { { "B@10" }, { "E@50" },
		{ "B@20", "E@40" } };
	struct fixture x;
	size_t i;
	bool all;

	for (all = false;; all = true) {
		set_up(&x, all ? TC_FTRACE_NO_WINDOW : TC_FTRACE_WINDOW);
		for (i = 0; i < CHECK_ITEMS(bundles); i++) {
			CHECK(!x.ftrace.is_late);
			add_marks(&x, bundles[i]);
		}
		CHECK_INT(x.ftrace.is_late, !all);
		CHECK_INT(x.ftrace.late, all ? 0 : 2);
		check_events(&x, all ? "B@10 B@20 E@40 E@50 " : "W@10-50 B@20 E@40 ");
		tear_down(&x);
		if (all)
			break;
	}
}

/* Times as far apart as they can be, on the first and the last CPU there may be. */
static void
test_far_apart(void)
{
	static const int64_t times[] = { 0, 1, INT64_C(1) << 46, (INT64_C(1) << 47) - 1,
		INT64_C(1) << 47, INT64_C(1) << 62, INT64_MAX };
	enum { COUNT = sizeof(times) / sizeof(times[0]) };
	struct fixture x;
	int i;

	set_up(&x, TC_FTRACE_WINDOW);
	for (i = COUNT; i-- > 0;) {
		add(&x, 1023, (uint64_t)times[i], 1, 0);
		add(&x, 0, (uint64_t)times[i], 1, 0);
	}
	for (i = 0; i < COUNT; i++) {
		check_next(&x, true, times[i], 1023);
		check_next(&x, true, times[i], 0);
	}
	CHECK(!tc_ftrace_next(&x.ftrace, true));
	CHECK_INT(x.trace.stats[TC_STAT_FTRACE_BAD_BUNDLE], 0);
	add(&x, 1024, 1, 1, 0);
	CHECK_INT(x.trace.stats[TC_STAT_FTRACE_BAD_BUNDLE], 1);
	tear_down(&x);
}

/* A field whose length has so many bytes, as Perfetto's writer may leave it. */
static void
put_padded(struct wire *w, uint32_t field, const struct wire *sub, int n)
{
	uint8_t b;
	int i;

	wire_varint(w, (uint64_t)field << 3 | 2);
	for (i = 0; i < n; i++) {
		b = (uint8_t)((i < 9 ? sub->len >> 7 * i & 0x7f : 0) |
			(i + 1 < n ? 0x80 : 0));
		wire_raw(w, &b, 1);
	}
	wire_raw(w, sub->bytes, sub->len);
}

/* However many bytes the lengths of events and of what is in them have. */
static void
test_lengths(void)
{
	enum { SHORT = 20, LONG = 200, MAX_BYTES = 10 };
	char text[LONG] = "B|1|";
	int outer, inner, len;
	struct fixture x;

	memset(text + 4, 'a', sizeof(text) - 4);
	set_up(&x, TC_FTRACE_WINDOW);
	for (outer = 1; outer <= MAX_BYTES; outer++)
		for (inner = 1; inner <= MAX_BYTES; inner++)
			for (len = SHORT; len <= LONG; len += LONG - SHORT) {
				struct wire bundle = { 0 }, event = { 0 }, print = { 0 };
				struct tc_packet p = { 0 };

				if (len == LONG && (outer == 1 || inner == 1))
					continue;
				wire_bytes(&print, BUF, text, (size_t)len);
				wire_num(&event, TIMESTAMP, 1000);
				wire_num(&event, PID, 103);
				put_padded(&event, PRINT, &print, inner);
				wire_num(&bundle, CPU, 3);
				put_padded(&bundle, EVENT, &event, outer);
				wire_raw(&bundle, "\x1a\0\x1a\0\x1a", 6);
				p.data = check_text(
					(const char *)bundle.bytes, bundle.len);
				p.ahead =
					(const char *)bundle.bytes + sizeof(bundle.bytes);
				tc_ftrace_add(&x.ftrace, &x.trace, &p);
				check_next(&x, true, 1000, 3);
				CHECK(!tc_ftrace_next(&x.ftrace, true));
			}
	CHECK_INT(x.trace.stats[TC_STAT_DAMAGED_NESTED], 0);
	tear_down(&x);
}

static void
test_window(void)
{
	size_t held_max = 0;
	struct fixture x;
	long taken;

	set_up(&x, TC_FTRACE_WINDOW);
	taken = add_many(&x, &held_max);
	CHECK(taken > 0);
	CHECK(held_max <= TC_FTRACE_WINDOW + PER_BUNDLE);
	CHECK(!x.ftrace.is_late);
	add(&x, 1, 10, 1, 0); /* long gone */
	add(&x, 2, 1000 + MANY, 1, 0);
	taken += drain(&x, true);
	CHECK_INT(taken, MANY + 1);
	CHECK(x.ftrace.is_late);
	CHECK_INT(x.ftrace.late, 1);
	tear_down(&x);
}

static void
test_no_window(void)
{
	size_t held_max = 0;
	struct fixture x;

	set_up(&x, TC_FTRACE_NO_WINDOW);
	CHECK_INT(add_many(&x, &held_max), 0);
	add(&x, 1, 10, 1, 0);
	check_next(&x, true, 10, 1);
	CHECK_INT(drain(&x, true), MANY);
	CHECK(!x.ftrace.is_late);
	tear_down(&x);
}

/* A window whose oldest events are dropped is drained once, and not at each bundle. */
static void
test_dropped(void)
{
	size_t held_max = 0, held;
	struct fixture x;

	set_up(&x, TC_FTRACE_WINDOW);
	add(&x, 0, 10, 1, UINT64_C(1) << 40);
	add_many(&x, &held_max);
	CHECK_INT(x.ftrace.taken_until, -1);
	held = x.ftrace.held;
	add(&x, 0, 2000, 1, 0);
	CHECK_INT(drain(&x, false), 0);
	CHECK_INT(x.ftrace.held, held + 1);
	tear_down(&x);
}

/* What is learnt late of the first valid time concerns what was taken before. */
static void
test_late_start(void)
{
	size_t held_max = 0;
	struct fixture x;

	set_up(&x, TC_FTRACE_WINDOW);
	add_many(&x, &held_max);
	add(&x, 1, 1000 + MANY, 1, 900);
	CHECK(!x.ftrace.is_late);
	add(&x, 2, 1000 + MANY, 1, 1001);
	CHECK(x.ftrace.is_late);
	x.ftrace.is_late = false;
	tc_ftrace_start(&x.ftrace, 999);
	CHECK(!x.ftrace.is_late);
	tc_ftrace_start(&x.ftrace, 1002);
	CHECK(x.ftrace.is_late);
	tear_down(&x);
}

int
main(void)
{
	test_order();
	test_same_time();
	test_far_apart();
	test_merge();
	test_long_bundle();
	test_ends();
	test_unwanted();
	test_begun();
	test_owners();
	test_columns();
	test_sched();
	test_window_of_begins();
	test_swapped();
	test_lengths();
	test_window();
	test_no_window();
	test_dropped();
	test_late_start();
	return check_done();
}
