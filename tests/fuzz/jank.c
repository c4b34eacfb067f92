/*
 * Fuzz target of rows and of all that answers from them: each 12 bytes are a row of a
 * trace, with values of a few that matter. Every answer is a line of JSON, and the same
 * whatever the order of the rows.
 */
#include "fuzz.h"

#include <string.h>

#include "cli/cli.h"
#include "err/err.h"
#include "io/io.h"
#include "jank/jank.h"
#include "metrics/metrics.h"
#include "rec/rec.h"
#include "rows/rows.h"
#include "scenes/scenes.h"

enum { ROW = 12, MAX_ROWS = 400, ROOM = 8 * 1024 * 1024 };

static const int64_t numbers[] = { TC_NONE, -1, 0, 1, 2, 3, 5, 8, 100, 101, 110, 120, 200,
	16666666, INT64_MAX, INT64_MAX - 1, INT64_MIN + 1, -7 };

static const char *const texts[] = { NULL, "", "No Jank", "Self Jank", "Other Jank",
	"Dropped Frame", "Buffer Stuffing", "App Deadline Missed", "Display HAL",
	"Late Present", "Yes", "TX - L#1", "L#1", "L#2", "Choreographer#doFrame 5",
	"DrawFrames 5", "J<A>", "J<A>#FT#begin", "Running", "R", "S", "Latch", "Queue",
	"PresentFenceSignaled", "app_hold", "latch_to_present", "thread", "async",
	"surfaceflinger", "com.android.a", "exact", "SurfaceView[a]#3" };

struct input {
	const uint8_t *p;
};

static int64_t
number(struct input *in)
{
	return numbers[*in->p++ % (sizeof(numbers) / sizeof(numbers[0]))];
}

static int64_t
few(struct input *in, int64_t n)
{
	return *in->p++ % n;
}

static struct tc_str
text(struct input *in)
{
	const char *s = texts[*in->p++ % (sizeof(texts) / sizeof(texts[0]))];

	return s ? tc_str_of(s) : (struct tc_str){ 0 };
}

static const struct tc_rec_type *const types[] = { &tc_rec_expected_frame,
	&tc_rec_actual_frame, &tc_rec_phase, &tc_rec_buffer_event, &tc_rec_slice,
	&tc_rec_sched, &tc_rec_refresh_rate, &tc_rec_input_latency, &tc_rec_process,
	&tc_rec_thread, &tc_rec_marker };

static void *
field(const struct tc_rec_type *type, void *rec, size_t i)
{
	return (char *)rec + type->fields[i].offset;
}

/* The fields in turn get what the bytes say; ids differ, and there is one trace. */
static void
make_row(struct input *in, int64_t id, const struct tc_rec_type *type, void *rec)
{
	const uint8_t *end = in->p + ROW - 1;
	const char *key;
	size_t i;

	tc_rec_init(type, rec);
	for (i = 0; i < type->count; i++) {
		key = type->fields[i].key + 2;
		if (strncmp(key, "id\"", 3) == 0 || strncmp(key, "seq\"", 4) == 0)
			*(int64_t *)field(type, rec, i) = id;
		else if (strncmp(key, "trace\"", 6) == 0)
			*(int64_t *)field(type, rec, i) = 0;
		else if (in->p == end)
			continue;
		else if (strncmp(key, "machine_id", 10) == 0 ||
			strncmp(key, "upid", 4) == 0 || strncmp(key, "utid", 4) == 0)
			*(int64_t *)field(type, rec, i) = few(in, 3);
		else if (type->fields[i].kind == TC_REC_INT)
			*(int64_t *)field(type, rec, i) = number(in);
		else if (type->fields[i].kind == TC_REC_STR)
			*(struct tc_str *)field(type, rec, i) = text(in);
	}
	in->p = end;
}

static void
add_row(struct tc_rows *r, const uint8_t *bytes, int64_t id)
{
	struct input in = { bytes };
	const struct tc_rec_type *type =
		types[few(&in, sizeof(types) / sizeof(types[0]))];
	union {
		char bytes[2048];
		int64_t aligned;
	} rec;

	FUZZ_DEMAND(type->size <= sizeof(rec));
	make_row(&in, id, type, &rec);
	tc_rows_add(r, type, &rec);
}

static void
check_lines(const struct tc_out *o)
{
	static struct tc_json json;
	const char *p = o->buf, *end = o->buf + o->len, *newline;
	struct tc_json_val root;
	struct tc_err err;

	for (; p < end; p = newline + 1) {
		newline = memchr(p, '\n', (size_t)(end - p));
		FUZZ_DEMAND(newline);
		FUZZ_DEMAND(tc_json_parse(&json,
				    (struct tc_str){ p, (uint32_t)(newline - p), false },
				    &root, &err) == 0);
	}
}

static void
put_metric(void *out, const struct tc_rec_jank_metric *m)
{
	tc_rec_put(out, &tc_rec_jank_metric, m);
}

static void
put_frame(void *out, const struct tc_rec_frame_metrics *f)
{
	tc_rec_put(out, &tc_rec_frame_metrics, f);
}

static void
put_metrics(struct tc_rows *r, struct tc_out *out)
{
	struct tc_scenes scenes = { .cuj = true, .slices = "Choreo*" };
	struct tc_metrics m = { .sketch = true, .scenes = &scenes };
	struct tc_err err = { 0 };

	if (tc_scenes_make(&scenes, r, &err) == 0)
		tc_metrics_run(&m, r, put_metric, put_frame, out);
	tc_scenes_release(&scenes);
	scenes = (struct tc_scenes){ 0 };
	m.sketch = false;
	if (tc_scenes_make(&scenes, r, &err) == 0)
		tc_metrics_run(&m, r, put_metric, put_frame, out);
	tc_scenes_release(&scenes);
}

static void
answer(struct tc_rows *r, struct tc_out *out)
{
	tc_jank_put_frames(r, out);
	tc_jank_put_stats(r, out);
	tc_jank_put_display(r, out);
	tc_jank_put_phases(r, out);
	tc_jank_put_lags(r, out);
	tc_jank_put_missing(r, out);
	tc_jank_put_match(r, out);
	tc_jank_put_explain(r, out);
	put_metrics(r, out);
}

/* All answers, with the rows in their order or the other way round. */
static void
run(const uint8_t *bytes, size_t count, bool is_turned, struct tc_out *out)
{
	struct tc_cli cli = TC_CLI_INIT("fuzz", "");
	struct tc_rows r = { .kinds = ~0u };
	struct tc_err err = { 0 };
	size_t i, at;

	for (i = 0; i < count; i++) {
		at = is_turned ? count - 1 - i : i;
		add_row(&r, bytes + at * ROW, (int64_t)at);
	}
	if (tc_rows_settle(&r, &cli, &err) == 0)
		answer(&r, out);
	tc_rows_release(&r);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	static char *room[2];
	struct tc_out out[2];
	size_t count = len / ROW, i;

	if (count > MAX_ROWS)
		count = MAX_ROWS;
	for (i = 0; i < 2; i++) {
		room[i] = room[i] ? room[i] : malloc(ROOM);
		out[i] = (struct tc_out){ .fd = -1, .buf = room[i], .cap = ROOM };
		run(bytes, count, i == 1, &out[i]);
	}
	if (out[0].sys || out[1].sys)
		return 0;
	check_lines(&out[0]);
	FUZZ_DEMAND(out[0].len == out[1].len);
	FUZZ_DEMAND(memcmp(out[0].buf, out[1].buf, out[0].len) == 0);
	return 0;
}
