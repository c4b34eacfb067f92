/* Which devices there are. */
#include "cli/cli.h"
#include "probe/priv.h"

/* What asks an adb server the same, for a person. */
static const char list_command[] = "adb devices -l";

/* The server tells models with an underscore for every blank. */
static struct tc_str
model_of(const char *text, struct tc_arena *arena)
{
	char *model, *p;

	if (!text)
		return (struct tc_str){ NULL, 0, false };
	model = tc_arena_dup(arena, text, strlen(text) + 1);
	for (p = model; *p; p++)
		if (*p == '_')
			*p = ' ';
	return tc_str_of(model);
}

static struct tc_str
known(const char *text)
{
	return text ? tc_str_of(text) : (struct tc_str){ NULL, 0, false };
}

void
tc_probe_listed(const struct tc_device_info *info, struct tc_arena *arena,
	struct tc_rec_device *rec)
{
	tc_rec_init(&tc_rec_device, rec);
	rec->device = tc_str_of(info->name);
	rec->platform = TC_STR("android");
	rec->state = known(info->state);
	rec->serial = known(info->serial);
	rec->model = model_of(info->model, arena);
}

void
tc_probe_put_command(
	struct tc_out *out, const char *device, const char *phase, const char *text)
{
	struct tc_rec_command rec = {
		.device = known(device),
		.phase = tc_str_of(phase),
		.text = tc_str_of(text),
	};

	tc_rec_put(out, &tc_rec_command, &rec);
}

void
tc_probe_put_list_command(const struct tc_probe *p, struct tc_out *out)
{
	/* Who names a device by its address asks nobody. */
	if (tc_str_begins(tc_str_of(p->name), TC_STR("adb:")))
		tc_probe_put_command(out, NULL, "devices", list_command);
}

int
tc_probe_find(const struct tc_probe *p, struct tc_arena *arena,
	struct tc_device_info **list, size_t *count, struct tc_err *err)
{
	if (tc_device_find(p->name, NULL, arena, list, count, err) < 0)
		return -1;
	if (p->verbose)
		tc_cli_diag(p->cli, TC_NOTE, "command", p->name, "devices found: %zu",
			*count);
	return 0;
}

int
tc_probe_devices(const struct tc_probe *p, struct tc_out *out, struct tc_err *err)
{
	struct tc_arena arena = { 0 };
	struct tc_device_info *list;
	struct tc_rec_device rec;
	size_t i, count;
	int r = 0;

	if (p->dry_run) {
		tc_probe_put_list_command(p, out);
		return 0;
	}
	r = tc_probe_find(p, &arena, &list, &count, err);
	for (i = 0; r == 0 && i < count; i++) {
		tc_probe_listed(&list[i], &arena, &rec);
		tc_rec_put(out, &tc_rec_device, &rec);
	}
	tc_arena_release(&arena);
	return r;
}
