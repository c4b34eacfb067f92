/*
 * perfetto: the device's command line of that name, with a service that is made up
 * of files (session.h). It prints and returns what the real one does, also where
 * that is no help to anyone.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config.h"
#include "control.h"
#include "query.h"
#include "session.h"

enum { CONFIG_LIMIT = 1 << 20, PER_UID = 5, IN_ALL = 15 };

enum {
	OPT_ATTACH = 256,
	OPT_BACKGROUND_WAIT,
	OPT_CLONE,
	OPT_DETACH,
	OPT_DETACHED,
	OPT_IGNORED,
	OPT_LONG,
	OPT_QUERY,
	OPT_RAW,
	OPT_STOP,
	OPT_TXT,
	OPT_VERSION,
};

struct args {
	const char *config, *out, *detach, *attach, *is_detached, *clone;
	bool txt, stop, query, raw, version, background;
	struct config light; /* what -t, -b and categories ask for */
	bool is_light;
};

static volatile sig_atomic_t stopped;

static void
stop(int signal)
{
	(void)signal;
	stopped = 1;
}

/* In the form of the real one's log, whose line numbers change. */
static void __attribute__((format(printf, 1, 2))) say(const char *format, ...)
{
	int64_t now = fake_now_ns();
	va_list ap;

	fprintf(stderr, "[%03d.%03d]    perfetto_cmd.cc:1000 ",
		(int)(now / 1000000000 % 1000), (int)(now / 1000000 % 1000));
	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	putc('\n', stderr);
}

static const struct option longopts[] = {
	{ "app", required_argument, NULL, 'a' },
	{ "attach", required_argument, NULL, OPT_ATTACH },
	{ "background", no_argument, NULL, 'd' },
	{ "background-wait", no_argument, NULL, 'D' },
	{ "buffer", required_argument, NULL, 'b' },
	{ "clone-by-name", required_argument, NULL, OPT_CLONE },
	{ "config", required_argument, NULL, 'c' },
	{ "detach", required_argument, NULL, OPT_DETACH },
	{ "help", no_argument, NULL, 'h' },
	{ "is_detached", required_argument, NULL, OPT_DETACHED },
	{ "long", no_argument, NULL, OPT_LONG },
	{ "no-guardrails", no_argument, NULL, OPT_IGNORED },
	{ "out", required_argument, NULL, 'o' },
	{ "query", no_argument, NULL, OPT_QUERY },
	{ "query-raw", no_argument, NULL, OPT_RAW },
	{ "size", required_argument, NULL, 's' },
	{ "stop", no_argument, NULL, OPT_STOP },
	{ "time", required_argument, NULL, 't' },
	{ "txt", no_argument, NULL, OPT_TXT },
	{ "version", no_argument, NULL, OPT_VERSION },
	{ NULL, 0, NULL, 0 },
};

static int
usage(void)
{
	fprintf(stderr,
		"Usage: perfetto\n"
		"  --background     -d      : Exits immediately and continues in the "
		"background\n"
		"  --config         -c      : /path/to/trace/config/file or - for stdin\n"
		"  --out            -o      : /path/to/out/trace/file or - for stdout\n"
		"  --txt                    : Parse config as pbtxt.\n"
		"  --query                  : Queries the service state and prints it\n");
	return 1;
}

/* 10s, 500ms, 2m: milliseconds. */
static uint64_t
duration(const char *text)
{
	char *unit;
	uint64_t n = strtoull(text, &unit, 10);

	if (strcmp(unit, "ms") == 0)
		return n;
	return n *
		(strcmp(unit, "h") == 0                  ? 3600000
				: strcmp(unit, "m") == 0 ? 60000
							 : 1000);
}

static bool
take_option(struct args *a, int c)
{
	switch (c) {
	case 'c': a->config = optarg; return true;
	case 'o': a->out = optarg; return true;
	case 'd':
	case 'D': a->background = true; return true;
	case 't': a->light.duration_ms = duration(optarg); return a->is_light = true;
	case 'b': a->light.buffer_kb = strtoull(optarg, NULL, 10) * 1024; return true;
	case 'a':
	case 's':
	case OPT_LONG:
	case OPT_IGNORED: return true;
	case OPT_TXT: return a->txt = true;
	case OPT_STOP: return a->stop = true;
	case OPT_QUERY: return a->query = true;
	case OPT_RAW:
		if (!fake_control_has("old_perfetto"))
			return a->raw = true;
		fprintf(stderr, "perfetto: unrecognized option '--query-raw'\n");
		return false;
	case OPT_VERSION: return a->version = true;
	case OPT_ATTACH: a->attach = optarg; return true;
	case OPT_DETACH: a->detach = optarg; return true;
	case OPT_DETACHED: a->is_detached = optarg; return true;
	case OPT_CLONE: a->clone = optarg; return true;
	default: return false;
	}
}

/* A file, that is: not what a name like /dev/null stands for. */
static void
remove_output(const char *path)
{
	struct stat st;

	if (lstat(path, &st) == 0 && S_ISREG(st.st_mode))
		unlink(path);
}

static struct session *
find(const struct sessions *s, const char *key)
{
	for (size_t i = 0; i < s->count; i++)
		if (!s->all[i].is_foreign && s->all[i].uid == fake_uid() &&
			!s->all[i].pid && strcmp(s->all[i].key, key) == 0)
			return &s->all[i];
	return NULL;
}

static struct session *
find_name(const struct sessions *s, const char *name)
{
	for (size_t i = 0; i < s->count; i++)
		if (*name && strcmp(s->all[i].name, name) == 0)
			return &s->all[i];
	return NULL;
}

static int
query(const struct args *a)
{
	struct sessions s;
	int lock = sessions_lock();

	sessions_load(&s);
	close(lock);
	if (a->raw)
		query_raw(&s, fake_uid());
	else
		query_text(&s, fake_uid());
	sessions_release(&s);
	return fflush(stdout) == 0 ? 0 : 1;
}

static int
is_detached(const char *key)
{
	struct sessions s;
	int lock = sessions_lock(), status;

	sessions_load(&s);
	status = find(&s, key) ? 0 : 2;
	sessions_release(&s);
	close(lock);
	return status;
}

/* Does a detached session of this key go on? With stop, it ends. */
static bool
look(const char *key, bool stop)
{
	int lock = sessions_lock();
	struct sessions all;
	struct session *s;

	sessions_load(&all);
	s = find(&all, key);
	if (s && stop) {
		session_remove(s);
		session_finish(s);
	}
	sessions_release(&all);
	close(lock);
	return s;
}

static int
attach(const struct args *a)
{
	if (a->config || a->out || a->detach) {
		say("Can't specify a trace config with --attach");
		return 1;
	}
	if (!look(a->attach, a->stop)) {
		say("Session re-attach failed. Check service logs for details");
		return 2;
	}
	while (!a->stop && !stopped && look(a->attach, false))
		fake_sleep_ms(20);
	if (stopped)
		look(a->attach, true);
	say("Trace written into the output file");
	return 0;
}

/* Reads the config that the options name. */
static bool
get_config(const struct args *a, struct config *c)
{
	int fd = STDIN_FILENO;
	char path[FAKE_PATH], why[128], *text;
	unsigned line;

	if (a->is_light && !a->config) {
		*c = a->light;
		c->buffers = 1;
		c->sources = 1;
		return true;
	}
	if (!a->config) {
		usage();
		return false;
	}
	if (strcmp(a->config, "-") != 0) {
		fake_device_path(path, a->config);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0) {
			say("Could not open %s (errno: %d, %s)", a->config, errno,
				strerror(errno));
			return false;
		}
	}
	text = fake_read(fd, CONFIG_LIMIT, NULL);
	if (!text || !*text) {
		free(text);
		say("The trace config is empty or cannot be read");
		return false;
	}
	if (!a->txt) {
		free(text);
		say("The trace config is invalid (this device takes --txt alone)");
		return false;
	}
	line = config_parse(c, text, why);
	free(text);
	if (line) {
		fprintf(stderr, "%s:%u:1 error: %s\n", a->config, line, why);
		say("The trace config is invalid, bailing out.");
	}
	return line == 0;
}

/* Why the service would not start it: the text, or NULL. */
static const char *
refusal(const struct sessions *all, const struct session *s, char *text, size_t size)
{
	unsigned own = 0;

	for (size_t i = 0; i < all->count; i++)
		own += all->all[i].uid == s->uid;
	if (find_name(all, s->name))
		snprintf(text, size,
			"A trace with this unique session name (%s) already exists",
			s->name);
	else if (own >= PER_UID)
		snprintf(text, size,
			"Too many concurrent tracing sesions (%u) for uid %d limit is %d",
			own, s->uid, PER_UID);
	else if (all->count >= IN_ALL)
		snprintf(text, size, "Too many concurrent tracing sesions (%zu)",
			all->count);
	else
		return NULL;
	return text;
}

/* Waits in its turn for the end of a session that has one. */
static void
end_later(const struct session *s)
{
	int64_t end = s->started_ns + (int64_t)s->duration_ms * 1000000;
	struct sessions all;
	int lock;

	if (s->duration_ms == 0 || !session_leave())
		return;
	while (fake_now_ns() < end)
		fake_sleep_ms(5);
	lock = sessions_lock();
	sessions_load(&all);
	for (size_t i = 0; i < all.count; i++) {
		if (all.all[i].id == s->id) {
			session_remove(s);
			session_finish(s);
		}
	}
	close(lock);
	_exit(0);
}

static int
detach(struct session *s, const struct sessions *all, const char *path)
{
	static const char remains[] = { 0x0a, 0x00 };
	int fd;

	if (find(all, s->key)) {
		/* What the real one leaves behind then. */
		fd = open(path, O_WRONLY | O_CLOEXEC);
		if (fd < 0 || write(fd, remains, sizeof(remains)) < 0)
			say("Could not write %s", s->out);
		if (fd >= 0)
			close(fd);
		say("Session detach failed");
		return 1;
	}
	session_add(s);
	say("Connected to the Perfetto traced service, starting tracing");
	return 0;
}

/* Until the time is over or somebody asks; false: the service went away. */
static bool
wait_for(const struct session *s)
{
	int64_t end = s->started_ns + (int64_t)s->duration_ms * 1000000;
	long dies = fake_dies_ms("perfetto");
	int64_t death = dies < 0 ? INT64_MAX : s->started_ns + dies * 1000000;

	while (!stopped && (s->duration_ms == 0 || fake_now_ns() < end)) {
		if (fake_control_has("no_traced") || fake_now_ns() >= death)
			return false;
		fake_sleep_ms(5);
	}
	return true;
}

/* Where the service is killed, the real one ends well, and without a file. */
static int
foreground(struct session *s, int fd, const char *path, bool by_service)
{
	int64_t written = 0;
	int lock;

	say("Connected to the Perfetto traced service, TTL: %" PRIu64 "s",
		s->duration_ms / 1000 + 1);
	if (!wait_for(s)) {
		session_remove(s);
		remove_output(path);
		return 0;
	}
	lock = sessions_lock();
	session_remove(s);
	close(lock);
	written = session_write(s, fd);
	if (by_service) {
		say("Trace written into the output file");
	} else {
		if (written < 0 || errno == ENOSPC)
			say("Failed to write packets");
		say("Wrote %" PRId64 " bytes into %s", written < 0 ? 0 : written, s->out);
	}
	session_grow(path);
	return 0;
}

static int
open_output(const char *out, char *path)
{
	int fd;

	if (strcmp(out, "-") == 0) {
		snprintf(path, FAKE_PATH, "/dev/stdout");
		return dup(STDOUT_FILENO);
	}
	fake_device_path(path, out);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		say("Failed to open %s (errno: %d, %s)", out, errno, strerror(errno));
	return fd;
}

static void
fill(struct session *s, const struct args *a, const struct config *c)
{
	s->uid = fake_uid();
	s->pid = a->detach ? 0 : (long)getpid();
	s->buffer_kb = c->buffer_kb;
	s->buffers = c->buffers;
	s->duration_ms = c->duration_ms;
	s->sources = c->sources;
	s->started_ns = fake_now_ns();
	snprintf(s->state, sizeof(s->state), "STARTED");
	snprintf(s->name, sizeof(s->name), "%s", c->name);
	snprintf(s->key, sizeof(s->key), "%s", a->detach ? a->detach : "");
	snprintf(s->out, sizeof(s->out), "%s", a->out);
}

static int
start(const struct args *a, const struct config *c)
{
	struct session s = { 0 };
	struct sessions all;
	char path[FAKE_PATH], text[512];
	int fd = open_output(a->out, path), lock, status = 0;
	const char *why;

	if (fd < 0)
		return 1;
	fill(&s, a, c);
	lock = sessions_lock();
	sessions_load(&all);
	why = refusal(&all, &s, text, sizeof(text));
	if (why) {
		say("Service error: %s", why);
		if (a->detach)
			say("Session detach failed");
		remove_output(path);
		status = 1;
	} else if (a->detach) {
		status = detach(&s, &all, path);
	} else {
		session_add(&s);
	}
	sessions_release(&all);
	close(lock);
	if (status == 0 && a->detach)
		end_later(&s);
	else if (status == 0)
		status = foreground(&s, fd, path, c->write_into_file);
	close(fd);
	return status;
}

/* The number of the process that goes on is printed. */
static int
background(const struct args *a, const struct config *c)
{
	int null;
	pid_t pid = fork();

	if (pid < 0)
		return 1;
	if (pid > 0) {
		printf("%ld\n", (long)pid);
		return fflush(stdout) == 0 ? 0 : 1;
	}
	setsid();
	null = open("/dev/null", O_RDWR);
	for (int fd = 0; null >= 0 && fd <= 2; fd++)
		dup2(null, fd);
	return start(a, c);
}

static int
trace(const struct args *a)
{
	struct config c = { 0 };

	if (!a->out) {
		say("--out is required");
		return 1;
	}
	if (!get_config(a, &c))
		return 1;
	if (a->detach && !c.write_into_file) {
		say("TraceConfig's write_into_file must be true when using --detach");
		return 1;
	}
	return a->background ? background(a, &c) : start(a, &c);
}

static int
clone(const struct args *a)
{
	int lock = sessions_lock(), fd;
	struct sessions all;
	struct session *s;
	char path[FAKE_PATH];

	sessions_load(&all);
	s = find_name(&all, a->clone);
	if (!a->out || !s) {
		say("Service error: Failed to clone tracing session \"%s\": "
		    "Tracing session not found",
			a->clone);
	} else if ((fd = open_output(a->out, path)) >= 0) {
		say("Wrote %" PRId64 " bytes into %s", session_write(s, fd), a->out);
		close(fd);
	}
	sessions_release(&all);
	close(lock);
	return 0;
}

int
main(int argc, char **argv)
{
	struct sigaction on_stop = { .sa_handler = stop };
	struct args a = { 0 };
	char version[64];
	int c;

	while ((c = getopt_long(argc, argv, "a:b:c:Ddho:s:t:", longopts, NULL)) != -1)
		if (!take_option(&a, c))
			return usage();
	if (a.version) {
		fake_control_line("perfetto", version, sizeof(version));
		puts(version);
		return 0;
	}
	/* Whoever started us may ignore them. */
	sigaction(SIGINT, &on_stop, NULL);
	sigaction(SIGTERM, &on_stop, NULL);
	if (fake_control_has("no_traced")) {
		if (!a.is_detached)
			say("Could not connect to the traced socket "
			    "/dev/socket/traced_consumer");
		return 1;
	}
	if (a.query || a.raw)
		return query(&a);
	if (a.is_detached)
		return is_detached(a.is_detached);
	if (a.attach)
		return attach(&a);
	return a.clone ? clone(&a) : trace(&a);
}
