/* What is in the scope of which rule. */
#include "rules/priv.h"

#include <fnmatch.h>
#include <stdlib.h>

#include "rec/rec.h"
#include "rows/rows.h"

static bool
fits_glob(const char *glob, const struct tc_rules *r, uint32_t name)
{
	/* Interned text has a NUL behind it; one inside ends the name here. */
	const char *text = tc_strtab_str(&r->names, name).p;

	return text && (strcmp(glob, text) == 0 || fnmatch(glob, text, 0) == 0);
}

static bool
fits(const struct tc_rules_glob *g, const struct tc_rules *r, uint32_t name)
{
	if (!g->is_given)
		return true;
	return g->glob ? fits_glob(g->glob, r, name) : name == 0;
}

/* Yes and no are known, and any no settles it. */
static enum tc_rules_fit
both(enum tc_rules_fit a, enum tc_rules_fit b)
{
	if (a == TC_RULES_FITS_NOT || b == TC_RULES_FITS_NOT)
		return TC_RULES_FITS_NOT;
	return a == TC_RULES_FITS_MAYBE ? a : b;
}

static enum tc_rules_fit
fits_models(const struct tc_rules *r, const struct tc_rules_class *class, uint32_t model)
{
	size_t i;

	if (!class->model_count)
		return TC_RULES_FITS;
	if (!model)
		return TC_RULES_FITS_MAYBE;
	for (i = 0; i < class->model_count; i++)
		if (fits_glob(class->models[i], r, model))
			return TC_RULES_FITS;
	return TC_RULES_FITS_NOT;
}

static enum tc_rules_fit
fits_sdk(const struct tc_rules_class *class, int64_t sdk)
{
	if (class->sdk_min == TC_NONE && class->sdk_max == TC_NONE)
		return TC_RULES_FITS;
	if (sdk == TC_NONE)
		return TC_RULES_FITS_MAYBE;
	if ((class->sdk_min != TC_NONE && sdk < class->sdk_min) ||
		(class->sdk_max != TC_NONE && sdk > class->sdk_max))
		return TC_RULES_FITS_NOT;
	return TC_RULES_FITS;
}

static enum tc_rules_fit
fits_platform(
	const struct tc_rules *r, const struct tc_rules_class *class, uint32_t platform)
{
	if (!class->platform)
		return TC_RULES_FITS;
	if (!platform)
		return TC_RULES_FITS_MAYBE;
	return tc_str_eq(tc_strtab_str(&r->names, platform), tc_str_of(class->platform))
		? TC_RULES_FITS
		: TC_RULES_FITS_NOT;
}

enum tc_rules_fit
tc_rules_is_of_class(
	const struct tc_rules *r, const struct tc_rules_class *class, uint32_t device)
{
	const struct tc_rules_device *d;

	if (!device || device > r->device_count || !r->devices[device - 1].is_known)
		return TC_RULES_FITS_MAYBE;
	d = &r->devices[device - 1];
	return both(fits_models(r, class, d->model),
		both(fits_sdk(class, d->sdk), fits_platform(r, class, d->platform)));
}

void
tc_rules_add_device(struct tc_rules *r, const struct tc_rec_device *d)
{
	uint32_t id = tc_strtab_id(&r->names, d->device);

	if (!id)
		return;
	tc_mem_grow(&r->devices, &r->device_cap, id, sizeof(*r->devices));
	for (; r->device_count < id; r->device_count++)
		r->devices[r->device_count] = (struct tc_rules_device){ 0 };
	r->devices[id - 1] = (struct tc_rules_device){
		.model = tc_strtab_id(&r->names, d->model),
		.platform = tc_strtab_id(&r->names, d->platform),
		.sdk = d->sdk,
		.is_known = true,
	};
}

static bool
is_meant(const struct tc_rules *r, const struct tc_rec_jank_metric *m, uint32_t process)
{
	return !r->app ||
		tc_rows_fits_app(
			r->app, m->upid, m->pid, tc_strtab_str(&r->names, process));
}

/* Whether the rule is about such a scene, whatever there is in it. */
static bool
is_of_scene(const struct tc_rules *r, const struct tc_rules_scope *scope,
	const struct tc_rules_part *p)
{
	/* Which class the device is of is asked once all are known. */
	return fits(&scope->scenario, r, p->scenario) &&
		fits(&scope->device, r, p->device);
}

static bool
is_of_owner(const struct tc_rules *r, const struct tc_rules_scope *scope,
	const struct tc_rules_part *p)
{
	return fits(&scope->process, r, p->process) && fits(&scope->layer, r, p->layer);
}

/*
 * A repetition in which other processes or layers drew and those that the rule is about
 * did not must not go unnoticed.
 */
static void
note_scene(struct tc_rules *r, const struct tc_rules_part *p, bool has_part)
{
	const struct tc_rules_scope *scope = &r->rules[p->rule].scope;
	struct tc_rules_scene scene = { p->trace, p->repetition, p->rule, p->device,
		p->scenario, p->path };
	size_t before = r->scenes.count;
	uint32_t id;

	if (!r->app && !scope->process.is_given && !scope->layer.is_given)
		return;
	id = tc_strtab_id(&r->scenes,
		(struct tc_str){ (const char *)&scene, sizeof(scene), false });
	if (r->scenes.count > before) {
		tc_mem_grow(&r->has_part, &r->scene_cap, id, sizeof(*r->has_part));
		r->has_part[id - 1] = false;
	}
	r->has_part[id - 1] |= has_part;
}

static struct tc_rules_part
part_of(struct tc_rules *r, const struct tc_rec_jank_metric *m)
{
	return (struct tc_rules_part){
		.process = tc_strtab_id(&r->names, m->process),
		.layer = tc_strtab_id(&r->names, m->layer_name),
		.cuj = tc_strtab_id(&r->names, m->cuj),
		.scenario = tc_strtab_id(&r->names, m->scenario),
		.device = tc_strtab_id(&r->names, m->device),
		.unit = tc_strtab_id(&r->names, m->unit),
		.definition = tc_strtab_id(&r->names, m->definition),
		.said = tc_strtab_id(&r->names, m->reason),
		.path = tc_strtab_id(&r->names, m->path),
		.upid = m->upid,
		.repetition = m->repetition,
		.rate_hz = m->rate_hz,
		.period_ns = m->period_ns,
		.ts = m->ts,
		.dur = m->dur,
		.machine = m->machine_id,
		.trace = m->trace,
		.samples = m->samples,
	};
}

static void
add_part(struct tc_rules *r, const struct tc_rules_part *p)
{
	if (r->part_count == TC_RULES_MAX_PARTS) {
		r->is_full = true;
		return;
	}
	tc_mem_grow(&r->parts, &r->part_cap, r->part_count + 1, sizeof(*r->parts));
	r->parts[r->part_count++] = *p;
}

static void
offer(struct tc_rules *r, struct tc_rules_rule *rule, const struct tc_rec_jank_metric *m,
	struct tc_rules_part *p)
{
	const struct tc_rules_scope *scope = &rule->scope;
	bool is_its;

	if (!is_of_scene(r, scope, p))
		return;
	is_its = is_meant(r, m, p->process) && is_of_owner(r, scope, p);
	p->rule = (uint32_t)(rule - r->rules);
	/* An interaction is no scene of any process but its own. */
	if (m->scenario_is_cuj != 1)
		note_scene(r, p, is_its);
	if (!is_its || !fits(&scope->cuj, r, p->cuj) ||
		(scope->has_rate && p->rate_hz != scope->rate_hz))
		return;
	p->value = tc_rec_statistic(m, rule->statistic);
	add_part(r, p);
}

/* A number in another unit, or after another definition, is not what the limit is of. */
static const char *
differs(const struct tc_rec_jank_metric *m, const struct tc_metrics_def *def)
{
	if (!tc_str_eq(m->unit, tc_str_of(def->unit)))
		return "unit_differs";
	return tc_str_eq(m->definition, tc_str_of(def->definition))
		? NULL
		: "definition_differs";
}

void
tc_rules_add_metric(struct tc_rules *r, const struct tc_rec_jank_metric *m)
{
	struct tc_rules_part p = { 0 };
	bool is_made = false;
	size_t i;

	r->has_metrics = true;
	for (i = 0; i < r->count; i++) {
		if (!tc_str_eq(m->metric, tc_str_of(r->rules[i].metric)))
			continue;
		if (!is_made) {
			p = part_of(r, m);
			p.reason = differs(m, r->rules[i].def);
		}
		is_made = true;
		r->rules[i].has_metric = true;
		offer(r, &r->rules[i], m, &p);
	}
}

void
tc_rules_add_missing(struct tc_rules *r)
{
	struct tc_map scenarios = { 0 }; /* by rule, in which it has any part */
	const struct tc_rules_scene *s;
	struct tc_rules_part p;
	size_t i;
	bool made;

	for (i = 0; i < r->part_count; i++)
		tc_map_put(&scenarios, r->parts[i].rule, r->parts[i].scenario, &made);
	for (i = 0; i < r->scenes.count; i++) {
		/* The arena that holds the bytes aligns them. */
		s = (const void *)tc_strtab_str(&r->scenes, (uint32_t)i + 1).p;
		/* A scenario that the rule has nothing of at all is not its own. */
		if (r->has_part[i] || !tc_map_get(&scenarios, s->rule, s->scenario))
			continue;
		p = (struct tc_rules_part){
			.rule = s->rule,
			.scenario = s->scenario,
			.device = s->device,
			.unit = tc_strtab_id(
				&r->names, tc_str_of(r->rules[s->rule].def->unit)),
			.definition = tc_strtab_id(
				&r->names, tc_str_of(r->rules[s->rule].def->definition)),
			.upid = TC_NONE,
			.repetition = s->repetition,
			.rate_hz = TC_NONE,
			.period_ns = TC_NONE,
			.ts = TC_NONE,
			.dur = TC_NONE,
			.machine = TC_NONE,
			.trace = s->trace,
			.path = s->path,
			.value = (double)NAN,
			.reason = "nothing_in_scope",
		};
		add_part(r, &p);
	}
	tc_map_release(&scenarios);
}

void
tc_rules_release(struct tc_rules *r)
{
	tc_arena_release(&r->arena);
	tc_strtab_release(&r->names);
	tc_strtab_release(&r->scenes);
	free(r->has_part);
	free(r->told);
	free(r->texts);
	free(r->parts);
	free(r->devices);
}
