/* A file of markers. */
#include "scenes/priv.h"

#include <stdlib.h>

#include "err/err.h"
#include "io/io.h"
#include "json/json.h"
#include "rec/rec.h"

/* As of every stream of records: what is stepped over may be as long as that. */
enum { MAX_LINE = 16 << 20 };

int
tc_scenes_check(const struct tc_rec_marker *m, struct tc_err *err)
{
	if (m->ts == TC_NONE)
		return tc_err_set(err, TC_DATA, "a marker without ts");
	if (!m->name.p && !m->scenario.p)
		return tc_err_set(err, TC_DATA, "a marker without name and scenario");
	if (m->repetition != TC_NONE &&
		(m->repetition < 0 || m->repetition > TC_SCENES_MAX_REPETITION))
		return tc_err_set(err, TC_DATA,
			"a marker with repetition %lld, not from 0 to %lld",
			(long long)m->repetition, (long long)TC_SCENES_MAX_REPETITION);
	return 0;
}

static int
add_marker(struct tc_scenes_file *file, const struct tc_rec_marker *m, struct tc_err *err)
{
	struct tc_scenes_marker *to;

	if (tc_scenes_check(m, err))
		return -1;
	if (file->count == TC_SCENES_MAX)
		return tc_err_set(err, TC_DATA, "more than %d markers", TC_SCENES_MAX);
	tc_mem_grow(&file->at, &file->cap, file->count + 1, sizeof(*file->at));
	to = &file->at[file->count++];
	*to = (struct tc_scenes_marker){
		.ts = m->ts,
		.dur = m->dur,
		.repetition = m->repetition,
		.trace = m->trace,
		.name = tc_strtab_id(&file->names, m->scenario.p ? m->scenario : m->name),
	};
	return 0;
}

static int
add_line(struct tc_scenes_file *file, struct tc_str line, struct tc_json *json,
	struct tc_arena *arena, struct tc_err *err)
{
	struct tc_json_val root;
	struct tc_rec_marker m;
	struct tc_str type;

	if (tc_json_parse(json, line, &root, err))
		return -1;
	if (!tc_json_is_obj(root) ||
		!tc_json_get_str(tc_json_member(root, "type"), &type))
		return tc_err_set(err, TC_DATA, "no record");
	if (!tc_str_eq(type, tc_str_of(tc_rec_marker.name)))
		return 0;
	if (tc_rec_get(&tc_rec_marker, root, arena, &m, err))
		return -1;
	return add_marker(file, &m, err);
}

static int
read_lines(struct tc_scenes_file *file, struct tc_in *in, struct tc_err *err)
{
	struct tc_json json = { 0 };
	struct tc_arena arena = { 0 };
	struct tc_str line;
	int r;

	while ((r = tc_in_line(in, MAX_LINE, &line, err)) > 0) {
		tc_arena_reset(&arena);
		r = add_line(file, line, &json, &arena, err);
		if (r)
			break;
	}
	if (r && err->code == TC_DATA)
		tc_err_add(err, "%s:%llu", in->name, (unsigned long long)in->line);
	tc_arena_release(&arena);
	tc_json_release(&json);
	return r;
}

int
tc_scenes_read(struct tc_scenes *s, const char *path, struct tc_err *err)
{
	struct tc_in in;
	int r;

	if (tc_in_open(&in, path, err))
		return -1;
	if (!s->file)
		s->file = tc_mem_calloc(1, sizeof(*s->file));
	r = read_lines(s->file, &in, err);
	if (r == 0 && !s->file->count)
		r = tc_err_set(err, TC_DATA, "%s: no marker record in it", in.name);
	tc_in_close(&in);
	return r;
}
