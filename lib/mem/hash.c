#include "mem/mem.h"

#include <string.h>
#include <sys/random.h>
#include <unistd.h>

/*
 * Keys come from input, and whoever knew the hash could choose them to meet in
 * one place. So it depends on a secret of this process. Nothing that is written
 * depends on the order of a table.
 */
static uint64_t secret[2];

static void
make_secret(void)
{
	uint64_t bytes[2] = { 0, 0 };

	/* Without random bytes the hash is only slower against an attacker. */
	if (getentropy(bytes, sizeof(bytes)) != 0)
		bytes[0] = (uint64_t)(uintptr_t)&secret;
	secret[0] = bytes[0] | 1;
	secret[1] = bytes[1];
}

/* The two halves of a product, folded: not to be undone without both factors. */
#ifdef __SIZEOF_INT128__
static inline uint64_t
fold(uint64_t a, uint64_t b)
{
	__extension__ unsigned __int128 product = (unsigned __int128)a * b;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}
#else
/* By halves of the factors, where no type holds the product. */
static inline uint64_t
fold(uint64_t a, uint64_t b)
{
	uint64_t a_low = a & UINT32_MAX, a_high = a >> 32;
	uint64_t b_low = b & UINT32_MAX, b_high = b >> 32;
	uint64_t low = a_low * b_low, high = a_high * b_high;
	uint64_t cross = a_high * b_low + (low >> 32), other = a_low * b_high;

	other += cross & UINT32_MAX;
	high += (cross >> 32) + (other >> 32);
	return (other << 32 | (low & UINT32_MAX)) ^ high;
}
#endif

uint64_t
tc_mem_hash(uint64_t a, uint64_t b)
{
	if (!secret[0])
		make_secret();
	return fold(fold(a ^ secret[0], 0x9e3779b97f4a7c15u ^ secret[1]) ^ b ^ secret[1],
		0xd6e8feb86659fd93u ^ secret[0]);
}

uint64_t
tc_mem_hash_bytes(const void *bytes, size_t len)
{
	const char *p = bytes;
	uint64_t h = len, word;

	for (; len >= 8; p += 8, len -= 8) {
		memcpy(&word, p, 8);
		h = tc_mem_hash(h, word);
	}
	word = 0;
	if (len)
		memcpy(&word, p, len);
	return tc_mem_hash(h, word);
}
