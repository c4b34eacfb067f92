/*
 * enter [-n] ROOT COMMAND...: the part of the script of that name that makes the
 * namespaces. In a file system of its own it puts together the host's top folder,
 * and of the device's folder /data, /system, the file systems that
 * .control/disk_full asks for, and sh (sh.c) over the host's shell.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "control.h"

static void __attribute__((noreturn, format(printf, 1, 2))) die(const char *format, ...)
{
	int error = errno;
	va_list ap;

	fputs("enter: ", stderr);
	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fprintf(stderr, ": %s\n", strerror(error));
	exit(71);
}

#ifdef __linux__
#include <dirent.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>

/* A short text into a file of the kernel's. */
static void
tell(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		die("%s", path);
	close(fd);
}

/* Whoever calls is root in there, and nothing of it shows outside. */
static void
leave_host(bool with_network)
{
	int flags = CLONE_NEWUSER | CLONE_NEWNS | (with_network ? CLONE_NEWNET : 0);
	unsigned uid = geteuid(), gid = getegid();
	char map[64];

	if (unshare(flags) < 0)
		die("user and mount namespaces cannot be made here");
	tell("/proc/self/setgroups", "deny");
	snprintf(map, sizeof(map), "0 %u 1", uid);
	tell("/proc/self/uid_map", map);
	snprintf(map, sizeof(map), "0 %u 1", gid);
	tell("/proc/self/gid_map", map);
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		die("/");
}

static void
loopback_up(void)
{
	struct ifreq lo = { .ifr_name = "lo" };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || ioctl(fd, SIOCGIFFLAGS, &lo) < 0)
		die("loopback");
	lo.ifr_flags |= IFF_UP;
	if (ioctl(fd, SIOCSIFFLAGS, &lo) < 0)
		die("loopback");
	close(fd);
}

static void
make_folders(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0777);
		*slash = '/';
	}
	if (mkdir(path, 0777) < 0 && errno != EEXIST)
		die("%s", path);
}

/* Lines PATH SIZE; another form of that file is not for us. */
static void
small_disks(void)
{
	char *text = fake_control_text("disk_full", NULL), *line = text;
	char name[1024], size[32], path[FAKE_PATH], options[64];

	for (; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
		if (sscanf(line, "/%1023[^ \n] %31[0-9km]", name, size) != 2)
			continue;
		fake_path(path, "%s", name);
		make_folders(path);
		snprintf(options, sizeof(options), "size=%s,mode=755", size);
		if (mount("tmpfs", path, "tmpfs", 0, options) < 0)
			die("%s", path);
	}
	free(text);
}

static void
bind_file(const char *from, const char *to)
{
	int fd = open(to, O_WRONLY | O_CREAT | O_CLOEXEC, 0755);

	if (fd >= 0)
		close(fd);
	if (mount(from, to, NULL, MS_BIND, NULL) < 0)
		die("%s", to);
}

static void
bind_folder(const char *from, const char *to)
{
	if (mkdir(to, 0755) < 0 || mount(from, to, NULL, MS_BIND | MS_REC, NULL) < 0)
		die("%s", to);
}

/* An entry of the host's top folder. */
static void
take(const char *name)
{
	char from[512], to[FAKE_PATH], target[FAKE_PATH];
	struct stat st;
	ssize_t n;

	snprintf(from, sizeof(from), "/%s", name);
	fake_path(to, ".mnt/%s", name);
	if (lstat(from, &st) < 0)
		return;
	if (S_ISDIR(st.st_mode)) {
		bind_folder(from, to);
	} else if (S_ISREG(st.st_mode)) {
		bind_file(from, to);
	} else if (S_ISLNK(st.st_mode)) {
		n = readlink(from, target, sizeof(target) - 1);
		target[n > 0 ? n : 0] = '\0';
		if (symlink(target, to) < 0)
			die("%s", to);
	}
}

static void
take_all(void)
{
	static const char *const ours[] = { ".", "..", "data", "system", ".sh",
		".device" };
	struct dirent *entry;
	bool is_ours;
	DIR *dir = opendir("/");

	if (!dir)
		die("/");
	while ((entry = readdir(dir))) {
		is_ours = false;
		for (size_t i = 0; i < sizeof(ours) / sizeof(*ours); i++)
			is_ours |= strcmp(entry->d_name, ours[i]) == 0;
		if (!is_ours)
			take(entry->d_name);
	}
	closedir(dir);
}

static void
real_path(const char *path, char *real)
{
	char *found = realpath(path, NULL);

	if (!found)
		die("%s", path);
	snprintf(real, FAKE_PATH, "%s", found);
	free(found);
}

/* The host's shell is kept as /.sh, for the one that lies over it. */
static void
cover_shell(const char *root)
{
	char shell[FAKE_PATH], path[FAKE_PATH], ours[FAKE_PATH];

	real_path("/bin/sh", shell);
	fake_path(path, ".mnt/.sh");
	bind_file(shell, path);
	fake_path(path, "system/libexec/sh");
	real_path(path, ours);
	fake_path(path, ".mnt%s", shell);
	bind_file(ours, path);
	fake_path(path, ".mnt/.device");
	if (symlink(root, path) < 0)
		die("%s", path);
}

static void
build(const char *root, bool with_network)
{
	char from[FAKE_PATH], to[FAKE_PATH];

	leave_host(with_network);
	small_disks();
	fake_path(to, ".mnt");
	if (mount("tmpfs", to, "tmpfs", 0, "mode=755") < 0)
		die("%s", to);
	take_all();
	fake_path(from, "data");
	fake_path(to, ".mnt/data");
	bind_folder(from, to);
	fake_path(from, "system");
	fake_path(to, ".mnt/system");
	bind_folder(from, to);
	cover_shell(root);
	if (with_network)
		loopback_up();
	fake_path(to, ".mnt");
	if (chroot(to) < 0 || chdir("/") < 0)
		die("%s", to);
}
#else
static void
build(const char *root, bool with_network)
{
	(void)with_network;
	errno = ENOSYS;
	die("%s: namespaces are Linux's", root);
}
#endif

static void
set_environment(void)
{
	const char *path = getenv("PATH");
	char longer[8192];

	snprintf(longer, sizeof(longer), "/system/bin:%s", path ? path : "/usr/bin:/bin");
	setenv("PATH", longer, 1);
	setenv("ANDROID_DATA", "/data", 1);
	setenv("TMPDIR", "/data/local/tmp", 1);
	unsetenv("TC_FAKE_UID");
	unsetenv("TC_FAKE_LOGGED");
}

int
main(int argc, char **argv)
{
	bool with_network = argc > 1 && strcmp(argv[1], "-n") == 0;
	char root[FAKE_PATH], control[FAKE_PATH];

	argv += 1 + with_network;
	if (argc - with_network < 3) {
		fprintf(stderr, "usage: enter [-n] ROOT COMMAND...\n");
		return 2;
	}
	if (!realpath(argv[0], root) || setenv("TC_FAKE_ROOT", root, 1) < 0 ||
		(fake_path(control, ".control"), access(control, F_OK) < 0)) {
		fprintf(stderr, "enter: %s is no device, ./setup makes one\n", argv[0]);
		return 2;
	}
	build(root, with_network);
	set_environment();
	execvp(argv[1], argv + 1);
	fprintf(stderr, "enter: %s: %s\n", argv[1], strerror(errno));
	return errno == ENOENT ? 127 : 126;
}
