#include "trace/trace.h"

/*
 * The names are Perfetto's where it has the counter, and then it counts what
 * Perfetto counts. That includes what healthy traces hold, so real faults have
 * counters of their own.
 */
static const struct tc_trace_stat_info table[TC_STAT_COUNT] = {
	[TC_STAT_TRUNCATED_BYTES] = { "trace_truncated_bytes", "data_loss" },
	[TC_STAT_CONTAINER_CUT] = { "container_cut", "data_loss" },
	[TC_STAT_DAMAGE_OFFSET] = { "trace_damaged_at_byte", "error" },
	[TC_STAT_DAMAGED_COMPRESSED] = { "compressed_packets_damaged", "data_loss" },
	[TC_STAT_DAMAGED_NESTED] = { "nested_message_damaged", "data_loss" },
	[TC_STAT_NAME_CUT] = { "name_cut", "data_loss" },
	[TC_STAT_INPUT_CUT] = { "input_event_cut", "data_loss" },
	[TC_STAT_UNKNOWN_TOP_LEVEL] = { "trace_unknown_top_level_fields", "info" },
	[TC_STAT_SEQ_LOSS] = { "sequence_packet_loss", "data_loss" },
	[TC_STAT_CLEARED_NO_SEQ] = { "incremental_state_cleared_missing_sequence_id",
		"error" },
	[TC_STAT_DROPPED_NO_SEQ] = { "previous_packet_dropped_missing_sequence_id",
		"error" },
	[TC_STAT_DEFAULTS_NO_SEQ] = { "trace_packet_defaults_missing_sequence_id",
		"error" },
	[TC_STAT_INTERNED_NO_SEQ] = { "interned_data_missing_sequence_id", "error" },
	[TC_STAT_INTERNED_INVALID] = { "interned_data_skipped_incremental_state_invalid",
		"info" },
	[TC_STAT_NEEDS_STATE] = { "packet_skipped_seq_needs_incremental_state_invalid",
		"info" },
	[TC_STAT_CLOCK_UNKNOWN_SOURCE] = { "clock_sync_failure_unknown_source_clock",
		"error" },
	[TC_STAT_CLOCK_UNKNOWN_TARGET] = { "clock_sync_failure_unknown_target_clock",
		"error" },
	[TC_STAT_CLOCK_NO_PATH] = { "clock_sync_failure_no_path", "error" },
	[TC_STAT_CLOCK_PACKET_LOSS] = { "clock_sync_failure_undeferrable_packet_loss",
		"data_loss" },
	[TC_STAT_CLOCK_BAD_SNAPSHOT] = { "invalid_clock_snapshots", "error" },
	[TC_STAT_NEGATIVE_TIMESTAMP] = { "trace_sorter_negative_timestamp_dropped",
		"error" },
	[TC_STAT_TOO_MANY_MACHINES] = { "machines_beyond_limit_dropped", "data_loss" },
	[TC_STAT_GRAPHICS_ERRORS] = { "graphics_frame_event_parser_errors", "info" },
	[TC_STAT_TIMELINE_ERRORS] = { "frame_timeline_event_parser_errors", "info" },
	[TC_STAT_TIMELINE_UNPAIRED] = { "frame_timeline_unpaired_end_event", "info" },
	[TC_STAT_GRAPHICS_FAULTS] = { "graphics_frame_event_faults", "data_loss" },
	[TC_STAT_TIMELINE_FAULTS] = { "frame_timeline_event_faults", "data_loss" },
	[TC_STAT_OVERLAPPING] = { "slice_drop_overlapping_complete_event", "error" },
	[TC_STAT_NEGATIVE_DURATION] = { "slice_negative_duration", "error" },
	[TC_STAT_MAX_DEPTH] = { "slice_max_depth_exceeded", "error" },
	[TC_STAT_PARENT_CHANGED] = { "process_tracker_parent_pid_changed", "info" },
	[TC_STAT_FTRACE_BAD_BUNDLE] = { "ftrace_bundle_tokenizer_errors", "error" },
	[TC_STAT_FTRACE_NO_EVENT] = { "ftrace_missing_event_id", "info" },
	[TC_STAT_FTRACE_CPU_LOSS] = { "ftrace_cpu_has_data_loss", "data_loss" },
	[TC_STAT_FTRACE_LATE] = { "sorter_push_event_out_of_order", "error" },
	[TC_STAT_SYSTRACE_BAD] = { "systrace_parse_failure", "error" },
	[TC_STAT_SWITCH_MISMATCH] = { "mismatched_sched_switch_tids", "error" },
	[TC_STAT_COMPACT_SKIPPED] = { "compact_sched_switch_skipped", "info" },
	[TC_STAT_PROCESS_ERRORS] = { "process_tracker_errors", "error" },
	[TC_STAT_MISPLACED_END] = { "misplaced_end_event", "data_loss" },
	[TC_STAT_BUF_BYTES_WRITTEN] = { "traced_buf_bytes_written", "info" },
	[TC_STAT_BUF_CHUNKS_WRITTEN] = { "traced_buf_chunks_written", "info" },
	[TC_STAT_BUF_CHUNKS_OVERWRITTEN] = { "traced_buf_chunks_overwritten",
		"data_loss" },
	[TC_STAT_BUF_WRITE_WRAP_COUNT] = { "traced_buf_write_wrap_count", "info" },
	[TC_STAT_BUF_PATCHES_SUCCEEDED] = { "traced_buf_patches_succeeded", "info" },
	[TC_STAT_BUF_PATCHES_FAILED] = { "traced_buf_patches_failed", "data_loss" },
	[TC_STAT_BUF_READAHEADS_SUCCEEDED] = { "traced_buf_readaheads_succeeded",
		"info" },
	[TC_STAT_BUF_READAHEADS_FAILED] = { "traced_buf_readaheads_failed", "info" },
	[TC_STAT_BUF_ABI_VIOLATIONS] = { "traced_buf_abi_violations", "data_loss" },
	[TC_STAT_BUF_CHUNKS_REWRITTEN] = { "traced_buf_chunks_rewritten", "info" },
	[TC_STAT_BUF_CHUNKS_COMMITTED_OUT_OF_ORDER] = { "traced_buf_chunks_committed_out_"
							"of_order",
		"info" },
	[TC_STAT_BUF_BUFFER_SIZE] = { "traced_buf_buffer_size", "info" },
	[TC_STAT_BUF_BYTES_OVERWRITTEN] = { "traced_buf_bytes_overwritten", "data_loss" },
	[TC_STAT_BUF_BYTES_READ] = { "traced_buf_bytes_read", "info" },
	[TC_STAT_BUF_PADDING_BYTES_WRITTEN] = { "traced_buf_padding_bytes_written",
		"info" },
	[TC_STAT_BUF_PADDING_BYTES_CLEARED] = { "traced_buf_padding_bytes_cleared",
		"info" },
	[TC_STAT_BUF_CHUNKS_READ] = { "traced_buf_chunks_read", "info" },
	[TC_STAT_BUF_CHUNKS_DISCARDED] = { "traced_buf_chunks_discarded", "data_loss" },
	[TC_STAT_BUF_TRACE_WRITER_PACKET_LOSS] = { "traced_buf_trace_writer_packet_loss",
		"data_loss" },
	[TC_STAT_TRACED_PRODUCERS_CONNECTED] = { "traced_producers_connected", "info" },
	[TC_STAT_TRACED_PRODUCERS_SEEN] = { "traced_producers_seen", "info" },
	[TC_STAT_TRACED_DATA_SOURCES_REGISTERED] = { "traced_data_sources_registered",
		"info" },
	[TC_STAT_TRACED_DATA_SOURCES_SEEN] = { "traced_data_sources_seen", "info" },
	[TC_STAT_TRACED_TRACING_SESSIONS] = { "traced_tracing_sessions", "info" },
	[TC_STAT_TRACED_TOTAL_BUFFERS] = { "traced_total_buffers", "info" },
	[TC_STAT_TRACED_CHUNKS_DISCARDED] = { "traced_chunks_discarded", "info" },
	[TC_STAT_TRACED_PATCHES_DISCARDED] = { "traced_patches_discarded", "info" },
	[TC_STAT_TRACED_INVALID_PACKETS] = { "traced_invalid_packets", "data_loss" },
	[TC_STAT_TRACED_FLUSHES_REQUESTED] = { "traced_flushes_requested", "info" },
	[TC_STAT_TRACED_FLUSHES_SUCCEEDED] = { "traced_flushes_succeeded", "info" },
	[TC_STAT_TRACED_FLUSHES_FAILED] = { "traced_flushes_failed", "data_loss" },
	[TC_STAT_TRACED_FINAL_FLUSH_SUCCEEDED] = { "traced_final_flush_succeeded",
		"info" },
	[TC_STAT_TRACED_FINAL_FLUSH_FAILED] = { "traced_final_flush_failed",
		"data_loss" },
};

const struct tc_trace_stat_info *
tc_trace_stat_info(enum tc_trace_stat stat)
{
	return &table[stat];
}

/* Where the counter is kept. */
static int64_t *
slot(struct tc_trace *t, enum tc_trace_stat stat, uint64_t index)
{
	if (index >= TC_TRACE_MAX_INDEX)
		return &t->stats[stat];
	if (!t->stats_at[stat])
		t->stats_at[stat] =
			tc_mem_calloc(TC_TRACE_MAX_INDEX, sizeof(*t->stats_at[stat]));
	return &t->stats_at[stat][index];
}

void
tc_trace_count_at(struct tc_trace *t, enum tc_trace_stat stat, uint64_t index)
{
	++*slot(t, stat, index);
}

void
tc_trace_set_at(
	struct tc_trace *t, enum tc_trace_stat stat, uint64_t index, int64_t value)
{
	*slot(t, stat, index) = value;
}

int64_t
tc_trace_stat_at(const struct tc_trace *t, enum tc_trace_stat stat, size_t index)
{
	return t->stats_at[stat] ? t->stats_at[stat][index] : 0;
}
