/* What is made of one key. */
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/x509v3.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "adb/keys.h"
#include "adb/priv.h"
#include "err/err.h"

/* Android's struct of a public key: numbers of 32 bits, the lowest byte first. */
enum {
	BITS = 2048,
	WORDS_AT = 0, /* how many such numbers the modulus has */
	INVERSE_AT = 4,
	MODULUS_AT = 8,
	SQUARE_AT = MODULUS_AT + BITS / 8, /* of 2^2048, modulo the modulus */
	EXPONENT_AT = SQUARE_AT + BITS / 8,
	STRUCT = EXPONENT_AT + 4
};

static int
fail(struct tc_err *err, const char *doing)
{
	ERR_clear_error();
	return tc_err_set(err, TC_SYSTEM, "%s failed in libcrypto", doing);
}

/* The token stands where the SHA-1 of what is signed would, with its prefix. */
int
tc_adb_key_sign(const struct tc_adb_key *key, const uint8_t token[TC_ADB_TOKEN],
	uint8_t signature[TC_ADB_SIGNATURE], struct tc_err *err)
{
	static const uint8_t prefix[] = { 0x30, 0x21, 0x30, 0x09, 0x06, 0x05, 0x2b, 0x0e,
		0x03, 0x02, 0x1a, 0x05, 0x00, 0x04, 0x14 };
	uint8_t signed_bytes[sizeof(prefix) + TC_ADB_TOKEN];
	EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new(key->pkey, NULL);
	size_t len = TC_ADB_SIGNATURE;
	bool done;

	memcpy(signed_bytes, prefix, sizeof(prefix));
	memcpy(signed_bytes + sizeof(prefix), token, TC_ADB_TOKEN);
	/* Without a digest, so that systems that forbid SHA-1 let it be. */
	done = ctx && EVP_PKEY_sign_init(ctx) > 0 &&
		EVP_PKEY_CTX_set_rsa_padding(ctx, RSA_PKCS1_PADDING) > 0 &&
		EVP_PKEY_sign(ctx, signature, &len, signed_bytes, sizeof(signed_bytes)) >
			0 &&
		len == TC_ADB_SIGNATURE;
	EVP_PKEY_CTX_free(ctx);
	return done ? 0 : fail(err, "to sign with a key");
}

/* -1 / odd modulo 2^32: each step doubles the bits that are right. */
static uint32_t
negative_inverse(uint32_t odd)
{
	uint32_t inverse = odd;
	int i;

	for (i = 0; i < 5; i++)
		inverse *= 2 - odd * inverse;
	return -inverse;
}

static bool
put_struct(const struct tc_adb_key *key, uint8_t bytes[STRUCT])
{
	BIGNUM *n = NULL, *e = NULL, *square = BN_new();
	BN_CTX *ctx = BN_CTX_new();
	bool done = square && ctx &&
		EVP_PKEY_get_bn_param(key->pkey, OSSL_PKEY_PARAM_RSA_N, &n) &&
		EVP_PKEY_get_bn_param(key->pkey, OSSL_PKEY_PARAM_RSA_E, &e) &&
		BN_set_bit(square, 2 * BITS) && BN_mod(square, square, n, ctx) &&
		BN_bn2lebinpad(n, bytes + MODULUS_AT, BITS / 8) == BITS / 8 &&
		BN_bn2lebinpad(square, bytes + SQUARE_AT, BITS / 8) == BITS / 8 &&
		BN_bn2lebinpad(e, bytes + EXPONENT_AT, 4) == 4;

	if (done) {
		tc_adb_put32(bytes + WORDS_AT, BITS / 32);
		tc_adb_put32(bytes + INVERSE_AT,
			negative_inverse(tc_adb_get32(bytes + MODULUS_AT)));
	}
	BN_free(n);
	BN_free(e);
	BN_free(square);
	BN_CTX_free(ctx);
	ERR_clear_error();
	return done;
}

/* A word that can stand in the text, or else `instead`. */
static const char *
word(const char *text, const char *instead)
{
	const char *p = text;

	while (p && *p > ' ' && *p < 0x7f)
		p++;
	return p && p > text && !*p && p - text < 128 ? text : instead;
}

static void
put_owner(char *text, size_t size)
{
	struct passwd entry, *found = NULL;
	char host[256] = "", buf[4096];
	const char *login = getenv("LOGNAME");

	if (!login && getpwuid_r(getuid(), &entry, buf, sizeof(buf), &found) == 0 &&
		found)
		login = found->pw_name;
	if (gethostname(host, sizeof(host) - 1) < 0)
		host[0] = '\0';
	snprintf(text, size, " %s@%s", word(login, "unknown"), word(host, "unknown"));
}

int
tc_adb_key_text(
	const struct tc_adb_key *key, char text[TC_ADB_KEY_TEXT], struct tc_err *err)
{
	uint8_t bytes[STRUCT];
	int n;

	if (!put_struct(key, bytes))
		return fail(err, "to write a public key");
	n = EVP_EncodeBlock((uint8_t *)text, bytes, sizeof(bytes));
	put_owner(text + n, TC_ADB_KEY_TEXT - (size_t)n);
	return 0;
}

static void
put_hex(const uint8_t *bytes, size_t len, const char *between, char *text)
{
	size_t i;

	for (i = 0; i < len; i++)
		text += snprintf(text, 4, "%s%02X", i ? between : "", bytes[i]);
}

void
tc_adb_key_fingerprint(const struct tc_adb_key *key, char text[TC_ADB_FINGERPRINT])
{
	uint8_t bytes[STRUCT], sum[EVP_MAX_MD_SIZE];
	unsigned len = 0;

	text[0] = '\0';
	if (put_struct(key, bytes) &&
		EVP_Digest(bytes, sizeof(bytes), sum, &len, EVP_md5(), NULL) && len == 16)
		put_hex(sum, len, ":", text);
	ERR_clear_error();
}

void
tc_adb_key_name(const struct tc_adb_key *key, char name[TC_ADB_KEY_NAME])
{
	uint8_t *der = NULL, sum[EVP_MAX_MD_SIZE];
	int len = i2d_PUBKEY(key->pkey, &der);
	unsigned sum_len = 0;

	name[0] = '\0';
	if (len > 0 && EVP_Digest(der, (size_t)len, sum, &sum_len, EVP_sha256(), NULL) &&
		sum_len == 32)
		put_hex(sum, sum_len, "", name);
	OPENSSL_free(der);
	ERR_clear_error();
}

static bool
name_certificate(X509 *x)
{
	static const char *const parts[][2] = { { "C", "US" }, { "O", "Android" },
		{ "CN", "Adb" } };
	X509_NAME *name = X509_get_subject_name(x);
	size_t i;

	for (i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (!X509_NAME_add_entry_by_txt(name, parts[i][0], MBSTRING_ASC,
			    (const uint8_t *)parts[i][1], -1, -1, 0))
			return false;
	return X509_set_issuer_name(x, name);
}

static bool
extend(X509 *x, int what, const char *value)
{
	X509V3_CTX ctx;
	X509_EXTENSION *e;
	bool done;

	X509V3_set_ctx(&ctx, x, x, NULL, NULL, 0);
	e = X509V3_EXT_conf_nid(NULL, &ctx, what, value);
	done = e && X509_add_ext(x, e, -1);
	X509_EXTENSION_free(e);
	return done;
}

/* What adb makes, to the letter: some devices may look at more than the key. */
struct x509_st *
tc_adb_key_certificate(const struct tc_adb_key *key)
{
	enum { TEN_YEARS = 10 * 365 * 24 * 60 * 60 };
	X509 *x = X509_new();

	if (x && X509_set_version(x, X509_VERSION_3) &&
		ASN1_INTEGER_set(X509_get_serialNumber(x), 1) &&
		X509_gmtime_adj(X509_getm_notBefore(x), 0) &&
		X509_gmtime_adj(X509_getm_notAfter(x), TEN_YEARS) &&
		X509_set_pubkey(x, key->pkey) && name_certificate(x) &&
		extend(x, NID_basic_constraints, "critical,CA:TRUE") &&
		extend(x, NID_key_usage,
			"critical,keyCertSign,cRLSign,digitalSignature") &&
		extend(x, NID_subject_key_identifier, "hash") &&
		X509_sign(x, key->pkey, EVP_sha256()))
		return x;
	X509_free(x);
	ERR_clear_error();
	return NULL;
}
