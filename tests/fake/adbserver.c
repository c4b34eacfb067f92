/*
 * adbserver PORT-FILE SERIAL [--old]: an adb server that has a USB device and does
 * nothing with it; it lets go of it and takes it again when it is told to, if it is
 * not an old one.
 *
 * adbserver PORT-FILE --lists TEXT: one that has no device but says so of its devices;
 * adbserver PORT-FILE --babbles: and one that talks nonsense.
 *
 * It runs until it is sent a signal.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "err/err.h"
#include "fake.h"
#include "usb/usb.h"

static struct tc_usb *usb;
static const char *serial; /* NULL: it only talks */
static const char *list;   /* NULL: nonsense */

static void
hold(void)
{
	struct tc_wait w = tc_wait_for(10000);
	struct tc_err err = { 0 };

	if (tc_usb_open(&usb, serial, &w, &err) < 0) {
		fprintf(stderr, "adbserver: %s\n", err.msg);
		exit(1);
	}
}

static void
say(int fd, const char *status, const char *text)
{
	char answer[512];
	int n = snprintf(answer, sizeof(answer), "%s%04zx%s", status, strlen(text), text);

	fake_write(fd, answer, (size_t)n);
}

static void
act(int fd, const char *verb, bool is_old)
{
	char text[256];

	if (is_old) {
		say(fd, "FAIL", "transport type doesn't support detach");
		return;
	}
	if (strcmp(verb, "detach") == 0 && usb) {
		tc_usb_close(usb);
		usb = NULL;
	} else if (strcmp(verb, "attach") == 0 && !usb)
		hold();
	printf("%s\n", verb);
	fflush(stdout);
	snprintf(text, sizeof(text), "%s %sed", serial, verb);
	say(fd, "OKAY", text);
}

static void
talk(int fd, const char *request)
{
	if (!list)
		fake_write(fd, "nonsense", 8);
	else if (strncmp(request, "host:devices", 12) == 0)
		say(fd, "OKAY", list);
	else
		say(fd, "FAIL", "unknown host service");
}

static void
serve(int fd, bool is_old)
{
	char digits[5] = { 0 }, request[256], text[300];
	size_t len;

	if (!fake_read(fd, digits, 4))
		return;
	len = strtoul(digits, NULL, 16);
	if (len >= sizeof(request) || !fake_read(fd, request, len))
		return;
	request[len] = '\0';
	if (!serial) {
		talk(fd, request);
		return;
	}
	snprintf(text, sizeof(text), "host-serial:%s:", serial);
	if (strncmp(request, text, strlen(text)) == 0)
		act(fd, request + strlen(text), is_old);
	else if (strncmp(request, "host:devices", 12) == 0) {
		snprintf(text, sizeof(text), "%s\t%s\n", serial,
			usb ? "device" : "detached");
		say(fd, "OKAY", text);
	} else
		say(fd, "FAIL", "unknown host service");
}

int
main(int argc, char **argv)
{
	int listener, port, fd;

	if (argc < 3)
		return 2;
	if (strncmp(argv[2], "--", 2) != 0)
		serial = argv[2];
	else
		list = argv[3];
	listener = fake_listen(0, 16, &port);
	if (serial)
		hold();
	fake_tell_port(argv[1], port);
	while ((fd = accept(listener, NULL, NULL)) >= 0) {
		serve(fd, argc > 3);
		close(fd);
	}
	return 71;
}
