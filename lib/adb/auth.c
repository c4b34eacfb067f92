/* What a device that asks for a key is told. */
#include <stdio.h>
#include <string.h>

#include "adb/priv.h"
#include "err/err.h"

enum {
	TOKENS_MAX = 256, /* after that many, adbd answers once a second */
	OFFERS_MAX = 3    /* each of them may show a person one more question */
};

void
tc_adb_auth_load(struct tc_adb_auth *auth)
{
	if (!auth->is_loaded)
		tc_adb_keys_load(&auth->keys);
	auth->is_loaded = true;
}

int
tc_adb_auth_refused(const struct tc_adb_auth *auth, const char *what, struct tc_err *err)
{
	return tc_err_named(err, TC_DENIED, "unauthorized", "%s%s%s", what,
		auth->keys.trouble[0] ? "; not tried: " : "", auth->keys.trouble);
}

/* Nobody would be told to accept it: whose it is helps who has another HOME there. */
static int
not_offered(const struct tc_adb_auth *auth, struct tc_err *err)
{
	char what[300];

	snprintf(what, sizeof(what),
		"the device knows none of our keys, and that of %.200s is not offered",
		auth->keys.own);
	return tc_adb_auth_refused(auth,
		auth->keys.own[0] ? what : "the device knows none of our keys", err);
}

/* The public key, with the NUL that devices want. */
static int
offer(struct tc_adb_auth *auth, struct tc_adb_answer *a, struct tc_err *err)
{
	char fingerprint[TC_ADB_FINGERPRINT];
	const struct tc_adb_key *own;

	if (!auth->ask)
		return not_offered(auth, err);
	own = tc_adb_keys_own(&auth->keys, err);
	if (!own || tc_adb_key_text(own, (char *)a->bytes, err) < 0)
		return -1;
	a->type = TC_ADB_AUTH_PUBLIC_KEY;
	a->len = strlen((char *)a->bytes) + 1;
	auth->next = 0; /* whatever it asks after that, from the first key on */
	if (auth->offers++)
		return 0;
	auth->until_ns = tc_wait_for(auth->ask->wait_ms).until_ns;
	tc_adb_key_fingerprint(own, fingerprint);
	auth->ask->asked(auth->ask->ctx, fingerprint, auth->keys.own);
	return 0;
}

int
tc_adb_auth_answer(struct tc_adb_auth *auth, const uint8_t token[TC_ADB_TOKEN],
	struct tc_adb_answer *a, struct tc_err *err)
{
	tc_adb_auth_load(auth);
	if (++auth->tokens > TOKENS_MAX || auth->offers > OFFERS_MAX)
		return tc_adb_auth_refused(
			auth, "the device asks for keys again and again", err);
	if (auth->next == auth->keys.count)
		return offer(auth, a, err);
	a->type = TC_ADB_AUTH_SIGNATURE;
	a->len = TC_ADB_SIGNATURE;
	return tc_adb_key_sign(&auth->keys.list[auth->next++], token, a->bytes, err);
}

int
tc_adb_auth_unanswered(const struct tc_adb_auth *auth, struct tc_err *err)
{
	return tc_err_named(err, TC_DENIED, "unauthorized",
		"nobody has accepted the key %s on the device within %d s: unlock its "
		"screen, allow USB debugging and try again",
		auth->keys.own, (auth->ask->wait_ms + 999) / 1000);
}
