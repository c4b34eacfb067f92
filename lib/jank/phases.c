#include "jank/priv.h"

#include <string.h>

#include "io/io.h"
#include "jank/layers.h"
#include "rec/rec.h"
#include "rows/rows.h"

/* What follows the kind of track in a track's name: `1 layer` of `APP_1 layer`. */
static struct tc_str
suffix_of(struct tc_str track)
{
	const char *mark = track.p ? memchr(track.p, '_', track.len) : NULL;
	size_t skip = mark ? (size_t)(mark - track.p) + 1 : 0;

	if (!mark)
		return (struct tc_str){ 0 };
	return (struct tc_str){ track.p + skip, track.len - (uint32_t)skip,
		track.is_plain };
}

static void
put_phase(const struct tc_rows *r, const struct tc_rows_phase *p, struct tc_out *out)
{
	const struct tc_rows_buffer *b = tc_rows_buffer_of(r, p->buffer);
	struct tc_rec_jank_phase rec;

	tc_rec_init(&tc_rec_jank_phase, &rec);
	rec.phase_slice_id = p->id;
	rec.track = tc_rows_text(r, b->track);
	rec.ts_ns = p->ts;
	rec.raw_dur_ns = p->dur;
	rec.layer_name = tc_rows_text(r, b->layer);
	rec.frame_number = p->frame_number;
	rec.phase_name = tc_rows_text(r, b->name);
	if (b->buffer_id != TC_NONE)
		rec.buffer_track_suffix = suffix_of(rec.track);
	rec.duration_status = tc_jank_duration_status(p->dur);
	if (p->dur >= 0)
		rec.duration_ms = tc_jank_ms((double)p->dur);
	rec.machine_id = r->places.at[p->place].machine;
	rec.trace = r->places.at[p->place].trace;
	tc_rec_put(out, &tc_rec_jank_phase, &rec);
}

/* Whether an app was asked for and this is not of its layers. */
static bool
is_left_out(
	const struct tc_rows *r, struct tc_jank_layers *l, const struct tc_rows_phase *p)
{
	const struct tc_rows_buffer *b = tc_rows_buffer_of(r, p->buffer);
	uint32_t layer;

	if (!r->app)
		return false;
	layer = tc_jank_layer(l, p->place, tc_rows_text(r, b->layer));
	return layer == TC_ROWS_NO || !l->at[layer].is_chosen;
}

void
tc_jank_put_phases(const struct tc_rows *r, struct tc_out *out)
{
	struct tc_jank_layers l = { 0 };
	size_t i;

	tc_jank_layers_choose(&l, r);
	for (i = 0; i < r->phases.count && !out->sys; i++)
		if (!is_left_out(r, &l, &r->phases.at[i]))
			put_phase(r, &r->phases.at[i], out);
	tc_jank_layers_release(&l);
}
