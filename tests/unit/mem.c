/* mem: arenas, the map, the string table. */
#include "mem/mem.h"

#include <stdlib.h>

#include "check.h"

static void
test_str(void)
{
	struct tc_str none = { .p = NULL };

	CHECK(tc_str_eq(BYTES("abc"), tc_str_of("abc")));
	CHECK(!tc_str_eq(BYTES("abc"), BYTES("abd")));
	CHECK(!tc_str_eq(BYTES("ab"), BYTES("abc")));
	CHECK(!tc_str_eq(BYTES("a\0b"), BYTES("a\0c")));
	CHECK(tc_str_eq(BYTES(""), none));
	CHECK_STR(tc_str_of(NULL), none);
}

static void
test_str_begins(void)
{
	struct tc_str none = { .p = NULL };

	CHECK(tc_str_begins(BYTES("abc"), TC_STR("ab")));
	CHECK(tc_str_begins(BYTES("ab"), TC_STR("ab")));
	CHECK(!tc_str_begins(BYTES("a"), TC_STR("ab")));
	CHECK(!tc_str_begins(BYTES("xab"), TC_STR("ab")));
	CHECK(tc_str_begins(BYTES("a"), none) && tc_str_begins(none, TC_STR("")));
	CHECK(!tc_str_begins(none, TC_STR("a")));
}

static void
test_str_has(void)
{
	char text[64];
	uint32_t len, i;

	for (len = 0; len < sizeof(text); len++) {
		memset(text, '\xa3', len);
		CHECK(!tc_str_has(check_text(text, len), '#'));
		for (i = 0; i < len; i++) {
			text[i] = '#';
			CHECK(tc_str_has(check_text(text, len), '#'));
			text[i] = (char)('#' - 1 + 2 * (i & 1));
		}
		CHECK(!tc_str_has(check_text(text, len), '#'));
	}
}

static void
test_str_has_pair(void)
{
	char text[TC_STR_PAIR_AMONG + 1];
	size_t i;

	for (i = 0; i < TC_STR_PAIR_AMONG; i++) {
		memset(text, '#', sizeof(text));
		CHECK(!tc_str_has_pair(text, '#', 'M'));
		text[i + 1] = 'M';
		CHECK(tc_str_has_pair(text, '#', 'M'));
		CHECK(!tc_str_has_pair(text, 'M', 'M'));
		text[i] = 'M';
		CHECK(i > 0 ? tc_str_has_pair(text, '#', 'M')
			    : !tc_str_has_pair(text, '#', 'M'));
	}
}

/* What is UTF-8 at all is held against every sequence elsewhere; here are the edges. */
static void
test_str_char(void)
{
	static const struct {
		struct tc_str text;
		size_t len;
	} chars[] = {
		{ TC_STR_INIT("a"), 1 },
		{ TC_STR_INIT("\0"), 1 },
		{ TC_STR_INIT("\x7f"), 1 },
		{ TC_STR_INIT("\x80"), 0 },
		{ TC_STR_INIT("\xc1\xbf"), 0 },
		{ TC_STR_INIT("\xc2\x80z"), 2 },
		{ TC_STR_INIT("\xdf\xbf"), 2 },
		{ TC_STR_INIT("\xe0\x9f\xbf"), 0 },
		{ TC_STR_INIT("\xe0\xa0\x80"), 3 },
		{ TC_STR_INIT("\xed\x9f\xbf"), 3 },
		{ TC_STR_INIT("\xed\xa0\x80"), 0 },
		{ TC_STR_INIT("\xef\xbf\xbf"), 3 },
		{ TC_STR_INIT("\xf0\x8f\xbf\xbf"), 0 },
		{ TC_STR_INIT("\xf0\x90\x80\x80"), 4 },
		{ TC_STR_INIT("\xf4\x8f\xbf\xbf"), 4 },
		{ TC_STR_INIT("\xf4\x90\x80\x80"), 0 },
		{ TC_STR_INIT("\xf5\x80\x80\x80"), 0 },
		{ TC_STR_INIT("\xe2\x82"), 0 },
		{ TC_STR_INIT("\xe2\x82z"), 0 },
		{ TC_STR_INIT("\xc3"), 0 },
	};
	size_t i;

	for (i = 0; i < CHECK_ITEMS(chars); i++)
		if (!CHECK_INT(tc_str_char(chars[i].text.p, chars[i].text.len),
			    chars[i].len))
			fprintf(stderr, "character %zu\n", i);
}

static void
check_digits(const char *text, unsigned base, uint64_t max, uint32_t count, uint64_t want)
{
	uint64_t value = 12345;

	if (!CHECK_INT(tc_str_digits(tc_str_of(text), base, max, &value), count) ||
		(count && !CHECK(value == want)))
		fprintf(stderr, "digits %s\n", text);
}

static void
test_str_digits(void)
{
	check_digits("0", 10, UINT64_MAX, 1, 0);
	check_digits("12ab", 10, UINT64_MAX, 2, 12);
	check_digits("12ab", 16, UINT64_MAX, 4, 0x12ab);
	check_digits("12AB", 16, UINT64_MAX, 2, 0x12);
	check_digits("fg", 16, UINT64_MAX, 1, 15);
	check_digits("a", 10, UINT64_MAX, 0, 0);
	check_digits("", 10, UINT64_MAX, 0, 0);
	check_digits("-1", 10, UINT64_MAX, 0, 0);
	check_digits("4294967295", 10, UINT32_MAX, 10, UINT32_MAX);
	check_digits("4294967296", 10, UINT32_MAX, 0, 0);
	check_digits("9223372036854775807", 10, INT64_MAX, 19, INT64_MAX);
	check_digits("9223372036854775808", 10, INT64_MAX, 0, 0);
	check_digits("18446744073709551615", 10, UINT64_MAX, 20, UINT64_MAX);
	check_digits("18446744073709551616", 10, UINT64_MAX, 0, 0);
	check_digits("ffffffffffffffff", 16, UINT64_MAX, 16, UINT64_MAX);
	check_digits("10000000000000000", 16, UINT64_MAX, 0, 0);
	check_digits("000000000000000000000000000007", 10, 7, 30, 7);
	check_digits("8", 10, 7, 0, 0);
}

static void
test_grow(void)
{
	size_t cap = 0, i;
	uint32_t *items = NULL;

	for (i = 0; i < 100000; i++) {
		tc_mem_grow(&items, &cap, i + 1, sizeof(*items));
		items[i] = (uint32_t)i;
	}
	CHECK(cap >= 100000 && cap < 400000);
	for (i = 0; i < 100000 && items[i] == i; i++)
		;
	CHECK_INT(i, 100000);
	tc_mem_grow(&items, &cap, 3, sizeof(*items));
	CHECK(cap >= 100000);
	free(items);
}

static void
test_compare(void)
{
	CHECK(tc_mem_compare(-1, 1) < 0);
	CHECK(tc_mem_compare(INT64_MAX, INT64_MIN) > 0);
	CHECK(tc_mem_compare(INT64_MIN, INT64_MAX) < 0);
	CHECK(tc_mem_compare(INT64_MIN, INT64_MIN) == 0);
}

static bool
is_below(const void *item, const void *key)
{
	const uint16_t *value = item, *limit = key;

	return *value < *limit;
}

static bool
is_up_to(const void *item, const void *key)
{
	const uint16_t *value = item, *limit = key;

	return *value <= *limit;
}

/* Any number of items, some of them equal, against counting one by one. */
static void
test_find(void)
{
	static const uint16_t items[] = { 1, 1, 3, 3, 5, 5, 7, 7, 9 };
	uint16_t key;
	size_t n, i, below, up_to;

	for (n = 0; n <= CHECK_ITEMS(items); n++)
		for (key = 0; key <= 10; key++) {
			below = up_to = 0;
			for (i = 0; i < n; i++) {
				below += items[i] < key;
				up_to += items[i] <= key;
			}
			CHECK_INT(tc_mem_find(items, n, 2, is_below, &key), below);
			CHECK_INT(tc_mem_find(items, n, 2, is_up_to, &key), up_to);
		}
	CHECK_INT(tc_mem_find(NULL, 0, 2, is_below, &key), 0);
}

static void
test_arena_alignment(void)
{
	struct tc_arena a = { 0 };
	size_t n, sum = 0;
	char *p;

	for (n = 0; n < 3000; n++) {
		p = tc_arena_alloc(&a, n);
		if (!CHECK_INT((uintptr_t)p % 8, 0))
			break;
		memset(p, 0xa5, n);
		sum += n;
	}
	CHECK(a.bytes >= sum);
	tc_arena_release(&a);
	CHECK(!a.blocks && !a.bytes);
	tc_arena_release(&a);
}

/* Allocations do not overlap, small or larger than any block. */
static void
test_arena_keeps_bytes(void)
{
	static const size_t sizes[] = { 1, 7, 8, 9, 1000, 16 * 1024, 256 * 1024, 3,
		2 * 1024 * 1024, 5 * 1024 * 1024 + 1, 64 };
	struct tc_arena a = { 0 };
	unsigned char *p[4 * CHECK_ITEMS(sizes)];
	size_t i, n;

	for (i = 0; i < CHECK_ITEMS(p); i++) {
		n = sizes[i % CHECK_ITEMS(sizes)];
		p[i] = tc_arena_alloc(&a, n);
		memset(p[i], (int)i, n);
	}
	for (i = 0; i < CHECK_ITEMS(p); i++) {
		n = sizes[i % CHECK_ITEMS(sizes)];
		CHECK(p[i][0] == i && p[i][n / 2] == i && p[i][n - 1] == i);
	}
	tc_arena_release(&a);
}

static void
test_arena_calloc_and_dup(void)
{
	static const char zeros[100];
	struct tc_arena a = { 0 };
	char *p;

	memset(tc_arena_alloc(&a, 1000), 0xff, 1000);
	tc_arena_reset(&a);
	CHECK(memcmp(tc_arena_calloc(&a, 100), zeros, 100) == 0);
	p = tc_arena_dup(&a, "a\0bc", 4);
	CHECK(memcmp(p, "a\0bc", 5) == 0);
	CHECK(tc_arena_dup(&a, NULL, 0)[0] == '\0');
	tc_arena_release(&a);
}

static void
test_arena_print(void)
{
	struct tc_arena a = { 0 };
	struct tc_str text, none, wide;

	text = tc_arena_print(&a, "%s has %d", "a text", 12);
	none = tc_arena_print(&a, "%s", "");
	wide = tc_arena_print(&a, "%0*d", 300000, 7);
	CHECK_STR(text, TC_STR("a text has 12"));
	CHECK(text.p[text.len] == '\0');
	CHECK(none.p && none.len == 0 && *none.p == '\0');
	CHECK_INT(wide.len, 300000);
	CHECK(wide.p[299998] == '0' && wide.p[299999] == '7' && wide.p[300000] == '\0');
	tc_arena_release(&a);
}

/* A record after a reset costs no memory that the one before it did not. */
static void
test_arena_reset(void)
{
	struct tc_arena a = { 0 };
	void *first;
	int i;

	tc_arena_reset(&a);
	first = tc_arena_alloc(&a, 100);
	tc_arena_reset(&a);
	CHECK_INT(a.bytes, 0);
	CHECK(tc_arena_alloc(&a, 100) == first);
	for (i = 0; i < 100; i++)
		tc_arena_alloc(&a, 100 * 1024);
	CHECK(a.bytes >= 100 * 100 * 1024);
	tc_arena_reset(&a);
	CHECK_INT(a.bytes, 0);
	memset(tc_arena_alloc(&a, 100), 1, 100);
	CHECK(a.bytes >= 100 && a.bytes < 200);
	tc_arena_release(&a);
}

enum { KEYS = 100000 };

/* Runs of keys, as tokens and pids are, and scattered ones. */
static uint64_t
key(size_t i)
{
	uint64_t state = i;

	return i % 2 ? i / 2 : check_random(&state);
}

/* The value is what the key was put for; 0 where it was not. */
static size_t
count_right(struct tc_map *m, size_t below, size_t step)
{
	const uint64_t *v;
	size_t i, right = 0;

	for (i = 0; i < KEYS; i++) {
		v = tc_map_get(m, key(i), i % 3);
		right += i < below && i % step == 0 ? v && *v == i : !v;
	}
	return right;
}

static void
test_map_many(void)
{
	struct tc_map m = { 0 };
	uint64_t was;
	bool made;
	size_t i;

	CHECK(!tc_map_get(&m, 1, 2));
	CHECK(!tc_map_take(&m, 1, 2, &was));
	for (i = 0; i < KEYS; i++) {
		*tc_map_put(&m, key(i), i % 3, &made) = i;
		if (!CHECK(made))
			break;
	}
	CHECK_INT(m.used, KEYS);
	CHECK_INT(count_right(&m, KEYS, 1), KEYS);
	for (i = 0; i < KEYS; i++) {
		CHECK_INT(*tc_map_put(&m, key(i), i % 3, &made), i);
		if (!CHECK(!made))
			break;
		if (i % 5)
			CHECK(tc_map_take(&m, key(i), i % 3, &was) && was == i);
	}
	CHECK_INT(count_right(&m, KEYS, 5), KEYS);
	CHECK_INT(m.used, KEYS / 5);
	tc_map_release(&m);
	CHECK(!tc_map_get(&m, 1, 2));
}

static void
test_map_put_back(void)
{
	struct tc_map m = { 0 };
	uint64_t was;
	bool made;

	*tc_map_put(&m, 1, 2, &made) = 12;
	*tc_map_put(&m, 2, 1, &made) = 21;
	CHECK(made);
	CHECK_INT(*tc_map_get(&m, 1, 2), 12);
	CHECK_INT(*tc_map_get(&m, 2, 1), 21);
	*tc_map_get(&m, 1, 2) = 13;
	CHECK_INT(*tc_map_get(&m, 1, 2), 13);
	CHECK(tc_map_take(&m, 1, 2, &was) && was == 13);
	CHECK(!tc_map_get(&m, 1, 2));
	CHECK_INT(*tc_map_put(&m, 1, 2, &made), 0);
	CHECK(made);
	CHECK_INT(*tc_map_put(&m, UINT64_MAX, 0, &made), 0);
	CHECK_INT(*tc_map_put(&m, 0, UINT64_MAX, &made), 0);
	CHECK(made);
	CHECK_INT(m.used, 4);
	tc_map_release(&m);
}

/* Cookies come and go by the million: what was removed takes no room for good. */
static void
test_map_turnover(void)
{
	struct tc_map m = { 0 };
	uint64_t i, was;
	bool made;

	for (i = 0; i < 500000; i++) {
		*tc_map_put(&m, i, 0, &made) = i;
		if (i >= 8)
			CHECK(tc_map_take(&m, i - 8, 0, &was) && was == i - 8);
	}
	CHECK_INT(m.used, 8);
	CHECK(m.cap <= 256);
	for (i = 500000 - 8; i < 500000; i++)
		CHECK_INT(*tc_map_get(&m, i, 0), i);
	CHECK(!tc_map_get(&m, 0, 0));
	tc_map_release(&m);
}

static struct tc_str
nth_name(size_t i, char buf[64])
{
	int n = snprintf(
		buf, 64, "%.*s/com.example.app#%zu", (int)(i % 9), "........", i);

	return check_text(buf, (size_t)n);
}

static void
test_strtab_many(void)
{
	struct tc_strtab t = { 0 };
	const char *first = NULL;
	char buf[64];
	size_t i, j;

	for (j = 0; j < 2; j++) {
		for (i = 0; i < 50000; i++)
			if (!CHECK_INT(tc_strtab_id(&t, nth_name(i, buf)), i + 1))
				break;
		if (j == 0)
			first = tc_strtab_str(&t, 1).p;
	}
	CHECK_INT(t.count, 50000);
	for (i = 0; i < 50000; i++)
		if (!CHECK_STR(tc_strtab_str(&t, (uint32_t)i + 1), nth_name(i, buf)))
			break;
	CHECK(tc_strtab_str(&t, 1).p == first);
	tc_strtab_release(&t);
	CHECK_INT(t.count, 0);
}

static void
test_strtab_edges(void)
{
	struct tc_strtab t = { 0 };
	struct tc_str none = { .p = NULL };
	char text[] = "changed";

	CHECK_INT(tc_strtab_id(&t, none), 0);
	CHECK_STR(tc_strtab_str(&t, 0), none);
	CHECK_INT(tc_strtab_id(&t, BYTES("")), 1);
	CHECK_INT(tc_strtab_id(&t, BYTES("a\0b")), 2);
	CHECK_INT(tc_strtab_id(&t, BYTES("a\0c")), 3);
	CHECK_INT(tc_strtab_id(&t, BYTES("a")), 4);
	CHECK_INT(tc_strtab_id(&t, BYTES("a\0b")), 2);
	CHECK_INT(tc_strtab_id(&t, BYTES("")), 1);
	CHECK_INT(tc_strtab_id(&t, BYTES(text)), 5);
	text[0] = 'C';
	CHECK_STR(tc_strtab_str(&t, 5), BYTES("changed"));
	CHECK_STR(tc_strtab_str(&t, 1), BYTES(""));
	CHECK(tc_strtab_str(&t, 5).p[7] == '\0');
	tc_strtab_release(&t);
}

int
main(void)
{
	test_str();
	test_str_begins();
	test_str_has();
	test_str_has_pair();
	test_str_char();
	test_str_digits();
	test_grow();
	test_compare();
	test_find();
	test_arena_alignment();
	test_arena_keeps_bytes();
	test_arena_calloc_and_dup();
	test_arena_print();
	test_arena_reset();
	test_map_many();
	test_map_put_back();
	test_map_turnover();
	test_strtab_many();
	test_strtab_edges();
	return check_done();
}
