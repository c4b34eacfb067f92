#include "compare/compare.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "err/err.h"

static void
add_input(struct tc_compare *c, const char *path, const char *file, unsigned side)
{
	size_t len = strlen(path) + strlen(file) + 2;
	char *text = tc_mem_alloc(len);

	snprintf(text, len, "%s%s%s", path, *file ? "/" : "", file);
	tc_mem_grow(&c->inputs, &c->input_cap, c->input_count + 1, sizeof(*c->inputs));
	c->inputs[c->input_count++] = (struct tc_compare_input){ text, side };
}

/*
 * Of what lies in a folder, all but folders. What cannot even be looked at is opened,
 * which says why; what is no file is refused beforehand, since opening a pipe
 * that nobody writes to would wait for ever.
 */
static bool
is_input(struct tc_compare *c, const char *path)
{
	struct stat st;

	if (stat(path, &st) != 0)
		return true;
	if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		c->no_file = path;
	return !S_ISDIR(st.st_mode);
}

static int
by_path(const void *a, const void *b)
{
	const struct tc_compare_input *x = a, *y = b;

	return strcmp(x->path, y->path);
}

/* Files whose names begin with a dot are somebody's own; folders inside are not read. */
static void
add_folder(struct tc_compare *c, const char *path, DIR *folder, unsigned side)
{
	size_t before = c->input_count;
	struct dirent *entry;

	while ((entry = readdir(folder))) {
		if (entry->d_name[0] == '.')
			continue;
		add_input(c, path, entry->d_name, side);
		if (!is_input(c, c->inputs[c->input_count - 1].path))
			free(c->inputs[--c->input_count].path);
	}
	if (c->input_count > before)
		qsort(c->inputs + before, c->input_count - before, sizeof(*c->inputs),
			by_path);
}

static void
add_side(struct tc_compare *c, const char *path, unsigned side)
{
	DIR *folder = opendir(path);
	size_t before = c->input_count;

	c->paths[side] = path;
	if (folder) {
		add_folder(c, path, folder, side);
		closedir(folder);
	}
	if (!folder)
		add_input(c, path, "", side);
	else if (c->input_count == before && !c->empty)
		c->empty = path;
}

int
tc_compare_check_inputs(const struct tc_compare *c, struct tc_err *err)
{
	if (c->no_file)
		return tc_err_set(err, TC_NOINPUT, "%s: is no regular file", c->no_file);
	return c->empty ? tc_err_set(err, TC_NOINPUT, "%s: no files in it", c->empty) : 0;
}

char **
tc_compare_inputs(struct tc_compare *c, const char *a, const char *b)
{
	char **paths;
	size_t i;

	add_side(c, a, 0);
	add_side(c, b, 1);
	paths = tc_mem_calloc(c->input_count + 1, sizeof(*paths));
	for (i = 0; i < c->input_count; i++)
		paths[i] = c->inputs[i].path;
	return paths;
}
