#ifndef TC_MEM_MEM_H
#define TC_MEM_MEM_H
/*
 * mem: allocation that cannot fail, arenas, interned strings, a hash map, a search.
 *
 * Out of memory ends the process with status 71 here and nowhere else, so no
 * caller checks for it. That is sound only because every size that comes from
 * input is checked against a limit before it gets here.
 *
 * What one record needs lives in an arena that is reset at every line; what
 * lasts lives in one arena per run. Both are struct tc_arena.
 */
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A little-endian number; written out, so that compilers see the one load. */
static inline uint64_t
tc_mem_fixed64(const void *bytes)
{
	const uint8_t *p = bytes;

	return (uint64_t)p[0] | (uint64_t)p[1] << 8 | (uint64_t)p[2] << 16 |
		(uint64_t)p[3] << 24 | (uint64_t)p[4] << 32 | (uint64_t)p[5] << 40 |
		(uint64_t)p[6] << 48 | (uint64_t)p[7] << 56;
}

/*
 * Bytes that somebody else owns; p NULL means unknown, len 0 an empty text.
 * Whoever knows that a text is printable ASCII without quotes and backslashes
 * says so, and it is written without another look.
 */
struct tc_str {
	const char *p;
	uint32_t len;
	bool is_plain;
};

/* A literal that is plain, to start a variable with and as a value. */
#define TC_STR_INIT(literal) \
	{ \
		(literal), sizeof(literal) - 1, true \
	}
#define TC_STR(literal) ((struct tc_str)TC_STR_INIT(literal))

struct tc_str tc_str_of(const char *cstr);
bool tc_str_eq(struct tc_str a, struct tc_str b);

/* Below, at or above 0, as of memcmp; the shorter of two that begin alike first. */
int tc_str_compare(struct tc_str a, struct tc_str b);

/* How many bytes at the start of these are plain. */
size_t tc_str_plain(const char *p, size_t len);

bool tc_str_begins(struct tc_str s, struct tc_str start);

/* Sixteen bytes, which most processors compare at once. */
typedef unsigned char tc_str_block __attribute__((vector_size(16)));

/* Whether one of them is c. */
static inline bool
tc_str_block_has(const char *p, char c)
{
	tc_str_block block;
	uint64_t same[2];

	memcpy(&block, p, sizeof(block));
	block = (tc_str_block)(block == (unsigned char)c);
	memcpy(same, &block, sizeof(same));
	return same[0] | same[1];
}

/* Whether one of eight bytes is c. */
static inline bool
tc_str_word_has(const char *p, char c)
{
	const uint64_t ones = 0x0101010101010101u;
	uint64_t w;

	memcpy(&w, p, sizeof(w));
	w ^= ones * (unsigned char)c;
	return (w - ones) & ~w & ones * 0x80;
}

/* In line, for texts that are too short to be worth a call. */
static inline bool
tc_str_has(struct tc_str s, char c)
{
	uint32_t i;

	/* The last ones overlap those before. */
	if (s.len >= sizeof(tc_str_block)) {
		for (i = 0; i + sizeof(tc_str_block) < s.len; i += sizeof(tc_str_block))
			if (tc_str_block_has(s.p + i, c))
				return true;
		return tc_str_block_has(s.p + s.len - sizeof(tc_str_block), c);
	}
	if (s.len >= 8)
		return tc_str_word_has(s.p, c) || tc_str_word_has(s.p + s.len - 8, c);
	for (i = 0; i < s.len; i++)
		if (s.p[i] == c)
			return true;
	return false;
}

/* Where among sixteen bytes these two stand one behind the other; one more is read. */
static inline tc_str_block
tc_str_block_pairs(const char *p, char first, char second)
{
	tc_str_block a, b;

	memcpy(&a, p, sizeof(a));
	memcpy(&b, p + 1, sizeof(b));
	return (tc_str_block)(a == (unsigned char)first) &
		(tc_str_block)(b == (unsigned char)second);
}

/*
 * Whether such a pair begins among so many bytes, of which one more may be looked at.
 * It takes the same time for whatever bytes: they are best looked at together with what
 * follows a text, and a second time when there is one.
 */
enum { TC_STR_PAIR_AMONG = 4 * sizeof(tc_str_block) };

static inline bool
tc_str_has_pair(const char *p, char first, char second)
{
	const size_t n = sizeof(tc_str_block);
	tc_str_block found;
	uint64_t any[2];

	found = tc_str_block_pairs(p, first, second) |
		tc_str_block_pairs(p + n, first, second) |
		tc_str_block_pairs(p + 2 * n, first, second) |
		tc_str_block_pairs(p + 3 * n, first, second);
	memcpy(any, &found, sizeof(any));
	return any[0] | any[1];
}

/*
 * How many bytes the character has that begins at p, of which `avail` are there, at
 * least one; 0 when it is none: overlong forms, surrogates and what lies above U+10FFFF
 * are not UTF-8 (RFC 3629).
 */
size_t tc_str_char(const char *p, size_t avail);

/*
 * How many digits the text begins with, those of base 16 in lower case, and their
 * value; 0 when there are none or it is above max.
 */
uint32_t tc_str_digits(struct tc_str s, unsigned base, uint64_t max, uint64_t *value);

/*
 * Puts a text as one word of a shell's command line, and a NUL behind it, where there
 * is room for 4 bytes for each of its own and 3 more: where the NUL is.
 */
char *tc_str_put_word(char *p, const char *text);

/*
 * No name in a record has more bytes, which is where Perfetto cuts the longest of its
 * own: a record must stay a line that readers take.
 */
enum { TC_STR_MAX_NAME = 4095 };

void *tc_mem_alloc(size_t n);
void *tc_mem_calloc(size_t count, size_t size);
void *tc_mem_realloc(void *p, size_t n);

/* For n a multiple of 2 MiB that will be filled; ended by free. */
void *tc_mem_alloc_huge(size_t n);

/*
 * Makes room for at least `need` items of `size` bytes in the growing array
 * *items, whose capacity is *cap items. Doubles, so appending is cheap. The
 * array is not NULL afterwards, whatever the need.
 */
void tc_mem_grow(void *items, size_t *cap, size_t need, size_t size);

/* Below, at or above 0, as a is below, at or above b. */
static inline int
tc_mem_compare(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

/*
 * How many of the items, which are of `size` bytes, come before the key: where the first
 * stands that does not, or count. They must be in such an order that all that come before
 * the key stand in front of all that do not; is_before says which an item is.
 */
static inline size_t
tc_mem_find(const void *items, size_t count, size_t size,
	bool (*is_before)(const void *item, const void *key), const void *key)
{
	size_t low = 0, high = count, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (is_before((const char *)items + middle * size, key))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct tc_arena {
	struct tc_arena_block *blocks; /* owned, newest first */
	char *pos, *end;
	size_t bytes; /* handed out since init or reset */
};

/* A block for at least n bytes; what the last one had left is given up. */
void tc_arena_extend(struct tc_arena *a, size_t n);

/* Aligned to 8, not zeroed. Valid until reset or release. */
static inline void *
tc_arena_alloc(struct tc_arena *a, size_t n)
{
	char *p;

	n = (n + 7) & ~(size_t)7;
	if (!a->pos || (size_t)(a->end - a->pos) < n)
		tc_arena_extend(a, n);
	p = a->pos;
	a->pos += n;
	a->bytes += n;
	return p;
}

void *tc_arena_calloc(struct tc_arena *a, size_t n);
char *tc_arena_dup(struct tc_arena *a, const void *bytes, size_t len);

/* The same bytes, in the arena, with a NUL behind them; nothing for p NULL. */
struct tc_str tc_arena_str(struct tc_arena *a, struct tc_str s);

/* What printf would print, in the arena, with a NUL behind it. */
struct tc_str tc_arena_print(struct tc_arena *a, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
struct tc_str tc_arena_vprint(struct tc_arena *a, const char *format, va_list args)
	__attribute__((format(printf, 2, 0)));

void tc_arena_reset(struct tc_arena *a);
void tc_arena_release(struct tc_arena *a);

/* Hashes that input cannot foresee; they differ from run to run. */
uint64_t tc_mem_hash(uint64_t a, uint64_t b);
uint64_t tc_mem_hash_bytes(const void *bytes, size_t len);

/*
 * Map from a pair of integers to an integer, open addressing. What was asked
 * for lately is found again without hashing.
 */
enum { TC_MAP_RECENT = 256 };

struct tc_map_slot {
	uint64_t a, b, value;
	bool is_live;
};

struct tc_map {
	struct tc_map_slot *slots; /* owned */
	size_t cap, used;
	uint32_t recent[TC_MAP_RECENT]; /* slots; where they do not fit, no harm */
};

struct tc_map_slot *tc_map_find(struct tc_map *m, uint64_t a, uint64_t b);
struct tc_map_slot *tc_map_make(struct tc_map *m, uint64_t a, uint64_t b, bool *made);

/* The slot of the key if it was found lately, or NULL. */
static inline struct tc_map_slot *
tc_map_again(const struct tc_map *m, uint64_t a, uint64_t b)
{
	struct tc_map_slot *s;

	if (!m->used)
		return NULL;
	s = &m->slots[m->recent[(a + b) % TC_MAP_RECENT]];
	return s->a == a && s->b == b && s->is_live ? s : NULL;
}

/*
 * The value under (a, b), or NULL. The pointer is valid until the next put;
 * the value may be changed through it.
 */
static inline uint64_t *
tc_map_get(struct tc_map *m, uint64_t a, uint64_t b)
{
	struct tc_map_slot *s = tc_map_again(m, a, b);

	if (!s)
		s = tc_map_find(m, a, b);
	return s ? &s->value : NULL;
}

/* The value under (a, b), made 0 when it was not there (*made says which). */
static inline uint64_t *
tc_map_put(struct tc_map *m, uint64_t a, uint64_t b, bool *made)
{
	struct tc_map_slot *s = tc_map_again(m, a, b);

	*made = false;
	return s ? &s->value : &tc_map_make(m, a, b, made)->value;
}

/* Takes the key out: whether it was there, and then what its value was. */
bool tc_map_take(struct tc_map *m, uint64_t a, uint64_t b, uint64_t *value);
void tc_map_release(struct tc_map *m);

enum { TC_STRTAB_LAST = 16 };

/* Each distinct byte string once, named by a dense id that starts at 1. */
struct tc_strtab {
	struct tc_arena arena;
	struct tc_str *items; /* owned, by id - 1 */
	size_t count, cap;
	uint32_t *slots; /* owned, ids by hash */
	size_t slot_cap;
	uint32_t last[TC_STRTAB_LAST]; /* ids found last, by length: names come in runs */
};

/* The whole of tc_strtab_id. */
uint32_t tc_strtab_id_any(struct tc_strtab *t, struct tc_str s);

/* The id of these bytes, 0 for p NULL; they are copied when new. */
static inline uint32_t
tc_strtab_id(struct tc_strtab *t, struct tc_str s)
{
	uint32_t id = t->last[s.len % TC_STRTAB_LAST];

	if (id && s.len && t->items[id - 1].len == s.len &&
		memcmp(t->items[id - 1].p, s.p, s.len) == 0)
		return id;
	return tc_strtab_id_any(t, s);
}

/* The bytes of an id, valid until release; {NULL, 0} for id 0. */
struct tc_str tc_strtab_str(const struct tc_strtab *t, uint32_t id);
/* The texts of two ids, as tc_str_compare does; none comes before any. */
int tc_strtab_compare(const struct tc_strtab *t, uint32_t a, uint32_t b);
void tc_strtab_release(struct tc_strtab *t);

#endif
