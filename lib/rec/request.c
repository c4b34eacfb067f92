#include "rec/priv.h"

#define REQUEST(F, s) \
	F(s, ALWAYS, STR, target) \
	F(s, OPTIONAL, JSON, config)

TC_REC_RECORD(request, REQUEST);
