/*
 * Packets. Each of the two frame data sources has a lane of its own, as each has a
 * writer thread and a sequence on a phone; lanes go into the file in batches, so
 * that packets are not in the order of time there.
 */
#include "scene.h"

#include <string.h>

enum {
	PREDICTION_VALID = 1,
	PREDICTION_EXPIRED = 2,
	LEVEL = 6,
	MIN_GROUP = 64 << 10,
	MAX_GROUP = 100 << 10, /* when it is full; one batch may come on top */
	MIN_BATCH = 3 << 10,
	MAX_BATCH = 24 << 10,
};

/* The phone slept so long before the trace began. */
#define SUSPENDED INT64_C(11523456789012)
/* Where the start of a frame is forgotten, so long before its end is taken for it. */
#define EXPIRED_LENGTH (2 * TC_SCENE_MS)

void
tc_scene_writer_init(struct tc_scene_writer *w, const struct tc_scene_opts *opts, int fd)
{
	*w = (struct tc_scene_writer){ .mix = opts->mix, .boot_offset = SUSPENDED };
	w->rng.state = opts->seed ^ UINT64_C(0x77726974); /* independent of the story */
	w->cookie = 75177;
	w->timeline.sequence = TC_SCENE_SEQ_TIMELINE;
	w->tracer.sequence = TC_SCENE_SEQ_TRACER;
	tc_gen_out_init(&w->file, fd);
	tc_gen_out_init(&w->group, -1);
	tc_gen_out_init(&w->timeline.out, -1);
	tc_gen_out_init(&w->tracer.out, -1);
	if (opts->deflate)
		w->group_bytes = MIN_GROUP;
}

void
tc_scene_writer_release(struct tc_scene_writer *w)
{
	tc_gen_out_release(&w->file);
	tc_gen_out_release(&w->group);
	tc_gen_out_release(&w->timeline.out);
	tc_gen_out_release(&w->tracer.out);
}

static void
put_group(struct tc_scene_writer *w)
{
	static const Tc__TracePacket packet = TC__TRACE_PACKET__INIT;

	if (w->group.buf.len > 0)
		tc_gen_put_deflated(&w->file, &packet, &w->group.buf, LEVEL, false);
	w->group.buf.len = 0;
	w->group_bytes = (size_t)tc_scene_between(&w->rng, MIN_GROUP, MAX_GROUP);
}

/* A group holds whole packets, and with one more batch stays below 128 KiB. */
static void
put_batch(struct tc_scene_writer *w, struct tc_scene_lane *lane)
{
	const struct tc_gen_buf *b = &lane->out.buf;

	tc_gen_put_bytes(w->group_bytes ? &w->group : &w->file, b->bytes, b->len);
	if (w->group_bytes && w->group.buf.len >= w->group_bytes)
		put_group(w);
	lane->out.buf.len = 0;
	lane->batch_bytes = (size_t)tc_scene_between(&w->rng, MIN_BATCH, MAX_BATCH);
}

void
tc_scene_write_payload(struct tc_scene_writer *w, const uint8_t *bytes, size_t len)
{
	if (!w->group_bytes) {
		tc_gen_put_payload(&w->file, bytes, len);
		return;
	}
	tc_gen_put_payload(&w->group, bytes, len);
	if (w->group.buf.len >= w->group_bytes)
		put_group(w);
}

void
tc_scene_write_packet(struct tc_scene_writer *w, const Tc__TracePacket *packet)
{
	if (!w->group_bytes) {
		tc_gen_put_packet(&w->file, packet);
		return;
	}
	tc_gen_put_packet(&w->group, packet);
	if (w->group.buf.len >= w->group_bytes)
		put_group(w);
}

void
tc_scene_set_origin(Tc__TracePacket *p, uint32_t sequence, int32_t uid)
{
	p->has_trusted_packet_sequence_id = 1;
	p->trusted_packet_sequence_id = sequence;
	p->has_trusted_uid = 1;
	p->trusted_uid = uid;
}

void
tc_scene_set_time(Tc__TracePacket *p, int64_t ts)
{
	p->has_timestamp = 1;
	p->timestamp = (uint64_t)ts;
}

/* A packet of SurfaceFlinger's. The first of a lane says that there is none before. */
static void
put_in_lane(struct tc_scene_writer *w, struct tc_scene_lane *lane, Tc__TracePacket *p,
	int64_t ts, uint32_t clock)
{
	size_t before = lane->out.buf.len;

	tc_scene_set_origin(p, lane->sequence, TC_SCENE_UID_SYSTEM);
	tc_scene_set_time(p, ts);
	p->has_timestamp_clock_id = 1;
	p->timestamp_clock_id = clock;
	p->has_trusted_pid = 1;
	p->trusted_pid = TC_SCENE_SF_PID;
	if (!lane->started) {
		p->has_previous_packet_dropped = p->has_first_packet_on_sequence = 1;
		p->previous_packet_dropped = 1;
		p->first_packet_on_sequence = 1;
		lane->started = true;
	}
	tc_gen_put_packet(&lane->out, p);
	w->frame_bytes += lane->out.buf.len - before;
	if (lane->out.buf.len >= lane->batch_bytes)
		put_batch(w, lane);
}

/* SurfaceFlinger adds the time suspended itself, and says BOOTTIME. */
static void
put_timeline(struct tc_scene_writer *w, int64_t ts, Tc__FrameTimelineEvent *event)
{
	Tc__TracePacket p = TC__TRACE_PACKET__INIT;

	p.frame_timeline_event = event;
	put_in_lane(w, &w->timeline, &p, ts + w->boot_offset, TC_SCENE_CLOCK_BOOTTIME);
}

static void
put_end(struct tc_scene_writer *w, int64_t ts)
{
	Tc__FrameTimelineEvent event = TC__FRAME_TIMELINE_EVENT__INIT;
	Tc__FrameTimelineEvent__FrameEnd end = TC__FRAME_TIMELINE_EVENT__FRAME_END__INIT;

	end.has_cookie = 1;
	end.cookie = w->cookie++;
	event.frame_end = &end;
	put_timeline(w, ts, &event);
}

static void
put_expected_display(struct tc_scene_writer *w, const struct tc_scene_display *d)
{
	Tc__FrameTimelineEvent event = TC__FRAME_TIMELINE_EVENT__INIT;
	Tc__FrameTimelineEvent__ExpectedDisplayFrameStart f =
		TC__FRAME_TIMELINE_EVENT__EXPECTED_DISPLAY_FRAME_START__INIT;

	f.has_cookie = f.has_token = f.has_pid = 1;
	f.cookie = w->cookie;
	f.token = d->token;
	f.pid = TC_SCENE_SF_PID;
	event.expected_display_frame_start = &f;
	put_timeline(w, d->expect.start, &event);
	put_end(w, d->expect.end);
}

static void
put_actual_display(struct tc_scene_writer *w, int64_t token, bool gpu,
	const struct tc_scene_verdict *v, int64_t start, int64_t end)
{
	Tc__FrameTimelineEvent event = TC__FRAME_TIMELINE_EVENT__INIT;
	Tc__FrameTimelineEvent__ActualDisplayFrameStart f =
		TC__FRAME_TIMELINE_EVENT__ACTUAL_DISPLAY_FRAME_START__INIT;

	f.has_cookie = f.has_token = f.has_pid = f.has_present_type = 1;
	f.has_on_time_finish = f.has_gpu_composition = f.has_jank_type = 1;
	f.has_prediction_type = 1;
	f.cookie = w->cookie;
	f.token = token;
	f.pid = TC_SCENE_SF_PID;
	f.present_type = v->present;
	f.on_time_finish = v->on_time;
	f.gpu_composition = gpu;
	f.jank_type = (int32_t)v->jank;
	f.prediction_type = PREDICTION_VALID;
	event.actual_display_frame_start = &f;
	put_timeline(w, start, &event);
	put_end(w, end);
}

static void
put_expected_surface(
	struct tc_scene_writer *w, int64_t display, const struct tc_scene_surface *s)
{
	Tc__FrameTimelineEvent event = TC__FRAME_TIMELINE_EVENT__INIT;
	Tc__FrameTimelineEvent__ExpectedSurfaceFrameStart f =
		TC__FRAME_TIMELINE_EVENT__EXPECTED_SURFACE_FRAME_START__INIT;

	f.has_cookie = f.has_token = f.has_display_frame_token = f.has_pid = 1;
	f.has_layer_name = 1;
	f.cookie = w->cookie;
	f.token = s->token;
	f.display_frame_token = display;
	f.pid = s->layer->pid;
	f.layer_name = tc_gen_text_bytes(s->layer->timeline_name);
	event.expected_surface_frame_start = &f;
	put_timeline(w, s->expect.start, &event);
	put_end(w, s->expect.end);
}

static void
put_actual_surface(
	struct tc_scene_writer *w, int64_t display, const struct tc_scene_surface *s)
{
	Tc__FrameTimelineEvent event = TC__FRAME_TIMELINE_EVENT__INIT;
	Tc__FrameTimelineEvent__ActualSurfaceFrameStart f =
		TC__FRAME_TIMELINE_EVENT__ACTUAL_SURFACE_FRAME_START__INIT;
	int64_t end = s->dropped_at ? s->dropped_at : s->end;

	f.has_cookie = f.has_token = f.has_display_frame_token = f.has_pid = 1;
	f.has_layer_name = f.has_present_type = f.has_on_time_finish = 1;
	f.has_gpu_composition = f.has_jank_type = f.has_prediction_type = 1;
	f.has_is_buffer = 1;
	f.cookie = w->cookie;
	f.token = s->token;
	f.display_frame_token = display;
	f.pid = s->layer->pid;
	f.layer_name = tc_gen_text_bytes(s->layer->timeline_name);
	f.present_type = s->verdict.present;
	f.on_time_finish = s->verdict.on_time;
	f.gpu_composition = s->client;
	f.jank_type = (int32_t)s->verdict.jank;
	f.prediction_type = s->expired ? PREDICTION_EXPIRED : PREDICTION_VALID;
	f.is_buffer = s->buffer != NULL;
	event.actual_surface_frame_start = &f;
	put_timeline(w, s->expired ? end - EXPIRED_LENGTH : s->start, &event);
	put_end(w, end);
}

/*
 * The frame whose place in a gap between two display frames stayed empty, though it
 * was not the app's fault: SurfaceFlinger shows the gap as a skipped frame.
 */
static const struct tc_scene_surface *
find_skipped(const struct tc_scene_display *d, int64_t period)
{
	const struct tc_scene_surface *s;
	const unsigned own = TC_SCENE_JANK_APP | TC_SCENE_JANK_UNKNOWN;
	size_t i;

	if (!d->last_expected || d->expect.present - d->last_expected < period * 3 / 2)
		return NULL;
	for (i = 0; i < d->n_surfaces; i++) {
		s = d->surfaces[i];
		if (!s->expired && !(s->verdict.jank & own) &&
			s->verdict.jank != TC_SCENE_JANK_NONE &&
			s->expect.present > d->last_expected + period / 2 &&
			s->expect.present < d->expect.present - period / 2)
			return s;
	}
	return NULL;
}

void
tc_scene_write_display(
	struct tc_scene_writer *w, const struct tc_scene_display *d, int64_t period)
{
	static const struct tc_scene_verdict skipped_verdict = { TC_SCENE_PRESENT_DROPPED,
		true, TC_SCENE_JANK_DROPPED };
	const struct tc_scene_surface *skipped = find_skipped(d, period);
	size_t i;

	put_expected_display(w, d);
	put_actual_display(w, d->token, d->gpu, &d->verdict, d->start, d->present);
	for (i = 0; i < d->n_surfaces; i++) {
		if (!d->surfaces[i]->expired)
			put_expected_surface(w, d->token, d->surfaces[i]);
		put_actual_surface(w, d->token, d->surfaces[i]);
	}
	if (skipped)
		put_actual_display(w, 0, false, &skipped_verdict, skipped->expect.end,
			skipped->expect.present);
}

/* The tracer writes MONOTONIC time, and says so. */
static void
put_buffer_event(struct tc_scene_writer *w, const struct tc_scene_surface *s,
	enum tc_scene_buffer_event type, uint32_t frame_number, int64_t ts)
{
	Tc__TracePacket p = TC__TRACE_PACKET__INIT;
	Tc__GraphicsFrameEvent event = TC__GRAPHICS_FRAME_EVENT__INIT;
	Tc__GraphicsFrameEvent__BufferEvent e =
		TC__GRAPHICS_FRAME_EVENT__BUFFER_EVENT__INIT;

	e.has_frame_number = e.has_type = e.has_layer_name = e.has_buffer_id = 1;
	e.frame_number = frame_number;
	e.type = (int32_t)type;
	e.layer_name = tc_gen_text_bytes(s->layer->tracer_name);
	e.buffer_id = s->buffer->id;
	event.buffer_event = &e;
	p.graphics_frame_event = &event;
	put_in_lane(w, &w->tracer, &p, ts, TC_SCENE_CLOCK_MONOTONIC);
}

static void
put_signalled(struct tc_scene_writer *w, const struct tc_scene_surface *s, int64_t now)
{
	struct tc_scene_buffer *b = s->buffer;
	size_t i, kept = 0;

	for (i = 0; i < b->n_pending; i++) {
		struct tc_scene_fence f = b->pending[i];

		if (f.signal <= now)
			put_buffer_event(w, s, f.type, f.frame_number, f.signal);
		else
			b->pending[kept++] = f;
	}
	b->n_pending = kept;
}

void
tc_scene_trace_event(struct tc_scene_writer *w, struct tc_scene_surface *f,
	enum tc_scene_buffer_event type, int64_t ts, int64_t now)
{
	put_signalled(w, f, now);
	put_buffer_event(w, f, type, f->frame_number, ts);
}

void
tc_scene_trace_fence(struct tc_scene_writer *w, struct tc_scene_surface *f,
	enum tc_scene_buffer_event type, int64_t signal, int64_t now)
{
	struct tc_scene_buffer *b = f->buffer;

	put_signalled(w, f, now);
	if (signal <= now)
		put_buffer_event(w, f, type, f->frame_number, signal);
	else if (b->n_pending < TC_SCENE_MAX_PENDING)
		b->pending[b->n_pending++] =
			(struct tc_scene_fence){ type, f->frame_number, signal };
}

void
tc_scene_flush_lanes(struct tc_scene_writer *w)
{
	put_batch(w, &w->timeline);
	put_batch(w, &w->tracer);
}

int
tc_scene_writer_finish(struct tc_scene_writer *w)
{
	if (w->group_bytes)
		put_group(w);
	return tc_gen_flush(&w->file);
}
