/* import: records of a whole trace, where the sources' own tests do not look. */
#include "import/import.h"

#include <unistd.h>

#include "check.h"
#include "err/err.h"
#include "io/io.h"
#include "twice.h"
#include "wire.h"

/* A run that hangs has failed. */
enum { PATIENCE_S = 60 };

/* A reader of records takes no longer line. */
enum { MAX_LINE = 16 * 1024 * 1024 };

enum { ROOM = 256 * 1024 * 1024 };

static char *room;
static struct tc_out out;
static struct tc_err err;

static int
import(struct tc_import *im, const void *bytes, size_t len)
{
	const struct tc_import_origin origin = { .path = TC_STR("a trace") };
	struct tc_in in;

	err = (struct tc_err){ 0 };
	out = check_out(room, ROOM);
	tc_in_bytes(&in, bytes, len);
	return tc_import_run(im, &origin, &in, &out, &err);
}

static bool
says(const char *part)
{
	return memmem(out.buf, out.len, part, strlen(part)) != NULL;
}

static size_t
longest_line(void)
{
	const char *p = out.buf, *end = p + out.len, *nl;
	size_t longest = 0;

	for (; p < end; p = nl + 1) {
		nl = memchr(p, '\n', (size_t)(end - p));
		if (!CHECK(nl != NULL))
			break;
		longest = (size_t)(nl - p) > longest ? (size_t)(nl - p) : longest;
	}
	return longest;
}

/* Traces of one run are counted, from 0. */
static void
test_index(void)
{
	struct tc_import im = { 0 };
	struct wire file = { 0 };

	wire_hex(&file, "0a0f400aca030a0a0810011a024c312801");
	CHECK_INT(import(&im, file.bytes, file.len), 0);
	CHECK(says("\"name\":\"Dequeue\"") && says("\"trace\":0}") &&
		!says("\"trace\":1}"));
	CHECK_INT(import(&im, file.bytes, file.len), 0);
	CHECK(says("\"name\":\"Dequeue\"") && says("\"trace\":1}") &&
		!says("\"trace\":0}"));
	CHECK_INT(im.count, 2);
}

/* A trace may have no row at all, and a file no packet. */
static void
test_nothing(void)
{
	struct tc_import im = { 0 };

	CHECK_INT(import(&im, "\x0a\x02\x48\x01", 4), 0);
	CHECK(says("\"type\":\"trace\"") && says("\"no_frame_data\""));
	CHECK_INT(import(&im, "", 0), -1);
	CHECK_INT(err.code, TC_DATA);
	CHECK_INT(import(&im, "{}\n", 3), -1);
	CHECK_INT(err.code, TC_DATA);
	CHECK(strstr(err.msg, "JSON"));
}

/* A header for a field of `len` bytes, in front of them. */
static char *
put_header(char *p, uint32_t field, size_t len)
{
	struct wire w = { 0 };

	wire_varint(&w, (uint64_t)field << 3 | 2);
	wire_varint(&w, len);
	p -= w.len;
	memcpy(p, w.bytes, w.len);
	return p;
}

/* One frame of a layer and of a process whose names are of `len` such bytes. */
static void
check_long_names(char c, size_t len)
{
	struct tc_import im = { 0 };
	char *bytes = malloc(2 * len + 256), *end = bytes + 2 * len + 200, *p = end;
	size_t gfx;

	if (!CHECK(bytes != NULL))
		return;
	p -= 2;
	memcpy(p, "\x28\x01", 2); /* buffer 1 */
	p -= len;
	memset(p, c, len);
	p = put_header(p, 3, len);
	p = put_header(p, 1, (size_t)(end - p));
	p = put_header(p, 57, (size_t)(end - p));
	p = put_header(p, 1, (size_t)(end - p));
	gfx = (size_t)(end - p);
	p -= len;
	memset(p, c, len);
	p = put_header(p, 3, len);
	p -= 2;
	memcpy(p, "\x08\x0a", 2); /* pid 10 */
	p = put_header(p, 1, (size_t)(end - p) - gfx);
	p = put_header(p, 2, (size_t)(end - p) - gfx);
	p = put_header(p, 1, (size_t)(end - p) - gfx);
	CHECK_INT(import(&im, p, (size_t)(end - p)), 0);
	CHECK(says("\"type\":\"buffer_event\"") && says("\"pid\":10"));
	CHECK(longest_line() <= MAX_LINE);
	free(bytes);
}

/* Whatever the names are, what comes out can be read. */
static void
test_long_names(void)
{
	check_long_names('n', 1000);
	check_long_names('n', 17 * 1024 * 1024);
	check_long_names('\x01', 3 * 1024 * 1024);
	check_long_names('\xff', 6 * 1024 * 1024);
}

/* ---- a trace that has to be read again ---- */

/* More events than are held before the oldest are taken, in bundles of one CPU. */
enum { BUNDLES = 600, EVENTS = 1000 };

static uint8_t *
put_varint(uint8_t *p, uint64_t v)
{
	for (; v > 0x7f; v >>= 7)
		*p++ = (uint8_t)(v | 0x80);
	*p++ = (uint8_t)v;
	return p;
}

/* A packet with events from ts on, each 1 ns later. */
static uint8_t *
put_bundle_of(uint8_t *p, uint8_t cpu, uint64_t ts, int count)
{
	static const uint8_t print[] = { 0x10, 5, 0x1a, 5, 0x12, 3, 'E', '|', '5' };
	uint8_t *body = malloc((size_t)count * 32 + 64), *b = body, event[64], *e;
	int i;

	*b++ = 0x08;
	*b++ = cpu;
	for (i = 0; i < count; i++) {
		event[0] = 0x08;
		e = put_varint(event + 1, ts + (uint64_t)i);
		memcpy(e, print, sizeof(print));
		e += sizeof(print);
		*b++ = 0x12;
		b = put_varint(b, (uint64_t)(e - event));
		memcpy(b, event, (size_t)(e - event));
		b += e - event;
	}
	*p++ = 0x0a;
	e = put_varint(event, (uint64_t)(b - body));
	p = put_varint(p, 1 + (uint64_t)(e - event) + (uint64_t)(b - body));
	*p++ = 0x0a;
	p = put_varint(p, (uint64_t)(b - body));
	memcpy(p, body, (size_t)(b - body));
	p += b - body;
	free(body);
	return p;
}

static int
import_twice(struct twice *t)
{
	const struct tc_import_origin origin = { .path = TC_STR("a trace") };
	struct tc_import im = { 0 };
	struct tc_in in;
	int r;

	err = (struct tc_err){ 0 };
	out = check_out(room, ROOM);
	tc_in_open_source(&in, "a trace", &twice, t);
	r = tc_import_run(&im, &origin, &in, &out, &err);
	tc_in_close(&in);
	return r;
}

/* An event that comes too late makes a second reading; what that finds may differ. */
static void
test_changed(void)
{
	uint8_t *bytes = malloc(BUNDLES * EVENTS * 40), *p = bytes, *late;
	size_t shorter, whole;
	int i;

	if (!CHECK(bytes != NULL))
		return;
	p = put_bundle_of(p, 1, 1, 1);
	for (i = 0; i < BUNDLES; i++)
		p = put_bundle_of(p, 0, 1000 + (uint64_t)i * EVENTS, EVENTS);
	shorter = (size_t)(p - bytes);
	late = p;
	p = put_bundle_of(p, 1, 2000, 1);
	whole = (size_t)(p - bytes);
	CHECK_INT(import_twice(&(struct twice){
			  .bytes = { bytes, bytes }, .len = { whole, whole } }),
		0);
	CHECK_INT(import_twice(&(struct twice){
			  .bytes = { bytes, bytes }, .len = { whole, shorter } }),
		-1);
	CHECK_INT(err.code, TC_IO);
	CHECK(strstr(err.msg, "a trace: has changed while it was read"));
	p = put_bundle_of(p, 1, 3000, 1);
	CHECK_INT(import_twice(&(struct twice){ .bytes = { bytes, bytes },
			  .len = { whole, (size_t)(p - bytes) } }),
		-1);
	CHECK_INT(err.code, TC_IO);
	/* Where nothing is late, it is read once. */
	CHECK_INT(import_twice(&(struct twice){ .bytes = { bytes, late },
			  .len = { shorter, whole - shorter } }),
		0);
	free(bytes);
}

int
main(void)
{
	alarm(PATIENCE_S);
	room = malloc(ROOM);
	if (!room)
		return 1;
	test_index();
	test_nothing();
	test_long_names();
	test_changed();
	free(room);
	return check_done();
}
