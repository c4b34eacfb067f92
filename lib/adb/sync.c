/* What a device answers to requests about files. */
#include <string.h>

#include "adb/priv.h"
#include "err/err.h"

/* Ids are four letters, the first in the lowest byte. */
#define ID(a, b, c, d) \
	((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)

/* The length of a head, its four letters included; that of `end` too. */
static const struct form {
	uint32_t id;
	uint8_t head;
	uint32_t end;
} forms[] = {
	[TC_ADB_SYNC_STAT] = { ID('S', 'T', 'A', 'T'), 16, 0 },
	[TC_ADB_SYNC_STAT2] = { ID('S', 'T', 'A', '2'), 72, 0 },
	[TC_ADB_SYNC_LIST] = { ID('D', 'E', 'N', 'T'), 20, ID('D', 'O', 'N', 'E') },
	[TC_ADB_SYNC_LIST2] = { ID('D', 'N', 'T', '2'), 76, ID('D', 'O', 'N', 'E') },
	[TC_ADB_SYNC_RECV] = { ID('D', 'A', 'T', 'A'), 8, ID('D', 'O', 'N', 'E') },
	[TC_ADB_SYNC_SEND] = { 0, 8, ID('O', 'K', 'A', 'Y') },
};

void
tc_adb_sync_expect(struct tc_adb_sync *s, enum tc_adb_sync_answer answer)
{
	s->expect = answer;
	s->have = 0;
	s->left = 0;
	s->text_len = 0;
}

static int
bad(struct tc_err *err, const char *what)
{
	return tc_err_named(err, TC_PROTOCOL, "protocol",
		"the device broke the protocol of files: %s", what);
}

static bool
is_fail(const struct tc_adb_sync *s)
{
	return tc_adb_get32(s->head) == ID('F', 'A', 'I', 'L');
}

/* How long the head is, as far as that is known yet; 0: it is none of these. */
static size_t
head_len(const struct tc_adb_sync *s)
{
	const struct form *f = &forms[s->expect];
	uint32_t id = tc_adb_get32(s->head);

	if (s->have < 4)
		return 4;
	if (is_fail(s))
		return 8;
	return (f->id && id == f->id) || (f->end && id == f->end) ? f->head : 0;
}

static void
get_stat2(const uint8_t *h, struct tc_adb_sync_item *item)
{
	item->error = tc_adb_get32(h + 4);
	item->st.mode = tc_adb_get32(h + 24);
	item->st.size = tc_adb_get64(h + 40);
	item->st.mtime = (int64_t)tc_adb_get64(h + 56);
}

static void
get_stat1(const uint8_t *h, struct tc_adb_sync_item *item)
{
	item->st.mode = tc_adb_get32(h + 4);
	item->st.size = tc_adb_get32(h + 8);
	item->st.mtime = tc_adb_get32(h + 12);
}

/* All there is of it: the next head may come. */
static void
complete(struct tc_adb_sync *s, struct tc_adb_sync_item *item)
{
	if (s->expect == TC_ADB_SYNC_LIST2)
		get_stat2(s->head, item);
	else if (s->expect == TC_ADB_SYNC_LIST)
		get_stat1(s->head, item);
	item->kind = is_fail(s) ? TC_ADB_SYNC_FAIL : TC_ADB_SYNC_ENTRY;
	s->text[s->text_len] = '\0';
	item->text = s->text;
	s->text_len = 0;
	s->have = 0;
}

/* The head is there: what follows it, or an item that is complete. */
static int
begin(struct tc_adb_sync *s, struct tc_adb_sync_item *item, struct tc_err *err)
{
	const struct form *f = &forms[s->expect];
	uint32_t last = tc_adb_get32(s->head + (is_fail(s) ? 4 : f->head - 4));

	s->left = 0;
	if (is_fail(s))
		s->left = last;
	else if (tc_adb_get32(s->head) == f->end) {
		item->kind = TC_ADB_SYNC_DONE;
		s->have = 0;
	} else if (s->expect == TC_ADB_SYNC_STAT || s->expect == TC_ADB_SYNC_STAT2) {
		if (s->expect == TC_ADB_SYNC_STAT)
			get_stat1(s->head, item);
		else
			get_stat2(s->head, item);
		item->kind = TC_ADB_SYNC_FILE;
		s->have = 0;
	} else if (s->expect == TC_ADB_SYNC_RECV) {
		if (last > TC_ADB_SYNC_DATA_MAX)
			return bad(err, "a piece of a file is too long");
		s->left = last;
		s->have = last ? s->have : 0;
	} else {
		if (last > TC_ADB_SYNC_TEXT_MAX || !last)
			return bad(err, "a name is too long, or empty");
		s->left = last;
	}
	if (is_fail(s) && s->have && !s->left)
		complete(s, item);
	return 0;
}

/* Of a file in its folder, all of which there is room for. */
static bool
is_name(const struct tc_adb_sync *s)
{
	return !memchr(s->text, '/', s->text_len) && !memchr(s->text, '\0', s->text_len);
}

/* A text is kept as far as there is room for it; *r is -1 when it is none. */
static size_t
take_text(struct tc_adb_sync *s, const uint8_t *bytes, size_t len,
	struct tc_adb_sync_item *item, int *r, struct tc_err *err)
{
	size_t n = len < s->left ? len : s->left,
	       room = TC_ADB_SYNC_TEXT_MAX - s->text_len;
	size_t kept = n < room ? n : room;

	memcpy(s->text + s->text_len, bytes, kept);
	s->text_len += kept;
	s->left -= (uint32_t)n;
	if (!s->left && !is_fail(s) && !is_name(s))
		*r = bad(err, "a name has a slash or a NUL in it");
	else if (!s->left)
		complete(s, item);
	return n;
}

/* Some of the head; *r is -1 when it is none. */
static size_t
take_head(struct tc_adb_sync *s, const uint8_t *bytes, size_t len,
	struct tc_adb_sync_item *item, int *r, struct tc_err *err)
{
	size_t want = head_len(s), n = want - s->have < len ? want - s->have : len;

	memcpy(s->head + s->have, bytes, n);
	s->have += n;
	want = head_len(s);
	if (!want)
		*r = bad(err, "it is not what was asked for");
	else if (s->have == want && want > 4)
		*r = begin(s, item, err);
	return n;
}

int64_t
tc_adb_sync_next(struct tc_adb_sync *s, const uint8_t *bytes, size_t len,
	struct tc_adb_sync_item *item, struct tc_err *err)
{
	size_t used = 0, n;
	int r = 0;

	item->kind = TC_ADB_SYNC_MORE;
	item->len = 0;
	item->error = 0;
	while (used < len && item->kind == TC_ADB_SYNC_MORE) {
		if (!s->left)
			used += take_head(s, bytes + used, len - used, item, &r, err);
		else if (is_fail(s) || s->expect != TC_ADB_SYNC_RECV)
			used += take_text(s, bytes + used, len - used, item, &r, err);
		else {
			n = len - used < s->left ? len - used : s->left;
			item->kind = TC_ADB_SYNC_DATA;
			item->bytes = bytes + used;
			item->len = n;
			used += n;
			s->left -= (uint32_t)n;
			if (!s->left)
				s->have = 0;
		}
		if (r < 0)
			return -1;
	}
	return (int64_t)used;
}
