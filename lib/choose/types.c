#include "choose/choose.h"

#include <stdio.h>
#include <string.h>

#include "err/err.h"

enum kind { DEFAULT, OPT_IN, ALWAYS };

/* The rows of a trace, and what is written whatever is asked for. */
static const struct {
	const char *name;
	enum kind kind;
} types[] = {
	{ "process", DEFAULT },
	{ "thread", DEFAULT },
	{ "buffer_event", DEFAULT },
	{ "phase", DEFAULT },
	{ "expected_frame", DEFAULT },
	{ "actual_frame", DEFAULT },
	{ "slice", DEFAULT },
	{ "counter", DEFAULT },
	{ "sched", OPT_IN },
	{ "refresh_rate", DEFAULT },
	{ "input_event", DEFAULT },
	{ "input_dispatch", DEFAULT },
	{ "input_latency", DEFAULT },
	{ "clock", OPT_IN },
	{ "tool", ALWAYS },
	{ "end", ALWAYS },
	{ "trace", ALWAYS },
	{ "stat", ALWAYS },
	{ "error", ALWAYS },
	{ "notice", ALWAYS },
};

enum { TYPES = sizeof(types) / sizeof(types[0]) };
_Static_assert(TYPES <= 32, "one bit each");

/* What the names of a list stand for, and what its first name makes of that. */
struct list {
	bool is_signed;
	uint32_t bits;
};

static uint32_t
of_kind(enum kind kind)
{
	uint32_t bits = 0;
	size_t i;

	for (i = 0; i < TYPES; i++)
		bits |= (uint32_t)(types[i].kind == kind) << i;
	return bits;
}

static int
find(const char *name, size_t len)
{
	int i;

	for (i = 0; i < TYPES; i++)
		if (strlen(types[i].name) == len && memcmp(types[i].name, name, len) == 0)
			return i;
	return -1;
}

static int
unknown(const char *name, size_t len, struct tc_err *err)
{
	char allowed[256] = "";
	size_t used = 0;
	int i;

	for (i = 0; i < TYPES && types[i].kind != ALWAYS; i++)
		used += (size_t)snprintf(
			allowed + used, sizeof(allowed) - used, " %s", types[i].name);
	return tc_err_set(err, TC_USAGE, "no type '%.*s'; there are:%s",
		(int)(len < 40 ? len : 40), name, allowed);
}

static int
apply(struct list *l, const char *name, size_t len, struct tc_err *err)
{
	bool is_signed = len && (*name == '+' || *name == '-');
	int i = find(name + is_signed, len - is_signed);

	if (is_signed != l->is_signed)
		return tc_err_set(
			err, TC_USAGE, "types are all plain, or all begin with + or -");
	if (i < 0)
		return unknown(name + is_signed, len - is_signed, err);
	if (*name == '-' && types[i].kind == ALWAYS)
		return tc_err_set(err, TC_USAGE, "'%s' is always written", types[i].name);
	if (*name == '-')
		l->bits &= ~(UINT32_C(1) << i);
	else
		l->bits |= UINT32_C(1) << i;
	return 0;
}

int
tc_choose_set_types(struct tc_choose *c, const char *list, struct tc_err *err)
{
	struct list l = { .is_signed = *list == '+' || *list == '-' };
	const char *p = list;
	size_t len;

	if (l.is_signed)
		l.bits = c->has_types ? c->types : of_kind(DEFAULT);
	for (;;) {
		len = strcspn(p, ",");
		if (apply(&l, p, len, err))
			return -1;
		if (!p[len])
			break;
		p += len + 1;
	}
	c->has_types = true;
	c->types = l.bits;
	return 0;
}

bool
tc_choose_type(const struct tc_choose *c, const char *name)
{
	int i = find(name, strlen(name));

	if (i < 0)
		return false;
	if (types[i].kind == ALWAYS)
		return true;
	return c->has_types ? (c->types >> i & 1) != 0 : types[i].kind == DEFAULT;
}
