#include "scene.h"

#include <string.h>

/*
 * What goes wrong, and what follows from it:
 *
 *   LONG         the UI thread takes longer than a period, and the next frame waits
 *                for the next vsync: late presents, one after the other
 *   HITCH        the same once, but the next frame starts at once: from then on each
 *                buffer waits for one period, until the app pauses or one is dropped
 *   PAUSE        no app frame is made
 *   DROP         SurfaceFlinger passes over a buffer when a newer one is there too
 *   UNSIGNALED   the buffer is latched before its fence signals
 *   EXPIRED      the frame's token is so old that its prediction is gone
 *   CLIENT       the app's layer is composed by the GPU
 *   SLOW         SurfaceFlinger itself misses its deadline
 *   BAR, LEASH   the system UI draws its bar; it animates a leash too
 */
enum tc_scene_cause {
	LONG = 1 << 0,
	HITCH = 1 << 1,
	PAUSE = 1 << 2,
	DROP = 1 << 3,
	UNSIGNALED = 1 << 4,
	EXPIRED = 1 << 5,
	CLIENT = 1 << 6,
	SLOW = 1 << 7,
	BAR = 1 << 8,
	LEASH = 1 << 9,
};

/* The story: a cause, from a time on, for so many slots. It starts over every 10 s. */
static const struct {
	unsigned cause;
	int64_t at_ms, slots;
} story[] = {
	{ UNSIGNALED, 400, 1 },
	{ LONG, 900, 8 },
	{ BAR, 1500, 24 },
	{ UNSIGNALED, 1950, 2 },
	{ HITCH, 2200, 1 },
	{ PAUSE, 2380, 1 },
	{ LONG, 2900, 13 },
	{ UNSIGNALED, 3500, 1 },
	{ EXPIRED, 3800, 1 },
	{ HITCH, 4200, 1 },
	{ DROP, 4320, 10 },
	{ CLIENT, 4800, 14 },
	{ SLOW, 5500, 1 },
	{ PAUSE, 5640, 1 },
	{ UNSIGNALED, 6000, 3 },
	{ LONG, 6300, 5 },
	{ HITCH, 6800, 1 },
	{ DROP, 6900, 10 },
	{ EXPIRED, 7300, 1 },
	{ BAR | LEASH, 7600, 40 },
	{ EXPIRED, 7900, 1 },
	{ HITCH, 8500, 1 },
	{ DROP, 8560, 10 },
	{ PAUSE, 9000, 24 },
	{ UNSIGNALED, 9700, 1 },
};

#define CHAPTER_MS INT64_C(10000)
#define SECOND (INT64_C(1000) * TC_SCENE_MS)
/* MONOTONIC time of the start: the phone is up for half a day. */
#define UPTIME INT64_C(48211307554210)
/* Vsyncs before the first slot, so that no frame starts before the session. */
#define LEAD 6

enum {
	FIRST_TOKEN = 191056,
	TOKENS_PER_SLOT = 8,
	APP_TOKEN = 0, /* of the slot's tokens, whose is which */
	SYSTEMUI_TOKEN = 3,
	SF_TOKEN = 6,
	STALE_TOKEN = 1, /* that no frame of its slot used */
	STALE_SLOTS = 70,
	FTRACE_LAG = 8, /* slots until all slices that begin in one are known */
};

uint64_t
tc_scene_random(struct tc_scene_rng *rng)
{
	uint64_t z = rng->state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

int64_t
tc_scene_between(struct tc_scene_rng *rng, int64_t low, int64_t high)
{
	return low + (int64_t)(tc_scene_random(rng) % (uint64_t)(high - low + 1));
}

static int64_t
between_us(struct tc_scene *s, int64_t low, int64_t high)
{
	return tc_scene_between(&s->rng, low * 1000, high * 1000);
}

/* A time of so many hundredths of a period. */
static int64_t
share(struct tc_scene *s, int64_t low, int64_t high)
{
	return tc_scene_between(&s->rng, s->period * low / 100, s->period * high / 100);
}

/*
 * When slot k reaches the display; SurfaceFlinger wakes up 63 % of a period earlier,
 * the app one more period before that.
 */
static int64_t
vsync(const struct tc_scene *s, int64_t k)
{
	int64_t hz = s->opts.hz, n = k + LEAD;

	return s->start + n / hz * SECOND + n % hz * SECOND / hz;
}

static int64_t
flinger_wake(const struct tc_scene *s, int64_t k)
{
	return vsync(s, k) - s->period * 63 / 100;
}

static int64_t
app_wake(const struct tc_scene *s, int64_t k)
{
	return flinger_wake(s, k) - s->period;
}

static struct tc_scene_expect
expect_app(const struct tc_scene *s, int64_t k)
{
	return (struct tc_scene_expect){ app_wake(s, k), flinger_wake(s, k),
		vsync(s, k) };
}

static int64_t
token(int64_t k, int64_t whose)
{
	return FIRST_TOKEN + TOKENS_PER_SLOT * (k + STALE_SLOTS) + whose;
}

/* All that happens to frames of slot k. Each chapter is told a little later. */
static unsigned
causes_at(const struct tc_scene *s, int64_t k)
{
	int64_t chapter = CHAPTER_MS * s->opts.hz / 1000;
	int64_t in_chapter = k % chapter - (k / chapter * 7) % 19;
	unsigned causes = 0;
	size_t i;

	for (i = 0; i < sizeof(story) / sizeof(story[0]); i++) {
		int64_t from = story[i].at_ms * s->opts.hz / 1000;

		if (in_chapter >= from && in_chapter < from + story[i].slots)
			causes |= story[i].cause;
	}
	return causes;
}

static void
init_buffers(struct tc_scene_buffer *b, size_t n, uint32_t first_id)
{
	size_t i;

	for (i = 0; i < n; i++)
		b[i] = (struct tc_scene_buffer){ .id = first_id + (uint32_t)i };
}

/* Buffer ids are counters of the allocating process, so two layers share some. */
static void
init_actors(struct tc_scene *s)
{
	s->app_layer = (struct tc_scene_layer){ TC_SCENE_APP_PID,
		"com.example.app/com.example.app.MainActivity#214",
		"TX - com.example.app/com.example.app.MainActivity#214", 0 };
	s->bar_layer = (struct tc_scene_layer){ TC_SCENE_SYSTEMUI_PID, "StatusBar#87",
		"TX - StatusBar#87", 0 };
	s->leash_layer = (struct tc_scene_layer){ TC_SCENE_SYSTEMUI_PID, NULL,
		"Surface(name=StatusBar#87)/@0x2f19c3a - animation-leash of "
		"insets_animation#301",
		0 };
	init_buffers(s->app.buffers, 3, 11);
	init_buffers(s->systemui.buffers, 3, 12);
	s->app.frame_number = 15320;
	s->systemui.frame_number = 803;
}

void
tc_scene_init(struct tc_scene *s, const struct tc_scene_opts *opts, int fd)
{
	*s = (struct tc_scene){ .opts = *opts, .start = UPTIME };
	s->rng.state = opts->seed;
	s->period = SECOND / opts->hz;
	init_actors(s);
	tc_scene_writer_init(&s->writer, opts, fd);
	if (tc_scene_has_ftrace(opts->mix))
		s->ftrace = tc_scene_ftrace_new(
			opts, s->start + s->writer.boot_offset, s->period);
	tc_scene_write_head(&s->writer, s->start, opts->seed);
}

void
tc_scene_release(struct tc_scene *s)
{
	tc_scene_ftrace_free(s->ftrace);
	tc_scene_writer_release(&s->writer);
}

int64_t
tc_scene_elapsed(const struct tc_scene *s)
{
	return vsync(s, s->slot) - s->start;
}

uint64_t
tc_scene_bytes(const struct tc_scene *s)
{
	const struct tc_scene_writer *w = &s->writer;

	if (w->group_bytes)
		return tc_gen_out_bytes(&w->file); /* what is pending will shrink */
	return tc_gen_out_bytes(&w->file) + w->timeline.out.buf.len +
		w->tracer.out.buf.len;
}

static void
slice(struct tc_scene *s, int32_t tid, const char *name, int64_t id, int64_t begin,
	int64_t end)
{
	int64_t offset = s->writer.boot_offset;

	if (s->ftrace)
		tc_scene_ftrace_slice(
			s->ftrace, tid, name, id, begin + offset, end + offset);
}

static struct tc_scene_buffer *
oldest_free(struct tc_scene_buffer *buffers, size_t n)
{
	struct tc_scene_buffer *best = &buffers[0];
	size_t i;

	for (i = 1; i < n; i++)
		if (buffers[i].free_at < best->free_at)
			best = &buffers[i];
	return best->free_at == INT64_MAX ? NULL : best;
}

/*
 * The two threads of an app: the UI thread, then the render thread, which waits for
 * a free buffer, draws, and queues it with a fence for the GPU's work.
 */
static void
run_app_threads(struct tc_scene *s, struct tc_scene_surface *f)
{
	struct tc_scene_app *app = &s->app;
	int64_t ui = f->causes & (LONG | HITCH) ? share(s, 122, 146) : share(s, 19, 34);
	int64_t ui_end, render, free_at = f->buffer->free_at;

	f->start = f->expect.start + between_us(s, 60, 220);
	if (f->start < app->ui_free + 30000)
		f->start = app->ui_free + 30000;
	ui_end = f->start + ui;
	render = ui_end > app->render_free ? ui_end : app->render_free;
	f->dequeue = render + share(s, 1, 3);
	if (f->dequeue < free_at)
		f->dequeue = free_at + 20000;
	f->queue = f->dequeue + share(s, 8, 16);
	f->acquire = f->queue + share(s, 9, 18);
	if (f->causes & UNSIGNALED && f->acquire < f->expect.end)
		f->acquire = f->expect.end + share(s, 5, 14);
	app->ui_free = render + share(s, 1, 4);
	app->render_free = f->queue;
	slice(s, TC_SCENE_APP_PID, "Choreographer#doFrame", f->token, f->start,
		app->ui_free);
	slice(s, TC_SCENE_APP_RENDER_TID, "DrawFrames", f->token, render, f->queue);
}

/*
 * The vsync that the next frame belongs to: the first that comes once the UI thread
 * is free or, right after a hitch, the last that came meanwhile.
 */
static void
schedule_app(struct tc_scene *s, const struct tc_scene_surface *f)
{
	struct tc_scene_app *app = &s->app;
	int64_t next = app->next_slot + 1;

	while (app_wake(s, next) < app->ui_free)
		next++;
	if (f->causes & HITCH && next > app->next_slot + 1)
		next--;
	app->next_slot = next;
}

static void
make_app_frame(struct tc_scene *s, struct tc_scene_buffer *buffer, unsigned causes)
{
	struct tc_scene_app *app = &s->app;
	struct tc_scene_surface *f = &app->queued[app->n_queued++];
	int64_t k = app->next_slot;

	*f = (struct tc_scene_surface){ .layer = &s->app_layer, .buffer = buffer };
	f->causes = causes;
	f->expired = causes & EXPIRED;
	f->client = causes & CLIENT;
	f->token = f->expired ? token(k - STALE_SLOTS, STALE_TOKEN) : token(k, APP_TOKEN);
	f->frame_number = app->frame_number++;
	f->expect = expect_app(s, k);
	run_app_threads(s, f);
	buffer->free_at = INT64_MAX;
	schedule_app(s, f);
}

/* Frames that the app starts before SurfaceFlinger wakes up for this slot. */
static void
run_app(struct tc_scene *s)
{
	struct tc_scene_app *app = &s->app;
	struct tc_scene_buffer *buffer;
	unsigned causes;

	while (app_wake(s, app->next_slot) <= flinger_wake(s, s->slot)) {
		causes = causes_at(s, app->next_slot);
		if (causes & PAUSE) {
			app->next_slot++;
			continue;
		}
		buffer = oldest_free(app->buffers, 3);
		if (!buffer)
			return;
		make_app_frame(s, buffer, causes);
	}
}

/* The transaction with the buffer has reached SurfaceFlinger. */
static void
announce(struct tc_scene *s, struct tc_scene_surface *f, int64_t now)
{
	tc_scene_trace_event(&s->writer, f, TC_SCENE_DEQUEUE, f->dequeue, now);
	tc_scene_trace_event(&s->writer, f, TC_SCENE_QUEUE, f->queue, now);
	f->announced = true;
}

static void
announce_app_frames(struct tc_scene *s, int64_t now)
{
	struct tc_scene_app *app = &s->app;
	size_t i;

	for (i = 0; i < app->n_queued; i++)
		if (!app->queued[i].announced && app->queued[i].queue < now)
			announce(s, &app->queued[i], now);
}

static bool
is_ready(const struct tc_scene_surface *f, int64_t now)
{
	return f->announced && (f->acquire <= now || f->causes & UNSIGNALED);
}

static void
add_surface(struct tc_scene_display *d, struct tc_scene_surface *f)
{
	d->surfaces[d->n_surfaces++] = f;
}

/* A fence that is still pending says nothing: then the frame ended when queued. */
static void
set_end(struct tc_scene_surface *f, int64_t latch)
{
	f->end = f->acquire > f->queue && f->acquire <= latch ? f->acquire : f->queue;
}

static void
drop_frame(struct tc_scene *s, struct tc_scene_display *d, struct tc_scene_surface *f)
{
	f->dropped_at = d->start + between_us(s, 150, 400);
	f->buffer->free_at = f->dropped_at;
	set_end(f, f->dropped_at);
	add_surface(d, f);
}

/* One buffer per slot, oldest first: what else is ready waits for its turn. */
static size_t
take_app_frames(struct tc_scene *s, struct tc_scene_display *d)
{
	struct tc_scene_app *app = &s->app;
	size_t n = 0;

	if (causes_at(s, s->slot) & DROP && app->n_queued > 1 &&
		is_ready(&app->queued[1], d->start))
		drop_frame(s, d, &app->queued[n++]);
	if (n < app->n_queued && is_ready(&app->queued[n], d->start))
		add_surface(d, &app->queued[n++]);
	return n;
}

static void
forget_app_frames(struct tc_scene_app *app, size_t n)
{
	app->n_queued -= n;
	memmove(app->queued, app->queued + n, app->n_queued * sizeof(*app->queued));
}

static void
make_bar_frame(struct tc_scene *s)
{
	struct tc_scene_systemui *ui = &s->systemui;
	struct tc_scene_surface *f = &ui->bar;
	int64_t k = s->slot;

	*f = (struct tc_scene_surface){ .layer = &s->bar_layer };
	f->buffer = &ui->buffers[ui->frame_number % 3];
	f->frame_number = ui->frame_number++;
	f->token = token(k, SYSTEMUI_TOKEN);
	f->expect = expect_app(s, k);
	f->start = f->expect.start + between_us(s, 80, 260);
	f->dequeue = f->start + share(s, 20, 30);
	f->queue = f->dequeue + share(s, 6, 12);
	f->acquire = f->queue + share(s, 6, 12);
	announce(s, f, f->queue + 200000);
}

/* A transaction without buffer, under the bar's token: it is posted, and that is all. */
static void
make_leash_frame(struct tc_scene *s)
{
	struct tc_scene_surface *f = &s->systemui.leash, *bar = &s->systemui.bar;

	*f = (struct tc_scene_surface){ .layer = &s->leash_layer, .token = bar->token };
	f->expect = bar->expect;
	f->start = bar->start;
	f->queue = f->acquire = bar->start + share(s, 12, 19);
}

static void
take_systemui_frames(struct tc_scene *s, struct tc_scene_display *d)
{
	unsigned causes = causes_at(s, s->slot);

	if (causes & BAR) {
		make_bar_frame(s);
		add_surface(d, &s->systemui.bar);
	}
	if (causes & LEASH) {
		make_leash_frame(s);
		add_surface(d, &s->systemui.leash);
	}
}

static void
latch_frame(struct tc_scene *s, struct tc_scene_display *d, struct tc_scene_surface *f)
{
	struct tc_scene_writer *w = &s->writer;

	if (f->dropped_at)
		return;
	set_end(f, d->latch);
	if (f->client)
		d->gpu = true;
	if (!f->buffer)
		return;
	tc_scene_trace_fence(w, f, TC_SCENE_ACQUIRE_FENCE, f->acquire, d->latch);
	tc_scene_trace_event(w, f, TC_SCENE_LATCH, d->latch, d->latch);
}

/* What SurfaceFlinger traces once it has handed the frame to the display. */
static void
present_frame(struct tc_scene *s, struct tc_scene_display *d, struct tc_scene_surface *f)
{
	struct tc_scene_writer *w = &s->writer;
	int64_t now = d->end + 100000;

	if (f->dropped_at || !f->buffer)
		return;
	if (f->client)
		tc_scene_trace_event(w, f, TC_SCENE_FALLBACK, d->end - 250000, now);
	tc_scene_trace_fence(w, f, TC_SCENE_PRESENT_FENCE, d->present, now);
}

/* SurfaceFlinger's own work, and the first vsync after it. */
static void
compose(struct tc_scene *s, struct tc_scene_display *d)
{
	int64_t k = s->slot, work = share(s, 15, 26);
	size_t i;

	d->latch = d->start + share(s, 2, 5);
	for (i = 0; i < d->n_surfaces; i++)
		latch_frame(s, d, d->surfaces[i]);
	if (d->gpu)
		work += share(s, 14, 22);
	if (causes_at(s, k) & SLOW)
		work += s->period * 63 / 100;
	d->end = d->latch + work;
	while (vsync(s, k) < d->end)
		k++;
	d->present = vsync(s, k) + between_us(s, 15, 110);
	for (i = 0; i < d->n_surfaces; i++)
		present_frame(s, d, d->surfaces[i]);
	slice(s, TC_SCENE_SF_PID, "commit", d->token, d->start, d->latch);
	slice(s, TC_SCENE_SF_PID, "composite", d->token, d->latch + 40000, d->end);
}

static void
judge(struct tc_scene *s, struct tc_scene_display *d)
{
	size_t i;

	tc_scene_judge_display(d, s->period);
	for (i = 0; i < d->n_surfaces; i++)
		tc_scene_judge_surface(d->surfaces[i], d, s->period);
	for (i = 0; i < d->n_surfaces; i++)
		if (!d->surfaces[i]->dropped_at)
			d->surfaces[i]->layer->last_latch = d->latch;
}

/* The buffer shown until now is free once another one is on the display. */
static void
release_shown(struct tc_scene *s, const struct tc_scene_display *d)
{
	struct tc_scene_app *app = &s->app;
	size_t i;

	for (i = 0; i < d->n_surfaces; i++) {
		const struct tc_scene_surface *f = d->surfaces[i];

		if (f->layer != &s->app_layer || f->dropped_at)
			continue;
		if (app->shown)
			app->shown->free_at = d->present + between_us(s, 150, 400);
		app->shown = f->buffer;
	}
}

static void
show_display(struct tc_scene *s, struct tc_scene_display *d)
{
	d->last_present = s->last_present;
	d->last_expected = s->last_expected;
	compose(s, d);
	judge(s, d);
	release_shown(s, d);
	tc_scene_write_display(&s->writer, d, s->period);
	s->last_present = d->present;
	s->last_expected = d->expect.present;
}

static void
run_flinger(struct tc_scene *s)
{
	struct tc_scene_display d = { .token = token(s->slot, SF_TOKEN) };
	size_t n;

	d.expect.start = flinger_wake(s, s->slot);
	d.expect.end = d.expect.present = vsync(s, s->slot);
	d.start = d.expect.start + between_us(s, 20, 120);
	announce_app_frames(s, d.start);
	if (d.start < s->last_present)
		return; /* it holds back while its last frame is not shown yet */
	n = take_app_frames(s, &d);
	take_systemui_frames(s, &d);
	if (d.n_surfaces > 0)
		show_display(s, &d);
	forget_app_frames(&s->app, n);
}

void
tc_scene_step(struct tc_scene *s)
{
	tc_scene_write_snapshot(&s->writer, flinger_wake(s, s->slot));
	run_app(s);
	run_flinger(s);
	if (s->ftrace)
		tc_scene_ftrace_run(s->ftrace, &s->writer,
			flinger_wake(s, s->slot - FTRACE_LAG) + s->writer.boot_offset);
	s->slot++;
}

int
tc_scene_finish(struct tc_scene *s)
{
	int64_t now = vsync(s, s->slot + 1);

	if (s->ftrace) {
		tc_scene_ftrace_run(s->ftrace, &s->writer, now + s->writer.boot_offset);
		tc_scene_ftrace_finish(s->ftrace, &s->writer);
	}
	tc_scene_flush_lanes(&s->writer);
	tc_scene_write_tail(&s->writer, now + 5 * TC_SCENE_MS);
	return tc_scene_writer_finish(&s->writer);
}
