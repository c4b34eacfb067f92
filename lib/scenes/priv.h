#ifndef TC_SCENES_PRIV_H
#define TC_SCENES_PRIV_H
/* Inside scenes: what is found before it is put in order. */
#include "scenes/scenes.h"

#include "mem/mem.h"

struct tc_rows;

/* A marker of a file, its name as an id of the file's own names. */
struct tc_scenes_marker {
	int64_t ts, dur, repetition, trace;
	uint32_t name;
};

struct tc_scenes_file {
	struct tc_strtab names;
	struct tc_scenes_marker *at; /* owned */
	size_t count, cap;
};

/* A scene with what orders it whatever the order of the lines was. */
struct tc_scenes_item {
	struct tc_scene scene;
	struct tc_str name;
	int64_t upid, stated; /* stated: the repetition that its marker has */
};

struct tc_scenes_items {
	struct tc_scenes_item *at; /* owned */
	size_t count, cap;
	bool is_full; /* there were more */
};

/* Adds a scene that begins at ts; dur -1 or unknown: it is open. */
void tc_scenes_add(struct tc_scenes_items *items, const struct tc_rows *r,
	const struct tc_scene *scene, int64_t dur);

/* find.c: each adds the scenes of one source. */
void tc_scenes_of_markers(struct tc_scenes_items *items, const struct tc_rows *r);
void tc_scenes_of_file(struct tc_scenes_items *items, struct tc_rows *r,
	const struct tc_scenes_file *file);
void tc_scenes_of_slices(
	struct tc_scenes_items *items, const struct tc_rows *r, const char *glob);

/* cuj.c */
void tc_scenes_of_cujs(struct tc_scenes_items *items, const struct tc_rows *r);

#endif
