/* android.surfaceflinger.frametimeline: expected and actual frames, with jank. */
#include "source/priv.h"

#include <stdlib.h>
#include <string.h>

#include "err/err.h"
#include "frames/frames.h"
#include "input/input.h"
#include "pb/pb.h"
#include "rec/rec.h"
#include "source/frame_ends.h"

/* Members of the oneof, in the order in which the first one present counts. */
enum member {
	EXPECTED_DISPLAY = 1,
	ACTUAL_DISPLAY = 2,
	EXPECTED_SURFACE = 3,
	ACTUAL_SURFACE = 4,
	FRAME_END = 5,
	MEMBERS = 6,
};

/* What the four start messages can say; their field numbers differ. */
enum what {
	NOTHING,
	COOKIE,
	TOKEN,
	DISPLAY_TOKEN,
	PID,
	LAYER_NAME,
	PRESENT,
	ON_TIME,
	GPU,
	JANK,
	PREDICTION,
	IS_BUFFER,
	SEVERITY,
	PRESENT_DELAY,
	JITTER,
	SCORE,
	JANK_EXPERIMENTAL,
	PRESENT_EXPERIMENTAL,
	METADATA,
	FENCE,
	ANIMATION_TIME,
	LATCHED_UNSIGNALED,
	ADDRESSABLE_UNSIGNALED,
	WHATS,
};

enum { MAX_FIELD = 20 };
enum { END_COOKIE = 1 }; /* of FrameEnd */

static const uint8_t layout[FRAME_END][MAX_FIELD + 1] = {
	[EXPECTED_DISPLAY] = { 0, COOKIE, TOKEN, PID },
	[ACTUAL_DISPLAY] = { 0, COOKIE, TOKEN, PID, PRESENT, ON_TIME, GPU, JANK,
		PREDICTION, SEVERITY, PRESENT_DELAY, SCORE, JANK_EXPERIMENTAL,
		PRESENT_EXPERIMENTAL, METADATA, LATCHED_UNSIGNALED,
		ADDRESSABLE_UNSIGNALED },
	[EXPECTED_SURFACE] = { 0, COOKIE, TOKEN, DISPLAY_TOKEN, PID, LAYER_NAME },
	[ACTUAL_SURFACE] = { 0, COOKIE, TOKEN, DISPLAY_TOKEN, PID, LAYER_NAME, PRESENT,
		ON_TIME, GPU, JANK, PREDICTION, IS_BUFFER, SEVERITY, PRESENT_DELAY,
		JITTER, SCORE, JANK_EXPERIMENTAL, PRESENT_EXPERIMENTAL, METADATA, FENCE,
		ANIMATION_TIME },
};

struct state {
	struct tc_timeline timeline;
	struct tc_frame_ends ends;
	int64_t expected_id, actual_id;

	/* Fields of records as text; p NULL: not needed so far. */
	struct tc_arena arena;
	struct tc_str *owners;  /* owned: by upid */
	struct tc_map verdicts; /* see verdict_text */

	struct rates *rates; /* owned: of machines with display frames */
	size_t rate_count, rate_cap;
	int64_t next_rate_ts; /* of the earliest span that is not written yet */
	bool has_estimates;
};

/* The refresh periods of one machine. */
struct rates {
	struct tc_rates rates;
	uint16_t machine;
	size_t put; /* spans written so far */
};

/*
 * Rows are of what a frame holds: struct tc_frame; struct tc_actual, of actual
 * frames; or this one, if there is something extra.
 */
struct extra_row {
	struct tc_actual actual; /* first */
	struct tc_actual_extra extra;
};

static void
release(void *state)
{
	struct state *s = state;
	size_t i;

	tc_timeline_release(&s->timeline);
	tc_frame_ends_release(&s->ends);
	for (i = 0; i < s->rate_count; i++)
		tc_rates_release(&s->rates[i].rates);
	free(s->rates);
	free(s->owners);
	tc_map_release(&s->verdicts);
	tc_arena_release(&s->arena);
}

/* A start message as it is read: what it says, by enum what. */
struct start {
	uint32_t seen;  /* bits: which numbers were there */
	uint32_t reals; /* and which floats */
	uint32_t layer;
	uint64_t num[WHATS];
	float real[WHATS];
};

/* An event that cannot be used at all. */
static void
count_fault(struct tc_decode *d)
{
	tc_trace_count(&d->trace, TC_STAT_TIMELINE_ERRORS);
	tc_trace_count(&d->trace, TC_STAT_TIMELINE_FAULTS);
}

static bool
is_float(enum what what)
{
	return what == PRESENT_DELAY || what == JITTER || what == SCORE ||
		what == METADATA || what == ANIMATION_TIME;
}

/* A value that the enum does not have is a fault. */
static uint8_t
enum_value(struct tc_decode *d, uint64_t value, uint8_t max)
{
	if (value <= max)
		return (uint8_t)value;
	tc_trace_count(&d->trace, TC_STAT_TIMELINE_FAULTS);
	return TC_FRAME_INVALID;
}

/*
 * Perfetto also counts an explicit 0 of these as an error, although it is what
 * SurfaceFlinger writes when it does not know.
 */
static uint8_t
strict_enum_value(struct tc_decode *d, uint64_t value, uint8_t max)
{
	if (value == 0 || value > max)
		tc_trace_count(&d->trace, TC_STAT_TIMELINE_ERRORS);
	return enum_value(d, value, max);
}

static bool
has(const struct start *s, enum what what)
{
	return s->seen >> what & 1;
}

static uint8_t
get_enum(struct tc_decode *d, const struct start *s, enum what what, uint8_t max)
{
	return has(s, what) ? enum_value(d, s->num[what], max) : TC_FRAME_ABSENT;
}

static uint8_t
get_strict_enum(struct tc_decode *d, const struct start *s, enum what what, uint8_t max)
{
	return has(s, what) ? strict_enum_value(d, s->num[what], max) : TC_FRAME_ABSENT;
}

static float
get_float(const struct start *s, enum what what)
{
	return s->reals >> what & 1 ? s->real[what] : NAN;
}

static int64_t
get_count(const struct start *s, enum what what)
{
	return has(s, what) ? (int64_t)s->num[what] : TC_NONE;
}

/* Values that no row gets are faults as well. */
static void
judge(struct tc_decode *d, const struct start *s, enum what what)
{
	if (what == PRESENT || what == PRESENT_EXPERIMENTAL)
		get_strict_enum(d, s, what, 5);
	else if (what == PREDICTION)
		get_strict_enum(d, s, what, 3);
	else if (what == SEVERITY || what == FENCE)
		get_enum(d, s, what, 3);
}

static void
judge_all(struct tc_decode *d, const struct start *s)
{
	enum what what;

	for (what = NOTHING; what < WHATS; what++)
		if (has(s, what))
			judge(d, s, what);
}

/* Of a number that comes twice the last one counts. */
static inline void
set_number(struct tc_decode *d, struct start *s, enum what what, uint64_t v)
{
	if (has(s, what))
		judge(d, s, what);
	s->seen |= UINT32_C(1) << what;
	s->num[what] = v;
}

/* As bits: what goes into struct tc_actual_extra. */
static const uint32_t extras = 1u << JITTER | 1u << JANK_EXPERIMENTAL |
	1u << PRESENT_EXPERIMENTAL | 1u << METADATA | 1u << FENCE | 1u << ANIMATION_TIME |
	1u << LATCHED_UNSIGNALED | 1u << ADDRESSABLE_UNSIGNALED;

static const struct tc_actual_extra no_extra = { .present = TC_FRAME_ABSENT,
	.fence = TC_FRAME_ABSENT,
	.metadata = NAN,
	.jitter = NAN,
	.animation_time = NAN,
	.latched_unsignaled = TC_NONE,
	.addressable_unsignaled = TC_NONE };

static void
read_start(struct tc_decode *d, const uint8_t *whats, struct tc_str bytes,
	const char *ahead, struct start *s)
{
	struct tc_pb r = tc_pb_init_ahead(bytes.p, bytes.len, ahead);
	struct tc_err ignored;
	struct tc_pb_field f;
	enum what what;
	uint64_t num;
	uint32_t id;
	int n;

	s->seen = s->reals = s->layer = 0;
	for (;;) {
		while (tc_pb_number(&r, &id, &num))
			set_number(d, s, (enum what)whats[id], num);
		n = tc_pb_next(&r, &f, &ignored);
		if (n <= 0)
			break;
		what = f.id <= MAX_FIELD ? (enum what)whats[f.id] : NOTHING;
		if (tc_pb_is(&f, TC_PB_VARINT)) {
			set_number(d, s, what, f.num);
		} else if (what == LAYER_NAME && tc_pb_is(&f, TC_PB_LEN)) {
			s->layer = tc_source_name(d, tc_pb_str(&f));
		} else if (is_float(what) && tc_pb_is(&f, TC_PB_I32)) {
			s->reals |= UINT32_C(1) << what;
			s->real[what] = tc_pb_float(&f);
		}
	}
	tc_source_nested(d, n);
}

/* Of an end, which is half of all events, there is only the cookie to read. */
static bool
read_end(struct tc_decode *d, struct tc_str bytes, const char *ahead, int64_t *cookie)
{
	struct tc_pb r = tc_pb_init_ahead(bytes.p, bytes.len, ahead);
	struct tc_err ignored;
	struct tc_pb_field f;
	bool found = false;
	uint64_t num;
	uint32_t id;
	int n;

	if (tc_pb_number(&r, &id, &num) && id == END_COOKIE) {
		*cookie = (int64_t)num;
		found = true;
	}
	while ((n = tc_pb_next(&r, &f, &ignored)) > 0) {
		if (f.id == END_COOKIE && tc_pb_is(&f, TC_PB_VARINT)) {
			*cookie = (int64_t)f.num;
			found = true;
		}
	}
	tc_source_nested(d, n);
	return found;
}

static uint32_t
required(enum member member)
{
	uint32_t need = 1u << COOKIE | 1u << TOKEN | 1u << PID;

	if (member == EXPECTED_SURFACE || member == ACTUAL_SURFACE)
		need |= 1u << DISPLAY_TOKEN;
	return need;
}

static void
keep_end(struct tc_decode *d, struct state *s, const struct tc_packet *p,
	struct tc_str bytes)
{
	struct tc_frame *end;
	int64_t cookie;

	if (!read_end(d, bytes, p->ahead, &cookie)) {
		count_fault(d);
		return;
	}
	if (tc_frame_ends_take(&s->ends, d, p, cookie))
		return;
	end = tc_source_space(d, p, sizeof(*end));
	if (!end)
		return;
	*end = (struct tc_frame){ .owner = d->current,
		.mark = TC_FRAME_IS_END,
		.machine = (uint16_t)p->machine,
		.dur = cookie };
}

static size_t
row_size(bool is_actual, bool has_extra)
{
	if (has_extra)
		return sizeof(struct extra_row);
	return is_actual ? sizeof(struct tc_actual) : sizeof(struct tc_frame);
}

/* What actual frames have on top of the others. */
static void
fill_actual(struct tc_decode *d, const struct start *s, struct tc_actual *a)
{
	a->frame.on_time = has(s, ON_TIME) && s->num[ON_TIME];
	a->frame.gpu = has(s, GPU) && s->num[GPU];
	a->jank_mask = has(s, JANK) ? (int32_t)s->num[JANK] : 0;
	a->present = get_strict_enum(d, s, PRESENT, 5);
	a->prediction = get_strict_enum(d, s, PREDICTION, 3);
	a->severity = get_enum(d, s, SEVERITY, 3);
	a->is_buffer = has(s, IS_BUFFER) ? s->num[IS_BUFFER] != 0 : TC_FRAME_ABSENT;
	a->present_delay = get_float(s, PRESENT_DELAY);
	a->score = get_float(s, SCORE);
}

static void
fill_extra(struct tc_decode *d, const struct start *s, struct tc_actual_extra *x)
{
	*x = (struct tc_actual_extra){
		.jank_mask = has(s, JANK_EXPERIMENTAL)
			? (int32_t)s->num[JANK_EXPERIMENTAL]
			: 0,
		.present = get_strict_enum(d, s, PRESENT_EXPERIMENTAL, 5),
		.metadata = get_float(s, METADATA),
		.fence = get_enum(d, s, FENCE, 3),
		.jitter = get_float(s, JITTER),
		.animation_time = get_float(s, ANIMATION_TIME),
		.latched_unsignaled = get_count(s, LATCHED_UNSIGNALED),
		.addressable_unsignaled = get_count(s, ADDRESSABLE_UNSIGNALED),
	};
}

static void
keep_start(struct tc_decode *d, struct state *state, const struct tc_packet *p,
	enum member member, struct tc_str bytes)
{
	bool is_actual = member == ACTUAL_DISPLAY || member == ACTUAL_SURFACE;
	bool is_surface = member == EXPECTED_SURFACE || member == ACTUAL_SURFACE;
	uint32_t need = required(member);
	struct extra_row *extra;
	struct tc_frame *row;
	struct start s;
	bool has_extra;

	read_start(d, layout[member], bytes, p->ahead, &s);
	has_extra = ((s.seen | s.reals) & extras) != 0;
	if ((s.seen & need) != need) {
		count_fault(d);
		judge_all(d, &s);
		return;
	}
	row = tc_source_space(d, p, row_size(is_actual, has_extra));
	if (!row) {
		judge_all(d, &s);
		return;
	}
	*row = (struct tc_frame){ .owner = d->current,
		.mark = TC_FRAME_IS_START,
		.is_actual = is_actual,
		.is_surface = is_surface,
		.has_extra = has_extra,
		.machine = (uint16_t)p->machine,
		.layer = s.layer,
		.upid = (uint32_t)s.num[PID],
		.token = (int64_t)s.num[TOKEN],
		.display_token = (int64_t)s.num[is_surface ? DISPLAY_TOKEN : TOKEN],
		.dur = (int64_t)s.num[COOKIE] };
	if (is_actual)
		fill_actual(d, &s, (struct tc_actual *)row);
	if (has_extra) {
		extra = (struct extra_row *)row;
		fill_extra(d, &s, &extra->extra);
	}
	tc_frame_ends_start(&state->ends, d, p, row);
}

/* The first member in the order of the oneof, whatever the order on the wire. */
static enum member
find_member(
	struct tc_decode *d, struct tc_str bytes, const char *ahead, struct tc_str *found)
{
	struct tc_pb r = tc_pb_init_ahead(bytes.p, bytes.len, ahead);
	enum member best = MEMBERS;
	struct tc_err ignored;
	struct tc_pb_field f;
	int n;

	while ((n = tc_pb_next(&r, &f, &ignored)) > 0) {
		if (f.id > (uint32_t)best || f.id >= MEMBERS || !tc_pb_is(&f, TC_PB_LEN))
			continue;
		best = (enum member)f.id;
		*found = tc_pb_str(&f);
	}
	tc_source_nested(d, n);
	return best;
}

static void
keep(struct tc_decode *d, void *state, const struct tc_packet *p)
{
	struct tc_str bytes;
	uint32_t only = tc_pb_only(p->data, &bytes);
	enum member member;

	if (only >= EXPECTED_DISPLAY && only <= FRAME_END)
		member = (enum member)only;
	else
		member = find_member(d, p->data, p->ahead, &bytes);
	if (member == MEMBERS)
		count_fault(d);
	else if (member == FRAME_END)
		keep_end(d, state, p, bytes);
	else
		keep_start(d, state, p, member, bytes);
}

static struct tc_rates *
rates_of(struct state *s, uint16_t machine)
{
	size_t i;

	for (i = 0; i < s->rate_count; i++)
		if (s->rates[i].machine == machine)
			return &s->rates[i].rates;
	tc_mem_grow(&s->rates, &s->rate_cap, s->rate_count + 1, sizeof(*s->rates));
	s->rates[s->rate_count] = (struct rates){ .machine = machine };
	return &s->rates[s->rate_count++].rates;
}

/* What a frame says of the refresh rate. A time far away would say too much. */
static void
learn_rate(struct tc_decode *d, struct state *s, int64_t ts, const struct tc_frame *f)
{
	static const int32_t changes = TC_JANK_MODE_CHANGE | TC_JANK_POWER_MODE_CHANGE;

	if (tc_source_outlier(d, ts) == 1)
		return;
	if (f->is_actual && ((const struct tc_actual *)f)->jank_mask & changes)
		tc_rates_change(rates_of(s, f->machine), ts);
	if (!f->is_actual && !f->is_surface)
		tc_rates_frame(rates_of(s, f->machine), ts);
}

static void
apply(struct tc_decode *d, void *state, int64_t ts, struct tc_row *base)
{
	struct tc_frame *f = (struct tc_frame *)base;
	struct state *s = state;
	uint32_t upid;

	if (ts >= TC_FRAME_MAX_TS) {
		count_fault(d);
		f->is_hidden = true;
		return;
	}
	if (f->mark == TC_FRAME_IS_END) {
		if (!tc_timeline_end(&s->timeline, ts, f->machine, f->dur))
			tc_trace_count(&d->trace, TC_STAT_TIMELINE_UNPAIRED);
		return;
	}
	upid = tc_procs_upid(&d->procs, f->machine, f->upid);
	if (f->mark == TC_FRAME_HAS_END)
		tc_timeline_whole(&s->timeline, tc_frame_ends_dur(f), upid, f);
	else
		tc_timeline_start(&s->timeline, ts, upid, f);
	learn_rate(d, s, ts, f);
}

static struct tc_str
token_text(int64_t token, char buf[24])
{
	return (struct tc_str){ buf, (uint32_t)(tc_json_write_int(buf, token) - buf),
		true };
}

/* Whether its process and layer are wanted. */
static bool
is_chosen(struct tc_decode *d, const struct tc_frame *f)
{
	return tc_source_has_process(d, f->upid) && tc_source_has_layer(d, f->layer);
}

static struct tc_str
make_owner(struct tc_decode *d, struct state *s, uint32_t upid)
{
	const struct tc_process *p = &d->procs.processes[upid];
	struct tc_rec_expected_frame rec = {
		.upid = upid, .pid = p->pid, .process = tc_strtab_str(&d->names, p->name)
	};

	if (!s->owners)
		s->owners = tc_mem_calloc(d->procs.process_count, sizeof(*s->owners));
	s->owners[upid] = tc_rec_expected_frame_owner(&s->arena, &rec);
	return s->owners[upid];
}

/* The process of a frame, of which there are few. */
static inline struct tc_str
owner_of(struct tc_decode *d, struct state *s, uint32_t upid)
{
	if (s->owners && s->owners[upid].p)
		return s->owners[upid];
	return make_owner(d, s, upid);
}

static void
put_expected(struct tc_decode *d, struct state *s, int64_t ts, const struct tc_frame *f,
	struct tc_out *o)
{
	const struct tc_process *p = &d->procs.processes[f->upid];
	int64_t id = s->expected_id++, dur = f->is_open ? -1 : f->dur;
	struct tc_rec_expected_frame rec;
	struct tc_rec_list edge;
	char name[24];

	if (!d->chosen.expected_frame || !is_chosen(d, f) ||
		!tc_source_has_time(d, ts, dur, &edge))
		return;
	rec = (struct tc_rec_expected_frame){
		.id = id,
		.ts = ts,
		.dur = dur,
		.upid = f->upid,
		.pid = p->pid,
		.process = tc_strtab_str(&d->names, p->name),
		.name = token_text(f->token, name),
		.surface_frame_token = f->is_surface ? f->token : TC_NONE,
		.display_frame_token = f->display_token,
		.layer_name = tc_strtab_str(&d->names, f->layer),
		.edge = edge,
		.outlier = tc_source_outlier(d, ts),
		.machine_id = tc_source_machine_id(d, f->machine),
		.trace = d->index,
		.owner = owner_of(d, s, f->upid),
	};
	tc_rec_put(o, &tc_rec_expected_frame, &rec);
}

static struct tc_str
is_buffer_text(const struct tc_actual *a)
{
	if (!a->frame.is_surface)
		return (struct tc_str){ 0 };
	if (a->is_buffer == TC_FRAME_ABSENT)
		return TC_STR("Unspecified");
	return a->is_buffer ? TC_STR("Yes") : TC_STR("No");
}

static struct tc_rec_experimental
experimental(
	bool is_surface, const struct tc_actual_extra *x, char jank[TC_JANK_TEXT_MAX])
{
	return (struct tc_rec_experimental){
		.present_type = tc_present_text(x->present),
		.jank_type = tc_jank_text(x->jank_mask, jank),
		.jank_mask = x->jank_mask,
		.jank_tag = tc_jank_tag(is_surface, x->jank_mask, x->present),
		.jank_metadata = x->metadata,
		.latched_unsignaled_count = x->latched_unsignaled,
		.addressable_unsignaled_latch_count = x->addressable_unsignaled,
	};
}

enum { MAX_VERDICTS = 1024 };

/* Where the text of verdicts like this is kept; NULL without a place for it. */
static struct tc_str *
verdict_text(struct state *s, const struct tc_actual *a)
{
	const struct tc_frame *f = &a->frame;
	uint64_t kind = (uint64_t)f->on_time | (uint64_t)f->gpu << 1 |
		(uint64_t)f->is_surface << 2 | (uint64_t)a->present << 8 |
		(uint64_t)a->prediction << 16 | (uint64_t)a->severity << 24;
	uint64_t *slot = tc_map_get(&s->verdicts, kind, (uint32_t)a->jank_mask);
	bool made;

	if (!slot && s->verdicts.used < MAX_VERDICTS) {
		slot = tc_map_put(&s->verdicts, kind, (uint32_t)a->jank_mask, &made);
		*slot = (uint64_t)(uintptr_t)tc_arena_calloc(
			&s->arena, sizeof(struct tc_str));
	}
	return slot ? (struct tc_str *)(uintptr_t)*slot : NULL;
}

/* Most frames are judged like others; scores are as many as there are late frames. */
static void
fill_verdict(struct state *s, const struct tc_actual *a, char jank[TC_JANK_TEXT_MAX],
	struct tc_rec_actual_frame *rec)
{
	float score = isnan(a->score) ? 0 : a->score;
	struct tc_str *text = score == 0 ? verdict_text(s, a) : NULL;

	if (text && text->p) {
		rec->verdict = *text;
		return;
	}
	rec->present_type = tc_present_text(a->present);
	rec->on_time_finish = a->frame.on_time;
	rec->gpu_composition = a->frame.gpu;
	rec->jank_type = tc_jank_text(a->jank_mask, jank);
	rec->jank_mask = a->jank_mask;
	rec->jank_tag = tc_jank_tag(a->frame.is_surface, a->jank_mask, a->present);
	rec->jank_severity_type = tc_severity_text(a->severity, a->jank_mask);
	rec->jank_score = score;
	rec->prediction_type = tc_prediction_text(a->prediction);
	if (text)
		*text = tc_rec_actual_frame_verdict(&s->arena, rec);
}

static void
put_actual(struct tc_decode *d, struct state *s, int64_t ts, const struct tc_actual *a,
	struct tc_out *o)
{
	const struct tc_frame *f = &a->frame;
	const struct tc_actual_extra *x =
		f->has_extra ? &((const struct extra_row *)a)->extra : &no_extra;
	const struct tc_process *p = &d->procs.processes[f->upid];
	int64_t id = s->actual_id++, dur = f->is_open ? -1 : f->dur;
	char name[24], jank[TC_JANK_TEXT_MAX], jank_x[TC_JANK_TEXT_MAX];
	struct tc_rec_experimental e;
	struct tc_rec_actual_frame rec;
	struct tc_rec_list edge;

	if (!d->chosen.actual_frame || !is_chosen(d, f) ||
		!tc_source_has_time(d, ts, dur, &edge))
		return;
	rec = (struct tc_rec_actual_frame){
		.id = id,
		.ts = ts,
		.dur = dur,
		.upid = f->upid,
		.pid = p->pid,
		.process = tc_strtab_str(&d->names, p->name),
		.name = token_text(f->token, name),
		.surface_frame_token = f->is_surface ? f->token : TC_NONE,
		.display_frame_token = f->display_token,
		.layer_name = tc_strtab_str(&d->names, f->layer),
		.edge = edge,
		.outlier = tc_source_outlier(d, ts),
		.machine_id = tc_source_machine_id(d, f->machine),
		.is_buffer = is_buffer_text(a),
		.present_delay_ms = a->present_delay,
		.vsync_resynced_jitter_ms = x->jitter,
		.animation_time_ms = x->animation_time,
		.latched_fence_state = tc_fence_text(x->fence),
		.trace = d->index,
		.owner = owner_of(d, s, f->upid),
	};
	fill_verdict(s, a, jank, &rec);
	if (d->with_experimental) {
		e = experimental(f->is_surface, x, jank_x);
		rec.experimental = &e;
	}
	tc_rec_put(o, &tc_rec_actual_frame, &rec);
}

/* Errors of the frame's time are found when it is applied, and then it has no record. */
bool
tc_source_actual_frame(const struct tc_trace_item *item, struct tc_input_frame *out)
{
	const struct tc_frame *f = item->row;

	if (f->owner != tc_source_place_of(&tc_source_frame_timeline) ||
		f->mark == TC_FRAME_IS_END || !f->is_actual || f->is_hidden)
		return false;
	*out = (struct tc_input_frame){
		.token = f->token,
		.display_token = f->display_token,
		.ts = item->ts,
		.dur = f->is_open ? -1 : f->dur,
		.upid = f->upid,
		.machine = f->machine,
		.is_surface = f->is_surface,
		.is_dropped =
			((const struct tc_actual *)f)->present == TC_PRESENT_DROPPED,
	};
	return true;
}

static void
put_rate(struct tc_decode *d, const struct tc_rate_span *span, uint16_t machine,
	struct tc_out *o)
{
	struct tc_rec_refresh_rate rec = {
		.ts = span->ts,
		.dur = span->dur,
		.period_ns = span->period_ns ? span->period_ns : TC_NONE,
		.source = TC_STR("expected_display_frames"),
		.machine_id = tc_source_machine_id(d, machine),
		.trace = d->index,
	};

	if (tc_source_has_time(d, span->ts, span->dur, &rec.edge))
		tc_rec_put(o, &tc_rec_refresh_rate, &rec);
}

/* Spans begin with display frames, so each is due before a row of its time. */
static void
put_rates(struct tc_decode *d, struct state *s, int64_t ts, struct tc_out *o)
{
	bool is_chosen = tc_choose_type(d->choose, "refresh_rate");
	struct rates *r;
	size_t i;

	for (i = 0; !s->has_estimates && i < s->rate_count; i++)
		tc_rates_estimate(&s->rates[i].rates);
	s->has_estimates = true;
	s->next_rate_ts = INT64_MAX;
	for (i = 0; is_chosen && i < s->rate_count; i++) {
		r = &s->rates[i];
		for (; r->put < r->rates.span_count; r->put++) {
			if (r->rates.spans[r->put].ts > ts)
				break;
			put_rate(d, &r->rates.spans[r->put], r->machine, o);
		}
		if (r->put < r->rates.span_count &&
			r->rates.spans[r->put].ts < s->next_rate_ts)
			s->next_rate_ts = r->rates.spans[r->put].ts;
	}
}

static void
put(struct tc_decode *d, void *state, int64_t ts, struct tc_row *base, struct tc_out *o)
{
	const struct tc_frame *f = (const struct tc_frame *)base;
	struct state *s = state;

	if (ts >= s->next_rate_ts)
		put_rates(d, s, ts, o);
	if (f->mark == TC_FRAME_IS_END || f->is_hidden)
		return;
	if (f->is_actual)
		put_actual(d, state, ts, (const struct tc_actual *)f, o);
	else
		put_expected(d, state, ts, f, o);
	d->frame_rows++;
}

const struct tc_source tc_source_frame_timeline = {
	.name = "android.surfaceflinger.frametimeline",
	.help = "when each frame was expected, when it was done, and whose fault it was",
	.field = TC_PACKET_FRAME_TIMELINE_EVENT,
	.has_frames = true,
	.state_size = sizeof(struct state),
	.keep = keep,
	.apply = apply,
	.put = put,
	.release = release,
};
