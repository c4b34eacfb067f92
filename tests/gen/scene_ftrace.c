/*
 * The ftrace part: on each CPU threads take turns, wander from CPU to CPU, and print
 * nested slices while they run; slices of the simulated frames are woven in where
 * they belong. Times here are BOOTTIME.
 *
 * A trace is mostly this, so bytes are put together here and not by protobuf-c,
 * which would take ten times as long.
 */
#include "scene.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	N_CPUS = 8,
	N_THREADS = 120,
	MAX_DEPTH = 8,
	MAX_COMM = 16,
	MAX_MESSAGE = 256,
	MAX_PRINTS = 128, /* of frames that are not written yet, per CPU */
	MIN_BUNDLE = 4 << 10,
	MAX_BUNDLE = 20 << 10,
	EVENT_BYTES = 48,            /* about what an event takes, before there are any */
	READ_NS = 100 * TC_SCENE_MS, /* how often buffers of the kernel are read */
	PRIO = 120,
};

/* Columns of compact events, by the numbers of their fields. */
enum column {
	SWITCH_TS = 1,
	SWITCH_STATE,
	SWITCH_PID,
	SWITCH_PRIO,
	COMMS, /* no column: fields, each with its tag */
	SWITCH_COMM,
	WAKING_TS,
	WAKING_PID,
	WAKING_CPU,
	WAKING_PRIO,
	WAKING_COMM,
	WAKING_FLAGS,
	N_COLUMNS,
};

struct thread {
	int32_t tid, pid;
	char comm[MAX_COMM];
	int64_t free_at; /* INT64_MAX: it runs */
	bool asleep;
	unsigned depth, limit; /* of slices that no frame asks for */
	uint32_t cookie;       /* of the asynchronous slice that is open, or 0 */
	/* What the bundle of a CPU calls it, if it is the one with that number. */
	uint32_t index[N_CPUS];
	uint64_t bundle[N_CPUS];
};

struct message {
	uint8_t bytes[MAX_MESSAGE];
	size_t len;
};

/* A line that a thread prints when its time comes. */
struct print {
	int64_t ts;
	struct thread *thread;
	struct message text;
};

struct cpu {
	uint32_t number;
	int64_t time;
	struct thread idle, *running;
	unsigned burst;                  /* events until another thread's turn */
	struct print prints[MAX_PRINTS]; /* a ring, in the order of time */
	size_t first_print, n_prints;

	/* The bundle in the making, then those that have not been read. */
	uint64_t bundle;
	size_t limit;
	int64_t last_end;
	struct tc_gen_buf events, columns[N_COLUMNS];
	uint32_t n_comms;
	int64_t last_switch, last_waking;
	struct tc_gen_buf done; /* packets, each after its length */
};

/* What a mix is made of, in percent. */
struct shares {
	uint64_t frames, ftrace, rest; /* of all bytes */
	uint64_t text;                 /* of those of ftrace */
	bool compact;
};

struct tc_scene_ftrace {
	struct tc_scene_rng rng;
	const struct shares *shares;
	int64_t start, next_read;
	int64_t length; /* of the story, when the bytes of all of it are given */
	uint64_t total_bytes;
	uint64_t bytes, text_bytes, n_events; /* so far */
	uint64_t rest_bytes, n_bundles;
	uint32_t last_cookie;
	struct thread threads[N_THREADS];
	struct cpu cpus[N_CPUS];
};

static const struct shares system_shares = { 2, 98, 0, 100, false };
static const struct shares mixed_shares = { 3, 90, 7, 50, true };
static const struct shares atrace_shares = { 1, 99, 0, 100, true };

/* Threads that run frames are the first, on FIRST_FRAME_CPU and the next ones. */
enum { N_FRAME_THREADS = 3, FIRST_FRAME_CPU = 5 };

static const struct {
	int32_t tid, pid;
	const char *comm;
} known_threads[] = {
	{ TC_SCENE_SF_PID, TC_SCENE_SF_PID, "surfaceflinger" },
	{ TC_SCENE_APP_PID, TC_SCENE_APP_PID, "com.example.app" },
	{ TC_SCENE_APP_RENDER_TID, TC_SCENE_APP_PID, "RenderThread" },
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

/* Of processes that the trace names. */
static const int32_t binder_pids[] = { 1302, TC_SCENE_SYSTEMUI_PID, TC_SCENE_APP_PID };

/* None of them is one that jank work looks for. */
static const struct {
	const char *name;
	bool numbered;
} slice_names[] = {
	{ "binder transaction", false },
	{ "binder reply", false },
	{ "waiting for GPU completion ", true },
	{ "HIDL::IComposerClient::executeCommands", false },
	{ "traversal", false },
	{ "animation", false },
	{ "measure", false },
	{ "Record View#draw()", false },
	{ "Lock contention on GC barrier lock (owner tid: 9360)", false },
	{ "queueBuffer", false },
	{ "flush commands", false },
	{ "syncFrameState", false },
	{ "JIT compiling void com.example.app.Feed.bind(int) ", true },
	{ "AIDL::java::IActivityManager::getTasks::server", false },
	{ "monitor contention with owner binder:1302_4 (1408) waiters=", true },
	{ "HWC release fence ", true },
	{ "inflate", false },
	{ "RV OnBindView", false },
	{ "eglSwapBuffersWithDamageKHR", false },
	{ "dequeueBuffer - VRI[MainActivity]#0(BLAST Consumer)", true },
};

static const char *const counter_names[] = {
	"Heap size (KB)",
	"HWC_VSYNC",
	"mem.locked",
	"pending transactions",
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

bool
tc_scene_has_ftrace(enum tc_scene_mix mix)
{
	return mix != TC_SCENE_SCENE && mix != TC_SCENE_FRAMES;
}

/* ---- bytes ---- */

static void
add_byte(struct message *m, char c)
{
	m->bytes[m->len++] = (uint8_t)c;
}

static void
add_bytes(struct message *m, const void *bytes, size_t len)
{
	assert(len <= MAX_MESSAGE - m->len);
	memcpy(m->bytes + m->len, bytes, len);
	m->len += len;
}

static void
add_number(struct message *m, uint32_t field, uint64_t value)
{
	m->len += tc_gen_put_varint(m->bytes + m->len, (uint64_t)field << 3);
	m->len += tc_gen_put_varint(m->bytes + m->len, value);
}

/* The tag and length of a field of that many bytes. */
static void
add_head(struct message *m, uint32_t field, size_t len)
{
	m->len += tc_gen_put_varint(m->bytes + m->len, (uint64_t)field << 3 | 2);
	m->len += tc_gen_put_varint(m->bytes + m->len, len);
}

static void
add_field(struct message *m, uint32_t field, const void *bytes, size_t len)
{
	add_head(m, field, len);
	add_bytes(m, bytes, len);
}

static void
add_text(struct message *m, uint32_t field, const char *text)
{
	add_field(m, field, text, strlen(text));
}

static void
add_decimal(struct message *m, uint64_t value)
{
	uint8_t digits[20];
	size_t i = sizeof(digits);

	do
		digits[--i] = (uint8_t)('0' + value % 10);
	while (value /= 10);
	add_bytes(m, digits + i, sizeof(digits) - i);
}

static void
put_number(struct tc_gen_buf *to, uint64_t value)
{
	to->len += tc_gen_put_varint(tc_gen_buf_room(to, TC_GEN_MAX_VARINT), value);
}

static void
put_field(struct tc_gen_buf *to, uint32_t field, const struct tc_gen_buf *from)
{
	struct message head = { .len = 0 };

	add_head(&head, field, from->len);
	tc_gen_buf_put(to, head.bytes, head.len);
	tc_gen_buf_put(to, from->bytes, from->len);
}

/* ---- bundles ---- */

static void
put_event(struct tc_scene_ftrace *ft, struct cpu *c, int64_t ts, uint32_t field,
	const struct message *m)
{
	struct message head = { .len = 0 }, start = { .len = 0 };
	size_t before = c->events.len;

	add_number(&start, 1, (uint64_t)ts);
	add_number(&start, 2, (uint32_t)c->running->tid);
	add_head(&start, field, m->len);
	add_head(&head, 2, start.len + m->len);
	tc_gen_buf_put(&c->events, head.bytes, head.len);
	tc_gen_buf_put(&c->events, start.bytes, start.len);
	tc_gen_buf_put(&c->events, m->bytes, m->len);
	c->time = ts;
	ft->bytes += c->events.len - before;
	ft->n_events++;
}

static void
put_print(struct tc_scene_ftrace *ft, struct cpu *c, int64_t ts, struct message *text)
{
	struct message print = { .len = 0 };
	uint64_t before = ft->bytes;

	add_byte(text, '\n');
	add_field(&print, 2, text->bytes, text->len);
	put_event(ft, c, ts, 3, &print);
	ft->text_bytes += ft->bytes - before;
}

static size_t
compact_bytes(const struct cpu *c)
{
	size_t i, len = 0;

	for (i = 1; i < N_COLUMNS; i++)
		len += c->columns[i].len;
	return len;
}

static uint32_t
intern(struct cpu *c, struct thread *t)
{
	struct message comm = { .len = 0 };

	if (t->bundle[c->number] == c->bundle)
		return t->index[c->number];
	add_text(&comm, COMMS, t->comm);
	tc_gen_buf_put(&c->columns[COMMS], comm.bytes, comm.len);
	t->bundle[c->number] = c->bundle;
	t->index[c->number] = c->n_comms++;
	return t->index[c->number];
}

static void
put_compact(struct cpu *c, struct tc_gen_buf *to)
{
	struct tc_gen_buf compact = { 0 };
	uint32_t i;

	for (i = 1; i < N_COLUMNS; i++) {
		if (i == COMMS)
			tc_gen_buf_put(&compact, c->columns[i].bytes, c->columns[i].len);
		else if (c->columns[i].len > 0)
			put_field(&compact, i, &c->columns[i]);
		c->columns[i].len = 0;
	}
	put_field(to, 4, &compact);
	tc_gen_buf_release(&compact);
}

static void
begin_bundle(struct tc_scene_ftrace *ft, struct cpu *c)
{
	c->bundle = ++ft->n_bundles;
	c->limit = (size_t)tc_scene_between(&ft->rng, MIN_BUNDLE, MAX_BUNDLE);
	c->last_end = c->time;
	c->events.len = 0;
	c->n_comms = 0;
	c->last_switch = c->last_waking = 0;
}

static void
end_bundle(struct tc_scene_ftrace *ft, struct cpu *c)
{
	struct message start = { .len = 0 }, end = { .len = 0 }, origin = { .len = 0 };
	struct tc_gen_buf bundle = { 0 }, packet = { 0 };

	if (c->events.len == 0 && compact_bytes(c) == 0)
		return;
	add_number(&start, 1, c->number);
	add_number(&end, 9, (uint64_t)c->last_end);
	tc_gen_buf_put(&bundle, start.bytes, start.len);
	tc_gen_buf_put(&bundle, c->events.bytes, c->events.len);
	if (compact_bytes(c) > 0)
		put_compact(c, &bundle);
	tc_gen_buf_put(&bundle, end.bytes, end.len);
	put_field(&packet, 1, &bundle);
	add_number(&origin, 3, TC_SCENE_UID_TRACED);
	add_number(&origin, 10, TC_SCENE_SEQ_FTRACE);
	add_number(&origin, 79, TC_SCENE_PROBES_PID);
	tc_gen_buf_put(&packet, origin.bytes, origin.len);
	put_number(&c->done, packet.len);
	tc_gen_buf_put(&c->done, packet.bytes, packet.len);
	tc_gen_buf_release(&bundle);
	tc_gen_buf_release(&packet);
	begin_bundle(ft, c);
}

/* ---- the scheduler ---- */

static void
put_waking(struct tc_scene_ftrace *ft, struct cpu *c, int64_t ts, struct thread *t)
{
	struct message m = { .len = 0 };
	size_t before = compact_bytes(c);

	if (!ft->shares->compact) {
		add_text(&m, 1, t->comm);
		add_number(&m, 2, (uint32_t)t->tid);
		add_number(&m, 3, PRIO);
		add_number(&m, 4, 1);
		add_number(&m, 5, c->number);
		put_event(ft, c, ts, 20, &m);
		return;
	}
	put_number(&c->columns[WAKING_TS], (uint64_t)(ts - c->last_waking));
	put_number(&c->columns[WAKING_PID], (uint32_t)t->tid);
	put_number(&c->columns[WAKING_CPU], c->number);
	put_number(&c->columns[WAKING_PRIO], PRIO);
	put_number(&c->columns[WAKING_COMM], intern(c, t));
	put_number(&c->columns[WAKING_FLAGS], 1);
	c->last_waking = ts;
	ft->bytes += compact_bytes(c) - before;
}

static void
put_full_switch(
	struct tc_scene_ftrace *ft, struct cpu *c, int64_t ts, const struct thread *next)
{
	struct message m = { .len = 0 };

	add_text(&m, 1, c->running->comm);
	add_number(&m, 2, (uint32_t)c->running->tid);
	add_number(&m, 3, PRIO);
	add_number(&m, 4, c->running->asleep);
	add_text(&m, 5, next->comm);
	add_number(&m, 6, (uint32_t)next->tid);
	add_number(&m, 7, PRIO);
	put_event(ft, c, ts, 4, &m);
}

static void
put_compact_switch(
	struct tc_scene_ftrace *ft, struct cpu *c, int64_t ts, struct thread *next)
{
	size_t before = compact_bytes(c);

	put_number(&c->columns[SWITCH_TS], (uint64_t)(ts - c->last_switch));
	put_number(&c->columns[SWITCH_STATE], c->running->asleep);
	put_number(&c->columns[SWITCH_PID], (uint32_t)next->tid);
	put_number(&c->columns[SWITCH_PRIO], PRIO);
	put_number(&c->columns[SWITCH_COMM], intern(c, next));
	c->last_switch = ts;
	ft->bytes += compact_bytes(c) - before;
	ft->n_events++;
}

static void
put_switch(struct tc_scene_ftrace *ft, struct cpu *c, int64_t ts, struct thread *next)
{
	if (next->asleep)
		put_waking(ft, c, ts, next);
	c->running->asleep = c->running != &c->idle && tc_scene_random(&ft->rng) % 4 > 0;
	if (ft->shares->compact)
		put_compact_switch(ft, c, ts, next);
	else
		put_full_switch(ft, c, ts, next);
	c->running->free_at = ts;
	next->free_at = INT64_MAX;
	next->asleep = false;
	c->running = next;
	c->time = ts;
	c->burst = (unsigned)tc_scene_between(&ft->rng, 1, 7);
}

/* A thread that does not run elsewhere at that time; frames see to their own. */
static struct thread *
pick(struct tc_scene_ftrace *ft, struct cpu *c, int64_t ts)
{
	uint64_t r = tc_scene_random(&ft->rng);
	struct thread *t;
	unsigned i;

	for (i = 0; i < 4 && r % 8 > 0; i++) {
		t = &ft->threads[N_FRAME_THREADS +
			(r >> (8 + 8 * i)) % (N_THREADS - N_FRAME_THREADS)];
		if (t->free_at < ts)
			return t;
	}
	return &c->idle;
}

/* ---- what threads print ---- */

static void
start_text(struct message *text, char phase, const struct thread *t)
{
	text->len = 0;
	add_byte(text, phase);
	add_byte(text, '|');
	add_decimal(text, (uint32_t)t->pid);
}

static void
end_slice(struct tc_scene_ftrace *ft, struct cpu *c, int64_t ts)
{
	struct message text;

	start_text(&text, 'E', c->running);
	put_print(ft, c, ts, &text);
	c->running->depth--;
}

static void
begin_slice(struct tc_scene_ftrace *ft, struct cpu *c, int64_t ts)
{
	size_t i = tc_scene_random(&ft->rng) % COUNT(slice_names);
	struct thread *t = c->running;
	struct message text;

	if (t->depth == 0)
		t->limit = (unsigned)tc_scene_between(&ft->rng, 1, MAX_DEPTH);
	start_text(&text, 'B', t);
	add_byte(&text, '|');
	add_bytes(&text, slice_names[i].name, strlen(slice_names[i].name));
	if (slice_names[i].numbered)
		add_decimal(&text, ft->n_events);
	put_print(ft, c, ts, &text);
	t->depth++;
}

static void
put_counter(struct tc_scene_ftrace *ft, struct cpu *c, int64_t ts)
{
	uint64_t r = tc_scene_random(&ft->rng);
	const char *name = counter_names[r % COUNT(counter_names)];
	struct message text;

	start_text(&text, 'C', c->running);
	add_byte(&text, '|');
	add_bytes(&text, name, strlen(name));
	add_byte(&text, '|');
	add_decimal(&text, r >> 48);
	put_print(ft, c, ts, &text);
}

/* Begins an asynchronous slice, or ends the one that is open. */
static void
put_async(struct tc_scene_ftrace *ft, struct cpu *c, int64_t ts)
{
	struct thread *t = c->running;
	struct message text;
	bool begins = t->cookie == 0;

	if (begins)
		t->cookie = ++ft->last_cookie;
	start_text(&text, begins ? 'S' : 'F', t);
	add_bytes(&text, "|launching: job |", 17);
	add_decimal(&text, t->cookie);
	if (!begins)
		t->cookie = 0;
	put_print(ft, c, ts, &text);
}

static void
put_text(struct tc_scene_ftrace *ft, struct cpu *c, int64_t ts)
{
	uint64_t r = tc_scene_random(&ft->rng) % 32;
	const struct thread *t = c->running;

	if (r < 2)
		put_counter(ft, c, ts);
	else if (r < 4)
		put_async(ft, c, ts);
	else if (t->depth == 0 || (r % 2 == 0 && t->depth < t->limit))
		begin_slice(ft, c, ts);
	else
		end_slice(ft, c, ts);
}

/* An event that is of no use to jank work. Field numbers are those of its kind. */
static void
put_other(struct tc_scene_ftrace *ft, struct cpu *c, int64_t ts)
{
	uint64_t r = tc_scene_random(&ft->rng), number = r >> 32;
	struct message m = { .len = 0 };

	switch (r % 6) {
	case 0: /* cpu_idle */
		add_number(&m, 1, r & 8 ? UINT32_MAX : 1);
		add_number(&m, 2, c->number);
		put_event(ft, c, ts, 13, &m);
		return;
	case 1: /* irq_handler_entry */
		add_number(&m, 1, 100 + number % 64);
		add_text(&m, 2, "exynos-mct-comparator");
		put_event(ft, c, ts, 36, &m);
		return;
	case 2: /* irq_handler_exit */
		add_number(&m, 1, 100 + number % 64);
		add_number(&m, 2, 1);
		put_event(ft, c, ts, 37, &m);
		return;
	case 3: /* binder_transaction */
		add_number(&m, 1, 4975818 + ft->n_events);
		add_number(&m, 2, number % 8192);
		add_number(&m, 3, 1302);
		add_number(&m, 4, 0);
		add_number(&m, 5, 0);
		add_number(&m, 6, number % 128);
		add_number(&m, 7, 16);
		put_event(ft, c, ts, 50, &m);
		return;
	case 4: /* rss_stat */
		add_number(&m, 1, number % 3);
		add_number(&m, 2, number % (1 << 28));
		add_number(&m, 3, 1);
		add_number(&m, 4, number);
		put_event(ft, c, ts, 313, &m);
		return;
	default: /* clock_set_rate */
		add_text(&m, 1, "device_throughput");
		add_number(&m, 2, number % 1000000);
		add_number(&m, 3, 0);
		put_event(ft, c, ts, 16, &m);
		return;
	}
}

/* ---- the story ---- */

static void
put_frame_print(struct tc_scene_ftrace *ft, struct cpu *c)
{
	struct print *p = &c->prints[c->first_print];

	if (c->running != p->thread)
		put_switch(ft, c, p->ts, p->thread);
	while (c->running->depth > 0)
		end_slice(ft, c, p->ts);
	put_print(ft, c, p->ts, &p->text);
	c->first_print = (c->first_print + 1) % MAX_PRINTS;
	c->n_prints--;
}

/* What a CPU does next when no frame asks for it. */
static void
put_filling(struct tc_scene_ftrace *ft, struct cpu *c, int64_t ts)
{
	const struct shares *shares = ft->shares;
	bool idle = c->running == &c->idle;

	if (c->burst == 0 || (idle && shares->text == 100)) {
		put_switch(ft, c, ts, pick(ft, c, ts));
		return;
	}
	c->burst--;
	if (!idle && ft->text_bytes * 100 <= ft->bytes * shares->text)
		put_text(ft, c, ts);
	else if (shares->text < 100)
		put_other(ft, c, ts);
	else
		c->time = ts;
}

static void
step(struct tc_scene_ftrace *ft, struct cpu *c, int64_t until, int64_t gap)
{
	int64_t ts = c->time + tc_scene_between(&ft->rng, gap / 2, gap * 3 / 2) + 1;
	int64_t due = c->n_prints > 0 ? c->prints[c->first_print].ts : INT64_MAX;

	if (due <= ts && due < until)
		put_frame_print(ft, c);
	else if (ts < until)
		put_filling(ft, c, ts);
	else
		c->time = until;
	if (c->events.len + compact_bytes(c) >= c->limit)
		end_bundle(ft, c);
}

static struct cpu *
earliest(struct tc_scene_ftrace *ft)
{
	struct cpu *c = &ft->cpus[0];
	size_t i;

	for (i = 1; i < N_CPUS; i++)
		if (ft->cpus[i].time < c->time)
			c = &ft->cpus[i];
	return c;
}

/* What the reader finds: one CPU after the other, each in the order of time. */
static void
write_bundles(struct tc_scene_ftrace *ft, struct tc_scene_writer *w)
{
	size_t i, at, len, shift;

	for (i = 0; i < N_CPUS; i++) {
		struct cpu *c = &ft->cpus[i];

		end_bundle(ft, c);
		for (at = 0; at < c->done.len; at += len) {
			len = shift = 0;
			do
				len |= (size_t)(c->done.bytes[at] & 0x7f) << shift;
			while (shift += 7, c->done.bytes[at++] & 0x80);
			tc_scene_write_payload(w, c->done.bytes + at, len);
		}
		c->done.len = 0;
	}
}

/* Log lines, or figures of the whole system. */
static size_t
write_rest(struct tc_scene_ftrace *ft, struct tc_scene_writer *w, int64_t now)
{
	bool log = tc_scene_random(&ft->rng) % 4 > 0;
	struct message start = { .len = 0 }, end = { .len = 0 }, item;
	struct tc_gen_buf items = { 0 }, packet = { 0 };
	unsigned i;

	for (i = 0; i < 24; i++) {
		uint64_t r = tc_scene_random(&ft->rng);

		item.len = 0;
		add_number(&item, 1, log ? 0 : i + 1);
		add_number(&item, 2, log ? 1302 : r >> 40);
		if (log) {
			add_number(&item, 5, (uint64_t)now);
			add_text(&item, 6, "ActivityTaskManager");
			add_text(&item, 8, "Displayed com.example.app/.Feed for user 0");
		}
		put_field(&items, 1,
			&(struct tc_gen_buf){ .bytes = item.bytes, .len = item.len });
	}
	add_number(&start, 8, (uint64_t)now);
	add_number(&end, 10, log ? TC_SCENE_SEQ_LOG : TC_SCENE_SEQ_PROCESSES);
	tc_gen_buf_put(&packet, start.bytes, start.len);
	put_field(&packet, log ? 39 : 7, &items);
	tc_gen_buf_put(&packet, end.bytes, end.len);
	tc_scene_write_payload(w, packet.bytes, packet.len);
	i = (unsigned)packet.len;
	tc_gen_buf_release(&items);
	tc_gen_buf_release(&packet);
	return i;
}

static uint64_t
wanted_bytes(
	const struct tc_scene_ftrace *ft, const struct tc_scene_writer *w, int64_t until)
{
	const struct shares *s = ft->shares;
	uint64_t past;

	if (!ft->length)
		return w->frame_bytes * s->ftrace / s->frames;
	past = (uint64_t)(until - ft->start);
	return (uint64_t)((double)ft->total_bytes / (double)ft->length * (double)past) *
		s->ftrace / (s->ftrace + s->rest);
}

static void
read_buffers(struct tc_scene_ftrace *ft, struct tc_scene_writer *w, int64_t now)
{
	const struct shares *s = ft->shares;

	write_bundles(ft, w);
	while (ft->rest_bytes * s->ftrace < ft->bytes * s->rest)
		ft->rest_bytes += write_rest(ft, w, now);
	ft->next_read = now + READ_NS;
}

void
tc_scene_ftrace_run(struct tc_scene_ftrace *ft, struct tc_scene_writer *w, int64_t until)
{
	uint64_t want = wanted_bytes(ft, w, until);
	uint64_t missing = want > ft->bytes ? want - ft->bytes : 0;
	uint64_t each = ft->n_events ? ft->bytes / ft->n_events + 1 : EVENT_BYTES;
	int64_t events = (int64_t)(missing / each / N_CPUS) + 4;
	int64_t gap = (until - ft->cpus[0].time) / events;
	struct cpu *c;

	while (gap > 0 && (c = earliest(ft))->time < until)
		step(ft, c, until, gap);
	if (until >= ft->next_read)
		read_buffers(ft, w, until);
}

/* Whatever is open is closed, by its thread, which runs for that once more. */
void
tc_scene_ftrace_finish(struct tc_scene_ftrace *ft, struct tc_scene_writer *w)
{
	struct cpu *c = &ft->cpus[0];
	struct thread *t;
	int64_t ts = c->time;
	size_t i;

	for (i = 0; i < N_CPUS; i++)
		if (ft->cpus[i].running != &ft->cpus[i].idle)
			put_switch(ft, &ft->cpus[i], ts, &ft->cpus[i].idle);
	for (t = ft->threads; t < ft->threads + N_THREADS; t++) {
		if (t->depth == 0 && t->cookie == 0)
			continue;
		put_switch(ft, c, ts += 1000, t);
		while (t->depth > 0)
			end_slice(ft, c, ts += 1000);
		if (t->cookie)
			put_async(ft, c, ts += 1000);
	}
	put_switch(ft, c, ts += 1000, &c->idle);
	read_buffers(ft, w, ts);
}

void
tc_scene_ftrace_slice(struct tc_scene_ftrace *ft, int32_t tid, const char *name,
	int64_t id, int64_t begin, int64_t end)
{
	struct print p = { .ts = begin };
	struct cpu *c;
	size_t i = 0;

	while (known_threads[i].tid != tid)
		i++;
	c = &ft->cpus[FIRST_FRAME_CPU + i];
	assert(i < N_FRAME_THREADS && c->n_prints + 2 <= MAX_PRINTS && begin >= c->time);
	p.thread = &ft->threads[i];
	start_text(&p.text, 'B', p.thread);
	add_byte(&p.text, '|');
	add_bytes(&p.text, name, strlen(name));
	add_byte(&p.text, ' ');
	add_decimal(&p.text, (uint64_t)id);
	c->prints[(c->first_print + c->n_prints++) % MAX_PRINTS] = p;
	p.ts = end;
	start_text(&p.text, 'E', p.thread);
	c->prints[(c->first_print + c->n_prints++) % MAX_PRINTS] = p;
}

static void
init_threads(struct tc_scene_ftrace *ft)
{
	struct thread *t;
	unsigned i, k;

	for (i = 0; i < N_THREADS; i++) {
		t = &ft->threads[i];
		t->free_at = ft->start;
		t->asleep = true;
		if (i < COUNT(known_threads)) {
			t->tid = known_threads[i].tid;
			t->pid = known_threads[i].pid;
			snprintf(t->comm, sizeof(t->comm), "%s", known_threads[i].comm);
			continue;
		}
		k = i - (unsigned)COUNT(known_threads);
		t->pid = binder_pids[k % COUNT(binder_pids)];
		t->tid = t->pid + 200 + (int32_t)k;
		snprintf(t->comm, sizeof(t->comm), "binder:%d_%X", (int)t->pid,
			k / (unsigned)COUNT(binder_pids) + 1);
	}
}

struct tc_scene_ftrace *
tc_scene_ftrace_new(const struct tc_scene_opts *opts, int64_t start, int64_t period)
{
	struct tc_scene_ftrace *ft = tc_gen_zalloc(sizeof(*ft));
	uint32_t i;

	ft->rng.state = opts->seed ^ UINT64_C(0x66747261); /* independent of the story */
	ft->shares = opts->mix == TC_SCENE_MIXED ? &mixed_shares
		: opts->mix == TC_SCENE_ATRACE   ? &atrace_shares
						 : &system_shares;
	ft->start = start;
	ft->next_read = start + READ_NS;
	ft->length = opts->frames * period;
	ft->total_bytes = opts->min_bytes;
	init_threads(ft);
	for (i = 0; i < N_CPUS; i++) {
		struct cpu *c = &ft->cpus[i];

		c->number = i;
		c->time = start;
		c->running = &c->idle;
		snprintf(c->idle.comm, sizeof(c->idle.comm), "swapper/%u", (unsigned)i);
		begin_bundle(ft, c);
	}
	return ft;
}

void
tc_scene_ftrace_free(struct tc_scene_ftrace *ft)
{
	size_t i, k;

	for (i = 0; ft && i < N_CPUS; i++) {
		tc_gen_buf_release(&ft->cpus[i].events);
		tc_gen_buf_release(&ft->cpus[i].done);
		for (k = 0; k < N_COLUMNS; k++)
			tc_gen_buf_release(&ft->cpus[i].columns[k]);
	}
	free(ft);
}
