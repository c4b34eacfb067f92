#ifndef TC_JANK_JANK_H
#define TC_JANK_JANK_H
/*
 * jank: what the rows say of late frames.
 *
 * Each question is a function that writes its records, from rows that are settled.
 * Where a join has several candidates none is chosen, and what is not known stays
 * unknown.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mem/mem.h"

struct tc_out;
struct tc_rows;

/* Each app frame against its expectation. */
void tc_jank_put_frames(const struct tc_rows *r, struct tc_out *out);

/* Likewise, those alone that Perfetto's tag calls jank that somebody could see. */
void tc_jank_put_janky(const struct tc_rows *r, struct tc_out *out);

/* Counts by all that the platform says of frames; most rows first. */
void tc_jank_put_stats(const struct tc_rows *r, struct tc_out *out);

/* Each app frame and the display frame that showed it. */
void tc_jank_put_display(const struct tc_rows *r, struct tc_out *out);

/* Each phase of a buffer as it is; with rows->app, of layers that its frames name. */
void tc_jank_put_phases(const struct tc_rows *r, struct tc_out *out);

/* The phases that these buffers should have had and that are not in the trace. */
void tc_jank_put_missing(const struct tc_rows *r, struct tc_out *out);

/* Each app frame and what buffers did that may be it. */
void tc_jank_put_match(const struct tc_rows *r, struct tc_out *out);

/* What is known of each frame that was janky, late or dropped. */
void tc_jank_put_explain(const struct tc_rows *r, struct tc_out *out);

/* Each input event: how long it took, and what its thread did meanwhile. */
void tc_jank_put_lags(const struct tc_rows *r, struct tc_out *out);

/* The mean of so many durations, to the nanosecond; count is not 0. */
double tc_jank_mean_ms(int64_t sum_ns, int64_t count);

/* One line for a person, cut to `size` bytes. */
void tc_jank_summary(const struct tc_rows *r, char *text, size_t size);

/* Whether Perfetto's tag calls it jank that somebody could see. */
bool tc_jank_is_janky(struct tc_str tag);

#endif
