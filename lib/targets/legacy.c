#include "targets/priv.h"

#include <stdlib.h>
#include <string.h>

/* From this version on screenrecord takes --display-id. */
enum { DISPLAY_MAJOR = 1, DISPLAY_MINOR = 4 };

/* A version as numbers; as a text, 1.10 would come before 1.4. */
static bool
is_older(struct tc_str version, int major, int minor)
{
	int n[2] = { 0, 0 }, at = 0;
	size_t i;

	for (i = 0; i < version.len && at < 2; i++) {
		if (version.p[i] == '.')
			at++;
		else if (version.p[i] < '0' || version.p[i] > '9')
			break;
		else if (n[at] < 100000)
			n[at] = n[at] * 10 + (version.p[i] - '0');
	}
	return n[0] < major || (n[0] == major && n[1] < minor);
}

const char *
tc_targets_display_trouble(const struct tc_rec_device *d,
	const struct tc_targets_request *r, struct tc_str id)
{
	const struct tc_rec_device_display *display = d->displays.items;
	size_t i;

	if (tc_str_eq(id, TC_STR("active")))
		return NULL;
	if (r->target->legacy->needs_new_recorder && d->screenrecord.p &&
		is_older(d->screenrecord, DISPLAY_MAJOR, DISPLAY_MINOR))
		return "this version of screenrecord takes no display";
	for (i = 0; i < d->displays.count; i++)
		if (tc_str_eq(display[i].id, id))
			return NULL;
	return d->displays.count ? "the device has no such display" : NULL;
}

static struct tc_str
expanded(struct tc_targets *t, const char *text, const struct tc_targets_request *r,
	struct tc_str id)
{
	struct tc_targets_text made = { 0 };
	struct tc_str s;

	tc_targets_expand(&made, text, r, id, false);
	s = tc_targets_take(&made, &t->scratch);
	free(made.p);
	return s;
}

static struct tc_rec_list
setup_of(struct tc_targets *t, const struct tc_targets_request *r, struct tc_str id)
{
	const struct tc_targets_legacy *l = r->target->legacy;
	struct tc_str *lines = tc_arena_alloc(
		&t->scratch, sizeof(l->setup) / sizeof(char *) * sizeof(*lines));
	size_t n = 0;

	for (; n < sizeof(l->setup) / sizeof(l->setup[0]) && l->setup[n]; n++)
		lines[n] = expanded(t, l->setup[n], r, id);
	return (struct tc_rec_list){ lines, n };
}

static struct tc_rec_list
files_of(struct tc_targets *t, const struct tc_targets_request *r, struct tc_str id)
{
	enum { MAX = sizeof(r->target->legacy->files) / sizeof(struct tc_targets_file) };
	const struct tc_targets_file *from = r->target->legacy->files;
	struct tc_rec_target_file *files =
		tc_arena_alloc(&t->scratch, MAX * sizeof(*files));
	struct tc_str *match = tc_arena_alloc(&t->scratch, 2 * MAX * sizeof(*match));
	size_t i, j;

	for (i = 0; i < MAX && from[i].path; i++, match += 2) {
		for (j = 0; j < 2 && from[i].match[j]; j++)
			match[j] = tc_str_of(from[i].match[j]);
		files[i].path = expanded(t, from[i].path, r, id);
		files[i].match = (struct tc_rec_list){ match, j };
		files[i].dest = expanded(t, from[i].dest, r, id);
	}
	return (struct tc_rec_list){ files, i };
}

static void
put_one(struct tc_targets *t, const struct tc_rec_device *d,
	const struct tc_targets_request *r, struct tc_str id, bool with_setup,
	struct tc_targets_names *done)
{
	const struct tc_targets_legacy *l = r->target->legacy;
	const struct tc_str request = tc_str_of(r->target->name);
	struct tc_rec_target rec = {
		.device = d->device,
		.name = expanded(t, l->name, r, id),
		.mode = tc_str_of(t->dump ? "dump" : "trace"),
		.via = TC_STR("legacy"),
		.requests = { &request, 1 },
		.setup = { "", 0 },
		.start = expanded(t, l->start, r, id),
		.stop = expanded(t, l->stop, r, id),
		.files = files_of(t, r, id),
	};

	if (tc_targets_has_str(done->items, done->count, rec.name))
		return;
	if (with_setup)
		rec.setup = setup_of(t, r, id);
	tc_targets_put(t, &rec);
	tc_mem_grow(&done->items, &done->cap, done->count + 1, sizeof(*done->items));
	done->items[done->count++] = rec.name;
}

/* The touches are shown or not for all displays: the first to be recorded says so. */
static bool
is_first(const struct tc_targets_names *done, const struct tc_targets_legacy *l)
{
	const size_t len = strcspn(l->name, "@");
	size_t i;

	for (i = 0; i < done->count; i++)
		if (done->items[i].len >= len &&
			memcmp(done->items[i].p, l->name, len) == 0)
			return false;
	return true;
}

void
tc_targets_put_legacy(struct tc_targets *t, const struct tc_rec_device *d,
	const struct tc_targets_request *r, struct tc_targets_names *done)
{
	const struct tc_targets_legacy *l = r->target->legacy;
	const struct tc_targets_value *v;
	bool has_display = false;
	size_t i;

	for (i = 0; l->per_display && i < r->count; i++) {
		v = &r->values[i];
		if (v->option->kind != TC_TARGETS_DISPLAY)
			continue;
		has_display = true;
		if (!tc_targets_display_trouble(d, r, v->text))
			put_one(t, d, r, v->text, is_first(done, l), done);
	}
	if (!has_display)
		put_one(t, d, r, TC_STR("active"), is_first(done, l), done);
}
