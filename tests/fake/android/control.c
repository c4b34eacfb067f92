#include "control.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { FILE_LIMIT = 256 << 20 };

static const char *
root(void)
{
	const char *dir = getenv("TC_FAKE_ROOT");

	if (!dir || strlen(dir) > FAKE_PATH / 2) {
		fprintf(stderr,
			"TC_FAKE_ROOT is not set: this runs on the device that "
			"./setup makes\n");
		exit(70);
	}
	return dir;
}

int
fake_uid(void)
{
	const char *uid = getenv("TC_FAKE_UID");

	if (uid)
		return (int)strtol(uid, NULL, 10);
	return fake_control_has("adbd_root") ? 0 : 2000;
}

void
fake_path(char *path, const char *format, ...)
{
	int n = snprintf(path, FAKE_PATH, "%s/", root());
	va_list ap;

	va_start(ap, format);
	vsnprintf(path + n, FAKE_PATH - (size_t)n, format, ap);
	va_end(ap);
}

void
fake_device_path(char *path, const char *device)
{
	if (strncmp(device, "/data/", 6) == 0)
		fake_path(path, "%s", device + 1);
	else
		snprintf(path, FAKE_PATH, "%s", device);
}

bool
fake_control_has(const char *name)
{
	char path[FAKE_PATH];

	fake_path(path, ".control/%s", name);
	return access(path, F_OK) == 0;
}

char *
fake_read(int fd, size_t limit, size_t *len)
{
	size_t cap = 65536, n = 0;
	char *bytes = malloc(cap + 1), *more;
	ssize_t r;

	while (bytes && (r = read(fd, bytes + n, cap - n)) != 0) {
		if (r < 0 && errno == EINTR)
			continue;
		n += r > 0 ? (size_t)r : 0;
		if (r < 0 || n > limit) {
			free(bytes);
			errno = r < 0 ? errno : EFBIG;
			return NULL;
		}
		if (n == cap) {
			cap *= 2;
			more = realloc(bytes, cap + 1);
			if (!more)
				free(bytes);
			bytes = more;
		}
	}
	if (bytes)
		bytes[n] = '\0';
	if (len)
		*len = n;
	return bytes;
}

char *
fake_control_text(const char *name, size_t *len)
{
	char path[FAKE_PATH], *text;
	int fd;

	fake_path(path, ".control/%s", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	text = fake_read(fd, FILE_LIMIT, len);
	close(fd);
	return text;
}

void
fake_control_line(const char *name, char *line, size_t size)
{
	char *text = fake_control_text(name, NULL);

	snprintf(line, size, "%s", text ? text : "");
	line[strcspn(line, "\n")] = '\0';
	free(text);
}

uint64_t
fake_disk_bytes(void)
{
	char line[64];

	fake_control_line("disk_full", line, sizeof(line));
	if (*line < '0' || *line > '9')
		return UINT64_MAX;
	return strtoull(line, NULL, 10);
}

long
fake_dies_ms(const char *name)
{
	char *text = fake_control_text("dies", NULL), *line = text, *end;
	size_t n = strlen(name);
	long ms = -1;

	for (; line && *line; line = *end ? end + 1 : end) {
		end = line + strcspn(line, "\n");
		if (strncmp(line, name, n) == 0 && line[n] == ' ')
			ms = strtol(line + n, NULL, 10);
	}
	free(text);
	return ms;
}

int64_t
fake_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

void
fake_sleep_ms(long ms)
{
	struct timespec ts = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&ts, NULL);
}
