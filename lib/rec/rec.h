#ifndef TC_REC_REC_H
#define TC_REC_REC_H
/*
 * rec: the records that pass between the tools, contract 1.
 *
 * Each record type is a plain struct (types.h) and a list of its fields in
 * contract order (NAME.c), of which a table for the reader and a writer are
 * made. What is not known has a value of its own, so that nothing unknown
 * turns into a zero:
 *
 *   int64_t TC_NONE · double and float NAN · tc_str {NULL, 0} · lists {NULL, 0}
 *
 * A pointer that is left out of an initialiser is unknown, a number is not: name
 * every number, or begin with tc_rec_init, which sets every field so.
 */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "json/json.h"
#include "mem/mem.h"
#include "rec/types.h"

struct tc_err;
struct tc_out;

#define TC_NONE INT64_MIN

enum tc_rec_kind {
	TC_REC_INT,   /* int64_t */
	TC_REC_BOOL,  /* int64_t 0 or 1, true and false on the wire */
	TC_REC_REAL,  /* double */
	TC_REC_FLOAT, /* float */
	TC_REC_STR,   /* struct tc_str */
	TC_REC_JSON,  /* struct tc_str, JSON text as it is */
	TC_REC_STRS,  /* struct tc_rec_list of struct tc_str */
	TC_REC_LIST,  /* struct tc_rec_list of `sub` structs */
	TC_REC_OBJ,   /* pointer to one `sub` struct */
};

struct tc_rec_field {
	const char *key; /* as written, with comma, quotes and colon: `,"ts":` */
	size_t key_len;
	enum tc_rec_kind kind;
	bool optional; /* left out when unknown, instead of null */
	size_t offset;
	const struct tc_rec_type *sub;
};

struct tc_rec_type {
	const char *name; /* NULL for a struct that only stands inside others */
	const struct tc_rec_field *fields;
	size_t count, size;
	size_t room; /* that its writer wants to find at p */
	char *(*put)(struct tc_out *o, char *p, const void *rec);
};

void tc_rec_init(const struct tc_rec_type *type, void *rec);

/* Writes one line. Failures are remembered by the output. */
void tc_rec_put(struct tc_out *o, const struct tc_rec_type *type, const void *rec);

/* What tc_rec_put writes, without the end of the line; in the arena. */
struct tc_str tc_rec_text(
	const struct tc_rec_type *type, const void *rec, struct tc_arena *arena);

/*
 * The folder of a run on a device, Winscope's, so that each finds the other's files;
 * and the file in it that holds the run's record.
 */
#define TC_REC_RUN_FOLDER "/data/local/tmp/last_winscope_tracing_session"
#define TC_REC_RUN_FILE TC_REC_RUN_FOLDER "/run.json"

/* So long that file may be. */
enum { TC_REC_RUN_MAX = 4 << 20 };

/*
 * What that file holds, of which all lasts as long as the arena: 0, or -1 with TC_DATA
 * and *run untouched.
 */
int tc_rec_get_run(struct tc_str text, struct tc_arena *arena, struct tc_rec_run *run,
	struct tc_err *err);

/* Whether a file there is that one, or its next version, and no capture's. */
bool tc_rec_is_run_file(struct tc_str name);

/*
 * Fields as they are written, for a member of records of which many say the same:
 * where it has text, those fields need not be set. In the arena; p NULL when the
 * fields are better written each time.
 */
struct tc_str tc_rec_buffer_event_labels(
	struct tc_arena *arena, const struct tc_rec_buffer_event *r);
struct tc_str tc_rec_buffer_event_stale_text(
	struct tc_arena *arena, const struct tc_rec_buffer_event *r);
struct tc_str tc_rec_phase_labels(struct tc_arena *arena, const struct tc_rec_phase *r);
struct tc_str tc_rec_expected_frame_owner(
	struct tc_arena *arena, const struct tc_rec_expected_frame *r);
struct tc_str tc_rec_actual_frame_verdict(
	struct tc_arena *arena, const struct tc_rec_actual_frame *r);

/*
 * What a number of a jank_metric comes to. A scale that is one over a whole number
 * divides, which gives the nearest number where multiplying would not.
 */
double tc_rec_scaled(double number, double scale);

/* The number of a jank_metric that a field of this name holds, or NAN. */
double tc_rec_statistic(const struct tc_rec_jank_metric *m, const char *statistic);

/* A refresh period as a rate, rounded, or TC_NONE. */
int64_t tc_rec_rate_hz(int64_t period_ns);

/*
 * Reads a record's struct from its JSON object; strings borrow from the parsed
 * text, lists and objects from the arena. Unknown fields are ignored. -1 with
 * TC_DATA when a known field has a value of another kind.
 */
int tc_rec_get(const struct tc_rec_type *type, struct tc_json_val obj,
	struct tc_arena *arena, void *rec, struct tc_err *err);

/*
 * Reads the line of a record as tc_rec_put writes it, much faster than tc_rec_get and
 * with the same result. False for any other line, which may be a record all the same;
 * then *rec means nothing. Strings borrow from the line.
 */
bool tc_rec_scan(const struct tc_rec_type *type, struct tc_str line, void *rec);

/*
 * Copies a record with all that it borrows, so that it lasts as long as the arena.
 * `to` may be where it is.
 */
void tc_rec_keep(const struct tc_rec_type *type, const void *rec, struct tc_arena *arena,
	void *to);

/* All types that have a struct, ended by NULL; and one by name, or NULL. */
const struct tc_rec_type *const *tc_rec_all(void);
const struct tc_rec_type *tc_rec_find(const char *name);

#endif
