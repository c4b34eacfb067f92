/* slices: which names are chosen without being asked for, and how many are open. */
#include "slices/slices.h"

#include "check.h"

enum { MORE = 128 };

/* However much may be looked at behind a name, and whatever stands there. */
static void
check_behind(const char *name, const char *behind, bool is_default)
{
	char text[512] = "";
	struct tc_str s;
	size_t more;

	for (more = 0; more <= MORE; more++) {
		memset(text, 0, sizeof(text));
		snprintf(text, sizeof(text), "%s%s", name, behind);
		s = check_text(text, strlen(name));
		if (tc_slice_is_default(s, s.len + more) != is_default)
			break;
	}
	if (!CHECK_INT(more, MORE + 1))
		fprintf(stderr, "name: %s\n", name);
}

static void
check_default(const char *name, bool is_default)
{
	check_behind(name, "FT#MissedAppDeadline", is_default);
	check_behind(name, "\n\x12\x16\x08", is_default);
}

static void
test_default(void)
{
	static const char *const names[] = { "Choreographer#doFrame 12",
		"Choreographer#doFrame - resynced to 12 in 20.0ms", "DrawFrame 1",
		"DrawFrames 1", "FT#1", "InputConsumer processing on x", "J<CUJ>",
		"REThreaded::drawLayers", "UnwantedInteractionBlocker::notifyMotion x",
		"commit 1", "composite 1", "deliverInputEvent x", "dispatchInputEvent x",
		"drawLayers", "enqueueDispatchEntry", "onMessageInvalidate 1",
		"onMessageReceived 1", "onMessageRefresh", "prepareDispatchCycleLocked(x",
		"publish", "receiveMessage(x", "sendMessage(x",
		"startDispatchCycleLocked(x", "FT#MissedSFDeadline",
		"TX - com.example.app/Main#0FT#MissedAppDeadline",
		"com.example.app/com.example.app.a.name.that.is.longer.than.what.is."
		"looked.at.together#1234FT#MissedAppDeadline" };
	static const char *const others[] = { "", "C", "D", "J", "Choreographer",
		"choreographer#doFrame", "drawing", "Draw", "commit", "compose",
		"dequeue", "on", "onMessage", "send", "ft#1", "T#M", "a#M",
		"x#MissedAppDeadline", "T#MissedAppDeadline", "FT#", "#", "##", "#M",
		"com.example.app/com.example.app.a.name.that.is.longer.than.what.is."
		"looked.at.together#M" };
	size_t i;

	for (i = 0; i < CHECK_ITEMS(names); i++)
		check_default(names[i], true);
	for (i = 0; i < CHECK_ITEMS(others); i++)
		check_default(others[i], strcmp(others[i], "FT#") == 0);
}

/* Counting in line comes to what counting one by one does. */
static void
test_move(void)
{
	struct tc_slices quick = { 0 }, slow = { 0 };
	struct tc_slice_mark mark = {
		.end = TC_SLICE_NONE, .tid = 7, .pid = 5, .name = 1
	};
	struct tc_slice_thread *t;
	struct tc_slice *a, *b;
	uint32_t seed = 1, tid;
	long taken = 0;
	int64_t ts, by;
	bool is_new;

	for (ts = 1; ts < 20000; ts++) {
		seed = seed * 1103515245 + 12345;
		tid = 7 + (seed >> 16) % 300;
		by = (seed >> 8) % 3 ? 1 + (int64_t)(seed >> 24) % 40 : -1;
		t = tc_slices_thread(&slow, 0, tid, 5, ts, &is_new);
		tc_slices_move_any(&slow, t, ts, by);
		if (tc_slices_move(&quick, 0, tid, 5, by)) {
			taken++;
		} else {
			t = tc_slices_thread(&quick, 0, tid, 5, ts, &is_new);
			tc_slices_move_any(&quick, t, ts, by);
		}
		CHECK_INT(quick.too_deep, slow.too_deep);
		if (ts % 10)
			continue;
		mark.ts = ts;
		mark.tid = tid;
		t = tc_slices_thread(&slow, 0, tid, 5, ts, &is_new);
		a = tc_slices_begin(&slow, t, &mark);
		t = tc_slices_thread(&quick, 0, tid, 5, ts, &is_new);
		b = tc_slices_begin(&quick, t, &mark);
		CHECK_INT(!a, !b);
		if (a && b)
			CHECK_INT(b->depth, a->depth);
		t = tc_slices_thread(&slow, 0, tid, 5, ts, &is_new);
		tc_slices_move_any(&slow, t, ts, -1);
		t = tc_slices_thread(&quick, 0, tid, 5, ts, &is_new);
		tc_slices_move_any(&quick, t, ts, -1);
	}
	CHECK(taken > 1000);
	CHECK(slow.too_deep > 0);
	CHECK(!tc_slices_move(&quick, 0, 6, 5, 1)); /* not known yet */
	CHECK(!tc_slices_move(&quick, 1, 7, 5, 1));
	CHECK(!tc_slices_move(&quick, 0, 7, 6, 1));
	tc_slices_release(&quick);
	tc_slices_release(&slow);
}

int
main(void)
{
	test_default();
	test_move();
	return check_done();
}
