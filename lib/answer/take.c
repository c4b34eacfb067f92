/* What is taken in of the stream: rows of traces, or answers that others gave. */
#include "answer/priv.h"

#include "err/err.h"
#include "rec/rec.h"

static int
on_row(void *answer, struct tc_filter_run *run, const void *rec, struct tc_err *err)
{
	struct tc_answer *a = answer;

	(void)err;
	tc_rows_add(&a->rows, run->type, rec);
	return 0;
}

/* Of a marker without a name would come a scene that nobody asked for. */
static int
on_marker(void *answer, struct tc_filter_run *run, const void *rec, struct tc_err *err)
{
	return tc_scenes_check(rec, err) ? tc_filter_refuse(run, err)
					 : on_row(answer, run, rec, err);
}

static int
on_metric(void *answer, struct tc_filter_run *run, const void *rec, struct tc_err *err)
{
	const struct tc_rec_jank_metric *m = rec;
	struct tc_answer *a = answer;

	if (m->samples < 0 && m->samples != TC_NONE) {
		tc_err_set(err, TC_DATA, "jank_metric record: samples below 0");
		return tc_filter_refuse(run, err);
	}
	tc_rules_take_metric(&a->rules, &a->rows, m);
	return 0;
}

static int
on_device(void *answer, struct tc_filter_run *run, const void *rec, struct tc_err *err)
{
	struct tc_answer *a = answer;

	(void)run;
	(void)err;
	tc_rules_add_device(&a->rules, rec);
	return 0;
}

static int
on_merged(void *answer, struct tc_filter_run *run, const void *rec, struct tc_err *err)
{
	struct tc_answer *a = answer;
	int r = run->type == &tc_rec_jank_metric
		? tc_merge_add_metric(&a->merge, rec, err)
		: tc_merge_add_stats(&a->merge, rec, err);

	return r ? tc_filter_refuse(run, err) : 0;
}

static int
on_row_to_merge(
	void *answer, struct tc_filter_run *run, const void *rec, struct tc_err *err)
{
	struct tc_answer *a = answer;

	(void)run;
	(void)rec;
	(void)err;
	a->merge.has_rows = true;
	return 0;
}

const struct tc_filter_on tc_answer_merged[] = { { &tc_rec_jank_metric, on_merged, true },
	{ &tc_rec_jank_stats, on_merged, true },
	{ &tc_rec_actual_frame, on_row_to_merge, false }, { NULL, NULL, false } };

static int
on_compared(void *answer, struct tc_filter_run *run, const void *rec, struct tc_err *err)
{
	struct tc_answer *a = answer;

	return tc_compare_add(&a->compare, tc_filter_input(run), run->type, rec, err)
		? tc_filter_refuse(run, err)
		: 0;
}

const struct tc_filter_on tc_answer_compared[] = { { &tc_rec_trace, on_compared, false },
	{ &tc_rec_jank_metric, on_compared, true },
	{ &tc_rec_frame_metrics, on_compared, true },
	{ &tc_rec_actual_frame, on_compared, false }, { NULL, NULL, false } };

/* Rows of traces, which the answers replace, that no mode needs. */
static const struct tc_rec_type *const others[] = { &tc_rec_counter, &tc_rec_input_event,
	&tc_rec_input_dispatch, &tc_rec_clock };

static tc_filter_fn *
taker_of(const struct tc_rows_source *s)
{
	return s->type == &tc_rec_marker ? on_marker : on_row;
}

static struct tc_filter_on *
add_rows(struct tc_answer *a, struct tc_filter_on *on)
{
	const struct tc_rows_source *s;
	size_t i;

	for (s = tc_rows_sources; s->type; s++)
		*on++ = (struct tc_filter_on){ s->type,
			!s->kinds || (s->kinds & a->rows.kinds) ? taker_of(s) : NULL,
			s->is_trace_row };
	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		*on++ = (struct tc_filter_on){ others[i], NULL, true };
	return on;
}

void
tc_answer_make_table(struct tc_answer *a)
{
	struct tc_filter_on *on = a->on;
	size_t i;

	if (a->mode->takes) {
		for (i = 0; a->mode->takes[i].type; i++)
			*on++ = a->mode->takes[i];
		return;
	}
	a->rows.kinds = a->mode->kinds;
	if (a->has_missing)
		a->rows.kinds |= TC_ROWS_BUFFER;
	if (tc_answer_has(a->mode, TC_ANSWER_EDGE))
		a->rows.kinds |= tc_scenes_kinds(&a->scenes);
	on = add_rows(a, on);
	if (!a->rules_file)
		return;
	*on++ = (struct tc_filter_on){ &tc_rec_jank_metric, on_metric, false };
	*on++ = (struct tc_filter_on){ &tc_rec_device, on_device, false };
}
