#include "choose/choose.h"

#include <fnmatch.h>
#include <string.h>

#include "choose/priv.h"
#include "err/err.h"

/* Room for any name that a trace has; longer ones fit nothing. */
enum { NAME_ROOM = TC_STR_MAX_NAME + 1 };

static int
add(struct tc_choose_globs *g, const char *glob, struct tc_err *err)
{
	if (!*glob)
		return tc_err_set(err, TC_USAGE, "an empty pattern fits nothing");
	if (g->count == TC_CHOOSE_MAX_GLOBS)
		return tc_err_set(
			err, TC_USAGE, "more than %d patterns", TC_CHOOSE_MAX_GLOBS);
	g->items[g->count++] = glob;
	return 0;
}

/* "pid=12" with key "pid=": 1 and the number, 0: no such key, -1: no number. */
static int
keyed_number(const char *text, const char *key, int64_t *number)
{
	size_t len = strlen(key);
	const char *end;

	if (strncmp(text, key, len) != 0)
		return 0;
	end = tc_choose_digits(text + len, number);
	return end && !*end ? 1 : -1;
}

int
tc_choose_add_process(struct tc_choose *c, const char *glob, struct tc_err *err)
{
	int64_t number;

	if (keyed_number(glob, "pid=", &number) < 0 ||
		keyed_number(glob, "upid=", &number) < 0)
		return tc_err_set(err, TC_USAGE, "%s: not a number", glob);
	return add(&c->processes, glob, err);
}

int
tc_choose_add_layer(struct tc_choose *c, const char *glob, struct tc_err *err)
{
	return add(&c->layers, glob, err);
}

int
tc_choose_add_slices(struct tc_choose *c, const char *glob, struct tc_err *err)
{
	return add(&c->slices, glob, err);
}

int
tc_choose_add_counters(struct tc_choose *c, const char *glob, struct tc_err *err)
{
	return add(&c->counters, glob, err);
}

/*
 * No option can hold a NUL, but a name can. It must not end the name: it becomes a
 * byte that no UTF-8 has, so that only what fits any character fits it.
 */
enum { INSTEAD_OF_NUL = 0xff };

/* The name as C text, or NULL: unknown, or none that a trace has. */
static const char *
text_of(struct tc_str name, char buf[NAME_ROOM])
{
	char *nul;

	if (!name.p || name.len > TC_STR_MAX_NAME)
		return NULL;
	memcpy(buf, name.p, name.len);
	buf[name.len] = '\0';
	for (nul = buf; (nul = memchr(nul, '\0', name.len - (size_t)(nul - buf))); nul++)
		*nul = (char)INSTEAD_OF_NUL;
	return buf;
}

/* A name with glob characters of its own fits itself. */
static bool
fits(const char *glob, const char *name)
{
	return strcmp(glob, name) == 0 || fnmatch(glob, name, 0) == 0;
}

static bool
fits_any(const struct tc_choose_globs *g, struct tc_str name)
{
	char buf[NAME_ROOM];
	const char *text = text_of(name, buf);
	size_t i;

	for (i = 0; text && i < g->count; i++)
		if (fits(g->items[i], text))
			return true;
	return false;
}

static bool
fits_process(const char *glob, int64_t pid, int64_t upid, const char *name)
{
	int64_t number;

	if (keyed_number(glob, "pid=", &number) > 0)
		return pid == number;
	if (keyed_number(glob, "upid=", &number) > 0)
		return upid == number;
	return name && fits(glob, name);
}

bool
tc_choose_process(
	const struct tc_choose *c, int64_t pid, int64_t upid, struct tc_str name)
{
	char buf[NAME_ROOM];
	const char *text = text_of(name, buf);
	size_t i;

	for (i = 0; i < c->processes.count; i++)
		if (fits_process(c->processes.items[i], pid, upid, text))
			return true;
	return c->processes.count == 0;
}

bool
tc_choose_layer(const struct tc_choose *c, struct tc_str layer)
{
	return c->layers.count == 0 || fits_any(&c->layers, layer);
}

bool
tc_choose_slice(const struct tc_choose *c, struct tc_str name)
{
	return c->slices.count && fits_any(&c->slices, name);
}

bool
tc_choose_counter(const struct tc_choose *c, struct tc_str name)
{
	if (tc_str_begins(name, TC_STR("BufferTX - ")))
		return true;
	return c->counters.count && fits_any(&c->counters, name);
}

int
tc_choose_option(struct tc_choose *c, int option, const char *text, struct tc_err *err)
{
	static const struct {
		int option;
		const char *name;
		int (*take)(struct tc_choose *c, const char *text, struct tc_err *err);
	} options[] = {
		{ 'T', "-T", tc_choose_set_types },
		{ TC_CHOOSE_OPT_PROCESS, "--process", tc_choose_add_process },
		{ TC_CHOOSE_OPT_LAYER, "--layer", tc_choose_add_layer },
		{ TC_CHOOSE_OPT_FROM, "--from", tc_choose_set_from },
		{ TC_CHOOSE_OPT_TO, "--to", tc_choose_set_to },
		{ TC_CHOOSE_OPT_SLICES, "--slices", tc_choose_add_slices },
		{ TC_CHOOSE_OPT_COUNTERS, "--counters", tc_choose_add_counters },
	};
	size_t i;

	for (i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		if (options[i].option != option)
			continue;
		if (options[i].take(c, text, err))
			return tc_err_add(err, "%s", options[i].name);
		return 1;
	}
	return 0;
}
