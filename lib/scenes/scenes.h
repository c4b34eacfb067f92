#ifndef TC_SCENES_SCENES_H
#define TC_SCENES_SCENES_H
/*
 * scenes: which stretches of a trace are judged apart, and which frames lie in them.
 *
 * A scene is one repetition of a scenario in one place. Scenes come from the markers
 * of the stream, from a file of markers, from the slices of interactions, and from
 * slices whose name fits a pattern. Where none of the options asks for scenes, a trace
 * that no marker is about is one scene without a name, which holds all of it; where one
 * does, a trace without them has none. Time that no scene covers counts nowhere, and
 * where scenes overlap a frame counts in each.
 *
 * Set the options in a zeroed struct, hold the rows that tc_scenes_kinds says, read the
 * file of markers, and make the scenes once the rows are settled.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mem/mem.h"

struct tc_err;
struct tc_rec_marker;
struct tc_rows;
struct tc_rows_marker;
struct tc_rows_slice;

/* What becomes of a frame that crosses the edge of a scene. */
enum tc_scenes_edge {
	TC_SCENES_START_IN, /* it counts where it begins */
	TC_SCENES_END_IN,   /* it counts where it ends */
	TC_SCENES_BOTH,     /* it counts where it does both */
	TC_SCENES_CLIP,     /* it counts wherever it was, and only so much of it */
};

/*
 * What hostile input could ask for is bounded: all scenes of a run, and those that lie
 * over one another, since a frame counts in each. With clip, a frame that lasts for more
 * scenes than that counts in the first of them.
 */
enum { TC_SCENES_MAX = 1 << 20, TC_SCENES_MAX_DEPTH = 64 };

/* Behind the greatest that a marker may have, every scene of a run still has a number. */
#define TC_SCENES_MAX_REPETITION (INT64_MAX - TC_SCENES_MAX)

struct tc_scene {
	int64_t ts, end;    /* end INT64_MAX: it lasts as long as the trace */
	int64_t repetition; /* its marker's, or counted; TC_NONE: it has no name */
	int64_t until;      /* scenes' own: the last end of several */
	uint32_t place;
	uint32_t scenario; /* of rows->names, 0: without a name */
	uint32_t proc;     /* whose frames count, TC_ROWS_NO: everyone's */
	bool is_cuj;       /* scenario is the name of an interaction's slice */
	bool is_all;       /* holds every frame of its place, whenever it was */
};

struct tc_scenes {
	const char *slices; /* pattern of fnmatch(3) for names of slices, or NULL */
	bool cuj;           /* slices of interactions */
	enum tc_scenes_edge edge;

	struct tc_scene *at; /* owned: by place, then by time */
	size_t count, cap;
	struct tc_scenes_file *file; /* owned: the markers of the file that was read */
};

/* "start-in", "end-in", "both" or "clip". */
bool tc_scenes_is_edge(const char *name, enum tc_scenes_edge *edge);

/* The kinds of rows that scenes are made from, of enum tc_rows_kind. */
unsigned tc_scenes_kinds(const struct tc_scenes *s);

/* -1 with TC_DATA for a marker that does not say what of a trace is which scenario. */
int tc_scenes_check(const struct tc_rec_marker *m, struct tc_err *err);

/*
 * Reads a file of marker records; other records in it are stepped over. One with a
 * trace counts in every trace of that index. -1 with TC_NOINPUT or TC_DATA, also where
 * there is none: who names a file of markers wants scenes.
 */
int tc_scenes_read(struct tc_scenes *s, const char *path, struct tc_err *err);

/* After settle; interns names. -1 with TC_DATA when there are too many scenes. */
int tc_scenes_make(struct tc_scenes *s, struct tc_rows *r, struct tc_err *err);

/*
 * Whether a frame of the scene's place and process from *ts to *end counts in it; with
 * TC_SCENES_CLIP both are cut to the scene. *end TC_NONE is one that was never closed:
 * it counts by its beginning with start-in and clip, and not with the others.
 */
bool tc_scenes_has(const struct tc_scenes *s, const struct tc_scene *scene, int64_t *ts,
	int64_t *end);

/* A scene that a frame counts in. */
typedef void tc_scenes_fn(void *ctx, const struct tc_scene *scene);

/*
 * Calls fn for each scene that a frame of this place and process counts in, in their
 * order, and returns how many. Takes time for those alone, not for all there are; with
 * TC_SCENES_CLIP, for interactions of other processes meanwhile as well.
 */
size_t tc_scenes_of(const struct tc_scenes *s, uint32_t place, uint32_t proc, int64_t ts,
	int64_t end, tc_scenes_fn *fn, void *ctx);

/* The scenes of a place, in the order of time: *count of them, the first returned. */
const struct tc_scene *tc_scenes_in(
	const struct tc_scenes *s, uint32_t place, size_t *count);

void tc_scenes_release(struct tc_scenes *s);

/*
 * Interactions that the platform marks (CUJ, critical user journeys): slices `J<NAME>`
 * on tracks of a process. Which of them count is told by what was noted of them; the
 * notes borrow from the rows.
 */
struct tc_scenes_cujs {
	struct tc_scenes_note *at; /* owned */
	size_t count, cap;
};

void tc_scenes_cujs_init(struct tc_scenes_cujs *c, const struct tc_rows *r);
void tc_scenes_cujs_release(struct tc_scenes_cujs *c);

/* Whether this is the slice of an interaction, and of one that counts. */
bool tc_scenes_is_cuj(const struct tc_rows *r, const struct tc_rows_slice *s);
bool tc_scenes_cuj_counts(const struct tc_scenes_cujs *c, const struct tc_rows *r,
	const struct tc_rows_slice *s);

/* Whether this instant is a note of an interaction: the name of its slice, and what. */
bool tc_scenes_is_cuj_note(const struct tc_rows *r, const struct tc_rows_slice *s,
	struct tc_str *cuj, struct tc_str *what);

/* Whether what was noted is this word, alone or before a #. */
bool tc_scenes_is_word(struct tc_str what, struct tc_str word);

#endif
