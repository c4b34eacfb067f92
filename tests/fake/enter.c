#include "fake.h"

#include <stdio.h>

#ifdef __linux__

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <net/if.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool
put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool ok = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return ok;
}

/* Whoever we are, root in there: only then may we mount. */
static bool
become_root(int flags)
{
	char users[64], groups[64];

	snprintf(users, sizeof(users), "0 %u 1", (unsigned)geteuid());
	snprintf(groups, sizeof(groups), "0 %u 1", (unsigned)getegid());
	if (unshare(CLONE_NEWUSER | CLONE_NEWNS | flags) < 0)
		return false;
	return put("/proc/self/setgroups", "deny") && put("/proc/self/uid_map", users) &&
		put("/proc/self/gid_map", groups);
}

/* What is at `from` shows at `to`, too; links are made again. */
static bool
show(const char *from, const char *to)
{
	char link[PATH_MAX];
	struct stat st;
	ssize_t n;
	int fd;

	if (lstat(from, &st) < 0)
		return false;
	if (S_ISLNK(st.st_mode)) {
		n = readlink(from, link, sizeof(link) - 1);
		if (n < 0)
			return false;
		link[n] = '\0';
		return symlink(link, to) == 0;
	}
	if (S_ISDIR(st.st_mode)) {
		if (mkdir(to, 0755) < 0)
			return false;
	} else {
		fd = open(to, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
		if (fd < 0)
			return false;
		close(fd);
	}
	return mount(from, to, NULL, MS_BIND | MS_REC, NULL) == 0;
}

/* All that is in one folder, but what the new root has already. */
static bool
show_all(const char *folder, const char *into)
{
	char from[PATH_MAX], to[PATH_MAX];
	struct dirent *e;
	struct stat st;
	DIR *dir = opendir(folder);

	if (!dir)
		return false;
	while ((e = readdir(dir))) {
		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
			continue;
		if (snprintf(from, sizeof(from), "%s/%s", folder, e->d_name) >=
				PATH_MAX ||
			snprintf(to, sizeof(to), "%s/%s", into, e->d_name) >= PATH_MAX)
			continue;
		/* What cannot be shown (a folder of another user's) is left out. */
		if (lstat(to, &st) < 0 && !show(from, to) && errno != EACCES &&
			errno != EPERM) {
			closedir(dir);
			return false;
		}
	}
	closedir(dir);
	return true;
}

static bool
change_root(const char *root)
{
	char place[] = "/tmp/fake.XXXXXX", cwd[PATH_MAX];

	if (!getcwd(cwd, sizeof(cwd)) || !mkdtemp(place))
		return false;
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
		mount("none", place, "tmpfs", 0, "mode=755") < 0) {
		rmdir(place);
		return false;
	}
	if (!show_all(root, place) || !show_all("/", place))
		return false;
	if (chdir(place) < 0 || syscall(SYS_pivot_root, ".", ".") < 0 ||
		umount2(".", MNT_DETACH) < 0)
		return false;
	/* It shows in the new /tmp, too; outside it was an empty folder all the time. */
	umount2(place, MNT_DETACH);
	rmdir(place);
	return chdir(cwd) == 0 || chdir("/") == 0;
}

static bool
loopback_up(void)
{
	struct ifreq request = { .ifr_name = "lo" };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool ok;

	if (fd < 0)
		return false;
	ok = ioctl(fd, SIOCGIFFLAGS, &request) == 0;
	request.ifr_flags |= IFF_UP;
	ok = ok && ioctl(fd, SIOCSIFFLAGS, &request) == 0;
	close(fd);
	return ok;
}

bool
fake_enter(const char *root, bool net)
{
	char *whole = realpath(root, NULL);
	bool ok = whole && become_root(net ? CLONE_NEWNET : 0) && change_root(whole) &&
		(!net || loopback_up());

	if (!ok)
		fprintf(stderr, "fake: no name space of its own: %s\n", strerror(errno));
	free(whole);
	return ok;
}

#else

bool
fake_enter(const char *root, bool net)
{
	(void)root;
	(void)net;
	fprintf(stderr, "fake: no name space of its own on this system\n");
	return false;
}

#endif
