/* Where keys are, and how one comes to be there. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "adb/keys.h"
#include "err/err.h"
#include "io/io.h"

enum { BITS = 2048, FILE_MAX = 16 * 1024, NAMES_MAX = 1024 };

static const char suffix[] = ".adb_key";

/* ---- one file ---- */

/* Its bytes, or -1 with errno; EFBIG and 0 are no key either. */
static ssize_t
read_file(const char *path, char *buf, size_t size)
{
	/* Not one that would be waited for: a pipe, say. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), sys;
	size_t len = 0;
	ssize_t n = 1;

	if (fd < 0)
		return -1;
	while (n > 0 && len < size) {
		n = read(fd, buf + len, size - len);
		if (n < 0 && errno == EINTR)
			n = 1;
		else if (n > 0)
			len += (size_t)n;
	}
	sys = errno;
	close(fd);
	errno = n < 0 ? sys : EFBIG;
	return n < 0 || len == size ? -1 : (ssize_t)len;
}

/* A library must not ask at the terminal. */
static int
no_passphrase(char *buf, int size, int writing, void *was_asked)
{
	(void)buf;
	(void)size;
	(void)writing;
	*(bool *)was_asked = true;
	return -1;
}

/* The key in a file; or NULL, and why there is none; errno ENOENT: no such file. */
static EVP_PKEY *
read_key(const char *path, const char **why)
{
	bool was_asked = false;
	char buf[FILE_MAX];
	ssize_t len = read_file(path, buf, sizeof(buf));
	BIO *bio = len > 0 ? BIO_new_mem_buf(buf, (int)len) : NULL;
	EVP_PKEY *pkey = NULL;

	*why = len < 0 ? strerror(errno) : "it is empty";
	if (len < 0)
		return NULL;
	if (bio) {
		pkey = PEM_read_bio_PrivateKey(bio, NULL, no_passphrase, &was_asked);
		*why = was_asked ? "it wants a passphrase" : "it is no private key";
	}
	BIO_free(bio);
	OPENSSL_cleanse(buf, sizeof(buf));
	ERR_clear_error();
	if (pkey && (!EVP_PKEY_is_a(pkey, "RSA") || EVP_PKEY_get_bits(pkey) != BITS)) {
		*why = "it is no RSA key of 2048 bits";
		EVP_PKEY_free(pkey);
		pkey = NULL;
	}
	errno = 0;
	return pkey;
}

static void
note(struct tc_adb_keys *k, const char *path, const char *why)
{
	if (!k->trouble[0])
		snprintf(k->trouble, sizeof(k->trouble), "%.300s: %.100s", path, why);
}

/* One more, unless it is there already. */
static void
add(struct tc_adb_keys *k, EVP_PKEY *pkey)
{
	size_t i;

	for (i = 0; i < k->count; i++)
		if (EVP_PKEY_eq(k->list[i].pkey, pkey) == 1)
			break;
	if (i < k->count || k->count == TC_ADB_KEYS_MAX)
		EVP_PKEY_free(pkey);
	else
		k->list[k->count++].pkey = pkey;
}

static void
load_file(struct tc_adb_keys *k, const char *path)
{
	const char *why;
	EVP_PKEY *pkey = read_key(path, &why);

	if (pkey)
		add(k, pkey);
	else
		note(k, path, why);
}

/* ---- those of others ---- */

static bool
is_key_name(const char *name)
{
	size_t len = strlen(name), end = sizeof(suffix) - 1;

	return len > end && strcmp(name + len - end, suffix) == 0;
}

static int
by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* In the order of their names, which is the same every time. */
static void
load_dir(struct tc_adb_keys *k, const char *path, DIR *dir)
{
	char *names[NAMES_MAX], file[4096];
	const struct dirent *e;
	size_t count = 0, i;

	while (count < NAMES_MAX && (e = readdir(dir)))
		if (is_key_name(e->d_name) && (names[count] = strdup(e->d_name)))
			count++;
	qsort(names, count, sizeof(*names), by_name);
	for (i = 0; i < count; i++) {
		if (snprintf(file, sizeof(file), "%s/%s", path, names[i]) <
			(int)sizeof(file))
			load_file(k, file);
		free(names[i]);
	}
}

static void
load_path(struct tc_adb_keys *k, const char *path)
{
	DIR *dir = opendir(path);

	if (!dir) {
		load_file(k, path);
		return;
	}
	load_dir(k, path, dir);
	closedir(dir);
}

static void
load_vendor_keys(struct tc_adb_keys *k)
{
	const char *p = getenv("ADB_VENDOR_KEYS");
	char path[4096];
	size_t len;

	while (p && *p) {
		len = strcspn(p, ":");
		if (len && len < sizeof(path)) {
			memcpy(path, p, len);
			path[len] = '\0';
			load_path(k, path);
		}
		p += len + (p[len] == ':');
	}
}

/* ---- the user's own ---- */

static void
find_own(struct tc_adb_keys *k)
{
	struct passwd entry, *found = NULL;
	const char *home = getenv("HOME");
	char buf[4096];

	if (!home || !*home) {
		home = NULL;
		if (getpwuid_r(getuid(), &entry, buf, sizeof(buf), &found) == 0 && found)
			home = found->pw_dir;
	}
	if (!home ||
		snprintf(k->own, sizeof(k->own), "%s/.android/adbkey", home) >=
			(int)sizeof(k->own))
		k->own[0] = '\0';
}

/* It comes first, and is not there yet. */
static void
load_own(struct tc_adb_keys *k)
{
	const char *why;
	EVP_PKEY *pkey = read_key(k->own, &why);

	if (pkey) {
		/* With as many as there may be, the last has to go. */
		if (k->count == TC_ADB_KEYS_MAX)
			EVP_PKEY_free(k->list[--k->count].pkey);
		memmove(k->list + 1, k->list, k->count++ * sizeof(*k->list));
		k->list[0].pkey = pkey;
		k->has_own = true;
	} else if (errno != ENOENT) {
		k->own_fails = true;
		note(k, k->own, why);
	}
}

void
tc_adb_keys_load(struct tc_adb_keys *k)
{
	find_own(k);
	if (k->own[0])
		load_own(k);
	load_vendor_keys(k);
}

void
tc_adb_keys_release(struct tc_adb_keys *k)
{
	size_t i;

	for (i = 0; i < k->count; i++)
		EVP_PKEY_free(k->list[i].pkey);
	k->count = 0;
}

/* ---- a new one ---- */

static int no_key(struct tc_err *err, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static int
no_key(struct tc_err *err, const char *fmt, ...)
{
	char why[400];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	return tc_err_named(err, TC_DENIED, "unauthorized",
		"the device asks for a key, and there is none to offer: %s", why);
}

static int
make_dir(const char *own, struct tc_err *err)
{
	char dir[sizeof(((struct tc_adb_keys *)0)->own)];

	snprintf(dir, sizeof(dir), "%.*s", (int)(strrchr(own, '/') - own), own);
	if (mkdir(dir, 0750) == 0 || errno == EEXIST)
		return 0;
	return no_key(err, "%s: %s", dir, strerror(errno));
}

/* A file that shows when it is whole; -1 with errno EEXIST: there is one already. */
static int
write_file(const char *path, const char *text, size_t len, bool is_key)
{
	struct tc_out_file f;
	struct tc_err err = { 0 };
	struct tc_out o;
	int r;

	r = is_key ? tc_out_create_private(&o, &f, path, &err)
		   : tc_out_create(&o, &f, path, &err);
	if (r == 0) {
		f.is_new = is_key;
		/* Others may not put another in its place, whatever our umask is. */
		if (!is_key)
			fchmod(o.fd, 0644);
		tc_out_write(&o, text, len);
		r = tc_out_commit(&o, &f, &err);
		tc_out_release(&o);
	}
	errno = err.sys;
	return r;
}

/* 0; or -1 with errno, EEXIST when somebody else was quicker. */
static int
write_key(EVP_PKEY *pkey, const char *path)
{
	BIO *bio = BIO_new(BIO_s_secmem());
	char *text = NULL;
	long len = 0;
	int r = -1;

	errno = ENOMEM;
	if (bio && PEM_write_bio_PKCS8PrivateKey(bio, pkey, NULL, NULL, 0, NULL, NULL))
		len = BIO_get_mem_data(bio, &text);
	if (len > 0)
		r = write_file(path, text, (size_t)len, true);
	BIO_free(bio);
	return r;
}

/* The public key beside it is for people and for older tools: nothing hangs on it. */
static void
write_public(const struct tc_adb_key *key, const char *own)
{
	char path[sizeof(((struct tc_adb_keys *)0)->own) + 4], text[TC_ADB_KEY_TEXT];
	struct tc_err err;

	snprintf(path, sizeof(path), "%s.pub", own);
	if (tc_adb_key_text(key, text, &err) == 0)
		write_file(path, text, strlen(text), false);
}

static int
make_own(struct tc_adb_keys *k, struct tc_err *err)
{
	struct tc_adb_key key = { NULL };
	int r;

	if (make_dir(k->own, err) < 0)
		return -1;
	key.pkey = EVP_RSA_gen(BITS);
	if (!key.pkey)
		return no_key(err, "libcrypto makes none");
	r = write_key(key.pkey, k->own);
	if (r == 0)
		write_public(&key, k->own);
	else if (errno != EEXIST)
		no_key(err, "%s: %s", k->own, strerror(errno));
	else
		r = 0;
	EVP_PKEY_free(key.pkey);
	return r;
}

const struct tc_adb_key *
tc_adb_keys_own(struct tc_adb_keys *k, struct tc_err *err)
{
	if (k->has_own)
		return &k->list[0];
	if (!k->own[0])
		no_key(err, "the user has no home");
	else if (k->own_fails)
		no_key(err, "%s", k->trouble);
	else if (make_own(k, err) == 0) {
		load_own(k);
		if (k->has_own)
			return &k->list[0];
		no_key(err, "%s", k->trouble);
	}
	return NULL;
}
