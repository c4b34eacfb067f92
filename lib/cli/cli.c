#include "cli/cli.h"

#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "err/err.h"
#include "io/io.h"

/* Whoever writes to standard error or looks at how has it. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

bool
tc_cli_is_watched(void)
{
	return isatty(STDERR_FILENO);
}

static bool
as_text(struct tc_cli *cli)
{
	const char *env = getenv("TC_DIAG");

	if (!cli->diag_known) {
		cli->as_text = tc_cli_is_watched();
		if (env && strcmp(env, "text") == 0)
			cli->as_text = true;
		if (env && strcmp(env, "json") == 0)
			cli->as_text = false;
		cli->diag_known = true;
	}
	return cli->as_text;
}

/* Text from a device must not move the cursor or ring the bell. */
static void
write_escaped(struct tc_out *o, const char *text)
{
	char hex[5];

	for (; *text; text++) {
		if ((unsigned char)*text >= 0x20 && *text != 0x7f) {
			tc_out_write(o, text, 1);
			continue;
		}
		snprintf(hex, sizeof(hex), "\\x%02x", (unsigned)(unsigned char)*text);
		tc_out_write(o, hex, 4);
	}
}

static const char *
level_name(enum tc_level level)
{
	return level == TC_ERROR ? "error" : level == TC_WARNING ? "warning" : "note";
}

static void
write_text(struct tc_out *o, const char *tool, enum tc_level level, const char *at,
	const char *msg)
{
	write_escaped(o, tool);
	tc_out_lit(o, ": ");
	if (at) {
		write_escaped(o, at);
		tc_out_lit(o, ": ");
	}
	if (level != TC_ERROR) {
		write_escaped(o, level_name(level));
		tc_out_lit(o, ": ");
	}
	write_escaped(o, msg);
	tc_out_lit(o, "\n");
}

static void
write_json(struct tc_out *o, const char *tool, enum tc_level level, const char *code,
	const char *at, const char *msg)
{
	tc_out_lit(o, "{\"type\":\"diagnostic\",\"tool\":");
	tc_out_quoted(o, tc_str_of(tool));
	tc_out_lit(o, ",\"level\":");
	tc_out_quoted(o, tc_str_of(level_name(level)));
	tc_out_lit(o, ",\"code\":");
	tc_out_quoted(o, tc_str_of(code));
	tc_out_lit(o, ",\"msg\":");
	tc_out_quoted(o, tc_str_of(msg));
	if (at) {
		tc_out_lit(o, ",\"at\":");
		tc_out_quoted(o, tc_str_of(at));
	}
	tc_out_lit(o, "}\n");
}

static void
progress(struct tc_cli *cli, const char *text)
{
	struct tc_err ignored = { 0 };
	struct tc_out o;

	if (!tc_cli_is_watched() || !as_text(cli) || (!text && !cli->has_progress))
		return;
	tc_out_init(&o, STDERR_FILENO);
	tc_out_lit(&o, "\r");
	if (text)
		write_escaped(&o, text);
	/* To the end of the line. */
	tc_out_lit(&o, "\33[K");
	tc_out_flush(&o, &ignored);
	tc_out_release(&o);
	cli->has_progress = text != NULL;
}

void
tc_cli_progress(struct tc_cli *cli, const char *text)
{
	pthread_mutex_lock(&lock);
	progress(cli, text);
	pthread_mutex_unlock(&lock);
}

static void
report(struct tc_cli *cli, enum tc_level level, const char *code, const char *at,
	const char *msg)
{
	struct tc_err ignored = { 0 };
	struct tc_out o;

	pthread_mutex_lock(&lock);
	progress(cli, NULL);
	tc_out_init(&o, STDERR_FILENO);
	if (as_text(cli))
		write_text(&o, cli->tool, level, at, msg);
	else
		write_json(&o, cli->tool, level, code, at, msg);
	/* Nobody is left to tell when standard error fails. */
	tc_out_flush(&o, &ignored);
	tc_out_release(&o);
	pthread_mutex_unlock(&lock);
}

void
tc_cli_diag(struct tc_cli *cli, enum tc_level level, const char *code, const char *at,
	const char *fmt, ...)
{
	char msg[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(msg, sizeof(msg), fmt, ap);
	va_end(ap);
	report(cli, level, code, at, msg);
}

/* What the loop would have written, had it come to that. A person reads the message. */
static void
write_frame(const struct tc_cli *cli)
{
	struct tc_err ignored = { 0 };
	char text[256];
	struct tc_out o;

	if (cli->writes_data || isatty(STDOUT_FILENO))
		return;
	/* The status tells of the options, also where nobody reads on. */
	signal(SIGPIPE, SIG_IGN);
	snprintf(text, sizeof(text),
		"{\"type\":\"tool\",\"tool\":\"%s\",\"version\":\"" TC_VERSION
		"\",\"contract\":%d}\n"
		"{\"type\":\"end\",\"tool\":\"%s\",\"status\":%d,\"records\":0}\n",
		cli->tool, TC_CONTRACT, cli->tool, TC_USAGE);
	tc_out_init(&o, STDOUT_FILENO);
	tc_out_write(&o, text, strlen(text));
	tc_out_flush(&o, &ignored);
	tc_out_release(&o);
}

void
tc_cli_usage(struct tc_cli *cli, const char *fmt, ...)
{
	char msg[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(msg, sizeof(msg), fmt, ap);
	va_end(ap);
	report(cli, TC_ERROR, tc_err_name(TC_USAGE), NULL, msg);
	write_frame(cli);
	exit(TC_USAGE);
}

const struct tc_cli_unit tc_cli_times[] = { { "", 1 }, { "ms", 1 }, { "s", 1000 },
	{ "m", 60 * 1000 }, { "h", 60 * 60 * 1000 }, { NULL, 0 } };

int64_t
tc_cli_amount(struct tc_cli *cli, const char *option, const char *text,
	const struct tc_cli_unit *units, int64_t min, int64_t max, const char *like)
{
	const struct tc_cli_unit *u;
	const char *p = text;
	bool too_large = false;
	int64_t n = 0;

	for (; *p >= '0' && *p <= '9'; p++)
		too_large |= __builtin_mul_overflow(n, 10, &n) ||
			__builtin_add_overflow(n, *p - '0', &n);
	for (u = units; u->name && strcmp(u->name, p) != 0;)
		u++;
	if (p == text || !u->name)
		tc_cli_usage(
			cli, "%s %s: a number like %s is wanted", option, text, like);
	if (__builtin_mul_overflow(n, u->size, &n) || too_large || n < min || n > max)
		tc_cli_usage(cli, "%s %s: not from %lld to %lld%s", option, text,
			(long long)min, (long long)max, units[1].name);
	return n;
}

/* No locale has a say in it; 15 digits are exact, and so is what they are over. */
double
tc_cli_decimal(struct tc_cli *cli, const char *option, const char *text, double min,
	double max, const char *like)
{
	double n = 0, over = 1;
	const char *p = text;
	bool is_behind = false;
	int digits = 0;

	for (; (*p >= '0' && *p <= '9') || (*p == '.' && !is_behind); p++) {
		if (*p == '.') {
			is_behind = true;
			continue;
		}
		n = n * 10 + (*p - '0');
		over *= is_behind ? 10 : 1;
		digits++;
	}
	if (*p || digits < 1 || digits > 15)
		tc_cli_usage(
			cli, "%s %s: a number like %s is wanted", option, text, like);
	if (n / over < min || n / over > max)
		tc_cli_usage(cli, "%s %s: not from %g to %g", option, text, min, max);
	return n / over;
}

static _Noreturn void
print_and_exit(struct tc_cli *cli, const char *text)
{
	if (fputs(text, stdout) < 0 || fflush(stdout) != 0) {
		tc_cli_diag(cli, TC_ERROR, tc_err_name(TC_IO), NULL, "write failed");
		exit(TC_IO);
	}
	exit(TC_OK);
}

void
tc_cli_common(struct tc_cli *cli, int c, char **argv)
{
	char version[128];

	switch (c) {
	case 'k': cli->keep_going = true; return;
	case 'h': print_and_exit(cli, cli->usage);
	case 'V':
		snprintf(version, sizeof(version), "%s (tc-tools) " TC_VERSION "\n",
			cli->tool);
		print_and_exit(cli, version);
	case ':': tc_cli_usage(cli, "option '%s' needs a value", argv[optind - 1]);
	default:
		if (optopt && strncmp(argv[optind - 1], "--", 2) == 0)
			tc_cli_usage(cli, "option '%s' takes no value", argv[optind - 1]);
		if (optopt && optopt < 256)
			tc_cli_usage(cli, "unknown option '-%c' (see %s -h)", optopt,
				cli->tool);
		tc_cli_usage(cli, "unknown option '%s' (see %s -h)", argv[optind - 1],
			cli->tool);
	}
}

int
tc_cli_finish(struct tc_cli *cli, int r, const struct tc_err *err)
{
	if (r >= 0)
		return r;
	if (err->code == TC_GONE) {
		signal(SIGPIPE, SIG_DFL);
		raise(SIGPIPE);
	}
	report(cli, TC_ERROR, tc_err_what(err), NULL, err->msg);
	return (int)err->code;
}
