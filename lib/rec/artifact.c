#include "rec/priv.h"

#define ARTIFACT(F, s) \
	F(s, OPTIONAL, STR, run) \
	F(s, OPTIONAL, STR, session) \
	F(s, OPTIONAL, STR, device) \
	F(s, ALWAYS, STR, path) \
	F(s, ALWAYS, INT, bytes) \
	F(s, OPTIONAL, STR, sha256) \
	F(s, ALWAYS, STR, kind) \
	F(s, OPTIONAL, STR, source)

TC_REC_RECORD(artifact, ARTIFACT);
