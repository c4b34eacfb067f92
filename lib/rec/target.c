#include "rec/nested.h"

TC_REC_INSIDE(files, tc_rec_target_file, TARGET_FILE);

TC_REC_RECORD(target, TARGET);
