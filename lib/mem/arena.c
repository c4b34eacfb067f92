#include "mem/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Small at first, since most arenas stay small; then of the size and alignment
 * of a huge page, which makes touching new memory a tenth as expensive.
 */
enum { FIRST_BLOCK = 16 * 1024, BLOCK_BYTES = 256 * 1024, HUGE_BLOCK = 2 * 1024 * 1024 };

struct tc_arena_block {
	struct tc_arena_block *next;
	size_t size;
	_Alignas(8) char data[];
};

static size_t
block_bytes(const struct tc_arena *a)
{
	if (!a->blocks)
		return FIRST_BLOCK;
	return a->bytes < HUGE_BLOCK ? BLOCK_BYTES : HUGE_BLOCK;
}

/* A block of its own for what is larger than one. */
void
tc_arena_extend(struct tc_arena *a, size_t n)
{
	size_t size = block_bytes(a);
	struct tc_arena_block *b;

	if (size - sizeof(*b) < n)
		size = n + sizeof(*b);
	b = size == HUGE_BLOCK ? tc_mem_alloc_huge(size) : tc_mem_alloc(size);
	b->size = size - sizeof(*b);
	b->next = a->blocks;
	a->blocks = b;
	a->pos = b->data;
	a->end = b->data + b->size;
}

void *
tc_arena_calloc(struct tc_arena *a, size_t n)
{
	return memset(tc_arena_alloc(a, n), 0, n);
}

char *
tc_arena_dup(struct tc_arena *a, const void *bytes, size_t len)
{
	char *p = tc_arena_alloc(a, len + 1);

	if (len)
		memcpy(p, bytes, len);
	p[len] = '\0';
	return p;
}

struct tc_str
tc_arena_str(struct tc_arena *a, struct tc_str s)
{
	if (s.p)
		s.p = tc_arena_dup(a, s.p, s.len);
	return s;
}

struct tc_str
tc_arena_vprint(struct tc_arena *a, const char *format, va_list args)
{
	va_list again;
	char *text;
	int n;

	va_copy(again, args);
	n = vsnprintf(NULL, 0, format, args);
	n = n < 0 ? 0 : n; /* more than an int can count: nothing */
	text = tc_arena_alloc(a, (size_t)n + 1);
	vsnprintf(text, (size_t)n + 1, format, again);
	text[n] = '\0';
	va_end(again);
	return (struct tc_str){ text, (uint32_t)n, false };
}

struct tc_str
tc_arena_print(struct tc_arena *a, const char *format, ...)
{
	struct tc_str text;
	va_list args;

	va_start(args, format);
	text = tc_arena_vprint(a, format, args);
	va_end(args);
	return text;
}

/* Keeps the newest block: most records fit in it again. */
void
tc_arena_reset(struct tc_arena *a)
{
	struct tc_arena_block *b = a->blocks, *next;

	if (!b)
		return;
	for (next = b->next; next; next = b->next) {
		b->next = next->next;
		free(next);
	}
	a->pos = b->data;
	a->end = b->data + b->size;
	a->bytes = 0;
}

void
tc_arena_release(struct tc_arena *a)
{
	struct tc_arena_block *b, *next;

	for (b = a->blocks; b; b = next) {
		next = b->next;
		free(b);
	}
	*a = (struct tc_arena){ 0 };
}
