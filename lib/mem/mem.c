#include "mem/mem.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "err/err.h"

struct tc_str
tc_str_of(const char *cstr)
{
	return (struct tc_str){ cstr, cstr ? strlen(cstr) : 0 };
}

bool
tc_str_eq(struct tc_str a, struct tc_str b)
{
	return a.len == b.len && (a.len == 0 || memcmp(a.p, b.p, a.len) == 0);
}

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

void
tc_mem_grow(void *items, size_t *cap, size_t need, size_t size)
{
	size_t n = *cap ? *cap : 16;
	void *p;

	if (need <= *cap)
		return;
	while (n < need)
		n *= 2;
	if (n > SIZE_MAX / size)
		out_of_memory();
	memcpy(&p, items, sizeof(p)); /* a T * whose T is not known here */
	p = tc_mem_realloc(p, n * size);
	memcpy(items, &p, sizeof(p));
	*cap = n;
}
