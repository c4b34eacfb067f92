#ifndef TC_METRICS_METRICS_H
#define TC_METRICS_METRICS_H
/*
 * metrics: numbers about frames, each after a definition that it names.
 *
 * "Jank" is defined in many ways that do not agree, so a metric says whose definition
 * it follows, and none is a mixture of two. A number belongs to a process or one of its
 * layers, to a span with one refresh rate, and to a repetition of a scenario where
 * there are such. It carries what it was made of, integers, so that the numbers of many
 * traces combine into the same whatever the order. What cannot be said is unknown, with
 * the reason: nothing shown is not 0 frames per second.
 *
 * Records that are handed out borrow from the rows and from storage that lasts for the
 * call alone.
 */
#include <stdbool.h>
#include <stdint.h>

#include "err/err.h"
#include "rows/rows.h"

struct tc_rec_frame_metrics;
struct tc_rec_jank_metric;
struct tc_scenes;

/* What a metric is told apart by, besides the process, the span and the scenario. */
enum tc_metrics_per {
	TC_METRICS_LAYER,   /* each layer; a frame that several show counts in each */
	TC_METRICS_PROCESS, /* the process */
	TC_METRICS_CUJ,     /* each interaction of the process that marks itself */
};

struct tc_metrics_def {
	const char *name, *definition, *unit;
	const char *combine; /* sum, ratio, max, distribution */
	enum tc_metrics_per per;
	bool needs_rate; /* unknown where the refresh rate is */
	double scale;    /* what makes num / den the value */
	int worse;       /* 1: higher is worse, -1: lower, 0: neither */
	bool is_signed;  /* its zero lies in the middle and is no base for a share */
	/* Fields of the record that hold its numbers, ended by NULL. */
	const char *const *statistics;
};

/* All metrics, ended by one without name; and one by name, or NULL. */
extern const struct tc_metrics_def tc_metrics_defs[];
const struct tc_metrics_def *tc_metrics_find(const char *name);

/* -1 with this code of a name that is none, and one that may have been meant by it. */
int tc_metrics_refuse(const char *name, enum tc_code code, struct tc_err *err);

struct tc_metrics {
	bool sketch;                    /* distributions that can be combined */
	const struct tc_scenes *scenes; /* NULL: each trace as a whole */
	const bool *skips; /* by place: nothing is said of it; NULL: of every one */
};

/* What the rows must hold, of enum tc_rows_kind. */
enum {
	TC_METRICS_KINDS = TC_ROWS_FRAME | TC_ROWS_DISPLAY | TC_ROWS_SLICE | TC_ROWS_RATE
};

typedef void tc_metrics_fn(void *ctx, const struct tc_rec_jank_metric *m);
typedef void tc_metrics_frame_fn(void *ctx, const struct tc_rec_frame_metrics *f);

/* From rows that are settled. Either function may be NULL. */
void tc_metrics_run(const struct tc_metrics *m, const struct tc_rows *r,
	tc_metrics_fn *fn, tc_metrics_frame_fn *frame_fn, void *ctx);

#endif
