#include "rec/nested.h"

TC_REC_INSIDE_SESSION;

TC_REC_RECORD(session, SESSION);
