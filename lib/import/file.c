#include "import/import.h"

#include "err/err.h"
#include "io/io.h"
#include "unpack/unpack.h"

/* A member's path is that of the archive, a colon, and its own. */
static struct tc_import_origin
origin_of(const struct tc_import_origin *file, struct tc_str member, struct tc_arena *a)
{
	struct tc_import_origin origin = *file;
	char *path;

	if (!member.p)
		return origin;
	path = tc_arena_alloc(a, (size_t)file->path.len + 1 + member.len);
	memcpy(path, file->path.p, file->path.len);
	path[file->path.len] = ':';
	memcpy(path + file->path.len + 1, member.p, member.len);
	origin.path.p = path;
	origin.path.len += 1 + member.len;
	origin.path.is_plain = false;
	return origin;
}

int
tc_import_file(struct tc_import *im, const struct tc_import_origin *file_origin,
	struct tc_in *file, struct tc_out *out, struct tc_err *err)
{
	struct tc_import_origin origin;
	struct tc_arena arena = { 0 };
	struct tc_err failed = { 0 };
	struct tc_unpack u;
	struct tc_in *in;
	size_t failures = 0;
	int r;

	im->inflated = 0;
	tc_unpack_open(&u, file);
	while ((r = tc_unpack_next(&u, &in, &failed)) != 0) {
		if (r > 0) {
			tc_arena_reset(&arena);
			origin = origin_of(file_origin, u.member, &arena);
			r = tc_import_run(im, &origin, in, out, &failed);
		}
		if (r == 0)
			continue;
		if (!failures++ || failed.code != TC_DATA)
			*err = failed;
		if (failed.code != TC_DATA)
			break;
	}
	tc_unpack_close(&u);
	tc_arena_release(&arena);
	if (failures > 1 && err->code == TC_DATA)
		tc_err_add(err, "%zu failures, the first", failures);
	return failures ? -1 : 0;
}
