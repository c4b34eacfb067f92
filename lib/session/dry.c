/* What would be run, if all went well. */
#include <stdlib.h>
#include <string.h>

#include "session/priv.h"

static bool
has_root(struct tc_session *s, const struct tc_session_device *d)
{
	size_t i;

	if (d->likely_root != TC_SESSION_ROOT_UNKNOWN)
		return d->likely_root == TC_SESSION_ROOT_SU;
	/* Nothing is known: then a target that needs it is thought to have it. */
	for (i = 0; i < d->item_count; i++)
		if (strstr(tc_session_cstr(&s->arena, d->items[i].target.stop),
			    "su root ") ||
			strstr(tc_session_cstr(&s->arena, d->items[i].target.start),
				"su root "))
			return true;
	return false;
}

static void
prepare(struct tc_session *s, struct tc_session_device *d)
{
	struct tc_session_prepare p;
	const char *settings = tc_session_settings_text(s, d);

	if (settings)
		tc_session_put_command(s, d, NULL, "settings", settings);
	tc_session_plan_prepare(s, d, &p);
	tc_session_put_command(
		s, d, NULL, "prepare", tc_session_prepare_text(&s->arena, &p));
}

static void
start(struct tc_session *s, struct tc_session_device *d, bool is_dump)
{
	const struct tc_session_item *item;
	const struct tc_str *setup;
	bool asks = false;
	size_t i, j;

	for (i = 0; i < d->item_count; i++) {
		item = &d->items[i];
		setup = item->target.setup.items;
		for (j = 0; j < item->target.setup.count; j++)
			tc_session_put_command(s, d, item, "setup",
				tc_session_bare(&s->arena, setup[j]));
		tc_session_put_command(s, d, item, is_dump ? "dump" : "start",
			is_dump ? tc_session_bare(&s->arena, item->target.start)
				: tc_session_start_text(&s->arena, &item->target));
		asks |= tc_session_option(&s->arena, item->target.start, "detach") !=
			NULL;
	}
	if (is_dump)
		return;
	if (asks)
		tc_session_put_command(s, d, NULL, "ready", "perfetto --query-raw");
	tc_session_put_command(s, d, NULL, "note", tc_session_write_text);
}

static void
stop(struct tc_session *s, struct tc_session_device *d)
{
	struct tc_session_item *item;
	const char *text;
	size_t i, j;

	for (i = 0; i < d->item_count; i++) {
		item = &d->items[i];
		item->is_ours = true;
		/* The values are not known; that they are put back is. */
		if (!item->rec.restore.items && item->setting_count) {
			for (j = 0; j < item->setting_count; j++)
				item->settings[j].value = TC_STR("VALUE");
			item->rec.restore = (struct tc_rec_list){ item->settings,
				item->setting_count };
		}
		text = tc_session_recorder(&s->arena, &item->target) && !item->rec.pids.p
			? tc_session_print(&s->arena, "kill -2 PID")
			: tc_session_stop_text(&s->arena, &item->target, item->rec.pids);
		if (text)
			tc_session_put_command(s, d, item, "stop", text);
	}
	text = tc_session_restore_text(s, d);
	if (text)
		tc_session_put_command(s, d, NULL, "restore", text);
}

static const char *
first_path(struct tc_session *s, const struct tc_rec_target_file *f)
{
	const struct tc_str *match = f->match.items;
	const char *path = tc_session_cstr(&s->arena, f->path);
	size_t len = strlen(path);

	if (!f->match.count)
		return path;
	return tc_session_print(&s->arena, "%s%s%.*s", path,
		len && path[len - 1] == '/' ? "" : "/", (int)match->len, match->p);
}

static void
move(struct tc_session *s, struct tc_session_device *d,
	const struct tc_session_item *item, const struct tc_rec_target_file *f, bool su)
{
	const char *path = first_path(s, f);
	const char *dest = tc_session_print(&s->arena, "%s%s", TC_SESSION_FOLDER,
		tc_session_dest(&s->arena, f->dest, 1));

	tc_session_put_command(s, d, item, "find",
		tc_session_recorder(&s->arena, &item->target)
			? tc_session_find_recording_text(&s->arena, f->path)
			: tc_session_find_text(&s->arena, su, f->path,
				  f->match.count ? f->match.items : NULL));
	tc_session_put_command(
		s, d, item, "copy", tc_session_copy_text(&s->arena, su, path, dest));
	tc_session_put_command(
		s, d, item, "delete", tc_session_remove_text(&s->arena, su, path));
}

static void
move_all(struct tc_session *s, struct tc_session_device *d)
{
	const struct tc_rec_target_file *files;
	bool su = has_root(s, d);
	size_t i, j;

	if (!d->is_likely_adbd)
		tc_session_put_command(s, d, NULL, "root", tc_session_root_text);
	for (i = 0; i < d->item_count; i++) {
		files = d->items[i].target.files.items;
		for (j = 0; j < d->items[i].target.files.count; j++)
			move(s, d, &d->items[i], &files[j], su);
	}
	tc_session_put_command(s, d, NULL, "note", tc_session_write_text);
}

void
tc_session_dry(struct tc_session *s, enum tc_session_mode mode)
{
	struct tc_session_device *d;
	size_t i;

	for (i = 0; i < s->device_count; i++) {
		d = &s->devices[i];
		if (mode == TC_SESSION_RECOVER ||
			(mode == TC_SESSION_STOP && d->item_count)) {
			tc_session_put_command(s, d, NULL, "read", tc_session_read_text);
			tc_session_put_command(s, d, NULL, "list", tc_session_list_text);
		}
		if (!d->item_count)
			continue;
		if (mode != TC_SESSION_STOP) {
			prepare(s, d);
			start(s, d, mode == TC_SESSION_DUMP);
		}
		if (mode == TC_SESSION_RUN || mode == TC_SESSION_STOP)
			stop(s, d);
		if (mode != TC_SESSION_START)
			move_all(s, d);
	}
}
