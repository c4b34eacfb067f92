/* One of several devices that one server has. */
#include <stdio.h>
#include <string.h>

#include "device/priv.h"
#include "err/err.h"

/* "A (device, Pixel_8), B (offline)" of those that are usable, or of all. */
static void
write_candidates(const struct tc_device_choice *c, bool all, char *text, size_t size)
{
	const struct tc_device_info *info;
	size_t i, len = 0;

	text[0] = '\0';
	for (i = 0; i < c->count && len < size; i++) {
		info = &c->list[i];
		if (!all && !info->is_usable)
			continue;
		len += (size_t)snprintf(text + len, size - len, "%s%s (%s%s%s)",
			len ? ", " : "", info->serial, info->state,
			info->model ? ", " : "", info->model ? info->model : "");
	}
}

static int
not_found(const struct tc_device_choice *c, struct tc_err *err)
{
	char others[160];

	write_candidates(c, true, others, sizeof(others));
	return tc_err_named(err, TC_NOSERVICE, "not_found",
		"there is no device %s: %s has %s", c->wanted, c->whose,
		c->count ? others : "none");
}

static int
choose_wanted(const struct tc_device_choice *c, const char **serial, struct tc_err *err)
{
	size_t i;

	for (i = 0; i < c->count; i++)
		if (strcmp(c->list[i].serial, c->wanted) == 0) {
			if (!c->list[i].is_usable)
				return tc_device_not_usable(
					c->wanted, c->list[i].state, err);
			*serial = c->list[i].serial;
			return 0;
		}
	return not_found(c, err);
}

/* The single one that is usable; a device that cannot be used is no candidate. */
static int
choose_only(const struct tc_device_choice *c, const char **serial, struct tc_err *err)
{
	char others[160], several[80];
	size_t i, usable = 0;

	for (i = 0; i < c->count; i++)
		if (c->list[i].is_usable) {
			*serial = c->list[i].serial;
			usable++;
		}
	if (usable == 1)
		return 0;
	if (c->count == 1)
		return tc_device_not_usable(c->list[0].serial, c->list[0].state, err);
	if (!c->count)
		return tc_err_named(err, TC_NOSERVICE, "not_found",
			"there is no device: %s has none", c->whose);
	write_candidates(c, usable == 0, others, sizeof(others));
	snprintf(several, sizeof(several), "several devices (%s)", c->how);
	return tc_err_named(err, TC_NOSERVICE, usable ? "ambiguous" : "offline", "%s: %s",
		usable ? several : "no device is usable", others);
}

int
tc_device_choose(
	const struct tc_device_choice *c, const char **serial, struct tc_err *err)
{
	return c->wanted && *c->wanted ? choose_wanted(c, serial, err)
				       : choose_only(c, serial, err);
}

int
tc_device_narrow(const char *wanted, const char *whose, struct tc_device_info *list,
	size_t *count, struct tc_err *err)
{
	struct tc_device_choice all = { list, *count, wanted, whose, NULL };
	size_t i, meant = 0;

	if (!*wanted)
		return 0;
	for (i = 0; i < *count; i++)
		meant += strcmp(list[i].serial, wanted) == 0;
	if (!meant)
		return not_found(&all, err);
	for (i = 0, meant = 0; i < *count; i++)
		if (strcmp(list[i].serial, wanted) == 0)
			list[meant++] = list[i];
	*count = meant;
	return 0;
}
