#ifndef TC_CLI_CLI_H
#define TC_CLI_CLI_H
/*
 * cli: what every command line has in common, diagnostics, exit status.
 *
 * This is the only part of lib/ that prints for a person: diagnostics go to
 * standard error, as text when it is a terminal and as one JSON object a line
 * elsewhere (TC_DIAG=json or text overrides).
 *
 * An option that makes no sense ends the process here, before any work.
 */
#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mem/mem.h"

struct tc_err;

#define TC_CONTRACT 1          /* what the records follow */
#define TC_MS INT64_C(1000000) /* nanoseconds in a millisecond */

enum tc_level { TC_NOTE, TC_WARNING, TC_ERROR };

struct tc_cli {
	const char *tool;
	const char *usage;
	bool keep_going; /* -k */
	bool as_text;    /* how diagnostics look; known after the first */
	bool diag_known;
	bool has_progress; /* a line that is to be overwritten */
	bool writes_data;  /* its output is no stream of records */
};

#define TC_CLI_INIT(tool, usage) \
	{ \
		(tool), (usage), false, false, false, false, false \
	}

/* A tool's option string is TC_CLI_OPTS "its:own". */
#define TC_CLI_OPTS ":hVk"
#define TC_CLI_LONGOPTS \
	{ "keep-going", no_argument, NULL, 'k' }, { "help", no_argument, NULL, 'h' }, \
		{ "version", no_argument, NULL, 'V' }, \
	{ \
		NULL, 0, NULL, 0 \
	}
#define TC_CLI_USAGE \
	"  -k, --keep-going         skip malformed lines, exit 65 at the end\n" \
	"  -h, --help               show this and exit\n" \
	"  -V, --version            show the version and exit\n"

/*
 * First of all: standard streams that were closed keep their numbers, so that no
 * file, pipe or socket opened later gets one of them and is taken for a stream.
 */
void tc_cli_hold_streams(void);

/* Acts on what getopt_long returned and the tool does not know itself. */
void tc_cli_common(struct tc_cli *cli, int c, char **argv);

/*
 * Prints one line and exits 2. Who reads the records learns of it by a `tool` and an
 * `end` record, since a shell shows only the status of a pipe's last tool.
 */
_Noreturn void tc_cli_usage(struct tc_cli *cli, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * `at` names the input concerned where the message does not; may be NULL. Any thread
 * may call this, and have its line to itself.
 */
void tc_cli_diag(struct tc_cli *cli, enum tc_level level, const char *code,
	const char *at, const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/*
 * A unit that may end a number, and how much it is. The first of a list stands for
 * no unit, and has an empty name; the second is the smallest.
 */
struct tc_cli_unit {
	const char *name; /* NULL ends the list */
	int64_t size;
};

/* Of times, in ms. */
extern const struct tc_cli_unit tc_cli_times[];

/*
 * The number in an option's value, in units of the smallest. Ends the process
 * when it is none, or not from min to max; `like` is an example of a right one.
 */
int64_t tc_cli_amount(struct tc_cli *cli, const char *option, const char *text,
	const struct tc_cli_unit *units, int64_t min, int64_t max, const char *like);

/* The same for a number with a fraction, as 2.5, and without a unit. */
double tc_cli_decimal(struct tc_cli *cli, const char *option, const char *text,
	double min, double max, const char *like);

/* Whether a person reads standard error. */
bool tc_cli_is_watched(void);

/*
 * How far the work is, in a line that the next one replaces, and that is wiped out
 * by NULL; where diagnostics are no text on a terminal, nothing.
 */
void tc_cli_progress(struct tc_cli *cli, const char *text);

/*
 * The exit status: r when it is not negative; otherwise *err is reported and
 * its code is the status. A reader that is gone ends the process by SIGPIPE.
 */
int tc_cli_finish(struct tc_cli *cli, int r, const struct tc_err *err);

#endif
