/* mkscene: make the trace of a phone on which an app stutters now and then. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scene.h"

static const char usage[] =
	"usage: mkscene [OPTION...]\n"
	"Write a made-up Perfetto trace; the same options give the same trace.\n\n"
	"  -s, --seconds N  length of the story (default 10; with --bytes, 0)\n"
	"  -r, --hz N       refresh rate, 24 to 240 (default 60)\n"
	"  -S, --seed N     another seed, other durations (default 1)\n"
	"  -b, --bytes N    go on until there are N bytes; suffix k, M or G (1024)\n"
	"  -m, --mix MIX    scene: frames and what describes the trace (default);\n"
	"                   system: ftrace too, so that frames are 2 % of the bytes;\n"
	"                   frames: frame packets, and the clock snapshot they need;\n"
	"                   mixed: nine in ten bytes are ftrace, half of those prints,\n"
	"                   frames are 3 %, the rest is logs and figures;\n"
	"                   atrace: ftrace alone, nearly all of it prints\n"
	"  -f, --frames N   length in display slots; --bytes then is how much else goes\n"
	"                   between the same frames (system, mixed, atrace)\n"
	"  -z, --deflate    packets in compressed groups\n"
	"  -h, --help\n";

static const struct option longopts[] = {
	{ "seconds", required_argument, NULL, 's' },
	{ "hz", required_argument, NULL, 'r' },
	{ "seed", required_argument, NULL, 'S' },
	{ "bytes", required_argument, NULL, 'b' },
	{ "frames", required_argument, NULL, 'f' },
	{ "mix", required_argument, NULL, 'm' },
	{ "deflate", no_argument, NULL, 'z' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static int
bad_option(const char *name, const char *text)
{
	fprintf(stderr, "mkscene: %s: '%s' is out of range or not understood\n", name,
		text);
	return -1;
}

static int
parse_number(const char *name, const char *text, uint64_t low, uint64_t high,
	const char *suffixes, uint64_t *value)
{
	const char *suffix;
	char *end;
	uint64_t v;

	errno = 0;
	v = strtoull(text, &end, 10);
	if (errno || *text < '0' || *text > '9')
		return bad_option(name, text);
	suffix = *end ? strchr(suffixes, *end) : NULL;
	if (*end && (!suffix || end[1]))
		return bad_option(name, text);
	for (; suffix; suffix = suffix > suffixes ? suffix - 1 : NULL) {
		if (v > UINT64_MAX / 1024)
			return bad_option(name, text);
		v *= 1024;
	}
	if (v < low || v > high)
		return bad_option(name, text);
	*value = v;
	return 0;
}

static int
parse_mix(const char *text, enum tc_scene_mix *mix)
{
	static const char *const names[] = { "scene", "system", "frames", "mixed",
		"atrace" };
	unsigned i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(text, names[i]) == 0) {
			*mix = (enum tc_scene_mix)i;
			return 0;
		}
	}
	return bad_option("--mix", text);
}

static int
parse_option(int c, struct tc_scene_opts *opts)
{
	uint64_t v = 0;
	int r = 0;

	switch (c) {
	case 's':
		r = parse_number("--seconds", optarg, 0, 1000000, "", &v);
		opts->seconds = (int64_t)v;
		return r;
	case 'r':
		r = parse_number("--hz", optarg, 24, 240, "", &v);
		opts->hz = (int64_t)v;
		return r;
	case 'S': return parse_number("--seed", optarg, 0, UINT64_MAX, "", &opts->seed);
	case 'b':
		return parse_number(
			"--bytes", optarg, 1, UINT64_MAX / 2, "kMG", &opts->min_bytes);
	case 'f':
		r = parse_number("--frames", optarg, 1, 10000000, "", &v);
		opts->frames = (int64_t)v;
		return r;
	case 'm': return parse_mix(optarg, &opts->mix);
	case 'z': opts->deflate = true; return 0;
	default: return -1;
	}
}

/* Whether there is something to put between a given number of frames, if asked for. */
static bool
fills(const struct tc_scene_opts *opts)
{
	return opts->min_bytes == 0 || tc_scene_has_ftrace(opts->mix);
}

static bool
goes_on(const struct tc_scene *s)
{
	if (s->writer.file.error)
		return false;
	if (s->opts.frames)
		return s->slot < s->opts.frames;
	return tc_scene_elapsed(s) / TC_SCENE_MS < s->opts.seconds * 1000 ||
		tc_scene_bytes(s) < s->opts.min_bytes;
}

static int
make(const struct tc_scene_opts *opts)
{
	struct tc_scene scene;
	int error;

	tc_scene_init(&scene, opts, STDOUT_FILENO);
	while (goes_on(&scene))
		tc_scene_step(&scene);
	tc_scene_finish(&scene);
	error = scene.writer.file.error;
	tc_scene_release(&scene);
	if (!error)
		return 0;
	fprintf(stderr, "mkscene: cannot write: %s\n", strerror(error));
	return 74;
}

static int
help(void)
{
	if (fputs(usage, stdout) == EOF || fflush(stdout) == EOF)
		return 74;
	return 0;
}

int
main(int argc, char **argv)
{
	struct tc_scene_opts opts = { .seconds = -1, .hz = 60, .seed = 1 };
	int c;

	while ((c = getopt_long(argc, argv, "s:r:S:b:f:m:zh", longopts, NULL)) != -1) {
		if (c == 'h')
			return help();
		if (parse_option(c, &opts) < 0)
			return 2;
	}
	if (optind < argc) {
		fprintf(stderr, "mkscene: takes no files\n");
		return 2;
	}
	if (opts.frames && (opts.seconds >= 0 || !fills(&opts))) {
		fprintf(stderr,
			"mkscene: --frames takes --bytes with ftrace only, and no "
			"--seconds\n");
		return 2;
	}
	if (opts.seconds < 0)
		opts.seconds = opts.min_bytes ? 0 : 10;
	return make(&opts);
}
