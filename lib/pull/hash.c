#include <stdlib.h>
#include <unistd.h>

#include <openssl/evp.h>

#include "err/err.h"
#include "pull/priv.h"

enum { PIECE = 1 << 20 };

static int
digest(int fd, EVP_MD_CTX *ctx, char *buf, const struct tc_wait *w, struct tc_err *err)
{
	off_t at = 0;
	ssize_t n;

	if (!EVP_DigestInit_ex(ctx, EVP_sha256(), NULL))
		return tc_err_set(err, TC_SYSTEM, "no SHA-256 here");
	while ((n = pread(fd, buf, PIECE, at)) > 0) {
		if (!EVP_DigestUpdate(ctx, buf, (size_t)n))
			return tc_err_set(err, TC_SYSTEM, "no SHA-256 here");
		if (tc_wait_check(w, err) < 0)
			return -1;
		at += n;
	}
	return n < 0 ? tc_err_sys(err, TC_IO, "read back") : 0;
}

int
tc_pull_sha256(int fd, char hex[65], const struct tc_wait *w, struct tc_err *err)
{
	static const char digits[] = "0123456789abcdef";
	EVP_MD_CTX *ctx = EVP_MD_CTX_new();
	char *buf = tc_mem_alloc(PIECE);
	unsigned char sum[EVP_MAX_MD_SIZE];
	size_t i;
	int r = -1;

	if (!ctx)
		tc_err_set(err, TC_SYSTEM, "no memory for SHA-256");
	else
		r = digest(fd, ctx, buf, w, err);
	if (r == 0 && !EVP_DigestFinal_ex(ctx, sum, NULL))
		r = tc_err_set(err, TC_SYSTEM, "no SHA-256 here");
	for (i = 0; r == 0 && i < 32; i++) {
		hex[2 * i] = digits[sum[i] >> 4];
		hex[2 * i + 1] = digits[sum[i] & 15];
	}
	if (r == 0)
		hex[64] = '\0';
	EVP_MD_CTX_free(ctx);
	free(buf);
	return r;
}
