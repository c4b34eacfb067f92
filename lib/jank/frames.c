#include "jank/priv.h"

#include "cli/cli.h"
#include "io/io.h"
#include "rec/rec.h"
#include "rows/rows.h"

/* The tag's own words for what is no jank, or none that anybody could see. */
bool
tc_jank_is_janky(struct tc_str tag)
{
	static const char *const fine[] = { "No Jank", "Unspecified",
		"Non-perceivable Jank" };
	size_t i;

	for (i = 0; i < sizeof(fine) / sizeof(fine[0]); i++)
		if (tc_str_eq(tag, tc_str_of(fine[i])))
			return false;
	return tag.p != NULL;
}

double
tc_jank_ms(double ns)
{
	return ns / (double)TC_MS;
}

struct tc_str
tc_jank_duration_status(int64_t dur)
{
	if (dur == TC_NONE)
		return (struct tc_str){ 0 };
	if (dur == -1)
		return TC_STR("open");
	if (dur < 0)
		return TC_STR("invalid");
	return dur ? TC_STR("closed-positive") : TC_STR("zero");
}

double
tc_jank_known_ms(int64_t ns)
{
	return ns == TC_NONE ? (double)NAN : tc_jank_ms((double)ns);
}

int64_t
tc_jank_late_ns(const struct tc_rows *r, const struct tc_rows_actual *a)
{
	const struct tc_rows_expected *e = tc_rows_only(tc_rows_expectation(r, a));

	return tc_rows_minus(tc_rows_end(a->ts, a->dur), tc_rows_expected_end(e));
}

static void
put_frame(const struct tc_rows *r, const struct tc_rows_actual *a, struct tc_out *out)
{
	const struct tc_rows_group *c = tc_rows_group_of(r, a->group);
	const struct tc_rows_proc *p = tc_rows_proc_of(r, a->group);
	const struct tc_rows_expected *e = tc_rows_expectation(r, a);
	bool is_one = e && e->count == 1;
	struct tc_rec_jank_frame rec = {
		.actual_id = a->id,
		.upid = p->upid,
		.pid = c->pid,
		.process = tc_rows_text(r, p->name),
		.layer_name = tc_rows_text(r, c->layer),
		.surface_frame_token = a->token,
		.display_frame_token = a->display_token,
		.is_buffer = tc_rows_text(r, c->is_buffer),
		.actual_ts_ns = a->ts,
		.raw_actual_dur_ns = a->dur,
		.actual_duration_status = tc_jank_duration_status(a->dur),
		.expected_count = e ? e->count : 0,
		.expected_id = is_one ? e->id : TC_NONE,
		.expected_ts_ns = is_one ? e->ts : TC_NONE,
		.expected_dur_ns = is_one ? e->dur : TC_NONE,
		.end_delta_ms = tc_jank_known_ms(tc_jank_late_ns(r, a)),
		.present_type = tc_rows_text(r, c->present),
		.on_time_finish = c->on_time,
		.jank_tag = tc_rows_text(r, c->tag),
		.jank_type = tc_rows_text(r, c->type),
		.machine_id = r->places.at[p->place].machine,
		.trace = r->places.at[p->place].trace,
	};

	tc_rec_put(out, &tc_rec_jank_frame, &rec);
}

static void
put_frames(const struct tc_rows *r, struct tc_out *out, bool only_janky)
{
	const struct tc_rows_actual *a;
	struct tc_str tag;
	size_t i;

	for (i = 0; i < r->actual.count && !out->sys; i++) {
		a = &r->actual.at[i];
		if (!tc_rows_proc_of(r, a->group)->is_chosen)
			continue;
		tag = tc_rows_text(r, tc_rows_group_of(r, a->group)->tag);
		if (!only_janky || tc_jank_is_janky(tag))
			put_frame(r, a, out);
	}
}

void
tc_jank_put_frames(const struct tc_rows *r, struct tc_out *out)
{
	put_frames(r, out, false);
}

void
tc_jank_put_janky(const struct tc_rows *r, struct tc_out *out)
{
	put_frames(r, out, true);
}
