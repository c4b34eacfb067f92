/* What a file is, by how it begins. */
#include <string.h>

#include "pull/priv.h"
#include "unpack/unpack.h"

/* A message's first field: a magic number of 64 bits, as ASCII. */
#define WINSCOPE(letters) "\x09" letters, 9

static const struct {
	size_t at;
	const char *magic;
	size_t len;
	struct tc_pull_kind kind;
} known[] = {
	{ 0, WINSCOPE("LYRTRACE"), { "winscope", "sf", ".winscope" } },
	{ 0, WINSCOPE("TNXTRACE"), { "winscope", "sf", ".winscope" } },
	{ 0, WINSCOPE("WINTRACE"), { "winscope", "wm", ".winscope" } },
	{ 0, WINSCOPE("PROTOLOG"), { "winscope", "protolog", ".winscope" } },
	{ 0, WINSCOPE("IMCTRACE"), { "winscope", "ime", ".winscope" } },
	{ 0, WINSCOPE("IMMTRACE"), { "winscope", "ime", ".winscope" } },
	{ 0, WINSCOPE("IMSTRACE"), { "winscope", "ime", ".winscope" } },
	{ 0, WINSCOPE("TRNTRACE"), { "winscope", "transition", ".winscope" } },
	{ 0, WINSCOPE("WMSTRACE"), { "winscope", "transition", ".winscope" } },
	{ 0, WINSCOPE("NAZAIRAD"), { "winscope", "vc", ".winscope" } },
	{ 4, "ftyp", 4, { "video", "", ".mp4" } },
	{ 0, "\x89PNG\r\n\x1a\n", 8, { "image", "", ".png" } },
	{ 0, "EventLog", 8, { "eventlog", "eventlog", ".winscope" } },
	{ 0, "PK\3\4", 4, { "zip", "", ".zip" } },
	{ 0, "PK\5\6", 4, { "zip", "", ".zip" } },
};

static const struct tc_pull_kind perfetto = { "perfetto", "", ".perfetto-trace" };
static const struct tc_pull_kind unknown = { "unknown", "", ".winscope" };

const struct tc_pull_kind *
tc_pull_kind(const void *bytes, size_t len)
{
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (len >= known[i].at && len - known[i].at >= known[i].len &&
			memcmp((const char *)bytes + known[i].at, known[i].magic,
				known[i].len) == 0)
			return &known[i].kind;
	return tc_unpack_begins_trace(bytes, len) ? &perfetto : &unknown;
}
