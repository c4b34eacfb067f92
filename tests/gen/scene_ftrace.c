/*
 * The ftrace part: on each CPU threads take turns, and some print slices while they
 * run. Slices of the simulated frames are woven in where they belong, on a CPU of
 * their thread's own. Times here are BOOTTIME.
 */
#include "scene.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	N_CPUS = 8,
	MAX_EVENTS = 160,
	MAX_TEXT = 80,
	MAX_PRINTS = 128, /* of frames that are not written yet, per CPU */
	MIN_BUNDLE = 2300,
	MAX_BUNDLE = 7900,
	EVENT_BYTES =
		48, /* about what an event takes; only the event rate depends on it */
	FRAME_SHARE = 49, /* bytes of ftrace for a byte of frame packets */
};

struct thread {
	int32_t tid, pid;
	const char *comm;
};

/* A line that a thread prints when its time comes. */
struct print {
	int64_t ts;
	const struct thread *thread;
	char text[MAX_TEXT];
};

struct cpu {
	int64_t time;
	const struct thread *running;
	bool open; /* the running thread has begun a slice of the filling kind */
	struct print prints[MAX_PRINTS]; /* a ring, in the order of time */
	size_t first_print, n_prints;
	int64_t last_bundle_end;
	size_t n, bytes, limit; /* of the bundle in the making */
	Tc__FtraceEvent events[MAX_EVENTS], *event_at[MAX_EVENTS];
	Tc__PrintFtraceEvent print_events[MAX_EVENTS];
	Tc__SchedSwitchFtraceEvent switches[MAX_EVENTS];
	char texts[MAX_EVENTS][MAX_TEXT];
};

struct tc_scene_ftrace {
	struct tc_scene_rng rng;
	uint64_t bytes; /* of bundles so far */
	struct cpu cpus[N_CPUS];
};

static const struct thread idle = { 0, 0, "swapper" };

/* Threads that run frames, the first on FIRST_FRAME_CPU, the next on the next. */
static const struct thread frame_threads[] = {
	{ TC_SCENE_SF_PID, TC_SCENE_SF_PID, "surfaceflinger" },
	{ TC_SCENE_APP_PID, TC_SCENE_APP_PID, "com.example.app" },
	{ TC_SCENE_APP_RENDER_TID, TC_SCENE_APP_PID, "RenderThread" },
};

enum { N_FRAME_THREADS = 3, FIRST_FRAME_CPU = 5 };

/* The others. Each keeps to one CPU, so that no thread runs on two at a time. */
static const struct thread threads[] = {
	{ 14, 14, "rcu_preempt" },
	{ 58, 58, "kworker/u16:1" },
	{ 211, 211, "kworker/2:1H" },
	{ 89, 89, "irq/112-ufshcd" },
	{ 430, 428, "logd.writer" },
	{ 512, 498, "Binder:498_2" },
	{ 551, 551, "servicemanager" },
	{ 569, 569, "vendor.power-se" },
	{ 655, TC_SCENE_SF_PID, "TimerDispatch" },
	{ 671, TC_SCENE_SF_PID, "RenderEngine" },
	{ 640, 640, "composer-servic" },
	{ TC_SCENE_PROBES_PID, TC_SCENE_PROBES_PID, "traced_probes" },
	{ 1302, 1302, "system_server" },
	{ 1330, 1302, "android.ui" },
	{ 1342, 1302, "InputDispatcher" },
	{ 1408, 1302, "binder:1302_4" },
	{ 1377, 1302, "batterystats-ha" },
	{ TC_SCENE_SYSTEMUI_PID, TC_SCENE_SYSTEMUI_PID, "ndroid.systemui" },
	{ 1951, TC_SCENE_SYSTEMUI_PID, "RenderThread" },
	{ 9352, TC_SCENE_APP_PID, "GPU completion" },
	{ 9360, TC_SCENE_APP_PID, "DefaultDispatch" },
	{ 9333, TC_SCENE_APP_PID, "Jit thread pool" },
	{ 9340, TC_SCENE_APP_PID, "HeapTaskDaemon" },
	{ 2714, 2714, "ndroid.nearby" },
};

enum { THREADS_PER_CPU = 3 };
_Static_assert(sizeof(threads) == THREADS_PER_CPU * N_CPUS * sizeof(threads[0]), "");

static const char *const slice_names[] = {
	"binder transaction",
	"binder reply",
	"waiting for GPU completion",
	"HIDL::IComposerClient::executeCommands",
	"traversal",
	"animation",
	"Lock contention on GC barrier lock (owner tid: 9360)",
	"queueBuffer",
	"flush commands",
	"deliverInputEvent",
	"JIT compiling void com.example.app.Feed.bind(int)",
	"postAndWait",
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct tc_scene_ftrace *
tc_scene_ftrace_new(uint64_t seed, int64_t start)
{
	struct tc_scene_ftrace *ft = tc_gen_zalloc(sizeof(*ft));
	size_t i;

	ft->rng.state = seed ^ UINT64_C(0x66747261); /* independent of the story */
	for (i = 0; i < N_CPUS; i++) {
		ft->cpus[i].time = ft->cpus[i].last_bundle_end = start;
		ft->cpus[i].running = &idle;
		ft->cpus[i].limit = MIN_BUNDLE;
	}
	return ft;
}

void
tc_scene_ftrace_free(struct tc_scene_ftrace *ft)
{
	free(ft);
}

static void
add_print(struct cpu *c, const struct print *p)
{
	assert(c->n_prints < MAX_PRINTS && p->ts >= c->time);
	c->prints[(c->first_print + c->n_prints++) % MAX_PRINTS] = *p;
}

void
tc_scene_ftrace_slice(struct tc_scene_ftrace *ft, int32_t tid, const char *name,
	int64_t id, int64_t begin, int64_t end)
{
	struct print p;
	size_t i = 0;

	while (frame_threads[i].tid != tid)
		i++;
	p.thread = &frame_threads[i];
	p.ts = begin;
	snprintf(p.text, sizeof(p.text), "B|%d|%s %lld\n", (int)p.thread->pid, name,
		(long long)id);
	add_print(&ft->cpus[FIRST_FRAME_CPU + i], &p);
	p.ts = end;
	snprintf(p.text, sizeof(p.text), "E|%d\n", (int)p.thread->pid);
	add_print(&ft->cpus[FIRST_FRAME_CPU + i], &p);
}

static void
put_bundle(struct tc_scene_ftrace *ft, struct tc_scene_writer *w, size_t cpu)
{
	struct cpu *c = &ft->cpus[cpu];
	Tc__TracePacket p = TC__TRACE_PACKET__INIT;
	Tc__FtraceEventBundle bundle = TC__FTRACE_EVENT_BUNDLE__INIT;

	bundle.has_cpu = bundle.has_last_read_event_timestamp = 1;
	bundle.cpu = (uint32_t)cpu;
	bundle.last_read_event_timestamp = (uint64_t)c->last_bundle_end;
	bundle.n_event = c->n;
	bundle.event = c->event_at;
	p.ftrace_events = &bundle;
	tc_scene_set_origin(&p, TC_SCENE_SEQ_FTRACE, TC_SCENE_UID_TRACED);
	p.has_trusted_pid = 1;
	p.trusted_pid = TC_SCENE_PROBES_PID;
	tc_scene_write_packet(w, &p);
	ft->bytes += c->bytes;
	c->last_bundle_end = c->time;
	c->n = c->bytes = 0;
	c->limit = (size_t)tc_scene_between(&ft->rng, MIN_BUNDLE, MAX_BUNDLE);
}

/* The next event of the bundle, at ts, of the thread that runs. */
static Tc__FtraceEvent *
new_event(struct cpu *c, int64_t ts)
{
	Tc__FtraceEvent *e = &c->events[c->n];

	c->time = ts;
	c->event_at[c->n] = e;
	tc__ftrace_event__init(e);
	e->has_timestamp = e->has_pid = 1;
	e->timestamp = (uint64_t)ts;
	e->pid = (uint32_t)c->running->tid;
	c->bytes += 18; /* tags, lengths, time, pid */
	return e;
}

static void
put_print(struct cpu *c, int64_t ts, const char *text, size_t len)
{
	Tc__PrintFtraceEvent *print = &c->print_events[c->n];
	char *copy = c->texts[c->n];

	memcpy(copy, text, len);
	tc__print_ftrace_event__init(print);
	print->has_buf = 1;
	print->buf = (ProtobufCBinaryData){ len, (uint8_t *)copy };
	new_event(c, ts)->print = print;
	c->n++;
	c->bytes += 4 + len;
}

static void
put_switch(struct cpu *c, int64_t ts, const struct thread *next)
{
	Tc__SchedSwitchFtraceEvent *s = &c->switches[c->n];

	tc__sched_switch_ftrace_event__init(s);
	s->has_prev_pid = s->has_prev_prio = s->has_prev_state = 1;
	s->has_next_pid = s->has_next_prio = 1;
	s->has_prev_comm = s->has_next_comm = 1;
	s->prev_comm = tc_gen_text_bytes(c->running->comm);
	s->prev_pid = c->running->tid;
	s->prev_prio = s->next_prio = 120;
	s->prev_state = c->running == &idle ? 0 : (ts >> 4) & 1; /* runnable or asleep */
	s->next_comm = tc_gen_text_bytes(next->comm);
	s->next_pid = next->tid;
	new_event(c, ts)->sched_switch = s;
	c->n++;
	c->bytes += 18 + strlen(c->running->comm) + strlen(next->comm);
	c->running = next;
}

static void
end_slice(struct cpu *c, int64_t ts)
{
	char text[MAX_TEXT];
	int n = snprintf(text, sizeof(text), "E|%d\n", (int)c->running->pid);

	put_print(c, ts, text, (size_t)n);
	c->open = false;
}

static void
begin_slice(struct tc_scene_ftrace *ft, struct cpu *c, int64_t ts)
{
	size_t i = tc_scene_random(&ft->rng) % COUNT(slice_names);
	char text[MAX_TEXT];
	int n = snprintf(
		text, sizeof(text), "B|%d|%s\n", (int)c->running->pid, slice_names[i]);

	put_print(c, ts, text, (size_t)n);
	c->open = true;
}

static bool
runs_frames(const struct thread *t)
{
	return t >= frame_threads && t < frame_threads + N_FRAME_THREADS;
}

/* What a CPU does next when no frame asks for it. */
static void
put_filling(struct tc_scene_ftrace *ft, size_t cpu, int64_t ts)
{
	struct cpu *c = &ft->cpus[cpu];
	uint64_t r = tc_scene_random(&ft->rng);
	const struct thread *next = &threads[cpu + N_CPUS * ((r >> 8) % THREADS_PER_CPU)];

	if (c->open)
		end_slice(c, ts);
	else if (r % 8 < 3 && c->running != &idle && !runs_frames(c->running))
		begin_slice(ft, c, ts);
	else if (next != c->running && (r % 8 < 6 || c->running == &idle))
		put_switch(c, ts, next);
	else
		put_switch(c, ts, &idle);
}

static void
put_frame_print(struct cpu *c)
{
	const struct print *p = &c->prints[c->first_print];

	if (c->open)
		end_slice(c, p->ts);
	if (c->running != p->thread)
		put_switch(c, p->ts, p->thread);
	put_print(c, p->ts, p->text, strlen(p->text));
	c->first_print = (c->first_print + 1) % MAX_PRINTS;
	c->n_prints--;
}

/* One step may put three events, so a bundle is closed while there is room for them. */
static void
run_cpu(struct tc_scene_ftrace *ft, struct tc_scene_writer *w, size_t cpu, int64_t until,
	int64_t gap)
{
	struct cpu *c = &ft->cpus[cpu];
	int64_t ts = c->time + tc_scene_between(&ft->rng, gap / 2, gap * 3 / 2) + 1;

	while (ts < until || (c->n_prints > 0 && c->prints[c->first_print].ts < until)) {
		if (c->n_prints > 0 && c->prints[c->first_print].ts <= ts) {
			put_frame_print(c);
		} else {
			put_filling(ft, cpu, ts);
			ts += tc_scene_between(&ft->rng, gap / 2, gap * 3 / 2) + 1;
		}
		if (c->n + 3 > MAX_EVENTS || c->bytes >= c->limit)
			put_bundle(ft, w, cpu);
	}
	c->time = until;
}

/* Events as many as it takes to catch up with the frame packets, spread evenly. */
void
tc_scene_ftrace_run(struct tc_scene_ftrace *ft, struct tc_scene_writer *w, int64_t until)
{
	uint64_t want = w->frame_bytes * FRAME_SHARE;
	uint64_t missing = want > ft->bytes ? want - ft->bytes : 0;
	int64_t events = (int64_t)(missing / EVENT_BYTES / N_CPUS) + 4;
	int64_t gap = (until - ft->cpus[0].time) / events;
	size_t i;

	for (i = 0; gap > 0 && i < N_CPUS; i++)
		run_cpu(ft, w, i, until, gap);
}

void
tc_scene_ftrace_flush(struct tc_scene_ftrace *ft, struct tc_scene_writer *w)
{
	size_t i;

	for (i = 0; i < N_CPUS; i++)
		if (ft->cpus[i].n > 0)
			put_bundle(ft, w, i);
}
