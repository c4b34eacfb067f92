/*
 * replay: feeds a fuzz target each file that is named, and all in each folder.
 *
 * Ends with status 1 when there was nothing to feed, or it could not be read.
 */
#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "fuzz.h"

static size_t fed;

static int
fail(const char *name)
{
	fprintf(stderr, "%s: %s\n", name, strerror(errno));
	return -1;
}

/* Bytes of just their size, so that a step beyond is seen. */
static int
feed_file(const char *name, size_t len)
{
	uint8_t *bytes = malloc(len ? len : 1);
	FILE *f = fopen(name, "rb");
	int r = 0;

	if (!f || !bytes || fread(bytes, 1, len, f) != len)
		r = fail(name);
	if (r == 0) {
		LLVMFuzzerTestOneInput(bytes, len);
		fed++;
	}
	if (f)
		fclose(f);
	free(bytes);
	return r;
}

static int feed(const char *name);

static int
feed_folder(const char *name)
{
	DIR *dir = opendir(name);
	struct dirent *entry;
	char path[4096];
	int r = 0;

	if (!dir)
		return fail(name);
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", name, entry->d_name);
		r |= feed(path);
	}
	closedir(dir);
	return r;
}

static int
feed(const char *name)
{
	struct stat st;

	if (stat(name, &st) != 0)
		return fail(name);
	if (S_ISDIR(st.st_mode))
		return feed_folder(name);
	return feed_file(name, (size_t)st.st_size);
}

int
main(int argc, char **argv)
{
	int i, r = 0;

	for (i = 1; i < argc; i++)
		r |= feed(argv[i]);
	printf("%zu inputs\n", fed);
	if (!fed)
		fprintf(stderr, "nothing to replay\n");
	return r || !fed ? 1 : 0;
}
