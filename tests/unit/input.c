/* input: exchanges of messages, deliveries, and the frames that showed them. */
#include "input/input.h"

#include <stdlib.h>
#include <unistd.h>

#include "check.h"

/* A run that hangs has failed. */
enum { PATIENCE_S = 60 };

enum { MAX_SLICES = 64, UI = 7, OTHER_UI = 8, DISPATCHER = 1, APP = 3, NO_ID = -1 };

static struct tc_strtab names;
static struct tc_procs procs;
static struct tc_input in;
static struct tc_slice slices[MAX_SLICES];
static size_t count;

/* Threads 0 to 9, of which 5 and up belong to the app. */
static void
begin(void)
{
	uint32_t i;

	tc_input_release(&in);
	tc_input_init(&in, &names);
	count = 0;
	if (procs.thread_count)
		return;
	tc_mem_grow(&procs.threads, &procs.thread_cap, 10, sizeof(*procs.threads));
	for (i = 0; i < 10; i++)
		procs.threads[procs.thread_count++] =
			(struct tc_thread){ .utid = i, .upid = i < 5 ? 1 : APP };
}

static struct tc_slice *
add(int64_t ts, int64_t dur, uint32_t utid, const struct tc_slice *parent,
	const char *name)
{
	struct tc_slice *s = &slices[count];

	*s = (struct tc_slice){
		.id = (int64_t)count++,
		.ts = ts,
		.dur = dur,
		.parent = parent,
		.utid = utid,
		.name = tc_strtab_id(&names, tc_str_of(name)),
		.vsync_id = TC_SLICE_NONE,
		.cookie = TC_SLICE_NONE,
	};
	tc_input_slice(&in, s);
	return s;
}

/* The stages of an event of channel "1a W" and this number. */
static struct tc_slice *
message(enum tc_input_stage stage, int64_t ts, uint32_t utid,
	const struct tc_slice *parent, int seq)
{
	bool is_sent = stage == TC_INPUT_DISPATCH || stage == TC_INPUT_FINISH;
	bool is_app = stage == TC_INPUT_RECEIVE || stage == TC_INPUT_FINISH;
	bool is_back = stage == TC_INPUT_FINISH || stage == TC_INPUT_ACK;
	char name[128];

	snprintf(name, sizeof(name),
		"%sMessage(inputChannel=1a W (%s), seq=0x%x, type=%s)",
		is_sent ? "send" : "receive", is_app ? "client" : "server", (unsigned)seq,
		is_back ? "FINISHED" : "MOTION");
	return add(ts, 1, utid, parent, name);
}

/* A dispatch inside the slice that tells its id. */
static void
dispatch(int64_t ts, int seq, int id)
{
	const struct tc_slice *outer = NULL;
	char name[128];

	if (id != NO_ID) {
		snprintf(name, sizeof(name),
			"prepareDispatchCycleLocked(inputChannel=1a W (server), id=0x%x)",
			(unsigned)id);
		outer = add(ts, 5, DISPATCHER, NULL, name);
	}
	message(TC_INPUT_DISPATCH, ts, DISPATCHER, outer, seq);
}

static struct tc_slice *
deliver(int64_t ts, int64_t dur, uint32_t utid, int id)
{
	char name[128];

	snprintf(name, sizeof(name),
		"deliverInputEvent src=0x1002 eventTimeNano=5 id=0x%x", (unsigned)id);
	return add(ts, dur, utid, NULL, name);
}

static struct tc_slice *
doframe(int64_t ts, int64_t dur, uint32_t utid, int64_t vsync_id)
{
	struct tc_slice *s = &slices[count];

	add(ts, dur, utid, NULL, "Choreographer#doFrame 1");
	s->vsync_id = vsync_id;
	return s;
}

static void
frame(bool is_surface, int64_t token, int64_t display_token, int64_t ts, int64_t dur,
	bool is_dropped)
{
	tc_input_frame(&in,
		&(struct tc_input_frame){ .token = token,
			.display_token = display_token,
			.ts = ts,
			.dur = dur,
			.upid = is_surface ? APP : 2,
			.is_surface = is_surface,
			.is_dropped = is_dropped });
}

/* Which messages the event has, as the ts of each; 0: not seen. */
static void
check_parts(size_t i, int64_t d, int64_t r, int64_t f, int64_t a)
{
	const int64_t want[TC_INPUT_STAGES] = { d, r, f, a };
	int stage;

	if (!CHECK(i < in.event_count))
		return;
	for (stage = 0; stage < TC_INPUT_STAGES; stage++)
		if (!CHECK_INT(
			    in.events[i].parts[stage] ? in.events[i].parts[stage]->ts : 0,
			    want[stage]))
			fprintf(stderr, "  event %zu, stage %d\n", i, stage);
}

/* ---- texts ---- */

static void
check_message(const char *name, enum tc_input_stage stage, const char *channel,
	const char *base, const char *type, uint64_t seq)
{
	struct tc_input_message m;

	if (!CHECK(tc_input_message(tc_str_of(name), &m))) {
		fprintf(stderr, "  %s\n", name);
		return;
	}
	CHECK_INT(m.stage, stage);
	CHECK_STR(m.channel, tc_str_of(channel));
	CHECK_STR(m.base, tc_str_of(base));
	CHECK_STR(m.type, tc_str_of(type));
	CHECK_INT(m.seq, seq);
}

static void
test_messages(void)
{
	static const char *const none[] = {
		"",
		"sendMessage(inputChannel=",
		"sendMessage(inputChannel=a)",
		"sendMessage(inputChannel=a, seq=0x1)",
		"sendMessage(inputChannel=a, type=MOTION)",
		"sendMessage(inputChannel=a, seq=0x1, type=MOTION",
		"sendMessage(inputChannel=a, seq=0x, type=MOTION)",
		"sendMessage(inputChannel=a, seq=0x1g, type=MOTION)",
		"sendMessage(inputChannel=a, seq=1, type=MOTION)",
		"sendMessage(inputChannel=a, seq=0x10000000000000000, type=MOTION)",
		"sendMessage(inputChannel=a, seq=0x0, type=TIMELINE)",
		"receiveMessage(inputChannel=a, seq=0x0, type=0x6)",
		"xsendMessage(inputChannel=a, seq=0x1, type=MOTION)",
	};
	struct tc_input_message m;
	size_t i;

	for (i = 0; i < CHECK_ITEMS(none); i++)
		if (!CHECK(!tc_input_message(tc_str_of(none[i]), &m)))
			fprintf(stderr, "  %s\n", none[i]);
	check_message("sendMessage(inputChannel=1a W (server), seq=0x1f, type=MOTION)",
		TC_INPUT_DISPATCH, "1a W (server)", "1a W", "MOTION", 31);
	check_message("receiveMessage(inputChannel=1a W (client), seq=0x1f, type=0x1)",
		TC_INPUT_RECEIVE, "1a W (client)", "1a W", "0x1", 31);
	check_message("sendMessage(inputChannel=W, seq=0xffffffff, type=0x2)",
		TC_INPUT_FINISH, "W", "W", "0x2", UINT32_MAX);
	check_message("receiveMessage(inputChannel=W (client) (server), seq=0x0, "
		      "type=FINISHED)",
		TC_INPUT_ACK, "W (client) (server)", "W (client)", "FINISHED", 0);
	check_message("sendMessage(inputChannel=1 a=b, seq=0x2, type=KEY (server), "
		      "seq=0x1, type=KEY)",
		TC_INPUT_DISPATCH, "1 a=b, seq=0x2, type=KEY (server)",
		"1 a=b, seq=0x2, type=KEY", "KEY", 1);
}

static void
test_channel_names(void)
{
	static const struct {
		const char *base, *name;
	} cases[] = {
		{ "7f697f org.demo/org.demo.Main$Inner", "org.demo/org.demo.Main$Inner" },
		{ "84232 com.example/com.example.Home2",
			"com.example/com.example.Home2" },
		{ "6d5b7a5 PopupWindow:b862c9c", "PopupWindow" },
		{ "e14420 Splash Screen com.example", "Splash Screen com.example" },
		{ "[Gesture Monitor] swipe-up", "[Gesture Monitor] swipe-up" },
		{ "PointerEventDispatcher0", "PointerEventDispatcher" },
		{ "embedded{0}", "embedded{0}" },
		{ "42", "42" },
		{ "", "" },
		{ " x", " x" },
		{ "ClientState{1 mUid=5}", "ClientState{1 mUid=5}" },
	};
	size_t i;

	for (i = 0; i < CHECK_ITEMS(cases); i++)
		CHECK_STR(tc_input_channel_name(tc_str_of(cases[i].base)),
			tc_str_of(cases[i].name));
}

static void
test_other_texts(void)
{
	int64_t n = 0;

	CHECK_STR(tc_input_action(TC_STR(
			  "dispatchInputEvent MotionEvent ACTION_MOVE deviceId=4")),
		TC_STR("MOVE"));
	CHECK_STR(tc_input_action(TC_STR(
			  "dispatchInputEvent MotionEvent POINTER_DOWN(1) deviceId=4")),
		TC_STR("POINTER_DOWN(1)"));
	CHECK_STR(tc_input_action(TC_STR("dispatchInputEvent KeyEvent ACTION_UP")),
		TC_STR("UP"));
	CHECK(!tc_input_action(TC_STR("dispatchInputEvent MotionEvent")).p);
	CHECK(!tc_input_action(TC_STR("finish_stage a b")).p);
	CHECK(tc_input_number(TC_STR("a id=0x1, id=0x2f)"), " id=0x", 16, &n));
	CHECK_INT(n, 47);
	CHECK(tc_input_number(TC_STR("t=-12)"), "t=", 10, &n));
	CHECK_INT(n, -12);
	CHECK(!tc_input_number(TC_STR("t=x"), "t=", 10, &n));
	CHECK(!tc_input_number(TC_STR("t=9223372036854775808"), "t=", 10, &n));
	CHECK(!tc_input_number(TC_STR("x"), "t=", 10, &n));
}

/* ---- exchanges ---- */

static void
test_whole(void)
{
	const struct tc_slice *read;

	begin();
	read = add(90, 20, 2, NULL,
		"UnwantedInteractionBlocker::notifyMotion(id=0xa, eventTime=5)");
	add(91, 5, 2, NULL, "InputProcessor::notifyMotion(id=0xa, eventTime=5)");
	dispatch(100, 1, 10);
	message(TC_INPUT_RECEIVE, 110, UI, NULL, 1);
	message(TC_INPUT_FINISH, 120, UI, NULL, 1);
	message(TC_INPUT_ACK, 130, DISPATCHER, NULL, 1);
	tc_input_join(&in, &procs);
	CHECK_INT(in.event_count, 1);
	check_parts(0, 100, 110, 120, 130);
	CHECK_INT(in.events[0].event_id, 10);
	CHECK(in.events[0].read == read);
	CHECK_INT(in.events[0].finishes, 1);
	CHECK_INT(in.events[0].match, TC_INPUT_NONE);
}

/* Whatever is missing, the rest is one event. */
static void
test_missing(void)
{
	int mask, stage;

	for (mask = 1; mask < 16; mask++) {
		begin();
		for (stage = 0; stage < TC_INPUT_STAGES; stage++)
			if (mask >> stage & 1)
				message((enum tc_input_stage)stage, 100 + stage, UI, NULL,
					1);
		tc_input_join(&in, &procs);
		CHECK_INT(in.event_count, 1);
		check_parts(0, mask & 1 ? 100 : 0, mask & 2 ? 101 : 0, mask & 4 ? 102 : 0,
			mask & 8 ? 103 : 0);
	}
}

/* Slices that are written behind the call may come in the wrong order. */
static void
test_skew(void)
{
	begin();
	message(TC_INPUT_RECEIVE, 1000000, UI, NULL, 1);
	message(TC_INPUT_DISPATCH, 1030000, DISPATCHER, NULL, 1);
	message(TC_INPUT_ACK, 2000000, DISPATCHER, NULL, 1);
	message(TC_INPUT_FINISH, 2040000, UI, NULL, 1);
	message(TC_INPUT_RECEIVE, 900000000, UI, NULL, 1);
	message(TC_INPUT_DISPATCH, 950000000, DISPATCHER, NULL, 1);
	tc_input_join(&in, &procs);
	CHECK_INT(in.event_count, 3);
	check_parts(0, 1030000, 1000000, 2040000, 2000000);
	/* So late it is of another event, whose number came up again. */
	check_parts(1, 0, 900000000, 0, 0);
	check_parts(2, 950000000, 0, 0, 0);
}

static void
test_used_again(void)
{
	int64_t ts;

	begin();
	for (ts = 100; ts < 500; ts += 100) {
		message(TC_INPUT_DISPATCH, ts, DISPATCHER, NULL, 1);
		message(TC_INPUT_RECEIVE, ts + 10, UI, NULL, 1);
		if (ts == 200)
			continue; /* never finished */
		message(TC_INPUT_FINISH, ts + 20, UI, NULL, 1);
		message(TC_INPUT_ACK, ts + 30, DISPATCHER, NULL, 1);
	}
	/* The same number on another channel, or machine, is another event. */
	add(900, 1, UI, NULL,
		"sendMessage(inputChannel=1b W (client), seq=0x1, type=FINISHED)");
	slices[count] = slices[0];
	slices[count].id = (int64_t)count;
	slices[count].ts = 950;
	slices[count].machine = 1;
	tc_input_slice(&in, &slices[count++]);
	tc_input_join(&in, &procs);
	CHECK_INT(in.event_count, 6);
	check_parts(0, 100, 110, 120, 130);
	check_parts(1, 200, 210, 0, 0);
	check_parts(2, 300, 310, 320, 330);
	check_parts(3, 400, 410, 420, 430);
	check_parts(4, 0, 0, 900, 0);
	check_parts(5, 950, 0, 0, 0);
}

/* Two at a time, as in a batch: each stage in the order of the one before. */
static void
test_used_at_once(void)
{
	begin();
	message(TC_INPUT_DISPATCH, 100, DISPATCHER, NULL, 1);
	message(TC_INPUT_RECEIVE, 110, UI, NULL, 1);
	message(TC_INPUT_DISPATCH, 200, DISPATCHER, NULL, 1);
	message(TC_INPUT_RECEIVE, 210, UI, NULL, 1);
	message(TC_INPUT_FINISH, 220, UI, NULL, 1);
	message(TC_INPUT_FINISH, 221, UI, NULL, 1);
	message(TC_INPUT_ACK, 230, DISPATCHER, NULL, 1);
	message(TC_INPUT_ACK, 231, DISPATCHER, NULL, 1);
	tc_input_join(&in, &procs);
	CHECK_INT(in.event_count, 2);
	check_parts(0, 100, 110, 220, 230);
	check_parts(1, 200, 210, 221, 231);
}

static void
test_finished_again(void)
{
	begin();
	message(TC_INPUT_DISPATCH, 100, DISPATCHER, NULL, 1);
	message(TC_INPUT_RECEIVE, 110, UI, NULL, 1);
	message(TC_INPUT_FINISH, 120, UI, NULL, 1);
	message(TC_INPUT_FINISH, 140, UI, NULL, 1);
	message(TC_INPUT_ACK, 150, DISPATCHER, NULL, 1);
	message(TC_INPUT_FINISH, 100000000, UI, NULL, 1);
	tc_input_join(&in, &procs);
	CHECK_INT(in.event_count, 2);
	check_parts(0, 100, 110, 120, 150);
	CHECK_INT(in.events[0].last_finish->ts, 140);
	CHECK_INT(in.events[0].finishes, 2);
	check_parts(1, 0, 0, 100000000, 0);
}

/* Events of one time that have no stage in common come by their first messages. */
static void
test_one_time(void)
{
	begin();
	message(TC_INPUT_FINISH, 100, UI, NULL, 1);
	message(TC_INPUT_RECEIVE, 100, UI, NULL, 2);
	message(TC_INPUT_DISPATCH, 100, DISPATCHER, NULL, 3);
	tc_input_join(&in, &procs);
	CHECK_INT(in.event_count, 3);
	check_parts(0, 0, 0, 100, 0);
	check_parts(1, 0, 100, 0, 0);
	check_parts(2, 100, 0, 0, 0);

	begin();
	message(TC_INPUT_ACK, 100, DISPATCHER, NULL, 1);
	message(TC_INPUT_RECEIVE, 100, UI, NULL, 2);
	tc_input_join(&in, &procs);
	CHECK_INT(in.event_count, 2);
	check_parts(0, 0, 0, 0, 100);
	check_parts(1, 0, 100, 0, 0);
}

/* ---- deliveries ---- */

/* An event that is finished inside its delivery, which begins at ts. */
static struct tc_input_event *
delivered(int64_t ts, int64_t dur)
{
	const struct tc_slice *d;

	dispatch(ts - 10, 1, 10);
	message(TC_INPUT_RECEIVE, ts - 5, UI, NULL, 1);
	d = deliver(ts, dur, UI, 10);
	message(TC_INPUT_FINISH, ts + 1, UI, d, 1);
	message(TC_INPUT_ACK, ts + 2, DISPATCHER, NULL, 1);
	return in.events;
}

static void
check_match(enum tc_input_match match, const struct tc_slice *want)
{
	tc_input_join(&in, &procs);
	CHECK_INT(in.event_count, 1);
	CHECK_INT(in.events[0].match, match);
	CHECK(in.events[0].frame == want);
	CHECK(in.events[0].delivery != NULL);
}

static void
test_match(void)
{
	const struct tc_slice *f;

	begin();
	doframe(10, 20, UI, 1);
	delivered(100, 10);
	check_match(TC_INPUT_NONE, NULL);

	begin();
	delivered(100, 10);
	doframe(150, 20, OTHER_UI, 1);
	f = doframe(200, 20, UI, 2);
	doframe(300, 20, UI, 3);
	check_match(TC_INPUT_SPECULATIVE, f);

	begin();
	f = doframe(50, 100, UI, 1);
	delivered(100, 10);
	doframe(200, 20, UI, 2);
	check_match(TC_INPUT_EXACT, f);

	/* Of no length, it is still inside. */
	begin();
	f = doframe(50, 100, UI, 1);
	delivered(100, 0);
	check_match(TC_INPUT_EXACT, f);
}

static void
test_match_nested(void)
{
	const struct tc_slice *f;

	/* The innermost of two; an inner one that is over is not around it. */
	begin();
	doframe(40, 200, UI, 1);
	f = doframe(50, 100, UI, 2);
	delivered(100, 10);
	check_match(TC_INPUT_EXACT, f);
	begin();
	f = doframe(40, 200, UI, 1);
	doframe(50, 10, UI, 2);
	delivered(100, 10);
	check_match(TC_INPUT_EXACT, f);

	/* A frame inside the delivery; the one resynced is none. */
	begin();
	dispatch(90, 1, 10);
	message(TC_INPUT_RECEIVE, 95, UI, NULL, 1);
	deliver(100, 50, UI, 10);
	add(105, 10, UI, NULL, "Choreographer#doFrame - resynced to 9 in 1ms");
	f = doframe(110, 20, UI, 1);
	check_match(TC_INPUT_EXACT, f);
}

/* What was never closed tells nothing of when it ended. */
static void
test_match_open(void)
{
	const struct tc_slice *f;

	begin();
	delivered(100, -1);
	f = doframe(200, 20, UI, 1);
	check_match(TC_INPUT_SPECULATIVE, f);
	begin();
	f = doframe(50, -1, UI, 1);
	delivered(100, 10);
	check_match(TC_INPUT_EXACT, f);
	begin();
	doframe(50, -1, UI, 1);
	doframe(60, 10, UI, 2);
	delivered(100, 10);
	f = doframe(200, 20, UI, 3);
	check_match(TC_INPUT_SPECULATIVE, f);
}

/* Two windows of a process got one event, and each has its own delivery. */
static void
test_windows(void)
{
	const struct tc_slice *first, *second;

	begin();
	dispatch(10, 1, 10);
	dispatch(20, 2, 10);
	message(TC_INPUT_RECEIVE, 30, UI, NULL, 1);
	first = deliver(31, 9, UI, 10);
	message(TC_INPUT_RECEIVE, 50, UI, NULL, 2);
	second = deliver(51, 20, UI, 10);
	message(TC_INPUT_FINISH, 55, UI, second, 2);
	message(TC_INPUT_FINISH, 60, UI, second, 1);
	tc_input_join(&in, &procs);
	CHECK_INT(in.event_count, 2);
	CHECK(in.events[0].delivery == first);
	CHECK(in.events[1].delivery == second);
	CHECK_INT(in.events[0].batch_id, TC_SLICE_NONE);
}

static void
test_batch(void)
{
	const struct tc_slice *d;

	begin();
	dispatch(10, 1, 10);
	dispatch(20, 2, 11);
	message(TC_INPUT_RECEIVE, 30, UI, NULL, 1);
	message(TC_INPUT_RECEIVE, 31, UI, NULL, 2);
	doframe(40, 100, UI, 1);
	d = deliver(50, 20, UI, 10);
	message(TC_INPUT_FINISH, 60, UI, d, 1);
	message(TC_INPUT_FINISH, 61, UI, d, 2);
	tc_input_join(&in, &procs);
	CHECK_INT(in.event_count, 2);
	CHECK(in.events[0].delivery == d && !in.events[1].delivery);
	CHECK_INT(in.events[0].batch_id, TC_SLICE_NONE);
	CHECK_INT(in.events[1].batch_id, 10);
	CHECK_INT(in.events[1].match, TC_INPUT_NONE);
}

/* What was put off until a finish is known by the delivery, also in a batch. */
static void
test_dispatched_late(void)
{
	const struct tc_slice *d, *read;

	begin();
	read = add(5, 1, 2, NULL, "UnwantedInteractionBlocker::notifyMotion(id=0xa)");
	dispatch(10, 1, NO_ID);
	dispatch(20, 2, NO_ID);
	message(TC_INPUT_RECEIVE, 30, UI, NULL, 1);
	message(TC_INPUT_RECEIVE, 31, UI, NULL, 2);
	d = deliver(50, 20, UI, 10);
	message(TC_INPUT_FINISH, 60, UI, d, 1);
	message(TC_INPUT_FINISH, 61, UI, d, 2);
	tc_input_join(&in, &procs);
	CHECK_INT(in.events[0].event_id, 10);
	CHECK(in.events[0].read == read);
	CHECK(in.events[0].delivery == d);
	CHECK_INT(in.events[1].event_id, TC_SLICE_NONE);
	CHECK_INT(in.events[1].batch_id, 10);
}

/* Finished after the delivery, or not at all: known by thread, id and time. */
static void
test_finished_late(void)
{
	const struct tc_slice *first, *second;

	begin();
	dispatch(10, 1, 10);
	message(TC_INPUT_RECEIVE, 20, UI, NULL, 1);
	deliver(15, 1, UI, 10);
	deliver(25, 5, OTHER_UI, 10);
	first = deliver(30, 5, UI, 10);
	message(TC_INPUT_FINISH, 90, UI, NULL, 1);
	dispatch(100, 2, 10);
	message(TC_INPUT_RECEIVE, 120, UI, NULL, 2);
	second = deliver(130, 5, UI, 10);
	dispatch(200, 3, 10);
	message(TC_INPUT_RECEIVE, 220, UI, NULL, 3);
	message(TC_INPUT_FINISH, 225, UI, NULL, 3);
	deliver(230, 5, UI, 10);
	tc_input_join(&in, &procs);
	CHECK_INT(in.event_count, 3);
	CHECK(in.events[0].delivery == first);
	CHECK(in.events[1].delivery == second);
	CHECK(!in.events[2].delivery);
}

/* ---- presentation ---- */

static void
check_presented(int64_t token, int64_t ts)
{
	tc_input_join(&in, &procs);
	CHECK_INT(in.event_count, 1);
	CHECK_INT(in.events[0].presented, token);
	CHECK_INT(in.events[0].presented_ts, ts);
}

static void
test_presented(void)
{
	/* From when the frame began, which is before its doFrame. */
	begin();
	doframe(90, 50, UI, 5);
	delivered(100, 10);
	frame(true, 4, 14, 70, 10, false);
	frame(true, 5, 15, 80, 10, false);
	frame(true, 5, 15, 95, 10, false);
	frame(false, 14, 14, 100, 50, false);
	frame(false, 15, 15, 120, 50, false);
	frame(false, 15, 15, 130, 90, false);
	check_presented(5, 170);

	/* A dropped frame, and one that no display frame is known of, are passed over. */
	begin();
	doframe(90, 50, UI, 5);
	delivered(100, 10);
	frame(true, 5, 15, 80, 10, true);
	frame(true, 6, 16, 180, 10, false);
	frame(true, 7, 17, 280, 10, false);
	frame(false, 15, 15, 120, 50, false);
	frame(false, 17, 17, 320, 50, false);
	check_presented(7, 370);

	/* It was shown, but there is no telling when. */
	begin();
	doframe(90, 50, UI, 5);
	delivered(100, 10);
	frame(true, 5, 15, 80, 10, false);
	frame(false, 15, 15, 120, -1, false);
	check_presented(5, TC_SLICE_NONE);

	/* Frames of others, or earlier ones, do not show it. */
	begin();
	doframe(90, 50, UI, TC_SLICE_NONE);
	delivered(100, 10);
	frame(true, 4, 14, 80, 10, false);
	frame(false, 14, 14, 120, 10, false);
	check_presented(TC_SLICE_NONE, TC_SLICE_NONE);
}

/* ---- a great many of the same ---- */

/* All with one number, one id and one thread, in work that grows no faster than they. */
static void
test_many(void)
{
	enum { MANY = 200000, EACH = 4 };
	struct tc_slice *s = tc_mem_calloc(MANY * EACH, sizeof(*s));
	const char *texts[EACH] = {
		"prepareDispatchCycleLocked(inputChannel=1a W (server), id=0xa)",
		"sendMessage(inputChannel=1a W (server), seq=0x1, type=MOTION)",
		"receiveMessage(inputChannel=1a W (client), seq=0x1, type=MOTION)",
		"deliverInputEvent src=0x1002 eventTimeNano=5 id=0xa",
	};
	size_t i;

	begin();
	for (i = 0; i < MANY * EACH; i++) {
		s[i] = (struct tc_slice){ .id = (int64_t)i, .ts = (int64_t)i, .dur = 1 };
		s[i].utid = UI;
		s[i].name = tc_strtab_id(&names, tc_str_of(texts[i % EACH]));
		s[i].vsync_id = TC_SLICE_NONE;
		s[i].parent = i % EACH == 1 ? &s[i - 1] : NULL;
		tc_input_slice(&in, &s[i]);
	}
	tc_input_join(&in, &procs);
	CHECK_INT(in.event_count, MANY);
	for (i = 0; i < in.event_count; i++)
		if (!CHECK(in.events[i].delivery == &s[i * EACH + 3]))
			break;
	free(s);
}

int
main(void)
{
	alarm(PATIENCE_S);
	test_messages();
	test_channel_names();
	test_other_texts();
	test_whole();
	test_missing();
	test_skew();
	test_used_again();
	test_used_at_once();
	test_finished_again();
	test_one_time();
	test_match();
	test_match_nested();
	test_match_open();
	test_windows();
	test_batch();
	test_dispatched_late();
	test_finished_late();
	test_presented();
	test_many();
	tc_input_release(&in);
	tc_procs_release(&procs);
	tc_strtab_release(&names);
	return check_done();
}
