/*
 * inside [-n] ROOT COMMAND [ARGUMENT...]: runs a command where the folders that
 * are in ROOT are in /, over what is there; with -n also where there is no
 * network but a loopback of its own. Status 69 when the system does not allow it.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fake.h"

int
main(int argc, char **argv)
{
	bool net = argc > 1 && strcmp(argv[1], "-n") == 0;

	argv += net ? 2 : 1;
	if (argc - (net ? 2 : 1) < 2) {
		fprintf(stderr, "usage: inside [-n] ROOT COMMAND [ARGUMENT...]\n");
		return 2;
	}
	if (!fake_enter(argv[0], net))
		return 69;
	execvp(argv[1], argv + 1);
	perror(argv[1]);
	return 127;
}
