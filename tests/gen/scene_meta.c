/*
 * Packets around the frames: what was asked for, on which phone, how its clocks
 * relate, which processes ran, and how the session went.
 */
#include "scene.h"

/* REALTIME less BOOTTIME: any constant will do. */
#define WALL_OFFSET INT64_C(1713772800000000000)
#define SNAPSHOT_PERIOD (INT64_C(10000) * TC_SCENE_MS)

static void
put_config(struct tc_scene_writer *w)
{
	static char *const names[] = { "android.surfaceflinger.frametimeline",
		"android.surfaceflinger.frame", "linux.process_stats", "linux.ftrace" };
	Tc__TracePacket p = TC__TRACE_PACKET__INIT;
	Tc__TraceConfig config = TC__TRACE_CONFIG__INIT;
	Tc__TraceConfig__DataSource sources[4], *pointers[4];
	Tc__DataSourceConfig configs[4];
	size_t i, n = tc_scene_has_ftrace(w->mix) ? 4 : 3;

	for (i = 0; i < n; i++) {
		tc__data_source_config__init(&configs[i]);
		tc__trace_config__data_source__init(&sources[i]);
		configs[i].name = names[i];
		sources[i].config = &configs[i];
		pointers[i] = &sources[i];
	}
	config.n_data_sources = n;
	config.data_sources = pointers;
	p.trace_config = &config;
	tc_scene_set_origin(&p, TC_SCENE_SEQ_SERVICE, TC_SCENE_UID_TRACED);
	tc_scene_write_packet(w, &p);
}

static void
put_uuid(struct tc_scene_writer *w, uint64_t seed)
{
	Tc__TracePacket p = TC__TRACE_PACKET__INIT;
	Tc__TraceUuid uuid = TC__TRACE_UUID__INIT;
	struct tc_scene_rng rng = { seed };

	uuid.has_msb = uuid.has_lsb = 1;
	uuid.msb = (int64_t)tc_scene_random(&rng);
	uuid.lsb = (int64_t)tc_scene_random(&rng);
	p.trace_uuid = &uuid;
	tc_scene_set_origin(&p, TC_SCENE_SEQ_SERVICE, TC_SCENE_UID_TRACED);
	tc_scene_write_packet(w, &p);
}

static void
put_system_info(struct tc_scene_writer *w)
{
	static char sysname[] = "Linux", version[] = "#1 SMP PREEMPT",
		    release[] = "5.10.198-android13-4", machine[] = "aarch64",
		    build[] = "example/marmot/marmot:14/EX1A.240115.007/"
			      "1234567:user/release-keys",
		    service[] = "Perfetto v34.0";
	Tc__TracePacket p = TC__TRACE_PACKET__INIT;
	Tc__SystemInfo info = TC__SYSTEM_INFO__INIT;
	Tc__Utsname uts = TC__UTSNAME__INIT;

	uts.sysname = sysname;
	uts.version = version;
	uts.release = release;
	uts.machine = machine;
	info.utsname = &uts;
	info.android_build_fingerprint = build;
	info.tracing_service_version = service;
	info.has_android_sdk_version = 1;
	info.android_sdk_version = TC_SCENE_SDK;
	p.system_info = &info;
	tc_scene_set_origin(&p, TC_SCENE_SEQ_SERVICE, TC_SCENE_UID_TRACED);
	tc_scene_write_packet(w, &p);
}

static void
put_service_event(struct tc_scene_writer *w, int64_t now, Tc__TracingServiceEvent *event)
{
	Tc__TracePacket p = TC__TRACE_PACKET__INIT;

	p.service_event = event;
	tc_scene_set_origin(&p, TC_SCENE_SEQ_SERVICE, TC_SCENE_UID_TRACED);
	tc_scene_set_time(&p, now + w->boot_offset);
	tc_scene_write_packet(w, &p);
}

static void
put_started(struct tc_scene_writer *w, int64_t now)
{
	Tc__TracingServiceEvent started = TC__TRACING_SERVICE_EVENT__INIT;
	Tc__TracingServiceEvent all_started = TC__TRACING_SERVICE_EVENT__INIT;

	started.has_tracing_started = started.tracing_started = 1;
	put_service_event(w, now, &started);
	all_started.has_all_data_sources_started = 1;
	all_started.all_data_sources_started = 1;
	put_service_event(w, now + 2 * TC_SCENE_MS, &all_started);
}

static void
put_marker(struct tc_scene_writer *w)
{
	Tc__TracePacket p = TC__TRACE_PACKET__INIT;

	tc_gen_set_marker(&p);
	tc_scene_set_origin(&p, TC_SCENE_SEQ_SERVICE, TC_SCENE_UID_TRACED);
	tc_scene_write_packet(w, &p);
}

static void
put_snapshot(struct tc_scene_writer *w, int64_t now)
{
	static const uint32_t ids[] = { TC_SCENE_CLOCK_BOOTTIME, 2, 4, 1,
		TC_SCENE_CLOCK_MONOTONIC, 5 };
	int64_t boot = now + w->boot_offset, wall = boot + WALL_OFFSET;
	const int64_t values[] = { boot, wall - 1500000, now - 1500000, wall, now,
		now - 40210 };
	Tc__TracePacket p = TC__TRACE_PACKET__INIT;
	Tc__ClockSnapshot snapshot = TC__CLOCK_SNAPSHOT__INIT;
	Tc__ClockSnapshot__Clock clocks[6], *pointers[6];
	size_t i;

	for (i = 0; i < 6; i++) {
		tc__clock_snapshot__clock__init(&clocks[i]);
		clocks[i].has_clock_id = clocks[i].has_timestamp = 1;
		clocks[i].clock_id = ids[i];
		clocks[i].timestamp = (uint64_t)values[i];
		pointers[i] = &clocks[i];
	}
	snapshot.n_clocks = 6;
	snapshot.clocks = pointers;
	snapshot.has_primary_trace_clock = 1;
	snapshot.primary_trace_clock = TC_SCENE_CLOCK_BOOTTIME;
	p.clock_snapshot = &snapshot;
	tc_scene_set_origin(&p, TC_SCENE_SEQ_SERVICE, TC_SCENE_UID_TRACED);
	tc_scene_set_time(&p, boot);
	tc_scene_write_packet(w, &p);
}

static const struct {
	int32_t pid, ppid, uid;
	const char *cmdline;
} processes[] = {
	{ 1, 0, 0, "/system/bin/init" },
	{ 588, 1, 0, "zygote64" },
	{ TC_SCENE_SF_PID, 1, 1000, "/system/bin/surfaceflinger" },
	{ 640, 1, 1000, "/vendor/bin/hw/android.hardware.composer.hwc3-service.example" },
	{ TC_SCENE_PROBES_PID, 1, 9999, "/system/bin/traced_probes" },
	{ 1302, 588, 1000, "system_server" },
	{ TC_SCENE_SYSTEMUI_PID, 588, 10112, "com.android.systemui" },
	{ TC_SCENE_APP_PID, 588, 10241, "com.example.app" },
};

static const struct {
	int32_t tid, tgid;
	const char *name;
} threads[] = {
	{ 655, TC_SCENE_SF_PID, "TimerDispatch" },
	{ 671, TC_SCENE_SF_PID, "RenderEngine" },
	{ 673, TC_SCENE_SF_PID, "app" },
	{ 1330, 1302, "android.ui" },
	{ 1331, 1302, "android.display" },
	{ 1342, 1302, "InputDispatcher" },
	{ 1951, TC_SCENE_SYSTEMUI_PID, "RenderThread" },
	{ TC_SCENE_APP_RENDER_TID, TC_SCENE_APP_PID, "RenderThread" },
	{ 9352, TC_SCENE_APP_PID, "GPU completion" },
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void
put_process_tree(struct tc_scene_writer *w, int64_t now)
{
	Tc__TracePacket p = TC__TRACE_PACKET__INIT;
	Tc__ProcessTree tree = TC__PROCESS_TREE__INIT;
	Tc__ProcessTree__Process procs[COUNT(processes)], *proc_at[COUNT(processes)];
	Tc__ProcessTree__Thread thrs[COUNT(threads)], *thr_at[COUNT(threads)];
	ProtobufCBinaryData cmdlines[COUNT(processes)];
	size_t i;

	for (i = 0; i < COUNT(processes); i++) {
		cmdlines[i] = tc_gen_text_bytes(processes[i].cmdline);
		tc__process_tree__process__init(&procs[i]);
		procs[i].has_pid = procs[i].has_ppid = procs[i].has_uid = 1;
		procs[i].pid = processes[i].pid;
		procs[i].ppid = processes[i].ppid;
		procs[i].uid = processes[i].uid;
		procs[i].n_cmdline = 1;
		procs[i].cmdline = &cmdlines[i];
		proc_at[i] = &procs[i];
	}
	for (i = 0; i < COUNT(threads); i++) {
		tc__process_tree__thread__init(&thrs[i]);
		thrs[i].has_tid = thrs[i].has_tgid = thrs[i].has_name = 1;
		thrs[i].tid = threads[i].tid;
		thrs[i].tgid = threads[i].tgid;
		thrs[i].name = tc_gen_text_bytes(threads[i].name);
		thr_at[i] = &thrs[i];
	}
	tree.n_processes = COUNT(processes);
	tree.processes = proc_at;
	tree.n_threads = COUNT(threads);
	tree.threads = thr_at;
	p.process_tree = &tree;
	tc_scene_set_origin(&p, TC_SCENE_SEQ_PROCESSES, TC_SCENE_UID_TRACED);
	tc_scene_set_time(&p, now + w->boot_offset);
	tc_scene_write_packet(w, &p);
}

/* Frame packets alone still need one snapshot: half of them are in another clock. */
void
tc_scene_write_head(struct tc_scene_writer *w, int64_t now, uint64_t seed)
{
	w->next_snapshot = INT64_MAX;
	if (w->mix == TC_SCENE_FRAMES) {
		put_snapshot(w, now);
		return;
	}
	w->next_snapshot = now;
	put_uuid(w, seed);
	put_config(w);
	tc_scene_write_snapshot(w, now);
	put_system_info(w);
	put_started(w, now);
	put_process_tree(w, now + 3 * TC_SCENE_MS);
}

void
tc_scene_write_snapshot(struct tc_scene_writer *w, int64_t now)
{
	if (now < w->next_snapshot)
		return;
	put_snapshot(w, now);
	put_marker(w);
	w->next_snapshot += SNAPSHOT_PERIOD;
}

static void
put_stats(struct tc_scene_writer *w, int64_t now)
{
	Tc__TracePacket p = TC__TRACE_PACKET__INIT;
	Tc__TraceStats stats = TC__TRACE_STATS__INIT;
	Tc__TraceStats__BufferStats buffer = TC__TRACE_STATS__BUFFER_STATS__INIT;
	Tc__TraceStats__BufferStats *pointer = &buffer;

	buffer.has_bytes_written = buffer.has_buffer_size = 1;
	buffer.bytes_written = tc_gen_out_bytes(&w->file);
	buffer.buffer_size = 64 << 20;
	stats.n_buffer_stats = 1;
	stats.buffer_stats = &pointer;
	stats.has_total_buffers = stats.has_flushes_requested = 1;
	stats.has_flushes_succeeded = stats.has_final_flush_outcome = 1;
	stats.total_buffers = 1;
	stats.flushes_requested = stats.flushes_succeeded = 1;
	stats.final_flush_outcome = 1; /* succeeded */
	p.trace_stats = &stats;
	tc_scene_set_origin(&p, TC_SCENE_SEQ_SERVICE, TC_SCENE_UID_TRACED);
	tc_scene_set_time(&p, now + w->boot_offset);
	tc_scene_write_packet(w, &p);
}

void
tc_scene_write_tail(struct tc_scene_writer *w, int64_t now)
{
	Tc__TracingServiceEvent disabled = TC__TRACING_SERVICE_EVENT__INIT;

	if (w->mix == TC_SCENE_FRAMES)
		return;
	disabled.has_tracing_disabled = disabled.tracing_disabled = 1;
	put_service_event(w, now, &disabled);
	put_stats(w, now);
}
