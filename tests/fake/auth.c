/* Keys: what the device knows, what it is offered, and TLS with them. */
#include <errno.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/rsa.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fake.h"

enum { BASE64 = 700, STRUCT = 524, KEYS = 64 };

/* ---- public keys in Android's form ---- */

/* From the numbers of the struct, all of which have to be right. */
static EVP_PKEY *
key_of(const uint8_t *p)
{
	BIGNUM *n = BN_lebin2bn(p + 8, 256, NULL), *r = BN_new(), *given,
	       *word = BN_new();
	BN_CTX *ctx = BN_CTX_new();
	OSSL_PARAM_BLD *build = OSSL_PARAM_BLD_new();
	EVP_PKEY_CTX *from = EVP_PKEY_CTX_new_from_name(NULL, "RSA", NULL);
	EVP_PKEY *pkey = NULL;
	bool right;

	/* r^2 modulo n, for r = 2^2048; n * its inverse = -1 modulo 2^32. */
	given = BN_lebin2bn(p + 264, 256, NULL);
	BN_set_bit(r, 2048);
	BN_mod_sqr(r, r, n, ctx);
	BN_set_word(word, fake_get32(p + 520));
	right = fake_get32(p) == 64 && BN_num_bits(n) == 2048 && BN_cmp(r, given) == 0 &&
		fake_get32(p + 8) * fake_get32(p + 4) == 0xffffffffu;
	OSSL_PARAM_BLD_push_BN(build, OSSL_PKEY_PARAM_RSA_N, n);
	OSSL_PARAM_BLD_push_BN(build, OSSL_PKEY_PARAM_RSA_E, word);
	if (right && EVP_PKEY_fromdata_init(from) > 0) {
		OSSL_PARAM *params = OSSL_PARAM_BLD_to_param(build);

		EVP_PKEY_fromdata(from, &pkey, EVP_PKEY_PUBLIC_KEY, params);
		OSSL_PARAM_free(params);
	}
	BN_free(n);
	BN_free(r);
	BN_free(given);
	BN_free(word);
	BN_CTX_free(ctx);
	OSSL_PARAM_BLD_free(build);
	EVP_PKEY_CTX_free(from);
	return pkey;
}

static EVP_PKEY *
parse_key(const char *text)
{
	uint8_t bytes[BASE64 / 4 * 3];

	if (strcspn(text, " \n") != BASE64 ||
		EVP_DecodeBlock(bytes, (const uint8_t *)text, BASE64) !=
			(int)sizeof(bytes))
		return NULL;
	return key_of(bytes);
}

/* Those of the file, as it is now. */
static int
known_keys(const struct fake *f, EVP_PKEY **keys)
{
	FILE *in = fopen(f->keys, "r");
	char line[4096];
	int count = 0;

	while (in && count < KEYS && fgets(line, sizeof(line), in)) {
		keys[count] = parse_key(line);
		if (keys[count])
			count++;
	}
	if (in)
		fclose(in);
	return count;
}

static void
free_keys(EVP_PKEY **keys, int count)
{
	while (count-- > 0)
		EVP_PKEY_free(keys[count]);
}

/* ---- signatures and offers ---- */

/* Whether this key has signed it: with PKCS 1 padding, as if it were a SHA-1. */
static bool
has_signed(EVP_PKEY *key, const uint8_t *token, const uint8_t *signature)
{
	static const uint8_t head[15] = "\x30\x21\x30\x09\x06\x05\x2b\x0e\x03\x02\x1a\x05"
					"\x00\x04\x14";
	EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new(key, NULL);
	uint8_t got[256];
	size_t len = sizeof(got);
	bool right = EVP_PKEY_verify_recover_init(ctx) > 0 &&
		EVP_PKEY_CTX_set_rsa_padding(ctx, RSA_PKCS1_PADDING) > 0 &&
		EVP_PKEY_verify_recover(ctx, got, &len, signature, 256) > 0 &&
		len == 35 && memcmp(got, head, 15) == 0 &&
		memcmp(got + 15, token, 20) == 0;

	EVP_PKEY_CTX_free(ctx);
	return right;
}

bool
fake_knows(const struct fake *f, const uint8_t *token, const uint8_t *bytes, size_t len)
{
	EVP_PKEY *keys[KEYS];
	int i, count = known_keys(f, keys);
	bool right = false;

	for (i = 0; i < count && len == 256; i++)
		right |= has_signed(keys[i], token, bytes);
	free_keys(keys, count);
	return right;
}

bool
fake_accepts(const struct fake *f, const uint8_t *bytes, size_t len)
{
	EVP_PKEY *key;
	FILE *out;

	if (!len || bytes[len - 1] || memchr(bytes, 0, len - 1) || len > 4096) {
		fprintf(stderr, "fakeadbd: a public key without its end\n");
		return false;
	}
	key = parse_key((const char *)bytes);
	if (!key || !strchr((const char *)bytes, '@')) {
		fprintf(stderr, "fakeadbd: a public key that is wrong\n");
		EVP_PKEY_free(key);
		return false;
	}
	EVP_PKEY_free(key);
	fprintf(stderr, "fakeadbd: is offered a key\n");
	if (f->accept_ms < 0)
		return false;
	poll(NULL, 0, (int)f->accept_ms);
	out = fopen(f->keys, "a");
	if (!out || fprintf(out, "%s\n", (const char *)bytes) < 0 || fclose(out))
		fake_die(f->keys);
	return true;
}

/* ---- TLS ---- */

static void
hash_of(EVP_PKEY *key, char hex[65])
{
	uint8_t *der = NULL, sum[32];
	int len = i2d_PUBKEY(key, &der), i;

	EVP_Digest(der, (size_t)len, sum, NULL, EVP_sha256(), NULL);
	for (i = 0; i < 32; i++)
		snprintf(hex + 2 * i, 3, "%02X", sum[i]);
	OPENSSL_free(der);
}

/* The names by which a host can see which of its keys are known. */
static STACK_OF(X509_NAME) * names_of(EVP_PKEY **keys, int count)
{
	STACK_OF(X509_NAME) *names = sk_X509_NAME_new_null();
	char hex[65];
	int i;

	for (i = 0; i < count; i++) {
		X509_NAME *name = X509_NAME_new();

		hash_of(keys[i], hex);
		X509_NAME_add_entry_by_txt(
			name, "O", MBSTRING_ASC, (const uint8_t *)"AdbKey-0", -1, -1, 0);
		X509_NAME_add_entry_by_txt(
			name, "CN", MBSTRING_ASC, (const uint8_t *)hex, -1, -1, 0);
		sk_X509_NAME_push(names, name);
	}
	return names;
}

/* A certificate counts for its key alone, which has to have signed it. */
static int
check_certificate(X509_STORE_CTX *store, void *ctx)
{
	const struct fake *f = ctx;
	X509 *x = X509_STORE_CTX_get0_cert(store);
	EVP_PKEY *keys[KEYS], *key = X509_get0_pubkey(x);
	int i, count = known_keys(f, keys), known = 0;

	for (i = 0; i < count; i++)
		known |= EVP_PKEY_eq(keys[i], key) == 1;
	free_keys(keys, count);
	if (X509_verify(x, key) <= 0 || X509_get_version(x) != X509_VERSION_3) {
		fprintf(stderr, "fakeadbd: a certificate that is wrong\n");
		known = 0;
	}
	if (!known)
		X509_STORE_CTX_set_error(store, X509_V_ERR_CERT_REJECTED);
	return known;
}

static SSL_CTX *
server_of(const struct fake *f)
{
	SSL_CTX *ctx = SSL_CTX_new(TLS_server_method());
	EVP_PKEY *own = EVP_EC_gen("P-256"), *keys[KEYS];
	X509 *x = X509_new();
	int count = known_keys(f, keys);

	X509_set_pubkey(x, own);
	X509_gmtime_adj(X509_getm_notBefore(x), 0);
	X509_gmtime_adj(X509_getm_notAfter(x), 3600);
	X509_sign(x, own, EVP_sha256());
	if (!SSL_CTX_set_min_proto_version(ctx, f->old_tls ? 0 : TLS1_3_VERSION) ||
		!SSL_CTX_set_max_proto_version(ctx, f->old_tls ? TLS1_2_VERSION : 0) ||
		SSL_CTX_use_certificate(ctx, x) <= 0 ||
		SSL_CTX_use_PrivateKey(ctx, own) <= 0)
		fake_die("TLS");
	SSL_CTX_set_verify(ctx, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, NULL);
	SSL_CTX_set_cert_verify_callback(ctx, check_certificate, (void *)(uintptr_t)f);
	SSL_CTX_set_client_CA_list(ctx, names_of(keys, count));
	SSL_CTX_set_num_tickets(ctx, 0);
	free_keys(keys, count);
	EVP_PKEY_free(own);
	X509_free(x);
	return ctx;
}

/* From the one to the other until one of them ends. */
static _Noreturn void
pump(SSL *ssl, int fd, int plain)
{
	struct pollfd fds[2] = { { .fd = fd, .events = POLLIN },
		{ .fd = plain, .events = POLLIN } };
	char buf[65536];
	ssize_t n;

	for (;;) {
		if (!SSL_pending(ssl) && poll(fds, 2, -1) < 0 && errno != EINTR)
			fake_die("poll");
		if (SSL_pending(ssl) || fds[0].revents) {
			n = SSL_read(ssl, buf, sizeof(buf));
			if (n <= 0 || !fake_write(plain, buf, (size_t)n))
				break;
		}
		if (fds[1].revents) {
			n = read(plain, buf, sizeof(buf));
			if (n <= 0 || SSL_write(ssl, buf, (int)n) <= 0)
				break;
		}
	}
	SSL_shutdown(ssl);
	_exit(0);
}

int
fake_tls(const struct fake *f, int fd)
{
	SSL *ssl = SSL_new(server_of(f));
	int ends[2];
	pid_t pid;

	SSL_set_fd(ssl, fd);
	if (SSL_accept(ssl) <= 0) {
		fprintf(stderr, "fakeadbd: no TLS with this one\n");
		exit(0);
	}
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) < 0)
		fake_die("socketpair");
	pid = fork();
	if (pid < 0)
		fake_die("fork");
	if (pid == 0) {
		close(ends[0]);
		pump(ssl, fd, ends[1]);
	}
	close(ends[1]);
	close(fd);
	return ends[0];
}
