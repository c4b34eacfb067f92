/*
 * What the cases of a JUnit file are called. Who keeps their history finds it by the
 * name, so there is nothing in it that changes from one run to the next: no times, no
 * numbers that a trace gives; devices and traces only where there are several.
 */
#include "rules/priv.h"

#include <stdio.h>
#include <stdlib.h>

#include "merge/merge.h"
#include "rec/rec.h"

void
tc_rules_names_init(struct tc_rules_names *n, const struct tc_rules *r)
{
	const struct tc_rules_part *p, *first = r->parts;

	*n = (struct tc_rules_names){ .r = r };
	for (p = first; p < first + r->part_count; p++) {
		n->has_devices |= p->device != first->device;
		n->has_paths |= p->path != first->path;
		n->has_traces |= p->trace != first->trace;
	}
}

static void
add(struct tc_rules_names *n, const char *label, struct tc_str s)
{
	size_t len = strlen(label);

	if (!s.p)
		return;
	tc_mem_grow(&n->text, &n->cap, n->len + len + s.len, 1);
	memcpy(n->text + n->len, label, len);
	memcpy(n->text + n->len + len, s.p, s.len);
	n->len += len + s.len;
}

static void
add_number(struct tc_rules_names *n, const char *label, int64_t number, const char *unit)
{
	char text[64];

	if (number == TC_NONE)
		return;
	snprintf(text, sizeof(text), "%lld%s", (long long)number, unit);
	add(n, label, tc_str_of(text));
}

static void
add_trace(struct tc_rules_names *n, const struct tc_rules_part *p)
{
	if (n->has_paths && p->path)
		add(n, ", trace ", n->r->texts[p->path]);
	else if (n->has_paths || n->has_traces)
		add_number(n, ", trace ", p->trace, "");
}

/* How many of this suite have been called so, with this one. */
static unsigned
count_name(struct tc_rules_names *n)
{
	size_t before = n->seen.count;
	uint32_t id = tc_strtab_id(
		&n->seen, (struct tc_str){ n->text, (uint32_t)n->len, false });

	if (n->seen.count > before) {
		tc_mem_grow(&n->times, &n->times_cap, id, sizeof(*n->times));
		n->times[id - 1] = 0;
	}
	return ++n->times[id - 1];
}

struct tc_str
tc_rules_name(struct tc_rules_names *n, const struct tc_rules_part *p)
{
	const struct tc_str *texts = n->r->texts;
	unsigned times;

	n->len = 0;
	add(n, "process ", p->process ? texts[p->process] : TC_STR("unknown"));
	add(n, ", layer ", tc_merge_layer(texts[p->layer]));
	add(n, ", cuj ", texts[p->cuj]);
	add(n, ", scenario ", texts[p->scenario]);
	add_number(n, ", repetition ", p->repetition, "");
	if (p->rate_hz == TC_NONE)
		add(n, "", TC_STR(", rate unknown"));
	else
		add_number(n, ", ", p->rate_hz, " Hz");
	if (n->has_devices)
		add(n, ", device ", texts[p->device]);
	add_trace(n, p);
	times = count_name(n);
	if (times > 1)
		add_number(n, " (", times, ")");
	return (struct tc_str){ n->text, (uint32_t)n->len, false };
}

void
tc_rules_names_reset(struct tc_rules_names *n)
{
	tc_strtab_release(&n->seen);
}

void
tc_rules_names_release(struct tc_rules_names *n)
{
	tc_strtab_release(&n->seen);
	free(n->times);
	free(n->text);
}
