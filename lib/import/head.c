#include "import/priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/io.h"
#include "rec/rec.h"
#include "source/source.h"

/* The reference behaviour that the rows follow. */
static const char rules[] = "perfetto-57.2";

static bool
is_requested(const struct tc_decode *d, const char *name)
{
	struct tc_str s = tc_str_of(name);
	size_t i;

	for (i = 0; i < d->facts.requested_count; i++)
		if (tc_str_eq(d->facts.requested[i], s))
			return true;
	return false;
}

static bool
is_ours(struct tc_str name)
{
	const struct tc_source *const *all = tc_source_all();
	int i;

	for (i = 0; all[i]; i++)
		if (all[i]->name && tc_str_eq(tc_str_of(all[i]->name), name))
			return true;
	return false;
}

/*
 * The sources that we count packets of, seen or asked for; then the others
 * that were asked for, whose packets nobody counted.
 */
static struct tc_rec_list
data_sources(struct tc_decode *d)
{
	const struct tc_source *const *all = tc_source_all();
	struct tc_rec_trace_source *list, *s;
	size_t i, n = 0;

	list = tc_arena_alloc(
		&d->rows, (TC_SOURCE_MAX + d->facts.requested_count) * sizeof(*list));
	for (i = 0; all[i]; i++) {
		if (!all[i]->name)
			continue;
		s = &list[n];
		*s = (struct tc_rec_trace_source){ tc_str_of(all[i]->name), TC_NONE,
			d->use[i].packets };
		if (d->facts.has_config)
			s->requested = is_requested(d, all[i]->name);
		n += s->packets || s->requested == 1;
	}
	for (i = 0; i < d->facts.requested_count; i++)
		if (!is_ours(d->facts.requested[i]))
			list[n++] = (struct tc_rec_trace_source){ d->facts.requested[i],
				1, TC_NONE };
	return (struct tc_rec_list){ list, n };
}

/* Which clock each source's packets were stamped with. */
static struct tc_rec_list
clocks(struct tc_decode *d)
{
	const struct tc_source *const *all = tc_source_all();
	const struct tc_source_use *use;
	struct tc_rec_trace_clock *list;
	struct tc_clocks *machine;
	const char *name;
	char buf[24];
	int64_t ts;
	size_t i, j, n = 0;

	list = tc_arena_alloc(&d->rows, TC_SOURCE_MAX * TC_SOURCE_CLOCKS * sizeof(*list));
	for (i = 0; all[i]; i++) {
		use = &d->use[i];
		for (j = 0; all[i]->name && j < use->clock_count; j++) {
			machine = &d->trace.machines[use->clock_machine[j]].clocks;
			name = tc_clock_name(use->clocks[j], buf);
			name = tc_arena_dup(&d->rows, name, tc_str_of(name).len);
			list[n++] = (struct tc_rec_trace_clock){
				.source = tc_str_of(all[i]->name),
				.clock = tc_str_of(name),
				.mapped = tc_clocks_convert(machine, use->clocks[j], 0,
						  &ts) == TC_CLOCK_OK,
				.snapshots =
					(int64_t)tc_clocks_seen(machine, use->clocks[j]),
			};
		}
	}
	return (struct tc_rec_list){ list, n };
}

static struct tc_str
uuid_text(const struct tc_source_facts *f, char buf[37])
{
	uint64_t m = (uint64_t)f->uuid_msb, l = (uint64_t)f->uuid_lsb;

	if (!f->has_uuid)
		return (struct tc_str){ 0 };
	snprintf(buf, 37, "%08llx-%04llx-%04llx-%04llx-%012llx",
		(unsigned long long)(m >> 32), (unsigned long long)(m >> 16 & 0xffff),
		(unsigned long long)(m & 0xffff), (unsigned long long)(l >> 48),
		(unsigned long long)(l & 0xffffffffffff));
	return tc_str_of(buf);
}

/* What became of each buffer; not known without the service's statistics. */
static struct tc_rec_list
buffers(struct tc_decode *d)
{
	const struct tc_trace *t = &d->trace;
	struct tc_rec_trace_buffer *list;
	size_t i, n = d->facts.buffer_count;

	if (!d->facts.has_stats)
		return (struct tc_rec_list){ 0 };
	list = tc_arena_alloc(&d->rows, (n + 1) * sizeof(*list));
	for (i = 0; i < n; i++)
		list[i] = (struct tc_rec_trace_buffer){
			.index = (int64_t)i,
			.size = tc_trace_stat_at(t, TC_STAT_BUF_BUFFER_SIZE, i),
			.bytes_written =
				tc_trace_stat_at(t, TC_STAT_BUF_BYTES_WRITTEN, i),
			.bytes_overwritten =
				tc_trace_stat_at(t, TC_STAT_BUF_BYTES_OVERWRITTEN, i),
			.wrapped = tc_trace_stat_at(
					   t, TC_STAT_BUF_CHUNKS_OVERWRITTEN, i) != 0,
			.chunks_discarded =
				tc_trace_stat_at(t, TC_STAT_BUF_CHUNKS_DISCARDED, i),
			.trace_writer_packet_loss = tc_trace_stat_at(
				t, TC_STAT_BUF_TRACE_WRITER_PACKET_LOSS, i),
		};
	return (struct tc_rec_list){ list, n };
}

static struct tc_str
final_flush(const struct tc_source_facts *f)
{
	if (f->final_flush == 1)
		return TC_STR("succeeded");
	return f->final_flush == 2 ? TC_STR("failed") : (struct tc_str){ 0 };
}

void
tc_import_put_trace(struct tc_decode *d, const struct tc_import_origin *origin,
	const struct tc_in *in, struct tc_out *out)
{
	const struct tc_source_facts *facts = &d->facts;
	const struct tc_trace *t = &d->trace;
	bool has_times = d->start_ts <= d->end_ts;
	struct tc_rec_trace_config config = { facts->duration_ms,
		facts->write_into_file };
	char uuid[37];
	struct tc_rec_trace rec = {
		.path = origin->path,
		.bytes = in->size >= 0 ? in->size
				       : (int64_t)(in->offset + tc_in_avail(in)),
		.device = origin->device,
		.session = origin->session,
		.packets = t->packets,
		.uuid = uuid_text(facts, uuid),
		.start_ts = has_times ? d->start_ts : TC_NONE,
		.end_ts = has_times ? d->end_ts : TC_NONE,
		.duration_ns = has_times ? d->end_ts - d->start_ts : TC_NONE,
		.outliers = d->outliers,
		.tracing_started_ts = facts->tracing_started_ts,
		.all_data_sources_started_ts = facts->all_data_sources_started_ts,
		.tracing_disabled_ts = facts->tracing_disabled_ts,
		.clocks = clocks(d),
		.data_sources = data_sources(d),
		.config = facts->has_config ? &config : NULL,
		.buffers = buffers(d),
		.packets_lost = t->stats[TC_STAT_SEQ_LOSS],
		.flushes_failed = facts->has_stats
			? t->stats[TC_STAT_TRACED_FLUSHES_FAILED]
			: TC_NONE,
		.final_flush = final_flush(facts),
		.truncated = t->stats[TC_STAT_TRUNCATED_BYTES] != 0 ||
			t->stats[TC_STAT_CONTAINER_CUT] != 0,
		.sdk = facts->sdk,
		.build = facts->build,
		.importer = TC_STR("tc-import " TC_VERSION),
		.rules = TC_STR(rules),
		.trace = d->index,
	};

	tc_rec_put(out, &tc_rec_trace, &rec);
}

static int
compare_packages(const void *a, const void *b)
{
	const struct tc_source_package *p = a, *q = b;

	if (p->uid != q->uid)
		return p->uid < q->uid ? -1 : 1;
	return tc_str_compare(p->name, q->name);
}

/* By uid, then by name, each once, although the list may have come again. */
static void
sort_packages(struct tc_source_facts *f)
{
	size_t i, n = 0;

	if (f->package_count)
		qsort(f->packages, f->package_count, sizeof(*f->packages),
			compare_packages);
	for (i = 0; i < f->package_count; i++)
		if (!n || compare_packages(&f->packages[n - 1], &f->packages[i]))
			f->packages[n++] = f->packages[i];
	f->package_count = n;
}

static bool
is_before(const void *package, const void *wanted)
{
	return compare_packages(package, wanted) < 0;
}

/* The first package that does not come before this one. */
static size_t
find_package(const struct tc_source_facts *f, struct tc_source_package wanted)
{
	return tc_mem_find(
		f->packages, f->package_count, sizeof(*f->packages), is_before, &wanted);
}

static bool
is_package(const struct tc_source_facts *f, size_t i, int64_t uid)
{
	return i < f->package_count && f->packages[i].uid == uid;
}

/* Each user of the device has a range of uids; apps have the same place in all. */
enum { UIDS_PER_USER = 100000 };

/*
 * A process is called after its package, with a colon and more at most. A uid
 * that several packages share tells no more than that.
 */
static struct tc_str
package_of(const struct tc_decode *d, const struct tc_process *p)
{
	const struct tc_source_facts *f = &d->facts;
	struct tc_source_package wanted = { p->uid % UIDS_PER_USER,
		tc_strtab_str(&d->names, p->name) };
	const char *colon;
	size_t i;

	if (p->uid < 0)
		return (struct tc_str){ 0 };
	colon = wanted.name.len ? memchr(wanted.name.p, ':', wanted.name.len) : NULL;
	if (colon)
		wanted.name.len = (uint32_t)(colon - wanted.name.p);
	i = find_package(f, wanted);
	if (is_package(f, i, wanted.uid) && tc_str_eq(f->packages[i].name, wanted.name))
		return f->packages[i].name;
	i = find_package(f, (struct tc_source_package){ .uid = wanted.uid });
	return is_package(f, i, wanted.uid) && !is_package(f, i + 1, wanted.uid)
		? f->packages[i].name
		: (struct tc_str){ 0 };
}

static void
put_processes(struct tc_decode *d, struct tc_out *out)
{
	const struct tc_process *p, *end = d->procs.processes + d->procs.process_count;
	struct tc_rec_process rec;
	int64_t end_ts;

	sort_packages(&d->facts);
	for (p = d->procs.processes; p < end; p++) {
		if (!tc_source_has_process(d, p->upid))
			continue;
		end_ts = tc_procs_end_ts(&d->procs, p->upid);
		rec = (struct tc_rec_process){
			.upid = p->upid,
			.pid = p->pid,
			.name = tc_strtab_str(&d->names, p->name),
			.uid = p->uid >= 0 ? p->uid : TC_NONE,
			.start_ts = p->start_ts >= 0 ? p->start_ts : TC_NONE,
			.end_ts = end_ts >= 0 ? end_ts : TC_NONE,
			.package = package_of(d, p),
			.machine_id = tc_source_machine_id(d, p->machine),
			.trace = d->index,
		};
		tc_rec_put(out, &tc_rec_process, &rec);
	}
}

static void
put_threads(struct tc_decode *d, struct tc_out *out)
{
	const struct tc_thread *t, *end = d->procs.threads + d->procs.thread_count;
	struct tc_rec_thread rec;

	for (t = d->procs.threads; t < end; t++) {
		if (!tc_source_has_process(d, t->upid))
			continue;
		rec = (struct tc_rec_thread){
			.utid = t->utid,
			.upid = t->upid == TC_PROC_NONE ? TC_NONE : (int64_t)t->upid,
			.tid = t->tid,
			.name = tc_strtab_str(&d->names, t->name),
			.is_main = t->is_main,
			.machine_id = tc_source_machine_id(d, t->machine),
			.trace = d->index,
		};
		tc_rec_put(out, &tc_rec_thread, &rec);
	}
}

void
tc_import_put_processes(struct tc_decode *d, struct tc_out *out)
{
	if (d->chosen.process)
		put_processes(d, out);
	if (d->chosen.thread)
		put_threads(d, out);
}
