#include "trace/trace.h"

/*
 * The names are Perfetto's where it has the counter, and then it counts what
 * Perfetto counts. That includes what healthy traces hold, so real faults have
 * counters of their own.
 */
static const struct tc_trace_stat_info table[TC_STAT_COUNT] = {
	[TC_STAT_TRUNCATED_BYTES] = { "trace_truncated_bytes", "data_loss" },
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
};

const struct tc_trace_stat_info *
tc_trace_stat_info(enum tc_trace_stat stat)
{
	return &table[stat];
}
