/* Which traces of the stream have their metrics in it already. */
#include "rules/priv.h"

#include <stdlib.h>

#include "rec/rec.h"
#include "rows/rows.h"

static void
grow(struct tc_rules *r, size_t count)
{
	tc_mem_grow(&r->told, &r->told_cap, count + 1, sizeof(*r->told));
	for (; r->told_count < count; r->told_count++)
		r->told[r->told_count] = false;
}

void
tc_rules_take_metric(
	struct tc_rules *r, struct tc_rows *rows, const struct tc_rec_jank_metric *m)
{
	struct tc_rec_jank_metric known = *m;
	uint32_t place;

	if (m->trace == TC_NONE) {
		tc_rules_add_metric(r, m);
		r->has_combined = true;
		return;
	}
	place = tc_rows_place(rows, m->trace, m->machine_id);
	known.path = tc_rows_text(rows, rows->places.at[place].path);
	tc_rules_add_metric(r, &known);
	grow(r, (size_t)place + 1);
	r->told[place] = true;
}

/*
 * What was combined does not say of which traces it is. Those that are here in name alone
 * are among them: nothing else could be made of them.
 */
static void
tell_empty(struct tc_rules *r, const struct tc_rows *rows)
{
	bool *has_rows = tc_mem_calloc(rows->places.count + 1, sizeof(*has_rows));
	uint32_t proc;
	size_t i;

	for (i = 0; i < rows->actual.count; i++)
		has_rows[rows->actual.at[i].place] = true;
	for (i = 0; i < rows->slices.count; i++) {
		proc = rows->slices.at[i].proc;
		if (proc != TC_ROWS_NO)
			has_rows[rows->procs.at[proc].place] = true;
	}
	for (i = 0; i < rows->places.count; i++)
		r->told[i] |= !has_rows[i];
	free(has_rows);
}

const bool *
tc_rules_told(struct tc_rules *r, const struct tc_rows *rows)
{
	grow(r, rows->places.count);
	if (r->has_combined)
		tell_empty(r, rows);
	return r->told;
}
