#ifndef TC_REC_TYPES_H
#define TC_REC_TYPES_H
/*
 * The structs of all record types, fields in contract order; tc-records(5)
 * says what each means. Times are nanoseconds of trace time, dur -1 was never
 * closed. Included through rec.h.
 */
#include <stdint.h>

#include "mem/mem.h"

struct tc_rec_type;

struct tc_rec_list {
	const void *items; /* borrowed */
	size_t count;
};

struct tc_rec_tool {
	struct tc_str tool, version;
	int64_t contract;
};

struct tc_rec_end {
	struct tc_str tool;
	int64_t status, records;
};

struct tc_rec_error {
	struct tc_str tool, code, text;
	struct tc_str subject; /* JSON text */
};

struct tc_rec_notice {
	struct tc_str device, level, code, target, text;
	int64_t trace;
};

/* What is known of a device; perfetto NULL: it has none that answers. */
struct tc_rec_device_display {
	struct tc_str id; /* 64 bits without a sign, in decimal */
	struct tc_str name;
};

struct tc_rec_device_free {
	struct tc_str path;
	int64_t bytes;
};

struct tc_rec_device_perfetto {
	struct tc_str version;
	struct tc_rec_list data_sources; /* of struct tc_str */
	int64_t sessions, own_session;
};

struct tc_rec_device {
	struct tc_str device, platform, state, serial, model;
	int64_t sdk;
	struct tc_str release, build, root;
	struct tc_rec_list displays; /* of struct tc_rec_device_display */
	struct tc_str screenrecord;
	int64_t wayland;
	struct tc_rec_list free;                       /* of struct tc_rec_device_free */
	const struct tc_rec_device_perfetto *perfetto; /* borrowed */
	struct tc_rec_list protolog_groups;            /* of struct tc_str */
};

struct tc_rec_request {
	struct tc_str target;
	struct tc_str config; /* JSON text: an object */
};

struct tc_rec_target_file {
	struct tc_str path;
	struct tc_rec_list match; /* of struct tc_str */
	struct tc_str dest;
};

struct tc_rec_target {
	struct tc_str device, name, mode, via;
	struct tc_rec_list requests, setup; /* of struct tc_str */
	struct tc_str start, stop, config;
	struct tc_rec_list files; /* of struct tc_rec_target_file */
};

/* What went wrong; inside other records. */
struct tc_rec_session_error {
	struct tc_str code, text;
};

/* One of the device's settings, `settings put SPACE KEY VALUE`; "null": not set. */
struct tc_rec_session_setting {
	struct tc_str space, key, value;
};

struct tc_rec_session {
	struct tc_str id, run, device, name, state, as;
	struct tc_str pids;         /* JSON text: an array of integers */
	struct tc_rec_list restore; /* of struct tc_rec_session_setting */
	struct tc_str started_at, stopped_at;
	const struct tc_rec_session_error *error; /* borrowed, here and below */
	const struct tc_rec_target *target;
};

/* What the folder of a run on a device holds in run.json. */
struct tc_rec_run {
	struct tc_str run, progress, host, started_at;
	struct tc_rec_list sessions; /* of struct tc_rec_session */
};

struct tc_rec_command {
	struct tc_str device, session, phase, text;
};

/* What a run left on its device; error NULL: nothing went wrong with it. */
struct tc_rec_file_error {
	struct tc_str code, text;
};

struct tc_rec_file {
	struct tc_str run, session, device, path, origin, as, dest;
	int64_t bytes;
	struct tc_str state;
	const struct tc_rec_file_error *error; /* borrowed */
};

struct tc_rec_artifact {
	struct tc_str run, session, device, path;
	int64_t bytes;
	struct tc_str sha256, kind, source;
};

struct tc_rec_trace_clock {
	struct tc_str source;
	struct tc_str clock;
	int64_t mapped, snapshots;
};

struct tc_rec_trace_source {
	struct tc_str name;
	int64_t requested, packets;
};

struct tc_rec_trace_config {
	int64_t duration_ms, write_into_file;
};

struct tc_rec_trace_buffer {
	int64_t index, size, bytes_written, bytes_overwritten, wrapped;
	int64_t chunks_discarded, trace_writer_packet_loss;
};

struct tc_rec_trace {
	struct tc_str path;
	int64_t bytes;
	struct tc_str device, session;
	int64_t packets;
	struct tc_str uuid;
	int64_t start_ts, end_ts, duration_ns, outliers;
	int64_t tracing_started_ts, all_data_sources_started_ts, tracing_disabled_ts;
	struct tc_rec_list clocks;                /* of struct tc_rec_trace_clock */
	struct tc_rec_list data_sources;          /* of struct tc_rec_trace_source */
	const struct tc_rec_trace_config *config; /* borrowed */
	struct tc_rec_list buffers;               /* of struct tc_rec_trace_buffer */
	int64_t packets_lost, flushes_failed;
	struct tc_str final_flush;
	int64_t truncated, sdk;
	struct tc_str build, importer, rules;
	int64_t trace;
};

struct tc_rec_process {
	int64_t upid, pid;
	struct tc_str name;
	int64_t uid;
	struct tc_str package;
	int64_t start_ts, end_ts, machine_id, trace;
};

struct tc_rec_thread {
	int64_t utid, upid, tid;
	struct tc_str name;
	int64_t is_main, machine_id, trace;
};

struct tc_rec_buffer_event {
	int64_t id, ts, dur;
	struct tc_str name, track;
	int64_t buffer_id;
	struct tc_str layer_name;
	int64_t frame_number;
	int64_t queue_to_acquire_time, acquire_to_latch_time, latch_to_present_time;
	struct tc_rec_list stale; /* of struct tc_str */
	struct tc_rec_list edge;  /* of struct tc_str, here and below */
	int64_t outlier, machine_id, trace;
	struct tc_str labels;     /* name to layer_name, see rec.h */
	struct tc_str stale_text; /* stale */
};

struct tc_rec_phase {
	int64_t id, ts, dur;
	struct tc_str phase, name, track;
	int64_t buffer_id;
	struct tc_str layer_name;
	int64_t frame_number, depth;
	struct tc_rec_list edge;
	int64_t outlier, machine_id, trace;
	struct tc_str labels; /* track to layer_name */
};

struct tc_rec_expected_frame {
	int64_t id, ts, dur, upid, pid;
	struct tc_str process, name;
	int64_t surface_frame_token, display_frame_token;
	struct tc_str layer_name;
	struct tc_rec_list edge;
	int64_t outlier, machine_id, trace;
	struct tc_str owner; /* upid to process */
};

struct tc_rec_experimental {
	struct tc_str present_type, jank_type;
	int64_t jank_mask;
	struct tc_str jank_tag;
	float jank_metadata;
	int64_t latched_unsignaled_count, addressable_unsignaled_latch_count;
};

struct tc_rec_actual_frame {
	int64_t id, ts, dur, upid, pid;
	struct tc_str process, name;
	int64_t surface_frame_token, display_frame_token;
	struct tc_str layer_name;
	struct tc_rec_list edge;
	int64_t outlier, machine_id;
	struct tc_str present_type;
	int64_t on_time_finish, gpu_composition;
	struct tc_str jank_type;
	int64_t jank_mask;
	struct tc_str jank_tag, jank_severity_type;
	float jank_score;
	struct tc_str prediction_type, is_buffer;
	float present_delay_ms, vsync_resynced_jitter_ms, animation_time_ms;
	struct tc_str latched_fence_state;
	const struct tc_rec_experimental *experimental; /* borrowed */
	int64_t trace;
	struct tc_str owner;   /* as of expected frames */
	struct tc_str verdict; /* present_type to prediction_type */
};

struct tc_rec_input_event {
	int64_t event_id, ts;
	struct tc_str kind;
	int64_t source, action, device_id, display_id, key_code;
	struct tc_str args; /* JSON text */
	int64_t redacted, outlier, machine_id, trace;
};

struct tc_rec_input_dispatch {
	int64_t event_id, ts, vsync_id, window_id;
	struct tc_str args; /* JSON text */
	int64_t redacted, outlier, machine_id, trace;
};

struct tc_rec_refresh_rate {
	int64_t ts, dur, period_ns;
	struct tc_str source;
	struct tc_rec_list edge;
	int64_t machine_id, trace;
};

struct tc_rec_clock {
	int64_t ts, snapshot;
	struct tc_str clocks; /* JSON text: an object */
	int64_t outlier, machine_id, trace;
};

struct tc_rec_slice {
	int64_t id, ts, dur;
	struct tc_str kind, track;
	int64_t parent_id, depth, upid, utid, pid, tid;
	struct tc_str process, thread, name;
	int64_t vsync_id, cookie;
	struct tc_rec_list edge;
	int64_t outlier, machine_id, trace;
};

struct tc_rec_counter {
	int64_t ts;
	struct tc_str name;
	int64_t cpu, upid, value, outlier, machine_id, trace;
};

struct tc_rec_sched {
	int64_t ts, dur, utid, tid, pid;
	struct tc_str state;
	int64_t cpu;
	struct tc_rec_list edge;
	int64_t outlier, machine_id, trace;
};

struct tc_rec_input_latency {
	int64_t dispatch_latency_dur, handling_latency_dur, ack_latency_dur;
	int64_t total_latency_dur, end_to_end_latency_dur, tid;
	struct tc_str thread_name;
	int64_t upid, pid;
	struct tc_str process_name, event_type, event_action, event_seq, event_channel;
	struct tc_str normalized_event_channel, input_event_id;
	int64_t read_time, event_time, dispatch_ts, dispatch_dur, dispatch_tid;
	struct tc_str dispatch_thread_name;
	int64_t dispatch_pid;
	struct tc_str dispatch_process_name;
	int64_t receive_ts, receive_dur, receive_tid;
	struct tc_str receive_thread_name;
	int64_t receive_pid;
	struct tc_str receive_process_name;
	int64_t frame_id, is_speculative_frame;
	struct tc_str match;
	int64_t matched_frame_id, matched_frame_ts, present_ts;
	int64_t delivery_ts, delivery_dur;
	int64_t finish_ts, last_finish_ts, finish_count, ack_ts;
	int64_t event_ts, event_id, batch_event_id, seq;
	struct tc_rec_list edge;
	int64_t outlier, machine_id, trace;
};

struct tc_rec_stat {
	struct tc_str name;
	int64_t index;
	struct tc_str severity;
	int64_t value, trace;
};

struct tc_rec_jank_frame {
	int64_t actual_id, upid, pid;
	struct tc_str process, layer_name;
	int64_t surface_frame_token, display_frame_token;
	struct tc_str is_buffer;
	int64_t actual_ts_ns, raw_actual_dur_ns;
	struct tc_str actual_duration_status;
	int64_t expected_count, expected_id, expected_ts_ns, expected_dur_ns;
	double end_delta_ms;
	struct tc_str present_type;
	int64_t on_time_finish;
	struct tc_str jank_tag, jank_type;
	int64_t machine_id, trace;
};

struct tc_rec_jank_stats {
	int64_t upid, pid;
	struct tc_str process, layer_name, is_buffer, jank_tag, jank_type, present_type;
	int64_t on_time_finish;
	int64_t surface_frame_rows, closed_positive_rows, zero_rows, open_rows;
	int64_t invalid_rows;
	int64_t sum_closed_ns;
	double avg_closed_ms, max_closed_ms;
	int64_t runs, machine_id, trace;
};

/* Time that belongs to one repetition of a scenario. */
struct tc_rec_marker {
	int64_t ts, dur;
	struct tc_str name, scenario;
	int64_t repetition, trace;
};

struct tc_rec_jank_display {
	int64_t app_actual_id, app_upid, app_pid;
	struct tc_str layer_name;
	int64_t surface_frame_token, display_frame_token;
	struct tc_str is_buffer, app_jank_tag, app_jank_type;
	int64_t sf_candidate_count, sf_actual_id, sf_upid, sf_pid;
	struct tc_str sf_jank_tag, sf_jank_type, sf_present_type;
	int64_t machine_id, trace;
};

struct tc_rec_jank_phase {
	int64_t phase_slice_id;
	struct tc_str track;
	int64_t ts_ns, raw_dur_ns;
	struct tc_str layer_name;
	int64_t frame_number;
	struct tc_str phase_name, buffer_track_suffix, duration_status;
	double duration_ms;
	struct tc_str why, text;
	int64_t machine_id, trace;
};

/* What a buffer did, as a candidate for what an app frame is. */
struct tc_rec_jank_match_candidate {
	int64_t buffer_id, frame_number;
	int64_t dequeue_ts_ns, queue_ts_ns, acquire_ts_ns, latch_ts_ns, present_ts_ns;
	int64_t overlap_ns, end_delta_ns, present_delta_ns;
	struct tc_str confidence;
};

struct tc_rec_jank_match {
	int64_t actual_id, upid, pid;
	struct tc_str process, layer_name;
	int64_t surface_frame_token, display_frame_token;
	struct tc_str is_buffer;
	int64_t actual_ts_ns, raw_actual_dur_ns;
	int64_t sf_candidate_count, display_present_ts_ns;
	struct tc_str confidence;
	int64_t candidate_count;
	struct tc_rec_list candidates; /* of struct tc_rec_jank_match_candidate */
	struct tc_rec_list limits;     /* of struct tc_str */
	struct tc_str text;
	int64_t machine_id, trace;
};

struct tc_rec_jank_cause_stretch {
	struct tc_str name;
	int64_t ts, dur_ns, expected_ns, over_ns, is_long;
	struct tc_str why, reading;
};

struct tc_rec_jank_cause_thread {
	struct tc_str role;
	int64_t slice_id;
	struct tc_str name, thread;
	int64_t tid, ts, dur_ns, running_ns, runnable_ns, blocked_ns, not_known_ns;
};

struct tc_rec_jank_cause_unknown {
	struct tc_str what, why;
};

struct tc_rec_jank_cause_hint {
	struct tc_str source, target, text;
};

struct tc_rec_jank_cause {
	int64_t actual_id, upid, pid;
	struct tc_str process, layer_name;
	int64_t surface_frame_token, display_frame_token;
	struct tc_str is_buffer;
	int64_t actual_ts_ns, raw_actual_dur_ns;
	struct tc_str present_type;
	int64_t on_time_finish;
	struct tc_str jank_tag, jank_type;
	int64_t jank_mask;
	struct tc_str jank_severity_type, prediction_type, class;
	struct tc_rec_list blame; /* of struct tc_str */
	int64_t expected_count;
	double begin_delta_ms, end_delta_ms;
	int64_t period_ns;
	struct tc_rec_list stretches; /* of struct tc_rec_jank_cause_stretch */
	struct tc_rec_list threads;   /* of struct tc_rec_jank_cause_thread */
	int64_t gpu_composition, fallback_composition;
	int64_t sf_candidate_count;
	struct tc_str sf_jank_type;
	int64_t sf_gpu_composition;
	struct tc_str match_confidence;
	int64_t match_count, buffer_id, frame_number;
	struct tc_str path;
	struct tc_rec_list path_evidence; /* of struct tc_str */
	struct tc_rec_list unknown;       /* of struct tc_rec_jank_cause_unknown */
	struct tc_rec_list hints;         /* of struct tc_rec_jank_cause_hint */
	struct tc_str text;
	int64_t machine_id, trace;
};

/* What a thread ran while an event waited for it. */
struct tc_rec_lag_slice {
	struct tc_str name;
	int64_t ts, dur;
	double overlap_ms;
};

struct tc_rec_lag {
	int64_t ts;
	struct tc_str event_type, event_action, event_channel, normalized_event_channel;
	int64_t seq, event_id, upid, pid;
	struct tc_str process;
	int64_t tid;
	struct tc_str thread, status;
	double dispatch_ms, handling_ms, ack_ms, finish_ms, total_ms, age_ms;
	double present_ms, end_to_end_ms;
	struct tc_str match;
	int64_t frame_id, matched_frame_id, present_ts;
	double running_ms, runnable_ms, blocked_ms;
	struct tc_rec_list slices; /* of struct tc_rec_lag_slice */
	int64_t slices_left_off, machine_id, trace;
};

/* Of one vsync id in one process; the four `was_` are 1 or unknown. */
struct tc_rec_frame_metrics {
	int64_t frame_id, ts, dur, upid, pid;
	struct tc_str process;
	int64_t overrun, app_vsync_delay, cpu_time, ui_time;
	int64_t was_jank, was_slow_frame, was_big_jank, was_huge_jank;
	int64_t period_ns;
	struct tc_str scenario;
	int64_t repetition;
	struct tc_str definition;
	int64_t machine_id, trace;
};

/* Counts of values by bucket, see dist. */
struct tc_rec_sketch {
	double error;
	struct tc_str buckets; /* JSON text: [[bucket, count], ...] */
};

/*
 * A number and what it is made of, so that many combine into one: value is
 * num * scale / den, and `combine` says what becomes of num and den.
 */
struct tc_rec_jank_metric {
	struct tc_str metric, definition, unit;
	double value;
	struct tc_str reason; /* why value is unknown */
	int64_t samples;
	struct tc_str combine; /* sum, ratio, max, distribution */
	int64_t num, den;
	double scale;
	double min, p1, p50, p90, p95, p99, max;
	struct tc_str method;               /* nearest_rank, sketch */
	const struct tc_rec_sketch *sketch; /* borrowed */
	int64_t upid, pid;
	struct tc_str process, layer_name, cuj, scenario;
	int64_t scenario_is_cuj; /* 1, or TC_NONE */
	int64_t repetition, rate_hz, period_ns, ts, dur;
	struct tc_str device, rules;
	int64_t runs, runs_unknown, machine_id, trace;

	/* No field: of the trace, where who hands out the record knows it. */
	struct tc_str path;
};

struct tc_rec_verdict {
	struct tc_str verdict, by, rule, metric, definition, statistic, op;
	double limit, limit_frames;
	struct tc_str unit;
	double value;
	struct tc_str reason;
	int64_t samples, min_samples;
	struct tc_str policy;
	int64_t parts, judged, failed, upid;
	struct tc_str process, layer_name, cuj, scenario;
	int64_t repetition, rate_hz, ts, dur;
	struct tc_str device, device_class;

	/* Of a comparison. */
	struct tc_str worse, change, difference, unit_of_sample;
	double a, b;
	int64_t a_samples, b_samples, a_runs, b_runs;
	double delta, delta_low, delta_high, effect, ci_low, ci_high, superiority;
	struct tc_str test;
	double p, p_adjusted;
	struct tc_str adjust;
	int64_t comparisons;
	double spread_ratio, spread_p, alpha, min_effect;
	int64_t resamples, seed;
	struct tc_str rules;

	int64_t machine_id, trace;
};

extern const struct tc_rec_type tc_rec_tool, tc_rec_end, tc_rec_error, tc_rec_notice,
	tc_rec_device, tc_rec_request, tc_rec_target, tc_rec_session, tc_rec_run,
	tc_rec_file, tc_rec_command, tc_rec_artifact, tc_rec_trace, tc_rec_process,
	tc_rec_thread, tc_rec_buffer_event, tc_rec_phase, tc_rec_expected_frame,
	tc_rec_actual_frame, tc_rec_input_event, tc_rec_input_dispatch,
	tc_rec_input_latency, tc_rec_refresh_rate, tc_rec_clock, tc_rec_slice,
	tc_rec_counter, tc_rec_sched, tc_rec_stat, tc_rec_jank_frame, tc_rec_jank_stats,
	tc_rec_marker, tc_rec_jank_display, tc_rec_jank_phase, tc_rec_jank_match,
	tc_rec_jank_cause, tc_rec_lag, tc_rec_frame_metrics, tc_rec_jank_metric,
	tc_rec_verdict;

#endif
