/*
 * sh: lies over /bin/sh on the device that ./enter makes. It writes down command
 * lines that arrive from outside, puts the device's commands in front of PATH, for
 * peers that start commands with a PATH of their own, and becomes the host's shell.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

static const char real_shell[] = "/.sh";
static const char commands[] = "/system/bin";

static void
put_line(FILE *log, const char *line)
{
	for (; *line; line++) {
		if (*line == '\n')
			fputs("\\n", log);
		else if (*line == '\\')
			fputs("\\\\", log);
		else
			putc(*line, log);
	}
	putc('\n', log);
}

/* One line in one piece, whoever else writes. */
static void
log_command(const char *root, const char *line)
{
	char path[4096 + sizeof("/.log")];
	FILE *log;

	snprintf(path, sizeof(path), "%s/.log", root);
	log = fopen(path, "ae");
	if (!log)
		return;
	flock(fileno(log), LOCK_EX);
	put_line(log, line);
	fclose(log);
}

static void
commands_first(void)
{
	const char *path = getenv("PATH");
	char longer[8192];

	if (path && strncmp(path, commands, sizeof(commands) - 1) == 0)
		return;
	snprintf(
		longer, sizeof(longer), "%s:%s", commands, path ? path : "/usr/bin:/bin");
	setenv("PATH", longer, 1);
}

int
main(int argc, char **argv)
{
	char root[4096];
	ssize_t n = readlink("/.device", root, sizeof(root) - 1);

	if (n > 0) {
		root[n] = '\0';
		setenv("TC_FAKE_ROOT", root, 0);
		if (argc > 2 && strcmp(argv[1], "-c") == 0 && !getenv("TC_FAKE_LOGGED")) {
			log_command(root, argv[2]);
			setenv("TC_FAKE_LOGGED", "1", 1);
			commands_first();
		}
	}
	execv(real_shell, argv);
	fprintf(stderr, "sh: %s: %s\n", real_shell, strerror(errno));
	return 127;
}
