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

#define TRACE(F, s) \
	F(s, ALWAYS, STR, path) \
	F(s, ALWAYS, INT, bytes) \
	F(s, OPTIONAL, STR, device) \
	F(s, OPTIONAL, STR, session) \
	F(s, ALWAYS, INT, packets) \
	F(s, ALWAYS, STR, uuid) \
	F(s, ALWAYS, INT, start_ts) \
	F(s, ALWAYS, INT, end_ts) \
	F(s, ALWAYS, LIST, clocks) \
	F(s, ALWAYS, LIST, data_sources) \
	F(s, ALWAYS, BOOL, truncated) \
	F(s, ALWAYS, INT, sdk) \
	F(s, ALWAYS, STR, build) \
	F(s, ALWAYS, STR, importer) \
	F(s, ALWAYS, STR, rules) \
	F(s, ALWAYS, INT, trace)

TC_REC_RECORD(trace, TRACE);
