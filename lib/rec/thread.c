#include "rec/rec.h"

static const struct tc_rec_field thread_fields[] = {
	TC_REC_ALWAYS(tc_rec_thread, utid, INT),
	TC_REC_ALWAYS(tc_rec_thread, upid, INT),
	TC_REC_ALWAYS(tc_rec_thread, tid, INT),
	TC_REC_ALWAYS(tc_rec_thread, name, STR),
	TC_REC_ALWAYS(tc_rec_thread, is_main, BOOL),
	TC_REC_ALWAYS(tc_rec_thread, machine_id, INT),
	TC_REC_ALWAYS(tc_rec_thread, trace, INT),
};

const struct tc_rec_type tc_rec_thread =
	TC_REC_TYPE(tc_rec_thread, "thread", thread_fields);
