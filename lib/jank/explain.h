#ifndef TC_JANK_EXPLAIN_H
#define TC_JANK_EXPLAIN_H
/*
 * Inside jank: what is known of one frame that was janky, late or dropped.
 *
 * A case is filled in part by part: what the platform says, which stretches of its
 * way were long, what its threads did, by which path it came. What a part cannot
 * tell it says itself. All that is made for a case lives in its arena.
 */
#include "jank/match.h"
#include "rec/rec.h"

enum {
	TC_JANK_MAX_STRETCHES = 6,
	TC_JANK_MAX_THREADS = 16,
	TC_JANK_MAX_UNKNOWN = 12,
	TC_JANK_MAX_HINTS = 4,
	TC_JANK_MAX_EVIDENCE = 8,
	TC_JANK_MAX_BLAME = 8
};

/* What holds for all cases. */
struct tc_jank_facts {
	const struct tc_rows *rows;
	struct tc_jank_layers layers;
	bool *has_slices;              /* owned: by place: of frames */
	bool *has_states;              /* owned: by place */
	bool *has_do_frames;           /* owned: by process */
	struct tc_map presents;        /* (layer, process) to an index into last */
	struct tc_jank_presents *last; /* owned */
	size_t last_count, last_cap;
};

/* When frames of a layer were presented last: two different times, or TC_NONE. */
struct tc_jank_presents {
	int64_t last, before;
};

struct tc_jank_case {
	const struct tc_jank_facts *facts;
	const struct tc_rows *rows;
	struct tc_arena *arena; /* borrowed */
	const struct tc_rows_actual *a;
	const struct tc_rows_group *group;
	const struct tc_rows_verdict *verdict;
	const struct tc_rows_expected *expected; /* the one that counts, or NULL */
	size_t expected_count;
	struct tc_jank_match match;
	const struct tc_jank_candidate *best; /* or NULL */
	int64_t period;
	int64_t present_before; /* when the layer's frame before was presented */
	int64_t mask;           /* of the trace's numbering, or TC_NONE */
	bool has_do_frame, has_draw_frame;

	struct tc_str class, path;
	struct tc_str blame[TC_JANK_MAX_BLAME];
	struct tc_rec_jank_cause_stretch stretches[TC_JANK_MAX_STRETCHES];
	struct tc_rec_jank_cause_thread threads[TC_JANK_MAX_THREADS];
	struct tc_str evidence[TC_JANK_MAX_EVIDENCE];
	struct tc_rec_jank_cause_unknown unknown[TC_JANK_MAX_UNKNOWN];
	struct tc_rec_jank_cause_hint hints[TC_JANK_MAX_HINTS];
	size_t blame_count, stretch_count, thread_count, evidence_count, unknown_count,
		hint_count;
};

void tc_jank_facts_init(struct tc_jank_facts *f, const struct tc_rows *r);
void tc_jank_facts_release(struct tc_jank_facts *f);

/* blame.c: whether there is something to explain, and whom the platform blames. */
int64_t tc_jank_mask(const struct tc_rows *r, const struct tc_rows_actual *a);
bool tc_jank_is_case(const struct tc_rows *r, const struct tc_rows_actual *a);
void tc_jank_blame(struct tc_jank_case *c);

/* stretches.c, threads.c, path.c */
void tc_jank_stretches(struct tc_jank_case *c);
void tc_jank_threads(struct tc_jank_case *c);
void tc_jank_path(struct tc_jank_case *c);

/* How much later than expected it began, or TC_NONE. */
int64_t tc_jank_began_late_ns(const struct tc_jank_case *c);

/* Both take literals. */
void tc_jank_not_known(struct tc_jank_case *c, const char *what, const char *why);
void tc_jank_hint(
	struct tc_jank_case *c, const char *source, const char *target, const char *text);

/* One sentence for a person. */
struct tc_str tc_jank_case_text(const struct tc_jank_case *c);

#endif
