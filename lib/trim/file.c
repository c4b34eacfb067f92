#include "trim/trim.h"

#include "err/err.h"
#include "io/io.h"
#include "unpack/unpack.h"

/* Traces of an archive have nothing in common that would make one of them. */
static void
look_for_more(struct tc_unpack *u, struct tc_trim_report *report)
{
	struct tc_err ignored = { 0 };
	struct tc_in *in;

	report->has_more = tc_unpack_next(u, &in, &ignored) > 0;
}

int
tc_trim_file(const struct tc_choose *c, struct tc_in *file, struct tc_out *out,
	struct tc_trim_report *report, struct tc_err *err)
{
	struct tc_unpack u;
	struct tc_in *in;
	int r;

	if (tc_in_keep(file, err))
		return -1;
	tc_unpack_open(&u, file);
	r = tc_unpack_next(&u, &in, err);
	if (r > 0) {
		r = tc_trim_run(c, in, out, report, err);
		look_for_more(&u, report);
	} else if (r == 0) {
		r = tc_err_set(err, TC_DATA, "%s: no trace", file->name);
	}
	tc_unpack_close(&u);
	return r;
}
