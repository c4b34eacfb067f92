#include "rec/priv.h"

#define TRACE_CLOCK(F, s) \
	F(s, ALWAYS, STR, source) \
	F(s, ALWAYS, STR, clock) \
	F(s, ALWAYS, BOOL, mapped) \
	F(s, ALWAYS, INT, snapshots)

TC_REC_INSIDE(clocks, tc_rec_trace_clock, TRACE_CLOCK);

#define TRACE_SOURCE(F, s) \
	F(s, ALWAYS, STR, name) \
	F(s, ALWAYS, BOOL, requested) \
	F(s, ALWAYS, INT, packets)

TC_REC_INSIDE(data_sources, tc_rec_trace_source, TRACE_SOURCE);

#define TRACE_CONFIG(F, s) \
	F(s, ALWAYS, INT, duration_ms) \
	F(s, ALWAYS, BOOL, write_into_file)

TC_REC_INSIDE(config, tc_rec_trace_config, TRACE_CONFIG);

#define TRACE_BUFFER(F, s) \
	F(s, ALWAYS, INT, index) \
	F(s, ALWAYS, INT, size) \
	F(s, ALWAYS, INT, bytes_written) \
	F(s, ALWAYS, INT, bytes_overwritten) \
	F(s, ALWAYS, BOOL, wrapped) \
	F(s, ALWAYS, INT, chunks_discarded) \
	F(s, ALWAYS, INT, trace_writer_packet_loss)

TC_REC_INSIDE(buffers, tc_rec_trace_buffer, TRACE_BUFFER);

#define TRACE(F, s) \
	F(s, ALWAYS, STR, path) \
	F(s, ALWAYS, INT, bytes) \
	F(s, OPTIONAL, STR, device) \
	F(s, OPTIONAL, STR, session) \
	F(s, ALWAYS, INT, packets) \
	F(s, ALWAYS, STR, uuid) \
	F(s, ALWAYS, INT, start_ts) \
	F(s, ALWAYS, INT, end_ts) \
	F(s, ALWAYS, INT, duration_ns) \
	F(s, ALWAYS, INT, outliers) \
	F(s, ALWAYS, INT, tracing_started_ts) \
	F(s, ALWAYS, INT, all_data_sources_started_ts) \
	F(s, ALWAYS, INT, tracing_disabled_ts) \
	F(s, ALWAYS, LIST, clocks) \
	F(s, ALWAYS, LIST, data_sources) \
	F(s, ALWAYS, OBJ, config) \
	F(s, ALWAYS, LIST, buffers) \
	F(s, ALWAYS, INT, packets_lost) \
	F(s, ALWAYS, INT, flushes_failed) \
	F(s, ALWAYS, STR, final_flush) \
	F(s, ALWAYS, BOOL, truncated) \
	F(s, ALWAYS, INT, sdk) \
	F(s, ALWAYS, STR, build) \
	F(s, ALWAYS, STR, importer) \
	F(s, ALWAYS, STR, rules) \
	F(s, ALWAYS, INT, trace)

TC_REC_RECORD(trace, TRACE);
