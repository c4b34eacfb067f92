#include "rec/rec.h"

static const struct tc_rec_field trace_clock_fields[] = {
	TC_REC_ALWAYS(tc_rec_trace_clock, source, STR),
	TC_REC_ALWAYS(tc_rec_trace_clock, clock, STR),
	TC_REC_ALWAYS(tc_rec_trace_clock, mapped, BOOL),
	TC_REC_ALWAYS(tc_rec_trace_clock, snapshots, INT),
};

static const struct tc_rec_type trace_clock =
	TC_REC_INNER(tc_rec_trace_clock, trace_clock_fields);

static const struct tc_rec_field trace_source_fields[] = {
	TC_REC_ALWAYS(tc_rec_trace_source, name, STR),
	TC_REC_ALWAYS(tc_rec_trace_source, requested, BOOL),
	TC_REC_ALWAYS(tc_rec_trace_source, packets, INT),
};

static const struct tc_rec_type trace_source =
	TC_REC_INNER(tc_rec_trace_source, trace_source_fields);

static const struct tc_rec_field trace_fields[] = {
	TC_REC_ALWAYS(tc_rec_trace, path, STR),
	TC_REC_ALWAYS(tc_rec_trace, bytes, INT),
	TC_REC_OPTIONAL(tc_rec_trace, device, STR),
	TC_REC_OPTIONAL(tc_rec_trace, session, STR),
	TC_REC_ALWAYS(tc_rec_trace, packets, INT),
	TC_REC_ALWAYS(tc_rec_trace, uuid, STR),
	TC_REC_ALWAYS(tc_rec_trace, start_ts, INT),
	TC_REC_ALWAYS(tc_rec_trace, end_ts, INT),
	TC_REC_ALWAYS_SUB(tc_rec_trace, clocks, LIST, &trace_clock),
	TC_REC_ALWAYS_SUB(tc_rec_trace, data_sources, LIST, &trace_source),
	TC_REC_ALWAYS(tc_rec_trace, truncated, BOOL),
	TC_REC_ALWAYS(tc_rec_trace, sdk, INT),
	TC_REC_ALWAYS(tc_rec_trace, build, STR),
	TC_REC_ALWAYS(tc_rec_trace, importer, STR),
	TC_REC_ALWAYS(tc_rec_trace, rules, STR),
	TC_REC_ALWAYS(tc_rec_trace, trace, INT),
};

const struct tc_rec_type tc_rec_trace = TC_REC_TYPE(tc_rec_trace, "trace", trace_fields);
