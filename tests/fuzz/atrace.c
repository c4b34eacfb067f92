/* Fuzz target of atrace: what a text is taken apart into lies inside it. */
#include "fuzz.h"

#include <string.h>

#include "atrace/atrace.h"

static void
check_inside(struct tc_str part, const char *text, size_t len)
{
	if (part.p >= text && part.p <= text + len)
		FUZZ_DEMAND(part.len <= (size_t)(text + len - part.p));
	else
		FUZZ_DEMAND(!part.p || memcmp(part.p, "[empty", 6) == 0);
}

/* What was cleaned is clean. */
static void
check_clean(const char *text, uint32_t len)
{
	char *copy = malloc(len + 1u);
	uint32_t n;

	if (!copy)
		return;
	memcpy(copy, text, len);
	n = tc_atrace_clean(copy, len);
	FUZZ_DEMAND(n <= len);
	FUZZ_DEMAND(tc_atrace_clean(copy, n) == n);
	free(copy);
}

/* What the short way takes, it reads as the long one does. */
static void
check_usual(const uint8_t *bytes, size_t len)
{
	struct tc_str text = { NULL, (uint32_t)len, false }, name = { 0 };
	char *copy = calloc(len + 16, 1);
	struct tc_atrace a;
	uint32_t tgid;
	int phase;

	if (!copy)
		return;
	memcpy(copy, bytes, len);
	text.p = copy;
	phase = tc_atrace_usual(text, &tgid, &name);
	if (phase) {
		FUZZ_DEMAND(tc_atrace_parse(text, &a) == TC_ATRACE_OK);
		FUZZ_DEMAND((int)a.phase == phase);
		FUZZ_DEMAND(a.tgid == tgid && tc_str_eq(a.name, name));
	}
	free(copy);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	struct tc_str text = { (const char *)bytes, (uint32_t)len, false };
	struct tc_atrace a;

	if (tc_atrace_parse(text, &a) == TC_ATRACE_OK) {
		check_inside(a.name, text.p, len);
		check_inside(a.track, text.p, len);
	}
	if (len) {
		check_clean(text.p, text.len);
		check_usual(bytes, len);
	}
	return 0;
}
