#include "rec/priv.h"

#define COMMAND(F, s) \
	F(s, ALWAYS, STR, device) \
	F(s, OPTIONAL, STR, session) \
	F(s, ALWAYS, STR, phase) \
	F(s, ALWAYS, STR, text)

TC_REC_RECORD(command, COMMAND);
