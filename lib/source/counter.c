/* Counters: numbers that processes and CPUs had from a time on. */
#include "rec/rec.h"
#include "source/priv.h"

struct counter_row {
	struct tc_row row; /* first */
	bool is_of_cpu;
	uint32_t name, owner; /* owner: the CPU, or the pid and then the upid */
	uint32_t machine;
	int64_t value;
};

void
tc_source_add_counter(
	struct tc_decode *d, const struct tc_ftrace_event *e, uint32_t machine)
{
	struct counter_row *r = tc_source_event(d, &tc_source_counter, e->ts, sizeof(*r));

	r->is_of_cpu = e->kind == TC_FTRACE_CPU_FREQUENCY;
	r->name = r->is_of_cpu ? tc_strtab_id(&d->names, TC_STR("cpufreq")) : e->name;
	r->owner = e->pid;
	r->machine = machine;
	r->value = e->value;
}

static void
apply(struct tc_decode *d, void *state, int64_t ts, struct tc_row *base)
{
	struct counter_row *r = (struct counter_row *)base;

	(void)state;
	(void)ts;
	if (!r->is_of_cpu)
		r->owner = tc_procs_upid(&d->procs, r->machine, r->owner);
}

static void
put(struct tc_decode *d, void *state, int64_t ts, struct tc_row *base, struct tc_out *o)
{
	const struct counter_row *r = (const struct counter_row *)base;
	struct tc_rec_list edge;

	(void)state;
	if (!d->chosen.counter || !tc_source_has_time(d, ts, 0, &edge) ||
		(!r->is_of_cpu && !tc_source_has_process(d, r->owner)))
		return;
	tc_rec_put(o, &tc_rec_counter,
		&(struct tc_rec_counter){
			.ts = ts,
			.name = tc_strtab_str(&d->names, r->name),
			.cpu = r->is_of_cpu ? (int64_t)r->owner : TC_NONE,
			.upid = r->is_of_cpu ? TC_NONE : (int64_t)r->owner,
			.value = r->value,
			.outlier = tc_source_outlier(d, ts),
			.machine_id = tc_source_machine_id(d, r->machine),
			.trace = d->index,
		});
}

const struct tc_source tc_source_counter = { .apply = apply, .put = put };
