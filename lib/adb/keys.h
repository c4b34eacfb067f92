#ifndef TC_ADB_KEYS_H
#define TC_ADB_KEYS_H
/*
 * keys: the RSA keys by which devices know a user, in files and in texts of adb's own
 * format, so that a device that has accepted adb accepts us, and the reverse.
 *
 * The user's own key is $HOME/.android/adbkey, others are in the files and folders
 * that ADB_VENDOR_KEYS names. What is a key's text, its struct and the token that is
 * signed are those of Android; where they are made, their parts are named.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mem/mem.h"

struct tc_err;
struct evp_pkey_st;
struct x509_st;

enum {
	TC_ADB_TOKEN = 20,
	TC_ADB_SIGNATURE = 256,
	TC_ADB_KEY_TEXT = 1024,       /* room for 700 characters and USER@HOST */
	TC_ADB_FINGERPRINT = 16 * 3,  /* with its NUL */
	TC_ADB_KEY_NAME = 2 * 32 + 1, /* likewise */
	TC_ADB_KEYS_MAX = 64
};

struct tc_adb_key {
	struct evp_pkey_st *pkey; /* owned */
};

struct tc_adb_keys {
	struct tc_adb_key list[TC_ADB_KEYS_MAX];
	size_t count;
	bool has_own;   /* it is the first */
	bool own_fails; /* it is there and cannot be used */
	char own[4096]; /* its file; "" when there is no home for it */

	/* The first file that cannot be used, and why; "" when all can. */
	char trouble[512];
};

/* What is there. Start with zeros. */
void tc_adb_keys_load(struct tc_adb_keys *k);

/*
 * The user's own, which is made when there is none: whoever of several is first to
 * do that wins, and all get that one. NULL, with TC_DENIED "unauthorized".
 */
const struct tc_adb_key *tc_adb_keys_own(struct tc_adb_keys *k, struct tc_err *err);
void tc_adb_keys_release(struct tc_adb_keys *k);

/* Of a token. 0, or -1. */
int tc_adb_key_sign(const struct tc_adb_key *key, const uint8_t token[TC_ADB_TOKEN],
	uint8_t signature[TC_ADB_SIGNATURE], struct tc_err *err);

/* What a device is offered: the public key in base64, a blank, USER@HOST. 0, or -1. */
int tc_adb_key_text(
	const struct tc_adb_key *key, char text[TC_ADB_KEY_TEXT], struct tc_err *err);

/* What the device shows of it: "" where this system has no MD5. */
void tc_adb_key_fingerprint(const struct tc_adb_key *key, char text[TC_ADB_FINGERPRINT]);

/* By which a device names it in TLS: 64 digits in upper case; "" when that fails. */
void tc_adb_key_name(const struct tc_adb_key *key, char name[TC_ADB_KEY_NAME]);

/* Signed by itself, for TLS; the caller's. NULL when that fails. */
struct x509_st *tc_adb_key_certificate(const struct tc_adb_key *key);

#endif
