/* What the names of slices tell. */
#include "slices/slices.h"

#include <string.h>

/*
 * The beginnings of the names that frame analysis lives on, by their first letter:
 * what an app's and SurfaceFlinger's threads do for a frame, the markers of
 * interactions, and the way of an input event. None is shorter than two letters, and
 * the second ones are told by their last five bits, so that what begins otherwise is
 * mostly passed over without a look at the list. Each list ends with an empty one.
 */
#define SECOND(letter) (UINT32_C(1) << ((letter)&31))
#define STARTS(...) ((const struct tc_str[]){ __VA_ARGS__, { 0 } })
static const struct {
	uint32_t seconds;
	const struct tc_str *list;
} starts[128] = {
	['C'] = { SECOND('h'), STARTS(TC_STR_INIT("Choreographer#doFrame")) },
	['D'] = { SECOND('r'), STARTS(TC_STR_INIT("DrawFrame")) },
	['F'] = { SECOND('T'), STARTS(TC_STR_INIT("FT#")) },
	['I'] = { SECOND('n'), STARTS(TC_STR_INIT("InputConsumer processing")) },
	['J'] = { SECOND('<'), STARTS(TC_STR_INIT("J<")) },
	['R'] = { SECOND('E'), STARTS(TC_STR_INIT("REThreaded::drawLayers")) },
	['U'] = { SECOND('n'),
		STARTS(TC_STR_INIT("UnwantedInteractionBlocker::notifyMotion")) },
	['c'] = { SECOND('o'),
		STARTS(TC_STR_INIT("commit "), TC_STR_INIT("composite ")) },
	['d'] = { SECOND('e') | SECOND('i') | SECOND('r'),
		STARTS(TC_STR_INIT("deliverInputEvent "),
			TC_STR_INIT("dispatchInputEvent "), TC_STR_INIT("drawLayers")) },
	['e'] = { SECOND('n'), STARTS(TC_STR_INIT("enqueueDispatchEntr")) },
	['o'] = { SECOND('n'),
		STARTS(TC_STR_INIT("onMessageInvalidate"),
			TC_STR_INIT("onMessageReceived"),
			TC_STR_INIT("onMessageRefresh")) },
	['p'] = { SECOND('r') | SECOND('u'),
		STARTS(TC_STR_INIT("prepareDispatchCycleLocked("),
			TC_STR_INIT("publish")) },
	['r'] = { SECOND('e'), STARTS(TC_STR_INIT("receiveMessage(")) },
	['s'] = { SECOND('e') | SECOND('t'),
		STARTS(TC_STR_INIT("sendMessage("),
			TC_STR_INIT("startDispatchCycleLocked(")) },
};

/* Marks of a missed frame, `FT#MissedAppDeadline` and so on, behind a layer's name. */
static bool
is_missed_mark(struct tc_str name)
{
	static const struct tc_str mark = TC_STR_INIT("FT#Missed");
	const char *p = name.p, *end = name.p + name.len;

	while ((p = memchr(p, '#', (size_t)(end - p)))) {
		p++;
		if (p - name.p >= 3 &&
			tc_str_begins(
				(struct tc_str){ p - 3, (uint32_t)(end - p) + 3, false },
				mark))
			return true;
	}
	return false;
}

/* Out of line, so that it costs nothing where it is not asked. */
__attribute__((noinline)) static bool
is_default(struct tc_str name)
{
	const struct tc_str *start = starts[name.p[0] & 0x7f].list;

	for (; start && start->p; start++)
		if (tc_str_begins(name, *start))
			return true;
	return is_missed_mark(name);
}

bool
tc_slice_is_default(struct tc_str name, size_t ahead)
{
	if (name.len < 2)
		return false;
	if (!(starts[name.p[0] & 0x7f].seconds & SECOND(name.p[1])) &&
		name.len <= TC_STR_PAIR_AMONG && ahead > TC_STR_PAIR_AMONG &&
		!tc_str_has_pair(name.p, '#', 'M'))
		return false;
	return is_default(name);
}

/* Slices of one frame; others have numbers that are none of a vsync. */
static const struct tc_str frames[] = {
	TC_STR_INIT("Choreographer#doFrame"),
	TC_STR_INIT("DrawFrame"),
	TC_STR_INIT("DrawFrames"),
	TC_STR_INIT("commit"),
	TC_STR_INIT("composite"),
	TC_STR_INIT("onMessageInvalidate"),
	TC_STR_INIT("onMessageReceived"),
};

int64_t
tc_slice_vsync_id(struct tc_str name)
{
	const char *space = memchr(name.p, ' ', name.len), *p, *end = name.p + name.len;
	struct tc_str word = { name.p, space ? (uint32_t)(space - name.p) : 0, false };
	int64_t id = 0;
	size_t i;

	for (i = 0; i < sizeof(frames) / sizeof(frames[0]); i++)
		if (tc_str_eq(word, frames[i]))
			break;
	if (!space || i == sizeof(frames) / sizeof(frames[0]))
		return TC_SLICE_NONE;
	/* A phone's maker may have put text right behind the number. */
	for (p = space + 1; p < end && *p >= '0' && *p <= '9'; p++) {
		if (id > (INT64_MAX - 9) / 10)
			return TC_SLICE_NONE;
		id = id * 10 + (*p - '0');
	}
	return p > space + 1 ? id : TC_SLICE_NONE;
}
