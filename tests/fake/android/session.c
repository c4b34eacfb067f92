#include "session.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include "control.h"

static const int64_t ms = 1000000;

int
sessions_lock(void)
{
	char path[FAKE_PATH];
	int fd;

	fake_path(path, ".state/lock");
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (fd < 0 || flock(fd, LOCK_EX) < 0) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		exit(70);
	}
	return fd;
}

static struct session *
add(struct sessions *s)
{
	struct session *more = realloc(s->all, (s->count + 1) * sizeof(*more));

	if (!more)
		exit(71);
	s->all = more;
	memset(&more[s->count], 0, sizeof(*more));
	return &more[s->count++];
}

/* Lines UID|STATE|KB|SECONDS|SOURCES|SCORE|NAME */
static void
add_foreign(struct sessions *s, const char *line)
{
	struct session one = { .is_foreign = true, .buffers = 1 };
	unsigned long long kb, seconds;

	if (sscanf(line, "%d|%23[^|]|%llu|%llu|%u|%d|%255[^\n]", &one.uid, one.state, &kb,
		    &seconds, &one.sources, &one.score, one.name) < 6)
		return;
	one.buffer_kb = kb;
	one.duration_ms = seconds * 1000;
	one.id = s->count + 1;
	one.started_ns = fake_now_ns();
	*add(s) = one;
}

static void
add_all_foreign(struct sessions *s)
{
	char *text = fake_control_text("sessions", NULL), *line = text, *end;
	char made[64];

	for (; line && *line; line = *end ? end + 1 : end) {
		end = line + strcspn(line, "\n");
		add_foreign(s, line);
	}
	free(text);
	for (int i = 1; i <= 5 && fake_control_has("five_sessions"); i++) {
		snprintf(made, sizeof(made), "2000|STARTED|32768|0|1|0|other session %d",
			i);
		add_foreign(s, made);
	}
}

static void
session_path(char *path, uint64_t id)
{
	fake_path(path, ".state/sessions/%llu", (unsigned long long)id);
}

/* Everything but name, key and output in the first line; those in one each. */
static bool
read_session(struct session *s, uint64_t id)
{
	unsigned long long kb, duration;
	long long started;
	char path[FAKE_PATH];
	FILE *f;
	int n;

	session_path(path, id);
	f = fopen(path, "re");
	if (!f)
		return false;
	n = fscanf(f, "%d %ld %llu %llu %lld %u %u %23[^\n]\n", &s->uid, &s->pid, &kb,
		&duration, &started, &s->sources, &s->buffers, s->state);
	if (n == 8)
		n += fscanf(f, "name=%255[^\n]", s->name) +
			fscanf(f, "\nkey=%127[^\n]", s->key) +
			fscanf(f, "\nout=%1023[^\n]", s->out);
	fclose(f);
	if (n < 8)
		return false;
	s->id = id;
	s->buffer_kb = kb;
	s->duration_ms = duration;
	s->started_ns = started;
	return true;
}

static bool
goes_on(const struct session *s)
{
	long dies = fake_dies_ms("perfetto");

	if (fake_control_has("no_traced"))
		return false;
	if (dies >= 0 && fake_now_ns() - s->started_ns >= dies * ms)
		return false;
	return s->pid == 0 || kill((pid_t)s->pid, 0) == 0;
}

static int
by_id(const void *a, const void *b)
{
	const struct session *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

void
sessions_load(struct sessions *s)
{
	char path[FAKE_PATH];
	struct dirent *entry;
	struct session one;
	DIR *dir;

	*s = (struct sessions){ 0 };
	if (!fake_control_has("no_traced"))
		add_all_foreign(s);
	fake_path(path, ".state/sessions");
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		memset(&one, 0, sizeof(one));
		if (!read_session(&one, strtoull(entry->d_name, NULL, 10)))
			continue;
		if (goes_on(&one))
			*add(s) = one;
		else
			session_remove(&one);
	}
	if (dir)
		closedir(dir);
	if (s->count)
		qsort(s->all, s->count, sizeof(*s->all), by_id);
}

void
sessions_release(struct sessions *s)
{
	free(s->all);
	*s = (struct sessions){ 0 };
}

/* Ours are numbered from 101, behind those of others. */
static uint64_t
next_id(void)
{
	unsigned long long id = 100;
	char path[FAKE_PATH];
	FILE *f;

	fake_path(path, ".state/next");
	f = fopen(path, "re");
	if (f) {
		if (fscanf(f, "%llu", &id) != 1)
			id = 100;
		fclose(f);
	}
	f = fopen(path, "we");
	if (f) {
		fprintf(f, "%llu\n", id + 1);
		fclose(f);
	}
	return id + 1;
}

void
session_add(struct session *s)
{
	char path[FAKE_PATH];
	FILE *f;

	s->id = next_id();
	session_path(path, s->id);
	f = fopen(path, "we");
	if (!f) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		exit(70);
	}
	fprintf(f, "%d %ld %llu %llu %lld %u %u %s\nname=%s\nkey=%s\nout=%s\n", s->uid,
		s->pid, (unsigned long long)s->buffer_kb,
		(unsigned long long)s->duration_ms, (long long)s->started_ns, s->sources,
		s->buffers, s->state, s->name, s->key, s->out);
	fclose(f);
}

void
session_remove(const struct session *s)
{
	char path[FAKE_PATH];

	session_path(path, s->id);
	unlink(path);
}

int64_t
session_write(const struct session *s, int fd)
{
	bool is_dump = s->duration_ms > 0 && s->duration_ms < 100;
	size_t len = 0, n = 0;
	uint64_t room = fake_disk_bytes();
	char *bytes = NULL;
	ssize_t r = 0;

	if (is_dump)
		bytes = fake_control_text("dump", &len);
	if (!bytes)
		bytes = fake_control_text("trace", &len);
	if (!bytes)
		return -1;
	if (len > room) {
		len = room;
		errno = ENOSPC;
	}
	while (n < len && (r = write(fd, bytes + n, len - n)) > 0)
		n += (size_t)r;
	free(bytes);
	return n == 0 && r < 0 ? -1 : (int64_t)n;
}

int64_t
session_finish(const struct session *s)
{
	char path[FAKE_PATH];
	int64_t written;
	int fd;

	fake_device_path(path, s->out);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	written = session_write(s, fd);
	close(fd);
	session_grow(path);
	return written;
}

bool
session_leave(void)
{
	pid_t pid = fork();
	int null;

	if (pid < 0)
		exit(71);
	if (pid > 0) {
		waitpid(pid, NULL, 0);
		return false;
	}
	setsid();
	if (fork() != 0)
		_exit(0);
	null = open("/dev/null", O_RDWR);
	if (null < 0)
		_exit(1);
	for (int fd = 0; fd <= 2; fd++)
		dup2(null, fd);
	for (int fd = 3; fd < 64; fd++)
		close(fd);
	return true;
}

/* Packets without content, so that the trace stays one. */
void
session_grow(const char *out)
{
	char line[FAKE_PATH], path[FAKE_PATH], packets[512];
	char *rest;
	int64_t until;
	int fd;

	fake_control_line("file_grows", line, sizeof(line));
	if (!*line)
		return;
	until = fake_now_ns() + strtol(line, &rest, 10) * ms;
	if (*rest == ' ')
		fake_device_path(path, rest + 1);
	else
		snprintf(path, sizeof(path), "%s", out);
	if (!session_leave())
		return;
	for (size_t i = 0; i < sizeof(packets); i += 2)
		memcpy(packets + i, "\x0a\x00", 2);
	for (; fake_now_ns() < until; fake_sleep_ms(10)) {
		fd = open(path, O_WRONLY | O_APPEND);
		if (fd < 0)
			continue;
		if (write(fd, packets, sizeof(packets)) < 0)
			until = 0;
		close(fd);
	}
	_exit(0);
}
