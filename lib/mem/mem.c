#include "mem/mem.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "err/err.h"

enum { HUGE_PAGE = 2 * 1024 * 1024 };

static _Noreturn void
out_of_memory(void)
{
	static const char msg[] = "out of memory\n";
	ssize_t n = write(STDERR_FILENO, msg, sizeof(msg) - 1);

	(void)n;
	_exit(TC_SYSTEM);
}

void *
tc_mem_alloc(size_t n)
{
	void *p = malloc(n ? n : 1);

	if (!p)
		out_of_memory();
	return p;
}

void *
tc_mem_calloc(size_t count, size_t size)
{
	void *p = calloc(count ? count : 1, size ? size : 1);

	if (!p)
		out_of_memory();
	return p;
}

void *
tc_mem_realloc(void *p, size_t n)
{
	p = realloc(p, n ? n : 1);
	if (!p)
		out_of_memory();
	return p;
}

/*
 * Asks for huge pages below memory that will be filled; a hint, no more. It is given
 * to all pages, also the first and last one: a mapping whose pages differ is no
 * longer one to Linux, and realloc could not move it without copying.
 */
static void
advise_huge(void *p, size_t n)
{
#ifdef MADV_HUGEPAGE
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t begin = (uintptr_t)p & ~(page - 1);
	uintptr_t end = ((uintptr_t)p + n + page - 1) & ~(page - 1);

	(void)madvise((void *)begin, end - begin, MADV_HUGEPAGE);
#else
	(void)p;
	(void)n;
#endif
}

void *
tc_mem_alloc_huge(size_t n)
{
	void *p = aligned_alloc(HUGE_PAGE, n);

	if (!p)
		out_of_memory();
	advise_huge(p, n);
	return p;
}

/* The first `used` bytes at p, in pages of which there are fewer. */
static void *
move_to_huge(void *p, size_t used, size_t n)
{
	void *to = tc_mem_alloc_huge((n + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE);

	if (used)
		memcpy(to, p, used);
	free(p);
	return to;
}

void
tc_mem_grow(void *items, size_t *cap, size_t need, size_t size)
{
	size_t n = *cap ? *cap : 16;
	void *p;

	if (*cap && need <= *cap)
		return;
	while (n < need)
		n *= 2;
	if (n > SIZE_MAX / size)
		out_of_memory();
	memcpy(&p, items, sizeof(p)); /* a T * whose T is not known here */
	p = n * size >= HUGE_PAGE && n * size < 8 * HUGE_PAGE
		? move_to_huge(p, *cap * size, n * size)
		: tc_mem_realloc(p, n * size);
	if (n * size >= 8 * HUGE_PAGE)
		advise_huge(p, n * size);
	memcpy(items, &p, sizeof(p));
	*cap = n;
}
