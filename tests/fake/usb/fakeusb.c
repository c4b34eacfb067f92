/*
 * fakeusb [OPTION...] -- COMMAND [ARGUMENT...]
 *
 * Runs a command that sees these USB devices and no others. Each option is about the
 * device that was named last:
 *
 *   --device SERIAL[=PORT]  with fakeadbd at that port of loopback; else it is mute
 *   --product TEXT          its name; --no-serial: it has no number
 *   --packet N              bytes (512)
 *   --setting               adb is not its first alternate setting
 *   --small                 16 KiB at a time, as some host controllers do
 *   --hide-texts            they have to be asked for
 *   --fault NAME[=V]        see struct device; more than one may be given
 *
 * and these are about all:
 *
 *   --log FILE              what went on, a word or two a line
 *
 * The status is the command's own; 70 when a device was talked to in a way that a
 * real one does not stand.
 */
#include <getopt.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fakeusb.h"

GRecMutex all_lock;

static struct device devices[8];
static size_t count;
static FILE *log_file;
static bool is_violated;
static int status = 71;

static const struct option options[] = {
	{ "device", required_argument, NULL, 'd' },
	{ "product", required_argument, NULL, 'p' },
	{ "no-serial", no_argument, NULL, 'n' },
	{ "packet", required_argument, NULL, 'k' },
	{ "setting", no_argument, NULL, 's' },
	{ "small", no_argument, NULL, 'S' },
	{ "hide-texts", no_argument, NULL, 'h' },
	{ "fault", required_argument, NULL, 'f' },
	{ "log", required_argument, NULL, 'l' },
	{ NULL, 0, NULL, 0 },
};

void
note(const char *format, ...)
{
	va_list ap;

	if (!log_file)
		return;
	va_start(ap, format);
	vfprintf(log_file, format, ap);
	va_end(ap);
	putc('\n', log_file);
	fflush(log_file);
}

void
violation(const char *what)
{
	fprintf(stderr, "fakeusb: %s\n", what);
	note("violation");
	is_violated = true;
}

static struct device *
add_device(char *text)
{
	struct device *d = &devices[count];
	char *peer = strchr(text, '=');

	if (count++ == sizeof(devices) / sizeof(*devices))
		exit(2);
	if (peer)
		*peer++ = '\0';
	*d = (struct device){ .port = (int)count,
		.serial = text,
		.product = "Fake USB",
		.peer = peer ? atoi(peer) : 0,
		.packet = 512,
		.unplug = -1,
		.stall = -1,
		.fail = -1,
		.cut_head = -1,
		.cut_payload = -1,
		.stuck = -1,
		.fd = -1,
		.chunk = g_byte_array_new(),
		.to_peer = g_byte_array_new(),
		.bytes = g_byte_array_new(),
		.head = g_byte_array_new() };
	return d;
}

static void
add_fault(struct device *d, char *text)
{
	const struct {
		const char *name;
		int64_t *bytes;
		long *ms;
		int *number;
		bool *flag;
		uint32_t word; /* that was said to somebody before */
	} known[] = {
		{ "unplug", .bytes = &d->unplug },
		{ "stall", .bytes = &d->stall },
		{ "fail", .bytes = &d->fail },
		{ "cut-head", .bytes = &d->cut_head },
		{ "cut-payload", .bytes = &d->cut_payload },
		{ "stuck", .bytes = &d->stuck },
		{ "unplug-ms", .ms = &d->unplug_ms },
		{ "replug-ms", .ms = &d->replug_ms },
		{ "absent-ms", .ms = &d->absent_ms },
		{ "busy", .number = &d->busy },
		{ "junk", .number = &d->junk },
		{ "deaf", .number = &d->deaf },
		{ "no-memory", .number = &d->no_memory },
		{ "denied", .flag = &d->denied },
		{ "renewed", .flag = &d->is_renewed },
		{ "old-name", .word = 0x4e584e43u },
		{ "old-token", .word = 0x48545541u },
	};
	char *value = strchr(text, '=');
	size_t i;

	if (value)
		*value++ = '\0';
	for (i = 0; i < sizeof(known) / sizeof(*known); i++) {
		if (strcmp(known[i].name, text) != 0)
			continue;
		if (known[i].flag)
			*known[i].flag = true;
		else if (known[i].word)
			d->old_word = known[i].word;
		else if (!value)
			break;
		else if (known[i].bytes)
			*known[i].bytes = strtoll(value, NULL, 10);
		else if (known[i].ms)
			*known[i].ms = strtol(value, NULL, 10);
		else
			*known[i].number = atoi(value);
		return;
	}
	fprintf(stderr, "fakeusb: no fault %s\n", text);
	exit(2);
}

static void
parse(int argc, char **argv)
{
	struct device *d = NULL;
	int c;

	while ((c = getopt_long(argc, argv, "+", options, NULL)) != -1) {
		if (c == 'd') {
			d = add_device(optarg);
			continue;
		}
		if (c == 'l') {
			log_file = fopen(optarg, "we");
			continue;
		}
		if (!d || c == '?')
			exit(2);
		switch (c) {
		case 'p': d->product = optarg; break;
		case 'n': d->serial = NULL; break;
		case 'k': d->packet = (uint16_t)atoi(optarg); break;
		case 's': d->in_setting = true; break;
		case 'S': d->is_small = true; break;
		case 'h': d->hides_texts = true; break;
		default: add_fault(d, optarg);
		}
	}
	if (optind == argc)
		exit(2);
}

/* In the environment of the mock: with its library before all others. */
static void
enter(char **argv)
{
	GPtrArray *all = g_ptr_array_new();
	const char *preload = getenv("LD_PRELOAD");

	if (preload && strstr(preload, "umockdev"))
		return;
	g_ptr_array_add(all, (char *)"umockdev-wrapper");
	for (; *argv; argv++)
		g_ptr_array_add(all, *argv);
	g_ptr_array_add(all, NULL);
	execvp("umockdev-wrapper", (char **)all->pdata);
	perror("umockdev-wrapper");
	exit(71);
}

static gboolean
plug(void *ctx)
{
	g_rec_mutex_lock(&all_lock);
	bus_plug(ctx);
	g_rec_mutex_unlock(&all_lock);
	return G_SOURCE_REMOVE;
}

static gboolean
unplug(void *ctx)
{
	g_rec_mutex_lock(&all_lock);
	bus_unplug(ctx);
	g_rec_mutex_unlock(&all_lock);
	return G_SOURCE_REMOVE;
}

static void
on_end(GPid pid, int wstatus, void *ctx)
{
	(void)pid;
	status = WIFEXITED(wstatus) ? WEXITSTATUS(wstatus) : 128 + WTERMSIG(wstatus);
	g_main_loop_quit(ctx);
}

/* A file that may not be written is not for root either. */
static void
lose_powers(void)
{
	prctl(PR_CAPBSET_DROP, 1, 0, 0, 0); /* CAP_DAC_OVERRIDE */
	prctl(PR_CAPBSET_DROP, 2, 0, 0, 0); /* CAP_DAC_READ_SEARCH */
}

static pid_t
start(char **argv)
{
	pid_t pid = fork();

	if (pid < 0)
		exit(71);
	if (pid > 0)
		return pid;
	signal(SIGPIPE, SIG_DFL);
	lose_powers();
	execvp(argv[0], argv);
	perror(argv[0]);
	_exit(127);
}

int
main(int argc, char **argv)
{
	UMockdevTestbed *bed;
	GMainLoop *loop;
	size_t i;

	enter(argv);
	parse(argc, argv);
	bed = umockdev_testbed_new();
	bus_init(bed);
	loop = g_main_loop_new(NULL, FALSE);
	for (i = 0; i < count; i++) {
		if (devices[i].absent_ms)
			g_timeout_add((guint)devices[i].absent_ms, plug, &devices[i]);
		else
			bus_plug(&devices[i]);
		if (devices[i].unplug_ms)
			g_timeout_add((guint)devices[i].unplug_ms, unplug, &devices[i]);
	}
	signal(SIGPIPE, SIG_IGN);
	g_child_watch_add(start(argv + optind), on_end, loop);
	g_main_loop_run(loop);
	g_object_unref(bed);
	return is_violated ? 70 : status;
}
