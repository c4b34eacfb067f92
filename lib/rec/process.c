#include "rec/rec.h"

static const struct tc_rec_field process_fields[] = {
	TC_REC_ALWAYS(tc_rec_process, upid, INT),
	TC_REC_ALWAYS(tc_rec_process, pid, INT),
	TC_REC_ALWAYS(tc_rec_process, name, STR),
	TC_REC_ALWAYS(tc_rec_process, uid, INT),
	TC_REC_ALWAYS(tc_rec_process, package, STR),
	TC_REC_ALWAYS(tc_rec_process, start_ts, INT),
	TC_REC_ALWAYS(tc_rec_process, end_ts, INT),
	TC_REC_ALWAYS(tc_rec_process, machine_id, INT),
	TC_REC_ALWAYS(tc_rec_process, trace, INT),
};

const struct tc_rec_type tc_rec_process =
	TC_REC_TYPE(tc_rec_process, "process", process_fields);
