/*
 * screenrecord: writes a file that begins and ends as the device's recordings do,
 * until SIGINT, SIGHUP, or its time is over. It holds no picture.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "control.h"

enum { FRAME_MS = 20, MAX_FRAMES = 65536, MAX_SECONDS = 180 };

struct recording {
	const char *out;
	long limit_s; /* 0: none */
	bool bugreport;
	bool is_old; /* before --version, and before recordings without limit */
	char version[16];
	int fd;
	uint64_t room; /* bytes until the disk is full */
	uint64_t media;
	uint64_t times[MAX_FRAMES]; /* ns since boot */
	uint32_t frames;
};

static volatile sig_atomic_t stopped;

static void
stop(int signal)
{
	(void)signal;
	stopped = 1;
}

static const struct option longopts[] = {
	{ "bit-rate", required_argument, NULL, 'b' },
	{ "bugreport", no_argument, NULL, 'u' },
	{ "display-id", required_argument, NULL, 'd' },
	{ "help", no_argument, NULL, 'h' },
	{ "rotate", no_argument, NULL, 'r' },
	{ "size", required_argument, NULL, 's' },
	{ "time-limit", required_argument, NULL, 't' },
	{ "verbose", no_argument, NULL, 'v' },
	{ "version", no_argument, NULL, 'V' },
	{ NULL, 0, NULL, 0 },
};

static int
help(const struct recording *r)
{
	fprintf(stderr,
		"Usage: screenrecord [options] <filename>\n\n"
		"Android screenrecord v%s.  Records the device's display to a .mp4 "
		"file.\n\n"
		"Options:\n--size WIDTHxHEIGHT\n--bit-rate RATE\n--bugreport\n"
		"%s--time-limit TIME\n--verbose\n--help\n",
		r->version, r->is_old ? "" : "--display-id ID\n");
	return 0;
}

static bool
is_display(const char *id)
{
	char *text = fake_control_text("displays", NULL), line[128];
	bool found;

	snprintf(line, sizeof(line), "Display %s (HWC", id);
	found = text && strstr(text, line);
	free(text);
	return found;
}

/* -1 to go on, or the exit status. */
static int
take_option(struct recording *r, int c)
{
	char *end;

	switch (c) {
	case 'u': r->bugreport = true; return -1;
	case 'b':
	case 'r':
	case 's':
	case 'v': return -1;
	case 'h': return help(r);
	case 'V':
		if (r->is_old) {
			fprintf(stderr,
				"screenrecord: unrecognized option '--version'\n");
			return 2;
		}
		puts(r->version);
		return 0;
	case 'd':
		if (is_display(optarg))
			return -1;
		fprintf(stderr, "Invalid physical display ID\n");
		return 2;
	case 't':
		r->limit_s = strtol(optarg, &end, 10);
		if (*end == '\0' && r->limit_s >= (r->is_old ? 1 : 0) &&
			(!r->is_old || r->limit_s <= MAX_SECONDS))
			return -1;
		fprintf(stderr, "Time limit %lds outside acceptable range [1,%d]\n",
			r->limit_s, MAX_SECONDS);
		return 2;
	default: return 2;
	}
}

static bool
put(struct recording *r, const void *bytes, size_t len)
{
	size_t n = len < r->room ? len : (size_t)r->room;
	ssize_t written = write(r->fd, bytes, n);

	if (written < 0)
		return false;
	r->room -= (uint64_t)written;
	r->media += (uint64_t)written;
	if ((size_t)written < len)
		errno = ENOSPC;
	return (size_t)written == len;
}

static void
big_endian(uint8_t *to, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		to[i] = (uint8_t)(v >> (24 - 8 * i));
}

static void
little_endian(uint8_t *to, uint64_t v, int n)
{
	for (int i = 0; i < n; i++)
		to[i] = (uint8_t)(v >> (8 * i));
}

static int64_t
clock_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

#ifdef CLOCK_BOOTTIME
#define SINCE_BOOT CLOCK_BOOTTIME
#else
#define SINCE_BOOT CLOCK_MONOTONIC
#endif

/* ftyp, and the head of mdat, whose length is known when all is done. */
static bool
put_head(struct recording *r)
{
	static const uint8_t head[32] = "\0\0\0\x18"
					"ftypmp42"
					"\0\0\0\0"
					"isommp42"
					"\0\0\0\0"
					"mdat";
	bool ok = put(r, head, sizeof(head));

	r->media = 8;
	return ok;
}

/* When frames were taken, as --bugreport adds it (version 2 of that form). */
static bool
put_times(struct recording *r)
{
	static const char marker[] = "#VV1NSC0PET1ME2#";
	uint8_t bytes[16];

	if (!put(r, marker, sizeof(marker) - 1))
		return false;
	little_endian(bytes, 2, 4);
	little_endian(bytes + 4,
		(uint64_t)(clock_ns(CLOCK_REALTIME) - clock_ns(SINCE_BOOT)), 8);
	little_endian(bytes + 12, r->frames, 4);
	if (!put(r, bytes, sizeof(bytes)))
		return false;
	for (uint32_t i = 0; i < r->frames; i++) {
		little_endian(bytes, r->times[i], 8);
		if (!put(r, bytes, 8))
			return false;
	}
	return true;
}

/* The length of mdat, and an empty moov behind it. */
static bool
put_tail(struct recording *r)
{
	static const uint8_t moov[16] = "\0\0\0\x10"
					"moov"
					"\0\0\0\x08"
					"free";
	uint8_t length[4];

	big_endian(length, (uint32_t)r->media);
	return put(r, moov, sizeof(moov)) && pwrite(r->fd, length, 4, 24) == 4;
}

static int
failed(void)
{
	fprintf(stderr, "ERROR: failed writing to the output file (err=-%d)\n", errno);
	return 1;
}

static int
record(struct recording *r)
{
	int64_t start = clock_ns(SINCE_BOOT);
	long dies = fake_dies_ms("screenrecord");
	int64_t death = dies < 0 ? INT64_MAX : start + dies * 1000000;
	int64_t end = r->limit_s ? start + r->limit_s * 1000000000 : INT64_MAX;
	uint8_t picture[64] = { 0 };

	if (!put_head(r))
		return failed();
	while (!stopped && clock_ns(SINCE_BOOT) < end) {
		if (clock_ns(SINCE_BOOT) >= death)
			raise(SIGKILL);
		if (r->frames < MAX_FRAMES)
			r->times[r->frames++] = (uint64_t)clock_ns(SINCE_BOOT);
		if (!put(r, picture, sizeof(picture)))
			return failed();
		fake_sleep_ms(FRAME_MS);
	}
	if ((r->bugreport && !put_times(r)) || !put_tail(r))
		return failed();
	return 0;
}

/* For pidof and its kin: .state/processes/PID. */
static void
register_process(char *path)
{
	FILE *f;

	fake_path(path, ".state/processes/%ld", (long)getpid());
	f = fopen(path, "we");
	if (f) {
		fprintf(f, "%d screenrecord\n", fake_uid());
		fclose(f);
	}
}

static int
run(struct recording *r)
{
	/* Where a shell starts it in the background, SIGINT comes ignored. */
	struct sigaction on_stop = { .sa_handler = stop };
	char path[FAKE_PATH], screen[8];
	int status;

	fake_device_path(path, r->out);
	r->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (r->fd < 0) {
		fprintf(stderr, "ERROR: couldn't open file\n");
		return 1;
	}
	fake_control_line("screen", screen, sizeof(screen));
	if (strcmp(screen, "off") == 0) {
		fprintf(stderr,
			"ERROR: INVALID_LAYER_STACK, please check your display state.\n");
		return 218;
	}
	sigaction(SIGINT, &on_stop, NULL);
	sigaction(SIGHUP, &on_stop, NULL);
	register_process(path);
	status = record(r);
	unlink(path);
	return status;
}

int
main(int argc, char **argv)
{
	static struct recording r = { .limit_s = MAX_SECONDS };
	int c, status;

	fake_control_line("screenrecord", r.version, sizeof(r.version));
	r.is_old = strcmp(r.version, "1.0") == 0 || strcmp(r.version, "1.1") == 0 ||
		strcmp(r.version, "1.2") == 0;
	r.room = fake_disk_bytes();
	while ((c = getopt_long(argc, argv, "", longopts, NULL)) != -1) {
		status = take_option(&r, c);
		if (status >= 0)
			return status;
	}
	if (optind != argc - 1) {
		fprintf(stderr, "Must specify output file (see --help).\n");
		return 2;
	}
	r.out = argv[optind];
	return run(&r);
}
