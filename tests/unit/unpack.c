/* unpack: what is in a file, read twice, whatever it is wrapped in. */
#include "unpack/unpack.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <zlib.h>
#include <zstd.h>

#include "check.h"
#include "err/err.h"

enum { TRACE_BYTES = 700000, ROOM = 4 * 1024 * 1024, BLOCK = 512 };

static struct tc_err err;

struct bytes {
	uint8_t *p; /* owned */
	size_t len;
};

static struct bytes
new_bytes(void)
{
	return (struct bytes){ .p = tc_mem_calloc(1, ROOM) };
}

static void
add(struct bytes *b, const void *p, size_t len)
{
	memcpy(b->p + b->len, p, len);
	b->len += len;
}

/* Packets of 127 bytes with a timestamp, and noise that does not shrink. */
static struct bytes
make_trace(uint64_t seed)
{
	struct bytes b = new_bytes();
	uint8_t packet[129] = { 0x0a, 127, 0x40, 5, 0x7a, 123 };
	size_t i;

	while (b.len < TRACE_BYTES) {
		for (i = 6; i < sizeof(packet); i++)
			packet[i] = (uint8_t)check_random(&seed);
		add(&b, packet, sizeof(packet));
	}
	return b;
}

static void
add_gzip(struct bytes *to, const struct bytes *from)
{
	z_stream z = { .next_in = from->p, .avail_in = (uInt)from->len };

	CHECK_INT(deflateInit2(&z, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
	z.next_out = to->p + to->len;
	z.avail_out = (uInt)(ROOM - to->len);
	CHECK_INT(deflate(&z, Z_FINISH), Z_STREAM_END);
	to->len += z.total_out;
	deflateEnd(&z);
}

static void
add_zstd(struct bytes *to, const struct bytes *from)
{
	size_t n = ZSTD_compress(to->p + to->len, ROOM - to->len, from->p, from->len, 1);

	CHECK(!ZSTD_isError(n));
	to->len += n;
}

static void
add_tar(struct bytes *to, const char *name, const struct bytes *from)
{
	uint8_t header[BLOCK] = { 0 };
	unsigned sum = 0;
	size_t i;

	snprintf((char *)header, 100, "%s", name);
	snprintf((char *)header + 100, 8, "0000644");
	snprintf((char *)header + 108, 8, "0000000");
	snprintf((char *)header + 116, 8, "0000000");
	snprintf((char *)header + 124, 12, "%011zo", from->len);
	snprintf((char *)header + 136, 12, "%011o", 0u);
	memset(header + 148, ' ', 8);
	header[156] = '0';
	memcpy(header + 257,
		"ustar\0"
		"00",
		8);
	for (i = 0; i < BLOCK; i++)
		sum += header[i];
	snprintf((char *)header + 148, 8, "%06o", sum);
	add(to, header, BLOCK);
	add(to, from->p, from->len);
	to->len = (to->len + BLOCK - 1) / BLOCK * BLOCK;
}

/* All of an input is the bytes, and its end as it should be. */
static bool
check_content(struct tc_in *in, const struct bytes *want)
{
	size_t n;
	int r;

	while ((r = tc_in_want(in, 1, &err)) > 0) {
		n = tc_in_avail(in);
		if (!CHECK(in->offset + n <= want->len) ||
			!CHECK(memcmp(tc_in_at(in), want->p + in->offset, n) == 0))
			return false;
		tc_in_eat(in, n);
	}
	return CHECK_INT(r, 0) && CHECK_INT(in->offset, want->len) &&
		CHECK_INT(in->ending, TC_IN_WHOLE);
}

/* The first part, all, and all once more. */
static void
check_twice(struct tc_in *in, const struct bytes *want, bool can_rewind)
{
	if (!CHECK_INT(tc_in_can_rewind(in), can_rewind))
		return;
	if (can_rewind) {
		CHECK_INT(tc_in_want(in, 300000, &err), 1);
		tc_in_eat(in, 299999);
		CHECK_INT(tc_in_rewind(in, &err), 0);
	}
	check_content(in, want);
	if (!can_rewind)
		return;
	CHECK_INT(tc_in_rewind(in, &err), 0);
	check_content(in, want);
}

static void
check_traces(struct tc_in *file, const struct bytes *wanted, size_t n, bool can_rewind)
{
	struct tc_unpack u;
	struct tc_in *in;
	size_t i;

	tc_unpack_open(&u, file);
	for (i = 0; i < n; i++) {
		if (!CHECK_INT(tc_unpack_next(&u, &in, &err), 1))
			break;
		check_twice(in, &wanted[i], can_rewind);
		CHECK(tc_in_spent(in) <= file->offset + tc_in_avail(file));
	}
	CHECK_INT(tc_unpack_next(&u, &in, &err), 0);
	CHECK_INT(tc_unpack_next(&u, &in, &err), 0);
	tc_unpack_close(&u);
}

/* As bytes, as a file read from where its descriptor stands, and from a pipe. */
static void
check_file(const struct bytes *file, const struct bytes *wanted, size_t n)
{
	char name[] = "/tmp/tc-unit-unpack.XXXXXX", command[64];
	struct tc_in in;
	FILE *pipe;
	int fd;

	tc_in_bytes(&in, file->p, file->len);
	check_traces(&in, wanted, n, true);
	tc_in_close(&in);

	fd = mkstemp(name);
	CHECK_INT(write(fd, "ahead", 5), 5);
	CHECK_INT(write(fd, file->p, file->len), file->len);
	CHECK_INT(lseek(fd, 5, SEEK_SET), 5);
	CHECK_INT(dup2(fd, STDIN_FILENO), STDIN_FILENO);
	CHECK_INT(tc_in_open(&in, "-", &err), 0);
	check_traces(&in, wanted, n, true);
	tc_in_close(&in);
	close(fd);

	snprintf(command, sizeof(command), "tail -c +6 %s", name);
	pipe = popen(command, "r");
	CHECK_INT(dup2(fileno(pipe), STDIN_FILENO), STDIN_FILENO);
	CHECK_INT(tc_in_open(&in, "-", &err), 0);
	check_traces(&in, wanted, n, false);
	tc_in_close(&in);
	close(STDIN_FILENO);
	pclose(pipe);
	unlink(name);
}

int
main(void)
{
	struct bytes wanted[3] = { make_trace(1), make_trace(2), make_trace(3) };
	struct bytes file = new_bytes(), inner = new_bytes();

	alarm(60);
	check_file(&wanted[0], wanted, 1);

	add_gzip(&file, &wanted[0]);
	check_file(&file, wanted, 1);
	file.len = 0;
	add_zstd(&file, &wanted[0]);
	check_file(&file, wanted, 1);

	/* One as it is, one compressed, and what is passed over between them. */
	file.len = 0;
	add_tar(&file, "one", &wanted[0]);
	add_tar(&file, "none", &inner);
	add_gzip(&inner, &wanted[1]);
	add_tar(&file, "two.gz", &inner);
	inner.len = 0;
	add(&inner, "\nsome text\n", 11);
	add_tar(&file, "text", &inner);
	add_tar(&file, "three", &wanted[2]);
	memset(file.p + file.len, 0, 2 * BLOCK);
	file.len += 2 * BLOCK;
	check_file(&file, wanted, 3);
	inner.len = 0;
	add_zstd(&inner, &file);
	check_file(&inner, wanted, 3);

	free(file.p);
	free(inner.p);
	free(wanted[0].p);
	free(wanted[1].p);
	free(wanted[2].p);
	return check_done();
}
