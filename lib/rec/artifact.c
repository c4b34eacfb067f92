#include "rec/rec.h"

static const struct tc_rec_field artifact_fields[] = {
	TC_REC_OPTIONAL(tc_rec_artifact, run, STR),
	TC_REC_OPTIONAL(tc_rec_artifact, session, STR),
	TC_REC_OPTIONAL(tc_rec_artifact, device, STR),
	TC_REC_ALWAYS(tc_rec_artifact, path, STR),
	TC_REC_ALWAYS(tc_rec_artifact, bytes, INT),
	TC_REC_OPTIONAL(tc_rec_artifact, sha256, STR),
	TC_REC_ALWAYS(tc_rec_artifact, kind, STR),
	TC_REC_OPTIONAL(tc_rec_artifact, source, STR),
};

const struct tc_rec_type tc_rec_artifact =
	TC_REC_TYPE(tc_rec_artifact, "artifact", artifact_fields);
