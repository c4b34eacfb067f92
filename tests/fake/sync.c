/* Files, one request after the other. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "fake.h"

enum { DATA_MAX = 64 * 1024, PATH_LIMIT = 1024 };

static void
put64(uint8_t *p, uint64_t v)
{
	fake_put32(p, (uint32_t)v);
	fake_put32(p + 4, (uint32_t)(v >> 32));
}

/* After a failure the session is over. */
static _Noreturn void
fail(int fd, const char *what, int sys)
{
	char text[512];
	uint8_t head[8];
	int n = snprintf(text, sizeof(text), "%s%s%s", what, sys ? ": " : "",
		sys ? strerror(sys) : "");

	memcpy(head, "FAIL", 4);
	fake_put32(head + 4, (uint32_t)n);
	fake_write(fd, head, 8);
	fake_write(fd, text, (size_t)n);
	exit(0);
}

static void
send_head(int fd, const char *id, const void *rest, size_t len)
{
	uint8_t buf[80] = { 0 };

	memcpy(buf, id, 4);
	memcpy(buf + 4, rest, len);
	if (!fake_write(fd, buf, 4 + len))
		exit(0);
}

/* What follows the id in the older answers and in the newer. */
static void
old_stat(const struct stat *st, uint8_t *p)
{
	fake_put32(p, st->st_mode);
	fake_put32(p + 4, (uint32_t)st->st_size);
	fake_put32(p + 8, (uint32_t)st->st_mtime);
}

static void
new_stat(const struct stat *st, int sys, uint8_t *p)
{
	fake_put32(p, (uint32_t)sys);
	if (sys)
		return;
	put64(p + 4, st->st_dev);
	put64(p + 12, st->st_ino);
	fake_put32(p + 20, st->st_mode);
	fake_put32(p + 24, (uint32_t)st->st_nlink);
	fake_put32(p + 28, st->st_uid);
	fake_put32(p + 32, st->st_gid);
	put64(p + 36, (uint64_t)st->st_size);
	put64(p + 44, (uint64_t)st->st_atime);
	put64(p + 52, (uint64_t)st->st_mtime);
	put64(p + 60, (uint64_t)st->st_ctime);
}

static void
do_stat(int fd, const char *id, const char *path)
{
	uint8_t answer[72] = { 0 };
	struct stat st;
	int r = strcmp(id, "STA2") == 0 ? stat(path, &st) : lstat(path, &st);

	if (strcmp(id, "STAT") == 0) {
		if (r == 0)
			old_stat(&st, answer);
		send_head(fd, id, answer, 12);
	} else {
		new_stat(&st, r ? errno : 0, answer);
		send_head(fd, id, answer, 68);
	}
}

/* Whether the fault is about this file. */
static bool
is_for(const char *fault, const char *path)
{
	const char *slash = strrchr(path, '/');

	return fault && slash && strcmp(fault, slash + 1) == 0;
}

static void
do_list(const struct fake *f, int fd, bool newer, const char *path)
{
	uint8_t entry[76];
	char whole[8192];
	struct dirent *e;
	struct stat st;
	DIR *dir = opendir(path);
	bool ok;
	int r;

	while (dir && (e = readdir(dir))) {
		snprintf(whole, sizeof(whole), "%s/%s", path, e->d_name);
		r = lstat(whole, &st);
		if (r < 0 && !newer)
			continue;
		memset(entry, 0, sizeof(entry));
		if (newer)
			new_stat(&st, r ? errno : 0, entry);
		else
			old_stat(&st, entry);
		fake_put32(entry + (newer ? 68 : 12), (uint32_t)strlen(e->d_name));
		do {
			send_head(fd, newer ? "DNT2" : "DENT", entry, newer ? 72 : 16);
			ok = fake_write(fd, e->d_name, strlen(e->d_name));
		} while (ok && is_for(f->endless, path) && e->d_name[0] != '.');
	}
	if (dir)
		closedir(dir);
	memset(entry, 0, sizeof(entry));
	send_head(fd, "DONE", entry, newer ? 72 : 16);
}

static void
add_byte(const char *path)
{
	int file = open(path, O_WRONLY | O_APPEND);

	if (file < 0 || !fake_write(file, "+", 1))
		fake_die(path);
	close(file);
}

/* One piece of a file; the faults that happen in its middle. */
static void
send_piece(const struct fake *f, int fd, const char *path, uint8_t *buf, size_t n)
{
	memcpy(buf, "DATA", 4);
	fake_put32(buf + 4, (uint32_t)n);
	do {
		if (!fake_write(fd, buf, 8 + n))
			exit(0);
	} while (is_for(f->endless, path));
	if (is_for(f->lose, path)) {
		/* So that these bytes get through before. */
		usleep(100000);
		kill(getppid(), SIGTERM);
		exit(0);
	}
}

static void
do_recv(const struct fake *f, int fd, const char *path)
{
	uint8_t buf[8 + DATA_MAX];
	int file = open(path, O_RDONLY);
	ssize_t n;

	if (file < 0)
		fail(fd, "open failed", errno);
	if (is_for(f->deny, path))
		fail(fd, "open failed", EACCES);
	if (is_for(f->grow, path))
		add_byte(path);
	while ((n = read(file, buf + 8, DATA_MAX)) > 0) {
		send_piece(f, fd, path, buf, (size_t)n);
		if (is_for(f->short_file, path))
			break;
	}
	if (n < 0)
		fail(fd, "read failed", errno);
	close(file);
	if (is_for(f->grown, path))
		add_byte(path);
	if (is_for(f->touch, path) && utimes(path, NULL) < 0)
		fake_die(path);
	if (is_for(f->vanish, path))
		unlink(path);
	send_head(fd, "DONE", "\0\0\0\0", 4);
}

static void
make_parents(const char *path)
{
	char part[8192];
	char *at;

	snprintf(part, sizeof(part), "%s", path);
	for (at = strchr(part + 1, '/'); at; at = strchr(at + 1, '/')) {
		*at = '\0';
		mkdir(part, 0775);
		*at = '/';
	}
}

/*
 * The device's own folders. All else is the machine's that it runs on, and as on
 * real devices nothing can be written there.
 */
static bool
is_writable(const char *path)
{
	return (strncmp(path, "/data/", 6) == 0 || strncmp(path, "/sdcard/", 8) == 0) &&
		!strstr(path, "/../");
}

/* Pieces up to DONE; what cannot be written is swallowed, and told at the end. */
static void
do_send(const struct fake *f, int fd, char *request)
{
	uint8_t head[8], buf[DATA_MAX];
	char *comma = strrchr(request, ',');
	struct timeval times[2] = { { 0 }, { 0 } };
	const char *path;
	struct stat st;
	mode_t mode;
	int file, sys;

	if (!comma)
		fail(fd, "missing , in ID_SEND_V1", 0);
	*comma = '\0';
	mode = (mode_t)strtoul(comma + 1, NULL, 0);
	path = fake_path(f, request);
	file = -1;
	sys = EROFS;
	if (is_writable(request)) {
		make_parents(path);
		if (lstat(path, &st) == 0 && (S_ISREG(st.st_mode) || S_ISLNK(st.st_mode)))
			unlink(path);
		file = open(path, O_WRONLY | O_CREAT | O_EXCL, mode & 0777);
		sys = file < 0 ? errno : 0;
	}
	while (fake_read(fd, head, 8) && memcmp(head, "DATA", 4) == 0) {
		if (fake_get32(head + 4) > DATA_MAX)
			fail(fd, "oversize data message", 0);
		if (!fake_read(fd, buf, fake_get32(head + 4)))
			exit(0);
		if (!sys && !fake_write(file, buf, fake_get32(head + 4)))
			sys = errno;
	}
	if (memcmp(head, "DONE", 4) != 0)
		fail(fd, "invalid data message", 0);
	if (sys) {
		if (file >= 0)
			unlink(path);
		fail(fd, file < 0 ? "couldn't create file" : "write failed", sys);
	}
	fchmod(file, mode & 0777);
	close(file);
	times[0].tv_sec = times[1].tv_sec = fake_get32(head + 4);
	utimes(path, times);
	send_head(fd, "OKAY", "\0\0\0\0", 4);
}

static void
answer(const struct fake *f, int fd, const char *id, char *path)
{
	const char *here = fake_path(f, path);
	char text[64];

	if (strcmp(id, "STAT") == 0 || strcmp(id, "STA2") == 0 || strcmp(id, "LST2") == 0)
		do_stat(fd, id, here);
	else if (strcmp(id, "LIST") == 0 || strcmp(id, "LIS2") == 0)
		do_list(f, fd, strcmp(id, "LIS2") == 0, here);
	else if (strcmp(id, "RECV") == 0)
		do_recv(f, fd, here);
	else if (strcmp(id, "SEND") == 0)
		do_send(f, fd, path);
	else {
		snprintf(text, sizeof(text), "unknown command %02x%02x%02x%02x", id[3],
			id[2], id[1], id[0]);
		fail(fd, text, 0);
	}
}

void
fake_sync(const struct fake *f, int fd)
{
	char path[PATH_LIMIT + 1], id[5] = { 0 };
	uint8_t head[8];
	uint32_t len;

	umask(0);
	while (fake_read(fd, head, 8) && memcmp(head, "QUIT", 4) != 0) {
		len = fake_get32(head + 4);
		if (len > PATH_LIMIT)
			fail(fd, "path too long", 0);
		if (!fake_read(fd, path, len))
			return;
		path[len] = '\0';
		memcpy(id, head, 4);
		answer(f, fd, id, path);
	}
}
