/* Where the made-up peers are found. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/socket.h>

#include "fake.h"

int
fake_listen(long port, int queue, int *got)
{
	struct sockaddr_in in = { .sin_family = AF_INET };
	socklen_t len = sizeof(in);
	int on = 1, fd = socket(AF_INET, SOCK_STREAM, 0);

	in.sin_port = htons((uint16_t)port);
	in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) < 0 ||
		bind(fd, (struct sockaddr *)&in, sizeof(in)) < 0 ||
		listen(fd, queue) < 0 ||
		getsockname(fd, (struct sockaddr *)&in, &len) < 0)
		fake_die("listen");
	fcntl(fd, F_SETFD, FD_CLOEXEC);
	*got = ntohs(in.sin_port);
	return fd;
}

/* Whole or not at all: whoever waits for the file may read it at once. */
void
fake_tell_port(const char *file, int port)
{
	char name[4096];
	FILE *out = stdout;

	snprintf(name, sizeof(name), "%s.new", file ? file : "");
	if (file && !(out = fopen(name, "w")))
		fake_die(name);
	fprintf(out, "%d\n", port);
	if (fflush(out) || (file && (fclose(out) || rename(name, file) < 0)))
		fake_die("port");
}
